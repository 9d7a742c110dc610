"""The way that a ship took between two positions; a trace has only its two ends."""

from jamaica_sim.replays.box import Box


def way_sailed(box: Box, start: dict, end: dict, forward: bool, die: int) -> list[int]:
    """The spaces of a move: exactly `die` steps (M1), or fewer where the ship comes home (M4)."""
    target = (end["space"], end["lap"])

    def walk(position, steps):
        if steps == 0 or (forward and position[0] == 0 and position[1] > 0):
            return [] if position == target else None
        for following in _neighbours(box, position, forward):
            rest = walk(following, steps - 1)
            if rest is not None:
                return [following[0], *rest]
        return None

    return walk((start["space"], start["lap"]), die) or [end["space"]]


def way_back(box: Box, start: dict, end: dict) -> list[int]:
    """The spaces of a retreat: the shortest way back (H2, H3)."""
    target, ways = (end["space"], end["lap"]), [((start["space"], start["lap"]), [])]
    for position, way in ways:  # grows while it is read: breadth first
        if position == target:
            return way
        if len(way) < len(box.board):
            ways += [(before, [*way, before[0]]) for before in _neighbours(box, position, forward=False)]
    return [end["space"]]


def _neighbours(box, position, forward):
    """The positions one step on, or one step back."""
    space, lap = position
    if forward:
        return [(n, lap + (n == 0)) for n in box.board[space].next]
    return [(p, lap - (space == 0)) for p in box.previous[space]]
