"""Loading (L1 to L4): tokens into an empty hold, making room first where there is none."""

from jamaica_sim.codes import EMPTY, HOLD_TO_EMPTY
from jamaica_sim.engine.decide import ask_place
from jamaica_sim.engine.events import note_load, note_no_load
from jamaica_sim.engine.machine.bits import ZERO, lowest
from jamaica_sim.engine.machine.branch_hints import unlikely
from jamaica_sim.engine.machine.hold_word import (
    add_stock,
    cleared,
    distinct,
    empty_holds,
    filled,
    holds_without,
    kind_at,
    number_of,
    tokens_at,
)
from jamaica_sim.engine.machine.jit import inline


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
def can_load(stowage, resource):
    """Whether some hold is empty or has another resource (L3)."""
    return holds_without(stowage, resource) != 0


@inline
def make_room(s, r, ship, player, stowage, resource, amount):
    """Empty a hold for a load that is possible (L2): its place, what was in it and how much."""
    options = distinct(stowage, holds_without(stowage, resource))
    place = ask_place(s, r, HOLD_TO_EMPTY, player, ship, options, resource, amount)
    kind, there = empty_hold(s, ship, stowage, place)
    return place, kind, there


@inline
def empty_hold(s, ship, stowage, place):
    """Throw a hold's contents overboard: what was in it and how much."""
    kind, there = kind_at(stowage, place), tokens_at(stowage, place)
    s.overboard[ship, kind] += there
    to_bank(s, kind, there)
    add_stock(s, ship, kind, -there)
    return kind, there


@inline
def stow(s, r, ship, player, stowage, resource, amount):
    """Put a load into an empty hold, ordinary before the 6th (L4), or else into one made empty; False where none can
    be (L3)."""
    empty = empty_holds(stowage)
    if empty != 0:
        place, kind, there = lowest(empty), EMPTY, ZERO
    elif can_load(stowage, resource):
        place, kind, there = make_room(s, r, ship, player, stowage, resource, amount)
        stowage = cleared(stowage, place)
    else:
        return False
    fill_hold(s, ship, stowage, place, resource, amount, kind, there)
    return True


@inline
def fill_hold(s, ship, stowage, place, resource, amount, kind, there):
    """Put tokens into an empty hold, in which so many of a kind had been."""
    s.stowage[ship] = filled(stowage, place, resource, amount)
    add_stock(s, ship, resource, amount)
    note_load(s, ship=ship, resource=resource, amount=amount, hold=number_of(place), emptied=(kind, there))


@inline
def load(s, r, ship, resource, die):
    """A load symbol: as many tokens as the die shows (L1), or what a limited bank has left (C6)."""
    amount = die
    if unlikely(r.limited_bank != 0):
        amount = min(die, r.bank[resource] - s.in_play[resource])
        if amount <= 0:
            note_no_load(s, ship=ship, resource=resource, amount=die)
            return
    if stow(s, r, ship, ship, s.stowage[ship], resource, amount):
        count_load(s, ship, resource, amount)
    else:
        note_no_load(s, ship=ship, resource=resource, amount=die)


@inline
def count_load(s, ship, resource, amount):
    """Tokens loaded by a symbol came from the bank."""
    s.loaded[ship, resource] += amount
    from_bank(s, resource, amount)
