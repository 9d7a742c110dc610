"""Who explains how much of a variance: Shapley effects of random inputs, and the squared steps of a martingale.

Pure functions of outcomes. A *game* here is anything that turns independent inputs into a vector of numbers; its
variance is the sum over the vector. Units (deals, games) are independent, so intervals count them.

Shapley effects (Owen 2014; Song, Nelson & Staum 2016) share the whole variance among the inputs, interactions in equal
parts, and add up to 1. They need the expected variance that is left to a set of inputs when all others are held:
half the mean squared difference of two games that differ in this set only (pick-freeze).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from jamaica_sim.stats.estimate import Estimate


@dataclass(frozen=True)
class Effects:
    """What each input explains, as shares of the variance, with intervals over units."""

    variance: Estimate
    shapley: list[Estimate]
    first: list[Estimate]  # S: by the input alone
    total: list[Estimate]  # T: by the input and all its interactions


def factorial_effects(outcomes: np.ndarray, confidence: float = 0.95) -> Effects:
    """Effects of k inputs from a complete plan: `outcomes[unit, plan]` is the vector of the game played with the
    second value of the inputs in the set `plan` (bits) and the first value of all others, two values each.
    """
    costs = left_variances(outcomes)
    inputs = int(math.log2(costs.shape[1]))
    everything = costs[:, -1]
    shapley = shapley_values(costs)
    total = np.stack([costs[:, 1 << i] for i in range(inputs)], 1)
    first = np.stack([everything - costs[:, (len(costs[0]) - 1) ^ (1 << i)] for i in range(inputs)], 1)
    return Effects(
        mean_of(everything, confidence),
        *(
            [share_of(values[:, i], everything, confidence) for i in range(inputs)]
            for values in (shapley, first, total)
        ),
    )


def left_variances(outcomes: np.ndarray) -> np.ndarray:
    """For each unit and each set of inputs half the mean squared difference of the games that differ in this set.

    Each of the 2^k games is the first of a pair once, so that all of them count for every set.
    """
    units, plans = outcomes.shape[:2]
    if plans & (plans - 1) or plans < 2:
        raise ValueError(f"a complete plan has 2, 4, 8, ... games for each unit, not {plans}.")
    values = outcomes.reshape(units, plans, -1).astype(float)
    every = np.arange(plans)
    return np.stack(
        [0.5 * ((values - values[:, every ^ chosen]) ** 2).sum(2).mean(1) for chosen in range(plans)], axis=1
    )


def shapley_values(worth: np.ndarray) -> np.ndarray:
    """The Shapley value of each of k players, for each row of `worth`, which has one column for every set of them."""
    plans = worth.shape[1]
    players = int(math.log2(plans))
    sizes = np.array([chosen.bit_count() for chosen in range(plans)])
    values = np.zeros((len(worth), players))
    for player in range(players):
        without = np.array([chosen for chosen in range(plans) if not chosen >> player & 1])
        weights = np.array([1 / (players * math.comb(players - 1, size)) for size in sizes[without]])
        values[:, player] = (worth[:, without | 1 << player] - worth[:, without]) @ weights
    return values


def swing_squares(first: np.ndarray, second: np.ndarray, sources, count: int) -> np.ndarray:
    """What each of `count` sources adds to the variance in one game, without bias.

    `first` and `second` are two independent estimates of the chances after each step, one row more than there are
    steps; `sources` has the source of each step. Their products have no noise to square: each estimate errs by itself.
    """
    squares = (np.diff(first, axis=0) * np.diff(second, axis=0)).reshape(len(sources), -1).sum(1)
    return np.bincount(np.asarray(sources, int), squares, count)


def mean_of(values: np.ndarray, confidence: float = 0.95) -> Estimate:
    """Mean of independent numbers with Student's interval."""
    n = len(values)
    mean = float(np.mean(values)) if n else math.nan
    if n < 2:
        return Estimate(mean, -math.inf, math.inf, n)
    reach = float(special.stdtrit(n - 1, (1 + confidence) / 2)) * float(np.std(values, ddof=1)) / math.sqrt(n)
    return Estimate(mean, mean - reach, mean + reach, n)


def share_of(parts: np.ndarray, wholes: np.ndarray, confidence: float = 0.95) -> Estimate:
    """Ratio of two means over the same units, with its interval by linearisation."""
    n, whole = len(parts), float(np.mean(wholes)) if len(wholes) else 0.0
    if whole <= 0:
        return Estimate(math.nan, -math.inf, math.inf, n)
    share = float(np.mean(parts)) / whole
    errors = mean_of((parts - share * wholes) / whole, confidence)
    return Estimate(share, share - errors.half_width, share + errors.half_width, n)
