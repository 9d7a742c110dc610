"""Variants: rules from a TOML file that says only what differs from an edition, and every rule as a row to print.

A file names rules as the command line does. A TOML table stands for the first parts of a dotted name: `[space.6]` with
`cost = 3` is space.6.cost. `board` names a CSV file beside it. Reading a file runs no code. Also
which kind of TOML file it is where another is wanted.
"""

import shlex
from collections.abc import Container, Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jamaica_sim.files.atomic_files import schema_line, write_new
from jamaica_sim.files.user_files import read_text, toml_of
from jamaica_sim.game.components import board as printed_board
from jamaica_sim.game.components.changes import (
    AT_ONCE,
    BOARD,
    BOARD_MEANING,
    PRINTED,
    RuleRow,
    by_dots,
    component_rules,
    is_component,
    named_board,
)
from jamaica_sim.game.components.course import NAMED, Board, ComponentsError, Space, counted
from jamaica_sim.game.house_file import PREFIX, HouseRules, HouseRulesError, house_rules_in, house_rules_instead
from jamaica_sim.game.rules import (
    EDITIONS,
    HOUSE_RULES,
    NO_HOUSE_RULES,
    Rules,
    RulesError,
    check_rule_names,
    rule_fields,
    rules_of,
)
from jamaica_sim.game.words import toml_value

if TYPE_CHECKING:
    import pandas as pd

TRIED = {"ports.dearer": 1, "seas.dearer": 1, "red_line": 25}  # examples in a new file: names that change many spaces
CODE = "code"  # in a file of rules: the file of house rules beside it
RULES_OF_SPACE = 4  # kind, cost, score and next


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


def rules_in(path: str | PathLike[str], changes: Mapping[str, Any]) -> Rules:
    """The rules in a file, with changes on top. Without changes, an error names the file."""
    its = read_changes(path)
    try:
        return rules_of({**its, **changes})
    except RulesError as error:
        raise (error if changes else RulesError(f"{path}: {error}")) from error


def read_changes(path: str | PathLike[str]) -> dict[str, Any]:
    """What a file changes, by name; a board of its own is named after its file. A CSV file is a board alone."""
    path = Path(path)
    text = "" if path.suffix == ".csv" else _read(path)
    other = house_rules_instead(text, path)
    tree = {BOARD: path.name} if path.suffix == ".csv" else {} if other else toml_of(text, path, RulesError)
    if other := other or other_kind(tree, path, "a file of rules"):
        raise RulesError(f"{path} is no file of rules: {other}")
    changes = single_values(by_dots(tree))
    if CODE in changes:
        changes[HOUSE_RULES] = changes.pop(CODE)
    try:
        changes = files_beside(path.parent, changes)
        check_rule_names(changes)
    except (ComponentsError, HouseRulesError) as error:
        raise RulesError(str(error)) from error
    except RulesError as error:
        raise RulesError(f"{path}: {error}") from error
    return changes


