"""Clear differences: Holm's procedure allows for every figure that was looked at."""

import numpy as np
import pytest
from scipy import stats

from jamaica_sim.report.judge import Case, Judge
from jamaica_sim.results.stats.estimate import Estimate, chance_of, holm_cut

T = stats.t(63)


def estimate(errors):
    """An estimate this many standard errors above zero, with the interval of a jackknife over 64 parts."""
    half_width = T.ppf(0.975)
    return Estimate(errors, errors - half_width, errors + half_width, 100)


def test_the_chance_is_that_of_the_t_distribution():
    for errors in (0.5, 2.0, 4.0):
        assert chance_of(estimate(errors), 0.0) == pytest.approx(2 * T.sf(errors))
    assert chance_of(estimate(2.0), 2.0) == 1.0
    assert chance_of(Estimate(float("nan"), 0.0, 1.0, 0), 0.0) == 1.0


def test_holm_by_hand():
    # 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2
    assert holm_cut([0.03, 0.01, 0.2, 0.015]) == 0.015
    assert holm_cut([0.03, 0.2]) == 0.0
    assert holm_cut([]) == 0.0


def test_what_is_clear_alone_need_not_be_clear_among_many():
    one, others = Case(estimate(3.0)), [Case(estimate(0.3)) for _ in range(99)]
    assert Judge([one]).is_clear(one)
    among = Judge([one, others])
    assert not among.is_clear(one) and among.count == 100
    with pytest.raises(KeyError):  # it was not among the findings
        among.is_clear(Case(estimate(9.0)))


def test_of_many_looks_at_nothing_hardly_one_report_in_twenty_finds_something():
    luck, reports, false = np.random.default_rng(1), 120, 0
    for _ in range(reports):
        compared = [Case(estimate(value)) for value in np.abs(luck.standard_t(63, size=60))]
        judge = Judge([compared])
        false += any(judge.is_clear(one) for one in compared)
    assert 0 < false / reports < 0.1
