"""Did you mean: one wording for all messages about an unknown word."""

import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.files.escape import did_you_mean, nearest

WEIGHTS = ("gold", "food", "gunpowder")


@pytest.mark.parametrize(
    ("word", "meant"), [("golt", "gold"), ("gun_powder", "gunpowder"), ("gunner", None), (7, None)]
)
def test_the_nearest_word_is_found(word, meant):
    assert nearest(word, WEIGHTS) == meant


def test_only_a_likely_slip_counts_where_that_is_asked():
    assert nearest("fool", WEIGHTS) == "food"
    assert nearest("fool", WEIGHTS, 0.8) is None


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("run --rule lairs=2", "There is no rule 'lairs': `jamaica-sim rules list --all` has every rule"),
        ("run --rule start_rum=2", "There is no rule 'start_rum': `jamaica-sim rules list --all` has"),
        ("sensitivity --list", "No such option '--list': --help lists the options."),
    ],
)
def test_a_word_that_is_no_slip_is_not_taken_for_one(words, answer):
    """What is only a little like it would send the user the wrong way."""
    assert answer in CliRunner().invoke(main, words.split()).stderr


def test_the_sentence_names_the_nearest_word_or_all():
    assert did_you_mean("golt", WEIGHTS) == "did you mean 'gold'?"
    assert did_you_mean("xyz", WEIGHTS, "the weights are") == "the weights are gold, food, gunpowder."
