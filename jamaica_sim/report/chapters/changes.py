"""What the factors of an experiment change, on the same deals: the course of a game, and who wins.

Two settings are compared only where they differ in the factor alone. The values of a scale (players, hand size) are
told from one end to the other, step by step. Any other value (an edition, a house rule, a line-up) is told beside the
first one, which is the printed one where there is one. First comes the measure that the experiment asks about; the
others follow by how much people would notice of the change.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from jamaica_sim.game.rules import HOUSE_RULES
from jamaica_sim.game.words import SPOKEN, more_of
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import PRINTED, is_random, same_ghost, value_words, without, without_random_play
from jamaica_sim.report.chapter import Figure, KeyNumber, games_line
from jamaica_sim.report.charts.grid_charts import HeatMap, heat_map
from jamaica_sim.report.charts.row_charts import Panel, Row
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, chapter_of, sheet
from jamaica_sim.report.sheet import Columns, Sheet
from jamaica_sim.results.measures import (
    CAPTAIN,
    COMEBACKS,
    COURSE,
    FAIRNESS,
    GHOST_WINS,
    MEASURES,
    ROUNDS,
    Measure,
    own_measures,
)
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.experiment.setting import LINE_UP, VARIANT, Setting, differing_factors, label_of, order_of
from jamaica_sim.study.experiment.study import Study

MOST_CLAIMS, MOST_ALSO = 3, 3  # measures of one value, each with its claim, and in a sentence beside them
MOST_ROWS, MOST_OPTIONS, MOST_TOLD = 8, 7, 5  # of a chart, values in it, and values in sentences
MUCH = 2  # times the smallest change that people notice
MANY_LINE_UPS = 2  # mixed line-ups are compared too, unless there are more than this, as in a tournament
TOLD = (*COURSE, CAPTAIN, COMEBACKS, GHOST_WINS)
IN_POINTS = (*FAIRNESS, COMEBACKS, GHOST_WINS)  # small shares, whose changes are drawn in points
NOUNS = {LINE_UP: "line-ups", VARIANT: "variants", HOUSE_RULES: "house rules", "board": "boards"}
SettingPair = tuple[Setting, Setting]
UNKNOWN = Estimate(math.nan, -math.inf, math.inf, 0)


@dataclass(frozen=True)
class Option:
    """One value of a factor beside another, at every pair of tables that differ in it alone; or a whole scale."""

    factor: str
    pairs: list[SettingPair]
    ends: SettingPair  # to show where only two settings can be shown
    every: list[SettingPair]  # with those of random play
    steps: Sequence[Setting] = ()

    @property
    def name(self) -> str:
        """Its value in words."""
        return value_words(self.factor, self.ends[1])

    def compared(self, measure: Measure) -> list[SettingPair]:
        """The pairs at which a measure can be compared, that of the ends first."""
        pairs = dict.fromkeys((self.ends, *self.pairs))
        return [pair for pair in pairs if all(measure.applies(s.played.table) for s in pair)]

    def size(self, measure: Measure) -> float:
        """Its largest change of a measure, in units of the smallest change that people notice."""
        return max((measure.noticed(a.played, b.played) for a, b in self.compared(measure)), default=0.0)

    def in_order(self, measures: Sequence[Measure]) -> list[Measure]:
        """Those of the measures that can be compared, the largest change first."""
        known = {m: self.compared(m)[0] for m in measures if self.compared(m)}
        return sorted(known, key=lambda m: (-self.size(m), -abs(m.effect(*(s.played for s in known[m])))))

    def says(self, measure: Measure, sign: int) -> str:
        """What there is more of, or less."""
        phrase, after = measure.more if sign > 0 else measure.less, self.ends[1]
        if self.factor == "ghost":
            return f"the ghost ship brings {phrase}"
        if self.factor == "edition":
            return f"the {after.rules.edition} rules bring {phrase}"
        if self.factor == LINE_UP:
            return f"when all play {self.name}: {phrase}"
        if self.steps and self.factor in SPOKEN:
            return f"{more_of(self.factor)} bring {phrase}"
        return f"{'larger values: ' if self.steps else ''}with {self.name}: {phrase}"


def _with(factor: str, setting: Setting) -> str:
    """A table by the value of the factor: with hand size 5, by the 2021 rules."""
    told = {
        "players": f"with {words.number(setting.rules.players)} players",
        "edition": f"by the {setting.rules.edition} rules",
        "ghost": f"{'with' if setting.rules.ghost else 'without'} the ghost ship",
        LINE_UP: f"where all play {setting.factors[LINE_UP]}",
    }
    rules = f"with {value_words(factor, setting)}" if setting.rules.changes() else f"under {PRINTED}"
    return told.get(factor, rules)


def compared_settings(study: Study) -> list[Setting]:
    """The settings whose games are compared: all, or without the mixed ones where these are many."""
    mixed = {s.factors[LINE_UP] for s in study.settings if s.is_mixed}
    return list(study.settings) if len(mixed) <= MANY_LINE_UPS else list(study.uniform())


def options_of(study: Study, name: str) -> list[Option]:
    """The values of a factor beside the first one, or its whole scale; none where nothing can be compared."""
    reference = study.reference
    settings = [s for s in compared_settings(study) if name != LINE_UP or not s.is_mixed]
    values = list(dict.fromkeys(order_of(s, name) for s in settings))
    is_scale = len(values) > 2 and all(isinstance(v, int | float) for v in values)
    printed = [order_of(s, name) for s in settings if not s.rules.changes()]
    first = next((v for v in values if v in printed), order_of(reference, name))
    if len(values) == 2 and len(set(printed)) != 1:
        first = min(values)
    if is_scale:
        first, settings = order_of(reference, name), [s for s in settings if s in study.along(name)]
    by_value: dict[Any, list[SettingPair]] = {value: [] for value in values if value != first}
    for a, b in product(settings, settings):
        is_change = order_of(a, name) == first != order_of(b, name)
        if is_change and differing_factors(a, b) == [name] and same_ghost(a, b, name):
            by_value[order_of(b, name)].append((a, b))
    planned, found = without_random_play(study.settings), [pairs for pairs in by_value.values() if pairs]
    shown = [[(a, b) for a, b in pairs if a in planned and b in planned] or pairs for pairs in found]
    if is_scale and shown:
        along = without_random_play([s for s in settings if same_ghost(s, reference, name)])
        steps = sorted(along, key=lambda s: order_of(s, name))
        every = [pair for pairs in found for pair in pairs]
        return [Option(name, [pair for pairs in shown for pair in pairs], (steps[0], steps[-1]), every, steps)]
    return [
        Option(name, pairs, next((p for p in pairs if reference in p), pairs[0]), every)
        for pairs, every in zip(shown, found, strict=True)
    ]


def asked_of(study: Study) -> list[Measure]:
    """The measure that the experiment asks about, if it names one."""
    every = (*MEASURES, *own_measures(study.reference.played.table))
    return [measure for measure in every if study.question in (measure.key, measure.column)]


def _column(measure: Measure) -> str:
    return f"{measure.column}, points" if measure.gap else measure.column


def _changed(measure: Measure, a: Setting, b: Setting) -> str:
    return prose.change(measure.difference(a.played, b.played), " points" if measure.share else "")


def _change(study: Study, option: Option, measure: Measure, cells: Sheet) -> Part:
    """One measure's change by one option: that it goes the same way in every pair, or at every step."""
    factor, (a, b) = option.factor, option.compared(measure)[0]
    pairs = [pair for pair in option.compared(measure) if pair in option.pairs]
    of_pair = {without(factor, study, one) or option.name: (one, other) for one, other in pairs}
    if option.steps:
        of_pair = {f"{value_words(factor, one)} to {value_words(factor, other)}": (one, other)
                   for one, other in zip(option.steps, option.steps[1:], strict=False)}  # fmt: skip
    cases = {name: Case(measure.difference(one.played, other.played))
             for name, (one, other) in (of_pair or {option.name: (a, b)}).items()}  # fmt: skip
    change = measure.difference(a.played, b.played)
    sign = 1 if change.value >= 0 else -1
    claim = Claim(
        option.says(measure, sign), cases, sign, opposite=option.says(measure, -sign),
        neither=f"{_with(factor, b)}: no clear change of {measure.noun}", noun="steps" if option.steps else "tables",
    )  # fmt: skip
    before, after = cells.said(_column(measure), a), cells.said(_column(measure), b)
    told = f"{after} {_with(factor, b)}, {before} {_with(factor, a)}"
    if prose.plain(after) == prose.plain(before):  # too small for the figures
        told = f"{before} {_with(factor, a)}, {_changed(measure, a, b)} {_with(factor, b)}"
    name = f"{measure.column}{' in points' if measure.gap else ''}"
    value = words.signed(change.value, prose.decimals_of(change.value), " points" if measure.share else "")
    return Part(claim, [f"{name}: {told}."],
                keys=[KeyNumber(value, f"{measure.column} {_with(factor, b)}, from {prose.plain(before)}")],
                effect=abs(measure.effect(a.played, b.played)))  # fmt: skip


