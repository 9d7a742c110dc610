"""Words for figures: rounding, signs, lists."""

from jamaica_sim.report import words


def test_figures_are_rounded_from_the_raw_value_with_a_true_minus():
    assert words.percent(0.019455) == "1.9%" and words.amount(-1.34) == "−1.3"
    assert words.amount(-0.04) == "0.0" and words.signed(-0.04) == "0.0"
    assert words.signed(5.68) == "+5.7" and words.signed(-5.68, unit=" points") == "−5.7 points"


def test_the_rest():
    assert words.number(3) == "three" and words.number(40) == "40" and words.number(2.5) == "2"
    assert words.listed(["a"]) == "a" and words.listed(["a", "b", "c"], "or") == "a, b or c"
    assert words.games(2_800_000) == "2.8 million games" and words.games(1) == "1 game"
    assert words.sentence("a  game , at last .") == "A game, at last."
