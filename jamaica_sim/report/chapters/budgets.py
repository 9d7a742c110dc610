"""Budgets: which share of who wins each source of luck has, by table and by player, and how much of it is skill.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import KeyNumber, difference, points
from jamaica_sim.report.charts.row_charts import Panel, Row
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, chapter_of, leading
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.causes.findings import POOL, WITH_RANDOM, estimate
from jamaica_sim.study.experiment.setting import LINE_UP
from jamaica_sim.study.experiment.study import Study

SOURCES = {
    "captain": "first Captain",
    "dice": "dice",
    "decks": "cards drawn",
    "treasures": "treasures",
    "combat": "combat die",
    "shortage": "shortage die",
    "hidden": "stolen cards",
    "house": "house rules",
    "own": "players' own luck",
    "strategies": "skill",
}
SMALL = 0.02  # a source whose share is below this everywhere is only in the table
PANELS = 3  # side by side
SKILL = "strategies"
Shares = dict[str, Estimate]


def causes_of(study: Study) -> Mapping[str, Any]:
    """What the designs beside the settings showed."""
    return study.causes or {}


def has_causes(name: str) -> Callable[[Study], bool]:
    """Whether a study has findings of this name."""

    def applies(study: Study) -> bool:
        causes = causes_of(study)
        return name in causes or any(name in one for one in causes.get("tables", []))

    return applies


def estimates(values: Mapping[str, Sequence[float]]) -> Shares:
    """The estimates of findings, by name."""
    return {name: estimate(one) for name, one in values.items()}


def by_table(study: Study, name: str, label: Callable[..., str] = lambda setting: setting.label) -> dict[str, Any]:
    """The findings of one name at every table, by the table's label; of tables called alike the first."""
    tables = zip(study.settings, causes_of(study)["tables"], strict=True)
    return dict(reversed([(label(setting), one[name]) for setting, one in tables][::-1]))


def _budget(
    name: str, title: str, shares: Mapping[str, Shares], claim: Claim, facts: Sequence[str], sub: str, **more: Any
) -> Part:
    """Shares of a whole by source, with a row for each table or kind of player."""
    kinds = list(dict.fromkeys(kind for one in shares.values() for kind in one))
    columns = ("table", *(SOURCES[kind] for kind in kinds))
    content = [(label, *(one.get(kind, "not drawn") for kind in kinds)) for label, one in shares.items()]
    large = [k for k in kinds if max(one[k].value for one in shares.values() if k in one) >= SMALL]
    high = max(one[kind].high for one in shares.values() for kind in one)
    rows = {kind: [_row(label, one.get(kind)) for label, one in shares.items()] for kind in large}
    if len(shares) == 1:
        (only,) = shares.values()
        panels = [[Panel("", [_row(SOURCES[kind], share) for kind, share in only.items()], form="bars")]]
    else:
        panels = [[Panel(SOURCES[kind], rows[kind], high=high) for kind in large[start : start + PANELS]]
                  for start in range(0, len(large), PANELS)]  # fmt: skip
    figures = [panels_chart(f"{name}_{n}" if n else name, title if not n else f"{title}: the other sources", sub, some)
               for n, some in enumerate(panels)]  # fmt: skip
    first = next(iter(shares.values()))
    table = ResultTable(title, columns, content, frozenset(columns[1:]), unit="deal")
    more.setdefault("effect", max(share.value for share in first.values()))
    tables = [*more.pop("tables", ()), table]
    return Part(claim, facts, tables=tables, figures=figures, **more)


def _row(label: str, share: Estimate | None) -> Row:
    return Row(label, [], note="not drawn") if share is None else Row(label, [mark_of(prose.clipped(share), True)])


def _leads(tables: Mapping[str, Shares], noun: str) -> Claim:
    """That the two largest sources of the first table have the largest shares at every table."""
    first = next(iter(tables.values()))
    leaders = sorted(first, key=lambda kind: -first[kind].value)[:2]
    says = f"{words.listed([SOURCES[kind] for kind in leaders])} are the largest part of the luck"
    return leading(tables, leaders, says, "too few deals to say where most of the luck sits", noun=noun)


def _told(shares: Shares, kinds: Sequence[str]) -> str:
    return words.listed([f"{SOURCES[kind]} {prose.share(shares[kind], 0)}" for kind in kinds])


# Where the luck sits


