"""The parametric heuristic: an answer to every decision point, weighed with a strategy's weights.

`decide` is one compiled function for all decisions, because the pieces they share would otherwise be compiled again
for each. It reads the view and the rules only.
"""

from jamaica_sim.engine.machine.bits import count, has, lowest, only, pick
from jamaica_sim.engine.machine.hold_word import amount_at, kind_at, place_of
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.points import treasure_points
from jamaica_sim.engine.state import NO_FACE, ODDS_REACH, STAR
from jamaica_sim.game.codes import (
    ATTACK_POWDER,
    CHOOSE_CARD,
    CHOOSE_RETREAT,
    CHOOSE_SPACE,
    CHOOSE_TARGET,
    DEFENCE_POWDER,
    GHOST_DIRECTION,
    GHOST_SPACE,
    GHOST_TARGET,
    GUNPOWDER,
    HOLD_TO_EMPTY,
    HOLD_TO_PAY,
    HOUSE_CHOICE,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_NOTHING,
    LOOT_POWER,
    PLACE_DICE,
    USE_SABRE,
)
from jamaica_sim.strategy.api import luck, pick_random
from jamaica_sim.strategy.heuristic.cargo import after_load, cargo_of
from jamaica_sim.strategy.heuristic.lookahead import best_end, card_worth, foreseen_worth, kept_worth
from jamaica_sim.strategy.heuristic.situation import (
    best_rival,
    look_around,
    new_surroundings,
    own_standing,
    weigh_holds,
)
from jamaica_sim.strategy.heuristic.worth import (
    battle_worth,
    cargo_worth,
    hold_worth,
    is_lair,
    leader_factor,
    odds_index,
    powder_bonus,
    prize,
)

WORST = -1e9


def decide(view, rules, weights):
    """The heuristic's answer to whatever is being asked."""
    if weights.has_errors != 0 and luck(view) < weights.errors:
        return pick_random(view, view.legal)
    decision = view.decision
    if decision == HOLD_TO_PAY:
        return _smallest_hold(view)
    if decision == HOLD_TO_EMPTY:
        return _hold_to_empty(view, weights)
    if decision in (ATTACK_POWDER, DEFENCE_POWDER):
        return _powder(view, rules, weights)
    if decision == USE_SABRE:
        return _use_sabre(view, rules)
    if decision == CHOOSE_CARD and view.plan != 0:  # the dice were placed for it
        return view.plan - 1
    around = new_surroundings()
    look_around(view, rules, weights, around)  # one copy of this code: the processor's cache has room for little
    if decision == CHOOSE_SPACE:
        return _choose_space(view, rules, weights, around)
    if decision in (CHOOSE_TARGET, GHOST_TARGET):
        return _best_target(view, rules, weights, around)
    if decision == CHOOSE_RETREAT:
        return _choose_retreat(view, rules, weights, around)
    if decision == GHOST_DIRECTION:
        return _ghost_direction(view, rules, weights, around)
    if decision == GHOST_SPACE:
        return ghost_space(view, rules, weights, around, view.legal)[0]
    weigh_holds(view, weights, around)
    if decision == CHOOSE_CARD:
        return _best_card(view, rules, weights, around, view.placed[0], view.placed[1])[0]
    if decision == PLACE_DICE:
        return _place_dice(view, rules, weights, around)
    if decision == HOUSE_CHOICE:  # the first option; no weight knows what a house rule offers
        return lowest(view.legal)
    return _best_loot(view, rules, weights, around)  # CHOOSE_LOOT or GHOST_LOOT


@inline
def _noise(view, weights):
    """Random error in the worth of a card or a space, for strategies that want it."""
    if weights.has_noise == 0:
        return 0.0
    return weights.noise * luck(view)


