"""Rules that meet targets: the proposals, their verdict on fresh deals, and how they do once players adapt."""

import math
from collections.abc import Mapping
from typing import Any

from jamaica_sim.charts.row_charts import Mark, Row
from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.spoken import spoken_value
from jamaica_sim.lab.targets import Target
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber
from jamaica_sim.report.figures import chart
from jamaica_sim.report.judge import Comparison, Findings, Judge

MET, MISSED = "met", "missed"


class Judged(Findings):
    """A set of rules on fresh deals: each target's value and verdict, and what else differs from the base rules."""

    def __init__(self, search: Balance, number: int, adapted: bool):
        self.label = f"{search.label(number)}{', adapted' if adapted else ''}"
        self.changes = _in_words(search.changes(number))
        self.is_adapted, self.is_base = adapted, number == 0  # adapted: the players were tuned under these rules
        targets = search.task.targets  # values and verdicts are in their order
        self.values = [search.value(target.quantity.key, number, adapted) for target in targets]
        self.verdicts = [search.verdict(target, number, adapted) for target in targets]
        self.met = self.verdicts.count(MET)
        table = search.others(adapted) if number else None
        rows = {row[0]: row[1:] for row in table.rows} if table else {}
        cells = zip(table.columns[1:], rows[search.label(number)], strict=True) if table else ()
        self.others = {name: Comparison(cell) for name, cell in cells}


def _in_words(changes: Mapping[str, Any]) -> str:
    return words.listed([spoken_value(name, value) for name, value in changes.items()]) or "no change"


