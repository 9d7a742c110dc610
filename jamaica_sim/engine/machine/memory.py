"""Records: declared as classes, copied and cleared as memory, made on the stack; calls by address, and traces.

numba copies records field by field and calls only functions that it has compiled itself. The gain of these functions
was not measured one by one: without them there would be no strategies behind addresses and no positions on the stack.
Offsets and sizes are those of NumPy's dtypes; the caller must keep them within the record.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from jamaica_sim.engine.machine.jit import intrinsic
from jamaica_sim.engine.machine.late import arrayobj, cgutils, ir, numba, types

Numbers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Fields: TypeAlias = list[Any]  # as `np.dtype` takes them


def fields_of(record: type) -> Fields:
    """The fields that a class declares, for NumPy: the annotation has the type and the shape.

    `int` and `float` are numbers of 64 bits. `Annotated[Numbers, "i2", SHIPS, 3]` is an array of 16 bits each; left
    out, the code is that of 64 bits.
    """
    fields = []
    for name, kind in inspect.get_annotations(record).items():
        number, noted = getattr(kind, "__origin__", kind), getattr(kind, "__metadata__", ())
        code = next((it for it in noted if isinstance(it, str)), "f8" if number in (float, Floats) else "i8")
        shape = tuple(it for it in noted if not isinstance(it, str))
        fields.append((name, code, shape) if shape else (name, code))
    return fields


ADDRESS = None  # instead of a record's dtype: the argument is a bare address
NUMBER = "number"  # likewise: a whole number


def _bytes_at(builder, address):
    return builder.inttoptr(address, ir.IntType(8).as_pointer())


def _row_of(context, builder, array_type, array, index, size):
    """Where row `index` of an array of rows of `size` bytes begins."""
    data = arrayobj.make_array(array_type)(context, builder, array).data
    return cgutils.pointer_add(builder, data, builder.mul(index, size))


@intrinsic
def copy_record(typingctx, target, source, size):
    """Copy the first `size` bytes of one record to another."""

    def codegen(context, builder, signature, args):
        cgutils.raw_memcpy(builder, args[0], args[1], args[2], 1)
        return context.get_dummy_value()

    return types.none(target, source, types.intp), codegen


@intrinsic
def copy_to_address(typingctx, address, record, size):
    """Copy the first `size` bytes of a record to an address."""

    def codegen(context, builder, signature, args):
        cgutils.raw_memcpy(builder, _bytes_at(builder, args[0]), args[1], args[2], 1)
        return context.get_dummy_value()

    return types.none(types.int64, record, types.intp), codegen


@intrinsic
def address_of(typingctx, record):
    """Where a record lies."""

    def codegen(context, builder, signature, args):
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), codegen


@intrinsic
def store_at_address(typingctx, address, number):
    """Write a number to an address."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.none(types.int64, types.int64), codegen


@intrinsic
def load_row(typingctx, record, rows, index, size):
    """Copy row `index` of an array of rows of `size` bytes to the head of a record."""

    def codegen(context, builder, signature, args):
        source = _row_of(context, builder, signature.args[1], args[1], args[2], args[3])
        cgutils.raw_memcpy(builder, args[0], source, args[3], 1)
        return context.get_dummy_value()

    return types.none(record, rows, types.intp, types.intp), codegen


@intrinsic
def store_row(typingctx, rows, index, record, offset, size):
    """Copy `size` bytes of a record, from `offset` on, to row `index` of an array of such rows."""

    def codegen(context, builder, signature, args):
        target = _row_of(context, builder, signature.args[0], args[0], args[1], args[4])
        cgutils.raw_memcpy(builder, target, cgutils.pointer_add(builder, args[2], args[3]), args[4], 1)
        return context.get_dummy_value()

    return types.none(rows, types.intp, record, types.intp, types.intp), codegen


@intrinsic
def clear_bytes(typingctx, record, offset, size):
    """Set `size` bytes of a record, from `offset` on, to zero."""

    def codegen(context, builder, signature, args):
        cgutils.memset(builder, cgutils.pointer_add(builder, args[0], args[1]), args[2], 0)
        return context.get_dummy_value()

    return types.none(record, types.intp, types.intp), codegen


def stack_record(dtype, size: int | None = None, align: int | None = None, cleared: bool = False):
    """A function that makes a record on the stack. Only its first `size` bytes exist and may be touched."""
    room = size or dtype.itemsize

    @intrinsic
    def new_record(typingctx):
        record = numba.from_dtype(dtype)

        def codegen(context, builder, signature, args):
            with builder.goto_entry_block():  # not `alloca_once`, which clears the memory
                pointer = builder.alloca(ir.ArrayType(ir.IntType(8), room))
            pointer.align = align or dtype.alignment
            if cleared:
                cgutils.memset(builder, pointer, context.get_constant(types.intp, room), 0)
            return builder.bitcast(pointer, context.get_value_type(record))

        return record(), codegen

    return new_record


def record_at(dtype):
    """A function that takes row `index` of an array of rows of `size` bytes for the head of a record of this dtype."""

    @intrinsic
    def record(typingctx, rows, index, size):
        kind = numba.from_dtype(dtype)

        def codegen(context, builder, signature, args):
            row = _row_of(context, builder, signature.args[0], *args)
            return builder.bitcast(row, context.get_value_type(kind))

        return kind(rows, types.intp, types.intp), codegen

    return record


def caller(*dtypes):
    """A function that calls the compiled function at an address with such arguments, and returns its whole number.

    numba's own calling convention is used, so that exceptions come through. The called function gets records of these
    dtypes, a bare address where the dtype is ADDRESS, a whole number where it is NUMBER.
    """

    def callee_type(dtype):
        if dtype is NUMBER:
            return types.int64
        return types.voidptr if dtype is ADDRESS else numba.from_dtype(dtype)

    def call(typingctx, address, *arguments):
        callee = types.int64(*map(callee_type, dtypes))
        given = [types.int64 if dtype is NUMBER else one for dtype, one in zip(dtypes, arguments, strict=True)]

        def codegen(context, builder, signature, args):
            function_type = context.call_conv.get_function_type(callee.return_type, callee.args)
            function = builder.inttoptr(args[0], function_type.as_pointer())
            handed = [
                _as_type(context, builder, wanted, given, value)
                for wanted, given, value in zip(callee.args, signature.args[1:], args[1:], strict=True)
            ]
            status, answer = context.call_conv.call_function(builder, function, callee.return_type, callee.args, handed)
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return answer

        return callee.return_type(types.int64, *given), codegen

    names = ["typingctx", "address", *(f"argument_{i}" for i in range(len(dtypes)))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    call.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return intrinsic(call)


def _as_type(context, builder, wanted, given, value):
    if wanted == given:
        return value
    if isinstance(given, types.Integer):
        return _bytes_at(builder, value)
    return builder.bitcast(value, context.get_value_type(wanted))


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
