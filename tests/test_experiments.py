"""Experiment files: what is refused, what is played, and that every setting has the same deals."""

import json
import signal
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command import assert_told, type_in
from folders import rewrite

from jamaica_sim import simulate
from jamaica_sim.cli import main
from jamaica_sim.game.components import board
from jamaica_sim.game.components.course import board_csv
from jamaica_sim.play.manifest import EXPERIMENT, VOLATILE, FolderError
from jamaica_sim.report.arrangement import comparable
from jamaica_sim.report.page import html
from jamaica_sim.report.report import make_report
from jamaica_sim.results.measures import COURSE
from jamaica_sim.results.stats.estimate import jackknife
from jamaica_sim.study.experiment.file import ExperimentError, experiment_from_text, load_experiment, shipped_names
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.experiment.setting import differing_factors, shared_changes
from jamaica_sim.study.experiment.study import configuration, load_study
from jamaica_sim.study.find_games import find_games, load_games
from jamaica_sim.study.folder import StudyFolder, table_of_run
from jamaica_sim.study.simulate import Stopped

SMALL = """
title = "Small"
games = 130
compare = "ghost"
line_ups = ["random"]

[rules]
edition = ["2007", "2021"]

[[tables]]
players = 2

[[tables]]
players = 3
ghost = [false, true]
"""


def experiment(text, name="small.toml"):
    return experiment_from_text(text, Path(name))


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return run_experiment(experiment(SMALL), tmp_path_factory.mktemp("played") / "small")


VARIANTS = """
title = "Fever"
games = 60
compare = "variant"
line_ups = ["random", ["racer", "random"]]

[rules]
players = [3, 4]

[[tables]]
name = "the printed rules"

[[tables]]
name = "fever"
"treasure.plus_7.value" = 12
"ports.dearer" = 1
"""


# Files


def test_shipped_experiments_can_be_run():
    names = shipped_names()
    older = {"player_counts", "editions", "ghost_ship", "strategies", "treasures", "rule_book_claims", "skill_search"}
    assert set(names) == older | {"skill", "ghost_search", "luck", "luck_ladder", "causes", "restricted", "house_rules"}
    for name in names:
        loaded = load_experiment(name)
        assert loaded.settings and loaded.title and loaded.description and loaded.chapters
        labels = [setting.label for setting in loaded.settings]
        assert len(set(labels)) == len(labels), name


def test_ghost_ship_plays_two_to_five_with_and_without():
    tables = {(s.rules.players, s.rules.ghost, s.rules.edition) for s in load_experiment("ghost_ship").settings}
    wanted = {(2, True), *((players, ghost) for players in (3, 4, 5) for ghost in (False, True))}
    assert tables == {(*table, edition) for table in wanted for edition in ("2007", "2021")}


def test_settings_are_every_combination_of_factors():
    loaded = experiment('line_ups = ["random", ["random", "balanced"]]\n[rules]\nplayers = [3, 4]\nhand_size = [3, 4]')
    assert len(loaded.settings) == 8
    assert {(s.rules.players, s.rules.hand_size, s.is_mixed) for s in loaded.settings} == {
        (players, hand, mixed) for players in (3, 4) for hand in (3, 4) for mixed in (False, True)
    }


def test_a_variant_stands_for_all_its_rules(tmp_path):
    found = experiment(VARIANTS)
    labels = [setting.label for setting in found.settings]
    assert labels[0] == "3 players, the printed rules, random" and labels[-1] == "4 players, fever, racer v. random"
    assert found.settings[-1].rules.components != found.settings[0].rules.components
    played = run_experiment(found, tmp_path / "fever")
    assert played.varying == ["variant", "players", "line_up"]
    pairs = [(a.label, b.label) for a, b in played.contrasts("variant")]
    assert ("4 players, the printed rules, random", "4 players, fever, random") in pairs and len(pairs) == 4
    page = CliRunner().invoke(main, ["report", str(tmp_path / "fever"), "--out", str(tmp_path / "fever.html")])
    assert page.exit_code == 0, page.output
    text = (tmp_path / "fever.html").read_text(encoding="utf-8")
    assert "<h1>With fever" in text and "space.6.cost" not in text
    assert "when all play random and" not in text


