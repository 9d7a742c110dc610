"""The rules that may vary, each over its values in order, and the tables at the points of that space.

A point has one index into each rule's values. So a rule that is a flag, a die or a count is handled like
any other, and no value is tried that a rule cannot have. The files of the laboratory have a title,
games, a seed, and a table of rules and strategies in common; reading one runs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from jamaica_sim.errors import UserError
from jamaica_sim.files.user_files import AnyPath, beside, read_text, toml_of
from jamaica_sim.game.components.changes import AT_ONCE, by_dots
from jamaica_sim.game.house_file import PREFIX
from jamaica_sim.game.rules import Rules, RulesError, rules_of
from jamaica_sim.game.variant import files_beside, single_values
from jamaica_sim.play.game_table import DEFAULT_LINE_UP, GameTable
from jamaica_sim.play.manifest import plain_table
from jamaica_sim.strategy.library import SUFFIXES, look_at_strategy
from jamaica_sim.study.experiment.file import ExperimentError, wrong_keys
from jamaica_sim.study.lab.sweep import SweptRule, rule_value
from jamaica_sim.study.values import plain_value, values_of

Point = tuple[int | None, ...]  # for each rule an index into its values; None leaves it as it is
MOST_RULES = 60
MOST_STEPS = 12  # of a parameter of house rules
DIE = tuple(range(1, 11))
LAIRS_EMPTY = 4  # treasures that the pile may lack on a board of one's own
# The default ranges: around the printed values, as far as a designer would go.
DEFAULT_RANGES = {
    "holds": (3, 4, 5),
    "start_food": range(1, 6),
    "start_gold": range(1, 6),
    "hand_size": range(2, 5),
    "treasure_pile": range(5, 10),
    "action_die": [DIE[:5], DIE[:6], DIE[:7]],
    "lady_beth_bonus": range(0, 5),
    "start_score": range(-10, 1),
    "space.0.score": range(10, 21),
    "red_line": range(33, 46),
    "ports.dearer": range(-2, 3),
    "seas.dearer": range(-1, 2),
    "treasure.morgans_map": (0, 1),
    "treasure.sarans_sabre": (0, 1),
    "treasure.sixth_hold": (0, 1),
    "limited_bank": (False, True),
    "steal_known": (False, True),
    "give_any_treasure": (False, True),
    "free_split": (False, True),
    "early_reshuffle": (False, True),
}
WITH_GHOST = {"ghost_gold": [(0, 0), (3, 2), (5, 3), (7, 5), (10, 8)], "ghost_takes_cursed_only": (False, True)}


@dataclass(frozen=True, eq=False)
class RuleSpace:
    """Rules with their values in order, around the rules of a base table."""

    base: GameTable
    rules: tuple[SweptRule, ...]

    def with_code(self, trust: bool = False) -> "RuleSpace":
        """The same space with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, base=self.base.with_code(trust))

    @property
    def names(self) -> list[str]:
        """The names of the rules."""
        return [rule.name for rule in self.rules]

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as a manifest has them: the base table, and the values of each rule."""
        ranges = [{"name": rule.name, "values": list(map(plain_value, rule.values))} for rule in self.rules]
        return {**plain_table(self.base), "ranges": ranges}

    @property
    def origin(self) -> tuple[int | None, ...]:
        """The point of the base rules; None for a rule whose base value is not among its values."""
        own = [rule_value(self.base.rules, rule.name) for rule in self.rules]
        return tuple(
            rule.values.index(value) if value in rule.values else None
            for rule, value in zip(self.rules, own, strict=True)
        )

    def changes(self, point: Point) -> dict[str, Any]:
        """The rules that differ from the base rules at a point, with their values. None leaves a rule as it is."""
        pairs = zip(self.rules, point, self.origin, strict=True)
        return {rule.name: rule.values[index] for rule, index, own in pairs if index is not None and index != own}

    def table(self, point: Point) -> GameTable:
        """The table at a point. Rules that contradict each other are refused, with the changes named."""
        changes = self.changes(point)
        try:
            # Names that change many spaces at once come first, so that a change of a single space still counts.
            rules = self.base.rules.but(**dict(sorted(changes.items(), key=lambda item: item[0] not in AT_ONCE)))
        except RulesError as error:
            given = ", ".join(
                f"{rule.name}={rule.text(changes[rule.name])}" for rule in self.rules if rule.name in changes
            )
            raise RulesError(f"{given} cannot be played: {error}") from error
        return self.base.but(rules)

    def check_alone(self) -> None:
        """Refuse a value that cannot be played even when it is the only change."""
        origin = self.origin
        for number, rule in enumerate(self.rules):
            for index in range(len(rule.values)):
                self.table((*origin[:number], index, *origin[number + 1 :]))

    def words(self, point: Point) -> str:
        """A point in words: the changes from the base rules."""
        changes = self.changes(point)
        words = [f"{rule.name} {rule.text(changes[rule.name])}" for rule in self.rules if rule.name in changes]
        return ", ".join(words) or "no change"


def house_ranges(rules: Rules) -> dict[str, Any]:
    """The parameters of the house rules, each over its range, in steps where it is wide."""
    parameters = rules.house_rules.parameters if rules.house_rules else ()
    steps = {p.name: max(1, (p.high - p.low) // MOST_STEPS) for p in parameters}
    return {f"{PREFIX}{p.name}": sorted({*range(p.low, p.high + 1, steps[p.name]), p.value}) for p in parameters}


def _usual_ranges(rules: Rules) -> dict[str, Any]:
    """The default ranges, about the values of a board of one's own; what cannot be played here is left out."""
    ranges: dict[str, Any] = DEFAULT_RANGES | (WITH_GHOST if rules.ghost else {}) | house_ranges(rules)
    if rules.components.own_board:
        for name in ("space.0.score", "red_line"):
            more = rule_value(rules, name) - rule_value(Rules(), name)
            ranges[name] = [value + more for value in ranges[name]]
        lairs = sum(space.kind == "lair" for space in rules.components.board)
        ranges["treasure_pile"] = range(max(0, lairs - LAIRS_EMPTY), lairs + 1)
    playable = {name: [v for v in values if _is_playable(rules, {name: v})] for name, values in ranges.items()}
    playable = {name: values for name, values in playable.items() if len(values) > 1}
    powers, piles = [name for name in playable if name.startswith("treasure.")], playable.get("treasure_pile", [])
    for pile in piles[-1:]:  # all powers may be left out at once, and Lady Beth may be the ghost's (G1)
        while powers and not _is_playable(rules, dict.fromkeys(powers, 0) | {"treasure_pile": pile}):
            del playable[powers.pop()]
    return playable


