"""House rules as a user has them: by name, by file, on the command line, in folders, experiments and sweeps."""

import json
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest
from click.testing import CliRunner

from jamaica_sim import Rules, load, load_rules, replay, replay_story, rules_diff, simulate
from jamaica_sim.cli import main
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.game.house_file import NAMED, shipped_house_rules
from jamaica_sim.game.rules import RulesError
from jamaica_sim.play.check import check_house_rules
from jamaica_sim.play.outside.game import Game
from jamaica_sim.report.report import make_report
from jamaica_sim.strategy.house import compile as house
from jamaica_sim.strategy.library import Untrusted
from jamaica_sim.study.experiment.run_experiment import run_experiment

PAYS = '''"""Empty lairs pay."""
from jamaica_sim.strategy.house.api import GOLD, give
PARAMETERS = {"pays": (2, 0, 10)}
def lair(game, rules, ship, space, token):
    if token == 0:
        give(game, rules, ship, GOLD, PARAMETERS["pays"])
'''
SAIL_BY = """'''The attacker may sail by.'''
from jamaica_sim.strategy.house.api import CALLED_OFF, ask
CHOICES = {"battle_begins": ("fight", "sail by")}
def battle_begins(game, rules, attacker, defender):
    return ask(attacker, 2)
def battle_begins_chosen(game, rules, attacker, defender, player, answer):
    return CALLED_OFF if answer == 1 else 0
"""
RACE = '''"""Home is worth more."""
def points(game, rules, ship, n):
    return n + 7 if game.lap[ship] == 1 else n - 1
'''


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pays.py"
    path.write_text(PAYS)
    return path


def test_they_are_named_wherever_rules_are(file):
    rules = Rules(house_rules=file).but(**{"house.pays": 3})
    assert "pays.py" in repr(rules) and Rules(**rules.as_dict()) == rules
    assert rules.but(house_rules=None) == Rules()
    assert set(rules_diff(Rules(), rules)["rule"]) == {"house_rules", "house.pays"}
    with pytest.raises(RulesError, match="house.pays must be a whole number from 0 to 10, not 11"):
        rules.but(**{"house.pays": 11})
    with pytest.raises(RulesError, match="no house rules here to change"):
        Rules(**{"house.pays": 3})


def test_results_do_not_depend_on_threads_and_the_file_of_rules_means_the_same(file):
    (file.parent / "rules.toml").write_text('players = 3\ncode = "pays.py"\n[house]\npays = 5\n')
    NAMED.add(PAYS)
    rules = load_rules(file.parent / "rules.toml")
    one = simulate(games=300, rules=rules, strategies=["random"], threads=1)
    two = simulate(games=300, players=3, house_rules=file, strategies=["random"], threads=2, **{"house.pays": 5})
    assert one.to_dict()["tables"] == two.to_dict()["tables"]


def test_threads_that_play_first_parse_a_file_one_after_the_other(file, monkeypatch):
    """Two at once ended in a SystemError of Python 3.11 and 3.12."""
    rules, inside, most = Rules(house_rules=file), [], []

    def made(*_):
        inside.append(1)
        most.append(len(inside))
        sleep(0.02)
        inside.pop()
        return {}

    monkeypatch.setattr(house, "compiled_functions", made)
    books = [rulebook_of(rules) for _ in range(6)]
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(lambda book: house.in_force(book, rules), books))
    assert most == [1] * 6


def test_the_command_line_plays_keeps_and_replays_them(file, tmp_path):
    folder = tmp_path / "run"
    ended = run("run", "-n", 200, "-s", "random", "--house-rules", file, "--rule", "house.pays=4", "--out", folder)
    assert ended.exit_code == 0, ended.output
    assert "house rules pays.py: Empty lairs pay" in ended.output
    kept = json.loads((folder / "manifest.json").read_text())["configuration"]["rules"]["house_rules"]
    assert kept["text"] == PAYS and kept["parameters"] == {"pays": 4}
    shown = run("replay", folder, "--game", 7, "--format", "json")
    trace = json.loads(shown.output)
    gifts = [event for event in trace["events"] if event["event"] == "house"]
    assert {(event["what"], event["rule"], event["moment"]) for event in gifts} == {("give", "pays.py", "lair")}
    assert {event["amount"] for event in gifts} == {4}
    assert "gets 4 gold (house rule pays)" in run("replay", folder, "--game", 7).output


