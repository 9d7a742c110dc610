"""Causes: where the luck sits, when the chances move, what each thing is worth, what a ban costs.

The figures come from designs that an experiment plays beside its settings (`causes/findings.py`). An effect is called
one only where its interval, widened for all effects of its table, leaves out zero.
"""

import math

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, chapter_named, mark_of, points, spoken
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate

SOURCES = {
    "captain": "who is first Captain",
    "dice": "dice",
    "decks": "cards drawn",
    "treasures": "treasures",
    "combat": "combat die",
    "shortage": "shortage die",
    "hidden": "stolen cards",
    "own": "players' own luck",
    "strategies": "skill",
}
BANS = {
    "attack": "attacking",
    "lairs": "calling at treasure lairs",
    "gunpowder": "spending gunpowder",
    "backward": "sailing backward",
    "shortage": "running short on purpose",
}
WIDER = 1.6  # intervals of one thing among about a dozen: Bonferroni's 2.9 standard errors instead of 1.96


def _has(name):
    def applies(study):
        found = study.causes or {}
        return name in found or any(name in one for one in found.get("tables", []))

    return applies


def _is_clear(effect: Estimate) -> bool:
    """Whether an effect is one, among all of its table."""
    return abs(effect.value) > WIDER * effect.half_width


def _shares(found) -> dict[str, Estimate]:
    return {name: estimate(values) for name, values in found["shares"].items()}


def _labels(study):
    return [setting.label for setting in study.settings]


def _bars(found: dict[str, Estimate]):
    return [_bar(name, share) for name, share in found.items()]


def _bar(name, share):
    """The share of a source, none where nothing is drawn from it."""
    return Row(SOURCES[name], [Mark(0.0, "none") if share is None else mark_of(share, True)])


def _dots(effects: dict[str, Estimate]) -> Panel:
    """Effects with their intervals about zero."""
    low = min(0.0, *(effect.low for effect in effects.values()))
    return Panel("", [Row(name, [mark_of(effect)]) for name, effect in effects.items()], low=low, line=0.0)


@chapter_named("luck", _has("luck"))
def luck(study: Study, looks: Looks) -> Chapter:
    """The luck budget."""
    tables = [one["luck"] for one in study.causes["tables"]]
    first, shares = tables[0], _shares(tables[0])
    names = list(shares)
    chapter = Chapter("luck", "Luck budget")
    top, second, third = (SOURCES[name] for name in names[:3])
    chapter.headline = f"{top} and {second} are {_part(shares[names[0]], shares[names[1]])} of the luck"
    chapter.heading = (
        f"{top} come first, then {second} and {third}"
        if shares[names[0]].low > shares[names[1]].high
        else f"{top} and {second} come first, then {third}"
    )
    chapter.standfirst = [
        f"Of all that decides who wins among equal players, {prose.share(shares[names[0]], 0)} is {top}, "
        f"{prose.share(shares[names[1]], 0)} {second}, {prose.share(shares[names[2]], 0)} {third}.",
        "The parts add up to everything: what several sources do together is shared equally among them.",
    ]
    others = [f"{SOURCES[name]} {prose.share(shares[name], 0)}" for name in names[3:]]
    chapter.say(f"the rest is {words.listed(others)}.", _chaos(first))
    panel = Panel("", _bars(shares), form="bars")
    sub = f"Share of the variance of winning (Shapley effects); {first['deals']:,} deals, {first['games']:,} games"
    chapter.hero = Figure("budget", "Where the luck sits", sub, rows(spoken([("", panel.rows)]), [panel]))
    chapter.figures = [chapter.hero]
    chapter.keys = [
        KeyNumber(words.percent(shares[name].value, 0), f"of the luck: {SOURCES[name]}") for name in names[:4]
    ]
    columns = ("source", "Shapley effect", "alone (S)", "with others (T)")
    listed = [(SOURCES[name], shares[name], *(estimate(index) for index in first["indices"][name])) for name in names]
    chapter.tables = [ResultTable("Luck budget", columns, listed, frozenset(columns[1:]), unit="deal")]
    if len(tables) > 1:
        _other_tables(chapter, study, tables)
    return chapter


def _part(*shares):
    """What several shares are together, in words; "about half" where the interval holds it."""
    together = sum(share.value for share in shares)
    reach = math.hypot(*(share.half_width for share in shares))
    return "about half" if abs(together - 0.5) <= reach else words.fraction(together) or words.percent(together, 0)


def _chaos(first):
    alone = max(estimate(pair[0]).value for pair in first["indices"].values())
    whole = sorted((estimate(pair[1]) for pair in first["indices"].values()), key=lambda e: -e.value)
    return (
        f"the game is chaotic: no source explains more than {words.percent(max(alone, 0), 0)} by itself, yet "
        f"{prose.share(whole[0], 0)} of it all would be open again if only the strongest were drawn anew."
    )


