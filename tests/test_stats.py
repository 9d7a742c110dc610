"""Intervals against published values, scipy and simulated truth."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from jamaica_sim.results.stats.estimate import (
    Estimate,
    PairMoments,
    count_interval,
    holm,
    mean_interval,
    pairing_gain,
    proportion_interval,
    ratio_interval,
)

RUNS = 4000

# Hours of extra sleep under two drugs, in tenths (Student 1908, table on page 20).
SLEEP_A = [7, -16, -2, -12, -1, 34, 37, 8, 0, 20]
SLEEP_B = [19, 8, 11, 1, -1, 44, 55, 16, 46, 34]


def moments(values):
    return len(values), int(np.sum(values)), int(np.sum(np.square(values)))


def pair_moments(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return PairMoments(len(a), *(int(s) for s in (a.sum(), b.sum(), a @ a, b @ b, a @ b)))


def covered(estimates, truth):
    return np.mean([e.low <= truth <= e.high for e in estimates])


def proportions(successes, n):
    """One interval for each entry, worked out once for each distinct count."""
    counts, places = np.unique(successes, return_inverse=True)
    estimates = [proportion_interval(count, n) for count in counts]
    return [estimates[place] for place in places]


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    # Newcombe (1998), Table I, method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_proportion_matches_published_wilson_intervals(successes, n, low, high):
    estimate = proportion_interval(successes, n)
    assert estimate.value == successes / n
    assert (estimate.low, estimate.high) == pytest.approx((low, high), abs=5e-5)


def test_proportion_without_events_keeps_an_upper_bound():
    assert 3 / 1000 < proportion_interval(0, 1000).high < 4 / 1000
    assert proportion_interval(1000, 1000).low == pytest.approx(1 - proportion_interval(0, 1000).high)
    empty = proportion_interval(0, 0)
    assert math.isnan(empty.value) and (empty.low, empty.high, empty.n) == (0, 1, 0)


def test_paired_difference_matches_student_1908():
    estimate = mean_interval(*pair_moments(SLEEP_A, SLEEP_B).difference(), scale=10)
    assert estimate.value == pytest.approx(-1.58)
    assert (estimate.low, estimate.high) == pytest.approx((-2.4598858, -0.7001142), abs=1e-7)
    assert estimate.n == 10


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=40), st.sampled_from([0.8, 0.95, 0.99]))
def test_mean_matches_scipy(values, confidence):
    estimate = mean_interval(*moments(values), confidence)
    assert estimate.value == pytest.approx(np.mean(values))
    if np.ptp(values) > 0:
        expected = stats.ttest_1samp(values, 0).confidence_interval(confidence)
        assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_mean_loses_no_digits_to_cancellation():
    n, centre = 10**16, 1000
    total = n * centre
    total_sq = n * centre**2 + n  # half of the values one above the centre, half one below
    assert mean_interval(n, total, total_sq).half_width == pytest.approx(1.959964e-8, rel=1e-4)


def test_mean_takes_numpy_integers_without_overflow():
    n, total, total_sq = np.int64(10**10), np.int64(10**12), np.int64(10**15)
    assert mean_interval(n, total, total_sq) == mean_interval(10**10, 10**12, 10**15)


def test_mean_of_too_few_values_has_no_bounds():
    assert math.isnan(mean_interval(0, 0, 0).value)
    one = mean_interval(1, 7, 49)
    assert (one.value, one.low, one.high) == (7, -math.inf, math.inf)


def test_values_that_never_varied_leave_room_for_those_not_seen():
    same = mean_interval(300, 600, 1200)
    assert same.value == 2
    assert same.half_width == pytest.approx(3 / 300, rel=0.01)  # the rule of three
    assert mean_interval(300, 600, 1200, span=40).half_width == pytest.approx(40 * same.half_width)
    assert mean_interval(300, 600, 1200, span=0).half_width == 0
    assert mean_interval(300, 600, 1200, scale=60).half_width == pytest.approx(same.half_width / 60)


@pytest.mark.parametrize("bad", [(3, 9, 20), (-1, 0, 0), (0, 1, 1)])
def test_impossible_moments_are_refused(bad):
    with pytest.raises(ValueError, match="moments"):
        mean_interval(*bad)


def test_floats_are_refused():
    with pytest.raises(TypeError):
        mean_interval(3, 1.5, 1.0)


def test_a_mean_per_game_counts_deals():
    by_deal = [60, 120, 0, 180]  # four games a deal, wins in sixtieths
    estimate = mean_interval(*moments(by_deal), scale=4 * 60)
    expected = stats.ttest_1samp(np.array(by_deal) / 240, 0).confidence_interval()
    assert estimate.value == pytest.approx(0.375)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))
    assert estimate.n == 4


def test_ratio_matches_the_linearised_residuals():
    won, fought = np.array([1, 0, 3, 2, 1]), np.array([2, 1, 4, 2, 3])
    estimate = ratio_interval(pair_moments(won, fought))
    residuals = (won - 7 / 12 * fought) / fought.mean()
    error = residuals.std(ddof=1) / math.sqrt(5)
    assert estimate.value == pytest.approx(7 / 12)
    assert estimate.half_width == pytest.approx(stats.t.ppf(0.975, 4) * error)


def test_ratio_edge_cases():
    assert math.isnan(ratio_interval(PairMoments(10, 0, 0, 0, 0, 0)).value)
    never_won = ratio_interval(pair_moments([0] * 100, [5] * 100))
    assert never_won.value == 0 and 0 < never_won.high < 0.01


def gain(*games):
    """The gain of deals whose value is the sum of these games' values."""
    games = np.asarray(games)
    return pairing_gain(*moments(games.sum(axis=0)), [moments(game)[1:] for game in games])


