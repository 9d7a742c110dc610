"""What the files of the laboratory have in common: a title, games, a seed, and a table of rules and strategies.

Reading one runs nothing.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from jamaica_sim.errors import UserError
from jamaica_sim.files.user_files import AnyPath, beside, read_text, toml_of
from jamaica_sim.game.components.changes import by_dots
from jamaica_sim.game.rules import rules_of
from jamaica_sim.game.variant import files_beside, single_values
from jamaica_sim.play.game_table import DEFAULT_LINE_UP, GameTable
from jamaica_sim.strategy.library import SUFFIXES, look_at_strategy
from jamaica_sim.study.experiment.file import ExperimentError, wrong_keys

Made = TypeVar("Made")


def names_in(path: Path, data: dict[str, Any]) -> dict[str, str]:
    """Name, title and description in a file of the laboratory."""
    title = data.get("title", path.stem.replace("_", " ").capitalize())
    return {"name": path.stem, "title": title, "description": " ".join(data.get("description", "").split())}


def read_toml(path: Path, keys: Sequence[str], what: str) -> dict[str, Any]:
    """The content of a file of the laboratory, its keys and plain values checked."""
    data = toml_of(read_text(path, UserError), path, UserError)
    if problems := wrong_keys(data, path, keys, what):
        raise ExperimentError(path, problems)
    return data


def naming_the_file(path: AnyPath, make: Callable[[], Made]) -> Made:
    """The result of `make`; an error that it raises gets the file's name in front."""
    try:
        return make()
    except UserError as error:
        raise error if str(error).startswith(f"{path}: ") else UserError(f"{path}: {error}") from error


def table_of(path: Path, data: dict[str, Any]) -> GameTable:
    """The table of the base rules that a file describes; code of a strategy is read, not run."""
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise UserError(f"{path}: rules must be a table, [rules].")
    base = rules_of(files_beside(path.parent, single_values(by_dots(rules))))
    names = data.get("strategies", list(DEFAULT_LINE_UP[: base.players]))
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UserError(f"{path}: strategies must be a list of strategies, by seat, not {names!r}.")
    files = [beside(path.parent, name, UserError) if Path(name).suffix in SUFFIXES else name for name in names]
    seated = [look_at_strategy(file) for file in files]
    return GameTable.seat(base, seated, data.get("seed", 1), measures=data.get("measures"))


# Packages that only the laboratory needs, imported when they are needed


class ExtraMissing(UserError):
    """A package of the extra is not installed, in one sentence."""


def need(module: str) -> Any:
    """A module of a package that only the laboratory needs."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ExtraMissing(
            f"the package {package} is missing: install what the laboratory needs with pip install optuna SALib."
        ) from error
