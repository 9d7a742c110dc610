"""Plays a run from where it is to its end: cuts the games into chunks, counts them as they come back in order, has
them saved, and stops in order when the user or the system asks for it. Who plays the chunks, threads or a cluster,
makes no difference here or to the result.
"""

import signal
import threading
import time
from contextlib import contextmanager

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.chunks import Chunk
from jamaica_sim.run import folder as run_folder
from jamaica_sim.run.folder import RunFolder, open_games, part_name
from jamaica_sim.store.manifest import resume_command
from jamaica_sim.tally.count import TALLY_DTYPE

FIRST_CHUNK = 64  # games, before the speed is known
STEP = 4  # how much longer or shorter the next chunk may be


class Stopped(KeyboardInterrupt):
    """The run was stopped on request; what is done is saved."""

    def __init__(self, path, done: int, games: int):
        super().__init__(
            f"Stopped: {done:,} of {games:,} games are played and saved. Go on with: {resume_command(path)}"
        )


class Pace:
    """How many games to put into the next chunk, so that one takes about `seconds` and at most `largest` are in it."""

    def __init__(self, seconds: float, largest: int, first: int = FIRST_CHUNK):
        self._seconds = seconds
        self._largest = largest
        self.games = min(first, largest)

    @classmethod
    def of_chunks(cls, size: int) -> "Pace":
        """Always the same."""
        return cls(float("inf"), size, size)

    def learn(self, games: int, seconds: float):
        """Adapt to the time that a chunk took."""
        wanted = games * self._seconds / max(seconds, 1e-9)
        self.games = int(max(1, self.games // STEP, min(wanted, self.games * STEP, self._largest)))


def paced_chunks(first: int, end: int, pace: Pace):
    """Cut games into chunks, each as large as the pace says when it is wanted, and none across the end of a part."""
    while first < end:
        cut = min(first + pace.games, end, first - first % run_folder.PART + run_folder.PART)
        yield Chunk(first, cut - first)
        first = cut


@contextmanager
def stop_on_signals():
    """An event that is set by Ctrl-C or a request to terminate; a second Ctrl-C interrupts as usual."""
    stop = threading.Event()

    def request(number, frame):
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    previous = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) not in (None, signal.SIG_IGN):
                previous[number] = signal.signal(number, request)
    try:
        yield stop
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


def play_sums(first: int, games: int, player, pace: Pace, progress=None) -> tuple[np.ndarray, float]:
    """Play games of which nothing is kept but the sums, and how long it took.

    `player(work, keep_rows, stop)` plays chunks and yields them in order.
    """
    tally = np.zeros(1, TALLY_DTYPE)
    started = time.perf_counter()
    with stop_on_signals() as stop:
        for played in player(paced_chunks(first, first + games, pace), False, stop):
            tally.view(np.int64)[:] += played.tally.view(np.int64)
            pace.learn(played.chunk.games, played.seconds)
            if progress is not None:
                progress(int(tally["games"][0]))
        if stop.is_set() and tally["games"][0] < games:
            raise KeyboardInterrupt
    return tally, time.perf_counter() - started


def play_folder(folder: RunFolder, player, pace: Pace, progress=None, remark=None):
    """Play what a run's folder lacks; its sums are complete when this returns, and `finish` is left to do.

    Whatever ends it early, what is done is saved. `remark` is called with a sentence about each repair.
    """
    with stop_on_signals() as stop:
        try:
            _repair(folder, player, pace, stop, remark)
        except BaseException:
            folder.close()  # as it is: its last rows may not be taken up yet
            raise
        try:
            _play_rest(folder, player, pace, stop, progress)
        except BaseException:
            folder.stop()
            raise


def _play_rest(folder, player, pace, stop, progress):
    config = folder.config
    start = config["first_game"] + folder.games_done
    left = config["games"] - folder.games_done
    clock = time.perf_counter()
    for played in player(paced_chunks(start, start + left, pace), config["per_game"], stop):
        now = time.perf_counter()
        folder.add(played.tally, played.rows, now - clock)
        clock = now
        pace.learn(played.chunk.games, played.seconds)
        if progress is not None:
            progress(folder.games_done)
    if stop.is_set() and folder.games_done < config["games"]:
        raise Stopped(folder.path, folder.games_done, folder.games_wanted)


def _repair(folder, player, pace, stop, remark):
    """Play the games again whose rows are missing or damaged, and take up the rows of the part that is not full."""
    for number, ranges in folder.damage().items():
        if remark is not None:
            remark(f"{part_name(number)} is missing or damaged: its games are played again.")
        rows = [_rows_again(folder, first, end, player, pace, stop) for first, end in ranges]
        folder.restore_part(number, rows)
    rows = folder.open_rows()
    if rows is None:
        if remark is not None:
            remark("The rows of the last games are missing or damaged: these games are played again.")
        rows = _rows_again(folder, *open_games(folder.manifest), player, pace, stop)
    folder.go_on_from(rows)


def _rows_again(folder, first, end, player, pace, stop):
    rows = [played.rows for played in player(paced_chunks(first, end, pace), True, stop)]
    if stop.is_set():
        raise Stopped(folder.path, folder.games_done, folder.games_wanted)
    return np.concatenate([np.zeros(0, RESULT_DTYPE), *rows])
