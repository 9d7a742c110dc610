"""Prepares a comparison of strategies and plays it. The result is in `comparison.py`."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import accumulate
from typing import Any

from jamaica_sim.comparison.cluster import dealer_elsewhere
from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.comparison.deals import CHUNK_GAMES, Dealer, DealTally, dealer_here, tallies_in_order
from jamaica_sim.comparison.design import Contest
from jamaica_sim.comparison.folder import ComparisonFolder, load_comparison, unfinished_comparison
from jamaica_sim.comparison.when_to_stop import ComparisonPlan
from jamaica_sim.engine.decide import answer_again
from jamaica_sim.errors import UserError
from jamaica_sim.house.compile import needs_compiling as house_needs_compiling
from jamaica_sim.limits import MOST_STRATEGIES, whole_games
from jamaica_sim.play import compile_ahead as warming
from jamaica_sim.play.chunks import threads_or_all
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.stopping import interruptible, stop_on_signals
from jamaica_sim.rules import Rules, rules_of
from jamaica_sim.run.cluster import ClusterFault, Remark
from jamaica_sim.strategy.library import AnyStrategy, load_strategies
from jamaica_sim.strategy.namesakes import told_apart
from jamaica_sim.strategy.strategy import Strategy, StrategyError
from jamaica_sim.strategy.trust import remember
from jamaica_sim.user_files import AnyPath

DEFAULT_GAMES = 100_000
DEFAULT_MOST_GAMES = 1_000_000


def compare(
    strategies: AnyStrategy | Sequence[AnyStrategy],
    *more: AnyStrategy,
    against: Sequence[AnyStrategy] | None = None,
    games: int | None = None,
    until: str | None = None,
    margin: float = 0.01,
    alpha: float = 0.05,
    max_games: int | None = None,
    rules: Rules | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    threads: int | None = None,
    chunk_games: int = CHUNK_GAMES,
    cluster: str | None = None,
    progress: Callable[[Comparison], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    **rule_changes: Any,
) -> Comparison:
    """Compare strategies on the same deals. Threads, chunk size and cluster do not change the result.

    Parameters
    ----------
    strategies : list of str, dict or Strategy
        Two or more names, files, dictionaries of weights or loaded strategies; a strategy may appear twice.
        With `against` only one.
    more : str, dict or Strategy
        The others, where they are not in a list: `compare("balanced", "racer")`.
    against : list of str, dict or Strategy, optional
        A field of opponents: the one strategy has one ship at every table, against these.
    games : int, optional
        How many games to play, rounded up so that every pair meets equally often; 100,000 without `until`.
    until : str, optional
        "verdict": play until every pair (or the one and its field) is told apart, or equal within the margin.
    margin : float
        The difference in win rate that matters.
    alpha : float
        One minus the confidence of the intervals; also the chance of a wrong verdict.
    max_games : int, optional
        With `until`: after how many games to stop without a verdict.
    rules : Rules, optional
        The rules; fields may also be given by name (`players=3, edition="2021"`).
    seed : int
        Seed of all luck.
    luck : dict, optional
        Sources of luck that are drawn from another seed, such as `{"dice": 7}`; see `simulate`.
    threads, chunk_games : int, optional
        How the work is cut up; they change nothing but the speed.
    cluster : str, optional
        Instead of threads: `tcp://HOST:PORT`, the address of a Dask scheduler, or `local:N` for N processes here.
    progress : callable, optional
        Called with the `Comparison` so far, every thousand games or so.
    out : path, optional
        A new folder for the comparison: `load_comparison` reads it, `resume` goes on with it if it was stopped.

    Examples
    --------
    >>> from jamaica_sim import compare
    >>> comparison = compare(["balanced", "random"], games=400)
    >>> print(comparison.difference("balanced", "random").value > 0.4)
    True
    >>> comparison.by_pair()["verdict"].tolist()
    ['better']
    """
    games, max_games = (None if many is None else whole_games(many) for many in (games, max_games))
    plan = make_plan(games, until, margin, alpha, max_games)
    everyone: Any = [strategies, *more] if more else strategies
    contest = prepare(everyone, rules, seed, against, luck, **rule_changes)
    plan.looks(contest.design)
    warm_up(contest)
    with open_dealer(contest, plan, threads, cluster, chunk_games=chunk_games) as dealer:
        if out is not None:
            return play_comparison(contest, plan, dealer, ComparisonFolder.create(out, contest, plan), progress)[0]
        for comparison in comparisons(contest, plan, dealer):
            if progress is not None:
                progress(comparison)
    return comparison


def resume_comparison(
    path: AnyPath,
    progress: Callable[[Comparison], object] | None = None,
    *,
    threads: int | None = None,
    cluster: str | None = None,
    trust: bool = False,
    remark: Remark | None = None,
) -> Comparison:
    """Go on with a comparison from its folder alone; after Ctrl-C it is returned as not complete."""
    left = unfinished_comparison(path)
    if left is None:
        return load_comparison(path)
    contest = left.contest.awake(trust)
    with open_dealer(contest, left.plan, threads, cluster, remark) as dealer:
        return play_comparison(contest, left.plan, dealer, ComparisonFolder.reopen(path), progress)[0]


@contextmanager
def open_dealer(
    contest: Contest,
    plan: ComparisonPlan,
    threads: int | None = None,
    cluster: str | None = None,
    remark: Remark | None = None,
    chunk_games: int = CHUNK_GAMES,
) -> Iterator[Dealer]:
    """The dealer: threads here, or a cluster. `remark` is called with a sentence when it waits for workers."""
    if cluster is None:
        yield dealer_here(contest, threads_or_all(threads), chunk_games)
    else:
        with dealer_elsewhere(contest, plan.games, cluster, remark) as dealer:
            yield dealer


def make_plan(
    games: int | None = None,
    until: str | None = None,
    margin: float = 0.01,
    alpha: float = 0.05,
    max_games: int | None = None,
) -> ComparisonPlan:
    """The plan that these options describe; options that contradict each other are refused."""
    if until not in (None, "verdict"):
        raise UserError(f"a comparison can go on until 'verdict', not {until!r}.")
    if until and games is not None:
        raise UserError("give either games or until='verdict', not both; max_games caps the latter.")
    if max_games is not None and not until:
        raise UserError("max_games caps a comparison until a verdict; without until, give games.")
    if until:
        return ComparisonPlan(DEFAULT_MOST_GAMES if max_games is None else max_games, True, margin, alpha)
    return ComparisonPlan(DEFAULT_GAMES if games is None else games, False, margin, alpha)


# Before the first game


def prepare(
    strategies: AnyStrategy | Sequence[AnyStrategy],
    rules: Rules | None = None,
    seed: int = 1,
    against: AnyStrategy | Sequence[AnyStrategy] | None = None,
    luck: Mapping[str, int] | None = None,
    **rule_changes: Any,
) -> Contest:
    """The contest of these strategies, or of one against a field. Refuses what cannot be compared."""
    rules = rules_of(rule_changes) if rules is None else rules.but(**rule_changes)
    loaded = load_strategies(strategies)
    if against is not None:
        if len(loaded) != 1:
            raise UserError(f"one strategy can play against a field, not {len(loaded)}: name the others in the field.")
        loaded += load_strategies(against)
        if len(loaded) == 1:
            raise UserError("the field is empty: name at least one opponent, such as balanced.")
    remember(loaded)
    if len(loaded) < 2:
        raise UserError("a comparison needs at least two strategies: name another one, such as balanced.")
    if len(loaded) > MOST_STRATEGIES:
        raise UserError(f"a comparison can have at most {MOST_STRATEGIES} strategies, not {len(loaded):,}.")
    table = GameTable.seat(rules, loaded[:1], seed, luck)
    named = tuple(told_apart(loaded, every_one=True))
    return Contest(table.rules, named, table.seed, against is not None, table.luck)


def needs_compiling(contest: Contest) -> str:
    """What has to be compiled before the first game; empty where it can start at once."""
    waiting = warming.needs_compiling(contest.strategies, warming.COMPARE) or house_needs_compiling(contest.rules)
    if waiting:
        return waiting
    needs_check = any(strategy.kind == "code" for strategy in contest.strategies)
    return "the check of strategies (some seconds)" if needs_check and not answer_again.is_compiled() else ""


def warm_up(contest: Contest) -> None:
    """Compile everything. Refuse strategies of code that give illegal answers here or look beyond their view."""

    def compile_and_check() -> None:
        warming.compile_missing(contest.strategies, warming.COMPARE)
        for strategy in {s.digest: s for s in contest.strategies if s.kind == "code"}.values():
            _check_code(strategy, contest.rules)
        for _ in tallies_in_order(contest, [1], dealer_here(contest, 1)):
            pass

    interruptible(compile_and_check)


def _check_code(strategy: Strategy, rules: Rules) -> None:
    from jamaica_sim.play.check import problems_at

    problems = problems_at(strategy, rules)
    if problems:
        raise StrategyError(f"{strategy.path}: {problems[0]}; see: jamaica-sim strategies check {strategy.path}")


def comparisons(
    contest: Contest,
    plan: ComparisonPlan,
    dealer: Dealer,
    done: DealTally | None = None,
    stop: threading.Event | None = None,
) -> Iterator[Comparison]:
    """Play on from the sums `done`, and yield the comparison so far after every look; the last one is the result."""
    looks = plan.looks(contest.design)
    if done is not None:
        comparison = Comparison(contest, plan, done)
        yield comparison
        if comparison.is_at_its_end:
            return
        looks = looks[list(accumulate(looks)).index(comparison.deals) + 1 :]
    with closing(tallies_in_order(contest, looks, dealer, done, stop)) as tallies:
        for tally in tallies:
            comparison = Comparison(contest, plan, tally)
            yield comparison
            if plan.until_verdict and comparison.is_settled:
                return


def play_comparison(
    contest: Contest,
    plan: ComparisonPlan,
    dealer: Dealer,
    folder: ComparisonFolder | None = None,
    progress: Callable[[Comparison], object] | None = None,
) -> tuple[Comparison, float]:
    """Play a comparison to its end; returns it and the seconds it took. After Ctrl-C it is returned as not complete.

    Deals that the `ComparisonFolder` already has are not played again. Finished looks are saved there in any case.
    """
    comparison, started = None, time.perf_counter() - (folder.seconds if folder else 0.0)
    saving = threading.Lock()  # so that whoever stops the comparison saves last

    def play_on() -> dict[str, bytes]:
        """Play all looks, and make the files at the comparison's end. `comparison` is always that of a whole look."""
        nonlocal comparison
        done = None if folder is None else folder.tally
        for so_far in comparisons(contest, plan, dealer, done=done, stop=stop):
            with saving:
                comparison = so_far
                if folder is not None and not stop.is_set():
                    folder.keep(so_far, time.perf_counter() - started)
            if progress is not None:
                progress(so_far)
        return comparison.files() if folder is not None and comparison is not None and comparison.is_at_its_end else {}

    with stop_on_signals() as stop:
        try:
            files = interruptible(play_on)
            if comparison is None:
                raise KeyboardInterrupt
        except BaseException as error:
            if folder is not None:
                with saving:
                    folder.stop(comparison, time.perf_counter() - started)
                if isinstance(error, ClusterFault):
                    raise ClusterFault(f"{str(error).rstrip('.')}; {folder.how_to_go_on()}.") from error
            raise
        seconds = time.perf_counter() - started
        if folder is not None:
            folder.stop(comparison, seconds, files)
        return replace(comparison, complete=comparison.is_at_its_end), seconds
