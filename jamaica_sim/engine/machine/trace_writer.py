"""Turns the declaration of a trace event into a function that writes it.

For a record without a trace the function compiles to nothing: random play takes 7% fewer instructions than with one
engine for both.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from jamaica_sim.engine.machine.jit import intrinsic
from jamaica_sim.engine.machine.late import types


def trace_writer(
    name: str,
    parameters: Sequence[inspect.Parameter],
    number: int,
    widths: Sequence[int],
    columns: int,
    write: Callable[..., Any],
) -> Any:
    """A function of these parameters that writes (number, fields ...) by `write(s, row)`.

    `widths` says how many numbers a field takes; the first parameter is the state. Only records with a field `traced`
    are written to.
    """
    signature = inspect.Signature(parameters)

    def codegen(context: Any, builder: Any, call: Any, args: Any) -> Any:
        if "traced" in call.args[0].fields:
            row = [context.get_constant(types.int64, number)]
            for value, width in zip(args[1:], widths, strict=True):
                row += [value] if width == 1 else [builder.extract_value(value, i) for i in range(width)]
            row += [context.get_constant(types.int64, 0)] * (columns - len(row))
            row_type = types.UniTuple(types.int64, columns)
            row = context.make_tuple(builder, row_type, row)
            context.compile_internal(builder, write, types.none(call.args[0], row_type), (args[0], row))
        return context.get_dummy_value()

    def note(typingctx: Any, *args: Any, **fields: Any) -> Any:
        state = signature.bind(*args, **fields).arguments["s"]
        field_types = [types.int64 if width == 1 else types.UniTuple(types.int64, width) for width in widths]
        return types.none(state, *field_types), codegen

    context = inspect.Parameter("typingctx", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    note.__name__ = note.__qualname__ = name
    note.__signature__ = signature.replace(parameters=[context, *parameters])  # type: ignore[attr-defined]
    return intrinsic(note)
