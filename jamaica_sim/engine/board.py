"""Look-ups of the board: where a move can end, which spaces lie behind, which can be paid, which lane a move takes.

A set of spaces is the bits of an int64, so the options of a move are one look-up.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, has, lowest, only
from jamaica_sim.engine.machine.jit import jit
from jamaica_sim.engine.state import MOST_FORESEEN, NO_PASSAGE, NOWHERE, PASSAGE_LANE
from jamaica_sim.engine.view import SPACES
from jamaica_sim.game.codes import FOOD, GOLD, LAIR, MAX_FACE, PORT, SEA

FAR_AWAY = np.int64(1 << 20)
FINISHING, PASSING, BACK = 0, 1, 2  # rows of `ends` and `passages`


@jit
def derive_board(raw, r):
    """Derive everything that follows from the board alone."""
    _spaces(raw, r)
    _ends(raw, r)
    _behind(raw, r)
    _lanes(raw, r)
    for way in range(3):
        for die in range(MAX_FACE + 1):
            for space in range(SPACES):
                r.passages[way, die, space] = _passage(r, way, die, space)


@jit
def _spaces(raw, r):
    """What is known of each space: from the last one, so that the way home of those ahead is known."""
    r.red_line = r.spaces
    for space in range(r.spaces - 1, -1, -1):
        r.currency[space] = GOLD if r.space_kind[space] == PORT else FOOD
        r.most_cost = max(r.most_cost, r.cost[space])
        if space > 0 and r.score[space] > 0:
            r.red_line = space
        if r.space_kind[space] == LAIR:
            r.lairs |= only(space)
        if r.cost[space] == 0:
            r.free_spaces |= only(space)
        steps = FAR_AWAY
        for lane in range(2):
            after = raw.next[space, lane]
            if after != NOWHERE:
                steps = min(steps, 1 + (np.int64(0) if after == 0 else r.to_finish[after]))
                r.previous[after] |= only(space)
        r.to_finish[space] = steps
    r.circuit = r.to_finish[0]
    for space in range(SPACES):
        r.far[space] = r.circuit - r.to_finish[space]
        r.points[space] = r.score[space]
    r.points[0] = r.start_score


@jit
def _ends(raw, r):
    """Sets of the spaces where a move of exactly `die` steps can end (M1)."""
    for space in range(r.spaces):
        r.forward_finish[space, 0] = r.forward_pass[space, 0] = r.backward[space, 0] = only(space)
    for die in range(1, MAX_FACE + 1):
        for space in range(r.spaces):
            for lane in range(2):
                after = raw.next[space, lane]
                if after != NOWHERE:
                    r.forward_pass[space, die] |= r.forward_pass[after, die - 1]
                    r.forward_finish[space, die] |= only(0) if after == 0 else r.forward_finish[after, die - 1]  # M4
            left = r.previous[space]
            while left != 0:
                r.backward[space, die] |= r.backward[lowest(left), die - 1]
                left &= left - 1
    for die in range(MAX_FACE + 1):
        for space in range(SPACES):
            r.ends[FINISHING, die, space] = r.forward_finish[space, die]
            r.ends[PASSING, die, space] = r.forward_pass[space, die]
            r.ends[BACK, die, space] = r.backward[space, die]


@jit
def _behind(raw, r):
    """Sets of the spaces that a ship falls back to: the first ones of a kind (H3), or that it can pay (H2)."""
    for stock in range(MOST_FORESEEN + 1):
        for space in range(r.spaces):
            if r.cost[space] <= stock:
                if r.space_kind[space] == PORT:
                    r.payable_port[stock] |= only(space)
                elif r.space_kind[space] == SEA:
                    r.payable_sea[stock] |= only(space)
    for kind in (SEA, PORT, LAIR):
        wanted = only(0)  # a route that comes to Port Royal first ends there (H4)
        for space in range(r.spaces):
            if r.space_kind[space] == kind:
                wanted |= only(space)
        _first_behind(raw, r, wanted)
        for space in range(r.spaces):
            r.nearest_behind[kind, space] = raw.found[space]
    for gold in range(r.most_cost + 1):
        for food in range(r.most_cost + 1):
            _first_behind(raw, r, r.free_spaces | r.payable_port[gold] | r.payable_sea[food])
            for space in range(r.spaces):
                r.first_payable[gold, food, space] = raw.found[space]


@jit
def _first_behind(raw, r, wanted):
    """Find for each space the first `wanted` ones behind it, one for each route. Port Royal must be wanted."""
    for step in range(1, r.spaces + 1):  # what lies behind a space comes before it in racing order
        space = step % r.spaces
        found, left = np.int64(0), r.previous[space]
        while left != 0:
            before = lowest(left)
            found |= only(before) if has(wanted, before) else raw.found[before]
            left &= left - 1
        raw.found[space] = found


@jit
def _lanes(raw, r):
    """Find the outer, longer lane of each fork, and the lane that each forward move takes."""
    forks = np.int64(0)
    for space in range(r.spaces):
        raw.fork_at[space] = NOWHERE
        if raw.next[space, 1] != NOWHERE:
            meeting = space + 1
            while count(r.previous[meeting]) < 2:
                meeting += 1
            first, second = _lane(raw, raw.next[space, 0], meeting), _lane(raw, raw.next[space, 1], meeting)
            raw.outer[forks] = first if count(first) >= count(second) else second
            r.outer_lanes |= raw.outer[forks]
            raw.fork_at[space] = forks
            forks += 1
    for space in range(SPACES):
        for die in range(MAX_FACE + 1):
            r.fork_crossed[space, die] = NOWHERE
    for start in range(r.spaces):
        _follow_routes(raw, r, start)


@jit
def _lane(raw, start, meeting):
    """The set of a lane's spaces, up to where lanes meet."""
    found, space = np.int64(0), start
    while space != meeting:
        found |= only(space)
        space = raw.next[space, 0]
    return found


