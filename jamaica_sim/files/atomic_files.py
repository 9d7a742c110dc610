"""Files that are there whole or not at all, their hashes, and locks of folders. Knows nothing about their content."""

import errno
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
from filelock import FileLock, Timeout

from jamaica_sim.files.user_files import Refusal, read_plain_file

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"
LOCK = ".lock"
PATIENCE = 0.2  # seconds: long enough to try again when the last owner removes the file meanwhile
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP)


class InUse(OSError):
    """Another process writes this folder."""


def lock_folder(folder: Path, patience: float = PATIENCE) -> FileLock | None:
    """Lock a folder until `unlock_folder` or the end of the process; None where the file system knows no locks."""
    path = folder / LOCK
    if os.path.lexists(path) and not stat.S_ISREG(os.lstat(path).st_mode):
        raise InUse(f"the folder {folder} cannot be locked: {path} is not an ordinary file.")
    # Not bound to a thread: another one may close the folder.
    lock = FileLock(path, timeout=patience, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise InUse(f"the folder {folder} is in use: another process is playing this run.") from None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return None
    return lock


def unlock_folder(folder: Path, lock: FileLock | None) -> None:
    """Release the lock and remove its file."""
    if lock is None:
        return
    if os.name == "posix":  # before the release: afterwards the file may belong to another process
        _remove(folder)
    lock.release()
    if os.name != "posix":  # an open file cannot be removed here, nor one that another process has locked since
        _remove(folder)


def _remove(folder: Path) -> None:
    with suppress(OSError):  # a folder that is gone or read-only needs no tidying
        (folder / LOCK).unlink()


try:
    import fcntl

    HAS_LOCKS = True
except ImportError:  # Windows, where a file that is open cannot be removed anyway
    HAS_LOCKS = False

TEMPORARY = re.compile(r"\..+\.\d+(\.[0-9a-f]{8})?\.tmp", re.DOTALL)


def name_beside(path: Path) -> Path:
    """A temporary name beside a file or folder. No other process uses it, not even one in another container."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def leftovers_of(path: Path) -> list[Path]:
    """Temporary files and folders beside this path, of living and dead writers."""
    start = f".{path.name}."
    with suppress(OSError), os.scandir(path.parent) as names:
        found = [n.name for n in names if n.name.startswith(start) and TEMPORARY.fullmatch(n.name)]
        return [path.with_name(name) for name in found if re.fullmatch(r"[\d.a-f]+\.tmp", name[len(start) :])]
    return []


def write_whole(path: Path, content: bytes, alone: bool = True) -> None:
    """Write a file under another name and rename it; both steps are on the disk when this returns.

    Temporary files of its dead writers are removed too, unless the caller tidies the whole folder (`alone` is False).
    An error names this file.
    """
    try:
        try:
            _write(path, content)
        except FileNotFoundError:  # another process removed the temporary file as a leftover before it was locked
            _write(path, content)
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise
    sync_folder(path.parent)
    if alone:
        _remove_dead_files(path)


def _write(path: Path, content: bytes) -> None:
    beside = name_beside(path)
    try:
        with _locked(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            if HAS_LOCKS:
                os.replace(beside, path)
        if not HAS_LOCKS:
            os.replace(beside, path)
    finally:
        with suppress(OSError):  # the folder is gone or read-only: the write has raised already
            beside.unlink(missing_ok=True)


@contextmanager
def _locked(number: int) -> Iterator[BinaryIO]:
    """An open file, locked as long as its writer lives."""
    with open(number, "wb") as file:
        if HAS_LOCKS:
            with suppress(OSError):  # a file system without locks
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield file


def _remove_dead_files(path: Path) -> None:
    """Remove temporary files beside this file whose writers no longer run."""
    for file in leftovers_of(path):
        with suppress(OSError):
            if file.is_symlink() or not file.is_file():
                continue
            if not HAS_LOCKS:
                file.unlink()
                continue
            with open(file, "rb") as leftover:
                fcntl.flock(leftover, fcntl.LOCK_EX | fcntl.LOCK_NB)
                file.unlink()


def sync_folder(path: Path) -> None:
    """Force the names in a folder to the disk."""
    if os.name == "posix":
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def json_bytes(data: object) -> bytes:
    """Plain data as a JSON file."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def npy_bytes(array: np.ndarray) -> bytes:
    """An array as a .npy file."""
    content = BytesIO()
    np.save(content, array)
    return content.getvalue()


def hash_of(content: bytes) -> str:
    """The hash of a file, as a manifest records it."""
    return hashlib.sha256(content).hexdigest()


def read_hashed(path: Path, digest: str | None) -> bytes | None:
    """The content of a file if it has this hash, None otherwise."""
    try:
        content = read_plain_file(path)
    except OSError:
        return None
    return content if hash_of(content) == digest else None


def load_array(content: bytes, dtype: npt.DTypeLike) -> np.ndarray | None:
    """The one-dimensional array of this dtype in a .npy file; None if there is none.

    The header is not trusted: it must name the wanted dtype, and its length must match the data exactly.
    """
    file, dtype = BytesIO(content), np.dtype(dtype)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            return None
        shape, is_fortran, found = np.lib.format.read_array_header_1_0(file)
    except Exception:  # a damaged header can make numpy raise anything
        return None
    rest = len(content) - file.tell()
    if found != dtype or is_fortran or len(shape) != 1 or type(shape[0]) is not int:
        return None
    if shape[0] < 0 or shape[0] * dtype.itemsize != rest:
        return None
    return np.frombuffer(content, dtype, shape[0], file.tell()).copy()


def schema_line(kind: str) -> str:
    """The first line of a TOML file by which editors check and complete it."""
    return f"#:schema {(SCHEMAS / f'{kind}.json').as_uri()}"


def write_new(folder: Path, name: str, ending: str, text: str, refuse: Refusal) -> Path:
    """Write a file to start from, never over another one; `refuse(sentence)` makes the error to raise instead."""
    if not re.fullmatch(r"[A-Za-z]\w{0,59}", name):
        hint = " and leave its ending out" if re.search(r"\.(toml|py)$", name) else ", starting with a letter"
        raise refuse(f"{name!r} cannot name a new file: use letters, digits and _{hint}.")
    path = folder / f"{name}{ending}"
    if os.path.lexists(path):
        raise refuse(f"{path} exists already: choose another name, or delete it first.")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise refuse(f"{path} cannot be written: {error.strerror}.") from error
    return path
