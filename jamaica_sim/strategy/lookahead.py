"""Looking one turn ahead: what a card's two actions would do to the own ship, and what that is worth.

Loads, moves with every lane, battles, payments, shortages and treasures are followed in numbers only; what other
ships will do meanwhile is left to the outlook in `worth.py`.
"""

from jamaica_sim.engine.bits import count, has, lowest, only, single
from jamaica_sim.engine.hints import out_of_line
from jamaica_sim.engine.jit import inline, jit
from jamaica_sim.strategy.worth import (
    best_battle,
    cargo_worth,
    diminishing,
    is_lair,
    place_worth,
    printed_score,
    resource_due,
    situation_worth,
)
from jamaica_sim.words import BACKWARD, EMPTY, FOOD, FORWARD, GOLD, GUNPOWDER, HOLDS

MOST = 60  # tokens that the tables of payable spaces reach to
NO_HOLD = 1000  # more than any hold has


@inline
def ends(rules, space, lap, symbol, die):
    """Where a move can end (M1, M3, M4)."""
    if symbol == BACKWARD:
        return rules.backward[space, die]
    if lap == 0:
        return rules.forward_finish[space, die]
    return rules.forward_pass[space, die]


@inline
def lap_at(lap, start, end, symbol):
    """The lap on which a move ends."""
    if symbol == FORWARD:
        return lap + 1 if end < start else lap
    return lap - 1 if end > start else lap


@jit
def retreat(view, rules, gold, food, space, lap):
    """Where a shortage leads, by the best route: the space, and the steps lost (H2); by the die only the steps (H3)."""
    out_of_line()
    if rules.shortage_by_die != 0:
        return space, rules.expected_fall[space] if lap == 0 else 0.0
    payable = rules.free_spaces | rules.payable_port[min(gold, MOST)] | rules.payable_sea[min(food, MOST)]
    found, behind = 0, only(space)
    while behind != 0:
        steps = rules.previous[lowest(behind)]
        behind &= behind - 1
        found |= steps & payable
        behind |= steps & ~payable
    best = lowest(found)
    while found != 0:
        end = lowest(found)
        found &= found - 1
        if rules.to_finish[end] < rules.to_finish[best] or has(view.tokens, end):
            best = end
    fall = rules.to_finish[best] - rules.to_finish[space]
    if best > space:
        fall += rules.circuit
    return best, float(fall)


@inline
def homecoming(weights, lead):
    """What it is worth to come home with so many points more than the best opponent: it ends the game."""
    if lead >= 0:
        return weights.finish + weights.finish_lead * lead
    return weights.finish + weights.patience * lead


@inline
def arrival(view, rules, weights, rival, others, own_cards, space, lap, gold, food, powder, free, gained):
    """Follow the end of a move: home, battle, treasure, cost or shortage. The situation after it."""
    if lap == 1:
        lead = printed_score(rules, space, lap) + gold + own_cards - rival
        return space, lap, gold, food, powder, free, gained + homecoming(weights, lead)
    if space != 0 and has(others, space):
        gained += best_battle(view, rules, weights, space, powder, rival)
    if is_lair(rules, space):
        if has(view.tokens, space):
            gained += weights.treasure
        return space, lap, gold, food, powder, free, gained
    cost = rules.cost[space]
    if cost == 0:
        return space, lap, gold, food, powder, free, gained
    in_gold = resource_due(rules, space) == GOLD
    stock = gold if in_gold else food
    if stock >= cost:
        if in_gold:
            gold -= cost
        else:
            food -= cost
        return space, lap, gold, food, powder, free, gained
    if in_gold:
        gold -= gold
    else:
        food -= food
    back, fall = retreat(view, rules, gold, food, space, lap)
    gained -= weights.shortage
    if rules.shortage_by_die != 0:
        gained -= weights.fall * weights.progress * fall
        return space, lap, gold, food, powder, free, gained
    if has(view.tokens, back):
        gained += weights.treasure
    gained -= (weights.fall - 1.0) * weights.progress * fall
    lap = lap_at(lap, space, back, BACKWARD)
    if rules.cost[back] > 0:
        if resource_due(rules, back) == GOLD:
            gold -= rules.cost[back]
        else:
            food -= rules.cost[back]
    return back, lap, gold, food, powder, free, gained


