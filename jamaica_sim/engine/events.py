"""The events of a game, each declared once: its name and its fields in the order of the trace.

A rule calls the declared function with the fields it has, by name: `note_powder(s, ship=ship, amount=amount)`. The
rules are compiled for two types of record. For the one without a trace these calls and their arguments compile to
nothing, which saves 7% of the instructions of random play. `read_event` turns a row of the trace back into the event.

A row is the number of the event and then its fields. The annotation of a field is its kind: how many numbers it takes
in the row, and what they mean in the trace.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from jamaica_sim.codes import EMPTY, HOLDS, MOMENTS, RESOURCES, RETREATS, SYMBOLS
from jamaica_sim.engine.machine.jit import overloaded
from jamaica_sim.engine.machine.trace_writer import trace_writer
from jamaica_sim.engine.state import NO_FACE, STAR, TRACE_COLUMNS, TRACE_ROWS

WHEN = ("morning", "evening")
TAKES = ("hold", "power", "hidden", "give", "nothing")
TAKE_HOLD, TAKE_POWER, TAKE_HIDDEN, TAKE_GIVE, TAKE_NOTHING = (np.int64(i) for i in range(len(TAKES)))
HOUSE = "house_"  # how the names of events begin that say what a house rule did
ABSENT = -(1 << 62)  # the value of an optional field that an event does not have


@dataclass(frozen=True)
class Kind:
    """A kind of field: how its numbers are read, and how many there are."""

    read: Callable
    width: int = 1


def _members(bits):
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


def _position(space, lap):
    return {"space": space, "lap": lap}


def _positions(spaces, start, lap, backward):
    """A set of ends of a move; the lap of each follows from whether the way to it wraps round Port Royal."""

    def lap_at(space):
        if backward:
            return lap - 1 if space > start else lap
        return lap + 1 if space < start else lap

    return [_position(space, lap_at(space)) for space in _members(spaces)]


def _cards(drawn):
    """Cards in the order in which they were drawn: four bits each, the number plus 1."""
    cards = []
    while drawn:
        cards.append((drawn & 15) - 1)
        drawn >>= 4
    return cards


def _cargo(kind, amount):
    return None if kind == EMPTY else {"resource": RESOURCES[kind], "amount": amount}


def _amounts(word):
    """Pairs of hold and amount, out of a word with a byte for each hold."""
    return [[hold, word >> 8 * hold & 255] for hold in range(HOLDS) if word >> 8 * hold & 255]


NUMBER = Kind(lambda number: number)
NUMBERS = Kind(lambda *numbers: list(numbers), 2)
MOMENT = Kind(lambda moment: MOMENTS[moment % len(MOMENTS)])
SHIP_OR_NONE = Kind(lambda ship: ship if ship >= 0 else None)
FLAG = Kind(bool)
SET = Kind(_members)
WHEN_WORD = Kind(WHEN.__getitem__)
SYMBOL = Kind(SYMBOLS.__getitem__)
RESOURCE = Kind(RESOURCES.__getitem__)
TAKE = Kind(TAKES.__getitem__)
POSITION = Kind(_position, 2)
POSITIONS = Kind(_positions, 4)  # set of spaces, start of the move, its lap, whether it goes backward
CARGO = Kind(_cargo, 2)  # resource or EMPTY, amount
AMOUNTS = Kind(_amounts)
CARDS = Kind(_cards)
FACE = Kind(lambda strength: "star" if strength == STAR else strength)
STRENGTH = Kind(lambda face, strength: None if face in (STAR, NO_FACE) else strength, 2)
SHORTAGE_SYMBOL = Kind({int(kind): symbol for symbol, kind in RETREATS.items()}.get)  # by the kind of space


@dataclass(frozen=True)
class Event:
    """A declared event: its name in the trace and its fields in order."""

    name: str
    fields: tuple[tuple[str, Kind, int, int], ...]  # name, kind, its first column and the column after it
    optional: frozenset[str]  # fields that it may lack


EVENTS: list[Event] = []


def event(declaration):
    """Turn a declaration `note_NAME(s, field: KIND, ...)` into the function that writes this event into a trace."""
    parameters = list(inspect.signature(declaration).parameters.items())[1:]
    kinds = {name.rstrip("_"): field.annotation for name, field in parameters}
    number, widths = len(EVENTS), [kind.width for kind in kinds.values()]
    ends = list(accumulate(widths, initial=1))
    assert ends[-1] <= TRACE_COLUMNS, f"{declaration.__name__} needs more than {TRACE_COLUMNS} columns"
    fields = tuple(zip(kinds, kinds.values(), ends[:-1], ends[1:], strict=True))
    optional = frozenset(name.rstrip("_") for name, field in parameters if field.default == ABSENT)
    EVENTS.append(Event(declaration.__name__.removeprefix("note_"), fields, optional))
    return trace_writer(declaration, number, widths, TRACE_COLUMNS, _write)


def _write(s, row):
    if s.trace_length < TRACE_ROWS:
        for column in range(TRACE_COLUMNS):
            s.trace[s.trace_length, column] = row[column]
        s.drawn_by[s.trace_length] = s.luck_drawn
    s.trace_length += 1


@overloaded
def events_noted(s):
    """How many events the trace has, 0 in a record without one."""
    return (lambda s: s.trace_length) if "traced" in s.fields else (lambda s: 0)


def read_event(row) -> dict:
    """One row of a trace as the event of TRACE version 1."""
    declared = EVENTS[row[0]]
    told = {"event": declared.name}
    if declared.name.startswith(HOUSE):
        told = {"event": "house", "what": declared.name.removeprefix(HOUSE)}
    for name, kind, start, end in declared.fields:
        if row[start] != ABSENT:
            told[name] = kind.read(*row[start:end])
    if told.get("what") == "number":
        told["what"] = told["moment"]
    return told


# fmt: off
@event
def note_round(s, number: NUMBER, captain: NUMBER, dice: NUMBERS, placed: NUMBERS):
    """T1: the dice as rolled and as placed."""


@event
def note_choose(s, ship: NUMBER, hand: SET, card: NUMBER):
    """T2: `hand` is the hand before choosing."""


@event
def note_action(s, ship: NUMBER, when: WHEN_WORD, symbol: SYMBOL, die: NUMBER, forced: FLAG = ABSENT):
    """T3: an action starts. Only the ghost's moves are forced or not (G3)."""