def gold_told(trace):
    """Every ship's doubloons at the end, from the events alone."""
    gold = [3] * trace["config"]["players"]
    for event in trace["events"]:
        sign = {"load": 1, "pay": -1, "house": 1}.get(event["event"], 0)
        if sign and event["resource"] == "gold":
            gold[event["ship"]] += sign * event["amount"]
        if event["event"] == "loot" and event.get("resource") == "gold":
            gold[event["loser"]] -= event["amount"]
        if (event.get("emptied") or {}).get("resource") == "gold":
            gold[event["ship"]] -= event["emptied"]["amount"]
    return gold


def test_figures_are_those_recounted_from_traces(file):
    """Doubloons at the end, by the rows of a run and by the events of the same games."""
    table = {"players": 3, "strategies": ["random"], "house_rules": file, "seed": 5}
    results = simulate(games=30, per_game=True, **table)
    told = [gold_told(replay(game, **table)) for game in range(30)]
    rows = results.by_game()
    assert rows.sort_values(["game", "ship"])["gold"].tolist() == [amount for gold in told for amount in gold]


def test_a_strangers_file_in_a_folder_is_only_looked_at(file, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "run"
    simulate(games=20, strategies=["random"], house_rules=file, out=folder)
    monkeypatch.setattr("jamaica_sim.strategy.library.NAMED", set())
    results = load(folder)
    assert results.games == 20
    with pytest.raises(Untrusted, match="allow them with --trust"):
        simulate(games=20, rules=results.table.rules, strategies=["random"])
    assert run("replay", folder, "--game", 3).exit_code == 2
    assert run("replay", folder, "--game", 3, "--trust").exit_code == 0


def test_a_sweep_of_a_parameter(file):
    ended = run("sweep", "house.pays=0..4..2", "--house-rules", file, "-s", "random", "-n", 200, "--format", "json")
    assert ended.exit_code == 0, ended.output
    assert "house.pays" in ended.output


@pytest.mark.parametrize("name", shipped_house_rules())
def test_shipped_rules_keep_the_books(name, monkeypatch):
    monkeypatch.setattr("jamaica_sim.play.check.HOUSE_GAMES", 6)
    from jamaica_sim.game.house_file import house_rules_in

    checked = check_house_rules(house_rules_in(name))
    assert checked.games == 48 and sum(checked.effects.values()) > 0.5


def test_the_template_can_be_played(tmp_path):
    assert run("rules", "new", "mine", "--code", "--into", tmp_path).exit_code == 0
    assert "An empty lair pays" in run("run", "-n", 50, "-s", "random", "--house-rules", tmp_path / "mine.py").output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--house-rules", "nowhere.py"], "here is no file nowhere.py"),
        (["run", "--house-rules", "lairs_pai"], "did you mean 'lairs_pay'"),
        (["run", "--house-rules", "lairs_pay", "--rule", "house.paid=3"], "has no parameter house.paid"),
        (["run", "--rule", "house.pays=3"], "no house rules here to change"),
    ],
)
def test_mistakes_end_in_one_sentence(words, sentence):
    ended = run(*words)
    assert ended.exit_code == 2 and sentence in ended.output


def test_the_story_tells_a_choice_in_the_files_words(tmp_path):
    path = tmp_path / "by.py"
    path.write_text(SAIL_BY)
    stories = [replay_story(replay(game, players=4, strategies=["random"], house_rules=path)) for game in range(6)]
    assert any("chooses sail by (house rule by)" in story for story in stories)


