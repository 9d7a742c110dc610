"""What the compiler cannot know by itself: which branches are rare or unpredictable, what is better not unrolled.

Rare code is moved out of the hot path and nothing is unrolled, so that the hot code fits the processor's caches; a
branch that depends on luck is mispredicted every other time, which costs as much as twenty or more instructions.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj

from jamaica_sim.engine.machine.jit import inline


@intrinsic
def unlikely(typingctx, condition):
    """The condition, with the hint that it is seldom true."""

    def codegen(context, builder, signature, args):
        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", (bit,), ir.FunctionType(bit, (bit, bit)))
        return builder.call(expect, (args[0], ir.Constant(bit, 0)))

    return types.boolean(types.boolean), codegen


@intrinsic
def natural(typingctx, number):
    """The number, which is promised not to be negative."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        assume = builder.module.declare_intrinsic("llvm.assume", (), ir.FunctionType(ir.VoidType(), (ir.IntType(1),)))
        builder.call(assume, (builder.icmp_signed(">=", args[0], ir.Constant(word, 0)),))
        return args[0]

    return types.int64(types.int64), codegen


@intrinsic
def out_of_line(typingctx):
    """Called in the body of a function: it is never inlined, so that its code stands in one place only."""

    def codegen(context, builder, signature, args):
        builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.none(), codegen


@intrinsic
def pick(typingctx, condition, yes, no):
    """`yes if condition else no`, without a branch: both are at hand, and the condition cannot be predicted."""

    def codegen(context, builder, signature, args):
        chosen = builder.select(*args)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    kind = types.float64 if isinstance(yes, types.Float) else types.int64
    return kind(types.boolean, kind, kind), codegen


@intrinsic
def opaque(typingctx, number):
    """The number, hidden from the optimiser: a loop up to it is not unrolled, nothing made from it leaves a loop."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        return builder.asm(ir.FunctionType(word, (word,)), "", "=r,0", (args[0],), True)

    return types.int64(types.int64), codegen


@intrinsic
def settled(typingctx, number):
    """The number as it stands: the optimiser may not take it apart again, such as an index whose parts it would rather
    add to an address one by one."""

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        return builder.asm(ir.FunctionType(word, (word,)), "", "=r,0", (args[0],), False)

    return types.int64(types.int64), codegen


@inline
def one_index(row, columns, column):
    """The index in the flat array of what is in that row and column."""
    return settled(row * columns + column)


@intrinsic
def flat(typingctx, rows):
    """An array of rows, which must be a field of a record, as one row: with `one_index` an element is found by one
    addressing mode of the processor. Nobody counts references to such a field."""
    if not isinstance(rows, types.Array) or rows.layout != "C":
        raise TypeError("only a C array can be flattened")
    row = rows.copy(ndim=1)

    def codegen(context, builder, signature, args):
        whole = arrayobj.make_array(rows)(context, builder, args[0])
        result = arrayobj.make_array(row)(context, builder)
        size = context.get_constant(types.intp, 1)
        for length in cgutils.unpack_tuple(builder, whole.shape):
            size = builder.mul(size, length)
        arrayobj.populate_array(
            result,
            data=whole.data,
            shape=(size,),
            strides=(whole.itemsize,),
            itemsize=whole.itemsize,
            meminfo=whole.meminfo,
            parent=whole.parent,
        )
        return result._getvalue()

    return row(rows), codegen