@event
def note_skip(s, ship: NUMBER, when: WHEN_WORD):
    """E1: an action ignored because the ship has finished."""


@event
def note_load(s, ship: NUMBER, resource: RESOURCE, amount: NUMBER, hold: NUMBER, emptied: CARGO):
    """L1, L2: also loot that is loaded."""


@event
def note_no_load(s, ship: NUMBER, resource: RESOURCE, amount: NUMBER):
    """L3."""


@event
def note_move(s, ship: NUMBER, from_: POSITION, to: POSITION, options: POSITIONS):
    """M1."""


@event
def note_battle(s, attacker: NUMBER, defender: NUMBER, space: NUMBER, targets: SET):
    """B1: the targets are all ships that could be attacked."""


@event
def note_powder(s, ship: NUMBER, amount: NUMBER):
    """B2, B4."""


@event
def note_roll(s, ship: NUMBER, face: FACE):
    """A combat roll."""


@event
def note_sabre(s, ship: NUMBER, of: NUMBER):
    """B7: the Sabre's holder, and whose die is rolled again."""


@event
def note_battle_end(s, winner: SHIP_OR_NONE, attack: STRENGTH, defence: STRENGTH):
    """B5: strengths are pairs of the die's face and the sum."""


@event
def note_loot(
    s, ship: NUMBER, loser: NUMBER, decider: NUMBER, take: TAKE,
    hold: NUMBER = ABSENT, resource: RESOURCE = ABSENT, amount: NUMBER = ABSENT, treasure: NUMBER = ABSENT,
):
    """B8, G6, G7."""


@event
def note_pay(s, ship: NUMBER, resource: RESOURCE, amount: NUMBER, holds: AMOUNTS):
    """P1: also the payment in a shortage (H1) and committed gunpowder (B6)."""


@event
def note_shortage(s, ship: NUMBER, resource: RESOURCE, due: NUMBER, paid: NUMBER, symbol: SHORTAGE_SYMBOL):
    """H1: the symbol is written as the kind of space that it stands for, NONE where no die is rolled."""


@event
def note_retreat(s, ship: NUMBER, from_: POSITION, to: POSITION, options: POSITIONS):
    """H2 to H4."""


@event
def note_treasure(s, ship: NUMBER, space: NUMBER, treasure: NUMBER):
    """P2."""


@event
def note_finish(s, ship: NUMBER):
    """E1."""


@event
def note_draw(s, ship: NUMBER, cards: CARDS, reshuffled: FLAG):
    """T4: whether the discard pile was shuffled first."""


@event
def note_house_number(s, moment: MOMENT, ship: NUMBER, was: NUMBER, is_: NUMBER):
    """A house rule changed a number."""


@event
def note_house_asks(s, moment: MOMENT, ship: NUMBER, player: NUMBER, options: NUMBER, answer: NUMBER):
    """A house rule asked a player."""


@event
def note_house_give(s, moment: MOMENT, ship: NUMBER, resource: RESOURCE, amount: NUMBER, hold: NUMBER, emptied: CARGO):
    """A house rule gave goods to a ship."""


@event
def note_house_take(s, moment: MOMENT, ship: NUMBER, resource: RESOURCE, amount: NUMBER, hold: NUMBER):
    """A house rule took goods out of a hold."""


@event
def note_house_sail(s, moment: MOMENT, ship: NUMBER, from_: POSITION, to: POSITION):
    """A house rule moved a ship."""


@event
def note_house_treasure(s, moment: MOMENT, ship: NUMBER, treasure: NUMBER):
    """A house rule gave a ship the top card of the pile."""


@event
def note_house_return(s, moment: MOMENT, ship: NUMBER, treasure: NUMBER):
    """A house rule put a ship's card back into the pile."""


@event
def note_house_hold(
    s, moment: MOMENT, ship: NUMBER, loser: NUMBER, hold: NUMBER, resource: RESOURCE, amount: NUMBER, into: NUMBER,
    emptied: CARGO,
):
    """A house rule moved a hold's contents from one ship to another."""


@event
def note_house_captain(s, moment: MOMENT, captain: NUMBER):
    """A house rule made a player Captain."""


@event
def note_house_roll(s, moment: MOMENT, faces: NUMBER, face: NUMBER):
    """A house rule threw a die."""
# fmt: on
