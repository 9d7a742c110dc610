"""Looking one turn ahead: what a card's two actions would do to the own ship, and what that is worth.

Loads, moves with every lane, battles, payments, shortages and treasures are followed in numbers only. What other
ships will do meanwhile is estimated by the outlook in `worth.py`.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import has, is_in, lowest, only, pick, single
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import lap_after, way_of
from jamaica_sim.engine.points import treasure_points
from jamaica_sim.engine.state import END, END_AT, FALL, FALL_AT, NONE, PAID
from jamaica_sim.game.codes import BACKWARD, FOOD, FORWARD, GOLD, GUNPOWDER, MORNING
from jamaica_sim.strategy.api import luck
from jamaica_sim.strategy.heuristic.cargo import after_load, amount, load_of, loaded, put, row_of
from jamaica_sim.strategy.heuristic.situation import NEVER, best_rival, printed_score
from jamaica_sim.strategy.heuristic.worth import best_battle, circuit_worth, off_circuit_worth, situation_worth

ON_CIRCUIT = np.int64(0)  # the lap


@inline
def best_retreat(view, rules, cargo, space):
    """Where a shortage leads, by the best route (H2)."""
    gold, food = min(amount(cargo, GOLD), rules.most_cost), min(amount(cargo, FOOD), rules.most_cost)
    found = rules.first_payable[gold, food, space]
    best = lowest(found)
    found &= found - 1
    while found != 0:
        end = lowest(found)
        found &= found - 1
        if rules.to_finish[end] < rules.to_finish[best] or has(view.tokens, end):
            best = end
    return best


@jit
def homecoming(view, rules, weights, around, cargo):
    """Value of finishing now, given the lead over the best opponent."""
    points = printed_score(rules, 0, 1) + amount(cargo, GOLD) + treasure_points(rules, view.treasures)
    lead = points - best_rival(view, rules, around)
    if lead >= 0:
        return weights.finish + weights.finish_lead * lead
    return weights.finish + weights.patience * lead


@jit
def after_shortage(view, rules, weights, around, space, lap, cargo):
    """Follow a shortage, after the payment; returns space, lap and cargo after it, and what it gains."""
    gained = -weights.shortage
    if rules.shortage_by_die != 0:  # H3: on average
        if lap == 0:
            gained -= weights.fall * weights.progress * rules.expected_fall[space]
        return space, lap, cargo, gained
    back = best_retreat(view, rules, cargo, space)
    fall = rules.to_finish[back] - rules.to_finish[space] + pick(back > space, rules.circuit, np.int64(0))
    gained += around.treasure[is_in(view.tokens, back)]
    gained -= (weights.fall - 1.0) * weights.progress * fall
    return back, lap_after(lap, space, back, BACKWARD), cargo - put(rules.cost[back], rules.currency[back]), gained


@jit
def battle_gain(view, rules, weights, around, space, powder):
    """What the best battle on a space is worth with this much gunpowder."""
    if around.battle_powder[space] != powder:
        around.battle_powder[space] = powder
        around.battle_worth[space] = best_battle(view, rules, weights, around, space, powder)
    return around.battle_worth[space]


@jit
def unusual_arrival(view, rules, weights, around, space, lap, cargo):
    """Follow an arrival that `rules.arrivals` does not tell: home, behind the start line, a choice of retreats."""
    if lap == 1:
        return space, lap, cargo, homecoming(view, rules, weights, around, cargo)
    gained = around.treasure[is_in(view.tokens, space)]
    if has(around.foes, space):
        gained += battle_gain(view, rules, weights, around, space, amount(cargo, GUNPOWDER))
    cost, resource = rules.cost[space], rules.currency[space]
    there = amount(cargo, resource)
    if there >= cost:
        return space, lap, cargo - put(cost, resource), gained
    space, lap, cargo, lost = after_shortage(view, rules, weights, around, space, lap, cargo - put(there, resource))
    return space, lap, cargo, gained + lost


@jit
def unusual_end(view, rules, weights, around, space, lap, cargo):
    """The same, but returns what it gains and what the situation after it is worth."""
    space, lap, cargo, gained = unusual_arrival(view, rules, weights, around, space, lap, cargo)
    return gained, situation_worth(view, rules, weights, around, space, lap, cargo)


@inline
def gain_of(view, rules, weights, around, outcome, end):
    """What an arrival gains: a treasure, less what a shortage costs.

    Whether a ship runs short or finds a treasure is luck, so there is no branch.
    """
    number = outcome >> FALL_AT & FALL
    gained = around.treasure[is_in(view.tokens, end)] - weights.shortage_cost[number]
    return gained - around.per_step_back * rules.fall_steps[number]


@inline
def arrival(view, rules, weights, around, space, lap, cargo):
    """Follow an arrival: home, battle, treasure, cost or shortage. Returns the situation after it and what it gains."""
    row = row_of(rules, cargo)
    outcome = np.int64(rules.arrivals[row + space])
    if (lap != 0) | (outcome < 0):
        return unusual_arrival(view, rules, weights, around, space, lap, cargo)
    end = outcome >> END_AT & END
    gained = gain_of(view, rules, weights, around, outcome, end)
    if has(around.foes, space):
        gained += battle_gain(view, rules, weights, around, space, amount(cargo, GUNPOWDER))
    return end, lap, cargo - (outcome & PAID), gained


@inline
def weighed_end(view, rules, weights, around, row, space, lap, cargo):
    """Weigh the same arrival: returns what it gains, and what the situation after it is worth."""
    outcome = np.int64(rules.arrivals[row + space])
    if (lap != 0) | (outcome < 0):
        return unusual_end(view, rules, weights, around, space, lap, cargo)
    end, kept = outcome >> END_AT & END, cargo - (outcome & PAID)
    gained = gain_of(view, rules, weights, around, outcome, end)
    if has(around.foes, space):
        gained += battle_gain(view, rules, weights, around, space, amount(cargo, GUNPOWDER))
    return gained, circuit_worth(view, rules, weights, around, end, kept)


@jit
def best_end(view, rules, weights, around, options, symbol, start, start_lap, cargo, noise):
    """Of several ends of a move, the one with the best outcome."""
    row = row_of(rules, cargo)
    best, best_value = lowest(options), -NEVER
    while options != 0:
        end = lowest(options)
        options &= options - 1
        lap = lap_after(start_lap, start, end, symbol)
        gained, worth = weighed_end(view, rules, weights, around, row, end, lap, cargo)
        value = gained + worth
        if noise != 0.0:
            value += noise * luck(view)
        best = pick(value > best_value, end, best)
        best_value = max(value, best_value)
    return best


@inline
def kept_worth(rules, weights, around, hand, card):
    """What the hand without this card is worth for the next rounds, less what keeping the card is worth."""
    worth = weights.hand_worth[rules.hand_symbols[hand & ~only(card)]]
    if weights.has_keepsakes == 0:
        return worth
    return worth - around.keeping * weights.card_kept[rules.card_symbol[card, 0], rules.card_symbol[card, 1]]


@inline
def after_action(view, rules, weights, around, symbol, die, space, lap, cargo):
    """Follow one action: the situation after it, and what it gains."""
    if symbol < FORWARD:
        return space, lap, after_load(around, symbol, die, cargo), 0.0
    options = rules.ends[way_of(lap, symbol), die, space]
    end = lowest(options)
    if not single(options):
        end = best_end(view, rules, weights, around, options, symbol, space, lap, cargo, 0.0)
    return arrival(view, rules, weights, around, end, lap_after(lap, space, end, symbol), cargo)


@inline
def move_in_place(view, rules, weights, around, symbol, die, start, start_lap, cargo):
    """Follow a move, by its best end. All of it is in place: more code than a call, and faster by the dozen."""
    options = rules.ends[way_of(start_lap, symbol), die, start]
    end = lowest(options)
    lap = lap_after(start_lap, start, end, symbol)
    best_space, best_lap, best_cargo, best_gain = arrival(view, rules, weights, around, end, lap, cargo)
    options &= options - 1
    if options == 0:
        return best_space, best_lap, best_cargo, best_gain
    best_value = best_gain + situation_worth(view, rules, weights, around, best_space, best_lap, best_cargo)
    while options != 0:
        end = lowest(options)
        options &= options - 1
        end_lap = lap_after(start_lap, start, end, symbol)
        space, lap, kept, gained = arrival(view, rules, weights, around, end, end_lap, cargo)
        value = gained + situation_worth(view, rules, weights, around, space, lap, kept)
        is_better = value > best_value
        best_space, best_lap = pick(is_better, space, best_space), pick(is_better, lap, best_lap)
        best_cargo, best_gain = pick(is_better, kept, best_cargo), pick(is_better, gained, best_gain)
        best_value = max(value, best_value)
    return best_space, best_lap, best_cargo, best_gain


@inline
def last_action(view, rules, weights, around, symbol, die, space, lap, cargo, gained):
    """The sum of what was gained so far, what the second action gains, and the worth of the situation after it."""
    if symbol < FORWARD:
        kept = after_load(around, symbol, die, cargo)
        return gained + situation_worth(view, rules, weights, around, space, lap, kept)
    return last_move(view, rules, weights, around, symbol, die, space, lap, cargo, gained)


@inline
def last_move(view, rules, weights, around, symbol, die, space, lap, cargo, gained):
    """The same where the second action is a move."""
    options = rules.ends[way_of(lap, symbol), die, space]
    row, end = row_of(rules, cargo), lowest(options)
    more, worth = weighed_end(view, rules, weights, around, row, end, lap_after(lap, space, end, symbol), cargo)
    options &= options - 1
    while options != 0:
        end = lowest(options)
        options &= options - 1
        end_lap = lap_after(lap, space, end, symbol)
        other_more, other_worth = weighed_end(view, rules, weights, around, row, end, end_lap, cargo)
        if other_more + other_worth > more + worth:
            more, worth = other_more, other_worth
    return gained + more + worth


@inline
def card_worth(view, rules, weights, around, card, morning, evening, space, lap, cargo):
    """What playing a card with these dice is worth."""
    first, second = rules.card_symbol[card, 0], rules.card_symbol[card, 1]
    space, lap, cargo, gained = after_action(view, rules, weights, around, first, morning, space, lap, cargo)
    if lap == 1:
        return gained + off_circuit_worth(view, rules, weights, around, space, lap, cargo)
    return last_action(view, rules, weights, around, second, evening, space, lap, cargo, gained)


@inline
def foreseen_worth(view, rules, weights, around, card, morning, evening, space, lap, cargo):
    """What playing a card with these dice is worth, together with what the next round is likely to bring."""
    gained = 0.0
    for when in range(2):
        symbol, die = rules.card_symbol[card, when], pick(when == MORNING, morning, evening)
        if lap != 1:
            space, lap, cargo, more = after_action(view, rules, weights, around, symbol, die, space, lap, cargo)
            gained += more
    now = gained + situation_worth(view, rules, weights, around, space, lap, cargo)
    hand = view.hand & ~only(card)
    if lap == 1 or hand == 0:
        return now
    later = next_round(view, rules, weights, around, hand, space, lap, cargo, gained)
    return (1.0 - weights.foresight) * now + weights.foresight * later


@inline
def first_loads(rules, around, resource, space, lap, cargo, gained):
    """Follow a load, as the first action of a card, for every throw of the next round."""
    load = load_of(around, resource)
    for throw in range(rules.die_faces):
        around.then_space[throw], around.then_lap[throw], around.then_gained[throw] = space, lap, gained
        around.then_cargo[throw] = loaded(load, resource, rules.die_face[throw], cargo)


@inline
def first_moves(view, rules, weights, around, symbol, space, lap, cargo, gained):
    """Follow a move, as the first action of a card, for every throw of the next round."""
    for throw in range(rules.die_faces):
        die = rules.die_face[throw]
        end, end_lap, kept, more = move_in_place(view, rules, weights, around, symbol, die, space, lap, cargo)
        around.then_space[throw], around.then_lap[throw], around.then_cargo[throw] = end, end_lap, kept
        around.then_gained[throw] = gained + more


@jit
def off_circuit_action(view, rules, weights, around, symbol, throw):
    """The worth of a second action that begins behind the start line; at home there is none."""
    space, lap, cargo = around.then_space[throw], around.then_lap[throw], around.then_cargo[throw]
    die, gained = rules.die_face_later[throw], around.then_gained[throw]
    if lap == 1:
        return gained + off_circuit_worth(view, rules, weights, around, space, lap, cargo)
    return last_action(view, rules, weights, around, symbol, die, space, lap, cargo, gained)


@inline
def second_loads(view, rules, weights, around, resource):
    """Follow a load after every first action, and keep the best value of each throw."""
    load = load_of(around, resource)
    for throw in range(rules.die_faces):
        if around.then_lap[throw] != 0:
            value = off_circuit_action(view, rules, weights, around, resource, throw)
        else:
            cargo = loaded(load, resource, rules.die_face_later[throw], around.then_cargo[throw])
            worth = circuit_worth(view, rules, weights, around, around.then_space[throw], cargo)
            value = around.then_gained[throw] + worth
        around.best[throw] = max(around.best[throw], value)


@inline
def second_moves(view, rules, weights, around, symbol):
    """Follow a move after every first action, and keep the best value of each throw."""
    for throw in range(rules.die_faces):
        if around.then_lap[throw] != 0:
            value = off_circuit_action(view, rules, weights, around, symbol, throw)
        else:
            space, cargo, gained = around.then_space[throw], around.then_cargo[throw], around.then_gained[throw]
            die = rules.die_face_later[throw]
            value = last_move(view, rules, weights, around, symbol, die, space, ON_CIRCUIT, cargo, gained)
        around.best[throw] = max(around.best[throw], value)


@jit
def next_round(view, rules, weights, around, cards, space, lap, cargo, gained):
    """The worth of the best card of the remaining hand, on average over throws that show every face twice.

    It goes card by card, because then all throws of a card take the same way through the code.
    """
    faces = rules.die_faces
    for throw in range(faces):
        around.best[throw] = -NEVER
    followed = NONE  # the symbol whose first actions stand in `around`: another card may begin with it too
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        first, second = rules.card_symbol[card, 0], rules.card_symbol[card, 1]
        if followed != first:
            followed = first
            if first < FORWARD:
                first_loads(rules, around, first, space, lap, cargo, gained)
            else:
                first_moves(view, rules, weights, around, first, space, lap, cargo, gained)
        if second < FORWARD:
            second_loads(view, rules, weights, around, second)
        else:
            second_moves(view, rules, weights, around, second)
    total = 0.0
    for throw in range(faces):
        total += around.best[throw]
    return total / faces
