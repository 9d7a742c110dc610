"""Searches for rules that meet targets with few changes. A verdict on fresh deals follows, also with adapted players.

The search picks the best of many candidates on the same deals, so its finalists are judged on fresh deals, together
with the base rules, until every target is decided. Then the players adapt to the rules of each finalist, and to the
base rules, and everything is judged again: rules that were fair before need not be fair once players adapt.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.tally.layout import tally_dtype
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study.lab.asking import Progress, SearchKind, SearchRun
from jamaica_sim.study.lab.balance_result import Balance, games_of, missed, missed_in_words, results_of
from jamaica_sim.study.lab.balance_task import (
    FRESH,
    MOST_TIMES,
    AdaptedPlayers,
    BalanceState,
    BalanceTask,
    games_needed,
    judged_tables,
    load_targets_file,
    search_of,
    with_players,
)
from jamaica_sim.study.lab.search import Candidate, RuleSearch
from jamaica_sim.study.lab.sensitivity import measure_of
from jamaica_sim.study.lab.targets import around, read_targets
from jamaica_sim.study.tune.adapting import adapt
from jamaica_sim.study.values import plain_value


def balance(
    targets: Mapping[str, Any] | str | os.PathLike[str],
    ranges: Mapping[str, Any] | None = None,
    *,
    games: int | None = None,
    search_games: int | None = None,
    trials: int | None = None,
    finalists: int | None = None,
    adapt: int | None = None,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    measures: Mapping[str, Any] | None = None,
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
        Games of the verdict, for each set of rules: 20,000 unless given here or in the file. As long as a finalist is
        undecided they are doubled, up to eight times as many.
    search_games : int, optional
        Games of a promising candidate; poor ones play a sixteenth or a quarter of them.
    trials : int, optional
        Candidates to try: 200 unless given here or in the file.
    finalists : int, optional
        How many proposals are judged at most: 3 unless given here or in the file.
    adapt : int, optional
        Steps in which the players adapt to the rules of a finalist: 1 unless given here or in the file. 0 leaves them
        as they are.
    rules, strategies, seed, threads
        As in `simulate`.
    measures : dict, optional
        Measures of your own as in `simulate`, for targets too.
    progress : callable, optional
        Called with a `BalanceProgress` after every batch.
    out : path, optional
        A new folder for the search, for `load_balance`, `report_on` and `resume`.

    Examples
    --------
    >>> from jamaica_sim import balance
    >>> balance({"rounds": {"at_most": 10}}, {"hand_size": "2..5"}, trials=4, games=400, adapt=0)  # a small search
    <Balance: 4 candidates over 1 rules, 400 games of a verdict
     ...>
    """
    numbers: dict[str, Any] = {
        "games": games,
        "search_games": search_games,
        "trials": trials,
        "finalists": finalists,
        "adapt": adapt,
    }
    if isinstance(targets, str | os.PathLike):
        if rule_changes or rules is not None or strategies is not None or ranges is not None or seed != 1 or measures:
            raise UserError("a file of targets has its own ranges, rules, players and seed: give none of them.")
        task = load_targets_file(targets, **numbers)
    else:
        base = seat_table(rules, strategies, seed, measures=measures, **rule_changes)
        space = around(base, None if ranges is None else dict(ranges))
        task = BalanceTask.checked(space, read_targets(dict(targets), base), **numbers)
    return run_balance(task, out, threads, progress)


@dataclass(frozen=True)
class BalanceProgress:
    """How far a search has come."""

    tried: int
    trials: int
    miss: str
    changes: str
    stage: str = "search"

    def sentence(self) -> str:
        """The line to show while the search runs."""
        if self.stage != "search":
            return self.stage
        return f"{self.tried:,} of {self.trials:,} candidates; nearest so far: {self.changes} (misses by {self.miss})"


def _ask(search: SearchRun[BalanceTask], progress: Progress, remark: Callable[[str], object]) -> None:
    """Try candidates, judge the finalists, let the players adapt, and judge again."""
    task = search.task

    def say(stage: str) -> None:
        progress(BalanceProgress(0, task.trials, "", "", stage))

    tried = _try_candidates(search, progress, remark)
    tables = judged_tables(task, tried)
    say("The finalists play fresh deals")
    _judge(search, tables, 0)
    if task.adapt and len(tables) > 1:
        for table in tables[len(search.state.setdefault("adapted", [])) :]:
            search.state["adapted"].append(_adapted(search, table, say))
            search.keep(now=True)
        say("The players who have adapted play fresh deals")
        again = [with_players(table, found) for table, found in zip(tables, search.state["adapted"], strict=True)]
        _judge(search, again, len(tables))


