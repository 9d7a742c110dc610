"""Treasure cards (P2, B9, R1 to R5, G4): drawing, keeping and losing them, and who knows which card lies face down."""

from jamaica_sim.engine.events import note_treasure
from jamaica_sim.engine.loading import to_bank
from jamaica_sim.engine.luck import book_treasure, mark_luck
from jamaica_sim.engine.machine.bits import count, has, nth, only
from jamaica_sim.engine.machine.hold_word import (
    SIXTH_PLACE,
    add_stock,
    amount_at,
    filled,
    kind_at,
    with_sixth,
    without_sixth,
)
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.machine.random import LUCK_OF_TREASURES, TREASURE_PILE, below, draw
from jamaica_sim.game.codes import GOLD


@inline
def top_of_pile(s, undrawn, drawn):
    """The pile's card number `drawn`: any of the undrawn cards, equally likely."""
    return nth(undrawn, below(draw(s.key[TREASURE_PILE], drawn), count(undrawn)))


@jit
def plunder_lair(s, r, ship, space):
    """Take a lair's token, which must still be there, and with it the top treasure card (P2)."""
    s.tokens &= ~only(space)
    if s.treasures_drawn == r.treasure_pile:  # a pile smaller than the number of lairs is a variant
        return
    mark_luck(s, r, LUCK_OF_TREASURES)
    card = top_of_pile(s, s.treasures_undrawn, s.treasures_drawn + s.treasures_returned)
    book_treasure(s, r, ship, card, s.treasures_undrawn)
    s.treasures_undrawn &= ~only(card)
    s.treasures_drawn += 1
    s.treasures_taken[ship] += 1
    s.lair_treasures[ship] |= only(card)
    note_treasure(s, ship=ship, space=space, treasure=card)
    if ship != r.ghost:
        receive(s, r, ship, card)
    else:  # G4: unseen, a power stays inactive
        s.hidden[ship] |= only(card)
        s.face_down[ship] += 1


@jit
def receive(s, r, ship, card):
    """A player's new card: a power lies face up and works at once (B10), others face down, known to the owner (R5)."""
    if has(r.power_cards, card):
        gain_power(s, r, ship, card)
    else:
        s.hidden[ship] |= only(card)
        s.face_down[ship] += 1
        s.knows[ship, ship] |= only(card)


@inline
def gain_power(s, r, ship, card):
    """Lay a power face up; the 6th Hold comes empty."""
    s.powers[ship] |= only(card)
    if has(r.sixth_hold, card):
        s.stowage[ship] = with_sixth(s.stowage[ship])


@jit
def move_power(s, r, owner, new_owner, card):
    """A face-up power changes hands, the 6th Hold with its contents (B9)."""
    s.powers[owner] &= ~only(card)
    gain_power(s, r, new_owner, card)
    if has(r.sixth_hold, card):
        _move_sixth_hold(s, r, owner, new_owner)


@jit
def _move_sixth_hold(s, r, owner, new_owner):
    stowage = s.stowage[owner]
    s.stowage[owner] = without_sixth(stowage)
    amount = amount_at(stowage, SIXTH_PLACE)
    if amount == 0:
        return
    kind = kind_at(stowage, SIXTH_PLACE)
    add_stock(s, owner, kind, -amount)
    if new_owner == r.ghost and kind != GOLD:  # G6: it keeps only doubloons
        to_bank(s, kind, amount)
        return
    s.stowage[new_owner] = filled(s.stowage[new_owner], SIXTH_PLACE, kind, amount)
    add_stock(s, new_owner, kind, amount)


@jit
def move_hidden(s, r, owner, new_owner, card):
    """A face-down card changes hands: its old and its new owner know it (R5).

    Nobody else saw which card it was, so whoever knew a card of the old owner cannot be sure of it any more.
    """
    s.hidden[owner] &= ~only(card)
    s.face_down[owner] -= 1
    for observer in range(r.ships):
        if observer == owner or observer == new_owner:
            s.knows[observer, owner] &= ~only(card)
        else:
            s.knows[observer, owner] = 0
    if new_owner == r.ghost:
        s.hidden[new_owner] |= only(card)
        s.face_down[new_owner] += 1
        s.knows[owner, new_owner] |= only(card)
    else:  # a power that the ghost had drawn unseen lies face up from now on (G6)
        receive(s, r, new_owner, card)
        if not has(r.power_cards, card):
            s.knows[owner, new_owner] |= only(card)
