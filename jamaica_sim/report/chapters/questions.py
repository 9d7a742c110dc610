"""What players ask about Jamaica, answered one by one from the findings of the designs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import POOL, estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, ChapterSource, points, turned
from jamaica_sim.report.chapters.skill_mix import ahead
from jamaica_sim.report.chapters.sources import (
    Shares,
    about_zero,
    answers_questions,
    causes_of,
    chart,
    difference,
    estimates,
    groups_told,
    is_movement_tamed,
    is_vague,
)
from jamaica_sim.report.chapters.worths import powers_told, worths_of
from jamaica_sim.report.judge import Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate


@dataclass(frozen=True)
class Rated:
    """Who wins in a pool of strategies: how much is skill, and the best beside the poorest by rating."""

    names: list[str]
    skill: Estimate
    best: str
    poorest: str
    ahead: Estimate  # how often the best comes out ahead of the poorest


@dataclass(frozen=True)
class Questions(Findings):
    """Luck or skill, movement or combat, whether fights and shortages pay, what the powers are worth."""

    pool: Rated | None
    groups: Shares
    parts: dict[str, Comparison]  # what each part of the game is worth: the loss of a ship that is barred from it
    forgiven: Comparison  # what it is worth to be forgiven a shortage
    powers: dict[str, Comparison]


def find(study: Study) -> Questions:
    """Collect what answers the questions."""
    causes, worths = causes_of(study), worths_of(study)
    costs = {one["name"]: points(estimate(one["effect"])) for one in causes["restricted"]}
    pool = next((pool for pool in causes.get("mixed", []) if pool["name"] == POOL), None)
    return Questions(
        _rated(pool) if pool else None,
        estimates(causes["tables"][0]["luck"]["groups"]),
        {name: Comparison(turned(cost)) for name, cost in costs.items()},
        next(iter(worths["shortage"].values())),
        worths["powers"],
    )


def _rated(pool: Mapping[str, Any]) -> Rated:
    ratings = estimates(pool["ratings"])
    best, *_, poorest = ratings
    chance = ahead(difference(ratings[poorest], ratings[best]))
    return Rated(pool["pool"], estimate(pool["shares"]["strategies"]), best, poorest, chance)


def write(questions: Questions, judge: Judge) -> Chapter:
    """The answers."""
    parts, forgiven = questions.parts, questions.forgiven.estimate
    chapter = Chapter("questions", "Questions", effect=2.0)  # right after the first chapter
    chapter.heading = _heading(questions, judge)
    if questions.pool:
        chapter.say(*_too_much_luck(questions.pool))
    answers = {False: "No", True: "Yes", None: "Too close to call"}
    tamed = f"{answers[is_movement_tamed(questions.groups)]}: {groups_told(questions.groups, 'of the luck')}"
    chapter.say(f"is movement tamed, and are treasures and combat not? {tamed}")
    chapter.say(f"do fights pay? {_fights(parts, judge)}")
    chapter.say(f"does it pay to run short on purpose? {_shortages(questions, judge)}")
    chapter.say(f"what is each power worth? {words.sentence(powers_told(questions.powers, judge))}")
    pays = {
        "attacking": parts["attack"].estimate,
        "spending gunpowder": parts["gunpowder"].estimate,
        "running short on purpose": parts["shortage"].estimate,
        "a shortage forgiven": forgiven,
        **{f"power of {name}": one.estimate for name, one in questions.powers.items()},
    }
    counts = sorted(value.n for value in pays.values())
    sub = f"Points of win rate of the ship that has it or does it; {counts[0]:,} to {counts[-1]:,} games each"
    chapter.figures = [chart("answers", "What pays", sub, about_zero(pays))]
    chapter.tables = [
        ResultTable("What pays", ("what", "points of win rate"), [*pays.items()]),
        _shares_table(questions),
    ]
    return chapter


def _shares_table(questions: Questions) -> ResultTable:
    content = [(f"{name}, of the luck", share) for name, share in questions.groups.items()]
    if pool := questions.pool:
        content += [
            ("skill, of what decides where players differ", pool.skill),
            (f"{pool.best} ahead of {pool.poorest}", pool.ahead),
        ]
    return ResultTable("Luck and skill", ("what", "share"), content, frozenset({"share"}))


def _verdict(worth: Comparison, judge: Judge, pays: str, not_pays: str, close: str = "") -> str:
    """Whether something pays, in words."""
    return pays if judge.is_above(worth) else not_pays if judge.is_below(worth) else close


def _heading(questions: Questions, judge: Judge) -> str:
    on_purpose = ("running short on purpose pays", "running short on purpose does not pay")
    tamed = {False: "movement is not tamed", True: "movement is tamed", None: ""}[is_movement_tamed(questions.groups)]
    verdicts = [
        _verdict(questions.parts["attack"], judge, "fights pay", "fights do not pay"),
        _verdict(questions.parts["shortage"], judge, *on_purpose),
        tamed,
    ]
    return words.listed([verdict for verdict in verdicts if verdict]) or "what players ask is too close to call"


def _too_much_luck(pool: Rated) -> tuple[str, str]:
    """How much of a game can be predicted from who plays, and how often the best comes out ahead of the poorest."""
    verdict = "A single game is mostly luck" if pool.skill.high < 0.5 else "A single game is not mostly luck"
    seats = words.listed(pool.names, "or")
    where = f": where every seat is {seats}, who plays foretells {prose.share(pool.skill, 0)} of who wins"
    return (
        f"is there too much luck? {verdict}{'' if is_vague(pool.skill) else where}.",
        f"over many games skill shows: by their ratings {pool.best}, the best of them, comes out ahead of "
        f"{pool.poorest}, the poorest, in {prose.share(pool.ahead, 0)} of their games.",
    )


def _fights(parts: Mapping[str, Comparison], judge: Judge) -> str:
    lines = []
    for name, who in (("attack", "that is barred from attacking"), ("gunpowder", "that is barred from gunpowder")):
        worth = parts[name].estimate
        close = "" if judge.is_clear(parts[name]) else " (too close to call)"
        how = "less" if worth.value > 0 else "more"
        lines.append(f"a ship {who} wins {prose.how_many(worth)} points {how} often{close}")
    return f"{_verdict(parts['attack'], judge, 'Yes', 'No', 'Too close to call')}: {words.listed(lines)}."


def _shortages(questions: Questions, judge: Judge) -> str:
    worth, forgiven = questions.parts["shortage"], questions.forgiven
    answer = _verdict(worth, judge, "Yes", "No", "Too close to call")
    how = "less" if worth.estimate.value > 0 else "more"
    text = f"{answer}: a ship that avoids it wins {prose.how_many(worth.estimate)} points {how} often."
    if answer == "Yes" and judge.is_above(forgiven):
        cost = prose.how_many(forgiven.estimate)
        text += f" The shortage itself costs {cost} points: what pays is the move that leads there."
    return text


CHAPTERS = {"questions": ChapterSource(find, write, answers_questions)}
