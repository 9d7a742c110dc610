"""Looking one turn ahead: what a card's two actions would do to the own ship, and what that is worth.

Loads, moves with every lane, battles, payments, shortages and treasures are followed in numbers only. What other
ships will do meanwhile is estimated by the outlook in `worth.py`.
"""

import numpy as np

from jamaica_sim.codes import BACKWARD, FOOD, FORWARD, GOLD, GUNPOWDER
from jamaica_sim.engine.machine.bits import has, lowest, only, single
from jamaica_sim.engine.machine.branch_hints import out_of_line, pick, unlikely
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import lap_after, way_of
from jamaica_sim.engine.scoring import treasure_points
from jamaica_sim.strategy.api import luck
from jamaica_sim.strategy.heuristic.cargo import after_load, amount, cargo_of, put
from jamaica_sim.strategy.heuristic.situation import NEVER, best_rival, printed_score
from jamaica_sim.strategy.heuristic.worth import best_battle, situation_worth


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
    out_of_line()
    points = printed_score(rules, 0, 1) + amount(cargo, GOLD) + treasure_points(rules, view.treasures)
    lead = points - best_rival(view, rules, around)
    if lead >= 0:
        return weights.finish + weights.finish_lead * lead
    return weights.finish + weights.patience * lead


@jit
def after_shortage(view, rules, weights, around, space, lap, cargo):
    """Follow a shortage, the stock of what is due being gone: space, lap and cargo after it, and what it gains."""
    out_of_line()
    gained = -weights.shortage
    if rules.shortage_by_die != 0:  # H3: on average
        if lap == 0:
            gained -= weights.fall * weights.progress * rules.expected_fall[space]
        return space, lap, cargo, gained
    back = best_retreat(view, rules, cargo, space)
    fall = rules.to_finish[back] - rules.to_finish[space] + pick(back > space, rules.circuit, np.int64(0))
    gained += pick(has(view.tokens, back), around.treasure, 0.0)
    gained -= (weights.fall - 1.0) * weights.progress * fall
    return back, lap_after(lap, space, back, BACKWARD), cargo - put(rules.cost[back], rules.currency[back]), gained


@jit
def event(view, rules, weights, around, space, powder):
    """What a treasure and a battle gain on a space where there is one of them."""
    out_of_line()
    if has(around.happened, space) and around.event_powder[space] == powder:
        return around.event_worth[space]
    gained = pick(has(view.tokens, space), around.treasure, 0.0)
    if space != 0 and has(around.others, space):
        gained += best_battle(view, rules, weights, around, space, powder)
    around.happened |= only(space)
    around.event_powder[space], around.event_worth[space] = powder, gained
    return gained


@inline
def arrival(view, rules, weights, around, space, lap, cargo):
    """Follow the end of a move: home, battle, treasure, cost or shortage. The situation after it, and what it gains."""
    if unlikely(lap == 1):
        return space, lap, cargo, homecoming(view, rules, weights, around, cargo)
    gained = 0.0
    if has(around.eventful, space):
        gained = event(view, rules, weights, around, space, amount(cargo, GUNPOWDER))
    cost, resource = rules.cost[space], rules.currency[space]
    there = amount(cargo, resource)
    if there >= cost:
        return space, lap, cargo - put(cost, resource), gained
    space, lap, cargo, lost = after_shortage(view, rules, weights, around, space, lap, cargo - put(there, resource))
    return space, lap, cargo, gained + lost


@jit
def best_end(view, rules, weights, around, options, symbol, start, start_lap, cargo, noise):
    """Of several ends of a move, the one with the best outcome: the situation there, and what that is worth."""
    out_of_line()
    best, best_value = lowest(options), -NEVER
    best_space, best_lap, best_cargo, best_gained, best_worth = best, start_lap, cargo, 0.0, 0.0
    while options != 0:
        end = lowest(options)
        options &= options - 1
        lap = lap_after(start_lap, start, end, symbol)
        space, lap, kept, gained = arrival(view, rules, weights, around, end, lap, cargo)
        worth = situation_worth(view, rules, weights, around, space, lap, kept)
        value = gained + worth
        if noise != 0.0:
            value += noise * luck(view)
        if value > best_value:
            best, best_value = end, value
            best_space, best_lap, best_cargo, best_gained, best_worth = space, lap, kept, gained, worth
    return best, best_space, best_lap, best_cargo, best_gained, best_worth