@jit
def best_end(view, rules, weights, hurry, others, rival, own_cards, options, symbol, start, start_lap, *cargo):
    """Of several ends of a move, the one with the best outcome; the situation there."""
    out_of_line()
    end = lowest(options)
    best = arrival(
        view, rules, weights, rival, others, own_cards, end, lap_at(start_lap, start, end, symbol), *cargo
    )
    best_value = worth_after(view, rules, weights, hurry, others, best)
    options &= options - 1
    while options != 0:
        end = lowest(options)
        options &= options - 1
        after = arrival(
            view, rules, weights, rival, others, own_cards, end, lap_at(start_lap, start, end, symbol), *cargo
        )
        value = worth_after(view, rules, weights, hurry, others, after)
        if value > best_value:
            best_value = value
            best = after
    return best


@inline
def worth_after(view, rules, weights, hurry, others, after):
    """The worth of a situation that `arrival` gave; at home only what it gained counts."""
    space, lap, gold, food, powder, free, gained = after
    if lap == 1:
        return (
            gained + place_worth(rules, weights, hurry, 0, lap) + cargo_worth(weights, gold, food, powder, free)
        )
    return gained + situation_worth(
        view, rules, weights, hurry, others, space, lap, gold, food, powder, free
    )


@inline
def after_load(least, resource, die, gold, food, powder, free):
    """The cargo after a load: into a free hold, or after emptying the hold that is missed least (L1 to L3).

    `least` is what `least_missed` found before the turn.
    """
    if free > 0:
        free -= 1
    else:
        kind, amount = cheapest_other(least, resource)
        if kind == EMPTY:
            return gold, food, powder, free
        if kind == GOLD:
            gold = max(gold - amount, 0)
        elif kind == FOOD:
            food = max(food - amount, 0)
        else:
            powder = max(powder - amount, 0)
    if resource == GOLD:
        gold += die
    elif resource == FOOD:
        food += die
    else:
        powder += die
    return gold, food, powder, free


@jit
def least_missed(view, weights):
    """For each resource the own hold with the fewest tokens: how many, and what losing them would cost.

    As (doubloons, food, gunpowder, loss, loss, loss); a loss is without end where no hold has the resource.
    With two holds free a turn needs none of it.
    """
    fewest_gold, fewest_food, fewest_powder = NO_HOLD, NO_HOLD, NO_HOLD
    if count(view.holds[view.me, EMPTY]) >= 2 and weights.foresight == 0.0:
        return fewest_gold, fewest_food, fewest_powder, 1e9, 1e9, 1e9
    for hold in range(HOLDS):
        amount = int(view.hold_count[view.me, hold])
        kind = view.hold_kind[view.me, hold]
        if kind == GOLD:
            fewest_gold = min(fewest_gold, amount)
        elif kind == FOOD:
            fewest_food = min(fewest_food, amount)
        elif kind == GUNPOWDER:
            fewest_powder = min(fewest_powder, amount)
    return (
        fewest_gold,
        fewest_food,
        fewest_powder,
        loss_of_hold(view, weights, GOLD, fewest_gold) if fewest_gold < NO_HOLD else 1e9,
        loss_of_hold(view, weights, FOOD, fewest_food) if fewest_food < NO_HOLD else 1e9,
        loss_of_hold(view, weights, GUNPOWDER, fewest_powder) if fewest_powder < NO_HOLD else 1e9,
    )


