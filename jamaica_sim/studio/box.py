"""What the page asks for each board: every rule with its range and meaning, the strategies, and what is in the box."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from jamaica_sim.components.changes import AT_ONCE, BOARD, DEARER, PRINTED, value_of
from jamaica_sim.engine.board import previous_spaces
from jamaica_sim.errors import UserError
from jamaica_sim.house_file import PREFIX, HouseRules
from jamaica_sim.play.game_table import DEFAULT_LINE_UP
from jamaica_sim.rules import Rules, rule_fields
from jamaica_sim.studio.question import LongWord, Menu, plain
from jamaica_sim.studio.streams import OfPage
from jamaica_sim.variant import rule_rows

DEARER_RANGE = (-3, 5)  # of a slider
TABLE = ("edition", "players", "ghost")  # no changes: the base is played at the same table
SPACE = "space."  # how the names of rules of single spaces begin
LIMITS = ("low", "high", "flag", "choices")


class BoxQuestion(OfPage, kw_only=True):
    """Which box: the board is the printed one or one's own."""

    board: LongWord = PRINTED


def box(menu: Menu, board: str = PRINTED) -> dict[str, Any]:
    """The box, with the printed values of everything but the spaces, which are those of the board."""
    printed = Rules()
    parts = printed.components
    # A board may have fewer lairs than the printed pile has treasures; the page says so when it asks for figures.
    own = printed.but(**plain({BOARD: board}, menu), treasure_pile=0)
    return {
        "rules": _rules(printed, own),
        "strategies": _strategies(menu),
        "houses": [_house(name, house) for name, house in menu.houses.items()],
        "line_up": list(DEFAULT_LINE_UP),
        "previous": previous_of(own),
        "board": board_of(own),
        "cards": [asdict(card) for card in parts.action_cards],
        "treasures": [asdict(card) for card in parts.treasures],
    }


def previous_of(rules: Rules) -> list[list[int]]:
    """For each space of a board, the spaces one step back."""
    return previous_spaces(rules.components.board)


def board_of(rules: Rules) -> list[dict[str, Any]]:
    """The spaces of a board."""
    return [{**asdict(space), "next": list(space.next)} for space in rules.components.board]


def _rules(printed: Rules, own: Rules) -> list[dict[str, Any]]:
    limits = {rule.name: rule.metadata for rule in rule_fields()}
    rows = []
    others = [row for row in rule_rows(printed) if row.name not in TABLE and not row.name.startswith(SPACE)]
    for row in [*others, *(row for row in rule_rows(own) if row.name.startswith(SPACE))]:
        known: Mapping[str, Any] = limits.get(row.name, {})
        rows.append(
            {"name": row.name, "value": _plain(row.value), "allowed": row.allowed, "clause": row.clause}
            | {"meaning": row.meaning}
            | {name: _plain(known[name]) for name in LIMITS if name in known}
        )
    for name, meaning in AT_ONCE.items():
        low, high = DEARER_RANGE if name in DEARER else (2, len(own.components.board) - 1)
        rows.append(
            {"name": name, "value": value_of(own.components, name), "allowed": f"{low} to {high}", "clause": "C1"}
            | {"meaning": meaning, "low": low, "high": high}
        )
    return rows


def _house(name: str, house: HouseRules) -> dict[str, Any]:
    parameters = [asdict(one) | {"name": f"{PREFIX}{one.name}"} for one in house.parameters]
    return {"name": name, "description": house.description, "parameters": parameters}


def _strategies(menu: Menu) -> list[dict[str, Any]]:
    """Every strategy that can be seated; one whose file is damaged is not offered."""
    found = []
    for name in menu.names:
        with suppress(UserError):
            strategy = menu.strategy(name)
            slow = strategy.kind == "search"
            found.append({"name": name, "description": strategy.description, "slow": slow})
    return found


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
