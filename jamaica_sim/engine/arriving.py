"""Arriving (M2): what the end space of a player's move brings, in order: battle, then cost or treasure.

The space is passed as a number rather than read from the state: every branch here depends on it, and a store and a
load in between would make each misprediction more expensive.
"""

from jamaica_sim.engine.battle import battle
from jamaica_sim.engine.house_rules import act, changed, has_moment, is_still_at
from jamaica_sim.engine.machine.bits import ZERO, has, is_in
from jamaica_sim.engine.machine.hold_word import stock_of
from jamaica_sim.engine.machine.jit import inline, jit, overloaded
from jamaica_sim.engine.paying import pay
from jamaica_sim.engine.shortage import run_short
from jamaica_sim.engine.state import NONE
from jamaica_sim.engine.treasures import plunder_lair
from jamaica_sim.game.codes import AT_ARRIVAL, AT_LAIR, FOOD, GOLD, LAIR, OF_COST


@inline
def meet(s, r, ship, space, others):
    """Fight where there is somebody to fight; there is no battle on Port Royal (B1)."""
    if others != 0 and space != 0:
        battle(s, r, ship, others)


@inline
def take_treasure(s, r, ship, space):
    """Take the treasure of a lair, if its token is still there (P2)."""
    visit_lair(s, r, ship, space)
    take_token(s, r, ship, space)


@inline
def take_token(s, r, ship, space):
    """The same after what house rules do in a lair."""
    if has(s.tokens, space) and is_still_at(s, r, ship, space):
        plunder_lair(s, r, ship, space)


@overloaded
def visit_lair(s, r, ship, space):
    """What house rules do in a lair, with its token or without."""
    return _visit_lair if "house" in r.fields else (lambda s, r, ship, space: None)


def _visit_lair(s, r, ship, space):
    if r.space_kind[space] == LAIR:
        act(s, r, AT_LAIR, ship, space, is_in(s.tokens, space))


@inline
def arrive(s, r, ship, space, others):
    """Battle, then pay, take a treasure, or run short. A retreat is a new arrival (H2).

    In the 2021 edition the space that a shortage leads to costs nothing (H3).
    """
    while space != NONE:
        act(s, r, AT_ARRIVAL, ship, space, ZERO)
        space, others = arrive_on(s, r, ship, space, others)


@inline
def arrive_on(s, r, ship, space, others):
    """The same after what house rules do on arrival; returns a new arrival, if there is one."""
    if is_still_at(s, r, ship, space):
        meet(s, r, ship, space, others)
    return settle(s, r, ship, space)


@inline
def settle(s, r, ship, space):
    """After the battle: pay, take a treasure, or run short.

    Returns the space of a new arrival after a retreat (H2) and the set of the ships there, otherwise NONE.
    """
    if not is_still_at(s, r, ship, space):
        return NONE, ZERO
    if has_moment(r, OF_COST):
        return settle_changed_cost(s, r, ship, space)
    payable = r.payable_port[stock_of(s, ship, GOLD)] | r.payable_sea[stock_of(s, ship, FOOD)]
    if has(r.free_spaces, space):  # P2, P3
        take_treasure(s, r, ship, space)
        return NONE, ZERO
    if has(payable, space):
        pay(s, r, ship, r.currency[space], r.cost[space])  # P1
        return NONE, ZERO
    space, others = run_short(s, r, ship, space, r.currency[space], r.cost[space])
    return after_retreat(s, r, ship, space, others)


@overloaded
def settle_changed_cost(s, r, ship, space):
    """The same as `settle` where house rules change what a space costs this ship."""
    return _settle_changed_cost.py_func if "house" in r.fields else (lambda s, r, ship, space: (NONE, ZERO))


@jit
def _settle_changed_cost(s, r, ship, space):
    currency = r.currency[space]
    due = changed(s, r, OF_COST, r.cost[space], ship, space, ZERO, ZERO)
    if due <= 0:
        take_treasure(s, r, ship, space)
        return NONE, ZERO
    if stock_of(s, ship, currency) >= due:
        pay(s, r, ship, currency, due)
        return NONE, ZERO
    space, others = run_short(s, r, ship, space, currency, due)
    return after_retreat(s, r, ship, space, others)


@inline
def after_retreat(s, r, ship, space, others):
    """What follows a retreat: a new arrival, which is returned (H2), or only a battle and a treasure here (H3)."""
    if r.shortage_by_die == 0:
        return space, others
    if space != NONE:
        act(s, r, AT_ARRIVAL, ship, space, ZERO)
        end_fall(s, r, ship, space, others)
    return NONE, ZERO


@inline
def end_fall(s, r, ship, space, others):
    """A battle and a treasure where the die sent a ship (H3)."""
    if is_still_at(s, r, ship, space):
        meet(s, r, ship, space, others)
    if is_still_at(s, r, ship, space):
        take_treasure(s, r, ship, space)
