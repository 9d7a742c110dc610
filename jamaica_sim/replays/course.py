"""The way that a ship took between two positions; a trace has only its two ends."""

from jamaica_sim.play.trace import Place
from jamaica_sim.replays.box import Box

At = tuple[int, int]  # space and lap


def way_sailed(box: Box, start: Place, end: Place, forward: bool, die: int) -> list[int]:
    """The spaces of a move: exactly `die` steps (M1), or fewer where the ship comes home (M4)."""
    target = (end["space"], end["lap"])

    def walk(position: At, steps: int) -> list[int] | None:
        if steps == 0 or (forward and position[0] == 0 and position[1] > 0):
            return [] if position == target else None
        for following in neighbours(box, position, forward):
            rest = walk(following, steps - 1)
            if rest is not None:
                return [following[0], *rest]
        return None

    return walk((start["space"], start["lap"]), die) or [end["space"]]


def way_back(box: Box, start: Place, end: Place) -> list[int]:
    """The spaces of a retreat: the shortest way back (H2, H3)."""
    target = (end["space"], end["lap"])
    ways: list[tuple[At, list[int]]] = [((start["space"], start["lap"]), [])]
    for position, way in ways:  # grows while it is read: breadth first
        if position == target:
            return way
        if len(way) < len(box.board):
            ways += [(before, [*way, before[0]]) for before in neighbours(box, position, forward=False)]
    return [end["space"]]


def neighbours(box: Box, position: At, forward: bool) -> list[At]:
    """The positions one step on, or one step back."""
    space, lap = position
    if forward:
        return [(n, lap + (n == 0)) for n in box.board[space].next]
    return [(p, lap - (space == 0)) for p in box.previous[space]]
