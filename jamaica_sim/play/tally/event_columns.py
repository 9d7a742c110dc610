"""The events and choices of many games as columns: one pass over the rows of a trace, compiled.

A table made from the declared events says which number of an event goes into which column. An action is no row of its
own: what follows tells its time of day, its symbol and its die. Draws are left out.
"""

from functools import cache

import numpy as np

from jamaica_sim.engine import events as declared
from jamaica_sim.engine.events import ABSENT, EVENTS, HOUSE, TAKES, WHEN
from jamaica_sim.engine.machine.jit import entry, inline
from jamaica_sim.engine.state import NO_FACE, NONE, STAR, TRACE_ROWS
from jamaica_sim.game.codes import AT_ROUND_BEGIN, AT_SET_UP, DECISIONS, EMPTY, MOMENTS, RESOURCES, RETREATS, SYMBOLS

NULL = np.int16(-(1 << 15))
STAR_FACE = np.int64(0)  # a combat roll that shows a star
SHORTAGE_WORDS = ("circle", "square", "skull", "star")
# What happens to a number on its way into a column.
PLAIN, NO_SHIP, STRENGTH, CARGO, CARGO_AMOUNT, FACE, SHORTAGE, MOMENT, SET = (np.int64(i) for i in range(9))
OF_ROUND, OF_ACTION, STANDS = np.int64(9), np.int64(10), np.int64(11)  # of the round; of the action; where the ship is
MOMENT_COUNT = np.int64(len(MOMENTS))
MAY_LACK = (NO_SHIP, STRENGTH, CARGO, CARGO_AMOUNT, SHORTAGE)
OPTIONS = "options"  # a column of sets
CHOICES, DECISION = "choices", "decision"
WIDE = ("game", "number", OPTIONS)  # columns of more than 16 bits
CHOICE_COLUMNS = (
    "game", "number", "round", "player", "ship", DECISION, OPTIONS, "answer", "space", "lap", "to_go", "rank",
    "points", "lead", *RESOURCES, "hand",
)  # fmt: skip
LEFT_OUT = ("action", "skip", "draw")
STANDING = ("choose", "load", "no_load", "powder", "roll", "loot", "pay", "shortage")  # the ship is their first field
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
    DECISION: DECISIONS,
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


def _sources(event):
    """The columns of a table of such events: the place of the number, what happens to it, whether it may be missing."""
    found = {"round": (1, OF_ROUND, False)}
    if event.name not in ("round", "choose"):
        found["when"] = 2, OF_ACTION, True
    if event.name in ("load", "no_load", "move"):
        found |= {"symbol": (3, OF_ACTION, False), "die": (4, OF_ACTION, False)}
    if event.name in STANDING:
        found["space"] = 1, STANDS, False
    for field, kind, start, _ in event.fields:
        actions = HOW.get(kind, (PLAIN,) * kind.width)
        for place, (name, action) in enumerate(zip(_names(event.name, field, kind), actions, strict=True), start):
            if name is not None and action is not None:
                found[name] = place, action, action in MAY_LACK or field in event.optional
    return found


def _in_order():
    """The tables: number, and the columns in order, each with whether it may be missing. Choices are the last."""
    order = dict.fromkeys(
        ("round", "ship", "when", "symbol", "die", *(name for its in SOURCES.values() for name in its))
    )
    del order[OPTIONS]
    kinds = {
        EVENTS[number].name: (
            number,
            {"game": False, "number": False} | {n: its[n][2] for n in (*order, OPTIONS) if n in its},
        )
        for number, its in SOURCES.items()
    }
    return kinds | {CHOICES: (len(EVENTS), dict.fromkeys(CHOICE_COLUMNS, False))}


def _routes():
    """For each event the numbers that go into a column: place in a row, what happens, slot. A place of 0 ends them."""
    routes = np.zeros((len(EVENTS), 1 + max(map(len, SOURCES.values())), 3), np.int64)
    for number, its in SOURCES.items():
        for found, (name, (place, action, _)) in enumerate(its.items()):
            routes[number, found] = place, action, SLOTS.get((number, name), 0)
    return routes


