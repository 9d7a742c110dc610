"""The events of many games as columns: one pass over the rows of a trace, compiled.

A table made from the declared events says which number of an event goes into which column. An action is no row of its
own: what follows tells its time of day, its symbol and its die. Draws are left out.
"""

import numpy as np

from jamaica_sim.codes import EMPTY, MOMENTS, RESOURCES, RETREATS, SYMBOLS
from jamaica_sim.engine import events as declared
from jamaica_sim.engine.events import ABSENT, EVENTS, HOUSE, TAKES, WHEN
from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.state import NO_FACE, STAR, TRACE_COLUMNS

NULL = np.int16(-(1 << 15))
STAR_FACE = np.int64(0)  # a combat roll that shows a star
SHORTAGE_WORDS = ("circle", "square", "skull", "star")
# What happens to a number on its way into a column.
PLAIN, NO_SHIP, STRENGTH, CARGO, CARGO_AMOUNT, FACE, SHORTAGE, MOMENT, SET = (np.int64(i) for i in range(9))
MOMENT_COUNT = np.int64(len(MOMENTS))
LEFT_OUT = ("action", "skip", "draw")
# Fields that have another name in the table, by event and field; None for those that are left out.
RENAMED = {
    ("round", "number"): None,
    ("round", "captain"): "ship",
    ("round", "dice"): None,
    ("round", "placed"): None,
    ("choose", "hand"): "options",
    ("load", "emptied"): ("emptied_resource", "emptied_amount"),
    ("battle", "attacker"): "ship",
    ("battle", "defender"): "other",
    ("battle", "targets"): "options",
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
        return ("options", None, None, None)
    if kind is declared.STRENGTH:
        return (None, field)
    named = RENAMED.get((event, field), field)
    return named if isinstance(named, tuple) else (named,) * kind.width


def _routes():
    """The names of the columns, and for each number of each event its column and what happens to it, -1 for nothing."""
    names = ["round", "ship", "when", "symbol", "die"]
    column, how = (np.full((len(EVENTS), TRACE_COLUMNS), -1, np.int64) for _ in range(2))
    for number, event in enumerate(EVENTS):
        for field, kind, start, _ in event.fields if event.name not in LEFT_OUT else ():
            actions = HOW.get(kind, (PLAIN,) * kind.width)
            for place, (name, action) in enumerate(zip(_names(event.name, field, kind), actions, strict=True), start):
                if name is None or action is None:
                    continue
                if name != "options" and name not in names:
                    names.append(name)
                how[number, place] = action
                column[number, place] = 0 if name == "options" else names.index(name)
    return tuple(names), column, how


def _number(name):
    return next(number for number, event in enumerate(EVENTS) if event.name == name)


def _of_kind(event):
    """The columns of a table of such events, in order, and whether they have a set of options."""
    number = _number(event)
    own = {COLUMNS[c] for c, how in zip(COLUMN[number], HANDLED[number], strict=True) if how >= 0 and how != SET}
    own |= {"round"} | ({"when"} if event not in ("round", "choose") else set())
    own |= {"symbol", "die"} if event in ("load", "no_load", "move") else set()
    return tuple(name for name in COLUMNS if name in own), SET in HANDLED[number]


COLUMNS, COLUMN, HANDLED = _routes()
# The kinds of events in the table: number, columns, and whether they have options.
KINDS = {e.name: (number, *_of_kind(e.name)) for number, e in enumerate(EVENTS) if e.name not in LEFT_OUT}
ROUND, ACTION, SKIP, DRAW, LOAD, NO_LOAD, MOVE, CHOOSE = (
    _number(name) for name in ("round", "action", "skip", "draw", "load", "no_load", "move", "choose")
)
SHORTAGE_CODES = np.full(8, -1, np.int64)  # by the kind of space that the symbol stands for
SHORTAGE_CODES[[int(RETREATS[word]) for word in SHORTAGE_WORDS]] = len(SYMBOLS) + np.arange(len(SHORTAGE_WORDS))


def kinds_of(has_house_rules: bool) -> dict[str, tuple[int, tuple[str, ...], bool]]:
    """The kinds of events that games with or without house rules can have."""
    return {name: kind for name, kind in KINDS.items() if has_house_rules or not name.startswith(HOUSE)}


@entry
def fill_columns(trace, column, how, shortage, first_game, rows_of, games, numbers, values, options, places):
    """Write each event's game, its number in the game, and its columns: `values[column, row]` and a set of options.

    `rows_of` has the next free row for each kind of event. `places` gets, for each row of the trace, the number in its
    game of the first event from there on.
    """
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
        row = rows_of[event]
        rows_of[event] += 1
        number += 1
        games[row], numbers[row] = game, number - 1
        values[0, row], values[2, row] = in_round, when
        if event == LOAD or event == NO_LOAD or event == MOVE:
            values[3, row], values[4, row] = symbol, die
        for k in range(1, TRACE_COLUMNS):
            does = how[event, k]
            if does < 0:
                continue
            given = trace[i, k]
            if does == SET:
                options[row] = given
                continue
            if given == ABSENT or (does == NO_SHIP and given < 0) or (does == CARGO and given == EMPTY):
                continue
            if (does == CARGO_AMOUNT and trace[i, k - 1] == EMPTY) or (
                does == STRENGTH and (trace[i, k - 1] == STAR or trace[i, k - 1] == NO_FACE)
            ):
                continue
            if does == FACE and given == STAR:
                given = STAR_FACE
            elif does == SHORTAGE:
                if given < 0 or shortage[given] < 0:
                    continue
                given = shortage[given]
            elif does == MOMENT:
                given %= MOMENT_COUNT
            values[column[event, k], row] = given


def event_columns(trace: np.ndarray, first_game: int):
    """The columns of all events, kind after kind: games, numbers in their games, values (`NULL`: none), options.

    Then the first row of each kind, with the end after the last, and the `places` of `fill_columns`. Loot that is
    stowed is told with the symbol and the die of the action in which it was won.
    """
    room = len(trace)
    games, numbers, places = np.zeros(room, np.int64), np.zeros(room, np.int32), np.zeros(room + 1, np.int32)
    values, options = np.full((len(COLUMNS), room), NULL), np.zeros(room, np.int64)
    starts = np.concatenate([[0], np.bincount(trace[:, 0], minlength=len(EVENTS)).cumsum()])
    found = (games, numbers, values, options, places)
    fill_columns(trace, COLUMN, HANDLED, SHORTAGE_CODES, first_game, starts[:-1].copy(), *found)
    return games, numbers, values, options, starts, places
