"""Intervals for what the games show: proportions, means, ratios, paired differences.

Pure functions of the exact integer sums (counts, totals, squares, cross products) that
the engine adds up. Nothing here keeps single games, reads files or prints.
A deal is one game number played in several seatings. Its games share their luck, so the
deal is the unit of every error: intervals count deals, never games.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True)
class Estimate:
    """A value with its interval.

    Attributes
    ----------
    value : float
        The estimate; nan when there is nothing to estimate from.
    low, high : float
        Ends of the interval; infinite when the data give no bound.
    n : int
        Number of independent units behind it (deals, or games where a game is the unit).
    """

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def around(cls, value: float, half_width: float, n: int) -> Estimate:
        """A value with an interval that reaches equally far both ways."""
        return cls(float(value), float(value - half_width), float(value + half_width), n)

    @property
    def half_width(self) -> float:
        """Distance from the value to the farther end, so value ± half_width covers the interval."""
        return max(self.high - self.value, self.value - self.low)

    def scaled(self, factor: float) -> Estimate:
        """The same in another unit; a negative factor turns the interval round."""
        ends = sorted((factor * self.low, factor * self.high))
        return Estimate(factor * self.value, ends[0], ends[1], self.n)

    def __str__(self) -> str:
        return format(self, "")

    def __format__(self, spec: str) -> str:
        """Text such as ``58.3% ± 0.4`` (spec ``.1%``) or ``12.35 ± 0.21`` (spec ``.2f``).

        With spec ``""`` or ``"%"`` the digits follow the half-width: its first significant
        digit is the last one printed, so that one sees whether an interval reaches zero.
        Percentages have at least one digit after the point. A half-width that would round to
        zero prints as ``<0.1``, an unbounded one as ``?``, a missing value as ``no data``.
        """
        if math.isnan(self.value):
            return "no data"
        if spec == "":
            spec = f".{decimals(self.half_width)}f"
        elif spec == "%":
            spec = f".{max(1, decimals(100 * self.half_width))}%"
        return f"{self.value:z{spec}} ± {_half_width_text(self.half_width, spec)}"  # z: no minus before zero


def decimals(half_width: float) -> int:
    """How many decimals to show a figure with: up to the first significant digit of its half-width."""
    if half_width < 1e-9 or not math.isfinite(half_width):  # 1e-9: of sums of floats
        return 2
    return max(0, -math.floor(math.log10(half_width)))


def _half_width_text(half_width: float, spec: str) -> str:
    if not math.isfinite(half_width):
        return "?"
    text = format(half_width, spec).rstrip("%")
    if half_width > 0 and float(text) == 0:
        return f"<{text[:-1]}1"
    return text


class PairMoments(NamedTuple):
    """Sums over units (deals or games) that each give two integers, a and b."""

    n: int
    sum_a: int
    sum_b: int
    sum_aa: int
    sum_bb: int
    sum_ab: int

    def difference(self) -> tuple[int, int, int]:
        """Moments (n, total, total of squares) of a - b."""
        n, a, b, aa, bb, ab = map(index, self)
        return n, a - b, aa + bb - 2 * ab


def proportion_interval(successes: int, n: int) -> Estimate:
    """Share of independent trials that succeed.

    Wilson (1927) score interval, as recommended by Brown, Cai & DasGupta (2001).
    Zero successes still give an honest upper end, z² / (n + z²), a little above the
    rule of three; no trials give [0, 1]. Only for yes/no outcomes of independent trials:
    shared wins and the games of one deal go to `mean_interval`, as sums by game or by deal.
    """
    if n == 0:
        return Estimate(math.nan, 0.0, 1.0, 0)
    successes, n = index(successes), index(n)
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} trials cannot have succeeded")
    z = normal_quantile(0.975)
    share = successes / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    widen = 1 + z * z / n
    low = 0.0 if successes == 0 else (middle - spread) / widen
    high = 1.0 if successes == n else (middle + spread) / widen
    return Estimate(share, low, high, n)


def mean_interval(
    n: int,
    total: int,
    total_sq: int,
    confidence: float = 0.95,
    *,
    scale: int = 1,
    span: float = 1,
) -> Estimate:
    """Mean of n independent integers from their sum and sum of squares: Student's t interval (Student 1908).

    The sums are exact integers, so no digits are lost to cancellation. `scale` is how many integer units make 1.0 (60
    where wins are counted in sixtieths). `span` is how far, in integer units, a value not seen yet may lie from values
    that were all equal, and counts only then: at most a share p = 1 - (1 - confidence)^(1/n) of all values differs from
    those seen (the exact rule of three, Hanley & Lippman-Hand 1983), so the mean lies within p * span. `span=0` states
    that the value is constant by rule, the only way to an interval of no width. Without data the value is nan, with
    one value the ends are infinite. For an event that is nearly always absent `proportion_interval` is better.
    """
    squares, n = squares_about_mean(n, total, total_sq)
    return mean_about(n, total, scale, t_half_width(n, squares / scale**2, span / scale, confidence))


def mean_about(n: int, total: int, scale: int, half_width: float) -> Estimate:
    """The mean of n integers, `scale` of which make 1.0, with an interval of this half-width; nan without data."""
    if n == 0:
        return Estimate(math.nan, -math.inf, math.inf, 0)
    return Estimate.around(index(total) / (n * scale), half_width, n)


# Two deals imagined at each end of the span, so that outcomes not seen yet are not ruled out
# (Agresti & Coull 1998: add two successes and two failures). In units of span squared.
UNSEEN_SQUARES = 4.0


def bounded_interval(
    n: int, total: int, total_sq: int, confidence: float = 0.95, *, scale: int = 1, span: float = 1.0
) -> Estimate:
    """Mean of n independent bounded integers, also where values other than zero are rare and one-sided.

    The t interval of `mean_interval` with `UNSEEN_SQUARES` added to the squares. Without them a few deals in which
    nothing happened would seem to show that nothing ever happens. `span` is the largest absolute value possible after
    scaling; the other parameters are those of `mean_interval`.
    """
    squares, n = squares_about_mean(n, total, total_sq)
    half_width = t_half_width(n, squares / scale**2 + UNSEEN_SQUARES * span**2, span, confidence)
    return mean_about(n, total, scale, half_width)


def count_interval(n: int, total: int, total_sq: int, confidence: float = 0.95) -> Estimate:
    """Mean of n counts that are mostly zero, such as shortages on one space in a game.

    Garwood's (1936) exact interval for a Poisson total, widened by the dispersion where several events come together:
    the variance over the mean, at least 1 (McCullagh & Nelder 1989, section 6.2). A Student interval is too narrow for
    rare events; with many events the two agree. No event at all gives an upper end of 3.7 / n.
    """
    squares, n = squares_about_mean(n, total, total_sq)
    if n == 0:
        return Estimate(math.nan, 0.0, math.inf, 0)
    total = index(total)
    dispersion = max(1.0, squares / (n - 1) / (total / n)) if total and n > 1 else 1.0
    from scipy import special  # imported late: it takes longer to load than a thousand games take to play

    tail, events = (1 - confidence) / 2, total / dispersion
    low = float(special.gammaincinv(events, tail)) if total else 0.0
    high = float(special.gammaincinv(events + 1, 1 - tail))
    return Estimate(total / n, dispersion * low / n, dispersion * high / n, n)


def ratio_interval(moments: PairMoments, confidence: float = 0.95, *, span: float = 1) -> Estimate:
    """Ratio of two means, a per b, such as battles won per battle fought.

    Delta method with the linearised residual a - r b (Cochran 1977, chapter 6), t
    interval over the units. Residuals that are all zero (no battle was ever won) fall back
    on the bound of `mean_interval`, with `span` the largest residual not seen yet, in
    integer units of a. No b at all gives nan with infinite ends.
    """
    n, a, b = map(index, moments[:3])
    if b == 0:
        return Estimate(math.nan, -math.inf, math.inf, n)
    half_width = t_half_width(n, ratio_squares(moments), span, confidence) * n / abs(b)
    return Estimate.around(a / b, half_width, n)


def ratio_squares(moments: PairMoments) -> float:
    """Sum of the squared residuals a - r b with r = a / b, exact up to the last division."""
    n, a, b, aa, bb, ab = map(index, moments)
    squares_about_mean(n, a, aa)
    squares_about_mean(n, b, bb)
    return (aa * b * b - 2 * a * b * ab + a * a * bb) / (b * b)


def pairing_gain(deals: int, total: int, total_sq: int, by_game: Iterable[tuple[int, int]]) -> float:
    """How many times as many games an unpaired comparison would need for the same width.

    Variance ratio of common random numbers (Law 2015, section 11.2): the variance of the sum of a deal's games if each
    had a deal of its own, over that on the same deal. The moments are those of the deals' sums; `by_game` has the sum
    and the sum of squares of each game of the deal. Infinite when deals never vary, nan when the games do not either.
    """
    independent = sum(squares_about_mean(deals, *game)[0] for game in by_game)
    paired, _ = squares_about_mean(deals, total, total_sq)
    if paired == 0:
        return math.nan if independent == 0 else math.inf
    return independent / paired


def holm(p_values: ArrayLike) -> np.ndarray:
    """Adjusted p-values of a family of tests; tests with a value of at most alpha are rejected together.

    Holm (1979): the chance of even one false rejection stays at most alpha, whatever the
    dependence between the tests.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted


