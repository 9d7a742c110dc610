"""Plays a run, from its start or from where it was stopped, to its end.

It cuts the games into chunks, counts the chunks as they come back in order, saves them, and stops cleanly when the user
or the system asks for it. Whether threads or a cluster play the chunks makes no difference to the result.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.house.compile import needs_compiling as house_needs_compiling
from jamaica_sim.limits import check_games, check_rows, plain, whole_games
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.chunks import CHUNK, Chunk, Pace, Played, play_in_order, threads_or_all
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.stopping import interruptible, stop_on_signals
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules
from jamaica_sim.run import folder as run_folder
from jamaica_sim.run.cluster import ClusterFault, Player, Remark, cluster_pace, cluster_player
from jamaica_sim.run.folder import (
    RunFolder,
    damaged_parts,
    has_wanted_events,
    load_results,
    open_games,
    open_rows,
    part_name,
    unfinished,
)
from jamaica_sim.store.manifest import configuration
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.tally.layout import TALLY_DTYPE
from jamaica_sim.user_files import AnyPath

CHUNK_SECONDS = 0.1  # that a thread should take for a chunk, and about the longest wait until a run stops


class Stopped(KeyboardInterrupt):
    """The run was stopped on request; the games played so far are saved. `answer` is what they show, if anything."""

    answer: Answer | None = None

    def __init__(self, path: AnyPath, done: int, games: int) -> None:
        super().__init__(
            f"Stopped: {done:,} of {games:,} games are played and saved. Go on with: {resume_command(path)}"
        )


class StoppedUnsaved(Stopped):
    """Games without a folder were stopped on request: what was played is in `answer` alone."""

    def __init__(self, answer: Answer, played: str) -> None:
        KeyboardInterrupt.__init__(
            self, f"Stopped: {played} are played. With --out FOLDER, what was played is kept and can be resumed."
        )
        self.answer = answer


class StoppedLater(Stopped):
    """All games are played, and what comes after them was stopped; `answer` is what the games show, if anything."""

    def __init__(self, sentence: str, answer: Answer | None = None) -> None:
        KeyboardInterrupt.__init__(self, sentence)
        self.answer = answer


def simulate(
    games: float = 10_000,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    first_game: int = 0,
    threads: int | None = None,
    chunk_size: int | None = None,
    progress: Callable[[int], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    per_game: bool = False,
    events: bool = False,
    cluster: str | None = None,
    **rule_changes: Any,
) -> Results:
    """Play games and return their statistics, the same for any number of threads and any chunk size.

    Parameters
    ----------
    games : int
        How many games to play; 1e6 is a million.
    rules : Rules, optional
        The rules; fields may also be given by name (`players=3, edition="2021"`).
    strategies : str, dict, Strategy or list of them, optional
        Names, files, dictionaries of weights or loaded strategies, by seat; fewer than players are seated in turn.
        Without any, as many different ones as there are players.
    seed, first_game : int
        Game number `k` of a seed is the same game in every run that contains it.
    luck : dict, optional
        Sources of luck that are drawn from another seed, such as `{"dice": 7}`: captain, dice, decks, treasures,
        combat, shortage, hidden and own.
    threads, chunk_size : int, optional
        How the work is cut up; they change nothing but the speed.
    progress : callable, optional
        Called as `progress(games_done)` after each chunk.
    out : path, optional
        A new folder that keeps the run: `load_results` reads it, `resume` goes on with one that was stopped.
    per_game : bool
        Also a row for each game: `results.by_game()`, and with `out` Parquet files in the folder.
    events : bool
        With `out`: also tables of all events and choices, as Parquet.
    cluster : str, optional
        Have the games played on Dask: `tcp://HOST:PORT` or `local:N`.

    Examples
    --------
    >>> from jamaica_sim import simulate
    >>> results = simulate(games=1_000, players=3, ghost=True, strategies="random", seed=7)
    >>> results.games, results.ghost_win_rate.n
    (1000, 1000)
    >>> print(results.of_game("rounds"))
    26.9 ± 0.6
    >>> simulate(games=10, hand_sise=4)
    Traceback (most recent call last):
    jamaica_sim.rules.RulesError: there is no rule 'hand_sise': did you mean 'hand_size'?
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    return run_games(
        table,
        whole_games(games),
        first_game=plain(first_game),
        threads=plain(threads),
        chunk_size=plain(chunk_size),
        progress=progress,
        out=out,
        per_game=per_game,
        events=events,
        cluster=cluster,
    )