class Proposals(Findings):
    """The base rules and the proposals of a search, with the same players and with those that adapted."""

    def __init__(self, search: Balance):
        self.targets, kinds = search.task.targets, (False, True) if search.has_adapted else (False,)
        numbers = range(len(search.proposals) + 1)
        judged = {(n, adapted): Judged(search, n, adapted) for n in numbers for adapted in kinds}
        self.judged = list(judged.values())
        # the best proposal, with the same players and with those that adapted; or none
        self.best = [judged[search.best, adapted] for adapted in kinds] if search.best else []
        self.changed = len(search.changes(search.best))  # rules that the best proposal changes
        changes = search.task.space.changes
        # by candidate: how far it misses the targets
        self.front = {_in_words(changes(c.point)): search.search.miss(c) for c in search.search.front()}
        self.tried, self.games = search.search.tried, search.task.games
        self.tables = [*(table for table in search.result_tables() if table.title != "Front"), search.front()]

    def write(self, judge: Judge) -> Chapter:
        """The proposals, what they meet and what else they change."""
        targets, base = self.targets, [one for one in self.judged if one.is_base]
        proposed = [one for one in self.judged if not one.is_base and one.is_adapted == base[-1].is_adapted]
        chapter = Chapter("verdict", "The proposals", effect=1.0, tables=self.tables)
        chapter.headline = self._headline(base[0])
        chapter.heading = (
            f"{words.number(len(proposed))} proposal{'s' if len(proposed) != 1 else ''}, judged on fresh deals"
        )
        chapter.standfirst = self._standfirst(base)
        for one in proposed:
            values = [f"{t.quantity.noun} is {prose.mean(e, _unit(t))} ({verdict})"
                      for t, e, verdict in zip(targets, one.values, one.verdicts, strict=True)]  # fmt: skip
            clear = [f"{name} {prose.change(c.estimate)}" for name, c in one.others.items() if judge.is_clear(c)]
            also = f" What else changes: {words.listed(clear)}." if clear else ""
            chapter.say(f"{one.label} ({one.changes}): {words.listed(values)}.{also}")
        if proposed and proposed[0].is_adapted:
            chapter.say("the figures are those of players that were tuned under each set of rules.")
        if not proposed:
            chapter.say("no candidate came nearer to the targets than the base rules.")
        best = (self.best or base)[-1]
        for number, target in enumerate(targets[:4]):
            after, before = (prose.plain(prose.mean(one.values[number], _unit(target))) for one in (best, base[-1]))
            chapter.keys.append(KeyNumber(after, f"{target.quantity.column}, wanted {_wanted(target)}, now {before}"))
        chapter.keys.append(KeyNumber(f"{self.tried:,}", "candidates were tried", False))
        chapter.figures = [self._target_figure(n) for n in range(len(targets))] if proposed else []
        made = [Row(name, [Mark(miss, words.amount(miss, 2))]) for name, miss in self.front.items()]
        sub = (
            "How far all targets together are missed, in standard deviations from game to game; each change is shown "
            f"that comes nearer than all smaller ones; {self.games:,} games of each, by the players of the base rules"
        )
        chapter.figures.append(chart("front", "What larger changes reach", sub, made, form="bars"))
        return chapter

    def _headline(self, base: Judged) -> str:
        count = len(self.targets)
        if base.met == count:
            return "The base rules meet the targets already"
        if not self.best:
            return "No rules were found that come nearer"
        s, verb_s = ("", "s") if self.changed == 1 else ("s", "")
        many = f"{words.number(self.changed)} change{s}"
        if self.best[-1].met == count:
            return f"{many} meet{verb_s} every target"
        if self.best[0].met == count:
            is_missed = MISSED in self.best[-1].verdicts
            adapted = ", until the players adapt" if is_missed else "; with players who adapt it is too close to call"
            return f"{many} meet{verb_s} every target{adapted}"
        return f"{many} come{verb_s} nearer, but not every target is met"

    def _standfirst(self, base: list[Judged]) -> list[str]:
        """What the best proposal and the base rules meet, and what they meet once the players have adapted."""
        if not self.best:
            return []
        targets = f" of {words.number(len(self.targets))} targets"
        return [
            f"With {self.best[0].changes}, fresh deals meet {_met(self.best, targets)}.",
            f"Under the base rules they meet {_met(base)}.",
        ]

    def _target_figure(self, number: int) -> Figure:
        """One target: the base rules and the proposals on fresh deals, with the wanted range."""
        target, made = self.targets[number], []
        low, high = (end if math.isfinite(end) else None for end in (target.low, target.high))
        for one in self.judged:
            e, verdict = one.values[number], one.verdicts[number]
            text, role = prose.plain(prose.mean(e, _unit(target))), "base" if one.is_base else "subject"
            mark = Mark(e.value, text, role, verdict != MET, "", e.low, e.high, f"{prose.whole(e)}, {verdict}")
            made.append(Row(one.label, [mark], high, strong=one in self.best))
        values = [end for one in self.judged for end in (one.values[number].low, one.values[number].high)]
        values += [end for end in (low, high) if end is not None]
        title = f"{words.sentence(target.quantity.noun)}: {_wanted(target)}"
        sub = f"Filled: met. Upright marks and dashed lines: the wanted range; {self.games:,} fresh games of each"
        name, bottom = f"target_{target.quantity.key}", min(values)
        bounds = {"low": bottom if bottom < 0 else None, "high": max(values)}
        return chart(name, title, sub, made, **bounds, line=low, dashed=True)


def _wanted(target: Target) -> str:
    return target.words().replace("-", words.MINUS)


def _unit(target: Target) -> str:
    return "%" if target.quantity.share else ""


def _met(judged: list[Judged], of: str = "") -> str:
    """How many targets a set of rules meets with the same players, and with those who adapted."""
    counts = []
    for one in judged:
        unclear = len(one.verdicts) - one.met - one.verdicts.count(MISSED)
        told = f" ({words.number(unclear)} too close to call)" if unclear else ""
        counts.append(f"{words.number(one.met) if one.met else 'none'}{told}")
    return f"{counts[0]}{of}{''.join(f', and {later} once the players have adapted' for later in counts[1:])}"
