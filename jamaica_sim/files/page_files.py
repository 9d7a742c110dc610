"""The files of the pages by their paths: read, and modules joined to one script for a page that is one file."""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from posixpath import dirname, join, normpath
from typing import Any

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[\w./]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async function|function\*?|const|class)\b)", re.MULTILINE)
# A variable that changes later is hoisted out of its module, so that who imports it sees its value of the moment.
LIVE = re.compile(r"^export let (\w+)(;| = )", re.MULTILINE)
COMMENT = re.compile(r"^ *(?://.*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)  # lines that are nothing else


@cache
def page_files() -> dict[str, str]:
    """Every file of the pages by its path, such as shared/board.js."""
    return {
        f"{folder.name}/{file.name}": file.read_text(encoding="utf-8")
        for folder in files("jamaica_sim").joinpath("pages").iterdir()
        if folder.is_dir() and folder.name != "__pycache__"
        for file in folder.iterdir()
    }


def styles(*names: str) -> str:
    """Style sheets one after the other."""
    return "\n".join(page_files()[name] for name in names)


def imports_of(name: str, source: str) -> list[tuple[str, list[str]]]:
    """What a module imports: the paths of other modules, each with the names."""
    found = []
    for names, path in IMPORT.findall(source):
        other = normpath(join(dirname(name), path))
        found.append((other, [one.strip() for one in names.split(",") if one.strip()]))
    return found


def joined(entry: str, files: Mapping[str, str] | None = None) -> str:
    """A module and all that it imports as one classic script without comments: functions, called before their users."""
    known = page_files() if files is None else files
    order: list[str] = []

    def add(name: str) -> None:
        for other, _ in imports_of(name, known[name]):
            if other not in order:
                add(other)
        if name not in order:
            order.append(name)

    add(entry)
    live = [name for module in order for name, _ in LIVE.findall(known[module])]
    assert len(live) == len({*live}), f"two modules export a variable of the same name: {', '.join(live)}"
    wanted: dict[str, dict[str, None]] = {name: {} for name in order}
    for name in order:
        for other, names in imports_of(name, known[name]):
            wanted[other] |= dict.fromkeys(one for one in names if one not in live)
    variables = f"let {', '.join(live)};\n" if live else ""
    heads = f'"use strict";\nconst modules = {{}};\n{variables}'
    return heads + "".join(_as_function(name, known[name], live, wanted[name]) for name in order)


def _as_function(name: str, source: str, live: list[str], wanted: Mapping[str, None]) -> str:
    taken = [
        f"const {{ {', '.join(names)} }} = modules[{json.dumps(other)}];\n"
        for other, every in imports_of(name, source)
        if (names := [one for one in every if one not in live])
    ]
    body = LIVE.sub(lambda it: f"{it[1]} = " if it[2] != ";" else "", IMPORT.sub("", source))
    given = f"return {{ {', '.join(wanted)} }};\n" if wanted else ""
    inside = f"{''.join(taken)}{EXPORT.sub('', COMMENT.sub('', body))}{given}"
    return f"modules[{json.dumps(name)}] = (() => {{\n{inside}}})();\n"


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
