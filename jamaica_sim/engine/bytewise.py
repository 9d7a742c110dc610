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
def repeated_bytes(typingctx, bytes_):
    """Of the first five bytes those that equal a lower one, as a number with bit i set for byte i + 1.

    All pairs are compared at once: bytes 1 to 4 with those one, two, three and four places below.
    """
    pairs = [(i, i - below) for below in range(1, 5) for i in range(1, 5)]
    nothing_below = 7  # the highest byte must be 0

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        lanes = ir.VectorType(ir.IntType(8), 8)
        choice = ir.VectorType(ir.IntType(32), len(pairs))
        numbers = builder.bitcast(args[0], lanes)
        nothing = ir.Constant(lanes, ir.Undefined)
        first = builder.shuffle_vector(numbers, nothing, ir.Constant(choice, [i for i, _ in pairs]))
        places = [j if j >= 0 else nothing_below for _, j in pairs]
        second = builder.shuffle_vector(numbers, nothing, ir.Constant(choice, places))
        equal = builder.bitcast(builder.icmp_unsigned("==", first, second), ir.IntType(len(pairs)))
        equal = builder.zext(equal, word)
        equal = builder.or_(equal, builder.lshr(equal, ir.Constant(word, 8)))
        equal = builder.or_(equal, builder.lshr(equal, ir.Constant(word, 4)))
        return builder.and_(equal, ir.Constant(word, 0xF))

    return types.int64(types.int64), codegen


@intrinsic
def least_lanes(typingctx, numbers):
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
