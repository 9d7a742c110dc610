"""Which rules matter, and for which quantity: Morris screening of many rules, then Sobol indices of those that matter.

Every point of the design is played on the same deals. Results are kept by point, so an analysis that was
stopped can go on and ends with the same result.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import special

from jamaica_sim.game.rules import Rules, RulesError
from jamaica_sim.game.words import value_text
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.results.measures import Measure
from jamaica_sim.results.result_table import Answer, ResultTable, table_facts, tables_as_csv
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import ALPHA, NOTICEABLE, Estimate, holm, jackknife_error, t_quantile
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study.lab.asking import Progress, SearchKind, SearchRun
from jamaica_sim.study.lab.rule_space import Point, make_space
from jamaica_sim.study.lab.screening import (
    DEFAULT_GAMES,
    DEFAULT_KEPT,
    DEFAULT_SAMPLES,
    DEFAULT_TRAJECTORIES,
    Indices,
    MorrisEffects,
    SensitivityTask,
    key_of,
    morris_effects,
    sobol_indices,
    step_lengths,
)

LARGE, SMALL, OPEN = "large", "small", "open"  # an effect: noticeable, not noticeable, or not known


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """Which rules matter: effects of all rules, indices of those that matter."""

    task: SensitivityTask
    measured: dict[str, list[list[float]]]  # by the key of a point: the values of all quantities, and their errors

    def __repr__(self) -> str:
        sets = f"{len(self.measured):,} sets of rules, {self.task.games:,} games each"
        return f"<Sensitivity to {len(self.task.counts)} rules: {sets}\n {self.sentence()}>"

    def _values(self, points: Sequence[Point]) -> np.ndarray:
        return np.array([self.measured[key_of(point)][0] for point in points], float)

    def _errors(self, points: Sequence[Point]) -> np.ndarray:
        return np.array([self.measured[key_of(point)][1] for point in points], float)

    @cached_property
    def effects(self) -> MorrisEffects:
        """Elementary effects over a rule's whole range: rows are rules, columns quantities."""
        task = self.task
        return morris_effects(task.counts, task.trajectories, task.space.base.seed, self._values(task.morris_design()))

    @cached_property
    def deviations(self) -> np.ndarray:
        """The unit of effect sizes: the standard deviation of each quantity from game to game, over the screening."""
        values = self._values(self.task.morris_design())
        errors = self._errors(self.task.morris_design())
        deviations = []
        for number, quantity in enumerate(self.task.quantities):
            if quantity.share:
                even = 1 / self.task.space.base.rules.ships
                share = values[:, number].mean() / 100 if quantity.key in ("ghost", "comebacks") else even
                share = min(max(share, even), 0.5)
                deviations.append(100 * np.sqrt(share * (1 - share)))
            else:
                deviations.append(float(np.sqrt((errors[:, number] ** 2).mean() * self.task.games)))
        return np.array(deviations)

    @cached_property
    def sizes(self) -> np.ndarray:
        """The effects as effect sizes, so that quantities can be compared."""
        spread = np.where(self.deviations > 0, self.deviations, np.inf)  # a quantity that never varies has no effects
        return self.effects.size / spread

    @cached_property
    def verdicts(self) -> dict[tuple[int, int], tuple[str, bool]]:
        """By rule and quantity: whether the effect is large, small or open; and if another rule's is clearly larger.

        The last quantity is whichever a rule changes most. All are judged together. The mean size of nothing but luck
        is above 0, so an effect is large only if it is more than luck makes of a small one.
        """
        task, spread = self.task, np.where(self.deviations > 0, self.deviations, np.inf)
        errors = self._errors(task.morris_design()) / spread
        # The luck of a step is that of two sets of games; on the same deals it is less.
        luck = np.sqrt(2 * (errors**2).mean(axis=0)) / step_lengths(task.counts)[:, None]
        every = np.column_stack([np.tile(np.arange(self.sizes.shape[1]), (len(task.counts), 1)), self.sizes.argmax(1)])
        size, half, luck = (np.take_along_axis(of, every, 1) for of in (self.sizes, self.effects.error / spread, luck))
        top = size.argmax(axis=0), np.arange(size.shape[1])
        # How far it is above what luck makes of a small effect, below a noticeable one, and behind the largest
        distances = np.array([size - np.hypot(NOTICEABLE, luck), NOTICEABLE - size, size[top] - size])
        halves = np.array([half, half, np.hypot(half, half[top])])
        freedom = task.trajectories - 1
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.nan_to_num(distances / halves, nan=0.0, posinf=np.inf, neginf=-np.inf) * t_quantile(
                freedom, 0.975
            )
        chances = special.stdtr(freedom, -errors)
        large, small, behind = (holm(2 * chances.ravel()) <= ALPHA).reshape(chances.shape)
        return {
            at: (LARGE if large[at] else SMALL if small[at] else OPEN, bool(behind[at]))
            for at in np.ndindex(size.shape)
        }

    def leaders(self, quantity: int) -> list[int]:
        """The rules with a large effect on a quantity that no other's is clearly larger than, the largest first."""
        sizes = self.sizes[:, quantity] if quantity < self.sizes.shape[1] else self.sizes.max(axis=1)
        return [int(r) for r in np.argsort(-sizes, kind="stable") if self.verdicts[r, quantity] == (LARGE, False)]

    def with_effects(self, verdict: str) -> list[int]:
        """The rules with a large effect on some quantity, with small ones only, or neither; largest first."""
        of_rules = {rule: [self.verdicts[rule, q][0] for q in range(self.sizes.shape[1])] for rule in self.ranking}
        found = {r: LARGE if LARGE in of else OPEN if OPEN in of else SMALL for r, of in of_rules.items()}
        return [rule for rule, known in found.items() if known == verdict]

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
        wanted = self.task.sobol_design(self.noticeable) if self.noticeable else []
        missing = [point for point in wanted if key_of(point) not in self.measured]
        for point in missing:
            try:
                self.task.space.table(point)
            except RulesError as error:
                return str(error)
        return "not all of their points are measured." if missing else ""

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
        errors = self._errors(points)
        spread = self._values(points).var(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.minimum(1.0, np.nan_to_num((errors**2).mean(axis=0) / spread))

    @property
    def games(self) -> int:
        """All games that were played."""
        return self.task.games * len(self.measured)

    def screening(self) -> ResultTable:
        """The effect of each rule over its whole range, in the unit of each quantity; largest effect sizes first."""
        names, quantities = self.task.space.names, self.task.quantities
        rows = []
        for rule in self.ranking:
            values = self.task.space.rules[rule].values
            cells = [
                Estimate.around(self.effects.size[rule, q], self.effects.error[rule, q], self.task.trajectories)
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
        for rule in sorted(self.kept, key=self.ranking.index):
            assert self.indices is not None  # where there is a rule
            index = self.kept.index(rule)
            pairs = zip(self.indices.total[index], self.indices.total_error[index], strict=True)
            cells = [Estimate.around(total, error, self.task.samples) for total, error in pairs]
            rows.append((self.task.space.names[rule], *cells))
        note = "total Sobol index, interactions included"
        return ResultTable("Shares of the variance", columns, rows, note=note, unit="sample")

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""
        return [self.screening(), *([self.shares()] if self.kept else [])]

    def as_csv(self) -> str:
        """The effects as CSV."""
        return tables_as_csv({"Effects": self.screening()})

    @property
    def lucky(self) -> list[tuple[Measure, float]]:
        """The quantities of whose variance luck is a tenth or more, and its share."""
        return [(q, float(share)) for q, share in zip(self.task.quantities, self.luck, strict=True) if share >= 0.1]

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        task = self.task
        return {
            "games": task.games,
            **table_facts(task.space.base),
            "ranges": {rule.name: [value_text(value) for value in rule.values] for rule in task.space.rules},
            "trajectories": task.trajectories,
            "samples": task.samples,
        }

    def most(self, quantity: int) -> int:
        """The rule with the largest effect on a quantity."""
        return int(self.effects.size[:, quantity].argmax())

    def sentence(self) -> str:
        """The rules that matter most, in one sentence to quote."""
        large, small, unclear = (self.with_effects(verdict) for verdict in (LARGE, SMALL, OPEN))
        names, count = ", ".join(self.task.space.names[rule] for rule in large[:3]), len(self.task.counts)
        told = f"The largest effects are those of {names}" if large else "No rule clearly matters within its range"
        hardly = f"; {len(small)} of {count} rules hardly matter" if small else ""
        return f"{told}{hardly}{f'; too close to call: {len(unclear)} of {count}' if unclear else ''}."

    def circumstances(self) -> str:
        """What is behind the figures."""
        task = self.task
        lucky = ", ".join(f"{100 * share:.0f}% of {quantity.column}" for quantity, share in self.lucky)
        luck = f" Of what varies there, luck is {lucky or 'less than 10% everywhere'}." if self.kept else ""
        contradiction = f" There are no indices: {self.contradiction}" if self.contradiction else ""
        return (
            f"{task.trajectories} walks (Morris) over {len(task.counts)} rules, {task.samples} samples (Sobol) of "
            f"{len(self.kept)}: {len(self.measured):,} sets of rules, {task.games:,} games of each on the same deals, "
            f"{task.space.base.in_words()}.{luck}{contradiction}"
        )


def _span(values: Sequence[Any]) -> str:
    return f"{value_text(values[0])} to {value_text(values[-1])}"


BATCH = 16  # points that are played together, and saved together


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
) -> Sensitivity:
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
     No rule clearly matters within its range; too close to call: 3 of 3.>
    """
    if ranges is not None and not isinstance(ranges, Mapping):
        raise RulesError(f'rules and their values are a dictionary, such as {{"hand_size": "2..4"}}, not {ranges!r}.')
    base = seat_table(rules, strategies, seed, **rule_changes)
    space = make_space(base, None if ranges is None else dict(ranges))
    numbers = {"games": games, "trajectories": trajectories, "samples": samples, "kept": kept}
    return run_sensitivity(SensitivityTask.checked(space, **numbers), out, threads, progress)


def _ask(search: SearchRun[SensitivityTask], progress: Progress, remark: Callable[[str], object]) -> None:
    """Measure the points of the screening, then those of the indices of the rules that matter."""
    task, measured = search.task, search.state.setdefault("points", {})

    def measure(points: Sequence[Point], expected: int = 0) -> None:
        wanted = list(dict.fromkeys(point for point in points if key_of(point) not in measured))
        total = max(len(measured) + len(wanted), expected)
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            results = search.play([task.space.table(point) for point in batch], task.games)
            for point, played in zip(batch, results, strict=True):
                measured[key_of(point)] = measure_of(task.quantities, played)
            search.keep()
            progress(len(measured), total)

    design = task.morris_design()
    measure(design, len(set(design)) * 2)
    if noticeable := Sensitivity(task, measured).noticeable:
        with suppress(RulesError):  # values that contradict each other: the screening stands, without indices
            measure(task.sobol_design(noticeable))


def measure_of(quantities: Sequence[Measure], results: Results) -> list[list[float]]:
    """The values of all quantities and their standard errors."""
    with np.errstate(invalid="ignore", divide="ignore"):  # of a single game nothing is left without its part
        sums = [q.scale * q.sums(results) for q in quantities]
    return [[float(s[0]) for s in sums], [jackknife_error(s) for s in sums]]


SENSITIVITY = SearchKind(
    SensitivityTask,
    "SALib",
    _ask,
    lambda task, state, sums: Sensitivity(task, state["points"]),
    lambda state: f"{len(state.get('points', {})):,} points",
    lambda task, state, sums: task.games * len(state.get("points", {})),
)
run_sensitivity, resume_sensitivity = SENSITIVITY.start, SENSITIVITY.resume
unfinished_sensitivity = SENSITIVITY.unfinished


def load_sensitivity(path: str | os.PathLike[str]) -> Sensitivity:
    """The sensitivity analysis in a folder, which must be complete."""
    return SENSITIVITY.load(path)
