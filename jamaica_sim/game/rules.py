"""The rules in force: one validated, frozen `Rules` object. Its defaults are the rulebook's.

Nothing here knows the engine; `engine/rulebook.py` turns a `Rules` object into the engine's numbers and arrays.
A rule is declared once, as a field with its clause, its meaning and its range; clause ids (S1, H3, ...) are those of
`docs/rules.md`. What is printed on board, cards and dice is in `components`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import wraps
from typing import Any, TypeVar

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean, html_table, shown
from jamaica_sim.files.limits import is_int_between, plain
from jamaica_sim.game.codes import HOLDS, MAX_FACE, MAX_ROUND_CAP, RESOURCES
from jamaica_sim.game.components import Components, components_of, the_box
from jamaica_sim.game.components.changes import (
    AT_ONCE,
    BOARD,
    DICE,
    changed,
    component_rules,
    differing_components,
    is_component,
)
from jamaica_sim.game.components.course import ComponentsError
from jamaica_sim.game.house_file import PREFIX, HouseRules, HouseRulesError, house_rules_of

_Rules = TypeVar("_Rules")
EDITIONS = ("2007", "2021")
MOST_CARDS_IN_HAND = 8  # three fewer than a deck has, so that it is never exhausted


class RulesError(UserError):
    """Rules that cannot be played; the message is one sentence for the user."""


HOUSE_RULES, NO_HOUSE_RULES = "house_rules", "none"
EVERY_RULE = "`jamaica-sim rules list --all` has every rule, and so has `rules_table(everything=True)`."
LISTS = ("action_die", "ghost_gold", "bank", *DICE)  # rules whose value is a list
BY_SEAT = ("start_food", "start_gold", "start_gunpowder")  # one number for all seats, or a list of one for each


def _rule(default: Any, clause: str, meaning: str, **limits: Any) -> Any:
    """A rule: with `low` and `high` a whole number (or `by_seat` one for each seat, the first Captain's first), with
    `counts` several of them; a `flag`, which holds or does not; or one of its `choices`.
    """
    return field(default=default, metadata={**limits, "clause": clause, "meaning": meaning})


def _named(rules: type[_Rules]) -> type[_Rules]:
    """Make a class of rules refuse misspelt names and unnamed values in our words."""
    made = rules.__init__

    @wraps(made)
    def create(self: Any, *unnamed: Any, **named: Any) -> None:
        if unnamed:
            raise RulesError('every rule is named, such as Rules(edition="2021", hand_size=4).')
        check_rule_names(named)
        made(self, **(_with_parts(named, the_box(), None) if any(map(is_part, named)) else named))

    rules.__init__ = create  # type: ignore[method-assign]
    return rules


@_named
@dataclass(frozen=True, kw_only=True, repr=False)
class Rules:
    """The rules of one game of Jamaica. Defaults are the rulebook's; every field is checked on creation.

    `rules.but(hand_size=4)` gives a variant, and so does `rules.but(**{"space.6.cost": 3, "treasure.lady_beth": 0})`.

    Examples
    --------
    >>> from jamaica_sim import Rules
    >>> Rules(edition="2021", players=3, ghost=True).but(hand_size=4)
    Rules(edition='2021', players=3, ghost=True, hand_size=4)
    >>> Rules(hand_sise=4)
    Traceback (most recent call last):
    jamaica_sim.game.rules.RulesError: there is no rule 'hand_sise': did you mean 'hand_size'?
    """

    edition: str = _rule(
        "2007",
        "H2, H3",
        "after a shortage a ship goes back to a space it can pay (2007), or rolls a die (2021)",
        choices=EDITIONS,
    )
    players: int = _rule(4, "S1", "players at the table", low=2, high=6)
    ghost: bool | None = _rule(None, "G1", "the ghost ship; by default with two players only", flag=True)
    holds: int = _rule(5, "S1", "ordinary holds of a ship", low=2, high=HOLDS)
    start_food: int | tuple[int, ...] = _rule(3, "S1", "food at the start", by_seat=True, low=0, high=MAX_FACE)
    start_gold: int | tuple[int, ...] = _rule(3, "S1", "doubloons at the start", by_seat=True, low=0, high=MAX_FACE)
    start_gunpowder: int | tuple[int, ...] = _rule(
        0, "S1", "gunpowder at the start", by_seat=True, low=0, high=MAX_FACE
    )
    hand_size: int = _rule(3, "S3, T4", "cards in a hand", low=1, high=MOST_CARDS_IN_HAND)
    map_hand_size: int | None = _rule(
        None,
        "R1",
        "cards in a hand with Morgan's Map; by default one more than hand_size",
        low=1,
        high=MOST_CARDS_IN_HAND,
    )
    treasure_pile: int = _rule(9, "S2", "treasure cards in the pile", low=0, high=12)
    action_die: tuple[int, ...] = _rule(
        (1, 2, 3, 4, 5, 6), "C4", "faces of an action die", counts=range(2, 13), low=1, high=MAX_FACE
    )
    lady_beth_bonus: int = _rule(2, "R3", "what Lady Beth adds to the combat die", low=0, high=20)
    ghost_gold: tuple[int, int] = _rule(
        (5, 3), "G1", "doubloons in the ghost's first two holds", counts=(2,), low=0, high=MAX_FACE
    )
    start_score: int = _rule(-5, "E2", "points of a ship that ends at the start, or behind it", low=-50, high=50)
    limited_bank: bool = _rule(False, "C6", "whether a load takes only what the bank has left", flag=True)
    bank: tuple[int, int, int] = _rule(
        (80, 45, 45), "C6", "doubloons, food and gunpowder in the box", counts=(len(RESOURCES),), low=1, high=1000
    )
    round_cap: int = _rule(100, "E4", "rounds after which a game ends unfinished", low=1, high=MAX_ROUND_CAP)
    steal_known: bool = _rule(False, "B8", "a thief may take a face-down card that it knows, by choice", flag=True)
    give_any_treasure: bool = _rule(
        False, "B8", "a winner may give the loser any own treasure, not only a cursed one", flag=True
    )
    free_split: bool = _rule(False, "P1", "a cost may be split over several holds at will", flag=True)
    ghost_takes_cursed_only: bool = _rule(False, "G7", "the ghost may be given cursed cards only", flag=True)
    early_reshuffle: bool = _rule(False, "T4", "the discard pile is shuffled as soon as the deck runs out", flag=True)
    components: Components = field(default_factory=the_box)
    house_rules: HouseRules | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "edition", str(self.edition))
        for rule in rule_fields():
            value = getattr(self, rule.name)
            several = isinstance(value, list | tuple)
            value = tuple(map(plain, value)) if several else plain(value)
            if "by_seat" in rule.metadata and several and len(value) == self.players and len({*value}) == 1:
                value = value[0]  # all alike: one number says it
            object.__setattr__(self, rule.name, value)
        if self.ghost is None:
            object.__setattr__(self, "ghost", self.players == 2)
        if isinstance(self.components, dict):
            object.__setattr__(self, "components", _in_our_words(components_of, self.components))
        if self.house_rules is not None:
            object.__setattr__(self, "house_rules", house_rules_of(self.house_rules))
        _check(self)

    @property
    def ships(self) -> int:
        """Players' ships and the ghost."""
        return self.players + bool(self.ghost)

    @property
    def scores_house_points(self) -> bool:
        """Whether house rules change scores."""
        return self.house_rules is not None and "points" in self.house_rules.functions

    def start_goods(self, resource: str) -> tuple[int, ...]:
        """What each seat begins with of a resource (S1), the first Captain's first."""
        value = getattr(self, f"start_{resource}")
        return value if isinstance(value, tuple) else (value,) * self.players

    @property
    def shortage_by_die(self) -> bool:
        """Whether a shortage rolls the die (H3) instead of going back to a payable space (H2)."""
        return self.edition == "2021"

    @property
    def hand_with_map(self) -> int:
        """Cards in a hand with Morgan's Map: one more than in others, unless the rules say otherwise (R1)."""
        return self.hand_size + 1 if self.map_hand_size is None else self.map_hand_size

    @property
    def treasure_cards(self) -> int:
        """How many cards the pile is made from; Lady Beth is the ghost's, where there is one (G1)."""
        cards = [card.name for card in self.components.treasures if card.in_game]
        return len(cards) - cards.count("Lady Beth") if self.ghost else len(cards)

    def __repr__(self) -> str:
        said = {"edition": self.edition, "players": self.players, "ghost": self.ghost}
        changed = {name: value for name, value in self.changes().items() if name not in said}
        plain = {name: value for name, value in changed.items() if not is_part(name)}
        parts = {name: value for name, value in changed.items() if is_part(name)}
        told = [f"{name}={value!r}" for name, value in (said | plain).items()] + [f"**{parts}"] * bool(parts)
        return f"Rules({', '.join(told)})"

    def _repr_html_(self) -> str:
        changed = self.changes()
        rows = [(name, value, "changed" if name in changed else "") for name, value in self.as_dict().items()]
        rows += [(name, value, "changed") for name, value in changed.items() if is_component(name)]
        caption = f"Rules of {self.edition} for {self.who_sails}"
        return html_table(caption, ("rule", "value", ""), [row for row in rows if row[0] != "components"])

    @property
    def who_sails(self) -> str:
        """The ships in words, such as "3 players and the ghost ship"."""
        return f"{self.players} players{' and the ghost ship' if self.ghost else ''}"

    def but(self, **changes: Any) -> "Rules":
        """These rules with some changed, by name; unknown names are refused with the nearest valid one."""
        check_rule_names(changes)
        return replace(self, **_with_parts(changes, self.components, self.house_rules))

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as a manifest or an experiment file has them; components only where they are changed."""
        values = {rule.name: getattr(self, rule.name) for rule in rule_fields()}
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        components = self.components.changed()
        house = {} if self.house_rules is None else {HOUSE_RULES: self.house_rules.as_dict()}
        return {**values, **({"components": components} if components else {}), **house}

    def changes(self) -> dict[str, Any]:
        """What differs from the rulebook of this edition for as many players, by the fewest names.

        `Rules(edition=..., players=..., ghost=...).but(**changes)` are these rules again.
        """
        printed = Rules(edition=self.edition, players=self.players, ghost=self.ghost)
        mine = {rule.name: getattr(self, rule.name) for rule in rule_fields()}
        plain = {name: value for name, value in mine.items() if value != getattr(printed, name)}
        return plain | differing_components(self.components) | self._house_changes()

    def _house_changes(self) -> dict[str, Any]:
        if self.house_rules is None:
            return {}
        return {HOUSE_RULES: self.house_rules} | {f"{PREFIX}{name}": value for name, value in self.house_rules.changed}

    def by_name(self) -> dict[str, Any]:
        """The value of every rule and component, by name."""
        values = {rule.name: getattr(self, rule.name) for rule in rule_fields()}
        house = {**self._house_changes(), HOUSE_RULES: self.house_rules.name if self.house_rules else NO_HOUSE_RULES}
        return values | {rule.name: rule.value for rule in component_rules(self.components)} | house

    def house_parameter(self, name: str) -> int | None:
        """The value of a parameter of the house rules, such as house.pays; None where there is none."""
        parameters = self.house_rules.parameters if self.house_rules else ()
        return next((one.value for one in parameters if f"{PREFIX}{one.name}" == name), None)


def rules_of(changes: Mapping[str, Any]) -> Rules:
    """Rules from the rulebook of an edition and changes by name, as a command or a file has them."""
    check_rule_names(changes)
    return Rules(**_with_parts(changes, the_box(), None))


def is_part(name: str) -> bool:
    """Whether a name is that of a component, or of house rules and their parameters."""
    return is_component(name) or name == HOUSE_RULES or name.startswith(PREFIX)


def _with_parts(changes: Mapping[str, Any], components: Components, house: HouseRules | None) -> dict[str, Any]:
    """Changes by name as fields of `Rules`; those of components and of house rules become one field each."""
    components = changes.get("components", components)
    parts = {name: value for name, value in changes.items() if is_component(name)}
    if parts and not isinstance(components, Components):
        raise RulesError(f"components must be a record of components, not {shown(components)}.")
    if parts:
        components = _in_our_words(changed, components, parts)
    plain = {name: value for name, value in changes.items() if not is_part(name)}
    return {**plain, "components": components, HOUSE_RULES: _house_with(changes, house)}


def _house_with(changes: Mapping[str, Any], house: HouseRules | None) -> HouseRules | None:
    """House rules with changes: another file, or none, and other values of its parameters."""
    given = changes.get(HOUSE_RULES, house)
    values = {name.removeprefix(PREFIX): value for name, value in changes.items() if name.startswith(PREFIX)}
    if given in (None, "", NO_HOUSE_RULES):
        if values:
            raise RulesError(f"{PREFIX}{next(iter(values))}: there are no house rules here to change: name a file.")
        return None
    try:
        return house_rules_of(given).but(**values)
    except HouseRulesError as error:
        raise RulesError(str(error)) from error


def rule_fields() -> list[Field[Any]]:
    """The fields of `Rules` that are rules: all but the components and house rules."""
    return [rule for rule in fields(Rules) if rule.name not in ("components", HOUSE_RULES)]


def rule_name(typed: str) -> str:
    """A rule's name as it was typed: `hand-size` is `hand_size`. Names with dots may have hyphens of their own."""
    typed = typed.strip()
    return typed if "." in typed else typed.replace("-", "_")


def check_rule_names(names: Iterable[str]) -> None:
    """Refuse a name that is no rule, and suggest the nearest one."""
    known = [rule.name for rule in rule_fields()]
    for name in names:
        if name not in (*known, "components") and not is_part(name):
            raise RulesError(f"there is no rule {name!r}: {rule_meant(name)}")


def rule_meant(name: str) -> str:
    """The end of a message about an unknown rule: the nearest of all names that a rule can have."""
    known = [*(rule.name for rule in rule_fields()), *(rule.name for rule in component_rules(the_box()))]
    return did_you_mean(name, [*known, BOARD, *AT_ONCE], otherwise=EVERY_RULE)


def _in_our_words(function: Callable[..., Components], *arguments: Any) -> Components:
    try:
        return function(*arguments)
    except ComponentsError as error:
        raise RulesError(str(error)) from error


def _check(rules: Rules) -> None:
    for rule in rule_fields():
        _check_field(rule, getattr(rules, rule.name), rules.players)
    if not isinstance(rules.components, Components):
        raise RulesError(f"components must be a record of components, not {rules.components!r}.")
    if rules.players == 2 and not rules.ghost:
        raise RulesError("two players always play with the ghost ship: leave the ghost on, or take three players.")
    if rules.players == 6 and rules.ghost:
        raise RulesError("the ghost ship needs a free colour: it plays with 2 to 5 players, not 6.")
    if rules.hand_with_map > MOST_CARDS_IN_HAND:
        raise RulesError(f"a hand of {rules.hand_with_map} with Morgan's Map is too large: give map_hand_size as well.")
    if rules.ghost and rules.components.copies("Lady Beth") != 1:
        raise RulesError("Lady Beth sails with the ghost ship (G1): leave one of her in, or play without the ghost.")
    _check_holds(rules)
    _check_pile(rules)
    _check_bank(rules)


def _check_field(rule: Field[Any], value: Any, players: int) -> None:
    limits, name = rule.metadata, rule.name
    if value is None and rule.default is None:
        return
    if "by_seat" in limits and isinstance(value, tuple):
        if len(value) != players or not all(is_int_between(number, limits["low"], limits["high"]) for number in value):
            each = f"one whole number from {limits['low']} to {limits['high']}, or one for each of {players} players"
            raise RulesError(f"{name} must be {each}, not {', '.join(map(str, value))}.")
        return
    if "choices" in limits:
        if value not in limits["choices"]:
            raise RulesError(f"{name} must be {' or '.join(limits['choices'])}, not {value!r}.")
    elif "flag" in limits:
        if not isinstance(value, bool):
            raise RulesError(f"{name} must be true or false, not {value!r}.")
    elif "counts" in limits:
        _check_numbers(name, value, limits)
    elif not is_int_between(value, limits["low"], limits["high"]):
        several = isinstance(value, tuple) and len(value) > 1
        hint = " Several values are compared by a sweep or an experiment." if several else ""
        given = ", ".join(map(str, value)) if several else repr(value)
        raise RulesError(f"{name} must be a whole number from {limits['low']} to {limits['high']}, not {given}.{hint}")


def _check_numbers(name: str, value: Any, limits: Mapping[str, Any]) -> None:
    counts, low, high = limits["counts"], limits["low"], limits["high"]
    good = isinstance(value, tuple) and len(value) in counts
    if not good or not all(is_int_between(number, low, high) for number in value):
        many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        raise RulesError(f"{name} must be {many} whole numbers from {low} to {high}, not {value!r}.")


def _check_holds(rules: Rules) -> None:
    """S1, R4: the goods of the start lie in the first three holds, and a ship has room for six."""
    if rules.holds < 3 and any(rules.start_goods("gunpowder")):
        raise RulesError("start_gunpowder lies in a third hold: give ships 3 holds or more.")
    if rules.holds == HOLDS and rules.components.copies("6th Hold"):
        raise RulesError("six holds leave no room for the card 6th Hold: take it out with treasure.sixth_hold=0.")


def _check_pile(rules: Rules) -> None:
    """S2: each lair's token draws one card, so cards beyond the number of lairs could never be drawn."""
    lairs, cards = rules.components.lairs, rules.treasure_cards
    if rules.treasure_pile > lairs:
        raise RulesError(f"treasure_pile is {rules.treasure_pile}, but there are only {lairs} lairs to draw it from.")
    if rules.treasure_pile > cards:
        raise RulesError(f"treasure_pile is {rules.treasure_pile}, but only {cards} treasure cards are in the game.")


def _check_bank(rules: Rules) -> None:
    """C6: the opening stock comes out of the box."""
    if not rules.limited_bank:
        return
    for resource, there in zip(RESOURCES, rules.bank, strict=True):
        stock = sum(rules.start_goods(resource))
        if rules.ghost and resource == "gold":
            stock += sum(rules.ghost_gold)
        if stock > there:
            raise RulesError(f"the ships begin with {stock} {resource}, but the bank has only {there}.")
