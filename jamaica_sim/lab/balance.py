"""Searches for rules that meet targets with few changes. A verdict on fresh deals follows, also with adapted players.

The search picks the best of many candidates on the same deals, so its finalists are judged on fresh deals, together
with the base rules. Then the players are tuned under the rules of each finalist, and under the base rules, and
everything is judged again: rules that were fair before need not be fair once players adapt.
"""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.balance_task import (
    BALANCE,
    Task,
    configuration,
    finalists_of,
    make_task,
    search_of,
    task_of,
)
from jamaica_sim.lab.common_deals import play_tables
from jamaica_sim.lab.extra import need
from jamaica_sim.lab.lab_folder import LabFolder, finished_search, unfinished_search
from jamaica_sim.lab.search import Candidate
from jamaica_sim.lab.sensitivity import StoppedSearch, measure_of
from jamaica_sim.lab.sweep_file import LabFileError
from jamaica_sim.lab.targets import around, read_targets, read_targets_file
from jamaica_sim.limits import check_threads
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.measures import quantities_of
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules, rules_of
from jamaica_sim.strategy.library import Strategies, strategy_from_weights
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tally.layout import TALLY_DTYPE
from jamaica_sim.tuning.tune import VERDICT_DEALS, tune

# The first deal of the verdict. No search and no tuning reaches it, not even the verdict that keeps a tuned strategy.
FRESH = 2 * VERDICT_DEALS


def balance(
    targets: Mapping[str, Any] | str | os.PathLike[str],
    ranges: Mapping[str, Any] | None = None,
    *,
    games: int | None = None,
    search_games: int | None = None,
    trials: int | None = None,
    finalists: int | None = None,
    retune: int | None = None,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: "Callable[[Progress], object] | None" = None,
    out: str | os.PathLike[str] | None = None,
    **rule_changes: Any,
) -> Balance:
    """Find rules that meet targets with as few changes as possible.

    Parameters
    ----------
    targets : dict or str
        Ranges of quantities, such as `{"ghost": (15, 25), "seats": {"at_most": 1}}`; shares in percent. Or the name of
        a shipped file of targets, or a TOML file, which has its own ranges, rules and players.
    ranges : dict, optional
        The rules that may change, with their values; the usual ones by default.
    games : int, optional
        Games of the verdict, for each set of rules: 20,000 unless given here or in the file.
    search_games : int, optional
        Games of a promising candidate; poor ones play a sixteenth or a quarter of them.
    trials : int, optional
        Candidates to try: 200 unless given here or in the file.
    finalists : int, optional
        How many proposals are judged at most: 3 unless given here or in the file.
    retune : int, optional
        Variations to try when a strategy is tuned under the rules of a finalist: 300 unless given here or in the file.
        0 leaves the players as they are.
    rules, strategies, seed, threads
        As in `simulate`.
    progress : callable, optional
        Called with a `Progress` after every batch.
    out : path, optional
        A new folder for the search, for `load_balance`, `report_on` and `resume`.

    Examples
    --------
    >>> from jamaica_sim import balance
    >>> balance({"rounds": {"at_most": 10}}, {"hand_size": "2..5"}, trials=4, games=400, retune=0)  # a small search
    <Balance: 4 candidates over 1 rules, 400 games of a verdict
     ...>
    """
    given = {"games": games, "search_games": search_games, "trials": trials, "finalists": finalists, "retune": retune}
    numbers = {name: number for name, number in given.items() if number is not None}
    if isinstance(targets, str | os.PathLike):
        if rule_changes or rules is not None or strategies is not None or ranges is not None or seed != 1:
            raise LabFileError("a file of targets has its own ranges, rules, players and seed: give none of them.")
        facts, space, wanted = read_targets_file(targets)
        task = make_task(space, wanted, **{**facts, **numbers})
    else:
        base = seat_table(rules_of(rule_changes) if rules is None else rules.but(**rule_changes), strategies, seed)
        space = around(base, None if ranges is None else dict(ranges))
        task = make_task(space, read_targets(dict(targets), base), **numbers)
    return carry_out(task, None, threads, progress) if out is None else run_balance(task, out, threads, progress)


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    tried: int
    trials: int
    miss: float
    changes: str
    stage: str = "search"

    def sentence(self) -> str:
        """The line to show while the search runs."""
        if self.stage != "search":
            return self.stage
        return (
            f"{self.tried:,} of {self.trials:,} candidates; nearest so far: {self.changes} (misses by {self.miss:.2f})"
        )


