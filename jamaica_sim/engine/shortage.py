"""Shortage (H1 to H4): where a ship that could not pay goes back to, in either edition."""

import numpy as np

from jamaica_sim.engine.decide import ask_seldom
from jamaica_sim.engine.events import note_retreat, note_shortage
from jamaica_sim.engine.house_rules import changed, foreseen, has_moment
from jamaica_sim.engine.luck import book_fall, mark_luck
from jamaica_sim.engine.machine.bits import ONE, ZERO, lowest, only, pick
from jamaica_sim.engine.machine.hold_word import stock_of
from jamaica_sim.engine.machine.jit import inline, jit, overloaded
from jamaica_sim.engine.machine.random import LUCK_OF_SHORTAGE, SHORTAGE_DIE, below, draw
from jamaica_sim.engine.moving import lap_after, put
from jamaica_sim.engine.paying import pay_all
from jamaica_sim.engine.state import NONE
from jamaica_sim.game.codes import BACKWARD, CHOOSE_RETREAT, FOOD, GOLD, OF_COST, OF_SHORTAGE, STAYS

SHORTAGE_ASKS = 1 << CHOOSE_RETREAT


@inline
def run_short(s, r, ship, space, resource, due):
    """Pay the whole stock (H1) and go back; returns the space and the set of the ships there, NONE if it stays."""
    gold, food = stock_of(s, ship, GOLD), stock_of(s, ship, FOOD)
    paid = pay_all(s, ship, resource)
    s.shortages[ship, resource] += 1
    s.short[space] += 1
    s.short_in_round += 1
    _count_standing(s, r, ship)
    kind = NONE
    is_forgiven = s.shortages[ship, GOLD] + s.shortages[ship, FOOD] == r.forgiven[ship]
    if is_forgiven or changed(s, r, OF_SHORTAGE, ONE, ship, space, due - paid, ZERO) == 0:
        note_shortage(s, ship=ship, resource=resource, due=due, paid=paid, symbol=kind)
        return NONE, ZERO
    if r.shortage_by_die != 0:
        kind = _roll(s, r, ship, space)
    note_shortage(s, ship=ship, resource=resource, due=due, paid=paid, symbol=kind)
    if r.shortage_by_die == 0:
        gold, food = pick(resource == GOLD, ZERO, gold), pick(resource == FOOD, ZERO, food)
        retreats = _first_payable_behind(r, gold, food, space)
        if has_moment(r, OF_COST):
            retreats = _first_payable_now(s, r, ship, space, gold, food)
    else:
        retreats = _nearest_behind(s, r, ship, space, kind)
    if retreats == 0:
        return NONE, ZERO
    end = ask_seldom(s, r, CHOOSE_RETREAT, ship, ship, retreats)
    return end, retreat_to(s, r, ship, space, retreats, end)


@inline
def retreat_to(s, r, ship, space, retreats, end):
    """Go back from a space to one of its retreats; returns the set of the ships already there."""
    s.retreated = 1
    lap = s.lap[ship]
    new_lap = lap_after(lap, space, end, BACKWARD)
    others = put(s, r, ship, space, end, new_lap)
    options = retreats, space, lap, True
    note_retreat(s, ship=ship, from_=(space, lap), to=(end, new_lap), options=options)
    return others


@inline
def run_short_on(s, r, ship, end):
    """Go on after a question in a shortage; returns the chosen space and the set of the ships there."""
    return end, retreat_to(s, r, ship, s.space[ship], s.legal, end)


@jit
def _count_standing(s, r, ship):
    """Count whether the ship began the round ahead of or behind the mean of the other ships."""
    total = ZERO
    for other in range(r.ships):
        total += s.to_go_before[other]
    behind = r.ships * np.int64(s.to_go_before[ship]) - total  # against the others: its own distance is in both
    s.shortages_ahead[ship] += behind < 0
    s.shortages_behind[ship] += behind > 0


@inline
def _roll(s, r, ship, space):
    """The kind of space that the die sends the ship back to."""
    index = ((s.round * 8 + ship) << 12) + s.shortage_rolls[ship]
    s.shortage_rolls[ship] += 1
    mark_luck(s, r, LUCK_OF_SHORTAGE)
    face = below(draw(s.key[SHORTAGE_DIE], index), r.combat_faces)
    book_fall(s, r, ship, space, face)
    return r.die_retreat[face]


@inline
def _nearest_behind(s, r, ship, space, kind):
    """H3: the nearest spaces behind of the kind that the die shows; the empty set where the ship stays."""
    if kind == STAYS or s.lap[ship] < 0:  # H4
        return ZERO
    return r.nearest_behind[kind, space]


@inline
def _first_payable_behind(r, gold, food, space):
    """H2: on each route back, the first space whose cost a ship with these goods can pay in full."""
    return r.first_payable[min(gold, r.most_cost), min(food, r.most_cost), space]


@overloaded
def _first_payable_now(s, r, ship, space, gold, food):
    """H2 where house rules change what spaces cost this ship: each route is followed back, space by space."""
    return _follow_routes_back if "house" in r.fields else (lambda s, r, ship, space, gold, food: ZERO)


def _follow_routes_back(s, r, ship, space, gold, food):
    found, seen, reached = ZERO, only(space), r.previous[space]
    while reached != 0:
        behind = lowest(reached)
        reached &= reached - 1
        seen |= only(behind)
        due = foreseen(s, r, OF_COST, r.cost[behind], ship, behind, ZERO, ZERO)
        if due <= pick(r.currency[behind] == GOLD, gold, food) or due <= 0:
            found |= only(behind)
        else:
            reached |= r.previous[behind] & ~seen
    return found & ~only(space)
