"""Searches for rules that meet targets with few changes. A verdict on fresh deals follows, also with adapted players.

The search picks the best of many candidates on the same deals, so its finalists are judged on fresh deals, together
with the base rules. Then the players are tuned under the rules of each finalist, and under the base rules, and
everything is judged again: rules that were fair before need not be fair once players adapt.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.balance_task import (
    BalanceState,
    BalanceTask,
    Judged,
    finalists_of,
    load_targets_file,
    search_of,
)
from jamaica_sim.lab.extra import need
from jamaica_sim.lab.lab_run import LabRun
from jamaica_sim.lab.ranges import plain_value
from jamaica_sim.lab.search import Candidate, RuleSearch
from jamaica_sim.lab.sensitivity import measure_of
from jamaica_sim.lab.sweep_file import LabFileError
from jamaica_sim.lab.targets import around, read_targets
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.results.measures import quantities_of
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules
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
    progress: "Callable[[BalanceProgress], object] | None" = None,
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
        Called with a `BalanceProgress` after every batch.
    out : path, optional
        A new folder for the search, for `load_balance`, `report_on` and `resume`.

    Examples
    --------
    >>> from jamaica_sim import balance
    >>> balance({"rounds": {"at_most": 10}}, {"hand_size": "2..5"}, trials=4, games=400, retune=0)  # a small search
    <Balance: 4 candidates over 1 rules, 400 games of a verdict
     ...>
    """
    numbers: dict[str, Any] = {
        "games": games,
        "search_games": search_games,
        "trials": trials,
        "finalists": finalists,
        "retune": retune,
    }
    if isinstance(targets, str | os.PathLike):
        if rule_changes or rules is not None or strategies is not None or ranges is not None or seed != 1:
            raise LabFileError("a file of targets has its own ranges, rules, players and seed: give none of them.")
        task = load_targets_file(targets, **numbers)
    else:
        base = seat_table(rules, strategies, seed, **rule_changes)
        space = around(base, None if ranges is None else dict(ranges))
        task = BalanceTask.checked(space, read_targets(dict(targets), base), **numbers)
    return _Run.start(task, out, threads, progress)


@dataclass(frozen=True)
class BalanceProgress:
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


