"""Plays several tables on the same deals. Their games are split into chunks that all threads share.

A table's sums are whole numbers, so neither chunks nor threads change a figure.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import numpy as np

from jamaica_sim.play.chunks import Played, chunks, play_in_order, threads_or_all
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.tally.layout import tally_dtype
from jamaica_sim.results.drama import FEWEST, measure_drama
from jamaica_sim.results.drama import GAMES as DRAMA_GAMES
from jamaica_sim.results.results import Results

PIECE = 2500  # games; they take less than a tenth of a second, the longest wait until the threads stop


def play_until_stopped(
    tables: list[GameTable],
    games: int,
    first_game: int = 0,
    threads: int | None = None,
    stop: threading.Event | None = None,
    progress: Callable[[int], object] | None = None,
    *,
    piece: int = PIECE,
) -> list[Results]:
    """The results of each table over the same games: fewer of them, or none, where the event `stop` ended the play.

    No thread plays more than `piece` games before it looks at `stop`.
    """
    tallies = [np.zeros(1, tally_dtype(len(table.measures))) for table in tables]
    numbers = range(len(tables))
    work = [replace(chunk, table=number) for chunk in chunks(first_game, games, piece) for number in numbers]
    seconds = [0.0] * len(tables)
    done = 0
    with closing(play_in_order(tables, work, threads_or_all(threads), stop=stop)) as played:
        same: list[Played] = []  # the same games at one table after the other
        for one in played:
            same.append(one)
            if len(same) == len(tables):
                for number, at_table in enumerate(same):
                    tallies[number].view(np.int64)[:] += at_table.tally.view(np.int64)
                    seconds[number] += at_table.seconds
                same.clear()
            done += one.chunk.games
            if progress is not None:
                progress(done)
    return [Results(t, tally[0], first_game, s) for t, tally, s in zip(tables, tallies, seconds, strict=True)]


def play_tables(
    tables: list[GameTable],
    games: int,
    first_game: int = 0,
    threads: int | None = None,
    stop: threading.Event | None = None,
    *,
    piece: int = PIECE,
) -> list[Results] | None:
    """The results of each table over the same games; None where the event `stop` ended the play early."""
    results = play_until_stopped(tables, games, first_game, threads, stop, piece=piece)
    return results if all(played.games == games for played in results) else None


def with_drama(
    results: list[Results], threads: int | None = None, stop: threading.Event | None = None, *, matter: bool = True
) -> list[Results]:
    """The same results with the tension of their first games; a stop raises KeyboardInterrupt.

    `matter` also judges choices, which takes most of the time.
    """
    measured = []
    for played in results:
        games = max(FEWEST, min(played.games, DRAMA_GAMES))
        drama = measure_drama(played.table, games, played.first_game, threads, stop=stop, matter=matter)
        if drama is None:
            raise KeyboardInterrupt
        measured.append(replace(played, drama=drama))
    return measured
