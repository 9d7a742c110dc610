"""Facts about options of the own turn (the dice, the card, the lane, loot) and of the ghost ship.

An option of the own turn is followed to its end, with the heuristic's own arrivals and loads; the facts are those of
the situation that it leads to.
"""

import numpy as np

from jamaica_sim.engine.machine.bits import count, has, is_in, lowest, only, pick, single
from jamaica_sim.engine.machine.hold_word import amount_at, kind_at, place_of
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import lap_after, spaces_to_go, way_of
from jamaica_sim.engine.state import NONE
from jamaica_sim.game.codes import (
    BACKWARD,
    CHOOSE_CARD,
    EMPTY,
    EVENING,
    FOOD,
    FORWARD,
    GOLD,
    GUNPOWDER,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_NOTHING,
    LOOT_POWER,
    MORNING,
)
from jamaica_sim.strategy.heuristic.cargo import A_HOLD, after_load, amount, cargo_of
from jamaica_sim.strategy.heuristic.decide import ghost_space, hidden_worth, loot_worth, spite
from jamaica_sim.strategy.heuristic.lookahead import arrival, battle_gain, best_end, kept_worth
from jamaica_sim.strategy.heuristic.situation import printed_score, standing
from jamaica_sim.strategy.heuristic.worth import leader_factor, prize_of, situation_worth
from jamaica_sim.strategy.net.facts import TENTH, card_row, note, note_cards, note_dice, note_row, place_row, power_card
from jamaica_sim.strategy.net.layout import MOST_FOOD, MOST_GOLD, MOST_POWDER, block, number
from jamaica_sim.strategy.net.others import note_met, note_throw
from jamaica_sim.strategy.search.searcher import ORDER_BITS

PLAYED, KEPT, PLACE, DOUBLOONS = block("card_played"), block("card_kept"), block("place"), block("gold")
FOODS, POWDERS, EMPTY_HOLDS, LOOT, AMOUNT = (
    block("food"),
    block("gunpowder"),
    block("empty_holds"),
    block("loot"),
    block("amount"),
)
BATTLE, BATTLE_WORTH, SHORTAGE = number("battle_morning"), number("battle_worth"), number("shortage_morning")
TREASURE_TAKEN, POINTS, POINTS_LATE = number("treasure_taken"), number("points"), number("points_late")
WAY_AHEAD, LEAD_AT_HOME, BEHIND_AT_HOME = number("way_ahead"), number("lead_at_home"), number("at_home_behind")
THREATS, UNPAYABLE, LAIRS_AHEAD, WORTH = number("threats"), number("unpayable"), number("lairs_ahead"), number("worth")
LOOT_WORTH, CARD_VALUE, GIVEN = number("loot_worth"), number("card_value"), number("given")
FOE_IS_GHOST, FOE_IS_ME, FOE_LEADS = number("foe_is_ghost"), number("foe_is_me"), number("foe_leads")
FOE_WAY_AHEAD, FOE_LEAD, FOE_STOCK = number("foe_way_ahead"), number("foe_lead"), number("foe_stock")
# Kinds of loot after the three resources and the four powers.
FACE_DOWN_LOOT, NO_LOOT, POWER_LOOT = np.int64(7), np.int64(8), np.int64(3)


@jit
def note_card(view, rules, weights, around, facts, option, is_dice):
    """Note what playing a card leads to; for the Captain's dice an option is an order of the dice and a card."""
    card, order = option & (1 << ORDER_BITS) - 1, option >> ORDER_BITS
    facts.order = order
    morning, evening = view.placed[0], view.placed[1]
    if is_dice:
        swapped = order != 0
        morning = pick(swapped, view.dice[1], view.dice[0])
        evening = pick(swapped, view.dice[0], view.dice[1])
        note_dice(facts, morning, evening)
        note_throw(facts, order)
    note_cards(facts, rules, KEPT, view.hand & ~only(card))
    space, lap, cargo = view.space[view.me], view.lap[view.me], cargo_of(view, view.me)
    gained = kept_worth(rules, weights, around, view.hand, card)
    note_rest_of_turn(view, rules, weights, around, facts, card, MORNING, morning, evening, space, lap, cargo, gained)


