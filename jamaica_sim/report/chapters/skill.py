"""Skill: a ladder of players, each rung against the one below, and which findings hold at every level of play.

The rungs are the line-ups in which all play alike, in the order of the experiment, weakest first; random play is one of
them. A finding holds at every level only if it is clear at each rung. Its size is called the same at every level only
if the whole interval of every difference between rungs is small (an equivalence test).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart, mark_of
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, points
from jamaica_sim.report.chapters.winning import duellists
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
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
NAMES = {GHOST_WINS: "ghost's wins", ROUNDS: "length in rounds"}
EDGES = (CAPTAIN, DRAWERS_EDGE)  # differences of win rates, in points
# Each finding as a sentence with its direction; measures without one are only followed along the ladder.
SAYS = {
    CAPTAIN: ("the first Captain wins more often than the other seats", 1),
    GHOST_WINS: ("the ghost ship wins less than its share", -1),
    FIRST_HOME: ("the first ship home wins more than half of the games", 1),
    DRAWERS_EDGE: ("ships that draw treasures win more often than others", 1),
}
MEASURES = (*SAYS, SHORTAGES_EACH, ROUNDS)


@dataclass(frozen=True)
class Step(Findings):
    """A rung's share of the victories against the rung below, against a half."""

    high: str
    low: str
    share: Comparison


@dataclass(frozen=True)
class Trend(Findings):
    """A measure along the ladder: its values, and the change from the lowest rung that thinks to the highest."""

    measure: Measure
    values: dict[str, Estimate]  # by rung, random play too
    claim: Claim | None  # that its finding holds at each rung
    low: Comparison
    high: Comparison
    change: Comparison
    others: list[Comparison]  # the highest rung minus each other rung

    @property
    def name(self) -> str:
        """The measure in words."""
        return NAMES.get(self.measure, self.measure.column)

    @property
    def is_share(self) -> bool:
        """Whether it is a share, in percent, and no difference of shares in points."""
        return self.measure.share and self.measure not in EDGES

    def told(self, value: Estimate, whole: bool = False) -> str:
        """A value in a sentence, or as a cell has it."""
        text = prose.share(value) if self.is_share else prose.mean(value)
        text = prose.whole(value, self.is_share) if whole else text
        return f"{text} points" if self.measure in EDGES else text

    def verdict(self, judge: Judge) -> str:
        """What becomes of it from the lowest of these rungs to the highest."""
        before, after, change = (one.estimate for one in (self.low, self.high, self.change))
        if before.value * after.value < 0 and judge.is_clear(self.low) and judge.is_clear(self.high):
            return REVERSES
        margin = ABOUT_THE_SAME * abs(after.value)
        every = [allowing_for(one.estimate, judge.count) for one in (self.change, *self.others)]
        if all(max(abs(e.low), abs(e.high)) <= margin for e in every):
            return SAME
        if not judge.is_clear(self.change) or abs(change.value) < ABOUT_THE_SAME * abs(before.value):
            return OPEN
        return GROWS if change.value * before.value > 0 else FADES


@dataclass(frozen=True)
class Ladder(Findings):
    """All findings at one table, by rung."""

    place: str  # the rules in words, where they vary
    players: int
    rungs: list[str]
    games: str
    trends: list[Trend]
    steps: list[Step]

    @property
    def where(self) -> str:
        """The place in brackets, where there are several."""
        return f" ({self.place})" if self.place else ""

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


def find(study: Study) -> Skill:
    """Compare each rung with the one below, and the findings of all rungs."""
    ladders = []
    for place, settings in tables_of(study).items():
        rungs = {rung: s for rung in rungs_of(study) for s in settings if s.factors[LINE_UP] == rung}
        first = next(iter(rungs.values()))
        trends = [trend_of(m, rungs, first, place) for m in MEASURES if m.applies(first.played.table)]
        steps = _steps(settings, list(rungs))
        ladders.append(Ladder(place, first.rules.players, list(rungs), games_line(list(rungs.values())), trends, steps))
    return Skill(ladders)


def tables_of(study: Study) -> dict[str, list[Setting]]:
    """All settings by their rules in words."""
    names = [name for name in study.varying if name != LINE_UP]
    tables: dict[str, list[Setting]] = {}
    for setting in study.settings:
        tables.setdefault(label_of(setting, names) if names else "", []).append(setting)
    return tables


