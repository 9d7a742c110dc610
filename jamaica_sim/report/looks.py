"""Which differences are clear, allowing for every figure that the report looked at (Holm 1979).

A report is written twice. The first pass counts every difference that the text might mention. The second calls a
difference clear only if it holds up among all of them: the chance that even one is wrong is at most 5%.
"""

from jamaica_sim.stats.clear import ALPHA, holm_cut
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import chance_of


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
        """The looks of the second pass, with the cut that all looks together allow."""
        return Looks(holm_cut(self.chances))

    @property
    def confidence(self) -> float:
        """The confidence of an interval that allows for all looks (Bonferroni)."""
        return 1 - ALPHA / max(1, len(self.chances))
