"""Did you mean: one wording for all messages about an unknown word."""

import pytest

from jamaica_sim.suggest import did_you_mean, nearest

WEIGHTS = ("gold", "food", "gunpowder")


@pytest.mark.parametrize(("word", "meant"), [("golt", "gold"), ("gun_powder", "gunpowder"), ("xyz", None), (7, None)])
def test_the_nearest_word_is_found(word, meant):
    assert nearest(word, WEIGHTS) == meant


def test_only_a_likely_slip_counts_where_that_is_asked():
    assert nearest("fool", WEIGHTS) == "food"
    assert nearest("fool", WEIGHTS, 0.8) is None


def test_the_sentence_names_the_nearest_word_or_all():
    assert did_you_mean("golt", WEIGHTS) == "did you mean 'gold'?"
    assert did_you_mean("xyz", WEIGHTS, "the weights are") == "the weights are gold, food, gunpowder."
