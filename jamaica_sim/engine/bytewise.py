"""Small numbers side by side, all of them compared or written at once."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np import arrayobj

EVERY_BYTE = np.int64(0x0101010101010101)


def _pointer(context, builder, signature, args):
    """Where row `args[1]` of the array begins, as the address of a word."""
    kind = signature.args[0]
    array = arrayobj.make_array(kind)(context, builder, args[0])
    start = builder.bitcast(array.data, ir.IntType(64).as_pointer())
    return builder.gep(start, [args[1]])


@intrinsic
def set_word(typingctx, rows, row, value):
    """Write all eight bytes of a row."""

    def codegen(context, builder, signature, args):
        builder.store(args[2], _pointer(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.none(rows, types.int64, types.int64), codegen


@intrinsic
def smallest_byte(typingctx, bytes_):
    """The number of the byte with the smallest number in it, the first of equals."""

    def codegen(context, builder, signature, args):
        byte, lane = ir.IntType(8), ir.IntType(16)
        lanes = ir.VectorType(lane, 8)
        numbers = builder.zext(builder.bitcast(args[0], ir.VectorType(byte, 8)), lanes)
        ranks = builder.shl(numbers, ir.Constant(lanes, [3] * 8))
        ranks = builder.or_(ranks, ir.Constant(lanes, list(range(8))))  # the first of equals is less
        kind = ir.FunctionType(lane, (lanes,))
        rank = builder.call(builder.module.declare_intrinsic("llvm.vector.reduce.umin.v8i16", (), kind), (ranks,))
        return builder.zext(builder.and_(rank, ir.Constant(lane, 7)), ir.IntType(64))

    return types.int64(types.int64), codegen


@intrinsic
def least_places(typingctx, numbers):
    """The set of the places in an array of eight 16-bit numbers that hold the least of them."""

    def codegen(context, builder, signature, args):
        lane, short = ir.IntType(16), ir.IntType(32)
        lanes = ir.VectorType(lane, 8)
        array = arrayobj.make_array(signature.args[0])(context, builder, args[0])
        all_ = builder.load(builder.bitcast(array.data, lanes.as_pointer()), align=2)
        kind = ir.FunctionType(lane, (lanes,))
        least = builder.call(builder.module.declare_intrinsic("llvm.vector.reduce.umin.v8i16", (), kind), (all_,))
        row = builder.insert_element(ir.Constant(lanes, ir.Undefined), least, ir.Constant(short, 0))
        row = builder.shuffle_vector(row, row, ir.Constant(ir.VectorType(short, 8), [0] * 8))
        equal = builder.bitcast(builder.icmp_unsigned("==", all_, row), ir.IntType(8))
        return builder.zext(equal, ir.IntType(64))

    return types.int64(numbers), codegen
