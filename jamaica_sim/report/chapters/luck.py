"""Where the luck sits, by table and along the ladder of players.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`).
"""

import math
from collections.abc import Mapping
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.setting import LINE_UP, differing_factors
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import table_words
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, difference, points
from jamaica_sim.report.chapters import sources as of
from jamaica_sim.report.chapters.sources import SOURCES, Shares, estimates
from jamaica_sim.report.figures import panels_chart
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate

LITTLE = 0.05  # a share that moves by less than this moves a little
NONE = Estimate(0.0, 0.0, 0.0, 0)  # the share of a source that is not drawn
NOT_ALONE = "hidden"  # it matters too seldom for the interval of what it explains by itself to be right


class Budget(Findings):
    """The luck budget of one table, from its findings."""

    def __init__(self, luck: Mapping[str, Any]):
        self.shares = estimates(luck["shares"])  # of all luck, by source, the largest first
        self.of_the_games = estimates(luck["of_the_games"])  # of the game's luck, without what players draw themselves
        indices = {name: [estimate(one) for one in pair] for name, pair in luck["indices"].items()}
        # what a source explains by itself, and with others
        self.alone = {name: pair[0] for name, pair in indices.items() if name != NOT_ALONE}
        self.together = {name: pair[1] for name, pair in indices.items()}
        self.groups = estimates(luck["groups"])
        self.deals, self.games = luck["deals"], luck["games"]

    def tables(self) -> list[ResultTable]:
        """All sources, and their groups."""
        columns = ("source", "Shapley effect", "alone (S)", "with others (T)")
        content = [
            (SOURCES[name], share, self.alone.get(name, "not shown"), self.together[name])
            for name, share in self.shares.items()
        ]
        note = "alone: not shown for stolen cards, which matter too seldom for its interval to be right"
        note = note if NOT_ALONE in self.shares else ""
        share, groups = "share of the luck", "movement: dice and cards drawn; combat and treasures: with stolen cards"
        return [
            ResultTable("Luck budget", columns, content, frozenset(columns[1:]), note, unit="deal"),
            ResultTable("Movement, combat and treasures", ("sources", share), [*self.groups.items()],
                        frozenset({share}), groups, unit="deal"),
        ]  # fmt: skip


def _lead(low: Estimate, high: Estimate) -> Comparison:
    """The second share of a table minus the first. What one gains others lose, so at worst their errors add up."""
    change, reach = high.value - low.value, low.half_width + high.half_width
    return Comparison(Estimate(change, change - reach, change + reach, min(low.n, high.n)))


def _leads(tables: Mapping[str, Shares]) -> Claim:
    """That the two largest sources of the first table lead at every table."""
    first = next(iter(tables.values()))
    leaders = sorted(first, key=lambda name: -first[name].value)[:2]
    cases = {}
    for label, shares in tables.items():
        least = min((shares[name] for name in leaders), key=lambda e: e.value)
        rest = max((e for name, e in shares.items() if name not in leaders), key=lambda e: e.value)
        cases[label] = _lead(rest, least)
    return Claim(f"{words.listed([SOURCES[name] for name in leaders])} lead", cases)


