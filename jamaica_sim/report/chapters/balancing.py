"""Rules that meet targets: the proposals, their verdict on fresh deals, and how they do once players adapt."""

import math

from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.targets import Target
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, spoken
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.forms import Mark, Panel, Row, rows


def balance_chapters(found: Balance) -> list[Chapter]:
    """The chapters: the verdict, the front of the search, and what else changes."""
    return [_verdict(found), _front(found), *([_others(found)] if found.proposals else [])]


def verdict_chart(found: Balance, target: Target) -> Drawing:
    """One target: the base rules and the proposals on fresh deals, with the wanted range."""
    made = []
    for number in range(len(found.proposals) + 1):
        for adapted in (False, True) if found.has_adapted else (False,):
            label = f"{found.label(number)}{', adapted' if adapted else ''}"
            high = target.high if math.isfinite(target.high) else None
            marks = [_mark(found, target, number, adapted)]
            made.append(Row(label, marks, high, strong=number == found.best and number > 0))
    line = target.low if math.isfinite(target.low) else None
    ends = [end for end in (target.low, target.high) if math.isfinite(end)]
    values = [end for row in made for m in row.marks for end in (m.low, m.high)]
    panel = Panel("", made, low=min(0.0, *values, *ends), high=max(*values, *ends), line=line, dashed=True)
    return rows(f"{target.quantity.column}, wanted {target.words()}: {spoken([('', made)])}", [panel])


def _mark(found, target, number, adapted):
    estimate = found.value(target.quantity.key, number, adapted)
    unit = "%" if target.quantity.share else ""
    text = f"{words.amount(estimate.value, prose.decimals_for(estimate))}{unit}"
    verdict = found.verdict(target, number, adapted)
    told = f"{prose.whole(estimate)}{unit}, {verdict}"
    role = "subject" if number else "base"
    return Mark(estimate.value, text, role, verdict != "met", "", estimate.low, estimate.high, told)


def _verdict(found):
    chapter = Chapter("verdict", "The proposals")
    count, adapted = len(found.task.targets), found.has_adapted
    chapter.tables = [found.proposed(), found.judged()] if found.proposals else []
    if adapted:
        chapter.tables.append(found.judged(True))
    best = found.best
    chapter.headline = _headline(found)
    chapter.heading = f"{words.number(len(found.proposals))} proposals, judged on fresh deals"
    chapter.standfirst = [found.sentence()]
    for number in range(1, len(found.proposals) + 1):
        told = [f"{t.quantity.noun} is {_said(found, t, number, adapted)}" for t in found.task.targets]
        chapter.say(f"{found.label(number)}, {found.words(number)}: {words.listed(told)}.")
    if adapted:
        chapter.say("the figures are those of players that were tuned under each set of rules.")
    chapter.effect = 1.0
    chapter.keys = [
        KeyNumber(
            _short(found, t, best, adapted),
            f"{t.quantity.column}, wanted {t.words()}, now {_short(found, t, 0, adapted)}",
        )
        for t in found.task.targets[:4]
    ]
    chapter.keys.append(KeyNumber(f"{found.search.tried:,}", "candidates were tried", False))
    if found.proposals:
        sub = f"Filled: met. Upright marks and dashed lines: the wanted range; {found.task.games:,} fresh games of each"
        for target in found.task.targets:
            title = f"{target.quantity.noun[0].upper()}{target.quantity.noun[1:]}: {target.words()}"
            drawing = verdict_chart(found, target)
            chapter.figures.append(Figure(f"target_{target.quantity.key}", title, sub, drawing))
        chapter.hero = chapter.figures[0]
    if count and not found.proposals:
        chapter.say("no candidate came nearer to the targets than the base rules.")
    return chapter


def _said(found, target, number, adapted):
    estimate = found.value(target.quantity.key, number, adapted)
    unit = "%" if target.quantity.share else ""
    figure = prose.said(f"{words.amount(estimate.value, prose.decimals_for(estimate))}{unit}", prose.behind(estimate))
    return f"{figure} ({found.verdict(target, number, adapted)})"


def _short(found, target, number, adapted):
    estimate = found.value(target.quantity.key, number, adapted)
    return f"{words.amount(estimate.value, prose.decimals_for(estimate))}{'%' if target.quantity.share else ''}"


def _headline(found):
    count, adapted = len(found.task.targets), found.has_adapted
    if found.met(0) == count:
        return "The base rules meet the targets already"
    if not found.best:
        return "No rules were found that come nearer"
    changes = len(found.changes(found.best))
    many = f"{words.number(changes)} change{'s' * (changes != 1)}"
    if found.met(found.best, adapted) == count:
        return f"{many} {'meets' if changes == 1 else 'meet'} every target"
    if found.met(found.best) == count:
        return f"{many} {'meets' if changes == 1 else 'meet'} every target, until the players adapt"
    return f"{many} {'comes' if changes == 1 else 'come'} nearer, but not every target is met"


def _front(found):
    chapter = Chapter("front", "The front", effect=0.5, tables=[found.front()])
    front = found.search.front()
    chapter.heading = "What each change buys"
    made = []
    for candidate in front:
        miss = found.search.miss(candidate)
        made.append(Row(found.task.space.words(candidate.point), [Mark(miss, words.amount(miss, 2))]))
    chapter.say(
        "of all candidates these cannot be bettered in both respects, how far they miss the targets and how much they "
        "change.",
    )
    sub = "How far all targets together are missed, in standard deviations from game to game; 0 is none"
    drawing = rows(f"Front: {spoken([('', made)])}", [Panel("", made, form="bars")])
    chapter.figures = [Figure("front", "The Pareto front", sub, drawing)]
    return chapter


def _others(found):
    chapter = Chapter("others", "What else changes", effect=0.1)
    chapter.heading = "What else the proposals change"
    adapted = found.has_adapted
    chapter.tables = [found.others(), *([found.others(True)] if adapted else [])]
    table = found.others(adapted)
    for row in table.rows:
        clear = [
            f"{name} {prose.change(cell)}"
            for name, cell in zip(table.columns[1:], row[1:], strict=True)
            if cell.low > 0 or cell.high < 0
        ]
        chapter.say(f"with {row[0]}: {words.listed(clear) if clear else 'nothing that stands out'}.")
    return chapter
