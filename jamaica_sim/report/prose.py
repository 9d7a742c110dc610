"""Figures inside sentences: a short text to read, and a full one with interval and number of games.

A sentence carries both texts of a figure. A page shows the short one, and the full one when the reader points at it.
Both come from the same estimate, so a figure has one rounding and one interval.
"""

import re

from jamaica_sim.report import words
from jamaica_sim.results.stats.estimate import Estimate, decimals

BEGIN, MIDDLE, END = "\ue000", "\ue001", "\ue002"
FIGURE = re.compile(f"{BEGIN}([^{MIDDLE}]*){MIDDLE}([^{END}]*){END}")


def figure(short: str, whole: str) -> str:
    """A figure inside a sentence."""
    return f"{BEGIN}{short}{MIDDLE}{whole}{END}"


def whole(estimate: Estimate, share: bool = False) -> str:
    """An estimate with its interval, as in the tables; minus zero is written as zero."""
    text = format(estimate, "%" if share else "")
    return re.sub(r"^-(0(?:\.0+)?%? ±)", r"\1", text).replace("-", words.MINUS)


def behind(estimate: Estimate, share: bool = False) -> str:
    """The full text of a figure: with its interval and the number of games or ships behind it."""
    return f"{whole(estimate, share)}; n = {estimate.n:,}"


def clipped(estimate: Estimate) -> Estimate:
    """A share that noise leads below 0 or above 1, at that end and with an interval as wide; others as they are."""
    if 0 <= estimate.value <= 1 or estimate.value != estimate.value:
        return estimate
    value, half = (0.0 if estimate.value < 0 else 1.0), estimate.half_width
    return Estimate(value, value - half, value + half, estimate.n)


def share(estimate: Estimate, decimals: int | None = None) -> str:
    """A share in a sentence, with as many decimals as in charts where they are not given."""
    estimate = clipped(estimate)
    shown = decimals_of(100 * estimate.value) if decimals is None else decimals
    return figure(words.percent(estimate.value, shown), behind(estimate, True))


def mean(estimate: Estimate, unit: str = "") -> str:
    """A mean in a sentence."""
    return figure(f"{words.amount(estimate.value, decimals_for(estimate))}{unit}", behind(estimate))


def change(estimate: Estimate, unit: str = "", decimals: int | None = None) -> str:
    """A difference in a sentence, with its sign; with these decimals, or as many as its interval allows."""
    shown = decimals_for(estimate) if decimals is None else decimals
    return figure(words.signed(estimate.value, shown, unit), behind(estimate))


def how_many(estimate: Estimate) -> str:
    """A difference in a sentence without its sign."""
    if estimate.value < 0:
        estimate = Estimate(-estimate.value, -estimate.high, -estimate.low, estimate.n)
    return figure(words.amount(estimate.value, decimals_for(estimate)), behind(estimate))


def decimals_of(value: float) -> int:
    """How many decimals a value is shown with: one, or two for values that round to less than 1."""
    return 1 if abs(value) >= 0.95 or value == 0 else 2


def decimals_for(estimate: Estimate) -> int:
    """How many decimals an estimate is shown with: as for its value, but no more than its interval allows."""
    return min(decimals_of(estimate.value), decimals(estimate.half_width))


def plain(text: str) -> str:
    """A sentence with the short texts of its figures."""
    return FIGURE.sub(r"\1", text)
