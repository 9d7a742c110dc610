"""A sheet: some measures at every table of a study. A chapter's tables, charts and sentences are all read from it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jamaica_sim.report import prose
from jamaica_sim.report.arrangement import (
    PRINTED,
    arrange,
    base_rules,
    few_settings,
    is_like,
    main_factor,
    mark_name,
    table_words,
    usual,
    value_words,
)
from jamaica_sim.report.chapter import Column, Figure, Read, games_line, is_known, rate_of
from jamaica_sim.report.charts.row_charts import Row
from jamaica_sim.report.figures import chart, mark_of, stack
from jamaica_sim.results.measures import Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.experiment.setting import LINE_UP, Setting, label_of, order_of, varying_factors
from jamaica_sim.study.experiment.study import Study

Columns = Mapping[str, "Measure | Column"]
MASTER = "master"


# Measures of a chapter's own


def quantity(of: str | Callable[[Results], Floats], share: bool = False, exact: Read | None = None) -> Measure:
    """A measure: the mean of a quantity of the game, or a function of a run's sums, with its exact estimate if any."""
    if callable(of):
        return Measure("", "", "", "", "", of, share=share, exact=exact)
    return Measure("", "", "", "", "", lambda results: results.sums.game(of) / results.sums.games, of, share)


def per_player(of: str, share: bool = False) -> Measure:
    """A measure: a quantity of the players' ships, the mean of them all."""
    return quantity(lambda r: r.sums.players(of) / r.sums.games / r.table.rules.players, share)


def ratio(of: str, whole: str, share: bool = True) -> Measure:
    """A measure: a quantity of the game as a share of another, or per unit of it."""
    return quantity(lambda results: rate_of(results.sums.game(whole), results.sums.game(of)), share)


def win_rate(counted: Callable[[Results], tuple[Floats, Floats]]) -> Measure:
    """A measure: the win rate of some ships, from their number and their wins; several may be of one game."""

    def exact(results: Results) -> Estimate:
        ships, wins = counted(results)
        return jackknife(rate_of(ships, wins), min(int(ships[0]), results.games))

    return quantity(lambda results: rate_of(*counted(results)), True, exact)


def counted(share: Read) -> Measure:
    """A measure: a share that is counted over games; it is not compared on the same deals."""
    return quantity(lambda results: np.array([share(results).value]), True, share)


# The tables beside the reference


def beside_words(factor: str, setting: Setting) -> str:
    """A table in words, by the value of the compared factor: with hand size 5, by the 2021 rules."""
    value = setting.factors[factor]
    if factor == "edition":
        return f"by the {value} rules"
    if factor == "ghost":
        return "with the ghost ship" if value else "without the ghost ship"
    return f"with {value_words(factor, setting)}" if setting.rules.changes() else f"under {PRINTED}"


def beside_of(study: Study) -> dict[str, Setting]:
    """The tables that stand beside the reference, in words: other values of the compared rule, and among masters."""
    reference, factor = study.reference, main_factor(study)
    beside = {}
    if factor not in ("", "players", LINE_UP):
        others = [s for s in study.along(factor) if s is not reference and is_like(s, reference, factor)]
        beside = {beside_words(factor, s): s for s in others}
    masters = [s for s in study.along(LINE_UP) if {strategy.name for strategy in s.strategies} == {MASTER}]
    return beside | dict(zip(["among masters"], [s for s in masters if s is not reference], strict=False))


def mapped(study: Study) -> list[Setting]:
    """The tables that maps show, at most two: the reference, and the one beside it or the other edition."""
    beside = list(beside_of(study).values())
    editions = study.along("edition") if "edition" in study.varying else []
    return list(dict.fromkeys((study.reference, *(beside if len(beside) == 1 else ()), *editions)))[:2]


