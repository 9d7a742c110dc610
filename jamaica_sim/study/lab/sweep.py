"""Sweeps: one to three rules over a range, everything else equal, on the same deals.

Every value is compared with the base rules. These are the rules that the user gave, or an edition's if none were given.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import place_of
from jamaica_sim.files.limits import check_games, is_int_between, whole_games
from jamaica_sim.game.components.changes import BOARD, board_name, is_component, value_of
from jamaica_sim.game.rules import HOUSE_RULES, Rules, RulesError, is_part
from jamaica_sim.game.words import WEIGHT, listed, spoken_rule, spoken_value, value_text
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.measures import Measure, quantities_of
from jamaica_sim.results.result_table import Answer, ResultTable, table_facts
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import NOTICEABLE, Estimate, allowing_for, clear_together
from jamaica_sim.strategy.heuristic.weights import DEFAULTS
from jamaica_sim.strategy.library import strategy_from_weights
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.lab.common_deals import play_until_stopped
from jamaica_sim.study.simulate import stopped_unsaved
from jamaica_sim.study.values import MOST_SWEPT, values_of

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_GAMES = 20_000
MOST_POINTS = 400


@dataclass(frozen=True)
class SweptRule:
    """A rule and the values that it is given."""

    name: str
    values: tuple[Any, ...]

    def text(self, value: Any) -> str:
        """A value as a table shows it, also a wrong one; with its sign for a change, such as that of ports.dearer."""
        if self.name.startswith(WEIGHT):
            return f"{value:g}"
        if self.name == BOARD and isinstance(value, str):
            return board_name(value)
        is_signed = self.name.endswith(".dearer") and isinstance(value, int) and value
        return f"{value:+d}" if is_signed else value_text(value)


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """What to play: the base rules first, then every combination of values that differs from them."""

    base: GameTable
    swept: tuple[SweptRule, ...]
    games: int
    points: tuple[tuple[Any, ...], ...]  # the values of each table, in the order of `swept`
    tables: tuple[GameTable, ...]
    name: str = "sweep"
    source: str = ""  # how a command names the sweep, if it is from a file
    title: str = ""
    description: str = ""

    def with_code(self, trust: bool = False) -> "SweepPlan":
        """The same plan with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(
            self, base=self.base.with_code(trust), tables=tuple(table.with_code(trust) for table in self.tables)
        )

    @property
    def base_values(self) -> tuple[Any, ...]:
        """The values that the base rules have."""
        return self.points[0]

    def label(self, values: tuple[Any, ...]) -> str:
        """A combination of values in words."""
        return ", ".join(f"{rule.name} {rule.text(value)}" for rule, value in zip(self.swept, values, strict=True))

    def spoken(self, values: tuple[Any, ...]) -> str:
        """A combination of values as one says it, such as "5 cards in hand and ports 2 dearer"."""
        return listed([spoken_value(rule.name, value) for rule, value in zip(self.swept, values, strict=True)])


def make_plan(swept: Mapping[str, Any], base: GameTable, games: int = DEFAULT_GAMES, **names: str) -> SweepPlan:
    """The plan of a sweep; rules that cannot be played are refused before the first game."""
    games = whole_games(games)
    check_games(games)
    if not isinstance(swept, Mapping):
        raise RulesError(f'rules and their values are a dictionary, such as {{"hand_size": "2..6"}}, not {swept!r}.')
    if not 1 <= len(swept) <= MOST_SWEPT:
        raise RulesError(f"one to three rules can be swept at a time, not {len(swept)}.")
    rules = tuple(SweptRule(name, values_of(name, given)) for name, given in swept.items())
    if math.prod(len(rule.values) for rule in rules) > MOST_POINTS:
        raise RulesError(f"a sweep has at most {MOST_POINTS} combinations of values.")
    own = tuple(_own_value(base, rule) for rule in rules)
    points, tables = [own], [base]
    for values in product(*(rule.values for rule in rules)):
        if any(values == known for known in points):
            continue
        given = {rule.name: value for rule, value in zip(rules, values, strict=True)}
        weights = {name.removeprefix(WEIGHT): value for name, value in given.items() if name.startswith(WEIGHT)}
        changes = {name: value for name, value in given.items() if not name.startswith(WEIGHT)}
        if "players" in changes and base.rules.ghost == (base.rules.players == 2):
            changes = {"ghost": None, **changes}  # the ghost follows the number of players again
        changed = base.rules.but(**changes)
        points.append(values)
        seated = [_with_weights(strategy, weights) for strategy in base.strategies[: changed.players]]
        tables.append(base.but(changed, seated))
    if len(points) < 2:
        raise RulesError(f"{rules[0].name} has no value but that of the base rules: there is nothing to compare.")
    return SweepPlan(base, rules, games, tuple(points), tuple(tables), **names)


