"""Plays chunks on a Dask cluster: each chunk is a task, and chunks come back in order, as from threads.

A chunk whose worker is lost is played again by another, with the same result. `cluster_worker` is what workers do.
"""

import logging
import os
import re
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.play.chunks import Chunk, Pace, Played
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.stopping import interruptible, leave_behind
from jamaica_sim.play.worker_threads import GLANCE
from jamaica_sim.rules import Rules
from jamaica_sim.run import cluster_worker
from jamaica_sim.run.cluster_worker import LARGEST_CHUNK, order, play_order
from jamaica_sim.strategy.strategy import Strategy

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
CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.admin.tick.interval": "1s",
}


Remark = Callable[[str], object]  # gets a sentence for the user
Player = Callable[[Iterable[Chunk], bool, threading.Event], Iterator[Played]]  # (work, keep_rows, stop): plays chunks


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


def cluster_pace(games: int, keep_rows: bool, games_in_deal: int = 1) -> Pace:
    """How large the chunks for a cluster should be in a run of so many games; in deals if a deal has several games.

    Long runs have larger chunks, in games and in time. Chunks with rows stay small, because rows go over the network.
    """
    if keep_rows:
        return Pace(SECONDS, LARGEST_CHUNK_WITH_ROWS, FIRST_CHUNK)
    times = max(1.0, games / TASKS / LARGEST_CHUNK)
    largest, first = (max(1, int(size) // games_in_deal) for size in (LARGEST_CHUNK * times, FIRST_CHUNK))
    return Pace(min(SECONDS * times, LONGEST_SECONDS), largest, first)


@dataclass(frozen=True)
class Job:
    """The work of a cluster. Workers call `task(order, *chunk)`, which says what was played, or why not (`answer`)."""

    task: Callable[..., Any]  # a function of a module, which workers import
    order: str | bytes  # what the task has to know, in a form in which Dask looks for nothing to replace
    fault: Callable[..., "FaultElsewhere"]  # made from what the worker's `answer` says about it
    span: Callable[..., str]  # a chunk in words


PlayJob = Callable[[Job, Iterable[tuple[Any, ...]], threading.Event], Generator[Any, None, None]]


@contextmanager
def open_cluster(cluster: str, remark: Remark | None = None) -> Iterator[PlayJob]:
    """Connect to a cluster; yields `play(job, work, stop)`, a generator of what was played of each chunk, in order.

    It ends early when the event `stop` is set. `remark` gets a sentence when there are no workers.
    """
    where = parse_cluster(cluster)
    distributed = _import_dask()
    _silence()
    with _connect(distributed, where) as client:
        yield lambda job, work, stop: _play(_Team(distributed, client, job, remark), work, stop)


@contextmanager
def cluster_player(table: GameTable, cluster: str, remark: Remark | None = None) -> Iterator[Player]:
    """A player for `run.simulate` that lets a cluster play the chunks."""
    refuse_players(table.strategies)

    def fault(what: str, game: int) -> FaultElsewhere:
        return FaultElsewhere(what, game, table.rules, table.strategies, table.seed, table.luck)

    def play(work: Iterable[Chunk], keep_rows: bool, stop: threading.Event) -> Iterator[Played]:
        pieces = ((chunk.first, chunk.games, keep_rows) for chunk in work)
        return play_job(Job(play_order, order(table), fault, _span), pieces, stop)

    with open_cluster(cluster, remark) as play_job:
        yield play


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

    with dask.config.set(CALM):
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


def _play(team: "_Team", work: Iterable[tuple[Any, ...]], stop: threading.Event) -> Generator[Any, None, None]:
    pending: deque[_Task] = deque()
    work = iter(work)
    try:
        while not stop.is_set():
            while len(pending) < team.room() and (chunk := next(work, None)) is not None:
                pending.append(team.submit(chunk))
            if not pending:
                return
            task = pending[0]
            if not task.future.done():
                team.check()
                stop.wait(GLANCE / 5)
            elif team.is_fetched(task):
                yield pending.popleft().played
    finally:
        team.dismiss(pending)


@dataclass
class _Task:
    chunk: tuple[Any, ...]
    future: Any
    losses: int = 0
    played: Any = None


class _Team:
    """The workers of a cluster, as the client sees them."""

    def __init__(self, distributed: ModuleType, client: Any, job: Job, remark: Remark | None) -> None:
        self._distributed = distributed
        self._client = client
        self._job = job
        self._remark = remark
        self._threads = 0
        self._counted = float("-inf")
        self._silent_since: float | None = None
        self._lonely_since: float | None = None  # when the last worker left
        self._reminded: float | None = None  # when the user was last told

    def submit(self, chunk: tuple[Any, ...]) -> _Task:
        """Have a chunk played."""
        return _Task(chunk, self._send(chunk))

    def _send(self, chunk: tuple[Any, ...]) -> Any:
        return self._client.submit(self._job.task, self._job.order, *chunk, pure=False)

    def dismiss(self, tasks: Iterable[_Task]) -> None:
        """Cancel tasks whose results are no longer wanted."""
        with suppress(OSError, TimeoutError):  # the scheduler is gone
            self._client.cancel([task.future for task in tasks], force=True)

    def room(self) -> int:
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
        self._mind_loneliness()

    def _mind_loneliness(self) -> None:
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
        self.room()
        if self._client.status == "running":
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = time.monotonic()
        elif time.monotonic() - self._silent_since > CONNECT or self._client.status == "closed":
            raise ClusterFault(LOST)

    def is_fetched(self, task: _Task) -> bool:
        """Fetch the result of a task that is done; False if its worker was lost and the task was sent again."""
        distributed, span = self._distributed, self._job.span
        try:
            outcome = task.future.result()
        except distributed.KilledWorker:
            task.losses += 1
            if task.losses > LOSSES:
                raise ClusterFault(f"workers are lost again and again at {span(*task.chunk)}.") from None
            task.future = self._send(task.chunk)
            return False
        except (distributed.CancelledError, distributed.comm.CommClosedError, OSError) as error:
            raise ClusterFault(LOST) from error
        except Exception as error:  # any other error of Dask or a worker
            raise ClusterFault(f"the workers cannot play {span(*task.chunk)}: {_reason(error)}.") from error
        kind, *rest = outcome
        if kind == "refused":
            raise ClusterFault(rest[0])
        if kind == "fault":
            raise self._job.fault(*rest)
        (task.played,) = rest
        return True


class FaultElsewhere(StrategyFault):
    """A strategy's fault on a worker of the cluster."""

    def __init__(
        self,
        what: str,
        game: int,
        rules: Rules,
        strategies: Sequence[Strategy],
        seed: int,
        luck: Mapping[str, int] | None = None,
    ) -> None:
        Exception.__init__(self, what)
        self.game = game
        self.show_with(rules, strategies, seed, luck)

    def show_stepwise(self) -> None:
        """Add no hint: the worker's message has it already."""
        self.hint = ""


def _span(first: int, games: int, keep_rows: bool) -> str:
    return f"games {first} to {first + games - 1}"


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
