"""Where the luck sits, by table and along the ladder of players.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.setting import LINE_UP
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, points
from jamaica_sim.report.chapters.sources import (
    SMALL,
    SOURCES,
    Shares,
    bars,
    by_source,
    by_table,
    causes_of,
    difference,
    estimates,
    groups_told,
    has_causes,
    is_vague,
    source_table,
    too_few_deals,
)
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate

LITTLE = 0.05  # a share that moves by less than this moves a little
NONE = Estimate(0.0, 0.0, 0.0, 0)  # the share of a source that is not drawn
NOT_ALONE = "hidden"  # it matters too seldom for the interval of what it explains by itself to be right


@dataclass(frozen=True)
class Budget:
    """The luck budget of one table."""

    shares: Shares  # of all luck, by source, the largest first
    of_the_games: Shares  # of the game's luck, without what players draw themselves
    alone: Shares  # what a source explains by itself
    together: Shares  # what a source explains with others
    groups: Shares
    deals: int
    games: int


def budget_of(found: Mapping[str, Any]) -> Budget:
    """The budget from a table's findings."""
    indices = {name: [estimate(one) for one in pair] for name, pair in found["indices"].items()}
    return Budget(
        estimates(found["shares"]),
        estimates(found["of_the_games"]),
        {name: pair[0] for name, pair in indices.items() if name != NOT_ALONE},
        {name: pair[1] for name, pair in indices.items()},
        estimates(found["groups"]),
        found["deals"],
        found["games"],
    )


def _leads(tables: Mapping[str, Shares]) -> Claim:
    """That the two largest sources of the first table lead at every table."""
    first = next(iter(tables.values()))
    leaders = sorted(first, key=lambda name: -first[name].value)[:2]
    cases = {}
    for label, shares in tables.items():
        least = min((shares[name] for name in leaders), key=lambda e: e.value)
        rest = max((e for name, e in shares.items() if name not in leaders), key=lambda e: e.value)
        cases[label] = Comparison(difference(rest, least))
    return Claim(f"{words.listed([SOURCES[name] for name in leaders])} lead", cases)


@dataclass(frozen=True)
class Luck(Findings):
    """The luck budget of every table."""

    budgets: dict[str, Budget]  # by table
    ships: int  # at the first table
    mixed: dict[str, Any] | None  # where players differ, at the first table
    ranks: list[Comparison]  # the largest share minus the second, the second minus the third
    movement: Comparison  # its share minus that of combat and treasures
    leads: Claim  # the two largest sources lead at every table
    differences: dict[str, dict[str, Comparison]]  # from the first table, by table and source

    @property
    def first(self) -> Budget:
        """The budget of the first table."""
        return next(iter(self.budgets.values()))


def find(study: Study) -> Luck:
    """Read the luck budgets, and compare each table with the first."""
    budgets = {label: budget_of(one) for label, one in by_table(study, "luck").items()}
    (_, base), *others = budgets.items()
    differences = {
        label: {name: Comparison(difference(base.shares.get(name, NONE), share)) for name, share in one.shares.items()}
        for label, one in others
    }
    order = list(base.shares.values())
    return Luck(
        budgets,
        study.reference.rules.ships,
        causes_of(study)["tables"][0].get("mixed"),
        [Comparison(difference(order[n + 1], order[n])) for n in (0, 1)],
        Comparison(difference(base.groups["combat and treasures"], base.groups["movement"])),
        _leads({label: one.shares for label, one in budgets.items()}),
        differences,
    )


def write(luck: Luck, judge: Judge) -> Chapter:
    """The luck budget."""
    first, shares, names = luck.first, luck.first.shares, list(luck.first.shares)
    top, second, third = (SOURCES[name] for name in names[:3])
    chapter = Chapter("luck", "Luck budget", claims=[luck.leads])
    part = _part(shares[names[0]], shares[names[1]])
    leads = judge.verdict(luck.leads)
    chapter.headline = f"the luck of Jamaica sits in {top} and {second}: {part} of it"
    if len(luck.budgets) > 1:
        where = f", and lead {leads.scope()}" if leads.holds else ""
        chapter.headline = f"{top} and {second} are {part} of the luck{where}"
    chapter.heading = f"too few deals to rank {top}, {second} and {third}"
    if judge.is_above(luck.ranks[0]):
        chapter.heading = f"{top} come first, then {second} and {third}"
    elif judge.is_above(luck.ranks[1]):
        chapter.heading = f"{top} and {second} come first, then {third}"
    chapter.standfirst = [
        f"Of all that decides who wins among equal players, {prose.share(shares[names[0]], 0)} is {top}, "
        f"{prose.share(shares[names[1]], 0)} {second}, {prose.share(shares[names[2]], 0)} {third}.",
        "The parts add up to everything: what several sources do together is shared equally among them.",
    ]
    others = [f"{SOURCES[name]} {prose.share(shares[name], 0)}" for name in names[3:]]
    chapter.say(f"the rest is {words.listed(others)}.", *_chaos(first, luck.ships))
    chapter.say(_movement(luck, judge))
    chapter.hero = _hero(luck)
    chapter.figures = [chapter.hero]
    chapter.keys = [
        KeyNumber(words.percent(shares[name].value, 0), f"of the luck: {SOURCES[name]}") for name in names[:4]
    ]
    chapter.tables = _tables(first)
    if luck.mixed:
        skill = estimate(luck.mixed["shares"]["strategies"])
        if not is_vague(skill):
            told = f"Where players differ, {prose.share(skill, 0)} is skill: what can be foretold from who plays."
            chapter.standfirst.append(told)
            text = words.percent(prose.clipped(skill).value, 0)
            chapter.keys.append(KeyNumber(text, "of what decides where players differ: skill"))
    if len(luck.budgets) > 1:
        _other_tables(luck, judge, chapter)
    return chapter