@inline
def hand_kept(rules, hand):
    """How many forward symbols and how many loads the cards of a hand show."""
    sails, stores = 0, 0
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        sails += rules.forward_symbols[card]
        stores += rules.load_symbols[card]
    return sails, stores


@inline
def kept_worth(rules, weights, around, sails, stores, card):
    """What the hand without this card is worth for the next rounds, less what keeping the card would have been."""
    return (
        weights.sails_worth[sails - rules.forward_symbols[card]]
        + weights.stores_worth[stores - rules.load_symbols[card]]
        - around.keeping * weights.card_kept[rules.card_symbol[card, 0], rules.card_symbol[card, 1]]
    )


@inline
def after_action(view, rules, weights, around, symbol, die, space, lap, cargo):
    """Follow one action: the situation after it, what it gains, and what that is worth if it was looked at: a flag."""
    if symbol < FORWARD:
        return space, lap, after_load(around, symbol, die, cargo), 0.0, 0.0, False
    options = rules.ends[way_of(lap, symbol), die, space]
    end = lowest(options)
    if not single(options):
        _, space, lap, cargo, gained, worth = best_end(
            view, rules, weights, around, options, symbol, space, lap, cargo, 0.0
        )
        return space, lap, cargo, gained, worth, True
    end_lap = lap_after(lap, space, end, symbol)
    space, lap, cargo, gained = arrival(view, rules, weights, around, end, end_lap, cargo)
    return space, lap, cargo, gained, 0.0, False


@inline
def play_card(view, rules, weights, around, card, morning, evening, space, lap, cargo, before):
    """Follow both actions of a card: what that is worth, space, lap and cargo after it, and what was gained so far."""
    space, lap, cargo, gained, worth, known = after_action(
        view, rules, weights, around, rules.card_symbol[card, 0], morning, space, lap, cargo
    )
    gained = before + gained
    if lap != 1:
        space, lap, cargo, more, worth, known = after_action(
            view, rules, weights, around, rules.card_symbol[card, 1], evening, space, lap, cargo
        )
        gained += more
    if not known:
        worth = situation_worth(view, rules, weights, around, space, lap, cargo)
    return gained + worth, space, lap, cargo, gained


@inline
def card_worth(view, rules, weights, around, card, morning, evening):
    """What playing a card with these dice is worth; with foresight, what the next round is likely to bring as well."""
    me = view.me
    now, space, lap, cargo, gained = play_card(
        view, rules, weights, around, card, morning, evening, view.space[me], view.lap[me], cargo_of(view, me), 0.0
    )
    hand = view.hand & ~only(card)
    if weights.foresight == 0.0 or lap == 1 or hand == 0:
        return now
    later = next_round(view, rules, weights, around, hand, space, lap, cargo, gained)
    return (1.0 - weights.foresight) * now + weights.foresight * later


@jit
def next_round(view, rules, weights, around, cards, space, lap, cargo, gained):
    """The worth of the best card of the remaining hand, on average over throws that show every face twice.

    Card by card, because then all throws of a card take the same way through the code.
    """
    out_of_line()
    faces = rules.die_faces
    for throw in range(faces):
        around.best[throw] = -NEVER
    while cards != 0:
        card = lowest(cards)
        cards &= cards - 1
        for throw in range(faces):
            morning, evening = rules.die_face[throw], rules.die_face_later[throw]
            value = play_card(view, rules, weights, around, card, morning, evening, space, lap, cargo, gained)[0]
            around.best[throw] = max(around.best[throw], value)
    total = 0.0
    for throw in range(faces):
        total += around.best[throw]
    return total / faces
