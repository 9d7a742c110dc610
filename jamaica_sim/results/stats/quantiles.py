"""Quantiles of the normal distribution, which are Python's, and of Student's, without scipy.

scipy takes longer to load than the games of a small run take to play. These quantiles agree with scipy's to eleven
digits (`tests/test_quantiles.py`).
"""

import math
from functools import lru_cache
from statistics import NormalDist

normal_quantile = NormalDist().inv_cdf
STEPS = 60  # of Newton's method at most; about five are enough
LARGE = 10_000  # degrees of freedom
TERMS = 500  # of the continued fraction at most


@lru_cache(maxsize=1024)
def t_quantile(freedom: int, chance: float) -> float:
    """The value that a variable with Student's distribution stays below with this chance.

    By the expansion in 1 / freedom (Abramowitz & Stegun 26.7.5). Where that is not exact enough, Newton's method on the
    tail starts from it.
    """
    if freedom < 1:
        raise ValueError(f"there is no distribution with {freedom} degrees of freedom")
    if chance < 0.5:
        return -_upper_t_quantile(freedom, chance)
    return _upper_t_quantile(freedom, 1 - chance)


def _upper_t_quantile(freedom: int, tail: float) -> float:
    """The value that the variable exceeds with the chance `tail`, at most one half."""
    if tail == 0.5:
        return 0.0
    if freedom == 1:
        return 1 / math.tan(math.pi * tail)
    z = -normal_quantile(tail)
    t = z + (z**3 + z) / (4 * freedom)
    if freedom >= LARGE:
        second, third = (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return t + (second + third / freedom) / freedom**2
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(STEPS):
        density = scale * math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = (_t_tail(freedom, t) - tail) / density
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return t


def _t_tail(freedom: int, t: float) -> float:
    """The chance to exceed t: half the incomplete beta function at freedom / (freedom + t²).

    By its continued fraction (Abramowitz & Stegun 26.5.8) with Lentz's method, on the side where it converges.
    """
    x, a, b = freedom / (freedom + t * t), freedom / 2, 0.5
    y = t * t / (freedom + t * t)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * -math.log1p(t * t / freedom) + b * math.log(y)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a / 2
    return (1 - front * _fraction(b, a, y) / b) / 2


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value
