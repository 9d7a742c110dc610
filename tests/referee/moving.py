"""Moving (M1, M3, M4) and the way to the finish (E3): everything about positions on the circuit.
What happens on the end space is elsewhere."""

from .components import PORT_ROYAL, Components
from .game import Game, Position, Ship

DIRECTIONS = ("forward", "backward")


def one_step(parts: Components, position: Position, direction: str) -> set[Position]:
    """The positions one step on. Entering Port Royal forward completes a lap; leaving it backward undoes one (M3)."""
    space, lap = position
    if direction == "forward":
        return {Position(after, lap + (after == PORT_ROYAL)) for after in parts.ahead[space]}
    return {Position(before, lap - (space == PORT_ROYAL)) for before in parts.behind[space]}


def end_positions(parts: Components, start: Position, direction: str, die: int) -> set[Position]:
    """M1: all ends of `die` steps, over all lanes; M4: a ship that completes the circuit stops."""
    reached = {start}
    for _ in range(die):
        under_way = {position for position in reached if position.lap < 1}
        stopped = reached - under_way
        reached = stopped.union(*(one_step(parts, position, direction) for position in under_way))
    return reached


def way_left(parts: Components, position: Position) -> int:
    """E3: fewest spaces to the finish."""
    circuit = parts.steps_left[PORT_ROYAL]
    if position.space == PORT_ROYAL:
        return (1 - position.lap) * circuit
    return parts.steps_left[position.space] - position.lap * circuit


def move(game: Game, ship: Ship, direction: str, die: int) -> None:
    start = ship.position
    options = end_positions(game.parts, start, direction, die)
    clause = move_clause(game, start, options, direction, die)
    event = game.take("move", "M1", ship=ship.seat)
    go(game, ship, event, options, clause)
    if ship.finished:
        game.take("finish", "E1", ship=ship.seat)
    else:
        game.absent("finish", clause if clause == "M3" else "E1", "the circuit is not complete")


def move_clause(game: Game, start: Position, options: set[Position], direction: str, die: int) -> str:
    """The clause that decides about the end positions."""
    if direction == "forward" and way_left(game.parts, start) < die:
        return "M4"
    if start.lap < 0 or any(option.lap < 0 for option in options):
        return "M3"
    return "M1"


def go(game: Game, ship: Ship, event: dict, options: set[Position], clause: str) -> None:
    """A move or retreat event: from where the ship is, to one of the options, all of them listed."""
    listed = [Position(**option) for option in event["options"]]
    start, end = Position(**event["from"]), Position(**event["to"])
    game.rule(clause, start == ship.position, f"from {start}, but the ship is on {ship.position}")
    game.rule(clause, sorted(listed) == sorted(options), f"options {sorted(listed)}, should be {sorted(options)}")
    game.rule(clause, end in options, f"{end} cannot be reached")
    ship.position = end
