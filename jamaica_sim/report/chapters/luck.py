"""Where the luck sits, by table and along the ladder of players.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.setting import LINE_UP
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import mark_of, spoken
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, points
from jamaica_sim.report.chapters.sources import (
    SOURCES,
    Shares,
    answers_questions,
    bars,
    by_source,
    causes_of,
    chart,
    difference,
    estimates,
    groups_told,
    has_causes,
    is_movement_tamed,
    is_vague,
    labels,
    too_few_deals,
)
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.row_charts import Panel, Row, rows
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


def budget_of(findings: Mapping[str, Any]) -> Budget:
    """The budget from a table's findings."""
    indices = {name: [estimate(one) for one in pair] for name, pair in findings["indices"].items()}
    return Budget(
        estimates(findings["shares"]),
        estimates(findings["of_the_games"]),
        {name: pair[0] for name, pair in indices.items() if name != NOT_ALONE},
        {name: pair[1] for name, pair in indices.items()},
        estimates(findings["groups"]),
        findings["deals"],
        findings["games"],
    )


@dataclass(frozen=True)
class Luck(Findings):
    """The luck budget of every table."""

    study: Study
    budgets: dict[str, Budget]  # by table
    mixed: dict[str, Any] | None  # the findings where players differ, at the first table
    swings: Shares | None  # the groups' shares of the swings, at the first table
    swing_games: int
    differences: dict[str, dict[str, Comparison]]  # from the first table, by table and source

    @property
    def first(self) -> Budget:
        """The budget of the first table."""
        return next(iter(self.budgets.values()))


def find(study: Study) -> Luck:
    """Read the luck budgets, and compare each table with the first."""
    tables = causes_of(study)["tables"]
    budgets = {label: budget_of(one["luck"]) for label, one in zip(labels(study), tables, strict=True)}
    (_, base), *others = budgets.items()
    differences = {
        label: {name: Comparison(difference(base.shares.get(name, NONE), share)) for name, share in one.shares.items()}
        for label, one in others
    }
    swings = tables[0].get("swings")
    groups, games = (estimates(swings["groups"]), swings["games"]) if swings else (None, 0)
    return Luck(study, budgets, tables[0].get("mixed"), groups, games, differences)


def write(luck: Luck, judge: Judge) -> Chapter:
    """The luck budget."""
    study, first = luck.study, luck.first
    shares, names = first.shares, list(first.shares)
    chapter = Chapter("luck", "Luck budget")
    top, second, third = (SOURCES[name] for name in names[:3])
    chapter.headline = _headline(luck)
    if shares[names[0]].low > shares[names[1]].high:
        chapter.heading = f"{top} come first, then {second} and {third}"
    elif shares[names[1]].low > shares[names[2]].high:
        chapter.heading = f"{top} and {second} come first, then {third}"
    else:
        chapter.heading = f"too few deals to rank {top}, {second} and {third}"
    chapter.standfirst = [
        f"Of all that decides who wins among equal players, {prose.share(shares[names[0]], 0)} is {top}, "
        f"{prose.share(shares[names[1]], 0)} {second}, {prose.share(shares[names[2]], 0)} {third}.",
        "The parts add up to everything: what several sources do together is shared equally among them.",
    ]
    others = [f"{SOURCES[name]} {prose.share(shares[name], 0)}" for name in names[3:]]
    chapter.say(f"the rest is {words.listed(others)}.", *_chaos(first, study.reference.rules.ships))
    if not answers_questions(study):
        chapter.say(_tamed(first.groups))
    chapter.hero = _hero(luck)
    chapter.figures = [chapter.hero, _groups_chart(luck)]
    chapter.keys = [
        KeyNumber(words.percent(shares[name].value, 0), f"of the luck: {SOURCES[name]}") for name in names[:4]
    ]
    chapter.tables = _tables(first)
    if luck.mixed:
        skill = estimate(luck.mixed["shares"]["strategies"])
        if not is_vague(skill):
            chapter.standfirst.append(
                f"Where players differ, {prose.share(skill, 0)} is skill: what can be foretold from who plays."
            )
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
    """The budget of equal players, and beside it the budget of players who differ, if that was findings."""
    first, mixed = luck.first, luck.mixed
    if not mixed:
        sub = f"Share of the variance of winning; {first.deals:,} deals, {first.games:,} games"
        return chart("budget", "Where the luck sits", sub, Panel("", bars(first.shares), form="bars"))
    differ, equal = estimates(mixed["shares"]), first.shares
    names = ["strategies", *equal, *(name for name in differ if name not in equal and name != "strategies")]
    high = max(share.high for share in (*equal.values(), *differ.values()))
    panels = [
        Panel(title, bars({name: shares.get(name) for name in names}), form="bars", high=high)
        for title, shares in (("Equal players", equal), ("Players who differ", differ))
    ]
    sub = (
        f"Share of the variance of winning. Equal players: {first.deals:,} deals. Players who differ: each seat is "
        f"{words.listed(mixed['pool'], 'or')}; {mixed['deals']:,} deals"
    )
    label = spoken([(panel.title, panel.rows) for panel in panels])
    return Figure("budget", "Where the luck sits, and how much is skill", sub, rows(label, panels))