class _Run(LabRun[BalanceTask, Balance]):
    """One search with its state."""

    MEASURED, TASK = "candidates", BalanceTask

    @staticmethod
    def answer(task: BalanceTask, state: dict[str, Any]) -> Balance:
        return Balance(task, cast(BalanceState, state))

    @property
    def done(self) -> int:
        return sum(map(len, self.state.get("batches", [])))

    def search(self) -> None:
        """Try candidates, judge the finalists, and let the players adapt."""
        need("optuna")
        self._try_candidates()
        self.judge()
        self.adapt()

    def _try_candidates(self) -> None:
        task = self.task
        if "scales" not in self.state:
            (base,) = self.play([task.space.base], max(2, task.search_games // 4))
            spreads = [t.quantity.scale * t.quantity.spread(base) for t in task.targets]
            self.state |= {"scales": [spread or 1.0 for spread in spreads], "batches": []}
        search = search_of(task, cast(BalanceState, self.state), learns=True)
        while search.tried < task.trials:
            points = search.ask()
            if not points:  # every candidate is known
                return
            search.tell(self._tried(search, points))
            tried = [{name: plain_value(v) for name, v in vars(one).items()} for one in search.batches[-1]]
            self.state["batches"] = [*self.state["batches"], tried]
            self.keep()
            self._tell(search)

    def _tell(self, search: RuleSearch) -> None:
        if self.progress is not None:
            best = min(search.front() or search.known.values(), key=search.miss)
            words = search.space.words(best.point)
            self.progress(BalanceProgress(search.tried, self.task.trials, search.miss(best), words))

    def _tried(self, search: RuleSearch, points: list[tuple[int, ...]]) -> list[Candidate]:
        """The candidates at these points. Promising ones play on, on the deals that follow."""
        quantities = [target.quantity for target in self.task.targets]
        tables = [self.task.space.table(point) for point in points]
        tallies = [np.zeros(1, TALLY_DTYPE) for _ in points]
        tried: dict[int, Candidate] = {}
        playing, played = list(range(len(points))), 0
        for games in search.rungs:
            results = self.play([tables[i] for i in playing], games - played, played)
            for i, one in zip(playing, results, strict=True):
                tallies[i].view(np.int64)[:] += one.tally.reshape(1).view(np.int64)
                values, errors = measure_of(quantities, Results(tables[i], tallies[i][0], 0, 0.0, one.drama))
                tried[i] = Candidate(points[i], games, tuple(values), tuple(errors))
            playing = [i for i in playing if points[i] == search.origin or search.is_worth_more(tried[i])]
            played = games
            if not playing:
                break
        return [tried[i] for i in range(len(points))]

    def judge(self) -> None:
        """Play the finalists and the base rules on fresh deals."""
        if "verdict" in self.state:
            return
        self._say(f"The finalists play {self.task.games:,} fresh deals")
        tables = [self.task.space.base, *(self.task.space.table(p) for p in self._finalists())]
        self.state["verdict"] = [measured(played) for played in self.play(tables, self.task.games, FRESH)]
        self.keep(now=True)

    def _finalists(self) -> list[tuple[int, ...]]:
        return finalists_of(self.task, search_of(self.task, cast(BalanceState, self.state)))

    def adapt(self) -> None:
        """Tune the players under each set of rules, and judge again."""
        task = self.task
        if not task.retune or not self._finalists():
            self.state.setdefault("adapted", [])
            return
        done = list(self.state.get("adapted", []))
        tables = [task.space.base, *(task.space.table(p) for p in self._finalists())]
        for number, table in enumerate(tables[len(done) :], len(done)):
            self._say(f"The players adapt to rule set {number + 1} of {len(tables)}")
            players = self._retuned(table)
            seated = GameTable.seat(table.rules, players, table.seed)
            (played,) = self.play([seated], task.games, FRESH)
            weights = [p.changes if p.kind == "data" else None for p in players]
            done.append({**measured(played), "weights": weights, "names": [p.name for p in players]})
            self.state["adapted"] = list(done)
            self.keep(now=True)

    def _retuned(self, table: GameTable) -> list[Strategy]:
        """The line-up with every strategy of weights tuned against the old line-up; other strategies stay."""
        better: dict[str, Strategy] = {}
        for strategy in table.strategies:
            if strategy.digest in better or strategy.kind != "data":
                continue
            tuned = tune(
                strategy,
                against=list(dict.fromkeys(table.strategies)),
                rules=table.rules,
                evaluations=self.task.retune,
                games=max(400, self.task.games),
                seed=table.seed,
                threads=self.threads,
            )
            if not tuned.complete or self.stop.is_set():
                raise KeyboardInterrupt
            gains = tuned.is_new and tuned.gain().value > 0
            better[strategy.digest] = (
                strategy_from_weights(tuned.strategy.changes, strategy.name, f"{strategy.name}, retuned")
                if gains
                else strategy
            )
        return [better.get(strategy.digest, strategy) for strategy in table.strategies]

    def _say(self, stage: str) -> None:
        if self.progress is not None:
            self.progress(BalanceProgress(self.done, self.task.trials, 0.0, "", stage))


def measured(results: Results) -> Judged:
    """The measured sums of all quantities, which is all that intervals and paired differences need."""
    return {
        "games": results.games,
        "sums": {
            q.key: (q.scale * q.sums(results)).tolist()
            for q in quantities_of(results.table, drama=results.drama.totals if results.drama else ())
        },
    }


run_balance, resume_balance, unfinished_balance = _Run.start, _Run.resume, _Run.unfinished


def load_balance(path: str | os.PathLike[str]) -> Balance:
    """The search in a folder, which must be complete.

    Examples
    --------
    >>> from jamaica_sim import balance, load_balance
    >>> _ = balance({"rounds": {"at_most": 10}}, {"hand_size": "2..5"}, trials=3, games=200, retune=0, out="found")
    >>> load_balance("found").task.games
    200
    """
    return _Run.load(path)
