"""Control variates: the correction has mean zero, is fitted on earlier deals alone, and saves what it should."""

import numpy as np
import pytest

from jamaica_sim.results.stats.control import FIRST_STAGE, STAGES, UNITS, controlled, fitted, stage_of
from jamaica_sim.results.stats.estimate import mean_interval

SECOND = slice(FIRST_STAGE, None)


def by_stage(outcomes, control):
    """Deals, sums and products by stage of some outcomes, each a list over deals, and their control."""
    values = np.column_stack([*outcomes, control]).astype(np.int64)
    stages = stage_of(np.arange(len(values)))
    parts = [values[stages == stage] for stage in range(STAGES)]
    return [len(v) for v in parts], [v.sum(axis=0) for v in parts], [v.T @ v for v in parts]


def mean_and_variance(outcome, control):
    """Mean and variance of one outcome with the control taken off."""
    total, square = controlled(*by_stage([outcome], control))
    n = len(control)
    mean = int(total[0]) / (n * UNITS)
    return mean, int(square[0, 0]) / (n * UNITS**2) - mean**2


def test_stages_grow_fourfold():
    assert stage_of([0, 63, 64, 255, 256, 1023, 1024, 10**12]).tolist() == [0, 0, 1, 1, 2, 2, 3, 17]


def test_the_first_stage_stays_as_it_is():
    rng = np.random.default_rng(1)
    outcome, control = rng.integers(-9, 9, (2, FIRST_STAGE))
    total, square = controlled(*by_stage([outcome], outcome + control))
    assert total[0] == UNITS * outcome.sum() and square[0, 0] == UNITS**2 * (outcome**2).sum()


def test_a_control_that_tells_all_leaves_nothing():
    control = np.random.default_rng(2).integers(-50, 50, 250)
    total, square = controlled(*by_stage([3 * control + 7, 7 - 3 * control], control))
    first = 3 * control[:FIRST_STAGE]
    assert total.tolist() == [UNITS * (7 * 250 + first.sum()), UNITS * (7 * 250 - first.sum())]
    assert square[0, 0] == UNITS**2 * (((first + 7) ** 2).sum() + 49 * (250 - FIRST_STAGE))
    assert square[0, 1] == square[1, 0] == UNITS**2 * ((49 - first**2).sum() + 49 * (250 - FIRST_STAGE))


def test_the_multiple_is_that_of_least_squares_and_shrunk_by_its_noise():
    rng = np.random.default_rng(3)
    control = rng.integers(-50, 50, FIRST_STAGE)
    outcome = 2 * control + rng.integers(-80, 80, FIRST_STAGE)
    deals, sums, products = by_stage([outcome], control)
    slope, told = np.polyfit(control, outcome, 1)[0], np.corrcoef(control, outcome)[0, 1] ** 2
    expected = slope * (1 - (1 - told) / ((FIRST_STAGE - 2) * told))
    assert fitted(deals[0], sums[0], products[0])[0] / UNITS == pytest.approx(expected, abs=1 / UNITS)
    assert 0.9 < expected / slope < 1
    assert fitted(0, sums[0] * 0, products[0] * 0) == [0]
    assert fitted(5, [9, 0], [[20, 0], [0, 0]]) == [0]


def test_later_deals_do_not_change_what_is_taken_off_earlier_ones():
    rng = np.random.default_rng(4)
    outcome, control = rng.integers(-9, 9, (2, 1024))
    early = controlled(*by_stage([outcome[:256]], outcome[:256] + control[:256]))[0][0]
    deals, sums, products = by_stage([outcome], outcome + control)
    before = fitted(256, sums[0] + sums[1], products[0] + products[1])
    assert controlled(deals, sums, products)[0][0] - early == UNITS * sums[2][0] - before[0] * sums[2][1]


def test_what_is_saved_is_what_the_control_tells():
    rng = np.random.default_rng(5)
    luck, rest = rng.normal(0, 300, (2, 100_000)).astype(int)
    _, raw = (luck + 2 * rest).mean(), (luck + 2 * rest).var()
    _, left = mean_and_variance(luck + 2 * rest, luck)
    assert left / raw == pytest.approx(0.8, abs=0.01)
    _, unmoved = mean_and_variance(rest, luck)
    assert unmoved / rest.var() == pytest.approx(1, abs=0.002)


@pytest.mark.parametrize("deals", [90, 300])
def test_controlled_means_are_unbiased_and_their_intervals_hold(deals):
    rng = np.random.default_rng(deals)
    means, held, narrower = [], [], []
    for _ in range(1500):
        luck = rng.choice([-3, -1, 0, 0, 4], deals)  # skewed, and the outcome too: then a fit on all deals is biased
        outcome = np.where(rng.random(deals) < 0.3 + 0.08 * luck, 10, -2)
        total, square = controlled(*by_stage([outcome], luck))
        found = mean_interval(deals, int(total[0]), int(square[0, 0]), scale=UNITS)
        plain = mean_interval(deals, int(outcome.sum()), int((outcome**2).sum()))
        means.append(found.value)
        held.append(found.low <= 1.6 <= found.high)
        narrower.append(found.half_width / plain.half_width)
    assert np.mean(means) == pytest.approx(1.6, abs=4 * np.std(means) / 1500**0.5)
    assert 0.93 < np.mean(held) < 0.97
    assert np.mean(narrower) < 1
