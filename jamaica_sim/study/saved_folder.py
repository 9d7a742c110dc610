"""Folders that lose nothing: new ones appear whole, each is written by one process alone, and the manifest is written
last. Games that the manifest does not count yet are played again after an interruption, with the same results. The
callers decide what is played and which files are written.
"""

import os
import re
import shutil
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self, cast

from filelock import FileLock

from jamaica_sim.files.atomic_files import (
    LOCK,
    TEMPORARY,
    InUse,
    hash_of,
    leftovers_of,
    lock_folder,
    name_beside,
    read_hashed,
    sync_folder,
    unlock_folder,
    write_whole,
)
from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.manifest import (
    RUN,
    FolderError,
    FolderFault,
    Manifest,
    ManifestKind,
    host_facts,
    manifest_bytes,
    now,
    read_manifest,
    read_plain,
    refuse_other_program,
)
from jamaica_sim.play.own_measures import refuse_functions

SUMS, GAMES = "sums.npy", "games"
SAVED = re.compile(r"(sums|rows|measured)-[0-9a-f]+\.(npy|json)")
SAVE_EVERY = 5.0  # seconds
WAITING = 2  # files that may wait to be written in the background


def sums_name(manifest: Manifest) -> str:
    """The name of the file with the sums so far, or with those of the setting that is being played."""
    return SUMS if manifest["complete"] else f"sums-{manifest['games_done']:012d}.npy"


def read_counted(path: AnyPath, manifest: Manifest, name: str) -> bytes | None:
    """The content of a file if it is the one that the manifest counts, None otherwise."""
    return read_hashed(Path(path) / name, manifest["files"].get(name))


def leftovers(path: Path, manifest: Manifest) -> list[Path]:
    """Leftovers of an interruption: half-written files, and saved sums and rows that the manifest does not count."""
    found = []
    for folder in (path, path / GAMES):
        if folder.is_symlink() or not folder.is_dir():
            continue
        for name in sorted(os.listdir(folder)):
            saved = folder == path and SAVED.fullmatch(name) and name not in manifest["files"]
            if (saved or TEMPORARY.fullmatch(name)) and not (folder / name).is_dir():
                found.append(folder / name)
    return found


def is_intact(path: Path, manifest: Manifest) -> bool:
    """Whether a folder is complete, every file as it was written, with nothing left over and nobody writing it."""
    is_tidy = manifest["complete"] and not leftovers(path, manifest) and not (path / LOCK).exists()
    return is_tidy and all(read_counted(path, manifest, name) is not None for name in manifest["files"])


def refuse_existing(path: AnyPath) -> None:
    """Refuse to write into what exists; what is not finished can be resumed instead."""
    if not os.path.lexists(path):
        return
    is_unfinished = False
    with suppress(FolderError, FolderFault):  # not a folder of ours, or a damaged one
        is_unfinished = read_plain(path).get("complete") is False
    if is_unfinished:
        raise FolderError(
            f"the folder {path} exists already and is not finished: go on with `{resume_command(path)}`, or name a new "
            "one with --out."
        )
    raise FolderError(f"the folder {path} exists already: name a new one with --out, so that no result is overwritten.")


@contextmanager
def appearing_folder(path: AnyPath) -> Iterator[Path]:
    """A new folder to write into, under a temporary name. It is renamed if all goes well, and removed otherwise."""
    path = Path(path)
    refuse_existing(path)
    _remove_dead_folders(path)
    beside = name_beside(path)
    try:
        beside.mkdir(parents=True)
    except (OSError, ValueError) as error:
        raise FolderError(f"the folder {path} cannot be made: {getattr(error, 'strerror', 0) or error}.") from error
    lock = None
    try:
        with errors_reworded(path):
            lock = lock_folder(beside)  # so that other processes see that its writer lives
            yield beside
            if os.name != "posix":  # a folder with an open file cannot be renamed here
                unlock_folder(beside, lock)
                lock = None
            os.rename(beside, path)
            sync_folder(path.parent)
    finally:
        unlock_folder(path if path.exists() and not beside.exists() else beside, lock)
        shutil.rmtree(beside, ignore_errors=True)


def _remove_dead_folders(path: Path) -> None:
    """Remove half-made folders beside this one whose writers no longer run."""
    for folder in leftovers_of(path):
        if folder.is_symlink() or not folder.is_dir():
            continue
        with suppress(OSError):  # it is in use, or not ours to remove
            lock = lock_folder(folder)
            shutil.rmtree(folder, ignore_errors=True)
            unlock_folder(folder, lock)


@contextmanager
def errors_reworded(path: AnyPath, folder: "SavedFolder | None" = None) -> Iterator[None]:
    """Turn the system's error about a folder into one sentence, with what is safe and how to go on."""
    try:
        yield
    except (FolderFault, InUse):
        raise
    except OSError as error:
        what = f"the folder {path} cannot be written: {error.strerror or error}"
        if folder is None:
            raise FolderFault(f"{what}.") from error
        if folder.is_gone():
            raise FolderFault(f"the folder {path} vanished during the run: nothing more can be saved there.") from error
        raise FolderFault(f"{what}; {folder.how_to_go_on()} when it can be written.") from error


