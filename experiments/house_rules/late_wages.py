"""Every player but the first Captain begins with four gunpowder: a remedy for the first Captain's edge."""

from jamaica_sim.strategy.house.api import GUNPOWDER, give

PARAMETERS = {"powder": (4, 0, 6)}


def set_up(game, rules):
    for ship in range(rules.players):
        if ship != game.captain:
            give(game, rules, ship, GUNPOWDER, PARAMETERS["powder"])
