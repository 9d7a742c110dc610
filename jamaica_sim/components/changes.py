"""One component changed by its dotted name: space.6.cost, treasure.lady_beth, card.3, combat_die, shortage_die; or
several at once: ports.dearer, seas.dearer, red_line.

This module applies a name from the command line or a rules file to the component lists. `Components` checks the result.
"""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from jamaica_sim.codes import SHORTAGE_SYMBOLS, SPACE_KINDS, SYMBOLS
from jamaica_sim.components import STAR, CombatFace, Components, ComponentsError, red_line, the_box
from jamaica_sim.limits import is_whole
from jamaica_sim.suggest import did_you_mean

SPACE_FIELDS = ("cost", "score", "kind")
DICE = ("combat_die", "shortage_die")
MOST_DOTS = 2  # in a name
ROOMS = ("space", "treasure", "card")  # how dotted names begin
# Names that change many spaces at once. The first two describe a change, so they have no value of their own.
DEARER = {"ports.dearer": "port", "seas.dearer": "sea"}
RED_LINE = "red_line"
AT_ONCE = {
    "ports.dearer": "so many doubloons more for each port that costs any; fewer where negative",
    "seas.dearer": "so much more food for each sea space that costs any; less where negative",
    RED_LINE: "the first space behind the red line: from there on nothing is lost, before it the first space's points",
}
MOST_COST = 10


@dataclass(frozen=True)
class ComponentRule:
    """One detail of the components that can be changed: its name, clause, meaning, allowed values and value."""

    name: str
    clause: str
    meaning: str
    allowed: str
    value: object


def is_component(name: str) -> bool:
    """Whether a rule's name is the name of a component."""
    return name in DICE or name in AT_ONCE or name.split(".")[0] in (*ROOMS, "ports", "seas")


def by_dots(tree: dict, prefix: str = "") -> dict:
    """Nested tables of a TOML file as dotted names; tables nested deeper than any rule stay tables."""
    flat = {}
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


def changed(components: Components, name: str, value) -> Components:
    """The components with the named one changed."""
    if name in DICE:
        return _with_die(components, name, value)
    if name in AT_ONCE:
        return _with_dearer(components, name, value) if name in DEARER else _with_red_line(components, value)
    if name.split(".")[0] not in ROOMS:
        _unknown(name, AT_ONCE)
    room, _, rest = name.partition(".")
    return {"space": _with_space, "treasure": _with_treasure, "card": _with_card}[room](components, name, rest, value)


def value_of(components: Components, name: str):
    """The value of one component, by any name that `changed` takes; 0 for names that describe a change (`DEARER`)."""
    if name in AT_ONCE:
        return 0 if name in DEARER else red_line.end_of_loss(components.board)
    room, _, rest = name.partition(".")
    if room == "card":
        number, _, when = rest.partition(".")
        card = components.action_cards[_card_number(name, number)]
        return getattr(card, when) if when else f"{card.morning}/{card.evening}"
    if room == "treasure" and "." not in rest:
        name = f"{name}.copies"
    known = {rule.name: rule.value for rule in component_rules(components)}
    return known[name] if name in known else _unknown(name, known)


@lru_cache(maxsize=64)  # an experiment has thousands of settings and few boards
def component_rules(components: Components) -> tuple[ComponentRule, ...]:
    """Every component that can be changed by name, with its value."""
    rules = []
    for number, space in enumerate(components.board):
        if number:
            what = {"port": "doubloons to pay", "sea": "food to pay", "lair": "a lair costs nothing"}[space.kind]
            rules.append(ComponentRule(f"space.{number}.cost", "C1, P1", what, "0 to 10", space.cost))
        what = "points of the finish" if number == 0 else "points of ending there"
        rules.append(ComponentRule(f"space.{number}.score", "C1, E2", what, "-100 to 100", space.score))
        if number:
            kinds = ", ".join(SPACE_KINDS[1:])
            rules.append(ComponentRule(f"space.{number}.kind", "C1", "kind of the space", kinds, space.kind))
    for name, cards in _by_name(components).items():
        copies = sum(card.in_game for card in cards)
        what = "cards in the game"
        rules.append(ComponentRule(f"treasure.{name}.copies", "C3, S2", what, f"0 to {len(cards)}", copies))
        if cards[0].kind != "power":
            what = "points of the card"
            rules.append(ComponentRule(f"treasure.{name}.value", "C3, E2", what, "-100 to 100", cards[0].value))
    for number, card in enumerate(components.action_cards):
        symbols = f"two of {', '.join(SYMBOLS)}"
        value = f"{card.morning}/{card.evening}"
        rules.append(ComponentRule(f"card.{number}", "C2", "morning and evening symbol", symbols, value))
    strengths = tuple(STAR if face.strength is None else face.strength for face in components.combat_die)
    symbols = tuple(face.shortage_symbol for face in components.combat_die)
    rules.append(ComponentRule("combat_die", "C5", "faces in battle", "2 to 12 of 1 to 20 or star", strengths))
    allowed = f"as many of {', '.join(SHORTAGE_SYMBOLS)}"
    rules.append(ComponentRule("shortage_die", "C5, H3", "the same faces in a shortage (2021)", allowed, symbols))
    return tuple(rules)