def _groups_chart(luck: Luck) -> Figure:
    """Movement beside combat and treasures, as players speak of them: of the luck, and of the swings where known."""
    groups = {"of the luck": luck.first.groups}
    if luck.swings:
        groups["of the swings"] = luck.swings
    high = max(0.7, *(share.high for shares in groups.values() for share in shares.values()))
    panels = [
        Panel(title, [Row(name, [mark_of(share, True)]) for name, share in shares.items()], form="bars", high=high)
        for title, shares in groups.items()
    ]
    sub = f"Share of the variance of winning; movement is dice and cards drawn; {luck.first.deals:,} deals"
    sub += f", {luck.swing_games:,} games for the swings" if luck.swings else ""
    label = spoken([(panel.title, panel.rows) for panel in panels])
    return Figure("groups", "Movement against combat and treasures", sub, rows(label, panels))


def _headline(luck: Luck) -> str:
    """Where the luck sits: the joint share of the two largest sources, and whether they clearly lead at every table."""
    top, second = list(luck.first.shares)[:2]
    part = _part(luck.first.shares[top], luck.first.shares[second])
    if len(luck.budgets) == 1:
        return f"the luck of Jamaica sits in {SOURCES[top]} and {SOURCES[second]}: {part} of it"
    leads = _leaders([budget.shares for budget in luck.budgets.values()])
    where = f", and lead at {'both' if len(luck.budgets) == 2 else f'all {words.number(len(luck.budgets))}'} tables"
    return f"{SOURCES[top]} and {SOURCES[second]} are {part} of the luck{where if leads else ''}"


def _leaders(tables: Sequence[Shares]) -> list[str]:
    """The two largest sources of the first table if they clearly lead at every table, else none."""
    leaders = sorted(tables[0], key=lambda name: -tables[0][name].value)[:2]
    leading = all(
        min(one[name].low for name in leaders) > max(e.high for name, e in one.items() if name not in leaders)
        for one in tables
    )
    return leaders if leading else []


def _part(*shares: Estimate) -> str:
    """The sum of several shares in words; "about half" where the interval includes a half."""
    together = sum(share.value for share in shares)
    reach = math.hypot(*(share.half_width for share in shares))
    return "about half" if abs(together - 0.5) <= reach else words.fraction(together) or words.percent(together, 0)


def _tamed(groups: Shares) -> str:
    """Whether players are right to say that movement is tamed, and treasures and combat are not."""
    verdicts = {False: "not what the games show", True: "what the games show", None: "too close to call"}
    claim = "that movement is tamed, and treasures and combat are not,"
    return f"{claim} is {verdicts[is_movement_tamed(groups)]}: {groups_told(groups, 'of the luck')}"


