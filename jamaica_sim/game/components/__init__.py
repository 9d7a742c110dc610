"""What is in the box (C1 to C5): the board, the action cards, the treasures and the combat die, from CSV files here.

A variant may change them. `Components` is the record of all four. It is checked when it is made, so every `Components`
object can be played with.

- `course`: the spaces of a board, from a CSV file or a short text, checked and laid out; its red line
- `changes`: one thing changed by its dotted name, such as space.6.cost; and what differs from the box, by name
"""

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from jamaica_sim.files.limits import is_int_between
from jamaica_sim.game.codes import SHORTAGE_SYMBOLS, SYMBOLS
from jamaica_sim.game.components.course import (
    LARGEST_SCORE,
    Board,
    ComponentsError,
    Space,
    check_board,
    refuse_unless,
    spaces_in_text,
    spaces_of,
)

MOST_CARDS = 15  # of a deck; a trace has four bits for a card that is drawn
MOST_FACES = 12
MOST_STRENGTH = 20
STAR = "star"
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Card:
    """One action card (C2)."""

    morning: str
    evening: str

    @property
    def name(self) -> str:
        """Both symbols, such as `gold/forward`."""
        return f"{self.morning}/{self.evening}"


@dataclass(frozen=True)
class Treasure:
    """One treasure card (C3). A card that is not in the game stays in the box."""

    name: str
    kind: str
    value: int
    in_game: bool = True

    @property
    def title(self) -> str:
        """What stands on the card: its name, with the points that it brings in these rules."""
        return self.name if self.kind == "power" else f"{self.name.split()[0]} {self.value:+d}"


@dataclass(frozen=True)
class CombatFace:
    """One face of the combat and shortage die (C5); a star has no strength."""

    strength: int | None
    shortage_symbol: str


Component = Space | Card | Treasure | CombatFace


@cache
def board() -> Board:
    """The spaces of the printed board, in racing order."""
    return spaces_of(_rows("board.csv"))


@cache
def action_cards() -> tuple[Card, ...]:
    """The deck that each player has."""
    return _cards(_rows("action_cards.csv"))


@cache
def treasures() -> tuple[Treasure, ...]:
    """The treasure cards, powers first."""
    return _treasures(_rows("treasures.csv"))


@cache
def combat_die() -> tuple[CombatFace, ...]:
    """The faces of the combat and shortage die."""
    return _faces(_rows("combat_die.csv"))


@dataclass(frozen=True)
class Components:
    """Board, action cards, treasures and combat die; the printed ones unless others are given."""

    board: Board = field(default_factory=board, repr=False)
    action_cards: tuple[Card, ...] = field(default_factory=action_cards, repr=False)
    treasures: tuple[Treasure, ...] = field(default_factory=treasures, repr=False)
    combat_die: tuple[CombatFace, ...] = field(default_factory=combat_die, repr=False)
    # The board of one's own that single spaces were changed on, as the rule `board` has it: how to tell it, no rule.
    own_board: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        check_board(self.board)
        _check_cards(self.action_cards)
        _check_treasures(self.treasures)
        _check_die(self.combat_die)

    @property
    def lairs(self) -> int:
        """How many lairs there are."""
        return sum(space.kind == "lair" for space in self.board)

    def copies(self, treasure: str) -> int:
        """How many treasure cards of this name are in the game."""
        return sum(card.name == treasure and card.in_game for card in self.treasures)

    def changed(self) -> dict[str, Any]:
        """The components that differ from the box, each complete, as rows with the columns of its CSV file.

        A board of one's own comes with the text that has its name.
        """
        mine, box = ({name: rows_of(getattr(it, name)) for name in READERS} for it in (self, the_box()))
        found: dict[str, Any] = {name: rows for name, rows in mine.items() if rows != box[name]}
        return found | ({OWN_BOARD: self.own_board} if self.own_board and "board" in found else {})


@cache
def the_box() -> Components:
    """The components as they are printed."""
    return Components()


def components_of(tables: Mapping[str, Any]) -> Components:
    """The components that `Components.changed` describes."""
    for name in tables:
        if name not in (*READERS, OWN_BOARD):
            raise ComponentsError(f"there are no components {name!r}: there are {', '.join(READERS)}.")
    try:
        if own := tables.get(OWN_BOARD, ""):
            check_board(spaces_in_text(own))  # a text, never a file's name
        return Components(**{name: READERS[name](tables[name]) for name in READERS if name in tables}, own_board=own)
    except ComponentsError:
        raise
    except (TypeError, KeyError, AttributeError, ValueError, IndexError, OverflowError) as error:
        raise ComponentsError(f"the components {', '.join(tables)} cannot be read: {error}.") from error