def squares_about_mean(n: int, total: int, total_sq: int) -> tuple[float, int]:
    """Sum of squared deviations from the mean, exact up to the last division, and n as int."""
    n, total, total_sq = index(n), index(total), index(total_sq)
    excess = n * total_sq - total * total
    if n < 0 or excess < 0 or (n == 0 and (total or total_sq)):
        raise ValueError(f"no data have these moments: n={n}, total={total}, squares={total_sq}")
    return (excess / n if n else 0.0), n


def t_half_width(n: int, squares: float, span: float = 1.0, confidence: float = 0.95) -> float:
    """Half the width of Student's interval, from the sum of squared deviations; without any, by `span`."""
    if n < 2:
        return math.inf
    if squares == 0:
        unseen = -math.expm1(math.log1p(-confidence) / n)
        return unseen * span
    standard_error = math.sqrt(squares / (n - 1) / n)
    return t_quantile(n - 1, (1 + confidence) / 2) * standard_error


normal_quantile = NormalDist().inv_cdf
STEPS = 60  # of Newton's method at most; about five are enough
LARGE = 10_000  # degrees of freedom
TERMS = 500  # of the continued fraction at most


@lru_cache(maxsize=1024)
def t_quantile(freedom: int, chance: float) -> float:
    """The value that a variable with Student's distribution stays below with this chance.

    By the expansion in 1 / freedom (Abramowitz & Stegun 26.7.5). Where that is not exact enough, Newton's method on the
    tail starts from it.
    """
    if freedom < 1:
        raise ValueError(f"there is no distribution with {freedom} degrees of freedom")
    if chance < 0.5:
        return -_upper_t_quantile(freedom, chance)
    return _upper_t_quantile(freedom, 1 - chance)