def test_a_report_on_a_rule_says_under_which_rules_its_figures_are(tmp_path):
    found = experiment(
        'compare = "variant"\ngames = 400\nline_ups = ["balanced"]\n[[tables]]\nname = "the printed rules"\n'
        '[[tables]]\nname = "free ports"\n"ports.dearer" = -9\n'
    )
    run_experiment(found, tmp_path / "free")
    report = make_report(load_study(tmp_path / "free"))
    text = html(report)
    first, *later = text.split("<section id=")[1:]
    assert report.headline.startswith("With free ports: ")
    assert report.reference.startswith("Unless noted: four players, the printed 2007 rules, all balanced.")
    assert "with free ports" in report.keys[-1].words
    assert "the printed 2007 rules" in report.map.sub
    assert all("Under the printed rules, unless another table is named." in chapter for chapter in later)
    assert "unless another table is named" not in first
    for rules in ("the printed rules", "free ports"):
        assert (
            text.count('<details class="watch"><summary>Watch a game</summary>')
            == text.count(f"{rules}, a typical game")
            > 5
        )
    shown = {column for table in report.chapters[0].tables for column in table.columns}
    shown |= {str(row[0]) for table in report.chapters[0].tables for row in table.rows}
    assert [m.column for m in COURSE if m.column not in shown] == []
    worst = next(sentence for sentence in text.split(". ") if "of the games need more" in sentence)
    assert "(the printed rules)" in worst or "(free ports)" in worst


def test_a_report_on_one_rule_names_its_first_value(tmp_path):
    found = experiment('compare = "hand_size"\ngames = 60\nline_ups = ["random"]\n[rules]\nhand_size = [4, 5]')
    run_experiment(found, tmp_path / "hands")
    report = make_report(load_study(tmp_path / "hands"))
    assert "four players, 2007 rules, 4 cards in hand, all random" in report.reference
    assert report.base == "with 4 cards in hand" and report.headline.startswith("With 5 cards in hand")


def test_a_report_that_compares_no_rules_does_not_speak_of_them(study):
    assert make_report(study).base == "" and "printed" not in make_report(study).reference


def test_a_name_for_many_spaces_is_one_factor():
    found = experiment('compare = "ports.dearer"\n[rules]\n"ports.dearer" = [0, 1, 2]')
    assert [setting.label for setting in found.settings] == [
        "ports as on the board",
        "ports 1 dearer",
        "ports 2 dearer",
    ]
    both = experiment('compare = "hand_size"\n[rules]\nhand_size = [3, 4]\n"red_line" = 20')
    assert [setting.label for setting in both.settings] == ["hand size 3", "hand size 4"]
    shown = experiment('[rules]\nplayers = [3, 4]\n"ports.dearer" = 1')
    assert shared_changes(shown.settings) == "ports 1 dearer"


def test_a_board_with_more_spaces_or_house_rules_is_one_factor(tmp_path):
    """A space or a parameter that only a later table has does not make it a table of its own."""
    lines = board_csv(board()).splitlines()
    (tmp_path / "longer.csv").write_text("\n".join([*lines[:4], "new,sea,2,-5,,,", *lines[4:]]), encoding="utf-8")
    house = "house_rules = 'lairs_pay'\nhouse.pays = 5\n"
    for text, labels in [
        ("compare = 'board'\n[rules]\nboard = ['printed', 'longer.csv']", ["the printed board", "board longer"]),
        ("compare = 'variant'\n[[tables]]\nname = 'a'\n[[tables]]\nname = 'b'\nboard = 'longer.csv'", ["a", "b"]),
        (f"compare = 'variant'\n[[tables]]\nname = 'a'\n[[tables]]\nname = 'b'\n{house}", ["a", "b"]),
        (f"[[tables]]\nhouse_rules = 'none'\n[[tables]]\n{house}", ["no house rules", "“Lairs pay”, house.pays 5"]),
    ]:
        found = experiment(text, tmp_path / "small.toml")
        assert [setting.label for setting in found.settings] == labels
        first, second = found.settings
        assert len(differing_factors(first, second)) == len(differing_factors(second, first)) == 1
    played = run_experiment(replace(found, games=20), tmp_path / "played")
    assert [setting.label for setting in comparable(replace(played, compare="house_rules"))] == labels


