"""Records declared as classes, once for NumPy and for editors: a field's annotation has its type and its shape.

`int` and `float` are numbers of 64 bits. `Annotated[Numbers, "i2", SHIPS, 3]` is an array of 16 bits each; left out,
the code is that of 64 bits.
"""

import inspect
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Fields: TypeAlias = list[Any]  # as `np.dtype` takes them


def fields_of(record: type) -> Fields:
    """The fields that a class declares, with their codes and shapes."""
    fields = []
    for name, kind in inspect.get_annotations(record).items():
        number, noted = getattr(kind, "__origin__", kind), getattr(kind, "__metadata__", ())
        code = next((it for it in noted if isinstance(it, str)), "f8" if number in (float, Floats) else "i8")
        shape = tuple(it for it in noted if not isinstance(it, str))
        fields.append((name, code, shape) if shape else (name, code))
    return fields
