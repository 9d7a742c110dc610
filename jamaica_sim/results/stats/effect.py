"""Effect sizes: how large a difference is, whatever its units (Cohen 1988)."""

import math


def cohen_h(share: float, other: float) -> float:
    """The effect size of two shares: the difference of their arcsine roots."""
    return 2 * math.asin(math.sqrt(min(max(share, 0), 1))) - 2 * math.asin(math.sqrt(min(max(other, 0), 1)))
