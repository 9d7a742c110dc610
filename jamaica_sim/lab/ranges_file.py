"""Files for `sensitivity`: which rules may vary and over which values, under [ranges]."""

from jamaica_sim.components.changes import by_dots
from jamaica_sim.lab.rule_space import make_space
from jamaica_sim.lab.sensitivity import (
    DEFAULT_GAMES,
    DEFAULT_KEPT,
    DEFAULT_SAMPLES,
    DEFAULT_TRAJECTORIES,
    Task,
    make_task,
)
from jamaica_sim.lab.sweep_file import LabFileError, find_file, in_its_words, read_toml, shipped_sweeps, table_of

KEYS = ("title", "description", "games", "seed", "strategies", "rules", "ranges", "trajectories", "samples", "kept")


def load_ranges_file(path, **given) -> Task:
    """The task in a file; given numbers override those of the file."""
    path, _ = find_file(path if str(path).endswith(".toml") else f"./{path}.toml", shipped_sweeps(), "file")
    data = read_toml(path, KEYS, "file of ranges")
    ranges = data.get("ranges")
    if not isinstance(ranges, dict) or not ranges:
        raise LabFileError(f"{path}: it needs a table [ranges] with rules and their values.")
    usual = {
        "games": DEFAULT_GAMES,
        "trajectories": DEFAULT_TRAJECTORIES,
        "samples": DEFAULT_SAMPLES,
        "kept": DEFAULT_KEPT,
    }
    numbers = {name: data.get(name, number) for name, number in usual.items()}
    numbers |= {name: number for name, number in given.items() if number is not None}
    names = {
        "name": path.stem,
        "title": data.get("title", ""),
        "description": " ".join(data.get("description", "").split()),
    }
    return in_its_words(path, lambda: make_task(make_space(table_of(path, data), by_dots(ranges)), **numbers, **names))
