"""Plays chunks on a Dask cluster: each chunk is a task, and chunks come back in order, as from threads.

A chunk whose worker is lost is played again by another, with the same result. `cluster_worker` is what workers do.
"""

import logging
import os
import re
import signal
import threading
import time
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.play.chunks import GLANCE, Chunk, Pace, Played
from jamaica_sim.play.own_measures import refuse_functions
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.stopping import interruptible, leave_behind
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study import cluster_worker
from jamaica_sim.study.cluster_worker import LARGEST_CHUNK, TALLIES, Layout, packed_order, play_order

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
PlayChunks = Callable[
    [Iterable[Chunk], bool, threading.Event], Generator[Played, None, None]
]  # (work, keep_rows, stop)


class ClusterFault(OSError):
    """The cluster cannot be reached or cannot go on; the message is one sentence."""


def parse_cluster(text: str) -> str | int:
    """`local:N` as a number of processes on this machine, anything else as a scheduler's address."""
    if match := re.fullmatch(r"local:(\d{1,4})", text):
        if int(match[1]) > 0:
            return int(match[1])
    elif re.fullmatch(r"(tcp|tls|ws|wss)://[^\s/]+:\d{1,5}", text):
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
    """Connect to a cluster; yields a function that lets it play chunks of the tables' games, in order.

    `remark` gets a sentence when there are no workers.
    """
    for table in tables:
        refuse_functions(table.measures, "a cluster")
    refuse_players(strategy for table in tables for strategy in table.strategies)
    where, distributed = parse_cluster(cluster), _import_dask()
    _silence()
    with _connect(distributed, where) as client:
        team = _Team(distributed, client, tables, layout, remark)
        yield team.play


def _import_dask() -> ModuleType:
    try:
        import distributed
    except ImportError:
        raise UserError(
            "--cluster needs Dask, which is not installed: pip install 'dask[distributed]', here and on all workers."
        ) from None
    return distributed


def _silence() -> None:
    """Keep Dask from logging to standard error: what matters is said in our own words."""
    for name in ["distributed", *logging.root.manager.loggerDict]:
        if name.split(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)


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
            preload=[cluster_worker.__name__],
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
    with _for_children():
        local = _processes(distributed, count)
    try:
        return local, distributed.Client(local, timeout=CONNECT, set_as_default=False)
    except BaseException:
        local.close()
        raise


