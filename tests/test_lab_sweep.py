"""Sweeps: one to three rules over a range, on the same deals; what is played, kept, resumed, printed and drawn."""

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim import Rules, UserError, load, simulate, sweep
from jamaica_sim.cli import main
from jamaica_sim.game.rules import RulesError, rules_of
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.report.chapters.sweeping import sweep_chart
from jamaica_sim.report.page import html
from jamaica_sim.report.report import report_sweep
from jamaica_sim.results.measures import BY_KEY, QUANTITIES, quantities_of
from jamaica_sim.study.experiment.file import shipped_names
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.study.lab.sweep import make_plan
from jamaica_sim.study.lab.sweep_folder import load_sweep_file
from jamaica_sim.study.values import given_values, parse_swept

GAMES = 400
MIXED = ["balanced", "random"]


def run(*words):
    return CliRunner().invoke(main, list(map(str, words)))


@pytest.fixture(scope="module")
def one():
    return sweep({"hand_size": "2..4"}, GAMES, strategies=MIXED, players=3, threads=1)


@pytest.fixture(scope="module")
def two():
    return sweep({"start_food": [1, 3], "start_gold": (3, 6)}, GAMES, strategies="random", players=2, threads=2)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("hand_size=2..6", (2, 3, 4, 5, 6)),
        ("hand-size=2..6..2", (2, 4, 6)),
        ("start_score=-10..-8", (-10, -9, -8)),
        ("start_food=1,3,7", (1, 3, 7)),
        ("steal_known=true,false", (True, False)),
        ("action_die=1,2,3|2,4", ((1, 2, 3), (2, 4))),
        ("action_die=1,2,3", ((1, 2, 3),)),
        ("combat_die=1,star|2,4", ((1, "star"), (2, 4))),
        ("space.6.kind=sea,lair", ("sea", "lair")),
        ("ports.dearer=-1..1", (-1, 0, 1)),
    ],
)
def test_values(text, values):
    assert parse_swept(text)[1] == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hand_size", "a rule and its values are wanted"),
        ("hand_sise=2..4", "did you mean 'hand_size'"),
        ("hand_size=6..2", "such as 2..6"),
        ("hand_size=0..9999", "more than 200"),
        ("hand_size=3,3", "twice"),
    ],
)
def test_values_that_are_refused(text, words):
    with pytest.raises(RulesError, match=words):
        parse_swept(text)


@pytest.mark.parametrize("values", [[3, (3, 3, 4, 4)], [(3, 3, 4, 4)], [(2, 3, 4, 5), (3, 3, 3, 3)], [1, 2], [4]])
def test_goods_by_seat_are_read_as_they_are_written(values):
    assert parse_swept(f"start_gold={given_values('start_gold', values)}") == ("start_gold", tuple(values))


def test_every_value_has_the_games_of_a_run_with_its_rules(one):
    """The base rules come first, and each figure is that of an ordinary run of the same games."""
    assert one.plan.points == ((3,), (2,), (4,)) and [one.plan.points[n] for n in one.in_order] == [(2,), (3,), (4,)]
    for number, (size,) in enumerate(one.plan.points):
        alone = simulate(GAMES, players=3, hand_size=size, strategies=MIXED, threads=2)
        assert one.results[number].tally.tobytes() == alone.tally.tobytes()
        assert one.value(BY_KEY["rounds"], number).value == pytest.approx(alone.of_game("rounds").value)
        assert one.value(BY_KEY["captain"], number).value == pytest.approx(
            100 * (alone.seats().rows[0][1].value - np.mean([row[1].value for row in alone.seats().rows]))
        )


def test_differences_are_paired(one):
    """On the same deals the error of a difference is smaller than that of two runs on different deals."""
    rounds = BY_KEY["rounds"]
    difference = one.difference(rounds, 1)
    values = [one.value(rounds, n) for n in (0, 1)]
    assert difference.value == pytest.approx(values[1].value - values[0].value)
    assert 0 < difference.half_width < np.hypot(values[0].half_width, values[1].half_width)
    assert one.difference(rounds, 0).value == 0
    assert ("rounds", 1) in one.clear and "cards in hand" in one.sentence()


