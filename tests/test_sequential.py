"""The confidence sequence keeps its error at every look, and the verdict follows from it."""

import math

import numpy as np
import pytest
from scipy import optimize

from jamaica_sim.results.stats.sequential import (
    LADDER,
    MIN_DEALS,
    TUNING,
    confidence_sequence,
    judge,
    log_evidence,
    sequence_half_width,
    verdict,
    verdicts,
)

MARGIN = 0.04
ALPHA = 0.05
BLOCK = 20  # runs
# How many comparisons are simulated: enough to see a badly broken promise, and in the slow tests a slightly broken one.
RUNS = pytest.mark.parametrize("runs", [200, pytest.param(400, marks=pytest.mark.slow)])


def win_share(rng, shape, difference=0.0):
    """Wins of one strategy in four rotations of a four-player deal, less the fair quarter."""
    return rng.binomial(4, 0.25 + difference, shape) / 4 - 0.25


def paired(rng, shape, difference=0.0):
    """A minus B with the same luck: usually nothing, now and then one win more or less."""
    luck = rng.random(shape)
    return np.where(luck < 0.1 + difference / 2, 1.0, np.where(luck > 0.9 + difference / 2, -1.0, 0.0))


def rare(rng, shape, difference=0.0):
    """A rare one-sided event less its chance: as skewed as deal values get."""
    return (rng.random(shape) < 0.02 + difference) - 0.02


def one_game(rng, shape, difference=0.0):
    return (rng.random(shape) < 0.25 + difference) - 0.25


def in_blocks(look, values):
    """What `look` returns for all runs, a few at a time: large arrays leave the cache and take much longer."""
    found = [look(values[first : first + BLOCK]) for first in range(0, len(values), BLOCK)]
    return [np.concatenate(column) for column in zip(*found, strict=True)]


def missed(values, difference, margin=MARGIN):
    """For each run, whether the sequence ever leaves out the true difference, looked at after every deal."""

    def look(values):
        n = np.arange(1, values.shape[1] + 1)
        total = np.cumsum(values, axis=1)
        squares = np.cumsum(values**2, axis=1) - total**2 / n
        outside = np.abs(total / n - difference) > sequence_half_width(n, squares, margin)
        return (outside[:, MIN_DEALS - 1 :].any(axis=1),)

    return in_blocks(look, values)[0]


def rare_at_the_margin(rng, shape, difference=MARGIN):
    """A rare one-sided event, so that the difference is exactly the margin; otherwise deals never differ."""
    return (rng.random(shape) < difference).astype(float)


def first_verdicts(values, margin=MARGIN):
    """The first verdict, asked for after every deal, and after how many deals it came."""

    def look(values):
        n = np.arange(1, values.shape[1] + 1)
        total = np.cumsum(values, axis=1)
        squares = np.cumsum(values**2, axis=1) - total**2 / n
        answer = np.select(verdicts(n, total, squares, margin, ALPHA, 1.0), [3, 1, 2], 0)
        when = (answer != 0).argmax(axis=1)
        said = np.array(["undecided", "better", "worse", "equal"])[answer[np.arange(len(answer)), when]]
        return said, np.where(said == "undecided", values.shape[1], when + 1)

    return in_blocks(look, values)


@RUNS
@pytest.mark.parametrize("deals", [win_share, paired, rare, one_game])
def test_equal_strategies_are_told_apart_no_more_often_than_promised(deals, runs):
    said, _ = first_verdicts(deals(np.random.default_rng(10), (runs, 5000)))
    assert np.isin(said, ["better", "worse"]).mean() <= 0.05
    assert (said == "equal").mean() > 0.9


@RUNS
@pytest.mark.parametrize(("deals", "difference"), [(win_share, 0.1), (paired, -0.1), (rare, 0.0), (one_game, 0.0)])
def test_sequence_holds_at_all_looks_together(deals, difference, runs):
    values = deals(np.random.default_rng(11), (4 * runs, 4000), difference)
    assert missed(values, difference).mean() <= 0.05


def test_a_coarse_margin_does_not_make_it_hasty():
    assert missed(rare(np.random.default_rng(16), (1000, 2000)), 0, margin=0.5).mean() <= 0.05
    assert sequence_half_width(100, 5.0, 0.5) == sequence_half_width(100, 5.0, 0.1)


def test_a_fixed_size_interval_would_not_hold():
    values = win_share(np.random.default_rng(11), (400, 4000))
    n = np.arange(1, 4001)
    z = np.abs(np.cumsum(values, axis=1)) / np.sqrt(n * values.var())
    assert (z[:, MIN_DEALS - 1 :] > 1.96).any(axis=1).mean() > 0.3


@RUNS
@pytest.mark.parametrize("deals", [win_share, paired, rare, one_game, rare_at_the_margin])
def test_equal_is_not_said_of_a_difference_as_large_as_the_margin(deals, runs):
    said, _ = first_verdicts(deals(np.random.default_rng(12), (runs, 4000), MARGIN))
    assert (said == "equal").mean() <= 0.05
    assert (said == "better").mean() > 0.85


