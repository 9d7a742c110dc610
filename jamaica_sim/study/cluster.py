"""Plays chunks on a Dask cluster: each chunk is a task, and chunks come back in order, as from threads.

A chunk whose worker is lost is played again by another, with the same result. An order carries the plain configuration
with the strategies' texts, so workers need nothing but the same release. What they do stands at the end.
"""

import json
import logging
import os
import re
import signal
import threading
import time
import zlib
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.sources import played_by, program
from jamaica_sim.play.chunks import GLANCE, TALLIES, Chunk, Layout, Pace, Played, chunks, play_in_order
from jamaica_sim.play.own_measures import refuse_functions
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.stopping import interruptible, leave_behind

LARGEST_CHUNK = 65_536
SECONDS = 0.5  # that a task should take: long compared with sending it, short enough to lose with its worker
FIRST_CHUNK = 512
TASKS = 200_000  # of a run, about: longer runs have larger tasks, so that one client keeps thousands of cores busy
LONGEST_SECONDS = 60.0  # that a larger task should take at most
LARGEST_CHUNK_WITH_ROWS = 16_384  # its rows, 7 MB, go over the network
AHEAD = 3  # tasks under way for each thread of the cluster, so that none waits while results are fetched
LOSSES = 20  # times that the same chunk may be lost with its worker before the run is given up
CONNECT = 20  # seconds that a scheduler may be out of reach
LONELY = 300  # seconds without any worker before the run is given up; finished games are saved
REMIND = 60  # seconds between two remarks that there are no workers
LOST = "the connection to the Dask scheduler is lost."
COUNT_EVERY = 2.0  # seconds between two counts of the workers
# By default Dask samples its threads and event loops up to a hundred times a second: 4% of a core for each process.
QUIET_DASK = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "1s",
}
Remark = Callable[[str], object]  # gets a sentence for the user
# Work, whether rows are kept, and what stops it.
PlayChunks = Callable[[Iterable[Chunk], bool, threading.Event], Generator[Played, None, None]]


class ClusterFault(OSError):
    """The cluster cannot be reached or cannot go on; the message is one sentence."""


def parse_cluster(text: str) -> str | int:
    """`local:N` as a number of processes on this machine, anything else as a scheduler's address."""
    if match := re.fullmatch(r"local:0*([1-9]\d{0,3})", text):
        return int(match[1])
    if re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", text):
        return text
    raise UserError(
        f"a cluster is tcp://HOST:PORT, the address of a Dask scheduler, or local:N for N processes here, not {text!r}."
    )


def check_cluster(text: str) -> None:
    """Refuse a text that names no cluster, and any cluster if Dask is not installed."""
    parse_cluster(text)
    _import_dask()


