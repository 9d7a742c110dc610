"""Which input explains how much of a variance: Shapley effects of random inputs, and squared steps of a martingale.

Pure functions of outcomes. A *game* here is anything that turns independent inputs into a vector of numbers; its
variance is the sum over the vector. Units (deals, games) are independent, so intervals count them.

Shapley effects (Owen 2014; Song, Nelson & Staum 2016) share the whole variance among the inputs, and add up to 1.
Interactions are shared equally. The effects need the expected variance due to a set of inputs when all others are held
fixed: half the mean squared difference of two games that differ in this set only (pick-freeze).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from jamaica_sim.results.stats.estimate import Estimate, t_half_width


@dataclass(frozen=True)
class VarianceShares:
    """What each input explains, as shares of the variance, with intervals over units."""

    variance: Estimate
    shapley: list[Estimate]
    first: list[Estimate]  # S: by the input alone
    total: list[Estimate]  # T: by the input and all its interactions
    units: np.ndarray = field(repr=False, compare=False)  # the values behind `shapley`, by unit and input

    def part(self, some: Sequence[int], whole: Sequence[int]) -> Estimate:
        """What the inputs `some` explain, as a share of what the inputs `whole` explain together."""
        return share_of(self.units[:, some].sum(1), self.units[:, whole].sum(1))


def factorial_effects(outcomes: np.ndarray) -> VarianceShares:
    """Effects of k inputs from a complete design, in which each input has two values.

    `outcomes[unit, chosen]` is the result of the game in which the inputs in the set `chosen` (bits) have their second
    value and all others their first.
    """
    costs = free_variances(outcomes)
    inputs = int(math.log2(costs.shape[1]))
    everything = costs[:, -1]
    shapley = shapley_values(costs)
    total = np.stack([costs[:, 1 << i] for i in range(inputs)], 1)
    first = np.stack([everything - costs[:, (len(costs[0]) - 1) ^ (1 << i)] for i in range(inputs)], 1)
    shares = [[share_of(values, everything) for values in columns.T] for columns in (shapley, first, total)]
    return VarianceShares(mean_of(everything), shares[0], shares[1], shares[2], shapley)


def known_first(outcomes: np.ndarray) -> list[Estimate]:
    """The share that the last input explains by itself, and the rest of the variance shared among the other inputs.

    The shares are in the order of the inputs and add up to 1.

    This is the law of total variance. The Shapley effect of an input includes half of its interaction with another
    input. Where every change stirs up the whole game, that is much, even for an input that predicts nothing.
    """
    costs = free_variances(outcomes)
    everything, others = costs[:, -1], costs[:, : costs.shape[1] // 2]
    parts = np.column_stack([shapley_values(others), everything - others[:, -1]])
    return [share_of(part, everything) for part in parts.T]


def free_variances(outcomes: np.ndarray) -> np.ndarray:
    """For each unit and set of inputs: half the mean squared difference of the games that differ in this set."""
    units, combinations = outcomes.shape[:2]
    if combinations & (combinations - 1) or combinations < 2:
        raise ValueError(f"a complete design has 2, 4, 8, ... games for each unit, not {combinations}.")
    values = outcomes.reshape(units, combinations, -1).astype(float)
    every = np.arange(combinations)
    return np.stack(
        [0.5 * ((values - values[:, every ^ chosen]) ** 2).sum(2).mean(1) for chosen in range(combinations)], axis=1
    )


def shapley_values(worth: np.ndarray) -> np.ndarray:
    """The Shapley value of each of k players, for each row of `worth`. It has one column for every set of players."""
    combinations = worth.shape[1]
    players = int(math.log2(combinations))
    sizes = np.array([chosen.bit_count() for chosen in range(combinations)])
    values = np.zeros((len(worth), players))
    for player in range(players):
        without = np.array([chosen for chosen in range(combinations) if not chosen >> player & 1])
        weights = np.array([1 / (players * math.comb(players - 1, size)) for size in sizes[without]])
        values[:, player] = (worth[:, without | 1 << player] - worth[:, without]) @ weights
    return values


def swing_squares(paths: np.ndarray, sources: Sequence[int], count: int) -> np.ndarray:
    """Unbiased estimates of the variance that each of `count` sources adds in one game.

    `paths[i]` is one of several independent estimates of the chances after each step, with one row more than there are
    steps; `sources` has the source of each step. The result is a mean over all pairs of estimates: a step of one is
    multiplied by the same step of the other, never by itself, so that no noise is squared.
    """
    steps = np.diff(paths, axis=1)
    pairs = len(steps) * (len(steps) - 1)
    products = (steps.sum(0) ** 2 - (steps**2).sum(0)) / pairs
    return np.bincount(np.asarray(sources, int), products.reshape(len(sources), -1).sum(1), count)


def mean_of(values: np.ndarray) -> Estimate:
    """Mean of independent numbers with Student's interval; where all are equal, that of `mean_interval`, `span` 1."""
    n = len(values)
    if not n:
        return Estimate(math.nan, -math.inf, math.inf, 0)
    return Estimate.around(np.mean(values), t_half_width(n, n * float(np.var(values)) if np.ptp(values) else 0.0), n)


def share_of(parts: np.ndarray, wholes: np.ndarray) -> Estimate:
    """Ratio of two means over the same units, with its interval by linearisation."""
    n, whole = len(parts), float(np.mean(wholes)) if len(wholes) else 0.0
    if whole <= 0:
        return Estimate(math.nan, -math.inf, math.inf, n)
    share = float(np.mean(parts)) / whole
    return Estimate.around(share, mean_of((parts - share * wholes) / whole).half_width, n)
