"""A figure: what was measured several times, its middle and spread, its aim, and how it compares with an earlier one.

Pure computing: nothing is measured, read or printed here.
"""

import math
from dataclasses import asdict, dataclass, fields, replace

import numpy as np

RATIO, SPEED, SECONDS, NANOSECONDS = "x", "games/s", "s", "ns"
NOISE = 2  # spreads, of both measurements together, that a change must exceed
# Even where the spread is smaller, a change below this share is noise: a machine is not the same from day to day.
LEAST_NOISE = {RATIO: 0.03, SPEED: 0.06, SECONDS: 0.15, NANOSECONDS: 0.1}


@dataclass(frozen=True)
class Figure:
    """One row of the table. `cpu` and `wall` are the seconds that our side of one measurement took."""

    key: str
    what: str
    unit: str
    samples: tuple[float, ...]
    target: float | None = None
    more_is_better: bool = True
    cpu: float | None = None
    wall: float | None = None
    note: str = ""

    @property
    def median(self) -> float:
        """The middle of the measurements."""
        return float(np.median(self.samples))

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, which the middle half of the measurements lies within."""
        low, high = np.percentile(self.samples, (25, 75))
        return float(high - low) / 2

    @property
    def met(self) -> bool | None:
        """Whether the aim is reached; None where there is none."""
        if self.target is None:
            return None
        return self.median >= self.target if self.more_is_better else self.median <= self.target

    def as_dict(self) -> dict:
        """For a record."""
        return {**asdict(self), "samples": list(self.samples), "median": self.median, "spread": self.spread}

    @classmethod
    def from_dict(cls, facts: dict) -> "Figure":
        """Out of a record; raises ValueError where it cannot be a figure."""
        try:
            figure = cls(**{field.name: facts[field.name] for field in fields(cls)})
        except (KeyError, TypeError) as error:
            raise ValueError(f"a figure without {error}") from error
        numbers = figure.samples
        sound = isinstance(numbers, list) and numbers and all(isinstance(n, int | float) for n in numbers)
        if not sound or not all(math.isfinite(n) and n > 0 for n in numbers) or figure.unit not in LEAST_NOISE:
            raise ValueError(f"the figure {figure.key!r} is damaged")
        return replace(figure, samples=tuple(numbers))


@dataclass(frozen=True)
class Change:
    """A figure against an earlier one: by which share it is worse (below 0: better), and what may be noise."""

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
    """A figure out of paired measurements: how much faster ours is, pair by pair."""
    samples = tuple(measure(other) / measure(own) for own, other in zip(ours, theirs, strict=True))
    return Figure(key, what, RATIO, samples, target, True, *costs(ours), note)


def costs(spent) -> tuple[float, float]:
    """The middle processor time and time by the clock."""
    return float(np.median([s.cpu for s in spent])), float(np.median([s.wall for s in spent]))


def change(then: Figure, now: Figure, pace: float = 1.0) -> Change:
    """A figure against an earlier one. `pace` is how much faster the machine is now; ratios do not depend on it."""
    worse = now.median / then.median
    if now.more_is_better:
        worse = 1 / worse
    if now.unit in (SPEED, SECONDS, NANOSECONDS):
        worse *= pace
    spreads = math.hypot(then.spread / then.median, now.spread / now.median)
    return Change(now.key, now.what, worse - 1, max(LEAST_NOISE[now.unit], NOISE * spreads))


def changes(then: list[Figure], now: list[Figure], pace: float = 1.0) -> list[Change]:
    """The changes of all figures that were measured both times, in the same way."""
    earlier = {figure.key: figure for figure in then}
    pairs = [(earlier[figure.key], figure) for figure in now if figure.key in earlier]
    return [change(old, new, pace) for old, new in pairs if old.what == new.what and old.unit == new.unit]
