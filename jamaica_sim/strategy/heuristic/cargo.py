"""A ship's cargo in one number, for looking ahead: doubloons, food, gunpowder and empty holds, sixteen bits each.

So a load, a payment or a hold thrown overboard is a shift and an addition, whatever the resource is.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, pick
from jamaica_sim.engine.machine.hold_word import empty_holds
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.game.codes import EMPTY, FOOD, GOLD, GUNPOWDER

BITS = np.int64(16)
ALL = np.int64((1 << 16) - 1)
A_HOLD = np.int64(1) << BITS * EMPTY  # an empty one; their number is the highest part, so a cargo below it has none


@inline
def put(many, resource):
    """A cargo of this much of a resource, or of this many empty holds."""
    return many << (BITS * resource)


@inline
def amount(cargo, resource):
    """How much of a resource, or how many empty holds, a cargo has."""
    return (cargo >> (BITS * resource)) & ALL


@inline
def row_of(rules, cargo):
    """The index for this cargo, without the space, in the rulebook's arrays by doubloons, food and space."""
    return rules.gold_row[amount(cargo, GOLD)] + rules.food_row[amount(cargo, FOOD)]


@inline
def cargo_of(view, ship):
    """The cargo of a ship."""
    stock = view.stock
    return (
        stock[ship, GOLD]
        | put(stock[ship, FOOD], FOOD)
        | put(stock[ship, GUNPOWDER], GUNPOWDER)
        | put(count(empty_holds(view.stowage[ship])), EMPTY)
    )


@inline
def load_of(around, resource):
    """What a load of this resource does where no hold is free: what is thrown overboard, and whether it is loaded."""
    other = around.give_up[resource]
    return BITS * other, around.give_up_amount[resource], -np.int64(other != EMPTY)


@inline
def loaded(load, resource, die, cargo):
    """The cargo after a load: into a free hold, or after emptying the hold that is worth least (L1 to L3)."""
    shift, most, is_loaded = load
    thrown = min(most, (cargo >> shift) & ALL) << shift
    return cargo + pick(cargo < A_HOLD, put(die & is_loaded, resource) - thrown, put(die, resource) - A_HOLD)


@inline
def after_load(around, resource, die, cargo):
    """The cargo after a load. `around` says which hold is emptied; it was filled in before the turn."""
    return loaded(load_of(around, resource), resource, die, cargo)