def _sails():
    """For each event where its row has the ship and the space that it sails to; 0 for events that move no ship."""
    sails = np.zeros((len(EVENTS), 2), np.int64)
    for number, event in enumerate(EVENTS):
        starts = {field: start for field, _, start, _ in event.fields}
        if "to" in starts:
            sails[number] = starts["ship"], starts["to"]
    return sails


def _number(name):
    return next(number for number, event in enumerate(EVENTS) if event.name == name)


SOURCES = {number: _sources(event) for number, event in enumerate(EVENTS) if event.name not in LEFT_OUT}
KINDS = _in_order()
# Where a column of a kind lies among all of 16 bits.
SLOTS = {
    its: slot
    for slot, its in enumerate((number, name) for number, names in KINDS.values() for name in names if name not in WIDE)
}
ROUTES, SAILS = _routes(), _sails()
CHOICE = np.int64(len(EVENTS))
CHOICE_SLOT, CHOICE_TAIL = SLOTS[int(CHOICE), "round"], len(CHOICE_COLUMNS) - len(WIDE)
CHOICE_HEAD = 4 * len(WIDE)  # where the numbers of 16 bits begin
ROUND, ACTION, SKIP, DRAW = (_number(name) for name in ("round", "action", "skip", "draw"))
FIRST_OF_HOUSE = _number("house_number")
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


@inline
def _sort(trace, events, routes, sails, first_game, counts, games, numbers, values, rows, actions, places, stands, at):
    """Find each event's game, number in the game and round, its row in the trace and that of its action, if any.

    `stands` gets where the ship of each row's first field is, by `at`, where each ship is now.
    """
    game, number, in_round, action = first_game - 1, np.int64(0), NONE, NONE
    is_announced = False  # house rules have acted in this round before the dice are placed
    for i in range(events):
        event = trace[i, 0]
        begins = NONE  # the round that begins here, 0 before the first one
        if event == ROUND:
            begins, is_announced = NONE if is_announced else trace[i, 1], False
        elif event >= FIRST_OF_HOUSE and trace[i, 1] % MOMENT_COUNT == AT_SET_UP and in_round != 0:
            begins = np.int64(0)
        elif event >= FIRST_OF_HOUSE and trace[i, 1] % MOMENT_COUNT == AT_ROUND_BEGIN and not is_announced:
            dice = i
            while trace[dice, 0] != ROUND:
                dice += 1
            begins, is_announced = trace[dice, 1], True
        if begins == 0 or (begins == 1 and in_round != 0):
            game, number = game + 1, np.int64(0)
            for ship in range(at.size):
                at[ship] = 0
        if begins != NONE:
            in_round, action = begins, NONE
        places[i] = number
        if sails[event, 0] != 0:
            at[trace[i, sails[event, 0]]] = trace[i, sails[event, 1]]
        stands[i] = at[trace[i, 1] % at.size]  # of events whose first field is a ship
        if event == ACTION:
            action = np.int64(i)
        elif event != DRAW and event != SKIP:
            row = counts[event]
            counts[event] += 1
            games[event, row], numbers[event, row], values[routes[event, 0, 2], row] = game, number, in_round
            rows[event, row], actions[event, row] = i, action
            number += 1


@inline
def _number_in(trace, i, place, does, shortage):
    """The number for a column, NULL where it is missing."""
    given = trace[i, place]
    if (
        given == ABSENT
        or (does == NO_SHIP and given < 0)
        or (does == CARGO and given == EMPTY)
        or (does == CARGO_AMOUNT and trace[i, place - 1] == EMPTY)
        or (does == STRENGTH and (trace[i, place - 1] == STAR or trace[i, place - 1] == NO_FACE))
        or (does == SHORTAGE and given < 0)
    ):
        return np.int64(NULL)
    if does == FACE and given == STAR:
        return STAR_FACE
    if does == SHORTAGE:
        return shortage[given]
    return given % MOMENT_COUNT if does == MOMENT else given


