"""The source files that something depends on, found by their imports: for the cache's stamp and a manifest's hash.

Only names and bytes of files are read here; nothing of the package is imported. Every start does this, so paths are
plain text. Two installations with the same hash of what decides a game play the same games. Runs can be resumed, merged
or spread over a cluster only between such installations.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jamaica_sim import __version__
from jamaica_sim.files import sources

PACKAGE = Path(__file__).resolve().parent.parent
IMPORT = re.compile(
    rb"^[ \t]*(?:from jamaica_sim([.\w]*) import (\([^)]*\)|.*)|import jamaica_sim([.\w]+))", re.MULTILINE
)
WORD = re.compile(rb"\w+")

# What decides how games come out.
PLAYING = ("engine/game.py", "play/tally/count.py", "strategy/compile.py", "strategy/library.py")


def digest_of(*files: str) -> str:
    """A hash of all that `files_behind` finds; it is the same wherever the package is installed."""
    digest = hashlib.sha256()
    inside = f"{PACKAGE}{os.sep}"
    named = {
        file.removeprefix(inside) if file.startswith(inside) else os.path.basename(file): file
        for file in files_behind(*files)
    }
    for name in sorted(named):
        digest.update(name.replace(os.sep, "/").encode() + b"\0" + _read(named[name]) + b"\0")
    return digest.hexdigest()


def files_behind(*files: str) -> set[str]:
    """Some source files, all that they import from this package, and the data in the folders of those."""
    found: set[str] = set()
    waiting = list(files)
    while waiting:
        if (file := waiting.pop()) not in found:
            found.add(file)
            waiting += _imported(file)
    inner = {folder for file in found if (folder := os.path.dirname(file)).startswith(f"{PACKAGE}{os.sep}")}
    return found.union(*map(_data_in, inner))


@cache
def _read(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


@cache
def _imported(file: str) -> list[str]:
    """The modules of this package that a source file imports, at its top or in a function."""
    return [path for name in _names(_read(file)) if (path := _file_of(name))]


def _names(content: bytes) -> Iterator[bytes]:
    """The names of imported modules after that of the package; of what is imported from a package, too."""
    for module, names, alone in IMPORT.findall(content):
        yield module or alone
        if not _file_of(module).endswith(f"{os.sep}{module.rpartition(b'.')[2].decode()}.py"):
            yield from (module + b"." + name for name in WORD.findall(names))


@cache
def _file_of(name: bytes) -> str:
    """The file of a module. Empty for what is no module, and for the package itself, which imports everything."""
    place = f"{PACKAGE}{name.decode().replace('.', os.sep)}"
    files = (f"{place}.py", os.path.join(place, "__init__.py")) if name else ()
    return next(filter(os.path.isfile, files), "")


@cache
def _data_in(folder: str) -> set[str]:
    """The files of a folder that are no sources, such as the components."""
    return {entry.path for entry in os.scandir(folder) if entry.is_file() and not entry.name.endswith((".py", ".pyc"))}


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
