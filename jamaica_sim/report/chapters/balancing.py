"""Rules that meet targets: the proposals, their verdict in new games, and how they do once players adapt."""

import math
from collections.abc import Sequence

from jamaica_sim.game.words import spoken_value
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Figure, KeyNumber
from jamaica_sim.report.charts.row_charts import Mark, Row
from jamaica_sim.report.figures import chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, Parts
from jamaica_sim.study.lab.balance_result import Balance, missed_in_words
from jamaica_sim.study.lab.targets import Target

MET, MISSED = "met", "missed"
MANY = 3  # changes that are not named on the first screen


def proposals_chapter(search: Balance) -> Parts:
    """The proposals of a search. Whether a target is met is the search's own verdict, on games that it did not see."""
    targets, kinds = search.task.targets, (False, True) if search.has_adapted else (False,)
    front = {_changes(search.task.space.changes(c.point)): search.missed(c) for c in search.search.front()}
    sub = (f"How far all targets together are missed, in standard deviations from game to game; a change that comes "
           f"nearer than all smaller ones; {_games(search)}, players of the base rules")  # fmt: skip
    made = [Row(name, [Mark(miss, missed_in_words(miss))]) for name, miss in front.items()]
    reach = chart("front", "How close each change comes", sub, made, form="bars")
    numbers = range(1, len(search.proposals) + 1)
    best, after = search.best, kinds[-1]
    found = [prose.plain(prose.mean(search.value(t.quantity.key, best, after), t.quantity.behind)) for t in targets]
    now = [prose.plain(prose.mean(search.value(t.quantity.key, 0, after), t.quantity.behind)) for t in targets]
    first = Part(
        facts=_met_by(search, kinds), headline=_headline(search, kinds),
        tables=[*(table for table in search.result_tables() if table.title != "Front"), search.front()],
        figures=[*(_target_figure(search, t, kinds) for t in targets if numbers), reach],
        keys=[KeyNumber(a, f"{t.quantity.column}, wanted {_wanted(t)}, now {b}")
              for t, a, b in zip(targets[:4], found, now, strict=False)],
        effect=1.0,
    )  # fmt: skip
    return Parts("verdict", "The proposals", [first, *(_proposal(search, number, after) for number in numbers)])


def _changes(changes: dict[str, object]) -> str:
    return words.listed([spoken_value(name, value) for name, value in changes.items()]) or "no change"


def _headline(search: Balance, kinds: Sequence[bool]) -> str:
    count, best = len(search.task.targets), search.best
    if search.met(0) == count:
        return "The base rules meet the targets already"
    if not best:
        return "No rules were found that come nearer"
    changed = len(search.changes(best))
    s, verb_s = ("", "s") if changed == 1 else ("s", "")
    many = f"{words.number(changed)} change{s}"
    if search.met(best, kinds[-1]) == count:
        return f"{many} meet{verb_s} every target"
    if search.met(best) == count:
        is_missed = MISSED in [search.verdict(t, best, True) for t in search.task.targets]
        adapted = ", until the players adapt" if is_missed else "; once players adapt, we cannot tell"
        return f"{many} meet{verb_s} every target{adapted}"
    return f"{many} come{verb_s} nearer, but not every target is met"


def _met_by(search: Balance, kinds: Sequence[bool]) -> list[str]:
    """What the best proposal and the base rules meet, and what they meet once the players have adapted."""
    if not search.best:
        return ["no candidate came nearer to the targets than the base rules."]
    facts = []
    for number in (search.best, 0):
        met = []
        for adapted in kinds:
            verdicts = [search.verdict(t, number, adapted) for t in search.task.targets]
            unclear = len(verdicts) - verdicts.count(MET) - verdicts.count(MISSED)
            met.append(f"{words.number(verdicts.count(MET)) if MET in verdicts else 'none'}"
                       f"{f' ({words.number(unclear)} uncertain)' if unclear else ''}")  # fmt: skip
        of = f" of {words.number(len(search.task.targets))} targets" if number else ""
        changes = search.changes(number)
        told = _changes(changes) if len(changes) < MANY else search.label(number)
        rules = f"with {told}" if number else "under the base rules"
        facts.append(f"{rules}, new games meet {met[0]}{of}{', and after the players adapt '.join(['', *met[1:]])}.")
    return facts


def _proposal(search: Balance, number: int, adapted: bool) -> Part:
    """What one proposal reaches; its claims are what else it changes."""
    values = [f"{t.quantity.column} {prose.mean(search.value(t.quantity.key, number, adapted), t.quantity.behind)} "
              f"({search.verdict(t, number, adapted)})" for t in search.task.targets]  # fmt: skip
    table = search.others(adapted)
    row = next((row for row in table.rows if row[0] == search.label(number)), ())
    others = dict(zip(table.columns[1:], row[1:], strict=False))
    cases = {name: Case(e) for name, e in others.items()}
    name, noun = search.label(number), "other measures"
    neither = f"{name} changes nothing else clearly"
    claim = Claim(f"{name} raises", cases, 1, name, f"{name} lowers", neither, "", noun) if cases else None
    players = ", with players who adapted" if adapted else ""
    return Part(claim, [f"it is {_changes(search.changes(number))}{players}: {words.listed(values)}."])


def _target_figure(search: Balance, target: Target, kinds: Sequence[bool]) -> Figure:
    """One target: the base rules and the proposals in new games, with the wanted range."""
    made, values = [], []
    low, high = (end if math.isfinite(end) else None for end in (target.low, target.high))
    for number in range(len(search.proposals) + 1):
        for adapted in kinds:
            e, verdict = search.value(target.quantity.key, number, adapted), search.verdict(target, number, adapted)
            text, role = prose.plain(prose.mean(e, target.quantity.behind)), "subject" if number else "base"
            mark = Mark(e.value, text, role, verdict != MET, "", e.low, e.high, f"{prose.whole(e)}, {verdict}")
            label = f"{search.label(number)}{', adapted' if adapted else ''}"
            made.append(Row(label, [mark], high, strong=bool(number) and number == search.best))
            values += [e.low, e.high]
    values += [end for end in (low, high) if end is not None]
    title = f"{words.sentence(target.quantity.noun)}: {_wanted(target)}"
    sub = f"Filled dot: target met. Marks and lines: the wanted range; {_games(search)}"
    bounds = {"low": min(values) if min(values) < 0 else None, "high": max(values)}
    return chart(f"target_{target.quantity.key}", title, sub, made, **bounds, line=low)


def _wanted(target: Target) -> str:
    return target.words().replace("-", words.MINUS)


def _games(search: Balance) -> str:
    return f"{max(one.games for one in search.results):,} games of each"
