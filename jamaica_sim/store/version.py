"""Which games these sources play: the version and a hash of everything that decides how a game comes out.

Two installations with the same hash play the same games. Runs can be resumed, merged or spread over a cluster only
between such installations.
"""

from functools import cache

from jamaica_sim import __version__, sources


@cache
def engine_hash() -> str:
    """A hash of the engine, the rules, the components and the strategies' machinery, not of Python or the machine."""
    return sources.digest_of(*sources.ENGINE, *sources.STRATEGIES)


def played_by() -> dict:
    """What a manifest records of the program."""
    return {"version": __version__, "engine": engine_hash()}


def program(facts: dict) -> str:
    """The program of a manifest in words."""
    return f"{facts['version']} (engine {facts['engine'][:8]})"