def _tables(budget: Budget) -> list[ResultTable]:
    columns = ("source", "Shapley effect", "alone (S)", "with others (T)")
    content = [
        (SOURCES[name], share, budget.alone.get(name, "not shown"), budget.together[name])
        for name, share in budget.shares.items()
    ]
    note = "alone: not shown for stolen cards, which matter too seldom for its interval to be right"
    groups = "movement: dice and cards drawn; combat and treasures: with stolen cards"
    share = "share of the luck"
    return [
        ResultTable("Luck budget", columns, content, frozenset(columns[1:]),
                    note if NOT_ALONE in budget.shares else "", unit="deal"),
        ResultTable("Movement, combat and treasures", ("sources", share), [*budget.groups.items()], frozenset({share}),
                    groups, unit="deal"),
    ]  # fmt: skip


def _hero(luck: Luck) -> Figure:
    """The budget of equal players, and beside it the budget of players who differ, if that was found."""
    first, mixed = luck.first, luck.mixed
    if not mixed:
        sub = f"Share of the variance of winning; {first.deals:,} deals, {first.games:,} games"
        return chart("budget", "Where the luck sits", sub, [bars("", first.shares)])
    differ, equal = estimates(mixed["shares"]), first.shares
    names = ["strategies", *equal, *(name for name in differ if name not in equal and name != "strategies")]
    high = max(share.high for share in (*equal.values(), *differ.values()))
    panels = [
        bars(title, {name: shares.get(name) for name in names}, high)
        for title, shares in (("Equal players", equal), ("Players who differ", differ))
    ]
    sub = (
        f"Share of the variance of winning. Equal players: {first.deals:,} deals. Players who differ: each seat is "
        f"{words.listed(mixed['pool'], 'or')}; {mixed['deals']:,} deals"
    )
    return chart("budget", "Where the luck sits, and how much is skill", sub, panels)


def _part(*shares: Estimate) -> str:
    """The sum of several shares in words; "about half" where the interval includes a half."""
    together = sum(share.value for share in shares)
    reach = math.hypot(*(share.half_width for share in shares))
    return "about half" if abs(together - 0.5) <= reach else words.fraction(together) or words.percent(together, 0)


def _movement(luck: Luck, judge: Judge) -> str:
    """Whether players are right to say that cards and dice can be planned for, and battles and treasures cannot."""
    verdict = "the games do not say whether that is right"
    if judge.is_clear(luck.movement):
        verdict = "the games show the opposite" if judge.is_above(luck.movement) else "the games bear them out"
    return (
        "players often say that dice and cards decide less than battles and treasures, because one chooses the card: "
        f"{verdict}. {words.sentence(groups_told(luck.first.groups, 'of the luck'))}"
    )


def _chaos(budget: Budget, ships: int) -> list[str]:
    """How little a source explains by itself, and how much changes if it alone is drawn anew.

    The winner changes with the chance T (1 - 1/n): the total index of a source times the variance of all n ships' wins.
    """
    widest = max(budget.alone.values(), key=lambda e: e.half_width)
    if is_vague(widest):
        return [too_few_deals(widest, "how much a source explains by itself")]
    strongest = max(budget.together, key=lambda name: budget.together[name].value)
    anew = budget.together[strongest].scaled(1 - 1 / ships)
    bound = words.at_most(100 * max(e.high for e in budget.alone.values()), 0)
    return [
        f"no source explains more than {bound}% by itself.",
        f"draw the {SOURCES[strongest].removesuffix(' drawn')} anew and leave everything else as it is, and another "
        f"ship wins in about {prose.share(anew, 0)} of the games.",
    ]


def _other_tables(luck: Luck, judge: Judge, chapter: Chapter) -> None:
    """The same budget at every table, side by side, and for each table what differs most from the first."""
    shares = {label: one.shares for label, one in luck.budgets.items()}
    chapter.tables.append(source_table("Luck budget by table", "table", shares))
    sub = f"Share of the variance of winning; {luck.first.deals:,} deals at each table"
    chapter.figures += by_source(
        "tables", ("Where the luck sits, by table", "The other sources, by table"), sub, shares
    )
    (first, base), *_ = shares.items()
    lines = []
    for label, changes in luck.differences.items():
        if clear := [name for name, change in changes.items() if judge.is_clear(change)]:
            most = max(clear, key=lambda name: abs(changes[name].estimate.value))
            before = prose.share(base[most]) if most in base else "none"
            own = prose.share(shares[label][most])
            how = "larger" if judge.is_above(changes[most]) else "smaller"
            lines.append(f"with {label}, the share of {SOURCES[most]} is {how}: {own} instead of {before}.")
    chapter.say(f"compared with {first}, this differs most." if lines else "", *lines)