def _other_tables(chapter, study, tables):
    """The same budget at every table, side by side."""
    labels, kinds = _labels(study), list(dict.fromkeys(name for one in tables for name in _shares(one)))
    listed = []
    for label, one in zip(labels, tables, strict=True):
        shares = _shares(one)
        listed.append((label, *(shares.get(name, "not drawn") for name in kinds)))
    columns = ("table", *(SOURCES[name] for name in kinds))
    chapter.tables.append(ResultTable("Luck budget by table", columns, listed, frozenset(columns[1:]), unit="deal"))
    made = [
        Panel(label, [_bar(name, _shares(one).get(name)) for name in kinds], form="bars", high=0.4)
        for label, one in zip(labels, tables, strict=True)
    ]
    for start in range(0, len(made), 2):
        group = made[start : start + 2]
        told = spoken([(panel.title, panel.rows) for panel in group])
        title = " and ".join(panel.title for panel in group)
        sub = f"Share of the variance of winning; {tables[0]['deals']:,} deals at each table"
        chapter.figures.append(Figure(f"budget_{start // 2 + 1}", title, sub, rows(told, group)))


@chapter_named("swings", _has("swings"))
def swings(study: Study, looks: Looks) -> Chapter:
    """When the chances move."""
    tables = [one["swings"] for one in study.causes["tables"]]
    first, shares = tables[0], _shares(tables[0])
    names = list(shares)
    chapter = Chapter("swings", "Swings", effect=shares[names[0]].value)
    chapter.heading = f"the chances move most when {_moment(names[0])}"
    steps, largest = ({n: estimate(v) for n, v in first[part].items()} for part in ("steps", "largest"))
    chapter.say(
        f"{prose.share(shares[names[0]], 0)} of the variance of winning is decided when {_moment(names[0])}, "
        f"{prose.share(shares[names[1]], 0)} when {_moment(names[1])}.",
        "this books a card when it takes effect: one drawn early moves the chances only when the dice make it useful.",
        f"the squared swings add up to {prose.mean(estimate(first['variance']))}; counted from the results alone the "
        f"variance is {prose.mean(estimate(first['direct']))}.",
    )
    panel = Panel("", _bars(shares), form="bars")
    sub = f"Share of the squared swings; {first['games']:,} games, each played on from every draw"
    chapter.figures = [Figure("swings", "When the chances move", sub, rows(spoken([("", panel.rows)]), [panel]))]
    columns = ("source", "share", "steps in a game", "size of a step")
    listed = [(SOURCES[n], shares[n], steps[n], points(largest[n])) for n in names]
    chapter.tables = [
        ResultTable("Swings", columns, listed, frozenset({"share"}), "size: root mean square, in points of one chance")
    ]
    if "losses" in study.causes:
        _losses(chapter, study.causes["losses"])
    return chapter


def _moment(name):
    return {
        "dice": "the dice are thrown",
        "decks": "cards are drawn",
        "combat": "the combat die is rolled",
        "treasures": "treasures are drawn",
        "captain": "the first Captain is drawn",
        "shortage": "the shortage die is rolled",
        "hidden": "a face-down card is stolen",
        "own": "players choose by chance",
    }[name]


def _losses(chapter, found):
    lost = {name: points(estimate(values)) for name, values in found["by_decision"].items()}
    listed = [(name.replace("_", " "), value) for name, value in lost.items()]
    note = "points of win chance that one player loses in a game, against the best answer of one who sees all hands"
    chapter.tables.append(ResultTable("What decisions cost", ("decision", "lost"), listed, note=note))
    clear = {name: value for name, value in lost.items() if value.value > WIDER * value.half_width}
    if clear:
        told = [f"{name.replace('_', ' ')} {prose.mean(value)} points" for name, value in clear.items()]
        chapter.say(
            f"decisions that a player who sees all hands would make otherwise cost: {words.listed(told)} a game."
        )


@chapter_named("mixed", _has("mixed"))
def mixed(study: Study, looks: Looks) -> Chapter:
    """Skill at mixed tables."""
    found = study.causes["mixed"]
    shares = _shares(found)
    skill, spread = shares["strategies"], estimate(found["spread"])
    chapter = Chapter("mixed", "Skill", effect=skill.value)
    chapter.heading = f"skill is {words.percent(skill.value, 0)} of what decides at mixed tables"
    chapter.say(
        f"where every seat is drawn from {words.listed(found['pool'])}, who plays explains {prose.share(skill, 0)} "
        "of who wins; the rest is luck.",
        f"the ratings of these strategies spread by {prose.mean(spread)} Elo points (standard deviation, as Duersch, "
        "Lambrecht and Oechssler 2020 measure it). A pool of more equal players would spread less.",
    )
    bars = Panel("Share of what decides", _bars(shares), form="bars")
    rated = {name: estimate(values) for name, values in found["ratings"].items()}
    chapter.figures = [
        Figure("mixed", "Skill and luck at mixed tables", f"{found['deals']:,} deals, {found['games']:,} games",
               rows(spoken([("", bars.rows)]), [bars]))
    ]  # fmt: skip
    chapter.tables = [
        ResultTable("Mixed tables", ("source", "share"), [(SOURCES[n], s) for n, s in shares.items()],
                    frozenset({"share"}), unit="deal"),
        ResultTable("Ratings", ("strategy", "Elo points"), list(rated.items())),
    ]  # fmt: skip
    return chapter


