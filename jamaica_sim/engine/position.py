"""Positions on the stack, from which games are played on. A position is a state without its sums."""

from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.machine.memory import copy_record, stack_record
from jamaica_sim.engine.state import POSITION_BYTES, STATE_DTYPE
from jamaica_sim.game.codes import MAX_SHIPS

CACHE_LINE = 64

# Makes a position on the stack, all zero. Its type is that of a state, but it has no room for sums: do not touch them.
new_position = stack_record(STATE_DTYPE, POSITION_BYTES, CACHE_LINE, cleared=True)


@inline
def copy_position(target, source):
    """Make one position equal to another."""
    copy_record(target, source, POSITION_BYTES)


@inline
def seat_players_of(source, target):
    """Seat the players of `source` in `target`."""
    for ship in range(MAX_SHIPS):
        target.weights[ship], target.reads_words[ship] = source.weights[ship], source.reads_words[ship]
        for decision in range(target.strategy.shape[0]):
            target.strategy[decision, ship] = source.strategy[decision, ship]
