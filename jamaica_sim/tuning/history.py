"""How far a tuning has come, on disk beside its output: its task, and the scores of every generation."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.rules import Rules
from jamaica_sim.store.atomic_files import json_bytes, write_whole
from jamaica_sim.tuning.evolution import Generation
from jamaica_sim.user_files import read_plain_file

SCHEMA = "jamaica-sim tuning 1"


class TuningError(UserError):
    """A tuning that cannot be started or resumed, in one sentence."""


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
        past_task["tables"] = [Rules(**table).as_dict() for table in past_task["tables"]]  # rules may have been added
    except FileNotFoundError:
        return [], 0.0
    except OSError as error:
        raise TuningError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise TuningError(f"{path} is not the history of a tuning: delete it, or choose another --out.") from error
    if schema != SCHEMA:
        raise TuningError(f"{path} was written by another version: delete it, or choose another --out.")
    changed = [name for name in task if past_task.get(name) != task[name]]
    if changed:
        raise TuningError(
            f"{path} belongs to a tuning with other {', '.join(changed)}: go on with the same options, delete it, "
            f"or choose another --out."
        )
    return generations, seconds


def write_history(path: Path, task: dict[str, Any], generations: list[Generation], seconds: float) -> None:
    """Write the history; the file is either complete or stays as it was."""
    kept = {"schema": SCHEMA, "task": task, "seconds": round(seconds, 3)}
    write_whole(path, json_bytes({**kept, "generations": [asdict(generation) for generation in generations]}))