@jit
def note_space(view, rules, weights, around, facts, end):
    """Note what ending the move on a space leads to."""
    me, card, when = view.me, view.card, view.when
    lap = lap_after(view.lap[me], view.space[me], end, rules.card_symbol[card, when])
    space, lap, cargo, gained = note_arrival(view, rules, weights, around, facts, when, end, lap, cargo_of(view, me))
    morning, evening = view.placed[0], view.placed[1]
    note_rest_of_turn(view, rules, weights, around, facts, card, when + 1, morning, evening, space, lap, cargo, gained)


@jit
def note_own_loot(view, rules, weights, around, facts, answer):
    """Note what taking this loot leads to."""
    me = view.me
    gained = note_loot(view, rules, weights, around, facts, answer)
    space, lap, cargo = view.space[me], view.lap[me], cargo_of(view, me)
    if answer < LOOT_POWER:
        stowage = view.stowage[view.loser]
        resource, goods = kind_at(stowage, place_of(answer)), amount_at(stowage, place_of(answer))
        cargo = after_load(around, resource, goods, cargo)
        gained = 0.0  # the cargo has it
    elif answer < LOOT_HIDDEN and only(answer - LOOT_POWER) & rules.sixth_hold != 0:
        cargo += A_HOLD
    first = EVENING + 1
    if view.turn == me:
        first = view.when + 1
        if view.retreated == 0 or rules.shortage_by_die == 0:  # what the space costs is still due
            around.foes &= ~only(space)
            space, lap, cargo, more = note_arrival(view, rules, weights, around, facts, view.when, space, lap, cargo)
            gained += more
    elif view.played[me] == NONE:
        first = MORNING
    morning, evening = view.placed[0], view.placed[1]
    note_rest_of_turn(
        view, rules, weights, around, facts, view.card, first, morning, evening, space, lap, cargo, gained
    )


@inline
def note_rest_of_turn(view, rules, weights, around, facts, card, first, morning, evening, space, lap, cargo, gained):
    """Follow the actions of the card from this time of day on, and note the situation after them."""
    note_row(facts, PLAYED + card_row(rules, card))
    for when in range(first, EVENING + 1):
        if lap != 1:
            symbol, die = rules.card_symbol[card, when], pick(when == MORNING, morning, evening)
            if symbol < FORWARD:
                cargo = after_load(around, symbol, die, cargo)
            else:
                options = rules.ends[way_of(lap, symbol), die, space]
                end = lowest(options)
                if not single(options):
                    end = best_end(view, rules, weights, around, options, symbol, space, lap, cargo, 0.0)
                end_lap = lap_after(lap, space, end, symbol)
                space, lap, cargo, more = note_arrival(view, rules, weights, around, facts, when, end, end_lap, cargo)
                gained += more
    note_situation(view, rules, weights, around, facts, space, lap, cargo, gained)


@jit
def note_arrival(view, rules, weights, around, facts, when, end, lap, cargo):
    """Follow an arrival and note what happens there; returns the situation after it and what it gains."""
    if lap != 1:
        if has(around.foes, end):
            note_row(facts, BATTLE + when)
            note(
                facts,
                BATTLE_WORTH,
                TENTH * battle_gain(view, rules, weights, around, end, amount(cargo, GUNPOWDER)),
            )
        if amount(cargo, rules.currency[end]) < rules.cost[end]:
            note_row(facts, SHORTAGE + when)
    space, lap, cargo, gained = arrival(view, rules, weights, around, end, lap, cargo)
    if is_in(view.tokens, space) != 0:
        note_row(facts, TREASURE_TAKEN)
    return space, lap, cargo, gained