@jit
def _follow_routes(raw, r, start):
    """Note for each die the fork that a move crosses first, and the ends that only its outer lane reaches."""
    before, routes = 0, 1
    raw.route_at[0, 0], raw.route_fork[0, 0], raw.route_is_outer[0, 0] = start, NOWHERE, 0
    for die in range(1, MAX_FACE + 1):
        now, followed = 1 - before, 0
        crossed, inner_ends, outer_ends = NOWHERE, np.int64(0), np.int64(0)
        for route in range(routes):
            at = raw.route_at[before, route]
            for lane in range(2):
                after = raw.next[at, lane]
                if after == NOWHERE:
                    continue
                fork, is_outer = raw.route_fork[before, route], raw.route_is_outer[before, route]
                if fork == NOWHERE and raw.fork_at[at] != NOWHERE:
                    fork = raw.fork_at[at]
                    is_outer = np.int64(has(raw.outer[fork], after))
                raw.route_at[now, followed] = after
                raw.route_fork[now, followed], raw.route_is_outer[now, followed] = fork, is_outer
                followed += 1
                crossed = max(crossed, fork)
                if is_outer != 0:
                    outer_ends |= only(after)
                else:
                    inner_ends |= only(after)
        before, routes = now, followed
        r.fork_crossed[start, die], r.outer_ends[start, die] = crossed, outer_ends & ~inner_ends


@jit
def _passage(r, way, die, space):
    """The lane that a move takes, in one number (`state.py`); NO_PASSAGE where there is no choice of lanes."""
    ends, outer = r.ends[way, die, space], r.outer_ends[space, die]
    inner = ends & ~outer
    if way == BACK or ends & (ends - 1) == 0:
        return NO_PASSAGE
    if outer > inner & -inner:  # a move that also comes home, on a small board: its lane is not counted
        return NO_PASSAGE
    return lowest(inner) | 2 * max(r.fork_crossed[space, die], np.int64(0)) << PASSAGE_LANE
