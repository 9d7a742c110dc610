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
        return "with the ghost ship, and with what it does itself"
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


class Shift(Findings):
    """A measure at two settings that differ in a factor alone."""

    def __init__(self, measure: Measure, pair: SettingPair):
        before, after = (s.played for s in pair)
        self.measure, self.pair = measure, pair
        self.before, self.after = measure.of(before), measure.of(after)
        self.difference = Comparison(measure.difference(before, after))  # of shares in points
        self.relative = measure.relative(before, after)  # the difference as a share of the value before
        self.effect = measure.effect(before, after)

    @property
    def phrase(self) -> str:
        """What there is more or less of."""
        return self.measure.more if self.difference.estimate.value > 0 else self.measure.less


class Change(Findings):
    """What a factor does to one measure at each pair of settings, and what may be claimed."""

    def __init__(self, study: Study, factor: str, measure: Measure, option: "Option"):
        self.measure, steps = measure, option.steps
        self.shifts = [Shift(measure, pair) for pair in option.pairs]
        self.size = max(abs(shift.effect) for shift in self.shifts)
        cases = {without(factor, study, shift.pair[0]): shift.difference for shift in self.shifts}
        if steps:
            cases = {
                f"the step from {value_words(factor, a)} to {apart(factor, a, b)}": Shift(measure, (a, b)).difference
                for a, b in zip(steps, steps[1:], strict=False)
            }
        first, last = (measure.of(s.played).value for s in option.ends)
        self.phrase = measure.more if last >= first else measure.less  # what there is more or less of
        says = f"{instead(factor, *option.ends)} there are {self.phrase}"
        # that the measure goes the same way in every pair, or at every step
        self.claim = Claim(says, cases, 1 if last >= first else -1)

    def clear(self, judge: Judge, least: float = 0.0) -> list[Shift]:
        """The clear shifts that are at least so large."""
        return [one for one in self.shifts if judge.is_clear(one.difference) and abs(one.effect) >= least]

    def at(self, pair: SettingPair) -> Shift | None:
        """The shift at a pair of settings, if it is one of the factor's."""
        return next((one for one in self.shifts if one.pair == pair), None)


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
            Shift(measure, pair)
            for measure in FAIRNESS
            for pair in pairs
            if is_told and measure.applies(pair[0].played.table)
        ]

    def large(self, judge: Judge, least: float = CLEARLY) -> list[Change]:
        """The changes that are clear and large in a pair, the largest first."""
        return [change for change in self.changes if change.clear(judge, least)]


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
    every = [(without(factor.name, figures.study, pair[0]), o, pair) for o in options for pair in o.pairs]
    own = without(factor.name, figures.study, figures.study.reference)
    made: list[Figure] = []
    for kind in list(dict.fromkeys([own, *(kind for kind, _, _ in every)]))[:MOST_KINDS]:
        chosen = [(option, pair) for of, option, pair in every if of == kind][:MOST_OPTIONS]
        if not chosen:
            continue
        cells, size = {}, dict.fromkeys(COURSE, 0.0)
        for option, pair in chosen:
            for shift in (one for change in option.changes for one in change.shifts if one.pair == pair):
                measure, share = shift.measure, shift.relative.value
                size[measure] = max(size[measure], abs(shift.effect))
                text = f"×{1 + share:.1f}" if share >= 1 else words.signed(100 * share, 0, "%")
                cell = _cell(option, shift, judge, share, text, prose.whole(shift.relative, True))
                cells[measure.title, option.name] = cell
            for shift in (one for one in option.fairness if one.pair == pair):
                points = shift.difference.estimate
                text, title = words.signed(points.value, 1), f"{prose.whole(points)} points"
                cells[_in_points(shift.measure), option.name] = _cell(
                    option, shift, judge, points.value / 100, text, title
                )
        names = [option.name for option, _ in chosen]
        fair_rows = [row for row in map(_in_points, FAIRNESS) if (row, names[0]) in cells]
        rows = [m.title for m in sorted(COURSE, key=lambda m: -size[m])[: MOST_ROWS - len(fair_rows)]] + fair_rows
        lines = "; ".join(
            f"{name}: {', '.join(f'{row} {cells[row, name].text}' for row in rows[:4])}" for name in names
        )
        first, below = value_words(factor.name, chosen[0][0].ends[0]), ", below in points" if fair_rows else ""
        games = games_line([pair[1] for _, pair in chosen])
        sub = f"Change in percent beside {first}{below}; coloured where clear: violet more, grey less; {games}"
        if kind:
            sub = f"{kind[0].upper()}{kind[1:]}. {sub}"
        title = f"What each of the {NOUNS.get(factor.name, 'values')} changes"
        drawing = heat_map(f"Change of each measure in percent. {lines}.", HeatMap(rows, names, cells, 0.0))
        made.append(Figure(f"options_{len(made) + 1}", title, sub, drawing))
    return made


def _cell(option: Option, shift: Shift, judge: Judge, value: float, text: str, whole: str) -> HeatMap.Cell:
    is_clear = judge.is_clear(shift.difference)
    title = f"{option.name}, {shift.measure.column}: {whole}{'' if is_clear else ', not clear'}"
    return HeatMap.Cell(value, text, title, is_clear=is_clear)


def changes_figure(figures: Sheet, factor: Factor) -> Figure:
    """The change of every measure in percent, at all pairs of settings: the least and the most with their figure."""
    study, option = figures.study, factor.options[0]
    has_old = factor.name != "edition" and "edition" in study.varying
    made = []
    for change in option.changes:
        in_order, marks = sorted(change.shifts, key=lambda shift: shift.relative.value), []
        for shift in in_order:
            percent, setting = 100 * shift.relative.value, shift.pair[0]
            text = words.signed(percent, unit="%") if shift in (in_order[0], in_order[-1]) else ""
            title = f"{without(factor.name, study, setting)}: {prose.whole(shift.relative, True)}"
            marks.append(Mark(percent, text, hollow=has_old and setting.rules.edition == "2007", title=title))
        made.append(Row(change.measure.column.capitalize(), marks))
    made.sort(key=lambda row: -max((abs(m.value) for m in row.marks if not math.isnan(m.value)), default=0.0))
    values = [m.value for row in made[:MOST_ROWS] for m in row.marks]
    count = f", least and most of {words.number(len(option.pairs))} tables" if len(option.pairs) > 1 else ""
    hollow = "; hollow: 2007 rules" if any(mark.hollow for row in made for mark in row.marks) else ""
    sub = f"Change in percent{count}{hollow}; {games_line([pair[0] for pair in option.pairs])}"
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
