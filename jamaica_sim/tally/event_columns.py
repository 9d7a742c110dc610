"""The events of many games as columns: one pass over the rows of a trace, compiled.

A table made from the declared events says which number of an event goes into which column. An action is no row of its
own: what follows tells its time of day, its symbol and its die. Draws are left out.
"""

from functools import cache

import numpy as np

from jamaica_sim.codes import EMPTY, MOMENTS, RESOURCES, RETREATS, SYMBOLS
from jamaica_sim.engine import events as declared
from jamaica_sim.engine.events import ABSENT, EVENTS, HOUSE, TAKES, WHEN
from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.state import NO_FACE, STAR, TRACE_COLUMNS, TRACE_ROWS

NULL = np.int16(-(1 << 15))
STAR_FACE = np.int64(0)  # a combat roll that shows a star
SHORTAGE_WORDS = ("circle", "square", "skull", "star")
# What happens to a number on its way into a column.
PLAIN, NO_SHIP, STRENGTH, CARGO, CARGO_AMOUNT, FACE, SHORTAGE, MOMENT, SET = (np.int64(i) for i in range(9))
MOMENT_COUNT = np.int64(len(MOMENTS))
MAY_LACK = (NO_SHIP, STRENGTH, CARGO, CARGO_AMOUNT, SHORTAGE)
OPTIONS = "options"  # a column of its own, of sets
LEFT_OUT = ("action", "skip", "draw")
# Fields that have another name in the table, by event and field; None for those that are left out.
RENAMED = {
    ("round", "number"): None,
    ("round", "captain"): "ship",
    ("round", "dice"): None,
    ("round", "placed"): None,
    ("choose", "hand"): OPTIONS,
    ("load", "emptied"): ("emptied_resource", "emptied_amount"),
    ("battle", "attacker"): "ship",
    ("battle", "defender"): "other",
    ("battle", "targets"): OPTIONS,
    ("roll", "face"): "die",
    ("sabre", "of"): "other",
    ("battle_end", "winner"): "ship",
    ("loot", "loser"): "other",
    ("loot", "decider"): None,
    ("pay", "holds"): None,
    ("shortage", "paid"): "amount",
    ("house_asks", "options"): "among",
    ("house_give", "emptied"): ("emptied_resource", "emptied_amount"),
    ("house_hold", "emptied"): ("emptied_resource", "emptied_amount"),
    ("house_hold", "loser"): "other",
    ("house_captain", "captain"): "ship",
    ("house_roll", "face"): "die",
}
WORDS = {
    "when": WHEN,
    "symbol": (*SYMBOLS, *SHORTAGE_WORDS),
    "resource": RESOURCES,
    "emptied_resource": RESOURCES,
    "take": TAKES,
    "moment": MOMENTS,
}
HOW = {
    declared.SHIP_OR_NONE: (NO_SHIP,),
    declared.STRENGTH: (None, STRENGTH),
    declared.CARGO: (CARGO, CARGO_AMOUNT),
    declared.FACE: (FACE,),
    declared.SHORTAGE_SYMBOL: (SHORTAGE,),
    declared.MOMENT: (MOMENT,),
    declared.SET: (SET,),
    declared.POSITIONS: (SET, None, None, None),
}


def _names(event, field, kind):
    """The columns that the numbers of a field go into; None for a number that goes into none."""
    if kind is declared.POSITION:
        return ("from_space", None) if field == "from" else ("space", "lap")
    if kind is declared.POSITIONS:
        return (OPTIONS, None, None, None)
    if kind is declared.STRENGTH:
        return (None, field)
    named = RENAMED.get((event, field), field)
    return named if isinstance(named, tuple) else (named,) * kind.width


def _routes():
    """The names of the columns; for each event the numbers that go into one: place in the row, what happens, column.

    An event's numbers end with a place of 0. Also the columns that each event may lack.
    """
    names = ["round", "ship", "when", "symbol", "die"]
    routes = np.zeros((len(EVENTS), TRACE_COLUMNS, 3), np.int64)
    lacking = []
    for event, its in zip(EVENTS, routes, strict=True):
        found, lacks = 0, {"when"}
        for field, kind, start, _ in event.fields if event.name not in LEFT_OUT else ():
            actions = HOW.get(kind, (PLAIN,) * kind.width)
            for place, (name, action) in enumerate(zip(_names(event.name, field, kind), actions, strict=True), start):
                if name is None or action is None:
                    continue
                if name != OPTIONS and name not in names:
                    names.append(name)
                its[found] = place, action, 0 if name == OPTIONS else names.index(name)
                found += 1
                if action in MAY_LACK or field in event.optional:
                    lacks.add(name)
        lacking.append(lacks)
    return tuple(names), routes, lacking


def _number(name):
    return next(number for number, event in enumerate(EVENTS) if event.name == name)


def _of_kind(number, event):
    """The columns of a table of such events, in order, each with whether it may be missing."""
    own = {"round"} | {OPTIONS if how == SET else COLUMNS[c] for place, how, c in ROUTES[number].tolist() if place}
    own |= {"when"} if event.name not in ("round", "choose") else set()
    own |= {"symbol", "die"} if event.name in ("load", "no_load", "move") else set()
    return {name: name in LACKING[number] for name in (*COLUMNS, OPTIONS) if name in own}