@jit
def note_situation(view, rules, weights, around, facts, space, lap, cargo, gained):
    """Note where the own ship is, what it has, and what the heuristic thinks of that."""
    gold, food, powder = amount(cargo, GOLD), amount(cargo, FOOD), amount(cargo, GUNPOWDER)
    note_row(facts, PLACE + place_row(space, lap))
    note_row(facts, DOUBLOONS + min(gold, MOST_GOLD))
    note_row(facts, FOODS + min(food, MOST_FOOD))
    note_row(facts, POWDERS + min(powder, MOST_POWDER))
    note_row(facts, EMPTY_HOLDS + amount(cargo, EMPTY))
    points = printed_score(rules, space, lap) + gold + facts.own_points
    note(facts, POINTS, TENTH * points)
    note(facts, POINTS_LATE, TENTH * points * facts.late)
    note(facts, WAY_AHEAD, TENTH * (facts.nearest_other - spaces_to_go(rules, space, lap)))
    worth = gained + situation_worth(view, rules, weights, around, space, lap, cargo)
    note(facts, WORTH, TENTH * (worth - facts.worth_before))
    if lap == 1:
        lead = points - facts.rival
        note(facts, LEAD_AT_HOME, TENTH * lead)
        if lead < 0:
            note_row(facts, BEHIND_AT_HOME)
        return
    if view.decision <= CHOOSE_CARD:  # the others' moves are foreseen
        note_met(facts, facts.order, space)
    ahead = rules.ahead[space]
    payable = rules.free_spaces | rules.payable_port[gold] | rules.payable_sea[food]
    note(facts, THREATS, count(around.others & rules.attacked_from[space]))
    note(facts, UNPAYABLE, count(ahead & ~payable) * rules.ahead_share[space])
    note(facts, LAIRS_AHEAD, count(ahead & view.tokens))


@jit
def note_loot(view, rules, weights, around, facts, answer):
    """Note what is taken or given and who loses; returns the heuristic's worth of it."""
    loser = view.loser
    leads = loser != view.me and standing(view, rules, loser) >= facts.rival
    harm = 0.0
    if loser != view.me:
        harm = weights.deny * leader_factor(view, rules, weights, around, loser)
    worth = loot_worth(view, rules, weights, around, answer, harm)
    note(facts, LOOT_WORTH, TENTH * worth)
    if answer < LOOT_POWER:
        stowage = view.stowage[loser]
        resource, goods = kind_at(stowage, place_of(answer)), amount_at(stowage, place_of(answer))
        note_row(facts, LOOT + resource)
        note_row(facts, AMOUNT + goods)
        note(facts, FOE_STOCK, TENTH * view.stock[loser, resource])
    elif answer == LOOT_NOTHING:
        note_row(facts, LOOT + NO_LOOT)
    elif answer >= LOOT_GIVE:
        note_row(facts, GIVEN)
        note(facts, CARD_VALUE, -TENTH * rules.treasure_value[answer - LOOT_GIVE])
    elif answer == LOOT_HIDDEN:
        note_row(facts, LOOT + FACE_DOWN_LOOT)
        note(facts, CARD_VALUE, TENTH * hidden_worth(view, rules))
    else:
        note_power_loot(rules, facts, answer - LOOT_POWER)
    if leads:
        note_row(facts, FOE_LEADS)
    note_foe(view, rules, facts, loser)
    return worth


@inline
def note_power_loot(rules, facts, card):
    """Note a card that is taken by choice: a power, or a known face-down card by its value."""
    for place in range(4):
        if only(card) & power_card(rules, place) != 0:
            note_row(facts, LOOT + POWER_LOOT + place)
            return
    note_row(facts, LOOT + FACE_DOWN_LOOT)
    note(facts, CARD_VALUE, TENTH * rules.treasure_value[card])


