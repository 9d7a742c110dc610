"""How fast the machine is at the moment: a fixed piece of work that has nothing to do with the engine.

A shared machine is at times a third slower for minutes. So figures in games per second or nanoseconds are compared with
earlier ones relative to this work, which is done right before each measurement.
"""

import time

import numpy as np
from numba import njit

STEPS = 4_000_000  # about twenty milliseconds
TABLE = np.arange(4096, dtype=np.int64)[::-1].copy()


@njit(nogil=True)
def _work(table, steps):
    """Random numbers, look-ups and branches that cannot be predicted, as in a game."""
    bits, total = np.uint64(88172645463325252), 0
    for _ in range(steps):
        bits ^= bits << np.uint64(13)
        bits ^= bits >> np.uint64(7)
        bits ^= bits << np.uint64(17)
        place = np.int64(bits & np.uint64(4095))
        if bits & np.uint64(1 << 20):
            total += table[place]
        else:
            table[place] = total & 1023
    return total


def seconds_of_work() -> float:
    """The processor time that the work takes now."""
    table = TABLE.copy()
    started = time.thread_time()
    _work(table, STEPS)
    return time.thread_time() - started


def paced(action):
    """The action with the work done just before it; it returns the seconds of the work and the action's result."""
    _work(TABLE.copy(), 1)  # compiled before anything is measured
    return lambda: (seconds_of_work(), action())
