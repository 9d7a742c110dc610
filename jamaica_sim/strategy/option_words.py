"""What an answer means in words, for each decision: `gold/gold`, `space 12`, `to take 4 gold`.

Whatever asks can be told: a position of a game (`play/positions.py`) or a question (`strategy/question.py`).
"""

from collections.abc import Sequence
from typing import Any, Protocol

from jamaica_sim.engine.machine.hold_word import NO_HOLD
from jamaica_sim.game.codes import HOLDS, LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER, MOMENTS, RESOURCES
from jamaica_sim.game.components import Components, Treasure
from jamaica_sim.game.rules import Rules

COLOURS = ("Blue", "Red", "Green", "Pink", "Amber", "Sky")  # of the ships, by seat
GHOST = "the ghost"


class Asking(Protocol):
    """Something that asks: a decision, the ship that it is about, and the fields of the engine's record."""

    @property
    def decision(self) -> str:
        """The decision point."""

    @property
    def ship(self) -> int:
        """The ship."""

    def read(self, name: str) -> Any:
        """A field of the engine's record."""


def ship_names(players: int, ghost: bool) -> list[str]:
    """The ships' names, by number."""
    return [*COLOURS[:players], *([GHOST] if ghost else [])]


def option_words(asking: Asking, answer: int, rules: Rules, names: Sequence[str]) -> str:
    """One answer in words; `names` has the ships' names."""
    match asking.decision:
        case "place_dice":
            return f"{int(asking.read('dice')[answer])} on the morning"
        case "choose_card":
            return rules.components.action_cards[answer].name
        case "choose_space" | "choose_retreat" | "ghost_space":
            return space_name(answer)
        case "hold_to_empty" | "hold_to_pay":
            return contents(asking, asking.ship, answer)
        case "choose_target" | "ghost_target":
            return names[answer]
        case "attack_powder" | "defence_powder":
            return f"{answer or 'no'} gunpowder"
        case "use_sabre":
            return "to roll again by the Sabre" if answer else "to let the roll stand"
        case "ghost_direction":
            return "forward" if answer else "backward"
        case "choose_loot" | "ghost_loot":
            return _loot(asking, answer, rules.components)
    return house_option(rules, MOMENTS[int(asking.read("moment"))], answer)


def house_option(rules: Rules, moment: str, answer: int) -> str:
    """An option that house rules give, in the words of their file."""
    words = rules.house_rules.choices(moment) if rules.house_rules else ()
    return words[answer] if answer < len(words) else f"option {answer + 1}"


def space_name(space: int, word: str = "space ") -> str:
    """A space by its number."""
    return f"{word}{space}" if space else "Port Royal"


def contents(asking: Asking, ship: int, hold: int) -> str:
    """What is in a hold."""
    kind, amount = holds_of(int(asking.read("stowage")[ship]))[hold]
    return f"{amount} {kind}" if kind else "nothing"


def holds_of(stowage: int) -> dict[int, tuple[str | None, int]]:
    """What is in each hold that a ship has, out of its word (`engine/machine/hold_word.py`)."""
    held = {hold: stowage >> 8 * hold & 255 for hold in range(HOLDS)}
    return {hold: (_kind(byte), byte & 15) for hold, byte in held.items() if byte < NO_HOLD}


def _kind(byte: int) -> str | None:
    return RESOURCES[(byte >> 4).bit_length() - 1] if byte >> 4 else None


def _loot(asking: Asking, answer: int, box: Components) -> str:
    if answer < LOOT_POWER:
        return f"to take {contents(asking, int(asking.read('loser')), answer)}"
    if answer < LOOT_HIDDEN:
        return f"to take {box.treasures[answer - LOOT_POWER].name}"
    if answer == LOOT_HIDDEN:
        return "to take a face-down treasure"
    if answer < LOOT_NOTHING:
        return f"to give {_the(box.treasures[answer - LOOT_GIVE])} away"
    return "to take nothing"


def _the(treasure: Treasure) -> str:
    """A treasure in a sentence: persons and their things have names, all others an article."""
    name = treasure.name[0].lower() + treasure.name[1:] if treasure.kind != "power" else treasure.name
    return f"the {name}" if treasure.kind != "power" or name[0].isdigit() else name