def _chaos(budget: Budget, ships: int) -> list[str]:
    """How little a source explains by itself, and how much changes if it alone is drawn anew.

    The winner changes with the chance T (1 - 1/n): the total index of a source times the variance of all n ships' wins.
    """
    widest = max(budget.alone.values(), key=lambda e: e.half_width)
    if is_vague(widest):
        return [too_few_deals(widest, "how much a source explains by itself")]
    strongest = max(budget.together, key=lambda name: budget.together[name].value)
    total, fraction = budget.together[strongest], 1 - 1 / ships
    anew = total.scaled(fraction)
    bound = words.at_most(100 * max(e.high for e in budget.alone.values()), 0)
    return [
        f"no source explains more than {bound}% by itself.",
        f"draw the {SOURCES[strongest]} anew and leave everything else as it is, and another ship wins in about "
        f"{prose.share(anew, 0)} of the games.",
    ]


def _other_tables(luck: Luck, judge: Judge, chapter: Chapter) -> None:
    """The same budget at every table, side by side, and for each table what differs most from the first."""
    kinds = list(dict.fromkeys(name for one in luck.budgets.values() for name in one.shares))
    shares = {label: one.shares for label, one in luck.budgets.items()}
    content = [(label, *(one.get(name, "not drawn") for name in kinds)) for label, one in shares.items()]
    columns = ("table", *(SOURCES[name] for name in kinds))
    chapter.tables.append(ResultTable("Luck budget by table", columns, content, frozenset(columns[1:]), unit="deal"))
    sub = f"Share of the variance of winning; {luck.first.deals:,} deals at each table"
    titles = "Where the luck sits, by table", "The other sources, by table"
    chapter.figures += by_source("tables", titles, sub, shares, kinds)
    (first, base), *_ = shares.items()
    lines = []
    for label, changes in luck.differences.items():
        clear = [name for name, change in changes.items() if judge.is_clear(change)]
        if clear:
            most = max(clear, key=lambda name: abs(changes[name].estimate.value))
            before = prose.share(base[most], 0) if most in base else "none"
            own = prose.share(shares[label][most], 0)
            lines.append(f"with {label}, the share of {SOURCES[most]} is {own} instead of {before}.")
    chapter.say(f"compared with {first}, this differs most." if lines else "", *lines)


# Along the ladder


@dataclass(frozen=True)
class LuckLadder(Findings):
    """The luck budget of every rung; settings are rungs, weakest first."""

    budgets: dict[str, Budget]
    own: Shares  # what players draw themselves, by rung
    ends: tuple[str, str]  # the lowest and the highest of the rungs with most deals
    changes: dict[str, Comparison]  # from the lowest to the highest, by source
    steps: dict[str, Claim]  # that a source's share grows, or shrinks, from each rung to the next
    few: dict[str, dict[str, Comparison]]  # rungs with fewer deals against the highest


def find_ladder(study: Study) -> LuckLadder:
    """Compare the shares of the game's luck from rung to rung."""
    tables = [one["luck"] for one in causes_of(study)["tables"]]
    rungs = [str(s.factors[LINE_UP]) for s in study.settings]
    budgets = {rung: budget_of(one) for rung, one in zip(rungs, tables, strict=True)}
    own = {rung: one.shares["own"] for rung, one in budgets.items() if "own" in one.shares}
    most = max(one.deals for one in budgets.values())
    low, *_, high = (rung for rung, one in budgets.items() if one.deals == most)
    shares = {rung: one.of_the_games for rung, one in budgets.items()}
    kinds = sorted(shares[low], key=lambda name: -shares[high][name].value)
    changes = {name: Comparison(difference(shares[low][name], shares[high][name])) for name in kinds}
    steps = {}
    for name in kinds:
        cases = {f"{a} to {b}": Comparison(difference(shares[a][name], shares[b][name]))
                 for a, b in zip(rungs, rungs[1:], strict=False)}  # fmt: skip
        grows = changes[name].estimate.value > 0
        says = f"{SOURCES[name]} decide {'more' if grows else 'less'} among better players"
        steps[name] = Claim(says, cases, 1 if grows else -1)
    few = {
        rung: {name: Comparison(difference(shares[high][name], shares[rung][name])) for name in kinds}
        for rung, one in budgets.items()
        if one.deals < most
    }
    return LuckLadder(budgets, own, (low, high), changes, steps, few)


