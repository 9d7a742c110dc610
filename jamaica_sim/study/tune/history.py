"""What a tuning or a training keeps beside the strategy file that it writes: its task, and how far it has come."""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes, write_whole
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.study.tune.evolution import Generation

SCHEMA = "jamaica-sim tuning 1"


class TuningError(UserError):
    """A tuning or a training that cannot be started or resumed, in one sentence."""


def refuse_foreign(out: Path, record: Path, others: Sequence[Path] = ()) -> None:
    """Refuse a file that cannot be written, or that nothing of ours wrote: its `record` is not there."""
    if out.suffix != ".toml":
        raise TuningError(f"{out}: a strategy file ends in .toml.")
    for file in (out, *others):
        if os.path.lexists(file) and not record.is_file():
            raise TuningError(f"{file} exists already: choose another file, so that nothing is overwritten.")
    if not out.parent.is_dir():
        raise TuningError(f"there is no folder {out.parent} to write {out.name} into.")


def refuse_other_task(path: Path, what: str, past: dict[str, Any], task: dict[str, Any]) -> None:
    """Refuse to go on with what another task has left."""
    if changed := [name for name in task if past.get(name) != task[name]]:
        raise TuningError(
            f"{path} belongs to a {what} with other {', '.join(changed)}: go on with the same options, delete it, "
            f"or choose another --out."
        )


def history_of(out: Path) -> Path:
    """The file that keeps the history of the tuning that writes `out`."""
    return out.with_name(f"{out.stem}.tuning.json")


def read_history(path: Path, task: dict[str, Any]) -> tuple[list[Generation], float]:
    """The generations of this task so far, and the seconds that they took; none where there is no such file."""
    try:
        found = json.loads(read_plain_file(path).decode("utf-8"))
        generations = [Generation(**generation) for generation in found["generations"]]
        schema, past_task, seconds = found["schema"], found["task"], float(found["seconds"])
        if not isinstance(past_task, dict):
            raise TypeError("the task is no task")
    except FileNotFoundError:
        return [], 0.0
    except OSError as error:
        raise TuningError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise TuningError(f"{path} is not the history of a tuning: delete it, or choose another --out.") from error
    if schema != SCHEMA:
        raise TuningError(f"{path} was written by another version: delete it, or choose another --out.")
    refuse_other_task(path, "tuning", past_task, task)
    return generations, seconds


def write_history(path: Path, task: dict[str, Any], generations: list[Generation], seconds: float) -> None:
    """Write the history; the file is either complete or stays as it was."""
    kept = {"schema": SCHEMA, "task": task, "seconds": round(seconds, 3)}
    write_whole(path, json_bytes({**kept, "generations": [asdict(generation) for generation in generations]}))
