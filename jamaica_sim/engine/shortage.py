"""Shortage (H1 to H4): where a ship that could not pay goes back to, in either edition."""

from jamaica_sim.engine.asking import ask_seldom
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.moving import lap_after, put
from jamaica_sim.engine.paying import pay_all
from jamaica_sim.engine.rng import SHORTAGE_DIE, below, draw
from jamaica_sim.engine.state import FACES, MOST_COST
from jamaica_sim.engine.trace import NONE, RETREAT, SHORTAGE, ZERO, note, note_move
from jamaica_sim.words import BACKWARD, CHOOSE_RETREAT, FOOD, GOLD, STAYS


@inline
def run_short(s, t, ship, resource, due):
    """Pay what is there (H1) and go back. True where the ship has moved."""
    space = s.space[ship]
    paid = pay_all(s, ship, resource)
    s.shortages[ship, resource] += 1
    s.short[space] += 1
    s.short_in_round += 1
    face = NONE
    if t.shortage_by_die != 0:
        face = _roll(s, ship)
    note(s, SHORTAGE, ship, resource, due, paid, face, NONE)
    retreats = _retreats(s, t, ship, face)
    if retreats == 0:
        return False
    end = ask_seldom(s, t, CHOOSE_RETREAT, ship, ship, retreats)
    lap = s.lap[ship]
    new_lap = lap_after(lap, space, end, BACKWARD)
    put(s, t, ship, space, end, new_lap)
    note_move(s, RETREAT, ship, space, lap, end, new_lap, retreats, BACKWARD)
    return True


@inline
def _roll(s, ship):
    index = ((s.round * 8 + ship) << 12) + s.shortage_rolls[ship]
    s.shortage_rolls[ship] += 1
    return below(draw(s.key[SHORTAGE_DIE], index), FACES)


@inline
def _retreats(s, t, ship, face):
    """The set of spaces to go back to, empty where the ship stays."""
    if t.shortage_by_die == 0:
        return first_payable_behind(s, t, ship, s.space[ship])
    if t.die_retreat[face] == STAYS or s.lap[ship] < 0:  # H3, H4
        return ZERO
    return t.nearest_behind[t.die_retreat[face], s.space[ship]]


@inline
def first_payable_behind(s, t, ship, space):
    """H2: on each route back, the first space whose cost the ship can pay in full."""
    return t.first_payable[min(s.stock[ship, GOLD], MOST_COST), min(s.stock[ship, FOOD], MOST_COST), space]
