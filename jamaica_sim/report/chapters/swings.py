"""When the chances move, and what players lose by their decisions.

The figures come from games that are played on from every draw and from some decisions (`causes/swings.py`).
"""

from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart
from jamaica_sim.report.chapter import Chapter, ChapterSource, points
from jamaica_sim.report.chapters.sources import (
    SOURCES,
    Shares,
    about_zero,
    bars,
    by_source,
    by_table,
    causes_of,
    difference,
    estimates,
    groups_told,
    has_causes,
    source_table,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge
from jamaica_sim.results.result_table import ResultTable

MOMENTS = {
    "dice": "the dice are thrown",
    "decks": "cards are drawn",
    "combat": "the combat die is rolled",
    "treasures": "treasures are drawn",
    "captain": "the first Captain is drawn",
    "shortage": "the shortage die is rolled",
    "hidden": "a face-down card is stolen",
    "house": "house rules draw luck",
    "own": "players choose by chance",
}
EACH = {
    "dice": "a throw of the dice",
    "decks": "the cards that are drawn after a round",
    "combat": "a battle's dice",
    "treasures": "a treasure",
}
MUCH = 0.1  # a decision is mentioned from this share of all losses on
DECIDED = {
    "place_dice": "the order of the dice",
    "choose_card": "the card to play",
    "choose_space": "the lane to sail",
    "choose_retreat": "where to go back to",
    "hold_to_empty": "the hold to empty",
    "hold_to_pay": "the hold to pay from",
    "choose_target": "whom to attack",
    "attack_powder": "gunpowder to attack",
    "defence_powder": "gunpowder to defend",
    "use_sabre": "a reroll by the sabre",
    "choose_loot": "what to loot",
    "ghost_direction": "the ghost's direction",
    "ghost_space": "the ghost's lane",
    "ghost_target": "the ghost's target",
    "ghost_loot": "the ghost's loot",
    "house_choice": "a choice of a house rule",
}


@dataclass(frozen=True)
class Swings(Findings):
    """The squared swings of every table, by source."""

    tables: dict[str, Shares]
    first: dict[str, Any]  # all findings at the first table
    lead: Comparison  # the largest share at the first table minus the next


def find_swings(study: Study) -> Swings:
    """Read the swings."""
    tables = by_table(study, "swings")
    first = next(iter(tables.values()))
    top, second, *_ = estimates(first["shares"]).values()
    shares = {label: estimates(one["shares"]) for label, one in tables.items()}
    return Swings(shares, first, Comparison(difference(second, top)))


def write_swings(swings: Swings, judge: Judge) -> Chapter:
    """When the chances move."""
    first, shares = swings.first, next(iter(swings.tables.values()))
    names = list(shares)
    chapter = Chapter("swings", "Swings", effect=shares[names[0]].value)
    chapter.heading = "too few games to tell when the chances move most"
    if judge.is_above(swings.lead):
        chapter.heading = f"the chances move most when {MOMENTS[names[0]]}"
    steps, largest = (estimates(first[part]) for part in ("steps", "largest"))
    chapter.say(
        f"{prose.share(shares[names[0]], 0)} of who wins is decided when {MOMENTS[names[0]]}, "
        f"{prose.share(shares[names[1]], 0)} when {MOMENTS[names[1]]}.",
        "this books luck when it takes effect: a card drawn early, or who is first Captain, moves the chances only "
        "when the dice make it matter.",
    )
    sizes = [f"{words_} by {prose.mean(points(largest[name]))}" for name, words_ in EACH.items() if name in largest]
    chapter.say(
        f"how far one step usually moves the chance of a ship, in points: {words.listed(sizes)}.",
        groups_told(estimates(first["groups"]), "of the swings"),
    )
    sub = f"Share of the squared swings; {first['games']:,} games, {first['played_on']} more from every draw of each"
    chapter.figures = [chart("swings", "When the chances move", sub, [bars("", shares)])]
    columns = ("source", "share", "steps in a game", "size of a step")
    content = [(SOURCES[n], shares[n], steps[n], points(largest[n])) for n in names]
    note = "size: root mean square, in points of one chance"
    groups = [(name, share) for name, share in estimates(first["groups"]).items()]
    chapter.tables = [
        ResultTable("Swings", columns, content, frozenset({"share"}), note),
        ResultTable("Swings by group", ("sources", "share"), groups, frozenset({"share"})),
    ]
    if len(swings.tables) > 1:
        chapter.tables.append(source_table("Swings by table", "table", swings.tables, "game"))
        sub = f"Share of the squared swings; {first['games']:,} games at each table"
        titles = "When the chances move, by table", "The other sources, by table"
        chapter.figures += by_source("swings", titles, sub, swings.tables)
    return chapter


@dataclass(frozen=True)
class Decisions(Findings):
    """What a player loses by decisions in a game, in points of win chance, each decision taken alone."""

    lost: dict[str, Comparison]
    together: Comparison  # the sum
    asked: Shares  # how often a player has a choice in a game
    games: int
    decisions: int


def find_decisions(study: Study) -> Decisions:
    """Read what decisions cost."""
    losses = causes_of(study)["losses"]
    return Decisions(
        {DECIDED[name]: Comparison(points(e)) for name, e in estimates(losses["by_decision"]).items()},
        Comparison(points(estimate(losses["together"]))),
        {DECIDED[name]: e for name, e in estimates(losses["asked"]).items()},
        losses["games"],
        losses["decisions"],
    )


def write_decisions(decisions: Decisions, judge: Judge) -> Chapter:
    """What players lose by their decisions."""
    together, is_clear = decisions.together.estimate, judge.is_clear(decisions.together)
    lost = {name: one.estimate for name, one in decisions.lost.items()}
    chapter = Chapter("decisions", "Decisions", effect=max(0.0, together.value) / 100)
    chapter.heading = "what decisions cost is too close to call"
    if is_clear:
        chapter.heading = f"decisions cost a player about {words.amount(together.value, 0)} points, each taken alone"
    much = [f"{name} {prose.mean(one.estimate)}" for name, one in decisions.lost.items()
            if judge.is_above(one) and lost[name].value >= MUCH * together.value]  # fmt: skip
    chapter.say(
        f"by decisions, each taken alone, a player loses {prose.mean(together)} points of win chance in a game, "
        "against one who sees all hands and knows the chances of every answer."
        if is_clear
        else f"what a player loses by decisions in a game, each taken alone: {prose.change(together)} points.",
        f"most of it is lost by: {words.listed(much)}." if much else "",
    )
    chapter.say(
        "a loss is counted where games played on call another answer clearly better; other games say by how much. So "
        "small losses are missed, and one that is not there can come out a little below zero.",
        "the sum says nothing about better play throughout: one better decision changes what the next are worth.",
    )
    sub = (
        f"Points of win chance that one player loses in a game; {decisions.decisions:,} decisions of "
        f"{decisions.games:,} games, every answer played on"
    )
    everything = {"all decisions": together, **lost}
    chapter.figures = [chart("decisions", "What decisions cost", sub, [about_zero(everything)])]
    content = [("all decisions", together, ""), *((name, e, decisions.asked[name]) for name, e in lost.items())]
    note = (
        "lost: points of win chance that one player loses in a game, each decision taken alone; asked: how often a "
        "player has a choice in a game"
    )
    chapter.tables = [ResultTable("What decisions cost", ("decision", "lost", "asked"), content, note=note)]
    return chapter


CHAPTERS = {
    "swings": ChapterSource(find_swings, write_swings, has_causes("swings")),
    "decisions": ChapterSource(find_decisions, write_decisions, has_causes("losses")),
}
