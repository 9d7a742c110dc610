"""A round (T1 to T5): dice, secret cards, everybody's two actions, the ghost, drawing up, the compass."""

import numpy as np

from jamaica_sim.engine.arriving import arrive
from jamaica_sim.engine.decide import ask, capture_round
from jamaica_sim.engine.events import note_action, note_choose, note_draw, note_round, note_skip
from jamaica_sim.engine.ghost import ghost_moves
from jamaica_sim.engine.house_rules import act, changed, has_moment
from jamaica_sim.engine.loading import load
from jamaica_sim.engine.luck import mark_luck, throw_dice
from jamaica_sim.engine.machine.bits import ONE, ZERO, only, pick
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.machine.random import LUCK_OF_DICE
from jamaica_sim.engine.moving import die_of, sail
from jamaica_sim.engine.setup import draw_card
from jamaica_sim.engine.state import ACTION_BITS, NONE
from jamaica_sim.game.codes import (
    AT_ROUND_END,
    CHOOSE_CARD,
    CHOOSE_SPACE,
    EVENING,
    FORWARD,
    MAX_SHIPS,
    MORNING,
    OF_HAND_LIMIT,
    PLACE_DICE,
)
from jamaica_sim.game.rules import MOST_CARDS_IN_HAND

AS_ROLLED, SWAPPED = np.int64(0), np.int64(1)
RESHUFFLED_BIT = np.int64(60)  # cards drawn have four bits each, below it
RESHUFFLED = ONE << RESHUFFLED_BIT
SYMBOL = np.int64((1 << ACTION_BITS) - 1)
MOST_IN_HAND = np.int64(MOST_CARDS_IN_HAND)
DICE_ORDERS = np.int64(0b11)  # the set of 0, as rolled, and 1, swapped


@inline
def play_round(s, r):
    """One round, up to the moment when the next one starts or the game is over."""
    begin_round(s, r)
    ask_dice(s, r)
    player = s.captain
    actions, shift = ZERO, ZERO  # the symbols of all cards in turn, ready before they are needed
    for _ in range(r.players):
        actions |= r.card_actions[ask_card(s, r, player)] << shift
        shift += 2 * ACTION_BITS
        player = left_of(r, player)
    actions |= ONE << shift  # marks the end
    act_in_turn(s, r, player, MORNING, actions)
    end_round(s, r)


@inline
def begin_round(s, r):
    """Begin the next round and show its dice (T1)."""
    capture_round(s)
    mark_luck(s, r, LUCK_OF_DICE)
    s.round += 1
    s.short_in_round = 0
    s.fought_in_round = 0
    for ship in range(MAX_SHIPS):  # a fixed number is cleared in a few vector stores
        s.combat_rolls[ship] = 0
        s.shortage_rolls[ship] = 0
        s.played[ship] = NONE
        s.chosen[ship] = NONE
        s.to_go_before[ship] = s.to_go[ship]
    s.turn = NONE
    s.dice[0], s.dice[1] = s.thrown[0], s.thrown[1]
    throw_dice(s, r, s.round + 1)
    s.placed[0], s.placed[1] = 0, 0
    s.plan = 0


@inline
def act_in_turn(s, r, player, when, actions):
    """T3: play the actions from this player's at this time of day on; `actions` has their symbols and ends with a 1."""
    while actions != 1:  # one loop for all actions: the end of an inner loop would often be mispredicted
        _act(s, r, player, when, actions & SYMBOL)
        actions >>= ACTION_BITS
        player = pick(when == EVENING, left_of(r, player), player)
        when ^= EVENING


@inline
def end_round(s, r):
    """The ghost's moves, then everybody draws and the compass passes on."""
    if r.ghost >= 0:
        ghost_moves(s, r, MORNING)  # G2
    draw_and_pass(s, r)


@inline
def is_over(s, r):
    """Whether this is the last round (E1, E4)."""
    return s.finished_ships != 0 or s.round >= r.round_cap


