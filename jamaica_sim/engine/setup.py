"""Setting up a game (S1 to S3, G1): holds, treasure pile, lair tokens, decks and hands, the first Captain."""

import numpy as np

from jamaica_sim.engine.loading import from_bank
from jamaica_sim.engine.luck import forget_luck, mark_luck, throw_dice
from jamaica_sim.engine.machine.bits import ONE, ZERO, count, nth, only
from jamaica_sim.engine.machine.hold_word import add_stock, filled, place_of
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.random import (
    CAPTAIN,
    DECK,
    LUCK_OF_CAPTAIN,
    LUCK_OF_DECKS,
    STEP,
    STRATEGY,
    below,
    deal_keys,
    deal_other_keys,
    draw,
    first_place,
    scramble,
)
from jamaica_sim.engine.state import LANE_COUNTS, NONE, WIDTH
from jamaica_sim.game.codes import FOOD, GOLD, GUNPOWDER, MAX_SHIPS

TWO = np.int64(2)
NOT_IN_THE_RACE = np.int64((1 << 16) - 1)  # further from the finish than any ship


@jit
def set_up(s, r, seed, game):
    """Set up a game, up to the moment before the first round."""
    deal_keys(s.key, seed, game)
    if s.other_luck != 0:
        deal_other_keys(s.key, game, s.other_luck, s.other_seed)
    forget_luck(s)
    s.game = game
    s.round = 0
    s.finished_ships = 0
    s.ended_by = -1
    s.hidden_picks = 0
    _forget_questions(s)
    s.tokens = r.lairs
    s.treasures_undrawn = r.treasures_in_game
    s.treasures_drawn = 0
    s.treasures_returned = 0
    for resource in range(s.in_play.size):
        s.in_play[resource] = 0
    for space in range(s.occupants.size):
        s.occupants[space] = 0
    s.occupants[0] = only(r.ships) - 1
    for ship in range(WIDTH):
        s.to_go[ship] = NOT_IN_THE_RACE
    for ship in range(MAX_SHIPS):
        s.unpacked[ship] = NONE
    for ship in range(r.ships):
        _launch(s, r, ship)
    for player in range(r.players):
        _deal_hand(s, r, player)  # S3
    if r.ghost >= 0:  # G1
        _provision(s, r.ghost, ZERO, GOLD, r.ghost_gold[0])
        _provision(s, r.ghost, ONE, GOLD, r.ghost_gold[1])
        s.powers[r.ghost] = r.lady_beth
    mark_luck(s, r, LUCK_OF_CAPTAIN)
    s.captain = below(draw(s.key[CAPTAIN], ZERO), r.players)
    s.first_captain = s.captain
    player = s.captain
    for seat in range(r.players):  # S1
        _provision(s, player, ZERO, FOOD, r.start_food[player] + r.seat_goods[seat, FOOD])
        _provision(s, player, ONE, GOLD, r.start_gold[player] + r.seat_goods[seat, GOLD])
        _provision(s, player, TWO, GUNPOWDER, r.start_gunpowder[player] + r.seat_goods[seat, GUNPOWDER])
        player = r.left[player]
    throw_dice(s, r, ONE)


@inline
def _forget_questions(s):
    """Clear what a view keeps of earlier decisions, so that no game depends on the one before it."""
    s.resource = s.amount = 0
    s.attacker = s.defender = s.winner = s.loser = 0
    s.attack_powder = s.attack_face = s.attack_strength = 0
    s.defence_powder = s.defence_face = s.defence_strength = 0
    s.when = s.plan = s.sabre_used = s.retreated = 0
    s.turn = NONE
    s.dice[0] = s.dice[1] = 0


@inline
def _launch(s, r, ship):
    s.space[ship] = 0
    s.lap[ship] = 0
    s.to_go[ship] = r.circuit
    for lane in range(LANE_COUNTS):
        s.passed[ship, lane] = 0
    for resource in range(GOLD, GUNPOWDER + 1):
        s.stock[ship, resource] = 0
    s.stowage[ship] = r.no_cargo[ship]
    s.powers[ship] = 0
    s.hidden[ship] = 0
    s.face_down[ship] = 0
    for owner in range(r.ships):
        s.knows[ship, owner] = 0
    s.hands[ship] = 0
    s.hand_size[ship] = 0
    s.discard[ship] = 0
    s.unplayed[ship] = 0
    s.deck[ship] = r.all_cards[ship]
    s.deck_place[ship] = first_place(s.key[DECK + ship])
    s.deck_luck[ship] = scramble(s.deck_place[ship])
    s.luck_place[ship] = first_place(s.key[STRATEGY + ship])
    s.luck[ship] = scramble(s.luck_place[ship])


@inline
def _provision(s, ship, hold, resource, amount):
    if amount > 0:
        s.stowage[ship] = filled(s.stowage[ship], place_of(hold), resource, amount)
        add_stock(s, ship, resource, amount)
        from_bank(s, resource, amount)


@inline
def _deal_hand(s, r, player):
    for _ in range(r.hand_size):
        draw_card(s, r, player)


@inline
def draw_card(s, r, player):
    """Draw the top card of the player's deck, which must not be empty: any of its cards, equally likely."""
    mark_luck(s, r, LUCK_OF_DECKS)
    deck = s.deck[player]
    card = nth(deck, below(s.deck_luck[player], count(deck)))
    place = s.deck_place[player] + STEP
    s.deck_place[player] = place
    s.deck_luck[player] = scramble(place)  # ready for the next card, so that nothing waits for it
    s.deck[player] &= ~only(card)
    s.hands[player] |= only(card)
    s.hand_size[player] += 1
    return card
