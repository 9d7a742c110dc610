"""Writes files to start from: never over another file, and with a line that names their JSON schema for editors.

Their content comes from the modules that read such files: strategies, rules, experiments.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"


def schema_line(kind: str) -> str:
    """The first line of a TOML file by which editors check and complete it."""
    return f"#:schema {(SCHEMAS / f'{kind}.json').as_uri()}"


def write_new(folder: Path, name: str, ending: str, text: str, refuse: Callable[[str], UserError]) -> Path:
    """Write a file to start from; `refuse(sentence)` makes the error to raise if that is not possible."""
    if not re.fullmatch(r"[A-Za-z]\w{0,59}", name):
        hint = " and leave its ending out" if re.search(r"\.(toml|py)$", name) else ", starting with a letter"
        raise refuse(f"{name!r} cannot name a new file: use letters, digits and _{hint}.")
    path = folder / f"{name}{ending}"
    if os.path.lexists(path):
        raise refuse(f"{path} exists already: choose another name, or delete it first.")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise refuse(f"{path} cannot be written: {error.strerror}.") from error
    return path
