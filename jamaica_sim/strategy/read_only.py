"""Compiles a user's function so that it can read what it is given, and write to nothing in it, by whatever name.

numba infers the types of the function's own names in a context where the fields of records cannot be assigned, and the
arrays in them are read only. So numba itself refuses what would write there: also through a slice, a list, a helper or
a function of NumPy. The machine code stays as it would have been.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from jamaica_sim.engine.machine.jit import INNER, Jitted
from jamaica_sim.engine.machine.late import numba, types
from jamaica_sim.engine.state import GAME_DTYPE
from jamaica_sim.files.clean_import import clean_import

# A slip in a user's file raises an error: an index out of bounds, a division by zero. The file may make arrays.
CHECKED = {**INNER, "boundscheck": True, "error_model": "python", "_nrt": True}
FORGETFUL = (np.fill_diagonal, np.nan_to_num, np.nditer, np.ascontiguousarray, np.asfortranarray)  # of "read only"
MEMORIES = ("memory", "ship_memory", "space_memory")  # of house rules, which may write to them


def checked(function: Callable[..., Any]) -> Any:
    """numba's dispatcher of a user's function."""
    return numba.njit(pipeline_class=_compiler(), **CHECKED)(function)


class Helper(Jitted):
    """A function of a user's file that others there call."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, CHECKED)

    def _jitted(self) -> Any:
        return checked(self.py_func)


def _is_read_only(kind: Any) -> bool:
    return isinstance(kind, types.Array) and not kind.mutable


class _ReadOnly:
    """numba's typing context, but for what belongs to records."""

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_getattr(self, owner: Any, name: str) -> Any:
        if name == "flat" and _is_read_only(owner):
            return None  # numba would let one write there, too
        found = self._context.resolve_getattr(owner, name)
        is_in_record = isinstance(owner, types.Record) and isinstance(found, types.Array)
        if not is_in_record or (name in MEMORIES and owner == numba.from_dtype(GAME_DTYPE)):
            return found
        return types.Array(found.dtype, found.ndim, found.layout, readonly=True, aligned=found.aligned)

    def resolve_setattr(self, owner: Any, name: str, value: Any) -> Any:
        return None if isinstance(owner, types.Record) else self._context.resolve_setattr(owner, name, value)

    def resolve_function_type(self, function: Any, given: Any, named: Any) -> Any:
        if given and isinstance(given[0], types.Record) and not isinstance(function, types.Dispatcher):
            return None  # such as view["space"] and getattr(view, "space")
        if getattr(function, "typing_key", None) in FORGETFUL and any(map(_is_read_only, given)):
            return None
        return self._context.resolve_function_type(function, given, named)

    def resolve_static_getitem(self, value: Any, index: Any) -> Any:
        return self.resolve_function_type("static_getitem", (value, index), ())

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        return None if isinstance(target, types.Record) else self._context.resolve_setitem(target, index, value)

    def resolve_static_setitem(self, target: Any, index: Any, value: Any) -> Any:
        is_of_record = isinstance(target, types.Record)
        return None if is_of_record else self._context.resolve_static_setitem(target, index, value)


@cache
def _compiler() -> Any:
    compiler: Any = clean_import("numba.core.compiler")

    class Compiler(compiler.Compiler):  # type: ignore[misc]
        def __init__(self, context: Any, *rest: Any) -> None:
            super().__init__(_ReadOnly(context), *rest)

    return Compiler
