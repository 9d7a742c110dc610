"""Tells the compiler which branches are unpredictable, which it cannot know by itself.

A branch that depends on luck is mispredicted every other time, which costs as much as twenty or more instructions.
"""

from jamaica_sim.engine.machine.jit import intrinsic
from jamaica_sim.engine.machine.late import types


@intrinsic
def pick(typingctx, condition, yes, no):
    """`yes if condition else no` without a branch, for conditions that cannot be predicted. Both values are computed.

    For floats it still is a branch, unless the condition compares floats: index an array with the condition instead.
    """

    def codegen(context, builder, signature, args):
        chosen = builder.select(*args)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    kind = types.float64 if isinstance(yes, types.Float) else types.int64
    return kind(types.boolean, kind, kind), codegen