def _is_playable(rules: Rules, changes: dict[str, Any]) -> bool:
    try:
        rules.but(**changes)
    except RulesError:
        return False
    return True


def make_space(base: GameTable, ranges: dict[str, Any] | None = None) -> RuleSpace:
    """The space of these rules, or of the default ones; each rule needs at least two values."""
    if ranges is None:
        ranges = _usual_ranges(base.rules)
    if not 1 <= len(ranges) <= MOST_RULES:
        raise RulesError(f"1 to {MOST_RULES} rules may vary, not {len(ranges)}.")
    rules = []
    for name, given in ranges.items():
        if name in ("players", "edition", "ghost"):
            raise RulesError(f"{name} decides what is measured: give it under [rules], or as an option.")
        values = values_of(name, given)
        if len(values) < 2:
            raise RulesError(f"{name} has only one value: a rule that may vary needs two.")
        rules.append(SweptRule(name, values))
    return RuleSpace(base, tuple(rules))


Made = TypeVar("Made")


def names_in(path: Path, data: dict[str, Any]) -> dict[str, str]:
    """Name, title and description in a file of the laboratory."""
    title = data.get("title", path.stem.replace("_", " ").capitalize())
    return {"name": path.stem, "title": title, "description": " ".join(data.get("description", "").split())}


def read_toml(path: Path, keys: Sequence[str], what: str) -> dict[str, Any]:
    """The content of a file of the laboratory, its keys and plain values checked."""
    data = toml_of(read_text(path, UserError), path, UserError)
    if problems := wrong_keys(data, path, keys, what):
        raise ExperimentError(path, problems)
    return data


def naming_the_file(path: AnyPath, make: Callable[[], Made]) -> Made:
    """The result of `make`; an error that it raises gets the file's name in front."""
    try:
        return make()
    except UserError as error:
        raise error if str(error).startswith(f"{path}: ") else UserError(f"{path}: {error}") from error


def table_of(path: Path, data: dict[str, Any]) -> GameTable:
    """The table of the base rules that a file describes; code of a strategy is read, not run."""
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise UserError(f"{path}: rules must be a table, [rules].")
    base = rules_of(files_beside(path.parent, single_values(by_dots(rules))))
    names = data.get("strategies", list(DEFAULT_LINE_UP[: base.players]))
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        raise UserError(f"{path}: strategies must be a list of strategies, by seat, not {names!r}.")
    files = [beside(path.parent, name, UserError) if Path(name).suffix in SUFFIXES else name for name in names]
    seated = [look_at_strategy(file) for file in files]
    return GameTable.seat(base, seated, data.get("seed", 1), measures=data.get("measures"))


# Packages that only the laboratory needs, imported when they are needed


class ExtraMissing(UserError):
    """A package of the extra is not installed, in one sentence."""


def need(module: str) -> Any:
    """A module of a package that only the laboratory needs."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ExtraMissing(
            f"the package {package} is missing: install what the laboratory needs with pip install optuna SALib."
        ) from error
