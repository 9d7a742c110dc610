"""An empty lair pays two doubloons."""

from jamaica_sim.strategy.house.api import GOLD, give

PARAMETERS = {"pays": (2, 0, 10)}


def lair(game, rules, ship, space, token):
    if token == 0:
        give(game, rules, ship, GOLD, PARAMETERS["pays"])
