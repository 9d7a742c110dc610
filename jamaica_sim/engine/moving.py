"""Moving (M1 to M4): where a move can end, the choice between the ends, the lap, and coming home."""

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bits import has, only, single
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.trace import FINISH, ZERO, note
from jamaica_sim.words import BACKWARD, FORWARD

OUTER, INNER = 0, 1


@inline
def end_spaces(s, t, ship, direction, die):
    """The set of spaces where a move can end (M1); on the last lap nothing goes beyond Port Royal (M4)."""
    way = 0 if s.lap[ship] == 0 else 1  # M3: behind the start line, Port Royal is a space like any other
    if direction == BACKWARD:
        way = 2
    return t.ends[way, s.space[ship], die]


@inline
def lap_after(lap, start, end, direction):
    """The lap on which a move ends: spaces are numbered in racing order, so a wrap shows in the numbers."""
    if direction == FORWARD:
        return lap + 1 if end < start else lap
    return lap - 1 if end > start else lap


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
    if direction == FORWARD and not single(ends):
        _count_lane(s, t, ship, start, die, end)
    put(s, ship, end, lap_after(lap, start, end, direction))
    note(s, event, ship, start, lap, end, s.lap[ship], ends)
    if s.lap[ship] == 1:  # E1
        if s.finished_ships == 0:
            s.ended_by = ship
        s.finished_ships |= only(ship)
        note(s, FINISH, ship, ZERO, ZERO, ZERO, ZERO, ZERO)


@inline
def _count_lane(s, t, ship, start, die, end):
    lane = OUTER if has(t.outer_ends[start, die], end) else INNER
    s.lanes[ship, t.fork_crossed[start, die], lane] += 1


@inline
def remaining(s, t, ship):
    """Spaces left to the finish by the shortest route (E3)."""
    return t.to_finish[s.space[ship]] - t.circuit * s.lap[ship]
