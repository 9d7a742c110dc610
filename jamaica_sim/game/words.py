"""Rules, their values and changes of rules in words, for reports, sweeps, replays and every command.

`rule_words` is short, for labels and last lines: "hand size 4". `spoken_rule`, `more_of` and `spoken_value` are for
sentences: "6 cards in hand". `value_text` is what the command line takes, `toml_value` what a file has.
"""

import json
from collections.abc import Iterable
from typing import Any

from jamaica_sim.game.components.changes import BOARD, DEARER, PRINTED, board_name
from jamaica_sim.game.house_file import HouseRules
from jamaica_sim.game.rules import HOUSE_RULES, NO_HOUSE_RULES, Rules

MOST_TOLD = 8  # changes in a sentence
RULE_WORDS = {"map_hand_size": "hand with Morgan's Map", "lady_beth_bonus": "Lady Beth's bonus"}
WEIGHT = "weight."  # how the name of a weight begins that is swept like a rule
# A rule in words, more of it where that is not "larger values of" it, and a value of it.
SPOKEN = {
    "hand_size": ("cards in hand", "bigger hands", "{} cards in hand"),
    "start_food": ("food at the start", "more food at the start", "{} food at the start"),
    "start_gunpowder": ("gunpowder at the start", "more gunpowder at the start", "{} gunpowder at the start"),
    "start_gold": ("doubloons at the start", "more doubloons at the start", "{} doubloons at the start"),
    "action_die": ("action dice", "", "action dice of {}"),
    "space.0.score": ("points of the finish", "a richer finish", "{} points for the finish"),
    "holds": ("the holds", "more holds", "{} holds"),
    "red_line": ("the red line", "a later red line", "the red line at space {}"),
    "ports.dearer": ("dearer ports", "dearer ports", ""),
    "seas.dearer": ("dearer seas", "dearer seas", ""),
    "lady_beth_bonus": ("Lady Beth's bonus", "a larger bonus for Lady Beth", "a bonus of {} for Lady Beth"),
    "ghost_gold": ("the ghost's gold", "", "{} gold in the ghost's holds"),
    "start_score": ("the score of the start", "", "{} points for the start"),
    "players": ("the number of players", "more players", "{} players"),
    "board": ("boards", "", ""),
}


def rules_told(rules: Rules) -> str:
    """Rules in words: who sails, the edition, and what is changed."""
    told = changes_told(rules)
    return f"{rules.who_sails}, edition {rules.edition}{f', {told}' if told else ''}"


def changes_told(rules: Rules) -> str:
    """What rules change of their edition, in words; empty where nothing."""
    return ", ".join(at_most([rule_words(name, value) for name, value in rules.changes().items()]))


def at_most(words: list[str], most: int = MOST_TOLD) -> list[str]:
    """The first of some words, and how many more there are."""
    return words if len(words) <= most else [*words[:most], f"and {len(words) - most} more"]


def rule_words(name: str, value: Any) -> str:
    """A rule with its value in words, such as "hand size 4" or "ports 2 dearer"."""
    if name in DEARER:
        more = f"{abs(value)} {'cheaper' if value < 0 else 'dearer'}" if value else "as on the board"
        return f"{name.split('.')[0]} {more}"
    if name == BOARD:
        return "the printed board" if value == PRINTED else f"board {board_name(value)}"
    if value == NO_HOUSE_RULES and name == HOUSE_RULES:
        return "no house rules"
    if isinstance(value, HouseRules):
        return f"house rules {value.name}: {value.description.rstrip('.')}"
    if name == HOUSE_RULES:
        return f"house rules {str(value).removesuffix('.py')}"
    return f"{RULE_WORDS.get(name, name if '.' in name else name.replace('_', ' '))} {value_text(value)}"


def value_text(value: object) -> str:
    """A rule's value as the command line takes it."""
    if isinstance(value, tuple | list):
        return ",".join(map(value_text, value))
    if value is None:
        return "by default"
    return str(value).lower() if isinstance(value, bool) else str(value)


def toml_value(value: object) -> str:
    """A rule's value as a file has it."""
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else value_text(value)


def spoken_rule(name: str) -> str:
    """A rule in words."""
    if name.startswith(WEIGHT):
        return f"the weight {name.removeprefix(WEIGHT)}"
    return SPOKEN[name][0] if name in SPOKEN else name.replace("_", " ")


def more_of(name: str) -> str:
    """More of a rule in words."""
    more = SPOKEN[name][1] if name in SPOKEN else ""
    return more or f"larger values of {spoken_rule(name)}"


def spoken_value(name: str, value: Any) -> str:
    """A value of a rule in words."""
    if name.startswith(WEIGHT):
        return f"{name.removeprefix(WEIGHT)} {value:g}"
    phrase = SPOKEN[name][2] if name in SPOKEN else ""
    text = value_text(value).replace(",", " and " if isinstance(value, tuple) and len(value) == 2 else ", ")
    return phrase.format(text) if phrase else rule_words(name, value)


def listed(items: Iterable[str], joint: str = "and") -> str:
    """A list in words: "a, b and c"."""
    texts = list(items)
    return f" {joint} ".join(part for part in (", ".join(texts[:-1]), *texts[-1:]) if part)
