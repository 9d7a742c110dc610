"""Which rules matter, and for which quantity: Morris screening of many rules, then Sobol indices of those that matter.

Every point of the design is played on the same deals. Results are kept by point, so an analysis that was
stopped can go on and ends with the same result.
"""

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.lab.common_deals import play_tables
from jamaica_sim.lab.extra import need
from jamaica_sim.lab.lab_folder import LabFolder, finished_search, lab_kind, unfinished_search
from jamaica_sim.lab.rule_space import RuleSpace, make_space
from jamaica_sim.lab.screening import (
    Effects,
    Indices,
    morris_effects,
    morris_points,
    sobol_indices,
    sobol_points,
)
from jamaica_sim.limits import check_games, check_threads, is_whole
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.measures import Measure, quantities_of
from jamaica_sim.results.result_table import ResultTable, tables_as_csv
from jamaica_sim.rules import Rules, RulesError, rules_of
from jamaica_sim.run.simulate import Stopped
from jamaica_sim.stats.clear import NOTICEABLE
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife_error
from jamaica_sim.store.manifest import table_of
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.variant import value_text

DEFAULT_GAMES, DEFAULT_TRAJECTORIES, DEFAULT_SAMPLES, DEFAULT_KEPT = 2_000, 10, 64, 6
BATCH = 16  # points that are played together, and saved together
TARGETS = ("captain", "seats", "rounds", "shortages", "battles", "ghost", "comebacks", "spread")


