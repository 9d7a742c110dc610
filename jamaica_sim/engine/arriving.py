"""Arriving (M2): what the end space of a player's move brings, in order: battle, then cost or treasure."""

import numpy as np

from jamaica_sim.engine.battle import battle, others_here
from jamaica_sim.engine.bits import has
from jamaica_sim.engine.hints import unlikely
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.paying import pay
from jamaica_sim.engine.shortage import run_short
from jamaica_sim.engine.treasures import plunder_lair
from jamaica_sim.words import FOOD, GOLD, PORT


@inline
def meet(s, t, ship):
    """Fight where there is somebody to fight (B1)."""
    targets = others_here(s, ship)
    if targets != 0:
        battle(s, t, ship, targets)


@inline
def arrive(s, t, ship):
    """Battle, then pay, take a treasure, or run short; a retreat is followed by all of that again (H2).

    In the 2021 edition the space that a shortage leads to costs nothing (H3).
    """
    free = False
    while True:
        meet(s, t, ship)
        space = s.space[ship]
        cost = np.int64(t.cost[space])
        if cost == 0 or free:  # P2, P3
            if unlikely(has(s.tokens, space)):
                plunder_lair(s, t, ship, space)
            return
        resource = GOLD if t.space_kind[space] == PORT else FOOD  # P1
        if s.stock[ship, resource] >= cost:
            pay(s, t, ship, resource, cost)
            return
        if not run_short(s, t, ship, resource, cost):
            return
        free = t.shortage_by_die != 0
