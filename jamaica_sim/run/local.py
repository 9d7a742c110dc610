"""Plays games on this machine: chunks on threads, handed out in order whatever order they finish in.

The kernel releases the GIL, so threads are as good as processes, and progress and interruption stay in Python. A
strategy that never answers cannot be interrupted, but it is noticed, named and left behind.
"""

import atexit
import os
import sys
import threading
import time
from concurrent.futures import Future, wait
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from jamaica_sim.engine.kernel import list_pile
from jamaica_sim.engine.state import RESULT_DTYPE, TRACE_ROWS
from jamaica_sim.engine.tally import KERNEL_SUMS, TALLY_DTYPE, row_numbers, tally_rows
from jamaica_sim.run.table import Table
from jamaica_sim.strategy.seating import StrategyFault, new_state, play, replay_command
from jamaica_sim.words import DECISIONS

NO_GAME = -1
CHUNK = 4096  # games: large enough to hide Python's work, small enough to stop within a fraction of a second
PATIENCE = "JAMAICA_SIM_PATIENCE"  # environment: seconds that a strategy may take for one answer
GLANCE = 0.1  # seconds between two looks at whether to stop, or whether a strategy is stuck
FAREWELL = 1.0  # seconds that threads get to end their chunk


@dataclass(frozen=True)
class Chunk:
    """A run of consecutive games."""

    first: int
    games: int


@dataclass(frozen=True)
class Played:
    """A chunk's sums, its result rows where they are wanted, and the time that one thread took for it."""

    chunk: Chunk
    tally: np.ndarray
    rows: np.ndarray | None
    seconds: float


def chunks(first: int, games: int, size: int):
    """Cut games into chunks."""
    for start in range(first, first + games, size):
        yield Chunk(start, min(size, first + games - start))


def default_threads() -> int:
    """As many threads as this process may use cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Worker:
    """One state record and its buffers; plays one chunk after the other."""

    def __init__(self, table: Table):
        self._table = table
        self._groups = table.group_of_ships()
        self._state = new_state(table.strategies)
        self._rows = np.zeros(0, RESULT_DTYPE)

    def play(self, chunk: Chunk, keep_rows: bool) -> Played:
        """Play a chunk; raises StrategyFault where a strategy misbehaves."""
        if keep_rows or self._rows.size < chunk.games:
            self._rows = np.zeros(chunk.games, RESULT_DTYPE)
        rows = self._rows[: chunk.games]
        started = time.perf_counter()
        for name in (*KERNEL_SUMS, "games_in_round"):
            self._state[_sum_field(name)] = 0
        self._play(chunk, rows)
        tally = np.zeros(1, TALLY_DTYPE)
        tally_rows(rows, row_numbers(rows), self._table.engine_rules, self._groups, tally)
        for name in (*KERNEL_SUMS, "games_in_round"):
            tally[name] = self._state[_sum_field(name)]
        return Played(chunk, tally, rows if keep_rows else None, time.perf_counter() - started)

    def trace(self, game: int):
        """Play one game with the trace on: its result row, the trace rows, the treasure pile, top first, and the fault.

        A strategy's fault ends the game early; what happened until then is told all the same.
        """
        rows = np.zeros(1, RESULT_DTYPE)
        self._state["tracing"] = 1
        self._state["trace_length"] = 0
        fault = None
        try:
            self._play(Chunk(game, 1), rows)
        except StrategyFault as error:
            fault = error
        finally:
            self._state["tracing"] = 0
        length = int(self._state["trace_length"][0])
        if length > TRACE_ROWS:
            raise ValueError(f"game {game} has {length} events, more than the {TRACE_ROWS} that a trace can hold.")
        pile = np.zeros(self._table.rules.treasure_pile, np.int64)
        list_pile(self._state, self._table.engine_rules, pile)
        return rows[0], self._state["trace"][0, :length], pile.tolist(), fault

    def _play(self, chunk, rows):
        table = self._table
        self._state["game"] = NO_GAME  # until the compiled engine has begun
        try:
            play(self._state, table.engine_rules, table.strategies, table.seed, chunk.first, rows)
        except StrategyFault as fault:
            fault.hint = f"; see it with: {replay_command(table.rules, table.strategies, table.seed, fault.game)}"
            raise
        finally:
            self._state["game"] = NO_GAME

    def asked(self) -> tuple | None:
        """See `place_in_game`."""
        return place_in_game(self._state[0])

    def fault(self, what: str) -> StrategyFault:
        """See `fault_of_asked`."""
        return fault_of_asked(self._state[0], self._table.strategies, what)


def place_in_game(state) -> tuple | None:
    """Where the game is that another thread plays in this record: it changes with every decision."""
    return (int(state["game"]), *state["luck_place"].tolist()) if state["game"] != NO_GAME else None


def fault_of_asked(state, strategies, what: str) -> StrategyFault:
    """A fault of the strategy that was asked last."""
    strategy, decision = strategies[int(state["me"])], DECISIONS[int(state["decision"])]
    return StrategyFault(strategy, decision, int(state["game"]), what)


def _sum_field(name):
    return name if name == "games_in_round" else f"sum_{name}"


def default_patience() -> float:
    """Seconds that a strategy may take for one answer."""
    return float(os.environ.get(PATIENCE, 60))


class _Watch:
    """Notices when a worker's game has not gone on for too long."""

    def __init__(self, patience: float):
        self._patience = patience
        self._seen = {}  # worker -> what it was asked, and since when

    def look_at(self, workers):
        """Raise a StrategyFault for a worker that has waited for the same answer longer than there is patience."""
        now = time.monotonic()
        for worker in workers:
            asked = worker.asked()
            if asked is None or self._seen.get(worker, (None,))[0] != asked:
                self._seen[worker] = asked, now
            elif now - self._seen[worker][1] > self._patience:
                raise worker.fault(f"has not answered for {self._patience:g} seconds")


