"""A sheet: some measures at every table of a study. A chapter's tables, charts and sentences are all read from it."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from jamaica_sim.report import prose
from jamaica_sim.report.arrangement import arrange, comparable, mark_name, pair_of, table_words
from jamaica_sim.report.chapter import Column, Figure, Read, games_line, is_known, rate_of
from jamaica_sim.report.charts.row_charts import Row
from jamaica_sim.report.figures import chart, mark_of
from jamaica_sim.results.measures import Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.experiment.setting import Setting, label_of, order_of, varying_factors
from jamaica_sim.study.experiment.study import Study

Columns = Mapping[str, "Measure | Column"]


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


class Sheet:
    """Measures by column and table."""

    def __init__(self, study: Study, columns: Columns, settings: Sequence[Setting] = ()):
        self.study, self.columns = study, columns
        self.settings = tuple(settings or study.uniform())
        self.pair = pair_of(study)
        every = dict.fromkeys((*self.settings, *(() if settings else self.pair.values())))
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

    def by_column(self, name: str, title: str, unit: str, columns: Mapping[str, str], **panel: Any) -> Figure:
        """Some columns with their words, at the reference and at the table beside it if there is one."""
        roles = ("base", "subject")[2 - len(self.pair) :]
        made = [
            Row(text, [mark_of(self.at(column, s), self.is_share(column), role, name=words)
                       for role, (words, s) in zip(roles, self.pair.items(), strict=True)
                       if is_known(self.at(column, s))])
            for column, text in columns.items()
        ]  # fmt: skip
        return chart(name, title, self.sub(unit), made, **panel)

    def by_table(self, name: str, title: str, sub: str, column: str, *, equal: bool = False, **panel: Any) -> Figure:
        """A column at every table: dots on a common scale; strategies are sorted by value, players keep their order.

        With `equal` an upright mark in each row is an equal share of the wins.
        """
        tables, factor = arrange(self.study)
        shown = [s for group in tables.values() for s in group]
        held = [name for name in varying_factors(comparable(self.study)) if name not in varying_factors(shown)]
        where = f" ({label_of(shown[0], held)})" if held else ""
        made = []
        for label, group in tables.items():
            pair = group
            if factor:  # the printed rules first
                pair = sorted(group, key=lambda s: (s.rules.ghost, bool(s.rules.changes()), order_of(s, factor)))
            roles = {s: "base" if len(pair) > 1 and s is pair[0] else "subject" for s in pair}
            marks = [
                mark_of(self.at(column, s), self.is_share(column), roles[s], name=mark_name(factor, s))
                for s in pair
                if is_known(self.at(column, s))
            ]
            made.append(Row(label, marks, 1 / group[0].rules.ships if equal else None))
        if all(label in self.study.line_ups for label in tables):
            made.sort(key=lambda r: -max((m.value for m in r.marks), default=-math.inf))
        if equal:
            panel["equal_name"] = "an equal share"
        return chart(name, title, f"{sub}{where}; {games_line(shown)}", made, **panel)

    def sub(self, unit: str, one: bool = False) -> str:
        """What is below the title of a chart of the reference and the table beside it: the unit, the table, the games.

        `one`: of the reference alone.
        """
        shown = [self.study.reference] if one else list(self.pair.values())
        first = "the first: " if len(shown) > 1 else ""
        return f"{unit} ({first}{table_words(self.study)}); {games_line(shown)}"