def trend_of(measure: Measure, rungs: dict[str, Setting], first: Setting, place: str = "") -> Trend:
    """A measure along some rungs."""
    is_edge = measure in EDGES
    shown = {rung: measure.shown(s.played) if is_edge else measure.of(s.played) for rung, s in rungs.items()}
    planned = [rung for rung in rungs if rung != RANDOM]
    low, high = rungs[planned[0]], rungs[planned[-1]]
    factor = 1 if is_edge else 1 / measure.scale

    def change(a: Setting, b: Setting) -> Comparison:
        return Comparison(measure.difference(a.played, b.played).scaled(factor))

    claim = None
    if measure in SAYS:
        says, direction = SAYS[measure]
        null = {GHOST_WINS: 1 / first.rules.ships, FIRST_HOME: 0.5}.get(measure, 0.0)
        claim = Claim(says, {rung: Comparison(value, null) for rung, value in shown.items()}, direction, where=place)
    others = [change(s, high) for s in rungs.values() if s not in (low, high)]
    ends = Comparison(shown[planned[0]]), Comparison(shown[planned[-1]])
    return Trend(measure, shown, claim, *ends, change(low, high), others)


def _steps(settings: Sequence[Setting], rungs: list[str]) -> list[Step]:
    """Each rung's share of the victories against the rung below."""
    steps = []
    for setting in settings:
        pair = duellists(setting) if setting.is_mixed else []
        if len(pair) == 2 and all(name in rungs for name in pair):
            low, high = sorted(pair, key=rungs.index)
            sums = setting.played.sums
            share = jackknife(sums.group(high, "win") / sums.players("win"), setting.games)
            steps.append(Step(high, low, Comparison(share, 0.5)))
    return steps


# Words


def write(skill: Skill, judge: Judge) -> Chapter:
    """The chapter."""
    chapter = Chapter("skill", "Skill")
    chapter.claims = [trend.claim for ladder in skill.ladders for trend in ladder.trends if trend.claim]
    if with_steps := [ladder for ladder in skill.ladders if ladder.steps]:
        _write_steps(with_steps, judge, chapter)
    for ladder in skill.ladders:
        _write_trends(ladder, judge, chapter)
    _first_screen(skill, judge, chapter)
    return chapter


def _write_steps(ladders: Sequence[Ladder], judge: Judge, chapter: Chapter) -> None:
    panels = []
    for ladder in ladders:
        title = f"Each rung against the one below{ladder.where}"
        content = [(step.high, step.low, step.share.estimate) for step in ladder.steps]
        columns, note = ("rung", "against", "victories"), "share of the victories of the two; 50% is even"
        chapter.tables.append(ResultTable(title, columns, content, frozenset({"victories"}), note))
        made = [Row(f"{s.high} v. {s.low}", [mark_of(s.share.estimate, True)]) for s in reversed(ladder.steps)]
        panels.append(Panel(ladder.place, made, high=1.0, line=0.5, line_name="even"))
    steps = [step for ladder in ladders for step in ladder.steps]
    won = [judge.is_above(step.share) for step in steps]
    chapter.effect = max(abs(cohen_h(step.share.estimate.value, 0.5)) for step in steps)
    chapter.say(
        "every rung clearly beats the one below."
        if all(won)
        else f"{sum(won)} of {len(won)} rungs clearly beat the one below.",
        *(
            f"{step.high} takes {prose.share(step.share.estimate)} of the victories against {step.low}{ladder.where}."
            for ladder in ladders
            for step in ladder.steps[-2:]
        ),
    )
    sub = f"Share of the victories of the two, which have as many ships each; {ladders[0].games}"
    chapter.figures.append(chart("ladder", "Each rung against the one below", sub, panels))


