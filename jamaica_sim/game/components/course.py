"""The course: the spaces of a board (C1), read from CSV or a short text, written as both, laid out and checked.

In a CSV file a space has a name of its own choice (column `space`), and `next` names the spaces that follow; an empty
`next` is the row below, and Port Royal after the last row. So a row can be added or removed without renumbering.
"""

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import shown
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import read_text
from jamaica_sim.game.codes import MAX_COST, MAX_FACE, MAX_SPACES, SPACE_KINDS

MOST_FORKS = 3
LARGEST_SCORE = 100
COLUMNS = ("kind", "cost", "score", "next")
FREE_KINDS = ("port_royal", "lair")  # P2, P3
LETTERS = {"port_royal": "h", "sea": "s", "port": "p", "lair": "l"}  # of the short text
NAMED = re.compile(r"^([\w.-]+):")  # in front of the short text
IN_TEXT = re.compile(
    r"([hspl])(\d{0,3})([+-]\d{1,4})?(?:>(\d{1,3}(?:/\d{1,3})*))?(?:@([\d.]{1,8}):([\d.]{1,8}))?(?:#(\S+))?"
)
NEAREST = 0.02  # how near to the one before a space may be drawn that has no place of its own; half of its width
OUTER, INNER = 1.0, 0.72  # how far from the middle the lanes of a board are drawn that has no places of its own


class ComponentsError(UserError):
    """Components that cannot be played with, in one sentence."""


@dataclass(frozen=True)
class Space:
    """One space of the board (C1). Where it is drawn, and what a file calls it, are no rules: equality ignores both."""

    kind: str
    cost: int
    score: int
    next: tuple[int, ...]
    x: float = field(compare=False)
    y: float = field(compare=False)
    name: str = field(default="", compare=False)  # in the board's file, where that is not its number


Board = tuple[Space, ...]


def refuse_unless(condition: object, problem: str) -> None:
    """Raise the problem unless the condition holds."""
    if not condition:
        raise ComponentsError(problem)


def read_board(text: str) -> Board:
    """The board in a CSV file; spaces without x and y are placed between their neighbours, or all on an ellipse."""
    try:
        separator = ";" if ";" in text.partition("\n")[0] else ","  # some spreadsheets write semicolons
        reader = csv.DictReader(io.StringIO(text), delimiter=separator, restval="")
        rows = list(reader)
    except csv.Error as error:  # a field of more than 131,072 characters
        raise ComponentsError(f"the board is not a CSV file: {error}.") from error
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise ComponentsError(f"a board is a CSV file with the columns {', '.join(COLUMNS)}: no {missing[0]} there.")
    _check_length(rows)
    for number, row in enumerate(rows):
        refuse_unless(None not in row, f"space {number} has more fields than there are columns.")
    spaces = spaces_of(rows)
    check_board(spaces)
    return spaces


def load_board(path: Path) -> Board:
    """The board in a file."""
    text = read_text(path, ComponentsError, missing=f"there is no file {path}.")
    try:
        return read_board(text)
    except ComponentsError as error:
        raise ComponentsError(f"{path}: {error}") from error


def board_csv(spaces: Sequence[Space]) -> str:
    """A board as a CSV file to change."""
    lines = ["space,kind,cost,score,next,x,y"]
    for number, space in enumerate(spaces):
        following = "" if space.next == _usual_next(number, len(spaces)) else "|".join(map(str, space.next))
        lines.append(f"{number},{space.kind},{space.cost},{space.score},{following},{space.x:.3f},{space.y:.3f}")
    return "\n".join(lines) + "\n"


def board_text(spaces: Sequence[Space], places: bool = False) -> str:
    """A board as a short text for a command: kind, cost, score where it changes, and what follows where that is odd.

    With `places` it also says where each space is drawn, and what the file calls it where that is not its number.
    """
    words = []
    score = 0
    for number, space in enumerate(spaces):
        points = f"{space.score:+d}" if space.score != score else ""
        lanes = "" if space.next == _usual_next(number, len(spaces)) else f">{'/'.join(map(str, space.next))}"
        name = f"#{'_'.join(space.name.split())}" if space.name else ""
        place = f"@{space.x:.6g}:{space.y:.6g}{name}" if places else ""
        words.append(f"{LETTERS[space.kind]}{space.cost or ''}{points}{lanes}{place}")
        score = space.score
    return " ".join(words)


