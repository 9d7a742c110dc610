"""A question as numbers for learners: one flat vector of what the asked player may see, and a mask of legal actions.

Ships come in relative seats: 0 is the asked player, 1 the next clockwise, and so on; the ghost is always 5. All numbers
are about as large as 1. Only fields of the view are read. `LAYOUT` names every entry, in its order.
"""

import numpy as np

from jamaica_sim.engine.decide import show_view
from jamaica_sim.engine.machine.bits import ZERO, count, has, lowest
from jamaica_sim.engine.machine.hold_word import amount_at, empty_holds, kind_at, place_of
from jamaica_sim.engine.machine.jit import entry, inline, jit
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.scoring import position_points, treasure_points
from jamaica_sim.engine.state import CARDS, MOST_STOCK, NO_FACE, NONE, POSITION_BYTES, STAR
from jamaica_sim.engine.step import ASKED, OVER, position_at
from jamaica_sim.game.codes import (
    ATTACK_POWDER,
    CHOOSE_LOOT,
    DECISIONS,
    DEFENCE_POWDER,
    FOOD,
    GHOST_LOOT,
    GOLD,
    GUNPOWDER,
    HOLD_TO_EMPTY,
    HOLD_TO_PAY,
    HOLDS,
    LOOT_NOTHING,
    MAX_SHIPS,
    MAX_SPACES,
    RESOURCES,
)

MOST_LAIRS = 16  # whose tokens are shown
TENTH = 0.1
IN_BATTLE = 1 << ATTACK_POWDER | 1 << DEFENCE_POWDER | sum(1 << DECISIONS.index(d) for d in ("use_sabre",))
ABOUT_LOOT = 1 << CHOOSE_LOOT | 1 << GHOST_LOOT
ABOUT_HOLDS = 1 << HOLD_TO_EMPTY | 1 << HOLD_TO_PAY

SHIP = (
    *("sails", "is the ghost", "is Captain", "is on turn", "spaces to go / 40", "is behind the start", "is home"),
    *("points of its space / 10", "gold / 10", "food / 10", "gunpowder / 10", "empty holds / 6"),
    *("has Morgan's Map", "has Saran's Sabre", "has Lady Beth", "has the 6th Hold"),
    *("face-down treasures / 3", "points of those that are known / 10", "cards in hand / 4", "its card is revealed"),
)
SIDE = ("gunpowder / 10", "die / 10", "die is a star", "strength / 10")
HOLD = ("is there", *(f"{resource} / 10" for resource in RESOURCES))


def _each(what, names, number):
    return [f"{what} {i}: {name}" for i in range(number) for name in names]


LAYOUT: dict[str, list[str]] = {
    "decision": [f"asked: {decision}" for decision in DECISIONS],
    "seat": [f"own seat is {seat}" for seat in range(MAX_SHIPS)],
    "table": ["players / 6", "shortages are rolled (2021)", "the ghost sails", "round / 20"],
    "dice": ["first die / 10", "second die / 10", "morning die / 10", "evening die / 10", "it is evening"],
    "goods": [*(f"about {resource}" for resource in RESOURCES), "amount / 10"],
    "battle": ["own ship attacks", "own ship defends", *(f"{side}: {name}" for side in ("attack", "defence")
                                                        for name in SIDE), "Saran's Sabre was used"],
    "foe": [f"the other ship in the battle is ship {ship}" for ship in range(MAX_SHIPS)],
    "hand": [f"hand has card {card}" for card in range(CARDS)],
    "chosen": [f"chosen card is {card}" for card in range(CARDS)],
    "discard": [f"own discard pile has card {card}" for card in range(CARDS)],
    "treasures": ["points of own face-down treasures / 10"],
    "tokens": [f"token on lair {lair}" for lair in range(MOST_LAIRS)],
    "own holds": _each("own hold", HOLD, HOLDS),
    "foe holds": _each("hold of the other ship in the battle", HOLD, HOLDS),
    "ships": _each("ship", SHIP, MAX_SHIPS),
}  # fmt: skip
OBSERVATION_NAMES = [name for names in LAYOUT.values() for name in names]
OBSERVATION_SIZE = len(OBSERVATION_NAMES)


