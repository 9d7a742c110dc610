"""Generations of variations: CMA-ES (Hansen & Ostermeier 2001), with more deals where there is more noise.

The scores of the generations decide everything else, so an evolution can be rebuilt from its scores alone:
a tuning keeps them beside its output.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from cmaes import CMA

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes, write_whole
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.strategy.heuristic.weights import BY_NAME, DEFAULTS, NAMES, Weight
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.tune.arena import DEALS_A_FIELD, Trial

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


FIRST_STEP = 1.0  # how far the first generation is spread, in steps of the weight space
FEWEST_DEALS, MOST_DEALS = 2 * DEALS_A_FIELD, 100 * DEALS_A_FIELD  # of a generation, at each table
MORE_DEALS = 1.25  # times as many, when the differences between variations are lost in the noise
AVERAGED = 3  # the last third of all generations is averaged


@dataclass(frozen=True)
class Generation:
    """What one generation played and scored."""

    deals: int  # at each table
    worth: list[float]  # what each variation scored
    noise: float  # the variance of such a score that is due to luck alone
    gain: list[int]  # wins of the generation's middle minus those of the start: deals, sum, sum of squares


@dataclass(eq=False)
class Evolution:
    """CMA-ES with all generations so far."""

    space: WeightSpace
    seed: int
    generations: list[Generation] = field(default_factory=list)

    def __post_init__(self) -> None:
        population = None if len(self.space.names) > 1 else 5
        # The optimiser's own generator takes 32 bits.
        self._cma = CMA(
            self.space.origin, FIRST_STEP, self.space.bounds, seed=self.seed % 2**32, population_size=population
        )
        self._middles = [self.middle]
        self._asked: list[np.ndarray] | None = None
        self.deals, self.first_deal = FEWEST_DEALS, 0
        past, self.generations = self.generations, []
        for generation in past:
            self.ask()
            self.tell(generation)

    @property
    def middle(self) -> np.ndarray:
        """The middle of the distribution: the best guess so far."""
        return self._cma.mean.copy()

    @property
    def averaged_middle(self) -> np.ndarray:
        """The middle, averaged over the last third of all generations: it wanders less."""
        return np.mean(self._middles[-max(1, len(self._middles) // AVERAGED) :], axis=0)

    @property
    def population(self) -> int:
        """How many variations a generation has."""
        return self._cma.population_size

    @property
    def evaluations(self) -> int:
        """How many variations have been tried."""
        return sum(len(generation.worth) for generation in self.generations)

    def ask(self) -> list[np.ndarray]:
        """The variations of the next generation. They stay the same until their scores are in."""
        if self._asked is None:
            self._asked = [self._cma.ask() for _ in range(self.population)]
        return self._asked

    def tell(self, generation: Generation) -> None:
        """Learn from how the variations did."""
        if len(generation.worth) != self.population:
            raise ValueError(f"a generation of {self.population} variations cannot have {len(generation.worth)} scores")
        self._cma.tell([(one, -worth) for one, worth in zip(self.ask(), generation.worth, strict=True)])
        self._asked = None
        self._middles.append(self.middle)
        self.generations.append(generation)
        self.first_deal += generation.deals
        self.deals = self._next_deals(generation)

    def _next_deals(self, generation: Generation) -> int:
        """More deals when luck hides the differences between variations, fewer when the differences are plain."""
        signal = np.var(generation.worth, ddof=1) - generation.noise
        wanted = float(generation.deals)
        if signal < generation.noise:
            wanted *= MORE_DEALS
        elif signal > 4 * generation.noise:
            wanted /= MORE_DEALS
        fields = max(1, round(wanted / DEALS_A_FIELD))
        if signal < generation.noise and fields * DEALS_A_FIELD <= generation.deals:
            fields += 1
        return min(max(fields * DEALS_A_FIELD, FEWEST_DEALS), MOST_DEALS)


def scored(trial: Trial) -> Generation:
    """The generation from a trial of its variations, then its middle, then the start."""
    worth, middle, start = trial.worth[:-2], trial.wins[-2].sum(axis=0), trial.wins[-1].sum(axis=0)
    by_luck = worth - worth.mean(axis=0)  # the worth that a deal has for all variations is not noise
    noise = float((by_luck - by_luck.mean(axis=1, keepdims=True)).var() / trial.deals)
    gain = middle - start
    moments = [trial.deals, int(gain.sum()), int((gain.astype(object) ** 2).sum())]
    return Generation(trial.deals, [float(one) for one in worth.mean(axis=1)], noise, moments)


# What a tuning or a training keeps beside the strategy file that it writes


SCHEMA = "jamaica-sim tuning 1"


class TuningError(UserError):
    """A tuning or a training that cannot be started or resumed, in one sentence."""


def refuse_foreign(out: Path, record: Path, others: Sequence[Path] = ()) -> None:
    """Refuse a file that cannot be written, or that nothing of ours wrote: its `record` is not there."""
    if out.suffix != ".toml":
        raise TuningError(f"{out}: a strategy file ends in .toml.")
    for file in (out, *others):
        if os.path.lexists(file) and not record.is_file():
            raise TuningError(f"{file} exists already: choose another file, so that nothing is overwritten.")
    if not out.parent.is_dir():
        raise TuningError(f"there is no folder {out.parent} to write {out.name} into.")


def refuse_other_task(path: Path, what: str, past: dict[str, Any], task: dict[str, Any]) -> None:
    """Refuse to go on with what another task has left."""
    if changed := [name for name in task if past.get(name) != task[name]]:
        raise TuningError(
            f"{path} belongs to a {what} with other {', '.join(changed)}: go on with the same options, delete it, "
            f"or choose another --out."
        )


def history_of(out: Path) -> Path:
    """The file that keeps the history of the tuning that writes `out`."""
    return out.with_name(f"{out.stem}.tuning.json")


def read_history(path: Path, task: dict[str, Any]) -> tuple[list[Generation], float]:
    """The generations of this task so far, and the seconds that they took; none where there is no such file."""
    try:
        found = json.loads(read_plain_file(path).decode("utf-8"))
        generations = [Generation(**generation) for generation in found["generations"]]
        schema, past_task, seconds = found["schema"], found["task"], float(found["seconds"])
        if not isinstance(past_task, dict):
            raise TypeError("the task is no task")
    except FileNotFoundError:
        return [], 0.0
    except OSError as error:
        raise TuningError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise TuningError(f"{path} is not the history of a tuning: delete it, or choose another --out.") from error
    if schema != SCHEMA:
        raise TuningError(f"{path} was written by another version: delete it, or choose another --out.")
    refuse_other_task(path, "tuning", past_task, task)
    return generations, seconds


def write_history(path: Path, task: dict[str, Any], generations: list[Generation], seconds: float) -> None:
    """Write the history; the file is either complete or stays as it was."""
    kept = {"schema": SCHEMA, "task": task, "seconds": round(seconds, 3)}
    write_whole(path, json_bytes({**kept, "generations": [asdict(generation) for generation in generations]}))
