"""What is in the box (C1 to C5): the board, the action cards, the treasures and the combat die, from CSV files."""

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jamaica_sim.codes import SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS


@dataclass(frozen=True)
class Space:
    """One space of the board (C1)."""

    kind: str
    cost: int
    score: int
    next: tuple[int, ...]
    x: float
    y: float


@dataclass(frozen=True)
class Card:
    """One action card (C2)."""

    morning: str
    evening: str


@dataclass(frozen=True)
class Treasure:
    """One treasure card (C3)."""

    name: str
    kind: str
    value: int


@dataclass(frozen=True)
class CombatFace:
    """One face of the combat and shortage die (C5); a star has no strength."""

    strength: int | None
    shortage_symbol: str


def _rows(name):
    with files("jamaica_sim.components").joinpath(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def board() -> tuple[Space, ...]:
    """The spaces in racing order: every `next` leads to a higher number, except back to Port Royal."""
    spaces = tuple(
        Space(
            row["kind"],
            int(row["cost"]),
            int(row["score"]),
            tuple(int(n) for n in row["next"].split("|")),
            float(row["x"]),
            float(row["y"]),
        )
        for row in _rows("board.csv")
    )
    assert all(space.kind in SPACE_KINDS for space in spaces)
    assert spaces[0].kind == "port_royal" and len(spaces) < 63
    assert all(n > i or n == 0 for i, space in enumerate(spaces) for n in space.next)
    return spaces


@cache
def action_cards() -> tuple[Card, ...]:
    """The deck that each player has."""
    cards = tuple(Card(row["morning"], row["evening"]) for row in _rows("action_cards.csv"))
    assert all(symbol in SYMBOLS for card in cards for symbol in (card.morning, card.evening))
    return cards


@cache
def treasures() -> tuple[Treasure, ...]:
    """The treasure cards, powers first."""
    return tuple(Treasure(row["name"], row["kind"], int(row["value"])) for row in _rows("treasures.csv"))


@cache
def combat_die() -> tuple[CombatFace, ...]:
    """The faces of the combat and shortage die."""
    faces = tuple(
        CombatFace(None if row["strength"] == "star" else int(row["strength"]), row["shortage_symbol"])
        for row in _rows("combat_die.csv")
    )
    assert all(face.shortage_symbol in SHORTAGE_SYMBOLS for face in faces)
    return faces