GROUPS = {
    "starts": "Starting goods",
    "cards": "Action cards, left out of one deck",
    "hands": "Action cards in the first hand",
    "treasures": "Treasures, by who draws them",
    "powers": "Powers, for who draws them",
    "seats": "Order of the first round",
    "shortage": "A shortage forgiven",
}


DRAWN = ("cards", "treasures", "starts")  # as charts; the others have tables


@chapter_named("worths", _has("worths"))
def worths(study: Study, looks: Looks) -> Chapter:
    """What each thing is worth."""
    found = {
        group: {one["name"]: points(estimate(one["effect"])) for one in listed}
        for group, listed in study.causes["worths"].items()
    }
    chapter = Chapter("worths", "Worths")
    cards = found["cards"]
    best = max(cards, key=lambda name: cards[name].value)
    chapter.heading = f"{best} is the card that a deck misses most"
    chapter.effect = abs(cards[best].value) / 100
    clear = {(g, n): e for g, listed in found.items() for n, e in listed.items() if _is_clear(e)}
    poor = [name for name, effect in cards.items() if _is_clear(effect) and effect.value < 0]
    short = next(iter(found["shortage"].values()))
    lacking = f"it wins more often without {words.listed(poor)}." if poor else ""
    chapter.say(
        f"a ship whose deck lacks {best} wins {prose.how_many(cards[best])} points less often, on the same deals.",
        lacking,
        _shortage_sentence(short),
    )
    chapter.say(
        *(
            f"{name}: {prose.change(found['starts'][name], ' points')} of win rate."
            for name in found["starts"]
            if ("starts", name) in clear
        ),
        "which treasure a lair gives is luck, that a ship draws at all is not: figures for treasures are contrasts "
        "with the mean of all cards drawn.",
    )
    for group, title in GROUPS.items():
        listed = dict(sorted(found[group].items(), key=lambda item: -item[1].value))
        panel = _dots(listed)
        if group in DRAWN:
            count = max(effect.n for effect in listed.values())
            sub = f"Points of win rate of the ship that has it, with 95% intervals; {count:,} games"
            chapter.figures.append(Figure(group, title, sub, rows(spoken([("", panel.rows)]), [panel])))
        chapter.tables.append(ResultTable(title, ("thing", "points of win rate"), list(listed.items())))
    return chapter


def _shortage_sentence(short):
    if not _is_clear(short):
        return (
            f"a shortage that is forgiven changes the win rate by {prose.change(short, ' points')}: too close to call."
        )
    return f"a shortage costs {prose.how_many(short)} points of win rate, measured by forgiving one of them."


@chapter_named("restricted", _has("restricted"))
def restricted(study: Study, looks: Looks) -> Chapter:
    """What a ban costs."""
    found = {one["name"]: points(estimate(one["effect"])) for one in study.causes["restricted"]}
    chapter = Chapter("restricted", "Restricted play")
    worst, second = sorted(found, key=lambda name: found[name].value)[:2]
    costly = {name: effect for name, effect in found.items() if _is_clear(effect) and effect.value < 0}
    chapter.heading = "no ban costs anything"
    if costly:
        close = found[worst].high >= found[second].low
        chapter.heading = (
            f"the dearest bans are those of {BANS[worst]} and {BANS[second]}"
            if close
            else f"the dearest ban is that of {BANS[worst]}"
        )
    chapter.effect = abs(found[worst].value) / 100
    chapter.say(*(_ban_sentence(name, effect) for name, effect in found.items()))
    listed = dict(sorted(found.items(), key=lambda item: item[1].value))
    panel = _dots({BANS[name]: effect for name, effect in listed.items()})
    games = max(effect.n for effect in found.values())
    sub = f"Points of win rate that a ship changes by without it, on the same deals; {games:,} games"
    chapter.figures = [
        Figure("bans", "What a part of the game is worth", sub, rows(spoken([("", panel.rows)]), [panel]))
    ]
    columns = ("without", "points of win rate")
    chapter.tables = [ResultTable("Restricted play", columns, [(BANS[n], e) for n, e in listed.items()])]
    return chapter


def _ban_sentence(name, effect):
    if not _is_clear(effect):
        return f"{BANS[name]} hardly matters: without it {prose.change(effect, ' points')}, too close to call."
    if effect.value > 0:
        return f"{BANS[name]} does not pay: without it a ship wins {prose.how_many(effect)} points more often."
    if name == "backward":  # no praise of the cards: a deck without them does better
        return (
            f"a ship that refuses backward cards while it has others wins {prose.how_many(effect)} points less often: "
            "cards that are refused stay in the hand."
        )
    return f"{BANS[name]} pays: without it a ship wins {prose.how_many(effect)} points less often."
