"""Arriving (M2): what the end space of a player's move brings, in order: battle, then cost or treasure.

The space is passed as a number rather than read from the state: every branch here depends on it, and a store and a
load in between would make each misprediction more expensive.
"""

from jamaica_sim.codes import FOOD, GOLD
from jamaica_sim.engine.battle import battle
from jamaica_sim.engine.machine.bits import ZERO, has
from jamaica_sim.engine.machine.hold_word import stock_of
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.paying import pay
from jamaica_sim.engine.shortage import run_short
from jamaica_sim.engine.state import NONE
from jamaica_sim.engine.treasures import plunder_lair


@inline
def meet(s, r, ship, space, others):
    """Fight where there is somebody to fight; there is no battle on Port Royal (B1)."""
    if others != 0 and space != 0:
        battle(s, r, ship, others)


@inline
def take_treasure(s, r, ship, space):
    """Take the treasure of a lair, if its token is still there (P2)."""
    if has(s.tokens, space):
        plunder_lair(s, r, ship, space)


@inline
def arrive(s, r, ship, space, others):
    """Battle, then pay, take a treasure, or run short. A retreat is a new arrival (H2).

    In the 2021 edition the space that a shortage leads to costs nothing (H3).
    """
    while space != NONE:
        meet(s, r, ship, space, others)
        space, others = settle(s, r, ship, space)


@inline
def settle(s, r, ship, space):
    """After the battle: pay, take a treasure, or run short.

    Returns the space of a new arrival after a retreat (H2) and the set of the ships there, otherwise NONE.
    """
    payable = r.payable_port[stock_of(s, ship, GOLD)] | r.payable_sea[stock_of(s, ship, FOOD)]
    if has(r.free_spaces, space):  # P2, P3
        take_treasure(s, r, ship, space)
        return NONE, ZERO
    if has(payable, space):
        pay(s, r, ship, r.currency[space], r.cost[space])  # P1
        return NONE, ZERO
    space, others = run_short(s, r, ship, space, r.currency[space], r.cost[space])
    return after_retreat(s, r, ship, space, others)


@inline
def after_retreat(s, r, ship, space, others):
    """What follows a retreat: a new arrival, which is returned (H2), or only a battle and a treasure here (H3)."""
    if r.shortage_by_die == 0:
        return space, others
    if space != NONE:
        meet(s, r, ship, space, others)
        take_treasure(s, r, ship, space)
    return NONE, ZERO
