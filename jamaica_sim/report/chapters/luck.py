"""Where the luck sits, by table and along the ladder of players.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`).
"""

import math

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.setting import LINE_UP
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    chapter_named,
    mark_of,
    points,
    spoken,
)
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate

SOURCES = {
    "captain": "first Captain",
    "dice": "dice",
    "decks": "cards drawn",
    "treasures": "treasures",
    "combat": "combat die",
    "shortage": "shortage die",
    "hidden": "stolen cards",
    "own": "players' own luck",
    "strategies": "skill",
}
LITTLE = 0.05  # a share that moves by less than this moves a little
SMALL = 0.02  # a source whose share is below this everywhere has no chart
SURE = 0.02  # a share that may be small is told if its interval reaches no further than this to either side
PANELS = 3  # side by side
NONE = Estimate(0.0, 0.0, 0.0, 0)  # the share of a source that is not drawn


def found_there(name):
    """Whether a study has findings of this name."""

    def applies(study):
        found = study.causes or {}
        return name in found or any(name in one for one in found.get("tables", []))

    return applies


def answers_questions(study: Study) -> bool:
    """Whether the report has a chapter for the questions of players, and findings to answer them."""
    return "questions" in study.chapters and all(found_there(name)(study) for name in ("luck", "worths", "restricted"))


def about_zero(effects: dict[str, Estimate]) -> Panel:
    """Effects with their intervals about zero."""
    low = min(0.0, *(effect.low for effect in effects.values()))
    return Panel("", [Row(name, [mark_of(effect)]) for name, effect in effects.items()], low=low, line=0.0)


def chart(name, title, sub, panel) -> Figure:
    """A chart of one panel."""
    return Figure(name, title, sub, rows(spoken([("", panel.rows)]), [panel]))


def estimates(found) -> dict[str, Estimate]:
    """The estimates of findings, by name."""
    return {name: estimate(values) for name, values in found.items()}


def labels(study: Study) -> list[str]:
    """The names of the tables."""
    return [setting.label for setting in study.settings]


def is_vague(share: Estimate) -> bool:
    """Whether there were too few deals to tell a share that may be small."""
    return share.half_width > SURE


def too_few_deals(share: Estimate, what: str) -> str:
    """A sentence in place of a claim about a vague share, with the deals that it takes, on two digits."""
    needed = round(share.n * (share.half_width / SURE) ** 2)  # an interval narrows with the square root of the deals
    step = 10 ** max(0, len(str(needed)) - 2)
    return f"{share.n:,} deals are too few to tell {what}: it takes about {math.ceil(needed / step) * step:,}."


def bars(found: dict[str, Estimate | None]) -> list[Row]:
    """The share of each source; "none" for a source that has no share."""
    return [
        Row(SOURCES[name], [Mark(0.0, "none") if share is None else mark_of(prose.clipped(share), True)])
        for name, share in found.items()
    ]


def _dot(label, share):
    return Row(label, [], note="not drawn") if share is None else Row(label, [mark_of(prose.clipped(share), True)])


def by_source(name: str, titles: tuple[str, str], sub: str, shares: dict, kinds) -> list[Figure]:
    """Charts with a panel for each source, with tables or players as rows. Small sources are only in the tables."""
    large = [kind for kind in kinds if max(one[kind].value for one in shares.values() if kind in one) >= SMALL]
    figures, high = [], max(one[kind].high for one in shares.values() for kind in one)
    for start in range(0, len(large), PANELS):
        panels = [
            Panel(SOURCES[kind], [_dot(label, one.get(kind)) for label, one in shares.items()], high=high)
            for kind in large[start : start + PANELS]
        ]
        told = spoken([(panel.title, panel.rows) for panel in panels])
        figures.append(Figure(f"{name}_{start // PANELS}", titles[start > 0], sub, rows(told, panels)))
    return figures