def _try_candidates(search: SearchRun[BalanceTask], progress: Progress, remark: Callable[[str], object]) -> RuleSearch:
    """The search for rules, carried on to its last candidate."""
    task, state = search.task, search.state
    if "scales" not in state:
        (base,) = search.play([task.space.base], max(2, task.search_games // 4))
        spreads = [t.quantity.scale * t.quantity.spread(base) for t in task.targets]
        search.state |= {"scales": [spread or 1.0 for spread in spreads], "batches": []}
    if sentence := games_needed(task, state["scales"]):
        remark(sentence)
    tried = search_of(task, cast(BalanceState, state), learns=True)
    while tried.tried < task.trials and (points := tried.ask()):
        tried.tell(_candidates(search, tried, points))
        plain = [{name: plain_value(v) for name, v in vars(one).items()} for one in tried.batches[-1]]
        state["batches"] = [*state["batches"], plain]
        search.keep()
        best = min(tried.front() or tried.known.values(), key=tried.miss)
        words = task.space.words(best.point)
        miss = missed_in_words(missed(task, state["scales"], best))
        progress(BalanceProgress(tried.tried, task.trials, miss, words))
    return tried


def _candidates(search: SearchRun[BalanceTask], tried: RuleSearch, points: list[tuple[int, ...]]) -> list[Candidate]:
    """The candidates at these points. Promising ones play on, on the deals that follow."""
    quantities = [target.quantity for target in search.task.targets]
    tables = [search.task.space.table(point) for point in points]
    tallies = np.zeros(len(points), tally_dtype(len(search.task.space.base.measures)))
    found: dict[int, Candidate] = {}
    playing, played = list(range(len(points))), 0
    for games in tried.rungs:
        results = search.play([tables[i] for i in playing], games - played, played)
        for i, one in zip(playing, results, strict=True):
            tallies[i : i + 1].view(np.int64)[:] += one.tally.reshape(1).view(np.int64)
            values, errors = measure_of(quantities, Results(tables[i], tallies[i], 0, 0.0, one.drama))
            found[i] = Candidate(points[i], games, tuple(values), tuple(errors))
        playing = [i for i in playing if points[i] == tried.origin or tried.is_worth_more(found[i])]
        played = games
        if not playing:
            break
    return [found[i] for i in range(len(points))]


def _judge(search: SearchRun[BalanceTask], tables: list[GameTable], first: int) -> None:
    """Play the base rules and the finalists on fresh deals, twice as many as long as a finalist is undecided.

    Their sums are those from number `first` on.
    """
    task, here = search.task, slice(first, first + len(tables))
    while True:
        done = int(search.sums["games"][first]) if search.sums.size > first else 0
        if done >= MOST_TIMES * task.games or (done and _is_decided(task, tables, first, search)):
            return
        played = search.play(tables, done or task.games, FRESH + done, drama=not done)
        sums = np.array([one.tally for one in played], played[0].tally.dtype)
        if done:
            sums.view(np.int64)[:] += search.sums[here].view(np.int64)
        search.sums = np.concatenate([search.sums[:first], sums])
        if tension := [one.drama.as_dict() for one in played if one.drama]:
            search.state.setdefault("tension", []).extend(tension)
        search.keep(now=True)


def _is_decided(task: BalanceTask, tables: list[GameTable], first: int, search: SearchRun[BalanceTask]) -> bool:
    """Whether every finalist meets or misses each target that more games can decide; the base rules if there is none.

    Tension is measured in the first games alone.
    """
    results = results_of(tables, search.sums[first:], search.state.get("tension", [])[first:])
    open_ones = [target for target in task.targets if target.quantity.key not in task.drama]
    return all(
        target.judge(one, task.games) != "too close to call" for one in results[1:] or results for target in open_ones
    )


def _adapted(search: SearchRun[BalanceTask], table: GameTable, say: Callable[[str], object]) -> AdaptedPlayers:
    """What the players of a table find under its rules."""
    say(f"The players adapt to rule set {len(search.state['adapted']) + 1}")
    found = adapt(table, search.task.adapt, threads=search.threads, tell=say)
    player = found.strategy
    bans = {"bans": list(player.bans)} if player.bans else {}
    return {"name": player.name, "weights": {**player.changes, **bans}, "found": found.sentence()}


BALANCE = SearchKind(
    BalanceTask,
    "optuna",
    _ask,
    lambda task, state, sums: Balance(task, cast(BalanceState, state), sums),
    lambda state: f"{sum(map(len, state.get('batches', []))):,} candidates",
    games_of,
)
run_balance, resume_balance, unfinished_balance = BALANCE.start, BALANCE.resume, BALANCE.unfinished


def load_balance(path: str | os.PathLike[str]) -> Balance:
    """The search in a folder, which must be complete."""
    return BALANCE.load(path)
