"""Shortage (H1 to H4): the part payment, the way back of either edition,
and what the 2021 edition does on the new space."""

from collections.abc import Callable

from . import battle, treasures
from .components import PORT_ROYAL
from .game import Game, Position, Ship
from .moving import go, one_step
from .paying import dues, pay

SPACE_OF_SYMBOL = {"circle": "port", "square": "sea", "skull": "lair"}  # H3; a star is not among them: the ship stays


def part_payment(game: Game, ship: Ship) -> dict:
    """H1: the ship pays all it has of the resource, then the shortage is declared."""
    resource, due = dues(game, ship.position.space)
    paid = ship.stock(resource)
    if paid > 0:
        pay(game, ship, resource, paid, "H1")
    return game.take("shortage", "H1", ship=ship.seat, resource=resource, due=due, paid=paid)


def retreat_to_payable(game: Game, ship: Ship) -> None:
    """H2 (2007): back to the first space of each route whose cost the ship can pay in full."""
    event = part_payment(game, ship)
    game.rule("H2", event["symbol"] is None, "there is no shortage die in the 2007 edition")

    def payable(position: Position) -> bool:
        resource, cost = dues(game, position.space)
        return cost == 0 or ship.stock(resource) >= cost

    if ship.position.lap < 0:
        game.exercised("H4")
    retreat(game, ship, first_of_each_route(game, ship.position, payable), "H2")


def roll_for_retreat(game: Game, ship: Ship) -> None:
    """H3 (2021): back to the nearest space of the kind rolled, which costs nothing."""
    event = part_payment(game, ship)
    symbol = event["symbol"]
    game.rule("C5", symbol in game.parts.shortage_symbols, f"shortage symbol {symbol!r}")
    if ship.position.lap < 0:  # H4: it stays, without a second battle
        stay(game, "H4", "a ship behind the start line stays")
        return
    if symbol == "star":
        stay(game, "H3", "after a star the ship stays")
        return

    def wanted(position: Position) -> bool:
        return game.parts.kind[position.space] == SPACE_OF_SYMBOL[symbol] or position.space == PORT_ROYAL  # H4

    options = first_of_each_route(game, ship.position, wanted)
    retreat(game, ship, options, "H4" if any(option.space == PORT_ROYAL for option in options) else "H3")
    battle.meet(game, ship)
    game.absent("pay", "H3", "the new space costs nothing")
    game.absent("shortage", "H3", "the new space costs nothing")
    treasures.draw(game, ship)


def stay(game: Game, clause: str, message: str) -> None:
    game.exercised(clause)
    game.absent("retreat", clause, message)
    game.absent("battle", clause, message)


def retreat(game: Game, ship: Ship, options: set[Position], clause: str) -> None:
    event = game.take("retreat", clause, ship=ship.seat)
    go(game, ship, event, options, clause)


def first_of_each_route(game: Game, start: Position, wanted: Callable[[Position], bool]) -> set[Position]:
    """Walk back on all routes at once; each route ends at its first wanted position."""
    found: set[Position] = set()
    under_way = {start}
    while under_way:
        reached = set().union(*(one_step(game.parts, position, "backward") for position in under_way))
        found |= {position for position in reached if wanted(position)}
        under_way = reached - found
    return found
