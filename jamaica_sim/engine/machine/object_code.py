"""Object code of a compiled function: as bytes for the disk, loaded into memory, and called from Python.

Compiled games need this module, but not numba. A function is called by numba's calling convention: it returns a
status, writes its result and a description of an exception to two addresses, and takes an array in pieces.
"""

import ctypes
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import cache, partial
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from jamaica_sim.clean_import import clean_import

RETURNED: dict[str, Any] = {
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
    "bool": ctypes.c_bool,
    "none": ctypes.c_int64,
}
RAISED = 1  # the status of an exception that is described
INT64 = np.iinfo(np.int64)
Form = tuple[tuple[int, np.dtype[Any]] | None, ...]  # of arguments: dimensions and dtype of an array, None for a number


@dataclass(frozen=True)
class ObjectCode:
    """One function with everything that it calls: the linker's name for it, its return type, its arguments' form."""

    symbol: str
    returns: str
    form: str
    needs_numba: bool  # whether it calls numba's runtime, for example to make arrays
    code: bytes

    def to_bytes(self) -> bytes:
        """A line of JSON with all other fields, and then the code."""
        facts = {name: value for name, value in asdict(self).items() if name != "code"}
        return json.dumps(facts).encode() + b"\n" + self.code

    @classmethod
    def from_bytes(cls, content: bytes) -> "ObjectCode":
        """Read what `to_bytes` wrote; raises ValueError or TypeError for anything else."""
        facts, _, code = content.partition(b"\n")
        return cls(**json.loads(facts), code=code)


@cache
def _target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple())


@cache
def _start_numba() -> None:
    """Start numba's runtime and make its functions known to the linker."""
    context = clean_import("numba.core.registry").cpu_target.target_context
    clean_import("numba.core.runtime").rtsys.initialize(context)


class Loaded:
    """A function in memory; keep it alive as long as its address is used."""

    def __init__(self, compiled: ObjectCode) -> None:
        if compiled.needs_numba:
            _start_numba()
        # It has its own linker, so that functions of the same name in other object code are not mixed up with these.
        machine = _target().create_target_machine(codemodel="jitdefault", jit=True)
        self._linker = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        self._linker.add_object_file(llvm.ObjectFileRef.from_data(compiled.code))
        self._linker.finalize_object()
        self.address: int = self._linker.get_function_address(compiled.symbol)
        self.returns = compiled.returns


def form_of(arguments: Iterable[Any]) -> Form:
    """The form of some arguments."""
    return tuple((a.ndim, a.dtype) if isinstance(a, np.ndarray) else None for a in arguments)


def form_text(form: Form) -> str:
    """A form as a short text. Records are told apart by their size, since the stamp says which fields they have."""
    return " ".join("int64" if part is None else f"{part[0]}{part[1].str}" for part in form)


class Call:
    """A compiled function, for Python to call with arguments of one form. The GIL is released during the call."""

    def __init__(self, address: int, returns: str, form: Form) -> None:
        pieces: list[Any] = [ctypes.c_void_p, ctypes.c_void_p]
        for part in form:
            if part is None:
                pieces += [ctypes.c_int64]
            else:
                pieces += [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
                pieces += [ctypes.c_int64] * (2 * part[0])
        self._function = ctypes.CFUNCTYPE(ctypes.c_int32, *pieces)(address)
        self._types, self._returns = pieces, returns

    def bound(self, arguments: tuple[Any, ...]) -> Callable[[], Any]:
        """A call with these arguments, which it keeps alive."""
        result, raised = RETURNED[self._returns](), ctypes.c_void_p()
        pieces = [piece for argument in arguments for piece in _pieces_of(argument)]
        given = [kind(piece) for kind, piece in zip(self._types[2:], pieces, strict=True)]
        function = partial(self._function, ctypes.addressof(result), ctypes.addressof(raised), *given)

        def call(kept: object = arguments) -> Any:
            status = function()
            if status != 0:
                raise _exception(status, raised.value)
            return None if self._returns == "none" else result.value

        return call


def whole_number(argument: Any) -> int:
    """An argument that is no array, as compiled code takes it."""
    number = int(argument)
    if not INT64.min <= number <= INT64.max:
        raise OverflowError(f"{number} is no number of 64 bits.")
    return number


def _pieces_of(argument: Any) -> tuple[Any, ...]:
    if not isinstance(argument, np.ndarray):
        return (whole_number(argument),)
    if not argument.flags.c_contiguous:
        raise TypeError("an array for compiled code must lie in one piece.")
    own = argument.size, argument.itemsize, argument.ctypes.data
    return (None, None, *own, *argument.shape, *argument.strides)


class _Raised(ctypes.Structure):
    """numba's description of an exception: a pickle, and details of the run with a function that unwraps them."""

    _fields_ = [
        ("pickle", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("details", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("number", ctypes.c_int32),
    ]


def _exception(status: int, address: int | None) -> BaseException:
    """The exception that the compiled function raised."""
    if status < RAISED or not address:
        return SystemError(f"compiled code ended with status {status}.")
    serialize = clean_import("numba.core.serialize")
    raised = _Raised.from_address(address)
    pickled = ctypes.string_at(raised.pickle, raised.size)
    if raised.number > 0:
        details = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(raised.unwrap)(raised.details)
        kind, values, _ = serialize.runtime_build_excinfo_struct(pickled, details)
    else:
        kind, values, _ = serialize.loads(pickled)
    return kind(*values)
