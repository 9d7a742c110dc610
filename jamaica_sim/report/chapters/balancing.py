"""Rules that meet targets: the proposals, their verdict on fresh deals, and how they do once players adapt."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.targets import Target
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import row_chart
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.chapters.sweeping import spoken_value
from jamaica_sim.report.judge import Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.variant import value_text

MET = "met"


@dataclass(frozen=True)
class Judged(Findings):
    """A set of rules on fresh deals: each target's value and verdict, and what else differs from the base rules."""

    label: str
    changes: str
    is_adapted: bool  # whether the players were tuned under these rules
    is_base: bool
    values: list[Estimate]  # in the order of the targets
    verdicts: list[str]
    others: dict[str, Comparison]

    @property
    def met(self) -> int:
        """How many targets are met."""
        return self.verdicts.count(MET)


@dataclass(frozen=True)
class Proposals(Findings):
    """The base rules and the proposals of a search, with the same players and with those that adapted."""

    targets: tuple[Target, ...]
    judged: list[Judged]
    best: tuple[Judged, ...]  # the best proposal, with the same players and with those that adapted; or none
    changed: int  # rules that the best proposal changes
    front: dict[str, float]  # by candidate: how far it misses the targets
    tried: int
    games: int
    tables: list[ResultTable]


def find(search: Balance) -> Proposals:
    """Read the verdicts on fresh deals."""
    kinds = (False, True) if search.has_adapted else (False,)
    numbers = range(len(search.proposals) + 1)
    judged = {(n, adapted): _judged(search, n, adapted) for n in numbers for adapted in kinds}
    found = [table for table in search.result_tables() if table.title != "Front"]
    return Proposals(
        tuple(search.task.targets),
        list(judged.values()),
        tuple(judged[search.best, adapted] for adapted in kinds) if search.best else (),
        len(search.changes(search.best)),
        {_in_words(search.task.space.changes(c.point)): search.search.miss(c) for c in search.search.front()},
        search.search.tried,
        search.task.games,
        [*found, search.front()],
    )


def _in_words(changes: Mapping[str, Any]) -> str:
    told = [spoken_value(name, value, value_text(value)) for name, value in changes.items()]
    return words.listed(told) or "no change"


def _judged(search: Balance, number: int, adapted: bool) -> Judged:
    others = search.others(adapted) if number else None
    row = next((row for row in others.rows if row[0] == search.label(number)), ()) if others else ()
    cells = zip(others.columns[1:], row[1:], strict=True) if others else ()
    return Judged(
        f"{search.label(number)}{', adapted' if adapted else ''}",
        _in_words(search.changes(number)),
        adapted,
        number == 0,
        [search.value(target.quantity.key, number, adapted) for target in search.task.targets],
        [search.verdict(target, number, adapted) for target in search.task.targets],
        {name: Comparison(cell) for name, cell in cells},
    )


