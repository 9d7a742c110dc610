"""A file to start an experiment from: one's own rules against the printed ones, ready to be played and reported."""

import os
from pathlib import Path
from typing import Any

from jamaica_sim.files.atomic_files import schema_line, write_new
from jamaica_sim.game.components.changes import BOARD, board_name, named_board
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.variant import load_rules, read_changes
from jamaica_sim.study.experiment.file import LONGEST_NAME, ExperimentError

SHARED = ("edition", "players", "ghost")  # what both tables have, so that only the rule differs
CHANGED: dict[str, Any] = {"hand_size": 4}
TEMPLATE = """{schema}
title = "{title}"
# description = "What is asked, in a sentence or two, for the report."
games = 20_000        # at each setting; more make the intervals smaller
compare = "variant"   # the tables below, each as a whole
# adapt = 1           # also with players who have adapted to the rules, in so many steps; a step takes minutes
line_ups = ["balanced"]   # who plays, a line-up each: ["balanced", "champion"], or [["champion", "racer"]] by seat

# What both tables have. A list makes every combination of its values: players = [3, 4, 5].
[rules]
{shared}

[[tables]]
name = "the printed rules"

# Your rules. `jamaica-sim rules list --all` has every rule with what it may be.
[[tables]]
name = "{name}"
{changes}
# "ports.dearer" = 1
# "space.6.cost" = 3
# "treasure.lady_beth" = 0
"""


def new_experiment(
    name: str, folder: str | os.PathLike[str] = ".", rules: Rules | str | os.PathLike[str] | None = None
) -> Path:
    """Write a commented file that compares rules of one's own with the printed ones. It can be run as it is.

    Parameters
    ----------
    name : str
        What the file is called, without its ending.
    folder : path, optional
        Where it is written.
    rules : Rules or file, optional
        The rules to compare, or a file with them; the default is a hand of four cards.

    Examples
    --------
    >>> from jamaica_sim import Rules, load_experiment, new_experiment
    >>> load_experiment(new_experiment("larger_hands", rules=Rules(players=3, hand_size=5)))
    <Experiment larger_hands: Larger hands
     2 settings, 20,000 games each, seed 1>
    """
    if not isinstance(rules, Rules | str | os.PathLike | None):
        raise _refused(f"rules must be a Rules object, such as Rules(hand_size=4), or a file, not {rules!r}.")
    changes = CHANGED if rules is None else rules.changes() if isinstance(rules, Rules) else read_changes(rules)
    if rules is None:
        rules = Rules().but(**CHANGED)
    elif not isinstance(rules, Rules):
        rules = load_rules(rules)
    shared = {rule: getattr(rules, rule) for rule in SHARED}
    changes = {rule: value for rule, value in changes.items() if rule not in SHARED}
    if rules == Rules(**shared):
        raise _refused("these rules are the printed ones: there is nothing to compare.")
    if BOARD in changes:  # by its file, if that lies beside: who changes the file plays the changed board
        file = f"{board_name(changes[BOARD])}.csv"
        if (Path(folder) / file).is_file() and named_board(file, Path(folder)) == changes[BOARD]:
            changes[BOARD] = file
    words = name.replace("_", " ")
    text = TEMPLATE.format(
        schema=schema_line("experiment"),
        title=words.capitalize(),
        name=words[:LONGEST_NAME].strip(),
        shared="\n".join(f"{rule} = {_spelt(value)}" for rule, value in shared.items()),
        changes="\n".join(f"{_key(rule)} = {_spelt(value)}" for rule, value in changes.items()),
    )
    return write_new(Path(folder), name, ".toml", text, _refused)


def _refused(problem: str) -> ExperimentError:
    return ExperimentError("", [problem])


def _key(rule: str) -> str:
    return f'"{rule}"' if "." in rule else rule


def _spelt(value: Any) -> str:
    """A rule's value in TOML. A tuple becomes a list in a list, because a plain list means several values."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[[{', '.join(map(_spelt, value))}]]"
    return f'"{value}"' if isinstance(value, str) else str(value)
