"""Which games these sources play: the version and a hash of everything that decides how a game comes out.

Two installations with the same hash play the same games. Runs can be resumed, merged or spread over a cluster only
between such installations.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jamaica_sim import __version__
from jamaica_sim.files import sources


@cache
def engine_hash() -> str:
    """A hash of the engine, the rules, the components and the strategies' machinery, not of Python or the machine."""
    return sources.digest_of(*(str(sources.PACKAGE / name) for name in sources.PLAYING))


def played_by() -> dict[str, str]:
    """What a manifest records of the program."""
    return {"version": __version__, "engine": engine_hash()}


def same_games(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the programs of two manifests play the same games."""
    return (one["version"], one["engine"]) == (other["version"], other["engine"])


def program(facts: Mapping[str, Any]) -> str:
    """The program of a manifest in words."""
    return f"{facts['version']} (engine {facts['engine'][:8]})"
