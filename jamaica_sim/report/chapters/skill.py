"""Skill: a ladder of players, each rung against the one below, and which findings hold at every level of play.

The rungs are the line-ups in which all play alike, in the order of the experiment, weakest first; random play is one of
them. A finding holds at every level only if it is clear at each rung. Its size is called alike at every level only if
the whole interval of every difference between rungs is small (an equivalence test).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, points
from jamaica_sim.report.chapters.winning import duellists
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.results.measures import CAPTAIN, DRAWERS_EDGE, FIRST_HOME, GHOST_WINS, ROUNDS, SHORTAGES_EACH, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM

LEAST_RUNGS = 3
ABOUT_THE_SAME = 0.15  # a change by less than this share is no change of a finding
SAME, GROWS, FADES, REVERSES, OPEN = "alike at every level", "grows", "shrinks", "reverses", "not shown"
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


class Trend(Findings):
    """A measure along some rungs: its values, and the change from the lowest rung that thinks to the highest."""

    def __init__(self, measure: Measure, rungs: dict[str, Setting], place: str = ""):
        self.measure, self.name = measure, NAMES.get(measure, measure.column)
        self.is_edge = measure in EDGES
        self.is_share = measure.share and not self.is_edge  # in percent, and no difference of shares in points
        read = measure.shown if self.is_edge else measure.of
        self.values = {rung: read(s.played) for rung, s in rungs.items()}  # random play too
        planned = [rung for rung in rungs if rung != RANDOM]
        low, high = rungs[planned[0]], rungs[planned[-1]]
        self.claim: Claim | None = None  # that its finding holds at each rung
        if measure in SAYS:
            says, direction = SAYS[measure]
            null = {GHOST_WINS: 1 / low.rules.ships, FIRST_HOME: 0.5}.get(measure, 0.0)
            cases = {rung: Comparison(value, null) for rung, value in self.values.items()}
            self.claim = Claim(says, cases, direction, where=place)
        self.low, self.high = Comparison(self.values[planned[0]]), Comparison(self.values[planned[-1]])
        scale = 1 if self.is_edge else 1 / measure.scale

        def change(a: Setting, b: Setting) -> Comparison:
            return Comparison(measure.difference(a.played, b.played).scaled(scale))

        self.change = change(low, high)
        self.others = [change(s, high) for s in rungs.values() if s not in (low, high)]  # the highest minus each other

    @property
    def is_steady(self) -> bool:
        """Whether it goes one way from rung to rung, random play left out."""
        steps = np.diff([value.value for rung, value in self.values.items() if rung != RANDOM])
        return bool((steps * self.change.estimate.value >= 0).all())

    def figure(self, value: Estimate) -> str:
        """A value in a sentence."""
        return f"{prose.mean(value)} points" if self.is_edge else (prose.share if self.is_share else prose.mean)(value)

    def cell(self, value: Estimate) -> str:
        """A value in a cell."""
        return prose.whole(value, self.is_share) + " points" * self.is_edge

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


class Ladder(Findings):
    """All findings at one table, by rung."""

    def __init__(self, place: str, settings: Sequence[Setting], names: Sequence[str]):
        rungs = {rung: s for rung in names for s in settings if s.factors[LINE_UP] == rung}
        first = next(iter(rungs.values()))
        self.place, self.where = place, f" ({place})" if place else ""  # the rules in words, where they vary
        self.players, self.rungs, self.games = first.rules.players, list(rungs), games_line(list(rungs.values()))
        planned = [rung for rung in rungs if rung != RANDOM]
        self.ends = planned[0], planned[-1]  # the lowest rung that does not play at random, and the highest
        self.trends = [Trend(m, rungs, place) for m in MEASURES if m.applies(first.played.table)]
        self.steps = _steps(settings, self.rungs)

    def write(self, judge: Judge, chapter: Chapter) -> None:
        """What becomes of each finding from rung to rung."""
        trends, where, (low, high) = self.trends, self.where, self.ends
        columns = [f"{t.name}, points" if t.is_edge else t.name for t in trends]
        shares = frozenset(name for name, t in zip(columns, trends, strict=True) if t.is_share)
        content = [(rung, *(t.values[rung] for t in trends)) for rung in self.rungs]
        title = f"The findings at each rung{where}"
        chapter.tables.append(ResultTable(title, ("all play", *columns), content, shares, "all ships alike"))
        verdicts = [(t, t.verdict(judge)) for t in trends]
        listed = [
            (t.name, t.claim.says if t.claim else "", judge.verdict(t.claim).count("levels") if t.claim else "",
             verdict, t.cell(t.low.estimate), t.cell(t.high.estimate), _change(t))
            for t, verdict in verdicts
        ]  # fmt: skip
        note = (
            f"change from {low} to {high}; alike: no difference between {high} and any rung is larger than "
            f"{ABOUT_THE_SAME:.0%}; not shown: too few games to tell; {self.games}"
        )
        heads = ("measure", "finding", "holds", "from rung to rung", low, high, "change")
        chapter.tables.append(ResultTable(f"Verdicts{where}", heads, listed, note=note))
        start = f"with {self.place}, " if self.place else ""
        moved = [
            f"{t.measure.noun} {verdict} from {t.figure(t.low.estimate)} to {t.figure(t.high.estimate)}"
            f"{' (not at every step)' * (not t.is_steady)}"
            for t, verdict in verdicts
            if verdict not in (SAME, OPEN)
        ]
        same, unknown = (
            words.listed([t.measure.noun for t, verdict in verdicts if verdict == kind]) for kind in (SAME, OPEN)
        )
        chapter.say(
            f"{start}from {low} to {high}, where all play alike: {'; '.join(moved)}." if moved else "",
            f"{start}about the same is {same} at every level from {self.rungs[0]} on: within {ABOUT_THE_SAME:.0%} "
            f"of the value when all play {high}."
            if same
            else "",
            f"{start}{unknown}: {self.games} show neither a change nor that there is none." if unknown else "",
        )
        half = (len(trends) + 1) // 2
        chapter.figures += [self._figure(some, n) for n, some in enumerate((trends[:half], trends[half:]))]

    def _figure(self, trends: Sequence[Trend], number: int) -> Figure:
        panels = []
        for trend in trends:
            values = [v for e in trend.values.values() for v in (e.low, e.high) if np.isfinite(v)]
            made = [Row(rung, [mark_of(value, trend.is_share)]) for rung, value in trend.values.items()]
            low, line = (min(values), 0.0) if min(values) < 0 else (None, None)
            panels.append(Panel(words.sentence(trend.name), made, low=low, high=max(values), line=line))
        sub = f"All ships play alike{f'; {self.place}' if self.place else ''}; {self.games}"
        title = words.sentence(words.listed([trend.name for trend in trends]))
        name = f"findings_{self.place.replace(' ', '_').replace(',', '')}_{number}"
        return panels_chart(name, title, sub, panels)


def rungs_of(study: Study) -> list[str]:
    """The rungs, weakest first: the line-ups in which all play alike."""
    return list(dict.fromkeys(s.factors[LINE_UP] for s in study.settings if not s.is_mixed))


def has_rungs(study: Study) -> bool:
    """Whether there is a ladder to climb."""
    return study.compare == LINE_UP and len(rungs_of(study)) >= LEAST_RUNGS


def tables_of(study: Study) -> dict[str, list[Setting]]:
    """All settings by their rules in words."""
    tables: dict[str, list[Setting]] = {}
    for setting in study.settings:
        tables.setdefault(without(LINE_UP, study, setting), []).append(setting)
    return tables


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


def _change(trend: Trend) -> str:
    change = points(trend.change.estimate) if trend.is_share else trend.change.estimate
    return prose.whole(change) + (" points" if trend.measure.share else "")


class Skill(Findings):
    """The ladder at every table."""

    def __init__(self, study: Study):
        rungs = rungs_of(study)
        self.ladders = [Ladder(place, settings, rungs) for place, settings in tables_of(study).items()]

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        chapter = Chapter("skill", "Skill")
        chapter.claims = [trend.claim for ladder in self.ladders for trend in ladder.trends if trend.claim]
        if with_steps := [ladder for ladder in self.ladders if ladder.steps]:
            _write_steps(with_steps, judge, chapter)
        for ladder in self.ladders:
            ladder.write(judge, chapter)
        self._first_screen(judge, chapter)
        return chapter

    def _first_screen(self, judge: Judge, chapter: Chapter) -> None:
        """Which findings hold at every level and at which tables, and which do not."""
        claims = [(ladder, judge.verdict(t.claim)) for ladder in self.ladders for t in ladder.trends if t.claim]
        places: dict[tuple[bool, str], list[str]] = {}  # by what holds, or how far it does: the tables
        for ladder, verdict in claims:
            is_always = verdict.kind == HOLDS
            scope = "" if is_always else f" {verdict.scope('levels')}"
            places.setdefault((is_always, f"{verdict.claim.says}{scope}"), []).append(ladder.place)
        sentences: dict[tuple[bool, str], list[str]] = {}  # by the tables: what is said of them
        for (is_always, says), tables in places.items():
            where = f" with {words.listed(tables, 'and with')}" if any(tables) else ""
            sentences.setdefault((is_always, where), []).append(says)
        findings: dict[str, list[bool]] = {}  # whether each holds at every level, by table
        for _, verdict in claims:
            findings.setdefault(verdict.claim.says, []).append(verdict.kind == HOLDS)
        count, rungs = sum(all(holds) for holds in findings.values()), self.ladders[0].rungs
        number = words.number(len(findings))
        share = f"all {number}" if count == len(findings) else f"{words.number(count) if count else 'none'} of {number}"
        chapter.heading = f"{share} findings hold at every level of play"
        chapter.headline = f"{chapter.heading}, from {rungs[0]} to {rungs[-1]}"
        chapter.standfirst = [
            f"{'At' if is_always else 'Not at'} every level{where}: {words.listed(says)}."
            for (is_always, where), says in sorted(sentences.items(), key=lambda item: not item[0][0])
        ]
        for ladder in [ladder for ladder in self.ladders if ladder.steps][:1]:
            step, players = ladder.steps[-1], words.number(ladder.players)
            text = f"of the victories {step.high} takes from {step.low} with {players} players"
            chapter.keys.append(KeyNumber(words.percent(step.share.estimate.value, 0), text))
        changed = [(ladder, t) for ladder in self.ladders for t in ladder.trends if t.verdict(judge) in (GROWS, FADES)]
        for ladder, trend in changed[:3]:
            value, (low, high) = trend.high.estimate.value, ladder.ends
            text = words.percent(value) if trend.is_share else words.amount(value)
            what = f"{trend.measure.noun}{', in points,' * trend.is_edge} when all play {high}{ladder.where}"
            chapter.keys.append(KeyNumber(text, f"{what}; it {trend.verdict(judge)} from {low} to {high}"))


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
        else f"the higher rung clearly wins {words.number(sum(won)) if any(won) else 'none'} of "
        f"{words.number(len(won))} matches between neighbours.",
        *(
            f"{step.high} takes {prose.share(step.share.estimate)} of the victories against {step.low}{ladder.where}."
            for ladder in ladders
            for step in ladder.steps[-2:]
        ),
    )
    sub = f"Share of the victories of the two, which have as many ships each; {ladders[0].games}"
    chapter.figures.append(panels_chart("ladder", "Each rung against the one below", sub, panels))


CHAPTERS = {"skill": ChapterSource(Skill, Skill.write, has_rungs)}
