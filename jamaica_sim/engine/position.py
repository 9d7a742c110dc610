"""A position on the stack: a state without its sums, to play on in."""

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.machine.memory import copy_record, stack_record
from jamaica_sim.engine.state import POSITION_BYTES, STATE_DTYPE

CACHE_LINE = 64

# Room for a position on the stack, all zero; its type is that of a state, whose sums must not be touched.
new_position = stack_record(STATE_DTYPE, POSITION_BYTES, CACHE_LINE, cleared=True)


@inline
def copy_position(target, source):
    """Make one position equal to another."""
    copy_record(target, source, POSITION_BYTES)


@inline
def seat_players_of(source, target):
    """Have the players of one position play in the other."""
    for ship in range(MAX_SHIPS):
        target.weights[ship], target.reads_words[ship] = source.weights[ship], source.reads_words[ship]
        for decision in range(target.strategy.shape[0]):
            target.strategy[decision, ship] = source.strategy[decision, ship]
