"""Explains a folder that cannot be used as asked: what it is, and what can be done with it. Each text ends a sentence.

Only two entries of its manifest are read, the kind and whether it is complete; nothing else is trusted.
"""

import os
import shlex
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

from jamaica_sim.files.user_files import AnyPath

MANIFEST = "manifest.json"
MOST_LOOKED_AT = 1000  # entries of a folder
RUN = "jamaica-run"
# Kinds of manifest, without their version: what is in the folder.
IN_IT = {
    RUN: "a run",
    "jamaica-comparison": "a comparison",
    "jamaica-experiment": "an experiment",
    "jamaica-sensitivity": "a sensitivity analysis",
    "jamaica-balance": "a search for rules",
}


def other_kind(path: AnyPath, manifest: Mapping[str, object], wanted: str) -> str:
    """What is in a folder whose manifest is not of the wanted schema, and the commands for it."""
    schema = manifest.get("schema")
    if not isinstance(schema, str) or len(schema) > 60:
        return f"its {MANIFEST} does not say of which kind it is."
    kind = schema.partition("/")[0]
    if kind not in IN_IT or kind == wanted.partition("/")[0]:
        return f"its {MANIFEST} is of the kind {schema!r}, and this version knows {wanted!r}."
    what = IN_IT[kind]
    if manifest.get("complete") is not True:
        return f"it has {what} that is not complete, and `{_typed('resume', path)}` goes on with it."
    ways = [f"`{_typed('report', path)}` shows it"]
    if kind == RUN:
        ways.append(f"`{_typed('replay', path, '--game', '0')}` one of its games")
    ways.append("`jamaica_sim.load` reads it from Python")
    return f"it has {what}: {', '.join(ways[:-1])}, and {ways[-1]}."


def no_manifest(path: AnyPath) -> str:
    """What lies at a path that has no manifest, and what to name instead."""
    path = Path(path)
    if not path.exists():
        return "there is no such folder."
    if (path.absolute().parent / MANIFEST).is_file():
        return f"it is a part of the folder {path.parent}: name that."
    if path.is_file():
        return _what_file(path)
    inside = _folder_inside(path)
    return f"it has no {MANIFEST}" + (f", but {inside} has." if inside is not None else ".")


def _what_file(path: Path) -> str:
    history = path if path.name.endswith(".tuning.json") else path.with_suffix(".tuning.json")
    if history.is_file():
        return "it is a file of a tuning, which goes on when its `jamaica-sim tune` is typed again."
    if path.suffix in (".toml", ".py"):
        return f"it is a file. If it is a strategy, `{_typed('run', '-s', path)}` plays it."
    if path.suffix == ".json":
        return f"it is a file. If it is that of a game, `{_typed('replay', path)}` shows it, without --game."
    return "it is a file."


def _folder_inside(path: AnyPath) -> Path | None:
    """The first folder in this one that has a manifest."""
    with os.scandir(path) as entries:
        names = sorted(entry.name for entry in islice(entries, MOST_LOOKED_AT))
    return next((Path(path) / name for name in names if (Path(path) / name / MANIFEST).is_file()), None)


def _typed(*words: AnyPath) -> str:
    return shlex.join(["jamaica-sim", *map(str, words)])