def carry_out(task: Task, folder: LabFolder | None = None, threads=None, progress=None) -> Balance:
    """Search, judge, tune and judge again. With a folder, Ctrl-C saves the state and raises `Stopped`."""
    run = _Run(task.awake(), folder, threads, progress)
    try:
        need("optuna")
        with stop_on_signals() as stop:
            run.stop = stop
            run.search()
            run.judge()
            run.adapt()
        run.keep(complete=True)
        if folder is not None:
            folder.finish_writing()
    except KeyboardInterrupt:
        if folder is None:
            raise
        run.keep(now=True)
        folder.finish_writing()
        raise StoppedSearch(folder.path, run.tried, "candidates") from None
    finally:
        if folder is not None:
            folder.close()
    return Balance(task, run.state)


class _Run:
    """One search with its state. The state is everything that a folder keeps of a search."""

    def __init__(self, task, folder, threads, progress):
        self._task, self._folder, self._threads, self._progress = task, folder, threads, progress
        self.state = dict(folder.state) if folder else {}
        self.stop = threading.Event()
        self._started = time.perf_counter()
        self._games = folder.games_done if folder else 0

    @property
    def tried(self):
        return sum(map(len, self.state.get("batches", [])))

    def keep(self, complete=False, now=False):
        if self._folder is not None:
            seconds = time.perf_counter() - self._started
            self._folder.keep(dict(self.state), self._games, seconds, complete, now)

    def _play(self, tables, games, first=0):
        results = play_tables(tables, games, first, self._threads, self.stop)
        if results is None:
            raise KeyboardInterrupt
        self._games += games * len(tables)
        return results

    def search(self):
        task = self._task
        if "scales" not in self.state:
            (base,) = self._play([task.space.base], max(2, task.search_games // 4))
            spreads = [t.quantity.scale * t.quantity.spread(base) for t in task.targets]
            self.state |= {"scales": [spread or 1.0 for spread in spreads], "batches": []}
        search = search_of(task, self.state, learns=True)
        while search.tried < task.trials:
            points = search.ask()
            if not points:  # every candidate is known
                return
            search.tell(self._tried(search, points))
            self.state["batches"] = [*self.state["batches"], [_plain(c) for c in search.batches[-1]]]
            self.keep()
            self._tell(search)

    def _tell(self, search):
        if self._progress is not None:
            best = min(search.front() or search.known.values(), key=search.miss)
            words = search.space.words(best.point)
            self._progress(Progress(search.tried, self._task.trials, search.miss(best), words))

    def _tried(self, search, points):
        """The candidates at these points. Promising ones play on, on the deals that follow."""
        quantities = [target.quantity for target in self._task.targets]
        tables = [self._task.space.table(point) for point in points]
        tallies = [np.zeros(1, TALLY_DTYPE) for _ in points]
        found: list[Candidate | None] = [None] * len(points)
        playing, played = list(range(len(points))), 0
        for games in search.rungs:
            results = self._play([tables[i] for i in playing], games - played, played)
            for i, one in zip(playing, results, strict=True):
                tallies[i].view(np.int64)[:] += one.tally.reshape(1).view(np.int64)
                values, errors = measure_of(quantities, Results(tables[i], tallies[i][0], 0, 0.0))
                found[i] = Candidate(points[i], games, tuple(values), tuple(errors))
            playing = [i for i in playing if points[i] == search.origin or search.is_worth_more(found[i])]
            played = games
            if not playing:
                break
        return found

    def judge(self):
        """Play the finalists and the base rules on fresh deals."""
        if "verdict" in self.state:
            return
        self._say(f"The finalists play {self._task.games:,} fresh deals")
        tables = [self._task.space.base, *(self._task.space.table(p) for p in self._finalists())]
        self.state["verdict"] = [measured(played) for played in self._play(tables, self._task.games, FRESH)]
        self.keep(now=True)

    def _finalists(self):
        return finalists_of(self._task, search_of(self._task, self.state))

    def adapt(self):
        """Tune the players under each set of rules, and judge again."""
        task = self._task
        if not task.retune or not self._finalists():
            self.state.setdefault("adapted", [])
            return
        done = list(self.state.get("adapted", []))
        tables = [task.space.base, *(task.space.table(p) for p in self._finalists())]
        for number, table in enumerate(tables[len(done) :], len(done)):
            self._say(f"The players adapt to rules {number + 1} of {len(tables)}")
            players = self._retuned(table)
            seated = GameTable.seat(table.rules, players, table.seed)
            (played,) = self._play([seated], task.games, FRESH)
            weights = [p.changes if p.kind == "data" else None for p in players]
            done.append({**measured(played), "weights": weights, "names": [p.name for p in players]})
            self.state["adapted"] = list(done)
            self.keep(now=True)

    def _retuned(self, table):
        """The line-up with every strategy of weights tuned against the old line-up; other strategies stay."""
        better: dict[str, Strategy] = {}
        for strategy in table.strategies:
            if strategy.digest in better or strategy.kind != "data":
                continue
            found = tune(
                strategy,
                against=list(dict.fromkeys(table.strategies)),
                rules=table.rules,
                evaluations=self._task.retune,
                games=max(400, self._task.games),
                seed=table.seed,
                threads=self._threads,
            )
            if not found.complete or self.stop.is_set():
                raise KeyboardInterrupt
            gains = found.is_new and found.gain().value > 0
            better[strategy.digest] = (
                strategy_from_weights(found.strategy.changes, strategy.name, f"{strategy.name}, retuned")
                if gains
                else strategy
            )
        return [better.get(strategy.digest, strategy) for strategy in table.strategies]

    def _say(self, stage):
        if self._progress is not None:
            self._progress(Progress(self.tried, self._task.trials, 0.0, "", stage))


def _plain(candidate):
    return {
        "point": list(candidate.point),
        "games": candidate.games,
        "values": list(candidate.values),
        "errors": list(candidate.errors),
    }


def measured(results: Results) -> dict:
    """The measured sums of all quantities, which is all that intervals and paired differences need."""
    return {
        "games": results.games,
        "sums": {q.key: (q.scale * q.sums(results)).tolist() for q in quantities_of(results.table)},
    }


# Folders


def run_balance(task: Task, out, threads=None, progress=None) -> Balance:
    """Search, and keep the search in a new folder."""
    check_threads(threads)
    task = task.awake()
    folder = LabFolder.start(out, configuration(task, Path(out).resolve().name), BALANCE)
    return carry_out(task, folder, threads, progress)


def resume_balance(path, progress=None, *, threads=None, trust: bool = False) -> Balance:
    """Resume a search from its folder alone."""
    folder = LabFolder.go_on(path, BALANCE)
    task = task_of(folder.config).awake(trust)
    return carry_out(task, folder, threads, progress)


def unfinished_balance(path) -> Task | None:
    """The task in a folder that has more to do; None where it is complete."""
    config = unfinished_search(path, BALANCE)
    return None if config is None else task_of(config)


def load_balance(path: str | os.PathLike[str]) -> Balance:
    """The search in a folder, which must be complete.

    Examples
    --------
    >>> from jamaica_sim import balance, load_balance
    >>> _ = balance({"rounds": {"at_most": 10}}, {"hand_size": "2..5"}, trials=3, games=200, retune=0, out="found")
    >>> load_balance("found").task.games
    200
    """
    config, state = finished_search(path, BALANCE)
    return Balance(task_of(config), state)
