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
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes
from jamaica_sim.files.limits import check_games, check_rows, plain, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.chunks import (
    CHUNK,
    TALLIES,
    Chunk,
    Layout,
    Pace,
    Played,
    paced_chunks,
    play_in_order,
    threads_or_all,
)
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.manifest import configuration
from jamaica_sim.play.stopping import interruptible, stop_on_signals
from jamaica_sim.results.result_table import Answer
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.house.compile import needs_compiling as house_needs_compiling
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study import parts
from jamaica_sim.study.cluster import ClusterFault, PlayChunks, Remark, cluster_pace, cluster_player
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
    """How the games of a study are cut up."""

    in_deal: int = 1  # games that are played with the luck of one game number
    step: int = 0  # game numbers between two looks at the sums; 0 to look at each chunk


EVERY_CHUNK = Plan()
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
    how: dict[str, Any] = {"threads": plain(threads), "chunk_size": plain(chunk_size), "cluster": cluster}
    per = {"per_game": per_game, "events": events}
    return run_games(table, whole_games(games), plain(first_game), out, progress, **per, **how)


def run_games(
    table: GameTable,
    games: int,
    first_game: int = 0,
    out: AnyPath | None = None,
    progress: Callable[[int], object] | None = None,
    *,
    per_game: bool = False,
    events: bool = False,
    **who: Any,
) -> Results:
    """Play games at a table and, with `out`, write the run's folder. `who` says who plays, see `open_players`.

    Ctrl-C raises `Stopped`, or KeyboardInterrupt if no game is played yet.
    """
    check_games(games, first_game)
    if events and out is None:
        raise UserError("tables of events are written into the run's folder: name one with out=...")
    if per_game:
        check_rows(games, in_memory=out is None)
    with open_players([table], **who) as players:
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
    table = left.tables[0].with_code(trust)
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

    try:
        with playing(study, [table], players) as looks:
            for _, done in looks:
                if progress is not None and done:
                    progress(done)
            if isinstance(study, StudyFolder):
                study.save()  # the files may take a while
                is_merged = study.manifest["complete"] and WATCH not in study.manifest["files"]
                watch = {} if is_merged else games_to_watch_file([results()])  # its games may be anywhere
                study.finish({TABLES: json_bytes(results().tables()), **watch})
    except Stopped as stopped:
        stopped.answer = results() if study.games_done else None
        raise
    return results()


def needs_compiling(table: GameTable) -> str:
    """What has to be compiled before the first game, in words; empty if nothing has to be."""
    return compile_ahead.needs_compiling(table.strategies, compile_ahead.RUN) or house_needs_compiling(table.rules)


def warm_up(table: GameTable) -> None:
    """Compile the engine, or load it, without playing anything that counts."""
    interruptible(lambda: compile_ahead.compile_missing(table.strategies, compile_ahead.RUN))
    interruptible(lambda: list(play_in_order([table], [Chunk(0, 1)], 1)))


@contextmanager
def playing(
    study: Sums, tables: Sequence[Any], players: Players, plan: Plan = EVERY_CHUNK
) -> Iterator[Generator[tuple[int, int], None, None]]:
    """Around the looks at a study, which play what it lacks, one setting after the other.

    A look is the setting and its games so far; the first one comes before the games of a setting. Whatever ends them
    early, in a folder everything played is saved. Ctrl-C raises `Stopped`.
    """
    looks = _looks(study, tables, players, plan)
    try:
        yield looks
    except BaseException as error:
        looks.close()
        study.stop()
        if isinstance(study, StudyFolder):
            if isinstance(error, KeyboardInterrupt) and not isinstance(error, Stopped):
                raise _stopped(study) from None
            if isinstance(error, ClusterFault):
                raise ClusterFault(f"{str(error).rstrip('.')}; {study.how_to_go_on()}.") from error
        raise
    finally:
        study.close()


def _looks(study: Sums, tables: Sequence[Any], players: Players, plan: Plan) -> Generator[tuple[int, int], None, None]:
    config = study.config
    paces: Paces = defaultdict(lambda: players.pace(config["games"], config["per_game"], plan.in_deal))
    passes = _passes_over_missing_games(tables, study, players, paces)
    with stop_on_signals() as stop:
        if isinstance(study, StudyFolder) and config["per_game"]:
            _repair(study, players, paces[0], stop)
        for play in passes:
            yield from _play_missing(study, play, paces, stop, plan)


def _passes_over_missing_games(
    tables: Sequence[GameTable], study: Sums, players: Players, paces: Paces
) -> list[PlayChunks]:
    """Who plays the games that a study lacks. Tables of events are made here, after a cluster has played."""
    if isinstance(study, UnsavedSums) or not study.config.get("events"):
        return [players.play]
    from jamaica_sim.study.events_parquet import Cuts, play_with_events

    (table,) = tables
    compile_ahead.compile_missing(table.strategies, compile_ahead.REPLAY)
    games = Chunk(study.config["first_game"], study.games_wanted)

    def with_events(_: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Generator[Played, None, None]:
        cuts = Cuts(games.first + study.games_done, partial(paced_chunks, pace=paces[0], part=parts.PART))
        return play_with_events(study.path, table, games, threads_or_all(players.threads), keep_rows, cuts, stop)

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


def _missing_chunks(study: Sums, paces: Paces, plan: Plan) -> Iterator[Chunk]:
    """The games that a study lacks, in order: the rest of the setting that was being played, then the others."""
    config, (setting, done) = study.config, divmod(study.games_done, study.config["games"])
    first, end = config["first_game"], config["first_game"] + config["games"] // plan.in_deal
    starts = {setting: first + done // plan.in_deal}
    part = parts.PART if config["per_game"] else 0
    return chain.from_iterable(
        paced_chunks(starts.get(table, first), end, paces[table], part, table, plan.step)
        for table in range(setting, study.sums.size)
    )


def _play_missing(
    study: Sums, player: PlayChunks, paces: Paces, stop: threading.Event, plan: Plan
) -> Generator[tuple[int, int], None, None]:
    """Have games played, and add them to the study's sums at each look. See `playing`."""
    config, games = study.config, study.config["games"]
    first, last = config["first_game"], config["first_game"] + games // plan.in_deal
    start = first + study.games_done // plan.in_deal if study.sums.size == 1 else 0
    if study.games_done < study.games_wanted:
        yield divmod(study.games_done, games)
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
                yield chunk.table, (end - first) * plan.in_deal
                if end == last and chunk.table + 1 < study.sums.size:
                    yield chunk.table + 1, 0
    is_done = study.games_done == study.games_wanted
    if isinstance(study, StudyFolder):
        is_done = is_done and has_wanted_events(study.path, study.manifest)
    if stop.is_set() and not is_done:
        raise _stopped(study)


def _repair(folder: StudyFolder, players: Players, pace: Pace, stop: threading.Event) -> None:
    """Play games again if their rows are missing or damaged, and read the rows of the part that is not full."""

    def again(first: int, end: int) -> np.ndarray:
        played = players.play(paced_chunks(first, end, pace, parts.PART), True, stop)
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
