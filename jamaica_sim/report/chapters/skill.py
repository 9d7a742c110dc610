"""Skill: a ladder of players, each rung against the one below, and whether the findings hold at every level.

The rungs are the line-ups in which all play alike, in the order of the experiment, weakest first. A finding is called
the same at every level only if the whole interval of every difference between rungs is small (an equivalence test);
no clear change is no proof of that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import mark_of, spoken
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, points
from jamaica_sim.report.chapters.winning import duellists
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Panel, Row, rows
from jamaica_sim.results.measures import (
    CAPTAIN,
    DRAWERS_EDGE,
    FIRST_HOME,
    GHOST_WINS,
    ROUNDS,
    SHORTAGES_EACH,
    Measure,
)
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM

LEAST_RUNGS = 3
ABOUT_THE_SAME = 0.15  # a change by less than this share is no change of a finding
SAME, GROWS, FADES, REVERSES, OPEN = "the same at every level", "grows", "shrinks", "reverses", "not shown"
FINDINGS = (CAPTAIN, GHOST_WINS, SHORTAGES_EACH, DRAWERS_EDGE, ROUNDS, FIRST_HOME)
EDGES = (CAPTAIN, DRAWERS_EDGE)  # differences of win rates, in points


@dataclass(frozen=True)
class Step(Findings):
    """A rung's share of the victories against the rung below, against a half."""

    high: str
    low: str
    share: Comparison


@dataclass(frozen=True)
class Trend(Findings):
    """A finding along the ladder: its values, and the change from the lowest rung that thinks to the highest."""

    measure: Measure
    values: dict[str, Estimate]  # by rung, random play too
    low: Comparison
    high: Comparison
    change: Comparison
    others: list[Comparison]  # the highest rung minus each other rung

    @property
    def name(self) -> str:
        """The finding in words."""
        return {GHOST_WINS: "ghost's wins", ROUNDS: "length in rounds"}.get(self.measure, self.measure.column)

    @property
    def is_edge(self) -> bool:
        """Whether it is a difference of win rates, in points."""
        return self.measure in EDGES


@dataclass(frozen=True)
class Ladder(Findings):
    """All findings at one table, by rung."""

    place: str  # the rules in words, where they vary
    rungs: dict[str, Setting]
    trends: list[Trend]
    steps: list[Step]

    @property
    def ends(self) -> tuple[str, str]:
        """The lowest rung that does not play at random, and the highest."""
        planned = [rung for rung in self.rungs if rung != RANDOM]
        return planned[0], planned[-1]


@dataclass(frozen=True)
class Skill(Findings):
    """The ladder at every table."""

    ladders: list[Ladder]


def rungs_of(study: Study) -> list[str]:
    """The rungs, weakest first: the line-ups in which all play alike."""
    return list(dict.fromkeys(s.factors[LINE_UP] for s in study.settings if not s.is_mixed))


def has_rungs(study: Study) -> bool:
    """Whether there is a ladder to climb."""
    return study.compare == LINE_UP and len(rungs_of(study)) >= LEAST_RUNGS


def tables_of(study: Study) -> dict[str, dict[str, Setting]]:
    """The settings of all rungs in their order, by their rules in words."""
    names = [name for name in study.varying if name != LINE_UP]
    tables: dict[str, dict[str, Setting]] = {}
    for rung in rungs_of(study):
        for setting in study.settings:
            if not setting.is_mixed and setting.factors[LINE_UP] == rung:
                tables.setdefault(label_of(setting, names) if names else "", {})[rung] = setting
    return tables


def find(study: Study) -> Skill:
    """Compare each rung with the one below, and the findings of all rungs."""
    steps = _steps(study)
    ladders = []
    for place, rungs in tables_of(study).items():
        first = next(iter(rungs.values())).played.table
        trends = [trend_of(measure, rungs) for measure in FINDINGS if measure.applies(first)]
        ladders.append(Ladder(place, rungs, trends, steps.get(place, [])))
    return Skill(ladders)


def trend_of(measure: Measure, rungs: dict[str, Setting]) -> Trend:
    """A finding along some rungs."""
    shown = {rung: measure.shown(s.played) if measure in EDGES else measure.of(s.played) for rung, s in rungs.items()}
    planned = [rung for rung in rungs if rung != RANDOM]
    low, high = rungs[planned[0]], rungs[planned[-1]]
    factor = 1 if measure in EDGES else 1 / measure.scale

    def change(a: Setting, b: Setting) -> Comparison:
        return Comparison(measure.difference(a.played, b.played).scaled(factor))

    others = [change(rungs[rung], high) for rung in rungs if rungs[rung] not in (low, high)]
    return Trend(
        measure, shown, Comparison(shown[planned[0]]), Comparison(shown[planned[-1]]), change(low, high), others
    )


