"""What a factor changes, as numbers, and the charts of the chapter on changes.

One value beside another, a whole scale, or several values that are no scale beside the first.
"""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from jamaica_sim.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, USUAL, VARIANT, Setting, differing_factors, order_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import is_like, thinking, value_words, without
from jamaica_sim.report.chapter import Figure, games_line
from jamaica_sim.report.figures import chart, mark_of, panels_chart
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import Sheet
from jamaica_sim.results.measures import CAPTAIN, COMEBACKS, COURSE, GHOST_WINS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.rules import HOUSE_RULES
from jamaica_sim.stats.clear import CLEARLY

MOST_ROWS = 8
FAIRNESS = (CAPTAIN, COMEBACKS, GHOST_WINS)  # who wins; their changes are small shares, and told in points
MOST_KINDS = 3  # of tables with a chart of their own
MOST_OPTIONS = 7  # of a choice in sentences and in the chart
MANY_LINE_UPS = 2  # mixed line-ups are compared too, unless there are more than this, as in a tournament
SettingPair = tuple[Setting, Setting]
NOUNS = {LINE_UP: "line-ups", VARIANT: "variants", HOUSE_RULES: "house rules", "board": "boards"}


# Words


def instead(factor: str, a: Setting, b: Setting) -> str:
    """The beginning of a sentence about a change."""
    before, after = a.factors[factor], b.factors[factor]
    if factor == "ghost":
        return "with the ghost ship"
    if factor == "edition":
        return f"by the rules of {after}"
    if factor == LINE_UP:
        return f"when all play {after} instead of {before}"
    if factor == "players":
        return f"with {words.number(after)} players instead of {words.number(before)}"
    return f"with {value_words(factor, b)} instead of {apart(factor, b, a)}"


