"""Look-ups of the board, built once from the spaces: where a move can end, which spaces lie behind, the way home.

A set of spaces is the bits of an int64, so the options of a move are one look-up.
"""

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.codes import FOOD, GOLD, LAIR, MAX_FACE, MAX_SPACES, PORT, SEA, SPACE_KINDS
from jamaica_sim.components.course import Board
from jamaica_sim.engine.machine.record import Numbers

Steps = list[list[int]]  # for each space, the spaces one step away


def _set(spaces: Iterable[int]) -> int:
    return _union(1 << space for space in spaces)


def _union(sets: Iterable[int]) -> int:
    return reduce(or_, sets, 0)


def kinds(spaces: Board) -> Numbers:
    """The kind of each space, as a number."""
    return np.array([SPACE_KINDS.index(space.kind) for space in spaces], np.int64)


def next_spaces(spaces: Board) -> Steps:
    """For each space, the spaces one step forward."""
    return [list(space.next) for space in spaces]


def previous_spaces(spaces: Board) -> Steps:
    """For each space, the spaces one step back."""
    return [[p for p, space in enumerate(spaces) if i in space.next] for i in range(len(spaces))]


def destinations(steps: Steps, stop_at_port_royal: bool = False) -> Numbers:
    """`found[space, die]`: the set of spaces where a move of exactly `die` steps can end (M1).

    With `stop_at_port_royal` a move that comes to Port Royal ends there (M4).
    """
    found = [[1 << space for space in range(len(steps))]]
    for _ in range(MAX_FACE):
        after = found[-1].copy()
        if stop_at_port_royal:
            after[0] = 1 << 0
        found.append([_union(after[n] for n in step) for step in steps])
    return np.array(found, np.int64).T


def lengths_to_finish(spaces: Board) -> Numbers:
    """Fewest steps from each space to Port Royal (E3); for Port Royal itself the whole circuit."""
    steps = next_spaces(spaces)
    steps_home = np.zeros(len(spaces), np.int64)
    for space in reversed(range(len(spaces))):
        steps_home[space] = 1 + min(0 if n == 0 else steps_home[n] for n in steps[space])
    return steps_home


def nearest_behind(spaces: Board) -> Numbers:
    """`found[kind, space]`: the set of the nearest spaces of that kind behind, one for each route (H3).

    A route that comes to Port Royal first ends there (H4).
    """
    previous = previous_spaces(spaces)
    kind_of = kinds(spaces)
    found = np.zeros((len(SPACE_KINDS), len(spaces)), np.int64)
    for kind in (SEA, PORT, LAIR):
        wanted = {0, *np.flatnonzero(kind_of == kind).tolist()}
        found[kind] = _first_behind(previous, wanted)
    return found


def payable(spaces: Board, kind: np.int64, largest_stock: int) -> Numbers:
    """`found[stock]`: the set of spaces of that kind whose cost a ship with this stock can pay."""
    of_cost = np.zeros(largest_stock + 1, np.int64)
    for i, space in enumerate(spaces):
        if SPACE_KINDS[kind] == space.kind:
            of_cost[space.cost] |= 1 << i
    return np.bitwise_or.accumulate(of_cost)


def first_payable_behind(spaces: Board, most_cost: int) -> Numbers:
    """`found[gold, food, space]`: the set of the first spaces behind, one for each route, that can be paid (H2)."""
    previous = previous_spaces(spaces)
    found = np.zeros((most_cost + 1, most_cost + 1, len(spaces)), np.int64)
    for gold in range(most_cost + 1):
        for food in range(most_cost + 1):
            stock = {"port": gold, "sea": food}
            payable = {i for i, space in enumerate(spaces) if space.cost <= stock.get(space.kind, 0)}
            found[gold, food] = _first_behind(previous, payable)
    return found


def _first_behind(previous: Steps, wanted: Collection[int]) -> list[int]:
    """For each space the set of the first `wanted` spaces behind it, one for each route. Port Royal must be wanted."""
    found = [0] * len(previous)
    for space in (*range(1, len(previous)), 0):  # what lies behind a space comes before it in racing order
        found[space] = _union(1 << p if p in wanted else found[p] for p in previous[space])
    return found


# An arrival in one number of 32 bits, small because there are many. The doubloons and food paid have four bits each,
# in the same positions as in a cargo (`heuristic/cargo.py`). Between them is the space where the ship ends up, above
# them the number of its fall, 0 if it does not run short. The number is negative where it does not tell everything: for
# a retreat behind the start line, and for one whose best end depends on the treasures there.
GOODS_BITS = 16
PAID, END_AT, END, FALL_AT, FALL = np.int64(0xF000F), np.int64(4), np.int64(0x3F), np.int64(20), np.int64(0x7F)
NOT_TOLD = np.int64(-1 << 31)
FALLS = 128  # numbers of falls. Where a ship retreats, the number is NO_STEPS + steps; where the die decides, 1 + space
NO_STEPS = 64
assert MAX_SPACES <= NO_STEPS  # so that every fall has a number


def falls(expected_fall: npt.NDArray[np.float64], by_die: bool) -> npt.NDArray[np.float64]:
    """The steps that a ship loses, by the number of its fall; with `by_die` on average."""
    steps = np.zeros(FALLS)
    if by_die:
        steps[1 : 1 + len(expected_fall)] = expected_fall
    else:
        steps[1:] = np.arange(1, FALLS) - NO_STEPS
    return steps


