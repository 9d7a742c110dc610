"""The notebook of the studio: the variants that somebody keeps, as JSON lines in a file beside the user's work.

Each line is a variant with its name, note and figures, the newest first. Several studios may write the same file.
"""

import threading
from pathlib import Path
from typing import Annotated, Any

import msgspec

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.user_files import read_text
from jamaica_sim.web.streams import OfPage

MOST_ENTRIES = 1000
KEY = "key"  # what tells variants apart: table and changes
GONE = "gone"  # of an entry that is to be left out


class AskedNotebook(OfPage, kw_only=True):
    """Nothing to ask for all entries; or entries to keep, or to leave out."""

    entries: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=50)] = []


class Notebook:
    """A file of variants; nothing is kept where there is no file."""

    def __init__(self, file: Path | None = None):
        self._file, self._writing = file, threading.Lock()
        self.entries()  # a file that is none is refused at once

    def entries(self) -> list[dict[str, Any]]:
        """All variants, the newest first."""
        if self._file is None or not self._file.exists():
            return []
        lines = read_text(self._file, UserError).splitlines()
        return [self._entry(line, number) for number, line in enumerate(lines, 1) if line.strip()]

    def _entry(self, line: str, number: int) -> dict[str, Any]:
        try:
            entry = msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            entry = {}
        if not isinstance(entry.get(KEY), str):
            where = f"{self._file}, line {number}"
            raise UserError(f"{where} is no variant of a notebook: remove the line, or name another file.")
        return entry

    def answer(self, asked: AskedNotebook) -> dict[str, Any]:
        """Keep what is new, and tell everything that is there; null where there is no file."""
        if self._file is None:
            return {"entries": None}
        with self._writing:
            known = self.entries()
            if asked.entries:
                new = {entry[KEY]: entry for entry in asked.entries if isinstance(entry.get(KEY), str)}
                first = [entry for key, entry in new.items() if key not in {one[KEY] for one in known}]
                known = [*first, *(new.get(one[KEY], one) for one in known)]
                known = [entry for entry in known if not entry.get(GONE)][:MOST_ENTRIES]
                write_whole(self._file, b"".join(msgspec.json.encode(entry) + b"\n" for entry in known))
        return {"entries": known}
