"""Intervals for ratios and differences of sums, from leaving out one part of the games at a time.

An estimate is an array: entry 0 is computed from all games, every other entry from all games but one part.
"""

import math

import numpy as np

from jamaica_sim.results.stats.estimate import Estimate, t_quantile

PARTS = 64  # of a run; p-values use the t distribution over them, because no interval behind them has wider tails


def leave_out(values: np.ndarray) -> np.ndarray:
    """Sums over games (the last axis): over all, then over all but each of the parts, along a new first axis."""
    pieces = np.array_split(values, min(PARTS, values.shape[-1]), axis=-1)
    parts = np.stack([part.sum(-1) for part in pieces])
    return np.concatenate([parts.sum(0)[None], parts.sum(0) - parts])


def jackknife_error(values: np.ndarray) -> float:
    """The standard error of an estimate."""
    without = np.asarray(values[1:], float)
    return math.sqrt((without.size - 1) / without.size * float(np.square(without - without.mean()).sum()))


def jackknife(values: np.ndarray, n: int, confidence: float = 0.95) -> Estimate:
    """The estimate from all games (entry 0), with its error from the entries that leave out one part each.

    Delete-a-group jackknife (Shao & Tu 1995, section 2.3) with a t interval over the parts. `n` is the number of games
    behind it. A value that never varies is bounded as in `mean_interval`, by the exact rule of three.
    """
    value, without = float(values[0]), np.asarray(values[1:], float)
    parts = without.size
    if not math.isfinite(value):  # a ratio to nothing
        return Estimate(math.nan, -math.inf, math.inf, n)
    if parts < 2 or not np.isfinite(without).all():
        return Estimate(value, -math.inf, math.inf, n)
    half_width = jackknife_error(values) * t_quantile(parts - 1, (1 + confidence) / 2)
    if half_width <= 1e-12 * max(1.0, abs(value)):
        half_width = -math.expm1(math.log1p(-confidence) / n) if n else math.inf
    return Estimate.around(value, half_width, n)


def chance_of(estimate: Estimate, null: float) -> float:
    """The p-value: the chance that luck alone puts an estimate this far from `null`, by its 95% interval."""
    if math.isnan(estimate.value):
        return 1.0
    from scipy import special  # imported late: it takes longer to load than a thousand games take to play

    distance = estimate.value - null
    reach = estimate.value - estimate.low if distance > 0 else estimate.high - estimate.value
    if distance == 0 or not math.isfinite(reach):
        return 1.0
    if reach == 0:
        return 0.0
    errors = abs(distance) / reach * t_quantile(PARTS - 1, 0.975)
    return 2 * float(special.stdtr(PARTS - 1, -errors))
