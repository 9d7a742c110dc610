"""What each thing is worth and what a part of the game is worth, in points of win rate.

Behind each price is a designed experiment on the same deals, or a natural one in which luck alone decides who gets a
thing (`causes/worth.py`). Restricted play (Jaffe and others 2012) takes a part of the game away from one ship: by
designs beside the settings (`restricted`), or in line-ups among the settings (`bans`).
"""

from jamaica_sim.causes.findings import estimate
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import Chapter, Figure, KeyNumber, chapter_named, games_line, mark_of, points, spoken
from jamaica_sim.report.chapters.luck import about_zero, answers_questions, chart, found_there
from jamaica_sim.report.forms import Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

BANS = {
    "attack": "attacking",
    "lairs": "calling at treasure lairs",
    "gunpowder": "spending gunpowder",
    "backward": "playing backward cards",
    "shortage": "running short on purpose",
}
PARTS = {
    "attack": "attacks",
    "lairs": "treasure lairs",
    "gunpowder": "gunpowder",
    "backward": "backward cards",
    "shortage": "shortages on purpose",
}
GROUPS = {  # of prices: how each is named in the table, how it was measured, and the group's title in the chart
    "starts": ("{} at the start", "one ship differs, same deals", "At the start"),
    "seats": ("seat: {}", "who is first Captain is drawn", "Seat, against an equal share"),
    "shortage": ("{}", "one ship, same deals", "Shortage"),
    "powers": ("power of {}", "switched off, same deals, for who draws it", "Power, for the ship that draws it"),
    "treasures": (
        "drawing {}",
        "which card it is is luck; against the mean of all",
        "Treasure drawn, against the mean of all that are drawn",
    ),
    "cards": ("card {}", "left out of one deck, same deals", "Action card in the deck, against a deck that lacks it"),
    "hands": ("{} in the first hand", "which cards are dealt is luck", "Action card in the first hand"),
}
PRICE_ROW = 25  # height of a row: there are many rows
REFUSED = "backward"  # this ban does not price the cards, because refused cards stay in the hand


@chapter_named("worths", found_there("worths"))
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
    poor = [name for name, effect in cards.items() if looks.is_clear(effect) and effect.value < 0]
    chapter.say(
        f"a ship whose deck lacks {best} wins {prose.how_many(cards[best])} points less often, on the same deals.",
        f"it wins more often without {words.listed(poor)}: better cards come up instead." if poor else "",
    )
    asked = answers_questions(study)
    chapter.say(
        _starts_sentence(looks, found["starts"]),
        "one hold more is a sixth one from the start, at a table where the card 6th Hold does nothing.",
        _seats_sentence(found["seats"]),
        "" if asked else _shortage_sentence(looks, next(iter(found["shortage"].values()))),
        "" if asked else powers_told(looks, found["powers"]),
    )
    chapter.say(
        "which treasure a lair gives is luck, that a ship draws at all is not: figures for treasures are contrasts "
        "with the mean of all cards drawn, and only such contrasts are effects.",
    )
    prices = sorted(
        ((GROUPS[group][0].format(name), effect, GROUPS[group][1])
         for group, listed in found.items() for name, effect in listed.items()),
        key=lambda price: -price[1].value,
    )  # fmt: skip
    chapter.figures = [_price_chart(found)]
    columns = ("thing", "points of win rate", "how it was measured")
    chapter.tables = [ResultTable("The price of each thing", columns, prices)]
    return chapter


def _price_chart(found):
    """All prices on one scale, by kind, dearest first."""
    effects = [effect for listed in found.values() for effect in listed.values()]
    low, high = min(0.0, *(e.low for e in effects)), max(e.high for e in effects)
    panels = [
        Panel(
            title,
            [Row(name, [mark_of(e)]) for name, e in sorted(found[group].items(), key=lambda item: -item[1].value)],
            low=low,
            high=high,
            line=0.0,
        )
        for group, (_, _, title) in GROUPS.items()
    ]
    games = sorted(effect.n for effect in effects)
    sub = f"Points of win rate of the ship that has it, with 95% intervals; {games[0]:,} to {games[-1]:,} games each"
    told = spoken([(panel.title, panel.rows) for panel in panels])
    return Figure("prices", "The price of each thing", sub, rows(told, panels, PRICE_ROW, below=True))


