"""Plays games on this machine: chunks on a thread pool, handed out in order whatever order they finish in.

The kernel releases the GIL, so threads are as good as processes, and progress and interruption stay in Python.
"""

import os
import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from jamaica_sim.engine.kernel import list_pile
from jamaica_sim.engine.state import RESULT_DTYPE, TRACE_ROWS
from jamaica_sim.engine.tally import KERNEL_SUMS, TALLY_DTYPE, tally_rows
from jamaica_sim.run.table import Table
from jamaica_sim.strategy.seating import StrategyFault, new_state, play, replay_command

CHUNK = 4096  # games: large enough to hide Python's work, small enough to stop within a fraction of a second


@dataclass(frozen=True)
class Chunk:
    """A run of consecutive games."""

    first: int
    games: int


@dataclass(frozen=True)
class Played:
    """A chunk's sums, and its result rows where they are wanted."""

    chunk: Chunk
    tally: np.ndarray
    rows: np.ndarray | None


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
        for name in (*KERNEL_SUMS, "games_in_round"):
            self._state[_sum_field(name)] = 0
        self._play(chunk, rows)
        tally = np.zeros(1, TALLY_DTYPE)
        numbers = rows.view(np.int16).reshape(rows.size, -1)
        tally_rows(rows, numbers, self._table.engine_rules, self._groups, tally)
        for name in (*KERNEL_SUMS, "games_in_round"):
            tally[name] = self._state[_sum_field(name)]
        return Played(chunk, tally, rows if keep_rows else None)

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
        try:
            play(self._state, table.engine_rules, table.strategies, table.seed, chunk.first, rows)
        except StrategyFault as fault:
            fault.hint = f"; see it with: {replay_command(table.rules, table.strategies, table.seed, fault.game)}"
            raise


def _sum_field(name):
    return name if name == "games_in_round" else f"sum_{name}"


def play_in_order(table: Table, work, threads: int, keep_rows: bool = False):
    """Play chunks on threads and yield them, in the order of `work`. Closing the generator stops the threads."""
    workers = threading.local()

    def play_chunk(chunk):
        if not hasattr(workers, "worker"):
            workers.worker = Worker(table)
        return workers.worker.play(chunk, keep_rows)

    pool = ThreadPoolExecutor(threads, thread_name_prefix="jamaica")
    pending = deque()
    try:
        for chunk in work:
            pending.append(pool.submit(play_chunk, chunk))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
