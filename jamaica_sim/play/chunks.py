"""Plays games on this machine: chunks on threads, yielded in order, whatever order they finish in.

The engine releases the GIL, so threads are as fast as processes. Progress and interruption stay in Python.
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jamaica_sim.engine.events import read_event
from jamaica_sim.engine.game import list_pile
from jamaica_sim.engine.state import RESULT_DTYPE, TRACE_ROWS
from jamaica_sim.files.limits import check_threads
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import GamePlayer
from jamaica_sim.play.tally.count import Tallier
from jamaica_sim.play.tally.layout import KERNEL_SUMS
from jamaica_sim.play.worker_threads import Deputy, in_order

CHUNK = 8192  # games: large enough to hide Python's work, small enough to stop within a fraction of a second
FIRST_CHUNK = 64  # games, before the speed is known
STEP = 4  # factor by which the next chunk may be larger or smaller


@dataclass(frozen=True)
class Chunk:
    """A run of consecutive game numbers, at one of the tables that are played.

    With `step` there are sums for every so many numbers, counted from 0, each by itself: so that they can be looked at
    in between.
    """

    first: int
    games: int
    table: int = 0
    step: int = 0

    def ends(self) -> list[int]:
        """Where the numbers end that are summed up together."""
        end = self.first + self.games
        return [*range(self.first - self.first % self.step + self.step, end, self.step), end] if self.step else [end]


@dataclass(frozen=True)
class Played:
    """A chunk's sums, its result rows where they are wanted, and the time that one thread took for it.

    The sums are an array of records, one for each of the chunk's `ends`.
    """

    chunk: Chunk
    tally: np.ndarray
    rows: np.ndarray | None
    seconds: float


def chunks(first: int, games: int, size: int, table: int = 0) -> Iterator[Chunk]:
    """Cut games into chunks."""
    for start in range(first, first + games, size):
        yield Chunk(start, min(size, first + games - start), table)


class Pace:
    """How many games to put into the next chunk: as many as take about `seconds`, but at most `largest`."""

    def __init__(self, seconds: float, largest: int, first: int = FIRST_CHUNK) -> None:
        self._seconds = seconds
        self._largest = largest
        self.games = min(first, largest)

    @classmethod
    def of_chunks(cls, size: int) -> "Pace":
        """A pace whose chunks all have this size."""
        return cls(float("inf"), size, size)

    def learn(self, games: int, seconds: float) -> None:
        """Adapt to the time that a chunk took."""
        wanted = games * self._seconds / max(seconds, 1e-9)
        self.games = int(max(1, self.games // STEP, min(wanted, self.games * STEP, self._largest)))


def default_threads() -> int:
    """One thread for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_or_all(threads: int | None) -> int:
    """That many threads, or one for each core; a number that cannot be used is a ValueError."""
    check_threads(threads)
    return threads or default_threads()


class Worker(GamePlayer):
    """One state record and its buffers; plays one chunk after the other."""

    def __init__(self, table: GameTable, traced: bool = False) -> None:
        super().__init__(table.rules, table.strategies, table.seed, table.luck, traced)
        self._table = table
        self._tallier = Tallier(table.rulebook, table.group_of_ships())
        self._own_measures = table.own_measures()
        self._rows = np.zeros(0, RESULT_DTYPE)

    def play(self, chunk: Chunk, keep_rows: bool) -> Played:
        """Play a chunk; raises StrategyFault where a strategy misbehaves."""
        if keep_rows or self._rows.size < chunk.games:
            self._rows = np.zeros(chunk.games, RESULT_DTYPE)
        rows = self._rows[: chunk.games]
        started = time.perf_counter()
        for name in (*KERNEL_SUMS, "games_in_round"):
            self.state[_sum_field(name)] = 0
        self.play_rows(self._table.rulebook, chunk.first, rows)
        tally = self._tallier.tally(rows)
        for name in (*KERNEL_SUMS, "games_in_round"):
            tally[name] = self.state[_sum_field(name)]
        if self._own_measures:
            tally = self._own_measures.beside(tally, rows)
        return Played(chunk, tally, rows if keep_rows else None, time.perf_counter() - started)


class Tracer(Worker):
    """Plays single games with the trace on."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table, traced=True)

    def trace(self, game: int) -> None:
        """Play one game; raises StrategyFault where a strategy's fault ends it early."""
        self._rows = np.zeros(1, RESULT_DTYPE)
        self.state["trace_length"] = 0
        self.play_rows(self._table.rulebook, game, self._rows)

    def traced(self) -> tuple[np.void, list[dict[str, Any]], list[int]]:
        """The game that was traced last, as far as it came: result row, events, the treasure pile from the top."""
        pile = np.zeros(self._table.rules.treasure_pile, np.int64)
        list_pile(self.state, self._table.rulebook, pile)
        return self._rows[0], self.events(), pile.tolist()

    def events(self) -> list[dict[str, Any]]:
        """The events of the game that was traced last; what a house rule did names its file."""
        length, house = int(self.state["trace_length"][0]), self._table.rules.house_rules
        if length > TRACE_ROWS:
            raise ValueError(f"the game has {length} events, more than the {TRACE_ROWS} that a trace can hold.")
        rule = {"event": "house", "rule": house.name if house else ""}
        events = [read_event(row) for row in self.state["trace"][0, :length].tolist()]
        return [{**rule, **event} if event["event"] == "house" else event for event in events]


def _sum_field(name: str) -> str:
    return name if name == "games_in_round" else f"sum_{name}"


def play_in_order(
    tables: Sequence[Any] | Mapping[int, Any],
    work: Iterable[Chunk],
    threads: int,
    keep_rows: bool = False,
    stop: threading.Event | None = None,
    patience: float | None = None,
    make_worker: Callable[[Any], Any] = Worker,
) -> Generator[Played, None, None]:
    """Play chunks of the tables' games on threads, see `in_order`; `make_worker(table)` plays those of a table."""

    def play(worker: _TableWorker, chunk: Chunk) -> Played:
        return worker.play(chunk, keep_rows)

    return in_order(lambda: _TableWorker(tables, make_worker), play, work, threads, stop, patience)


class _TableWorker(Deputy):
    """Leaves each table to a worker, which is made again when the thread comes to another table."""

    def __init__(self, tables: Sequence[Any] | Mapping[int, Any], make_worker: Callable[[Any], Any]) -> None:
        self._tables, self._make_worker, self._table = tables, make_worker, -1
        self._worker: Any

    def play(self, chunk: Chunk, keep_rows: bool) -> Played:
        """Play a chunk at its table."""
        if chunk.table != self._table:
            self.asking = self._worker = self._make_worker(self._tables[chunk.table])
            self._table = chunk.table
        return self._worker.play(chunk, keep_rows)
