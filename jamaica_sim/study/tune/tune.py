"""Tuning from a start to a verdict: generations of variations, choosing the best, and a test on fresh deals."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cmaes
import numpy as np

from jamaica_sim import __version__
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.limits import MOST_GAMES, check_seed, is_int_between, plain, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.stats.estimate import Estimate, mean_interval
from jamaica_sim.strategy.library import (
    AnyStrategy,
    Strategies,
    load_strategies,
    load_strategy,
    strategy_from_weights,
    told_apart,
)
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.compare.compare import needs_compiling as contest_needs_compiling
from jamaica_sim.study.compare.compare import prepare as prepare_contest
from jamaica_sim.study.compare.compare import warm_up as warm_up_contest
from jamaica_sim.study.compare.design import Contest
from jamaica_sim.study.tune.arena import UNITS, Arena, try_strategies
from jamaica_sim.study.tune.evolution import (
    Evolution,
    TuningError,
    WeightSpace,
    history_of,
    read_history,
    refuse_foreign,
    scored,
    write_history,
)
from jamaica_sim.study.tune.tuned import Tuned, in_points, table_name

DEFAULT_START, DEFAULT_FIELD = "balanced", "veteran"
DEFAULT_MINUTES = 10.0
DEFAULT_GAMES = 20_000  # of each strategy, for the verdict
RECENT = 8  # the reported gain so far is over this many generations
# The first deals for choosing the best and for the verdict, so high that no generation reaches them.
CHOICE_DEALS, VERDICT_DEALS = 2**40, 2**41
CHOICE_SHARE = 4  # the choice takes a quarter of the games of the verdict


@dataclass(frozen=True)
class Budget:
    """How long a tuning takes: minutes, or variations to try; and the games of the best and the reference each."""

    minutes: Any = None
    evaluations: int | None = None
    games: int = DEFAULT_GAMES

    def checked(self) -> "Budget":
        """The same budget, where nothing is said ten minutes; one that cannot be spent is refused."""
        minutes, evaluations, games = self.minutes, plain(self.evaluations), whole_games(self.games)
        if minutes is not None and evaluations is not None:
            raise TuningError("either a number of minutes or of evaluations, not both.")
        if minutes is not None and not (isinstance(minutes, int | float) and 0 < minutes <= 1e6):
            raise TuningError(f"the minutes must be a number above 0, not {minutes!r}.")
        if evaluations is not None and not is_int_between(evaluations, 1, MOST_GAMES):
            raise TuningError(f"the evaluations must be a whole number from 1 on, not {evaluations!r}.")
        if not is_int_between(games, 1, MOST_GAMES):
            raise TuningError(
                f"the games of the verdict must be a whole number from 1 to {MOST_GAMES:,}, not {games!r}."
            )
        return Budget(DEFAULT_MINUTES if minutes is None and evaluations is None else minutes, evaluations, games)


@dataclass(frozen=True, eq=False)
class TuningTask:
    """What is tuned, against whom, where, and how long."""

    start: Strategy
    reference: Strategy
    arena: Arena
    space: WeightSpace
    budget: Budget
    name: str = "tuned"
    exploits: bool = False

    def facts(self) -> dict[str, Any]:
        """Everything that decides how the evolution goes, as plain values. The budget is not included: it may grow."""
        return {
            "program": f"{__version__}, cmaes {cmaes.__version__}",
            "start": self.start.changes,
            "weights": list(self.space.names),
            "tables": [rules.as_dict() for rules in self.arena.tables],
            "field": [strategy.digest for strategy in self.arena.pool],
            "seed": self.arena.seed,
        }


@dataclass(frozen=True, eq=False)
class TuningProgress:
    """How far a tuning has come."""

    task: TuningTask
    generation: int
    evaluations: int
    seconds: float
    deals: int
    gain: Estimate

    def sentence(self) -> str:
        """The line to show while the tuning runs."""
        return (
            f"Generation {self.generation}, {self.evaluations:,} variations: {in_points(self.gain)} of win rate gained "
            f"({self.gain.n:,} deals of the last {min(RECENT, self.generation)} generations)"
        )


def tune(
    start: AnyStrategy | None = None,
    *,
    against: Strategies | None = None,
    exploit: AnyStrategy | None = None,
    weights: Sequence[str] = (),
    players: int | Sequence[int] | None = None,
    edition: int | str | Sequence[int | str] | None = None,
    rules: Rules | None = None,
    minutes: float | None = None,
    evaluations: int | None = None,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    threads: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: "Callable[[TuningProgress], object] | None" = None,
    **rule_changes: Any,
) -> Tuned:
    """Find better weights for a strategy of weights, by CMA-ES over variations of it.

    One ship of each variation plays against a field drawn from a pool, all on the same deals and in every seat. The
    result is measured on fresh deals, and may be no better than the start.

    Parameters
    ----------
    start : str, dict or Strategy, optional
        The strategy to begin with: a file of weights, a dictionary of weights, or the name of a shipped strategy. The
        default is the strategy to exploit if that has weights, otherwise `balanced`.
    against : str, dict, Strategy or list of them, optional
        The pool that the opponents are drawn from; `veteran` if none is named.
    exploit : str, dict or Strategy, optional
        Instead of `against`: look for the best answer to this one strategy.
    weights : list of str, optional
        The weights to tune; all but `noise` and `errors` if none is named.
    players, edition : int, str or lists of them, optional
        Kinds of table to tune for: every number of players with every edition. 4 players and 2007 if none is named.
    rules : Rules, optional
        The rules of all tables, before `players`, `edition` and further fields by name (`ghost=True, hand_size=4`).
    minutes, evaluations : optional
        How long, or how many variations; ten minutes if neither is given. With `evaluations` the same seed gives the
        same result.
    games : int
        Games that the best and the reference each play for the verdict.
    seed : int
        Seed of all luck.
    threads : int, optional
        They change nothing but the speed.
    out : path, optional
        The file to write the best to. The history of the tuning is kept beside it, and the same call resumes from it.
    progress : callable, optional
        Called with a `TuningProgress` after every generation.

    Examples
    --------
    >>> from jamaica_sim import tune
    >>> tuned = tune({"gold": 1.2}, against="balanced", weights=["gold"], evaluations=4, games=40)
    >>> tuned.evaluations >= 4, list(tuned.strategy.changes)
    (True, ['gold'])
    """
    task = make_task(
        start,
        tables_of(rules, players, edition, **rule_changes),
        against=against,
        exploit=exploit,
        weights=weights,
        budget=Budget(minutes, evaluations, games),
        seed=seed,
    )
    warm_up(task)
    return carry_out(task, out, threads, progress)


def tables_of(
    rules: Rules | None = None,
    players: int | Sequence[int] | None = None,
    edition: int | str | Sequence[int | str] | None = None,
    **rule_changes: Any,
) -> tuple[Rules, ...]:
    """Every number of players with every edition, under the same other rules."""
    rules = rules or Rules()
    many = _list(players) or [rules.players]
    editions = _list(edition) or [rules.edition]
    ghost = {} if "ghost" in rule_changes or rules.players == 2 or not rules.ghost else {"ghost": rules.ghost}
    tables = [
        rules.but(**{"ghost": None, **ghost, **rule_changes, "players": number, "edition": str(one)})
        for number in many
        for one in editions
    ]
    return tuple(dict.fromkeys(tables))


def _list(given: Any) -> list[Any]:
    if given is None:
        return []
    return [given] if isinstance(given, int | str) else list(given)


def make_task(
    start: AnyStrategy | None,
    tables: tuple[Rules, ...],
    *,
    against: Strategies | None = None,
    exploit: AnyStrategy | None = None,
    weights: Sequence[str] = (),
    budget: Budget | None = None,
    seed: int = 1,
) -> TuningTask:
    """The task that these options describe. Refuses what cannot be tuned."""
    budget, seed = (budget or Budget()).checked(), plain(seed)
    if exploit is not None and against:
        raise TuningError("the field is either drawn from a pool or all of the strategy to exploit, not both.")
    check_seed(seed)
    pool = tuple(told_apart(load_strategies(exploit if exploit is not None else against or DEFAULT_FIELD)))
    if exploit is not None and len(pool) > 1:
        raise TuningError("only one strategy can be exploited at a time.")
    if start is None:
        start = pool[0] if exploit is not None and pool[0].kind == "data" else DEFAULT_START
    loaded = load_strategy(start)
    if loaded.kind != "data":
        advice = " Tune a .toml file with its WEIGHTS and copy what comes out." if loaded.kind == "code" else ""
        raise TuningError(f"the strategy {loaded.name} cannot be tuned: it is not a file of weights.{advice}")
    return TuningTask(
        start=loaded,
        reference=loaded if exploit is None else pool[0],
        arena=Arena(tables, pool, seed),
        space=WeightSpace.around(loaded.changes, tuple(weights)),
        budget=budget,
        exploits=exploit is not None,
    )


def needs_compiling(task: TuningTask) -> str:
    """What has to be compiled before the first game; empty where it can start at once."""
    return contest_needs_compiling(_contest(task, task.arena.tables[0]))


def warm_up(task: TuningTask) -> None:
    """Compile everything. Refuse opponents of code that give illegal answers or look beyond their view."""
    for rules in task.arena.tables:
        warm_up_contest(_contest(task, rules))


def _contest(task: TuningTask, rules: Rules) -> Contest:
    return prepare_contest([task.start, *task.arena.pool], rules, task.arena.seed)


def carry_out(
    task: TuningTask,
    out: AnyPath | None = None,
    threads: int | None = None,
    progress: Callable[[TuningProgress], object] | None = None,
) -> Tuned:
    """Tune, or resume from the history beside `out`; Ctrl-C ends the tuning with the best so far and no verdict."""
    task = task if out is None else replace(task, name=Path(out).stem)
    run = _Tuning(task, Path(out) if out is not None else None, threads)
    with stop_on_signals() as stop:
        run.evolve(stop, progress)
        tuned = run.judged(stop)
    run.write(tuned)
    return tuned


class _Tuning:
    """One tuning: its evolution, how long it took, and its files."""

    def __init__(self, task: TuningTask, out: Path | None, threads: int | None) -> None:
        self._task, self._out, self._threads = task, out, threads
        past: list[Any] = []
        seconds = 0.0
        if out is not None:
            refuse_foreign(out, history_of(out))
            past, seconds = read_history(history_of(out), task.facts())
        self._evolution = Evolution(task.space, task.arena.seed, past)
        self._before = seconds
        self._started = time.monotonic()

    @property
    def _seconds(self) -> float:
        return self._before + time.monotonic() - self._started

    def _is_over(self) -> bool:
        if self._task.budget.minutes is not None:
            return self._seconds >= 60 * self._task.budget.minutes
        return self._evolution.evaluations >= (self._task.budget.evaluations or 0)

    def evolve(self, stop: threading.Event, progress: Callable[[TuningProgress], object] | None) -> None:
        """Play generations until the budget is used up, or the event `stop` is set."""
        task, evolution = self._task, self._evolution
        while not self._is_over() and not stop.is_set():
            vectors = [*evolution.ask(), evolution.middle]
            tried = [*(self._strategy(vector) for vector in vectors), task.start]
            trial = try_strategies(task.arena, tried, evolution.first_deal, evolution.deals, self._threads, stop)
            if trial is None:
                return
            evolution.tell(scored(trial))
            if self._out is not None:
                write_history(history_of(self._out), task.facts(), evolution.generations, self._seconds)
            if progress is not None:
                progress(self._progress())

    def _strategy(self, vector: np.ndarray) -> Strategy:
        return self._named(self._task.space.weights(vector))

    def _named(self, weights: dict[str, float]) -> Strategy:
        task = self._task
        opponents = " and ".join(dict.fromkeys(strategy.name for strategy in task.arena.pool))
        where = "; ".join(table_name(rules) for rules in task.arena.tables)
        made = "An answer to" if task.exploits else f"Tuned from {task.start.name} against"
        return strategy_from_weights(weights, task.name, f"{made} {opponents} ({where}).")

    def _progress(self) -> TuningProgress:
        evolution = self._evolution
        moments = [sum(sums) for sums in zip(*(g.gain for g in evolution.generations[-RECENT:]), strict=True)]
        scale = UNITS * len(self._task.arena.tables)
        return TuningProgress(
            self._task,
            len(evolution.generations),
            evolution.evaluations,
            self._seconds,
            evolution.deals,
            mean_interval(*moments, scale=scale, span=2 * scale),
        )

    def judged(self, stop: threading.Event) -> Tuned:
        """The best strategy and the reference, on fresh deals; without a verdict where the event `stop` is set."""
        task, evolution = self._task, self._evolution
        best, trial = self._strategy(evolution.middle), None
        found = [self._strategy(evolution.averaged_middle), best, task.start]
        deals = task.arena.deals(task.budget.games)
        choice = None
        if not stop.is_set():
            some = -(-deals // CHOICE_SHARE)
            choice = try_strategies(task.arena, found, CHOICE_DEALS, some, self._threads, stop)
        if choice is not None:
            best = found[int(choice.worth.mean(axis=1).argmax())]
            if best is task.start:
                best = self._named(task.start.changes)
            trial = try_strategies(task.arena, [best, task.reference], VERDICT_DEALS, deals, self._threads, stop)
        return Tuned(best, task.reference, task.arena, trial, evolution.evaluations, self._seconds, task.exploits)

    def write(self, tuned: Tuned) -> None:
        """Write the best to its file. The history comes first, because a file without one counts as somebody else's."""
        if self._out is not None:
            write_history(history_of(self._out), self._task.facts(), self._evolution.generations, self._seconds)
            write_whole(self._out, tuned.strategy.text.encode())