def _starts_sentence(looks, starts):
    """What it is worth to begin with more or less."""
    clear = [name for name, effect in starts.items() if looks.is_clear(effect)]
    close = [f"{name} {prose.change(starts[name])}" for name in starts if name not in clear]
    told = [f"{name} {prose.change(starts[name])}" for name in clear]
    parts = [f"at the start, in points of win rate: {words.listed(told)}." if told else ""]
    if close:
        parts.append(f"too close to call: {words.listed(close)}.")
    return " ".join(words.sentence(part) for part in parts if part)


def _shortage_sentence(looks, short):
    if not looks.is_clear(short):
        return f"a shortage that is forgiven changes the win rate by {prose.change(short)} points: too close to call."
    return f"a shortage costs {prose.how_many(short)} points of win rate, measured by forgiving one of them."


def powers_told(looks: Looks, powers: dict[str, Estimate]) -> str:
    """What each power is worth to the ship that draws it."""
    order = sorted(powers, key=lambda name: -powers[name].value)
    told = [f"{name} {prose.change(powers[name])}" for name in order]
    close = [name for name in order if not looks.is_clear(powers[name])]
    return (
        f"to the ship that draws it a power is worth, in points of win rate: {words.listed(told)}"
        + (f" ({words.listed(close)}: too close to call)" if close else "")
        + "."
    )


def _seats_sentence(seats):
    first, last = list(seats)[0], list(seats)[-1]
    return (
        f"against an equal share the first Captain's win rate is {prose.change(seats[first])} points, and that of the "
        f"player who is last in the first round {prose.change(seats[last])}."
    )


# Restricted play


@chapter_named("restricted", found_there("restricted"))
def restricted(study: Study, looks: Looks) -> Chapter:
    """What a ban costs, by designs beside the settings."""
    found = {one["name"]: points(estimate(one["effect"])) for one in study.causes["restricted"]}
    games = max(effect.n for effect in found.values())
    return _what_bans_cost("restricted", looks, found, f"on the same deals; {games:,} games")


@chapter_named("bans", lambda study: any(_banned(setting) for setting in study.settings))
def bans(study: Study, looks: Looks) -> Chapter:
    """What a ban costs, in line-ups in which one ship has it."""
    factors = [name for name in study.varying if name != LINE_UP]
    tables: dict[str, dict[str, Setting]] = {}
    for setting in study.settings:
        if _banned(setting):
            of_table = tables.setdefault(label_of(setting, factors) if factors else "", {})
            of_table[_banned(setting)] = setting
    costs = {place: {ban: _cost(study, s) for ban, s in found.items()} for place, found in tables.items()}
    (place, found), *others = costs.items()
    settings = [s for of_table in tables.values() for s in of_table.values()]
    where = f" ({place})" if others else ""
    chapter = _what_bans_cost(
        "bans", looks, found, f"against a ship that leaves nothing out{where}; {games_line(settings)}"
    )
    if others:
        chapter.figures.append(_other_tables(found, dict(others)))
        chapter.heading = _at_every_table(looks, costs) or chapter.heading
    if others:
        columns = ("table", *BANS.values())
        listed = [(label, *(of_table.get(ban, "") for ban in BANS)) for label, of_table in costs.items()]
        note = "points of win rate without it"
        chapter.tables.append(ResultTable("Restricted play by table", columns, listed, note=note))
    chapter.tables.append(_voyages(tables))
    return chapter


def _other_tables(found, others):
    """The costs of bans at the other tables, side by side, in the order of the first table."""
    low = min(0.0, *(effect.low for of_table in others.values() for effect in of_table.values()))
    panels = [
        Panel(label, [Row(BANS[ban], [mark_of(of_table[ban])]) for ban in _dearest_first(found) if ban in of_table],
              low=low, line=0.0)
        for label, of_table in others.items()
    ]  # fmt: skip
    told = spoken([(panel.title, panel.rows) for panel in panels])
    sub = "Points of win rate that a ship changes by without it"
    return Figure("bans_others", "What a part of the game is worth at other tables", sub, rows(told, panels))


def _at_every_table(looks, costs):
    """A heading if leaving out any part of the game costs wins at every table; otherwise empty."""
    effects = [effect for of_table in costs.values() for effect in of_table.values()]
    clear = [looks.is_clear(effect) and effect.value < 0 for effect in effects]
    return f"leaving out any of them costs wins, at each of {words.number(len(costs))} tables" if all(clear) else ""