@jit
def _best_card(view, rules, weights, around, morning, evening):
    """The best card of the hand with these dice, and its worth."""
    hand = view.hand
    space, lap, cargo = view.space[view.me], view.lap[view.me], cargo_of(view, view.me)
    best, best_worth = lowest(hand), WORST
    while hand != 0:
        card = lowest(hand)
        hand &= hand - 1
        if weights.has_foresight == 0:
            worth = card_worth(view, rules, weights, around, card, morning, evening, space, lap, cargo)
        else:
            worth = foreseen_worth(view, rules, weights, around, card, morning, evening, space, lap, cargo)
        worth += kept_worth(rules, weights, around, view.hand, card) + _noise(view, weights)
        best = pick(worth > best_worth, card, best)
        best_worth = max(worth, best_worth)
    return best, best_worth


@inline
def _place_dice(view, rules, weights, around):
    card, as_rolled = _best_card(view, rules, weights, around, view.dice[0], view.dice[1])
    if view.dice[0] == view.dice[1] and weights.noise == 0.0:
        view.plan = 1 + card
        return 0
    other_card, swapped = _best_card(view, rules, weights, around, view.dice[1], view.dice[0])
    view.plan = 1 + (other_card if swapped > as_rolled else card)
    return 1 if swapped > as_rolled else 0


@inline
def _choose_space(view, rules, weights, around):
    start, start_lap, cargo = view.space[view.me], view.lap[view.me], cargo_of(view, view.me)
    symbol = rules.card_symbol[view.card, view.when]
    return best_end(view, rules, weights, around, view.legal, symbol, start, start_lap, cargo, weights.noise)


@inline
def _choose_retreat(view, rules, weights, around):
    """Go back as little as possible, unless a treasure elsewhere is worth more."""
    options = view.legal
    best, best_worth = lowest(options), WORST
    while options != 0:
        end = lowest(options)
        options &= options - 1
        worth = -weights.progress * rules.to_finish[end]
        if has(view.tokens, end):
            worth += around.treasure[1]
        if worth > best_worth:
            best, best_worth = end, worth
    return best


@inline
def _hold_to_empty(view, weights):
    """The hold whose contents are worth least."""
    options, stowage = view.legal, view.stowage[view.ship]
    best, least = lowest(options), 1e9
    while options != 0:
        hold = lowest(options)
        options &= options - 1
        resource, amount = kind_at(stowage, place_of(hold)), amount_at(stowage, place_of(hold))
        stock = view.stock[view.ship, resource]
        loss = weights.stock_worth[resource, stock] - weights.stock_worth[resource, stock - amount]
        if loss < least:
            best, least = hold, loss
    return best


@inline
def _smallest_hold(view):
    """Pay from the smallest hold, so that holds become free."""
    options, stowage = view.legal, view.stowage[view.ship]
    best = lowest(options)
    while options != 0:
        hold = lowest(options)
        options &= options - 1
        best = pick(amount_at(stowage, place_of(hold)) < amount_at(stowage, place_of(best)), hold, best)
    return best


@inline
def _best_target(view, rules, weights, around):
    """The ship to attack, by what may be won; for the ghost, the ship to harm."""
    options = view.legal
    best, best_worth = lowest(options), WORST
    while options != 0:
        foe = lowest(options)
        options &= options - 1
        if view.ship == view.me:
            worth = battle_worth(view, rules, weights, around, foe, view.stock[view.me, GUNPOWDER])
        else:
            worth = spite(view, rules, weights, around, foe)
        if worth > best_worth:
            best, best_worth = foe, worth
    return best


@jit
def spite(view, rules, weights, around, foe):
    """Value of the ghost attacking a ship: negative for the own ship, highest against the leader."""
    loot = prize(view, rules, weights, foe)
    if foe == view.me:
        return -loot
    return weights.ghost_spite * loot * leader_factor(view, rules, weights, around, foe)


@inline
def _powder(view, rules, weights):
    """How much gunpowder to commit: weighs the chances to win and to lose against its price."""
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
            index = odds_index(round(amount + bonus - answer))
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


