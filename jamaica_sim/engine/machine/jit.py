"""The one jit policy of the project, and where compiled code is kept.

`jit` and `inline` are for functions that only jitted code calls; `entry` is for the few that Python calls, and
caches them on disk. The cache is stamped with a hash of every source that jitted code can come from, because
numba's own stamp sees only the file of the function itself and would serve old code after a helper has changed.
"""

import hashlib
import os
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path

import llvmlite
import numba
import platformdirs
from numba import njit, types
from numba.core import caching, callconv, cgutils, codegen
from numba.np import arrayobj

from jamaica_sim import sources

# Bounds checks cost a few percent; the test suite turns them on.
BOUNDS_CHECK = os.environ.get("JAMAICA_SIM_BOUNDS_CHECK", "0") == "1"

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": BOUNDS_CHECK}
INNER = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# Said explicitly both times, because numba hands a caller's forced inlining down to all that it calls.
NOT_INLINE = {**INNER, "forceinline": False}
jit = njit(**NOT_INLINE)
inline = njit(**INNER, forceinline=True)


compiling = threading.RLock()  # one compilation at a time: workers start together


@cache
def engine_stamp() -> str:
    """A hash of everything the compiled engine depends on, except the processor, which numba's index has."""
    programs = numba.__version__, llvmlite.__version__, sys.version_info[:3], sorted(OPTIONS.items())
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


@contextmanager
def plain_indexes():
    """Compile without wrap-around of negative indexes, which the engine never uses; worth 15% of its instructions.

    In a numba that does this elsewhere nothing happens, and the engine is only slower.
    """
    original = getattr(arrayobj, "fix_integer_index", None)
    if original is None:
        yield
        return
    arrayobj.fix_integer_index = lambda context, builder, kind, index, size: context.cast(
        builder, index, kind, types.intp
    )
    try:
        yield
    finally:
        arrayobj.fix_integer_index = original


def is_cached(dispatcher) -> bool:
    """Whether compiled code of this function lies on disk."""
    folder = getattr(dispatcher._cache, "cache_path", None)
    return bool(folder) and any(Path(folder).glob(f"*{dispatcher.py_func.__name__}*.nbi"))


@contextmanager
def no_idle_stores():
    """Compile calls without zeroing, at the start of the caller, the slots for their results.

    Only rare things are called, everything else is inlined; but the zeroing is done whether they happen or not, a
    fortieth of the engine's instructions. In a numba that is built otherwise nothing happens.
    """
    from unittest.mock import patch  # which takes longer to import than all else here, and only compiling needs it

    call = getattr(callconv.CPUCallConv, "call_function", None)
    if call is None or not hasattr(cgutils, "alloca_once"):
        yield
        return

    def slot(builder, type_, size=None, name="", zfill=False):
        with builder.goto_entry_block():
            return builder.alloca(type_, size=size, name=name)

    def call_function(self, *arguments, **options):
        with patch.object(cgutils, "alloca_once", slot):
            return call(self, *arguments, **options)

    with patch.object(callconv.CPUCallConv, "call_function", call_function):
        yield


@contextmanager
def optimised_once(name):
    """Optimise and emit code for the entry called `name` only, with all that it calls linked in.

    By itself numba optimises every function together with all that it calls, and emits machine code for it, each
    time one more level of calls is put on top: most of the time of a cold start. In a numba that is built otherwise
    nothing happens, and the start is only slower.
    """
    from unittest.mock import patch

    library, generator = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    optimise = getattr(library, "_optimize_final_module", None)
    finish = getattr(library, "_finalize_final_module", None)
    set_environment = getattr(generator, "set_env", None)
    if optimise is None or finish is None or set_environment is None:
        yield
        return

    def optimise_entry(self):
        if self.name == name:
            optimise(self)

    def finish_entry(self):
        if self.name == name:
            finish(self)
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def set_entry_environment(self, symbol, environment):
        if self._engine.is_symbol_defined(symbol):
            set_environment(self, symbol, environment)

    with (
        patch.object(library, "_optimize_final_module", optimise_entry),
        patch.object(library, "_finalize_final_module", finish_entry),
        patch.object(generator, "set_env", set_entry_environment),
    ):
        yield


def entry(function):
    """Jit a function that Python calls, with its compiled code kept on disk. It is compiled by its first call."""
    dispatcher = njit(**OPTIONS)(function)
    if cache_folder() is not None:
        dispatcher._cache = stamped_cache(function, engine_stamp())

    @wraps(function)
    def call(*arguments):
        if not dispatcher.signatures:
            with compiling, plain_indexes(), no_idle_stores(), optimised_once(function.__qualname__):
                if not dispatcher.signatures:
                    dispatcher.compile(tuple(numba.typeof(argument) for argument in arguments))
        return dispatcher(*arguments)

    def is_compiled():
        """Whether a call would find compiled code, in memory or on disk."""
        return bool(dispatcher.signatures) or is_cached(dispatcher)

    call.dispatcher = dispatcher
    call.is_compiled = is_compiled
    return call
