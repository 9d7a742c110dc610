"""Plays a study, from its start or from where it was stopped, to its end; and a run, the study of one table.

It cuts the games into chunks, counts the chunks as they come back in order, saves them, and stops cleanly when the user
or the system asks for it. Whether threads or a cluster play the chunks makes no difference to the result.
"""

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes
from jamaica_sim.files.limits import check_games, check_rows, plain, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.chunks import CHUNK, Chunk, Pace, Played, play_in_order, threads_or_all
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.manifest import configuration
from jamaica_sim.play.stopping import interruptible, stop_on_signals
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.house.compile import needs_compiling as house_needs_compiling
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study import parts
from jamaica_sim.study.cluster import ClusterFault, PlayChunks, Remark, cluster_pace, cluster_player
from jamaica_sim.study.cluster_worker import TALLIES, Layout
from jamaica_sim.study.find_games import load_games
from jamaica_sim.study.folder import TABLES, StudyFolder, UnsavedSums, has_wanted_events, load_results, unfinished
from jamaica_sim.study.games_to_watch import FILE as WATCH
from jamaica_sim.study.games_to_watch import games_to_watch_file
from jamaica_sim.study.parts import damaged_parts, open_games, open_rows, part_name

CHUNK_SECONDS = 0.1  # that a thread should take for a chunk, and about the longest wait until a run stops


class Stopped(KeyboardInterrupt):
    """Work was stopped on request. The sentence says what is kept; `answer` is what was played until then, if any."""

    def __init__(self, sentence: str, answer: Answer | None = None) -> None:
        super().__init__(sentence)
        self.answer = answer


