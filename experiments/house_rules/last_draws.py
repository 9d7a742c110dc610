"""Whoever is last, alone, draws up to one card more."""

from jamaica_sim.strategy.house.api import last_ship

PARAMETERS = {"cards": (1, 0, 3)}


def hand_limit(game, rules, ship, n):
    return n + PARAMETERS["cards"] if ship == last_ship(game, rules) else n
