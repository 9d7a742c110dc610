"""Fortune: what chance gave a ship beyond what it gives on average, in sixtieths of a point.

At every draw that is booked, a ship gets the value of what was drawn minus the mean over everything that could have
been drawn. So the mean of a ship's fortune is exactly zero, whoever plays, and a comparison can subtract it without
favouring anybody (`stats/control.py`). The weight of a draw may depend on what was known before it, never on what
follows. Nothing here changes a game.
"""

from jamaica_sim.engine.machine.bits import count
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.state import HALF, ODDS_REACH

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
