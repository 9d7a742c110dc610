"""What an answer means in words, for each decision: `gold/gold`, `space 12`, `to take 4 gold`.

Whatever asks can be told: a position of a game (`play/positions.py`) or a question (`strategy/question.py`). A new
decision is a line of `WORDS`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from jamaica_sim.codes import HOLDS, LOOT_GIVE, LOOT_HIDDEN, LOOT_NOTHING, LOOT_POWER, MOMENTS, RESOURCES
from jamaica_sim.components import Components
from jamaica_sim.engine.machine.hold_word import NO_HOLD
from jamaica_sim.rules import Rules

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
    if asking.decision == "house_choice":
        return house_option(rules, MOMENTS[int(asking.read("moment"))], answer)
    return WORDS[asking.decision](asking, answer, rules.components, names)


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


def _dice(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return f"{int(asking.read('dice')[answer])} on the morning"


def _card(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return box.action_cards[answer].name


def _space(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return space_name(answer)


def _own_hold(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return contents(asking, asking.ship, answer)


def _ship(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return names[answer]


def _powder(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return f"{answer or 'no'} gunpowder"


def _sabre(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return "to roll again by the Sabre" if answer else "to let the roll stand"


def _direction(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    return "forward" if answer else "backward"


def _loot(asking: Asking, answer: int, box: Components, names: Sequence[str]) -> str:
    if answer < LOOT_POWER:
        return f"to take {contents(asking, int(asking.read('loser')), answer)}"
    if answer < LOOT_HIDDEN:
        return f"to take {box.treasures[answer - LOOT_POWER].name}"
    if answer == LOOT_HIDDEN:
        return "to take a face-down treasure"
    if answer < LOOT_NOTHING:
        return f"to give {box.treasures[answer - LOOT_GIVE].name} away"
    return "to take nothing"


WORDS: dict[str, Callable[[Asking, int, Components, Sequence[str]], str]] = {
    "place_dice": _dice,
    "choose_card": _card,
    "choose_space": _space,
    "choose_retreat": _space,
    "hold_to_empty": _own_hold,
    "hold_to_pay": _own_hold,
    "choose_target": _ship,
    "attack_powder": _powder,
    "defence_powder": _powder,
    "use_sabre": _sabre,
    "choose_loot": _loot,
    "ghost_direction": _direction,
    "ghost_space": _space,
    "ghost_target": _ship,
    "ghost_loot": _loot,
}
