"""The small record that a rulebook is derived from, beside the rulebook's own fields that the rules give as they are.

`engine/rulebook.py` fills both.
"""

from typing import Annotated

import numpy as np

from jamaica_sim.engine.machine.record import Floats, Numbers, fields_of
from jamaica_sim.engine.state import FACES, FORKS, TREASURES
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import RESOURCES, SPACE_KINDS

ROUTES = 1 << FORKS  # ways that a move can take: a circuit is longer than any die, so it meets no fork twice
KINDS = ("power", "points", "cursed")  # of treasures
POWER, POINTS, CURSED = (np.int64(i) for i in range(len(KINDS)))
NOWHERE = np.int64(-1)


class Raw:
    """What the rules and the components say, and room to work in."""

    goods: Annotated[Numbers, len(RESOURCES), SHIPS]  # at the start, by seat
    holds: int  # ordinary ones of a ship
    next: Annotated[Numbers, SPACES, 2]  # spaces one step forward; the second is NOWHERE where the course does not fork
    cards: int  # in a deck
    treasure_name: Annotated[Numbers, TREASURES]  # number of each card's name among those of the box
    treasure_kind: Annotated[Numbers, TREASURES]
    in_game: Annotated[Numbers, TREASURES]  # 1 for a card that the pile may be made from
    # Room to work in, all zero
    found: Annotated[Numbers, SPACES]  # sets of spaces behind each space
    fork_at: Annotated[Numbers, SPACES]  # number of the fork after each space, NOWHERE
    outer: Annotated[Numbers, FORKS]  # set: the outer lane of each fork
    route_at: Annotated[Numbers, 2, ROUTES]  # routes before and after a step: where they are,
    route_fork: Annotated[Numbers, 2, ROUTES]  # the fork that they crossed first,
    route_is_outer: Annotated[Numbers, 2, ROUTES]  # and whether by its outer lane
    fall: Annotated[Numbers, len(SPACE_KINDS), SPACES]  # steps lost by a retreat to a kind of space
    outcome: Annotated[Floats, FACES]  # of a roll, by face, and the same less its mean: exactly, and as it is booked
    exact: Annotated[Floats, FACES]
    booked: Annotated[Floats, FACES]
    order: Annotated[Numbers, FACES]


RAW_DTYPE = np.dtype(fields_of(Raw), align=True)