@chapter_named("luck", found_there("luck"))
def luck(study: Study, looks: Looks) -> Chapter:
    """The luck budget."""
    tables = [one["luck"] for one in study.causes["tables"]]
    first, shares = tables[0], estimates(tables[0]["shares"])
    names = list(shares)
    chapter = Chapter("luck", "Luck budget")
    top, second, third = (SOURCES[name] for name in names[:3])
    chapter.headline = _headline(tables)
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
    chapter.say(f"the rest is {words.listed(others)}.", _chaos(first))
    if not answers_questions(study):
        chapter.say(tamed(estimates(first["groups"])))
    chapter.hero = _hero(study, first, shares)
    chapter.figures = [chapter.hero, _groups_chart(study.causes["tables"][0])]
    chapter.keys = [
        KeyNumber(words.percent(shares[name].value, 0), f"of the luck: {SOURCES[name]}") for name in names[:4]
    ]
    columns = ("source", "Shapley effect", "alone (S)", "with others (T)")
    listed = [(SOURCES[name], shares[name], *(estimate(index) for index in first["indices"][name])) for name in names]
    chapter.tables = [
        ResultTable("Luck budget", columns, listed, frozenset(columns[1:]), unit="deal"),
        ResultTable(
            "Movement, combat and treasures",
            ("sources", "share of the luck"),
            [*estimates(first["groups"]).items()],
            frozenset({"share of the luck"}),
            "movement: dice and cards drawn; combat and treasures: with stolen cards",
            unit="deal",
        ),
    ]
    mixed = study.causes["tables"][0].get("mixed")
    if mixed:
        skill = estimate(mixed["shares"]["strategies"])
        if not is_vague(skill):
            chapter.standfirst.append(
                f"Where players differ, {prose.share(skill, 0)} is skill: what can be foretold from who plays."
            )
            text = words.percent(prose.clipped(skill).value, 0)
            chapter.keys.append(KeyNumber(text, "of what decides where players differ: skill"))
    if len(tables) > 1:
        _other_tables(chapter, study, tables, looks)
    return chapter


def _hero(study, first, shares):
    """The budget of equal players, and beside it the budget of players who differ, if that was found."""
    sub = f"Share of the variance of winning; {first['deals']:,} deals, {first['games']:,} games"
    mixed = study.causes["tables"][0].get("mixed")
    if not mixed:
        return chart("budget", "Where the luck sits", sub, Panel("", bars(shares), form="bars"))
    differ = estimates(mixed["shares"])
    names = ["strategies", *shares, *(name for name in differ if name not in shares and name != "strategies")]
    high = max(share.high for share in (*shares.values(), *differ.values()))
    panels = [
        Panel(title, bars({name: found.get(name) for name in names}), form="bars", high=high)
        for title, found in (("Equal players", shares), ("Players who differ", differ))
    ]
    told = spoken([(panel.title, panel.rows) for panel in panels])
    sub = (
        f"Share of the variance of winning. Equal players: {first['deals']:,} deals. Players who differ: each seat is "
        f"{words.listed(mixed['pool'], 'or')}; {mixed['deals']:,} deals"
    )
    return Figure("budget", "Where the luck sits, and how much is skill", sub, rows(told, panels))


def _groups_chart(found):
    """Movement beside combat and treasures, as players speak of them: of the luck, and of the swings where known."""
    told = {"of the luck": found["luck"]["groups"]}
    if "swings" in found:
        told["of the swings"] = found["swings"]["groups"]
    high = max(0.7, *(estimate(share).high for groups in told.values() for share in groups.values()))
    panels = [
        Panel(title, [Row(name, [mark_of(share, True)]) for name, share in estimates(groups).items()], form="bars",
              high=high)
        for title, groups in told.items()
    ]  # fmt: skip
    sub = f"Share of the variance of winning; movement is dice and cards drawn; {found['luck']['deals']:,} deals"
    if "swings" in found:
        sub += f", {found['swings']['games']:,} games for the swings"
    label = spoken([(panel.title, panel.rows) for panel in panels])
    return Figure("groups", "Movement against combat and treasures", sub, rows(label, panels))


def _headline(tables):
    """Where the luck sits: the joint share of the two largest sources, and whether they clearly lead at every table."""
    shares = [estimates(one["shares"]) for one in tables]
    top, second = list(shares[0])[:2]
    part = _part(shares[0][top], shares[0][second])
    if len(tables) == 1:
        return f"the luck of Jamaica sits in {SOURCES[top]} and {SOURCES[second]}: {part} of it"
    where = ", and lead at every table" if _leaders(shares) else ""
    return f"{SOURCES[top]} and {SOURCES[second]} are {part} of the luck{where}"