def test_the_sources_of_a_score_add_up_with_house_points(tmp_path):
    path = tmp_path / "race.py"
    path.write_text(RACE)
    results = simulate(games=60, players=3, strategies=["random"], house_rules=path, per_game=True)
    columns = results.wins().columns
    for row in results.wins().rows:
        told = dict(zip(columns, row, strict=True))
        parts = sum(told[name].value for name in ("position", "gold", "treasures", "house"))
        assert parts == pytest.approx(told["score"].value) and told["house"].value != 0
    game = {name.strip(): estimate.value for name, estimate in results.game().rows}
    assert sum(game[f"by {name}"] for name in ("position", "gold", "treasures", "house rules")) == pytest.approx(
        game["winner's score"]
    )
    rows = results.by_game()
    assert rows["house_points"].tolist() == [7 if lap == 1 else -1 for lap in rows["final_lap"]]
    assert "house" not in simulate(games=20, strategies=["random"]).wins().columns


def test_a_report_has_house_points_among_the_sources_and_a_stranger_is_refused_before_any_game(tmp_path, monkeypatch):
    (tmp_path / "race.py").write_text(RACE)
    asked = tmp_path / "asked.toml"
    asked.write_text("line_ups = ['random']\nchapters = ['scores']\n[rules]\nhouse_rules = ['none', 'race.py']\n")
    monkeypatch.setattr("jamaica_sim.strategy.library.NAMED", set())
    assert run("experiment", "run", asked, "--games", 50, "--out", tmp_path / "asked").exit_code == 2
    assert not (tmp_path / "asked").exists()
    study = run_experiment(asked, tmp_path / "asked", games=50, trust=True)
    (chapter,) = make_report(study).chapters
    for row in chapter.tables[0].rows:
        told = dict(zip(chapter.tables[0].columns, row, strict=True))
        parts = [told[f"by {name}"].value for name in ("position", "gold", "treasures", "house rules")]
        assert sum(parts) == pytest.approx(told["winner's score"].value)
        assert (parts[-1] != 0) == ("“Race”" in told["table"])


def test_a_question_has_the_files_words(tmp_path):
    path = tmp_path / "by.py"
    path.write_text(SAIL_BY)
    for number in range(20):
        game = Game(players=3, strategies=[None, "random", "random"], house_rules=path, number=number)
        while not game.is_over and game.question.decision != "house_choice":
            game.answer(game.question.options[-1])
        if not game.is_over:
            break
    assert game.question.words == {0: "fight", 1: "sail by"}
    assert game.question.asks == "The attacker may sail by."


@pytest.mark.parametrize("name", ["lairs_pay", "doubles_feed", "late_wages"])
def test_goods_of_shipped_rules_are_those_recounted_from_traces(name):
    table = {"players": 4, "strategies": ["random"], "house_rules": name, "seed": 6}
    rows = simulate(games=12, per_game=True, **table).by_game().sort_values(["game", "ship"])
    traces = [replay(game, **table) for game in range(12)]
    assert rows["gold"].tolist() == [amount for trace in traces for amount in gold_told(trace)]
    short = [
        sum(e["event"] == "shortage" and e["ship"] == ship for e in t["events"]) for t in traces for ship in range(4)
    ]
    assert (rows["shortages_gold"] + rows["shortages_food"]).tolist() == short
    assert rows["rounds"].tolist() == [trace["result"]["rounds"] for trace in traces for _ in range(4)]


def test_balance_varies_the_parameters_of_house_rules(file, tmp_path):
    (tmp_path / "t.toml").write_text(
        'games = 60\nsearch_games = 60\ntrials = 3\nadapt = 0\nstrategies = ["random"]\n[targets]\nrounds = [9, 12]\n'
        '[ranges]\nhand_size = "2..4"\n'
    )
    ended = run("balance", tmp_path / "t.toml", "--house-rules", file)
    assert ended.exit_code == 0, ended.output
    assert "candidates over 2 rules" in ended.output and "house rules pays.py" in ended.output
