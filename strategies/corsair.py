"""Fights: seeks the company of other ships, keeps its powder dry for them and goes for the richest.

It lands on occupied spaces when it can, attacks the ship with the most doubloons in one hold, commits most of its
gunpowder to an attack and little to a defence, and takes gold before anything else.
"""

from jamaica_sim.strategy.api import GOLD, GUNPOWDER, HOLDS, ask_heuristic, has, helper, lowest

INTENT = "Does piracy pay?"
WEIGHTS = {"attack": 4.0, "bravado": 4.0, "defend": 0.4, "gunpowder": 7.0, "powder_price": 0.15, "deny": 0.4}


@helper
def _richest_hold(view, ship):
    """The most doubloons that the ship has in one hold."""
    most = 0
    for hold in range(HOLDS):
        if view.hold_kind[ship, hold] == GOLD:
            most = max(most, view.hold_count[ship, hold])
    return most


def choose_target(view, rules, weights):
    """Of the ships on the space, the one with the richest hold."""
    targets = view.legal
    best = lowest(targets)
    for ship in range(rules.ships):
        if has(targets, ship) and _richest_hold(view, ship) > _richest_hold(view, best):
            best = ship
    return best


def attack_powder(view, rules, weights):
    """Two thirds of the gunpowder against a rich ship, none against a poor one."""
    if _richest_hold(view, view.defender) < 2:
        return 0
    return (2 * view.stock[view.me, GUNPOWDER] + 2) // 3


def choose_loot(view, rules, weights):
    """The richest hold of three doubloons or more, where it can be loaded; otherwise what the heuristic likes."""
    best, most = -1, 2
    for hold in range(HOLDS):
        if has(view.legal, hold) and view.hold_kind[view.loser, hold] == GOLD:
            if view.hold_count[view.loser, hold] > most:
                best, most = hold, view.hold_count[view.loser, hold]
    return best if best >= 0 else ask_heuristic(view, rules, weights)
