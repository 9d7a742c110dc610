"""What a factor changes, as numbers, and the charts of the chapter on changes.

One value beside another, a whole scale, or several values that are no scale beside the first.
"""

import math
from dataclasses import dataclass

from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, VARIANT, Setting, label_of, order_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import by_table, chart, mark_of, value_words
from jamaica_sim.report.chapter import Figure, games_line
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import Sheet
from jamaica_sim.results.measures import CAPTAIN, COMEBACKS, COURSE, GHOST_WINS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.rules import HOUSE_RULES
from jamaica_sim.stats.clear import CLEARLY
from jamaica_sim.stats.estimate import Estimate

MOST_ROWS = 8
FAIRNESS = (CAPTAIN, COMEBACKS, GHOST_WINS)  # who wins; their changes are small shares, and told in points
MOST_KINDS = 3  # of tables with a chart of their own
MOST_OPTIONS = 7  # of a choice in sentences and in the chart
SettingPair = tuple[Setting, Setting]
NOUNS = {LINE_UP: "line-ups", VARIANT: "variants", HOUSE_RULES: "house rules", "board": "boards"}


@dataclass(frozen=True)
class Change(Findings):
    """What a factor does to one measure: the difference of each pair of settings, and what may be claimed."""

    measure: Measure
    effects: list[float]
    differences: list[Comparison]
    relatives: list[Estimate]  # the differences as shares of the value before
    claim: Claim  # that the measure goes the same way in every pair, or at every step

    @property
    def size(self) -> float:
        """The largest effect size of a pair."""
        return max(map(abs, self.effects))

    @property
    def phrase(self) -> str:
        """What there is more or less of."""
        return self.measure.more if self.claim.direction > 0 else self.measure.less


@dataclass(frozen=True)
class Fairness(Findings):
    """What a value does to who wins, at one pair of settings."""

    measure: Measure
    number: int  # of the pair
    before: Estimate
    after: Estimate
    difference: Comparison  # in points

    @property
    def phrase(self) -> str:
        """What there is more or less of."""
        return self.measure.more if self.difference.estimate.value > 0 else self.measure.less


def fairness(pairs: list[SettingPair]) -> list[Fairness]:
    """What changes in who wins, at every pair of settings."""
    return [
        Fairness(m, n, m.of(a.played), m.of(b.played), Comparison(m.difference(a.played, b.played)))
        for m in FAIRNESS
        for n, (a, b) in enumerate(pairs)
        if m.applies(a.played.table)
    ]


@dataclass(frozen=True)
class Option(Findings):
    """One value of a factor beside another, at every pair of tables that differ in it alone; or a whole scale."""

    name: str
    pairs: list[SettingPair]
    ends: SettingPair  # the settings to show where only two can be shown
    changes: list[Change]  # the largest first
    fairness: list[Fairness]  # of rules and boards, where these are several

    def large(self, judge: Judge, least: float = CLEARLY) -> list[Change]:
        """The changes that are clear and large in a pair, the largest first."""
        return [
            c
            for c in self.changes
            if any(judge.is_clear(one) and abs(e) >= least for one, e in zip(c.differences, c.effects, strict=True))
        ]


@dataclass(frozen=True)
class Factor(Findings):
    """A factor with its values beside the first one."""

    name: str
    is_scale: bool
    options: list[Option]
    table: ResultTable


def rest(study: Study, factor: str, setting: Setting) -> str:
    """A setting in words, without the factor."""
    rest = [name for name in study.varying if name != factor]
    return label_of(setting, rest) if rest else ""


def _in_points(measure: Measure) -> str:
    return f"{measure.title}, points"