def spaces_in_text(text: str) -> Board:
    """The board that `board_text` describes; it may have a name in front."""
    kinds = {letter: kind for kind, letter in LETTERS.items()}
    words = NAMED.sub("", text, count=1).split()
    rows: list[dict[str, Any]] = []
    score = 0
    for number, word in enumerate(words):
        found = IN_TEXT.fullmatch(word)
        if found is None:
            raise ComponentsError(f"{word!r} is no space of a board: a space is such as s2, p3+4 or s2-5>7/13.")
        letter, cost, points, lanes, x, y, name = found.groups()
        score = int(points) if points else score
        following = tuple(map(int, lanes.split("/"))) if lanes else _usual_next(number, len(words))
        row = {"kind": kinds[letter], "cost": cost or 0, "score": score, "next": following, "x": x, "y": y}
        rows.append(row | {"space": name or number})
    return spaces_of(rows)


def spaces_of(rows: Sequence[Mapping[str, Any]]) -> Board:
    """The spaces in rows, each with the columns of the CSV file."""
    names = _names(rows)
    spaces = [
        Space(
            str(row["kind"]).strip(),
            _whole(row, "cost", number),
            _whole(row, "score", number),
            _following(row["next"], number, names),
            _place(row, "x", number),
            _place(row, "y", number),
            "" if name == str(number) else name,
        )
        for number, (row, name) in enumerate(zip(rows, names, strict=True))
    ]
    return _laid_out(spaces)


def _whole(row: Mapping[str, Any], column: str, number: int) -> int:
    value = row[column]
    if isinstance(value, str) and re.fullmatch(r"\s*[+-]?\d{1,9}\s*", value):
        return int(value)
    refuse_unless(
        is_int_between(value, -(10**9), 10**9),
        f"space {number}: the {column} must be a whole number, not {shown(value)}.",
    )
    return int(value)


def _place(row: Mapping[str, Any], axis: str, number: int) -> float:
    """Where a space is drawn; not a number where that is left open."""
    if row.get(axis) in (None, ""):
        return math.nan
    try:
        place = float(row[axis])
    except (ValueError, TypeError, OverflowError):
        place = math.inf
    refuse_unless(math.isfinite(place), f"space {number}: {axis} must be from 0 to 1, not {shown(row[axis])}.")
    return place


