"""Deciding while the games run: a confidence sequence and the verdict it supports.

Everything is computed from running moments of deal values (n, sum, sum of squares), so it
may be looked at after every deal without the error rate growing, and without any deal
being kept. A deal is one game number played in several seatings; its value is bounded by `span`.

The sequence is the asymptotic one of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024),
"Time-uniform central limit theory and asymptotic confidence sequences", Proposition 2.5. It
was chosen by measurement. On deal values like those of the game it needs 10 to 60 % fewer
deals than the empirical Bernstein sequences of Howard et al. (2021) and of Waudby-Smith &
Ramdas (2024), and it keeps its error rate on rare events, where asymptotic sequences that run
on the number of deals do not: this one runs on the sum of squares, so deals that have hardly
varied yet count as little evidence, not as certainty.
"""

from __future__ import annotations

import math
from operator import index
from typing import Literal

import numpy as np
from scipy import special

from jamaica_sim.stats.estimate import Estimate, squares_about_mean

Verdict = Literal["better", "worse", "equal", "undecided"]

# Before this many deals the normal approximation is not trusted and nothing is decided.
MIN_DEALS = 50

# Least sum of squares to tune for, per squared log of alpha: tuned earlier, the sequence
# would decide while the sums of skewed values are still far from normal.
MIN_TUNING = 6.0

# Two deals imagined at each end of the span, so that outcomes not seen yet are not ruled out
# (Agresti & Coull 1998: add two successes and two failures).
UNSEEN_SQUARES = 4.0


def sequence_half_width(n, squares, margin: float, alpha: float = 0.05, span: float = 1.0):
    """Half-width of the confidence sequence after n deals.

    Waudby-Smith et al. (2024), Proposition 2.5, with rho from Howard et al. (2021),
    Proposition 3: narrowest when the squares reach (span / 5 margin)² in units of span², which
    is about when deal values with a standard deviation of a quarter of the span settle a
    question of that margin. The tuning must not, and does not, use anything seen in the data.

    Parameters
    ----------
    n : int or array
        Number of deals so far.
    squares : float or array
        Sum of squared deviations of the deal values from their mean.
    margin : float
        The difference that matters, in the units of the values.
    alpha : float
        Chance that the sequence ever misses the mean, at any of the looks.
    span : float
        Largest absolute deal value possible.
    """
    tuned = max(MIN_TUNING * math.log(alpha) ** 2, (span / (5 * margin)) ** 2)
    rho_sq = (-special.lambertw(-(alpha**2) / math.e, -1).real - 1) / tuned
    growth = (np.asarray(squares) / span**2 + UNSEEN_SQUARES) * rho_sq + 1
    return span * np.sqrt(growth / rho_sq * np.log(growth / alpha**2)) / n


def confidence_sequence(
    n: int,
    total: int,
    total_sq: int,
    margin: float,
    alpha: float = 0.05,
    *,
    scale: int = 1,
    span: float = 1.0,
    min_deals: int = MIN_DEALS,
) -> Estimate:
    """Interval for the mean deal value that holds at all looks together.

    Parameters
    ----------
    n, total, total_sq : int
        Deals so far, the sum of their integer values, the sum of the squares.
    margin : float
        The difference that matters; decides only when the sequence is narrowest.
    alpha : float
        Chance that any of the intervals, from `min_deals` on, misses the mean.
    scale : int
        Integer units that make 1.0.
    span : float
        Largest absolute deal value possible, after scaling: 1 for shares and differences
        of shares.
    min_deals : int
        Until then the ends are infinite.

    Returns
    -------
    Estimate
    """
    squares, n = squares_about_mean(n, total, total_sq)
    if n == 0:
        return Estimate(math.nan, -math.inf, math.inf, 0)
    mean = index(total) / (n * scale)
    half_width = math.inf
    if n >= min_deals:
        half_width = float(sequence_half_width(n, squares / scale**2, margin, alpha, span))
    return Estimate(mean, mean - half_width, mean + half_width, n)


def judge(difference: Estimate, margin: float) -> Verdict:
    """The verdict that an interval for a difference supports.

    In this order: "equal" if it lies within the margin on both sides (whatever the sign, the difference does not
    matter), "better" or "worse" if it lies above or below zero, else "undecided".
    """
    if -margin < difference.low and difference.high < margin:
        return "equal"
    if difference.low > 0:
        return "better"
    if difference.high < 0:
        return "worse"
    return "undecided"
