"""Skill: a ladder of players, each rung against the one below, and whether the findings hold at every level.

The rungs are the line-ups in which all play alike, in the order of the experiment, weakest first.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.components import treasures as treasure_cards
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    chapter_named,
    games_line,
    mark_of,
    points,
    rate_of,
    spoken,
)
from jamaica_sim.report.chapters.ghost import GHOST
from jamaica_sim.report.chapters.treasures import drawers
from jamaica_sim.report.chapters.winning import duellists
from jamaica_sim.report.forms import Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM

LEAST_RUNGS = 3
ABOUT_THE_SAME = 0.15  # a change by less than this share, however clear, is no change of a finding
HOLDS, GROWS, FADES, REVERSES = "holds at all levels", "grows", "fades", "reverses"


@dataclass(frozen=True)
class Finding:
    """A finding about the game, as one number of a table where all play alike."""

    name: str
    sums: Callable  # of results: entry 0 from all games, every other entry from all games but one part
    unit: str = ""
    share: bool = False
    needs_ghost: bool = False

    def of(self, setting: Setting) -> Estimate:
        """The number with its interval."""
        return self._scaled(jackknife(self.sums(setting.results), setting.games))

    def change(self, low: Setting, high: Setting) -> Estimate:
        """The number at the higher rung minus that at the lower one, on the same deals."""
        return self._scaled(jackknife(self.sums(high.results) - self.sums(low.results), high.games))

    def _scaled(self, estimate):
        return points(estimate) if self.unit == "points" else estimate


def _captains_edge(results):
    sums, players = results.sums, results.table.rules.players
    return (sums.seat_wins(0) - sums.players("win") / players) / sums.games


def _ghosts_wins(results):
    return results.sums.group(GHOST, "win") / results.sums.games


def _shortages(results):
    return results.sums.game("shortages") / results.sums.games / results.table.rules.players


def _worth_of_treasures(results):
    """The win rate of ships that draw a treasure, counted once for each card, minus that of all players' ships."""
    sums = results.sums
    ships, wins = drawers(sums, range(len(treasure_cards())))
    return rate_of(ships, wins) - sums.players("win") / sums.games / results.table.rules.players


FINDINGS = (
    Finding("first Captain's edge", _captains_edge, "points"),
    Finding("ghost's wins", _ghosts_wins, share=True, needs_ghost=True),
    Finding("shortages per player", _shortages),
    Finding("treasure drawer's edge", _worth_of_treasures, "points"),
    Finding("length in rounds", ROUNDS.sums),
    Finding("first home wins", FIRST_HOME.sums, share=True),
)


def rungs_of(study: Study) -> list[str]:
    """The rungs, weakest first: the line-ups in which all play alike."""
    return list(dict.fromkeys(s.factors[LINE_UP] for s in study.settings if not s.is_mixed))


def has_rungs(study: Study) -> bool:
    """Whether there is a ladder to climb."""
    return study.compare == LINE_UP and len(rungs_of(study)) >= LEAST_RUNGS


def tables_of(study: Study) -> dict[str, dict[str, Setting]]:
    """The settings of all rungs in their order, by their rules in words."""
    names = [name for name in study.varying if name != LINE_UP]
    found: dict[str, dict[str, Setting]] = {}
    for rung in rungs_of(study):
        for setting in study.settings:
            if not setting.is_mixed and setting.factors[LINE_UP] == rung:
                found.setdefault(label_of(setting, names) if names else "", {})[rung] = setting
    return found


def verdict(looks: Looks, finding: Finding, settings: list[Setting]) -> str:
    """What becomes of a finding from the lowest of these rungs to the highest."""
    low, high = settings[0], settings[-1]
    before, after, change = finding.of(low), finding.of(high), finding.change(low, high)
    is_clear = looks.is_clear(change)
    if before.value * after.value < 0 and looks.is_clear(before) and looks.is_clear(after):
        return REVERSES
    if not is_clear or abs(change.value) < ABOUT_THE_SAME * abs(before.value):
        return HOLDS
    return GROWS if abs(after.value) > abs(before.value) else FADES


