"""Functions of the tests that are compiled like the engine and kept on disk beside it."""

from jamaica_sim.engine.machine.jit import INNER, Entry


def entry_of_tests(function):
    """Jit a function of a test that calls the engine. It is compiled again when what it imports or its file changes."""
    return Entry(function, {**INNER, "_nrt": True})  # tests may make arrays