def _changes(study: Study, option: Option, cells: Sheet, most: int, also: bool) -> list[Part]:
    """The largest changes by one option, each with its claim; and `also` others in a sentence."""
    asked = asked_of(study)
    measures = (*TOLD, *FAIRNESS) if {*asked} & {*FAIRNESS} else TOLD
    in_order = list(dict.fromkeys((*(m for m in asked if option.compared(m)), *option.in_order(measures))))
    told = [measure for n, measure in enumerate(in_order[:most]) if n == 0 or option.size(measure)]
    parts = [_change(study, option, measure, cells) for measure in told]
    if not also:
        return parts
    house = option.ends[1].rules.house_rules if option.factor == HOUSE_RULES else None
    if house:
        parts[0].facts = [*parts[0].facts, f"{option.name}: {house.description.rstrip('.')}."]
    much = [f"{m.column} {_changed(m, *option.compared(m)[0])}" for m in in_order
            if m not in told and option.size(m) >= MUCH]  # fmt: skip
    told_too = f"{_with(option.factor, option.ends[1])} also: {words.listed(much[:MOST_ALSO])}."
    return [*parts, Part(facts=[told_too if much else ""])]


def _difference_table(study: Study, factor: str, options: list[Option]) -> ResultTable:
    pairs, is_one = [pair for option in options for pair in option.every], len(options) == 1 and not options[0].steps
    several = len({without(factor, study, a) for a, _ in pairs}) > 1
    measures, rows = (*COURSE, *FAIRNESS), []
    for a, b in pairs:
        value, place = value_words(factor, b), without(factor, study, a) if several else ""
        name = place if is_one and several else ", ".join(filter(None, (value, place)))
        rows.append((name, *(measure.difference(a.played, b.played) for measure in measures)))
    first, second = (value_words(factor, setting) for setting in pairs[0])
    title = f"{second} against {first}" if is_one else f"Difference from {first}"
    columns = [f"{measure.column}, points" if measure.share else measure.column for measure in measures]
    return ResultTable(words.sentence(title), ("table", *columns), rows, note="differences on the same deals")