@inline
def draw_and_pass(s, r):
    """Everybody draws (T4) and the compass passes on (T5). House rules have the last word."""
    player = s.captain
    if not is_over(s, r):  # T4: nobody draws after the last round
        for _ in range(r.players):
            _draw_up(s, r, player)
            player = left_of(r, player)
    s.captain = left_of(r, s.captain)  # T5
    act(s, r, AT_ROUND_END, ZERO, ZERO, ZERO)


@inline
def left_of(r, player):
    """The next player clockwise."""
    return r.left[player]


@inline
def ask_dice(s, r):
    """T1: the Captain says which die is the morning die."""
    order = AS_ROLLED
    if s.dice[0] != s.dice[1]:
        order = ask(s, r, PLACE_DICE, s.captain, s.captain, DICE_ORDERS)
    place_dice(s, order)


@inline
def place_dice(s, order):
    """Place the dice as they were rolled, or swapped."""
    first, second = s.dice[0], s.dice[1]
    if order == SWAPPED:
        first, second = second, first
    s.placed[0], s.placed[1] = first, second
    note_round(s, number=s.round, captain=s.captain, dice=(s.dice[0], s.dice[1]), placed=(first, second))


@inline
def ask_card(s, r, player):
    """T2: the player secretly chooses one card of the hand."""
    card = ask(s, r, CHOOSE_CARD, player, player, s.hands[player])
    choose_card(s, player, card)
    return card


@inline
def choose_card(s, player, card):
    """Lay a card of the hand down, face down."""
    s.plan = 0  # only the Captain may see it, who chooses first
    s.chosen[player] = card
    note_choose(s, ship=player, hand=s.hands[player], card=card)
    s.hands[player] &= ~only(card)
    s.hand_size[player] -= 1


@inline
def _act(s, r, player, when, symbol):
    """Reveal the card and resolve one of its symbols, unless the ship has come home (E1)."""
    card = s.chosen[player]
    s.discard[player] |= only(card)
    s.played[player] = card
    if s.lap[player] == 1:
        note_skip(s, ship=player, when=when)
        return
    s.when = when
    s.turn = player
    s.retreated = 0
    die = die_of(s, r, player, when)
    note_action(s, ship=player, when=when, symbol=symbol, die=die)
    if symbol < FORWARD:
        load(s, r, player, symbol, die)
    else:
        space, others = sail(s, r, player, symbol, die, CHOOSE_SPACE, player)
        arrive(s, r, player, space, others)


@inline
def _draw_up(s, r, player):
    """T4: draw up to the hand limit. When a card must be drawn from an empty deck, the discard pile is reshuffled."""
    limit = r.hand_size
    if s.powers[player] & r.morgans_map != 0:  # R1
        limit = r.hand_with_map
    limit = min(changed(s, r, OF_HAND_LIMIT, limit, player, ZERO, ZERO, ZERO), MOST_IN_HAND)
    if has_moment(r, OF_HAND_LIMIT):
        limit = max(limit, ONE)  # whoever has no card cannot play
    missing = limit - s.hand_size[player]
    if missing <= 0:
        return
    drawn = _draw(s, r, player)
    for i in range(ONE, missing):  # hardly ever more than one
        another = _draw(s, r, player)
        drawn |= (another & ~RESHUFFLED) << (4 * i) | (another & RESHUFFLED)
    note_draw(s, ship=player, cards=drawn & ~RESHUFFLED, reshuffled=drawn >> RESHUFFLED_BIT)


@inline
def _draw(s, r, player):
    """Draw one card. Returns for the trace its number plus 1, and RESHUFFLED if the deck was shuffled for it."""
    shuffled = ZERO
    if s.deck[player] == 0:
        _reshuffle(s, player)
        shuffled = RESHUFFLED
    card = draw_card(s, r, player)
    if r.early_reshuffle != 0 and s.deck[player] == 0:  # the choice `early_reshuffle`
        _reshuffle(s, player)
    return card + 1 | shuffled


@inline
def _reshuffle(s, player):
    """The discard pile becomes the deck."""
    s.deck[player] = s.discard[player]
    s.unplayed[player] = s.hands[player]
    s.discard[player] = 0
