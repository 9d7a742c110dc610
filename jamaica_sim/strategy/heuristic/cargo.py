"""A ship's cargo in one number, for plans: doubloons, food, gunpowder and empty holds, sixteen bits each.

So a load, a payment or a hold thrown overboard is a shift and an addition, whatever the resource is.
"""

import numpy as np

from jamaica_sim.codes import EMPTY, FOOD, GOLD, GUNPOWDER
from jamaica_sim.engine.machine.bits import count
from jamaica_sim.engine.machine.branch_hints import pick
from jamaica_sim.engine.machine.hold_word import empty_holds
from jamaica_sim.engine.machine.jit import inline

BITS = np.int64(16)
ALL = np.int64((1 << 16) - 1)


@inline
def put(tokens, kind):
    """So many tokens of a kind, or empty holds, as a cargo."""
    return tokens << (BITS * kind)


@inline
def amount(cargo, kind):
    """How many tokens of a kind, or empty holds, a cargo has."""
    return (cargo >> (BITS * kind)) & ALL


@inline
def cargo_of(view, ship):
    """What a ship has."""
    stock = view.stock
    return (
        stock[ship, GOLD]
        | put(stock[ship, FOOD], FOOD)
        | put(stock[ship, GUNPOWDER], GUNPOWDER)
        | put(count(empty_holds(view.stowage[ship])), EMPTY)
    )


@inline
def after_load(around, resource, die, cargo):
    """The cargo after a load: into a free hold, or after emptying the hold that is missed least (L1 to L3).

    `around` knows that hold from before the turn.
    """
    full = amount(cargo, EMPTY) == 0
    kind = around.give_up[resource]
    thrown = pick(full, min(around.give_up_tokens[resource], amount(cargo, kind)), np.int64(0))
    loaded = pick(full & (kind == EMPTY), np.int64(0), die)
    return cargo - put(thrown, kind) - put(np.int64(not full), EMPTY) + put(loaded, resource)
