"""Which games these sources play: the version and a hash of everything that decides how a game comes out.

Two installations with the same hash play the same games; runs are resumed, spread and merged only between such.
"""

import hashlib
from functools import cache
from pathlib import Path

from jamaica_sim import __version__

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def engine_hash() -> str:
    """A hash of the engine, the rules, the components and the strategies' machinery, not of Python or the machine."""
    sources = [PACKAGE / "rules.py", PACKAGE / "words.py"]
    for folder, files in (("engine", "*.py"), ("strategy", "*.py"), ("components", "*.csv")):
        sources += sorted((PACKAGE / folder).glob(files))
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.parent.name}/{source.name}\0".encode() + source.read_bytes() + b"\0")
    return digest.hexdigest()


def played_by() -> dict:
    """What a manifest records of the program."""
    return {"version": __version__, "engine": engine_hash()}


def program(facts: dict) -> str:
    """The program of a manifest in words."""
    return f"{facts['version']} (engine {facts['engine'][:8]})"