class Players(NamedTuple):
    """Who plays: a function that plays chunks and yields them in order, and what else was said about it."""

    play: PlayChunks
    threads: int | None
    chunk_size: int | None
    here: bool  # on threads of this machine, not on a cluster
    remark: Remark | None

    def pace(self, games: int, keep_rows: bool, in_deal: int = 1) -> Pace:
        """How large the chunks of so many games at a table should be; in deals if a deal has several games."""
        if self.chunk_size:
            return Pace.of_chunks(max(1, self.chunk_size // in_deal))
        return Pace(CHUNK_SECONDS, max(1, CHUNK // in_deal)) if self.here else cluster_pace(games, keep_rows, in_deal)


class Plan(NamedTuple):
    """How the games of a study are played, and when they are enough: unless something else is said, all of them."""

    in_deal: int = 1  # games that are played with the luck of one game number
    step: int = 0  # game numbers between two looks at the sums; 0 to look at each chunk
    enough: Callable[[np.ndarray], bool] = lambda sums: False  # judges the sums at a look


EVERY_GAME = Plan()
Sums = StudyFolder | UnsavedSums
Paces = dict[int, Pace]  # by the number of the table


def stopped_unsaved(answer: Answer, played: str) -> Stopped:
    """Games without a folder were stopped: what was played is in the answer alone."""
    return Stopped(
        f"Stopped: {played} are played. With --out FOLDER, what was played is kept and can be resumed.", answer
    )


def _stopped(study: Sums) -> KeyboardInterrupt:
    """Games were stopped: what is kept of them. Whoever plays them adds the answer so far."""
    played = f"Stopped: {study.games_done:,} of {study.games_wanted:,} games are played"
    if isinstance(study, StudyFolder):
        return Stopped(f"{played} and saved. Go on with: {resume_command(study.path)}")
    if not study.games_done:
        return KeyboardInterrupt()
    return Stopped(f"{played}. With --out FOLDER, what was played is kept and can be resumed.")


def simulate(
    games: float = 10_000,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    measures: Mapping[str, Any] | None = None,
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
    measures : dict, optional
        Measures of your own, such as `{"close": "margin < 3"}`, or a function of the table of games.
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
    jamaica_sim.game.rules.RulesError: there is no rule 'hand_sise': did you mean 'hand_size'?
    """
    table = seat_table(rules, strategies, seed, luck, measures, **rule_changes)
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
    with open_players([table], threads, chunk_size, cluster, remark) as players:
        config = configuration(table, first_game, games, per_game, events)
        study = UnsavedSums(config) if out is None else StudyFolder.create(out, config)
        return _finish_run(study, table, players, progress)


def resume_run(
    path: AnyPath, progress: Callable[[int], object] | None = None, *, trust: bool = False, **who: Any
) -> Results:
    """Go on with a run that was stopped; its files end up identical to those of a run that was never stopped.

    The rules and strategies are those of the run itself. In a run that is complete, missing or damaged files are
    made again. Code that came with the folder runs only if it is shipped, the user has named it before, or `trust` is
    set. `who` says who plays, see `open_players`.
    """
    left = unfinished(path)
    if left is None:
        return load_results(path)
    table = left.tables[0].awake(trust)
    with open_players([table], **who) as players:
        return _finish_run(StudyFolder.reopen(path), table, players, progress)


def _finish_run(study: Sums, table: GameTable, players: Players, progress: Callable[[int], object] | None) -> Results:
    """Play a run to its end and return its results; in a folder, also write them."""
    config = study.config

    def results() -> Results:
        facts = table, study.sums[0], config["first_game"], study.seconds
        if isinstance(study, UnsavedSums):
            return Results(*facts, rows=np.concatenate(study.rows) if study.rows else None)
        return Results(*facts, read_games=partial(load_games, study.path) if config["per_game"] else None)

    def files() -> dict[str, bytes]:
        tables = {TABLES: json_bytes(results().tables())}
        return tables if is_merged else tables | games_to_watch_file([results()])  # its games may be anywhere

    is_merged = isinstance(study, StudyFolder) and study.manifest["complete"] and WATCH not in study.manifest["files"]
    try:
        play_study(study, [table], players, files, lambda _, done: progress(done) if progress and done else None)
    except Stopped as stopped:
        stopped.answer = results() if study.games_done else None
        raise
    return results()


def needs_compiling(table: GameTable) -> str:
    """What has to be compiled before the first game, in words; empty if nothing has to be."""
    return compile_ahead.needs_compiling(table.strategies, compile_ahead.RUN) or house_needs_compiling(table.rules)


def warm_up(table: GameTable) -> None:
    """Compile the engine, or load it, without playing anything that counts."""

    def compile_and_try() -> None:
        compile_ahead.compile_missing(table.strategies, compile_ahead.RUN)
        for _ in play_in_order([table], [Chunk(0, 1)], 1):
            pass

    interruptible(compile_and_try)


def play_study(
    study: Sums,
    tables: Sequence[Any],
    players: Players,
    files: Callable[[], dict[str, bytes]],
    progress: Callable[[int, int], object],
    plan: Plan = EVERY_GAME,
) -> None:
    """Play what a study lacks, one setting after the other. Ctrl-C raises `Stopped`; in a folder everything is saved.

    `files()` makes the files of this kind of folder when all games are played. `progress(setting, games_done)` is
    called after each look, and before the first one of a setting.
    """
    config = study.config
    paces: Paces = defaultdict(lambda: players.pace(config["games"], config["per_game"], plan.in_deal))
    if isinstance(study, UnsavedSums):
        with stop_on_signals() as stop:
            _play_missing(study, players.play, paces, stop, progress, plan)
        return
    try:
        _play_folder(study, tables, players, paces, progress, plan)
        study.save()  # the files may take minutes
        study.finish(files())
    except Stopped:
        raise
    except KeyboardInterrupt:
        study.finish_writing()
        raise _stopped(study) from None
    except ClusterFault as fault:
        raise ClusterFault(f"{str(fault).rstrip('.')}; {study.how_to_go_on()}.") from fault
    finally:
        study.close()


def _passes_over_missing_games(
    tables: Sequence[GameTable], folder: StudyFolder, players: Players, paces: Paces
) -> list[PlayChunks]:
    """Who plays the games that a folder lacks. Tables of events are made here, after a cluster has played."""
    if not folder.config.get("events"):
        return [players.play]
    from jamaica_sim.study.events_parquet import Cuts, play_with_events

    (table,) = tables
    compile_ahead.compile_missing(table.strategies, compile_ahead.REPLAY)
    games = Chunk(folder.config["first_game"], folder.games_wanted)

    def with_events(_: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Generator[Played, None, None]:
        cuts = Cuts(games.first + folder.games_done, partial(paced_chunks, pace=paces[0]))
        return play_with_events(folder.path, table, games, threads_or_all(players.threads), keep_rows, cuts, stop)

    return [with_events] if players.here else [players.play, with_events]


@contextmanager
def open_players(
    tables: Sequence[Any],
    threads: int | None = None,
    chunk_size: int | None = None,
    cluster: str | None = None,
    remark: Remark | None = None,
    layout: Layout = TALLIES,
) -> Iterator[Players]:
    """Who plays: threads of this machine, or a cluster. See `run_games`; `layout` says how games are summed up."""
    if cluster is None:
        many = threads_or_all(threads)

        def play(work: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Generator[Played, None, None]:
            return play_in_order(tables, work, many, keep_rows, stop, make_worker=layout.worker)

        yield Players(play, threads, chunk_size, True, remark)
    else:
        with cluster_player(tables, cluster, remark, layout) as player:
            yield Players(player, threads, chunk_size, False, remark)


# One chunk after the other


def paced_chunks(
    first: int, end: int, pace: Pace, in_parts: bool = True, table: int = 0, step: int = 0
) -> Iterator[Chunk]:
    """Cut games into chunks, each as large as the pace says by then; with `in_parts`, none crosses a part's end."""
    while first < end:
        cut = min(first + pace.games, end)
        if in_parts:
            cut = min(cut, first - first % parts.PART + parts.PART)
        yield Chunk(first, cut - first, table, step)
        first = cut


def _play_folder(
    folder: StudyFolder,
    tables: Sequence[Any],
    players: Players,
    paces: Paces,
    progress: Callable[[int, int], object],
    plan: Plan,
) -> None:
    """Play the games that a folder lacks, all but `finish`; whatever ends it early, games played are saved."""
    passes = _passes_over_missing_games(tables, folder, players, paces)
    with stop_on_signals() as stop:
        try:
            _repair(folder, players, paces[0], stop)
        except BaseException:
            folder.close()  # without saving: its last rows may not be read yet
            raise
        try:
            for play in passes:
                _play_missing(folder, play, paces, stop, progress, plan)
        except BaseException:
            folder.stop()
            raise


def _missing_chunks(study: Sums, paces: Paces, plan: Plan) -> Iterator[Chunk]:
    """The games that a study lacks, in order: the rest of the setting that was being played, then the others."""
    config, (setting, done) = study.config, divmod(study.games_done, study.config["games"])
    first, end = config["first_game"], config["first_game"] + config["games"] // plan.in_deal
    for table in range(setting, study.sums.size):
        start = first + done // plan.in_deal if table == setting else first
        yield from paced_chunks(start, end, paces[table], config["per_game"], table, plan.step)


def _play_missing(
    study: Sums,
    player: PlayChunks,
    paces: Paces,
    stop: threading.Event,
    progress: Callable[[int, int], object],
    plan: Plan,
) -> None:
    """Have games played, and add them to the study's sums at each look."""
    config, games = study.config, study.config["games"]
    start = config["first_game"] + study.games_done // plan.in_deal if study.sums.size == 1 else 0
    last = config["first_game"] + games // plan.in_deal
    if study.games_done and plan.enough(study.sums):
        return
    if study.games_done < study.games_wanted:
        progress(*divmod(study.games_done, games))
    clock, since = time.perf_counter(), np.zeros_like(study.sums[:1])  # the sums since the last look
    with closing(player(_missing_chunks(study, paces, plan), config["per_game"], stop)) as chunks_played:
        for played in chunks_played:
            chunk = played.chunk
            paces[chunk.table].learn(chunk.games, played.seconds)
            for end, tally in zip(chunk.ends(), np.split(played.tally, len(played.tally)), strict=True):
                since.view(np.int64)[:] += tally.view(np.int64)
                if plan.step and end % plan.step and end != last:
                    continue
                now = time.perf_counter()
                if chunk.first >= start:  # those before are played again for their tables of events only
                    study.add(since, played.rows, now - clock)
                clock, since = now, np.zeros_like(since)
                enough = plan.enough(study.sums)
                _tell(study, chunk.table, (end - config["first_game"]) * plan.in_deal, progress)
                if enough:
                    return
    is_done = study.games_done == study.games_wanted
    if isinstance(study, StudyFolder):
        is_done = is_done and has_wanted_events(study.path, study.manifest)
    if stop.is_set() and not is_done:
        raise _stopped(study)


def _tell(study: Sums, setting: int, done: int, progress: Callable[[int, int], object]) -> None:
    progress(setting, done)
    if done == study.config["games"] and setting + 1 < study.sums.size:
        progress(setting + 1, 0)


def _repair(folder: StudyFolder, players: Players, pace: Pace, stop: threading.Event) -> None:
    """Play games again if their rows are missing or damaged, and read the rows of the part that is not full."""

    def again(first: int, end: int) -> np.ndarray:
        played = players.play(paced_chunks(first, end, pace), True, stop)
        rows = [one.rows for one in played if one.rows is not None]
        if stop.is_set():
            raise _stopped(folder)
        return np.concatenate([np.zeros(0, RESULT_DTYPE), *rows])

    remark = players.remark or (lambda sentence: None)
    for number, ranges in damaged_parts(folder.path, folder.manifest).items():
        remark(f"{part_name(number)} is missing or damaged: its games are played again.")
        folder.restore_part(number, [again(first, end) for first, end in ranges])
    last = open_rows(folder.path, folder.manifest)
    if last is None:
        remark("The rows of the last games are missing or damaged: these games are played again.")
        last = again(*open_games(folder.manifest))
    folder.go_on_from(last)
