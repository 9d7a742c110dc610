"""The game's own words as small numbers: resources, symbols, kinds of space, decisions, kinds of loot.

Every layer shares these codes; the lists give each word's name as files, traces and tables spell it.
They are NumPy integers, not Python ones, because numba compiles a function again for each literal argument.
"""

import numpy as np

RESOURCES = ("gold", "food", "gunpowder")
GOLD, FOOD, GUNPOWDER = (np.int64(i) for i in range(3))
EMPTY = np.int64(3)  # the "kind" of an empty hold

SYMBOLS = (*RESOURCES, "forward", "backward")
FORWARD, BACKWARD = np.int64(3), np.int64(4)

SPACE_KINDS = ("port_royal", "sea", "port", "lair")
PORT_ROYAL, SEA, PORT, LAIR = (np.int64(i) for i in range(4))

SHORTAGE_SYMBOLS = ("circle", "square", "skull", "star")
STAYS = np.int64(0)  # the space kind a star stands for: nowhere behind, so the ship stays (H3)
RETREATS = dict(zip(SHORTAGE_SYMBOLS, (PORT, SEA, LAIR, STAYS), strict=True))  # the kind of space each sends back to

WIN_UNITS = 60  # parts of one win: a win shared by two to six players is a whole number of them

SIXTH_HOLD_SLOT = np.int64(5)  # holds 0 to 4 are ordinary, 5 is that of the card
HOLDS = 6
MAX_SHIPS = 6
GHOST_SHIP = "ghost ship"  # its name beside those of the strategies
MAX_FACE = 10  # largest action die face, so that all gunpowder of a ship fits a 64-bit set of amounts
MAX_ROUND_CAP = 1000
MAX_SPACES = 62  # of a board, so that a set of spaces is one 64-bit number
MAX_COST = 10  # of a space

DECISIONS = (
    "place_dice",
    "choose_card",
    "choose_space",
    "choose_retreat",
    "hold_to_empty",
    "hold_to_pay",
    "choose_target",
    "attack_powder",
    "defence_powder",
    "use_sabre",
    "choose_loot",
    "ghost_direction",
    "ghost_space",
    "ghost_target",
    "ghost_loot",
    "house_choice",
)
(
    PLACE_DICE,
    CHOOSE_CARD,
    CHOOSE_SPACE,
    CHOOSE_RETREAT,
    HOLD_TO_EMPTY,
    HOLD_TO_PAY,
    CHOOSE_TARGET,
    ATTACK_POWDER,
    DEFENCE_POWDER,
    USE_SABRE,
    CHOOSE_LOOT,
    GHOST_DIRECTION,
    GHOST_SPACE,
    GHOST_TARGET,
    GHOST_LOOT,
    HOUSE_CHOICE,
) = (np.int64(i) for i in range(len(DECISIONS)))

MORNING, EVENING = np.int64(0), np.int64(1)

# What the answer to choose_loot and ghost_loot means: 0 to 5 the contents of that hold, then one number for each
# face-up power, one for "a face-down card", one for each own card given away, one for nothing (B8).
LOOT_POWER = np.int64(6)  # + treasure id
LOOT_HIDDEN = np.int64(18)
LOOT_GIVE = np.int64(20)  # + treasure id
LOOT_NOTHING = np.int64(32)

LOOT_KINDS = ("gold", "food", "gunpowder", "power", "hidden", "give", "nothing")

# The moments at which a file of house rules can act, and those at which it can change a number.
MOMENTS_THAT_ACT = ("set_up", "round_begins", "arrived", "lair", "battle_begins", "battle_ended", "round_ends")
MOMENTS_OF_NUMBERS = ("die", "cost", "shortage", "hand_limit", "battle_result", "points")
MOMENTS = (*MOMENTS_THAT_ACT, *MOMENTS_OF_NUMBERS)
(
    AT_SET_UP,
    AT_ROUND_BEGIN,
    AT_ARRIVAL,
    AT_LAIR,
    AT_BATTLE_BEGIN,
    AT_BATTLE_END,
    AT_ROUND_END,
    OF_DIE,
    OF_COST,
    OF_SHORTAGE,
    OF_HAND_LIMIT,
    OF_BATTLE_RESULT,
    OF_POINTS,
) = (np.int64(i) for i in range(len(MOMENTS)))
CHOSEN = np.int64(len(MOMENTS))  # + moment: what follows the answer to its question
MOST_PARAMETERS = 16  # of a file of house rules
LARGEST_NUMBER = 2**15 - 1  # that such a file may return: the result row has 16 bits for points
MOST_OPTIONS = 62  # of a question of house rules
MOST_QUESTIONS = 1000  # of one moment, one after the other
