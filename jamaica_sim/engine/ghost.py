"""The ghost ship's turn (G2 to G4, G8): two moves by the Captain, direction forced in the lead and in last place."""

import numpy as np

from jamaica_sim.engine.arriving import meet, take_treasure
from jamaica_sim.engine.decide import ask
from jamaica_sim.engine.events import note_action, note_skip
from jamaica_sim.engine.house_rules import act, is_still_at
from jamaica_sim.engine.machine.bits import ZERO, pick
from jamaica_sim.engine.machine.jit import inline, jit
from jamaica_sim.engine.moving import die_again, die_of, plot_course, sail, sail_to, way_of
from jamaica_sim.game.codes import AT_ARRIVAL, BACKWARD, EVENING, FORWARD, GHOST_DIRECTION, GHOST_SPACE

# Answers to ghost_direction.
GO_BACKWARD, GO_FORWARD = np.int64(0), np.int64(1)
ONLY_BACKWARD, ONLY_FORWARD, EITHER = np.int64(0b01), np.int64(0b10), np.int64(0b11)
GHOST_ASKS = 1 << GHOST_DIRECTION | 1 << GHOST_SPACE  # questions about its moves; the others come up in battle


@jit
def ghost_moves(s, r, first):
    """Move the ghost by both dice, or, with `first` = EVENING, by the evening die only.

    The second move is ignored if the first came home (E1).
    """
    s.turn = r.ghost
    s.retreated = 0
    for when in range(first, EVENING + 1):
        if s.lap[r.ghost] == 1:
            note_skip(s, ship=r.ghost, when=when)
            return
        _ghost_move(s, r, when)


@inline
def _ghost_move(s, r, when):
    s.when = when
    ghost = r.ghost
    directions = _directions(s, r)
    direction = FORWARD
    if ask(s, r, GHOST_DIRECTION, s.captain, ghost, directions) == GO_BACKWARD:
        direction = BACKWARD
    move_ghost(s, r, when, direction, directions != EITHER)


@inline
def move_ghost(s, r, when, direction, forced):
    """One move of the ghost in a direction, then battle and treasure on its end."""
    ghost, die = r.ghost, die_of(s, r, r.ghost, when)
    note_action(s, ship=ghost, when=when, symbol=direction, die=die, forced=forced)
    space, others = sail(s, r, ghost, direction, die, GHOST_SPACE, s.captain)
    arrive_as_ghost(s, r, space, others)


@inline
def arrive_as_ghost(s, r, space, others):
    """G4: battle and treasure, but no cost."""
    act(s, r, AT_ARRIVAL, r.ghost, space, ZERO)
    arrive_as_ghost_on(s, r, space, others)


@inline
def arrive_as_ghost_on(s, r, space, others):
    """The same after what house rules do on arrival."""
    if is_still_at(s, r, r.ghost, space):
        meet(s, r, r.ghost, space, others)
    if is_still_at(s, r, r.ghost, space):
        take_treasure(s, r, r.ghost, space)


@inline
def ghost_moves_on(s, r, when, answer):
    """Go on after a question in a move of the ghost."""
    if s.decision == GHOST_DIRECTION:
        move_ghost(s, r, when, pick(answer == GO_FORWARD, FORWARD, BACKWARD), False)
    else:
        _sail_on(s, r, when, answer)


@inline
def _sail_on(s, r, when, end):
    """Finish a move to the chosen end. The direction is the one to which the offered ends belong."""
    ghost, die = r.ghost, die_again(s, r, r.ghost, when)
    ahead = r.ends[way_of(s.lap[ghost], FORWARD), die, s.space[ghost]]
    direction = pick(s.legal == ahead, FORWARD, BACKWARD)
    others = sail_to(s, r, ghost, direction, plot_course(s, r, ghost, direction, die), end)
    arrive_as_ghost(s, r, end, others)


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
