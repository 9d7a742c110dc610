"""The winner of a battle sails on one space, and owes nothing where it fought."""

from jamaica_sim.strategy.house.api import sail

PARAMETERS = {"spaces": (1, 0, 3)}


def battle_ended(game, rules, attacker, defender, winner):
    if winner >= 0:
        sail(game, rules, winner, PARAMETERS["spaces"])
