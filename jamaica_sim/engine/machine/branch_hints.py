"""What the compiler cannot know by itself: which branches are rare or unpredictable, what is better not unrolled.

Rare code is moved out of the hot path and nothing is unrolled, so that the hot code fits the processor's caches; a
branch that depends on luck is mispredicted every other time, which costs as much as twenty or more instructions.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def unlikely(typingctx, condition):
    """The condition, with the hint that it is seldom true."""

    def codegen(context, builder, signature, args):
        bit = ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", (bit,), ir.FunctionType(bit, (bit, bit)))
        return builder.call(expect, (args[0], ir.Constant(bit, 0)))

    return types.boolean(types.boolean), codegen


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