# Charts


def _map(study: Study, options: list[Option]) -> Figure:
    """Every measure's change: by every option, or by one option at every table."""
    factor, own = options[0].factor, without(options[0].factor, study, study.reference)
    every = [(option, pair, without(factor, study, pair[0])) for option in options for pair in option.pairs]
    kind = own if own in [place for *_, place in every] else every[0][2]
    chosen = {option.name: pair for option, pair, place in every if place == kind}
    if len(options) == 1:
        chosen = {place or option.name: pair for option, pair, place in every}
        kind = ""
    chosen = dict(list(chosen.items())[:MOST_OPTIONS])
    sizes = {m: max((m.noticed(a.played, b.played) for a, b in chosen.values() if m.applies(a.played.table)), default=0)
             for m in (*COURSE, *IN_POINTS)}  # fmt: skip
    rows = sorted(sizes, key=lambda m: -sizes[m])[:MOST_ROWS]
    cells = {(m.title, name): _cell(m, name, *pair) for m in rows for name, pair in chosen.items()}
    titles = [m.title for m in rows]
    lines = "; ".join(f"{n}: {', '.join(f'{row} {cells[row, n].text}' for row in titles[:4])}" for n in chosen)
    first, games = value_words(factor, options[0].ends[0]), games_line([pair[1] for pair in chosen.values()])
    sub = f"Change in %, of win rates in points, beside {first}; coloured where the 95% interval is on one side of 0"
    sub = f"{words.sentence(f'{kind}. ') if kind else ''}{sub}; {games}"
    title = f"What each of the {NOUNS.get(factor, 'values')} changes"
    if len(options) == 1:
        title = f"What {'the ghost' if factor == 'ghost' else options[0].name} changes"
    drawing = heat_map(f"Change of each measure. {lines}.", HeatMap(titles, list(chosen), cells, 0.0))
    return Figure("options", title, sub, drawing)


def _cell(measure: Measure, name: str, a: Setting, b: Setting) -> HeatMap.Cell:
    change, relative = measure.difference(a.played, b.played), measure.relative(a.played, b.played)
    value, text = relative.value, words.signed(100 * relative.value, 0, "%")
    if measure in IN_POINTS:
        value, text = change.value / 100, words.signed(change.value, 1)
    elif value >= 1:
        text = f"×{1 + value:.1f}"
    title = f"{name}, {measure.column}: {prose.whole(change)}{' points' if measure.share else ''}"
    return HeatMap.Cell(value, text, title, is_clear=not change.low <= 0 <= change.high)