def write(proposals: Proposals, judge: Judge) -> Chapter:
    """The proposals, what they meet and what else they change."""
    targets, tried = proposals.targets, f"{proposals.tried:,}"
    base = [one for one in proposals.judged if one.is_base]
    found = [one for one in proposals.judged if not one.is_base and one.is_adapted == base[-1].is_adapted]
    chapter = Chapter("verdict", "The proposals", effect=1.0, tables=proposals.tables)
    chapter.headline = _headline(proposals, base[0])
    proposed = f"{words.number(len(found))} proposal{'s' if len(found) != 1 else ''}"
    chapter.heading = f"{proposed}, judged on fresh deals"
    chapter.standfirst = _standfirst(proposals, base[0])
    for one in found:
        told = [f"{t.quantity.noun} is {_figure(t, e)} ({verdict})"
                for t, e, verdict in zip(targets, one.values, one.verdicts, strict=True)]  # fmt: skip
        clear = [f"{name} {prose.change(c.estimate)}" for name, c in one.others.items() if judge.is_clear(c)]
        also = f" What else changes: {words.listed(clear)}." if clear else ""
        chapter.say(f"{one.label}, {one.changes}: {words.listed(told)}.{also}")
    if found and found[0].is_adapted:
        chapter.say("the figures are those of players that were tuned under each set of rules.")
    if not found:
        chapter.say("no candidate came nearer to the targets than the base rules.")
    best = (proposals.best or base)[-1]
    for number, target in enumerate(targets[:4]):
        after, before = (_figure(target, one.values[number], plain=True) for one in (best, base[-1]))
        chapter.keys.append(KeyNumber(after, f"{target.quantity.column}, wanted {target.words()}, now {before}"))
    chapter.keys.append(KeyNumber(tried, "candidates were tried", False))
    chapter.figures = [_target_figure(proposals, n) for n in range(len(targets))] if found else []
    made = [Row(name, [Mark(miss, words.amount(miss, 2))]) for name, miss in proposals.front.items()]
    sub = "How far all targets together are missed, in standard deviations from game to game; 0 is none"
    chapter.figures.append(Figure("front", "The Pareto front", sub, row_chart("Front", made, form="bars")))
    chapter.hero = chapter.figures[0]
    return chapter


def _headline(proposals: Proposals, base: Judged) -> str:
    count = len(proposals.targets)
    if base.met == count:
        return "The base rules meet the targets already"
    if not proposals.best:
        return "No rules were found that come nearer"
    one = proposals.changed == 1
    many = f"{words.number(proposals.changed)} change{'s' * (not one)}"
    if proposals.best[-1].met == count:
        return f"{many} {'meets' if one else 'meet'} every target"
    if proposals.best[0].met == count:
        return f"{many} {'meets' if one else 'meet'} every target, until the players adapt"
    return f"{many} {'comes' if one else 'come'} nearer, but not every target is met"


def _standfirst(proposals: Proposals, base: Judged) -> list[str]:
    """What the best proposal meets, and what it meets once the players have adapted."""
    if not proposals.best:
        return []
    count = len(proposals.targets)
    best, *adapted = proposals.best
    later = f", and {words.number(adapted[0].met)} once the players have adapted" if adapted else ""
    return [
        f"With {best.changes}, fresh deals meet {words.number(best.met)} of {words.number(count)} targets{later}.",
        f"Under the base rules they meet {words.number(base.met)}.",
    ]


def _figure(target: Target, estimate: Estimate, plain: bool = False) -> str:
    unit = "%" if target.quantity.share else ""
    text = f"{words.amount(estimate.value, prose.decimals_for(estimate))}{unit}"
    return text if plain else prose.said(text, prose.behind(estimate))


def _target_figure(proposals: Proposals, number: int) -> Figure:
    """One target: the base rules and the proposals on fresh deals, with the wanted range."""
    target, made = proposals.targets[number], []
    high = target.high if math.isfinite(target.high) else None
    for one in proposals.judged:
        e, verdict = one.values[number], one.verdicts[number]
        role = "base" if one.is_base else "subject"
        mark = Mark(e.value, _figure(target, e, plain=True), role, verdict != MET, "", e.low, e.high,
                    f"{prose.whole(e)}, {verdict}")  # fmt: skip
        made.append(Row(one.label, [mark], high, strong=one in proposals.best))
    line = target.low if math.isfinite(target.low) else None
    ends = [end for end in (target.low, target.high) if math.isfinite(end)]
    values = [end for row in made for m in row.marks for end in (m.low, m.high) if end is not None]
    label = f"{target.quantity.column}, wanted {target.words()}"
    drawing = row_chart(label, made, low=min(0.0, *values, *ends), high=max(*values, *ends), line=line, dashed=True)
    title = f"{words.sentence(target.quantity.noun)}: {target.words()}"
    sub = f"Filled: met. Upright marks and dashed lines: the wanted range; {proposals.games:,} fresh games of each"
    return Figure(f"target_{target.quantity.key}", title, sub, drawing)