def rows_of(table: Sequence[Component]) -> list[dict[str, Any]]:
    """One kind of component as rows with the columns of its CSV file, without treasures that are not in the game."""
    return [_row(number, thing) for number, thing in enumerate(table) if getattr(thing, "in_game", True)]


def _rows(name: str) -> list[dict[str, str]]:
    text = files("jamaica_sim.game.components").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _row(number: int, thing: Component) -> dict[str, Any]:
    if isinstance(thing, Space):
        columns = ("kind", "cost", "score", "next", "x", "y")
        return {"space": number, **{name: getattr(thing, name) for name in columns}, "next": list(thing.next)}
    if isinstance(thing, Card):
        return {"card": number, "morning": thing.morning, "evening": thing.evening}
    if isinstance(thing, Treasure):
        return {"treasure": number, "name": thing.name, "kind": thing.kind, "value": thing.value}
    strength = STAR if thing.strength is None else thing.strength
    return {"face": number, "strength": strength, "shortage_symbol": thing.shortage_symbol}


def _cards(rows: Sequence[Row]) -> tuple[Card, ...]:
    return tuple(Card(row["morning"], row["evening"]) for row in rows)


def _treasures(rows: Sequence[Row]) -> tuple[Treasure, ...]:
    """A card whose row is missing stays in the box."""
    given = {int(row["treasure"]): row for row in rows}
    return tuple(
        Treasure(row["name"], row["kind"], int(row["value"]), number in given)
        for number, row in enumerate(given.get(n, printed) for n, printed in enumerate(_rows("treasures.csv")))
    )


def _faces(rows: Sequence[Row]) -> tuple[CombatFace, ...]:
    return tuple(
        CombatFace(None if row["strength"] == STAR else int(row["strength"]), row["shortage_symbol"]) for row in rows
    )


OWN_BOARD = "own_board"  # beside them: see `Components`
# How each kind of component is made from rows.
READERS: dict[str, Callable[[Sequence[Row]], Any]] = {
    "board": spaces_of,
    "action_cards": _cards,
    "treasures": _treasures,
    "combat_die": _faces,
}


def _check_cards(cards: Sequence[Card]) -> None:
    printed = len(_rows("action_cards.csv"))
    many = f"{printed} to {MOST_CARDS}"
    refuse_unless(printed <= len(cards) <= MOST_CARDS, f"a deck has {many} action cards, not {len(cards)}.")
    for number, card in enumerate(cards):
        for symbol in (card.morning, card.evening):
            known = f"a symbol is {', '.join(SYMBOLS)}"
            refuse_unless(symbol in SYMBOLS, f"action card {number} shows {symbol!r}: {known}.")
    some_forward = any("forward" in (card.morning, card.evening) for card in cards)
    refuse_unless(some_forward, "no action card moves a ship forward: nobody could ever come home.")


def _check_treasures(cards: Sequence[Treasure]) -> None:
    printed = _rows("treasures.csv")
    refuse_unless(len(cards) == len(printed), f"there are {len(printed)} treasure cards, not {len(cards)}.")
    known = {(row["name"], row["kind"]) for row in printed}
    sixths = sum(card.name == "6th Hold" and card.in_game for card in cards)
    refuse_unless(sixths <= 1, "there is one 6th Hold: a ship has no room for a seventh.")
    for card in cards:
        same = (card.name, card.kind) in known
        refuse_unless(same, f"there is no treasure {card.name!r} ({card.kind}) in the box.")
        limits = f"from {-LARGEST_SCORE} to {LARGEST_SCORE}"
        whole = is_int_between(card.value, -LARGEST_SCORE, LARGEST_SCORE)
        refuse_unless(whole, f"the value of {card.name} must be a whole number {limits}.")
        refuse_unless(card.value == 0 or card.kind != "power", f"{card.name} is a power, which is worth no points.")


def _check_die(faces: Sequence[CombatFace]) -> None:
    refuse_unless(2 <= len(faces) <= MOST_FACES, f"the combat die has 2 to {MOST_FACES} faces, not {len(faces)}.")
    for face in faces:
        good = face.strength is None or is_int_between(face.strength, 1, MOST_STRENGTH)
        refuse_unless(good, f"a face of the combat die is a star or a whole number from 1 to {MOST_STRENGTH}.")
        known = f"a shortage symbol is {', '.join(SHORTAGE_SYMBOLS)}"
        refuse_unless(face.shortage_symbol in SHORTAGE_SYMBOLS, f"{known}, not {face.shortage_symbol!r}.")
