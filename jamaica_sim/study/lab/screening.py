"""What a sensitivity analysis is asked; Morris screening and Sobol indices of a function of whole numbers, by SALib.

SALib samples real numbers; here each becomes an index into a rule's values. Morris walks on four levels. Even rounded
to whole numbers, all steps of one rule are equally long, because the levels lie symmetrically. So the effects only have
to be scaled by that length. Sobol's samples are uniform, so every value is as likely as any other.

Morris (1991), Campolongo et al. (2007) for mu star; Saltelli et al. (2010) and Jansen (1999) for the indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypedDict

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.components.changes import by_dots
from jamaica_sim.game.variant import files_beside
from jamaica_sim.play.manifest import wrong_type
from jamaica_sim.results.measures import FAIRNESS, Measure, quantities_of
from jamaica_sim.results.stats.estimate import normal_quantile, t_quantile
from jamaica_sim.study.lab.asking import SearchFacts, SearchTask, State, search_folder
from jamaica_sim.study.lab.rule_space import (
    Point,
    RuleSpace,
    make_space,
    names_in,
    naming_the_file,
    need,
    read_toml,
    table_of,
)

LEVELS = 4
DELTA = LEVELS / (2 * (LEVELS - 1))  # the step of a walk, in shares of the range


@dataclass(frozen=True, eq=False)
class MorrisEffects:
    """Elementary effects over the whole range of each rule: rows are rules, columns are quantities."""

    size: np.ndarray  # mean absolute effect (mu star)
    error: np.ndarray  # half-width of its 95% interval, Student's over the walks
    mean: np.ndarray  # mean effect, with its sign
    spread: np.ndarray  # standard deviation: large where a rule works together with others, or unevenly over its range


@dataclass(frozen=True, eq=False)
class Indices:
    """Shares of the variance: of a rule alone, and with its interactions; both with half-widths of 95% intervals."""

    first: np.ndarray
    first_error: np.ndarray
    total: np.ndarray
    total_error: np.ndarray


def _problem(counts: Sequence[int]) -> dict[str, Any]:
    names = [f"x{number}" for number in range(len(counts))]
    return {"num_vars": len(counts), "names": names, "bounds": [[0.0, 1.0]] * len(counts)}


def morris_points(counts: Sequence[int], trajectories: int, seed: int) -> np.ndarray:
    """The points of Morris's walks, as indices into the values of each rule."""
    unit = need("SALib.sample.morris").sample(_problem(counts), trajectories, num_levels=LEVELS, seed=seed % 2**32)
    return _at_levels(unit, counts)


