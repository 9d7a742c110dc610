"""The weights to tune, as a vector whose steps have about equally large effects in play."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.files.suggest import did_you_mean
from jamaica_sim.strategy.heuristic.weights import BY_NAME, DEFAULTS, NAMES, Weight
from jamaica_sim.strategy.strategy import StrategyError

NEVER_TUNED = ("noise", "errors")  # errors on purpose, which can only harm
STEP = 0.3  # size of a step, as a share of the weight's own size
LEAST_STEP = 0.02  # least size of a step, as a share of the weight's range, for weights near zero
DIGITS = 4  # of a tuned weight: more would be noise


@dataclass(frozen=True, eq=False)
class WeightSpace:
    """Some weights around a start; all others stay as they are."""

    names: tuple[str, ...]
    start: dict[str, float]  # the weights of the start that differ from the defaults

    @classmethod
    def around(cls, start: dict[str, float], names: Iterable[str] = ()) -> "WeightSpace":
        """The space of these weights; if none is named, of all weights but `NEVER_TUNED`."""
        for name in names:
            if name not in BY_NAME:
                raise StrategyError(f"there is no weight {name!r}: {did_you_mean(name, NAMES)}")
        tuned = tuple(dict.fromkeys(names)) or tuple(name for name in NAMES if name not in NEVER_TUNED)
        return cls(tuned, dict(start))

    @property
    def origin(self) -> np.ndarray:
        """The start as a vector."""
        return np.array([self._started(name) for name in self.names]) / self.steps

    @property
    def steps(self) -> np.ndarray:
        """The size of one step of each weight, in the weight's own unit."""
        sizes = [max(abs(self._started(name)), abs(DEFAULTS[name])) for name in self.names]
        ranges = [BY_NAME[name].high - BY_NAME[name].low for name in self.names]
        return np.maximum(STEP * np.array(sizes), LEAST_STEP * np.array(ranges))

    @property
    def bounds(self) -> np.ndarray:
        """The least and the largest value of each weight, in steps, shape (weights, 2)."""
        return np.array([(BY_NAME[name].low, BY_NAME[name].high) for name in self.names]) / self.steps[:, None]

    def weights(self, vector: np.ndarray) -> dict[str, float]:
        """All weights that differ from the defaults, for this point of the space."""
        tuned = dict(zip(self.names, (vector * self.steps).tolist(), strict=True))
        found = {**self.start, **{name: _rounded(value, BY_NAME[name]) for name, value in tuned.items()}}
        return {name: found[name] for name in NAMES if name in found and found[name] != DEFAULTS[name]}

    def _started(self, name: str) -> float:
        return self.start.get(name, DEFAULTS[name])


def _rounded(value: float, weight: Weight) -> float:
    return float(f"{min(max(value, weight.low), weight.high):.{DIGITS}g}")
