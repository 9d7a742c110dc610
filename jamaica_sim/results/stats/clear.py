"""Which differences are clear when many are tested together (Holm 1979).

The chance that even one of them is luck is at most 5%.
"""

import math
from collections.abc import Iterable, Sequence

from jamaica_sim.results.stats.estimate import Estimate, holm, t_quantile
from jamaica_sim.results.stats.jackknife import PARTS, chance_of

ALPHA = 0.05  # the chance that even one of all differences that are called clear is luck
NOTICEABLE, CLEARLY, A_LOT = 0.1, 0.2, 0.8  # effect sizes; Cohen (1988): below 0.2 is small, from 0.8 large


def holm_cut(chances: Sequence[float]) -> float:
    """The largest p-value that is still significant when all are tested together; 0 where none is."""
    adjusted = holm(chances)
    return max((chance for chance, together in zip(chances, adjusted, strict=True) if together <= ALPHA), default=0.0)


def clear_together(differences: Iterable[tuple[Estimate, float]]) -> list[bool]:
    """For each estimate and its null value, whether the two clearly differ, all tested together."""
    chances = [chance_of(estimate, null) for estimate, null in differences]
    cut = holm_cut(chances)
    return [chance <= cut for chance in chances]


def allowing_for(estimate: Estimate, candidates: int) -> Estimate:
    """The estimate of what was picked as the largest or smallest of several, with an interval that allows for that.

    Bonferroni: the interval holds for all candidates at once, so it holds for whichever was picked.
    """
    if candidates < 2:
        return estimate
    wider = t_quantile(PARTS - 1, 1 - ALPHA / 2 / candidates) / t_quantile(PARTS - 1, 1 - ALPHA / 2)
    low, high = (estimate.value + wider * (end - estimate.value) for end in (estimate.low, estimate.high))
    return Estimate(estimate.value, low, high, estimate.n)


def cohen_h(share: float, other: float) -> float:
    """The effect size of two shares: the difference of their arcsine roots."""
    return 2 * math.asin(math.sqrt(min(max(share, 0), 1))) - 2 * math.asin(math.sqrt(min(max(other, 0), 1)))
