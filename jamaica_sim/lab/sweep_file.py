"""Sweeps as files: a title, one to three rules with their values under [sweep], all other rules under [rules].

The shipped sweeps lie beside the shipped experiments. Reading a sweep's file runs nothing.
"""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from jamaica_sim.components.changes import BOARD, by_dots, named_board
from jamaica_sim.errors import UserError
from jamaica_sim.experiment import file as experiments
from jamaica_sim.house_file import house_rules_in
from jamaica_sim.lab.sweep import DEFAULT_GAMES, SweepPlan, make_plan
from jamaica_sim.limits import check_games, check_seed
from jamaica_sim.play.game_table import DEFAULT_LINE_UP, GameTable
from jamaica_sim.rules import HOUSE_RULES, NO_HOUSE_RULES, rules_of
from jamaica_sim.strategy.library import SUFFIXES, look_at_strategy
from jamaica_sim.suggest import did_you_mean
from jamaica_sim.toml_kinds import other_kind
from jamaica_sim.user_files import AnyPath, beside, read_text, toml_of

Made = TypeVar("Made")
KEYS = ("title", "description", "games", "seed", "strategies", "rules", "sweep")


class LabFileError(UserError):
    """A file of the laboratory that cannot be used, in one sentence."""


def shipped_sweeps() -> Path:
    """Where the shipped sweeps lie."""
    return experiments.shipped_experiments() / "sweeps"


def sweep_names() -> list[str]:
    """The names of the shipped sweeps.

    Examples
    --------
    >>> from jamaica_sim import sweep_names
    >>> "hand_size" in sweep_names()
    True
    """
    return sorted(path.stem for path in shipped_sweeps().glob("*.toml"))


def load_sweep_file(name_or_file: str | os.PathLike[str], games: int | None = None) -> SweepPlan:
    """The plan of the shipped sweep of that name, or of the one in that file."""
    path, source = find_file(name_or_file, shipped_sweeps(), "sweep")
    data = read_toml(path, KEYS, "sweep")
    swept = by_dots(data.get("sweep", {})) if isinstance(data.get("sweep", {}), dict) else {}
    if not swept:
        raise LabFileError(f"{path}: it needs a table [sweep] with one to three rules and their values.")
    many = data.get("games", DEFAULT_GAMES) if games is None else games
    names = names_in(path, data) | {"source": source}
    return in_its_words(path, lambda: make_plan(files_beside(path, swept), table_of(path, data), many, **names))


def names_in(path: Path, data: dict[str, Any]) -> dict[str, str]:
    """Name, title and description in a file of the laboratory."""
    title = data.get("title", path.stem.replace("_", " ").capitalize())
    return {"name": path.stem, "title": title, "description": " ".join(data.get("description", "").split())}


def files_beside(path: Path, changes: dict[str, Any]) -> dict[str, Any]:
    """The same changes with boards and house rules read from files beside; their code stays untrusted until allowed."""

    def read(name: str, value: Any) -> Any:
        if isinstance(value, list | tuple) and name in (BOARD, HOUSE_RULES):
            return [read(name, one) for one in value]
        if name == HOUSE_RULES and isinstance(value, str) and value != NO_HOUSE_RULES:
            return house_rules_in(value, path.parent)
        return named_board(value, path.parent) if name == BOARD else value

    return {name: read(name, value) for name, value in changes.items()}


def find_file(name_or_file: AnyPath, shipped: Path, what: str) -> tuple[Path, str]:
    """The path of the shipped file of that name, or the path itself where one is given; and its name in a command."""
    text = str(name_or_file)
    if text.endswith(".toml") or "/" in text or "\\" in text:
        return Path(text), text
    names = sorted(path.stem for path in shipped.glob("*.toml"))
    if text not in names:
        hint = did_you_mean(text, names, "the shipped ones are")
        raise LabFileError(f"there is no {what} {text!r}: {hint} A file is named by its path, ./{text}.toml.")
    return shipped / f"{text}.toml", text


def read_toml(path: Path, keys: Sequence[str], what: str) -> dict[str, Any]:
    """The content of a file of the laboratory, its keys and plain values checked."""
    data = toml_of(read_text(path, LabFileError), path, LabFileError)
    for key in data:
        if key not in keys:
            hint = other_kind([key], path, f"a {what}") or did_you_mean(key, keys)
            raise LabFileError(f"{path}: there is no key {key!r} in a {what}: {hint}")
    for key in ("title", "description"):
        if not isinstance(data.get(key, ""), str):
            raise LabFileError(f"{path}: {key} must be text, not {data[key]!r}.")
    in_its_words(path, lambda: check_games(data.get("games", 1)))
    in_its_words(path, lambda: check_seed(data.get("seed", 1)))
    return data


def in_its_words(path: AnyPath, make: Callable[[], Made]) -> Made:
    """The result of `make`; an error that it raises gets the file's name in front."""
    try:
        return make()
    except LabFileError:
        raise
    except UserError as error:
        raise LabFileError(f"{path}: {error}") from error


def table_of(path: Path, data: dict[str, Any]) -> GameTable:
    """The table of the base rules that a file describes; code of a strategy is read, not run."""
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise LabFileError(f"{path}: rules must be a table, [rules].")
    changes = {name: tuple(v) if isinstance(v, list) else v for name, v in by_dots(rules).items()}
    base = rules_of(files_beside(path, changes))
    names = data.get("strategies", list(DEFAULT_LINE_UP[: base.players]))
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise LabFileError(f"{path}: strategies must be a list of strategies, by seat, not {names!r}.")
    files = [beside(path.parent, name, UserError) if Path(name).suffix in SUFFIXES else name for name in names]
    return GameTable.seat(base, [look_at_strategy(file) for file in files], data.get("seed", 1))
