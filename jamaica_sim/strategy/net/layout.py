"""The rows of the net's first layer: which fact of a decision or of an option each row stands for.

A block of one-hot rows has one row for each value of a fact; a number has one row, which is multiplied by it. A file
with a net is valid for exactly this layout (`LAYOUT_HASH`).
"""

import hashlib

import numpy as np

from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import (
    CHOOSE_CARD,
    CHOOSE_LOOT,
    CHOOSE_SPACE,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    MAX_FACE,
    PLACE_DICE,
)
from jamaica_sim.strategy.search.value import CARDS as PRINTED_CARDS
from jamaica_sim.strategy.search.value import KINDS

CARDS = len(PRINTED_CARDS)
# The decisions that a net takes; the others are the heuristic's.
LEARNED = (PLACE_DICE, CHOOSE_CARD, CHOOSE_SPACE, CHOOSE_LOOT, GHOST_DIRECTION, GHOST_SPACE, GHOST_TARGET, GHOST_LOOT)
LEARNED_SET = np.int64(sum(1 << int(decision) for decision in LEARNED))

HOME, BEHIND = np.int64(SPACES), np.int64(SPACES + 1)  # rows of end spaces after those of the circuit
PLACES = SPACES + 2
LAST_ROUND, LAST_NEAREST, SPACES_A_STEP = np.int64(15), np.int64(15), np.int64(3)
MOST_GOLD, MOST_FOOD, MOST_POWDER = np.int64(24), np.int64(15), np.int64(15)
FACES = MAX_FACE + 1

BLOCKS = {
    # Context: the same for all options of a decision.
    "decision": int(max(LEARNED)) + 1,
    "kind_of_table": KINDS,
    "round": int(LAST_ROUND) + 1,
    "nearest_home": int(LAST_NEAREST) + 1,  # spaces that the ship in the lead has to go, in steps
    "seat_after_captain": SHIPS,
    "own_powers": 4,
    "discarded": CARDS + 1,  # cards by their symbols; the last row is for unknown ones
    "tokens": SPACES,
    "own_place": PLACES,
    "when": 2,
    # The own ship after the option and the rest of its turn.
    "morning_die": FACES,
    "evening_die": FACES,
    "card_played": CARDS + 1,
    "card_kept": CARDS + 1,
    "place": PLACES,
    "gold": int(MOST_GOLD) + 1,
    "food": int(MOST_FOOD) + 1,
    "gunpowder": int(MOST_POWDER) + 1,
    "empty_holds": 7,
    # Loot.
    "loot": 9,  # gold, food, gunpowder, the four powers, a face-down card, nothing
    "amount": FACES,
    # The ghost ship.
    "ghost_direction": 2,
    "ghost_place": PLACES,
    # Other ships: spaces to go, in steps.
    "rival_to_go": int(LAST_NEAREST) + 1,
    "ghost_to_go": int(LAST_NEAREST) + 1,
}
NUMBERS = (
    # Context
    "late",
    "own_treasures",
    "own_face_down",
    "own_lead",
    "own_way_ahead",
    "ghost_way_ahead",
    # Own ship
    "battle_morning",
    "battle_evening",
    "battle_worth",
    "shortage_morning",
    "shortage_evening",
    "treasure_taken",
    "points",
    "points_late",
    "way_ahead",
    "lead_at_home",
    "at_home_behind",
    "threats",
    "unpayable",
    "lairs_ahead",
    "worth",
    # Loot and targets
    "loot_worth",
    "card_value",
    "given",
    "foe_is_ghost",
    "foe_is_me",
    "foe_leads",
    "foe_way_ahead",
    "foe_lead",
    "foe_stock",
    "foe_worth",
    # The ghost's move
    "meets_me",
    "meets_others",
    "meets_leader",
    "ghost_takes_treasure",
    "ghost_ahead_of_me",
    "ghost_leads",
    "ghost_is_last",
    "ghost_worth",
    # Other ships
    "rival_lead",
    "rival_gold",
    "rival_food",
    "rival_gunpowder",
    "ghost_lead",
    # What the dice let them do, by the cards that they may hold
    "others_gold_loaded",
    "others_food_loaded",
    "others_gunpowder_loaded",
    "others_way",
    "others_short",
    "others_treasure",
    "others_home",
    "others_home_lead",
    "met_before",
    "met_after",
    "ghost_reaches_morning",
    "ghost_reaches_evening",
)
STARTS = dict(zip(BLOCKS, np.cumsum([0, *BLOCKS.values()]), strict=False))
FIRST_NUMBER = sum(BLOCKS.values())
ROWS = FIRST_NUMBER + len(NUMBERS)
LAYOUT_HASH = hashlib.sha256(repr((BLOCKS, NUMBERS)).encode()).hexdigest()[:16]


def block(name: str) -> np.int64:
    """The first row of a block."""
    return np.int64(STARTS[name])


def number(name: str) -> np.int64:
    """The row of a number."""
    return np.int64(FIRST_NUMBER + NUMBERS.index(name))
