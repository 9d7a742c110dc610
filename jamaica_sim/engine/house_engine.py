"""The engine of house rules: the rules compiled with their moments, for a rulebook with the field `house`.

One compiled function plays every part of a game that the ordinary engine hands over at its gates, and carries out the
verbs of files. It is compiled when the first file of house rules is played, once for all files, and kept on disk.
"""

import numpy as np

from jamaica_sim.engine.house_rules import NEXT_ROUND, REST_OF_ROUND, RESUME, SCORE, SET_UP, act
from jamaica_sim.engine.house_verbs import do_verb
from jamaica_sim.engine.machine.bits import ZERO
from jamaica_sim.engine.machine.jit import KeptFunction, inline
from jamaica_sim.engine.play_on import next_round, rest_of_round, resume
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.state import HOUSE_RULES_DTYPE, STATE_DTYPE, TRACED_STATE_DTYPE
from jamaica_sim.game.codes import AT_SET_UP


@inline
def _play_part(s, r, part, first, second, third):
    if part == NEXT_ROUND:
        next_round(s, r)
    elif part == RESUME:
        resume(s, r, first)
    elif part == REST_OF_ROUND:
        rest_of_round(s, r, first, second, third != 0)
    elif part == SCORE:
        score_game(s, r)
    elif part == SET_UP:
        _set_up(s, r)
    else:
        return do_verb(s, r, part, first, second, third)
    return ZERO


@inline
def _set_up(s, r):
    """Forget what the last game remembered; then the file sets up its own."""
    s.extra_treasures = 0
    s.house_draws = 0
    s.gifts_waiting = 0
    for i in range(s.memory.size):
        s.memory[i] = 0
    for ship in range(s.ship_memory.shape[0]):
        for i in range(s.ship_memory.shape[1]):
            s.ship_memory[ship, i] = 0
    for space in range(s.space_memory.size):
        s.space_memory[space] = 0
    act(s, r, AT_SET_UP, ZERO, ZERO, ZERO)


def play_house(s, r, part, first, second, third):
    """Play a part of a game, or carry out a verb."""
    return _play_part(s, r, part, first, second, third)


def trace_house(s, r, part, first, second, third):
    """The same in a state record with a trace."""
    return _play_part(s, r, part, first, second, third)


HOUSE_ENGINES = (
    KeptFunction(play_house, STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [np.int64]),
    KeptFunction(trace_house, TRACED_STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [np.int64]),
)
