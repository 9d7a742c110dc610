"""The trace: what happened, event by event, written into the state where its record has room for that.

The rules are written once and compiled for two types of record. In the one without a trace nothing is left of these
calls, nor of what is reckoned for them, which is 7% of the instructions of random play. `replays/trace.py` turns the
rows into the JSON of a trace. A row is (event, ship, six numbers); sets of options are one number.
"""

import numpy as np
from numba.extending import overload

from jamaica_sim.engine.machine.branch_hints import out_of_line
from jamaica_sim.engine.machine.jit import NOT_INLINE, inline
from jamaica_sim.engine.state import TRACE_ROWS

EVENTS = (
    "round",  # dice as rolled, dice placed, number; the ship is the Captain
    "choose",  # hand, card
    "action",  # when, symbol, die, forced
    "skip",  # when
    "load",  # resource, amount, hold, emptied kind, emptied count
    "no_load",  # resource, amount
    "move",  # from space, from lap, to space, to lap, options, symbol
    "battle",  # defender, space, targets
    "powder",  # amount
    "roll",  # face
    "sabre",  # of
    "battle_end",  # winner, attack, defence
    "loot",  # loser, decider, answer, resource or treasure, amount
    "pay",  # resource, amount, holds
    "shortage",  # resource, due, paid, face
    "retreat",  # as move
    "treasure",  # space, treasure
    "finish",
    "draw",  # cards, reshuffled
)
(
    ROUND,
    CHOOSE,
    ACTION,
    SKIP,
    LOAD,
    NO_LOAD,
    MOVE,
    BATTLE,
    POWDER,
    ROLL,
    SABRE,
    BATTLE_END,
    LOOT,
    PAY,
    SHORTAGE,
    RETREAT,
    TREASURE,
    FINISH,
    DRAW,
) = (np.int64(i) for i in range(len(EVENTS)))

NONE = np.int64(-1)
ZERO = np.int64(0)


def _write(s, event, ship, a, b, c, d, e, f):
    out_of_line()
    if s.trace_length < TRACE_ROWS:
        row = s.trace_length
        s.trace[row, 0] = event
        s.trace[row, 1] = ship
        s.trace[row, 2] = a
        s.trace[row, 3] = b
        s.trace[row, 4] = c
        s.trace[row, 5] = d
        s.trace[row, 6] = e
        s.trace[row, 7] = f
    s.trace_length += 1


def _skip(s, event, ship, a, b, c, d, e, f):
    pass


def _record(s, event, ship, a, b, c, d, e, f):
    """One event into the trace, where the record has one."""


@overload(_record, jit_options=NOT_INLINE)
def _record_in(s, event, ship, a, b, c, d, e, f):
    return _write if "traced" in s.fields else _skip


@inline
def note(s, event, ship, a, b, c, d, e):
    """Write one event, if this game is traced."""
    _record(s, event, ship, a, b, c, d, e, ZERO)


@inline
def note_move(s, event, ship, start, lap, end, end_lap, ends, symbol):
    """The same for a move or a retreat, whose direction tells the laps of the options."""
    _record(s, event, ship, start, lap, end, end_lap, ends, symbol)