@chapter_named("skill", has_rungs)
def skill(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("skill", "Skill")
    tables = tables_of(study)
    steps = _steps(study)
    if steps:
        _tell_ladder(looks, chapter, steps)
    verdicts = {}
    for place, rungs in tables.items():
        verdicts[place] = _tell_findings(looks, chapter, place, rungs)
    _first_screen(chapter, tables, verdicts, steps)
    return chapter


# The ladder


def _steps(study):
    """By the rules in words: each rung's share of the victories against the rung below."""
    names = [name for name in study.varying if name != LINE_UP]
    rungs, steps = rungs_of(study), {}
    for setting in study.settings:
        pair = duellists(setting) if setting.is_mixed else []
        if len(pair) == 2 and all(name in rungs for name in pair):
            low, high = sorted(pair, key=rungs.index)
            sums = setting.results.sums
            share = jackknife(sums.group(high, "win") / sums.players("win"), setting.games)
            steps.setdefault(label_of(setting, names) if names else "", []).append((high, low, share))
    return steps


def _tell_ladder(looks, chapter, steps):
    for place, found in steps.items():
        content = [(high, low, share) for high, low, share in found]
        title = f"Each rung against the one below{f' ({place})' if place else ''}"
        note = "share of the victories of the two; 50% is even"
        chapter.tables.append(ResultTable(title, ("rung", "against", "victories"), content, {"victories"}, note))
    found = [step for of_table in steps.values() for step in of_table]
    won = [looks.is_clear(share, 0.5) and share.value > 0.5 for _, _, share in found]
    chapter.effect = max(abs(cohen_h(share.value, 0.5)) for _, _, share in found)
    chapter.say(
        "every rung clearly beats the one below."
        if all(won)
        else f"{sum(won)} of {len(won)} rungs clearly beat the one below.",
        *(
            f"{high} takes {prose.share(share)} of the victories against {low}{f' ({place})' if place else ''}."
            for place, of_table in steps.items()
            for high, low, share in of_table[-2:]
        ),
    )
    chapter.figures.append(_ladder_figure(steps))


def _ladder_figure(steps):
    panels = []
    for place, found in steps.items():
        made = [Row(f"{high} v. {low}", [mark_of(share, True)]) for high, low, share in reversed(found)]
        panels.append(Panel(place.capitalize(), made, high=1.0, line=0.5, line_name="even"))
    label = "Share of the victories of each rung against the one below: " + spoken(
        [(panel.title, panel.rows) for panel in panels]
    )
    games = min(share.n for of_table in steps.values() for _, _, share in of_table)
    sub = f"Share of the victories; {games:,} games for each"
    return Figure("ladder", "Each rung against the one below", sub, rows(label, panels, row_height=29))


# The findings


def _tell_findings(looks, chapter, place, rungs):
    settings = list(rungs.values())
    findings = [f for f in FINDINGS if settings[0].rules.ghost or not f.needs_ghost]
    planned = [s for rung, s in rungs.items() if rung != RANDOM]
    said = {finding.name: verdict(looks, finding, planned) for finding in findings}
    where = f" ({place})" if place else ""
    columns = [f"{f.name}, points" if f.unit else f.name for f in findings]
    shares = {name for name, f in zip(columns, findings, strict=True) if f.share}
    content = [(rung, *(f.of(s) for f in findings)) for rung, s in rungs.items()]
    chapter.tables.append(
        ResultTable(f"The findings at each rung{where}", ("all play", *columns), content, shares, "all ships alike")
    )
    low, high = planned[0], planned[-1]
    told = [
        (f.name, said[f.name], _shown(f, f.of(low)), _shown(f, f.of(high)), _shown_change(f, f.change(low, high)))
        for f in findings
    ]
    names = f"{low.factors[LINE_UP]}", f"{high.factors[LINE_UP]}"
    chapter.tables.append(
        ResultTable(
            f"Verdicts{where}",
            ("finding", "verdict", *names, "change"),
            told,
            note=f"from {names[0]} to {names[1]}; {games_line(planned)}",
        )
    )
    held = [f.name for f in findings if said[f.name] == HOLDS]
    chapter.say(
        *(
            f"{f.name}{where}: {_told(f, f.of(low))} when all play {names[0]}, {_told(f, f.of(high))} when all play "
            f"{names[1]}: {said[f.name]}."
            for f in findings
            if f.name not in held
        ),
        f"{words.listed(held)}{where}: no change to speak of between these rungs." if held else "",
    )
    half = (len(findings) + 1) // 2
    for number, some in enumerate((findings[:half], findings[half:])):
        chapter.figures.append(_findings_figure(place, rungs, some, number))
    return said


def _told(finding, estimate):
    if finding.share:
        return prose.share(estimate)
    return f"{prose.mean(estimate)}{' points' if finding.unit else ''}"


def _shown(finding, estimate):
    return prose.whole(estimate, finding.share) + (" points" if finding.unit else "")


def _shown_change(finding, estimate):
    change = points(estimate) if finding.share else estimate
    return prose.whole(change) + (" points" if finding.share or finding.unit else "")


def _findings_figure(place, rungs, findings, number):
    panels = []
    for finding in findings:
        marks = {rung: finding.of(setting) for rung, setting in rungs.items()}
        values = [v for e in marks.values() for v in (e.low, e.high) if np.isfinite(v)]
        made = [Row(rung, [mark_of(estimate, finding.share)]) for rung, estimate in marks.items()]
        low, high = min(0.0, *values), max(values)
        panels.append(Panel(finding.name.capitalize(), made, low=low, high=high, line=0.0 if low < 0 else None))
    label = f"The findings at each rung{f', {place}' if place else ''}: " + spoken([(p.title, p.rows) for p in panels])
    settings = list(rungs.values())
    name = f"findings_{settings[0].rules.players}_players_{settings[0].rules.edition}_{number}"
    sub = f"All ships play alike{f'; {place}' if place else ''}; {games_line(settings)}"
    title = words.listed([finding.name for finding in findings])
    return Figure(name, title[0].upper() + title[1:], sub, rows(label, panels))


# The first screen


def _first_screen(chapter, tables, verdicts, steps):
    all_verdicts = [(place, name, said) for place, of_table in verdicts.items() for name, said in of_table.items()]
    held = [entry for entry in all_verdicts if entry[2] == HOLDS]
    changed = [entry for entry in all_verdicts if entry[2] != HOLDS]
    chapter.headline = (
        "What we find holds at every level of play"
        if not changed
        else f"{words.number(len(held))} of {words.number(len(all_verdicts))} findings hold at every level of play"
    )
    chapter.heading = chapter.headline
    several = len(tables) > 1
    chapter.standfirst = [f"{name}{f' ({place})' if several else ''}: {said}." for place, name, said in changed[:3]]
    found = [step for of_table in steps.values() for step in of_table]
    for high, low, share in found[-1:]:
        chapter.keys.append(KeyNumber(words.percent(share.value, 0), f"of the victories {high} takes from {low}"))
    for place, name, said in changed[:3]:
        settings = [s for rung, s in tables[place].items() if rung != RANDOM]
        finding = next(f for f in FINDINGS if f.name == name)
        value = finding.of(settings[-1])
        text = words.percent(value.value) if finding.share else words.amount(value.value)
        chapter.keys.append(
            KeyNumber(text, f"{name} when all play {settings[-1].factors[LINE_UP]}: {said}", strong=said != HOLDS)
        )
    chapter.hero = chapter.figures[0]