def run_games(
    table: GameTable,
    games: int,
    *,
    first_game: int = 0,
    threads: int | None = None,
    chunk_size: int | None = None,
    out: AnyPath | None = None,
    per_game: bool = False,
    events: bool = False,
    cluster: str | None = None,
    progress: Callable[[int], object] | None = None,
    remark: Remark | None = None,
) -> Results:
    """Play games at a table and, with `out`, write the run's folder.

    `cluster` has them played on Dask: `tcp://HOST:PORT` or `local:N`. `remark` is called with sentences that the
    user should see meanwhile. Ctrl-C raises `Stopped`, or KeyboardInterrupt if no game is played yet.
    """
    check_games(games, first_game)
    if events and out is None:
        raise UserError("tables of events are written into the run's folder: name one with out=...")
    if per_game:
        check_rows(games, in_memory=out is None)
    with _player(table, games, threads, chunk_size, cluster, per_game, remark) as (player, pace):
        if out is None:
            kept: list[np.ndarray] | None = [] if per_game else None
            tally, seconds = play_sums(first_game, games, player, pace, progress, kept)
            rows = None if kept is None else np.concatenate(kept)
            results = Results(table, tally[0], first_game, seconds, rows=rows)
            if results.games < games:
                raise StoppedUnsaved(results, f"{results.games:,} of {games:,} games")
            return results
        folder = RunFolder.create(out, configuration(table, first_game, games, per_game, events))
        rest = _players_of_rest(table, folder, player, pace, threads, cluster)
        return _finish(table, folder, player, rest, pace, progress, remark)


def resume_run(
    path: AnyPath,
    progress: Callable[[int], object] | None = None,
    *,
    threads: int | None = None,
    chunk_size: int | None = None,
    cluster: str | None = None,
    remark: Remark | None = None,
    trust: bool = False,
) -> Results:
    """Go on with a run that was stopped; its files end up identical to those of a run that was never stopped.

    The rules and strategies are those of the run itself. In a run that is complete, missing or damaged files are
    made again. Code that came with the folder runs only if it is shipped, the user has named it before, or `trust` is
    set.
    """
    left = unfinished(path)
    if left is None:
        return load_results(path)
    table = left.table.awake(trust)
    folder = RunFolder.reopen(path)
    try:
        games, per_game = folder.games_wanted, folder.config["per_game"]
        with _player(table, games, threads, chunk_size, cluster, per_game, remark) as (player, pace):
            rest = _players_of_rest(table, folder, player, pace, threads, cluster)
            return _finish(table, folder, player, rest, pace, progress, remark)
    finally:
        folder.close()


def needs_compiling(table: GameTable) -> str:
    """What has to be compiled before the first game, in words; empty if nothing has to be."""
    return compile_ahead.needs_compiling(table.strategies, compile_ahead.RUN) or house_needs_compiling(table.rules)


def warm_up(table: GameTable) -> None:
    """Compile the engine, or load it, without playing anything that counts."""

    def compile_and_try() -> None:
        compile_ahead.compile_missing(table.strategies, compile_ahead.RUN)
        for _ in play_in_order(table, [Chunk(0, 1)], 1):
            pass

    interruptible(compile_and_try)


def _finish(
    table: GameTable,
    folder: RunFolder,
    player: Player,
    rest: Sequence[Player],
    pace: Pace,
    progress: Callable[[int], object] | None,
    remark: Remark | None,
) -> Results:
    """Play a folder's games to the end and write its results."""
    is_repair = folder.manifest["complete"]
    try:
        play_folder(folder, player, rest, pace, progress, remark)
    except Stopped as stopped:
        if folder.games_done:
            stopped.answer = Results(table, folder.tally[0], folder.config["first_game"], folder.seconds)
        raise
    except ClusterFault as fault:
        raise ClusterFault(f"{str(fault).rstrip('.')}; {folder.how_to_go_on()}.") from fault
    from jamaica_sim.run.find_games import load_games

    reader = partial(load_games, folder.path) if folder.config["per_game"] else None
    results = Results(table, folder.tally[0], folder.config["first_game"], folder.seconds, read_games=reader)
    folder.finish(results.tables())
    if not is_repair:  # a run that was merged has no games to watch, repaired or not
        from jamaica_sim.run.games_to_watch import keep_games_to_watch

        keep_games_to_watch(folder.path, results)
    return results