class Luck(Findings):
    """The luck budget of every table, and how each differs from the first."""

    def __init__(self, study: Study):
        self.budgets = {label: Budget(one) for label, one in of.by_table(study, "luck").items()}
        self.first, *others = self.budgets.values()
        self.shares = {label: one.shares for label, one in self.budgets.items()}
        self.ships, self.where = study.reference.rules.ships, table_words(study)
        self.mixed = of.causes_of(study)["tables"][0].get("mixed")  # where players differ, at the first table
        order = list(self.first.shares.values())
        # the largest share minus the second, the second minus the third
        self.ranks = [_lead(order[n + 1], order[n]) for n in (0, 1)]
        groups = self.first.groups
        self.movement = _lead(groups["combat and treasures"], groups["movement"])
        self.leads = _leads(self.shares)
        # by table: an earlier one that differs in one thing only; and from that, by source
        self.beside: dict[str, str] = {}
        for number, setting in enumerate(study.settings):
            alike = [s.label for s in study.settings[:number] if len(differing_factors(s, setting)) <= 1]
            self.beside |= {setting.label: alike[0]} if alike else {}
        self.differences = {
            label: {name: Comparison(difference(self.shares[other].get(name, NONE), share))
                    for name, share in self.shares[label].items()}
            for label, other in self.beside.items()
        }  # fmt: skip

    def write(self, judge: Judge) -> Chapter:
        """The luck budget."""
        first, shares, names = self.first, self.first.shares, list(self.first.shares)
        top, second, third = (SOURCES[name] for name in names[:3])
        chapter = Chapter("luck", "Luck budget", claims=[self.leads], tables=first.tables())
        leads = judge.verdict(self.leads)
        chapter.headline = (
            f"the luck of Jamaica sits in {top} and {second}: {_part(shares[names[0]], shares[names[1]])} of it"
        )
        if len(self.budgets) > 1:
            sums = [sum(one[name].value for name in names[:2]) for one in self.shares.values()]
            span = " to ".join(dict.fromkeys(words.percent(end(sums), 0) for end in (min, max)))
            where = f", and lead {leads.scope()}" if leads.holds else ""
            chapter.headline = f"{top} and {second} are {span} of the luck{where}"
        chapter.heading = f"too few deals to rank {top}, {second} and {third}"
        if judge.is_above(self.ranks[0]):
            chapter.heading = f"{top} come first, then {second} and {third}"
        elif judge.is_above(self.ranks[1]):
            chapter.heading = f"{top} and {second} come first, then {third}"
        chapter.standfirst = [
            f"Of all that decides who wins among equal players ({self.where}), {prose.share(shares[names[0]], 0)} is "
            f"{top}, {prose.share(shares[names[1]], 0)} {second}, {prose.share(shares[names[2]], 0)} {third}.",
            "The parts add up to everything: what several sources do together is shared equally among them.",
        ]
        others = [f"{SOURCES[name]} {prose.share(shares[name], 0)}" for name in names[3:]]
        chapter.say(f"the rest is {words.listed(others)}.", *_chaos(first, self.ships))
        chapter.say(self._movement(judge))
        chapter.figures = [self._figure()]
        chapter.keys = [
            KeyNumber(words.percent(shares[name].value, 0), f"of the luck: {SOURCES[name]}") for name in names[:4]
        ]
        if self.mixed and not of.is_vague(skill := estimate(self.mixed["shares"]["strategies"])):
            chapter.standfirst.append(
                f"Where players differ, {prose.share(skill, 0)} is skill: what can be foretold from who plays."
            )
            text = words.percent(prose.clipped(skill).value, 0)
            chapter.keys.append(KeyNumber(text, "of what decides where players differ: skill"))
        if len(self.budgets) > 1:
            self._other_tables(judge, chapter)
        return chapter

    def _figure(self) -> Figure:
        """The budget of equal players, and beside it the budget of players who differ, if that was found."""
        first, mixed, title = self.first, self.mixed, "Where the luck sits"
        sub = f"Share of the variance of winning; {first.deals:,} deals, {first.games:,} games"
        panels = [of.bars("", first.shares)]
        if mixed:
            differ, equal, title = estimates(mixed["shares"]), first.shares, f"{title}, and how much is skill"
            names = dict.fromkeys(("strategies", *equal, *differ))
            high = max(share.high for share in (*equal.values(), *differ.values()))
            panels = [
                of.bars(title, {name: shares.get(name) for name in names}, high)
                for title, shares in (("Equal players", equal), ("Players who differ", differ))
            ]
            sub = (
                f"Share of the variance of winning. Equal players: {first.deals:,} deals. Players who differ: each "
                f"seat is {words.listed(mixed['pool'], 'or')}; {mixed['deals']:,} deals"
            )
        return panels_chart("budget", title, sub, panels)

    def _movement(self, judge: Judge) -> str:
        """Whether cards and dice, which can be planned for, decide less than battles and treasures."""
        verdict = "the games do not say whether they do"
        if judge.is_clear(self.movement):
            verdict = "the games show the opposite" if judge.is_above(self.movement) else "the games show that they do"
        return (
            "one chooses the card, so dice and cards might decide less than battles and treasures: "
            f"{verdict}. {words.sentence(of.groups_told(self.first.groups, 'of the luck'))}"
        )

    def _other_tables(self, judge: Judge, chapter: Chapter) -> None:
        """The budget at every table, side by side, and what differs most from a table that differs in one thing."""
        chapter.tables.append(of.source_table("Luck budget by table", "table", self.shares))
        sub = f"Share of the variance of winning; {self.first.deals:,} deals at each table"
        titles = "Where the luck sits, by table", "The other sources, by table"
        chapter.figures += of.by_source("tables", titles, sub, self.shares)
        lines: dict[str, list[str]] = {}
        for label, changes in self.differences.items():
            if clear := [name for name, change in changes.items() if judge.is_clear(change)]:
                most = max(clear, key=lambda name: abs(changes[name].estimate.value))
                other = self.beside[label]
                before = prose.share(self.shares[other][most]) if most in self.shares[other] else "none"
                own = prose.share(self.shares[label][most])
                how = "larger" if judge.is_above(changes[most]) else "smaller"
                differs = f"with {label}, the share of {SOURCES[most]} is {how}: {own} instead of {before}."
                lines.setdefault(other, []).append(differs)
        for other, of_tables in lines.items():
            chapter.say(f"compared with {other}, the largest clear differences are these.", *of_tables)


