"""The fields of a view: everything that the deciding player may see, and the question.

The view is the head of the state record, so nothing is copied for a decision.
"""

import numpy as np

from jamaica_sim.codes import HOLDS, MAX_SHIPS, MAX_SPACES, RESOURCES

SHIPS, SPACES, DICE = MAX_SHIPS, MAX_SPACES, 2
HOLD_BYTES = 8
assert HOLDS <= HOLD_BYTES

# What a player may see (K1, K2) and what is being asked.
VIEW = [
    ("me", "i8"),  # the player who decides
    ("ship", "i8"),  # the ship that the question is about: the player's own, or the ghost
    ("decision", "i8"),
    ("legal", "i8"),  # set of the legal answers
    ("luck_key", "u8"),  # the deciding ship's own stream of luck
    ("luck_index", "i8"),
    ("round", "i8"),
    ("captain", "i8"),
    ("dice", "i8", (DICE,)),  # as rolled
    ("placed", "i8", (DICE,)),  # morning and evening; 0 while the Captain is deciding
    ("when", "i8"),  # MORNING or EVENING
    ("space", "i8", (SHIPS,)),
    ("lap", "i8", (SHIPS,)),  # 0 on the circuit, 1 finished, negative behind the start line
    ("occupants", "i8", (SPACES,)),  # set of the ships on each space
    ("holds", "i8", (SHIPS, len(RESOURCES) + 1)),  # by kind, EMPTY last: set of the ship's holds with it
    ("hold_kind", "i1", (SHIPS, HOLD_BYTES)),  # holds 0 to 5
    ("hold_count", "i1", (SHIPS, HOLD_BYTES)),
    ("stowage", "i8", (SHIPS,)),  # all that is in a ship's holds, as one word (`machine/hold_word.py`)
    ("stock", "i8", (SHIPS, len(RESOURCES))),  # goods in all holds
    ("powers", "i8", (SHIPS,)),  # set of face-up treasures
    ("face_down", "i8", (SHIPS,)),  # how many face-down ones
    ("hand_size", "i8", (SHIPS,)),
    ("discard", "i8", (SHIPS,)),  # set of the cards on the discard pile
    ("played", "i8", (SHIPS,)),  # the card revealed in this round, -1 before
    ("tokens", "i8"),  # set of the lairs with a treasure token
    ("hand", "i8"),  # set: the own cards
    ("plan", "i8"),  # the own card that the Captain placed the dice for, plus 1; 0: none, or it was not noted
    ("card", "i8"),  # the own card chosen in this round, -1 before
    ("treasures", "i8"),  # set: the own face-down treasures
    ("known", "i8", (SHIPS,)),  # sets: face-down treasures of each ship that this player knows (R5)
    ("resource", "i8"),  # what is being loaded or paid
    ("amount", "i8"),  # how much of it; when paying, how much is still due
    ("attacker", "i8"),  # the battle in progress
    ("defender", "i8"),
    ("attack_powder", "i8"),
    ("attack_face", "i8"),  # what the die shows; STAR for a star, NO_FACE before the roll
    ("attack_strength", "i8"),  # die, gunpowder and Lady Beth; 0 before the roll
    ("defence_powder", "i8"),
    ("defence_face", "i8"),
    ("defence_strength", "i8"),
    ("winner", "i8"),  # of the battle, when it comes to the loot
    ("loser", "i8"),
    ("sabre_used", "i8"),  # 1: Saran's Sabre was used in this battle (B7)
    ("turn", "i8"),  # the ship whose action is in progress, NONE while cards are chosen
    ("retreated", "i8"),  # 1: in this action that ship has gone back for a shortage
    ("unplayed", "i8", (SHIPS,)),  # set: cards in the hand when the deck was last shuffled
    # House rules; all zero without them.
    ("moment", "i8"),  # the moment that asks, in a house_choice
    ("moment_of", "i8", (3,)),  # what that moment is about: its ships, space and the like, in its own order
    ("moment_space", "i8"),  # where the acting ship was when that moment began
    ("extra_treasures", "i8"),  # cards that house rules drew from the pile, less those that they returned
    ("memory", "i8", (8,)),  # what a file of house rules remembers, public: of the game,
    ("ship_memory", "i4", (SHIPS, 4)),  # of each ship,
    ("space_memory", "i4", (SPACES,)),  # and of each space
]
VIEW_DTYPE = np.dtype(VIEW, align=True)