def test_pairing_gain():
    rng = np.random.default_rng(1)
    luck, a, b = rng.integers(0, 100, (3, 50_000))
    assert gain(a, -b) == pytest.approx(1, abs=0.05)
    assert gain(3 * luck + a, -3 * luck - b) == pytest.approx(10, rel=0.05)
    assert gain(luck, luck) == pytest.approx(0.5)  # the same again adds nothing
    assert gain(luck, -luck) == math.inf
    assert math.isnan(gain([1, 1], [2, 2]))


def test_holm_on_a_worked_example():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]).size == 0


def test_holm_matches_statsmodels():
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(2).random(50) ** 3
    assert holm(p) == pytest.approx(multitest.multipletests(p, method="holm")[1])


@pytest.mark.parametrize(
    ("estimate", "spec", "text"),
    [
        (Estimate(0.583, 0.579, 0.587, 9), ".1%", "58.3% ± 0.4"),
        (Estimate(0.583, 0.579, 0.587, 9), "%", "58.3% ± 0.4"),
        (Estimate(0.043, 0.001, 0.085, 9), "%", "4.3% ± 4.2"),
        (Estimate(-0.2, -6.2, 5.8, 9), "", "0 ± 6"),
        (Estimate(12.345, 12.135, 12.555, 9), ".2f", "12.35 ± 0.21"),
        (Estimate(12.345, 12.135, 12.555, 9), "", "12.3 ± 0.2"),
        (Estimate(1234.5, 1204.5, 1264.5, 9), "", "1234 ± 30"),
        (Estimate(0.5, 0.4999, 0.5001, 9), ".1%", "50.0% ± <0.1"),
        (Estimate(0.0, 0.0, 0.03, 9), ".0%", "0% ± 3"),
        (Estimate(3.0, -math.inf, math.inf, 1), ".1f", "3.0 ± ?"),
        (Estimate(math.nan, 0, 1, 0), ".1%", "no data"),
    ],
)
def test_estimate_as_text(estimate, spec, text):
    assert format(estimate, spec) == text


