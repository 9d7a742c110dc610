"""The ghost ship takes a doubloon from every ship that it meets, and finds one each round: a ghost that can win."""

from jamaica_sim.strategy.house.api import GOLD, add, take

PARAMETERS = {"toll": (1, 0, 5), "finds": (1, 0, 5)}


def arrived(game, rules, ship, space):
    if ship == rules.ghost:
        for other in range(rules.players):
            if game.space[other] == space and space != 0:
                add(game, rules, ship, GOLD, take(game, rules, other, GOLD, PARAMETERS["toll"]))


def round_ends(game, rules):
    if rules.ghost >= 0:
        add(game, rules, rules.ghost, GOLD, PARAMETERS["finds"])
