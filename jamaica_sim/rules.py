"""The rules in force: one validated, frozen `Rules` object, with a preset for each edition.

Nothing here knows the engine; `engine/rulebook.py` turns a `Rules` object into the engine's numbers and arrays.
Clause ids (S1, H3, ...) are those of `docs/rules.md`.
"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from jamaica_sim.codes import MAX_FACE, MAX_ROUND_CAP, RESOURCES
from jamaica_sim.components import action_cards, treasures
from jamaica_sim.limits import is_whole
from jamaica_sim.suggest import did_you_mean

EDITIONS = ("2007", "2021")


class RulesError(ValueError):
    """Rules that cannot be played, in one sentence for the user."""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of one game of Jamaica. Defaults are the rulebook's; every field is checked on creation.

    `Rules(edition="2021", players=3, ghost=True)`; `rules.but(hand_size=4)` gives a variant.
    """

    edition: str = "2007"  # 2007: a shortage goes back to a payable space (H2); 2021: it rolls the die (H3)
    players: int = 4  # S1
    ghost: bool | None = None  # None: only with two players, who always have it
    holds: int = 5  # S1
    start_food: int = 3  # S1
    start_gold: int = 3  # S1
    hand_size: int = 3  # S3, T4
    map_hand_size: int = 4  # R1
    treasure_pile: int = 9  # S2
    action_die: tuple[int, ...] = (1, 2, 3, 4, 5, 6)  # C4
    lady_beth_bonus: int = 2  # R3
    ghost_gold: tuple[int, int] = (5, 3)  # G1
    start_score: int = -5  # E2: on Port Royal before the circuit, and behind it
    limited_bank: bool = False  # C6
    bank: tuple[int, int, int] = (80, 45, 45)  # C6: doubloons, food, gunpowder in the box
    round_cap: int = 100  # E4

    def __post_init__(self):
        object.__setattr__(self, "edition", str(self.edition))
        for name in ("action_die", "ghost_gold", "bank"):
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, tuple(value))
        if self.ghost is None:
            object.__setattr__(self, "ghost", self.players == 2)
        _check(self)

    @property
    def ships(self) -> int:
        """Players' ships and the ghost."""
        return self.players + bool(self.ghost)

    @property
    def shortage_by_die(self) -> bool:
        """Whether a shortage rolls the die (H3) instead of going back to a payable space (H2)."""
        return self.edition == "2021"

    def but(self, **changes: Any) -> "Rules":
        """These rules with some fields changed; unknown names are refused with the nearest valid one."""
        check_field_names(changes)
        return replace(self, **changes)

    def as_dict(self) -> dict:
        """Plain values, as a manifest or an experiment file has them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def check_field_names(names):
    """Refuse what is not a field of `Rules`, naming the nearest field."""
    known = [field.name for field in fields(Rules)]
    for name in names:
        if name not in known:
            raise RulesError(f"there is no rule {name!r}: {did_you_mean(name, known, 'the rules are')}")


def _whole(rules, name, low, high):
    value = getattr(rules, name)
    if not is_whole(value, low, high):
        raise RulesError(f"{name} must be a whole number from {low} to {high}, not {value!r}.")


def _whole_numbers(rules, name, counts, low, high):
    value = getattr(rules, name)
    good = isinstance(value, tuple) and len(value) in counts
    if not good or not all(is_whole(number, low, high) for number in value):
        many = counts[0] if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        raise RulesError(f"{name} must be {many} whole numbers from {low} to {high}, not {value!r}.")


def _flag(rules, name):
    if not isinstance(getattr(rules, name), bool):
        raise RulesError(f"{name} must be true or false, not {getattr(rules, name)!r}.")


def _check(rules):
    if rules.edition not in EDITIONS:
        raise RulesError(f"edition must be {' or '.join(EDITIONS)}, not {rules.edition!r}.")
    _whole(rules, "players", 2, 6)
    _flag(rules, "ghost")
    _flag(rules, "limited_bank")
    if rules.players == 2 and not rules.ghost:
        raise RulesError("two players always play with the ghost ship: leave the ghost on, or take three players.")
    if rules.players == 6 and rules.ghost:
        raise RulesError("the ghost ship needs a free colour: it plays with 2 to 5 players, not 6.")
    cards, cards_in_game = len(action_cards()), len(treasures()) - rules.ghost
    _whole(rules, "holds", 2, 5)
    _whole(rules, "start_food", 0, MAX_FACE)
    _whole(rules, "start_gold", 0, MAX_FACE)
    _whole(rules, "hand_size", 1, cards - 3)
    _whole(rules, "map_hand_size", 1, cards - 3)
    _whole(rules, "treasure_pile", 0, cards_in_game)
    _whole_numbers(rules, "action_die", range(2, 13), 1, MAX_FACE)
    _whole(rules, "lady_beth_bonus", 0, 20)
    _whole_numbers(rules, "ghost_gold", (2,), 0, MAX_FACE)
    _whole(rules, "start_score", -50, 50)
    _whole_numbers(rules, "bank", (len(RESOURCES),), 1, 1000)
    _whole(rules, "round_cap", 1, MAX_ROUND_CAP)
