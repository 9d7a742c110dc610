"""Cards, treasures and dice: sets of cards, the odds of battles, and what luck is worth (`fortune.py`).

The values of luck were fitted to the wins of several pairs of strategies. Others would be as fair, but save fewer
games.
"""

import numpy as np

from jamaica_sim.engine.derive.board import FAR_AWAY
from jamaica_sim.engine.derive.raw import CURSED, POWER
from jamaica_sim.engine.machine.bits import lowest, only
from jamaica_sim.engine.machine.jit import jit
from jamaica_sim.engine.state import ACTION_BITS, CARDS, HALF, MOST_FORESEEN, ODDS_REACH, STAR, SYMBOL_COUNTS, TREASURES
from jamaica_sim.engine.view import SHIPS
from jamaica_sim.game.codes import FORWARD, LAIR, PORT, SEA

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
