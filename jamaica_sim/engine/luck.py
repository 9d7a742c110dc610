"""Luck as the rules draw it: the dice of a round, new luck for all later draws, and a mark before every draw.

The marks let `causes/swings.py` ask how much each draw decides. Without a trace they compile to nothing.
"""

from jamaica_sim.engine.machine.bits import count
from jamaica_sim.engine.machine.jit import inline, jit, overloaded
from jamaica_sim.engine.machine.random import ACTION_DICE, DECK, STRATEGY, below, draw, first_place, scramble
from jamaica_sim.engine.state import HALF, LUCK_ROWS, ODDS_REACH


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
    return _mark if "traced" in s.fields else (lambda s, r, source: None)


def _mark(s, r, source):
    if s.renew_at > 0 and s.luck_drawn == s.renew_at:
        renew_luck(s, r, s.renew_key)
    if s.luck_drawn < LUCK_ROWS:
        s.luck_source[s.luck_drawn] = source
    s.luck_drawn += 1


@overloaded
def forget_luck(s):
    """Reset the number of draws for a new game."""
    return _forget if "traced" in s.fields else (lambda s: None)


def _forget(s):
    s.luck_drawn = 0


@overloaded
def new_luck_to_come(s, r, key):
    """Renew the luck from now on; where a trace is kept and `renew_at` is set, from that draw on."""
    return _new_luck_later if "traced" in s.fields else (lambda s, r, key: renew_luck(s, r, key))


def _new_luck_later(s, r, key):
    s.trace_length = 0  # nobody reads the traces of games that are played on
    if s.renew_at > 0 and s.renew_at >= s.luck_drawn:  # `_mark` renews it at that draw, which may be the next
        s.renew_key = key
    else:
        renew_luck(s, r, key)


LONG_WAY = 50  # steps from the finish at which a battle is still worth little
STAKE_SHIFT = 3
HALF_SET = (1 << HALF) - 1


@inline
def book_battle(s, r, roll, ship, foe, advantage, face):
    """Book a throw of the combat die by a ship that had this advantage, as attacker (roll 0) or defender (1).

    An attack is valued as if the defender adds nothing to its die, a defence against the actual attack.
    """
    stake = max(1, (LONG_WAY - s.to_go[ship]) >> STAKE_SHIFT)  # near the finish there is more to take, and less time
    gain = stake * r.battle_fortune[roll, ODDS_REACH + min(max(advantage, -ODDS_REACH), ODDS_REACH), face]
    s.fortune[ship] += gain
    s.fortune[foe] -= gain


@inline
def book_treasure(s, r, ship, card, cards):
    """Book a card drawn out of a set of cards."""
    s.fortune[ship] += _gain(r, card, cards)


@inline
def book_theft(s, r, thief, owner, card, cards):
    """Book a card drawn out of a set of cards that another ship had."""
    gain = _gain(r, card, cards)
    s.fortune[thief] += gain
    s.fortune[owner] -= gain


@inline
def book_fall(s, r, ship, space, face):
    """Book a throw of the die for a shortage on a space."""
    s.fortune[ship] += r.fall_fortune[space, face]


@inline
def _gain(r, card, cards):
    """The worth of a card less the mean worth of its set, as fortune.

    Both are multiplied by the size of the set, so that the gains of all its cards add up to exactly zero.
    """
    size = count(cards)
    total = r.worth_of_half[0, cards & HALF_SET] + r.worth_of_half[1, cards >> HALF]
    return (size * r.treasure_worth[card] - total) * r.fortune_share[size]
