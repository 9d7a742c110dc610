"""A setting: one combination of an experiment's factors, that is the rules and who plays.

Also the words for settings: which factors vary among several, and a label that tells each apart from the others.
"""

from dataclasses import dataclass, field, replace

from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.strategy import Strategy

LINE_UP = "line_up"
WORDS = {
    "players": "{} players".format,
    "ghost": lambda ghost: "with the ghost" if ghost else "no ghost",
    "edition": "{}".format,
    LINE_UP: "{}".format,
}
RULE_WORDS = {"map_hand_size": "hand with Morgan's Map", "lady_beth_bonus": "Lady Beth's bonus"}
USUAL = ("players", "ghost", "edition", LINE_UP)
DEFAULTS = Rules().by_name()


@dataclass(frozen=True, eq=False)
class Setting:
    """The rules and who plays; once it is played, also its results."""

    rules: Rules
    strategies: tuple[Strategy, ...]
    factors: dict  # every rule and component and the line-up, by name
    label: str = ""
    results: Results | None = field(default=None, repr=False)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.results.games

    @property
    def is_mixed(self) -> bool:
        """Whether different strategies sit at the table."""
        return len({strategy.digest for strategy in self.strategies}) > 1


def factor_value(setting: Setting, factor: str):
    """A factor's value to compare settings by; the ghost that two players always have is no choice of its own."""
    if factor == "ghost":
        return setting.rules.ghost and setting.rules.players > 2
    return setting.factors.get(factor)


def order_of(setting: Setting, factor: str):
    """What settings are put in order by along a factor: its value, where that is left to another rule what follows."""
    value = factor_value(setting, factor)
    return setting.rules.hand_with_map if value is None and factor == "map_hand_size" else value


def differing_factors(a: Setting, b: Setting) -> list[str]:
    """The names of the factors in which two settings differ."""
    return [name for name in a.factors if factor_value(a, name) != factor_value(b, name)]


def varying_factors(settings, compare: str = "") -> list[str]:
    """The names of the factors with several values: the compared one, players, ghost, edition, other rules, line-up."""
    names = list(settings[0].factors)
    varying = [name for name in names if len({factor_value(s, name) for s in settings}) > 1]
    first = [compare, "players", "ghost", "edition"]
    return sorted(varying, key=lambda name: first.index(name) if name in first else len(first) + names.index(name))


def factor_words(name: str, value) -> str:
    """A factor's value in words."""
    if name in WORDS:
        return WORDS[name](value)
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return f"{RULE_WORDS.get(name, name.replace('_', ' '))} {value}"


def label_of(setting: Setting, names) -> str:
    """A setting in words, by the factors named; unusual rules appear only where they differ from the default."""
    usual = [name for name in USUAL if name in names]
    changed = [n for n in names if n not in USUAL and setting.factors.get(n) != DEFAULTS.get(n)]
    line_up = [LINE_UP] if LINE_UP in names else []
    chosen = [name for name in usual if name != LINE_UP] + changed + line_up
    words = [factor_words(name, setting.factors[name]) for name in chosen or names]
    if "players" in chosen and "ghost" not in names and setting.rules.ghost:
        words[0] += " and ghost"
    return ", ".join(words)


def labelled(settings, compare: str = "") -> tuple[Setting, ...]:
    """The settings, each with a label that tells it apart from the others."""
    names = varying_factors(settings, compare) or list(USUAL)
    return tuple(replace(s, label=label_of(s, names)) for s in settings)
