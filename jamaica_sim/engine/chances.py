"""All of a rulebook that follows from rules and components, derived in place: the board first, then what is here.

Sets of cards, the odds of battles, what luck is worth (`luck.py`), and what strategies look up of the end of a move and
of the spaces one die ahead, of which the engine reads nothing. The values of luck were fitted to the wins of several
pairs of strategies. Others would be as fair, but save fewer games.
"""

import numpy as np

from jamaica_sim.engine.board import FAR_AWAY, derive_board
from jamaica_sim.engine.machine.bits import count, lowest, only
from jamaica_sim.engine.machine.hold_word import NO_HOLD, place_of
from jamaica_sim.engine.machine.jit import entry, jit
from jamaica_sim.engine.state import (
    ACTION_BITS,
    CARDS,
    CURSED,
    END_AT,
    FALL_AT,
    FALLS,
    GOODS_BITS,
    HALF,
    MOST_FORESEEN,
    NO_STEPS,
    NOT_TOLD,
    NOWHERE,
    ODDS_REACH,
    POWER,
    STAR,
    SYMBOL_COUNTS,
    TREASURES,
)
from jamaica_sim.engine.view import SHIPS, SPACES
from jamaica_sim.game.codes import FOOD, FORWARD, GOLD, GUNPOWDER, HOLDS, LAIR, MAX_COST, PORT, RESOURCES, SEA

# Points, and sixtieths of a point.
POINTS_OF_POWER = np.int64(2)
FORTUNE_OF_POINT = np.int64(60)
MOST_FORTUNE = np.int64(1200)  # of one card, so that the fortune of a game fits into 16 bits
FORTUNE_OF_BATTLE = 36.0  # a battle won instead of drawn, for each unit of the stake
FORTUNE_OF_STEP = 40.0
# What strategies assume about an attack.
SURE_OF_TWO = 2.0  # doubloons' worth that an attacker can take from any ship
USUAL_POWDER = np.int64(3)  # gunpowder that an attacker brings
POWDER_THAT_DETERS = np.int64(12)


@jit
def derive_chances(raw, r):
    """Derive everything that follows from cards and dice, after the board."""
    _cards(raw, r)
    _treasures(raw, r)
    _falls(raw, r)
    _odds(r)
    _fortune_of_treasures(raw, r)
    _fortune_of_rolls(raw, r)


@jit
def _cards(raw, r):
    for card in range(CARDS):
        first, second = r.card_symbol[card, 0], r.card_symbol[card, 1]
        r.card_actions[card] = first + (second << ACTION_BITS)
        r.forward_symbols[card] = np.int64(first == FORWARD) + np.int64(second == FORWARD)
        r.load_symbols[card] = np.int64(first < FORWARD) + np.int64(second < FORWARD)
    for ship in range(SHIPS):
        r.all_cards[ship] = only(raw.cards) - 1
    for hand in range(1, only(raw.cards)):
        card = lowest(hand)
        symbols = SYMBOL_COUNTS * r.forward_symbols[card] + r.load_symbols[card]
        r.hand_symbols[hand] = r.hand_symbols[hand & (hand - 1)] + symbols


@jit
def _treasures(raw, r):
    total, face_down = np.int64(0), np.int64(0)
    for card in range(TREASURES):
        r.copies[raw.treasure_name[card]] |= only(card)
        if raw.treasure_kind[card] == POWER:
            r.power_cards |= only(card)
        elif raw.treasure_kind[card] == CURSED:
            r.cursed_cards |= only(card)
        if raw.in_game[card]:
            r.treasures_in_game |= only(card)
            if raw.treasure_kind[card] != POWER:
                total, face_down = total + r.treasure_value[card], face_down + 1
    r.mean_treasure = total / face_down if face_down > 0 else 0.0
    # The powers are the first names of the box.
    r.morgans_map, r.sarans_sabre, r.lady_beth, r.sixth_hold = r.copies[0], r.copies[1], r.copies[2], r.copies[3]
    if r.ghost >= 0:
        r.treasures_in_game &= ~r.lady_beth  # G1


@jit
def _falls(raw, r):
    """The steps lost by a retreat to the nearest space of a kind, by the best route, and by the shortage die (H3)."""
    for kind in (SEA, PORT, LAIR):
        for space in range(1, r.spaces):
            least, left = FAR_AWAY, r.nearest_behind[kind, space]
            while left != 0:
                least = min(least, r.to_finish[lowest(left)] - r.to_finish[space])
                left &= left - 1
            raw.fall[kind, space] = least
    for space in range(r.spaces):
        total = np.int64(0)
        for face in range(r.combat_faces):
            total += raw.fall[r.die_retreat[face], space]
        r.expected_fall[space] = total / r.combat_faces


@jit
def _odds(r):
    """The chances of battles (B2 to B5), by the attacker's advantage in gunpowder and Lady Beth."""
    share = 1 / r.combat_faces
    for place in range(2 * ODDS_REACH + 1):
        for i in range(r.combat_faces):
            for j in range(r.combat_faces):
                attack, defence = r.die_strength[i], r.die_strength[j]
                outcome = _outcome(attack, place - ODDS_REACH, defence)
                if outcome > 0:
                    r.attack_odds[place] += share * share
                elif outcome < 0:
                    r.defence_odds[place] += share * share
    for number in range(ODDS_REACH + 1):
        over, equal = np.int64(0), np.int64(0)
        for face in range(r.combat_faces):
            strength = r.die_strength[face]
            over += np.int64(strength == STAR or strength > number)
            equal += np.int64(strength == number)
        r.odds_over[number], r.odds_equal[number] = share * over, share * equal
    for amount in range(MOST_FORESEEN + 1):
        r.usual_attack[amount] = r.attack_odds[ODDS_REACH + USUAL_POWDER - min(amount, POWDER_THAT_DETERS)]
        r.attack_prize[amount] = SURE_OF_TWO + 0.5 * amount