def _players_of_rest(
    table: GameTable, folder: RunFolder, player: Player, pace: Pace, threads: int | None, cluster: str | None
) -> list[Player]:
    """Who plays the games that a folder lacks. Tables of events are made here, after a cluster has played."""
    if not folder.config.get("events"):
        return [player]
    from jamaica_sim.run.events_parquet import Cuts, play_with_events

    compile_ahead.compile_missing(table.strategies, compile_ahead.REPLAY)
    games = Chunk(folder.config["first_game"], folder.games_wanted)

    def with_events(_: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Iterator[Played]:
        cuts = Cuts(games.first + folder.games_done, partial(paced_chunks, pace=pace))
        return play_with_events(folder.path, table, games, threads_or_all(threads), keep_rows, cuts, stop)

    return [with_events] if cluster is None else [player, with_events]


@contextmanager
def _player(
    table: GameTable,
    games: int,
    threads: int | None,
    chunk_size: int | None,
    cluster: str | None,
    keep_rows: bool,
    remark: Remark | None,
) -> Iterator[tuple[Player, Pace]]:
    """The function that plays chunks for `play_sums` and `play_folder`, and the pace that sets their size."""
    fixed = Pace.of_chunks(chunk_size) if chunk_size else None
    if cluster is None:
        threads = threads_or_all(threads)
        yield (
            lambda work, rows, stop: play_in_order(table, work, threads, rows, stop),
            fixed or Pace(CHUNK_SECONDS, CHUNK),
        )
    else:
        with cluster_player(table, cluster, remark) as player:
            yield player, fixed or cluster_pace(games, keep_rows)


# One chunk after the other


def paced_chunks(first: int, end: int, pace: Pace, in_parts: bool = True) -> Iterator[Chunk]:
    """Cut games into chunks, each as large as the pace says by then; with `in_parts`, none crosses a part's end."""
    while first < end:
        cut = min(first + pace.games, end)
        if in_parts:
            cut = min(cut, first - first % run_folder.PART + run_folder.PART)
        yield Chunk(first, cut - first)
        first = cut


def play_sums(
    first: int,
    games: int,
    player: Player,
    pace: Pace,
    progress: Callable[[int], object] | None = None,
    kept: list[np.ndarray] | None = None,
) -> tuple[np.ndarray, float]:
    """Play games without a folder; returns the sums and the seconds that it took, and adds the rows to `kept`.

    After Ctrl-C the sums are those of the first games, as many as are played.
    `player(work, keep_rows, stop)` plays chunks and yields them in order.
    """
    tally = np.zeros(1, TALLY_DTYPE)
    started = time.perf_counter()
    with stop_on_signals() as stop:
        for played in player(paced_chunks(first, first + games, pace, False), kept is not None, stop):
            if kept is not None and played.rows is not None:
                kept.append(played.rows)
            tally.view(np.int64)[:] += played.tally.view(np.int64)
            pace.learn(played.chunk.games, played.seconds)
            if progress is not None:
                progress(int(tally["games"][0]))
        if stop.is_set() and not tally["games"][0]:
            raise KeyboardInterrupt
    return tally, time.perf_counter() - started


def play_folder(
    folder: RunFolder,
    player: Player,
    rest: Sequence[Player],
    pace: Pace,
    progress: Callable[[int], object] | None = None,
    remark: Remark | None = None,
) -> None:
    """Play the games that a run's folder lacks, all but `finish`; whatever ends it early, games played are saved.

    `player` plays games again whose rows are lost; `rest`, one after the other, play what was not played yet.
    """
    with stop_on_signals() as stop:
        try:
            _repair(folder, player, pace, stop, remark)
        except BaseException:
            folder.close()  # without saving: its last rows may not be read yet
            raise
        try:
            for play in rest:
                _play_rest(folder, play, pace, stop, progress)
        except BaseException:
            folder.stop()
            raise


def _play_rest(
    folder: RunFolder, player: Player, pace: Pace, stop: threading.Event, progress: Callable[[int], object] | None
) -> None:
    config = folder.config
    start = config["first_game"] + folder.games_done
    to_play = config["games"] - folder.games_done
    clock = time.perf_counter()
    work = paced_chunks(start, start + to_play, pace, in_parts=config["per_game"])
    for played in player(work, config["per_game"], stop):
        now = time.perf_counter()
        if played.chunk.first >= start:  # those before are played again for their tables of events only
            folder.add(played.tally, played.rows, now - clock)
        clock = now
        pace.learn(played.chunk.games, played.seconds)
        if progress is not None:
            progress(played.chunk.first + played.chunk.games - config["first_game"])
    if stop.is_set() and not (folder.games_done == config["games"] and has_wanted_events(folder.path, folder.manifest)):
        raise Stopped(folder.path, folder.games_done, folder.games_wanted)


def _repair(folder: RunFolder, player: Player, pace: Pace, stop: threading.Event, remark: Remark | None) -> None:
    """Play games again if their rows are missing or damaged, and read the rows of the part that is not full."""
    for number, ranges in damaged_parts(folder.path, folder.manifest).items():
        if remark is not None:
            remark(f"{part_name(number)} is missing or damaged: its games are played again.")
        rows = [_rows_again(folder, first, end, player, pace, stop) for first, end in ranges]
        folder.restore_part(number, rows)
    last = open_rows(folder.path, folder.manifest)
    if last is None:
        if remark is not None:
            remark("The rows of the last games are missing or damaged: these games are played again.")
        last = _rows_again(folder, *open_games(folder.manifest), player, pace, stop)
    folder.go_on_from(last)


def _rows_again(
    folder: RunFolder, first: int, end: int, player: Player, pace: Pace, stop: threading.Event
) -> np.ndarray:
    rows = [played.rows for played in player(paced_chunks(first, end, pace), True, stop) if played.rows is not None]
    if stop.is_set():
        raise Stopped(folder.path, folder.games_done, folder.games_wanted)
    return np.concatenate([np.zeros(0, RESULT_DTYPE), *rows])
