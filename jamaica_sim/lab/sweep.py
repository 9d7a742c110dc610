"""Sweeps: one or two rules over a range, everything else equal, on the same deals.

What is compared with are the base rules: what the user gave but for the rules that are swept, so an edition where
nothing else is changed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from jamaica_sim.components.changes import is_component, value_of
from jamaica_sim.lab.play import play_tables
from jamaica_sim.lab.quantities import Quantity, quantities_of
from jamaica_sim.lab.ranges import values_of
from jamaica_sim.limits import check_games
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.result_table import ResultTable, tables_as_csv, tables_as_json
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules, RulesError, rules_of
from jamaica_sim.stats.estimate import Estimate, holm
from jamaica_sim.stats.jackknife import chance_of
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.variant import value_text

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_GAMES = 20_000
MOST_RULES = 2
MOST_POINTS = 400
ALPHA = 0.05  # the chance of even one wrong remark among all differences


@dataclass(frozen=True)
class Swept:
    """A rule and the values that it is given."""

    name: str
    values: tuple

    def text(self, value) -> str:
        """A value as a table shows it; of a rule that says how much more, with its sign."""
        shown = value_text(value)
        return f"{value:+d}" if self.name.endswith(".dearer") and value else shown


@dataclass(frozen=True, eq=False)
class Plan:
    """What to play: the base rules first, then every combination of values that differs from them."""

    base: GameTable
    swept: tuple[Swept, ...]
    games: int
    points: tuple[tuple, ...]  # the values of each table, in the order of `swept`
    tables: tuple[GameTable, ...]
    name: str = "sweep"
    source: str = ""  # how a command names it, where it is from a file
    title: str = ""
    description: str = ""

    @property
    def base_values(self) -> tuple:
        """The values that the base rules have."""
        return self.points[0]

    def label(self, values) -> str:
        """A combination of values in words."""
        return ", ".join(f"{rule.name} {rule.text(value)}" for rule, value in zip(self.swept, values, strict=True))


def make_plan(swept: Mapping[str, Any], base: GameTable, games: int = DEFAULT_GAMES, **names: str) -> Plan:
    """The plan of a sweep; what cannot be played is refused before the first game."""
    check_games(games)
    if not 1 <= len(swept) <= MOST_RULES:
        raise RulesError(f"one or two rules can be swept at a time, not {len(swept)}.")
    rules = tuple(Swept(name, values_of(name, given)) for name, given in swept.items())
    if math.prod(len(rule.values) for rule in rules) > MOST_POINTS:
        raise RulesError(f"a sweep has at most {MOST_POINTS} combinations of values.")
    own = tuple(rule_value(base.rules, rule.name) for rule in rules)
    points, tables = [own], [base]
    for values in product(*(rule.values for rule in rules)):
        if any(values == known for known in points):
            continue
        changes = {rule.name: value for rule, value in zip(rules, values, strict=True)}
        if "players" in changes and base.rules.ghost == (base.rules.players == 2):
            changes = {"ghost": None, **changes}  # as the number of players wants it
        changed = base.rules.but(**changes)
        points.append(values)
        tables.append(GameTable.seat(changed, base.strategies[: changed.players], base.seed))
    if len(points) < 2:
        raise RulesError(f"{rules[0].name} has no value but that of the base rules: there is nothing to compare.")
    return Plan(base, rules, games, tuple(points), tuple(tables), **names)


def rule_value(rules: Rules, name: str):
    """The value of a rule or component; what a rule left open comes out as what it is in play."""
    if is_component(name):
        return value_of(rules.components, name)
    return rules.hand_with_map if name == "map_hand_size" else getattr(rules, name)


def sweep(
    swept: Mapping[str, Any],
    games: int = DEFAULT_GAMES,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
    **rule_changes: Any,
) -> "Sweep":
    """Give one or two rules several values, and see how every main quantity responds, on the same deals.

    Parameters
    ----------
    swept : dict
        The values of one or two rules, such as `{"hand_size": range(2, 7)}` or `{"space.6.cost": "0..6"}`.
    games : int
        Games of each combination of values.
    rules : Rules, optional
        All other rules; fields may also be given by name (`players=3, edition="2021"`).
    strategies, seed, threads
        As `simulate` has them.
    progress : callable, optional
        Called as `progress(games_done)`, of all combinations together.

    Examples
    --------
    >>> from jamaica_sim import sweep
    >>> found = sweep({"hand_size": range(2, 5)}, games=100, edition="2021", strategies="random")
    >>> len(found.plan.tables)
    3
    """
    base = seat_table(rules_of(rule_changes) if rules is None else rules.but(**rule_changes), strategies, seed)
    return play_sweep(make_plan(swept, base, games), threads, progress)


def play_sweep(plan: Plan, threads: int | None = None, progress=None) -> "Sweep":
    """Play a plan without keeping anything on disk; Ctrl-C raises KeyboardInterrupt."""
    with stop_on_signals() as stop:
        results = play_tables(list(plan.tables), plan.games, 0, threads, stop, progress)
        if results is None:
            raise KeyboardInterrupt
    return Sweep(plan, tuple(results))


@dataclass(frozen=True, eq=False)
class Sweep:
    """What a sweep showed: results of the base rules first, then of each combination of values."""

    plan: Plan
    results: tuple[Results, ...] = field(repr=False)

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        """What was measured: all that every table has."""
        common = set(quantities_of(self.results[0].table))
        for played in self.results[1:]:
            common &= set(quantities_of(played.table))
        return tuple(q for q in quantities_of(self.results[0].table) if q in common)

    @property
    def games(self) -> int:
        """All games that were played."""
        return sum(played.games for played in self.results)

    def index(self, values: tuple) -> int:
        """The number of a combination of values, 0 for that of the base rules."""
        return self.plan.points.index(tuple(values))

    @property
    def in_order(self) -> list[int]:
        """The numbers of all combinations, by their values where these are numbers, else as they were given."""

        def key(number):
            return tuple(
                value if isinstance(value, int) else _place(rule, value)
                for rule, value in zip(self.plan.swept, self.plan.points[number], strict=True)
            )

        return sorted(range(len(self.results)), key=key)

    def value(self, quantity: Quantity, number: int) -> Estimate:
        """A quantity under one combination of values; a share in percent."""
        return quantity.told(self.results[number])

    def difference(self, quantity: Quantity, number: int, confidence: float = 0.95) -> Estimate:
        """How much more there is than under the base rules, on the same deals; shares in points."""
        return quantity.difference(self.results[0], self.results[number], confidence)

    @cached_property
    def clear(self) -> set[tuple[str, int]]:
        """Quantities and combinations whose difference is clear among all that were looked at (Holm 1979)."""
        looked = [(q.key, n) for q in self.quantities for n in range(1, len(self.results))]
        by_key = {q.key: q for q in self.quantities}
        chances = [chance_of(self.difference(by_key[key], n), 0.0) for key, n in looked]
        return {look for look, chance in zip(looked, holm(chances), strict=True) if chance <= ALPHA}

    def effect(self, quantity: Quantity) -> tuple[float, int]:
        """The largest clear difference as an effect size (Cohen's d), and where it is; 0 where none is clear."""
        clear = [n for n in range(1, len(self.results)) if (quantity.key, n) in self.clear]
        if not clear:
            return 0.0, 0
        where = max(clear, key=lambda n: abs(self.difference(quantity, n).value))
        spread = quantity.deviation(self.results[0])
        return (abs(self.difference(quantity, where).value) / spread if spread else math.inf), where

    # For people and programs

    def _rows(self, read):
        rows = []
        for number in self.in_order:
            shown = [r.text(v) for r, v in zip(self.plan.swept, self.plan.points[number], strict=True)]
            shown[0] += " *" if number == 0 else ""
            rows.append((*shown, *(read(quantity, number) for quantity in self.quantities)))
        return rows

    def differences(self) -> ResultTable:
        """How much each quantity differs from the base rules; the row of these has the values themselves."""
        columns = (*(rule.name for rule in self.plan.swept), *(q.column for q in self.quantities))
        rows = self._rows(lambda q, n: self.difference(q, n) if n else "base")
        note = "to the base rules (*), on the same deals; shares in points"
        return ResultTable("Differences", columns, rows, note=note, keys=len(self.plan.swept))

    def values(self) -> ResultTable:
        """Each quantity under each combination of values."""
        columns = (*(rule.name for rule in self.plan.swept), *(q.column for q in self.quantities))
        rows = self._rows(lambda q, n: q.of(self.results[n]))
        shares = frozenset(q.column for q in self.quantities if q.share)
        return ResultTable("Values", columns, rows, shares, "* base rules", keys=len(self.plan.swept))

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""
        return [self.values(), self.differences()]

    def to_frame(self) -> "pd.DataFrame":
        """The values as a pandas table."""
        return self.values().to_frame()

    def facts(self) -> dict:
        """What was played, as plain values."""
        plan = self.plan
        return {
            "games": plan.games,
            "seed": plan.base.seed,
            "rules": plan.base.rules.as_dict(),
            "strategies": [strategy.label for strategy in plan.base.strategies],
            "sweep": {rule.name: [value_text(value) for value in rule.values] for rule in plan.swept},
        }

    def as_json(self) -> str:
        """Facts and tables as one JSON object."""
        return tables_as_json({table.title: table for table in self.result_tables()}, self.facts())

    def as_csv(self) -> str:
        """The tables as one long CSV table."""
        return tables_as_csv({table.title: table for table in self.result_tables()})

    def sentence(self) -> str:
        """What responds most, in one sentence to quote."""
        names = " and ".join(rule.name for rule in self.plan.swept)
        effects = sorted(((*self.effect(q), q) for q in self.quantities), key=lambda e: -e[0])
        size, where, most = effects[0]
        if not size:
            return f"No quantity clearly responds to {names}."
        before, after = self.value(most, 0), self.value(most, where)
        unit = "%" if most.share else ""
        clear = [q for s, _, q in effects if s]
        others = f" {len(clear)} of {len(self.quantities)} quantities clearly respond." if len(effects) > 1 else ""
        return (
            f"{most.noun[0].upper()}{most.noun[1:]} responds most to {names}: {after}{unit} with "
            f"{self.plan.label(self.plan.points[where])} instead of {before}{unit} with "
            f"{self.plan.label(self.plan.base_values)}.{others}"
        )

    def circumstances(self) -> str:
        """What is behind the figures."""
        rules, plan = self.plan.base.rules, self.plan
        ghost = " and the ghost ship" if rules.ghost else ""
        who = ", ".join(dict.fromkeys(strategy.label for strategy in plan.base.strategies))
        return (
            f"{plan.games:,} games of each of {len(self.results)} sets of rules on the same deals: {rules.players} "
            f"players{ghost} ({who}), edition {rules.edition}, seed {plan.base.seed}; 95% intervals. Clear means that "
            f"the chance of even one wrong remark among all {len(self.quantities) * (len(self.results) - 1)} "
            f"differences is at most 5%."
        )


def _place(rule, value):
    """Where a value stands that is no number; the base rules' own come first."""
    return rule.values.index(value) if value in rule.values else -1