def _write_trends(ladder: Ladder, judge: Judge, chapter: Chapter) -> None:
    trends, where, (low, high) = ladder.trends, ladder.where, ladder.ends
    columns = [f"{t.name}, points" if t.measure in EDGES else t.name for t in trends]
    shares = frozenset(name for name, t in zip(columns, trends, strict=True) if t.is_share)
    content = [(rung, *(t.values[rung] for t in trends)) for rung in ladder.rungs]
    title = f"The findings at each rung{where}"
    chapter.tables.append(ResultTable(title, ("all play", *columns), content, shares, "all ships alike"))
    verdicts = [(t, t.verdict(judge)) for t in trends]
    listed = [
        (t.name, t.claim.says if t.claim else "", judge.verdict(t.claim).count("levels") if t.claim else "", verdict,
         *(t.told(e.estimate, True) for e in (t.low, t.high)), _change(t))
        for t, verdict in verdicts
    ]  # fmt: skip
    note = f"change from {low} to {high}; the same: no difference between {high} and any rung is larger than "
    note += f"{ABOUT_THE_SAME:.0%}; not shown: too few games to tell; {ladder.games}"
    columns = ["measure", "finding", "holds", "from rung to rung", low, high, "change"]
    chapter.tables.append(ResultTable(f"Verdicts{where}", tuple(columns), listed, note=note))
    same, unknown = ([t.name for t, verdict in verdicts if verdict == kind] for kind in (SAME, OPEN))
    chapter.say(
        *(
            f"{t.name}{where}: {t.told(t.low.estimate)} when all play {low}, {t.told(t.high.estimate)} when all play "
            f"{high}: {verdict} from {low} to {high}."
            for t, verdict in verdicts
            if verdict not in (SAME, OPEN)
        ),
        f"{words.listed(same)}{where}: the same at every level, from {ladder.rungs[0]} to {high}, within "
        f"{ABOUT_THE_SAME:.0%}."
        if same
        else "",
        f"{words.listed(unknown)}{where}: neither a change nor its absence is shown with {ladder.games}."
        if unknown
        else "",
    )
    half = (len(trends) + 1) // 2
    chapter.figures += [_trends_figure(ladder, some, n) for n, some in enumerate((trends[:half], trends[half:]))]


def _change(trend: Trend) -> str:
    change = points(trend.change.estimate) if trend.is_share else trend.change.estimate
    return prose.whole(change) + (" points" if trend.measure.share else "")


def _trends_figure(ladder: Ladder, trends: Sequence[Trend], number: int) -> Figure:
    panels = []
    for trend in trends:
        values = [v for e in trend.values.values() for v in (e.low, e.high) if np.isfinite(v)]
        made = [Row(rung, [mark_of(value, trend.is_share)]) for rung, value in trend.values.items()]
        low, high = min(0.0, *values), max(values)
        panels.append(Panel(trend.name.capitalize(), made, low=low, high=high, line=0.0 if low < 0 else None))
    sub = f"All ships play alike{f'; {ladder.place}' if ladder.place else ''}; {ladder.games}"
    title = words.sentence(words.listed([trend.name for trend in trends]))
    return chart(f"findings_{ladder.place.replace(' ', '_').replace(',', '')}_{number}", title, sub, panels)


def _first_screen(skill: Skill, judge: Judge, chapter: Chapter) -> None:
    """Which findings hold at every level and at which tables, and which do not."""
    claims = [(ladder, judge.verdict(t.claim)) for ladder in skill.ladders for t in ladder.trends if t.claim]
    told: dict[tuple[bool, str], list[str]] = {}  # by what holds, or how far it does: the tables
    for ladder, verdict in claims:
        is_always = verdict.kind == HOLDS
        scope = "" if is_always else f" {verdict.scope('levels')}"
        told.setdefault((is_always, f"{verdict.claim.says}{scope}"), []).append(ladder.place)
    sentences: dict[tuple[bool, str], list[str]] = {}  # by the tables: what is said of them
    for (is_always, says), places in told.items():
        where = f" with {words.listed(places, 'and with')}" if any(places) else ""
        sentences.setdefault((is_always, where), []).append(says)
    count = sum(verdict.kind == HOLDS for _, verdict in claims)
    number = words.number(count) if count else "none"
    rungs = skill.ladders[0].rungs
    chapter.heading = f"{number} of {words.number(len(claims))} findings hold at every level of play"
    chapter.headline = f"{chapter.heading}, from {rungs[0]} to {rungs[-1]}"
    chapter.standfirst = [
        f"{'At' if is_always else 'Not at'} every level{where}: {words.listed(says)}."
        for (is_always, where), says in sorted(sentences.items(), key=lambda item: not item[0][0])
    ]
    for ladder in [ladder for ladder in skill.ladders if ladder.steps][:1]:
        step, players = ladder.steps[-1], words.number(ladder.players)
        text = f"of the victories {step.high} takes from {step.low} with {players} players"
        chapter.keys.append(KeyNumber(words.percent(step.share.estimate.value, 0), text))
    changed = [(ladder, t) for ladder in skill.ladders for t in ladder.trends if t.verdict(judge) in (GROWS, FADES)]
    for ladder, trend in changed[:3]:
        value, high = trend.high.estimate.value, ladder.ends[1]
        text = words.percent(value) if trend.is_share else words.amount(value)
        where = f"{ladder.where} when all play {high}: {trend.verdict(judge)} with skill"
        chapter.keys.append(KeyNumber(text, f"{trend.name}{', points' * (trend.measure in EDGES)}{where}"))
    chapter.hero = chapter.figures[0]


CHAPTERS = {"skill": ChapterSource(find, write, has_rungs)}
