"""Paying (P1, P4): the cost of a space out of the player's choice of holds, and gunpowder out of the smallest (B6)."""

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bits import lowest
from jamaica_sim.engine.hints import out_of_line
from jamaica_sim.engine.jit import inline, jit
from jamaica_sim.engine.loading import distinct, take_out, to_bank
from jamaica_sim.engine.trace import PAY, ZERO, note
from jamaica_sim.words import GUNPOWDER, HOLD_TO_PAY


@inline
def _pay_from(s, ship, hold, amount):
    take_out(s, ship, hold, amount)
    s.paid_holds |= amount << (8 * hold)


@inline
def pay(s, t, ship, resource, due):
    """Pay `due`, no more than the stock. Hold by hold: the one chosen gives all it can of what is still due."""
    s.paid_holds = 0
    left = due
    while left > 0:
        holds = s.holds[ship, resource]
        options = distinct(s, ship, holds)
        if s.stock[ship, resource] == left:  # P4: everything goes
            options = holds & -holds
        s.resource = resource
        s.amount = left
        hold = ask(s, t, HOLD_TO_PAY, ship, ship, options)
        part = min(left, s.hold_count[ship, hold])
        _pay_from(s, ship, hold, part)
        left -= part
    to_bank(s, resource, due)
    note(s, PAY, ship, resource, due, s.paid_holds, ZERO, ZERO)


@inline
def pay_all(s, ship, resource):
    """Pay the whole stock, which must not be empty (H1); returns how much that was."""
    amount = s.stock[ship, resource]
    s.paid_holds = 0
    while s.holds[ship, resource] != 0:
        hold = lowest(s.holds[ship, resource])
        _pay_from(s, ship, hold, s.hold_count[ship, hold])
    to_bank(s, resource, amount)
    note(s, PAY, ship, resource, amount, s.paid_holds, ZERO, ZERO)
    return amount


@inline
def _smallest(s, ship, holds):
    smallest = lowest(holds)
    while holds != 0:
        hold = lowest(holds)
        holds &= holds - 1
        if s.hold_count[ship, hold] < s.hold_count[ship, smallest]:
            smallest = hold
    return smallest


@jit
def spend_powder(s, ship, amount):
    """Committed gunpowder leaves the smallest holds first, ordinary holds before the 6th among equals (B6)."""
    out_of_line()
    s.paid_holds = 0
    left = amount
    while left > 0:
        hold = _smallest(s, ship, s.holds[ship, GUNPOWDER])
        part = min(left, s.hold_count[ship, hold])
        _pay_from(s, ship, hold, part)
        left -= part
    to_bank(s, GUNPOWDER, amount)
    s.powder_spent[ship] += amount
    note(s, PAY, ship, GUNPOWDER, amount, s.paid_holds, ZERO, ZERO)
