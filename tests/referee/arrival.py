"""Arrival on a space (M2): the order of battle, cost, shortage and treasure. Each of them has its own module."""

from . import battle, paying, shortage, treasures
from .components import PORT_ROYAL
from .game import Game, Ship


def arrive(game: Game, ship: Ship) -> None:
    """M2: battle first, then cost or treasure. A retreat of the 2007 edition is a new arrival (H2)."""
    game.exercised("M2")
    battle.meet(game, ship)
    while paying.is_short(game, ship):
        if game.edition == "2021":
            shortage.roll_for_retreat(game, ship)
            return
        shortage.retreat_to_payable(game, ship)
        battle.meet(game, ship)
    game.absent("shortage", "H1", "the ship can pay")
    settle(game, ship)


def settle(game: Game, ship: Ship) -> None:
    """The ship can pay: it does, or the space is free."""
    space = ship.position.space
    if paying.dues(game, space)[1] > 0:
        paying.pay_cost(game, ship)
        return
    clause = "P3" if space == PORT_ROYAL else "P2"
    game.exercised(clause)
    game.absent("pay", clause, "the space is free")
    treasures.draw(game, ship)