# Along the ladder


@dataclass(frozen=True)
class LuckLadder(Findings):
    """The luck budget of every rung; settings are rungs, weakest first."""

    budgets: dict[str, Budget]
    ends: tuple[str, str]  # the lowest and the highest of the rungs with most deals
    changes: dict[str, Comparison]  # from the lowest to the highest, by source
    steps: dict[str, Claim]  # that a source's share grows, or shrinks, from each rung to the next
    leads: Claim  # the two largest sources of the first rung lead at each


def find_ladder(study: Study) -> LuckLadder:
    """Compare the shares of the game's luck from rung to rung."""
    found = by_table(study, "luck").values()
    budgets = {str(s.factors[LINE_UP]): budget_of(one) for s, one in zip(study.settings, found, strict=True)}
    most = max(one.deals for one in budgets.values())
    low, *_, high = (rung for rung, one in budgets.items() if one.deals == most)
    shares = {rung: one.of_the_games for rung, one in budgets.items()}
    kinds = sorted(shares[low], key=lambda name: -shares[high][name].value)
    changes = {name: Comparison(difference(shares[low][name], shares[high][name])) for name in kinds}
    steps = {}
    for name in kinds:
        pairs = zip(shares, list(shares)[1:], strict=False)
        cases = {f"{a} to {b}": Comparison(difference(shares[a][name], shares[b][name])) for a, b in pairs}
        sign = 1 if changes[name].estimate.value > 0 else -1
        says = f"{SOURCES[name]} decide {'more' if sign > 0 else 'less'} among better players"
        steps[name] = Claim(says, cases, sign)
    return LuckLadder(budgets, (low, high), changes, steps, _leads(shares))


def write_ladder(ladder: LuckLadder, judge: Judge) -> Chapter:
    """How the shares of the game's luck move from rung to rung."""
    low, high = ladder.ends
    shares = {rung: one.of_the_games for rung, one in ladder.budgets.items()}
    changes = {name: change.estimate for name, change in ladder.changes.items()}
    clear = {name: change for name, change in changes.items() if judge.is_clear(ladder.changes[name])}
    chapter = Chapter("ladder", "Luck and skill", effect=max(abs(change.value) for change in changes.values()))
    chapter.headline = f"no clear change in where the luck sits from {low} to {high}"
    if large := {name: change for name, change in clear.items() if shares[high][name].value >= SMALL}:
        steady = all(judge.verdict(ladder.steps[name]).kind == HOLDS for name in large)
        chapter.headline = f"from {low} to {high} {_moves(large)}{'' if steady else ', not at every step'}"
    leads = judge.verdict(ladder.leads)
    chapter.heading = f"{leads.claim.says} {leads.scope('rungs')}" if leads.holds else chapter.headline
    chapter.claims = [ladder.leads, *(ladder.steps[name] for name in clear)]
    largest = max(changes, key=lambda name: abs(changes[name].value))
    chapter.standfirst = [
        f"Between {low} and {high} the share of {SOURCES[largest]} changes most: from "
        f"{prose.share(shares[low][largest])} to {prose.share(shares[high][largest])} of the game's luck."
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
    own = {rung: one.shares["own"] for rung, one in ladder.budgets.items() if "own" in one.shares}
    if own:
        chapter.say(
            "what players draw themselves, for errors or for a search, is no luck of the game and is left out above.",
            f"of all that decides it is: {words.listed([f'{rung} {prose.share(e, 0)}' for rung, e in own.items()])}.",
        )
    deals = sorted({one.deals for one in ladder.budgets.values()})
    counted = f"{deals[-1]:,} deals at each rung{f', {deals[0]:,} where somebody searches' if len(deals) > 1 else ''}"
    titles = "Where the luck sits, by who plays", "The other sources"
    chapter.figures = by_source("ladder", titles, f"Share of the game's luck; {counted}", shares)
    chapter.hero = chapter.figures[0]
    chapter.keys = [
        KeyNumber(words.signed(100 * clear[name].value), f"points: {SOURCES[name]}, from {low} to {high}")
        for name in sorted(clear, key=lambda name: -abs(clear[name].value))[:4]
    ]
    note = "change of the share; the interval treats the two rungs' deals as unrelated"
    moved = [(SOURCES[name], points(change)) for name, change in changes.items()]
    chapter.tables = [
        source_table("The game's luck by who plays", "players", shares),
        ResultTable(f"From {low} to {high}", ("source", "points"), moved, note=note, unit="deal"),
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
    return has_causes("luck")(study) and LINE_UP in study.varying


CHAPTERS = {
    "luck": ChapterSource(find, write, has_causes("luck")),
    "ladder": ChapterSource(find_ladder, write_ladder, _has_ladder),
}
