"""What is in the box (C1 to C5): the board, the action cards, the treasures and the combat die, from CSV files here.

A variant may change them. `Components` is the record of all four. It is checked when it is made, so every `Components`
object can be played with.

- `changes`: one thing changed by its dotted name, such as space.6.cost
- `red_line`: where the red line of a board lies, and moving it
"""

import csv
import io
import math
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from jamaica_sim.codes import MAX_COST, MAX_FACE, MAX_SPACES, SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS
from jamaica_sim.errors import UserError
from jamaica_sim.limits import is_whole

MOST_FORKS = 3
MOST_FACES = 12
MOST_STRENGTH = 20
LARGEST_SCORE = 100
STAR = "star"
FREE_KINDS = ("port_royal", "lair")  # P2, P3


class ComponentsError(UserError):
    """Components that cannot be played with, in one sentence."""


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


@dataclass(frozen=True)
class CombatFace:
    """One face of the combat and shortage die (C5); a star has no strength."""

    strength: int | None
    shortage_symbol: str


@cache
def board() -> tuple[Space, ...]:
    """The spaces of the printed board, in racing order."""
    return _spaces(_rows("board.csv"))


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

    board: tuple[Space, ...] = field(default_factory=board, repr=False)
    action_cards: tuple[Card, ...] = field(default_factory=action_cards, repr=False)
    treasures: tuple[Treasure, ...] = field(default_factory=treasures, repr=False)
    combat_die: tuple[CombatFace, ...] = field(default_factory=combat_die, repr=False)

    def __post_init__(self):
        _check_board(self.board)
        _check_cards(self.action_cards)
        _check_treasures(self.treasures)
        _check_die(self.combat_die)

    @property
    def lairs(self) -> int:
        """How many lairs there are."""
        return sum(space.kind == "lair" for space in self.board)

    def changed(self) -> dict:
        """The components that differ from the box, each complete, as rows with the columns of its CSV file."""
        box = the_box()
        return {name: rows_of(getattr(self, name)) for name in READERS if getattr(self, name) != getattr(box, name)}


@cache
def the_box() -> Components:
    """The components as they are printed."""
    return Components()


def components_of(tables: dict) -> Components:
    """The components that `Components.changed` describes."""
    for name in tables:
        if name not in READERS:
            raise ComponentsError(f"there are no components {name!r}: there are {', '.join(READERS)}.")
    try:
        return Components(**{name: READERS[name](rows) for name, rows in tables.items()})
    except ComponentsError:
        raise
    except (TypeError, KeyError, AttributeError, ValueError, IndexError) as error:
        raise ComponentsError(f"the components {', '.join(tables)} cannot be read: {error}.") from error


def rows_of(table) -> list[dict]:
    """One kind of component as rows with the columns of its CSV file, without treasures that are not in the game."""
    return [_row(number, thing) for number, thing in enumerate(table) if getattr(thing, "in_game", True)]


def read_board(text: str) -> tuple[Space, ...]:
    """The board in a CSV file with the columns of `board.csv`; without x and y it is drawn as an ellipse."""
    rows = list(csv.DictReader(io.StringIO(text)))
    missing = [column for column in ("kind", "cost", "score", "next") if not rows or column not in rows[0]]
    if missing:
        raise ComponentsError(f"a board is a CSV file with the columns kind, cost, score, next: no {missing[0]} there.")
    try:
        spaces = _spaces(rows)
    except (ValueError, TypeError, AttributeError) as error:
        raise ComponentsError(f"the board cannot be read: {error}.") from error
    _check_board(spaces)
    return spaces