def test_evidence_against_the_truth_is_worth_no_more_than_one():
    """An e-process has a mean of at most 1 where its hypothesis is true, at any time."""
    values = paired(np.random.default_rng(17), (4000, 600))
    total = values.sum(axis=1)
    squares = (values**2).sum(axis=1) - total**2 / 600
    for sign in (1, -1):
        assert np.exp(log_evidence(600, sign * total, squares, MARGIN, 1.0)).mean() < 1.1
    assert sum(weight for _, weight in LADDER) <= 1


def test_few_games_suffice():
    """Deals like those of balanced and racer, margin one point: about the games measured when this was chosen."""
    rng = np.random.default_rng(18)
    looks, deals, spread = 150, 500, 0.65 * 0.5
    n = deals * np.arange(1, looks + 1)
    most = {0.0: 25_000, 0.005: 38_500, 0.01: 22_000, 0.02: 6_100}
    for difference, games in most.items():
        total = np.cumsum(rng.normal(deals * difference, spread * math.sqrt(deals), (1000, looks)), axis=1)
        said = np.stack(verdicts(n, total, n * spread**2, 0.01, ALPHA, 0.5))
        when = np.where(said.any(axis=(0, 2)), said.any(axis=0).argmax(axis=1) + 1, looks)
        assert 2 * deals * when.mean() < games
        first = said[:, np.arange(1000), when - 1]
        wrong = first[1:].any(axis=0) if difference == 0 else first[0] & (difference >= 0.01)
        assert wrong.mean() <= ALPHA


def test_a_large_difference_is_found_soon():
    said, when = first_verdicts(win_share(np.random.default_rng(13), (400, 1000), -0.15))
    assert (said == "worse").all()
    assert when.mean() < 2 * MIN_DEALS


def test_verdict_answers_as_the_running_sums_do():
    values = win_share(np.random.default_rng(14), (20, 1500), 0.03)
    units = np.rint(values * 4).astype(int)
    said, when = first_verdicts(units / 4)
    for run, answer, n in zip(units, said, when, strict=True):
        sums = [(k, run[:k].sum(), (run[:k] ** 2).sum()) for k in (n - 1, n)]
        before, now = (verdict(*s, MARGIN, scale=4) for s in sums)
        assert before == ("undecided" if n > 1 else now)
        assert now == answer


def test_precedence_within_the_margin_is_equal_whatever_the_sign():
    n = 10**7
    total = n // 100  # mean 0.01, narrow: above zero and inside the margin at once
    sequence = confidence_sequence(n, total, n // 10, 0.02)
    assert 0 < sequence.low < sequence.high < 0.02
    for say in (verdict, lambda *sums: judge(confidence_sequence(*sums), sums[3])):
        assert say(n, total, n // 10, 0.02) == "equal"
        assert say(n, total, n // 10, 0.005) == "better"
        assert say(n, -total, n // 10, 0.005) == "worse"


def test_nothing_is_decided_before_the_minimum():
    assert verdict(MIN_DEALS - 1, MIN_DEALS - 1, MIN_DEALS - 1, 0.01) == "undecided"
    assert verdict(MIN_DEALS, MIN_DEALS, MIN_DEALS, 0.01) == "better"
    assert verdict(0, 0, 0, 0.01) == "undecided"
    assert confidence_sequence(0, 0, 0, 0.01).high == math.inf


def test_deals_that_never_differed_are_not_yet_equal():
    # After n deals without a difference, one in n / 4 may still differ.
    assert verdict(100, 0, 0, 4 / 100) == "undecided"
    assert verdict(100_000, 0, 0, 0.01) == "equal"


def test_scale_and_span_are_units_only():
    one = confidence_sequence(500, 40, 300, 0.05)
    sixtieths = confidence_sequence(500, 40 * 60, 300 * 3600, 0.05, scale=60)
    doubled = confidence_sequence(500, 80, 1200, 0.10, span=2)
    assert (sixtieths.low, sixtieths.high) == pytest.approx((one.low, one.high))
    assert (doubled.low / 2, doubled.high / 2) == pytest.approx((one.low, one.high))


def test_half_width_is_the_published_boundary():
    # Waudby-Smith et al. (2024), equation of Theorem 2.2, when the variance is one constant.
    n, variance, alpha, margin = 2000, 0.3, 0.05, 0.004

    def boundary(rho, n=n):
        return math.sqrt(variance) * math.sqrt(
            2 * (n * rho**2 + 1) / (n**2 * rho**2) * math.log(math.sqrt(n * rho**2 + 1) / alpha)
        )

    tuned_deals = TUNING * variance / margin**2
    best = optimize.minimize_scalar(lambda log_rho: boundary(math.exp(log_rho), tuned_deals), (-8, -4)).x
    four_deals_unseen = 4
    ours = sequence_half_width(n, n * variance - four_deals_unseen, margin, alpha)
    assert ours == pytest.approx(boundary(math.exp(best)), rel=1e-6)
