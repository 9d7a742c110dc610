"""Checks of every strategy file, of data or code: its name, its weights and its bans."""

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from jamaica_sim.escape import shown
from jamaica_sim.strategy.bans import BANS
from jamaica_sim.strategy.heuristic.weights import BY_NAME
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.suggest import did_you_mean

NAME = re.compile(r"[\w .+-]{1,60}")
MOST_PROBLEMS = 20  # told at once


def refuse_all(path: Path, problems: Iterable[str]) -> None:
    """Refuse a file for all that is wrong with it, if anything is. Each problem begins with the path."""
    several = list(dict.fromkeys(problems))
    if len(several) == 1:
        raise StrategyError(several[0])
    if several:
        told = [problem.removeprefix(str(path)).lstrip(":, ") for problem in several[:MOST_PROBLEMS]]
        told += [f"and {len(several) - MOST_PROBLEMS:,} more."] if len(several) > MOST_PROBLEMS else []
        raise StrategyError(f"{path} has {len(several)} problems:" + "".join(f"\n  - {problem}" for problem in told))


def checked_name(name: str, path: Path) -> str:
    """The name, if it fits into tables and file names."""
    if not NAME.fullmatch(name):
        raise StrategyError(f"{path}: the name {name!r} must be 1 to 60 letters, digits, spaces or any of _ . + -")
    return name


def check_weights(weights: Mapping[Any, object], refuse: Callable[[str, str], object]) -> None:
    """Refuse weights that are unknown, not numbers or out of range, by calling `refuse(key, problem)` for each."""
    for key, value in weights.items():
        weight = BY_NAME.get(key)
        if weight is None:
            refuse(key, f"there is no weight {shown(key)}: {did_you_mean(str(key), list(BY_NAME))}")
        elif isinstance(value, bool) or not isinstance(value, int | float):
            refuse(key, f"the weight {key!r} must be a number, not {shown(value)}.")
        elif not weight.low <= value <= weight.high:
            allowed = f"from {weight.low:g} to {weight.high:g} {weight.unit}"
            refuse(key, f"the weight {key!r} must be {allowed}, not {shown(value)}.")


def checked_bans(bans: object, refuse: Callable[[str], object]) -> tuple[str, ...]:
    """The parts of the game that a file bans; calls `refuse(problem)` for what is no list or no known ban."""
    if not isinstance(bans, list | tuple):
        refuse(f"bans must be a list such as [{BANS[0]!r}], not {shown(bans)}.")
        return ()
    for ban in bans:
        if ban not in BANS:
            refuse(f"there is no ban {shown(ban)}: {did_you_mean(str(ban), BANS, 'the bans are')}")
    return tuple(dict.fromkeys(map(str, bans)))