def verdict(judge: Judge, trend: Trend) -> str:
    """What becomes of a finding from the lowest of these rungs to the highest."""
    before, after, change = (one.estimate for one in (trend.low, trend.high, trend.change))
    if before.value * after.value < 0 and judge.is_clear(trend.low) and judge.is_clear(trend.high):
        return REVERSES
    margin = ABOUT_THE_SAME * abs(after.value)
    every = [allowing_for(one.estimate, judge.count) for one in (trend.change, *trend.others)]
    if all(max(abs(e.low), abs(e.high)) <= margin for e in every):
        return SAME
    if not judge.is_clear(trend.change) or abs(change.value) < ABOUT_THE_SAME * abs(before.value):
        return OPEN
    return GROWS if abs(after.value) > abs(before.value) else FADES


def write(skill: Skill, judge: Judge) -> Chapter:
    """The chapter."""
    chapter = Chapter("skill", "Skill")
    with_steps = [ladder for ladder in skill.ladders if ladder.steps]
    if with_steps:
        _write_steps(with_steps, judge, chapter)
    for ladder in skill.ladders:
        _write_trends(ladder, judge, chapter)
    _first_screen(skill, judge, chapter)
    return chapter


# The ladder


def _steps(study: Study) -> dict[str, list[Step]]:
    """By the rules in words: each rung's share of the victories against the rung below."""
    names = [name for name in study.varying if name != LINE_UP]
    rungs, steps = rungs_of(study), dict[str, list[Step]]()
    for setting in study.settings:
        pair = duellists(setting) if setting.is_mixed else []
        if len(pair) == 2 and all(name in rungs for name in pair):
            low, high = sorted(pair, key=rungs.index)
            sums = setting.played.sums
            share = jackknife(sums.group(high, "win") / sums.players("win"), setting.games)
            of_table = steps.setdefault(label_of(setting, names) if names else "", [])
            of_table.append(Step(high, low, Comparison(share, 0.5)))
    return steps


def _write_steps(ladders: Sequence[Ladder], judge: Judge, chapter: Chapter) -> None:
    for ladder in ladders:
        title = f"Each rung against the one below{_where(ladder)}"
        content = [(step.high, step.low, step.share.estimate) for step in ladder.steps]
        columns, note = ("rung", "against", "victories"), "share of the victories of the two; 50% is even"
        chapter.tables.append(ResultTable(title, columns, content, frozenset({"victories"}), note))
    steps = [step for ladder in ladders for step in ladder.steps]
    won = [judge.is_above(step.share) for step in steps]
    chapter.effect = max(abs(cohen_h(step.share.estimate.value, 0.5)) for step in steps)
    chapter.say(
        "every rung clearly beats the one below."
        if all(won)
        else f"{sum(won)} of {len(won)} rungs clearly beat the one below.",
        *(
            f"{step.high} takes {prose.share(step.share.estimate)} of the victories against {step.low}{_where(ladder)}."
            for ladder in ladders
            for step in ladder.steps[-2:]
        ),
    )
    panels = []
    for ladder in ladders:
        made = [Row(f"{s.high} v. {s.low}", [mark_of(s.share.estimate, True)]) for s in reversed(ladder.steps)]
        panels.append(Panel(ladder.place.capitalize(), made, high=1.0, line=0.5, line_name="even"))
    label = "Share of the victories of each rung against the one below: " + spoken([(p.title, p.rows) for p in panels])
    games = min(step.share.estimate.n for step in steps)
    sub = f"Share of the victories; {games:,} games for each"
    drawing = rows(label, panels, row_height=29)
    chapter.figures.append(Figure("ladder", "Each rung against the one below", sub, drawing))


def _where(ladder: Ladder) -> str:
    return f" ({ladder.place})" if ladder.place else ""


# The findings


def _write_trends(ladder: Ladder, judge: Judge, chapter: Chapter) -> None:
    trends, where, (low, high) = ladder.trends, _where(ladder), ladder.ends
    columns = [f"{t.name}, points" if t.is_edge else t.name for t in trends]
    shares = frozenset(name for name, t in zip(columns, trends, strict=True) if t.measure.share and not t.is_edge)
    content = [(rung, *(t.values[rung] for t in trends)) for rung in ladder.rungs]
    title = f"The findings at each rung{where}"
    chapter.tables.append(ResultTable(title, ("all play", *columns), content, shares, "all ships alike"))
    verdicts = {t.name: verdict(judge, t) for t in trends}
    listed = [
        (t.name, verdicts[t.name], _shown(t, t.low.estimate), _shown(t, t.high.estimate), _shown_change(t))
        for t in trends
    ]
    settings = list(ladder.rungs.values())
    note = f"change from {low} to {high}; the same: no difference between {high} and any rung is larger than "
    note += f"{ABOUT_THE_SAME:.0%}; not shown: too few games to tell; {games_line(settings)}"
    columns = ["finding", "verdict", low, high, "change"]
    chapter.tables.append(ResultTable(f"Verdicts{where}", tuple(columns), listed, note=note))
    same = [t.name for t in trends if verdicts[t.name] == SAME]
    unknown = [t.name for t in trends if verdicts[t.name] == OPEN]
    chapter.say(
        *(
            f"{t.name}{where}: {_told(t, t.low.estimate)} when all play {low}, {_told(t, t.high.estimate)} when all "
            f"play {high}: {verdicts[t.name]} from {low} to {high}."
            for t in trends
            if t.name not in (*same, *unknown)
        ),
        f"{words.listed(same)}{where}: the same at every level, from {next(iter(ladder.rungs))} to {high}, within "
        f"{ABOUT_THE_SAME:.0%}."
        if same
        else "",
        f"{words.listed(unknown)}{where}: neither a change nor its absence is shown with {games_line(settings)}."
        if unknown
        else "",
    )
    half = (len(trends) + 1) // 2
    for number, some in enumerate((trends[:half], trends[half:])):
        chapter.figures.append(_trends_figure(ladder, some, number))