def _upper_t_quantile(freedom: int, tail: float) -> float:
    """The value that the variable exceeds with the chance `tail`, at most one half."""
    if tail == 0.5:
        return 0.0
    if freedom == 1:
        return 1 / math.tan(math.pi * tail)
    z = -normal_quantile(tail)
    t = z + (z**3 + z) / (4 * freedom)
    if freedom >= LARGE:
        second, third = (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return t + (second + third / freedom) / freedom**2
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(STEPS):
        density = scale * math.exp(-(freedom + 1) / 2 * math.log1p(t * t / freedom))
        step = (_t_tail(freedom, t) - tail) / density
        t += step
        if abs(step) <= 1e-14 * t:
            break
    return t


def _t_tail(freedom: int, t: float) -> float:
    """The chance to exceed t: half the incomplete beta function at freedom / (freedom + t²).

    By its continued fraction (Abramowitz & Stegun 26.5.8) with Lentz's method, on the side where it converges.
    """
    x, a, b = freedom / (freedom + t * t), freedom / 2, 0.5
    y = t * t / (freedom + t * t)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * -math.log1p(t * t / freedom) + b * math.log(y)
    )
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a / 2
    return (1 - front * _fraction(b, a, y) / b) / 2


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, TERMS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value


# Whatever is computed from sums, by leaving out one part of the games at a time

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


# Which differences are clear when many are tested together, and how large one is, whatever its units

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
