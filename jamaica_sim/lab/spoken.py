"""Rules and their values as one says them in a sentence: "6 cards in hand", "ports 2 dearer"."""

from typing import Any

from jamaica_sim.variant import rule_words, value_text

WEIGHT = "weight."  # how the name of a weight begins that is swept like a rule
# A rule in words, more of it where that is not "larger values of" it, and a value of it.
SPOKEN = {
    "hand_size": ("cards in hand", "more cards in hand", "{} cards in hand"),
    "start_food": ("food at the start", "more food at the start", "{} food at the start"),
    "start_gunpowder": ("gunpowder at the start", "more gunpowder at the start", "{} gunpowder at the start"),
    "start_gold": ("doubloons at the start", "more doubloons at the start", "{} doubloons at the start"),
    "action_die": ("action dice", "", "action dice of {}"),
    "space.0.score": ("points of the finish", "more points for the finish", "{} points for the finish"),
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
