"""Components changed by name: space.6.cost, treasure.lady_beth, card.3, combat_die, shortage_die, board; or several
at once: ports.dearer, seas.dearer, red_line. And the other way round: what differs from the box, by name.

This module applies names from the command line or a rules file to the component lists. `Components` checks the result.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from jamaica_sim.files.escape import did_you_mean, shown
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import beside
from jamaica_sim.game.codes import SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS
from jamaica_sim.game.components import (
    MOST_CARDS,
    STAR,
    Card,
    CombatFace,
    Components,
    Treasure,
    board,
    course,
    the_box,
)
from jamaica_sim.game.components.course import NAMED, Board, ComponentsError, Space, board_text

SPACE_FIELDS = ("cost", "score", "kind", "next")
DICE = ("combat_die", "shortage_die")
MOST_DOTS = 2  # in a name
ROOMS = ("space", "treasure", "card")  # how dotted names begin
# A whole board: a CSV file, `printed`, or a short text, which may have a name in front.
BOARD = "board"
PRINTED = "printed"
BOARD_MEANING = "a board of one's own: a CSV file, a short text, or printed"
# Names that change many spaces at once. The first two describe a change, so they have no value of their own.
DEARER = {"ports.dearer": "port", "seas.dearer": "sea"}
RED_LINE = "red_line"
AT_ONCE = {
    "ports.dearer": "doubloons that every port costs more (a negative number: less); a free one stays free",
    "seas.dearer": "food that every sea space costs more (a negative number: less); a free one stays free",
    RED_LINE: "the first space after the red line; all spaces before it score as space 1 does",
}
MOST_COST = 10
SHORT = re.compile(r"[0-9]{1,6}")  # a number in a name; Python refuses those with thousands of digits
MOST_NAMED = 12  # changes of single spaces that are told one by one; of more, the board is told as a whole


@dataclass(frozen=True)
class RuleRow:
    """One rule, or detail of the components, that can be changed by name."""

    name: str
    clause: str
    meaning: str
    allowed: str
    value: object


@dataclass(frozen=True)
class Treasures:
    """The treasure cards of one name: one of them, and how many are in the game."""

    card: Treasure
    copies: int


@dataclass
class _Draft:
    """Components while they are being changed. Only the result is checked, so changes may come in any order."""

    board: list[Space]
    action_cards: list[Card]
    treasures: dict[str, Treasures]
    combat_die: list[CombatFace]


def is_component(name: str) -> bool:
    """Whether a rule's name is the name of a component."""
    return name in (BOARD, *DICE, *AT_ONCE) or name.split(".")[0] in (*ROOMS, "ports", "seas")


