"""Arriving (M2): what the end space of a player's move brings, in order: battle, then cost or treasure."""

from jamaica_sim.engine.battle import battle, others_here
from jamaica_sim.engine.bits import has
from jamaica_sim.engine.hints import unlikely
from jamaica_sim.engine.jit import inline
from jamaica_sim.engine.paying import pay
from jamaica_sim.engine.shortage import run_short
from jamaica_sim.engine.treasures import plunder_lair


@inline
def meet(s, t, ship):
    """Fight where there is somebody to fight (B1)."""
    targets = others_here(s, ship)
    if targets != 0:
        battle(s, t, ship, targets)


@inline
def take_treasure(s, t, ship, space):
    """Take what lies in a lair, if there is anything (P2)."""
    if unlikely(has(s.tokens, space)):
        plunder_lair(s, t, ship, space)


@inline
def arrive(s, t, ship):
    """Battle, then pay, take a treasure, or run short; a retreat is followed by all of that again (H2).

    In the 2021 edition the space that a shortage leads to costs nothing (H3).
    """
    while True:
        meet(s, t, ship)
        space = s.space[ship]
        cost = t.cost[space]
        if cost == 0:  # P2, P3
            take_treasure(s, t, ship, space)
            return
        resource = t.currency[space]  # P1
        if s.stock[ship, resource] >= cost:
            pay(s, t, ship, resource, cost)
            return
        if not run_short(s, t, ship, resource, cost):
            return
        if t.shortage_by_die != 0:
            meet(s, t, ship)
            take_treasure(s, t, ship, s.space[ship])
            return
