"""How much is skill where strategies differ, and Jamaica beside published games.

Skill is measured in two ways: how much can be predicted from who plays (`Budget.skill_and_luck`), and how far ratings
spread (`causes/skill.py`).
"""

from jamaica_sim.causes.findings import POOL, estimate
from jamaica_sim.causes.skill import PUBLISHED
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, chapter_named, mark_of, spoken
from jamaica_sim.report.chapters.luck import (
    SOURCES,
    chart,
    difference,
    estimates,
    is_vague,
    labels,
    too_few_deals,
)
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.elo import chance_ahead
from jamaica_sim.stats.estimate import Estimate

SKILL = "strategies"


@chapter_named("mixed", lambda study: "mixed" in (study.causes or {}))
def mixed(study: Study, looks: Looks) -> Chapter:
    """Skill where strategies differ, and the spread of ratings beside published games."""
    pools = {pool["name"]: pool for pool in study.causes["mixed"]}
    skills = {name: estimate(pool["shares"][SKILL]) for name, pool in pools.items()}
    spreads = {name: estimate(pool["spread"]) for name, pool in pools.items()}
    skill, seats = skills[POOL], words.listed(pools[POOL]["pool"], "or")
    chapter = Chapter("mixed", "Skill", effect=skill.value)
    others = [f"{prose.share(share, 0)} {name}" for name, share in skills.items() if name != POOL]
    if is_vague(skill):
        chapter.heading = "too few deals to tell how much is skill"
        told = [too_few_deals(skill, f"how much of who wins is foretold by who plays, where every seat is {seats}")]
    else:
        text = words.percent(prose.clipped(skill).value, 0)
        chapter.heading = f"skill is {text} of what decides where players differ"
        chapter.keys = [KeyNumber(text, "of what decides where players differ: skill")]
        told = [
            f"where every seat is {seats}, who plays foretells {prose.share(skill, 0)} of who wins a game; the rest is "
            "luck.",
            f"it is {words.listed(others)}.",
        ]
    chapter.say(
        *told,
        "who sits where also stirs up the game, so that luck falls to others. Equally good strategies do that too; it "
        "is no skill, and is not counted as such.",
    )
    chapter.say(_by_table_sentence(study, looks))
    chapter.say(*_spread_sentences(spreads))
    chapter.figures = [_skill_chart(study, pools, skills), _spread_chart(pools, spreads)]
    chapter.tables = _tables(study, pools, spreads)
    return chapter


def _at_tables(study):
    found = zip(labels(study), study.causes["tables"], strict=True)
    return {label: estimate(one["mixed"]["shares"][SKILL]) for label, one in found}


def _by_table_sentence(study, looks):
    """A sentence about the tables where skill counts most and least; empty for a single table."""
    tables = _at_tables(study)
    if len(tables) < 2:
        return ""
    least, *_, most = sorted(tables, key=lambda label: tables[label].value)
    if not looks.is_clear(difference(tables[least], tables[most])):
        return "how much is skill differs too little between the tables to call."
    return (
        f"skill counts most with {most}, {prose.share(tables[most])}, and least with {least}, "
        f"{prose.share(tables[least])}."
    )


def _spread_sentences(spreads):
    told = [f"{prose.mean(value)} {name}" for name, value in spreads.items()]
    return (
        "the wider the ratings of those who play a game, the more skill there is in it (Duersch, Lambrecht and "
        f"Oechssler 2020). The standard deviation of Jamaica's strategies, in Elo points: {words.listed(told)}.",
        _beside(spreads),
        "the published figures are those of people on online platforms, in games of two (working paper of 2018, read "
        "where another text quotes it). Jamaica's are those of strategies, so only the order of magnitude can be "
        "compared.",
    )


def _beside(spreads):
    """A sentence about the published games that the pool without random play clearly lies between."""
    spread = spreads[POOL]
    above = [name for name, published in PUBLISHED.items() if published > spread.high]
    below = [name for name, published in PUBLISHED.items() if published <= spread.low]
    if not above or not below:
        return ""
    return f"{POOL} they spread less than the players of {above[-1]} and more than those of {below[0]}."


def _skill_chart(study, pools, skills):
    shown, sub = {"": skills}, f"Share of who wins that who plays foretells; {pools[POOL]['deals']:,} deals each"
    if len(study.settings) > 1:
        shown = {f"By who plays ({labels(study)[0]})": skills, f"By table ({POOL})": _at_tables(study)}
    high = max(share.high for found in shown.values() for share in found.values())
    panels = [
        Panel(title, [Row(name, [mark_of(prose.clipped(share), True)]) for name, share in found.items()], form="bars",
              high=high)
        for title, found in shown.items()
    ]  # fmt: skip
    told = spoken([(panel.title, panel.rows) for panel in panels])
    return Figure("mixed", "How much is skill", sub, rows(told, panels, below=True))


def _spread_chart(pools, spreads):
    marks = {f"Jamaica, {name}": mark_of(value) for name, value in spreads.items()}
    marks |= {name: Mark(value, f"{value:g}", "base") for name, value in PUBLISHED.items()}
    order = sorted(marks, key=lambda name: -marks[name].value)
    panel = Panel("", [Row(name, [marks[name]], strong=name.startswith("Jamaica")) for name in order])
    games = pools[POOL]["rated_games"]
    sub = f"Standard deviation of Elo ratings; Jamaica: strategies, {games:,} games a pool; others: people, published"
    return chart("spread", "Jamaica beside published games", sub, panel)


def _tables(study, pools, spreads):
    kinds = list(dict.fromkeys(name for pool in pools.values() for name in pool["shares"]))
    kinds = [SKILL, *(name for name in kinds if name != SKILL)]
    where = {name: pool for name, pool in pools.items()}
    if len(study.settings) > 1:
        where |= {f"{label}, {POOL}": one["mixed"] for label, one in zip(labels(study), study.causes["tables"],
                                                                          strict=True)}  # fmt: skip
    listed = [
        (name, *(estimates(pool["shares"]).get(kind, "not drawn") for kind in kinds), estimate(pool["shapley"][SKILL]))
        for name, pool in where.items()
    ]
    columns = ("who plays", *(SOURCES[kind] for kind in kinds), "line-up (Shapley)")
    note = (
        "skill: what who plays explains by itself; sources of luck: what is open once that is known; line-up: the "
        "Shapley effect of who plays, which counts half of what it stirs up"
    )
    rated = [
        (f"Jamaica, {name}", value, Estimate(*map(chance_ahead, _ends(value)), value.n), "measured")
        for name, value in spreads.items()
    ]
    rated += [
        (name, f"{value:g}", words.percent(chance_ahead(value)), "published") for name, value in PUBLISHED.items()
    ]
    return [
        ResultTable("Skill and luck", columns, listed, frozenset(columns[1:]), note, unit="deal"),
        ResultTable(
            "Spread of ratings",
            ("game", "standard deviation", "ahead", "from"),
            rated,
            frozenset({"ahead"}),
            "ahead: how often one who is a standard deviation better than another comes out ahead of it",
        ),
        *(
            ResultTable(f"Ratings {name}", ("strategy", "Elo points"), [*estimates(pool["ratings"]).items()])
            for name, pool in pools.items()
        ),
    ]


def _ends(value):
    return value.value, value.low, value.high
