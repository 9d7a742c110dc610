"""Strategy files of data: a name, a description and weights in TOML. Reading one runs no code and compiles nothing."""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from jamaica_sim.strategy.compile import heuristic
from jamaica_sim.strategy.file_checks import check_weights, checked_name, shown
from jamaica_sim.strategy.strategy import Strategy, StrategyError
from jamaica_sim.suggest import did_you_mean

KEYS = ("name", "description", "intent", "weights")


def read_toml(text: str, path: Path) -> Strategy:
    """The strategy that a TOML file of this text is."""
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise StrategyError(f"{path} is not valid TOML: it is nested too deeply.") from None
    except ValueError as error:  # TOML's own, or a number with thousands of digits
        raise StrategyError(f"{path} is not valid TOML: {error}.") from error
    for key in data:
        if key not in KEYS:
            _refuse(path, text, key, f"there is no key {key!r} in a strategy file: {did_you_mean(key, KEYS)}")
    for key in ("name", "description", "intent"):
        if not isinstance(data.get(key, ""), str):
            _refuse(path, text, key, f"{key} must be text, not {shown(data[key])}.")
    weights = data.get("weights", {})
    if not isinstance(weights, dict):
        _refuse(path, text, "weights", "weights must be a table: [weights], then one `name = number` a line.")
    check_weights(weights, lambda key, problem: _refuse(path, text, key, problem))
    return Strategy(
        checked_name(data.get("name", path.stem), path),
        "data",
        data.get("description", "").strip(),
        data.get("intent", "").strip(),
        path,
        text,
        {name: float(value) for name, value in weights.items()},
        heuristic=heuristic(),
    )


def write_toml(name: str, description: str, weights: Mapping, intent: str = "") -> str:
    """The text of a file for a strategy of these weights, as precise as they are."""
    texts = {"name": name, "description": description, "intent": intent}
    lines = [f"{key} = {json.dumps(text, ensure_ascii=False)}" for key, text in texts.items() if text]
    return "\n".join(
        [*lines, "", "[weights]", *(f"{weight} = {float(value)!r}" for weight, value in weights.items()), ""]
    )


def _line_of(text, key):
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line) or line.strip() == f"[{key}]":
            return number
    return 1


def _refuse(path, text, key, problem):
    raise StrategyError(f"{path}, line {_line_of(text, key)}: {problem}")