def write_ladder(ladder: LuckLadder, judge: Judge) -> Chapter:
    """How the shares of the game's luck move from rung to rung."""
    low, high = ladder.ends
    kinds, shares = list(ladder.changes), {rung: one.of_the_games for rung, one in ladder.budgets.items()}
    changes = {name: change.estimate for name, change in ladder.changes.items()}
    clear = {name: changes[name] for name in kinds if judge.is_clear(ladder.changes[name])}
    chapter = Chapter("ladder", "Luck and skill", effect=max(abs(change.value) for change in changes.values()))
    chapter.heading = f"no clear change in where the luck sits from {low} to {high}"
    if clear:
        steady = all(judge.verdict(ladder.steps[name]).kind == HOLDS for name in clear)
        chapter.heading = f"from {low} to {high} {_moves(clear)}{'' if steady else ', not at every step'}"
    chapter.headline = chapter.heading
    chapter.claims = [ladder.steps[name] for name in clear]
    if leaders := _leaders(list(shares.values())):
        first = words.listed([SOURCES[name] for name in leaders])
        rungs = "both rungs" if len(shares) == 2 else f"all {words.number(len(shares))} rungs"
        chapter.heading = f"{first} come first at {rungs}"
    largest = max(changes, key=lambda name: abs(changes[name].value))
    chapter.standfirst = [
        f"Between {low} and {high} the share of {SOURCES[largest]} changes most: from "
        f"{prose.share(shares[low][largest])} to {prose.share(shares[high][largest])} of the game's luck."
    ]
    chapter.say(
        *(
            f"{SOURCES[name]}: {prose.share(shares[low][name])} of the game's luck among {low}, "
            f"{prose.share(shares[high][name])} among {high}."
            for name in clear
        ),
        f"what {'else ' if clear else ''}differs between {low} and {high} is too close to call."
        if len(clear) < len(kinds)
        else "",
        *(_few_deals(ladder, judge, rung) for rung in ladder.few),
    )
    if ladder.own:
        lines = [f"{rung} {prose.share(share, 0)}" for rung, share in ladder.own.items()]
        chapter.say(
            "what players draw themselves, for errors or for a search, is no luck of the game and is left out above.",
            f"of all that decides it is: {words.listed(lines)}.",
        )
    deals = sorted({one.deals for one in ladder.budgets.values()})
    counted = f"{deals[-1]:,} deals at each rung{f', {deals[0]:,} where somebody searches' if len(deals) > 1 else ''}"
    titles = "Where the luck sits, by who plays", "The other sources"
    chapter.figures = by_source("ladder", titles, f"Share of the game's luck; {counted}", shares, kinds)
    chapter.hero = chapter.figures[0]
    chapter.keys = [
        KeyNumber(words.signed(100 * clear[name].value), f"points: {SOURCES[name]}, from {low} to {high}")
        for name in sorted(clear, key=lambda name: -abs(clear[name].value))[:4]
    ]
    columns = ("players", *(SOURCES[name] for name in kinds))
    content = [(rung, *(one[name] for name in kinds)) for rung, one in shares.items()]
    note = "without what players draw themselves"
    chapter.tables = [
        ResultTable("The game's luck by who plays", columns, content, frozenset(columns[1:]), note, unit="deal"),
        ResultTable(
            f"From {low} to {high}",
            ("source", "points"),
            [(SOURCES[name], points(change)) for name, change in changes.items()],
            note="change of the share; the interval treats the two rungs' deals as unrelated",
            unit="deal",
        ),
    ]
    return chapter


def _few_deals(ladder: LuckLadder, judge: Judge, rung: str) -> str:
    """A sentence about a rung that had fewer deals."""
    clear = {name: change.estimate for name, change in ladder.few[rung].items() if judge.is_clear(change)}
    deals, high = ladder.budgets[rung].deals, ladder.ends[1]
    if not clear:
        return f"{rung}, with {deals:,} deals, differs from {high} in nothing that is clear."
    return f"{rung}, with {deals:,} deals, differs from {high}: {_moves(clear)}."


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


CHAPTERS = {
    "luck": ChapterSource(find, write, has_causes("luck")),
    "ladder": ChapterSource(
        find_ladder, write_ladder, lambda study: has_causes("luck")(study) and len(study.settings) > 1
    ),
}
