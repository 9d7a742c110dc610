"""Loading (L1 to L4): tokens into an empty hold, making room first where there is none."""

import numpy as np

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bits import lowest, only, single
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.trace import LOAD, NO_LOAD, ZERO, note
from jamaica_sim.words import EMPTY, HOLD_TO_EMPTY, SIXTH_HOLD_SLOT


@inline
def all_holds(s, t, ship):
    """The set of the ship's holds: the ordinary ones, and the 6th where it has the card (R4)."""
    if s.powers[ship] & t.sixth_hold != 0:
        return t.hold_slots | only(SIXTH_HOLD_SLOT)
    return t.hold_slots


@inline
def distinct(s, ship, holds):
    """One hold of each sort: holds of equal contents are one option, except that the 6th Hold is its own sort."""
    seen, one_each = 0, holds & only(SIXTH_HOLD_SLOT)
    for hold in range(SIXTH_HOLD_SLOT):  # every hold and no branch: cheaper than a loop of unpredictable length
        wanted = (holds >> hold) & 1
        sort = s.hold_kind[ship, hold] * 16 + s.hold_count[ship, hold]
        one_each |= (wanted & ~(seen >> sort)) << hold
        seen |= wanted << sort
    return one_each


@inline
def fill(s, ship, hold, resource, amount):
    """Put tokens into an empty hold; where they come from is the caller's business."""
    s.hold_kind[ship, hold] = resource
    s.hold_count[ship, hold] = amount
    s.holds[ship, resource] |= only(hold)
    s.holds[ship, EMPTY] &= ~only(hold)
    s.stock[ship, resource] += amount


@inline
def take_out(s, ship, hold, amount):
    """Take tokens out of a hold; where they go is the caller's business."""
    resource = s.hold_kind[ship, hold]
    s.hold_count[ship, hold] -= amount
    s.stock[ship, resource] -= amount
    emptied = np.int64(s.hold_count[ship, hold] == 0) << hold
    s.hold_kind[ship, hold] = EMPTY if emptied != 0 else resource
    s.holds[ship, resource] &= ~emptied
    s.holds[ship, EMPTY] |= emptied


@inline
def to_bank(s, resource, amount):
    """Tokens leave the ships."""
    s.in_play[resource] -= amount


@inline
def from_bank(s, resource, amount):
    """Tokens come to the ships; the most there ever were is a statistic (C6)."""
    s.in_play[resource] += amount
    if s.in_play[resource] > s.peak[resource]:
        s.peak[resource] = s.in_play[resource]


@inline
def can_load(s, t, ship, resource):
    """Whether some hold is empty or has another resource (L3)."""
    return all_holds(s, t, ship) & ~s.holds[ship, resource] != 0


@inline
def make_room(s, t, ship, player, resource, amount):
    """A hold for a load that is possible: an empty one, ordinary before the 6th (L4), or one emptied first (L2)."""
    s.emptied_kind = EMPTY
    s.emptied_count = 0
    if s.holds[ship, EMPTY] != 0:
        return lowest(s.holds[ship, EMPTY])
    options = all_holds(s, t, ship) & ~s.holds[ship, resource]
    if single(options):
        hold = lowest(options)
    else:
        s.resource = resource
        s.amount = amount
        hold = ask(s, t, HOLD_TO_EMPTY, player, ship, distinct(s, ship, options))
    s.emptied_kind = s.hold_kind[ship, hold]
    s.emptied_count = s.hold_count[ship, hold]
    s.overboard[ship, s.emptied_kind] += s.emptied_count
    to_bank(s, s.emptied_kind, s.emptied_count)
    take_out(s, ship, hold, s.emptied_count)
    return hold


@inline
def load(s, t, ship, resource, die):
    """A load symbol: as many tokens as the die shows (L1), or what a limited bank has left (C6)."""
    amount = min(die, t.bank[resource] - s.in_play[resource])
    if amount <= 0 or not can_load(s, t, ship, resource):
        note(s, NO_LOAD, ship, resource, die, ZERO, ZERO, ZERO)
        return
    hold = make_room(s, t, ship, ship, resource, amount)
    fill(s, ship, hold, resource, amount)
    from_bank(s, resource, amount)
    s.loaded[ship, resource] += amount
    note(s, LOAD, ship, resource, amount, hold, s.emptied_kind, s.emptied_count)
