"""Derives a whole rulebook in place."""

import numpy as np

from jamaica_sim.engine.derive.board import derive_board
from jamaica_sim.engine.derive.chances import derive_chances
from jamaica_sim.engine.derive.foresight import derive_foresight
from jamaica_sim.engine.derive.raw import NOWHERE
from jamaica_sim.engine.machine.bits import only
from jamaica_sim.engine.machine.hold_word import NO_HOLD, place_of
from jamaica_sim.engine.machine.jit import entry, jit
from jamaica_sim.engine.view import SHIPS
from jamaica_sim.game.codes import FOOD, GOLD, GUNPOWDER, HOLDS, RESOURCES

UNLIMITED = np.int64(1 << 40)


@entry
def derive_rulebook(raws, rulebooks):
    """Fill in every field that `engine/rulebook.py` leaves zero."""
    raw, r = raws[0], rulebooks[0]
    _ships(raw, r)
    derive_board(raw, r)
    derive_chances(raw, r)
    derive_foresight(r)


@jit
def _ships(raw, r):
    """Derive what ships begin with, the bank, and the dice that strategies foresee."""
    r.ghost = r.players if r.ships > r.players else NOWHERE
    r.hold_slots = only(raw.holds) - 1
    for ship in range(SHIPS):
        for hold in range(raw.holds, HOLDS):
            r.no_cargo[ship] |= NO_HOLD << place_of(hold)
        r.start_gold[ship], r.start_food[ship] = _least(raw, r, GOLD), _least(raw, r, FOOD)
        r.start_gunpowder[ship] = _least(raw, r, GUNPOWDER)
    for seat in range(r.players):
        r.left[seat] = (seat + 1) % r.players
        for resource in range(len(RESOURCES)):
            r.seat_goods[seat, resource] = raw.goods[resource, seat] - _least(raw, r, resource)
    for resource in range(len(RESOURCES)):
        if r.limited_bank == 0:
            r.bank[resource] = UNLIMITED
    for face in range(r.die_faces):
        r.die_face_later[face] = r.die_face[(face + r.die_faces // 2) % r.die_faces]


@jit
def _least(raw, r, resource):
    """What every seat begins with of a resource."""
    least = raw.goods[resource, 0]
    for seat in range(1, r.players):
        least = min(least, raw.goods[resource, seat])
    return least
