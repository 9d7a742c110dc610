"""Compiled code that calls back into Python, so that a strategy can be played uncompiled."""

import ctypes

from jamaica_sim.engine.machine.jit import Compiled
from jamaica_sim.engine.machine.late import numba, types
from jamaica_sim.engine.machine.memory import address_of

CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Callback:
    """A compiled function of three records, which hands their addresses to a Python function and returns its answer.

    Keep it alive as long as its address is used.
    """

    def __init__(self, function, dtypes):
        self._callback = callback = CALLBACK(function)

        def ask(first, second, third):
            return callback(address_of(first), address_of(second), address_of(third))

        signature = types.int64(*map(numba.from_dtype, dtypes))
        self._compiled = Compiled(numba.njit(signature, nogil=True)(ask))
        self.address = self._compiled.address