def test_proportion_coverage():
    wins = np.random.default_rng(3).binomial(400, 0.2, RUNS)
    assert 0.93 <= covered(proportions(wins, 400), 0.2) <= 0.97


def test_mean_coverage_on_skewed_counts():
    values = np.random.default_rng(4).poisson(2, (RUNS, 100))
    estimates = [mean_interval(100, s, q) for s, q in zip(values.sum(1), (values**2).sum(1), strict=True)]
    assert 0.93 <= covered(estimates, 2) <= 0.97


def test_deal_coverage_when_games_share_their_luck():
    rng = np.random.default_rng(5)
    chance = rng.beta(1, 3, (RUNS, 80))  # the deal decides most: mean one quarter
    wins = rng.binomial(4, chance)
    estimates = [mean_interval(80, s, q, scale=4) for s, q in zip(wins.sum(1), (wins**2).sum(1), strict=True)]
    assert 0.93 <= covered(estimates, 0.25) <= 0.97
    as_if_independent = proportions(wins.sum(1), 320)
    assert covered(as_if_independent, 0.25) < 0.90


def test_ratio_coverage():
    rng = np.random.default_rng(6)
    fought = rng.poisson(3, (RUNS, 150))
    won = rng.binomial(fought, 0.6)
    sums = np.stack([won.sum(1), fought.sum(1), (won**2).sum(1), (fought**2).sum(1), (won * fought).sum(1)], axis=1)
    assert 0.93 <= covered([ratio_interval(PairMoments(150, *row)) for row in sums], 0.6) <= 0.97


def test_paired_coverage():
    rng = np.random.default_rng(7)
    luck = rng.random((RUNS, 120))
    a = (luck < 0.30).astype(int)
    b = (luck + 0.2 * rng.random((RUNS, 120)) < 0.30).astype(int)
    sums = np.stack([a.sum(1), b.sum(1), (a * a).sum(1), (b * b).sum(1), (a * b).sum(1)], axis=1)
    pairs = [PairMoments(120, *row) for row in sums]
    assert 0.93 <= covered([mean_interval(*p.difference()) for p in pairs], 0.1) <= 0.97
    assert np.median([gain(*games) for games in zip(a, -b, strict=True)]) > 3


# Rare counts


def counted(values):
    values = np.asarray(values)
    return count_interval(values.size, int(values.sum()), int((values**2).sum()))


def test_rare_counts_by_hand():
    none = count_interval(500, 0, 0)
    assert (none.value, none.low) == (0.0, 0.0) and none.high == pytest.approx(3.689 / 500, rel=1e-3)
    one = count_interval(500, 1, 1)  # Garwood (1936): 0.0253 to 5.572
    assert (one.low * 500, one.high * 500) == (pytest.approx(0.0253, abs=1e-4), pytest.approx(5.572, abs=1e-3))
    assert math.isnan(count_interval(0, 0, 0).value)


@pytest.mark.parametrize("rate", [0.006, 0.02, 0.2])
@pytest.mark.parametrize("clump", [1, 2])
def test_intervals_of_rare_counts_hold(rate, clump):
    luck = np.random.default_rng(7)
    games, trials = 500, 1500
    inside = student = 0
    for _ in range(trials):
        values = clump * luck.poisson(rate / clump, games)
        found = counted(values)
        inside += found.low <= rate <= found.high
        plain = mean_interval(games, int(values.sum()), int((values**2).sum()))
        student += plain.low <= rate <= plain.high
    assert inside / trials > 0.93
    assert rate > 0.01 or student / trials < 0.9  # Student's does not hold for rare ones


def test_many_counts_give_the_usual_interval():
    values = np.random.default_rng(3).poisson(0.7, 20_000)
    found, plain = counted(values), mean_interval(values.size, int(values.sum()), int((values**2).sum()))
    assert found.low == pytest.approx(plain.low, rel=3e-3) and found.high == pytest.approx(plain.high, rel=3e-3)
