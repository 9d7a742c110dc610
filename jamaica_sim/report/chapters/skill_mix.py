"""How much is skill where strategies differ, and Jamaica beside published games.

Skill is measured in two ways: how much can be predicted from who plays (`Budget.skill_and_luck`), and how far ratings
spread (`causes/skill.py`).
"""

from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import POOL, estimate
from jamaica_sim.causes.skill import PUBLISHED
from jamaica_sim.charts.row_charts import Mark, Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart, mark_of
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber
from jamaica_sim.report.chapters.sources import (
    SOURCES,
    Shares,
    bars,
    by_table,
    causes_of,
    difference,
    estimates,
    has_causes,
    is_vague,
    too_few_deals,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.elo import chance_ahead
from jamaica_sim.stats.estimate import Estimate

SKILL = "strategies"


@dataclass(frozen=True)
class Mixed(Findings):
    """How much is skill in each pool of strategies, and at each table."""

    pools: dict[str, dict[str, Any]]
    skills: Shares  # by pool
    spreads: Shares  # of ratings, by pool
    at_tables: dict[str, dict[str, Any]]
    by_table: Shares
    widest: Comparison | None  # the table where skill counts most minus the one where it counts least
    ahead: Comparison  # how often the best of the pool comes out ahead of the poorest, by their ratings
    rated: tuple[str, str]  # the best and the poorest


def find(study: Study) -> Mixed:
    """Read how much of who wins is foretold by who plays."""
    pools = {pool["name"]: pool for pool in causes_of(study)["mixed"]}
    at_tables: dict[str, dict[str, Any]] = {}
    names = [name for name in study.varying if name != LINE_UP]
    for setting, found in zip(study.settings, by_table(study, "mixed").values(), strict=True):
        label = label_of(setting, names) if names else "" if study.varying else setting.label
        at_tables.setdefault(label, found)
    shares = {label: estimate(one["shares"][SKILL]) for label, one in at_tables.items()}
    order = sorted(shares.values(), key=lambda e: e.value)
    pairs = len(shares) * (len(shares) - 1) // 2  # the two are picked among so many pairs
    ratings = estimates(pools[POOL]["ratings"])
    best, *_, poorest = ratings
    return Mixed(
        pools,
        {name: estimate(pool["shares"][SKILL]) for name, pool in pools.items()},
        {name: estimate(pool["spread"]) for name, pool in pools.items()},
        at_tables,
        shares,
        Comparison(allowing_for(difference(order[0], order[-1]), pairs)) if len(shares) > 1 else None,
        Comparison(ahead(difference(ratings[poorest], ratings[best])), 0.5),
        (best, poorest),
    )


def write(mixed: Mixed, judge: Judge) -> Chapter:
    """Skill where strategies differ, and the spread of ratings beside published games."""
    skill, seats = mixed.skills[POOL], words.listed(mixed.pools[POOL]["pool"], "or")
    chapter = Chapter("mixed", "Skill", effect=skill.value)
    if is_vague(skill):
        chapter.heading = "too few deals to tell how much is skill"
        first = [too_few_deals(skill, f"how much of who wins is foretold by who plays, where every seat is {seats}")]
    else:
        text = words.percent(prose.clipped(skill).value, 0)
        others = [f"{prose.share(share, 0)} {name}" for name, share in mixed.skills.items() if name != POOL]
        chapter.heading = f"skill is {text} of what decides where players differ"
        chapter.keys = [KeyNumber(text, "of what decides where players differ: skill")]
        first = [
            f"where every seat is {seats}, who plays foretells {prose.share(skill, 0)} of who wins a game; the rest is "
            "luck.",
            f"it is {words.listed(others)}.",
        ]
    chapter.say(
        *first,
        _over_many_games(mixed, judge),
        "who sits where also changes to whom the luck falls. That happens among equally good strategies too; it "
        "is no skill, and is not counted as such.",
    )
    chapter.say(_by_table(mixed, judge))
    spreads = [f"{prose.mean(value)} {name}" for name, value in mixed.spreads.items()]
    chapter.say(
        "the wider the ratings of those who play a game, the more skill there is in it (Duersch, Lambrecht and "
        f"Oechssler 2020). The standard deviation of Jamaica's strategies, in Elo points: {words.listed(spreads)}.",
        _beside(mixed.spreads[POOL]),
        "the published figures are those of people on online platforms, in games of two (working paper of 2018, read "
        "where another text quotes it). Jamaica's are those of strategies, so only the order of magnitude can be "
        "compared.",
    )
    chapter.figures = [_skill_chart(mixed), _spread_chart(mixed)]
    chapter.tables = _tables(mixed)
    return chapter


def _over_many_games(mixed: Mixed, judge: Judge) -> str:
    """How often the best of the pool comes out ahead of the poorest."""
    if not judge.is_above(mixed.ahead):
        return ""
    best, poorest = mixed.rated
    return (
        f"over many games skill shows: by their ratings {best}, the best of them, comes out ahead of {poorest}, the "
        f"poorest, in {prose.share(mixed.ahead.estimate, 0)} of their games."
    )


def _by_table(mixed: Mixed, judge: Judge) -> str:
    """A sentence about the tables where skill counts most and least; empty for a single table."""
    if mixed.widest is None:
        return ""
    if not judge.is_above(mixed.widest):
        return "how much is skill differs too little between the tables to call."
    shares = mixed.by_table
    least, *_, most = sorted(shares, key=lambda label: shares[label].value)
    highest, lowest = prose.share(shares[most]), prose.share(shares[least])
    return f"skill counts most with {most}, {highest}, and least with {least}, {lowest}."


def _beside(spread: Estimate) -> str:
    """A sentence about the published games that the pool without random play clearly lies between."""
    above = [name for name, published in PUBLISHED.items() if published > spread.high]
    below = [name for name, published in PUBLISHED.items() if published <= spread.low]
    if not above or not below:
        return ""
    return f"{POOL} they spread less than the players of {above[-1]} and more than those of {below[0]}."


def _skill_chart(mixed: Mixed) -> Figure:
    shown = {"": mixed.skills}
    if len(mixed.by_table) > 1:
        shown = {f"By who plays ({next(iter(mixed.by_table))})": mixed.skills, f"By table ({POOL})": mixed.by_table}
    high = max(share.high for shares in shown.values() for share in shares.values())
    sub = f"Share of who wins that who plays foretells; {mixed.pools[POOL]['deals']:,} deals each"
    return chart("mixed", "How much is skill", sub, [bars(*one, high) for one in shown.items()], below=True)


def _spread_chart(mixed: Mixed) -> Figure:
    marks = {f"Jamaica, {name}": mark_of(value) for name, value in mixed.spreads.items()}
    marks |= {name: Mark(value, f"{value:g}", "base") for name, value in PUBLISHED.items()}
    order = sorted(marks, key=lambda name: -marks[name].value)
    panel = Panel("", [Row(name, [marks[name]], strong=name.startswith("Jamaica")) for name in order])
    games = mixed.pools[POOL]["rated_games"]
    sub = f"Standard deviation of Elo ratings; Jamaica: strategies, {games:,} games a pool; others: people, published"
    return chart("spread", "Jamaica beside published games", sub, [panel])


def ahead(gap: Estimate) -> Estimate:
    """How often a player comes out ahead of another who is rated so much lower."""
    return Estimate(chance_ahead(gap.value), chance_ahead(gap.low), chance_ahead(gap.high), gap.n)


def _tables(mixed: Mixed) -> list[ResultTable]:
    kinds = list(dict.fromkeys(name for pool in mixed.pools.values() for name in pool["shares"]))
    kinds = [SKILL, *(name for name in kinds if name != SKILL)]
    where = dict(mixed.pools)
    if len(mixed.at_tables) > 1:
        where |= {f"{label}, {POOL}": one for label, one in mixed.at_tables.items()}
    content = [
        (name, *(estimates(pool["shares"]).get(kind, "not drawn") for kind in kinds), estimate(pool["shapley"][SKILL]))
        for name, pool in where.items()
    ]
    columns = ("who plays", *(SOURCES[kind] for kind in kinds), "line-up (Shapley)")
    note = (
        "skill: what who plays explains by itself; sources of luck: what is open once that is known; line-up: the "
        "Shapley effect of who plays, which counts half of what it stirs up"
    )
    rated: list[tuple[object, ...]] = [
        (f"Jamaica, {name}", spread, ahead(spread), "measured") for name, spread in mixed.spreads.items()
    ]
    rated += [
        (name, f"{value:g}", words.percent(chance_ahead(value)), "published") for name, value in PUBLISHED.items()
    ]
    meaning = "ahead: how often a player who is a standard deviation better than another comes out ahead of it"
    return [
        ResultTable("Skill and luck", columns, content, frozenset(columns[1:]), note, unit="deal"),
        ResultTable("Spread of ratings", ("game", "standard deviation", "ahead", "from"), rated, frozenset({"ahead"}),
                    meaning),
        *(
            ResultTable(f"Ratings {name}", ("strategy", "Elo points"), [*estimates(pool["ratings"]).items()])
            for name, pool in mixed.pools.items()
        ),
        ResultTable("The best and the poorest", ("pair", "ahead"), [(" v. ".join(mixed.rated), mixed.ahead.estimate)],
                    frozenset({"ahead"})),
    ]  # fmt: skip


CHAPTERS = {"mixed": ChapterSource(find, write, has_causes("mixed"))}
