"""Deciding while the games run: a confidence sequence and the verdict it supports.

Everything is computed from running moments of block values (n, sum, sum of squares), so it
may be looked at after every block without the error rate growing, and without any block
being kept. A block is one deal played in all seat rotations; its value is bounded by `span`.

The sequence is the asymptotic one of Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024),
"Time-uniform central limit theory and asymptotic confidence sequences", Proposition 2.5. It
was chosen by measurement. On block values like those of the game it needs 10 to 60 % fewer
blocks than the empirical Bernstein sequences of Howard et al. (2021) and of Waudby-Smith &
Ramdas (2024), and it keeps its error rate on rare events, where asymptotic sequences that run
on the number of blocks do not: this one runs on the sum of squares, so blocks that have hardly
varied yet count as little evidence, not as certainty.
"""

from __future__ import annotations

import math
from operator import index
from typing import Literal

import numpy as np
from scipy import optimize, special

from jamaica_sim.stats.estimate import Estimate, squares_about_mean

Verdict = Literal["better", "worse", "equal", "undecided"]

# Before this many blocks the normal approximation is not trusted and nothing is decided.
MIN_BLOCKS = 50

# Least sum of squares to tune for, per squared log of alpha: tuned earlier, the sequence
# would decide while the sums of skewed values are still far from normal.
MIN_TUNING = 6.0

# Two blocks imagined at each end of the span, so that outcomes not seen yet are not ruled out
# (Agresti & Coull 1998: add two successes and two failures).
UNSEEN_SQUARES = 4.0


def sequence_half_width(n, squares, margin: float, alpha: float = 0.05, span: float = 1.0):
    """Half-width of the confidence sequence after n blocks.

    Waudby-Smith et al. (2024), Proposition 2.5, with rho from Howard et al. (2021),
    Proposition 3: narrowest when the squares reach (span / 5 margin)² in units of span², which
    is about when block values with a standard deviation of a quarter of the span settle a
    question of that margin. The tuning must not, and does not, use anything seen in the data.

    Parameters
    ----------
    n : int or array
        Number of blocks so far.
    squares : float or array
        Sum of squared deviations of the block values from their mean.
    margin : float
        The difference that matters, in the units of the values.
    alpha : float
        Chance that the sequence ever misses the mean, at any of the looks.
    span : float
        Largest absolute block value possible.
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
    min_blocks: int = MIN_BLOCKS,
) -> Estimate:
    """Interval for the mean block value that holds at all looks together.

    Parameters
    ----------
    n, total, total_sq : int
        Blocks so far, the sum of their integer values, the sum of the squares.
    margin : float
        The difference that matters; decides only when the sequence is narrowest.
    alpha : float
        Chance that any of the intervals, from `min_blocks` on, misses the mean.
    scale : int
        Integer units that make 1.0.
    span : float
        Largest absolute block value possible, after scaling: 1 for shares and differences
        of shares.
    min_blocks : int
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
    if n >= min_blocks:
        half_width = float(sequence_half_width(n, squares / scale**2, margin, alpha, span))
    return Estimate(mean, mean - half_width, mean + half_width, n)


def verdict(
    n: int,
    total: int,
    total_sq: int,
    margin: float,
    alpha: float = 0.05,
    *,
    scale: int = 1,
    span: float = 1.0,
    min_blocks: int = MIN_BLOCKS,
) -> Verdict:
    """What the blocks played so far say about the sign and size of the mean.

    Meant for block values whose mean is zero when there is no difference: A minus B, or
    a win share minus the fair share. Parameters as in `confidence_sequence`. Ask after
    every block if you like, and stop at the first answer that is not "undecided".

    Returns
    -------
    str
        In this order of precedence:
        "equal", the confidence sequence lies within (-margin, margin): whatever the sign,
        the difference does not matter;
        "better" or "worse", it lies above or below zero: the sign is known, and the
        difference has not been shown to be too small to matter;
        "undecided" otherwise.
        When the mean is zero the chance of ever hearing "better" or "worse" is at most alpha;
        when it lies outside the margin the chance of ever hearing "equal" is at most alpha.
    """
    sequence = confidence_sequence(n, total, total_sq, margin, alpha, scale=scale, span=span, min_blocks=min_blocks)
    return judge(sequence, margin)


def judge(difference: Estimate, margin: float) -> Verdict:
    """The verdict that an interval for a difference supports, in the order of precedence of `verdict`."""
    if -margin < difference.low and difference.high < margin:
        return "equal"
    if difference.low > 0:
        return "better"
    if difference.high < 0:
        return "worse"
    return "undecided"


def expected_blocks(
    variance: float,
    margin: float,
    alpha: float = 0.05,
    *,
    difference: float = 0.0,
    span: float = 1.0,
    min_blocks: int = MIN_BLOCKS,
) -> int:
    """About how many blocks `verdict` will need, for planning.

    Parameters
    ----------
    variance : float
        Variance of one block value.
    margin, alpha, span, min_blocks
        As in `verdict`.
    difference : float
        The mean supposed to be true.

    Returns
    -------
    int
        Blocks after which the half-width of the sequence, plus the usual distance of the
        mean from its truth when the answer is "equal", fits the room there is.
    """
    room_to_zero, room_to_margin = abs(difference), margin - abs(difference)

    def shortfall(log_n: float, room: float, wander: float) -> float:
        n = math.exp(log_n)
        half_width = sequence_half_width(n, n * variance, margin, alpha, span)
        return float(half_width) + wander * math.sqrt(variance / n) - room

    def blocks(room: float, wander: float) -> float:
        if room <= 0:
            return math.inf
        if shortfall(math.log(min_blocks), room, wander) <= 0:
            return min_blocks
        most = math.log(min_blocks)
        while shortfall(most, room, wander) > 0:
            most += 1
        return math.exp(optimize.brentq(shortfall, math.log(min_blocks), most, (room, wander)))

    return math.ceil(min(blocks(room_to_zero, 0.0), blocks(room_to_margin, math.sqrt(2 / math.pi))))
