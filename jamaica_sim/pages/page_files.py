"""The files of the pages by their names: read, and modules joined to one script for a page that is one file."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

IMPORT = re.compile(r"^import .*? from \"\./([\w.]+)\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function|const|let|class)\b)", re.MULTILINE)


@cache
def page_files() -> dict[str, str]:
    """Every file of the pages by its name, in all folders."""
    found: dict[str, str] = {}
    for folder in files("jamaica_sim.pages").iterdir():
        if folder.is_dir() and folder.name != "__pycache__":
            for file in folder.iterdir():
                assert file.name not in found, f"two files of the pages are called {file.name}"
                found[file.name] = file.read_text(encoding="utf-8")
    return found


def styles(*names: str) -> str:
    """Style sheets one after the other."""
    return "\n".join(page_files()[name] for name in names)


def joined(entry: str) -> str:
    """A module and all that it imports as one classic script: what is imported stands before what imports it."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in done:
            source = page_files()[name]
            done[name] = ""  # not twice
            for other in IMPORT.findall(source):
                add(other)
            done[name] = done.pop(name) + EXPORT.sub("", IMPORT.sub("", source))

    add(entry)
    return '"use strict";\n' + "\n".join(done.values())


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page with its marks (`@STYLE@`) replaced, each once; a part may contain what looks like a mark."""
    page = page_files()[name]
    for mark, text in parts.items():
        before, after = page.split(f"@{mark}@")
        page = f"{before}{text}{after}"
    return page


def embedded(data: Any) -> str:
    """JSON inside a script element: nothing in it can end the element."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
