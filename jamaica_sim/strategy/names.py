"""The game's words as names for the numbers that strategies work with: resources, cards, treasures, kinds of space.

Cards and treasures are those of the box. Rules that change a card or a treasure keep its number; its new symbols and
its new value are in `rules.card_symbol` and `rules.treasure_value`.
"""

from typing import Any

from jamaica_sim.game.codes import (  # noqa: F401 (they are names of the api)
    BACKWARD,
    EMPTY,
    EVENING,
    FOOD,
    FORWARD,
    GOLD,
    GUNPOWDER,
    LAIR,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_NOTHING,
    LOOT_POWER,
    MORNING,
    PORT,
    PORT_ROYAL,
    SEA,
)

# How many there are, for loops: `for card in range(CARDS)`.
CARDS = 15  # the most that a deck can have; the printed one has 11
HOLDS = 6
TREASURES = 12

# Cards, by their symbols of the morning and the evening.
CARD_FOOD_GUNPOWDER = 0
CARD_FORWARD_BACKWARD = 1
CARD_GUNPOWDER_GOLD = 2
CARD_GOLD_GOLD = 3
CARD_GOLD_FORWARD = 4
CARD_BACKWARD_FORWARD = 5
CARD_FORWARD_FOOD = 6
CARD_FORWARD_FORWARD = 7
CARD_GUNPOWDER_FOOD = 8
CARD_FOOD_FORWARD = 9
CARD_FORWARD_GUNPOWDER = 10

# Treasures. There are two of +3 and two of +7.
MORGANS_MAP = 0
SARANS_SABRE = 1
LADY_BETH = 2
SIXTH_HOLD = 3
TREASURE_3, TREASURE_3_TOO = 4, 5
TREASURE_5 = 6
TREASURE_7, TREASURE_7_TOO = 7, 8
CURSED_2 = 9
CURSED_3 = 10
CURSED_4 = 11

# Answers to place_dice, use_sabre and ghost_direction.
FIRST_DIE_IN_THE_MORNING, SECOND_DIE_IN_THE_MORNING = 0, 1
KEEP_ROLL, ROLL_AGAIN = 0, 1
GHOST_BACKWARD, GHOST_FORWARD = 0, 1

# Values of `view.attack_face` and `view.defence_face` that are no number of a die.
STAR, NOT_ROLLED = -1, 0
NOBODY = -1  # `view.turn` while cards are chosen, `rules.ghost` without a ghost ship

_CARDS = {number: name for name, number in globals().items() if name.startswith("CARD_")}
_TREASURES = (
    *("MORGANS_MAP", "SARANS_SABRE", "LADY_BETH", "SIXTH_HOLD", "TREASURE_3", "TREASURE_3_TOO", "TREASURE_5"),
    *("TREASURE_7", "TREASURE_7_TOO", "CURSED_2", "CURSED_3", "CURSED_4"),
)
_ANSWERS: dict[str, Any] = {  # names by number
    "place_dice": ("FIRST_DIE_IN_THE_MORNING", "SECOND_DIE_IN_THE_MORNING"),
    "use_sabre": ("KEEP_ROLL", "ROLL_AGAIN"),
    "ghost_direction": ("GHOST_BACKWARD", "GHOST_FORWARD"),
    "choose_card": _CARDS,
}


def answer_name(decision: str, answer: int) -> str:
    """An answer as a strategy would write it, such as CARD_GOLD_GOLD; a space, a ship or a hold is a plain number."""
    if decision in _ANSWERS:
        return _ANSWERS[decision][answer]
    if answer < LOOT_POWER or not decision.endswith("loot"):
        return str(answer)
    for first, name in ((LOOT_NOTHING, "LOOT_NOTHING"), (LOOT_GIVE, "LOOT_GIVE"), (LOOT_HIDDEN, "LOOT_HIDDEN")):
        if answer >= first:
            return f"{name} + {_TREASURES[answer - first]}" if first == LOOT_GIVE else name
    return f"LOOT_POWER + {_TREASURES[answer - LOOT_POWER]}"


__all__ = [name for name in globals() if name.isupper() and not name.startswith("_")]
