"""The end (E2 to E4, G8): the result of a trace against the final state of the ships."""

from .components import PORT_ROYAL
from .game import Game, Position, Ship
from .moving import way_left

BEFORE_THE_RED_LINE = -5


def check_result(game: Game, result: dict) -> None:
    game.index = None
    game.require("TRACE", result["rounds"] == game.round, f"{result['rounds']} rounds, should be {game.round}")
    finished = any(ship.finished for ship in game.ships)
    game.rule("E1" if finished else "E4", result["finished"] == finished, f"finished is {result['finished']}")
    positions = [Position(**position) for position in result["positions"]]
    expected = [ship.position for ship in game.ships]
    game.require("TRACE", positions == expected, f"positions {positions}, should be {expected}")
    check_scores(game, result["scores"])
    check_winners(game, result["winners"])


def check_scores(game: Game, scores: list[int]) -> None:
    game.rule("E2", len(scores) == len(game.ships), f"{len(scores)} scores for {len(game.ships)} ships")
    for ship, given in zip(game.ships, scores, strict=True):
        clause = "G8" if ship.is_ghost else "E2"
        game.rule(clause, given == score(game, ship), f"ship {ship.seat} scores {given}, should be {score(game, ship)}")


def score(game: Game, ship: Ship) -> int:
    """E2: the space, the doubloons, the treasures (curses are negative)."""
    treasures = sum(game.parts.treasure_value[treasure] for treasure in ship.treasures)
    return space_score(game, ship.position) + ship.stock("gold") + treasures


def space_score(game: Game, position: Position) -> int:
    at_start_or_behind = position.lap < 0 or position == (PORT_ROYAL, 0)
    start = game.changes.get("start_score", BEFORE_THE_RED_LINE)
    return start if at_start_or_behind else game.parts.score[position.space]


def check_winners(game: Game, winners: list[int]) -> None:
    """E3: most points, then furthest along, then shared."""
    best = max((score(game, ship), -way_left(game.parts, ship.position)) for ship in game.ships)
    expected = [ship.seat for ship in game.ships if (score(game, ship), -way_left(game.parts, ship.position)) == best]
    game.rule("E3", sorted(winners) == expected, f"winners {winners}, should be {expected}")
