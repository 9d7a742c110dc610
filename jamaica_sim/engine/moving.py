"""Moving (M1 to M4): where a move can end, the choice between the ends, the lap, and coming home."""

import numpy as np

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bits import only, single
from jamaica_sim.engine.hints import pick
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.trace import FINISH, ZERO, note
from jamaica_sim.words import BACKWARD, FORWARD

BACKWARD_WAY = np.int64(2)  # in the table `ends`


@inline
def end_spaces(s, t, ship, direction, die):
    """The set of spaces where a move can end (M1); on the last lap nothing goes beyond Port Royal (M4)."""
    forward = np.int64(s.lap[ship] != 0)  # M3: behind the start line, Port Royal is a space like any other
    return t.ends[pick(direction == BACKWARD, BACKWARD_WAY, forward), s.space[ship], die]


@inline
def lap_after(lap, start, end, direction):
    """The lap on which a move ends: spaces are numbered in racing order, so a wrap shows in the numbers."""
    return lap + pick(direction == FORWARD, np.int64(end < start), -np.int64(end > start))


@inline
def put(s, ship, space, lap):
    """Put a ship on a space."""
    s.occupants[s.space[ship]] &= ~only(ship)
    s.occupants[space] |= only(ship)
    s.space[ship] = space
    s.lap[ship] = lap
    s.landed[space] += 1


@inline
def sail(s, t, ship, direction, die, decision, player, event):
    """Move a ship by the whole die, to an end of the player's choice. What the end space brings is not done here."""
    start, lap = s.space[ship], s.lap[ship]
    ends = end_spaces(s, t, ship, direction, die)
    end = ask(s, t, decision, player, ship, ends)
    _count_lane(s, t, ship, start, die, end, np.int64(direction == FORWARD) & ~np.int64(single(ends)))
    put(s, ship, end, lap_after(lap, start, end, direction))
    note(s, event, ship, start, lap, end, s.lap[ship], ends)
    if s.lap[ship] == 1:  # E1
        if s.finished_ships == 0:
            s.ended_by = ship
        s.finished_ships |= only(ship)
        note(s, FINISH, ship, ZERO, ZERO, ZERO, ZERO, ZERO)


@inline
def _count_lane(s, t, ship, start, die, end, passages):
    """Count 1 passage, or 0: adding nothing is cheaper than finding out whether there was a lane to choose."""
    inner = ~(t.outer_ends[start, die] >> end) & 1
    s.lanes[ship, max(t.fork_crossed[start, die], 0), inner] += passages


@inline
def remaining(s, t, ship):
    """Spaces left to the finish by the shortest route (E3)."""
    return t.to_finish[s.space[ship]] - t.circuit * s.lap[ship]
