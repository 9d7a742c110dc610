"""The holds of a ship as one machine word, a byte for each: all of them are looked at or changed in a few instructions.

The fields `hold_kind` and `hold_count` have eight bytes for a ship, six of them holds. The engine always writes the
whole word: a byte written alone and read back with its neighbours would have to wait for the cache.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

from jamaica_sim.engine.jit import inline

EVERY_BYTE = np.int64(0x0101010101010101)
SEVEN_BITS = np.int64(0x7F7F7F7F7F7F7F7F)
# Multiplying by this brings bit i of a set to bit 8 i; by the next, bit 8 i back to bit 56 + i.
TO_BYTES = np.int64(0x0002040810204081)
TO_BITS = np.int64(0x0102040810204080)


def _pointer(context, builder, signature, args):
    """Where row `args[1]` of the array begins, as the address of a word."""
    kind = signature.args[0]
    array = arrayobj.make_array(kind)(context, builder, args[0])
    start = builder.bitcast(array.data, ir.IntType(64).as_pointer())
    return builder.gep(start, [args[1]])


@intrinsic
def word(typingctx, rows, row):
    """Row number `row` of an array of eight bytes a row, as one word."""

    def codegen(context, builder, signature, args):
        return builder.load(_pointer(context, builder, signature, args), align=8)

    return types.int64(rows, types.int64), codegen


@intrinsic
def set_word(typingctx, rows, row, value):
    """Write all eight bytes of a row."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.none(rows, types.int64, types.int64), codegen


@inline
def byte(bytes_, place):
    """The number in one byte."""
    return (bytes_ >> (8 * place)) & 0xFF


@inline
def at_byte(number, place):
    """A word with this number in one byte and nothing in the others."""
    return number << (8 * place)


@inline
def ones(members):
    """A word with 1 in the bytes of the members of a set of up to seven."""
    return (members * TO_BYTES) & EVERY_BYTE


@inline
def first_of_each(members, bytes_):
    """The members of a set whose byte no lower one has; bytes are 1 to 63, members below 5.

    Each byte is compared with those one to four places below it, members or not; a difference is at most 127, so
    that adding 127 sets the highest bit where there is one.
    """
    new = (bytes_ ^ (bytes_ << 8)) + SEVEN_BITS
    new &= (bytes_ ^ (bytes_ << 16)) + SEVEN_BITS
    new &= (bytes_ ^ (bytes_ << 24)) + SEVEN_BITS
    new &= (bytes_ ^ (bytes_ << 32)) + SEVEN_BITS
    return members & ((((new >> 7) & EVERY_BYTE) * TO_BITS) >> 56)