def _leaders(tables):
    """The two largest sources of the first table if they clearly lead at every table, else none."""
    tables = list(tables)
    leaders = sorted(tables[0], key=lambda name: -tables[0][name].value)[:2]
    leading = all(
        min(one[name].low for name in leaders) > max(e.high for name, e in one.items() if name not in leaders)
        for one in tables
    )
    return leaders if leading else []


def _part(*shares):
    """The sum of several shares in words; "about half" where the interval includes a half."""
    together = sum(share.value for share in shares)
    reach = math.hypot(*(share.half_width for share in shares))
    return "about half" if abs(together - 0.5) <= reach else words.fraction(together) or words.percent(together, 0)


def tamed(groups: dict[str, Estimate]) -> str:
    """Whether players are right to say that movement is tamed, and treasures and combat are not."""
    movement, others = groups["movement"], groups["combat and treasures"]
    told, claim = groups_told(groups, "of the luck"), "that movement is tamed, and treasures and combat are not,"
    if movement.low > others.high:
        return f"{claim} is not what the games show: {told}"
    if others.low > movement.high:
        return f"{claim} is what the games show: {told}"
    return f"{claim} is too close to call: {told}"


def groups_told(groups: dict[str, Estimate], of_what: str) -> str:
    """The share of movement, and the share of combat and treasures."""
    return (
        f"movement (dice and cards drawn) is {prose.share(groups['movement'], 0)} {of_what}, combat and treasures "
        f"(with stolen cards) {prose.share(groups['combat and treasures'], 0)}."
    )


def _chaos(first):
    single = [estimate(pair[0]) for pair in first["indices"].values()]
    widest = max(single, key=lambda e: e.half_width)
    if is_vague(widest):
        return too_few_deals(widest, "how much a source explains by itself")
    alone = max(e.value for e in single)
    whole = sorted((estimate(pair[1]) for pair in first["indices"].values()), key=lambda e: -e.value)
    return (
        f"the game is chaotic: no source explains more than {words.percent(max(alone, 0), 0)} by itself, yet "
        f"{prose.share(whole[0], 0)} of it all would be open again if only the strongest were drawn anew."
    )


def _other_tables(chapter, study, tables, looks):
    """The same budget at every table, side by side, and for each table what differs most from the first."""
    kinds = list(dict.fromkeys(name for one in tables for name in one["shares"]))
    found = {label: estimates(one["shares"]) for label, one in zip(labels(study), tables, strict=True)}
    listed = [(label, *(shares.get(name, "not drawn") for name in kinds)) for label, shares in found.items()]
    columns = ("table", *(SOURCES[name] for name in kinds))
    chapter.tables.append(ResultTable("Luck budget by table", columns, listed, frozenset(columns[1:]), unit="deal"))
    sub = f"Share of the variance of winning; {tables[0]['deals']:,} deals at each table"
    titles = "Where the luck sits, by table", "The other sources, by table"
    chapter.figures += by_source("tables", titles, sub, found, kinds)
    (_, base), *others = found.items()
    told = [f"with {label}, {change}." for label, shares in others if (change := _what_differs(looks, base, shares))]
    chapter.say(f"compared with {labels(study)[0]}, this differs most." if told else "", *told)


def _what_differs(looks, base, shares):
    """The source whose share differs most from the base table; empty where none clearly differs."""
    changes = {name: difference(base.get(name, NONE), share) for name, share in shares.items()}
    clear = [name for name, change in changes.items() if looks.is_clear(change)]
    if not clear:
        return ""
    most = max(clear, key=lambda name: abs(changes[name].value))
    before = prose.share(base[most], 0) if most in base else "none"
    return f"the share of {SOURCES[most]} is {prose.share(shares[most], 0)} instead of {before}"


# Along the ladder