def _names(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The number of each space by its name; spaces without names are named by their numbers."""
    given = [str(row.get("space") if row.get("space") is not None else "").strip() for row in rows]
    if not all(given):
        given = [str(number) for number in range(len(rows))]
    for number, name in enumerate(given):
        refuse_unless(name not in given[:number], f"two spaces are called {name!r}: give one of them another name.")
    return {name: number for number, name in enumerate(given)}


def _following(given: Any, number: int, names: Mapping[str, int]) -> tuple[int, ...]:
    if not isinstance(given, str):
        several = isinstance(given, list | tuple) and all(is_int_between(n, 0, MAX_SPACES) for n in given)
        refuse_unless(several, f"space {number}: next must be spaces, not {shown(given)}.")
        return tuple(given)
    if not given.strip():
        return _usual_next(number, len(names))
    wanted = [name.strip() for name in re.split(r"[|/]", given)]
    for name in wanted:
        refuse_unless(name in names, f"{_called(number, names)} leads to {name!r}, but no row has that name.")
    return tuple(names[name] for name in wanted)


def _called(number: int, names: Mapping[str, int]) -> str:
    return f"space {next(name for name, n in names.items() if n == number)}"


def _usual_next(number: int, spaces: int) -> tuple[int]:
    return ((number + 1) % spaces,)


def _laid_out(spaces: Sequence[Space]) -> Board:
    """The same spaces with places for those that have none.

    Where Port Royal has a place, a space without one lies between its neighbours. Otherwise, and where they would cover
    one another, all lie on an ellipse.
    """
    if not any(math.isnan(space.x + space.y) for space in spaces):
        return tuple(spaces)
    if not spaces or math.isnan(spaces[0].x + spaces[0].y) or not _is_forward(spaces):
        return _on_ellipse(spaces)
    laid = list(spaces)
    for number, space in enumerate(laid):
        if math.isnan(space.x + space.y):
            behind = next(s for s in laid[:number] if number in s.next)
            steps, at = 1, laid[space.next[0]]
            while math.isnan(at.x + at.y):
                steps, at = steps + 1, laid[at.next[0]]
            share = 1 / (steps + 1)
            x, y = (a + share * (b - a) for a, b in ((behind.x, at.x), (behind.y, at.y)))
            if math.dist((x, y), (behind.x, behind.y)) < NEAREST:
                return _on_ellipse(spaces)
            laid[number] = replace(space, x=x, y=y)
    return tuple(laid)


def _is_forward(spaces: Sequence[Space]) -> bool:
    """Whether every space is led to by an earlier one and leads to a later one, or home; a check tells what is odd."""
    onward = all(n == 0 or i < n < len(spaces) for i, space in enumerate(spaces) for n in space.next)
    led_to = {n for space in spaces for n in space.next}
    return onward and all(space.next for space in spaces) and led_to >= set(range(1, len(spaces)))


def _on_ellipse(spaces: Sequence[Space]) -> Board:
    """The spaces round an ellipse; of two lanes the shorter lies inside."""
    along, out = [float(number) for number in range(len(spaces))], [OUTER] * len(spaces)
    if _is_forward(spaces):
        for fork, following in _stretches(spaces):
            lanes = lanes_after(spaces, fork, following)
            outer, inner = lanes or ([], [])
            for j, space in enumerate(inner, 1):
                along[space], out[space] = along[fork] + (len(outer) + 1) * j / (len(inner) + 1), INNER
            if inner:  # the spaces beyond move up, so that the lanes begin and end together
                for space in range(max(inner) + 1, len(spaces)):
                    along[space] -= len(inner)
    whole = max(along, default=0) + 1
    laid = []
    for placed, step, far in zip(spaces, along, out, strict=True):
        angle = math.pi / 4 - 2 * math.pi * step / whole
        x, y = 0.5 + 0.45 * far * math.cos(angle), 0.5 + 0.42 * far * math.sin(angle)
        laid.append(replace(placed, x=round(x, 4), y=round(y, 4)))
    return tuple(laid)


def check_board(spaces: Sequence[Space]) -> None:
    """Refuse a board that cannot be played on."""
    _check_length(spaces)
    for number, space in enumerate(spaces):
        _check_space(number, space, len(spaces))
    entered = {n for space in spaces for n in space.next}
    for number in range(len(spaces)):
        refuse_unless(number in entered, f"no space leads to space {number}: it could never be reached.")
    many = len(forks(spaces))
    refuse_unless(many <= MOST_FORKS, f"a board has at most {MOST_FORKS} forks, not {many}.")
    for fork, following in _stretches(spaces):
        _check_fork(spaces, fork, following)
    refuse_unless(steps_home(spaces)[0] > MAX_FACE, f"the circuit must be longer than the largest die, {MAX_FACE}.")


def _check_length(spaces: Sequence[object]) -> None:
    refuse_unless(
        MAX_FACE < len(spaces) <= MAX_SPACES, f"a board has {MAX_FACE + 1} to {MAX_SPACES} spaces, not {len(spaces)}."
    )


def _check_space(number: int, space: Space, spaces: int) -> None:
    where = f"space {number}"
    refuse_unless(space.kind in SPACE_KINDS, f"{where} is {space.kind!r}: a space is {', '.join(SPACE_KINDS)}.")
    is_home = space.kind == "port_royal"
    refuse_unless(is_home == (number == 0), f"{where} is {space.kind}: space 0, and no other, is port_royal.")
    refuse_unless(
        is_int_between(space.cost, 0, MAX_COST), f"{where}: the cost must be a whole number from 0 to {MAX_COST}."
    )
    refuse_unless(space.cost == 0 or space.kind not in FREE_KINDS, f"{where} is a {space.kind}, which costs nothing.")
    limits = f"from {-LARGEST_SCORE} to {LARGEST_SCORE}"
    refuse_unless(
        is_int_between(space.score, -LARGEST_SCORE, LARGEST_SCORE),
        f"{where}: the score must be a whole number {limits}.",
    )
    refuse_unless(0 <= space.x <= 1 and 0 <= space.y <= 1, f"{where}: x and y must be from 0 to 1.")
    refuse_unless(1 <= len(space.next) <= 2, f"{where} must lead to one space, or to two lanes, not {space.next}.")
    refuse_unless(len({*space.next}) == len(space.next), f"{where}: the two lanes must begin on different spaces.")
    forward = all(n == 0 or number < n < spaces for n in space.next)
    refuse_unless(
        forward,
        f"{where}: next must be spaces further down, or 0 for Port Royal, not {'|'.join(map(str, space.next))}.",
    )


def previous_spaces(spaces: Sequence[Space]) -> list[list[int]]:
    """For each space, the spaces one step back."""
    return [[p for p, space in enumerate(spaces) if i in space.next] for i in range(len(spaces))]


def forks(spaces: Sequence[Space]) -> list[int]:
    """The spaces after which the course divides, in racing order."""
    return [number for number, space in enumerate(spaces) if len(space.next) == 2]


def _stretches(spaces: Sequence[Space]) -> list[tuple[int, int]]:
    """Each fork with the next one, or with the number of spaces."""
    return list(pairwise([*forks(spaces), len(spaces)]))


def lanes_after(spaces: Sequence[Space], fork: int, following: int) -> tuple[list[int], list[int]] | None:
    """The lanes of a fork up to where they meet, the one with the lower numbers first; None where they do not meet."""
    first, second = (_lane(spaces, start, following) for start in sorted(spaces[fork].next))
    meeting = next((space for space in first if space in second), None)
    return None if meeting is None else (first[: first.index(meeting)], second[: second.index(meeting)])


def lane_spaces(spaces: Sequence[Space]) -> list[tuple[list[int], list[int]]]:
    """For each fork of a checked board its outer (long) and its inner (short) lane, as lists of spaces."""
    found = (lanes_after(spaces, fork, following) for fork, following in _stretches(spaces))
    return [lanes for lanes in found if lanes is not None]


def _check_fork(spaces: Sequence[Space], fork: int, following: int) -> None:
    """The two lanes must meet again before the next fork, the longer one numbered first."""
    lanes = lanes_after(spaces, fork, following)
    if lanes is None:
        raise ComponentsError(f"the lanes after space {fork} must meet again before the next fork or Port Royal.")
    outer, inner = lanes
    refuse_unless(
        len(outer) >= len(inner),
        f"after space {fork} the longer lane must come first: move its rows above the other's.",
    )
    numbers = [*outer, *inner]
    refuse_unless(numbers == sorted(numbers), f"after space {fork} one lane must be complete before the other begins.")


def _lane(spaces: Sequence[Space], space: int, following: int) -> list[int]:
    """The spaces from here to the next fork, that fork included, or to Port Royal."""
    lane = [space]
    while 0 < lane[-1] < following and len(spaces[lane[-1]].next) == 1:
        lane.append(spaces[lane[-1]].next[0])
    return [space for space in lane if space != 0]


def steps_home(spaces: Sequence[Space]) -> list[int]:
    """Fewest steps from each space to Port Royal (E3); for Port Royal itself the whole circuit."""
    to_go = [0] * len(spaces)
    for number in reversed(range(len(spaces))):
        to_go[number] = 1 + min(0 if n == 0 else to_go[n] for n in spaces[number].next)
    return to_go


def counted(spaces: Iterable[Space]) -> str:
    """What a board has, such as "50 spaces: 29 sea, 11 ports, 9 lairs, 3 forks"."""
    spaces = list(spaces)
    kinds = [space.kind for space in spaces]
    many = {name: kinds.count(kind) for kind, name in (("sea", "sea"), ("port", "ports"), ("lair", "lairs"))}
    many["forks"] = len(forks(spaces))
    told = [f"{count} {name.removesuffix('s') if count == 1 else name}" for name, count in many.items()]
    return f"{len(spaces)} spaces: {', '.join(told)}"


def first_beyond(spaces: Sequence[Space]) -> int:
    """The first space that gives points; the number of spaces where none does."""
    return min((number for number, space in enumerate(spaces) if number and space.score > 0), default=len(spaces))


def end_of_loss(spaces: Sequence[Space]) -> int:
    """The first space whose points differ from those of space 1; 0 where there is none."""
    lost = spaces[1].score
    return next((number for number, space in enumerate(spaces) if number > 1 and space.score != lost), 0)


def with_red_line(spaces: Sequence[Space], first: int) -> Board:
    """The spaces with the line just before space `first`: from there on no points are lost."""
    lost = spaces[1].score
    scores = [lost if number < first else max(space.score, 0) for number, space in enumerate(spaces)]
    return (spaces[0], *(replace(space, score=score) for space, score in list(zip(spaces, scores, strict=True))[1:]))
