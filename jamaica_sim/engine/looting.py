"""Loot (B8, B9, G6, G7): what the winner of a battle may take or give, and what then happens."""

from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.events import TAKE_GIVE, TAKE_HIDDEN, TAKE_HOLD, TAKE_NOTHING, TAKE_POWER, note_loot
from jamaica_sim.engine.loading import can_load, stow, stow_on, to_bank
from jamaica_sim.engine.luck import book_theft, mark_luck
from jamaica_sim.engine.machine.bits import ZERO, count, has, lowest, nth, only
from jamaica_sim.engine.machine.hold_word import (
    add_stock,
    amount_at,
    cleared,
    distinct,
    holds_with,
    kind_at,
    place_of,
    set_of,
)
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.random import HIDDEN_CARD, LUCK_OF_HIDDEN, below, draw
from jamaica_sim.engine.treasures import move_hidden, move_power
from jamaica_sim.game.codes import (
    CHOOSE_LOOT,
    GHOST_LOOT,
    GOLD,
    HOLD_TO_EMPTY,
    LOOT_GIVE,
    LOOT_HIDDEN,
    LOOT_KINDS,
    LOOT_NOTHING,
    LOOT_POWER,
)

TAKES_POWER = LOOT_KINDS.index("power")
TAKES_HIDDEN = LOOT_KINDS.index("hidden")
GIVES = LOOT_KINDS.index("give")
TAKES_NOTHING = LOOT_KINDS.index("nothing")
LOOTING_ASKS = 1 << CHOOSE_LOOT | 1 << GHOST_LOOT | 1 << HOLD_TO_EMPTY


@jit
def loot(s, r, winner, loser, decider):
    """The winner's one choice after a battle, and its consequence."""
    s.winner = winner
    s.loser = loser
    legal = _holds_to_take(s, r, winner, loser) | _cards_to_take(s, r, loser, decider) | only(LOOT_NOTHING)
    if winner == r.ghost:  # G6: it never gives
        answer = ask(s, r, GHOST_LOOT, decider, winner, legal)
    else:
        legal |= _cards_to_give(s, r, winner, loser) << LOOT_GIVE
        if s.strategy[CHOOSE_LOOT, winner] == 0:
            legal = _one_way_to_give(s, r, winner, legal)
        answer = ask(s, r, CHOOSE_LOOT, winner, winner, legal)
    take_loot(s, r, winner, loser, decider, answer)


@inline
def take_loot(s, r, winner, loser, decider, answer):
    """Carry out the answer to the question about loot."""
    if answer < LOOT_POWER:
        _take_hold(s, r, winner, loser, decider, answer)
    elif answer < LOOT_HIDDEN and has(s.hidden[loser], answer - LOOT_POWER):  # the choice `steal_known`
        s.loot[winner, TAKES_HIDDEN] += 1
        card = answer - LOOT_POWER
        note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_HIDDEN, treasure=card)
        move_hidden(s, r, loser, winner, card)
    elif answer < LOOT_HIDDEN:
        s.loot[winner, TAKES_POWER] += 1
        card = answer - LOOT_POWER
        note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_POWER, treasure=card)
        move_power(s, r, loser, winner, card)
    elif answer == LOOT_HIDDEN:
        s.loot[winner, TAKES_HIDDEN] += 1
        card = _random_hidden(s, r, loser)
        book_theft(s, r, winner, loser, card, s.hidden[loser])
        note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_HIDDEN, treasure=card)
        move_hidden(s, r, loser, winner, card)
    elif answer < LOOT_NOTHING:
        s.loot[winner, GIVES] += 1
        card = answer - LOOT_GIVE
        note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_GIVE, treasure=card)
        _give(s, r, winner, loser, card)
    else:
        s.loot[winner, TAKES_NOTHING] += 1
        note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_NOTHING)


@inline
def loot_on(s, r, answer):
    """Go on after a question about loot."""
    if s.decision == HOLD_TO_EMPTY:
        stow_on(s, answer)
    else:
        take_loot(s, r, s.winner, s.loser, s.me, answer)


@inline
def _holds_to_take(s, r, winner, loser):
    """B8 (a): holds whose contents the winner can load; the ghost may also throw food and gunpowder overboard (G6)."""
    stowage = s.stowage[loser]
    holds = ZERO
    for resource in range(GOLD, s.stock.shape[1]):
        if can_load(s.stowage[winner], resource) or (winner == r.ghost and resource != GOLD):
            holds |= holds_with(stowage, resource)
    return set_of(distinct(stowage, holds))


@inline
def _cards_to_take(s, r, loser, decider):
    """B8 (b): each face-up power, except the ghost's Lady Beth (G1), and any face-down card unseen.

    By the choice `steal_known` also each face-down card that the decider knows (R5).
    """
    cards = s.powers[loser]
    if loser == r.ghost:
        cards &= ~r.lady_beth
    if r.steal_known != 0:
        cards |= s.knows[decider, loser]
    answers = cards << LOOT_POWER
    if s.hidden[loser] != 0:
        answers |= only(LOOT_HIDDEN)
    return answers


@inline
def _cards_to_give(s, r, winner, loser):
    """B8 (c): an own cursed card; to the ghost any own card, face up or down (G7), unless the rules say cursed only.

    By the choice `give_any_treasure` any own card also to a player.
    """
    any_card = r.ghost_takes_cursed_only == 0 if loser == r.ghost else r.give_any_treasure != 0
    return s.hidden[winner] | s.powers[winner] if any_card else s.hidden[winner] & r.cursed_cards


@inline
def _one_way_to_give(s, r, winner, legal):
    """Random play has one option "give": the face-down card of least value that it may give."""
    gifts = (legal >> LOOT_GIVE) & s.hidden[winner]
    legal &= only(LOOT_GIVE) - 1 | only(LOOT_NOTHING)
    if gifts == 0:
        return legal
    least = lowest(gifts)
    while gifts != 0:
        card = lowest(gifts)
        gifts &= gifts - 1
        if r.treasure_value[card] < r.treasure_value[least]:
            least = card
    return legal | only(least) << LOOT_GIVE


@inline
def _take_hold(s, r, winner, loser, decider, hold):
    place = place_of(hold)
    stowage = s.stowage[loser]
    resource, amount = kind_at(stowage, place), amount_at(stowage, place)
    s.loot[winner, resource] += 1
    note_loot(s, ship=winner, loser=loser, decider=decider, take=TAKE_HOLD, hold=hold, resource=resource, amount=amount)
    s.stowage[loser] = cleared(stowage, place)
    add_stock(s, loser, resource, -amount)
    if winner == r.ghost and resource != GOLD:
        to_bank(s, resource, amount)
        return
    stow(s, r, winner, decider, s.stowage[winner], resource, amount)


@inline
def _random_hidden(s, r, loser):
    cards = s.hidden[loser]
    mark_luck(s, r, LUCK_OF_HIDDEN)
    s.hidden_picks += 1
    return nth(cards, below(draw(s.key[HIDDEN_CARD], s.hidden_picks), count(cards)))


@inline
def _give(s, r, winner, loser, card):
    if has(s.powers[winner], card):
        move_power(s, r, winner, loser, card)
    else:
        move_hidden(s, r, winner, loser, card)