def _with_weights(strategy: Strategy, weights: Mapping[str, float]) -> Strategy:
    """A strategy of weights with some of them changed."""
    if not weights:
        return strategy
    if strategy.kind != "data":
        raise UserError(f"{strategy.name} has no weights to sweep: it is a strategy of another kind.")
    changed = {**strategy.changes, **weights, **({"bans": strategy.bans} if strategy.bans else {})}
    return strategy_from_weights(changed, strategy.name, strategy.description).labelled(strategy.label)


def _own_value(base: GameTable, swept: SweptRule) -> Any:
    """The value of a rule or weight at the base table; that of the sweep which says the same, if there is one."""
    rules = base.rules
    if swept.name.startswith(WEIGHT):
        weight = swept.name.removeprefix(WEIGHT)
        own = {strategy.changes.get(weight, DEFAULTS[weight]) for strategy in base.strategies}
        if len(own) > 1:
            raise UserError(
                f"the strategies at the table differ in {weight}: sweep a weight with one strategy for all."
            )
        (value,) = own
        return next((v for v in swept.values if v == value), value)
    if swept.name == BOARD:
        return next((v for v in swept.values if rules.but(board=v) == rules), rule_value(rules, BOARD))
    return rule_value(rules, swept.name)


def rule_value(rules: Rules, name: str) -> Any:
    """The value of a rule or component; a value that was left open is given as it is in play."""
    if is_component(name):
        return value_of(rules.components, name)
    if is_part(name):
        return rules.by_name()[name] if name == HOUSE_RULES else rules.house_parameter(name)
    return rules.hand_with_map if name == "map_hand_size" else getattr(rules, name)


def play_sweep(plan: SweepPlan, threads: int | None = None, progress: Callable[[int], object] | None = None) -> "Sweep":
    """Play a plan without keeping anything on disk; Ctrl-C raises `Stopped`, or KeyboardInterrupt without any game."""
    plan = plan.with_code()
    with stop_on_signals() as stop:
        results = tuple(play_until_stopped(list(plan.tables), plan.games, 0, threads, stop, progress))
    games = results[0].games
    if not games:
        raise KeyboardInterrupt
    if games < plan.games:
        so_far = Sweep(replace(plan, games=games), results)
        raise stopped_unsaved(so_far, f"{games:,} of {plan.games:,} games of each set of rules")
    return Sweep(plan, results)


