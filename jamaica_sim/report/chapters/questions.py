"""What players ask about Jamaica, answered one by one from the findings of the designs."""

from jamaica_sim.causes.findings import POOL, estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, chapter_named, points
from jamaica_sim.report.chapters.luck import (
    about_zero,
    answers_questions,
    chart,
    difference,
    estimates,
    groups_told,
    is_vague,
)
from jamaica_sim.report.chapters.worths import powers_told
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.elo import chance_ahead
from jamaica_sim.stats.estimate import Estimate


@chapter_named("questions", answers_questions)
def questions(study: Study, looks: Looks) -> Chapter:
    """Luck or skill, movement or combat, whether fights and shortages pay, what the powers are worth."""
    causes = study.causes
    worths = {kind: _points(listed) for kind, listed in causes["worths"].items()}
    parts = {name: _turned(cost) for name, cost in _points(causes["restricted"]).items()}
    groups = estimates(causes["tables"][0]["luck"]["groups"])
    short = next(iter(worths["shortage"].values()))
    chapter = Chapter("questions", "Questions", effect=2.0)  # right after the first chapter
    chapter.heading = _heading(looks, parts, groups)
    if "mixed" in causes:
        chapter.say(*_too_much_luck(_pool(causes)))
    chapter.say(f"is movement tamed, and are treasures and combat not? {_tamed(groups)}")
    chapter.say(f"do fights pay? {_fights(looks, parts)}")
    chapter.say(f"does it pay to run short on purpose? {_shortages(looks, parts['shortage'], short)}")
    chapter.say(f"what is each power worth? {words.sentence(powers_told(looks, worths['powers']))}")
    answers = {
        "attacking": parts["attack"],
        "spending gunpowder": parts["gunpowder"],
        "running short on purpose": parts["shortage"],
        "a shortage forgiven": short,
        **{f"power of {name}": value for name, value in worths["powers"].items()},
    }
    counts = sorted(value.n for value in answers.values())
    sub = f"Points of win rate of the ship that has it or does it; {counts[0]:,} to {counts[-1]:,} games each"
    chapter.figures = [chart("answers", "What pays", sub, about_zero(answers))]
    chapter.tables = [
        ResultTable("What pays", ("what", "points of win rate"), [*answers.items()]),
        _shares_table(causes, groups),
    ]
    return chapter


def _pool(causes):
    return next(pool for pool in causes["mixed"] if pool["name"] == POOL)


def _shares_table(causes, groups):
    listed = [(f"{name}, of the luck", share) for name, share in groups.items()]
    if "mixed" in causes:
        best, poorest, ahead = _best_and_poorest(_pool(causes))
        listed += [
            ("skill, of what decides where players differ", estimate(_pool(causes)["shares"]["strategies"])),
            (f"{best} ahead of {poorest}", ahead),
        ]
    return ResultTable("Luck and skill", ("what", "share"), listed, frozenset({"share"}))


def _points(listed):
    return {one["name"]: points(estimate(one["effect"])) for one in listed}


def _turned(cost: Estimate) -> Estimate:
    """What a part of the game is worth: the loss of a ship without it."""
    return Estimate(-cost.value, -cost.high, -cost.low, cost.n)


def _verdict(looks, worth, pays="pays", not_pays="does not pay"):
    """Whether something pays, in words; empty where it is too close to call."""
    return (pays if worth.value > 0 else not_pays) if looks.is_clear(worth) else ""


def _heading(looks, parts, groups):
    found = [
        (_verdict(looks, parts["attack"], "fights pay", "fights do not pay")),
        (_verdict(looks, parts["shortage"], "running short on purpose pays", "running short on purpose does not pay")),
        _tamed_word(groups),
    ]
    told = words.listed([verdict for verdict in found if verdict])
    return told or "what players ask is too close to call"


def _tamed_word(groups):
    movement, others = groups["movement"], groups["combat and treasures"]
    if movement.low > others.high:
        return "movement is not tamed"
    return "movement is tamed" if others.low > movement.high else ""


def _tamed(groups):
    answer = {"movement is not tamed": "No", "movement is tamed": "Yes"}.get(_tamed_word(groups), "Too close to call")
    return f"{answer}: {groups_told(groups, 'of the luck')}"


def _too_much_luck(pool):
    """How much of a game can be predicted from who plays, and how often the best comes out ahead of the poorest."""
    skill, (best, poorest, ahead) = estimate(pool["shares"]["strategies"]), _best_and_poorest(pool)
    verdict = "A single game is mostly luck" if skill.high < 0.5 else "A single game is not mostly luck"
    where = f": where every seat is {words.listed(pool['pool'], 'or')}, who plays foretells {prose.share(skill, 0)} of"
    return (
        f"is there too much luck? {verdict}{'' if is_vague(skill) else f'{where} who wins'}.",
        f"over many games skill shows: by their ratings {best}, the best of them, comes out ahead of {poorest}, the "
        f"poorest, in {prose.share(ahead, 0)} of their games.",
    )


def _best_and_poorest(pool):
    """The best and the poorest strategy by rating, and how often the best has more points."""
    ratings = estimates(pool["ratings"])
    best, poorest = list(ratings)[0], list(ratings)[-1]
    gap = difference(ratings[poorest], ratings[best])
    return best, poorest, Estimate(*(chance_ahead(end) for end in (gap.value, gap.low, gap.high)), gap.n)


def _fights(looks, parts):
    told = []
    for name, who in (("attack", "that does not attack"), ("gunpowder", "that commits no gunpowder")):
        how = "less" if parts[name].value > 0 else "more"
        close = "" if looks.is_clear(parts[name]) else " (too close to call)"
        told.append(f"a ship {who} wins {prose.how_many(parts[name])} points {how} often{close}")
    answer = _verdict(looks, parts["attack"], "Yes", "No") or "Too close to call"
    return f"{answer}: {words.listed(told)}."


def _shortages(looks, on_purpose, forgiven):
    answer = _verdict(looks, on_purpose, "Yes", "No") or "Too close to call"
    how = "less" if on_purpose.value > 0 else "more"
    told = f"{answer}: a ship that avoids it wins {prose.how_many(on_purpose)} points {how} often."
    if answer == "Yes" and looks.is_clear(forgiven) and forgiven.value > 0:
        told += f" The shortage itself costs {prose.how_many(forgiven)} points: what pays is the move that leads there."
    return told