class _Background:
    """Writes files one after the other in a thread of its own. After a failure it writes nothing more."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="jamaica-files")
        self._waiting: deque[Future[None]] = deque()
        self._error: Exception | None = None

    def submit(self, write: Callable[..., object], *arguments: Any) -> None:
        """Queue something to write; wait while the queue is full, and raise the error of an earlier write."""
        self._wait(WAITING - 1)
        self._waiting.append(self._thread.submit(self._do, write, arguments))

    def finish(self) -> None:
        """Wait until everything is written."""
        self._wait(0)

    def close(self) -> None:
        """Write nothing more."""
        self._thread.shutdown(wait=True, cancel_futures=True)

    def _do(self, write: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        if self._error is None:
            try:
                write(*arguments)
            except Exception as error:
                self._error = error

    def _wait(self, most: int) -> None:
        while len(self._waiting) > most:
            self._waiting.popleft().result()
        if self._error is not None:
            raise self._error


class SavedFolder:
    """A folder with a manifest, open for writing by this process alone. `manifest` is always the one on the disk."""

    def __init__(self, path: Path, manifest: Manifest, lock: FileLock | None, kind: ManifestKind) -> None:
        self.path = path
        self.kind = kind
        self.manifest = manifest
        self.seconds = manifest["seconds"]
        self._lock = lock
        self._home = os.stat(path)
        self._saved = time.monotonic()
        self._resumed = list(manifest["resumed"])
        self._writer = _Background()

    @classmethod
    def begin(
        cls, path: AnyPath, manifest: Manifest, fill: Callable[[Path], object] | None = None, kind: ManifestKind = RUN
    ) -> Self:
        """A new folder with this manifest and what `fill(folder)` puts into it; one that exists is refused."""
        refuse_functions(manifest["configuration"].get("measures", {}), "a folder")
        with appearing_folder(path) as beside:
            if fill is not None:
                fill(beside)
            write_whole(beside / MANIFEST, manifest_bytes(manifest), alone=False)
        with errors_reworded(path):  # only now: some systems cannot rename a folder with an open file
            lock = lock_folder(Path(path))
        return cls(Path(path), manifest, lock, kind)

    @classmethod
    def reopen(cls, path: AnyPath, kind: ManifestKind = RUN) -> Self:
        """The folder of something that was stopped, tidied up, with its sums; refused if another version began it."""
        path = Path(path)
        refuse_other_program(path, read_manifest(path, kind))
        with errors_reworded(path):
            lock = lock_folder(path)
        try:
            manifest = read_manifest(path, kind)  # again: before the lock, another process may have gone on with it
            folder = cls(path, manifest, lock, kind)
            folder.take_up()
            with errors_reworded(path):
                for file in leftovers(path, manifest):
                    file.unlink(missing_ok=True)
        except BaseException:
            unlock_folder(path, lock)
            raise
        folder._resumed.append({"at": now(), "games_done": folder.games_done, "host": host_facts()})
        return folder

    def take_up(self) -> None:
        """Read what is saved."""

    @property
    def is_open(self) -> bool:
        """Whether this process still writes it."""
        return self._lock is not None

    @property
    def config(self) -> dict[str, Any]:
        """What is played."""
        return self.manifest["configuration"]

    @property
    def games_done(self) -> int:
        """How many games the sums contain."""
        return self.manifest["games_done"]

    @property
    def games_wanted(self) -> int:
        """How many games there will be in the end."""
        return self.config["games"]

    def how_to_go_on(self) -> str:
        """What is safe, and the command that goes on with it."""
        done = self.manifest["games_done"]
        return f"{done:,} of {self.games_wanted:,} games are safe: go on with `{resume_command(self.path)}`"

    def is_time(self, seconds: float) -> bool:
        """Whether the last save is at least so long ago; if so, the time is counted from now."""
        if time.monotonic() - self._saved < seconds:
            return False
        self._saved = time.monotonic()
        return True

    def submit(self, write: Callable[..., object], *arguments: Any) -> None:
        """Queue something to be written in the background, in order."""
        with errors_reworded(self.path, self):
            self._writer.submit(write, *arguments)

    def finish_writing(self) -> None:
        """Wait until everything is written, and release the folder."""
        try:
            with errors_reworded(self.path, self):
                self._writer.finish()
        finally:
            self.close()

    def close(self) -> None:
        """Release the folder as it is."""
        self._writer.close()
        unlock_folder(self.path, self._lock)
        self._lock = None

    # Called in the background only

    def advanced(self, seconds: float, **progress: Any) -> Manifest:
        """The next manifest, with this progress."""
        manifest = {**self.manifest, **progress, "seconds": round(seconds, 3), "resumed": self._resumed}
        return cast(Manifest, manifest)

    def commit(self, manifest: Manifest, files: dict[str, bytes], counted: dict[str, str] | None = None) -> None:
        """Write files, then the manifest that counts them and `counted`, then remove files that it no longer counts."""
        written = {name: self.write(name, content) for name, content in files.items()}
        manifest["files"] = dict(sorted((written | (counted or {})).items()))
        self._check_home()
        write_whole(self.path / MANIFEST, manifest_bytes(manifest), alone=False)
        for name in set(self.manifest["files"]) - set(manifest["files"]):
            (self.path / name).unlink(missing_ok=True)
        self.manifest = manifest

    def write(self, name: str, content: bytes) -> str:
        """Write a file and return its hash."""
        self._check_home()
        write_whole(self.path / name, content, alone=False)
        return hash_of(content)

    def is_gone(self) -> bool:
        """Whether our folder is gone, even if somebody has made another of the same name since."""
        try:
            return not os.path.samestat(os.stat(self.path), self._home)
        except OSError:
            return True

    def _check_home(self) -> None:
        if self.is_gone():
            raise FileNotFoundError(f"{self.path} is gone")