@jit
def _outcome(face, advantage, other):
    """1 where `face` wins against `other`, -1 where it loses, 0 for a tie; of two stars `face` wins."""
    if face == STAR:
        return np.int64(1)
    if other == STAR:
        return np.int64(-1)
    return np.int64(face + advantage > other) - np.int64(face + advantage < other)


@jit
def _fortune_of_treasures(raw, r):
    largest = np.int64(1)
    for card in range(TREASURES):
        is_power = raw.treasure_kind[card] == POWER
        r.treasure_worth[card] = POINTS_OF_POWER if is_power else r.treasure_value[card]
        largest = max(largest, abs(r.treasure_worth[card]))
    for half in range(2):
        for cards in range(np.int64(1), only(HALF)):
            lower = r.worth_of_half[half, cards & (cards - 1)]
            r.worth_of_half[half, cards] = lower + r.treasure_worth[half * HALF + lowest(cards)]
    for size in range(1, TREASURES + 1):
        r.fortune_share[size] = min(FORTUNE_OF_POINT, MOST_FORTUNE // largest) // size


@jit
def _fortune_of_rolls(raw, r):
    faces = r.combat_faces
    for place in range(2 * ODDS_REACH + 1):
        for face in range(faces):
            total = np.int64(0)
            for other in range(faces):
                total += _outcome(r.die_strength[face], place - ODDS_REACH, r.die_strength[other])
            raw.outcome[face] = total / faces
        _book(raw, faces, FORTUNE_OF_BATTLE)
        for face in range(faces):
            r.battle_fortune[0, place, face] = raw.booked[face]
            raw.outcome[face] = _outcome(r.die_strength[face], place - ODDS_REACH, np.int64(0))
        _book(raw, faces, FORTUNE_OF_BATTLE)
        for face in range(faces):
            r.battle_fortune[1, place, face] = raw.booked[face]
    for space in range(r.spaces):
        for face in range(faces):
            raw.outcome[face] = raw.fall[r.die_retreat[face], space]
        _book(raw, faces, -FORTUNE_OF_STEP)
        for face in range(faces):
            r.fall_fortune[space, face] = raw.booked[face]


@jit
def _book(raw, faces, unit):
    """Book equally likely outcomes less their mean, as whole numbers that add up to exactly zero.

    All are rounded down; those that lost most by it get one more.
    """
    mean, lost = _sum(raw.outcome, faces) / faces, 0.0
    for face in range(faces):
        raw.exact[face] = unit * (raw.outcome[face] - mean)
        raw.booked[face] = np.floor(raw.exact[face])
        lost -= raw.booked[face]
        place = face
        while place > 0:
            before = raw.order[place - 1]
            if raw.booked[before] - raw.exact[before] <= raw.booked[face] - raw.exact[face]:
                break
            raw.order[place] = before
            place -= 1
        raw.order[place] = face
    for i in range(np.int64(lost)):
        raw.booked[raw.order[i]] += 1


@jit
def _sum(v, many):
    """The sum in an order that is part of the results: the first eight in pairs where there are so many."""
    total, first = 0.0, 0
    if many >= 8:
        total, first = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])), 8
    for i in range(first, many):
        total += v[i]
    return total


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


UNLIMITED = np.int64(1 << 40)


@entry
def derive_rulebook(raws, rulebooks):
    """Fill in every field that `engine/rulebook.py` leaves zero."""
    raw, r = raws[0], rulebooks[0]
    _ships(raw, r)
    derive_board(raw, r)
    derive_chances(raw, r)
    derive_foresight(r)


@jit
def _ships(raw, r):
    """Derive what ships begin with, the bank, and the dice that strategies foresee."""
    r.ghost = r.players if r.ships > r.players else NOWHERE
    r.hold_slots = only(raw.holds) - 1
    for ship in range(SHIPS):
        for hold in range(raw.holds, HOLDS):
            r.no_cargo[ship] |= NO_HOLD << place_of(hold)
        r.start_gold[ship], r.start_food[ship] = _least(raw, r, GOLD), _least(raw, r, FOOD)
        r.start_gunpowder[ship] = _least(raw, r, GUNPOWDER)
    for seat in range(r.players):
        r.left[seat] = (seat + 1) % r.players
        for resource in range(len(RESOURCES)):
            r.seat_goods[seat, resource] = raw.goods[resource, seat] - _least(raw, r, resource)
    for resource in range(len(RESOURCES)):
        if r.limited_bank == 0:
            r.bank[resource] = UNLIMITED
    for face in range(r.die_faces):
        r.die_face_later[face] = r.die_face[(face + r.die_faces // 2) % r.die_faces]


@jit
def _least(raw, r, resource):
    """What every seat begins with of a resource."""
    least = raw.goods[resource, 0]
    for seat in range(1, r.players):
        least = min(least, raw.goods[resource, seat])
    return least
