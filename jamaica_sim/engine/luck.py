"""Luck as the rules draw it: the dice of a round, new luck for all later draws, and a mark before every draw.

The marks let `causes/swings.py` ask how much each draw decides. Without a trace they compile to nothing.
"""

from jamaica_sim.engine.machine.jit import inline, jit, overloaded
from jamaica_sim.engine.machine.random import ACTION_DICE, DECK, STRATEGY, below, draw, first_place, scramble
from jamaica_sim.engine.state import LUCK_ROWS


@inline
def throw_dice(s, r, round_number):
    """Throw the dice of a round (T1). It is done a round early, because the whole round waits for them."""
    both = below(draw(s.key[ACTION_DICE], round_number), r.die_faces * r.die_faces)
    first = both // r.die_faces
    s.thrown[0] = r.die_face[first]
    s.thrown[1] = r.die_face[both - first * r.die_faces]


@jit
def renew_luck(s, r, key):
    """Take all luck to come from the stream `key`: dice, decks, piles, combat, and the strategies' own draws."""
    for i in range(s.key.size):
        s.key[i] = draw(key, i)
    for ship in range(r.ships):
        s.deck_place[ship] = first_place(s.key[DECK + ship])
        s.deck_luck[ship] = scramble(s.deck_place[ship])
        s.luck_place[ship] = first_place(s.key[STRATEGY + ship])
        s.luck[ship] = scramble(s.luck_place[ship])
    throw_dice(s, r, s.round + 1)


@overloaded
def mark_luck(s, r, source):
    """Note that luck of this source is about to be drawn. From draw number `renew_at` on, all luck is new."""
    return _mark if "traced" in s.fields else _mark_nothing


def _mark(s, r, source):
    if s.renew_at > 0 and s.luck_drawn == s.renew_at:
        renew_luck(s, r, s.renew_key)
    if s.luck_drawn < LUCK_ROWS:
        s.luck_source[s.luck_drawn] = source
    s.luck_drawn += 1


def _mark_nothing(s, r, source):
    pass


@overloaded
def forget_luck(s):
    """Reset the number of draws for a new game."""
    return _forget if "traced" in s.fields else _forget_nothing


def _forget(s):
    s.luck_drawn = 0


def _forget_nothing(s):
    pass


@overloaded
def new_luck_to_come(s, r, key):
    """Renew the luck from now on; where a trace is kept and `renew_at` is set, from that draw on."""
    return _new_luck_later if "traced" in s.fields else _new_luck_now


def _new_luck_now(s, r, key):
    renew_luck(s, r, key)


def _new_luck_later(s, r, key):
    s.trace_length = 0  # nobody reads the traces of games that are played on
    if s.renew_at > 0 and s.renew_at >= s.luck_drawn:  # `_mark` renews it at that draw, which may be the next
        s.renew_key = key
    else:
        renew_luck(s, r, key)
