"""Saran's Sabre (B7, G5, R2): whether its holder has a roll of the combat die repeated, and who decides that."""

import numpy as np

from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.events import note_sabre
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.game.codes import USE_SABRE

REROLL = 1
SABRE_ANSWERS = np.int64(0b11)  # the set of 0, keep, and 1, reroll


@inline
def decider(r, ship, foe):
    """Who decides for a ship in battle: its player; for the ghost the player on the left of its foe (G5)."""
    if ship != r.ghost:
        return ship
    return r.left[foe]


@inline
def sabre(s, r, roller, foe):
    """Whether the holder of Saran's Sabre has the last roll repeated; once in a battle (B7)."""
    if s.powers[roller] & r.sarans_sabre != 0:
        holder, other = roller, foe
    elif s.powers[foe] & r.sarans_sabre != 0:
        holder, other = foe, roller
    else:
        return False
    if s.sabre_used != 0:
        return False
    if ask(s, r, USE_SABRE, decider(r, holder, other), holder, SABRE_ANSWERS) != REROLL:
        return False
    s.sabre_used = 1
    note_sabre(s, ship=holder, of=roller)
    return True
