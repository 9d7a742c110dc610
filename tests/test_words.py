"""Words for figures: each word stands for exactly the threshold that is written beside it."""

import math

import pytest

from jamaica_sim.report import words


@pytest.mark.parametrize(
    ("ratio", "verb"),
    [
        (0.45, ""), (0.5, "halves"), (0.55, "nearly halves"), (0.8, ""), (1.1, ""), (1.25, "adds a quarter to"),
        (1.5, "adds half as many again to"), (1.69, ""), (1.7, "nearly doubles"), (1.89, "nearly doubles"),
        (1.9, "doubles"), (2.14, "doubles"), (2.15, ""), (3.0, "trebles"), (3.3, "more than trebles"),
    ],
)  # fmt: skip
def test_times(ratio, verb):
    assert words.times(ratio) == verb


@pytest.mark.parametrize(
    ("effect", "relative", "word"),
    [
        (0.05, 0.01, "hardly"), (0.05, 0.03, "a little"), (0.15, 0.01, "a little"), (-0.3, 0.1, "clearly"),
        (0.79, 1.0, "clearly"), (0.8, 1.0, "a lot"), (-2.0, -0.5, "a lot"),
    ],
)  # fmt: skip
def test_size(effect, relative, word):
    assert words.size(effect, relative) == word


def test_one_in():
    assert words.one_in(0.104) == "1 in 10" and words.one_in(0.019455) == "1 in 50"
    assert words.one_in(0.146) == "" and words.one_in(0.0) == ""
    assert words.one_game_in(0.1) == "one game in ten"
    assert words.one_game_in(0.108) == "about one game in ten"
    assert words.one_game_in(0.02) == "one game in 50"


def test_fractions():
    assert words.fraction(0.5) == "about half" and words.fraction(0.48) == "nearly half"
    assert words.fraction(0.55) == "more than half" and words.fraction(0.4) == ""
    assert words.fraction(0.88) == "nearly nine in ten" and words.fraction(0.985) == "more than nine in ten"


def test_figures_are_rounded_from_the_raw_value_with_a_true_minus():
    assert words.percent(0.019455) == "1.9%" and words.amount(-1.34) == "−1.3"
    assert words.amount(-0.04) == "0.0" and words.signed(-0.04) == "0.0"
    assert words.signed(5.68) == "+5.7" and words.signed(-5.68, unit=" points") == "−5.7 points"


def test_the_rest():
    assert words.number(3) == "three" and words.number(40) == "40" and words.number(2.5) == "2"
    assert words.listed(["a"]) == "a" and words.listed(["a", "b", "c"], "or") == "a, b or c"
    assert words.games(2_800_000) == "2.8 million games" and words.games(1) == "1 game"
    assert words.sentence("a  game , at last .") == "A game, at last."
    assert math.isfinite(len(words.THRESHOLDS))