class Sheet:
    """Measures by column and table."""

    def __init__(self, study: Study, columns: Columns, settings: Sequence[Setting] = ()):
        self.study, self.columns = study, columns
        self.settings = tuple(settings or study.uniform())
        beside = beside_of(study)
        every = dict.fromkeys((*self.settings, *(() if settings else (study.reference, *beside.values()))))
        self.beside = {name: s for name, s in beside.items() if s in every}
        self.cells: dict[str, dict[Setting, Any]] = {
            name: {s: (of.of if isinstance(of, Measure) else of)(s.played) for s in every}
            for name, of in columns.items()
        }

    def at(self, column: str, setting: Setting | None = None) -> Estimate:
        """A figure, of the reference where no table is named."""
        estimate: Estimate = self.cells[column][setting or self.study.reference]
        return estimate

    def is_share(self, column: str) -> bool:
        """Whether a column has shares."""
        measure = self.columns[column]
        return isinstance(measure, Measure) and measure.share

    def said(self, column: str, setting: Setting | None = None) -> str:
        """A figure inside a sentence."""
        return (prose.share if self.is_share(column) else prose.mean)(self.at(column, setting))

    def tell(self, text: str) -> str:
        """A sentence; each {column} in it becomes the figure of the reference."""
        return text.format_map({name: self.said(name) for name in self.columns if f"{{{name}}}" in text}) + "."

    def table(
        self,
        title: str,
        columns: Iterable[str] = (),
        note: str = "",
        settings: Iterable[Setting] = (),
        label: Callable[[Setting], str] = lambda setting: setting.label,
    ) -> ResultTable:
        """Some columns, or all, as a table with a row for each setting."""
        names = list(columns) or list(self.columns)
        rows = [(label(s), *(self.cells[name][s] for name in names)) for s in settings or self.settings]
        return ResultTable(title, ("table", *names), rows, frozenset(filter(self.is_share, names)), note)

    def row(self, label: str, column: str, even: float | None = None) -> Row:
        """A row of a chart: the reference, and the one table beside it where there is just one.

        A lone mark is grey below an even share.
        """
        share, other, one = self.is_share(column), list(self.beside.items()), self.at(column)
        if len(other) == 1 and is_known(self.at(column, other[0][1])):
            own = mark_of(one, share, "base", name=self.reference_words)
            return Row(label, [own, mark_of(self.at(column, other[0][1]), share, name=other[0][0])])
        return Row(label, [mark_of(one, share, "base" if even is not None and one.value < even else "subject")])

    def by_table(
        self, name: str, title: str, sub: str, column: str, *, equal: bool = False, fine: bool = False, **panel: Any
    ) -> Figure:
        """A column at every table: dots on a common scale; strategies are sorted by value, players keep their order.

        With `equal` an upright mark in each row is an equal share of the wins.
        """
        tables, factor = arrange(self.study)
        shown = [s for group in tables.values() for s in group]
        held = [name for name in varying_factors(usual(self.study)) if name not in varying_factors(shown)]
        where = f" ({label_of(shown[0], held)})" if held else ""
        made = []
        for label, group in tables.items():
            pair = group
            if factor:  # the printed rules first
                pair = sorted(group, key=lambda s: (s.rules.ghost, bool(s.rules.changes()), order_of(s, factor)))
            roles = {s: "base" if len(pair) > 1 and s is pair[0] else "subject" for s in pair}
            marks = [
                mark_of(self.at(column, s), self.is_share(column), roles[s], name=mark_name(factor, s), fine=fine)
                for s in pair
                if is_known(self.at(column, s))
            ]
            made.append(Row(label, marks, 1 / group[0].rules.ships if equal else None))
        if all(label in self.study.line_ups for label in tables):
            made.sort(key=lambda r: -max((m.value for m in r.marks), default=-math.inf))
        if equal:
            panel["equal_name"] = "an equal share"
        return chart(name, title, f"{sub}{where}; {games_line(shown)}", made, **panel)

    def stack(self, name: str, title: str, unit: str, roles: Mapping[str, str], by: str, **panel: Any) -> Figure:
        """Bars of some columns at a few tables, by their roles; strategies are sorted by the column `by`."""
        shown = few_settings(self.study, lambda s: self.at(by, s))
        made = {label: [(column, self.at(column, s), role) for column, role in roles.items()] for label, s in shown}
        return stack(name, title, f"{unit}; {games_line([s for _, s in shown])}", made, **panel)

    def side_by_side(self) -> dict[str, Setting]:
        """The tables that maps and histograms show, in words; without words where there is one."""
        shown = mapped(self.study)
        names = [next((w for w, other in self.beside.items() if other is s), self.reference_words) for s in shown]
        if len({s.rules.edition for s in shown}) > 1:
            names = [beside_words("edition", s) for s in shown]
        return dict(zip(names if len(shown) > 1 else [""], shown, strict=True))

    def sub(self, unit: str, many: bool = False) -> str:
        """What is below the title of a chart of the reference, or of `side_by_side`: the unit, the table, the games."""
        shown = list(self.side_by_side().values()) if many else [self.study.reference]
        first = "the first: " if len(shown) > 1 else ""
        return f"{unit} ({first}{table_words(self.study)}); {games_line(shown)}"

    @property
    def reference_words(self) -> str:
        """The reference in words, beside another table."""
        factor = main_factor(self.study)
        if "among masters" in self.beside:
            return f"all {self.study.reference.strategies[0].name}"
        if factor in ("", "players", LINE_UP):
            factor = "edition"
        return base_rules(self.study) or beside_words(factor, self.study.reference)