def _banned(setting):
    """The ban, if one ship alone has a ban and only one; otherwise None."""
    banned = [strategy.bans for strategy in setting.strategies if strategy.bans]
    return banned[0][0] if len(banned) == 1 and len(banned[0]) == 1 else None


def _cost(study, setting):
    """The win rate of the ship with a ban minus that of a ship where nobody has one, in points, on the same deals.

    Where nobody has a ban, every ship wins an equal share of what the players win.
    """
    sums, players = setting.results.sums, setting.rules.players
    free = [s for s in study.settings if s.rules == setting.rules and not any(x.bans for x in s.strategies)]
    equal = free[0].results.sums.players("win") / free[0].results.sums.games / players if free else 1 / players
    return points(jackknife(sums.ship(_ship(setting), "win") / sums.games - equal, setting.games))


def _ship(setting):
    """Which ship has the ban."""
    return [bool(strategy.bans) for strategy in setting.results.table.strategies].index(True)


def _voyages(tables):
    """How the ship with a ban fares otherwise."""
    quantities = ("win", "score", "battles", "treasures_taken", "shortages")
    listed = []
    for place, of_table in tables.items():
        for ban, setting in of_table.items():
            name = ", ".join(filter(None, (place, f"no {PARTS[ban]}")))
            listed.append((name, *(setting.results.of_ships("ship", _ship(setting), q) for q in quantities)))
    columns = ("ship", "win rate", *(quantity.replace("_", " ") for quantity in quantities[1:]))
    return ResultTable("The ship with a ban", columns, listed, frozenset({"win rate"}), "per game")


def _dearest_first(found):
    return dict(sorted(found.items(), key=lambda item: item[1].value))


def _what_bans_cost(key, looks, found: dict[str, Estimate], how) -> Chapter:
    chapter = Chapter(key, "Restricted play")
    order = _dearest_first(found)
    clear = {name for name, effect in order.items() if looks.is_clear(effect)}
    costly = [name for name in order if name in clear and found[name].value < 0]
    parts = [name for name in costly if name != REFUSED]
    leaders = [name for name in parts[:2] if found[name].low <= found[parts[0]].high]
    chapter.heading = "no ban costs anything"
    if leaders:
        each = " each" if len(leaders) > 1 else ""
        chapter.heading = (
            f"{words.listed([PARTS[name] for name in leaders])} are worth most: "
            f"{_about([found[name] for name in leaders])} points of win rate{each}"
        )
    chapter.headline = chapter.heading
    chapter.effect = abs(next(iter(order.values())).value) / 100
    others = [f"{PARTS[name]} {prose.how_many(found[name])}" for name in parts if name not in leaders]
    chapter.standfirst = [
        "So much less often a ship wins that does without." if leaders else "",
        f"Of the other parts of the game: {words.listed(others)} points." if others else "",
    ]
    chapter.keys = [
        KeyNumber(
            words.signed(found[name].value, 0),
            f"points of win rate {'for who refuses' if name == REFUSED else 'without'} {PARTS[name]}",
        )
        for name in order
    ]
    chapter.say(*(_ban_sentence(name, effect, name in clear) for name, effect in order.items()))
    chapter.say("the rest of the strategy stays as it is: it is not tuned to do without.")
    panel = about_zero({BANS[name]: effect for name, effect in order.items()})
    sub = f"Points of win rate that a ship changes by without it, {how}"
    chapter.hero = chart("bans", "What a part of the game is worth", sub, panel)
    chapter.figures = [chapter.hero]
    columns = ("without", "points of win rate")
    chapter.tables = [ResultTable("Restricted play", columns, [(BANS[n], e) for n, e in order.items()])]
    return chapter


def _about(effects):
    """The range of effects that cannot be told apart, without their sign."""
    low, high = (words.amount(end(abs(effect.value) for effect in effects), 0) for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _ban_sentence(name, effect, is_clear):
    if not is_clear:
        return f"{BANS[name]} hardly matters: without it {prose.change(effect)} points, too close to call."
    if effect.value > 0:
        return f"{BANS[name]} does not pay: without it a ship wins {prose.how_many(effect)} points more often."
    if name == REFUSED:
        return (
            f"a ship that refuses backward cards while it has others wins {prose.how_many(effect)} points less often: "
            "cards that are refused stay in the hand."
        )
    return f"{BANS[name]} pays: without it a ship wins {prose.how_many(effect)} points less often."