@inline
def _use_sabre(view, rules):
    """Reroll where a new roll gives the holder a better chance than the present one."""
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
        index = odds_index(round(own))
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


@inline
def _best_loot(view, rules, weights, around):
    harm = 0.0
    if view.loser != view.me:
        harm = weights.deny * leader_factor(view, rules, weights, around, view.loser)
    options = view.legal
    best, best_worth = LOOT_NOTHING, WORST
    while options != 0:
        answer = lowest(options)
        options &= options - 1
        worth = loot_worth(view, rules, weights, around, answer, harm)
        if worth > best_worth:
            best, best_worth = answer, worth
    return best


@jit
def loot_worth(view, rules, weights, around, answer, harm):
    """What an answer gains the winner, plus `harm` times what it costs the loser."""
    for_ghost = view.ship != view.me
    if answer < LOOT_POWER:
        stowage = view.stowage[view.loser]
        resource, amount = kind_at(stowage, place_of(answer)), amount_at(stowage, place_of(answer))
        cost = hold_worth(weights, resource, amount, view.stock[view.loser, resource] - amount)
        if for_ghost:
            return cost * (weights.ghost_spite if view.loser != view.me else -1.0)
        gain = _gain_of_load(view, weights, around, resource, amount)
        return weights.loot_worth[resource] * gain + harm * cost
    if answer < LOOT_HIDDEN:
        worth = weights.loot_power * weights.treasure_worth[answer - LOOT_POWER]
    elif answer == LOOT_HIDDEN:
        worth = weights.loot_face_down * hidden_worth(view, rules)
    elif answer == LOOT_NOTHING:
        return 0.0
    else:
        return -weights.treasure_worth[answer - LOOT_GIVE] * (1.0 + harm)
    if for_ghost:
        return worth * (weights.ghost_spite if view.loser != view.me else -1.0)
    return worth * (1.0 + harm)


@jit
def hidden_worth(view, rules):
    """What a face-down card of the loser is worth on average, with the cards that this player knows (R5)."""
    known, total = view.known[view.loser], view.face_down[view.loser]
    return (treasure_points(rules, known) + rules.mean_treasure * (total - count(known))) / total


@jit
def _gain_of_load(view, weights, around, resource, amount):
    """What loading this amount gains, less the contents of a hold that must be emptied first."""
    cargo = cargo_of(view, view.me)
    loaded = after_load(around, resource, amount, cargo)
    return cargo_worth(weights, around, loaded) - cargo_worth(weights, around, cargo)


@inline
def _ghost_direction(view, rules, weights, around):
    """The direction with the better end."""
    ghost, die = view.ship, view.placed[view.when]
    forward = rules.forward_finish if view.lap[ghost] == 0 else rules.forward_pass
    ahead = ghost_space(view, rules, weights, around, forward[view.space[ghost], die])[1]
    behind = ghost_space(view, rules, weights, around, rules.backward[view.space[ghost], die])[1]
    return 1 if ahead > behind else 0


@jit
def ghost_space(view, rules, weights, around, options):
    """The end where the ghost harms the others most, and its worth.

    It seeks ships to attack, keeps away from treasures, and does not come home while the own ship is behind.
    """
    best, best_worth = lowest(options), WORST
    while options != 0:
        end = lowest(options)
        options &= options - 1
        worth = 0.0
        if is_lair(rules, end) and has(view.tokens, end):
            worth -= rules.mean_treasure
        if end == 0 and view.lap[view.ship] == 0 and view.space[view.ship] > 0:
            worth += own_standing(view, rules) - best_rival(view, rules, around)
        ships = view.occupants[end] & ~only(view.ship)
        while ships != 0 and end != 0:
            foe = lowest(ships)
            ships &= ships - 1
            worth += 0.5 * spite(view, rules, weights, around, foe)
        if worth > best_worth:
            best, best_worth = end, worth
    return best, best_worth