def _told(trend: Trend, value: Estimate) -> str:
    if trend.is_edge:
        return f"{prose.mean(value)} points"
    return prose.share(value) if trend.measure.share else prose.mean(value)


def _shown(trend: Trend, value: Estimate) -> str:
    if trend.is_edge:
        return f"{prose.whole(value)} points"
    return prose.whole(value, trend.measure.share)


def _shown_change(trend: Trend) -> str:
    change = trend.change.estimate
    if trend.measure.share and not trend.is_edge:
        change = points(change)
    return prose.whole(change) + (" points" if trend.measure.share else "")


def _trends_figure(ladder: Ladder, trends: Sequence[Trend], number: int) -> Figure:
    panels = []
    for trend in trends:
        values = [v for e in trend.values.values() for v in (e.low, e.high) if np.isfinite(v)]
        is_share = trend.measure.share and not trend.is_edge
        made = [Row(rung, [mark_of(value, is_share)]) for rung, value in trend.values.items()]
        low, high = min(0.0, *values), max(values)
        panels.append(Panel(trend.name.capitalize(), made, low=low, high=high, line=0.0 if low < 0 else None))
    place = ladder.place
    label = f"The findings at each rung{f', {place}' if place else ''}: " + spoken([(p.title, p.rows) for p in panels])
    settings = list(ladder.rungs.values())
    rules = settings[0].rules
    sub = f"All ships play alike{f'; {place}' if place else ''}; {games_line(settings)}"
    title = words.listed([trend.name for trend in trends])
    name = f"findings_{rules.players}_players_{rules.edition}_{number}"
    return Figure(name, title[0].upper() + title[1:], sub, rows(label, panels))


# The first screen


def _first_screen(skill: Skill, judge: Judge, chapter: Chapter) -> None:
    verdicts = [(ladder, trend, verdict(judge, trend)) for ladder in skill.ladders for trend in ladder.trends]
    count = {kind: [entry for entry in verdicts if entry[2] == kind] for kind in (SAME, OPEN)}
    changed = [entry for entry in verdicts if entry[2] not in (SAME, OPEN)]
    many = words.number(len(verdicts))
    number = words.number(len(changed)) if changed else "none"
    chapter.heading = chapter.headline = f"{number} of {many} findings change with the players' skill"
    several = len(skill.ladders) > 1
    rest = [
        f"{words.number(len(count[SAME]))} of {many} are the same at every level" if count[SAME] else "",
        f"{words.number(len(count[OPEN]))} of {many} would take more games to tell" if count[OPEN] else "",
    ]
    chapter.standfirst = [
        *(
            f"{t.name}{_where(ladder) if several else ''}: {kind} from {ladder.ends[0]} to {ladder.ends[1]}."
            for ladder, t, kind in changed[:3]
        ),
        words.sentence(f"{words.listed([part for part in rest if part])}.") if any(rest) else "",
    ]
    with_steps = [ladder for ladder in skill.ladders if ladder.steps]
    for ladder in with_steps[:1]:
        step, players = ladder.steps[-1], words.number(next(iter(ladder.rungs.values())).rules.players)
        chapter.keys.append(
            KeyNumber(
                words.percent(step.share.estimate.value, 0),
                f"of the victories {step.high} takes from {step.low} with {players} players",
            )
        )
    for ladder, trend, kind in changed[:3]:
        value, high = trend.high.estimate.value, ladder.ends[1]
        is_share = trend.measure.share and not trend.is_edge
        text = words.percent(value) if is_share else words.amount(value)
        where = _where(ladder) if several else ""
        chapter.keys.append(KeyNumber(text, f"{trend.name}{where} when all play {high}: {kind}"))
    chapter.hero = chapter.figures[0]


CHAPTERS = {"skill": ChapterSource(find, write, has_rungs)}
