"""Paying (P1, P4): the cost of a space out of the player's choice of holds, and gunpowder out of the smallest (B6)."""

import numpy as np

from jamaica_sim.engine.asking import ask
from jamaica_sim.engine.bytewise import at_byte, byte, ones, set_word, word
from jamaica_sim.engine.hints import out_of_line, pick
from jamaica_sim.engine.jit import inline, jit
from jamaica_sim.engine.loading import distinct, hold_count, take_out, to_bank
from jamaica_sim.engine.trace import PAY, ZERO, note
from jamaica_sim.words import EMPTY, GUNPOWDER, HOLD_TO_PAY, HOLDS

MORE_THAN_ANY = np.int64(1 << 12)


@inline
def pay(s, t, ship, resource, due):
    """Pay `due`, no more than the stock. Hold by hold: the one chosen gives all it can of what is still due."""
    paid_holds = ZERO  # tokens paid from each hold, a byte each, for the trace
    left = due
    while left > 0:
        holds = s.holds[ship, resource]
        everything_goes = s.stock[ship, resource] == left  # P4
        options = pick(everything_goes, holds & -holds, distinct(s, ship, holds))
        s.resource = resource
        s.amount = left
        hold = ask(s, t, HOLD_TO_PAY, ship, ship, options)
        there = hold_count(s, ship, hold)
        part = pick(left < there, left, there)
        take_out(s, ship, hold, resource, part)
        paid_holds |= at_byte(part, hold)
        left -= part
    to_bank(s, resource, due)
    note(s, PAY, ship, resource, due, paid_holds, ZERO, ZERO)


@inline
def pay_all(s, ship, resource):
    """Pay the whole stock, if there is any (H1); returns how much that was."""
    amount = s.stock[ship, resource]
    holds = s.holds[ship, resource]
    whole = ones(holds) * 0xFF
    counts = word(s.hold_count, ship)
    paid_holds = counts & whole
    set_word(s.hold_count, ship, counts ^ paid_holds)
    set_word(s.hold_kind, ship, word(s.hold_kind, ship) | ones(holds) * EMPTY)
    s.stock[ship, resource] = 0
    s.holds[ship, resource] = 0
    s.holds[ship, EMPTY] |= holds
    to_bank(s, resource, amount)
    if amount > 0:
        note(s, PAY, ship, resource, amount, paid_holds, ZERO, ZERO)
    return amount


@inline
def _smallest(s, ship, holds):
    """The hold with the fewest tokens, the first of equals; every hold is looked at, without a branch."""
    counts = word(s.hold_count, ship)
    smallest = 2 * MORE_THAN_ANY
    for hold in range(HOLDS):
        rank = byte(counts, hold) << 3 | hold | (~holds >> hold & 1) * MORE_THAN_ANY
        smallest = pick(rank < smallest, rank, smallest)
    return smallest & 7


@jit
def spend_powder(s, ship, amount):
    """Committed gunpowder leaves the smallest holds first, ordinary holds before the 6th among equals (B6)."""
    out_of_line()
    paid_holds = ZERO
    left = amount
    while left > 0:
        hold = _smallest(s, ship, s.holds[ship, GUNPOWDER])
        there = hold_count(s, ship, hold)
        part = pick(left < there, left, there)
        take_out(s, ship, hold, GUNPOWDER, part)
        paid_holds |= at_byte(part, hold)
        left -= part
    to_bank(s, GUNPOWDER, amount)
    s.powder_spent[ship] += amount
    note(s, PAY, ship, GUNPOWDER, amount, paid_holds, ZERO, ZERO)
