"""The board that a report is about: the board of the rules that were played, which need not be the printed one.

Chapters ask for it while they are being written. A drawing is made later, so the board is passed to it.
"""

from contextlib import contextmanager
from contextvars import ContextVar

from jamaica_sim.components import board as printed_board

_played: ContextVar = ContextVar("the board of this report", default=None)


def board() -> tuple:
    """The spaces of the board."""
    return _played.get() or printed_board()


@contextmanager
def playing_on(spaces: tuple):
    """Inside the block, `board` returns these spaces."""
    token = _played.set(tuple(spaces))
    try:
        yield
    finally:
        _played.reset(token)
