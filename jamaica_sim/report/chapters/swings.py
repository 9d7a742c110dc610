"""When the chances move, and what players lose by their decisions.

The figures come from games that are played on from every draw and from some decisions (`causes/swings.py`).
"""

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, chapter_named, points
from jamaica_sim.report.chapters.luck import (
    SOURCES,
    about_zero,
    bars,
    by_source,
    chart,
    estimates,
    found_there,
    groups_told,
    labels,
)
from jamaica_sim.report.forms import Panel
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable

MOMENTS = {
    "dice": "the dice are thrown",
    "decks": "cards are drawn",
    "combat": "the combat die is rolled",
    "treasures": "treasures are drawn",
    "captain": "the first Captain is drawn",
    "shortage": "the shortage die is rolled",
    "hidden": "a face-down card is stolen",
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
}


@chapter_named("swings", found_there("swings"))
def swings(study: Study, looks: Looks) -> Chapter:
    """When the chances move."""
    tables = [one["swings"] for one in study.causes["tables"]]
    first, shares = tables[0], estimates(tables[0]["shares"])
    names = list(shares)
    chapter = Chapter("swings", "Swings", effect=shares[names[0]].value)
    chapter.heading = "too few games to tell when the chances move most"
    if shares[names[0]].low > shares[names[1]].high:
        chapter.heading = f"the chances move most when {MOMENTS[names[0]]}"
    steps, largest = (estimates(first[part]) for part in ("steps", "largest"))
    chapter.say(
        f"{prose.share(shares[names[0]], 0)} of the variance of winning is decided when {MOMENTS[names[0]]}, "
        f"{prose.share(shares[names[1]], 0)} when {MOMENTS[names[1]]}.",
        "this books luck when it takes effect: a card drawn early, or who is first Captain, moves the chances only "
        "when the dice make it matter.",
    )
    told = [
        f"{EACH[name]} by {prose.mean(points(largest[name]))}"
        for name in ("dice", "decks", "combat", "treasures")
        if name in largest
    ]
    chapter.say(
        f"one step moves the chance of a ship, in points (root mean square): {words.listed(told)}.",
        groups_told(estimates(first["groups"]), "of the swings"),
    )
    chapter.say(
        f"the squared swings add up to {prose.mean(estimate(first['variance']))}; counted from the results alone the "
        f"variance is {prose.mean(estimate(first['direct']))}.",
    )
    sub = f"Share of the squared swings; {first['games']:,} games, {first['played_on']} more from every draw of each"
    chapter.figures = [chart("swings", "When the chances move", sub, Panel("", bars(shares), form="bars"))]
    columns = ("source", "share", "steps in a game", "size of a step")
    listed = [(SOURCES[n], shares[n], steps[n], points(largest[n])) for n in names]
    chapter.tables = [
        ResultTable("Swings", columns, listed, frozenset({"share"}), "size: root mean square, in points of one chance")
    ]
    if len(tables) > 1:
        _by_table(chapter, study, tables)
    return chapter


def _by_table(chapter, study, tables):
    kinds = list(dict.fromkeys(name for one in tables for name in one["shares"]))
    found = {label: estimates(one["shares"]) for label, one in zip(labels(study), tables, strict=True)}
    listed = [(label, *(shares.get(name, "not drawn") for name in kinds)) for label, shares in found.items()]
    columns = ("table", *(SOURCES[name] for name in kinds))
    chapter.tables.append(ResultTable("Swings by table", columns, listed, frozenset(columns[1:])))
    added = [
        (label, estimate(one["variance"]), estimate(one["direct"]))
        for label, one in zip(found, tables, strict=True)
    ]  # fmt: skip
    columns = ("table", "squared swings", "variance of winning")
    chapter.tables.append(ResultTable("What the swings add up to", columns, added))
    sub = f"Share of the squared swings; {tables[0]['games']:,} games at each table"
    titles = "When the chances move, by table", "The other sources, by table"
    chapter.figures += by_source("swings", titles, sub, found, kinds)


@chapter_named("decisions", found_there("losses"))
def decisions(study: Study, looks: Looks) -> Chapter:
    """What players lose by their decisions."""
    found = study.causes["losses"]
    lost = {DECIDED[name]: points(e) for name, e in estimates(found["by_decision"]).items()}
    asked = {DECIDED[name]: e for name, e in estimates(found["asked"]).items()}
    together = points(estimate(found["together"]))
    clear = {name: value for name, value in lost.items() if looks.is_clear(value) and value.value > 0}
    chapter = Chapter("decisions", "Decisions", effect=max(0.0, together.value) / 100)
    chapter.heading = "what decisions cost is too close to call"
    if looks.is_clear(together):
        chapter.heading = (
            f"decisions cost a player about {words.amount(together.value, 0)} points of win chance or more"
        )
    told = [f"{name} {prose.mean(value)}" for name, value in clear.items() if value.value >= MUCH * together.value]
    chapter.say(
        f"by decisions a player loses at least {prose.mean(together)} points of win chance in a game, against one who "
        "sees all hands and knows the chances of every answer."
        if looks.is_clear(together)
        else f"what a player loses by decisions in a game: {prose.change(together)} points.",
        f"most of it is lost by: {words.listed(told)}." if told else "",
    )
    chapter.say(
        "a loss is counted where games played on call another answer clearly better; other games say by how much. So "
        "small losses are missed, and one that is not there can come out a little below zero."
    )
    everything = {"all decisions": together, **lost}
    sub = (
        f"Points of win chance that one player loses in a game; {found['decisions']:,} decisions of {found['games']:,} "
        "games, every answer played on"
    )
    chapter.figures = [chart("decisions", "What decisions cost", sub, about_zero(everything))]
    listed = [("all decisions", together, "")] + [(name, value, asked[name]) for name, value in lost.items()]
    note = (
        "lost: points of win chance that one player loses in a game, at least; asked: how often a player has a choice "
        "in a game"
    )
    chapter.tables = [ResultTable("What decisions cost", ("decision", "lost", "asked"), listed, note=note)]
    return chapter
