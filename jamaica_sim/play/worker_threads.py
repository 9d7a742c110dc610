"""Threads that play games, each with its own worker, and a watch over them.

A strategy that never answers cannot be interrupted, but it is noticed and named, and its thread is abandoned.
"""

import os
import threading
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, wait
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

from jamaica_sim.errors import UserError
from jamaica_sim.play.stopping import leave_behind

PATIENCE = "JAMAICA_SIM_PATIENCE"  # environment variable: seconds that a strategy may take for one answer
GLANCE = 0.1  # seconds between two checks whether to stop, or whether a strategy is stuck
FAREWELL = 1.0  # seconds that threads get to end their chunk


def default_patience() -> float:
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

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._seen: dict[
            Watched, tuple[tuple[int, ...] | None, float]
        ] = {}  # worker -> what it was asked, and since when

    def look_at(self, workers: Iterable[Watched]) -> None:
        """Raise a StrategyFault for a worker that has waited for the same answer longer than `patience` seconds."""
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
    patience: float | None = None,
) -> Generator[R, None, None]:
    """Yield `play(worker, chunk)` for each chunk of `work`, in this order, played on threads with a worker each.

    Closing the generator stops the threads. It ends early when the event `stop` is set, and with a StrategyFault when
    a strategy takes more than `patience` seconds for an answer.
    """
    watch = _Watch(default_patience() if patience is None else patience)
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