def test_what_changes_nothing_is_no_difference():
    """The size of the bank changes nothing where the bank is unlimited."""
    found = sweep({"bank": [(80, 45, 45), (900, 900, 900)]}, 200, strategies="random", players=3, threads=1)
    assert found.clear == set() and "No quantity clearly responds" in found.sentence()
    assert all(found.difference(q, 1).value == 0 for q in found.quantities)


def test_too_few_games_to_see_a_difference_are_not_told_as_none():
    headline = report_sweep(sweep({"hand_size": (3, 4)}, 40, strategies="random", players=3, threads=1), "few").headline
    assert headline == "Cards in hand: no noticeable effect is shown"
    many = sweep({"start_score": (0, 1)}, 20_000, strategies="random", players=3, threads=1)
    assert report_sweep(many, "many").headline == "The score of the start: no noticeable effect is shown"


def test_what_is_picked_as_the_largest_has_the_figures_of_the_table_and_a_wider_interval(one):
    rounds = BY_KEY["rounds"]
    picked, changes = one.picked(rounds), {n: one.difference(rounds, n) for n in (1, 2)}
    assert picked.number == max(changes, key=lambda n: abs(changes[n].value))
    assert (picked.value, picked.base) == (one.value(rounds, picked.number), one.value(rounds))
    assert picked.difference.value == changes[picked.number].value
    assert picked.difference.half_width > changes[picked.number].half_width


def test_values_may_be_an_array(one):
    again = sweep({"hand_size": np.arange(2, 5)}, GAMES, strategies=MIXED, players=3, threads=1)
    assert again.plan.points == one.plan.points


def test_every_main_quantity_is_measured(one, two):
    keys = {q.key for q in one.quantities}
    named = {q.key for q in QUANTITIES}
    assert keys == named - {"ghost"} and all(q.more != q.less and q.more and q.less for q in QUANTITIES)
    assert {q.key for q in two.quantities} == named - {"spread"}
    ghost = two.results[0].ghost_win_rate
    assert two.value(BY_KEY["ghost"], 0).value == pytest.approx(100 * ghost.value)
    spread = one.value(BY_KEY["spread"], 0).value
    rates = [one.results[0].win_rate(name).value for name in MIXED]
    raw = 100 * abs(rates[0] - rates[1])
    assert 0.95 * raw < spread <= raw  # less than the raw gap: it is corrected for the luck in it
    with pytest.raises(ValueError, match="the ghost ship does not sail"):
        quantities_of(one.results[0].table, ["ghost"])


def test_two_rules_are_a_grid(two):
    assert set(two.plan.points) == {(3, 3), (1, 3), (1, 6), (3, 6)} and two.plan.points[0] == (3, 3)
    assert [row[:2] for row in two.values().rows] == [("1", "3"), ("1", "6"), ("3 *", "3"), ("3", "6")]
    assert len(two.differences().records()) == 4
    for drawing in (sweep_chart(two), sweep_chart(two)):
        assert "1 food at the start and 6 doubloons at the start" in drawing.svg() and drawing.svg(narrow=True)


def test_players_bring_their_ghost():
    plan = make_plan({"players": "2..4"}, seat_table(Rules(), "random"), 10)
    assert [t.rules.ghost for t in plan.tables] == [False, True, False]


def test_threads_change_nothing():
    tables = [seat_table(Rules(players=3, hand_size=size), "random", 3) for size in (2, 3)]
    a, b = (play_tables(tables, 3000, 5, threads) for threads in (1, 2))
    assert [r.tally.tobytes() for r in a] == [r.tally.tobytes() for r in b]


@pytest.mark.parametrize(
    ("changes", "differs"),
    [
        ({"ports.dearer": 1}, {"space.5.cost": 4, "space.45.cost": 8}),
        ({"seas.dearer": -3}, {"space.1.cost": 1, "space.14.cost": 1}),
        ({"red_line": 33}, {"space.33.score": 0, "space.40.score": 0}),
        ({"red_line": 45}, {"space.41.score": -5, "space.44.score": -5}),
    ],
)
def test_names_that_change_many_spaces(changes, differs):
    rules = rules_of(changes)
    assert differs.items() <= rules.by_name().items() and rules.changes() == changes
    assert rules.components.board[4].cost == 0 and rules.components.board[49].score == 10
    undone = {"red_line": 41} if "red_line" in changes and changes["red_line"] < 41 else {}
    assert rules.but(**undone).components.board[45] == rules_of({**changes, **undone}).components.board[45]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ports.dearer": 11}, "from -10 to 10"),
        ({"ports.cheaper": 1}, "did you mean 'ports.dearer'"),
        ({"red_line": 99}, "from 2 to 49"),
    ],
)
def test_names_that_change_many_spaces_refuse(changes, words):
    with pytest.raises(RulesError, match=words):
        rules_of(changes)