@pytest.mark.parametrize(
    "text, said",
    [
        (VARIANTS.replace('"variant"', '"treasure.plus_7.value"'), "compare must be a factor with several values"),
        (VARIANTS.replace('name = "fever"', ""), "either every [[tables]] has one or none"),
        (VARIANTS.replace('"fever"', "7"), "name must be a short text"),
        (VARIANTS.replace('"treasure.plus_7.value" = 12\n"ports.dearer" = 1', ""), "have the same rules"),
        (
            'compare = "hand_size"\n[[tables]]\nhand_size = 3\n[[tables]]\nhand_size = 4\nholds = 4',
            "no two settings differ in hand_size alone, so there is nothing to compare: they differ in holds too.",
        ),
    ],
)
def test_sets_of_rules_that_cannot_be_compared_are_refused(text, said):
    with pytest.raises(ExperimentError) as refused:
        experiment(text)
    assert said in str(refused.value)


def test_a_list_is_one_value_where_the_rule_is_a_list():
    assert len(experiment("[rules]\naction_die = [1, 2, 3]").settings) == 1
    assert len(experiment("[rules]\naction_die = [[1, 2, 3], [4, 5, 6]]").settings) == 2


BAD = {
    "unknown key": ('titel = "x"', ["there is no key 'titel'", "did you mean 'title'?"]),
    "unknown rule": ("[rules]\nplayrs = 3", ["there is no rule 'playrs'", "did you mean 'players'?"]),
    "unknown chapter": ('chapters = ["shortage"]', ["there is no chapter 'shortage'", "did you mean 'shortages'?"]),
    "old key": ('sections = ["box"]', ["there is no key 'sections'", "did you mean 'chapters'?"]),
    "ghost with six": ("[rules]\nplayers = [5, 6]\nghost = true", ["players = 6", "2 to 5 players, not 6"]),
    "two without ghost": ("[rules]\nplayers = 2\nghost = false", ["always play with the ghost ship"]),
    "missing strategy": ('line_ups = ["balancd"]', ["there is no strategy 'balancd'", "did you mean 'balanced'?"]),
    "missing file": ('line_ups = ["mine.toml"]', ["there is no strategy file mine.toml"]),
    "too many strategies": (
        'line_ups = [["random", "random", "balanced", "random"]]\n[rules]\nplayers = 3',
        ["4 strategies for 3"],
    ),
    "wrong number": ("games = 0", ["games must be a whole number from 1 to 1,000,000,000,000, not 0"]),
    "too many games": (f"games = {10**30}", ["games must be a whole number from 1 to 1,000,000,000,000, not 1000"]),
    "wrong seed": ('seed = "one"', ["seed must be a whole number"]),
    "wrong value": ("[rules]\nhand_size = 12", ["hand_size must be a whole number from 1 to 8, not 12"]),
    "goods by seat": (
        "[[tables]]\nname = 'a'\nstart_gold = [2, 3, 3, 4]",
        ["number 1: start_gold has the value 3 twice", "start_gold = [[2, 3, 3, 4]]"],
    ),
    "no value": ("[rules]\nplayers = []", ["players has no value"]),
    "wrong line-ups": ("line_ups = 3", ["line_ups must be a list"]),
    "nobody": ("line_ups = []", ["nobody to play"]),
    "one is no pair": ('pairs = ["random"]', ["at least two strategies"]),
    "compare what does not vary": ('compare = "edition"', ["compare must be a factor with several values"]),
    "random play restricted": (
        'chapters = ["restricted"]\nline_ups = ["random"]',
        ["random play cannot be restricted"],
    ),
    "not TOML": ("games = ", ["not valid TOML"]),
    "rules are no table": ("rules = 3", ["rules must be a table"]),
    "too many settings": (
        f"[rules]\nstart_food = {list(range(11))}\nstart_gold = {list(range(11))}\nlady_beth_bonus = {list(range(20))}",
        ["2,420 settings"],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case):
    text, snippets = BAD[case]
    with pytest.raises(ExperimentError) as refused:
        experiment(text)
    for snippet in snippets:
        assert snippet in str(refused.value)


def test_all_that_is_wrong_is_said_at_once_before_the_first_game(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(
        'titel = "x"\ngames = -1\nchapters = ["battle"]\nline_ups = ["nobody", "balancd"]\n'
        "[rules]\nplayers = [4, 6]\nghost = true\nhnd_size = 3\n"
    )
    done = CliRunner().invoke(main, ["experiment", "run", str(file), "--out", str(tmp_path / "out")])
    assert done.exit_code == 2
    for snippet in ("7 problems", "'titel'", "games", "'battle'", "'nobody'", "'balancd'", "not 6", "'hnd_size'"):
        assert snippet in done.output
    assert not (tmp_path / "out").exists()


def test_unknown_names_and_files_are_refused():
    for name, snippet in (("ghost_shp", "did you mean 'ghost_ship'?"), ("./none.toml", "cannot be read")):
        with pytest.raises(ExperimentError, match=snippet.replace("?", r"\?")):
            load_experiment(name)


# Playing


def test_each_setting_plays_the_same_deals_as_a_run(study):
    for setting in study.settings:
        alone = simulate(130, rules=setting.rules, strategies=["random"], seed=1)
        assert setting.results.tally == alone.tally


def test_a_study_knows_its_factors(study):
    assert study.varying == ["ghost", "players", "edition"]
    assert [s.label for s in study.settings][:2] == [
        "2 players, with the ghost, 2007",
        "2 players, with the ghost, 2021",
    ]
    pairs = study.contrasts("ghost")
    assert [(a.rules.ghost, b.rules.ghost) for a, b in pairs] == [(False, True)] * 2
    assert all(a.rules.but(ghost=True) == b.rules for a, b in pairs)
    assert [(a.rules.edition, b.rules.edition) for a, b in study.contrasts("edition")] == [("2007", "2021")] * 3


def test_an_interrupted_experiment_goes_on(study, tmp_path):
    played = []

    def watch(label, number):
        if number == 3:
            raise KeyboardInterrupt
        played.append(number)
        return nullcontext()

    out = tmp_path / "small"
    with pytest.raises(Stopped, match="390 of 780 games are played and saved. Go on with: jamaica-sim resume "):
        run_experiment(experiment(SMALL), out, watch=watch)
    with pytest.raises(FolderError, match="interrupted"):
        load_study(out)
    again = run_experiment(experiment(SMALL), out)
    assert played == [0, 1, 2]
    for one, other in zip(again.settings, study.settings, strict=True):
        assert one.results.tally == other.results.tally
    with pytest.raises(FolderError, match="exists already"):
        run_experiment(experiment(SMALL), out)
    with pytest.raises(FolderError, match="exists already"):
        run_experiment(experiment(SMALL), out, games=131)


FILE = 'games = 3000\nline_ups = ["./mine.toml"]\n[rules]\nplayers = [2, 3]\n'


def _lasting(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return {name: value for name, value in manifest.items() if name not in VOLATILE}


def all_files(folder):
    """Every file of an experiment by name, without the facts that depend on when and where it was played."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}, _lasting(folder)


@pytest.fixture
def stopped(tmp_path):
    """An experiment with a strategy from a file, and its twin that was stopped within its second setting."""
    (tmp_path / "mine.toml").write_text('name = "mine"\n[weights]\nhorizon = 3\n')
    (tmp_path / "mine_too.toml").write_text(FILE)
    found = load_experiment(str(tmp_path / "mine_too.toml"))
    run_experiment(found, tmp_path / "whole")

    @contextmanager
    def watch(label, number):
        yield lambda done: signal.raise_signal(signal.SIGINT) if number == 1 else None

    with pytest.raises(Stopped):
        run_experiment(found, tmp_path / "stopped", watch=watch, threads=1)
    (tmp_path / "mine.toml").unlink()  # it was read once
    return tmp_path / "stopped"


def test_what_a_killed_process_has_added_is_not_counted(stopped):
    """The sums of settings that are done lie in one file. After a kill it may have more than the manifest counts."""
    with open(stopped / "sums.npy", "ab") as sums:
        sums.write(b"half a record")
    assert CliRunner().invoke(main, ["resume", str(stopped)]).exit_code == 0
    assert all_files(stopped) == all_files(stopped.parent / "whole")


def test_sums_that_no_manifest_counts_yet(tmp_path):
    """The process was killed after the first setting's sums were written, and before the manifest."""
    found = experiment(SMALL)
    StudyFolder.create(tmp_path / "killed", configuration(found, 30), EXPERIMENT).close()
    (tmp_path / "killed" / "sums.npy").write_bytes(b"half a record")
    run_experiment(found, tmp_path / "whole", games=30)
    assert run_experiment(found, tmp_path / "killed", games=30).games == 30 * len(found.settings)
    assert all_files(tmp_path / "killed") == all_files(tmp_path / "whole")


def test_a_setting_is_named_by_its_number(stopped):
    whole, table = stopped.parent / "whole", table_of_run(stopped.parent / "whole", setting=2)
    assert table.rules.players == 3
    assert len(load_games(whole, tidy=False, setting=2)) == 3000
    rows = find_games(whole, sort="-rounds", limit=1, setting=2)
    number = rows["game"][0]
    assert rows["replay"][0] == f"jamaica-sim replay {whole} --setting 2 --game {number}"
    assert type_in("replay", whole, "--setting", 2, "--game", number, "--summary").exit_code == 0
    assert type_in("games", whole, "--setting", 1, "--longest").exit_code == 0
    assert_told(type_in("games", whole), 2, "has 2 settings", "--setting 1 (2 players")
    assert_told(type_in("replay", whole, "--game", 0, "--setting", 3), 2, "no setting 3")


@pytest.mark.parametrize("change", [{"seats": [7]}, {"seats": []}, {"rules": []}, {"label": 5}, {"named": {"x": 1}}])
def test_a_setting_that_nobody_wrote(change, stopped):
    rewrite(stopped, lambda manifest: manifest["configuration"]["settings"][0].update(change))
    assert_told(type_in("resume", stopped), 1, "configuration.settings")


def test_command_line_lists_shows_and_runs(tmp_path):
    listed = CliRunner().invoke(main, ["experiment", "list"])
    assert listed.exit_code == 0 and all(name in listed.output for name in shipped_names())
    shown = CliRunner().invoke(main, ["experiment", "show", "ghost_ship"])
    assert "28 settings" in shown.output and "5 players, with the ghost, 2007" in shown.output
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    ran = CliRunner().invoke(main, ["experiment", "run", str(file), "--games", "20", "--out", str(tmp_path / "out")])
    assert ran.exit_code == 0, ran.output
    assert "6 of 6  3 players, with the ghost, 2021: 20 games" in ran.output
    played = load_study(tmp_path / "out")
    assert played.games == 120
    assert played.command == "jamaica-sim experiment run small.toml --games 20 --out small"


# Parts of the games


def test_parts_add_up_to_the_whole(study):
    for setting in study.settings:
        tally = setting.results.tally
        assert np.array_equal(tally["part_game"].sum(axis=0), tally["by_game"][:, 0])
        assert np.array_equal(tally["part_ships"].sum(axis=0), tally["by_ship"][..., 0])
        assert np.array_equal(tally["part_seat_wins"].sum(axis=0), tally["by_seat"][:, 0, 0])
        assert np.array_equal(tally["part_treasures"].sum(axis=0)[:, 0], tally["ships_with_treasure"])
        assert np.array_equal(tally["part_lanes"].sum(axis=0)[..., 1], tally["wins_by_lane"][..., 0])
        assert np.array_equal(tally["part_shortages"].sum(axis=0)[:3, 0], tally["ships_by_shortages"][:3])
        assert tally["part_ends"].sum(axis=0)[:, 0].sum() == setting.games * setting.rules.players


def test_the_jackknife_agrees_with_the_t_interval():
    results = simulate(20_000, players=3, strategies=["random"])
    sums = results.sums
    for quantity in ("rounds", "battles", "shortages", "margin"):
        exact, parts = results.of_game(quantity), jackknife(sums.game(quantity) / sums.games, results.games)
        assert parts.value == pytest.approx(exact.value)
        assert parts.half_width == pytest.approx(exact.half_width, rel=0.35)


def test_the_jackknife_of_a_mean_is_its_own_formula():
    parts = np.random.default_rng(1).normal(size=64)
    values = np.concatenate([[parts.mean()], (parts.sum() - parts) / 63])
    error = parts.std(ddof=1) / 8
    assert jackknife(values, 64).half_width == pytest.approx(1.998 * error, rel=1e-3)  # t with 63 degrees of freedom


def test_the_jackknife_without_spread_or_data():
    assert jackknife(np.ones(65), 1000).half_width == pytest.approx(1 - 0.05 ** (1 / 1000))
    assert np.isnan(jackknife(np.full(65, np.nan), 0).value)
    assert jackknife(np.array([1.0, 2.0]), 1).high == np.inf
