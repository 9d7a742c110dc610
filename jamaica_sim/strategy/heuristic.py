"""The parametric heuristic: an answer to every decision point, weighed with a strategy's weights.

`decide` is one compiled function for all decisions, because the pieces they share would otherwise be compiled again
for each. It reads the view and the rules only.
"""

from jamaica_sim.engine.bits import count, has, lowest, only
from jamaica_sim.engine.hints import out_of_line
from jamaica_sim.engine.jit import inline, jit
from jamaica_sim.engine.state import NO_FACE, ODDS_REACH, STAR
from jamaica_sim.strategy.lookahead import (
    after_load,
    arrival,
    card_worth,
    hand_kept,
    kept_worth,
    lap_at,
    least_missed,
    loss_of_hold,
    worth_after,
)
from jamaica_sim.strategy.view import luck
from jamaica_sim.strategy.worth import (
    battle_worth,
    best_other,
    cargo_worth,
    hold_worth,
    is_lair,
    leader_factor,
    others_at,
    powder_bonus,
    power_worth,
    prize,
    standing,
    urgency,
)
from jamaica_sim.words import (
    ATTACK_POWDER,
    CHOOSE_CARD,
    CHOOSE_LOOT,
    CHOOSE_RETREAT,
    CHOOSE_SPACE,
    CHOOSE_TARGET,
    DEFENCE_POWDER,
    EMPTY,
    FOOD,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    GOLD,
    GUNPOWDER,
    HOLD_TO_EMPTY,
    HOLD_TO_PAY,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_NOTHING,
    LOOT_POWER,
    PLACE_DICE,
)

WORST = -1e9


def decide(view, rules, weights):
    """The heuristic's answer to whatever is being asked."""
    decision = view.decision
    if decision == CHOOSE_CARD:
        return _best_card(view, rules, weights, view.placed[0], view.placed[1])[0]
    if decision == HOLD_TO_PAY:
        return _smallest_hold(view)
    if decision == PLACE_DICE:
        return _place_dice(view, rules, weights)
    if decision == HOLD_TO_EMPTY:
        return _hold_to_empty(view, weights)
    if decision == CHOOSE_SPACE:
        return _choose_space(view, rules, weights)
    if decision == CHOOSE_RETREAT:
        return _choose_retreat(view, rules, weights)
    if decision in (ATTACK_POWDER, DEFENCE_POWDER):
        return _powder(view, rules, weights)
    if decision in (CHOOSE_LOOT, GHOST_LOOT):
        return _best_loot(view, rules, weights)
    if decision in (CHOOSE_TARGET, GHOST_TARGET):
        return _best_target(view, rules, weights)
    if decision == GHOST_DIRECTION:
        return _ghost_direction(view, rules, weights)
    if decision == GHOST_SPACE:
        return _ghost_space(view, rules, weights, view.legal)[0]
    return _use_sabre(view, rules)


@inline
def _noise(view, weights):
    """Random error in the value of an option, for strategies that want it."""
    if weights.noise == 0.0:
        return 0.0
    return weights.noise * luck(view)


@jit
def _best_card(view, rules, weights, morning, evening):
    """The best card of the hand with these dice, and its worth."""
    return _best_card_in(view, rules, weights, _circumstances(view, rules, weights), morning, evening)


@inline
def _circumstances(view, rules, weights):
    """What does not depend on the card: urgency, others' spaces, the rival's points, the own cards, holds to empty."""
    return (
        urgency(view, rules, weights),
        others_at(view, rules),
        best_other(view, rules),
        _own_cards(view, rules),
        least_missed(view, weights),
    )


@jit
def _best_card_in(view, rules, weights, circumstances, morning, evening):
    out_of_line()
    hurry, others, rival, own_cards, least = circumstances
    hand = view.hand
    sails, stores = hand_kept(rules, hand)
    best, best_worth = lowest(hand), WORST
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        worth = card_worth(view, rules, weights, hurry, others, rival, own_cards, least, card, morning, evening)
        worth += kept_worth(rules, weights, sails, stores, card) + _noise(view, weights)
        if worth > best_worth:
            best, best_worth = card, worth
    return best, best_worth


@jit
def _own_cards(view, rules):
    """Points of the own face-down treasures."""
    points = 0
    cards = view.treasures
    while cards != 0:
        points += rules.treasure_value[lowest(cards)]
        cards &= cards - 1
    return points


@jit
def _place_dice(view, rules, weights):
    circumstances = _circumstances(view, rules, weights)
    as_rolled = _best_card_in(view, rules, weights, circumstances, view.dice[0], view.dice[1])[1]
    swapped = _best_card_in(view, rules, weights, circumstances, view.dice[1], view.dice[0])[1]
    return 1 if swapped > as_rolled else 0


