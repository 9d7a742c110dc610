"""Functions of the tests that are compiled like the engine and kept on disk beside it."""

import hashlib
import inspect
from pathlib import Path

from jamaica_sim.engine.machine.cache import cache_folder, engine_stamp, stamped_cache
from jamaica_sim.engine.machine.jit import entry


def entry_of_tests(function):
    """Jit a function of a test that calls the engine. It is compiled anew when the engine or its own file changes."""
    call = entry(function)
    if cache_folder() is not None:
        stamp = hashlib.sha256(engine_stamp().encode() + Path(inspect.getfile(function)).read_bytes())
        call.dispatcher._cache = stamped_cache(function, stamp.hexdigest())
    return call
