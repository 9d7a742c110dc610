"""The one jit policy of the project.

`jit` and `inline` are for functions that only jitted code calls; `entry` is for the few that Python calls, and keeps
their compiled code on disk.
"""

from functools import wraps

import numba
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from jamaica_sim.engine.machine.cache import (
    BOUNDS_CHECK,
    cache_folder,
    engine_stamp,
    is_cached,
    load_cached,
    stamped_cache,
)
from jamaica_sim.engine.machine.numba_patches import engine_compiler

if numba.config.DISABLE_JIT:
    raise ValueError("the environment variable NUMBA_DISABLE_JIT is set: unset it, the engine plays compiled only.")

OPTIONS = {"nogil": True, "error_model": "numpy", "boundscheck": BOUNDS_CHECK}
INNER = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

# Said explicitly both times, because numba hands a caller's forced inlining down to all that it calls.
NOT_INLINE = {**INNER, "forceinline": False}
jit = njit(**NOT_INLINE)
inline = njit(**INNER, forceinline=True)


def entry(function):
    """Jit a function that Python calls, with its compiled code kept on disk. It is compiled by its first call."""
    dispatcher = njit(**OPTIONS)(function)
    if cache_folder() is not None:
        dispatcher._cache = stamped_cache(function, engine_stamp())

    @wraps(function)
    def call(*arguments):
        if not dispatcher.signatures:
            with global_compiler_lock:  # workers start together: the first one compiles
                if not dispatcher.signatures:
                    compile_entry(dispatcher, tuple(numba.typeof(argument) for argument in arguments))
        return dispatcher(*arguments)

    def is_compiled():
        """Whether a call would find compiled code, in memory or on disk."""
        return bool(dispatcher.signatures) or is_cached(dispatcher)

    call.dispatcher = dispatcher
    call.is_compiled = is_compiled
    return call


def compile_entry(dispatcher, signature):
    """Compile a function as the engine is compiled, or load it from the cache."""
    if load_cached(dispatcher, signature):
        return
    with engine_compiler(dispatcher.py_func.__qualname__):
        dispatcher.compile(signature)