def _luck(study: Study) -> list[Part]:
    tables = by_table(study, "luck")
    luck, shares = next(iter(tables.values())), {label: estimates(one["shares"]) for label, one in tables.items()}
    first = next(iter(shares.values()))
    alone = {kind: estimate(pair[0]) for kind, pair in luck["indices"].items() if kind != "hidden"}
    together = {kind: estimate(pair[1]) for kind, pair in luck["indices"].items()}
    most = max(together, key=lambda kind: together[kind].value)
    bound = words.at_most(100 * max(e.high for e in alone.values()), 0)
    # The winner changes with the chance T (1 - 1/n): the total index times the variance of all n ships' wins.
    anew = prose.share(together[most].scaled(1 - 1 / study.reference.rules.ships), 0)
    columns = ("source", "Shapley effect", "alone (S)", "with others (T)")
    content = [(SOURCES[kind], e, alone.get(kind, "not shown"), together[kind]) for kind, e in first.items()]
    note = "alone: not shown for stolen cards, which matter too seldom for its interval to be right"
    one = ResultTable("Luck budget", columns, content, frozenset(columns[1:]), note, unit="deal")
    names = list(first)
    budget = _budget(
        "budget", "Luck budget by table", shares, _leads(shares, "tables"),
        [f"among equal players: {_told(first, names[:3])}.",
         "these are Shapley shares: what several sources do together is divided equally among them.",
         f"the rest is {_told(first, names[3:])}." if names[3:] else "",
         f"by itself no source foretells more than {bound}% of who wins.",
         f"redraw only the {SOURCES[most].removesuffix(' drawn')} and another ship wins in {anew} of the games."],
        f"Share of the variance of winning; {luck['deals']:,} deals at each table", tables=[one],
        keys=[KeyNumber(words.percent(first[kind].value, 0), f"of the luck: {SOURCES[kind]}") for kind in names[:4]],
    )  # fmt: skip
    groups = estimates(luck["groups"])
    pair = groups["combat and treasures"], groups["movement"]
    rows = [("dice and cards drawn", pair[1]), ("combat and treasures", pair[0])]
    share = "share of the luck"
    note = "combat and treasures: with stolen cards; dice and cards also decide what is loaded"
    table = ResultTable("Dice and cards, combat and treasures", ("sources", share), rows, frozenset({share}), note,
                        unit="deal")  # fmt: skip
    return [budget, Part(
        leading({"": dict(rows)}, ["dice and cards drawn"],
                "dice and cards are more of the luck than combat and treasures",
                "whether dice and cards are more of the luck than combat and treasures is too close to call",
                "combat and treasures are more of the luck than dice and cards"),
        [f"dice and cards drawn are {prose.share(pair[1], 0)}, combat and treasures {prose.share(pair[0], 0)}."],
        tables=[table],
    )]  # fmt: skip


def _ladder(study: Study) -> list[Part]:
    """The budget of every rung; settings are rungs, weakest first. What players draw themselves is left out."""
    found = by_table(study, "luck", lambda setting: str(setting.factors[LINE_UP]))
    shares = {rung: estimates(one["of_the_games"]) for rung, one in found.items()}
    deals = {rung: one["deals"] for rung, one in found.items()}
    low, *_, high = (rung for rung, count in deals.items() if count == max(deals.values()))
    moved = {kind: difference(share, shares[high][kind]) for kind, share in shares[low].items()}
    order = sorted((k for k in moved if shares[high][k].value >= SMALL), key=lambda kind: -abs(moved[kind].value))
    parts = []
    for kind in order:
        sign = 1 if moved[kind].value > 0 else -1
        more, less = (f"from {low} to {high} {how} of the luck is {SOURCES[kind]}" for how in ("more", "less"))
        claim = Claim(more if sign > 0 else less, {"": Case(moved[kind])}, sign,
                      opposite=less if sign > 0 else more,
                      neither=f"no clear change in the share of {SOURCES[kind]} from {low} to {high}")  # fmt: skip
        before, after = (prose.share(shares[rung][kind]) for rung in (low, high))
        fact = f"{SOURCES[kind]}: {before} of the luck among {low}, {after} among {high}."
        key = KeyNumber(words.signed(100 * moved[kind].value), f"points from {low} to {high}: {SOURCES[kind]}")
        parts.append(Part(claim, [fact], keys=[key], effect=abs(moved[kind].value)))
    own = [f"{rung} {prose.share(estimate(one['shares']['own']), 0)}" for rung, one in found.items()
           if "own" in one["shares"]]  # fmt: skip
    facts = [f"what players draw themselves, for errors or for a search, is left out; of all that decides it is "
             f"{words.listed(own)}."] if own else []  # fmt: skip
    content = [(SOURCES[kind], points(change)) for kind, change in moved.items()]
    table = ResultTable(f"From {low} to {high}", ("source", "points"), content, unit="deal",
                        note="change of the share; the interval treats the two rungs' deals as unrelated")  # fmt: skip
    fewest = f", {min(deals.values()):,} where somebody searches" if min(deals.values()) < max(deals.values()) else ""
    sub = f"Share of the game's luck; {max(deals.values()):,} deals at each rung{fewest}"
    budget = _budget("ladder", "The game's luck by who plays", shares, _leads(shares, "rungs"), facts, sub,
                     tables=[table])  # fmt: skip
    parts[0].figures, budget.figures = budget.figures, []
    return [*parts, budget]


