"""Loading (L1 to L4): tokens into an empty hold, making room first where there is none."""

import numpy as np

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bits import lowest, only
from jamaica_sim.engine.bytewise import at_byte, byte, first_of_each, set_word, word
from jamaica_sim.engine.hints import unlikely
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.trace import LOAD, NO_LOAD, ZERO, note
from jamaica_sim.words import EMPTY, HOLD_TO_EMPTY, SIXTH_HOLD_SLOT

SIXTH_HOLD = np.int64(1) << SIXTH_HOLD_SLOT  # the set of it alone
ROOM_HOLD, ROOM_KIND, ROOM_COUNT = np.int64(0), np.int64(1), np.int64(2)  # bytes of what `make_room` returns


@inline
def all_holds(s, t, ship):
    """The set of the ship's holds: the ordinary ones, and the 6th where it has the card (R4)."""
    if s.powers[ship] & t.sixth_hold != 0:
        return t.hold_slots | SIXTH_HOLD
    return t.hold_slots


@inline
def distinct(s, ship, holds):
    """One hold of each sort: holds of equal contents are one option, except that the 6th Hold is its own sort.

    `holds` has all holds of the kinds in it, and none of them is empty: so no other hold is of a sort of theirs.
    """
    sorts = word(s.hold_kind, ship) << 4 | word(s.hold_count, ship)
    sixth = holds & SIXTH_HOLD
    return first_of_each(holds ^ sixth, sorts) | sixth


@inline
def hold_kind(s, ship, hold):
    """What is in the hold."""
    return byte(word(s.hold_kind, ship), hold)


@inline
def hold_count(s, ship, hold):
    """How much of it."""
    return byte(word(s.hold_count, ship), hold)


@inline
def fill(s, ship, hold, resource, amount):
    """Put tokens into an empty hold; where they come from is the caller's business."""
    set_word(s.hold_kind, ship, word(s.hold_kind, ship) ^ at_byte(resource ^ EMPTY, hold))
    set_word(s.hold_count, ship, word(s.hold_count, ship) | at_byte(amount, hold))
    s.holds[ship, resource] |= only(hold)
    s.holds[ship, EMPTY] &= ~only(hold)
    s.stock[ship, resource] += amount


@inline
def take_out(s, ship, hold, resource, amount):
    """Take tokens of its resource out of a hold; where they go is the caller's business."""
    counts = word(s.hold_count, ship)
    emptied = np.int64(byte(counts, hold) == amount)
    set_word(s.hold_count, ship, counts - at_byte(amount, hold))
    set_word(s.hold_kind, ship, word(s.hold_kind, ship) | at_byte(emptied * EMPTY, hold))
    s.stock[ship, resource] -= amount
    s.holds[ship, resource] &= ~(emptied << hold)
    s.holds[ship, EMPTY] |= emptied << hold


@inline
def to_bank(s, resource, amount):
    """Tokens leave the ships."""
    s.in_play[resource] -= amount


@inline
def from_bank(s, resource, amount):
    """Tokens come to the ships; the most there ever were is a statistic (C6)."""
    s.in_play[resource] += amount
    s.peak[resource] = max(s.peak[resource], s.in_play[resource])  # always stored: cheaper than a branch


@inline
def can_load(s, t, ship, resource):
    """Whether some hold is empty or has another resource (L3)."""
    return all_holds(s, t, ship) & ~s.holds[ship, resource] != 0


@inline
def make_room(s, t, ship, player, resource, amount):
    """Empty a hold for a load that is possible (L2): the hold, what was in it and how much, a byte each."""
    options = all_holds(s, t, ship) & ~s.holds[ship, resource]
    s.resource = resource
    s.amount = amount
    hold = ask(s, t, HOLD_TO_EMPTY, player, ship, distinct(s, ship, options))
    kind, there = hold_kind(s, ship, hold), hold_count(s, ship, hold)
    s.overboard[ship, kind] += there
    to_bank(s, kind, there)
    take_out(s, ship, hold, kind, there)
    return hold | at_byte(kind, ROOM_KIND) | at_byte(there, ROOM_COUNT)


@inline
def empty_hold(s, ship):
    """The same for a ship with an empty hold, ordinary before the 6th (L4): nothing was in it."""
    return lowest(s.holds[ship, EMPTY]) | at_byte(EMPTY, ROOM_KIND)


@inline
def stow(s, ship, resource, amount, room):
    """Put a load into the hold that was made ready for it."""
    hold = byte(room, ROOM_HOLD)
    fill(s, ship, hold, resource, amount)
    note(s, LOAD, ship, resource, amount, hold, byte(room, ROOM_KIND), byte(room, ROOM_COUNT))


@inline
def load(s, t, ship, resource, die):
    """A load symbol: as many tokens as the die shows (L1), or what a limited bank has left (C6)."""
    amount = min(die, t.bank[resource] - s.in_play[resource])
    if unlikely(amount <= 0):
        note(s, NO_LOAD, ship, resource, die, ZERO, ZERO, ZERO)
        return
    if s.holds[ship, EMPTY] != 0:
        room = empty_hold(s, ship)
    elif can_load(s, t, ship, resource):
        room = make_room(s, t, ship, ship, resource, amount)
    else:
        note(s, NO_LOAD, ship, resource, die, ZERO, ZERO, ZERO)
        return
    from_bank(s, resource, amount)
    s.loaded[ship, resource] += amount
    stow(s, ship, resource, amount, room)
