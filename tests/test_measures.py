"""The registry of measures: names, words and estimates; the gap between seats is corrected for the luck in it."""

import numpy as np
import pytest

from jamaica_sim import simulate
from jamaica_sim.results.measures import BY_KEY, COURSE, MEASURES, QUANTITIES, SEATS
from jamaica_sim.results.stats.estimate import NOTICEABLE, PARTS, Estimate, clear_together, jackknife
from jamaica_sim.results.sums import corrected_gap
from jamaica_sim.study.lab.common_deals import with_drama


def wins_by_part(rng, rates, games):
    """Win rates of seats as `Sums` gives them: over all games, and over all games but one part."""
    sizes = np.full(PARTS, games // PARTS)
    wins = np.array([rng.multinomial(size, rates) for size in sizes], float).T
    return np.concatenate([wins.sum(1, keepdims=True) / sizes.sum(), (wins.sum(1, keepdims=True) - wins)
                           / (sizes.sum() - sizes)], axis=1)  # fmt: skip


def test_each_measure_is_there_once_and_has_its_words():
    assert len(BY_KEY) == len(MEASURES) and {*QUANTITIES, *COURSE} <= set(MEASURES)
    for measure in MEASURES:
        assert measure.column and measure.noun and measure.more != measure.less and measure.noticeable == NOTICEABLE


@pytest.fixture(scope="module")
def results():
    """Games of unlike players and the ghost, with their tension."""
    strategies = ["balanced", "balanced", "random"]
    played = simulate(400, players=3, ghost=True, strategies=strategies, edition="2021", threads=1)
    return with_drama([played], threads=1)[0]


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_a_measure_has_one_value(measure, results):
    """Its estimate is that of its sums, a difference with itself is none, and its spread is positive."""
    value = measure.of(results)
    assert value.value == pytest.approx(measure.sums(results)[0]) and value.low < value.value < value.high
    assert measure.shown(results).value == pytest.approx(measure.scale * value.value)
    assert measure.difference(results, results).value == 0 and measure.spread(results) > 0


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.key)
def test_no_difference_is_bounded_in_the_unit_of_the_measure(measure, results):
    none = measure.difference(results, results)
    assert none.n == measure.of(results).n
    assert none.half_width == pytest.approx(measure.scale * (1 - 0.05 ** (1 / none.n)))


def test_a_ratio_to_nothing_is_no_data(results):
    assert str(results.of_game("shortages", per="unfinished")) == "no data"


@pytest.mark.parametrize(("edges", "truth"), [((1.2, 0.4, -0.6, -1.0), 2.2), ((3.0, 1.0, -1.0, -3.0), 6.0)])
def test_the_gap_between_seats_is_right_on_average(edges, truth):
    """Uncorrected, 640 games of a gap of 2.2 points show 4.7 on average."""
    rng, rates = np.random.default_rng(4), 0.25 + np.array(edges) / 100
    drawn = [wins_by_part(rng, rates, 640) for _ in range(300)]
    corrected = 100 * np.mean([corrected_gap(one)[0] for one in drawn])
    raw = 100 * np.mean([one[:, 0].max() - one[:, 0].min() for one in drawn])
    assert abs(corrected - truth) < 0.15 * truth and raw > truth + 0.5
    intervals = [jackknife(100 * corrected_gap(one), 640) for one in drawn]
    assert (
        np.mean([e.low <= truth <= e.high for e in intervals]) > 0.87
    )  # of nominally 95%: the gap is no smooth function


def test_seats_that_are_equal_have_a_small_gap():
    drawn = [wins_by_part(np.random.default_rng(n), [0.25] * 4, 640) for n in range(200)]
    assert np.mean([corrected_gap(one)[0] for one in drawn]) < 0.4 * np.mean(
        [one[:, 0].max() - one[:, 0].min() for one in drawn]
    )
    assert SEATS.share and SEATS.unit == "points"


def test_clear_together_allows_for_all():
    """A difference that is clear alone is not clear among many that are not."""
    one, nothing = Estimate(2.1, 0.1, 4.1, 100), Estimate(0.1, -1.9, 2.1, 100)
    assert clear_together([(one, 0.0)]) == [True]
    assert not any(clear_together([(one, 0.0)] + [(nothing, 0.0)] * 20))
    assert clear_together([]) == []
