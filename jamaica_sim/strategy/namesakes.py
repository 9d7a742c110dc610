"""Telling strategies of the same name apart: by where they come from, in as few words as will do."""

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from jamaica_sim.strategy.library import is_shipped
from jamaica_sim.strategy.strategy import Strategy


def told_apart(strategies: Iterable[Strategy], every_one: bool = False) -> list[Strategy]:
    """The strategies, labelled so that different ones have different labels; with `every_one`, no label comes twice."""
    strategies = list(strategies)
    if len({s.label for s in strategies}) < len({s.digest for s in strategies}):
        strategies = [s.labelled(_label(s, strategies)) for s in strategies]
    if not every_one:
        return strategies
    labels = [s.label for s in strategies]
    numbers = [labels[: i + 1].count(label) for i, label in enumerate(labels)]
    return [
        s.labelled(f"{s.label} #{number}") if labels.count(s.label) > 1 else s
        for s, number in zip(strategies, numbers, strict=True)
    ]


def _label(strategy: Strategy, strategies: Sequence[Strategy]) -> str:
    namesakes = {s.digest: s for s in strategies if s.name == strategy.name}
    if len(namesakes) == 1 or is_shipped(strategy):
        return strategy.name
    origins = {digest: _origin(s, namesakes.values()) for digest, s in namesakes.items()}
    return f"{strategy.name} ({_what_differs(origins[strategy.digest], set(origins.values()))})"


def _origin(strategy: Strategy, namesakes: Iterable[Strategy]) -> str:
    """The file; the name of a shipped strategy; a hash if there is no file or several strategies share it."""
    if is_shipped(strategy):
        return strategy.name
    same_file = [s for s in namesakes if s.path == strategy.path]
    return str(strategy.path) if strategy.path and len(same_file) == 1 else strategy.digest[:8]


def _what_differs(path: str, paths: Collection[str]) -> str:
    """A path without the folders and the file name that all paths share; the whole path if nothing would remain."""
    split = [Path(other).parts for other in paths]
    first = len(os.path.commonprefix(split))
    last = len(os.path.commonprefix([other[::-1] for other in split]))
    kept = Path(path).parts[first : len(Path(path).parts) - last]
    return str(Path(*kept)) if kept and len(paths) > 1 else path