def _rows(name):
    with files("jamaica_sim.components").joinpath(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _row(number, thing):
    if isinstance(thing, Space):
        columns = ("kind", "cost", "score", "next", "x", "y")
        return {"space": number, **{name: getattr(thing, name) for name in columns}, "next": list(thing.next)}
    if isinstance(thing, Card):
        return {"card": number, "morning": thing.morning, "evening": thing.evening}
    if isinstance(thing, Treasure):
        return {"treasure": number, "name": thing.name, "kind": thing.kind, "value": thing.value}
    strength = STAR if thing.strength is None else thing.strength
    return {"face": number, "strength": strength, "shortage_symbol": thing.shortage_symbol}


def _spaces(rows):
    return tuple(
        Space(
            row["kind"],
            int(row["cost"]),
            int(row["score"]),
            tuple(int(n) for n in (row["next"].split("|") if isinstance(row["next"], str) else row["next"])),
            *(
                float(row[axis] if row.get(axis) not in (None, "") else on_ellipse)
                for axis, on_ellipse in zip("xy", _on_ellipse(number, len(rows)), strict=True)
            ),
        )
        for number, row in enumerate(rows)
    )


def _on_ellipse(number, spaces):
    angle = math.pi / 4 - 2 * math.pi * number / spaces
    return 0.5 + 0.45 * math.cos(angle), 0.5 + 0.42 * math.sin(angle)


def _cards(rows):
    return tuple(Card(row["morning"], row["evening"]) for row in rows)


def _treasures(rows):
    """A card whose row is missing stays in the box."""
    given = {int(row["treasure"]): row for row in rows}
    return tuple(
        Treasure(row["name"], row["kind"], int(row["value"]), number in given)
        for number, row in enumerate(given.get(n, printed) for n, printed in enumerate(_rows("treasures.csv")))
    )


def _faces(rows):
    return tuple(
        CombatFace(None if row["strength"] == STAR else int(row["strength"]), row["shortage_symbol"]) for row in rows
    )


# How each kind of component is made from rows.
READERS = {"board": _spaces, "action_cards": _cards, "treasures": _treasures, "combat_die": _faces}


def _refuse_unless(condition, problem):
    if not condition:
        raise ComponentsError(problem)


def _check_board(spaces):
    _refuse_unless(MAX_FACE < len(spaces) <= MAX_SPACES, f"a board has {MAX_FACE + 1} to {MAX_SPACES} spaces.")
    for number, space in enumerate(spaces):
        _check_space(number, space, len(spaces))
    entered = {n for space in spaces for n in space.next}
    for number in range(len(spaces)):
        _refuse_unless(number in entered, f"no space leads to space {number}: it could never be reached.")
    forks = [number for number, space in enumerate(spaces) if len(space.next) == 2]
    _refuse_unless(len(forks) <= MOST_FORKS, f"a board has at most {MOST_FORKS} forks, not {len(forks)}.")
    for fork, following in zip(forks, [*forks[1:], len(spaces)], strict=True):
        _check_fork(spaces, fork, following)
    _refuse_unless(_circuit(spaces) > MAX_FACE, f"the circuit must be longer than the largest die, {MAX_FACE}.")


def _check_space(number, space, spaces):
    where = f"space {number}"
    _refuse_unless(space.kind in SPACE_KINDS, f"{where} is {space.kind!r}: a space is {', '.join(SPACE_KINDS)}.")
    is_home = space.kind == "port_royal"
    _refuse_unless(is_home == (number == 0), f"{where} is {space.kind}: space 0, and no other, is port_royal.")
    _refuse_unless(is_whole(space.cost, 0, MAX_COST), f"{where}: the cost must be a whole number from 0 to {MAX_COST}.")
    _refuse_unless(space.cost == 0 or space.kind not in FREE_KINDS, f"{where} is a {space.kind}, which costs nothing.")
    limits = f"from {-LARGEST_SCORE} to {LARGEST_SCORE}"
    _refuse_unless(
        is_whole(space.score, -LARGEST_SCORE, LARGEST_SCORE), f"{where}: the score must be a whole number {limits}."
    )
    _refuse_unless(1 <= len(space.next) <= 2, f"{where} must lead to one space, or to two lanes, not {space.next}.")
    forward = all(n == 0 or number < n < spaces for n in space.next) and len(set(space.next)) == len(space.next)
    _refuse_unless(forward, f"{where}: next must be spaces of a higher number, or 0 for Port Royal, not {space.next}.")


def _check_fork(spaces, fork, following):
    """The two lanes must meet again before the next fork, the longer one numbered first."""
    lanes = [_lane(spaces, start, following) for start in spaces[fork].next]
    meeting = [space for space in lanes[0] if space in lanes[1]]
    _refuse_unless(meeting, f"the lanes after space {fork} must meet again before the next fork or Port Royal.")
    outer, inner = (lane.index(meeting[0]) for lane in sorted(lanes))
    _refuse_unless(outer >= inner, f"after space {fork} the longer lane must have the lower numbers.")
    numbers = [space for lane in sorted(lanes) for space in lane[: lane.index(meeting[0])]]
    _refuse_unless(numbers == sorted(numbers), f"after space {fork} one lane must be numbered before the other.")


def _lane(spaces, space, following):
    """The spaces from here to the next fork, that fork included, or to Port Royal."""
    lane = [space]
    while 0 < lane[-1] < following and len(spaces[lane[-1]].next) == 1:
        lane.append(spaces[lane[-1]].next[0])
    return [space for space in lane if space != 0]


def _circuit(spaces):
    """Fewest steps round the board."""
    to_go = [0] * len(spaces)
    for number in reversed(range(len(spaces))):
        to_go[number] = 1 + min(0 if n == 0 else to_go[n] for n in spaces[number].next)
    return to_go[0]


def _check_cards(cards):
    printed = len(_rows("action_cards.csv"))
    _refuse_unless(len(cards) == printed, f"a deck has {printed} action cards, not {len(cards)}.")
    for number, card in enumerate(cards):
        for symbol in (card.morning, card.evening):
            known = f"a symbol is {', '.join(SYMBOLS)}"
            _refuse_unless(symbol in SYMBOLS, f"action card {number} shows {symbol!r}: {known}.")
    some_forward = any("forward" in (card.morning, card.evening) for card in cards)
    _refuse_unless(some_forward, "no action card moves a ship forward: nobody could ever come home.")


def _check_treasures(cards):
    printed = _rows("treasures.csv")
    _refuse_unless(len(cards) == len(printed), f"there are {len(printed)} treasure cards, not {len(cards)}.")
    for card, row in zip(cards, printed, strict=True):
        same = (card.name, card.kind) == (row["name"], row["kind"])
        _refuse_unless(same, f"the treasure {card.name!r} ({card.kind}) is not the {row['name']!r} of the box.")
        limits = f"from {-LARGEST_SCORE} to {LARGEST_SCORE}"
        whole = is_whole(card.value, -LARGEST_SCORE, LARGEST_SCORE)
        _refuse_unless(whole, f"the value of {card.name} must be a whole number {limits}.")
        _refuse_unless(card.value == 0 or card.kind != "power", f"{card.name} is a power, which is worth no points.")


def _check_die(faces):
    _refuse_unless(2 <= len(faces) <= MOST_FACES, f"the combat die has 2 to {MOST_FACES} faces, not {len(faces)}.")
    for face in faces:
        good = face.strength is None or is_whole(face.strength, 1, MOST_STRENGTH)
        _refuse_unless(good, f"a face of the combat die is a star or a whole number from 1 to {MOST_STRENGTH}.")
        known = f"a shortage symbol is {', '.join(SHORTAGE_SYMBOLS)}"
        _refuse_unless(face.shortage_symbol in SHORTAGE_SYMBOLS, f"{known}, not {face.shortage_symbol!r}.")