@chapter_named("ladder", lambda study: found_there("luck")(study) and len(study.settings) > 1)
def ladder(study: Study, looks: Looks) -> Chapter:
    """How the shares of the game's luck move from rung to rung; settings are rungs, weakest first."""
    tables = [one["luck"] for one in study.causes["tables"]]
    rungs = dict(zip((s.factors[LINE_UP] for s in study.settings), tables, strict=True))
    shares = {rung: estimates(one["of_the_games"]) for rung, one in rungs.items()}
    most_deals = max(one["deals"] for one in tables)
    low, *_, high = (rung for rung, one in rungs.items() if one["deals"] == most_deals)
    kinds = sorted(shares[low], key=lambda name: -shares[high][name].value)
    changes = {name: difference(shares[low][name], shares[high][name]) for name in kinds}
    clear = {name: change for name, change in changes.items() if looks.is_clear(change)}
    chapter = Chapter("ladder", "Luck and skill", effect=max(abs(change.value) for change in changes.values()))
    chapter.heading = "the luck sits in the same places whoever plays"
    if clear:
        chapter.heading = f"among better players {_moves(clear)}"
    chapter.headline = chapter.heading
    leaders = _leaders(shares.values())
    if leaders:
        chapter.heading = f"{words.listed([SOURCES[name] for name in leaders])} come first whoever plays"
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
        *(_few_deals(looks, rung, one["deals"], shares[high], shares[rung], high)
          for rung, one in rungs.items() if one["deals"] < most_deals),
    )  # fmt: skip
    own = {rung: estimate(one["shares"]["own"]) for rung, one in rungs.items() if "own" in one["shares"]}
    if own:
        told = [f"{rung} {prose.share(share, 0)}" for rung, share in own.items()]
        chapter.say(
            "what players draw themselves, for errors or for a search, is no luck of the game and is left out above.",
            f"of all that decides it is: {words.listed(told)}.",
        )
    counted = f"{most_deals:,} deals at each rung" if len({one["deals"] for one in tables}) == 1 else (
        f"{most_deals:,} deals at each rung, {min(one['deals'] for one in tables):,} where somebody searches"
    )  # fmt: skip
    titles = "Where the luck sits, by who plays", "The other sources"
    chapter.figures = by_source("ladder", titles, f"Share of the game's luck; {counted}", shares, kinds)
    chapter.hero = chapter.figures[0]
    chapter.keys = [
        KeyNumber(words.signed(100 * clear[name].value), f"points: {SOURCES[name]}, from {low} to {high}")
        for name in sorted(clear, key=lambda name: -abs(clear[name].value))[:4]
    ]
    columns = ("players", *(SOURCES[name] for name in kinds))
    listed = [(rung, *(one[name] for name in kinds)) for rung, one in shares.items()]
    note = "without what players draw themselves"
    chapter.tables = [
        ResultTable("The game's luck by who plays", columns, listed, frozenset(columns[1:]), note, unit="deal"),
        ResultTable(
            f"From {low} to {high}",
            ("source", "points"),
            [(SOURCES[name], points(change)) for name, change in changes.items()],
            note="change of the share; the interval takes the two rungs' deals for unrelated",
            unit="deal",
        ),
    ]
    return chapter


def _few_deals(looks, rung, deals, above, own, high):
    """A sentence about a rung that had fewer deals."""
    clear = {name: change for name in own if looks.is_clear(change := difference(above[name], own[name]))}
    if not clear:
        return f"{rung}, with {deals:,} deals, differs from {high} in nothing that is clear."
    return f"{rung}, with {deals:,} deals, differs from {high}: {_moves(clear)}."


def difference(low: Estimate, high: Estimate) -> Estimate:
    """The second share minus the first. The deals of the two are treated as unrelated."""
    reach = math.hypot(low.half_width, high.half_width)
    change = high.value - low.value
    return Estimate(change, change - reach, change + reach, min(low.n, high.n))


def _moves(clear):
    """Which shares grow and which shrink."""
    told = []
    for sign, more in ((1, "more"), (-1, "less")):
        names = [name for name, change in clear.items() if sign * change.value > 0]
        if names:
            little = "a little " if max(abs(clear[name].value) for name in names) < LITTLE else ""
            told.append(f"{words.listed([SOURCES[name] for name in names])} {'' if told else 'decide '}{little}{more}")
    return ", ".join(told)
