"""The ghost ship's turn (G2 to G4, G8): two moves by the Captain, direction forced in the lead and in last place."""

import numpy as np

from jamaica_sim.codes import BACKWARD, EVENING, FORWARD, GHOST_DIRECTION, GHOST_SPACE, MORNING
from jamaica_sim.engine.arriving import meet, take_treasure
from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.events import note_action, note_skip
from jamaica_sim.engine.machine.branch_hints import opaque, out_of_line
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import sail

# Answers to ghost_direction.
GO_BACKWARD, GO_FORWARD = np.int64(0), np.int64(1)
ONLY_BACKWARD, ONLY_FORWARD, EITHER = np.int64(0b01), np.int64(0b10), np.int64(0b11)


@jit
def ghost_turn(s, r):
    """Both moves, by the morning and by the evening die; the second is ignored if the first came home (E1)."""
    out_of_line()
    for when in range(MORNING, opaque(EVENING) + 1):
        if s.lap[r.ghost] == 1:
            note_skip(s, ship=r.ghost, when=when)
            return
        _ghost_move(s, r, when)


@inline
def _ghost_move(s, r, when):
    s.when = when
    ghost = r.ghost
    die = s.placed[when]
    directions = _directions(s, r)
    direction = FORWARD
    if ask(s, r, GHOST_DIRECTION, s.captain, ghost, directions) == GO_BACKWARD:
        direction = BACKWARD
    note_action(s, ship=ghost, when=when, symbol=direction, die=die, forced=directions != EITHER)
    space, others = sail(s, r, ghost, direction, die, GHOST_SPACE, s.captain)
    meet(s, r, ghost, space, others)
    take_treasure(s, r, ghost, space)  # G4: no cost, but a treasure


@inline
def _directions(s, r):
    """G3: alone in the lead it goes back, alone in last place it goes on, otherwise the Captain chooses."""
    own, nearest, furthest = s.to_go[r.ghost], s.to_go[0], s.to_go[0]
    for ship in range(1, r.players):
        nearest = min(nearest, s.to_go[ship])
        furthest = max(furthest, s.to_go[ship])
    if own < nearest:
        return ONLY_BACKWARD
    if own > furthest:
        return ONLY_FORWARD
    return EITHER
