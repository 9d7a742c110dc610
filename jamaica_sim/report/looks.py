"""Which differences are clear, allowing for every figure that the report looked at (Holm 1979).

A report is written twice: the first time each figure that might be said is looked at and counted, the second time only
those are called clear that hold up among all of them, with a chance of at most 5% that even one is wrong.
"""

from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import chance_of

ALPHA = 0.05


class Looks:
    """Every figure that was looked at, and the cut below which a difference is clear."""

    def __init__(self, cut: float = ALPHA):
        self.cut = cut
        self.chances: list[float] = []

    def is_clear(self, estimate: Estimate, null: float = 0.0) -> bool:
        """Whether an estimate is clearly not the null value."""
        chance = chance_of(estimate, null)
        self.chances.append(chance)
        return chance <= self.cut

    def settled(self) -> "Looks":
        """The same for the second time, with the cut that all looks together allow."""
        return Looks(holm_cut(self.chances))

    @property
    def confidence(self) -> float:
        """Of an interval as wide as all the looks ask for (Bonferroni)."""
        return 1 - ALPHA / max(1, len(self.chances))


def holm_cut(chances: list[float], alpha: float = ALPHA) -> float:
    """The largest p-value that is still rejected when all are tested together; 0 where none is."""
    cut, count = 0.0, len(chances)
    for place, chance in enumerate(sorted(chances)):
        if chance > alpha / (count - place):
            break
        cut = chance
    return cut
