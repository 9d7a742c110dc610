"""A run's folder: the manifest, the sums so far, the tables, and the games themselves in parts where they are wanted.

Every file is there whole or not at all, and the manifest is written last: what it does not count yet is played again
after an interruption, and comes out the same. `docs/long-runs.md` describes the layout, version 1.
"""

import os
import shutil
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.tally import TALLY_DTYPE
from jamaica_sim.run.lock import LOCK, InUse, lock_folder, unlock_folder
from jamaica_sim.run.manifest import (
    MANIFEST,
    FolderError,
    FolderFault,
    host_facts,
    manifest_bytes,
    new_manifest,
    now,
    read_manifest,
    refuse_other_program,
    resume_command,
)
from jamaica_sim.run.parts import encode, table_of_games
from jamaica_sim.run.store import hash_of, json_bytes, load_array, npy_bytes, read_hashed, write_whole

TALLY, TABLES, GAMES = "tally.npy", "tables.json", "games"
PART = 65_536  # games in a part; parts are cut at multiples of it, so they do not depend on chunks or interruptions
SAVE_EVERY = 5.0  # seconds; twice that where a part is not full, because its rows have to be saved along
WAITING = 2  # files that may wait to be written in the background


def part_name(number: int) -> str:
    """The name of a part, relative to the run's folder."""
    return f"{GAMES}/part-{number:08d}.parquet"


def tally_name(manifest: dict) -> str:
    """The name of the file with the sums that a manifest speaks of."""
    return TALLY if manifest["complete"] else f"tally-{manifest['games_done']:012d}.npy"


def rows_name(manifest: dict) -> str:
    """The name of the file with the rows of a part that is not full yet."""
    return f"rows-{manifest['games_done']:012d}.npy"


def read_counted(path, manifest: dict, name: str) -> bytes | None:
    """The content of a file if it is the one that the manifest counts, None otherwise."""
    return read_hashed(Path(path) / name, manifest["files"].get(name))


def read_tally(path, manifest: dict | None = None) -> np.ndarray:
    """The sums of a run's folder, as far as its manifest says."""
    manifest = manifest or read_manifest(path)
    if manifest["games_done"] == 0:
        return np.zeros(1, TALLY_DTYPE)
    name = tally_name(manifest)
    content = read_counted(path, manifest, name)
    if content is None:
        raise FolderFault(f"{Path(path) / name} is missing or damaged: without the sums the run has to be played anew.")
    tally = load_array(content, TALLY_DTYPE)
    if tally is None or tally.shape != (1,) or int(tally["games"][0]) != manifest["games_done"]:
        raise FolderError(f"{Path(path) / name} was written by another version of jamaica-sim.")
    return tally