@dataclass(frozen=True)
class Picked:
    """The combination at which a quantity differs most from the base rules."""

    number: int
    value: Estimate
    base: Estimate
    difference: Estimate


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Answer):
    """What a sweep showed: results of the base rules first, then of each combination of values."""

    plan: SweepPlan
    results: tuple[Results, ...]

    @cached_property
    def quantities(self) -> tuple[Measure, ...]:
        """The quantities that every table has."""
        first, *others = [quantities_of(p.table, drama=p.drama.totals if p.drama else ()) for p in self.results]
        return tuple(q for q in first if all(q in quantities for quantities in others))

    @property
    def games(self) -> int:
        """All games that were played."""
        return sum(played.games for played in self.results)

    def index(self, values: tuple[Any, ...]) -> int:
        """The number of a combination of values, 0 for that of the base rules."""
        return self.plan.points.index(tuple(values))

    @property
    def in_order(self) -> list[int]:
        """The numbers of all combinations, sorted by their values; values that are no numbers keep the given order."""

        def place(rule: SweptRule, value: Any) -> Any:
            if isinstance(value, int | float):
                return value
            return rule.values.index(value) if value in rule.values else -1  # only the base rules have it

        return sorted(range(len(self.results)), key=lambda n: tuple(map(place, self.plan.swept, self.plan.points[n])))

    def quantity(self, name: str | Measure) -> Measure:
        """The quantity of this name, such as `comebacks`."""
        if isinstance(name, Measure):
            return name
        return self.quantities[place_of(name, [q.key for q in self.quantities], "quantity")]

    def _number(self, at: int | Mapping[str, Any]) -> int:
        """The number of a combination, which may be given by its values: `{"hand_size": 4}`."""
        if not isinstance(at, Mapping):
            if not is_int_between(at, 0, len(self.results) - 1):
                example = dict(zip((rule.name for rule in self.plan.swept), self.plan.points[-1], strict=True))
                raise UserError(f"a set of rules is named by its values, such as {example}, not {at!r}.")
            return at
        names = [rule.name for rule in self.plan.swept]
        for name in at:
            place_of(name, names, "swept rule")
        values = tuple(at.get(name, own) for name, own in zip(names, self.plan.base_values, strict=True))
        if values not in self.plan.points:
            raise UserError(f"{self.plan.label(values)} was not played.")
        return self.index(values)

    def value(self, quantity: str | Measure, at: int | Mapping[str, Any] = 0) -> Estimate:
        """A quantity under one combination of values, by its number or as `{"hand_size": 4}`; a share in percent."""
        return self.quantity(quantity).shown(self.results[self._number(at)])

    def difference(self, quantity: str | Measure, at: int | Mapping[str, Any], confidence: float = 0.95) -> Estimate:
        """A quantity minus its value under the base rules, on the same deals; shares in points."""
        played = self.results[self._number(at)]
        return self.quantity(quantity).difference(self.results[0], played, confidence)

    @cached_property
    def clear(self) -> set[tuple[str, int]]:
        """Pairs of quantity and combination whose difference is clear, all tested together (Holm 1979)."""
        pairs = [(q, n) for q in self.quantities for n in range(1, len(self.results))]
        clear = clear_together((self.difference(q, n), 0.0) for q, n in pairs)
        return {(q.key, n) for (q, n), is_clear in zip(pairs, clear, strict=True) if is_clear}

    def effect(self, quantity: Measure) -> tuple[float, int]:
        """The largest clear difference as an effect size (Cohen's d), and where it is; 0 where none is clear."""
        clear = [n for n in range(1, len(self.results)) if (quantity.key, n) in self.clear]
        if not clear:
            return 0.0, 0
        where = max(clear, key=lambda n: abs(self.difference(quantity, n).value))
        spread = quantity.scale * quantity.spread(self.results[0])
        return (abs(self.difference(quantity, where).value) / spread if spread else math.inf), where

    def picked(self, quantity: Measure) -> "Picked":
        """Where a quantity differs most from the base rules; its interval allows for the picking (Bonferroni)."""
        changes = {n: self.difference(quantity, n) for n in range(1, len(self.results))}
        number = max(changes, key=lambda n: abs(changes[n].value))
        change = allowing_for(changes[number], len(changes))
        return Picked(number, self.value(quantity, number), self.value(quantity), change)

    # For people and programs

    def _rows(self, read: Callable[[Measure, int], Any]) -> list[tuple[Any, ...]]:
        rows = []
        for number in self.in_order:
            shown = [r.text(v) for r, v in zip(self.plan.swept, self.plan.points[number], strict=True)]
            shown[0] += " *" if number == 0 else ""
            rows.append((*shown, *(read(quantity, number) for quantity in self.quantities)))
        return rows

    def differences(self) -> ResultTable:
        """How much each quantity differs from its value under the base rules. The row of the base rules says "base"."""
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

    def _drawn(self, figure: str | None) -> tuple[ResultTable, str | None]:
        """What changes most, unless a quantity is named."""
        quantity = self.quantity(figure) if figure else max(self.quantities, key=lambda q: self.effect(q)[0])
        return self.values(), quantity.column

    def to_pandas(self) -> "pd.DataFrame":
        """Every figure in one tidy pandas table: a row for each combination of values and each quantity.

        The columns are the swept rules, `base`, `quantity`, `unit`, `value`, `low`, `high`, `difference`,
        `difference_low`, `difference_high`, `clear` and `games`. Shares are in percent, their differences in points.
        """
        import pandas as pd

        rows = []
        for number in self.in_order:
            point = zip(self.plan.swept, self.plan.points[number], strict=True)
            values = {rule.name: rule.text(v) if isinstance(v, tuple | str) else v for rule, v in point}
            for quantity in self.quantities:
                value, more = self.value(quantity, number), self.difference(quantity, number) if number else None
                rows.append(
                    {
                        **values,
                        "base": number == 0,
                        "quantity": quantity.key,
                        "unit": "percent" if quantity.share else "mean",
                        "value": value.value,
                        "low": value.low,
                        "high": value.high,
                        "difference": more.value if more else 0.0,
                        "difference_low": more.low if more else 0.0,
                        "difference_high": more.high if more else 0.0,
                        "clear": (quantity.key, number) in self.clear,
                        "games": value.n,
                    }
                )
        table = pd.DataFrame(rows)
        for column in ("quantity", "unit"):
            table[column] = pd.Categorical(table[column], list(dict.fromkeys(table[column])))
        return table

    def __repr__(self) -> str:
        return (
            f"<Sweep of {self.rule_names}: {len(self.results)} sets of rules, {self.plan.games:,} games each\n"
            f" {self.sentence()}>"
        )

    @property
    def rule_names(self) -> str:
        """The swept rules: `a`, `a and b`, `a, b and c`."""
        return listed([rule.name for rule in self.plan.swept])

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        plan = self.plan
        return {
            "games": plan.games,
            **table_facts(plan.base),
            "sweep": {rule.name: [value_text(value) for value in rule.values] for rule in plan.swept},
        }

    def sentence(self) -> str:
        """The quantity that responds most, in one sentence to quote."""
        names = listed([spoken_rule(rule.name) for rule in self.plan.swept])
        effects = sorted(((*self.effect(q), q) for q in self.quantities), key=lambda e: -e[0])
        size, where, most = effects[0]
        if not size:
            return f"No quantity clearly responds to {names}."
        picked = self.picked(most)
        before, after, where = picked.base, picked.value, picked.number
        unit = "%" if most.share else ""
        clear = [q for s, _, q in effects if s]
        large = sum(s >= NOTICEABLE for s, _, _ in effects)
        others = (
            f" {len(clear)} of {len(self.quantities)} quantities clearly respond, {large or 'none'} of them by a tenth "
            f"of a standard deviation or more."
            if len(effects) > 1
            else ""
        )
        return (
            f"{most.noun[0].upper()}{most.noun[1:]} responds most to {names}: {after}{unit} with "
            f"{self.plan.spoken(self.plan.points[where])} instead of {before}{unit} with "
            f"{self.plan.spoken(self.plan.base_values)}.{others}"
        )

    def played(self) -> str:
        """What was played, in words."""
        plan = self.plan
        sets = f"{plan.games:,} games of each of {len(self.results)} sets of rules on the same deals"
        return f"{sets}: {plan.base.in_words()}"

    def circumstances(self) -> str:
        """What is behind the figures."""
        drama = self.results[0].drama
        tension = f" Tension is from the first {drama.games:,} games of each." if drama else ""
        return (
            f"{self.played()}; 95% intervals. Clear means that the chance of even one wrong remark among all "
            f"{len(self.quantities) * (len(self.results) - 1)} differences is at most 5%.{tension}"
        )
