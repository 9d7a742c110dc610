"""The folder of a long search: a manifest, and one file with everything that was measured so far.

Like the folder of a run it appears complete, is written by one process alone and can be resumed.
"""

import json
import re
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.play.commands import resume_command
from jamaica_sim.store import saved_folder as saved
from jamaica_sim.store.atomic_files import json_bytes
from jamaica_sim.store.manifest import (
    FolderFault,
    Manifest,
    ManifestKind,
    is_plain_name,
    names_files,
    new_manifest,
    read_complete,
    read_manifest,
    refuse_other_program,
    wrong_table,
)
from jamaica_sim.store.saved_folder import SavedFolder, is_tidy, read_counted
from jamaica_sim.user_files import AnyPath

STATE = "measured.json"


class PlainRange(TypedDict):
    """A rule that may vary, in a configuration."""

    name: str
    values: list[Any]


def lab_kind(schema: str, whose: str, form: Any) -> ManifestKind:
    """A kind of folder of the laboratory; `form` is the type of its configuration, apart from the table."""

    def check(manifest: Manifest) -> str:
        config = manifest["configuration"]
        if not is_plain_name(config.get("name")):
            return "configuration.name"
        if wrong := wrong_table(config, MAX_SHIPS) or wrong_type(config, form, "configuration"):
            return wrong
        named = [{rule["name"]: value} for rule in config["ranges"] for value in rule["values"]]
        return "configuration.ranges" if any(map(names_files, named)) else ""

    return ManifestKind(schema, whose, re.compile(re.escape(STATE)), check)


def wrong_type(value: Any, form: Any, what: str) -> str:
    """The first entry of a value that is not of its type, by its path; empty where all is well."""
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        path = re.search(r"at `\$\.?(.*?)(\[\.\.\.\])?`", str(error))
        return f"{what}.{path[1]}" if path else what
    except (RecursionError, ValueError):  # nested too deeply, or text that is no text
        return what
    return ""


class LabFolder(SavedFolder):
    """The folder of one search, open for writing by this process alone."""

    state: dict[str, Any]

    @classmethod
    def start(cls, path: AnyPath, config: dict[str, Any], kind: ManifestKind) -> "LabFolder":
        """A new folder; nothing is measured yet."""
        folder = cls.begin(path, new_manifest(config, kind))
        folder.state = {}
        return folder

    @classmethod
    def go_on(cls, path: AnyPath, kind: ManifestKind) -> "LabFolder":
        """The folder of a search that was stopped."""
        of_kind: type[LabFolder] = type(cls.__name__, (cls,), {"kind": kind})
        return of_kind.reopen(path)

    def take_up(self) -> None:
        """Read the measurements."""
        self.state = read_state(self.path, self.manifest) if self.manifest["files"] else {}

    def keep(
        self, state: dict[str, Any], games_done: int, seconds: float, complete: bool = False, now: bool = False
    ) -> None:
        """Save the measurements so far, if it is time, at the end or if `now`."""
        if complete or now or self.is_time(saved.SAVE_EVERY):
            self.submit(self._write, json_bytes(state), games_done, self.seconds + seconds, complete)

    def how_to_go_on(self) -> str:
        """In words: the measurements are safe, and the command that resumes the search."""
        return f"what is measured so far is safe: go on with `{resume_command(self.path)}`"

    # In the background only

    def _write(self, content: bytes, games_done: int, seconds: float, complete: bool) -> None:
        self.commit(self.advanced(seconds, games_done=games_done, complete=complete), {STATE: content})


def read_state(path: Path, manifest: Manifest) -> dict[str, Any]:
    """The measurements, checked against the manifest."""
    content = read_counted(path, manifest, STATE)
    try:
        state = None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        state = None
    if not isinstance(state, dict):
        raise FolderFault(f"{Path(path) / STATE} is missing or damaged: without it the search has to begin anew.")
    return state


def unfinished_search(path: AnyPath, kind: ManifestKind) -> dict[str, Any] | None:
    """The configuration of a search that has more to do; None where it is complete and undamaged."""
    path, manifest = Path(path), read_manifest(path, kind)
    if is_tidy(path, manifest) and read_counted(path, manifest, STATE) is not None:
        return None
    refuse_other_program(path, manifest)
    return manifest["configuration"]


def finished_search(path: AnyPath, kind: ManifestKind) -> tuple[dict[str, Any], dict[str, Any]]:
    """The configuration and the state of a search, which must be complete."""
    path, manifest = Path(path), read_complete(path, kind)
    return manifest["configuration"], read_state(path, manifest)