@dataclass(frozen=True, eq=False)
class Task:
    """The rules to vary, and how thoroughly."""

    space: RuleSpace
    games: int = DEFAULT_GAMES
    trajectories: int = DEFAULT_TRAJECTORIES
    samples: int = DEFAULT_SAMPLES
    kept: int = DEFAULT_KEPT
    name: str = "sensitivity"
    title: str = ""
    description: str = ""

    def awake(self, trust: bool = False) -> "Task":
        """The same task with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, space=self.space.awake(trust))

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.space.base.strategies

    @property
    def counts(self) -> list[int]:
        """How many values each rule has."""
        return [len(rule.values) for rule in self.space.rules]

    @property
    def quantities(self) -> tuple[Measure, ...]:
        """The quantities that are measured."""
        return tuple(q for q in quantities_of(self.space.base) if q.key in TARGETS)

    def morris_design(self) -> list[tuple]:
        """The points of the screening."""
        return _points(morris_points(self.counts, self.trajectories, self.space.base.seed))

    def sobol_design(self, kept) -> list[tuple]:
        """The points of the indices of these rules; all others stay as they are in the base rules."""
        rows = sobol_points([self.counts[number] for number in kept], self.samples, self.space.base.seed)
        points = []
        for row in rows:
            point: list[int | None] = [None] * len(self.counts)
            for number, index in zip(kept, row, strict=True):
                point[number] = int(index)
            points.append(tuple(point))
        return points


def _points(rows):
    return [tuple(int(index) for index in row) for row in rows]


def make_task(space: RuleSpace, games=DEFAULT_GAMES, trajectories=DEFAULT_TRAJECTORIES, samples=DEFAULT_SAMPLES,
              kept=DEFAULT_KEPT, **names: str) -> Task:  # fmt: skip
    """A task; a value, or a point of the screening, that cannot be played is refused before the first game."""
    check_games(games)
    for what, number, most in (("trajectories", trajectories, 1000), ("kept", kept, 60)):
        if not is_whole(number, 2, most):
            raise UserError(f"{what} must be a whole number from 2 to {most:,}, not {number!r}.")
    if not is_whole(samples, 2, 2**16) or samples & (samples - 1):
        raise UserError(f"samples must be a power of two from 2 to {2**16:,}, such as 64, not {samples!r}.")
    need("SALib")
    space.check_alone()
    task = Task(space, games, trajectories, samples, kept, **names)
    for point in task.morris_design():
        space.table(point)
    return task


def sensitivity(
    ranges: Mapping[str, Any] | None = None,
    games: int = DEFAULT_GAMES,
    *,
    trajectories: int = DEFAULT_TRAJECTORIES,
    samples: int = DEFAULT_SAMPLES,
    kept: int = DEFAULT_KEPT,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    **rule_changes: Any,
) -> "Sensitivity":
    """Which rules matter, and for which quantity.

    Parameters
    ----------
    ranges : dict, optional
        The values of each rule, such as `{"hand_size": range(2, 5), "start_food": "1..5"}`; the usual ones by default.
    games : int
        Games at each point of the design, on the same deals.
    trajectories : int
        Walks of the screening (Morris); each takes one point more than there are rules.
    samples : int
        A power of two. The indices (Sobol) take `samples` times (kept rules + 2) points.
    kept : int
        How many rules get indices at most: those with the largest effects.
    rules, strategies, seed, threads
        As in `simulate`.
    progress : callable, optional
        Called as `progress(points_done, points)`.
    out : path, optional
        A new folder for the analysis, for `load_sensitivity`, `report_on` and `resume`.

    Examples
    --------
    >>> from jamaica_sim import sensitivity
    >>> ranges = {"hand_size": "2..4", "start_food": "1..5", "holds": "3..5"}
    >>> sensitivity(ranges, games=50, trajectories=2, samples=4)  # a few games only
    <Sensitivity to 3 rules: 22 sets of rules, 50 games each
     The rules that matter most are holds, hand_size, start_food.>
    """
    if ranges is not None and not isinstance(ranges, Mapping):
        raise RulesError(f'rules and their values are a dictionary, such as {{"hand_size": "2..4"}}, not {ranges!r}.')
    base = seat_table(rules_of(rule_changes) if rules is None else rules.but(**rule_changes), strategies, seed)
    space = make_space(base, None if ranges is None else dict(ranges))
    task = make_task(space, games, trajectories, samples, kept)
    return carry_out(task, None, threads, progress) if out is None else run_sensitivity(task, out, threads, progress)


def carry_out(task: Task, folder: LabFolder | None = None, threads=None, progress=None) -> "Sensitivity":
    """Measure all points that are not measured yet; Ctrl-C raises KeyboardInterrupt, or `Stopped` with a folder."""
    task = task.awake()
    measured = dict((folder.state if folder else {}).get("points", {}))
    started = time.perf_counter()
    try:
        with stop_on_signals() as stop:
            run = _Run(task, measured, folder, threads, progress, started, stop)
            design = task.morris_design()
            run.measure(design, len(set(design)) * 2)
            noticeable = Sensitivity(task, measured).noticeable
            if noticeable:
                with suppress(RulesError):  # values that contradict each other: the screening stands, without indices
                    run.measure(task.sobol_design(noticeable))
        if folder is not None:
            folder.keep({"points": measured}, _games(task, measured), time.perf_counter() - started, complete=True)
            folder.finish_writing()
    except KeyboardInterrupt:
        if folder is None:
            raise
        folder.keep({"points": measured}, _games(task, measured), time.perf_counter() - started, now=True)
        folder.finish_writing()
        raise StoppedSearch(folder.path, len(measured), "points") from None
    finally:
        if folder is not None:
            folder.close()
    return Sensitivity(task, measured)


class StoppedSearch(Stopped):
    """A search was stopped on request; its measurements are saved."""

    def __init__(self, path, done: int, what: str):
        KeyboardInterrupt.__init__(
            self, f"Stopped: {done:,} {what} are measured and saved. Go on with: {resume_command(path)}"
        )


def _games(task, measured):
    return task.games * len(measured)


class _Run:
    """Measures points in batches."""

    def __init__(self, task, measured, folder, threads, progress, started, stop):
        self._task, self._measured, self._folder = task, measured, folder
        self._threads, self._progress, self._started, self._stop = threads, progress, started, stop

    def measure(self, points, expected: int | None = None):
        task, measured = self._task, self._measured
        wanted = list(dict.fromkeys(point for point in points if key_of(point) not in measured))
        total = max(len(measured) + len(wanted), expected or 0)
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            tables = [task.space.table(point) for point in batch]
            results = play_tables(tables, task.games, 0, self._threads, self._stop)
            if results is None:
                raise KeyboardInterrupt
            for point, played in zip(batch, results, strict=True):
                measured[key_of(point)] = measure_of(task.quantities, played)
            if self._folder is not None:
                seconds = time.perf_counter() - self._started
                self._folder.keep({"points": measured}, _games(task, measured), seconds)
            if self._progress is not None:
                self._progress(len(measured), total)


def measure_of(quantities, results) -> list[list[float]]:
    """The values of all quantities and their standard errors."""
    sums = [q.scale * q.sums(results) for q in quantities]
    return [[float(s[0]) for s in sums], [jackknife_error(s) for s in sums]]


def key_of(point) -> str:
    """The key of a point in the measurements."""
    return ".".join("-" if index is None else str(index) for index in point)


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """Which rules matter: effects of all rules, indices of those that matter."""

    task: Task
    measured: dict

    def __repr__(self) -> str:
        sets = f"{len(self.measured):,} sets of rules, {self.task.games:,} games each"
        return f"<Sensitivity to {len(self.task.counts)} rules: {sets}\n {self.sentence()}>"

    def _values(self, points):
        return np.array([self.measured[key_of(point)][0] for point in points])

    @cached_property
    def effects(self) -> Effects:
        """Elementary effects over a rule's whole range: rows are rules, columns quantities."""
        task = self.task
        return morris_effects(task.counts, task.trajectories, task.space.base.seed, self._values(task.morris_design()))

    @cached_property
    def deviations(self) -> np.ndarray:
        """The unit of effect sizes: the standard deviation of each quantity from game to game, over the screening."""
        values = self._values(self.task.morris_design())
        errors = np.array([self.measured[key_of(point)][1] for point in self.task.morris_design()])
        found = []
        for number, quantity in enumerate(self.task.quantities):
            if quantity.share:
                even = 1 / self.task.space.base.rules.ships
                share = values[:, number].mean() / 100 if quantity.key in ("ghost", "comebacks") else even
                share = min(max(share, even), 0.5)
                found.append(100 * np.sqrt(share * (1 - share)))
            else:
                found.append(float(np.sqrt((errors[:, number] ** 2).mean() * self.task.games)))
        return np.array(found)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The effects as effect sizes, so that quantities can be compared."""
        spread = np.where(self.deviations > 0, self.deviations, np.inf)  # a quantity that never varies has no effects
        return self.effects.size / spread

    @cached_property
    def ranking(self) -> list[int]:
        """The rules by their largest effect on any quantity, largest first."""
        return sorted(range(len(self.task.counts)), key=lambda rule: (-self.sizes[rule].max(), rule))

    @cached_property
    def noticeable(self) -> list[int]:
        """The rules that deserve indices: the first of the ranking, if their effects are noticeable."""
        return sorted(r for r in self.ranking[: self.task.kept] if self.sizes[r].max() >= NOTICEABLE)

    @cached_property
    def contradiction(self) -> str:
        """Why these rules have no indices: the first point that cannot be played. Empty where all are measured."""
        for point in self.task.sobol_design(self.noticeable) if self.noticeable else []:
            if key_of(point) not in self.measured:
                try:
                    self.task.space.table(point)
                except RulesError as error:
                    return str(error)
        return ""

    @property
    def kept(self) -> list[int]:
        """The rules that get indices; none where their values contradict each other."""
        return [] if self.contradiction else self.noticeable

    @cached_property
    def indices(self) -> Indices | None:
        """Sobol indices of the rules that were kept; None where there are none."""
        if not self.kept:
            return None
        counts = [self.task.counts[rule] for rule in self.kept]
        return sobol_indices(counts, self.task.space.base.seed, self._values(self.task.sobol_design(self.kept)))

    @cached_property
    def luck(self) -> np.ndarray:
        """The share of luck in the variance over the points of the indices, by quantity; 0 without indices."""
        if not self.kept:
            return np.zeros(len(self.task.quantities))
        points = self.task.sobol_design(self.kept)
        errors = np.array([self.measured[key_of(point)][1] for point in points])
        spread = self._values(points).var(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.minimum(1.0, np.nan_to_num((errors**2).mean(axis=0) / spread))

    @property
    def games(self) -> int:
        """All games that were played."""
        return _games(self.task, self.measured)

    def screening(self) -> ResultTable:
        """The effect of each rule over its whole range, in the unit of each quantity; largest effect sizes first."""
        names, quantities = self.task.space.names, self.task.quantities
        rows = []
        for rule in self.ranking:
            values = self.task.space.rules[rule].values
            cells = [
                _estimate(self.effects.size[rule, q], self.effects.error[rule, q], self.task.trajectories)
                for q in range(len(quantities))
            ]
            rows.append((names[rule], _span(values), *cells))
        note = "mean size of the change over the rule's whole range (Morris); shares in points"
        columns = ("rule", "values", *(q.column for q in quantities))
        return ResultTable("Effects", columns, rows, note=note, unit="walk", keys=2)

    def shares(self) -> ResultTable:
        """The share of each rule in the variance of each quantity, interactions included."""
        columns = ("rule", *(q.column for q in self.task.quantities))
        rows = []
        order = sorted(self.kept, key=self.ranking.index)
        found = self.indices
        for rule in order if found is not None else []:
            assert found is not None  # where there is a rule
            index = self.kept.index(rule)
            pairs = zip(found.total[index], found.total_error[index], strict=True)
            cells = [_estimate(total, error, self.task.samples) for total, error in pairs]
            rows.append((self.task.space.names[rule], *cells))
        note = "total Sobol index, interactions counted"
        return ResultTable("Shares of the variance", columns, rows, note=note, unit="sample")

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""
        return [self.screening(), *([self.shares()] if self.kept else [])]

    def as_csv(self) -> str:
        """The effects as CSV."""
        return tables_as_csv({"Effects": self.screening()})

    def facts(self) -> dict:
        """What was played, as plain values."""
        task = self.task
        return {
            "games": task.games,
            "seed": task.space.base.seed,
            "rules": task.space.base.rules.as_dict(),
            "strategies": [strategy.label for strategy in task.space.base.strategies],
            "ranges": {rule.name: [value_text(value) for value in rule.values] for rule in task.space.rules},
            "trajectories": task.trajectories,
            "samples": task.samples,
        }

    def most(self, quantity: int) -> int:
        """The rule with the largest effect on a quantity."""
        return int(self.effects.size[:, quantity].argmax())

    def sentence(self) -> str:
        """The rules that matter most, in one sentence to quote."""
        names = [self.task.space.names[rule] for rule in self.ranking if self.sizes[rule].max() >= NOTICEABLE]
        if not names:
            return "None of the rules matters noticeably within its range."
        small = len(self.task.counts) - len(names)
        tail = f"; {small} of {len(self.task.counts)} hardly matter" if small else ""
        return f"The rules that matter most are {', '.join(names[:3])}{tail}."

    def circumstances(self) -> str:
        """What is behind the figures."""
        task = self.task
        luck = f" Luck is at most {100 * self.luck.max():.0f}% of what varies there." if self.kept else ""
        contradiction = f" There are no indices: {self.contradiction}" if self.contradiction else ""
        return (
            f"{task.trajectories} walks (Morris) over {len(task.counts)} rules, {task.samples} samples (Sobol) of "
            f"{len(self.kept)}: {len(self.measured):,} sets of rules, {task.games:,} games of each on the same deals, "
            f"{task.space.base.in_words()}.{luck}{contradiction}"
        )


def _estimate(value, error, n):
    return Estimate(float(value), float(value - error), float(value + error), n)


def _span(values):
    return f"{value_text(values[0])} to {value_text(values[-1])}"


# Folders


def _wrong(config):
    ranges = config.get("ranges")
    if not isinstance(ranges, list) or not all(isinstance(r, dict) and {"name", "values"} <= set(r) for r in ranges):
        return "configuration.ranges"
    for name in ("trajectories", "samples", "kept"):
        if not is_whole(config.get(name), 2, 2**16):
            return f"configuration.{name}"
    texts = ("title", "description")
    return next((f"configuration.{name}" for name in texts if not isinstance(config.get(name), str)), "")


SENSITIVITY = lab_kind("jamaica-sensitivity/1", "a sensitivity analysis's", _wrong)


def configuration(task: Task, name: str) -> dict:
    """Everything that decides the result."""
    return {
        "name": name,
        "title": task.title,
        "description": task.description,
        **task.space.as_dict(),
        "games": task.games,
        "trajectories": task.trajectories,
        "samples": task.samples,
        "kept": task.kept,
    }


def task_of(config: dict) -> Task:
    """The task that a configuration describes; code of strategies is read, not run."""
    space = make_space(table_of(config), {rule["name"]: rule["values"] for rule in config["ranges"]})
    numbers = (config[name] for name in ("games", "trajectories", "samples", "kept"))
    return make_task(space, *numbers, **{name: config[name] for name in ("name", "title", "description")})


def run_sensitivity(task: Task, out, threads=None, progress=None) -> Sensitivity:
    """Measure, and keep the measurements in a new folder."""
    check_threads(threads)
    task = task.awake()
    folder = LabFolder.start(out, configuration(task, Path(out).resolve().name), SENSITIVITY)
    return carry_out(task, folder, threads, progress)


def resume_sensitivity(path, progress=None, *, threads=None, trust: bool = False) -> Sensitivity:
    """Resume an analysis from its folder alone."""
    folder = LabFolder.go_on(path, SENSITIVITY)
    task = task_of(folder.config).awake(trust)
    return carry_out(task, folder, threads, progress)


def unfinished_sensitivity(path) -> Task | None:
    """The task in a folder that has more to do; None where it is complete."""
    config = unfinished_search(path, SENSITIVITY)
    return None if config is None else task_of(config)


def load_sensitivity(path: str | os.PathLike[str]) -> Sensitivity:
    """The sensitivity analysis in a folder, which must be complete.

    Examples
    --------
    >>> from jamaica_sim import load_sensitivity, sensitivity
    >>> _ = sensitivity({"hand_size": "2..3", "holds": "4..5"}, 20, trajectories=2, samples=2, out="matters")
    >>> load_sensitivity("matters").task.games
    20
    """
    config, state = finished_search(path, SENSITIVITY)
    return Sensitivity(task_of(config), state["points"])
