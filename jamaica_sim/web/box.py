"""What the page asks for each board: every rule with its range and meaning, the strategies, and what is in the box."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import HOLDS, MAX_COST, MAX_FACE, RESOURCES, SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS
from jamaica_sim.game.components import MOST_CARDS, MOST_FACES, MOST_STRENGTH, STAR
from jamaica_sim.game.components.changes import AT_ONCE, BOARD, DEARER, PRINTED, value_of
from jamaica_sim.game.components.course import LARGEST_SCORE, MOST_FORKS, previous_spaces
from jamaica_sim.game.house_file import PREFIX, HouseRules
from jamaica_sim.game.rules import MOST_CARDS_IN_HAND, Rules, rule_fields
from jamaica_sim.game.variant import rule_rows
from jamaica_sim.play.game_table import DEFAULT_LINE_UP
from jamaica_sim.study.lab.rule_space import DEFAULT_RANGES, LAIRS_EMPTY, WITH_GHOST
from jamaica_sim.web.question import LongWord, Menu, plain
from jamaica_sim.web.streams import OfPage
from jamaica_sim.web.words import FLAGS, NUMBERS, POWERS

DEARER_RANGE = (-3, 5)  # of a slider
TABLE = ("edition", "players", "ghost")  # no changes: the base is played at the same table
SPACE = "space."  # how the names of rules of single spaces begin
LIMITS = ("low", "high", "flag", "by_seat")
RANGE = re.compile(r"(-?\d+) to (-?\d+)")
SYMBOL = "|".join(SYMBOLS)
COMBAT_DICE = [(1, 2, 3, 4, 5, STAR), (4, 8, 12, 16, 20, STAR)]  # gunpowder counts for more, or for less
CODES = {
    "resources": list(RESOURCES),
    "space_kinds": list(SPACE_KINDS),
    "symbols": list(SYMBOLS),
    "shortage_symbols": list(SHORTAGE_SYMBOLS),
    "most_cost": MAX_COST,
    "max_face": MAX_FACE,
    "most_forks": MOST_FORKS,
    "largest_score": LARGEST_SCORE,
    "most_cards": MOST_CARDS,
    "most_faces": MOST_FACES,
    "most_strength": MOST_STRENGTH,
    "most_hand": MOST_CARDS_IN_HAND,
    "most_holds": HOLDS,
}
# What a value that is no number looks like, or each member of a list; by how a rule's name ends, or begins.
FORMS = {
    ".kind": "|".join(SPACE_KINDS),
    ".next": r"\d{1,2}(/\d{1,2})?",
    "card.": f"({SYMBOL})/({SYMBOL})",
    "combat_die": r"star|[1-9]|1\d|20",
    "shortage_die": "|".join(SHORTAGE_SYMBOLS),
}


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
        "strategies": strategies_of(menu),
        "houses": houses_of(menu),
        "line_up": list(DEFAULT_LINE_UP),
        "previous": previous_of(own),
        "board": board_of(own),
        "cards": [asdict(card) for card in parts.action_cards],
        "treasures": [asdict(card) for card in parts.treasures],
        "die": [asdict(face) for face in parts.combat_die],
        "of": board,
        "plain": _plain_rules(printed),
        "codes": CODES,
        "words": {"powers": POWERS, "flags": FLAGS, "numbers": NUMBERS},
        "ranges": _ranges(own),
    }


def _plain_rules(printed: Rules) -> list[dict[str, Any]]:
    """Every rule that is no component, with its printed value and what it may be."""
    rows = []
    for rule in rule_fields():
        if rule.name not in TABLE:
            limits = {name: rule.metadata[name] for name in LIMITS if name in rule.metadata}
            if counts := rule.metadata.get("counts"):
                limits["counts"] = [min(counts), max(counts)]
            rows.append({"name": rule.name, "value": _plain(getattr(printed, rule.name))} | limits)
    return rows


def _ranges(rules: Rules) -> dict[str, list[Any]]:
    """The values that designers usually try, by rule."""
    lairs = rules.components.lairs
    ranges = {**DEFAULT_RANGES, **WITH_GHOST, "combat_die": COMBAT_DICE}
    if rules.components.own_board:
        ranges["treasure_pile"] = range(max(0, lairs - LAIRS_EMPTY), lairs + 1)
    return {name: list(map(_plain, values)) for name, values in ranges.items()}


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
            | _range_of(row.allowed)
            | _form_of(row.name)
            | {name: _plain(known[name]) for name in LIMITS if name in known}
            | ({"counts": [min(known["counts"]), max(known["counts"])]} if "counts" in known else {})
        )
    [of_cards] = [row for row in rows if row["name"] == "card.0"]
    for number in range(len(printed.components.action_cards), MOST_CARDS):
        rows.append({**of_cards, "name": f"card.{number}", "value": None, "meaning": "a card added to every deck"})
    for name, meaning in AT_ONCE.items():
        low, high = DEARER_RANGE if name in DEARER else (2, len(own.components.board) - 1)
        rows.append(
            {"name": name, "value": value_of(own.components, name), "allowed": f"{low} to {high}", "clause": "C1"}
            | {"meaning": meaning, "low": low, "high": high}
        )
    return rows


def _range_of(allowed: str) -> dict[str, int]:
    found = RANGE.fullmatch(allowed)
    return {"low": int(found[1]), "high": int(found[2])} if found else {}


def _form_of(name: str) -> dict[str, str]:
    forms = [form for part, form in FORMS.items() if name.endswith(part) or name.startswith(part)]
    return {"form": forms[0]} if forms else {}


def houses_of(menu: Menu) -> list[dict[str, Any]]:
    """House rules that can be played by."""
    return [_house(name, house) for name, house in menu.houses.items()]


def _house(name: str, house: HouseRules) -> dict[str, Any]:
    parameters = [asdict(one) | {"name": f"{PREFIX}{one.name}"} for one in house.parameters]
    return {"name": name, "description": house.description, "parameters": parameters}


def strategies_of(menu: Menu) -> list[dict[str, Any]]:
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
