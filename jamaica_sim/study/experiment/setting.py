"""A setting: one combination of an experiment's factors, that is the rules and who plays.

Also puts settings in words: which factors vary among several settings, and a label that tells each apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from jamaica_sim.game.components.changes import PRINTED, spaces_beside
from jamaica_sim.game.house_file import PREFIX
from jamaica_sim.game.rules import HOUSE_RULES, NO_HOUSE_RULES, Rules
from jamaica_sim.game.words import at_most, rule_words
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.games_to_watch import WatchedGames

LINE_UP = "line_up"
VARIANT = "variant"  # the name that the file gives to a table's rules as a whole
WORDS: dict[str, Callable[[Any], str]] = {
    "players": "{} players".format,
    "ghost": lambda ghost: "with the ghost" if ghost else "no ghost",
    "edition": "{}".format,
    LINE_UP: "{}".format,
    VARIANT: lambda variant: variant.name,
}
USUAL = ("players", "ghost", "edition", LINE_UP)
DEFAULTS = Rules().by_name()


class Variant(NamedTuple):
    """A set of rules with a name; variants are in the order of the file, the one to compare with first."""

    place: int
    name: str


@dataclass(frozen=True, eq=False)
class Setting:
    """The rules and who plays; once it is played, also its results."""

    rules: Rules
    strategies: tuple[Strategy, ...]
    factors: dict[str, Any]  # the line-up and all rules by name, except those that a named factor stands for
    named: dict[str, Any] = field(default_factory=dict)  # the variant, and what changes many spaces at once
    label: str = ""
    results: Results | None = field(default=None, repr=False)
    source: tuple[object, ...] = ()  # the words by which a command names it: the folder, and which setting
    watch: WatchedGames | None = field(default=None, repr=False)  # games of its run that are worth watching

    @property
    def played(self) -> Results:
        """The results of a setting that was played."""
        assert self.results is not None
        return self.results

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.played.games

    @property
    def is_mixed(self) -> bool:
        """Whether different strategies sit at the table."""
        return len({strategy.digest for strategy in self.strategies}) > 1


def with_named_factors(settings: Sequence[Setting]) -> list[Setting]:
    """The settings, with their named factors in place of the rules that follow from them.

    A variant stands for all its rules but the players, the ghost and the edition. A name that changes many spaces at
    once stands for spaces only, and a file of house rules for its parameters.
    """
    every = [s.named | s.factors for s in settings]
    names = dict.fromkeys(name for factors in every for name in factors)  # boards may have spaces that others have not
    values = {name: [factors.get(name) for factors in every] for name in names}
    varying = [name for name in values if len(set(values[name])) > 1]
    named = [name for name in varying if name in settings[0].named]
    if VARIANT in named:
        named = [name for name in named if name == VARIANT or not _is_determined_by(values[name], [values[VARIANT]])]
    single = {name for s in settings for name in spaces_beside(s.rules.components, s.named)}
    stood_for = {
        name
        for name in varying
        if name not in USUAL
        and (VARIANT in named or (name.startswith("space.") and name not in single))
        and _is_determined_by(values[name], [values[other] for other in named])
    }
    house = [n for n in varying if n.startswith(PREFIX) and _is_determined_by(values[n], [values[HOUSE_RULES]])]
    gone = {name for name in settings[0].named if name not in named} | {*stood_for, *house} - {*named}
    for factors in every if HOUSE_RULES not in gone else ():
        told = [rule_words(name, factors[name]) for name in house if name in factors]
        factors[HOUSE_RULES] = ", ".join([factors[HOUSE_RULES], *told])
    return [
        replace(s, factors={name: factors.get(name) for name in names if name not in gone})
        for s, factors in zip(settings, every, strict=True)
    ]


def _is_determined_by(values: Sequence[Any], others: Sequence[Sequence[Any]]) -> bool:
    """Whether these values are equal wherever the other factors' values are equal."""
    keys = list(zip(*others, strict=True))
    return bool(keys) and len({*zip(keys, values, strict=True)}) == len({*keys})