def _swings(study: Study) -> list[Part]:
    tables = by_table(study, "swings")
    swings, shares = next(iter(tables.values())), {label: estimates(one["shares"]) for label, one in tables.items()}
    first = next(iter(shares.values()))
    steps, sizes = estimates(swings["steps"]), estimates(swings["largest"])
    top, second, *_ = first
    columns = ("source", "share", "steps in a game", "size of a step")
    content = [(SOURCES[kind], share, steps[kind], points(sizes[kind])) for kind, share in first.items()]
    note = "share: of the sum of squared changes of the win chances; size: root mean square, in points of one chance"
    return [_budget(
        "swings", "Swings by table", shares,
        leading(shares, [top], f"the chances move most with the {SOURCES[top]}",
                "too few games to tell when the chances move most",
                f"the chances do not move most with the {SOURCES[top]}"),
        [f"shares of who wins, by when it is decided: {_told(first, [top, second])}.",
         "luck counts here when it takes effect: who is first Captain moves the chances only later, by the dice."],
        f"Share of who wins; {swings['games']:,} games, each played on {swings['played_on']} times from every draw",
        tables=[ResultTable("Swings", columns, content, frozenset({"share"}), note)],
    )]  # fmt: skip


# Skill where players differ


def _mixed(study: Study) -> list[Part]:
    pools = {_named(pool): pool for pool in causes_of(study)["mixed"]}
    skills = {name: estimate(pool["shares"][SKILL]) for name, pool in pools.items()}
    seats, skill = words.listed(pools[POOL]["pool"], "or"), skills[POOL]
    others = [f"{prose.share(share, 0)} {name}" for name, share in skills.items() if name != POOL]
    tables = by_table(study, "mixed", lambda s: without(LINE_UP, study, s) if study.varying else s.label)
    kinds = list(dict.fromkeys((SKILL, *(kind for pool in pools.values() for kind in pool["shares"]))))
    more = {f"{label}, {POOL}": one for label, one in tables.items()} if len(tables) > 1 else {}
    content = [(name, *(estimates(pool["shares"]).get(kind, "not drawn") for kind in kinds),
                estimate(pool["shapley"][SKILL])) for name, pool in (pools | more).items()]  # fmt: skip
    columns = ("who plays", *(SOURCES[kind] for kind in kinds), "line-up (Shapley)")
    note = ("skill: what who plays explains by itself; sources of luck: what is open once that is known; line-up: the "
            "Shapley effect of who plays, which counts half of what it stirs up")  # fmt: skip
    panels = [Panel(f"By who plays ({next(iter(tables))})" if len(tables) > 1 else "", _skills(skills), form="bars")]
    shown = {label: estimate(one["shares"][SKILL]) for label, one in tables.items()}
    if len(shown) > 1:
        panels.append(Panel(f"By table ({POOL})", _skills(shown), form="bars"))
    sub = f"Share of who wins that who plays foretells; {pools[POOL]['deals']:,} deals each"
    text = words.percent(prose.clipped(skill).value, 0)
    return [Part(
        Claim(f"skill is {text} of what decides where players differ", {"": Case(skill)},
              opposite="too few deals to tell how much is skill", neither="too few deals to tell how much is skill"),
        [f"where every seat is {seats}, who plays foretells {prose.share(skill, 0)} of who wins; the rest is luck.",
         f"it is {words.listed(others)}." if others else ""],
        tables=[ResultTable("Skill and luck", columns, content, frozenset(columns[1:]), note, unit="deal")],
        figures=[panels_chart("mixed", "How much is skill", sub, panels, below=True)],
        keys=[KeyNumber(text, "of what decides where players differ: skill")], effect=skill.value,
    )]  # fmt: skip


def _skills(shares: Shares) -> list[Row]:
    return [Row(name, [mark_of(prose.clipped(share), True)]) for name, share in shares.items()]


def _named(pool: Any) -> str:
    """A pool by its name, or by its members where that would say how good they are: the library grows."""
    known: str = pool["name"]
    return known if known in (POOL, WITH_RANDOM) else f"among {words.listed(pool['pool'])}"


CHAPTERS = (
    chapter_of("luck", "Luck budget", _luck, has_causes("luck"))
    | chapter_of("ladder", "Luck and skill", _ladder, lambda s: has_causes("luck")(s) and LINE_UP in s.varying)
    | chapter_of("swings", "Swings", _swings, has_causes("swings"))
    | chapter_of("mixed", "Skill", _mixed, has_causes("mixed"))
)
