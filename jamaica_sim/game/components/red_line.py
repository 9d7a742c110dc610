"""The red line of a board (E2): where it lies, and the same board with the line elsewhere.

All spaces before the line score the same as space 1; on the printed board these are negative points. The points of a
ship's space are counted in `engine/scoring.py`.
"""

from collections.abc import Sequence
from dataclasses import replace

from jamaica_sim.game.components.course import Board, Space


def first_beyond(spaces: Sequence[Space]) -> int:
    """The first space that gives points; the number of spaces where none does."""
    return min((number for number, space in enumerate(spaces) if number and space.score > 0), default=len(spaces))


def end_of_loss(spaces: Sequence[Space]) -> int:
    """The first space whose points differ from those of space 1; 0 where there is none."""
    lost = spaces[1].score
    return next((number for number, space in enumerate(spaces) if number > 1 and space.score != lost), 0)


def moved(spaces: Sequence[Space], first: int) -> Board:
    """The spaces with the line just before space `first`: from there on no points are lost."""
    lost = spaces[1].score
    scores = [lost if number < first else max(space.score, 0) for number, space in enumerate(spaces)]
    return (spaces[0], *(replace(space, score=score) for space, score in list(zip(spaces, scores, strict=True))[1:]))