@inline
def cheapest_other(least, resource):
    """Kind and amount of the hold to empty for a resource: another one's; EMPTY where there is none."""
    fewest_gold, fewest_food, fewest_powder, gold_loss, food_loss, powder_loss = least
    kind, amount, loss = EMPTY, NO_HOLD, 1e9
    if resource != GOLD and gold_loss < loss:
        kind, amount, loss = GOLD, fewest_gold, gold_loss
    if resource != FOOD and food_loss < loss:
        kind, amount, loss = FOOD, fewest_food, food_loss
    if resource != GUNPOWDER and powder_loss < loss:
        kind, amount, loss = GUNPOWDER, fewest_powder, powder_loss
    return kind, amount


@inline
def loss_of_hold(view, weights, kind, amount):
    """What losing a hold's contents costs the own ship."""
    gold, food, powder = view.stock[view.me, GOLD], view.stock[view.me, FOOD], view.stock[view.me, GUNPOWDER]
    before = cargo_worth(weights, gold, food, powder, 1.0)
    if kind == GOLD:
        gold -= amount
    elif kind == FOOD:
        food -= amount
    else:
        powder -= amount
    return before - cargo_worth(weights, gold, food, powder, 1.0)


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
def kept_worth(rules, weights, sails, stores, card):
    """What the hand without this card is good for in the next round."""
    sails, stores = sails - rules.forward_symbols[card], stores - rules.load_symbols[card]
    return weights.sails_kept * diminishing(sails, 1.0) + weights.stores_kept * diminishing(stores, 1.0)


@inline
def own_situation(view):
    """Where the own ship stands, what it carries, how many holds are free; nothing gained yet."""
    me = view.me
    return (
        view.space[me],
        view.lap[me],
        view.stock[me, GOLD],
        view.stock[me, FOOD],
        view.stock[me, GUNPOWDER],
        count(view.holds[me, EMPTY]),
        0.0,
    )


@inline
def after_card(view, rules, weights, hurry, others, rival, own_cards, least, card, morning, evening, situation):
    """The situation after playing a card with these dice."""
    for when in range(2):
        symbol = rules.card_symbol[card, when]
        die = morning if when == 0 else evening
        space, lap, gold, food, powder, free, gained = situation
        if lap == 1:
            break
        if symbol < FORWARD:
            gold, food, powder, free = after_load(least, symbol, die, gold, food, powder, free)
            situation = (space, lap, gold, food, powder, free, gained)
            continue
        options = ends(rules, space, lap, symbol, die)
        cargo = gold, food, powder, free, gained
        if single(options):  # most moves leave no choice
            end = lowest(options)
            situation = arrival(
                view, rules, weights, rival, others, own_cards, end, lap_at(lap, space, end, symbol), *cargo
            )
        else:
            situation = best_end(
                view, rules, weights, hurry, others, rival, own_cards, options, symbol, space, lap, *cargo
            )
    return situation


@jit
def card_worth(view, rules, weights, hurry, others, rival, own_cards, least, card, morning, evening):
    """What playing a card with these dice is worth; with foresight, what the next round is likely to bring as well."""
    out_of_line()
    start = own_situation(view)
    after = after_card(
        view, rules, weights, hurry, others, rival, own_cards, least, card, morning, evening, start
    )
    now = worth_after(view, rules, weights, hurry, others, after)
    hand = view.hand & ~only(card)
    if weights.foresight == 0.0 or after[1] == 1 or hand == 0:
        return now
    later = next_round(view, rules, weights, hurry, others, rival, own_cards, least, hand, after)
    return (1.0 - weights.foresight) * now + weights.foresight * later


@jit
def next_round(view, rules, weights, hurry, others, rival, own_cards, least, hand, situation):
    """The worth of the best card of what is left of the hand, on average over throws that show every face twice."""
    out_of_line()
    total = 0.0
    faces = rules.die_faces
    for throw in range(faces):
        morning = rules.die_face[throw]
        evening = rules.die_face[(throw + faces // 2) % faces]
        best = -1e9
        cards = hand
        while cards != 0:
            card = lowest(cards)
            cards &= cards - 1
            after = after_card(
                view, rules, weights, hurry, others, rival, own_cards, least, card, morning, evening, situation
            )
            best = max(best, worth_after(view, rules, weights, hurry, others, after))
        total += best
    return total / faces