def single_values(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Rules of a file in which each has one value. A list in a list is that list, as where rules vary."""

    def single(value: Any) -> Any:
        while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
            (value,) = value
        return tuple(value) if isinstance(value, list) else value

    return {name: single(value) for name, value in changes.items()}


def files_beside(folder: Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """The same changes with boards and house rules read from files beside; their code stays untrusted until allowed."""

    def read(name: str, value: Any) -> Any:
        if isinstance(value, list | tuple) and name in (BOARD, HOUSE_RULES):
            return [read(name, one) for one in value]
        if name == HOUSE_RULES and isinstance(value, str) and value != NO_HOUSE_RULES:
            return house_rules_in(value, folder)
        return named_board(value, folder) if name == BOARD else value

    return {name: read(name, value) for name, value in changes.items()}


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
    rows = []
    for rule in rule_fields():
        clause, meaning = rule.metadata["clause"], rule.metadata["meaning"]
        rows.append(RuleRow(rule.name, clause, meaning, _allowed(rule.metadata), getattr(rules, rule.name)))
    return [*rows, _board_row(rules), *component_rules(rules.components), *_house_rows(rules.house_rules)]


def _house_rows(house: HouseRules | None) -> list[RuleRow]:
    if house is None:
        return []
    rows = [RuleRow(HOUSE_RULES, "", house.description, "a Python file", house.version)]
    for one in house.parameters:
        meaning = f"a parameter of {house.name}"
        rows.append(RuleRow(f"{PREFIX}{one.name}", "", meaning, f"{one.low} to {one.high}", one.value))
    return rows


def _board_row(rules: Rules) -> RuleRow:
    board, named = rules.components.board, NAMED.match(rules.components.own_board)
    value = PRINTED if board == printed_board() else f"{named[1] if named else 'own'}, {counted(board)}"
    return RuleRow(BOARD, "C1", BOARD_MEANING, "a CSV file", value)


def differences(first: Rules, second: Rules) -> list[tuple[RuleRow | None, RuleRow | None]]:
    """The rules whose values differ, as rows of both sets; None where one board has no such space."""
    boards = first.components.board, second.components.board
    ours, theirs = ({row.name: row for row in rule_rows(rules)} for rules in (first, second))
    pairs = {name: (ours.get(name), theirs.get(name)) for name in {**ours, **theirs}}
    apart = {name: (a, b) for name, (a, b) in pairs.items() if a is None or b is None or a.value != b.value}
    others = [pair for name, pair in apart.items() if not name.startswith("space.")]
    by_space = _spaces_apart(*boards)
    if len(boards[0]) != len(boards[1]) or len(apart) - len(others) > RULES_OF_SPACE * len(by_space):
        return others + by_space  # spaces came or went, so that numbers say little
    is_own = any(rules.components.own_board for rules in (first, second))
    return [pair for name, pair in apart.items() if name != BOARD or is_own]


def _spaces_apart(first: Board, second: Board) -> list[tuple[RuleRow | None, RuleRow | None]]:
    """Spaces that only one of two boards has, or that lead elsewhere, where the boards have not as many spaces."""
    from difflib import SequenceMatcher

    ours, theirs = ([(space.kind, space.cost, space.score) for space in spaces] for spaces in (first, second))
    same: dict[int, int] = {}
    apart: list[tuple[RuleRow | None, RuleRow | None]] = []
    for what, a, a_end, b, b_end in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if what == "equal":
            same |= zip(range(a, a_end), range(b, b_end), strict=True)
            continue
        lost = [_space_row(number, first[number]) for number in range(a, a_end)]
        new = [_space_row(number, second[number]) for number in range(b, b_end)]
        longer = max(len(lost), len(new))
        apart += zip(lost + [None] * (longer - len(lost)), new + [None] * (longer - len(new)), strict=True)
    kept, its = {0: 0, **same}, {0, *same.values()}
    for a, b in same.items():  # a space that only one board has is told already: it is passed over
        if [kept[_known(first, n, kept)] for n in first[a].next] != [_known(second, n, its) for n in second[b].next]:
            apart.append((_next_row(a, a, first[a]), _next_row(a, b, second[b])))
    return apart


def _known(spaces: Board, number: int, known: Container[int]) -> int:
    """The first space from this one on that both boards have; Port Royal is one."""
    while number not in known:
        number = spaces[number].next[0]
    return number


def _next_row(named: int, number: int, space: Space) -> RuleRow:
    lanes = "/".join(map(str, space.next))
    return RuleRow(f"space.{named}.next", "C1, M1", "the space that follows, or two lanes", "", f"{number}: {lanes}")


def _space_row(number: int, space: Space) -> RuleRow | None:
    looks = f"{space.kind} {space.cost}, {space.score:+d}"
    return RuleRow(f"space.{number}", "C1", "kind, cost and points of the space", "", f"{number}: {looks}")


def namesake(every: Iterable[Rules]) -> str:
    """The name that different boards, or files of house rules, of these rules share; empty where there is none."""
    texts: dict[str, str] = {}
    for rules in every:
        named, house = NAMED.match(rules.components.own_board), rules.house_rules
        files = {named[1]: named.string} if named else {}
        for name, text in (files | ({house.name: house.text} if house else {})).items():
            if texts.setdefault(name, text) != text:
                return name
    return ""


def _template() -> str:
    """Every rule as a comment with its printed value, except one that is changed already."""
    lines = [
        schema_line("rules"),
        "# Only what differs from the printed rules counts. Remove the # of a line and change its value.",
        "hand_size = 4  # this one is changed already: 3 are printed",
        "",
    ]
    for row in rule_rows(Rules()):
        if "." not in row.name and row.name not in ("hand_size", BOARD) and row.value is not None:
            lines.append(f"# {row.meaning} ({row.clause}); {row.allowed}")
            lines.append(f"# {row.name} = {toml_value(row.value)}")
    lines += [f"# {meaning}\n# {name} = {TRIED[name]}" for name, meaning in AT_ONCE.items()]
    lines += [
        "",
        "# Single spaces, treasures and cards: `jamaica-sim rules list --all` has every name and its printed value.",
        "# Another board, a CSV file beside this one: `jamaica-sim board --out my_board.csv` writes one to change.",
        '# board = "printed"',
        "# [space.6]",
        "# cost = 3",
        "# [treasure]",
        "# lady_beth = 0        # so many of these cards are in the game",
        "# plus_7.value = 10    # points of the card",
    ]
    return "\n".join(lines) + "\n"


def _read(path: Path) -> str:
    year = str(path).isdecimal()
    hint = f"; the editions, {' and '.join(EDITIONS)}, are given by --edition or edition=" if year else ""
    return read_text(path, RulesError, missing=f"there is no file {path}{hint}.")


def _allowed(limits: Mapping[str, Any]) -> str:
    if "choices" in limits:
        return " or ".join(limits["choices"])
    if "flag" in limits:
        return "true or false"
    numbers = f"{limits['low']} to {limits['high']}"
    if "counts" not in limits:
        return f"{numbers}, or a number for each seat" if "by_seat" in limits else numbers
    counts = limits["counts"]
    many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    return f"{many} numbers from {numbers}"


# Of each kind: its name, the keys that only it has, and the command that plays it.
KINDS = (
    ("a strategy", ("weights", "search", "net", "bans"), "run -s"),
    ("an experiment", ("tables", "line_ups", "pairs", "chapters", "compare"), "experiment run"),
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
