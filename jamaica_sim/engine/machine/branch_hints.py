"""What the compiler cannot know by itself: which branches are unpredictable.

A branch that depends on luck is mispredicted every other time, which costs as much as twenty or more instructions.
"""

from jamaica_sim.engine.machine.jit import intrinsic
from jamaica_sim.engine.machine.late import types


@intrinsic
def pick(typingctx, condition, yes, no):
    """`yes if condition else no`, without a branch: both are at hand, and the condition cannot be predicted.

    For floats it is a branch after all, unless the condition compares floats: look them up by the condition instead.
    """

    def codegen(context, builder, signature, args):
        chosen = builder.select(*args)
        chosen.set_metadata("unpredictable", builder.module.add_metadata([]))
        return chosen

    kind = types.float64 if isinstance(yes, types.Float) else types.int64
    return kind(types.boolean, kind, kind), codegen