def _unknown(name, known):
    raise ComponentsError(f"there is no rule {name!r}: {did_you_mean(name, known, 'such rules are')}")


def _with_space(components, name, rest, value):
    number, _, what = rest.partition(".")
    if not number.isdecimal() or int(number) >= len(components.board):
        raise ComponentsError(f"{name}: the spaces of the board are 0 to {len(components.board) - 1}.")
    if not what:
        parts = " or ".join(f"{name}.{field}" for field in SPACE_FIELDS)
        raise ComponentsError(f"{name} is a whole space: name {parts}.")
    if what not in SPACE_FIELDS:
        _unknown(name, [f"space.{number}.{field}" for field in SPACE_FIELDS])
    spaces = list(components.board)
    space = replace(spaces[int(number)], **{what: value})
    if what == "kind" and value == "lair":
        space = replace(space, cost=0)
    spaces[int(number)] = space
    return replace(components, board=tuple(spaces))


def _with_dearer(components, name, value):
    """Every port, or every sea space, costs `value` more. Free spaces stay free, and no other space becomes free."""
    if not is_whole(value, -MOST_COST, MOST_COST):
        raise ComponentsError(f"{name} must be a whole number from {-MOST_COST} to {MOST_COST}, not {value!r}.")
    spaces = [
        replace(space, cost=min(max(space.cost + value, 1), MOST_COST))
        if space.kind == DEARER[name] and space.cost
        else space
        for space in components.board
    ]
    return replace(components, board=tuple(spaces))


def _with_red_line(components, value):
    last = len(components.board) - 1
    if not is_whole(value, 2, last):
        raise ComponentsError(f"{RED_LINE} must be a space from 2 to {last}, not {value!r}.")
    return replace(components, board=red_line.moved(components.board, value))


def _by_name(components):
    cards = {}
    for card in components.treasures:
        cards.setdefault(card_name(card.name), []).append(card)
    return cards


def _with_treasure(components, name, rest, value):
    which, _, what = rest.partition(".")
    names = _by_name(components)
    if which not in names or what not in ("", "copies", "value"):
        _unknown(name, [f"treasure.{known}{field}" for known in names for field in ("", ".copies", ".value")])
    if what == "value":
        return replace(
            components,
            treasures=tuple(
                replace(card, value=value) if card_name(card.name) == which else card for card in components.treasures
            ),
        )
    copies = len(names[which])
    if not is_whole(value, 0, copies):
        raise ComponentsError(f"{name} is how many of these cards are in the game: 0 to {copies}, not {value!r}.")
    cards = []
    for card in components.treasures:
        if card_name(card.name) == which:
            card, value = replace(card, in_game=value > 0), value - 1
        cards.append(card)
    return replace(components, treasures=tuple(cards))


def _card_number(name, given):
    """The number of an action card, from its number or its printed symbols."""
    numbers = {f"{card.morning}/{card.evening}": number for number, card in enumerate(the_box().action_cards)}
    number = numbers.get(given, int(given) if given.isdecimal() else len(numbers))
    if number >= len(numbers):
        _unknown(name, [f"card.{known}" for known in (*numbers, *numbers.values())])
    return number


def _with_card(components, name, rest, value):
    cards = list(components.action_cards)
    number, _, when = rest.partition(".")
    number = _card_number(name, number if when in ("", "morning", "evening") else "")
    if when:
        cards[number] = replace(cards[number], **{when: value})
    else:
        symbols = str(value).split("/")
        if len(symbols) != 2:
            raise ComponentsError(f"{name} must be two symbols, such as gold/forward, not {value!r}.")
        cards[number] = replace(cards[number], morning=symbols[0], evening=symbols[1])
    return replace(components, action_cards=tuple(cards))


def _with_die(components, name, value):
    """Give the die new strengths or new shortage symbols.

    New strengths may change the number of faces: symbols are then cut off, or added as stars. New symbols may not.
    """
    values = list(value) if isinstance(value, list | tuple) else [value]
    faces = components.combat_die
    if name == "combat_die":
        symbols = [faces[i].shortage_symbol if i < len(faces) else STAR for i in range(len(values))]
        strengths = [None if strength == STAR else strength for strength in values]
    else:
        if len(values) != len(faces):
            raise ComponentsError(f"shortage_die must have a symbol for each of the {len(faces)} faces of combat_die.")
        symbols, strengths = values, [face.strength for face in faces]
    return replace(components, combat_die=tuple(map(CombatFace, strengths, symbols)))