@contextmanager
def _for_children() -> Iterator[None]:
    """Variables for the processes that are started meanwhile.

    They import nothing from the current folder (multiprocessing starts them with `python -c`, which would look there
    first), and multiprocessing's resource tracker prints no warning if we exit without waiting for it.
    """
    warnings = ",".join(filter(None, [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"]))
    wanted = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": warnings}
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _leave(client: Any, local: Any) -> None:
    with suppress(OSError, TimeoutError):
        client.close()
    if local is not None:
        _dismiss(local.workers.values())
        with suppress(OSError, TimeoutError):
            local.close()


def _reach(distributed: ModuleType, address: str) -> Any:
    """A client of the scheduler at an address. The time limit is ours: Dask's fails if something else answers there."""
    found: dict[str, Any] = {}

    def connect() -> None:
        try:
            found["client"] = distributed.Client(address, timeout=CONNECT, set_as_default=False)
        except Exception as error:
            found["error"] = error

    thread = threading.Thread(target=connect, daemon=True)
    thread.start()
    interruptible(lambda: thread.join(CONNECT))
    if "client" in found:
        return found["client"]
    leave_behind([thread])  # Dask may go on trying for minutes
    error = found.get("error")
    raise OSError(_reason(error) if error else f"nothing for {CONNECT:g} seconds")


def _dismiss(nannies: Iterable[Any]) -> None:
    """Kill our own worker processes: nobody needs what they still play, and an ordinary end would wait for it."""
    for nanny in nannies:
        nanny.auto_restart = False
        with suppress(OSError, TypeError):  # it has no process just now
            os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@dataclass
class _Task:
    chunk: Chunk
    keep_rows: bool
    future: Any
    losses: int = 0
    played: Any = None

    @property
    def span(self) -> str:
        return f"games {self.chunk.first} to {self.chunk.first + self.chunk.games - 1}"


class _Team:
    """The workers of a cluster, as the client sees them."""

    def __init__(
        self, distributed: ModuleType, client: Any, tables: Sequence[Any], layout: Layout, remark: Remark | None
    ) -> None:
        self._distributed = distributed
        self._client = client
        self._tables = tables
        self._layout = layout
        self._orders = cache(lambda number: packed_order(layout, tables[number]))
        self._remark = remark
        self._threads = 0
        self._counted = float("-inf")
        self._silent_since: float | None = None
        self._lonely_since: float | None = None  # when the last worker left
        self._reminded: float | None = None  # when the user was last told

    def play(self, work: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Generator[Played, None, None]:
        """Have chunks played; yields what was played of each, in order, until the event `stop` is set."""
        pending: deque[_Task] = deque()
        work = iter(work)
        try:
            while not stop.is_set():
                while len(pending) < self.tasks_wanted() and (chunk := next(work, None)) is not None:
                    pending.append(_Task(chunk, keep_rows, self._send(chunk, keep_rows)))
                if not pending:
                    return
                task = pending[0]
                if not task.future.done():
                    self.check()
                    stop.wait(GLANCE / 5)
                elif self.is_fetched(task):
                    yield pending.popleft().played
        finally:
            self.dismiss(pending)

    def _send(self, chunk: Chunk, keep_rows: bool) -> Any:
        facts = self._orders(chunk.table), chunk.first, chunk.games, chunk.table, chunk.step, keep_rows
        return self._client.submit(play_order, self._layout, *facts, pure=False)

    def dismiss(self, tasks: Iterable[_Task]) -> None:
        """Cancel tasks whose results are no longer wanted."""
        with suppress(OSError, TimeoutError):  # the scheduler is gone
            self._client.cancel([task.future for task in tasks], force=True)

    def tasks_wanted(self) -> int:
        """How many tasks should be under way; workers may come and go."""
        if time.monotonic() - self._counted > COUNT_EVERY:
            self._count()
        return max(1, AHEAD * self._threads)

    def _count(self) -> None:
        try:
            threads = sum(self._client.nthreads().values())
        except (OSError, TimeoutError):  # the scheduler is gone, or will be back: see `check`
            threads = self._threads
        self._threads, self._counted = threads, time.monotonic()
        self._give_up_without_workers()

    def _give_up_without_workers(self) -> None:
        """While there are no workers, say so now and then; give up after LONELY seconds."""
        now = time.monotonic()
        if self._threads:
            self._lonely_since = self._reminded = None
            return
        if self._lonely_since is None:
            self._lonely_since = now
        if now - self._lonely_since > LONELY:
            raise ClusterFault(f"the cluster has had no workers for {LONELY:g} seconds.")
        if self._reminded is None or now - self._reminded > REMIND:
            self._reminded = now
            if self._remark is not None:
                wait = LONELY - (now - self._lonely_since)
                self._remark(f"The cluster has no workers: waiting for some, {wait:.0f} seconds more at most.")

    def check(self) -> None:
        """Raise if the scheduler has been out of reach, or all workers gone, for too long."""
        self.tasks_wanted()
        if self._client.status == "running":
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = time.monotonic()
        elif time.monotonic() - self._silent_since > CONNECT or self._client.status == "closed":
            raise ClusterFault(LOST)

    def is_fetched(self, task: _Task) -> bool:
        """Fetch the result of a task that is done; False if its worker was lost and the task was sent again."""
        distributed = self._distributed
        try:
            outcome = task.future.result()
        except distributed.KilledWorker:
            task.losses += 1
            if task.losses > LOSSES:
                raise ClusterFault(f"workers are lost again and again at {task.span}.") from None
            task.future = self._send(task.chunk, task.keep_rows)
            return False
        except (distributed.CancelledError, distributed.comm.CommClosedError, OSError) as error:
            raise ClusterFault(LOST) from error
        except Exception as error:  # any other error of Dask or a worker
            raise ClusterFault(f"the workers cannot play {task.span}: {_reason(error)}.") from error
        kind, *rest = outcome
        if kind == "refused":
            raise ClusterFault(rest[0])
        if kind == "fault":
            what, game, *seating = rest
            raise FaultElsewhere(what, game, self._tables[task.chunk.table], *seating)
        sums, rows, seconds = rest
        tally = np.frombuffer(zlib.decompress(sums), self._layout.dtype(self._tables[task.chunk.table]))
        task.played = Played(task.chunk, tally, rows, seconds)
        return True


class FaultElsewhere(StrategyFault):
    """A strategy's fault on a worker of the cluster, at a table or with these strategies of it seated."""

    def __init__(self, what: str, game: int, table: Any, seating: Sequence[int] | None = None) -> None:
        Exception.__init__(self, what)
        self.game = game
        seated = table.strategies if seating is None else [table.strategies[seat] for seat in seating]
        self.show_with(table.rules, seated, table.seed, table.luck)

    def show_stepwise(self) -> None:
        """Add no hint: the worker's message has it already."""
        self.hint = ""


def _reason(error: BaseException) -> str:
    first_line = (str(error).strip().splitlines() or [""])[0]
    return f"{type(error).__name__}: {first_line}".rstrip(": .")


def refuse_players(strategies: Iterable[Strategy]) -> None:
    """Refuse plain Python players: a worker has neither their models and files nor the libraries that they use."""
    for strategy in strategies:
        if strategy.kind == "plain":
            raise UserError(
                f"the Python player {strategy.name} can answer on this machine only: leave the cluster out."
            )
