"""Keeps two processes from writing the same folder. The system releases a lock when its process ends.

On a file system without locks nobody is kept out.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

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