def games_by_part(ranges) -> dict[int, list[tuple[int, int]]]:
    """The games of some ranges by the part they belong to: number of the part -> [(first, end), ...]."""
    by_part = {}
    for first, count in ranges:
        end = first + count
        while first < end:
            cut = min(end, first - first % PART + PART)
            by_part.setdefault(first // PART, []).append((first, cut))
            first = cut
    return by_part


def written_parts(manifest: dict) -> dict[int, list[tuple[int, int]]]:
    """The parts that a folder should have: those of `games_by_part` that are full, or all when the run is complete."""
    if not manifest["configuration"]["per_game"]:
        return {}
    if manifest["games_done"] > PART * (len(manifest["files"]) + 1):
        raise FolderFault(f"the run's {MANIFEST} is damaged: it counts fewer parts than its games need.")
    parts = games_by_part(manifest["ranges"])
    if not manifest["complete"]:
        parts.pop(_open_part(manifest), None)
    return parts


def open_games(manifest: dict) -> tuple[int, int]:
    """The games, from a first to an end, that are counted but in a part that is not full yet."""
    first, count = manifest["ranges"][-1]
    end = first + count
    if manifest["complete"] or not manifest["configuration"]["per_game"]:
        return end, end
    return max(first, end - end % PART), end


def _open_part(manifest):
    first, end = open_games(manifest)
    return end // PART if first < end else None


def is_whole(path, manifest: dict) -> bool:
    """Whether a run is complete and every file of it as it was written, with nothing left over."""
    path = Path(path)
    if not manifest["complete"] or leftovers(path, manifest) or (path / LOCK).exists():
        return False
    files = [TALLY, TABLES, *(part_name(number) for number in written_parts(manifest))]
    return all(read_counted(path, manifest, name) is not None for name in files)


def leftovers(path: Path, manifest: dict) -> list[Path]:
    """What an interruption has left: files half written, and saved sums and rows that the manifest does not count."""
    halves = [*path.glob(".*.tmp"), *(path / GAMES).glob(".*.tmp")]
    saved = [*path.glob("tally-*.npy"), *path.glob("rows-*.npy")]
    return halves + [file for file in saved if file.name not in manifest["files"]]


def damaged_parts(path, manifest: dict) -> dict[int, list[tuple[int, int]]]:
    """The parts that are missing or not as they were written, with their games."""
    return {
        number: games
        for number, games in written_parts(manifest).items()
        if read_counted(path, manifest, part_name(number)) is None
    }


class _Background:
    """Writes files one after the other in a thread of its own. After a failure it writes nothing more."""

    def __init__(self):
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jamaica-files")
        self._waiting = deque()
        self._error = None

    def submit(self, write, *arguments):
        """Have something written; waits while much is waiting already, and raises what went wrong before."""
        self._wait(WAITING - 1)
        self._waiting.append(self._thread.submit(self._do, write, arguments))

    def finish(self):
        """Wait until everything is written."""
        self._wait(0)

    def close(self):
        """Write nothing more."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _do(self, write, arguments):
        if self._error is None:
            try:
                write(*arguments)
            except Exception as error:
                self._error = error

    def _wait(self, most):
        while len(self._waiting) > most:
            self._waiting.popleft().result()
        if self._error is not None:
            raise self._error


class RunFolder:
    """The folder of one run, open for writing by this process alone."""

    def __init__(self, path: Path, manifest: dict, lock):
        self.path = path
        self.manifest = manifest
        self.tally = np.zeros(1, TALLY_DTYPE)
        self.seconds = manifest["seconds"]
        self._lock = lock
        self._home = os.stat(path)
        self._rows = []  # of the part that is not full yet
        self._saved = time.monotonic()
        self._parts = {name: digest for name, digest in manifest["files"].items() if name.startswith(f"{GAMES}/")}
        self._resumed = list(manifest["resumed"])
        self._writer = _Background()

    @classmethod
    def create(cls, path, config: dict) -> "RunFolder":
        """A new folder; one that exists is refused, so that no result is ever overwritten."""
        path = Path(path)
        if os.path.lexists(path):
            raise FolderError(f"{path} exists already: name a new folder, so that no earlier result is overwritten.")
        beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")  # so that there is no folder without its manifest
        try:
            beside.mkdir(parents=True)
        except OSError as error:
            raise FolderError(f"the folder {path} cannot be made: {error.strerror}.") from error
        try:
            with _told(path):
                if config["per_game"]:
                    (beside / GAMES).mkdir()
                manifest = new_manifest(config)
                write_whole(beside / MANIFEST, manifest_bytes(manifest))
                lock = lock_folder(beside)
                os.rename(beside, path)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
        return cls(path, manifest, lock)

    @classmethod
    def reopen(cls, path) -> "RunFolder":
        """The folder of a run that was stopped, tidied up and with its sums; refused to another version."""
        path = Path(path)
        refuse_other_program(path, read_manifest(path))
        with _told(path):
            lock = lock_folder(path)
        try:
            manifest = read_manifest(path)  # again: until the lock, another process may have gone on with it
            folder = cls(path, manifest, lock)
            folder.tally = read_tally(path, manifest)
            with _told(path):
                for file in leftovers(path, manifest):
                    file.unlink(missing_ok=True)
                if manifest["configuration"]["per_game"]:
                    (path / GAMES).mkdir(exist_ok=True)
        except BaseException:
            unlock_folder(path, lock)
            raise
        return folder

    @property
    def config(self) -> dict:
        """What is played."""
        return self.manifest["configuration"]

    @property
    def games_done(self) -> int:
        """How many games the sums contain."""
        return int(self.tally["games"][0])

    def note_resumed(self):
        """Put down when and where the run goes on."""
        self._resumed.append({"at": now(), "games_done": self.games_done, "host": host_facts()})

    # What comes in

    def add(self, tally: np.ndarray, rows: np.ndarray | None, seconds: float):
        """Count the next games: their sums, and their rows where they are wanted. Saves everything if it is time.

        Games come in order, and none beyond the end of a part together with one before it.
        """
        self.tally.view(np.int64)[:] += tally.view(np.int64)
        self.seconds += seconds
        if rows is not None:
            self._rows.append(rows)
            end = self.config["first_game"] + self.games_done
            if end % PART == 0 or self.games_done == self.config["games"]:
                self._hand_on_part()
        if self._is_time():
            self.save()

    def _hand_on_part(self):
        rows, self._rows = np.concatenate(self._rows), []
        with _told(self.path, self):
            self._writer.submit(self._write_part, int(rows["game"][0]) // PART, rows)

    def _is_time(self):
        waited = time.monotonic() - self._saved
        return waited >= (2 * SAVE_EVERY if self._rows else SAVE_EVERY)

    def save(self):
        """Save the sums so far, and the rows that wait for their part to become full."""
        rows = np.concatenate(self._rows) if self._rows else None
        with _told(self.path, self):
            self._writer.submit(self._write_checkpoint, self.tally.copy(), rows, self.seconds)
        self._saved = time.monotonic()

    def damage(self) -> dict[int, list[tuple[int, int]]]:
        """The parts whose games have to be played again, see `damaged_parts`."""
        return damaged_parts(self.path, self.manifest)

    def restore_part(self, number: int, rows: np.ndarray):
        """Write a part again."""
        with _told(self.path, self):
            self._writer.submit(self._write_part, number, rows)

    def open_rows(self) -> np.ndarray | None:
        """The saved rows of the part that is not full yet; None where they are damaged."""
        first, end = open_games(self.manifest)
        if first == end:
            return np.zeros(0, RESULT_DTYPE)
        content = read_counted(self.path, self.manifest, rows_name(self.manifest))
        rows = None if content is None else load_array(content, RESULT_DTYPE)
        return rows if rows is not None and rows.size == end - first else None

    def go_on_from(self, rows: np.ndarray):
        """Start with these rows in the part that is not full yet."""
        self._rows = [rows] if rows.size else []

    def how_to_go_on(self) -> str:
        """What is safe, and the command that goes on with it."""
        done, games = self.manifest["games_done"], self.config["games"]
        return f"{done:,} of {games:,} games are safe: go on with `{resume_command(self.path)}`"

    # How it ends

    def stop(self):
        """Save everything that is done, and leave the folder to others."""
        try:
            self.save()
            with _told(self.path, self):
                self._writer.finish()
        finally:
            self.close()

    def finish(self, tables: dict):
        """Write the sums and the tables, and say that the run is complete."""
        try:
            with _told(self.path, self):
                self._writer.submit(self._write_end, json_bytes(tables))
                self._writer.finish()
        finally:
            self.close()

    def close(self):
        """Leave the folder to others as it is."""
        self._writer.close()
        unlock_folder(self.path, self._lock)
        self._lock = None

    # Writing: in the background only, in order. `manifest` is always the one on the disk.

    def _write_part(self, number, rows):
        ships = self.config["rules"]["players"] + self.config["rules"]["ghost"]
        name = part_name(number)
        self._parts[name] = self._write(name, encode(table_of_games(rows, ships)))

    def _write_checkpoint(self, tally, rows, seconds):
        done = int(tally["games"][0])
        manifest = self._advanced(seconds, games_done=done, ranges=[[self.config["first_game"], done]])
        files = {tally_name(manifest): npy_bytes(tally)}
        if rows is not None:
            files[rows_name(manifest)] = npy_bytes(rows)
        self._commit(manifest, files)

    def _write_end(self, tables):
        done = self.games_done
        ranges = self.manifest["ranges"] if self.manifest["complete"] else [[self.config["first_game"], done]]
        manifest = self._advanced(self.seconds, games_done=done, ranges=ranges, complete=True)
        self._commit(manifest, {TALLY: npy_bytes(self.tally), TABLES: tables})

    def _advanced(self, seconds, **progress):
        return {**self.manifest, **progress, "seconds": round(seconds, 3), "resumed": self._resumed}

    def _commit(self, manifest, files):
        """Write files, then the manifest that counts them and all parts, then remove what it no longer counts."""
        counted = {name: self._write(name, content) for name, content in files.items()}
        manifest["files"] = counted | dict(sorted(self._parts.items()))
        self._check_home()
        write_whole(self.path / MANIFEST, manifest_bytes(manifest))
        for name in set(self.manifest["files"]) - set(manifest["files"]):
            (self.path / name).unlink(missing_ok=True)
        self.manifest = manifest

    def _write(self, name, content):
        self._check_home()
        write_whole(self.path / name, content)
        return hash_of(content)

    def is_gone(self) -> bool:
        """Whether the folder is no longer there; one of the same name that somebody made since is not ours."""
        try:
            return not os.path.samestat(os.stat(self.path), self._home)
        except OSError:
            return True

    def _check_home(self):
        if self.is_gone():
            raise FileNotFoundError(f"{self.path} is gone")


@contextmanager
def _told(path, folder=None):
    """Turn what the system says of a folder into one sentence, with what is safe and how to go on."""
    try:
        yield
    except (FolderFault, InUse):
        raise
    except OSError as error:
        what = f"{path} cannot be written: {error.strerror or error}"
        if folder is None:
            raise FolderFault(f"{what}.") from error
        if folder.is_gone():
            raise FolderFault(f"the folder {path} vanished during the run: nothing more can be saved there.") from error
        raise FolderFault(f"{what}; {folder.how_to_go_on()} when it can be written.") from error
