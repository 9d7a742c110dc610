"""Our quantiles are scipy's."""

import pytest
from scipy import special

from jamaica_sim.results.stats.estimate import LARGE, normal_quantile, t_quantile

CHANCES = (1e-6, 0.025, 0.3, 0.5001, 0.6, 0.9, 0.95, 0.975, 0.995, 0.9999)


@pytest.mark.parametrize("chance", CHANCES)
def test_normal_quantiles_are_those_of_scipy(chance):
    assert normal_quantile(chance) == pytest.approx(special.ndtri(chance), rel=1e-12)


@pytest.mark.parametrize("freedom", (1, 2, 3, 9, 31, 99, 999, LARGE - 1, LARGE, 12_345))
def test_student_quantiles_are_those_of_scipy(freedom):
    for chance in CHANCES:
        assert t_quantile(freedom, chance) == pytest.approx(special.stdtrit(freedom, chance), rel=2e-11)


@pytest.mark.parametrize("freedom", (10**7, 10**9))
def test_with_many_degrees_of_freedom_it_is_the_normal_one(freedom):
    """scipy itself has fewer digits there."""
    z = normal_quantile(0.975)
    assert t_quantile(freedom, 0.975) == pytest.approx(z + (z**3 + z) / (4 * freedom), rel=1e-12)


def test_the_middle_and_what_is_no_distribution():
    assert normal_quantile(0.5) == 0.0 and t_quantile(7, 0.5) == 0.0
    with pytest.raises(ValueError, match="degrees of freedom"):
        t_quantile(0, 0.9)