@entry
def fill_columns(
    new,
    trace,
    head,
    tail,
    routes,
    sails,
    shortage,
    starts,
    counts,
    games,
    numbers,
    values,
    options,
    rows,
    actions,
    places,
    stands,
    at,
):
    """Add each event's game, its number in the game, and its columns: `values[slot, row]` and a set of options.

    `new` has the number of events and of choices, and the first game. `head` and `tail` are the numbers of 64 and of 16
    bits of the choices. `counts` has the number of rows of each kind, `starts` gets what it was. `places` gets the
    number in its game of the first event from each row of the trace on. One column is filled after the other, because
    the branches on what happens to its numbers are then predicted.
    """
    for kind in range(counts.size):
        starts[kind] = counts[kind]
    _sort(trace, new[0], routes, sails, new[2], counts, games, numbers, values, rows, actions, places, stands, at)
    for event in range(routes.shape[0]):
        for k in range(1, routes.shape[1]):
            place, does, slot = routes[event, k]
            if place == 0:
                break
            for row in range(starts[event], counts[event]):
                if does == SET:
                    options[event, row] = trace[rows[event, row], place]
                elif does == STANDS:
                    values[slot, row] = stands[rows[event, row]]
                elif does != OF_ACTION:
                    values[slot, row] = _number_in(trace, rows[event, row], place, does, shortage)
                elif actions[event, row] != NONE:
                    values[slot, row] = trace[actions[event, row], place]
                else:
                    values[slot, row] = NULL
    counts[CHOICE] += new[1]
    for i in range(new[1]):
        row = starts[CHOICE] + i
        games[CHOICE, row], numbers[CHOICE, row], options[CHOICE, row] = head[i, 0], places[head[i, 1]], head[i, 2]
    for k in range(CHOICE_TAIL):
        for i in range(new[1]):
            values[CHOICE_SLOT + k, starts[CHOICE] + i] = tail[i, CHOICE_HEAD + k]


class EventColumns:
    """The columns of the events and choices of a trace that is filled again and again, with `NULL` for what is missing.

    Loot that is stowed is told with the symbol and the die of the action in which it was won.
    """

    def __init__(self, has_house_rules: bool, trace: np.ndarray, choices: np.ndarray) -> None:
        kinds = len(EVENTS) + 1
        games, options = (np.zeros((kinds, TRACE_ROWS), np.int64) for _ in range(2))
        numbers, rows, actions = (np.zeros((kinds, TRACE_ROWS), np.int32) for _ in range(3))
        values = np.zeros((len(SLOTS), TRACE_ROWS + 32), np.int16)  # not a power of 2: columns would share cache lines
        head, tail = (choices.view(f"i{n}").reshape(choices.size, -1) for n in (8, 2))
        self._new, self._counts = np.zeros(3, np.int64), np.zeros(kinds, np.int64)
        starts, places = np.zeros(kinds, np.int64), np.zeros(TRACE_ROWS + 1, np.int32)
        stands, at = np.zeros(TRACE_ROWS, np.int16), np.zeros(8, np.int64)
        found = (starts, self._counts, games, numbers, values, options, rows, actions, places, stands, at)
        self._fill = fill_columns.bound(self._new, trace, head, tail, ROUTES, SAILS, SHORTAGE_CODES, *found)
        wide = dict(zip(WIDE, (games, numbers, options), strict=True))
        self._columns = {
            kind: [wide[name][number] if name in wide else values[SLOTS[number, name]] for name in names]
            for kind, (number, names) in kinds_of(has_house_rules).items()
        }

    def has_room(self, events: int) -> bool:
        """Whether so many more events fit in, whatever kind they are of."""
        return int(self._counts.max()) + events <= TRACE_ROWS

    def add(self, events: int, choices: int, first_game: int) -> None:
        """Add what the trace has of the games from `first_game` on."""
        self._new[:] = events, choices, first_game
        self._fill()

    def take(self) -> dict[str, list[np.ndarray]]:
        """The columns of each kind; the next trace begins anew."""
        counts = {kind: self._counts[KINDS[kind][0]] for kind in self._columns}
        taken = {kind: [column[: counts[kind]].copy() for column in its] for kind, its in self._columns.items()}
        self._counts[:] = 0
        return taken