class _Crew:
    """Threads that play chunks, each with a worker of its own."""

    def __init__(self, make_worker, play, threads: int):
        self._make_worker = make_worker
        self._play = play
        self._chunks = SimpleQueue()
        self._closed = False
        self.workers = []
        # Daemons, because a strategy that never answers must not keep the program from ending.
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def submit(self, chunk) -> Future:
        """Have a chunk played."""
        future = Future()
        self._chunks.put((chunk, future))
        return future

    def _work(self):
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

    def close(self):
        """Let the threads end their chunks and go; one that does not is left behind."""
        self._closed = True
        deadline = time.monotonic() + FAREWELL
        for _ in self._threads:
            self._chunks.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            atexit.register(_leave, self._threads)


def _leave(threads):
    """End the program at once if some thread still runs compiled code, which an ordinary end would free."""
    if any(thread.is_alive() for thread in threads):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


def play_in_order(table: Table, work, threads: int, keep_rows: bool = False, stop=None, patience: float | None = None):
    """Play chunks of a table's games on threads, see `in_order`."""

    def play_rows(worker, chunk):
        return worker.play(chunk, keep_rows)

    return in_order(lambda: Worker(table), play_rows, work, threads, stop, patience)


def in_order(make_worker, play, work, threads: int, stop=None, patience: float | None = None):
    """Yield `play(worker, chunk)` for each chunk of `work`, in this order, played on threads with a worker each.

    Closing the generator stops the threads. It ends early when the event `stop` is set, and with a StrategyFault when
    a strategy takes more than `patience` seconds for an answer.
    """
    watch = _Watch(default_patience() if patience is None else patience)
    stop = stop or threading.Event()
    crew = _Crew(make_worker, play, threads)
    pending = []

    def next_played():
        """The chunk that comes next, None when it is time to stop."""
        while not stop.is_set():
            wait(pending[:1], GLANCE)
            if pending[0].done():
                return pending.pop(0).result()
            watch.look_at(crew.workers)

    try:
        for chunk in work:
            pending.append(crew.submit(chunk))
            if len(pending) > 2 * threads:
                if (played := next_played()) is None:
                    return
                yield played
        while pending:
            if (played := next_played()) is None:
                return
            yield played
    finally:
        crew.close()