@inline
def note_foe(view, rules, facts, foe):
    """Note who is harmed: the ghost, the own ship or another one, and how it stands."""
    if foe == rules.ghost:
        note_row(facts, FOE_IS_GHOST)
    if foe == view.me:
        note_row(facts, FOE_IS_ME)
    own = spaces_to_go(rules, view.space[view.me], view.lap[view.me])
    note(facts, FOE_WAY_AHEAD, TENTH * (own - spaces_to_go(rules, view.space[foe], view.lap[foe])))
    note(facts, FOE_LEAD, TENTH * (standing(view, rules, foe) - facts.rival))


DIRECTION, GHOST_PLACE = block("ghost_direction"), block("ghost_place")
FOE_WORTH, MEETS_ME, MEETS_OTHERS = number("foe_worth"), number("meets_me"), number("meets_others")
MEETS_LEADER, TAKES_TREASURE = number("meets_leader"), number("ghost_takes_treasure")
GHOST_AHEAD, GHOST_LEADS, GHOST_LAST = number("ghost_ahead_of_me"), number("ghost_leads"), number("ghost_is_last")
GHOST_WORTH = number("ghost_worth")


@jit
def note_direction(view, rules, weights, around, facts, answer):
    """Note where a direction leads: to the end that the heuristic likes best."""
    ghost = view.ship
    direction = pick(answer != 0, FORWARD, BACKWARD)
    ends = rules.ends[way_of(view.lap[ghost], direction), view.placed[view.when], view.space[ghost]]
    note_row(facts, DIRECTION + answer)
    note_ghost_end(view, rules, weights, around, facts, ghost_space(view, rules, weights, around, ends)[0], direction)


@jit
def note_ghost_space(view, rules, weights, around, facts, end):
    """Note what the ghost's ending on a space brings."""
    ghost = view.ship
    ahead = rules.ends[way_of(view.lap[ghost], FORWARD), view.placed[view.when], view.space[ghost]]
    direction = pick(view.legal == ahead, FORWARD, BACKWARD)
    note_ghost_end(view, rules, weights, around, facts, end, direction)


@jit
def note_ghost_end(view, rules, weights, around, facts, end, direction):
    """Note whom the ghost meets on a space, and how it stands in the race there."""
    ghost = view.ship
    lap = lap_after(view.lap[ghost], view.space[ghost], end, direction)
    note_row(facts, GHOST_PLACE + place_row(end, lap))
    note(facts, GHOST_WORTH, TENTH * ghost_space(view, rules, weights, around, only(end))[1])
    if lap != 1 and has(view.tokens, end):
        note_row(facts, TAKES_TREASURE)
    ships = view.occupants[end] & ~only(ghost)
    while ships != 0 and end != 0:
        foe = lowest(ships)
        ships &= ships - 1
        note_row(facts, pick(foe == view.me, MEETS_ME, MEETS_OTHERS))
        if foe != view.me and standing(view, rules, foe) >= facts.rival:
            note_row(facts, MEETS_LEADER)
    note_race(view, rules, facts, spaces_to_go(rules, end, lap))


@inline
def note_race(view, rules, facts, to_go):
    """Note whether the ghost is in the lead or last, with so many spaces to go."""
    leads, is_last = True, True
    for ship in range(rules.players):
        theirs = spaces_to_go(rules, view.space[ship], view.lap[ship])
        leads, is_last = leads & (to_go < theirs), is_last & (to_go > theirs)
    if leads:
        note_row(facts, GHOST_LEADS)
    if is_last:
        note_row(facts, GHOST_LAST)
    own = spaces_to_go(rules, view.space[view.me], view.lap[view.me])
    note(facts, GHOST_AHEAD, TENTH * (own - to_go))


@jit
def note_target(view, rules, weights, around, facts, foe):
    """Note whom the ghost would attack."""
    note(facts, FOE_WORTH, TENTH * spite(view, rules, weights, around, foe))
    note(facts, GHOST_WORTH, TENTH * prize_of(view, rules, weights, around, foe))
    note(facts, FOE_STOCK, TENTH * view.stock[foe, GUNPOWDER])
    if foe != view.me and standing(view, rules, foe) >= facts.rival:
        note_row(facts, FOE_LEADS)
    note_foe(view, rules, facts, foe)