def _start(block):
    before = list(LAYOUT)[: list(LAYOUT).index(block)]
    return np.int64(sum(len(LAYOUT[name]) for name in before))


DECISION_AT, SEAT_AT, TABLE_AT, DICE_AT, GOODS_AT, BATTLE_AT, FOE_AT = map(_start, list(LAYOUT)[:7])
HAND_AT, CHOSEN_AT, DISCARD_AT, TREASURES_AT, TOKENS_AT, OWN_HOLDS_AT, FOE_HOLDS_AT, SHIPS_AT = map(
    _start, list(LAYOUT)[7:]
)
SHIP_SIZE, HOLD_SIZE, SIDE_SIZE = np.int64(len(SHIP)), np.int64(len(HOLD)), np.int64(len(SIDE))

# How many answers each decision can have. An action is an answer to a decision: ACTION_OFFSETS[decision] + answer.
_SPACES, _POWDER, _LOOT = MAX_SPACES, MOST_STOCK + 1, int(LOOT_NOTHING) + 1
ANSWERS = {
    "place_dice": 2,
    "choose_card": CARDS,
    "choose_space": _SPACES,
    "choose_retreat": _SPACES,
    "hold_to_empty": HOLDS,
    "hold_to_pay": HOLDS,
    "choose_target": MAX_SHIPS,
    "attack_powder": _POWDER,
    "defence_powder": _POWDER,
    "use_sabre": 2,
    "choose_loot": _LOOT,
    "ghost_direction": 2,
    "ghost_space": _SPACES,
    "ghost_target": MAX_SHIPS,
    "ghost_loot": _LOOT,
    "house_choice": 62,
}
ACTION_OFFSETS = np.cumsum([0, *(ANSWERS[decision] for decision in DECISIONS)])[:-1].astype(np.int64)
ACTIONS = sum(ANSWERS.values())


@inline
def _ship_at(r, me, slot):
    """The ship in a relative seat, NONE where there is none."""
    if slot == MAX_SHIPS - 1 and r.ghost >= 0:
        return r.ghost
    if slot >= r.players:
        return NONE
    ship = me + slot
    return ship if ship < r.players else ship - r.players


@inline
def _slot_of(r, me, ship):
    """The relative seat of a ship."""
    if ship == r.ghost:
        return MAX_SHIPS - 1
    return ship - me if ship >= me else ship - me + r.players


@inline
def _show_set(o, at, members):
    while members != 0:
        o[at + lowest(members)] = 1
        members &= members - 1


@inline
def _show_holds(o, at, stowage):
    for hold in range(HOLDS):
        place = place_of(hold)
        if (stowage >> place) & 128 == 0:
            o[at] = 1
            amount = amount_at(stowage, place)
            if amount != 0:
                o[at + 1 + kind_at(stowage, place)] = amount * TENTH
        at += HOLD_SIZE


@inline
def _show_side(o, at, powder, face, strength):
    o[at] = powder * TENTH
    if face == STAR:
        o[at + 2] = 1
    elif face != NO_FACE:
        o[at + 1] = face * TENTH
        o[at + 3] = strength * TENTH


@inline
def _show_battle(o, s, r):
    """The battle in progress; what has not come yet is 0."""
    me, is_loot = s.me, has(ABOUT_LOOT, s.decision)
    foe = s.defender if s.ship == s.attacker else s.attacker
    if is_loot:
        foe = s.loser
    o[BATTLE_AT], o[BATTLE_AT + 1] = s.attacker == me, s.defender == me
    attack = ZERO if s.decision == ATTACK_POWDER else s.attack_powder
    _show_side(o, BATTLE_AT + 2, attack, s.attack_face, s.attack_strength)
    _show_side(o, BATTLE_AT + 2 + SIDE_SIZE, s.defence_powder, s.defence_face, s.defence_strength)
    o[BATTLE_AT + 2 + 2 * SIDE_SIZE] = s.sabre_used
    o[FOE_AT + _slot_of(r, me, foe)] = 1
    _show_holds(o, FOE_HOLDS_AT, s.stowage[foe])


