"""Targets: the range that a quantity should be in. Also reads the files of targets for `balance`."""

import math
import os
from dataclasses import dataclass
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import MOST_GAMES
from jamaica_sim.game.components.changes import by_dots
from jamaica_sim.game.variant import files_beside
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.measures import Measure, quantities_of
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife_error
from jamaica_sim.results.stats.sequential import MIN_DEALS, TUNING, sequence_half_width
from jamaica_sim.study.experiment.file import TARGETS, find_file
from jamaica_sim.study.lab.rule_space import (
    RuleSpace,
    house_ranges,
    make_space,
    names_in,
    naming_the_file,
    read_toml,
    table_of,
)
from jamaica_sim.study.lab.sweep import SweptRule, rule_value

NUMBERS = ("games", "search_games", "trials", "finalists", "adapt")
KEYS = ("title", "description", "seed", "strategies", "rules", "targets", "measures", "ranges", *NUMBERS)
BOUNDS = {"at_least": 0, "at_most": 1}


@dataclass(frozen=True)
class Target:
    """A quantity and the range that it should be in; shares in percent, an open end is infinite."""

    quantity: Measure
    low: float
    high: float

    def distance(self, value: float) -> float:
        """How far a value is outside the range, in the quantity's own unit; 0 inside."""
        return max(0.0, self.low - value, value - self.high)

    def verdict(self, estimate: Estimate) -> str:
        """Whether the target is met, missed or too close to call, by where the whole interval lies."""
        if self.low <= estimate.low and estimate.high <= self.high:
            return "met"
        return "missed" if estimate.high < self.low or estimate.low > self.high else "too close to call"

    def judge(self, results: Results, games: int) -> str:
        """The verdict of a look at the results; `games` are those of the first look. It holds at all looks together."""
        quantity, n = self.quantity, self.quantity.games(results)
        values = quantity.scale * quantity.sums(results)
        deviation = jackknife_error(values) * math.sqrt(n)
        return self.verdict(Estimate.around(float(values[0]), self.half_width(n, deviation, games), n))

    def half_width(self, n: int, deviation: float, games: int) -> float:
        """How well n games tell the quantity, from its standard deviation from game to game (`stats.sequential`).

        Narrowest at the second look, which has twice the games of the first.
        """
        span = 100.0 if self.quantity.share else max(1.0, 4 * deviation)
        margin = max(deviation * math.sqrt(TUNING / (2 * games)), 1e-9)
        return float(sequence_half_width(n, n * deviation**2, margin, span=span)) if n >= MIN_DEALS else math.inf

    def games_needed(self, deviation: float, games: int) -> float:
        """About how many games decide a value in the middle half of the range; infinite for a range without width."""
        room, many = (self.high - self.low) / 4, 2 * MIN_DEALS
        while self.half_width(many, deviation, games) > room:
            many = math.ceil(many * 1.05)
            if many > MOST_GAMES:
                return math.inf
        return float(f"{many:.2g}")

    def words(self) -> str:
        """The range in words."""
        unit = self.quantity.behind
        if self.low == -float("inf"):
            return f"at most {self.high:g}{unit}"
        return f"at least {self.low:g}{unit}" if self.high == float("inf") else f"{self.low:g} to {self.high:g}{unit}"


def read_targets(given: Any, table: GameTable) -> tuple[Target, ...]:
    """Targets from a table of a file: `ghost = [15, 25]` or `seats = {at_most = 1}`."""
    if not isinstance(given, dict) or not given:
        raise UserError("there must be a table [targets], such as: rounds = [10, 12].")
    quantities = quantities_of(table, list(given))  # refuses one that cannot be measured there
    return tuple(_target(quantity, given[quantity.key]) for quantity in quantities)


def _target(quantity: Measure, bounds: Any) -> Target:
    key = quantity.key
    ends: list[Any] = [-float("inf"), float("inf")]
    if isinstance(bounds, dict) and bounds and set(bounds) <= set(BOUNDS):
        for name, number in bounds.items():
            ends[BOUNDS[name]] = number
    elif isinstance(bounds, list | tuple) and len(bounds) == 2:
        ends = list(bounds)
    else:
        raise UserError(f"the target {key} must be [least, most] or {{at_most = number}}, not {bounds!r}.")
    if not all(isinstance(end, int | float) and not isinstance(end, bool) and end == end for end in ends):
        raise UserError(f"the target {key} must be of numbers, not {bounds!r}.")
    if ends[0] > ends[1]:
        raise UserError(f"the target {key} begins with its least value: {ends[1]:g} to {ends[0]:g}.")
    return Target(quantity, float(ends[0]), float(ends[1]))


def around(base: GameTable, ranges: dict[str, Any] | None = None) -> RuleSpace:
    """The rules that may change. The values of each rule include its value in the base rules.

    A value that cannot be played even when it is the only change is refused.
    """
    space = make_space(base, ranges)
    rules = []
    for rule in space.rules:
        own, values = rule_value(base.rules, rule.name), list(rule.values)
        if own not in values:
            values = sorted([own, *values]) if all(type(v) is int for v in [own, *values]) else [own, *values]
        rules.append(SweptRule(rule.name, tuple(values)))
    whole = RuleSpace(base, tuple(rules))
    whole.check_alone()
    return whole


def read_targets_file(
    name_or_file: str | os.PathLike[str], house_rules: str | None = None
) -> tuple[dict[str, Any], RuleSpace, tuple[Target, ...]]:
    """Facts, space and targets of a file, or of the shipped one of that name; house rules on top may vary as well."""
    path, source = find_file(name_or_file, TARGETS, "file of targets")
    data = read_toml(path, KEYS, "a file of targets")
    ranges = data.get("ranges")
    if ranges is not None and not isinstance(ranges, dict):
        raise UserError(f"{path}: ranges must be a table, [ranges].")

    def make() -> tuple[RuleSpace, tuple[Target, ...]]:
        base = table_of(path, data)
        given = None if ranges is None else files_beside(path.parent, by_dots(ranges))
        if house_rules is not None:
            base = base.but(base.rules.but(house_rules=house_rules))
            given = given and house_ranges(base.rules) | given
        return around(base, given), read_targets(data.get("targets", {}), base)

    space, targets = naming_the_file(path, make)
    numbers = {name: data[name] for name in NUMBERS if name in data}
    return {**numbers, **names_in(path, data), "source": source}, space, targets