@jit
def _choose_space(view, rules, weights):
    me = view.me
    start, lap = view.space[me], view.lap[me]
    symbol = rules.card_symbol[view.card, view.when]
    hurry = urgency(view, rules, weights)
    others = others_at(view, rules)
    rival = best_other(view, rules)
    own_cards = _own_cards(view, rules)
    options = view.legal
    best, best_worth = lowest(options), WORST
    while options != 0:
        end = lowest(options)
        options &= options - 1
        after = arrival(
            view,
            rules,
            weights,
            rival,
            others,
            own_cards,
            end,
            lap_at(lap, start, end, symbol),
            view.stock[me, GOLD],
            view.stock[me, FOOD],
            view.stock[me, GUNPOWDER],
            count(view.holds[me, EMPTY]),
            0.0,
        )
        worth = worth_after(view, rules, weights, hurry, others, after) + _noise(view, weights)
        if worth > best_worth:
            best, best_worth = end, worth
    return best


@jit
def _choose_retreat(view, rules, weights):
    """As little back as possible, unless a treasure lies there."""
    options = view.legal
    best, best_worth = lowest(options), WORST
    while options != 0:
        end = lowest(options)
        options &= options - 1
        worth = -weights.progress * rules.to_finish[end]
        if has(view.tokens, end):
            worth += weights.treasure
        if worth > best_worth:
            best, best_worth = end, worth
    return best


@jit
def _hold_to_empty(view, weights):
    """The hold whose contents are missed least."""
    options = view.legal
    best, least = lowest(options), 1e9
    while options != 0:
        hold = lowest(options)
        options &= options - 1
        loss = loss_of_hold(
            view, weights, int(view.hold_kind[view.ship, hold]), int(view.hold_count[view.ship, hold])
        )
        if loss < least:
            best, least = hold, loss
    return best


@jit
def _smallest_hold(view):
    """Pay from the smallest hold, so that holds become free."""
    options = view.legal
    best = lowest(options)
    while options != 0:
        hold = lowest(options)
        options &= options - 1
        if view.hold_count[view.ship, hold] < view.hold_count[view.ship, best]:
            best = hold
    return best


@jit
def _best_target(view, rules, weights):
    """Whom to attack: by what may be won; with the ghost, whom to harm."""
    rival = best_other(view, rules)
    options = view.legal
    best, best_worth = lowest(options), WORST
    while options != 0:
        foe = lowest(options)
        options &= options - 1
        if view.ship == view.me:
            worth = battle_worth(view, rules, weights, foe, view.stock[view.me, GUNPOWDER], rival)
        else:
            worth = _spite(view, rules, weights, foe, rival)
        if worth > best_worth:
            best, best_worth = foe, worth
    return best


@jit
def _spite(view, rules, weights, foe, rival):
    """What it is worth that the ghost attacks a ship: bad for oneself, best against the leader."""
    loot = prize(view, rules, weights, foe)
    if foe == view.me:
        return -loot
    return weights.ghost_spite * loot * leader_factor(view, rules, weights, foe, rival)


@jit
def _powder(view, rules, weights):
    """How much gunpowder: the chance to win and not to lose against its price."""
    me = view.me
    attacking = view.decision == ATTACK_POWDER
    foe = view.defender if attacking else view.attacker
    gain = weights.attack * prize(view, rules, weights, foe) + weights.bravado
    loss = weights.defend * prize(view, rules, weights, me)
    bonus = powder_bonus(view, rules, me)
    answer = view.stock[foe, GUNPOWDER] * 0.5 + powder_bonus(view, rules, foe)
    best, best_worth = 0, WORST
    for amount in range(view.stock[me, GUNPOWDER] + 1):
        if attacking:
            index = min(max(round(amount + bonus - answer), -ODDS_REACH), ODDS_REACH) + ODDS_REACH
            win, lose = rules.attack_odds[index], rules.defence_odds[index]
        else:
            win, lose = _defence_chances(rules, view.attack_strength - amount - bonus)
        worth = win * gain - lose * loss - weights.powder_price * amount
        if worth > best_worth:
            best, best_worth = amount, worth
    return best


@jit
def _defence_chances(rules, to_beat):
    """Chances to win and to lose for a defender who must roll more than `to_beat`."""
    if to_beat < 0:
        return 1.0, 0.0
    to_beat = min(to_beat, ODDS_REACH)
    win = rules.odds_over[to_beat]
    return win, 1.0 - win - rules.odds_equal[to_beat]