@inline
def _show_ship(o, at, s, r, ship):
    lap = s.lap[ship]
    o[at] = 1
    o[at + 1] = ship == r.ghost
    o[at + 2] = ship == s.captain
    o[at + 3] = ship == s.turn
    o[at + 4] = spaces_to_go(r, s.space[ship], lap) * 0.025
    o[at + 5] = lap < 0
    o[at + 6] = lap > 0
    o[at + 7] = position_points(s, r, ship) * TENTH
    o[at + 8] = s.stock[ship, GOLD] * TENTH
    o[at + 9] = s.stock[ship, FOOD] * TENTH
    o[at + 10] = s.stock[ship, GUNPOWDER] * TENTH
    o[at + 11] = count(empty_holds(s.stowage[ship])) / 6
    powers = s.powers[ship]
    if powers != 0:
        o[at + 12] = powers & r.morgans_map != 0
        o[at + 13] = powers & r.sarans_sabre != 0
        o[at + 14] = powers & r.lady_beth != 0
        o[at + 15] = powers & r.sixth_hold != 0
    o[at + 16] = s.face_down[ship] / 3
    o[at + 17] = treasure_points(r, s.known[ship]) * TENTH
    if ship != r.ghost:
        o[at + 18] = s.hand_size[ship] * 0.25
        o[at + 19] = s.played[ship] >= 0


@jit
def _observe(o, s, r, is_asked):
    for i in range(o.size):
        o[i] = 0
    me = s.me
    if is_asked:
        decision = s.decision
        o[DECISION_AT + decision] = 1
        if has(ABOUT_HOLDS, decision):
            o[GOODS_AT + s.resource] = 1
            o[GOODS_AT + len(RESOURCES)] = s.amount * TENTH
        elif has(IN_BATTLE | ABOUT_LOOT, decision):
            _show_battle(o, s, r)
    o[SEAT_AT + me] = 1
    o[TABLE_AT], o[TABLE_AT + 1] = r.players / 6, r.shortage_by_die
    o[TABLE_AT + 2], o[TABLE_AT + 3] = r.ghost >= 0, s.round * 0.05
    o[DICE_AT], o[DICE_AT + 1] = s.dice[0] * TENTH, s.dice[1] * TENTH
    o[DICE_AT + 2], o[DICE_AT + 3] = s.placed[0] * TENTH, s.placed[1] * TENTH
    o[DICE_AT + 4] = s.turn != NONE and s.when != 0
    _show_set(o, HAND_AT, s.hand)
    if s.card >= 0:
        o[CHOSEN_AT + s.card] = 1
    _show_set(o, DISCARD_AT, s.discard[me])
    o[TREASURES_AT] = treasure_points(r, s.treasures) * TENTH
    lairs, at = r.lairs, TOKENS_AT
    while lairs != 0 and at < TOKENS_AT + MOST_LAIRS:
        o[at] = has(s.tokens, lowest(lairs))
        lairs &= lairs - 1
        at += 1
    _show_holds(o, OWN_HOLDS_AT, s.stowage[me])
    for slot in range(MAX_SHIPS):
        ship = _ship_at(r, me, slot)
        if ship != NONE:
            _show_ship(o, SHIPS_AT + slot * SHIP_SIZE, s, r, ship)


@entry
def observe_games(rulebooks, rows, talks, viewer, observations, masks):
    """Fill in each game's observation and mask of legal actions.

    A game that is over shows its end to the player `viewer`, with a mask of all ones: any answer begins the next game.
    """
    r = rulebooks[0]
    for i in range(talks.size):
        talk = talks[i]
        s = position_at(rows, i, POSITION_BYTES)
        if talk.outcome == OVER:
            show_view(s, r, s.decision, viewer, viewer, ZERO)
        _observe(observations[i], s, r, talk.outcome == ASKED)
        mask = masks[i]
        for action in range(mask.size):
            mask[action] = talk.outcome == OVER
        _show_set(mask, ACTION_OFFSETS[talk.decision], talk.legal)