def by_dots(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested tables of a TOML file as dotted names; tables nested deeper than any rule stay tables."""
    flat: dict[str, Any] = {}
    for name, value in tree.items():
        is_inner = isinstance(value, dict) and prefix.count(".") < MOST_DOTS
        flat |= by_dots(value, f"{prefix}{name}.") if is_inner else {f"{prefix}{name}": value}
    return flat


def card_name(name: str) -> str:
    """A treasure's name as a rule spells it: lady_beth, plus_3, minus_2."""
    number = re.search(r"([+-])(\d+)$", name)
    if number:
        return f"{'plus' if number[1] == '+' else 'minus'}_{number[2]}"
    return "sixth_hold" if name == "6th Hold" else re.sub(r"[^a-z]+", "_", name.lower().replace("'", ""))


def changed(components: Components, changes: Mapping[str, Any]) -> Components:
    """The components with the named ones changed: the board first, then many spaces at once, then single things."""
    draft = _Draft(
        list(components.board), list(components.action_cards), _by_name(components), list(components.combat_die)
    )
    for name in sorted(sorted(changes, key=_natural), key=_turn):
        _change(draft, name, changes[name])
    cards, treasures = tuple(draft.action_cards), _laid_out(draft.treasures)
    own = _own_board(changes[BOARD]) if BOARD in changes else components.own_board
    return Components(tuple(draft.board), cards, treasures, tuple(draft.combat_die), own)


def _own_board(value: Any) -> str:
    """A value of `board` as commands have it, without places; nothing for the printed board."""
    value = str(named_board(value))
    found = NAMED.match(value)
    return "" if value.strip() == PRINTED else f"{found[0] if found else ''}{board_text(board_of(value))}"


def _natural(name: str) -> tuple[str | int, ...]:
    """Numbers in order, so that card 11 is added before card 12."""
    return tuple(int(word) if SHORT.fullmatch(word) else word for word in re.split(r"([0-9]{1,6})", name))


def _turn(name: str) -> int:
    """When a change is made. A space's kind comes before its cost, and the faces of the die before its symbols."""
    if name in (BOARD, *AT_ONCE):
        return 0 if name == BOARD else 1
    return 2 if name.endswith(".kind") else 4 if name == "shortage_die" else 3


def _change(draft: _Draft, name: str, value: Any) -> None:
    room, _, rest = name.partition(".")
    if name == BOARD:
        draft.board = list(board_of(value))
    elif name in DICE:
        _change_die(draft, name, value)
    elif name in DEARER:
        _make_dearer(draft, name, value)
    elif name == RED_LINE:
        _move_red_line(draft, value)
    elif room in ROOMS:
        {"space": _change_space, "treasure": _change_treasure, "card": _change_card}[room](draft, name, rest, value)
    else:
        _unknown(name, AT_ONCE)


def board_of(value: Any) -> tuple[Space, ...]:
    """The spaces that a value of the rule `board` stands for."""
    if is_board_file(value):
        return course.load_board(Path(value))
    if not isinstance(value, str):
        raise ComponentsError(f"board must be {BOARD_MEANING}, not {value!r}.")
    if value.strip() == PRINTED:
        return board()
    return course.spaces_in_text(value)


def is_board_file(value: Any) -> bool:
    """Whether a value of `board` names a file: a board's text has several words."""
    text = str(value)
    return isinstance(value, str | Path) and (text.endswith(".csv") or (text != PRINTED and len(text.split()) < 2))


def named_board(value: Any, folder: Path | None = None) -> Any:
    """A value of `board` that needs no file: a CSV file becomes a text named after it.

    A file that another one names lies in that one's folder.
    """
    if not is_board_file(value):
        return value
    file = Path(value) if folder is None else beside(folder, str(value), ComponentsError)
    name = re.sub(r"[^\w.-]", "_", Path(value).stem)
    return f"{name}:{board_text(course.load_board(file), places=True)}"


def board_name(value: str) -> str:
    """What to call a value of `board`: its name, or how many spaces it has."""
    found = NAMED.match(value)
    return found[1] if found else value if value in ("", PRINTED) else f"of {len(value.split())} spaces"


def value_of(components: Components, name: str) -> Any:
    """The value of one component, by any name that `changed` takes; 0 for names that describe a change (`DEARER`)."""
    if name == BOARD:
        return PRINTED if components.board == board() else board_text(components.board)
    if name in AT_ONCE:
        return 0 if name in DEARER else course.end_of_loss(components.board)
    room, _, rest = name.partition(".")
    if room == "card":
        number, _, when = rest.partition(".")
        card = components.action_cards[_card_number(name, number, len(components.action_cards))]
        return getattr(card, when) if when else f"{card.morning}/{card.evening}"
    if room == "treasure" and "." not in rest:
        name = f"{name}.copies"
    known = {rule.name: rule.value for rule in component_rules(components)}
    return known[name] if name in known else _unknown(name, known)


@lru_cache(maxsize=64)  # an experiment has thousands of settings and few boards
def component_rules(components: Components) -> tuple[RuleRow, ...]:
    """Every component that can be changed by name, with its value."""
    rules = []
    for number, space in enumerate(components.board):
        rules += _rules_of_space(number, space)
    for name, cards in _by_name(components).items():
        what, most = "cards in the game", most_copies(name)
        rules.append(RuleRow(f"treasure.{name}.copies", "C3, S2", what, f"0 to {most}", cards.copies))
        if cards.card.kind != "power":
            what = "points of the card"
            rules.append(RuleRow(f"treasure.{name}.value", "C3, E2", what, "-100 to 100", cards.card.value))
    for number, card in enumerate(components.action_cards):
        symbols = f"two of {', '.join(SYMBOLS)}"
        value = f"{card.morning}/{card.evening}"
        rules.append(RuleRow(f"card.{number}", "C2", "morning and evening symbol", symbols, value))
    strengths = tuple(STAR if face.strength is None else face.strength for face in components.combat_die)
    marks = tuple(face.shortage_symbol for face in components.combat_die)
    rules.append(RuleRow("combat_die", "C5", "faces in battle", "2 to 12 of 1 to 20 or star", strengths))
    allowed = f"as many of {', '.join(SHORTAGE_SYMBOLS)}"
    rules.append(RuleRow("shortage_die", "C5, H3", "the same faces in a shortage (2021)", allowed, marks))
    return tuple(rules)


def _rules_of_space(number: int, space: Space) -> list[RuleRow]:
    what = "points of the finish" if number == 0 else "points of ending there"
    score = RuleRow(f"space.{number}.score", "C1, E2", what, "-100 to 100", space.score)
    lanes = space.next[0] if len(space.next) == 1 else "/".join(map(str, space.next))
    onward = RuleRow(f"space.{number}.next", "C1, M1", "the space that follows, or two lanes", "N or N/N", lanes)
    if number == 0:
        return [score, onward]
    what = {"port": "doubloons to pay", "sea": "food to pay", "lair": "a lair costs nothing"}[space.kind]
    cost = RuleRow(f"space.{number}.cost", "C1, P1", what, "0 to 10", space.cost)
    kinds = ", ".join(SPACE_KINDS[1:])
    return [cost, score, RuleRow(f"space.{number}.kind", "C1", "kind of the space", kinds, space.kind), onward]


def differing_components(components: Components) -> dict[str, Any]:
    """What differs from the box, by the fewest names; `changed(the_box(), ...)` of it gives the same components."""
    return _differing_components(components, components.own_board)


@lru_cache(maxsize=64)
def _differing_components(components: Components, own: str) -> dict[str, Any]:
    found = _differing_board(components.board, board()) if components.board != board() else {}
    if own and found:
        found = {BOARD: own} | _differing_board(components.board, board_of(own))
    printed = {rule.name: rule.value for rule in component_rules(the_box())}
    others = {rule.name: rule.value for rule in component_rules(components) if not rule.name.startswith("space.")}
    return found | {name: value for name, value in others.items() if value != printed.get(name)}


def spaces_beside(components: Components, named: Mapping[str, Any]) -> dict[str, Any]:
    """The single spaces that differ from the board that a board and changes of many spaces make, by name."""
    start = board_of(named.get(BOARD, PRINTED))
    at_once = {name: named[name] for name in AT_ONCE if name in named}
    if not 2 <= at_once.get(RED_LINE, 0) < len(start):  # a board without one
        at_once.pop(RED_LINE, None)
    return _differing_spaces(components.board, start, at_once) if len(start) == len(components.board) else {}


def _differing_board(mine: Board, start: Board) -> dict[str, Any]:
    """What makes one board of another, by the fewest names."""
    if len(mine) != len(start):
        return {BOARD: board_text(mine)}
    at_once: dict[str, Any] = {}
    left = _differing_spaces(mine, start, at_once)
    for name, value in _likely(mine, start):
        if len(fewer := _differing_spaces(mine, start, {**at_once, name: value})) + 1 < len(left):
            at_once, left = {**at_once, name: value}, fewer
    return {BOARD: board_text(mine)} if len(left) > MOST_NAMED else at_once | left


def _likely(spaces: Board, start: Board) -> list[tuple[str, int]]:
    """Changes of many spaces that may have made one board of another."""
    pairs = list(zip(spaces, start, strict=True))
    dearer = [(name, {a.cost - b.cost for a, b in pairs if b.kind == kind} - {0}) for name, kind in DEARER.items()]
    line = course.end_of_loss(spaces)
    moved = [(RED_LINE, line)] if line > 1 and any(a.score != b.score for a, b in pairs) else []
    return [(name, value) for name, values in dearer for value in sorted(values)] + moved


def _differing_spaces(mine: Board, start: Board, at_once: Mapping[str, int]) -> dict[str, Any]:
    """The single spaces that differ from a board with some changes of many spaces."""
    draft = _Draft([replace(space, name="") for space in start], [], {}, [])
    for name, value in at_once.items():
        _change(draft, name, value)
    pairs = enumerate(zip(mine, draft.board, strict=True))
    rules = [(mine, its) for n, (a, b) in pairs if a != b for mine, its in _pairs_of_rules(n, a, b)]
    return {mine.name: mine.value for mine, its in rules if mine.value != its.value}


def _pairs_of_rules(number: int, a: Space, b: Space) -> list[tuple[RuleRow, RuleRow]]:
    return list(zip(_rules_of_space(number, a), _rules_of_space(number, b), strict=True))


def _unknown(name: str, known: Collection[str]) -> NoReturn:
    raise ComponentsError(f"there is no rule {name!r}: {did_you_mean(name, known, 'such rules are')}")


def _change_space(draft: _Draft, name: str, rest: str, value: Any) -> None:
    number, _, what = rest.partition(".")
    _check_numbered(draft, name, number)
    if not SHORT.fullmatch(number) or int(number) >= len(draft.board):
        raise ComponentsError(f"{name}: the spaces of the board are 0 to {len(draft.board) - 1}.")
    if not what:
        parts = " or ".join(f"{name}.{field}" for field in SPACE_FIELDS)
        raise ComponentsError(f"{name} is a whole space: name {parts}.")
    if what not in SPACE_FIELDS:
        meant = f"did you mean 'space.{number}.cost', .score, .kind or .next?"  # none is nearer than another
        raise ComponentsError(f"there is no rule {name!r}: {meant}")
    space = draft.board[int(number)]
    if what == "next":
        lanes = _lanes(name, value)
        _check_numbered(draft, name, *map(str, lanes))
        space = replace(space, next=lanes)
    else:
        space = replace(space, **{what: value})
    draft.board[int(number)] = replace(space, cost=0) if what == "kind" and value == "lair" else space


def _check_numbered(draft: _Draft, name: str, *numbers: str) -> None:
    """Refuse a number that means one space in the board's file and another one by its row; row 0 is Port Royal."""
    for place, space in enumerate(draft.board):
        called = {space.name, str(place)} if place else {space.name}
        if space.name and (number := next((n for n in numbers if n in called), None)):
            raise ComponentsError(
                f"{name}: the board's file does not call its spaces 0, 1, 2 and so on, so {number} could mean two of "
                "them: change the file instead."
            )


def _lanes(name: str, value: Any) -> tuple[int, ...]:
    """The spaces that follow, from a number or from two with a stroke between them."""
    words = re.split(r"[/|]", value) if isinstance(value, str) else [value]
    if isinstance(value, bool) or not all(SHORT.fullmatch(str(word).strip()) for word in words):
        raise ComponentsError(
            f"{name} must be the space that follows, as 7, or two lanes, as 7/13, not {shown(value)}."
        )
    return tuple(map(int, words))


def _make_dearer(draft: _Draft, name: str, value: Any) -> None:
    """Every port, or every sea space, costs `value` more. Free spaces stay free, and no other space becomes free."""
    if not is_int_between(value, -MOST_COST, MOST_COST):
        raise ComponentsError(f"{name} must be a whole number from {-MOST_COST} to {MOST_COST}, not {value!r}.")
    draft.board = [
        replace(space, cost=min(max(space.cost + value, 1), MOST_COST))
        if space.kind == DEARER[name] and space.cost
        else space
        for space in draft.board
    ]


def _move_red_line(draft: _Draft, value: Any) -> None:
    last = len(draft.board) - 1
    if not is_int_between(value, 2, last):
        raise ComponentsError(f"{RED_LINE} must be a space from 2 to {last}, not {value!r}.")
    _check_numbered(draft, RED_LINE, str(value))
    draft.board = list(course.with_red_line(draft.board, value))


def most_copies(name: str) -> int:
    """How many cards of a treasure there can be in the game: all twelve, but one 6th Hold."""
    return 1 if name == "sixth_hold" else len(the_box().treasures)


def _by_name(components: Components) -> dict[str, Treasures]:
    """The treasures of the box by name, with the values and copies that they have here."""
    here = {card.name: card for card in (*the_box().treasures, *components.treasures) if card.in_game}
    return {card_name(name): Treasures(card, components.copies(name)) for name, card in here.items()}


def _laid_out(treasures: Mapping[str, Treasures]) -> tuple[Treasure, ...]:
    """The cards in their printed order. A copy more than the box has takes the place of a card that is left out."""
    left = {name: cards.copies for name, cards in treasures.items()}
    laid = [replace(card, in_game=False) for card in the_box().treasures]
    places = [[n for n, card in enumerate(laid) if card_name(card.name) == name] for name in treasures]
    for own, cards in zip(places, treasures.values(), strict=True):
        for place in own[: cards.copies]:
            laid[place] = cards.card
            left[card_name(cards.card.name)] -= 1
    free = [place for place, card in enumerate(laid) if not card.in_game]
    more = [treasures[name].card for name, copies in left.items() for _ in range(copies)]
    if len(more) > len(free):
        names = ", ".join(dict.fromkeys(card_name(card.name) for card in more))
        raise ComponentsError(
            f"there are {len(laid)} treasure cards at most: for more of {names} leave others out, "
            f"such as treasure.minus_2=0."
        )
    for place, card in zip(free, more, strict=False):
        laid[place] = card
    return tuple(laid)


def _change_treasure(draft: _Draft, name: str, rest: str, value: Any) -> None:
    which, _, what = rest.partition(".")
    names = draft.treasures
    if which not in names or what not in ("", "copies", "value"):
        _unknown(name, [f"treasure.{known}{field}" for known in names for field in ("", ".copies", ".value")])
    if what == "value":
        names[which] = replace(names[which], card=replace(names[which].card, value=value))
        return
    if not is_int_between(value, 0, most_copies(which)):
        many = f"0 to {most_copies(which)}"
        raise ComponentsError(f"{name} is how many of these cards are in the game: {many}, not {value!r}.")
    names[which] = replace(names[which], copies=value)


def _card_number(name: str, given: str, deck: int) -> int:
    """The number of one of a deck's action cards, from its number or its printed symbols."""
    numbers = {f"{card.morning}/{card.evening}": number for number, card in enumerate(the_box().action_cards)}
    number = numbers.get(given, int(given) if SHORT.fullmatch(given) else deck)
    if number >= deck:
        _unknown(name, [f"card.{known}" for known in (*numbers, *range(deck))])
    return number


def _change_card(draft: _Draft, name: str, rest: str, value: Any) -> None:
    given, _, when = rest.partition(".")
    is_new = given == str(len(draft.action_cards)) and not when and len(draft.action_cards) < MOST_CARDS
    deck = len(draft.action_cards) + is_new
    number = _card_number(name, given if when in ("", "morning", "evening") else "", deck)
    if when:
        draft.action_cards[number] = replace(draft.action_cards[number], **{when: value})
        return
    symbols = str(value).split("/")
    if len(symbols) != 2:
        raise ComponentsError(f"{name} must be two symbols, such as gold/forward, not {value!r}.")
    draft.action_cards[number:] = [Card(*symbols), *draft.action_cards[number + 1 :]]


def _change_die(draft: _Draft, name: str, value: Any) -> None:
    """Give the die new strengths or new shortage symbols.

    New strengths may change the number of faces: symbols are then cut off, or added as stars. New symbols may not.
    """
    values = list(value) if isinstance(value, list | tuple) else [value]
    faces = draft.combat_die
    if name == "combat_die":
        symbols = [faces[i].shortage_symbol if i < len(faces) else STAR for i in range(len(values))]
        strengths = [None if strength == STAR else strength for strength in values]
    else:
        if len(values) != len(faces):
            raise ComponentsError(f"shortage_die must have a symbol for each of the {len(faces)} faces of combat_die.")
        symbols, strengths = values, [face.strength for face in faces]
    draft.combat_die = list(map(CombatFace, strengths, symbols))
