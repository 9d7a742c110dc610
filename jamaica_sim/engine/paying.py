"""Paying (P1, P4): the cost of a space out of the player's choice of holds, and gunpowder out of the smallest (B6)."""

from jamaica_sim.engine.decide import ask_place
from jamaica_sim.engine.events import note_pay
from jamaica_sim.engine.loading import to_bank
from jamaica_sim.engine.machine.bits import ONE, ZERO, lowest, only, pick
from jamaica_sim.engine.machine.hold_word import (
    AMOUNT,
    CONTENTS,
    SIXTH_PLACE,
    add_stock,
    amount_at,
    distinct,
    holds_with,
    lessened,
    place_of,
    smallest,
    stock_of,
)
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.state import NONE
from jamaica_sim.game.codes import GUNPOWDER, HOLD_TO_PAY

PAYING_ASKS = 1 << HOLD_TO_PAY


@inline
def pay(s, r, ship, resource, due):
    """Pay `due`, which the stock must cover, hold by hold. Each chosen hold pays all it can of the amount still due.

    By the choice `free_split` each chosen hold pays one token.
    """
    _pay_rest(s, r, ship, resource, due, due, ZERO, NONE)


@inline
def _pay_rest(s, r, ship, resource, due, owed, paid_holds, last):
    """Pay what is still owed; `paid_holds` is what each hold has paid of `due`, a byte each, for the trace.

    `last` is the place of the hold that paid last, or NONE.
    """
    while owed > 0:
        stowage = s.stowage[ship]
        holds = holds_with(stowage, resource)
        everything_goes = stock_of(s, ship, resource) == owed  # P4
        options = pick(everything_goes, holds & -holds, distinct(stowage, holds))
        if r.free_split != 0:
            options = _holds_to_split(stowage, resource, owed, last)
        place = ask_place(s, r, HOLD_TO_PAY, ship, ship, options, resource, owed)
        paid = pay_from(s, r, ship, stowage, place, resource, owed)
        paid_holds += paid << place
        owed -= paid
        last = place
    note_pay(s, ship=ship, resource=resource, amount=due, holds=paid_holds)


@inline
def pay_on(s, r, ship, hold):
    """Go on after a question in a payment; `amount` of the view was still due when it was asked."""
    due, resource, place = s.amount, s.resource, place_of(hold)
    paid = pay_from(s, r, ship, s.stowage[ship], place, resource, due)
    _pay_rest(s, r, ship, resource, due, due - paid, paid << place, place)


@jit
def _holds_to_split(stowage, resource, owed, last):
    """The holds that may pay the next token of a free split, so that each outcome can be reached in one way only.

    Smaller holds pay before larger ones, and the 6th Hold last. A hold that was passed over pays nothing more, and no
    hold becomes smaller than one that was smaller. What is still owed must be possible after that.
    """
    holds = holds_with(stowage, resource)
    sixth = amount_at(stowage, SIXTH_PLACE) if holds >> SIXTH_PLACE != 0 else ZERO
    options = only(SIXTH_PLACE) if sixth >= owed else ZERO
    if last == SIXTH_PLACE:
        return options
    ordinary = holds & ~only(SIXTH_PLACE)
    paid_down_to = amount_at(stowage, last) if last != NONE else ZERO
    candidates = distinct(stowage, holds) & ordinary
    while candidates != 0:
        place = lowest(candidates)
        candidates &= candidates - 1
        there = amount_at(stowage, place)
        floor, alike, not_smaller, room, others = ZERO, ZERO, ZERO, sixth, ordinary
        while others != 0:
            amount = amount_at(stowage, lowest(others))
            others &= others - 1
            alike += amount == there
            if amount < there:
                floor = max(floor, amount)
            else:
                not_smaller += 1
                room += amount
        is_open = there > paid_down_to or (place == last and alike == 1)
        if is_open and room - floor * not_smaller >= owed:
            options |= only(place)
    return options


@inline
def pay_from(s, r, ship, stowage, place, resource, owed):
    """Pay as much of the amount still due as one hold can, and book it at once; returns how much that was.

    The next hold may be asked for in another call, after a pause. So nothing may wait for the end of the payment.
    """
    there = amount_at(stowage, place)
    paid = pick(owed < there, owed, there)
    if r.free_split != 0:
        paid = ONE
    s.stowage[ship] = lessened(stowage, place, resource, paid)
    add_stock(s, ship, resource, -paid)
    to_bank(s, resource, paid)
    return paid


@inline
def pay_all(s, ship, resource):
    """Pay the whole stock, if there is any (H1); returns how much that was."""
    amount = stock_of(s, ship, resource)
    stowage = s.stowage[ship]
    holds = holds_with(stowage, resource)
    s.stowage[ship] = stowage & ~(holds * CONTENTS)
    add_stock(s, ship, resource, -amount)
    to_bank(s, resource, amount)
    if amount > 0:
        note_pay(s, ship=ship, resource=resource, amount=amount, holds=stowage & holds * AMOUNT)
    return amount


@jit
def spend_powder(s, ship, amount):
    """Committed gunpowder leaves the smallest holds first, ordinary holds before the 6th among equals (B6)."""
    paid_holds = ZERO
    owed = amount
    while owed > 0:
        stowage = s.stowage[ship]
        place = smallest(stowage, GUNPOWDER)
        there = amount_at(stowage, place)
        paid = pick(owed < there, owed, there)
        s.stowage[ship] = lessened(stowage, place, GUNPOWDER, paid)
        paid_holds |= paid << place
        owed -= paid
    add_stock(s, ship, GUNPOWDER, -amount)
    to_bank(s, GUNPOWDER, amount)
    s.powder_spent[ship] += amount
    note_pay(s, ship=ship, resource=GUNPOWDER, amount=amount, holds=paid_holds)