# Folders and commands


def test_the_command_writes_a_folder_and_its_report(tmp_path):
    out = tmp_path / "dice"
    done = run("sweep", "action_die=1,2,3|2,4,6", "-s", "random", "-p", "3", "-n", "200", "--out", out, "-t", "1")
    assert done.exit_code == 0, done.output
    assert "Differences" in done.output and "report" in done.output
    made = run("report", out, "--out", tmp_path / "dice.html")
    page = (tmp_path / "dice.html").read_text()
    assert made.exit_code == 0 and "action_die" in page and "1,2,3|2,4,6" in page
    assert run("report", out, "--chapter", "race").exit_code == 2
    assert load(out).plan.points[1] == ((1, 2, 3),)


def test_numbers_beside_a_rule_by_seat_have_no_order():
    found = sweep({"start_food": (2, 4)}, 100, strategies="random", players=2, start_food=(3, 4))
    assert "start food" in html(report_sweep(found, "food"))


def test_the_command_prints_json_and_a_chart(tmp_path):
    done = run(
        "sweep", "start_food=2,3", "-s", "random", "-n", "100", "--format", "json", "--chart", tmp_path / "c.svg"
    )
    told = json.loads(done.stdout)
    assert told["sweep"] == {"start_food": ["2", "3"]} and len(told["tables"]["Values"]) == 2
    assert (tmp_path / "c.svg").read_bytes().startswith(b"<svg")
    assert run("sweep", "start_food=2,3", "-s", "random", "-n", "100", "--format", "csv").stdout.startswith("table,row")


REFUSED = [
    (["hand_size=2..4", "--rule", "hand_size=3"], "say it once"),
    (["hand_size=2..4", "hand_size=5"], "swept twice"),
    (["hand_size=2..4", "--rule", "hand-size=5"], "hand_size is swept, and given by --rule as well"),
    (["hand_size=3"], "nothing to compare"),
    (["hand_size=2..9"], "hand_size"),
    (["players=2..7"], "players must be a whole number from 2 to 6"),
    (["start_food=1..9", "start_gold=1..9", "holds=3..5", "hand_size=2..3"], "one to three rules"),
    (["no_such"], "there is no sweep 'no_such'"),
    (["hand_size=2..4", "--chart", "x.png"], "ends in .svg"),
    ([], "Name one to three rules"),
]


@pytest.mark.parametrize(("words", "told"), REFUSED, ids=lambda value: str(value)[:40])
def test_commands_that_are_refused(words, told):
    done = run("sweep", *words)
    assert done.exit_code == 2 and told.lower() in done.output.lower() and "Traceback" not in done.output


@pytest.mark.slow
def test_shipped_sweeps_can_be_played():
    assert set(shipped_names("sweeps")) == {
        "action_dice",
        "finish_and_red_line",
        "hand_size",
        "shortage_costs",
        "starting_goods",
    }
    for name in shipped_names("sweeps"):
        plan = load_sweep_file(name)
        assert plan.title and plan.description and plan.games >= 8_000 and plan.source == name
        assert plan.base_values in plan.points and not plan.base.rules.changes()
    assert "hand_size" in run("sweep", "--list").output


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("titel = 'x'\n", "there is no key 'titel'"),
        ("title = 3\n", "title must be text"),
        ("games = 0\n", "whole number from 1"),
        ("title = 'x'\n", "one to three rules have several values"),
        ("[rules]\nhand_size = [2, 9]\n", "hand"),
        ("line_ups = ['balanced', 'racer']\n[rules]\nhand_size = [2, 4]\n", "here hand_size, line_up"),
        ("line_ups = ['nobody']\n[rules]\nhand_size = [2, 4]\n", "nobody"),
        ("[rules\n", "not valid TOML"),
    ],
)
def test_files_that_are_refused(tmp_path, text, words):
    (tmp_path / "s.toml").write_text(text)
    with pytest.raises(UserError, match=words):
        load_sweep_file(tmp_path / "s.toml")


