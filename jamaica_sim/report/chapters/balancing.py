"""Rules that meet targets: the proposals, their verdict on fresh deals, and how they do once players adapt."""

import math

from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.targets import Target
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import row_chart
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.row_charts import Mark, Row


def balance_chapters(search: Balance) -> list[Chapter]:
    """The chapters: the verdict, the front of the search, and what else changes."""
    return [_verdict(search), _front(search), *([_others(search)] if search.proposals else [])]


def verdict_chart(search: Balance, target: Target) -> Drawing:
    """One target: the base rules and the proposals on fresh deals, with the wanted range."""
    made = []
    for number in range(len(search.proposals) + 1):
        for adapted in (False, True) if search.has_adapted else (False,):
            label = f"{search.label(number)}{', adapted' if adapted else ''}"
            high = target.high if math.isfinite(target.high) else None
            marks = [_mark(search, target, number, adapted)]
            made.append(Row(label, marks, high, strong=number == search.best and number > 0))
    line = target.low if math.isfinite(target.low) else None
    ends = [end for end in (target.low, target.high) if math.isfinite(end)]
    values = [end for row in made for m in row.marks for end in (m.low, m.high) if end is not None]
    label = f"{target.quantity.column}, wanted {target.words()}"
    return row_chart(label, made, low=min(0.0, *values, *ends), high=max(*values, *ends), line=line, dashed=True)


def _mark(search: Balance, target: Target, number: int, adapted: bool) -> Mark:
    estimate = search.value(target.quantity.key, number, adapted)
    unit = "%" if target.quantity.share else ""
    text = f"{words.amount(estimate.value, prose.decimals_for(estimate))}{unit}"
    verdict = search.verdict(target, number, adapted)
    role = "subject" if number else "base"
    return Mark(estimate.value, text, role, verdict != "met", "", estimate.low, estimate.high,
                f"{prose.whole(estimate)}{unit}, {verdict}")  # fmt: skip


def _verdict(search: Balance) -> Chapter:
    chapter = Chapter("verdict", "The proposals")
    count, adapted = len(search.task.targets), search.has_adapted
    chapter.tables = [search.proposed(), search.judged()] if search.proposals else []
    if adapted:
        chapter.tables.append(search.judged(True))
    best = search.best
    chapter.headline = _headline(search)
    chapter.heading = f"{words.number(len(search.proposals))} proposals, judged on fresh deals"
    chapter.standfirst = [search.sentence()]
    for number in range(1, len(search.proposals) + 1):
        figures = [f"{t.quantity.noun} is {_figure(search, t, number, adapted)}" for t in search.task.targets]
        chapter.say(f"{search.label(number)}, {search.words(number)}: {words.listed(figures)}.")
    if adapted:
        chapter.say("the figures are those of players that were tuned under each set of rules.")
    chapter.effect = 1.0
    chapter.keys = [
        KeyNumber(
            _short(search, t, best, adapted),
            f"{t.quantity.column}, wanted {t.words()}, now {_short(search, t, 0, adapted)}",
        )
        for t in search.task.targets[:4]
    ]
    chapter.keys.append(KeyNumber(f"{search.search.tried:,}", "candidates were tried", False))
    if search.proposals:
        games = f"{search.task.games:,} fresh games of each"
        sub = f"Filled: met. Upright marks and dashed lines: the wanted range; {games}"
        for target in search.task.targets:
            title = f"{target.quantity.noun[0].upper()}{target.quantity.noun[1:]}: {target.words()}"
            drawing = verdict_chart(search, target)
            chapter.figures.append(Figure(f"target_{target.quantity.key}", title, sub, drawing))
        chapter.hero = chapter.figures[0]
    if count and not search.proposals:
        chapter.say("no candidate came nearer to the targets than the base rules.")
    return chapter


def _figure(search: Balance, target: Target, number: int, adapted: bool) -> str:
    estimate = search.value(target.quantity.key, number, adapted)
    unit = "%" if target.quantity.share else ""
    figure = prose.said(f"{words.amount(estimate.value, prose.decimals_for(estimate))}{unit}", prose.behind(estimate))
    return f"{figure} ({search.verdict(target, number, adapted)})"


def _short(search: Balance, target: Target, number: int, adapted: bool) -> str:
    estimate = search.value(target.quantity.key, number, adapted)
    return f"{words.amount(estimate.value, prose.decimals_for(estimate))}{'%' if target.quantity.share else ''}"


def _headline(search: Balance) -> str:
    count, adapted = len(search.task.targets), search.has_adapted
    if search.met(0) == count:
        return "The base rules meet the targets already"
    if not search.best:
        return "No rules were found that come nearer"
    changes = len(search.changes(search.best))
    many = f"{words.number(changes)} change{'s' * (changes != 1)}"
    if search.met(search.best, adapted) == count:
        return f"{many} {'meets' if changes == 1 else 'meet'} every target"
    if search.met(search.best) == count:
        return f"{many} {'meets' if changes == 1 else 'meet'} every target, until the players adapt"
    return f"{many} {'comes' if changes == 1 else 'come'} nearer, but not every target is met"


def _front(search: Balance) -> Chapter:
    chapter = Chapter("front", "The front", effect=0.5, tables=[search.front()])
    front = search.search.front()
    chapter.heading = "What each change buys"
    made = []
    for candidate in front:
        miss = search.search.miss(candidate)
        made.append(Row(search.task.space.words(candidate.point), [Mark(miss, words.amount(miss, 2))]))
    chapter.say(
        "no other candidate both comes nearer to the targets and changes less than one of these.",
    )
    sub = "How far all targets together are missed, in standard deviations from game to game; 0 is none"
    drawing = row_chart("Front", made, form="bars")
    chapter.figures = [Figure("front", "The Pareto front", sub, drawing)]
    return chapter


def _others(search: Balance) -> Chapter:
    chapter = Chapter("others", "What else changes", effect=0.1)
    chapter.heading = "What else the proposals change"
    adapted = search.has_adapted
    chapter.tables = [search.others(), *([search.others(True)] if adapted else [])]
    table = search.others(adapted)
    for row in table.rows:
        clear = [
            f"{name} {prose.change(cell)}"
            for name, cell in zip(table.columns[1:], row[1:], strict=True)
            if cell.low > 0 or cell.high < 0
        ]
        chapter.say(f"with {row[0]}: {words.listed(clear) if clear else 'nothing that stands out'}.")
    return chapter
