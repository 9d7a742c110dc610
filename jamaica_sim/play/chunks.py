"""Plays games on this machine: chunks on threads, each with its own worker, yielded in order, and a watch over them.

The engine releases the GIL, so threads are as fast as processes. Progress and interruption stay in Python. A strategy
that never answers cannot be interrupted, but it is noticed and named, and its thread is abandoned.
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from itertools import pairwise
from queue import SimpleQueue
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from jamaica_sim.engine.events import read_event
from jamaica_sim.engine.game import list_pile
from jamaica_sim.engine.state import RESULT_DTYPE, TRACE_ROWS
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import check_threads
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import plain_table, table_of
from jamaica_sim.play.state_record import GamePlayer
from jamaica_sim.play.stopping import leave_behind
from jamaica_sim.play.tally.count import Tallier
from jamaica_sim.play.tally.layout import KERNEL_SUMS, tally_dtype

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


def paced_chunks(first: int, end: int, pace: Pace, part: int = 0, table: int = 0, step: int = 0) -> Iterator[Chunk]:
    """Cut games into chunks, each as large as the pace says by then; none crosses a multiple of `part`."""
    while first < end:
        cut = min(first + pace.games, end)
        if part:
            cut = min(cut, first - first % part + part)
        yield Chunk(first, cut - first, table, step)
        first = cut


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


class Summing(GamePlayer):
    """Plays chunks of which only the sums are kept; who sums up, and what, is left to the kind of player."""

    def sums(self, first: int, count: int) -> np.ndarray:
        """The sums over so many game numbers."""
        raise NotImplementedError

    def play(self, chunk: Chunk, keep_rows: bool = False) -> Played:
        """Play a chunk, and sum it up for each of its `ends`."""
        started = time.perf_counter()
        sums = [self.sums(first, end - first) for first, end in pairwise([chunk.first, *chunk.ends()])]
        return Played(chunk, np.concatenate(sums), None, time.perf_counter() - started)


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


PATIENCE = "JAMAICA_SIM_PATIENCE"  # environment variable: seconds that a strategy may take for one answer
GLANCE = 0.1  # seconds between two checks whether to stop, or whether a strategy is stuck
FAREWELL = 1.0  # seconds that threads get to end their chunk


def patience() -> float:
    """Seconds that a strategy may take for one answer."""
    given = os.environ.get(PATIENCE, "60")
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not seconds > 0:  # nan is no number of seconds either
        raise UserError(f"the environment variable {PATIENCE} must be a number of seconds above 0, not {given!r}.")
    return seconds


class Watched(Protocol):
    """A worker: it says which question is open, and whose fault a missing answer is."""

    def asked(self) -> tuple[int, ...] | None:
        """The question that is open; it changes with every decision. None while no strategy is asked."""
        ...

    def fault(self, what: str) -> Exception:
        """A fault of the strategy that was asked last."""
        ...


class Deputy:
    """A worker that leaves the asking to others, one after the other: `asking` is the last of them."""

    asking: Watched | None = None

    def asked(self) -> tuple[int, ...] | None:
        """See `Watched`."""
        return self.asking.asked() if self.asking is not None else None

    def fault(self, what: str) -> Exception:
        """See `Watched`."""
        assert self.asking is not None  # only who has asked is at fault
        return self.asking.fault(what)


class _Watch:
    """Notices a worker that has waited too long for an answer."""

    def __init__(self) -> None:
        self._patience = patience()
        self._seen: dict[
            Watched, tuple[tuple[int, ...] | None, float]
        ] = {}  # worker -> what it was asked, and since when

    def look_at(self, workers: Iterable[Watched]) -> None:
        """Raise a StrategyFault for a worker that has waited for the same answer longer than that."""
        now = time.monotonic()
        for worker in workers:
            asked = worker.asked()
            if asked is None or worker not in self._seen or self._seen[worker][0] != asked:
                self._seen[worker] = asked, now
            elif now - self._seen[worker][1] > self._patience:
                raise worker.fault(f"has not answered for {self._patience:g} seconds")


W = TypeVar("W", bound=Watched)  # a worker
C = TypeVar("C")  # a chunk of work
R = TypeVar("R")  # what comes of it


class _Crew(Generic[W, C, R]):
    """Threads that play chunks, each with a worker of its own."""

    def __init__(self, make_worker: Callable[[], W], play: Callable[[W, C], R], threads: int) -> None:
        self._make_worker = make_worker
        self._play = play
        self._chunks: SimpleQueue[tuple[C, Future[R]] | None] = SimpleQueue()
        self._closed = False
        self.workers: list[W] = []
        # Daemons, because a strategy that never answers must not keep the program from ending.
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, chunk: C) -> Future[R]:
        """Have a chunk played."""
        future: Future[R] = Future()
        self._chunks.put((chunk, future))
        return future

    def _work(self) -> None:
        worker = None
        while (task := self._chunks.get()) is not None and not self._closed:
            chunk, future = task
            try:
                if worker is None:
                    worker = self._make_worker()
                    self.workers.append(worker)
                future.set_result(self._play(worker, chunk))
            except BaseException as error:
                future.set_exception(error)

    def close(self) -> None:
        """Let the threads end their chunks and stop; one that does not is abandoned."""
        self._closed = True
        deadline = time.monotonic() + FAREWELL
        for _ in self._threads:
            self._chunks.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            leave_behind(self._threads)


def in_order(
    make_worker: Callable[[], W],
    play: Callable[[W, C], R],
    work: Iterable[C],
    threads: int,
    stop: threading.Event | None = None,
) -> Generator[R, None, None]:
    """Yield `play(worker, chunk)` for each chunk of `work`, in this order, played on threads with a worker each.

    Closing the generator stops the threads. It ends early when the event `stop` is set, and with a StrategyFault when
    a strategy takes longer for an answer than `patience` says.
    """
    watch = _Watch()
    stop = stop or threading.Event()
    crew = _Crew(make_worker, play, threads)
    pending: list[Future[R]] = []

    def is_next_played() -> bool:
        """Wait for the chunk that comes next; False when it is time to stop."""
        while not stop.is_set():
            wait(pending[:1], GLANCE)
            if pending[0].done():
                return True
            watch.look_at(crew.workers)
        return False

    try:
        for chunk in work:
            pending.append(crew.submit(chunk))
            if len(pending) > 2 * threads:
                if not is_next_played():
                    return
                yield pending.pop(0).result()
        while pending:
            if not is_next_played():
                return
            yield pending.pop(0).result()
    finally:
        crew.close()


def play_in_order(
    tables: Sequence[Any] | Mapping[int, Any],
    work: Iterable[Chunk],
    threads: int,
    keep_rows: bool = False,
    stop: threading.Event | None = None,
    make_worker: Callable[[Any], Any] = Worker,
) -> Generator[Played, None, None]:
    """Play chunks of the tables' games on threads, see `in_order`; `make_worker(table)` plays those of a table."""

    def play(worker: _TableWorker, chunk: Chunk) -> Played:
        return worker.play(chunk, keep_rows)

    return in_order(lambda: _TableWorker(tables, make_worker), play, work, threads, stop)


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


class Layout(NamedTuple):
    """How games are summed up, and so who plays them: whole tallies of a table's games, or sums by deal.

    `order(table)` is what a worker of a cluster has to know, in plain values, and `table(order)` makes the table there.
    """

    worker: Callable[[Any], Any]  # made from a table, it plays chunks
    dtype: Callable[[Any], np.dtype]  # of the record of a table's sums
    order: Callable[[Any], dict[str, Any]]
    table: Callable[[dict[str, Any]], Any]


def _tally_dtype(table: Any) -> np.dtype:
    return tally_dtype(len(table.measures))


TALLIES = Layout(Worker, _tally_dtype, plain_table, table_of)
