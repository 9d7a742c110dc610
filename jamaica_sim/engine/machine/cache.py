"""Where compiled code is kept on disk, and what it is stamped with.

The stamp is a hash of the function's file, of all that it imports from this package, and of the versions of the
programs that compile it. numba's own cache sees only the file of the function itself and would serve old code after a
helper has changed.
"""

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from jamaica_sim import sources
from jamaica_sim.engine.machine.object_code import ObjectCode
from jamaica_sim.engine.machine.tested import IS_TESTED, VERSIONS
from jamaica_sim.own_folders import is_ours, safe_folder, users_folder

# Bounds checks cost a few percent; the test suite turns them on. Code with and without them has different stamps.
BOUNDS_CHECK = os.environ.get("JAMAICA_SIM_BOUNDS_CHECK", "0") == "1"

HASH_BYTES = hashlib.sha256().digest_size
WHERE = "NUMBA_CACHE_DIR"


@cache
def stamp_of(source: str) -> str | None:
    """A hash of everything that compiled code of a source file depends on, except the processor and numba's settings.

    None for code that comes from no file.
    """
    if not Path(source).is_file():
        return None
    programs = *VERSIONS, sys.version_info[:3], BOUNDS_CHECK
    return hashlib.sha256(f"{programs!r}\0{sources.digest_of(source)}".encode()).hexdigest()


@cache
def target() -> str:
    """What code is compiled for: this processor, and all settings of numba."""
    processor = llvm.get_process_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    settings = sorted((name, value) for name, value in os.environ.items() if name.startswith("NUMBA_"))
    settings = [(name, value) for name, value in settings if name != WHERE]
    return repr((processor, settings))


def _cache_folders() -> Iterator[Path]:
    """Folders for compiled code, best first: the one that the user names, the user's cache folder, a temporary one."""
    if os.environ.get(WHERE):
        yield Path(os.environ[WHERE]) / "jamaica-sim"
    if users := users_folder("cache"):
        yield users
    with suppress(OSError):  # no temporary folder either
        yield Path(tempfile.gettempdir()) / f"jamaica-sim-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@cache
def cache_folder() -> Path | None:
    """The first folder that is safe and can be written to; None where there is none, and then nothing is kept."""
    for folder in _cache_folders():
        if safe := safe_folder(folder, make=True):
            with suppress(OSError), tempfile.TemporaryFile(dir=safe):
                return safe
    return None


class Kept:
    """The file that keeps one function's compiled code. It begins with a hash of the rest.

    A file that does not match its hash is ignored: damaged code must not run. The name of its folder is a hash of the
    stamp and of the target.
    """

    def __init__(self, function: Callable[..., Any], stamp: str) -> None:
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<", "(").replace(">", ")")
        self._stamp = stamp

    @cached_property
    def _path(self) -> Path:
        folder = hashlib.sha256(f"{self._stamp}\0{target()}".encode()).hexdigest()
        base = cache_folder()
        assert base, "nothing is kept without a folder"
        return base / folder[:16] / f"{self._name}.obj"

    def is_there(self) -> bool:
        """Whether the file exists."""
        return self._path.is_file()

    def load(self) -> ObjectCode | None:
        """The kept code; None where there is no file, or not a valid one."""
        try:
            return ObjectCode.from_bytes(self._read())
        except (OSError, ValueError, TypeError):
            return None

    def save(self, compiled: ObjectCode) -> None:
        """Keep the code, if possible. A full disk costs the next process time, but does not end this one."""
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._refuse_strangers()
            content = compiled.to_bytes()
            with tempfile.NamedTemporaryFile(dir=self._path.parent, delete=False) as file:
                try:
                    file.write(hashlib.sha256(content).digest() + content)
                    file.close()
                    os.replace(file.name, self._path)
                except BaseException:
                    os.unlink(file.name)
                    raise

    def _read(self) -> bytes:
        """The file's content after the hash; raises OSError where it is damaged or the folder is not ours alone."""
        self._refuse_strangers()
        number = os.open(self._path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(number, "rb") as file:
            content = file.read()
        digest, rest = content[:HASH_BYTES], content[HASH_BYTES:]
        if hashlib.sha256(rest).digest() != digest:
            raise OSError(f"{self._path} is damaged")
        return rest

    def _refuse_strangers(self) -> None:
        folder = self._path.parent
        if not (is_ours(folder) and is_ours(folder.parent)):
            raise PermissionError(f"{folder} is not ours alone")


def keeps_code() -> bool:
    """Whether compiled code is kept: there is a folder for it, and we can load what the installed numba compiles."""
    return IS_TESTED and cache_folder() is not None


def kept(function: Callable[..., Any], stamp: str | None) -> Kept | None:
    """Where compiled code of a function is kept; None where it is not."""
    return Kept(function, stamp) if stamp and keeps_code() else None


def kept_with_text(function: Callable[..., Any], source: str, text: str) -> Kept | None:
    """Where compiled code of a user's function is kept: it depends on a source file of ours and on the user's text."""
    return kept(function, hashlib.sha256(f"{stamp_of(source)}\0{text}".encode()).hexdigest())


def kept_by_file(function: Callable[..., Any]) -> Kept | None:
    """Where compiled code of a function is kept that depends on nothing but its file and what that imports."""
    return kept(function, stamp_of(function.__code__.co_filename))