def _scale_figure(study: Study, option: Option, cells: Sheet) -> Figure:
    """Some measures for every value of a scale."""
    settings = sorted((s for s in study.along(option.factor) if s in cells.settings),
                      key=lambda s: order_of(s, option.factor))  # fmt: skip
    panels = [
        Panel(m.title, [Row(value_words(option.factor, s), [mark_of(cells.at(m.column, s), m.share)])
                        for s in settings], form="bars")
        for m in dict.fromkeys((*option.in_order(COURSE)[:2], ROUNDS))
    ]  # fmt: skip
    differs = option.factor == "players" and len({s.rules.ghost for s in settings}) > 1
    ghost = "; two players have the ghost ship with them" if differs else ""
    title = f"The game by {'the number of players' if option.factor == 'players' else option.factor.replace('_', ' ')}"
    return panels_chart("values", title, f"Per game{ghost}; {games_line(settings)}", panels)


def _left_out(study: Study) -> list[str]:
    """Sentences about the settings that are not compared here."""
    missing = [s for s in study.settings if s not in compared_settings(study)]
    unlike = {label_of(s, ["players"]): s for s in study.along("players") if "players" in study.varying
              and not same_ghost(s, study.reference, "players") and s not in missing}  # fmt: skip
    is_left_out = 0 < sum(map(is_random, study.settings)) < len(study.settings)
    return [
        f"left out are the {len(missing)} settings in which different strategies sit at one table." if missing else "",
        f"{words.listed([*unlike])}: not compared with tables without the ghost ship."
        if unlike and "ghost" not in study.varying else "",
        "tables where all play at random are in charts and tables only." if is_left_out else "",
    ]  # fmt: skip


def _parts(study: Study) -> list[Part]:
    settings = compared_settings(study)
    asked = asked_of(study)
    told: Columns = {_column(m): m.shown if m.gap else m for m in (*TOLD, *FAIRNESS, *asked) if m is not GHOST_WINS}
    ghosts = replace(GHOST_WINS, exact=lambda r: GHOST_WINS.of(r) if r.table.rules.ghost else UNKNOWN)
    cells = Sheet(study, {**told, GHOST_WINS.column: ghosts}, settings=settings)
    factors = [options for name in study.varying if (options := options_of(study, name))]
    parts: list[Part] = []
    for options in factors:
        is_main = options is factors[0]
        in_order = sorted(options, key=lambda option: -option.size(option.in_order(TOLD)[0]))
        planned = [option for option in in_order if not is_random(option.ends[1])] or in_order
        most = MOST_CLAIMS if is_main and len(options) == 1 else 1
        own = [_changes(study, one, cells, most, is_main) for one in planned[: MOST_TOLD if is_main else 1]]
        if is_main:
            scale = in_order[0].steps
            own[0][0].figures = [_scale_figure(study, in_order[0], cells) if scale else _map(study, in_order)]
        own[0][0].tables = [_difference_table(study, options[0].factor, options)]
        parts += [part for of_option in own for part in of_option]
    tables = [
        cells.table("The course of a game", [m.column for m in COURSE], "means per game"),
        cells.table("Fairness", [_column(m) for m in (*FAIRNESS, COMEBACKS, GHOST_WINS)], "who wins"),
    ]
    return [*parts, Part(facts=_left_out(study), tables=tables)]


def _own_parts(study: Study) -> list[Part]:
    """Measures of one's own at every table, and how the main factor changes each."""
    table = study.reference.played.table
    columns = {measure.column: measure for measure in own_measures(table)}
    note = "; ".join(f"{name} = {text}" for name, text in table.measures.items())
    facts, keys = [f"{name}: {{{name}}}" for name in columns], {name: name for name in columns}
    values = sheet(study, "Measures of your own", columns, facts, note=note, settings=study.settings, keys=keys)
    options = next(filter(None, (options_of(study, name) for name in study.varying)), [])
    changed = [_change(study, option, m, values.sheet) for option in options[:1] for m in columns.values()]
    return [*changed, values]


CHAPTERS = {
    **chapter_of("changes", "What changes", _parts, lambda study: bool(study.varying)),
    **chapter_of("own", "Measures of your own", _own_parts, lambda study: bool(study.reference.played.table.measures)),
}
