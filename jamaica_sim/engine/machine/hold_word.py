"""The holds of a ship as one machine word, a byte for each. A few instructions read or change all of them.

The lower four bits of a byte are the amount in the hold. Each of the next three bits stands for a resource. The highest
bit is set where the ship has no such hold. An empty hold is 0. A set of holds marks bit 0 of each member's byte. A hold
is addressed by its place, the bit offset of its byte (8 times its number).
"""

import numpy as np

from jamaica_sim.engine.machine.bits import lowest, pick
from jamaica_sim.engine.machine.jit import inline, intrinsic
from jamaica_sim.engine.machine.late import ir, types
from jamaica_sim.game.codes import HOLDS, MAX_FACE, RESOURCES, SIXTH_HOLD_SLOT

HOLD_BITS, KIND_BITS = np.int64(8), np.int64(4)
AMOUNT, CONTENTS, NO_HOLD = np.int64(0x0F), np.int64(0x7F), np.int64(0x80)
MARKS = np.int64(0x010101010101)  # the marks of all holds that there can be
SIXTH_PLACE = HOLD_BITS * SIXTH_HOLD_SLOT
TO_SET = np.int64(0x810204081)  # times marks: moves bit 8 i to bit SET_BITS + i
SET_BITS, ALL_HOLDS = np.int64(35), np.int64(0x3F)
EVERY_BYTE = np.int64(0x0101010101010101)
assert MAX_FACE < AMOUNT and len(RESOURCES) == 3 and int(MARKS).bit_count() == HOLDS


def no_cargo(holds: int) -> int:
    """The word of a ship with this number of ordinary holds, all empty, and without the 6th."""
    return sum(int(NO_HOLD) << int(HOLD_BITS) * hold for hold in range(holds, HOLDS))


@inline
def place_of(hold):
    """The place of the hold with this number."""
    return HOLD_BITS * hold


@inline
def number_of(place):
    """The number of the hold at this place."""
    return place >> 3


@inline
def set_of(marks):
    """The set of the marked holds, by their numbers."""
    return (marks * TO_SET) >> SET_BITS & ALL_HOLDS


@inline
def empty_holds(stowage):
    """Marks of the empty holds. The addition sets the highest bit of every other byte."""
    return ~(stowage + MARKS * (CONTENTS ^ AMOUNT)) >> 7 & MARKS


@inline
def holds_with(stowage, resource):
    """Marks of the holds with a resource."""
    return stowage >> (KIND_BITS + resource) & MARKS


@inline
def holds_without(stowage, resource):
    """Marks of the holds without a resource, including empty ones."""
    return ~(stowage >> (KIND_BITS + resource) | stowage >> 7) & MARKS


@inline
def distinct(stowage, marks):
    """One hold for each different content, because equal holds are one option. The 6th Hold is always its own option.

    `marks` has all holds with certain resources and no empty one, so no hold outside it is equal to one inside. Each
    byte is compared with the four below it: adding 127 sets the highest bit where they differ. A byte without a hold
    may overflow into the next one, which has no hold either or is the 6th.
    """
    seven_bits = MARKS * CONTENTS
    new = (stowage ^ (stowage << 8)) + seven_bits
    new &= (stowage ^ (stowage << 16)) + seven_bits
    new &= (stowage ^ (stowage << 24)) + seven_bits
    new &= (stowage ^ (stowage << 32)) + seven_bits
    return (new | NO_HOLD << SIXTH_PLACE) >> 7 & marks


@intrinsic
def _smallest_byte(typingctx, bytes_):
    """The index of the byte with the smallest value, the first of equals."""

    def codegen(context, builder, signature, args):
        lanes = ir.VectorType(ir.IntType(16), 8)
        numbers = builder.zext(builder.bitcast(args[0], ir.VectorType(ir.IntType(8), 8)), lanes)
        ranks = builder.shl(numbers, ir.Constant(lanes, [3] * 8))
        ranks = builder.or_(ranks, ir.Constant(lanes, list(range(8))))  # makes the first of equals the smallest
        kind = ir.FunctionType(ir.IntType(16), (lanes,))
        least = builder.module.declare_intrinsic("llvm.vector.reduce.umin.v8i16", (), kind)
        number = builder.and_(builder.call(least, (ranks,)), ir.Constant(ir.IntType(16), 7))
        return builder.zext(number, ir.IntType(64))

    return types.int64(types.int64), codegen


@inline
def smallest(stowage, resource):
    """The place of the hold with the least of a resource, the first of equals."""
    return HOLD_BITS * _smallest_byte(stowage | ~(holds_with(stowage, resource) * AMOUNT))


@inline
def contents_at(stowage, place):
    """The resource in a hold and its amount, as one number; 0 where the hold is empty."""
    return stowage >> place & CONTENTS


@inline
def amount_at(stowage, place):
    """How much is in a hold."""
    return stowage >> place & AMOUNT


@inline
def kind_at(stowage, place):
    """The resource in a hold that is not empty."""
    return lowest(stowage >> (place + KIND_BITS))


@inline
def filled(stowage, place, resource, amount):
    """The word with goods put into an empty hold."""
    return stowage | (1 << (KIND_BITS + resource) | amount) << place


@inline
def cleared(stowage, place):
    """The word with the hold at this place emptied."""
    return stowage & ~(CONTENTS << place)


@inline
def lessened(stowage, place, resource, amount):
    """The word with this amount taken out of a hold."""
    sort = pick(amount_at(stowage, place) == amount, np.int64(1) << (KIND_BITS + resource), np.int64(0))
    return stowage - ((sort | amount) << place)


@inline
def with_sixth(stowage):
    """The word with an empty 6th Hold added."""
    return stowage & ~(NO_HOLD << SIXTH_PLACE)


@inline
def without_sixth(stowage):
    """The word without the 6th Hold and its contents."""
    return cleared(stowage, SIXTH_PLACE) | NO_HOLD << SIXTH_PLACE


@inline
def stock_of(s, ship, resource):
    """How much of a resource is in all the ship's holds."""
    return s.stock[ship, resource]


@inline
def add_stock(s, ship, resource, amount):
    """Add an amount to the stock of a resource; a negative one takes away."""
    s.stock[ship, resource] += amount


@inline
def set_bytes(rows, row, word):
    """Write the eight bytes of a word to a row. The compiler makes one store of it."""
    for i in range(8):
        rows[row, i] = word >> HOLD_BITS * i
