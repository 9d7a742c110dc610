"""What strategies look up of the end of a move, and of the spaces one die ahead. The engine reads none of it."""

import numpy as np

from jamaica_sim.engine.machine.bits import count, lowest
from jamaica_sim.engine.machine.jit import jit
from jamaica_sim.engine.state import END_AT, FALL_AT, FALLS, GOODS_BITS, MOST_FORESEEN, NO_STEPS, NOT_TOLD
from jamaica_sim.engine.view import SPACES
from jamaica_sim.game.codes import FOOD, GOLD, MAX_COST

STOCKS = MAX_COST + 1


@jit
def derive_foresight(r):
    """Derive what strategies foresee, after board and chances."""
    _arrivals(r)
    _rows(r)
    _reach(r)


@jit
def _arrivals(r):
    most = r.most_cost  # goods beyond it make no difference
    for gold in range(STOCKS):
        for food in range(STOCKS):
            for space in range(r.spaces):
                found = _arrival(r, min(gold, most), min(food, most), space)
                r.arrivals[(gold * STOCKS + food) * SPACES + space] = found
    for fall in range(1, FALLS):
        if r.shortage_by_die == 0:
            r.fall_steps[fall] = fall - NO_STEPS
        elif fall <= r.spaces:
            r.fall_steps[fall] = r.expected_fall[fall - 1]


@jit
def _arrival(r, gold, food, space):
    """What a ship pays there and where it ends up, in one number (`state.py`)."""
    currency = r.currency[space]
    stock = gold if currency == GOLD else food
    if stock >= r.cost[space]:
        return r.cost[space] << GOODS_BITS * currency | space << END_AT
    paid = stock << GOODS_BITS * currency
    if r.shortage_by_die != 0:  # the die decides where it goes (H3)
        return paid | space << END_AT | (1 + space) << FALL_AT
    nothing = np.int64(0)
    retreats = r.first_payable[nothing if currency == GOLD else gold, nothing if currency == FOOD else food, space]
    back, least, left = nothing, r.spaces + 1, retreats
    while left != 0:  # H2: by the best route
        if r.to_finish[lowest(left)] < least:
            back = lowest(left)
            least = r.to_finish[back]
        left &= left - 1
    paid += r.cost[back] << GOODS_BITS * r.currency[back]
    found = paid | back << END_AT | (NO_STEPS + r.to_finish[back] - r.to_finish[space]) << FALL_AT
    # A treasure in a lair further along may be preferred.
    return found | NOT_TOLD if back > space or (retreats & r.lairs) >> back > 1 else found


@jit
def _rows(r):
    """Goods beyond what any space costs share a row. The fewer rows are in use, the more of them stay in the cache."""
    most_gold, most_food = np.int64(0), np.int64(0)
    for space in range(r.spaces):
        if r.currency[space] == GOLD:
            most_gold = max(most_gold, r.cost[space])
        else:
            most_food = max(most_food, r.cost[space])
    for stock in range(MOST_FORESEEN + 1):
        r.gold_row[stock] = min(stock, most_gold) * STOCKS * SPACES
        r.food_row[stock] = min(stock, most_food) * SPACES


@jit
def _reach(r):
    """How far one die reaches."""
    for face in range(r.die_faces):
        for space in range(SPACES):
            r.reached_from[space] |= r.backward[space, r.die_face[face]]
            r.ahead[space] |= r.forward_finish[space, r.die_face[face]]
    for space in range(SPACES):
        r.ahead_share[space] = 1 / max(count(r.ahead[space]), np.int64(1))
        if space > 0:  # B1: not in Port Royal
            r.attacked_from[space] = r.reached_from[space]
    for gold in range(STOCKS):
        for food in range(STOCKS):
            payable = r.free_spaces | r.payable_port[gold] | r.payable_sea[food]
            for space in range(SPACES):
                number = (SPACES + 1) * count(r.ahead[space]) + count(r.ahead[space] & ~payable)
                r.risk_number[(gold * STOCKS + food) * SPACES + space] = number