def factor_value(setting: Setting, factor: str) -> Any:
    """A factor's value to compare settings by. The ghost of two players counts as none, because it is no choice."""
    if factor == "ghost":
        return setting.rules.ghost and setting.rules.players > 2
    return setting.factors.get(factor)


def order_of(setting: Setting, factor: str) -> Any:
    """What orders settings along a factor: its value, or what follows if it is open; printed boards and rules first."""
    value = factor_value(setting, factor)
    if isinstance(value, str):
        return value not in (DEFAULTS.get(factor), PRINTED), value
    return setting.rules.hand_with_map if value is None and factor == "map_hand_size" else value


def differing_factors(a: Setting, b: Setting) -> list[str]:
    """The names of the factors in which two settings differ."""
    return [name for name in a.factors if factor_value(a, name) != factor_value(b, name)]


def varying_factors(settings: Sequence[Setting], compare: str = "") -> list[str]:
    """The factors with several values, by name: the compared one, players, ghost, edition, other rules, line-up."""
    names = list(settings[0].factors)
    varying = [name for name in names if len({factor_value(s, name) for s in settings}) > 1]
    first = [compare, "players", "ghost", "edition"]
    return sorted(varying, key=lambda name: first.index(name) if name in first else len(first) + names.index(name))


def factor_words(name: str, value: Any) -> str:
    """A factor's value in words; a house rule by its name in quotes, with the parameters that it stands for."""
    if name == HOUSE_RULES and isinstance(value, str) and value != NO_HOUSE_RULES:
        file, *numbers = value.split(", ")
        return ", ".join([f"“{file.removesuffix('.py').replace('_', ' ').capitalize()}”", *numbers])
    return WORDS[name](value) if name in WORDS else rule_words(name, value)


def label_of(setting: Setting, names: Sequence[str]) -> str:
    """A setting in words, by the named factors; other rules than the `USUAL` appear only where they were changed."""
    usual = [name for name in USUAL if name in names]
    changed = [n for n in names if n not in USUAL and setting.factors.get(n) != DEFAULTS.get(n)]
    line_up = [LINE_UP] if LINE_UP in names else []
    chosen = [name for name in usual if name != LINE_UP] + changed + line_up
    words = [factor_words(name, setting.factors[name]) for name in chosen or names]
    if "players" in chosen and "ghost" not in names and setting.rules.ghost:
        words[0] += " and ghost"
    return ", ".join(words)


def labelled(settings: Sequence[Setting], compare: str = "") -> tuple[Setting, ...]:
    """The settings, each with a label that tells it apart from the others."""
    names = varying_factors(settings, compare) or list(USUAL)
    return tuple(replace(s, label=label_of(s, names)) for s in settings)


def shared_changes(settings: Sequence[Setting]) -> str:
    """In words, the rules that are the same in all settings and differ from the printed ones."""
    varying = varying_factors(settings)
    every = [_changes(setting) for setting in settings]
    shared = {n: v for n, v in every[0].items() if all(n in other and other[n] == v for other in every)}
    told = [factor_words(n, v) for n, v in shared.items() if n not in (*varying, *USUAL, VARIANT)]
    return ", ".join(at_most(told))


def variants_told(settings: Sequence[Setting]) -> list[str]:
    """What each variant changes, in words. A variant that changes nothing has the printed rules and is left out."""
    first = {s.named[VARIANT].name: s for s in reversed(settings) if VARIANT in s.named}
    told = []
    for name in dict.fromkeys(s.named[VARIANT].name for s in settings if VARIANT in s.named):
        changed = [factor_words(n, v) for n, v in _changes(first[name]).items() if n not in (*USUAL, VARIANT)]
        if changed and (words := ", ".join(at_most(changed))) != name:
            told.append(f"{name}: {words}")
    return told


def _changes(setting: Setting) -> dict[str, Any]:
    """The rules that differ from the printed ones. Spaces changed many at once are listed by that one name."""
    named = {name: value for name, value in setting.named.items() if value not in (0, PRINTED) and name != VARIANT}
    if not named:
        return setting.rules.changes()
    others = {n: v for n, v in setting.rules.changes().items() if not n.startswith("space.")}
    return others | named | spaces_beside(setting.rules.components, named)