def apart(factor: str, first: Setting, second: Setting) -> str:
    """The value at the second setting without the words that it shares with the first, as in "hand size 5 to 6"."""
    before, after = (value_words(factor, s).split() for s in (first, second))
    shared = next((n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    return " ".join(after[shared:])


# Numbers


class Change(Findings):
    """What a factor does to one measure: the difference of each pair of settings, and what may be claimed."""

    def __init__(self, study: Study, factor: str, measure: Measure, option: "Option"):
        self.measure, pairs = measure, option.pairs
        played = [(a.played, b.played) for a, b in pairs]
        self.effects = [measure.effect(*pair) for pair in played]
        self.size = max(map(abs, self.effects))
        self.differences = [Comparison(measure.difference(*pair)) for pair in played]
        self.relatives = [measure.relative(*pair) for pair in played]  # the differences as shares of the value before
        cases = dict(zip((without(factor, study, a) for a, _ in pairs), self.differences, strict=True))
        if option.steps:
            cases = {
                f"the step from {value_words(factor, a)} to {apart(factor, a, b)}": Comparison(
                    measure.difference(a.played, b.played)
                )
                for a, b in zip(option.steps, option.steps[1:], strict=False)
            }
        first, last = (measure.of(s.played).value for s in option.ends)
        self.phrase = measure.more if last >= first else measure.less  # what there is more or less of
        says = f"{instead(factor, *option.ends)} there are {self.phrase}"
        # that the measure goes the same way in every pair, or at every step
        self.claim = Claim(says, cases, 1 if last >= first else -1)


class Fairness(Findings):
    """What a value does to who wins, at one pair of settings."""

    def __init__(self, measure: Measure, number: int, pair: SettingPair):
        before, after = (s.played for s in pair)
        self.measure, self.number = measure, number  # of the pair
        self.before, self.after = measure.of(before), measure.of(after)
        self.difference = Comparison(measure.difference(before, after))  # in points

    @property
    def phrase(self) -> str:
        """What there is more or less of."""
        return self.measure.more if self.difference.estimate.value > 0 else self.measure.less


class Option(Findings):
    """One value of a factor beside another, at every pair of tables that differ in it alone; or a whole scale."""

    def __init__(self, study: Study, factor: str, pairs: list[SettingPair], steps: Sequence[Setting] = ()):
        self.pairs, self.steps = pairs, steps
        # the settings to show where only two can be shown
        self.ends = next((pair for pair in pairs if study.reference in pair), pairs[0])
        if steps:
            self.ends = steps[0], steps[-1]
        self.name = value_words(factor, self.ends[1])
        self.changes = [Change(study, factor, measure, self) for measure in COURSE]
        self.changes.sort(key=lambda change: -change.size)
        is_told = factor not in USUAL and not steps  # of rules and boards, where these are several
        self.fairness = [
            Fairness(measure, n, pair)
            for measure in FAIRNESS
            for n, pair in enumerate(pairs)
            if is_told and measure.applies(pair[0].played.table)
        ]

    def large(self, judge: Judge, least: float = CLEARLY) -> list[Change]:
        """The changes that are clear and large in a pair, the largest first."""
        return [
            c
            for c in self.changes
            if any(judge.is_clear(one) and abs(e) >= least for one, e in zip(c.differences, c.effects, strict=True))
        ]


def compared_settings(study: Study) -> list[Setting]:
    """The settings whose games are compared: all, or without the mixed ones where these are many."""
    mixed = {s.factors[LINE_UP] for s in study.settings if s.is_mixed}
    return list(study.settings) if len(mixed) <= MANY_LINE_UPS else list(study.uniform())


class Factor(Findings):
    """A factor with its values beside the first one; it has no options where nothing can be compared."""

    def __init__(self, study: Study, name: str):
        self.name, reference = name, study.reference
        settings = [s for s in compared_settings(study) if name != LINE_UP or not s.is_mixed]
        values = list(dict.fromkeys(order_of(s, name) for s in settings))
        self.is_scale = len(values) > 2 and all(isinstance(v, int | float) for v in values)
        printed = [order_of(s, name) for s in settings if not s.rules.changes()]
        first = next((v for v in values if v in printed), order_of(reference, name))
        if len(values) == 2 and (len(set(printed)) != 1):
            first = min(values)
        if self.is_scale:
            first = order_of(reference, name)
            settings = [s for s in settings if s in study.along(name)]
        by_value: dict[Any, list[SettingPair]] = {value: [] for value in values if value != first}
        for a, b in product(settings, settings):
            is_change = order_of(a, name) == first != order_of(b, name)
            if is_change and differing_factors(a, b) == [name] and is_like(a, b, name):
                by_value[order_of(b, name)].append((a, b))
        planned = thinking(study.settings)
        shown = [
            [(a, b) for a, b in pairs if a in planned and b in planned] or pairs for pairs in by_value.values() if pairs
        ]
        self.options = [Option(study, name, pairs) for pairs in shown if not self.is_scale]
        if self.is_scale and shown:
            along = thinking([s for s in settings if is_like(s, reference, name)])
            steps = sorted(along, key=lambda s: order_of(s, name))
            self.options = [Option(study, name, [pair for pairs in shown for pair in pairs], steps)]
        every = [pair for pairs in by_value.values() for pair in pairs]
        self.tables = [_difference_table(study, name, every, is_one=len(by_value) == 1)] if every else []


def _difference_table(study: Study, factor: str, pairs: list[SettingPair], is_one: bool) -> ResultTable:
    several = len({without(factor, study, a) for a, _ in pairs}) > 1
    names = [
        without(factor, study, a) if is_one and several
        else ", ".join(filter(None, (value_words(factor, b), without(factor, study, a) if several else "")))
        for a, b in pairs
    ]  # fmt: skip
    content = [
        (name, *(measure.difference(a.played, b.played) for measure in COURSE))
        for name, (a, b) in zip(names, pairs, strict=True)
    ]
    first, second = (value_words(factor, setting) for setting in pairs[0])
    title = f"{second} against {first}" if is_one else f"Difference from {first}"
    columns = [f"{measure.column}, points" if measure.share else measure.column for measure in COURSE]
    return ResultTable(words.sentence(title), ("table", *columns), content, note="differences on the same deals")


# Charts


def _in_points(measure: Measure) -> str:
    return f"{measure.title}, points"


def options_figures(figures: Sheet, factor: Factor, options: list[Option], judge: Judge) -> list[Figure]:
    """Every measure's change in percent by every value of the factor; a chart for each kind of table."""
    every = [(without(factor.name, figures.study, a), o, n) for o in options for n, (a, _) in enumerate(o.pairs)]
    own = without(factor.name, figures.study, figures.study.reference)
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
        lines = "; ".join(
            f"{name}: {', '.join(f'{row} {cells[row, name].text}' for row in rows[:4])}" for name in names
        )
        first = value_words(factor.name, chosen[0][0].ends[0])
        below = ", below in points" if fair_rows else ""
        sub = f"Change in percent beside {first}{below}; coloured where clear: violet more, grey less"
        if kind:
            sub = f"{kind[0].upper()}{kind[1:]}. {sub}"
        title = f"What each of the {NOUNS.get(factor.name, 'values')} changes"
        drawing = heat_map(f"Change of each measure in percent. {lines}.", HeatMap(rows, names, cells, 0.0))
        made.append(Figure(f"options_{len(made) + 1}", title, sub, drawing))
    return made


def changes_figure(figures: Sheet, factor: Factor) -> Figure:
    """The change of every measure in percent, at all pairs of settings: the least and the most with their figure."""
    study, option = figures.study, factor.options[0]
    is_old = [
        factor.name != "edition" and "edition" in study.varying and a.rules.edition == "2007" for a, _ in option.pairs
    ]
    made = []
    for change in option.changes:
        order = sorted(range(len(option.pairs)), key=lambda n: change.relatives[n].value)
        marks = []
        for n in order:
            one, table = change.relatives[n], without(factor.name, study, option.pairs[n][0])
            text = words.signed(100 * one.value, unit="%") if n in (order[0], order[-1]) else ""
            marks.append(Mark(100 * one.value, text, hollow=is_old[n], title=f"{table}: {prose.whole(one, True)}"))
        made.append(Row(change.measure.column.capitalize(), marks))
    made.sort(key=lambda row: -max((abs(m.value) for m in row.marks if not math.isnan(m.value)), default=0.0))
    values = [m.value for row in made[:MOST_ROWS] for m in row.marks]
    sub = f"Change in percent, least and most of {words.number(len(option.pairs))} tables"
    sub += "; hollow: 2007 rules" if any(is_old) else ""
    if len(option.pairs) == 1:
        sub = f"Change in percent; {games_line([study.reference])}"
    title = {"ghost": "What the ghost changes", "edition": f"What the {option.name} rules change"}.get(
        factor.name, f"What changes with {option.name}"
    )
    low, high = min(0.0, *values), max(0.0, *values)
    return chart("changes", title, sub, made[:MOST_ROWS], low=low, high=high, line=0.0, line_name="no change")


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
    return panels_chart("more" if more else "values", "What else changes" if more else title, sub, panels)
