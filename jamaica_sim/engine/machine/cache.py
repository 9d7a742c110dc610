"""Where compiled code is kept on disk, and what it is stamped with.

The stamp is a hash of every source that jitted code can come from: numba's own stamp sees only the file of the function
itself and would serve old code after a helper has changed.
"""

import hashlib
import os
import pickle
import stat
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numba
import platformdirs
from numba.core import caching, sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys

from jamaica_sim import sources

# Bounds checks cost a few percent; the test suite turns them on. Code with and without them has different stamps.
BOUNDS_CHECK = os.environ.get("JAMAICA_SIM_BOUNDS_CHECK", "0") == "1"

HASH_BYTES = hashlib.sha256().digest_size


@cache
def engine_stamp() -> str:
    """A hash of everything the compiled engine depends on, except the processor, which numba's index has."""
    programs = numba.__version__, llvmlite.__version__, sys.version_info[:3], BOUNDS_CHECK
    return hashlib.sha256(f"{programs!r}\0{sources.digest_of(*sources.ENGINE)}".encode()).hexdigest()


def _cache_folders():
    """Where compiled code may be kept, best first: where the user says, the user's cache folder, a temporary one."""
    if numba.config.CACHE_DIR:
        yield Path(numba.config.CACHE_DIR) / "jamaica-sim"
    users = platformdirs.user_cache_path("jamaica-sim", appauthor=False)
    if users.is_absolute():  # not so for a user without a home
        yield users
    with suppress(OSError):  # no temporary folder either
        yield Path(tempfile.gettempdir()) / f"jamaica-sim-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@cache
def cache_folder() -> Path | None:
    """The first folder that can be written to; None where there is none, and then nothing is kept."""
    for folder in _cache_folders():
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder = Path(os.path.realpath(folder.parent)) / folder.name  # links above it are followed only now
            if _is_ours(folder) and all(_is_firm(parent) for parent in folder.parents):
                with tempfile.TemporaryFile(dir=folder):
                    return folder
        except OSError:
            continue
    return None


def _is_ours(folder: Path) -> bool:
    """Whether a folder is a real one, of this user, and nobody else can write to it: what is in it will be run."""
    facts = os.lstat(folder)
    if not stat.S_ISDIR(facts.st_mode):
        return False
    return not hasattr(os, "getuid") or (facts.st_uid in (os.getuid(), 0) and not facts.st_mode & 0o022)


def _is_firm(folder: Path) -> bool:
    """Whether nobody else can put another folder in the place of one that is in this one.

    A group of the user's own is nobody else. Where everybody can write, as in the temporary folder, the sticky bit
    keeps others from it.
    """
    if not hasattr(os, "getuid"):
        return True
    facts = os.lstat(folder)
    if facts.st_uid not in (os.getuid(), 0) or not stat.S_ISDIR(facts.st_mode):
        return False
    strangers = facts.st_mode & 0o002 or (facts.st_mode & 0o020 and facts.st_gid not in (os.getgid(), 0))
    return not strangers or bool(facts.st_mode & stat.S_ISVTX)


class _CheckedFiles(caching.IndexDataCacheFile):
    """Files of compiled code that begin with a hash of the rest. One that differs by a bit is as good as none.

    A damaged file must not come to run, and a pickle from elsewhere must not even be opened.
    """

    def _read(self, path):
        """The content of a file of ours; raises OSError where it is not what was written."""
        folder = Path(self._cache_path)
        if not (_is_ours(folder) and _is_ours(folder.parent)):
            raise PermissionError(f"{folder} is not ours alone")
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(number, "rb") as file:
            content = file.read()
        digest, rest = content[:HASH_BYTES], content[HASH_BYTES:]
        if hashlib.sha256(rest).digest() != digest:
            raise OSError(f"{path} is damaged")
        return rest

    def _write(self, path, content):
        with self._open_for_write(path) as file:
            file.write(hashlib.sha256(content).digest() + content)

    def _load_index(self):
        try:
            version, stamp, overloads = pickle.loads(self._read(self._index_path))
        except (OSError, ValueError):
            return {}
        return overloads if (version, stamp) == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads):
        self._write(self._index_path, self._dump((self._version, self._source_stamp, overloads)))

    def _load_data(self, name):
        return pickle.loads(self._read(self._data_path(name)))

    def _save_data(self, name, data):
        self._write(self._data_path(name), self._dump(data))


class _Locator(caching._CacheLocator):
    """Tells numba's cache where our compiled code lies and what it is stamped with."""

    def __init__(self, function, stamp):
        self._stamp = stamp
        self._py_file = function.__code__.co_filename  # numba names it where it cannot cache, as without optimisation
        self._folder = cache_folder() / stamp[:16]

    def ensure_cache_path(self):
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not (_is_ours(self._folder) and _is_ours(self._folder.parent)):
            raise PermissionError(f"{self._folder} is not ours alone")

    def get_cache_path(self):
        return str(self._folder)

    def get_source_stamp(self):
        return self._stamp

    def get_disambiguator(self):
        return None


def stamped_cache(function, stamp):
    """A numba function cache that is valid for exactly this stamp."""

    class Impl(caching.CompileResultCacheImpl):
        _locator_classes = [type("Locator", (_Locator,), {"from_function": classmethod(lambda c, f, p: c(f, stamp))})]

    class StampedCache(caching.FunctionCache):
        _impl_class = Impl

        def __init__(self, function):
            super().__init__(function)
            self._cache_file = _CheckedFiles(self._cache_path, self._impl.filename_base, stamp)

        def load_overload(self, signature, context):
            try:
                with self._guard_against_spurious_io_errors():
                    return self._load_overload(signature, context)
            except Exception:  # whatever unpickling a damaged file leads to: then it is compiled anew
                with suppress(OSError):
                    self.flush()
                return None

        def save_overload(self, signature, compiled):
            with suppress(OSError):  # a full disk costs the next process the time, but not this one its games
                super().save_overload(signature, compiled)

    return StampedCache(function)


def load_cached(dispatcher, signature) -> bool:
    """Load a function's compiled code from disk, if it is there.

    numba would first import all that it can compile, which takes as long as the rest of a warm start. Of that only its
    memory management is needed here.
    """
    arguments, _ = sigutils.normalize_signature(signature)
    with global_compiler_lock:
        if tuple(arguments) not in dispatcher.overloads:
            rtsys.initialize(dispatcher.targetctx)
            compiled = dispatcher._cache.load_overload(signature, dispatcher.targetctx)
            if compiled is None:
                return False
            dispatcher.add_overload(compiled)
    return True


def is_cached(dispatcher) -> bool:
    """Whether compiled code of this function lies on disk."""
    folder = getattr(dispatcher._cache, "cache_path", None)
    return bool(folder) and any(Path(folder).glob(f"*{dispatcher.py_func.__name__}*.nbi"))
