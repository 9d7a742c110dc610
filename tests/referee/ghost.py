"""The ghost's turn (G2 to G4, G8): two moves after all players, the direction forced by the standing.
Its battles are in battle and looting."""

from . import battle, moving, treasures
from .game import WHEN, Game, Ship
from .moving import way_left


def take_turn(game: Game, ghost: Ship, placed: list[int]) -> None:
    for when, die in zip(WHEN, placed, strict=True):
        if ghost.finished:  # G8, as E1
            game.take("skip", "G8", ship=ghost.seat, when=when)
            continue
        game.absent("skip", "G8", "the ghost has not finished")
        event = game.take("action", "G2", ship=ghost.seat, when=when, die=die)
        check_direction(game, ghost, event)
        moving.move(game, ghost, event["symbol"], die)
        arrive(game, ghost)


def check_direction(game: Game, ghost: Ship, event: dict) -> None:
    """G3: the flag tells whether the direction was forced, and a forced direction is obeyed."""
    direction, forced = event["symbol"], forced_direction(game, ghost)
    game.rule("G3", direction in moving.DIRECTIONS, f"the ghost moves {direction!r}")
    game.require("TRACE", "forced" in event, "the ghost's moves tell whether they were forced")
    game.rule("G3", event["forced"] == (forced is not None), f"forced is {event['forced']}, the rule says {forced}")
    if forced:
        game.rule("G3", direction == forced, f"the ghost must go {forced}")


def forced_direction(game: Game, ghost: Ship) -> str | None:
    """Alone in the lead: backward; alone in last place: forward; else free."""
    own = way_left(game.parts, ghost.position)
    others = [way_left(game.parts, ship.position) for ship in game.ships if ship is not ghost]
    if own < min(others):
        return "backward"
    if own > max(others):
        return "forward"
    return None


def arrive(game: Game, ghost: Ship) -> None:
    """Battle, then a treasure; no cost and no shortage (G4)."""
    if ghost.finished:
        game.exercised("G8")
    battle.meet(game, ghost)
    for kind in ("pay", "shortage"):
        game.absent(kind, "G4", "the ghost pays nothing")
    treasures.draw(game, ghost)
