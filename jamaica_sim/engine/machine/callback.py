"""Python functions that the engine calls back, by an address and in numba's own calling convention."""

import ctypes
import threading
from collections.abc import Callable

# Where the result and an exception go, then the addresses of the view, the rulebook and the weights.
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 5)
_ANSWERED, _RAISED = 0, -1


class Callback:
    """A function of the addresses of view, rulebook and weights, which the engine calls like a compiled strategy.

    An exception cannot pass through the engine. It is kept for the thread, and the engine unwinds as if a strategy had
    raised. Keep the object alive as long as its address is used.
    """

    def __init__(self, function: Callable[[int, int, int], int]) -> None:
        self._function, self._of_thread = function, threading.local()
        self._callback = _CALLBACK(self._called)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def is_compiled(self) -> bool:
        """Nothing of it is ever compiled."""
        return True

    def _called(self, result: int, raised: int, view: int, rulebook: int, weights: int) -> int:
        try:
            ctypes.c_int64.from_address(result).value = self._function(view, rulebook, weights)
        except BaseException as error:  # also Ctrl-C
            self._of_thread.error = error
            return _RAISED
        return _ANSWERED

    def error(self) -> BaseException | None:
        """What the function raised last in this thread; asked once."""
        return vars(self._of_thread).pop("error", None)
