"""A figure: several measurements of one thing, their median and spread, an aim, and the change from an earlier record.

Pure computing: nothing is measured, read or printed here.
"""

import math
from dataclasses import asdict, dataclass, fields, replace

import numpy as np

RATIO, SPEED, SECONDS, NANOSECONDS = "x", "games/s", "s", "ns"
# The standard error of the median of n normal values is this many spreads, or deviations, over the root of n.
BY_SPREAD, BY_DEVIATION = 1.86, 1.25
# Standard errors, of both figures together, that a change must exceed. Three would do for one figure of independent
# measurements; but slow moments come in runs, and some eighty figures are compared at once.
NOISE = 5
# Even where the error is smaller, a change below this share is noise: a machine is not the same from day to day.
LEAST_NOISE = {RATIO: 0.05, SPEED: 0.1, SECONDS: 0.15, NANOSECONDS: 0.15}


@dataclass(frozen=True)
class Figure:
    """One row of the table. `cpu` and `wall` are the seconds that our side of one measurement took.

    `steady` has the same measurements, corrected for how fast the machine was just then. Where it is given, it is
    compared with an earlier record instead of the samples.
    """

    key: str
    what: str
    unit: str
    samples: tuple[float, ...]
    target: float | None = None
    more_is_better: bool = True
    cpu: float | None = None
    wall: float | None = None
    note: str = ""
    steady: tuple[float, ...] = ()
    counting_error: float = 0.0  # standard error as a share, where the figure was found by counting samples

    @property
    def median(self) -> float:
        """The median of the measurements."""
        return float(np.median(self.samples))

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles; the middle half of the measurements lies between these."""
        return _spread(self.samples)

    @property
    def comparable(self) -> tuple[float, float]:
        """The median to compare with an earlier record, and its standard error as a share of it."""
        values = self.steady or self.samples
        middle = float(np.median(values))
        # The larger of two estimates: the quartiles of a few values lie close together by luck now and then.
        deviation = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        error = max(BY_SPREAD * _spread(values), BY_DEVIATION * deviation) / math.sqrt(len(values)) / middle
        return middle, max(error, self.counting_error)

    @property
    def met(self) -> bool | None:
        """Whether the aim is reached; None where there is no aim."""
        if self.target is None:
            return None
        return self.median >= self.target if self.more_is_better else self.median <= self.target

    def as_dict(self) -> dict:
        """The figure as plain values, for a record."""
        return {**asdict(self), "median": self.median, "spread": self.spread}

    @classmethod
    def from_dict(cls, facts: dict) -> "Figure":
        """The figure from a record; raises ValueError where it is damaged."""
        try:
            figure = cls(**{field.name: facts[field.name] for field in fields(cls)})
        except (KeyError, TypeError) as error:
            raise ValueError(f"a figure without {error}") from error
        sound = _are_positive(figure.samples) and figure.samples and _are_positive(figure.steady)
        if not sound or figure.unit not in LEAST_NOISE:
            raise ValueError(f"the figure {figure.key!r} is damaged")
        return replace(figure, samples=tuple(figure.samples), steady=tuple(figure.steady))


def _spread(values) -> float:
    low, high = np.percentile(values, (25, 75))
    return float(high - low) / 2


def _are_positive(numbers) -> bool:
    if not isinstance(numbers, list) or not all(isinstance(number, int | float) for number in numbers):
        return False
    return all(math.isfinite(number) and number > 0 for number in numbers)


@dataclass(frozen=True)
class Change:
    """A figure against an earlier one: by which share it is worse (below 0: better), and how much may be noise."""

    key: str
    what: str
    worse: float
    noise: float

    @property
    def is_regression(self) -> bool:
        """Whether it is worse beyond noise."""
        return self.worse > self.noise

    def sentence(self) -> str:
        """The change in words."""
        word = "slower" if self.worse > 0 else "faster"
        verdict = "REGRESSION: " if self.is_regression else "better: " if -self.worse > self.noise else ""
        return f"{verdict}{self.what}: {word} by {abs(self.worse):.1%}, noise {self.noise:.1%}"


def ratio(key, what, target, ours, theirs, measure=lambda spent: spent.cpu, note="") -> Figure:
    """A figure from paired measurements: how many times as fast ours is, pair by pair."""
    samples = tuple(measure(other) / measure(own) for own, other in zip(ours, theirs, strict=True))
    return Figure(key, what, RATIO, samples, target, True, *costs(ours), note)


def costs(spent) -> tuple[float, float]:
    """The median processor time and the median time by the clock."""
    return float(np.median([s.cpu for s in spent])), float(np.median([s.wall for s in spent]))


def change(then: Figure, now: Figure) -> Change:
    """A figure against an earlier one."""
    (before, error_before), (after, error_after) = then.comparable, now.comparable
    worse = before / after if now.more_is_better else after / before
    noise = max(LEAST_NOISE[now.unit], NOISE * math.hypot(error_before, error_after))
    return Change(now.key, now.what, worse - 1, noise)


def changes(then: list[Figure], now: list[Figure]) -> list[Change]:
    """The changes of all figures that were measured both times, in the same way."""
    earlier = {figure.key: figure for figure in then}
    pairs = [(earlier[figure.key], figure) for figure in now if figure.key in earlier]
    return [change(old, new) for old, new in pairs if (old.what, old.unit) == (new.what, new.unit)]