@jit
def _use_sabre(view, rules):
    """Reroll where the chance to win is better than with the roll that lies there."""
    holder = view.ship
    if view.defence_face == NO_FACE:
        foe = view.attacker + view.defender - holder
        edge = view.stock[view.defender, GUNPOWDER] * 0.5 + powder_bonus(view, rules, view.defender)
        if view.attack_face == STAR:
            kept = 1.0
        else:
            lost = _defence_chances(rules, round(view.attack_strength - edge))
            kept = lost[1] + 0.5 * (1.0 - lost[0] - lost[1])
        own = view.attack_powder + powder_bonus(view, rules, view.attacker) - edge
        index = min(max(round(own), -ODDS_REACH), ODDS_REACH) + ODDS_REACH
        again = 0.5 + 0.5 * (rules.attack_odds[index] - rules.defence_odds[index])
        return 1 if (again > kept) == (holder == view.attacker) and foe != holder and again != kept else 0
    defence = view.defence_powder + powder_bonus(view, rules, view.defender)
    win, lose = _defence_chances(rules, view.attack_strength - defence)
    if view.defence_face == STAR or view.defence_strength > view.attack_strength:
        kept = 1.0
    elif view.defence_strength < view.attack_strength:
        kept = 0.0
    else:
        kept = 0.5
    again = win + 0.5 * (1.0 - win - lose)
    if holder == view.attacker:
        return 1 if again < kept else 0
    return 1 if again > kept else 0


@jit
def _best_loot(view, rules, weights):
    harm = weights.deny * leader_factor(view, rules, weights, view.loser, best_other(view, rules))
    options = view.legal
    best, best_worth = LOOT_NOTHING, WORST
    while options != 0:
        answer = lowest(options)
        options &= options - 1
        worth = _loot_worth(view, rules, weights, answer, harm)
        if worth > best_worth:
            best, best_worth = answer, worth
    return best


@jit
def _loot_worth(view, rules, weights, answer, harm):
    """What an answer gains the winner, and by `harm` what it costs the loser."""
    for_ghost = view.ship != view.me
    if answer < LOOT_POWER:
        kind, amount = int(view.hold_kind[view.loser, answer]), int(view.hold_count[view.loser, answer])
        cost = hold_worth(weights, kind, amount, view.stock[view.loser, kind] - amount)
        if for_ghost:
            return cost * (weights.ghost_spite if view.loser != view.me else -1.0)
        return _gain_of_load(view, rules, weights, kind, amount) + harm * cost
    if answer < LOOT_HIDDEN:
        worth = power_worth(rules, weights, answer - LOOT_POWER)
    elif answer == LOOT_HIDDEN:
        worth = _hidden_worth(view, rules)
    elif answer == LOOT_NOTHING:
        return 0.0
    else:
        card = answer - LOOT_GIVE
        worth = power_worth(rules, weights, card) if has(rules.power_cards, card) else float(rules.treasure_value[card])
        return -worth * (1.0 + harm)
    if for_ghost:
        return worth * (weights.ghost_spite if view.loser != view.me else -1.0)
    return worth * (1.0 + harm)


@jit
def _hidden_worth(view, rules):
    """What a face-down card of the loser is worth on average, with the cards that this player knows (R5)."""
    known, points = count(view.known[view.loser]), 0.0
    cards = view.known[view.loser]
    while cards != 0:
        points += rules.treasure_value[lowest(cards)]
        cards &= cards - 1
    total = view.face_down[view.loser]
    return (points + rules.mean_treasure * (total - known)) / total


@jit
def _gain_of_load(view, rules, weights, kind, amount):
    """What loading tokens gains, the hold that must be emptied first included."""
    me = view.me
    gold, food, powder = view.stock[me, GOLD], view.stock[me, FOOD], view.stock[me, GUNPOWDER]
    free = count(view.holds[me, EMPTY])
    before = cargo_worth(weights, gold, food, powder, free)
    gold, food, powder, free = after_load(least_missed(view, weights), kind, amount, gold, food, powder, free)
    return cargo_worth(weights, gold, food, powder, free) - before


@jit
def _ghost_direction(view, rules, weights):
    """The direction with the better end."""
    ghost, die = view.ship, view.placed[view.when]
    forward = rules.forward_finish if view.lap[ghost] == 0 else rules.forward_pass
    ahead = _ghost_space(view, rules, weights, forward[view.space[ghost], die])[1]
    behind = _ghost_space(view, rules, weights, rules.backward[view.space[ghost], die])[1]
    return 1 if ahead > behind else 0


@jit
def _ghost_space(view, rules, weights, options):
    """Where the ghost does most harm to others: ships to attack, away from treasures, not home when one is behind."""
    out_of_line()
    rival = best_other(view, rules)
    best, best_worth = lowest(options), WORST
    while options != 0:
        end = lowest(options)
        options &= options - 1
        worth = 0.0
        if is_lair(rules, end) and has(view.tokens, end):
            worth -= rules.mean_treasure
        if end == 0 and view.lap[view.ship] == 0 and view.space[view.ship] > 0:
            worth += standing(view, rules, view.me) - rival
        ships = view.occupants[end] & ~only(view.ship)
        while ships != 0 and end != 0:
            foe = lowest(ships)
            ships &= ships - 1
            worth += 0.5 * _spite(view, rules, weights, foe, rival)
        if worth > best_worth:
            best, best_worth = end, worth
    return best, best_worth
