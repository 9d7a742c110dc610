"""Files for `sensitivity`: which rules may vary and over which values, under [ranges]."""

import os
from typing import Any

from jamaica_sim.components.changes import by_dots
from jamaica_sim.lab.rule_space import make_space
from jamaica_sim.lab.sensitivity_task import SensitivityTask
from jamaica_sim.lab.sweep_file import (
    LabFileError,
    files_beside,
    find_file,
    in_its_words,
    read_toml,
    shipped_sweeps,
    table_of,
)

KEYS = ("title", "description", "games", "seed", "strategies", "rules", "ranges", "trajectories", "samples", "kept")


def load_ranges_file(path: str | os.PathLike[str], **given: int | None) -> SensitivityTask:
    """The task in a file; given numbers override those of the file."""
    path, _ = find_file(path if str(path).endswith(".toml") else f"./{path}.toml", shipped_sweeps(), "file")
    data = read_toml(path, KEYS, "file of ranges")
    ranges = data.get("ranges")
    if not isinstance(ranges, dict) or not ranges:
        raise LabFileError(f"{path}: it needs a table [ranges] with rules and their values.")
    numbers: dict[str, Any] = {
        name: data[name] for name in ("games", "trajectories", "samples", "kept") if name in data
    }
    numbers |= {name: number for name, number in given.items() if number is not None}
    names = {
        "name": path.stem,
        "title": data.get("title", ""),
        "description": " ".join(data.get("description", "").split()),
    }

    def make() -> SensitivityTask:
        return SensitivityTask.checked(
            make_space(table_of(path, data), files_beside(path, by_dots(ranges))), **numbers, **names
        )

    return in_its_words(path, make)