def _part(*shares: Estimate) -> str:
    """The sum of several shares in words; "about half" where the interval includes a half."""
    together = sum(share.value for share in shares)
    reach = math.hypot(*(share.half_width for share in shares))
    return "about half" if abs(together - 0.5) <= reach else words.fraction(together) or words.percent(together, 0)


def _chaos(budget: Budget, ships: int) -> list[str]:
    """How little a source explains by itself, and how much changes if it alone is drawn anew.

    The winner changes with the chance T (1 - 1/n): the total index of a source times the variance of all n ships' wins.
    """
    widest = max(budget.alone.values(), key=lambda e: e.half_width)
    if of.is_vague(widest):
        return [of.too_few_deals(widest, "how much a source explains by itself")]
    strongest = max(budget.together, key=lambda name: budget.together[name].value)
    anew = budget.together[strongest].scaled(1 - 1 / ships)
    bound = words.at_most(100 * max(e.high for e in budget.alone.values()), 0)
    return [
        f"to know one source alone, and nothing of the others, foretells at most {bound}% of who wins.",
        f"draw the {SOURCES[strongest].removesuffix(' drawn')} anew and leave everything else as it is, and another "
        f"ship wins in about {prose.share(anew, 0)} of the games.",
    ]


# Along the ladder


class LuckLadder(Findings):
    """The luck budget of every rung; settings are rungs, weakest first."""

    def __init__(self, study: Study):
        rungs = zip(study.settings, of.by_table(study, "luck").values(), strict=True)
        self.budgets = {str(s.factors[LINE_UP]): Budget(one) for s, one in rungs}
        most = max(one.deals for one in self.budgets.values())
        low, *_, high = (rung for rung, one in self.budgets.items() if one.deals == most)
        self.ends = low, high  # the lowest and the highest of the rungs with most deals
        self.shares = shares = {rung: one.of_the_games for rung, one in self.budgets.items()}
        kinds = sorted(shares[low], key=lambda name: -shares[high][name].value)
        # from the lowest to the highest, by source
        self.changes = {name: Comparison(difference(shares[low][name], shares[high][name])) for name in kinds}
        self.steps = {}  # that a source's share grows, or shrinks, from each rung to the next
        for name in kinds:
            pairs = zip(shares, list(shares)[1:], strict=False)
            cases = {f"{a} to {b}": Comparison(difference(shares[a][name], shares[b][name])) for a, b in pairs}
            sign = 1 if self.changes[name].estimate.value > 0 else -1
            says = f"{SOURCES[name]} decide {'more' if sign > 0 else 'less'} among better players"
            self.steps[name] = Claim(says, cases, sign)
        self.leads = _leads(shares)  # the two largest sources of the first rung lead at each

    def write(self, judge: Judge) -> Chapter:
        """How the shares of the game's luck move from rung to rung."""
        shares, (low, high) = self.shares, self.ends
        changes = {name: change.estimate for name, change in self.changes.items()}
        clear = {name: change for name, change in changes.items() if judge.is_clear(self.changes[name])}
        chapter = Chapter("ladder", "Luck and skill", effect=max(abs(change.value) for change in changes.values()))
        chapter.headline = f"no clear change in where the luck sits from {low} to {high}"
        if large := {name: change for name, change in clear.items() if shares[high][name].value >= of.SMALL}:
            steady = all(judge.verdict(self.steps[name]).kind == HOLDS for name in large)
            chapter.headline = f"from {low} to {high} {_moves(large)}{'' if steady else ', not at every step'}"
        leads = judge.verdict(self.leads)
        chapter.heading = f"{leads.claim.says} {leads.scope('rungs')}" if leads.holds else chapter.headline
        chapter.claims = [self.leads, *(self.steps[name] for name in clear)]
        moved = sorted(large, key=lambda name: -abs(large[name].value))
        chapter.standfirst = [
            f"From {low} to {high} the share of {SOURCES[name]} in the game's luck "
            f"{'grows' if large[name].value > 0 else 'shrinks'} from {prose.share(shares[low][name])} to "
            f"{prose.share(shares[high][name])}."
            for name in moved
        ]
        rest = f"what {'else ' if clear else ''}differs between {low} and {high} is too close to call."
        chapter.say(
            *(
                f"{SOURCES[name]}: {prose.share(shares[low][name])} of the game's luck among {low}, "
                f"{prose.share(shares[high][name])} among {high}."
                for name in clear
            ),
            rest if len(clear) < len(changes) else "",
        )
        budgets = self.budgets.items()
        if own := [f"{rung} {prose.share(one.shares['own'], 0)}" for rung, one in budgets if "own" in one.shares]:
            chapter.say(
                "what players draw themselves, for errors or for a search, is no luck of the game and is left out "
                "above.",
                f"its share of all that decides: {words.listed(own)}.",
            )
        fewest, most = (end(one.deals for one in self.budgets.values()) for end in (min, max))
        counted = f"{most:,} deals at each rung{f', {fewest:,} where somebody searches' if fewest < most else ''}"
        titles = "Where the luck sits, by who plays", "The other sources"
        chapter.figures = of.by_source("ladder", titles, f"Share of the game's luck; {counted}", shares)
        chapter.keys = [
            KeyNumber(words.signed(100 * clear[name].value), f"points: {SOURCES[name]}, from {low} to {high}")
            for name in sorted(clear, key=lambda name: -abs(clear[name].value))[:4]
        ]
        note = "change of the share; the interval treats the two rungs' deals as unrelated"
        by_source = [(SOURCES[name], points(change)) for name, change in changes.items()]
        chapter.tables = [
            of.source_table("The game's luck by who plays", "players", shares),
            ResultTable(f"From {low} to {high}", ("source", "points"), by_source, note=note, unit="deal"),
        ]
        return chapter


def _moves(clear: Shares) -> str:
    """Which shares grow and which shrink."""
    moves: list[str] = []
    for sign, more in ((1, "more"), (-1, "less")):
        names = [name for name, change in clear.items() if sign * change.value > 0]
        if names:
            little = "a little " if max(abs(clear[name].value) for name in names) < LITTLE else ""
            sources = words.listed([SOURCES[name] for name in names])
            moves.append(f"{sources} {'' if moves else 'decide '}{little}{more}")
    return ", ".join(moves)


def _has_ladder(study: Study) -> bool:
    return of.has_causes("luck")(study) and LINE_UP in study.varying


CHAPTERS = {
    "luck": ChapterSource(Luck, Luck.write, of.has_causes("luck")),
    "ladder": ChapterSource(LuckLadder, LuckLadder.write, _has_ladder),
}