def test_a_report_says_what_its_tables_show(one, two):
    for found in (one, two):
        report = report_sweep(found, "name")
        page = html(report)
        assert report.headline and "Holm" in page and "jamaica-sim sweep" in report.command
    assert "hands" in report_sweep(one, "hands").headline.lower()


def test_a_sweep_is_asked_by_name_and_read_as_a_tidy_table(tmp_path):
    found = sweep({"hand_size": (2, 4)}, 300, strategies="random", players=3, out=tmp_path / "hands")
    four = found.index((4,))
    assert found.difference("rounds", {"hand_size": 4}) == found.difference(found.quantity("rounds"), four)
    with pytest.raises(ValueError, match="did you mean 'comebacks'"):
        found.value("comeback")
    with pytest.raises(ValueError, match="hand_size 9 was not played"):
        found.value("rounds", {"hand_size": 9})
    table = found.to_pandas()
    assert len(table) == 3 * len(found.quantities) and table["hand_size"].tolist()[0] == 2
    rounds = table[(table["quantity"] == "rounds") & (table["hand_size"] == 4)].iloc[0]
    assert rounds["value"] == found.value("rounds", four).value
    assert rounds["difference"] == found.difference("rounds", four).value
    assert repr(found).count("\n") == 1 and len(repr(found)) < 500
    assert load(tmp_path / "hands").to_pandas().equals(table)
    assert pickle.loads(pickle.dumps(found)).to_pandas().equals(table)


def test_a_board_is_called_by_its_name_in_a_pandas_table(tmp_path):
    CliRunner().invoke(main, ["board", "--out", str(tmp_path / "mine.csv")])
    text = (tmp_path / "mine.csv").read_text()
    (tmp_path / "mine.csv").write_text("".join(line for line in text.splitlines(True) if not line.startswith("17,")))
    found = sweep({"board": ["printed", str(tmp_path / "mine.csv")]}, games=40, strategies="random")
    assert set(found.to_pandas()["board"]) == {"printed", "mine"}


def test_a_weight_is_swept_like_a_rule(tmp_path):
    found = sweep("weight.bravado=-5..10..5", games=300, strategies="balanced", out=tmp_path / "sweep")
    assert [rule.name for rule in found.plan.swept] == ["weight.bravado"] and len(found.results) == 4
    assert found.plan.base_values == (0.0,)  # the default, which is among the values
    assert found.difference("battles", {"weight.bravado": 10.0}).low > 0
    assert {s.changes.get("bravado", 0) for t in found.plan.tables for s in t.strategies} == {-5, 0, 5, 10}
    assert load(tmp_path / "sweep").plan.points == found.plan.points


@pytest.mark.parametrize(
    ("swept", "who", "words"),
    [
        ({"weight.bravad": (1, 2)}, "balanced", "did you mean 'bravado'"),
        ({"weight.bravado": "a,b"}, "balanced", "numbers as values"),
        ({"weight.bravado": (99,)}, "balanced", "from -5 to 10"),
        ({"weight.bravado": (1, 2)}, ["balanced", "random"], "random has no weights|differ"),
        ({"weight.gold": (1, 2)}, ["balanced", "hoarder"], "sweep a weight with one strategy"),
    ],
)
def test_weights_that_cannot_be_swept_are_refused(swept, who, words):
    with pytest.raises(UserError, match=words):
        sweep(swept, games=100, strategies=who)


def test_three_rules_at_once():
    found = sweep({"start_food": (2, 3), "start_gold": (2, 3), "hand_size": (3, 4)}, games=60, strategies="random")
    assert len(found.results) == 8 and found.rule_names == "start_food, start_gold and hand_size"
    assert found.to_pandas()[["start_food", "start_gold", "hand_size"]].drop_duplicates().shape == (8, 3)
    assert "2, 3, 4:" in sweep_chart(found).label


def test_a_report_calls_nothing_small_that_people_would_notice():
    found = sweep({"start_food": "0..6..2", "start_gold": "0..6..2"}, 400, threads=2)
    said = " ".join(report_sweep(found, "goods").chapters[0].paragraphs)
    quiet = said.partition("Other changes are small or uncertain: ")[2].partition(".")[0]
    for quantity in found.quantities:
        is_noticed = max(quantity.noticed(found.results[0], one) for one in found.results[1:]) >= 1
        assert is_noticed != (quantity.column in quiet), quantity.key
