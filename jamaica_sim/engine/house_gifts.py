"""Gifts of house rules, which follow the loading rules: into an empty hold, else the ship is asked which to empty.

A file's function cannot be left in its middle. So a gift that needs room waits in the view until the function has
returned; then the ship is asked, and a game can go on from that question like from any other.
"""

from jamaica_sim.engine.decide import ask_place
from jamaica_sim.engine.events import note_house_give
from jamaica_sim.engine.loading import can_load, empty_hold, from_bank
from jamaica_sim.engine.machine.bits import ZERO, lowest
from jamaica_sim.engine.machine.hold_word import (
    add_stock,
    cleared,
    contents_at,
    distinct,
    empty_holds,
    filled,
    holds_without,
    number_of,
    place_of,
)
from jamaica_sim.engine.machine.jit import jit
from jamaica_sim.game.codes import EMPTY, GOLD, HOLD_TO_EMPTY

SHIP_BITS, RESOURCE_BITS = 3, 2  # of a gift that waits; the amount lies above them


@jit
def in_bank(s, r, resource, amount):
    """As much of an amount as a limited bank still has (C6)."""
    return min(amount, r.bank[resource] - s.in_play[resource]) if r.limited_bank != 0 else amount


@jit
def give(s, r, moment, ship, resource, amount, may_wait):
    """Goods from the bank; returns how much comes aboard, now or when room was made. The ghost keeps doubloons (G6)."""
    amount = in_bank(s, r, resource, amount)
    if amount <= 0 or (ship == r.ghost and resource != GOLD):
        return ZERO
    stowage = s.stowage[ship]
    empty = empty_holds(stowage)
    if empty != 0:
        _come_aboard(s, moment, ship, resource, amount, lowest(empty))
    elif may_wait and ship != r.ghost and can_load(stowage, resource):
        if s.gifts_waiting == s.gifts.size:
            raise ValueError("too many gifts at one moment for ships without an empty hold")
        s.gifts[s.gifts_waiting] = (amount << RESOURCE_BITS | resource) << SHIP_BITS | ship
        s.gifts_waiting += 1
    else:
        return ZERO
    return amount


@jit
def hand_out(s, r, question):
    """Bring the gifts that wait aboard, one after the other; `question` is what the moment asks after that."""
    s.question_after = question
    while s.gifts_waiting > 0:
        gift = s.gifts[0]
        ship = gift & (1 << SHIP_BITS) - 1
        resource = (gift >> SHIP_BITS) & (1 << RESOURCE_BITS) - 1
        amount = in_bank(s, r, resource, gift >> (SHIP_BITS + RESOURCE_BITS))
        stowage = s.stowage[ship]
        empty = empty_holds(stowage)
        if amount > 0 and empty != 0:
            _come_aboard(s, s.moment, ship, resource, amount, lowest(empty))
        elif amount > 0 and can_load(stowage, resource):
            options = distinct(stowage, holds_without(stowage, resource))
            place = ask_place(s, r, HOLD_TO_EMPTY, ship, ship, options, resource, amount)
            _come_aboard(s, s.moment, ship, resource, amount, place)
        _forget_first(s)


@jit
def hand_out_on(s, hold):
    """Go on after the question which hold to empty for the first gift that waits."""
    _come_aboard(s, s.moment, s.ship, s.resource, s.amount, place_of(hold))
    _forget_first(s)


@jit
def _forget_first(s):
    s.gifts_waiting -= 1
    for i in range(s.gifts_waiting):
        s.gifts[i] = s.gifts[i + 1]


@jit
def _come_aboard(s, moment, ship, resource, amount, place):
    emptied = fill(s, ship, place, resource, amount)
    from_bank(s, resource, amount)
    hold = number_of(place)
    note_house_give(s, moment=moment, ship=ship, resource=resource, amount=amount, hold=hold, emptied=emptied)


@jit
def fill(s, ship, place, resource, amount):
    """Put goods into a hold that is emptied first; returns what was in it, as resource and amount."""
    stowage = s.stowage[ship]
    kind, there = EMPTY, ZERO
    if contents_at(stowage, place) != 0:
        kind, there = empty_hold(s, ship, stowage, place)
        stowage = cleared(stowage, place)
    s.stowage[ship] = filled(stowage, place, resource, amount)
    add_stock(s, ship, resource, amount)
    return kind, there
