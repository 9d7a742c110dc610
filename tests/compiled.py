"""Functions of the tests that are compiled like the engine and kept on disk beside it."""

import hashlib
import inspect
from pathlib import Path

from jamaica_sim.engine.machine.cache import engine_stamp
from jamaica_sim.engine.machine.jit import INNER, Entry


def entry_of_tests(function):
    """Jit a function of a test that calls the engine. It is compiled again when the engine or its own file changes."""
    stamp = hashlib.sha256(engine_stamp().encode() + Path(inspect.getfile(function)).read_bytes())
    return Entry(function, stamp.hexdigest(), {**INNER, "_nrt": True})  # tests may make arrays
