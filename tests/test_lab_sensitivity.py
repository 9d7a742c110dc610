"""Which rules matter: Morris and Sobol through our wrapper on SALib's own functions, and on the game."""

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("SALib", reason="the extra lab is not installed")

from SALib.test_functions import Ishigami, Sobol_G

from jamaica_sim import Rules, load, sensitivity
from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import RulesError
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.report.page import html
from jamaica_sim.report.report import report_sensitivity
from jamaica_sim.study.lab import rule_space
from jamaica_sim.study.lab.rule_space import DEFAULT_RANGES, make_space
from jamaica_sim.study.lab.screening import (
    load_ranges_file,
    morris_effects,
    morris_points,
    sobol_indices,
    sobol_points,
    step_lengths,
)

RANGES = {"hand_size": "2..4", "start_food": "1..5", "treasure.sixth_hold": "0,1", "action_die": "2,3,4|4,5,6"}
SMALL = {"games": 300, "trajectories": 4, "samples": 8, "kept": 2, "strategies": "random", "players": 3}


@pytest.fixture(scope="module")
def found():
    return sensitivity(RANGES, threads=2, **SMALL)


def run(*words):
    return CliRunner().invoke(main, list(map(str, words)))


# SALib's functions


def test_sobol_of_ishigami():
    """The known shares of Ishigami's function: 0.31, 0.44, 0 alone and 0.56, 0.44, 0.24 in all."""
    counts = [401] * 3
    x = -np.pi + 2 * np.pi * sobol_points(counts, 2048, 3) / 400
    found = sobol_indices(counts, 3, Ishigami.evaluate(x)[:, None])
    assert found.first[:, 0] == pytest.approx([0.314, 0.442, 0.0], abs=0.03)
    assert found.total[:, 0] == pytest.approx([0.558, 0.442, 0.244], abs=0.03)


@pytest.mark.parametrize("seed", [1, 2])
def test_morris_ranks_the_g_function(seed):
    """The smaller its coefficient, the more an input matters."""
    counts, a = [64] * 6, np.array([0, 1, 4.5, 9, 50, 99])
    x = morris_points(counts, 200, seed) / 63
    found = morris_effects(counts, 200, seed, Sobol_G.evaluate(x, a)[:, None])
    assert list(np.argsort(-found.size[:, 0])) == [0, 1, 2, 3, 4, 5]


def test_effects_of_whole_numbers_are_over_the_whole_range():
    """However many values a rule has, the effect of a linear function is its gain from the first value to the last."""
    counts = [2, 3, 4, 5, 6, 7, 11]
    points = morris_points(counts, 6, 5)
    assert points.min() == 0 and (points.max(axis=0) <= np.array(counts) - 1).all()
    gains = np.array([1.0, 2.0, -3.0, 4.0, 5.0, 6.0, 7.0])
    measured = (points / (np.array(counts) - 1) * gains).sum(axis=1)
    found = morris_effects(counts, 6, 5, measured[:, None])
    assert found.size[:, 0] == pytest.approx(abs(gains)) and found.mean[:, 0] == pytest.approx(gains)
    assert found.spread[:, 0] == pytest.approx(0, abs=1e-9)
    assert (step_lengths(counts) > 0.4).all()


def test_every_value_is_equally_likely():
    places = sobol_points([2, 3, 5], 512, 1)
    for column, count in zip(places.T, (2, 3, 5), strict=True):
        assert np.bincount(column, minlength=count) / len(places) == pytest.approx(np.full(count, 1 / count), abs=0.02)


# The game


def test_what_matters_comes_first(found):
    """Dice with smaller numbers make games longer than any other rule could."""
    names = [found.task.space.names[rule] for rule in found.ranking]
    assert names[0] == "action_die" and "action_die" in found.sentence()
    rounds = [q.key for q in found.task.quantities].index("rounds")
    assert found.task.space.names[found.most(rounds)] == "action_die"
    assert len(found.kept) == 2 and found.indices.total.shape == (2, len(found.task.quantities))
    assert 0 <= found.luck.max() <= 1
    told = [f"{100 * share:.0f}% of {quantity.column}" for quantity, share in found.lucky]
    assert found.circumstances().endswith(f"luck is {', '.join(told) or 'less than 10% everywhere'}.")
    assert len(told) == (found.luck >= 0.1).sum()
    assert "SALib" not in found.circumstances() and "walks (Morris)" in found.circumstances()
    assert len(found.screening().rows) == 4 and len(found.shares().rows) == 2


def test_rankings_agree_between_seeds(found):
    other = sensitivity(RANGES, threads=2, seed=7, **SMALL)
    assert [found.task.space.names[r] for r in found.ranking[:1]] == [
        other.task.space.names[r] for r in other.ranking[:1]
    ]
    for q, quantity in enumerate(found.task.quantities):
        if quantity.key in ("rounds", "shortages"):
            both = np.argsort(np.argsort(found.effects.size[:, q])), np.argsort(np.argsort(other.effects.size[:, q]))
            assert np.corrcoef(*both)[0, 1] >= 0.7, quantity.key
            best = found.indices.total[:, q].argmax(), other.indices.total[:, q].argmax()
            assert found.kept[best[0]] == other.kept[best[1]]


@pytest.mark.slow
def test_rankings_of_the_usual_rules_agree_between_seeds():
    first, second = (
        sensitivity(games=300, trajectories=5, samples=2, seed=seed, strategies="balanced") for seed in (1, 2)
    )
    order = [np.argsort(np.argsort(-found.sizes.max(axis=1))) for found in (first, second)]
    assert np.corrcoef(*order)[0, 1] > 0.9
    assert len(set(first.ranking[:5]) & set(second.ranking[:5])) >= 4


