"""When both dice show the same number, every player gets one food."""

from jamaica_sim.strategy.house.api import FOOD, give

PARAMETERS = {"food": (1, 0, 5)}


def round_begins(game, rules):
    if game.dice[0] == game.dice[1]:
        for ship in range(rules.players):
            give(game, rules, ship, FOOD, PARAMETERS["food"])
