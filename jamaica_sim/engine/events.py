"""The events of a game, each declared once: its name and its fields in the order of the trace.

A rule calls the function of an event with the fields it has, by name: `note_powder(s, ship=ship, amount=amount)`. The
rules are compiled for two types of record. For the one without a trace these calls and their arguments compile to
nothing, which saves 7% of the instructions of random play. `read_event` turns a row of the trace back into the event.

A row is the number of the event and then its fields. A field's kind says how many numbers it takes in the row, and what
they mean in the trace.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from types import MappingProxyType
from typing import Any

import numpy as np

from jamaica_sim.engine.machine.bits import members_of
from jamaica_sim.engine.machine.jit import overloaded
from jamaica_sim.engine.machine.memory import trace_writer
from jamaica_sim.engine.state import NO_FACE, STAR, TRACE_COLUMNS, TRACE_ROWS
from jamaica_sim.game.codes import EMPTY, HOLDS, MOMENTS, RESOURCES, RETREATS, SYMBOLS

WHEN = ("morning", "evening")
TAKES = ("hold", "power", "hidden", "give", "nothing")
TAKE_HOLD, TAKE_POWER, TAKE_HIDDEN, TAKE_GIVE, TAKE_NOTHING = (np.int64(i) for i in range(len(TAKES)))
HOUSE = "house_"  # how the names of events begin that say what a house rule did
ABSENT = -(1 << 62)  # the value of an optional field that an event does not have
FREE = inspect.Parameter.POSITIONAL_OR_KEYWORD


@dataclass(frozen=True)
class Kind:
    """A kind of field: how its numbers are read, and how many there are."""

    read: Callable
    width: int = 1


def _position(space, lap):
    return {"space": space, "lap": lap}


def _positions(spaces, start, lap, backward):
    """A set of ends of a move; the lap of each follows from whether the way to it wraps round Port Royal."""

    def lap_at(space):
        if backward:
            return lap - 1 if space > start else lap
        return lap + 1 if space < start else lap

    return [_position(space, lap_at(space)) for space in members_of(spaces)]


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
SET = Kind(members_of)
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


def event(name: str, optional: Mapping[str, Kind] = MappingProxyType({}), **fields: Kind) -> Any:
    """Declare an event; returns the function `note_NAME(s, field, ...)` that writes it into a trace."""
    kinds = {**fields, **optional}
    number, widths = len(EVENTS), [kind.width for kind in kinds.values()]
    ends = list(accumulate(widths, initial=1))
    assert ends[-1] <= TRACE_COLUMNS, f"{name} needs more than {TRACE_COLUMNS} columns"
    in_trace = [field.rstrip("_") for field in kinds]
    declared = tuple(zip(in_trace, kinds.values(), ends[:-1], ends[1:], strict=True))
    EVENTS.append(Event(name, declared, frozenset(optional)))
    parameters = [inspect.Parameter("s", FREE), *(inspect.Parameter(field, FREE) for field in fields)]
    parameters += [inspect.Parameter(field, FREE, default=ABSENT) for field in optional]
    return trace_writer(f"note_{name}", parameters, number, widths, TRACE_COLUMNS, _write)


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


# T1: the dice as rolled and as placed.
note_round = event("round", number=NUMBER, captain=NUMBER, dice=NUMBERS, placed=NUMBERS)
# T2: `hand` is the hand before choosing.
note_choose = event("choose", ship=NUMBER, hand=SET, card=NUMBER)
# T3: an action starts. Only the ghost's moves are forced or not (G3).
note_action = event("action", ship=NUMBER, when=WHEN_WORD, symbol=SYMBOL, die=NUMBER, optional={"forced": FLAG})
# E1: an action ignored because the ship has finished.
note_skip = event("skip", ship=NUMBER, when=WHEN_WORD)
# L1, L2: also loot that is loaded.
note_load = event("load", ship=NUMBER, resource=RESOURCE, amount=NUMBER, hold=NUMBER, emptied=CARGO)
# L3.
note_no_load = event("no_load", ship=NUMBER, resource=RESOURCE, amount=NUMBER)
# M1.
note_move = event("move", ship=NUMBER, from_=POSITION, to=POSITION, options=POSITIONS)
# B1: the targets are all ships that could be attacked.
note_battle = event("battle", attacker=NUMBER, defender=NUMBER, space=NUMBER, targets=SET)
# B2, B4.
note_powder = event("powder", ship=NUMBER, amount=NUMBER)
# A combat roll.
note_roll = event("roll", ship=NUMBER, face=FACE)
# B7: the Sabre's holder, and whose die is rolled again.
note_sabre = event("sabre", ship=NUMBER, of=NUMBER)
# B5: strengths are pairs of the die's face and the sum.
note_battle_end = event("battle_end", winner=SHIP_OR_NONE, attack=STRENGTH, defence=STRENGTH)
# B8, G6, G7.
note_loot = event(
    "loot",
    ship=NUMBER,
    loser=NUMBER,
    decider=NUMBER,
    take=TAKE,
    optional={"hold": NUMBER, "resource": RESOURCE, "amount": NUMBER, "treasure": NUMBER},
)
# P1: also the payment in a shortage (H1) and committed gunpowder (B6).
note_pay = event("pay", ship=NUMBER, resource=RESOURCE, amount=NUMBER, holds=AMOUNTS)
# H1: the symbol is written as the kind of space that it stands for, NONE where no die is rolled.
note_shortage = event("shortage", ship=NUMBER, resource=RESOURCE, due=NUMBER, paid=NUMBER, symbol=SHORTAGE_SYMBOL)
# H2 to H4.
note_retreat = event("retreat", ship=NUMBER, from_=POSITION, to=POSITION, options=POSITIONS)
# P2.
note_treasure = event("treasure", ship=NUMBER, space=NUMBER, treasure=NUMBER)
# E1.
note_finish = event("finish", ship=NUMBER)
# T4: whether the discard pile was shuffled first.
note_draw = event("draw", ship=NUMBER, cards=CARDS, reshuffled=FLAG)
# A house rule changed a number.
note_house_number = event("house_number", moment=MOMENT, ship=NUMBER, was=NUMBER, is_=NUMBER)
# A house rule asked a player.
note_house_asks = event("house_asks", moment=MOMENT, ship=NUMBER, player=NUMBER, options=NUMBER, answer=NUMBER)
# A house rule gave goods to a ship.
note_house_give = event(
    "house_give", moment=MOMENT, ship=NUMBER, resource=RESOURCE, amount=NUMBER, hold=NUMBER, emptied=CARGO
)
# A house rule took goods out of a hold.
note_house_take = event("house_take", moment=MOMENT, ship=NUMBER, resource=RESOURCE, amount=NUMBER, hold=NUMBER)
# A house rule moved a ship.
note_house_sail = event("house_sail", moment=MOMENT, ship=NUMBER, from_=POSITION, to=POSITION)
# A house rule gave a ship the top card of the pile.
note_house_treasure = event("house_treasure", moment=MOMENT, ship=NUMBER, treasure=NUMBER)
# A house rule put a ship's card back into the pile.
note_house_return = event("house_return", moment=MOMENT, ship=NUMBER, treasure=NUMBER)
# A house rule moved a hold's contents from one ship to another.
note_house_hold = event(
    "house_hold",
    moment=MOMENT,
    ship=NUMBER,
    loser=NUMBER,
    hold=NUMBER,
    resource=RESOURCE,
    amount=NUMBER,
    into=NUMBER,
    emptied=CARGO,
)
# A house rule made a player Captain.
note_house_captain = event("house_captain", moment=MOMENT, captain=NUMBER)
# A house rule threw a die.
note_house_roll = event("house_roll", moment=MOMENT, faces=NUMBER, face=NUMBER)