def options_figures(figures: Sheet, factor: Factor, options: list[Option], judge: Judge) -> list[Figure]:
    """Every measure's change in percent by every value of the factor; a chart for each kind of table."""
    every = [(rest(figures.study, factor.name, a), o, n) for o in options for n, (a, _) in enumerate(o.pairs)]
    own = rest(figures.study, factor.name, figures.study.reference)
    made: list[Figure] = []
    for kind in list(dict.fromkeys([own, *(kind for kind, _, _ in every)]))[:MOST_KINDS]:
        chosen = [(option, n) for of, option, n in every if of == kind][:MOST_OPTIONS]
        if not chosen:
            continue
        cells, size = {}, dict.fromkeys(COURSE, 0.0)
        for option, n in chosen:
            for change in option.changes:
                measure, one = change.measure, change.relatives[n]
                is_clear = judge.is_clear(change.differences[n])
                size[measure] = max(size[measure], abs(change.effects[n]))
                title = f"{option.name}, {measure.column}: {prose.whole(one, True)}{'' if is_clear else ', not clear'}"
                text = f"×{1 + one.value:.1f}" if one.value >= 1 else words.signed(100 * one.value, 0, "%")
                cells[measure.title, option.name] = HeatMap.Cell(one.value, text, title, is_clear=is_clear)
            for fair in (fair for fair in option.fairness if fair.number == n):
                points, is_clear = fair.difference.estimate, judge.is_clear(fair.difference)
                title = f"{option.name}, {fair.measure.column}: {prose.whole(points)} points"
                text = words.signed(points.value, 1)
                cells[_in_points(fair.measure), option.name] = HeatMap.Cell(
                    points.value / 100, text, f"{title}{'' if is_clear else ', not clear'}", is_clear=is_clear
                )
        names = [option.name for option, _ in chosen]
        fair_rows = [row for row in map(_in_points, FAIRNESS) if (row, chosen[0][0].name) in cells]
        rows = [m.title for m in sorted(COURSE, key=lambda m: -size[m])[: MOST_ROWS - len(fair_rows)]] + fair_rows
        told = "; ".join(f"{name}: {', '.join(f'{row} {cells[row, name].text}' for row in rows[:4])}" for name in names)
        first = value_words(factor.name, chosen[0][0].ends[0])
        below = ", below in points" if fair_rows else ""
        sub = f"Change in percent beside {first}{below}; coloured where clear: violet more, grey less"
        if kind:
            sub = f"{kind[0].upper()}{kind[1:]}. {sub}"
        title = f"What each of the {NOUNS.get(factor.name, 'values')} changes"
        drawing = heat_map(f"Change of each measure in percent. {told}.", HeatMap(rows, names, cells, 0.0))
        made.append(Figure(f"options_{len(made) + 1}", title, sub, drawing))
    return made


def changes_figure(figures: Sheet, factor: Factor) -> Figure:
    """The change of every measure in percent, at all pairs of settings."""
    study, option = figures.study, factor.options[0]
    hollow = [
        factor.name != "edition" and "edition" in study.varying and a.rules.edition == "2007" for a, _ in option.pairs
    ]
    lines = []
    for change in option.changes:
        marks = [
            Mark(100 * one.value, words.signed(100 * one.value, unit="%"), hollow=was,
                 title=f"{rest(study, factor.name, a)}: {prose.whole(one, True)}")
            for (a, _), one, was in zip(option.pairs, change.relatives, hollow, strict=True)
        ]  # fmt: skip
        marks.sort(key=lambda m: m.value)
        silent = [Mark(m.value, "", m.role, m.hollow, title=m.title) for m in marks[1:-1]]
        lines.append(Row(change.measure.column.capitalize(), [*marks[:1], *silent, *(marks[-1:] if marks[1:] else [])]))
    lines.sort(key=lambda row: -max((abs(m.value) for m in row.marks if not math.isnan(m.value)), default=0.0))
    values = [m.value for row in lines[:MOST_ROWS] for m in row.marks]
    panel = Panel("", lines[:MOST_ROWS], line=0.0, line_name="no change", low=min(0.0, *values), high=max(0.0, *values))
    old = "; hollow: 2007 rules" if any(hollow) else ""
    sub = f"Change in percent, least and most of {words.number(len(option.pairs))} tables{old}"
    if len(option.pairs) == 1:
        sub = f"Change in percent; {games_line([study.reference])}"
    title = {"ghost": "What the ghost changes", "edition": f"What the {option.name} rules change"}.get(
        factor.name, f"What changes with {option.name}"
    )
    return chart("changes", title, sub, [panel])


def values_figure(figures: Sheet, factor: Factor, measures: list[Measure], more: bool = False) -> Figure:
    """Some measures for every value of a scale."""
    settings = [s for s in figures.study.along(factor.name) if s in figures.settings]
    settings.sort(key=lambda s: order_of(s, factor.name))
    panels = [
        Panel(m.title, [Row(value_words(factor.name, s), [mark_of(figures.at(m.column, s), m.share)])
                        for s in settings], form="bars")
        for m in measures
    ]  # fmt: skip
    differs = factor.name == "players" and len({s.rules.ghost for s in settings}) > 1
    ghost = "; two players have the ghost ship with them" if differs else ""
    by = factor.name.replace("_", " ")
    title = "What the number of players changes" if factor.name == "players" else f"The game by {by}"
    sub = f"Per game{ghost}; {games_line(settings)}"
    return chart("more" if more else "values", "What else changes" if more else title, sub, panels)


def before_and_after(figures: Sheet, measure: Measure) -> Figure:
    title = f"{measure.column.capitalize()} at each table"
    sub = f"{'Share of the games' if measure.share else 'Mean per game'}, before and after"
    name = f"by_table_{measure.game or measure.key}"
    return by_table(name, title, sub, figures.study, figures.reader(measure.column), share=measure.share)