def _at_levels(unit: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    levels = np.rint(unit * (LEVELS - 1))
    return np.floor(levels / (LEVELS - 1) * (np.array(counts) - 1) + 0.5 - 1e-9 * (levels < LEVELS / 2)).astype(int)


def step_lengths(counts: Sequence[int]) -> np.ndarray:
    """The length of a step of each rule, in shares of its range."""
    levels = np.arange(LEVELS)[:, None] / (LEVELS - 1)
    points = _at_levels(np.repeat(levels, len(counts), axis=1), counts)
    half = LEVELS // 2
    lengths = points[half:] - points[:half]
    assert (lengths == lengths[0]).all()  # the levels lie symmetrically
    return lengths[0] / (np.array(counts) - 1)


def morris_effects(counts: Sequence[int], trajectories: int, seed: int, measured: np.ndarray) -> MorrisEffects:
    """The effects, from measurements at the points of the same design: rows are points, columns are quantities."""
    problem = _problem(counts)
    unit = need("SALib.sample.morris").sample(problem, trajectories, num_levels=LEVELS, seed=seed % 2**32)
    analyze = need("SALib.analyze.morris").analyze
    analyses = [analyze(problem, unit, y, num_levels=LEVELS, seed=seed % 2**32) for y in np.asarray(measured, float).T]
    scale = DELTA / step_lengths(counts)[:, None]
    size, error, mean, spread = (
        scale * np.array([np.asarray(one[name], float) for one in analyses]).T for name in _MORRIS
    )
    # SALib's is a bootstrap's, times the normal quantile: too narrow for a few walks.
    few = t_quantile(trajectories - 1, 0.975) / normal_quantile(0.975) * math.sqrt(trajectories / (trajectories - 1))
    return MorrisEffects(size, few * error, mean, spread)


_MORRIS = ("mu_star", "mu_star_conf", "mu", "sigma")


def sobol_points(counts: Sequence[int], samples: int, seed: int) -> np.ndarray:
    """The points for estimating Sobol's indices; there are `samples` times (rules + 2) of them."""
    unit = need("SALib.sample.sobol").sample(_problem(counts), samples, calc_second_order=False, seed=seed % 2**32)
    return np.minimum(np.floor(unit * np.array(counts)), np.array(counts) - 1).astype(int)


def sobol_indices(counts: Sequence[int], seed: int, measured: np.ndarray) -> Indices:
    """The indices, from measurements at the points: rows are points, columns are quantities."""
    problem = _problem(counts)
    analyze = need("SALib.analyze.sobol").analyze
    analyses = []
    for y in np.asarray(measured, float).T:
        if np.ptp(y) == 0:  # nothing varies, so nothing has a share in it
            analyses.append({name: np.zeros(len(counts)) for name in _SOBOL})
        else:
            analyses.append(analyze(problem, y, calc_second_order=False, seed=seed % 2**32))
    return Indices(*(np.array([np.asarray(one[name], float) for one in analyses]).T for name in _SOBOL))


_SOBOL = ("S1", "S1_conf", "ST", "ST_conf")


DEFAULT_GAMES, DEFAULT_TRAJECTORIES, DEFAULT_SAMPLES, DEFAULT_KEPT = 2_000, 10, 64, 6
NUMBERS = ("games", "trajectories", "samples", "kept")
KEYS = ("title", "description", "seed", "strategies", "rules", "ranges", *NUMBERS)  # of a file of ranges
TARGETS = {*(m.key for m in FAIRNESS), "rounds", "shortages", "battles", "ghost", "comebacks", "spread"}
LARGEST = 1e100  # more than anything that is measured; a forged figure can be larger


def key_of(point: Point) -> str:
    """The key of a point in the measurements."""
    return ".".join("-" if index is None else str(index) for index in point)


class _SensitivityFacts(SearchFacts):
    """The configuration in a folder."""

    trajectories: int
    samples: int
    kept: int


class _State(TypedDict):
    """What a folder keeps: of each point the values of all quantities, and their standard errors."""

    points: dict[str, tuple[list[float], list[float]]]


@dataclass(frozen=True, eq=False, kw_only=True)
class SensitivityTask(SearchTask):
    """The rules to vary, and how thoroughly."""

    FOLDER = search_folder("jamaica-sensitivity/1", "a sensitivity analysis's", _SensitivityFacts)
    LIMITS = {"trajectories": (2, 1000), "kept": (2, 60)}

    games: int = DEFAULT_GAMES
    trajectories: int = DEFAULT_TRAJECTORIES
    samples: int = DEFAULT_SAMPLES
    kept: int = DEFAULT_KEPT
    name: str = "sensitivity"

    @property
    def counts(self) -> list[int]:
        """How many values each rule has."""
        return [len(rule.values) for rule in self.space.rules]

    @property
    def quantities(self) -> tuple[Measure, ...]:
        """The quantities that are measured."""
        return tuple(q for q in quantities_of(self.space.base) if q.key in TARGETS)

    def morris_design(self) -> list[Point]:
        """The points of the screening."""
        rows = morris_points(self.counts, self.trajectories, self.space.base.seed)
        return [tuple(int(index) for index in row) for row in rows]

    def sobol_design(self, kept: Sequence[int]) -> list[Point]:
        """The points of the indices of these rules; all others stay as they are in the base rules."""
        rows = sobol_points([self.counts[number] for number in kept], self.samples, self.space.base.seed)
        points: list[Point] = []
        for row in rows:
            point: list[int | None] = [None] * len(self.counts)
            for number, index in zip(kept, row, strict=True):
                point[number] = int(index)
            points.append(tuple(point))
        return points

    def wrong_state(self, state: State, sums: np.ndarray, complete: bool) -> str:
        """The first wrong entry in what a folder keeps of a search; empty where all is well."""
        if not state and not complete:
            return ""
        if wrong := wrong_type(state, _State, "state"):
            return wrong
        points, many = state["points"], len(self.quantities)
        odd = [
            key
            for key, kept in points.items()
            if any(len(numbers) != many or max(map(abs, numbers)) > LARGEST for numbers in kept)
        ]
        missing = [key for key in map(key_of, self.morris_design()) if complete and key not in points]
        return next((f"points.{key}" for key in odd + missing), "")

    @classmethod
    def checked(cls, space: RuleSpace, **given: Any) -> Self:
        """A task; a value, or a point of the screening, that cannot be played is refused before the first game."""
        task = super().checked(space, **given)
        if not is_int_between(task.samples, 2, 2**16) or task.samples & (task.samples - 1):
            raise UserError(f"samples must be a power of two from 2 to {2**16:,}, such as 64, not {task.samples!r}.")
        need("SALib")
        space.check_alone()
        for point in task.morris_design():
            space.table(point)
        return task


def load_ranges_file(file: AnyPath, **given: int | None) -> SensitivityTask:
    """The task in a file that says which rules may vary and over which values; given numbers override the file's."""
    path = Path(file if str(file).endswith(".toml") else f"{file}.toml")
    data = read_toml(path, KEYS, "a file of ranges")
    ranges = data.get("ranges")
    if not isinstance(ranges, dict) or not ranges:
        raise UserError(f"{path}: it needs a table [ranges] with rules and their values.")
    numbers: dict[str, Any] = {name: data.get(name) if given.get(name) is None else given[name] for name in NUMBERS}
    names = names_in(path, data) | {"title": data.get("title", "")}

    def make() -> SensitivityTask:
        space = make_space(table_of(path, data), files_beside(path.parent, by_dots(ranges)))
        return SensitivityTask.checked(space, **numbers, **names)

    return naming_the_file(path, make)