def test_the_usual_ranges_can_be_played():
    for rules in (Rules(), Rules(edition="2021", players=3, ghost=True)):
        space = make_space(seat_table(rules, "random"))
        assert len(set(DEFAULT_RANGES) - set(space.names)) == rules.ghost and None not in space.origin
        last = [len(rule.values) - 1 for rule in space.rules]
        few_cards = [0 if rule.name.startswith("treasure.") else i for rule, i in zip(space.rules, last, strict=True)]
        for point in ([0] * len(space.rules), last, few_cards, space.origin):
            space.table(point)
        assert space.table(space.origin).rules == rules and space.words(space.origin) == "no change"


def test_the_usual_ranges_follow_a_board_of_ones_own():
    """They lie about its own finish and red line, and the pile has no more treasures than there are lairs."""
    few = Rules(**{"board": "h+30 s2-4 p2-3 s1-2 s2>5/8 l+0 s1 p3>9 s3 l+4 s2 l p3 l+9", "treasure_pile": 4})
    cards = few.but(**{"treasure.minus_2": 0}, start_gold=(3, 3, 4, 5), house_rules="lairs_pay")
    named = Rules(board="h+20#home s2-4#b p2-3#c s1-2#d l#e s2#f s2#g l#h s2#i s2#j s2#k s2#l s2#m", treasure_pile=2)
    for rules in (few, cards, named, Rules(**{"treasure.minus_2": 0, "treasure.minus_3": 0})):
        space = make_space(seat_table(rules, "random"))
        space.check_alone()
        values = {rule.name: rule.values for rule in space.rules}
        assert rules.treasure_pile == values["treasure_pile"][-1]
        home = rules.components.board[0].score
        assert values["space.0.score"] == tuple(range(home - 5, home + 6))
        gone = {name: 0 for name in values if name.startswith("treasure.")}
        assert rules.but(**gone).treasure_pile == rules.treasure_pile
    assert "red_line" not in {rule.name for rule in make_space(seat_table(named, "random")).rules}
    assert min(next(r.values for r in make_space(seat_table(few, "random")).rules if r.name == "red_line")) == 2


@pytest.mark.parametrize(
    ("ranges", "words"),
    [
        ({"hand_size": "3"}, "only one value"),
        ({"players": "2..4"}, "decides what is measured"),
        ({}, "1 to 60 rules"),
        ({"hand_size": "3..8"}, "cannot be played"),
        ({"board": [2, 3]}, "board=2 cannot be played"),
        ({"ports.dearer": ["x", 1.5]}, "ports.dearer=x cannot be played"),
        ({"action_die": [(1, 2), (1, 3), (1, 99), (1, 4), (1, 5)]}, "cannot be played"),  # between the levels of a walk
        ({"hand_sise": "3..4"}, "did you mean"),
    ],
)
def test_ranges_that_are_refused(ranges, words):
    with pytest.raises(RulesError, match=words):
        sensitivity(ranges, strategies="random", games=10, trajectories=4)


def test_values_that_contradict_each_other_only_in_the_samples_leave_the_screening(tmp_path):
    """The walks of this seed never meet much food and a limited bank together, but the samples of the indices do."""
    ranges = {"limited_bank": (False, True), "start_food": "1..10", "hand_size": "2..4"}
    given = {"games": 50, "trajectories": 2, "samples": 8, "strategies": "random", "players": 6, "seed": 8}
    found = sensitivity(ranges, threads=1, out=tmp_path / "s", **given)
    assert len(found.noticeable) == 3 and found.kept == [] and found.indices is None
    assert [table.title for table in found.result_tables()] == ["Effects"]
    for one in (found, load(tmp_path / "s")):
        assert "There are no indices: limited_bank=true, start_food=10, hand_size=4 cannot be" in one.circumstances()
        assert "There are no indices" in html(report_sensitivity(one, "name"))


def test_numbers_that_are_refused():
    for name, value, words in (
        ("samples", 10, "power of two"),
        ("trajectories", 1, "trajectories"),
        ("kept", 0, "kept"),
    ):
        with pytest.raises(ValueError, match=words):
            sensitivity(RANGES, strategies="random", **{name: value})


# Folders, files and commands


def test_the_report_and_its_chart(found):
    report = report_sensitivity(found, "name")
    assert "What matters most: action dice" in report.headline and "Sobol" in html(report)
    assert "action_die" in report.hero.drawing.svg(narrow=True)


def test_the_command(tmp_path):
    numbers = 'games = 50\ntrajectories = 2\nsamples = 2\nkept = 2\nstrategies = ["random"]\n'
    (tmp_path / "r.toml").write_text(f'{numbers}[ranges]\nholds = [3, 5]\nhand_size = "2..3"\n')
    done = run("sensitivity", tmp_path / "r.toml", "--out", tmp_path / "out", "-t", "1")
    assert done.exit_code == 0 and "Effects" in done.output, done.output
    assert run("sensitivity", tmp_path / "r.toml", "--format", "json").stdout.startswith("{")
    assert run("sensitivity", tmp_path / "r.toml", "-p", "3").exit_code == 2
    (tmp_path / "bad.toml").write_text("games = 50\n")
    with pytest.raises(UserError, match="needs a table"):
        load_ranges_file(tmp_path / "bad.toml")


def test_a_missing_package_is_told_in_one_sentence(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(rule_space, "import_module", missing)
    done = run("sensitivity", "-s", "random", "-n", "10")
    assert done.exit_code == 2 and "pip install optuna SALib" in done.output and "Traceback" not in done.output