COLUMNS, ROUTES, LACKING = _routes()
# The kinds of events in the table: number, and columns with whether they may be missing.
KINDS = {e.name: (number, _of_kind(number, e)) for number, e in enumerate(EVENTS) if e.name not in LEFT_OUT}
ROUND, ACTION, SKIP, DRAW, LOAD, NO_LOAD, MOVE, CHOOSE = (
    _number(name) for name in ("round", "action", "skip", "draw", "load", "no_load", "move", "choose")
)
SHORTAGE_CODES = np.full(8, NULL, np.int64)  # by the kind of space that the symbol stands for
SHORTAGE_CODES[[int(RETREATS[word]) for word in SHORTAGE_WORDS]] = len(SYMBOLS) + np.arange(len(SHORTAGE_WORDS))


@cache
def kinds_of(has_house_rules: bool) -> dict[str, tuple[int, dict[str, bool]]]:
    """The kinds of events that games with or without house rules can have; only house rules act at no time of day."""
    if has_house_rules:
        return KINDS
    return {
        name: (number, columns | {"when": False} if "when" in columns else columns)
        for name, (number, columns) in KINDS.items()
        if not name.startswith(HOUSE)
    }


@entry
def fill_columns(trace, routes, shortage, first_game, starts, games, numbers, values, options, places):
    """Write each event's game, its number in the game, and its columns: `values[column, row]` and a set of options.

    `starts` gets the first row of each kind of event, followed by the end of its rows. `places` gets, for each row of
    the trace, the number in its game of the first event from there on.
    """
    starts[:] = 0
    for i in range(trace.shape[0]):
        starts[trace[i, 0] + 2] += 1
    starts[ACTION + 2] = starts[DRAW + 2] = starts[SKIP + 2] = 0
    for i in range(1, starts.size):
        starts[i] += starts[i - 1]  # entry `kind + 1` is the next free row of a kind, and so becomes its end
    game, number, in_round = first_game - 1, np.int64(0), np.int64(0)
    when, symbol, die = np.int64(NULL), np.int64(NULL), np.int64(NULL)
    for i in range(trace.shape[0]):
        event = trace[i, 0]
        if event == ROUND:
            in_round, when = trace[i, 1], np.int64(NULL)
            if in_round == 1:
                game, number = game + 1, np.int64(0)
        places[i] = number
        if event == ACTION:
            when, symbol, die = trace[i, 2], trace[i, 3], trace[i, 4]
            continue
        if event == DRAW or event == SKIP:
            continue
        row = starts[event + 1]
        starts[event + 1] += 1
        number += 1
        games[row], numbers[row] = game, number - 1
        values[0, row], values[2, row] = in_round, when
        if event == LOAD or event == NO_LOAD or event == MOVE:
            values[3, row], values[4, row] = symbol, die
        for k in range(TRACE_COLUMNS):
            place, does, column = routes[event, k]
            if place == 0:
                break
            given = trace[i, place]
            if does == PLAIN and given != ABSENT:
                values[column, row] = given
                continue
            if does == SET:
                options[row] = given
                continue
            if (
                given == ABSENT
                or (does == NO_SHIP and given < 0)
                or (does == CARGO and given == EMPTY)
                or (does == CARGO_AMOUNT and trace[i, place - 1] == EMPTY)
                or (does == STRENGTH and (trace[i, place - 1] == STAR or trace[i, place - 1] == NO_FACE))
            ):
                given = np.int64(NULL)
            elif does == FACE and given == STAR:
                given = STAR_FACE
            elif does == SHORTAGE:
                given = np.int64(NULL) if given < 0 else shortage[given]
            elif does == MOMENT:
                given %= MOMENT_COUNT
            values[column, row] = given


class EventColumns:
    """The columns of all events of a trace, kind after kind, in arrays that the next trace overwrites.

    `columns` has the games, the numbers in their games, the sets of options, and the others with `NULL` where something
    is missing. `starts` has the first row of each kind, with the end after the last; `places` is that of
    `fill_columns`. Loot that is stowed is told with the symbol and the die of the action in which it was won.
    """

    def __init__(self) -> None:
        self._games, self._numbers = np.zeros(TRACE_ROWS, np.int64), np.zeros(TRACE_ROWS, np.int32)
        self._values, self._options = np.zeros((len(COLUMNS), TRACE_ROWS), np.int16), np.zeros(TRACE_ROWS, np.int64)
        self.places = np.zeros(TRACE_ROWS + 1, np.int32)
        self.starts = np.zeros(len(EVENTS) + 2, np.int64)
        self.columns: dict[str, np.ndarray] = {"game": self._games, "number": self._numbers, OPTIONS: self._options}
        self.columns |= dict(zip(COLUMNS, self._values, strict=True))

    def fill(self, trace: np.ndarray, first_game: int) -> None:
        """Read a trace of the games from `first_game` on."""
        found = (self._games, self._numbers, self._values, self._options, self.places)
        fill_columns(trace, ROUTES, SHORTAGE_CODES, first_game, self.starts, *found)
