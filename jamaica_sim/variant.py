"""Variants: rules from a TOML file that says only what differs from an edition, and every rule as a row to print.

A file names rules as the command line does. A TOML table stands for the first parts of a dotted name: `[space.6]` with
`cost = 3` is space.6.cost. `board` names a CSV file beside it. Reading a file runs no code.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from jamaica_sim.components import Components, ComponentsError, read_board
from jamaica_sim.components.changes import AT_ONCE, by_dots, component_rules
from jamaica_sim.new_file import schema_line, write_new
from jamaica_sim.rules import EDITIONS, Rules, RulesError, check_rule_names, rule_fields, rules_of
from jamaica_sim.toml_kinds import other_kind
from jamaica_sim.user_files import beside, read_text, toml_of

if TYPE_CHECKING:
    import pandas as pd

TRIED = {"ports.dearer": 1, "seas.dearer": 1, "red_line": 25}  # examples in a new file: names that change many spaces


@dataclass(frozen=True)
class RuleRow:
    """One rule with its value, what it may be, its clause and what it means."""

    name: str
    value: object
    allowed: str
    clause: str
    meaning: str


def load_rules(path: str | PathLike[str]) -> Rules:
    """The rules in a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from jamaica_sim import load_rules
    >>> _ = Path("variant.toml").write_text("hand_size = 4\\nplayers = 3\\n")
    >>> load_rules("variant.toml")
    Rules(edition='2007', players=3, ghost=False, hand_size=4)
    """
    return rules_in(path, {})


def rules_in(path: str | PathLike[str], changes: dict) -> Rules:
    """The rules in a file, with changes on top. Without changes, an error names the file."""
    its = read_changes(path)
    try:
        return rules_of({**its, **changes})
    except RulesError as error:
        raise (error if changes else RulesError(f"{path}: {error}")) from error


def read_changes(path) -> dict:
    """What a file changes, by name; a board of its own is part of `components`."""
    path = Path(path)
    tree = toml_of(_read(path), path, RulesError)
    if other := other_kind(tree, path, "a file of rules"):
        raise RulesError(f"{path} is no file of rules: {other}")
    changes = {name: tuple(v) if isinstance(v, list) else v for name, v in by_dots(tree).items()}
    if "board" in changes:
        changes["components"] = _board(path, changes.pop("board"))
    try:
        check_rule_names(changes)
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from error
    return changes


def new_rules(name: str, folder: str | PathLike[str] = ".") -> Path:
    """Write a commented file to start rules of one's own from, with every rule in it. It can be played as it is.

    Examples
    --------
    >>> from jamaica_sim import load_rules, new_rules
    >>> load_rules(new_rules("larger_hands"))
    Rules(edition='2007', players=4, ghost=False, hand_size=4)
    """
    return write_new(Path(folder), name, ".toml", _template(), RulesError)


def rules_table(rules: Rules | None = None, everything: bool = False) -> "pd.DataFrame":
    """Every rule with its value, what it may be, its clause and its meaning; `everything`: each space and card too.

    Examples
    --------
    >>> from jamaica_sim import rules_table
    >>> rules_table().set_index("rule").loc["hand_size", ["value", "may_be", "clause"]].tolist()
    [3, '1 to 8', 'S3, T4']
    """
    import pandas as pd

    rows = [row for row in rule_rows(Rules() if rules is None else rules) if everything or "." not in row.name]
    values = [(row.name, row.value, row.allowed, row.clause, row.meaning) for row in rows]
    return pd.DataFrame(values, columns=["rule", "value", "may_be", "clause", "meaning"])


def rules_diff(first: Rules, second: Rules) -> "pd.DataFrame":
    """The rules that differ between two sets, with both values.

    Examples
    --------
    >>> from jamaica_sim import Rules, rules_diff
    >>> rules_diff(Rules(), Rules(hand_size=4))[["rule", "first", "second"]].values.tolist()
    [['hand_size', 3, 4]]
    """
    import pandas as pd

    rows = [
        ((a or b).name, a and a.value, b and b.value, (a or b).clause, (a or b).meaning)  # type: ignore[union-attr]
        for a, b in differences(first, second)
    ]
    return pd.DataFrame(rows, columns=["rule", "first", "second", "clause", "meaning"])


def rule_rows(rules: Rules) -> list[RuleRow]:
    """Every rule and component that can be changed by name."""
    rows = [
        RuleRow(rule.name, getattr(rules, rule.name), _allowed(rule.metadata), *_explained(rule.metadata))
        for rule in rule_fields()
    ]
    for rule in component_rules(rules.components):
        rows.append(RuleRow(rule.name, rule.value, rule.allowed, rule.clause, rule.meaning))
    return rows


def differences(first: Rules, second: Rules) -> list[tuple[RuleRow | None, RuleRow | None]]:
    """The rules whose values differ, as rows of both sets; None where one board has no such space."""
    ours = {row.name: row for row in rule_rows(first)}
    theirs = {row.name: row for row in rule_rows(second)}
    names = list(dict.fromkeys([*ours, *theirs]))
    pairs = [(ours.get(name), theirs.get(name)) for name in names]
    return [(a, b) for a, b in pairs if a is None or b is None or a.value != b.value]


def value_text(value) -> str:
    """A rule's value as the command line takes it."""
    if isinstance(value, tuple | list):
        return ",".join(map(value_text, value))
    if value is None:
        return "by default"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _template():
    """Every rule as a comment with its printed value, except one that is changed already."""
    lines = [
        schema_line("rules"),
        "# Only what differs from the printed rules counts. Remove the # of a line and change its value.",
        "hand_size = 4  # this one is changed already: 3 are printed",
        "",
    ]
    for row in rule_rows(Rules()):
        if "." not in row.name and row.name != "hand_size" and row.value is not None:
            lines.append(f"# {row.meaning} ({row.clause}); {row.allowed}")
            lines.append(f"# {row.name} = {_in_toml(row.value)}")
    lines += [f"# {meaning}\n# {name} = {TRIED[name]}" for name, meaning in AT_ONCE.items()]
    lines += [
        "",
        "# Single spaces, treasures and cards: `jamaica-sim rules list --all` has every name and its printed value.",
        "# [space.6]",
        "# cost = 3",
        "# [treasure]",
        "# lady_beth = 0        # so many of these cards are in the game",
        "# plus_7.value = 10    # points of the card",
    ]
    return "\n".join(lines) + "\n"


def _in_toml(value):
    if isinstance(value, tuple):
        return f"[{', '.join(map(_in_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else value_text(value)


def _read(path):
    year = str(path).isdecimal()
    hint = f"; the editions, {' and '.join(EDITIONS)}, are given by --edition or edition=" if year else ""
    return read_text(path, RulesError, missing=f"there is no file {path}{hint}.")


def _board(path, name):
    if not isinstance(name, str):
        raise RulesError(f"{path}: board must be the name of a CSV file, not {name!r}.")
    file = beside(path.parent, name, lambda problem: RulesError(f"{path}: board: {problem}"))
    try:
        return Components(board=read_board(_read(file)))
    except ComponentsError as error:
        raise RulesError(f"{file}: {error}") from error


def _allowed(limits):
    if "choices" in limits:
        return " or ".join(limits["choices"])
    if "flag" in limits:
        return "true or false"
    numbers = f"{limits['low']} to {limits['high']}"
    if "counts" not in limits:
        return numbers
    counts = limits["counts"]
    many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{many} numbers from {numbers}"


def _explained(limits):
    return limits["clause"], limits["meaning"]
