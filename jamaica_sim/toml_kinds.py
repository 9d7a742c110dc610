"""Recognises the kind of a TOML file by its keys, for messages about a file where another kind is wanted."""

import shlex
from collections.abc import Iterable

from jamaica_sim.components.changes import is_component
from jamaica_sim.rules import rule_fields

# Of each kind: its name, the keys that only it has, and the command that plays it.
KINDS = (
    ("a strategy", ("weights", "search", "net", "bans"), "run -s"),
    ("an experiment", ("tables", "line_ups", "pairs", "chapters", "compare"), "experiment run"),
    ("a sweep", ("sweep",), "sweep"),
    ("a file of targets", ("targets",), "balance"),
    ("a file of ranges", ("ranges",), "sensitivity"),
    ("a file of rules", tuple(rule.name for rule in rule_fields()), "run --rules"),
)


def other_kind(keys: Iterable[str], path: object, wanted: str) -> str:
    """The kind of a file that is not of the `wanted` kind, and what to type; empty where that is not clear."""
    for what, own, command in KINDS:
        if what != wanted and any(key in own or (command == "run --rules" and is_component(key)) for key in keys):
            return f"it is {what}: type `jamaica-sim {command} {shlex.quote(str(path))}`."
    return ""