def arrivals(
    cost: Numbers, currency: Numbers, to_finish: Numbers, lairs: Any, first_payable: Numbers, by_die: bool
) -> Numbers:
    """What a strategy foresees of the end of a move, over `[gold, food, space]`.

    With `by_die`, a ship that runs short stays on its space, since the die decides (H3). Otherwise it retreats by the
    best route (H2).
    """
    stocks = np.arange(first_payable.shape[0])
    gold, food, space = stocks[:, None, None], stocks[:, None], np.arange(len(cost))
    stock = np.where(currency == GOLD, gold, food)
    short = stock < cost
    paid = np.where(short, stock, cost) << GOODS_BITS * currency
    if by_die:
        return paid | space << END_AT | np.where(short, 1 + space, 0) << FALL_AT
    retreats = first_payable[np.where(currency == GOLD, 0, gold), np.where(currency == FOOD, 0, food), space]
    back = np.where(short, _nearest_home(retreats, to_finish), space)
    paid += np.where(short, cost[back] << GOODS_BITS * currency[back], 0)
    is_open = (back > space) | ((retreats & lairs) >> back > 1)  # a treasure in a lair further along may be preferred
    fall = np.where(short, NO_STEPS + to_finish[back] - to_finish[space], 0)
    return paid | back << END_AT | fall << FALL_AT | np.where(short & is_open, NOT_TOLD, 0)


def _nearest_home(sets: Numbers, to_finish: Numbers) -> Numbers:
    """For each set of spaces, the one with the shortest way home; the first of equals."""
    steps = np.where(sets[..., None] >> np.arange(len(to_finish)) & 1 == 1, to_finish, len(to_finish) + 1)
    return steps.argmin(axis=-1)


def forks(spaces: Board) -> list[int]:
    """The spaces after which the course divides, in racing order."""
    return [i for i, space in enumerate(spaces) if len(space.next) > 1]


def _lanes(spaces: Board, fork: int) -> list[list[int]]:
    """The lanes of a fork as lists of spaces, longest first."""
    steps = next_spaces(spaces)
    merge = min(i for i, previous in enumerate(previous_spaces(spaces)) if len(previous) > 1 and i > fork)
    lanes = []
    for space in steps[fork]:
        lane = []
        while space != merge:
            lane.append(space)
            space = steps[space][0]
        lanes.append(lane)
    return sorted(lanes, key=len, reverse=True)


def lane_spaces(spaces: Board) -> list[list[list[int]]]:
    """For each fork its outer (long) and its inner (short) lane, as lists of spaces."""
    return [_lanes(spaces, fork) for fork in forks(spaces)]


def lanes_taken(spaces: Board) -> tuple[Numbers, Numbers]:
    """Which lane a forward move takes: `(fork crossed first or -1, set of ends reached by its outer lane)`.

    Both are arrays over `[space, die]`. An end that both lanes reach counts as inner.
    """
    steps = next_spaces(spaces)
    all_forks = forks(spaces)
    outer_lanes = [set(outer) for outer, _ in lane_spaces(spaces)]
    crossed = np.full((len(spaces), MAX_FACE + 1), -1, np.int64)
    outer_ends = np.zeros((len(spaces), MAX_FACE + 1), np.int64)
    for start in range(len(spaces)):
        routes = [(start, -1, False)]
        for die in range(1, MAX_FACE + 1):
            routes = [
                (n, *_lane_after(fork, outer, at, n, all_forks, outer_lanes))
                for at, fork, outer in routes
                for n in steps[at]
            ]
            crossed[start, die] = max(fork for _, fork, _ in routes)
            inner_ends = {at for at, _, outer in routes if not outer}
            outer_ends[start, die] = _set(at for at, _, outer in routes if outer and at not in inner_ends)
    return crossed, outer_ends


# A passage in one number. The lower bits are the first end that the outer lane does not reach, the upper bits are the
# number of the outer lane. The inner lane has the next number. NO_PASSAGE stands for a move without a choice of lanes.
PASSAGE_END, PASSAGE_LANE = 0xFF, 8
NO_PASSAGE = PASSAGE_END | 7 << PASSAGE_LANE


def passages(ends: Numbers, fork_crossed: Numbers, outer_ends: Numbers) -> Numbers:
    """The passage of each forward move in an array of ends; NO_PASSAGE where there is no choice of lanes."""
    found = np.full(ends.shape, NO_PASSAGE)
    for move in zip(*np.nonzero(ends & (ends - 1)), strict=True):
        outer, inner = int(outer_ends[move]), int(ends[move] & ~outer_ends[move])
        first_inner = (inner & -inner).bit_length() - 1
        if outer > inner & -inner:  # a move that also comes home, on a small board: its lane is not counted
            continue
        found[move] = first_inner | 2 * max(int(fork_crossed[move]), 0) << PASSAGE_LANE
    return found


def _lane_after(
    fork: int, outer: bool, at: int, entered: int, all_forks: list[int], outer_lanes: list[set[int]]
) -> tuple[int, bool]:
    """The first fork crossed, and whether by its outer lane, after a step from `at` to `entered`."""
    if fork < 0 and at in all_forks:
        fork = all_forks.index(at)
        return fork, entered in outer_lanes[fork]
    return fork, outer
