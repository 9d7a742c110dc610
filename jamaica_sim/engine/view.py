"""The fields of a view: everything that the deciding player may see, and the question.

The view is the head of the state record, so nothing is copied for a decision.
"""

from typing import Annotated

import numpy as np

from jamaica_sim.engine.machine.memory import Numbers, fields_of
from jamaica_sim.game.codes import HOLDS, MAX_SHIPS, MAX_SPACES, RESOURCES

SHIPS, SPACES, DICE = MAX_SHIPS, MAX_SPACES, 2
HOLD_BYTES = 8
MOST_GIFTS = 24  # of one moment that can wait
assert HOLDS <= HOLD_BYTES


class View:
    """What the deciding player may see (K1, K2), and what is being asked. It can only be read."""

    me: int  # the player who decides
    ship: int  # the ship that the question is about: the player's own, or the ghost
    decision: int  # the number of the decision point
    legal: int  # set of the legal answers
    luck_key: Annotated[int, "u8"]  # the deciding ship's own stream of luck
    luck_index: int  # how far it is: use `luck` and `pick_random`
    round: int  # the round, from 1
    captain: int  # the Captain of this round
    dice: Annotated[Numbers, DICE]  # as rolled
    placed: Annotated[Numbers, DICE]  # morning and evening; 0 while the Captain is deciding
    when: int  # MORNING or EVENING
    space: Annotated[Numbers, SHIPS]  # where each ship is
    lap: Annotated[Numbers, SHIPS]  # 0 on the circuit, 1 finished, negative behind the start line
    occupants: Annotated[Numbers, SPACES]  # set of the ships on each space
    holds: Annotated[Numbers, SHIPS, len(RESOURCES) + 1]  # by kind, EMPTY last: set of the ship's holds with it
    hold_kind: Annotated[Numbers, "i1", SHIPS, HOLD_BYTES]  # holds 0 to 5
    hold_count: Annotated[Numbers, "i1", SHIPS, HOLD_BYTES]  # how much is in each
    stowage: Annotated[Numbers, SHIPS]  # all that is in a ship's holds, as one word (`machine/hold_word.py`)
    stock: Annotated[Numbers, SHIPS, len(RESOURCES)]  # goods in all holds
    powers: Annotated[Numbers, SHIPS]  # set of face-up treasures
    face_down: Annotated[Numbers, SHIPS]  # how many face-down ones
    hand_size: Annotated[Numbers, SHIPS]  # how many cards in hand
    discard: Annotated[Numbers, SHIPS]  # set of the cards on the discard pile
    played: Annotated[Numbers, SHIPS]  # the card revealed in this round, -1 before
    tokens: int  # set of the lairs with a treasure token
    hand: int  # set: the own cards
    plan: int  # the own card that the Captain placed the dice for, plus 1; 0: none, or it was not noted
    card: int  # the own card chosen in this round, -1 before
    treasures: int  # set: the own face-down treasures
    known: Annotated[Numbers, SHIPS]  # sets: face-down treasures of each ship that this player knows (R5)
    resource: int  # what is being loaded or paid
    amount: int  # how much of it; when paying, how much is still due
    attacker: int  # the battle in progress
    defender: int
    attack_powder: int  # gunpowder that was added
    attack_face: int  # what the die shows; STAR for a star, NO_FACE before the roll
    attack_strength: int  # die, gunpowder and Lady Beth; 0 before the roll
    defence_powder: int
    defence_face: int
    defence_strength: int
    winner: int  # of the battle, when it comes to the loot
    loser: int
    sabre_used: int  # 1: Saran's Sabre was used in this battle (B7)
    turn: int  # the ship whose action is in progress, NONE while cards are chosen
    retreated: int  # 1: in this action that ship has gone back for a shortage
    unplayed: Annotated[Numbers, SHIPS]  # set: cards in the hand when the deck was last shuffled
    # House rules; all zero without them.
    moment: int  # the moment that asks, in a house_choice or about a gift
    moment_of: Annotated[Numbers, 3]  # what that moment is about: its ships, space and the like, in its own order
    moment_space: int  # where the acting ship was when that moment began
    extra_treasures: int  # cards that house rules drew from the pile, less those that they returned
    gifts_waiting: int  # gifts of that moment for ships that must make room for them, the first one now
    gifts: Annotated[Numbers, "i4", MOST_GIFTS]  # these gifts (`house_rules.py`)
    question_after: int  # what that moment asks after them
    memory: Annotated[Numbers, 8]  # what a file of house rules remembers, public: of the game,
    ship_memory: Annotated[Numbers, "i4", SHIPS, 4]  # of each ship,
    space_memory: Annotated[Numbers, "i4", SPACES]  # and of each space


VIEW_DTYPE = np.dtype(fields_of(View), align=True)