def cluster_pace(games: int, keep_rows: bool, in_deal: int = 1) -> Pace:
    """How large the chunks for a cluster should be, if so many games are played; in deals if a deal has several games.

    Long runs have larger chunks, in games and in time. Chunks with rows stay small, because rows go over the network.
    """
    if keep_rows:
        return Pace(SECONDS, LARGEST_CHUNK_WITH_ROWS, FIRST_CHUNK)
    times = max(1.0, games / TASKS / LARGEST_CHUNK)
    largest, first = (max(1, int(size) // in_deal) for size in (LARGEST_CHUNK * times, FIRST_CHUNK))
    return Pace(min(SECONDS * times, LONGEST_SECONDS), largest, first)


@contextmanager
def cluster_player(
    tables: Sequence[Any], cluster: str, remark: Remark | None = None, layout: Layout = TALLIES
) -> Iterator[PlayChunks]:
    """Connect to a cluster; yields a function that lets it play chunks of the tables' games, in order."""
    for table in tables:
        refuse_functions(table.measures, "a cluster")
        if players := [strategy.name for strategy in table.strategies if strategy.kind == "plain"]:
            raise UserError(f"the Python player {players[0]} can answer on this machine only: leave the cluster out.")
    where, distributed = parse_cluster(cluster), _import_dask()
    with _connect(distributed, where) as client:
        team = _Team(distributed, client, tables, layout, remark)
        yield team.play


def _import_dask() -> ModuleType:
    """Dask, kept from logging to standard error: what matters is said in our own words."""
    try:
        import distributed
    except ImportError:
        raise UserError(
            "--cluster needs Dask, which is not installed: pip install 'dask[distributed]', here and on all workers."
        ) from None
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return distributed


def _processes(distributed: ModuleType, count: int) -> Any:
    """A cluster of processes on this machine."""
    import dask

    with dask.config.set(QUIET_DASK):
        return distributed.LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            dashboard_address=None,
            # Even without a dashboard the scheduler serves HTTP, and warns if its usual port is taken: use any port.
            scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
            silence_logs=logging.CRITICAL,
            memory_limit=0,
            preload=[__name__],
        )


@contextmanager
def _connect(distributed: ModuleType, where: str | int) -> Iterator[Any]:
    local = None
    try:
        if isinstance(where, int):
            local, client = interruptible(lambda: _start_here(distributed, where))
        else:
            client = _reach(distributed, where)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterFault(f"no Dask scheduler answers at {where}: {_reason(error)}.") from error
    try:
        yield client
    finally:
        with suppress(KeyboardInterrupt):  # if it does not end in time, it is left behind
            interruptible(lambda: _leave(client, local), when_stopped=True)


def _start_here(distributed: ModuleType, count: int) -> tuple[Any, Any]:
    """A cluster of processes on this machine, and its client. Ctrl-C would reach them too, so it is blocked."""
    if hasattr(signal, "pthread_sigmask"):  # all threads and processes that this thread starts inherit it
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    from unittest.mock import patch  # slow to import

    # Processes import nothing from the current folder, where multiprocessing's `python -c` would look first, and its
    # resource tracker prints no warning if we exit without waiting for it.
    warnings = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"]))
    with patch.dict(os.environ, {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": warnings}):
        local = _processes(distributed, count)
    try:
        return local, distributed.Client(local, timeout=CONNECT, set_as_default=False)
    except BaseException:
        local.close()
        raise


def _leave(client: Any, local: Any) -> None:
    with suppress(OSError, TimeoutError):
        client.close()
    if local is not None:
        _dismiss(local.workers.values())
        with suppress(OSError, TimeoutError):
            local.close()


def _reach(distributed: ModuleType, address: str) -> Any:
    """A client of the scheduler at an address. The time limit is ours: Dask's fails if something else answers there."""
    found: Future[Any] = Future()

    def connect() -> None:
        try:
            found.set_result(distributed.Client(address, timeout=CONNECT, set_as_default=False))
        except Exception as error:
            found.set_exception(OSError(_reason(error)))

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    interruptible(lambda: wait([found], CONNECT))
    if found.done():
        return found.result()
    leave_behind([thread])  # Dask may go on trying for minutes
    raise OSError(f"nothing for {CONNECT:g} seconds")


def _dismiss(nannies: Iterable[Any]) -> None:
    """Kill our own worker processes: nobody needs what they still play, and an ordinary end would wait for it."""
    for nanny in nannies:
        nanny.auto_restart = False
        with suppress(OSError, TypeError):  # it has no process just now
            os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


class _Team:
    """The workers of a cluster, as the client sees them."""

    def __init__(
        self, distributed: ModuleType, client: Any, tables: Sequence[Any], layout: Layout, remark: Remark | None
    ) -> None:
        self._distributed, self._client, self._tables, self._layout = distributed, client, tables, layout
        self._orders = cache(lambda number: packed_order(layout, tables[number]))
        self._remark = remark or (lambda sentence: None)
        self._threads, self._counted, self._reminded = 0, float("-inf"), float("-inf")
        self._since: dict[str, float] = {}  # since when something lasts

    def play(self, work: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Generator[Played, None, None]:
        """Have chunks played; yields what was played of each, in order, until the event `stop` is set."""
        pending: deque[tuple[Chunk, Any]] = deque()
        work, losses = iter(work), 0  # of the chunk that comes next
        try:
            while not stop.is_set():
                self._look_after()
                while len(pending) < max(1, AHEAD * self._threads) and (chunk := next(work, None)) is not None:
                    pending.append((chunk, self._sent(chunk, keep_rows)))
                if not pending:
                    return
                chunk, future = pending[0]
                if not future.done():
                    stop.wait(GLANCE / 5)
                    continue
                games = f"games {chunk.first} to {chunk.first + chunk.games - 1}"
                try:
                    played = self._played(chunk, *future.result())
                except (ClusterFault, StrategyFault):  # what a worker says
                    raise
                except self._distributed.KilledWorker:
                    if (losses := losses + 1) > LOSSES:
                        raise ClusterFault(f"workers are lost again and again at {games}.") from None
                    pending[0] = chunk, self._sent(chunk, keep_rows)
                except (self._distributed.CancelledError, self._distributed.comm.CommClosedError, OSError) as error:
                    raise ClusterFault(LOST) from error
                except Exception as error:  # any other error of Dask or a worker
                    raise ClusterFault(f"the workers cannot play {games}: {_reason(error)}.") from error
                else:
                    losses = 0
                    pending.popleft()
                    yield played
        finally:
            with suppress(OSError, TimeoutError):  # the scheduler is gone
                self._client.cancel([future for _, future in pending], force=True)

    def _sent(self, chunk: Chunk, keep_rows: bool) -> Any:
        return self._client.submit(play_order, self._layout, self._orders(chunk.table), chunk, keep_rows, pure=False)

    def _played(self, chunk: Chunk, kind: str, *answer: Any) -> Played:
        table = self._tables[chunk.table]
        if kind == "fault":
            raise FaultElsewhere(table, *answer)
        sums, rows, seconds = answer
        return Played(chunk, np.frombuffer(zlib.decompress(sums), self._layout.dtype(table)), rows, seconds)

    def _look_after(self) -> None:
        """Count the workers now and then. Raise if the scheduler or all workers have been gone for too long."""
        now = time.monotonic()
        if now - self._counted > COUNT_EVERY:
            self._counted = now
            with suppress(OSError, TimeoutError):  # the scheduler is gone, or will be back
                self._threads = sum(self._client.nthreads().values())
        if self._lasts("silent", self._client.status != "running") > CONNECT or self._client.status == "closed":
            raise ClusterFault(LOST)
        lonely = self._lasts("lonely", not self._threads)
        if lonely > LONELY:
            raise ClusterFault(f"the cluster has had no workers for {LONELY:g} seconds.")
        if not self._threads and now - self._reminded > REMIND:
            self._reminded = now
            self._remark(f"The cluster has no workers: waiting for some, {LONELY - lonely:.0f} seconds more at most.")

    def _lasts(self, what: str, is_so: bool) -> float:
        """For how many seconds something has been so."""
        if not is_so:
            self._since.pop(what, None)
            return 0.0
        return time.monotonic() - self._since.setdefault(what, time.monotonic())


class FaultElsewhere(StrategyFault):
    """A strategy's fault on a worker of the cluster, at a table or with these strategies of it seated."""

    def __init__(self, table: Any, what: str, game: int, seating: Sequence[int] | None = None) -> None:
        Exception.__init__(self, what)
        self.game = game
        seated = table.strategies if seating is None else [table.strategies[seat] for seat in seating]
        self.show_with(table.rules, seated, table.seed, table.luck)

    def show_stepwise(self) -> None:
        """Add no hint: the worker's message has it already."""
        self.hint = ""


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}".rstrip(": .")


# On a worker


def dask_setup(worker: Any) -> None:
    """Called by Dask in the processes on this machine: ignore Ctrl-C, which is meant for the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def packed_order(layout: Layout, table: Any) -> bytes:
    """An order as it travels, with the program that the worker must have."""
    return zlib.compress(json.dumps({**layout.order(table), "played_by": played_by()}).encode())


@lru_cache(maxsize=8)
def _table(layout: Layout, order: bytes) -> Any:
    """The table of an order. Raises ClusterFault where the client has another program, or nobody can be seated."""
    facts, here = json.loads(zlib.decompress(order)), played_by()
    if (wanted := facts["played_by"]) != here:
        raise ClusterFault(f"a worker has jamaica-sim {program(here)}, but the run wants {program(wanted)}.")
    try:
        return layout.table(facts).with_code(trust=True)  # the user was asked before the order was sent
    except ValueError as error:
        raise ClusterFault(f"a worker cannot seat the strategies: {error}") from error


def play_order(layout: Layout, order: bytes, chunk: Chunk, keep_rows: bool) -> tuple[Any, ...]:
    """Play a chunk on a worker. The answer is ("played", sums, rows, seconds) or ("fault", message, game, *where).

    A large chunk is cut up, so that the memory for its rows does not grow with it.
    """
    table, ends, size = _table(layout, order), chunk.ends(), chunk.games if keep_rows else LARGEST_CHUNK
    spans = pairwise([chunk.first, *ends])
    work = [piece for first, end in spans for piece in chunks(first, end - first, size, chunk.table)]
    sums, rows, seconds = np.zeros(len(ends), layout.dtype(table)), None, 0.0
    try:
        for one in play_in_order({chunk.table: table}, work, 1, keep_rows, make_worker=layout.worker):
            span = bisect_right(ends, one.chunk.first)
            sums[span : span + 1].view(np.int64)[:] += one.tally.view(np.int64)
            rows, seconds = one.rows, seconds + one.seconds
    except StrategyFault as fault:
        fault.show_stepwise()
        return "fault", str(fault), fault.game, *fault.where
    return "played", zlib.compress(sums.tobytes(), 1), rows, seconds
