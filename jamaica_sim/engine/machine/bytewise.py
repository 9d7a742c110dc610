"""Small numbers side by side, all of them compared or written at once."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

EVERY_BYTE = np.int64(0x0101010101010101)
EIGHT_LANES = ir.VectorType(ir.IntType(16), 8)


def _least(builder, lanes):
    """The least of eight 16-bit numbers."""
    kind = ir.FunctionType(ir.IntType(16), (EIGHT_LANES,))
    return builder.call(builder.module.declare_intrinsic("llvm.vector.reduce.umin.v8i16", (), kind), (lanes,))


@intrinsic
def set_word(typingctx, rows, row, value):
    """Write all eight bytes of a row."""

    def codegen(context, builder, signature, args):
        array = arrayobj.make_array(signature.args[0])(context, builder, args[0])
        words = builder.bitcast(array.data, ir.IntType(64).as_pointer())
        builder.store(args[2], builder.gep(words, [args[1]]), align=8)
        return context.get_dummy_value()

    return types.none(rows, types.int64, types.int64), codegen


@intrinsic
def smallest_byte(typingctx, bytes_):
    """The number of the byte with the smallest number in it, the first of equals."""

    def codegen(context, builder, signature, args):
        numbers = builder.zext(builder.bitcast(args[0], ir.VectorType(ir.IntType(8), 8)), EIGHT_LANES)
        ranks = builder.shl(numbers, ir.Constant(EIGHT_LANES, [3] * 8))
        ranks = builder.or_(ranks, ir.Constant(EIGHT_LANES, list(range(8))))  # the first of equals is less
        number = builder.and_(_least(builder, ranks), ir.Constant(ir.IntType(16), 7))
        return builder.zext(number, ir.IntType(64))

    return types.int64(types.int64), codegen


@intrinsic
def least_places(typingctx, numbers):
    """The set of the places in an array of eight 16-bit numbers that hold the least of them."""

    def codegen(context, builder, signature, args):
        short = ir.IntType(32)
        array = arrayobj.make_array(signature.args[0])(context, builder, args[0])
        lanes = builder.load(builder.bitcast(array.data, EIGHT_LANES.as_pointer()), align=2)
        nothing = ir.Constant(EIGHT_LANES, ir.Undefined)
        row = builder.insert_element(nothing, _least(builder, lanes), ir.Constant(short, 0))
        row = builder.shuffle_vector(row, row, ir.Constant(ir.VectorType(short, 8), [0] * 8))
        equal = builder.bitcast(builder.icmp_unsigned("==", lanes, row), ir.IntType(8))
        return builder.zext(equal, ir.IntType(64))

    return types.int64(numbers), codegen
