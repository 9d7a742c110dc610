"""Deals again what a player cannot know (K2). All positions that agree with the player's view are equally likely.

The player knows the cards in the others' discard piles, and the cards that were in a hand when its deck was last
shuffled. It knows the treasures that lie face up, its own, and the ones that it has seen (R5). A player's face-down
card is never a power; the ghost's can be one (G4). What others know of face-down cards is secret too: in the new
position each player knows its own cards and no others.
"""

from jamaica_sim.engine.decide import VIEW_BYTES, ask, show_view
from jamaica_sim.engine.loading import is_loading
from jamaica_sim.engine.luck import renew_luck
from jamaica_sim.engine.machine.bits import ZERO, count, nth, only
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.memory import copy_record
from jamaica_sim.engine.machine.random import below, draw
from jamaica_sim.engine.moving import spaces_to_go
from jamaica_sim.engine.position import copy_position, new_position, seat_players_of
from jamaica_sim.engine.setup import NOT_IN_THE_RACE
from jamaica_sim.engine.state import NONE, WIDTH
from jamaica_sim.engine.turn import choose_card, left_of
from jamaica_sim.game.codes import CHOOSE_CARD, GOLD, GUNPOWDER, HOLD_TO_EMPTY

OF_LUCK = 1 << 20  # the draw of a deal's stream that is the key of all luck to come; cards take the draws before it


@jit
def complete_position(s, r):
    """Fill in the hidden fields that follow from the view; all other hidden fields must be zero."""
    me = s.me
    s.hands[me], s.chosen[me], s.hidden[me] = s.hand, s.card, s.treasures
    s.deck[me] = r.all_cards[me] & ~(s.hand | s.discard[me])
    if has_secret_card(s, r, me):
        s.deck[me] &= ~only(s.card)
    for ship in range(WIDTH):
        s.to_go[ship] = NOT_IN_THE_RACE
    for ship in range(r.ships):
        s.knows[me, ship] = s.known[ship]
        s.unpacked[ship] = NONE
        s.to_go[ship] = spaces_to_go(r, s.space[ship], s.lap[ship])
        if s.lap[ship] == 1:
            s.finished_ships |= only(ship)
        for resource in range(GOLD, GUNPOWDER + 1):
            s.in_play[resource] += s.stock[ship, resource]
    if s.decision == HOLD_TO_EMPTY and not is_loading(s, r):  # loot on its way between two ships
        s.in_play[s.resource] += s.amount
    s.treasures_drawn = min(count(r.lairs & ~s.tokens) + s.extra_treasures, r.treasure_pile)
    s.ended_by = NONE


@jit
def deal_anew(s, r, key):
    """Deal everything that the player `me` cannot know, and the luck to come, from the stream `key`."""
    drawn = ZERO
    player = left_of(r, s.me)
    while player != s.me:
        drawn = _deal_cards(s, r, player, key, drawn)
        player = left_of(r, player)
    _deal_treasures(s, r, key, drawn)
    renew_luck(s, r, draw(key, OF_LUCK))


@inline
def has_secret_card(s, r, player):
    """Whether a player has chosen a card that is still face down."""
    if s.decision == NONE or (s.turn != NONE and s.played[player] != NONE):
        return False
    return s.turn != NONE or (s.decision == CHOOSE_CARD and _is_before(s, r, player, s.me))


@inline
def _is_before(s, r, player, other):
    """Whether a player chooses and acts before another one in this round."""
    return (player - s.captain) % r.players < (other - s.captain) % r.players


@inline
def _deal_cards(s, r, player, key, drawn):
    """Deal another player's hand, deck and face-down card; returns the number of draws so far."""
    unseen = r.all_cards[player] & ~s.discard[player]
    hand = s.unplayed[player] & unseen
    has_secret = has_secret_card(s, r, player)
    deck = unseen & ~hand
    for _ in range(s.hand_size[player] + has_secret - count(hand)):
        card = nth(deck, below(draw(key, drawn), count(deck)))
        drawn += 1
        deck &= ~only(card)
        hand |= only(card)
    s.deck[player] = deck
    s.chosen[player] = s.played[player] if s.turn != NONE else NONE
    if has_secret:
        s.chosen[player] = nth(hand, below(draw(key, drawn), count(hand)))
        drawn += 1
        hand &= ~only(s.chosen[player])
    s.hands[player] = hand
    return drawn


@inline
def _deal_treasures(s, r, key, drawn):
    """Deal the others' face-down treasures. Players, who can have no power there, come before the ghost."""
    unseen = r.treasures_in_game & ~s.treasures
    for ship in range(r.ships):
        unseen &= ~(s.powers[ship] | s.known[ship])
    for ship in range(r.ships):
        if ship == s.me:
            continue
        s.hidden[ship] = s.known[ship]
        for _ in range(s.face_down[ship] - count(s.known[ship])):
            cards = unseen if ship == r.ghost else unseen & ~r.power_cards
            card = nth(cards, below(draw(key, drawn), count(cards)))
            drawn += 1
            unseen &= ~only(card)
            s.hidden[ship] |= only(card)
        s.knows[ship, ship] = s.hidden[ship] if ship != r.ghost else 0
    s.treasures_undrawn = unseen


@jit
def choose_secretly(s, r, base):
    """Players whose chosen card `me` has not seen choose again from the hand just dealt; then the question is restored.

    Where `me` is choosing a card, the players after it choose already. `base` is the position before the deal.
    """
    player = left_of(r, base.me)
    while player != base.me:
        is_secret = has_secret_card(base, r, player)
        if is_secret:
            s.hands[player] |= only(s.chosen[player])
            s.hand_size[player] += 1
        if is_secret or base.decision == CHOOSE_CARD:
            choose_anew(s, r, player)
        player = left_of(r, player)
    show_view(s, r, base.decision, base.me, base.ship, base.legal)


@inline
def choose_anew(s, r, player):
    """A player chooses a card out of the hand that was dealt."""
    s.plan = 0
    choose_card(s, player, ask(s, r, CHOOSE_CARD, player, player, s.hands[player]))


@jit
def deal_blindly(s, r, key):
    """Forget everything behind the view and deal it again from the stream `key`, for the same strategies."""
    base = new_position()
    copy_record(base, s, VIEW_BYTES)
    complete_position(base, r)
    seat_players_of(s, base)
    base.game = s.game
    copy_position(s, base)
    deal_anew(s, r, key)
    choose_secretly(s, r, base)
