"""Control variates: subtracting known luck from the results, so that fewer deals give the same interval.

A control is a number that comes with every deal, moves with its outcome and has a mean that is known to be zero. The
outcome minus any multiple of the control has the same mean, and with the right multiple a smaller variance (Lavenberg
& Welch 1981; with the luck of a game as control, Zinkevich, Bowling, Bard, Kan & Billings 2006, and AIVAT, Burch,
Schmid, Moravčík, Morrill & Bowling 2018).

The multiple is fitted, but never on the deals that it is applied to: deals come in stages, and each stage uses a fit to
all earlier stages (`fitted`). So the multiple is known before the deal is played, outcomes stay unbiased, and tests
that look at them after every deal stay valid. Sums are whole numbers, by stage, and can be added in any order.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Numbers = Any  # nested lists or an array of whole numbers

FIRST_STAGE = 64  # deals, used as they are: a multiple fitted on fewer would add more noise than it removes
GROWTH = 4  # each stage ends at this many times the deals of the one before
STAGES = 20  # enough for 10¹³ deals
STAGE_ENDS = FIRST_STAGE * GROWTH ** np.arange(STAGES - 1, dtype=np.int64)

# Multiples are counted in units of 1 / UNITS, so that controlled outcomes are whole numbers in these units.
UNITS = 1 << 16


def stage_of(deals: ArrayLike) -> np.ndarray:
    """The stage of each deal, by its number."""
    return np.searchsorted(STAGE_ENDS, deals, side="right")


def fitted(n: int, sums: Numbers, products: Numbers) -> list[int]:
    """For each outcome the multiple of the control that leaves the least variance in further deals, in `UNITS`.

    Least squares on `n` deals, given by their sums and products, the control last. A multiple fitted on few deals is
    shrunk towards zero by its share of noise (Copas 1983), so that a control that tells nothing does no harm.
    """
    spread = _spread(n, sums[-1], sums[-1], products[-1][-1])
    multiples = []
    for outcome in range(len(sums) - 1):
        own = _spread(n, sums[outcome], sums[outcome], products[outcome][outcome])
        common = _spread(n, sums[outcome], sums[-1], products[outcome][-1])
        told = common * common / (own * spread) if common else 0.0
        kept = max(0.0, 1 - (1 - told) / ((n - 2) * told)) if told and n > 2 else 0.0
        multiples.append(round(UNITS * kept * (common / spread)) if kept else 0)
    return multiples


def _spread(n: int, total: int, other: int, product: int) -> int:
    """n times the sum of the products of two numbers' deviations from their means."""
    return n * index(product) - index(total) * index(other)


def controlled(deals: Numbers, sums: Numbers, products: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Exact sums (in `UNITS`) and products (in `UNITS` squared) of the outcomes with the control subtracted.

    By stage: `deals` has how many there are, `sums` the sums over them with the control's last, `products` the sums of
    the outer products. The results are whole numbers of any size.
    """
    sums, products = np.asarray(sums).astype(object), np.asarray(products).astype(object)
    outcomes = sums.shape[1] - 1
    total, square = np.zeros(outcomes, object), np.zeros((outcomes, outcomes), object)
    n, seen, seen_products = 0, sums[0] * 0, products[0] * 0
    for stage in np.flatnonzero(deals):
        multiples = fitted(n, seen, seen_products)
        take_off = np.zeros((outcomes, outcomes + 1), object)
        np.fill_diagonal(take_off, UNITS)
        take_off[:, -1] = [-multiple for multiple in multiples]
        total += take_off @ sums[stage]
        square += take_off @ products[stage] @ take_off.T
        n, seen, seen_products = n + int(deals[stage]), seen + sums[stage], seen_products + products[stage]
    return total, square
