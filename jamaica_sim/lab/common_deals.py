"""Plays several tables on the same deals. Their games are split into chunks that all threads share.

A table's sums are whole numbers, so neither chunks nor threads change a figure.
"""

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import numpy as np

from jamaica_sim.play.chunks import Chunk, Played, Worker, chunks, threads_or_all
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.worker_threads import Deputy, in_order
from jamaica_sim.results.drama import FEWEST, measure_drama
from jamaica_sim.results.drama import GAMES as DRAMA_GAMES
from jamaica_sim.results.results import Results
from jamaica_sim.tally.layout import TALLY_DTYPE

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
    tallies = [np.zeros(1, TALLY_DTYPE) for _ in tables]
    work = [(number, chunk) for chunk in chunks(first_game, games, piece) for number in range(len(tables))]
    seconds = [0.0] * len(tables)
    done = 0
    with closing(in_order(lambda: _Player(tables), _Player.piece, work, threads_or_all(threads), stop)) as played:
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


class _Player(Deputy):
    """Leaves each table to a worker, which is made again when the thread comes to another table."""

    def __init__(self, tables: list[GameTable]) -> None:
        self._tables, self._number = tables, -1
        self._worker: Worker | None = None

    def piece(self, work: tuple[int, Chunk]) -> Played:
        """Play a piece of a table's games."""
        number, chunk = work
        if self._worker is None or number != self._number:
            self._number, self._worker = number, Worker(self._tables[number])
            self.asking = self._worker
        return self._worker.play(chunk, keep_rows=False)
