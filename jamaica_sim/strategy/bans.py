"""Restricted play: a strategy that avoids a part of the game wherever it has a choice (Jaffe and others 2012).

A filter runs before the strategy's own functions. It removes the banned answers from the legal ones, unless none would
remain, and then asks the strategy. Strategies without bans are called directly.

Spaces, retreats and gunpowder are filtered by what is on the table when they are chosen. A card is banned if its
symbols make the banned thing unavoidable with the dice and ships as they are. Other ships may still bring it about.
"""

from collections.abc import Iterable

import numpy as np

from jamaica_sim.engine.machine.bits import ONE, ZERO, has, lowest, only
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import ADDRESS, caller
from jamaica_sim.engine.moving import lap_after, way_of
from jamaica_sim.engine.state import RULES_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import (
    ATTACK_POWDER,
    BACKWARD,
    CHOOSE_CARD,
    CHOOSE_RETREAT,
    CHOOSE_SPACE,
    DECISIONS,
    DEFENCE_POWDER,
    EVENING,
    FOOD,
    FORWARD,
    GOLD,
    MORNING,
    PLACE_DICE,
)

BANS = ("attack", "lairs", "gunpowder", "backward", "shortage")
NO_ATTACK, NO_LAIRS, NO_GUNPOWDER, NO_BACKWARD, NO_SHORTAGE = (np.int64(i) for i in range(len(BANS)))

# The filter reads this record in place of weights: the bans, and the strategy behind the filter.
BANS_DTYPE = np.dtype([("bans", "i8"), ("functions", "i8", (len(DECISIONS),)), ("weights", "i8")], align=True)

_call = caller(VIEW_DTYPE, RULES_DTYPE, ADDRESS)


def bans_record(bans: Iterable[str], functions: np.ndarray, weights: int) -> np.ndarray:
    """The filter's record: the bans, the addresses of the strategy's functions, and the address of their weights."""
    record = np.zeros(1, BANS_DTYPE)
    record["bans"] = sum(1 << BANS.index(ban) for ban in bans)
    record["functions"], record["weights"] = functions, weights
    return record


def decide_restricted(view, rules, weights):
    """The strategy's answer when the banned answers are taken out of the question."""
    legal, hand = view.legal, view.hand
    if view.decision == PLACE_DICE:
        view.hand = _cards_left(view, rules, weights.bans & only(NO_BACKWARD), hand)  # dice are placed for a card
    else:
        view.legal = _answers_left(view, rules, weights.bans, legal)
        if view.decision == CHOOSE_CARD and view.plan != 0 and not has(view.legal, view.plan - 1):
            view.plan = 0
    answer = _call(weights.functions[view.decision], view, rules, weights.weights)
    if view.decision != PLACE_DICE and has(legal, answer) and not has(view.legal, answer):
        answer = lowest(view.legal)  # a strategy may ignore `view.legal`
    view.legal, view.hand = legal, hand
    return answer


@jit
def _answers_left(view, rules, bans, legal):
    """The legal answers without the banned ones, one ban after the other; a ban that would leave nothing is ignored."""
    decision = view.decision
    if decision == CHOOSE_CARD:
        return _cards_left(view, rules, bans, legal)
    if decision == ATTACK_POWDER or decision == DEFENCE_POWDER:
        return legal & ONE if has(bans, NO_GUNPOWDER) and legal & ONE != 0 else legal
    if decision == CHOOSE_SPACE or decision == CHOOSE_RETREAT:
        for ban in range(len(BANS)):
            if has(bans, ban):
                # A retreat ends where nothing is due or the ship can pay (H2, H3).
                left = _spaces_left(view, rules, ban, legal, decision == CHOOSE_SPACE)
                legal = left if left != 0 else legal
    return legal


@inline
def _spaces_left(view, rules, ban, spaces, costs):
    left, rest = ZERO, spaces
    while rest != 0:
        space = lowest(rest)
        rest &= rest - 1
        gold, food = view.stock[view.me, GOLD], view.stock[view.me, FOOD]
        if not _is_banned(view, rules, ban, space, gold, food, costs):
            left |= only(space)
    return left


@inline
def _is_banned(view, rules, ban, space, gold, food, costs):
    """Whether it is banned to end a move on this space with so much gold and food aboard."""
    if ban == NO_ATTACK:
        return space != 0 and view.occupants[space] & ~only(view.me) != 0
    if ban == NO_LAIRS:
        return has(view.tokens, space)
    if ban == NO_SHORTAGE and costs:
        there = gold if rules.currency[space] == GOLD else food
        return rules.cost[space] > there
    return False


@jit
def _cards_left(view, rules, bans, cards):
    for ban in range(len(BANS)):
        if has(bans, ban):
            left, rest = ZERO, cards
            while rest != 0:
                card = lowest(rest)
                rest &= rest - 1
                if _is_playable(view, rules, ban, card):
                    left |= only(card)
            cards = left if left != 0 else cards
    return cards


@inline
def _is_playable(view, rules, ban, card):
    """Whether a card can be played within the ban, with the dice and ships as they are."""
    morning, evening = rules.card_symbol[card, MORNING], rules.card_symbol[card, EVENING]
    if ban == NO_BACKWARD:
        return morning != BACKWARD and evening != BACKWARD
    space, lap = view.space[view.me], view.lap[view.me]
    gold, food = view.stock[view.me, GOLD], view.stock[view.me, FOOD]
    if morning < FORWARD:
        gold += view.placed[0] * (morning == GOLD)
        food += view.placed[0] * (morning == FOOD)
        return _can_move(view, rules, ban, space, lap, evening, view.placed[1], gold, food)
    ends = rules.ends[way_of(lap, morning), view.placed[0], space]
    while ends != 0:
        end = lowest(ends)
        ends &= ends - 1
        if _is_banned(view, rules, ban, end, gold, food, True):
            continue
        in_gold = rules.currency[end] == GOLD
        left_gold, left_food = gold - rules.cost[end] * in_gold, food - rules.cost[end] * (not in_gold)
        new_lap = lap_after(lap, space, end, morning)
        if new_lap == 1 or _can_move(
            view, rules, ban, end, new_lap, evening, view.placed[1], max(left_gold, ZERO), max(left_food, ZERO)
        ):
            return True
    return False


@inline
def _can_move(view, rules, ban, space, lap, symbol, die, gold, food):
    """Whether the evening's symbol can be played within the ban."""
    if symbol < FORWARD:
        return True
    ends = rules.ends[way_of(lap, symbol), die, space]
    while ends != 0:
        end = lowest(ends)
        ends &= ends - 1
        if not _is_banned(view, rules, ban, end, gold, food, True):
            return True
    return False
