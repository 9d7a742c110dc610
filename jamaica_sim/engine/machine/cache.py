"""Where compiled code is kept on disk, and what it is stamped with.

The stamp is a hash of every source that jitted code can come from: numba's own stamp sees only the file of the function
itself and would serve old code after a helper has changed.
"""

import hashlib
import os
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import llvmlite
import numba
import platformdirs
from numba.core import caching

from jamaica_sim import sources

# Bounds checks cost a few percent; the test suite turns them on. Code with and without them has different stamps.
BOUNDS_CHECK = os.environ.get("JAMAICA_SIM_BOUNDS_CHECK", "0") == "1"


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
            with tempfile.TemporaryFile(dir=folder):
                if _is_ours(folder):
                    return folder
        except OSError:
            continue
    return None


def _is_ours(folder) -> bool:
    """Whether a folder belongs to this user: compiled code is run, so it must not be somebody else's."""
    return not hasattr(os, "getuid") or folder.stat().st_uid in (os.getuid(), 0)


class _Locator(caching._CacheLocator):
    """Tells numba's cache where our compiled code lies and what it is stamped with."""

    def __init__(self, function, stamp):
        self._stamp = stamp
        self._folder = cache_folder() / stamp[:16]

    def ensure_cache_path(self):
        self._folder.mkdir(parents=True, exist_ok=True)

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

        def load_overload(self, signature, context):
            try:
                return super().load_overload(signature, context)
            except Exception:  # whatever unpickling a damaged file leads to: then it is compiled anew
                with suppress(OSError):
                    self.flush()
                return None

        def save_overload(self, signature, compiled):
            with suppress(OSError):  # a full disk costs the next process the time, but not this one its games
                super().save_overload(signature, compiled)

    return StampedCache(function)


def is_cached(dispatcher) -> bool:
    """Whether compiled code of this function lies on disk."""
    folder = getattr(dispatcher._cache, "cache_path", None)
    return bool(folder) and any(Path(folder).glob(f"*{dispatcher.py_func.__name__}*.nbi"))
