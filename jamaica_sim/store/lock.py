"""Keeps two processes from writing the same run's folder. The system gives a lock back when its process ends,
however it ends; where it knows no locks (Windows, some network file systems) nobody is kept out.
"""

import os
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

LOCK = ".lock"


class InUse(OSError):
    """Another process writes this folder."""


def lock_folder(folder: Path) -> int | None:
    """Lock a folder until `unlock_folder` or the end of the process."""
    if fcntl is None:
        return None
    while True:
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise InUse(f"the folder {folder} is in use: another process is playing this run.") from None
        except OSError:  # a file system without locks
            return lock
        if _is_still(lock, folder / LOCK):
            return lock
        os.close(lock)  # its owner has just removed it: what is locked is nobody's lock any more


def _is_still(lock, path):
    try:
        return os.path.samestat(os.fstat(lock), os.stat(path))
    except FileNotFoundError:
        return False


def unlock_folder(folder: Path, lock: int | None):
    """Give the lock back and leave no trace of it."""
    if lock is None:
        return
    try:
        if _is_still(lock, folder / LOCK):
            os.unlink(folder / LOCK)
    except OSError:
        pass  # a folder that is gone or read-only needs no tidying
    finally:
        os.close(lock)
