"""What each thing is worth and what a part of the game is worth, in points of win rate.

Behind each price is a designed experiment on the same deals, or a natural one in which luck alone decides who gets a
thing (`causes/worth.py`). Restricted play (Jaffe and others 2012) takes a part of the game away from one ship: by
designs beside the settings (`restricted`), or in line-ups among the settings (`bans`). A ban acts only where there is
another answer, so a ship with a ban still attacks now and then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import chart, mark_of
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, points
from jamaica_sim.report.chapters.sources import Shares, about_zero, causes_of, difference, has_causes
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge, allowing_for
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
        "the card drawn is random; against the mean of all",
        "Treasure drawn, against the mean of all that are drawn",
    ),
    "cards": ("card {}", "left out of one deck, same deals", "Action card in the deck, against a deck that lacks it"),
    "hands": ("{} in the first hand", "the cards dealt are random", "Action card in the first hand"),
}
PRICE_ROW = 25  # height of a row: there are many rows
REFUSED = "backward"  # this ban does not price the cards, because refused cards stay in the hand
WHERE_POSSIBLE = "A ban acts only where there is another answer: the ship still does it where nothing else is left."


@dataclass(frozen=True)
class Worths(Findings):
    """The price of each thing, by group, and how far the best card is ahead of the next."""

    prices: dict[str, dict[str, Comparison]]
    lead: Comparison
    others: dict[str, list[tuple[str, Estimate, Estimate, Comparison]]]  # by who plays: thing, price, here, difference

    def points(self, group: str) -> Shares:
        """The prices of a group, the dearest first."""
        prices = {name: one.estimate for name, one in self.prices[group].items()}
        return dict(sorted(prices.items(), key=lambda item: -item[1].value))


def find_worths(study: Study) -> Worths:
    """Read the price of each thing in points of win rate."""
    causes = causes_of(study)
    prices, elsewhere = _prices(causes), {one["who"]: _prices(one) for one in causes.get("others", [])}
    others = {
        who: [
            (GROUPS[group][0].format(name), price.estimate, here.estimate,
             Comparison(difference(here.estimate, price.estimate)))
            for group, listed in prices.items()
            for name, here in listed.items()
            if (price := found[group].get(name))
        ]
        for who, found in elsewhere.items()
    }  # fmt: skip
    best, second, *_ = sorted((one.estimate for one in prices["cards"].values()), key=lambda e: -e.value)
    return Worths(prices, Comparison(allowing_for(difference(second, best), len(prices["cards"]))), others)


def _prices(causes: Mapping[str, Any]) -> dict[str, dict[str, Comparison]]:
    return {
        group: {one["name"]: Comparison(points(estimate(one["effect"]))) for one in listed}
        for group, listed in causes["worths"].items()
    }


def write_worths(worths: Worths, judge: Judge) -> Chapter:
    """What each thing is worth."""
    cards = worths.points("cards")
    best, second, *_ = order = list(cards)
    chapter = Chapter("worths", "Worths", effect=abs(cards[best].value) / 100)
    chapter.heading = f"{best} is the card that a deck misses most"
    if not judge.is_above(worths.lead):
        chapter.heading = f"{best} and {second} are cards that a deck misses most"
    poor = [name for name in order if judge.is_below(worths.prices["cards"][name])]
    (shortage,) = worths.prices["shortage"].values()
    chapter.say(
        f"a ship whose deck lacks {best} wins {prose.how_many(allowing_for(cards[best], len(cards)))} points less "
        "often, on the same deals.",
        f"it wins more often without {words.listed(poor)}: better cards come up instead." if poor else "",
    )
    chapter.say(
        _starts_sentence(worths.prices["starts"], judge),
        "one hold more is a sixth one from the start, at a table where the card 6th Hold does nothing.",
        _seats_sentence({name: one.estimate for name, one in worths.prices["seats"].items()}),
        _shortage_sentence(shortage, judge),
        _powers_sentence(worths, judge),
    )
    chapter.say(
        "the treasure that a lair gives is random, that a ship draws at all is not: figures for treasures are "
        "contrasts with the mean of all cards drawn, and only such contrasts are effects.",
    )
    prices = [
        (GROUPS[group][0].format(name), one.estimate, GROUPS[group][1])
        for group, listed in worths.prices.items()
        for name, one in listed.items()
    ]
    chapter.figures = [_price_chart(worths)]
    columns = ("thing", "points of win rate", "how it was measured")
    prices.sort(key=lambda price: -price[1].value)
    chapter.tables = [ResultTable("The price of each thing", columns, prices)]
    for who, listed in worths.others.items():
        told = []
        for how, differs in (("more", judge.is_above), ("less", judge.is_below)):
            clear = [f"{name} {prose.change(price)} instead of {prose.change(here)}"
                     for name, price, here, change in listed if differs(change)]  # fmt: skip
            told += [f"worth clearly {how}, in points of win rate: {words.listed(clear)}"] if clear else []
        chapter.say(f"where all play {who}: {'; '.join(told) or 'no price clearly differs'}.")
        rows = [(name, price, change.estimate) for name, price, _, change in listed]
        note = "points of win rate; the interval of a difference treats the deals as unrelated"
        columns = ("thing", "points of win rate", "difference")
        chapter.tables.append(ResultTable(f"The price of each thing where all play {who}", columns, rows, note=note))
    return chapter


def _price_chart(worths: Worths) -> Figure:
    """All prices on one scale, by kind, dearest first."""
    groups = {group: worths.points(group) for group in GROUPS if group in worths.prices}
    effects = [effect for listed in groups.values() for effect in listed.values()]
    low, high = min(0.0, *(e.low for e in effects)), max(e.high for e in effects)
    panels = [
        Panel(GROUPS[group][2], [Row(name, [mark_of(e)]) for name, e in listed.items()], low, high, line=0.0)
        for group, listed in groups.items()
    ]
    games = sorted(effect.n for effect in effects)
    sub = f"Points of win rate of the ship that has it, with 95% intervals; {games[0]:,} to {games[-1]:,} games each"
    return chart("prices", "The price of each thing", sub, panels, row_height=PRICE_ROW, below=True)


def _starts_sentence(starts: Mapping[str, Comparison], judge: Judge) -> str:
    """What it is worth to begin with more or less."""
    clear = [f"{name} {prose.change(one.estimate)}" for name, one in starts.items() if judge.is_clear(one)]
    close = [f"{name} {prose.change(one.estimate)}" for name, one in starts.items() if not judge.is_clear(one)]
    parts = [f"at the start, in points of win rate: {words.listed(clear)}." if clear else "",
             f"too close to call: {words.listed(close)}." if close else ""]  # fmt: skip
    return " ".join(words.sentence(part) for part in parts if part)


def _shortage_sentence(shortage: Comparison, judge: Judge) -> str:
    worth = shortage.estimate
    if not judge.is_clear(shortage):
        return f"a shortage that is forgiven changes the win rate by {prose.change(worth)} points: too close to call."
    return f"a shortage costs {prose.how_many(worth)} points of win rate, measured by forgiving one of them."


def _powers_sentence(worths: Worths, judge: Judge) -> str:
    """What each power is worth to the ship that draws it."""
    powers = worths.points("powers")
    listed = [f"{name} {prose.change(worth)}" for name, worth in powers.items()]
    close = [name for name in powers if not judge.is_clear(worths.prices["powers"][name])]
    too_close = f" ({words.listed(close)}: too close to call)" if close else ""
    return f"to the ship that draws it a power is worth, in points of win rate: {words.listed(listed)}{too_close}."


def _seats_sentence(seats: Shares) -> str:
    first, last = list(seats)[0], list(seats)[-1]
    return (
        f"against an equal share the first Captain's win rate is {prose.change(seats[first])} points, and that of the "
        f"player who is last in the first round {prose.change(seats[last])}."
    )


# Restricted play


@dataclass(frozen=True)
class Bans(Findings):
    """What a ban changes for the ship that has it, in points of win rate, by table."""

    key: str
    how: str  # it was measured
    costs: dict[str, dict[str, Comparison]]  # by table and ban
    tables: list[ResultTable]
    claim: Claim  # that each ban costs wins at each table

    @property
    def first(self) -> dict[str, Comparison]:
        """The costs at the first table, the dearest ban first."""
        (costs, *_) = self.costs.values()
        return dict(sorted(costs.items(), key=lambda item: item[1].estimate.value))


def _claim(costs: Mapping[str, Mapping[str, Comparison]]) -> Claim:
    cases = {", ".join(filter(None, (place, f"no {PARTS[ban]}"))): one for place, of_table in costs.items()
             for ban, one in of_table.items()}  # fmt: skip
    return Claim("a ship that is barred from a part of the game wins less often", cases, -1)


def find_restricted(study: Study) -> Bans:
    """What a ban costs, by designs beside the settings."""
    causes = causes_of(study)
    found = {"": causes, **{f"all {one['who']}": one for one in causes.get("others", [])}}
    costs = {
        who: {ban["name"]: Comparison(points(estimate(ban["effect"]))) for ban in one["restricted"]}
        for who, one in found.items()
        if "restricted" in one
    }
    if len(costs) > 1:
        costs = {study.settings[0].label: costs.pop(""), **costs}
    games = max(one.estimate.n for one in next(iter(costs.values())).values())
    return Bans("restricted", f"on the same deals; {games:,} games", costs, _by_table(costs), _claim(costs))


def find_bans(study: Study) -> Bans:
    """What a ban costs, in line-ups in which one ship has it."""
    factors = [name for name in study.varying if name != LINE_UP]
    tables: dict[str, dict[str, Setting]] = {}
    for setting in study.settings:
        if ban := _banned(setting):
            tables.setdefault(label_of(setting, factors) if factors else "", {})[ban] = setting
    costs = {
        place: {ban: Comparison(_cost(study, s)) for ban, s in of_table.items()} for place, of_table in tables.items()
    }
    settings = [s for of_table in tables.values() for s in of_table.values()]
    where = f" ({next(iter(costs))})" if len(costs) > 1 else ""
    how = f"against a ship that leaves nothing out{where}; {games_line(settings)}"
    return Bans("bans", how, costs, [*_by_table(costs), _voyages(tables)], _claim(costs))


def _by_table(costs: Mapping[str, Mapping[str, Comparison]]) -> list[ResultTable]:
    if len(costs) == 1:
        return []
    content = [
        (label, *(of_table[ban].estimate if ban in of_table else "" for ban in BANS))
        for label, of_table in costs.items()
    ]
    columns, note = ("table", *BANS.values()), "points of win rate without it"
    return [ResultTable("Restricted play by table", columns, content, note=note)]


def _banned(setting: Setting) -> str | None:
    """The ban, if one ship alone has a ban and only one; otherwise None."""
    banned = [strategy.bans for strategy in setting.strategies if strategy.bans]
    return banned[0][0] if len(banned) == 1 and len(banned[0]) == 1 else None


def _cost(study: Study, setting: Setting) -> Estimate:
    """The win rate of the ship with a ban minus that of a ship where nobody has one, in points, on the same deals.

    Where nobody has a ban, every ship wins an equal share of what the players win.
    """
    sums, players = setting.played.sums, setting.rules.players
    free = [s for s in study.settings if s.rules == setting.rules and not any(x.bans for x in s.strategies)]
    equal = free[0].played.sums.players("win") / free[0].played.sums.games / players if free else 1 / players
    return points(jackknife(sums.ship(_ship(setting), "win") / sums.games - equal, setting.games))


def _ship(setting: Setting) -> int:
    """Which ship has the ban."""
    return [bool(strategy.bans) for strategy in setting.played.table.strategies].index(True)


def _voyages(tables: Mapping[str, Mapping[str, Setting]]) -> ResultTable:
    """How the ship with a ban fares otherwise."""
    quantities = ("win", "score", "attacks", "battles", "treasures_taken", "shortages")
    content = []
    for place, of_table in tables.items():
        for ban, setting in of_table.items():
            name = ", ".join(filter(None, (place, f"no {PARTS[ban]}")))
            content.append((name, *(setting.played.of_ships("ship", _ship(setting), q) for q in quantities)))
    columns = ("ship", "win rate", *(quantity.replace("_", " ") for quantity in quantities[1:]))
    return ResultTable("The ship with a ban", columns, content, frozenset({"win rate"}), "per game")


def write_bans(bans: Bans, judge: Judge) -> Chapter:
    """What a part of the game is worth to the ship that is barred from it where it has another answer."""
    chapter = Chapter(bans.key, "Restricted play", claims=[bans.claim])
    costs = {name: one.estimate for name, one in bans.first.items()}
    parts = [name for name, one in bans.first.items() if judge.is_below(one) and name != REFUSED]
    alike = [name for name in parts if costs[name].low <= costs[parts[0]].high]  # cannot be told from the dearest
    chapter.headline = "no ban clearly costs wins"
    if alike:
        each = " each" if len(alike) > 1 else ""
        chapter.headline = (
            f"{words.listed([PARTS[name] for name in alike])} are worth most: "
            f"{_about([costs[name] for name in alike])} points of win rate{each}"
        )
    verdict = judge.verdict(bans.claim)
    chapter.heading = chapter.headline
    if len(bans.costs) > 1:
        held, count = len(verdict.holds), len(bans.claim.cases)
        chapter.heading = f"{held} of {count} bans cost wins, counted table by table"
        if held == count:
            chapter.heading = f"each ban costs wins, at each of {words.number(len(bans.costs))} tables"
    chapter.effect = abs(next(iter(costs.values())).value) / 100
    others = [f"{PARTS[name]} {prose.how_many(costs[name])}" for name in parts if name not in alike]
    chapter.standfirst = [
        "A ship that is barred from them, wherever it has another answer, wins that much less often." if alike else "",
        f"Of the other parts of the game: {words.listed(others)} points." if others else "",
    ]
    chapter.keys = [
        KeyNumber(
            words.signed(effect.value, 0),
            f"points of win rate {'for who refuses' if name == REFUSED else 'where barred from'} {PARTS[name]}",
        )
        for name, effect in costs.items()
    ]
    chapter.say(*(_ban_sentence(name, bans.first[name], judge) for name in costs))
    chapter.say(WHERE_POSSIBLE, "the rest of the strategy stays as it is: it is not tuned to do without.")
    sub = f"Points of win rate that a ship changes by when barred from it, {bans.how}"
    panel = about_zero({BANS[name]: effect for name, effect in costs.items()})
    chapter.hero = chart("bans", "What a part of the game is worth", sub, [panel])
    chapter.figures = [chapter.hero]
    columns = ("without", "points of win rate")
    main = ResultTable("Restricted play", columns, [(BANS[n], e) for n, e in costs.items()])
    chapter.tables = [main, *bans.tables]
    return chapter


def _about(effects: Sequence[Estimate]) -> str:
    """The range of effects that cannot be told apart, without their sign."""
    low, high = (words.amount(end(abs(effect.value) for effect in effects), 0) for end in (min, max))
    return low if low == high else f"{low} to {high}"


def _ban_sentence(name: str, cost: Comparison, judge: Judge) -> str:
    effect = cost.estimate
    if not judge.is_clear(cost):
        return f"{BANS[name]}: without it {prose.change(effect)} points, too close to call."
    if effect.value > 0:
        return f"{BANS[name]} does not pay: barred from it a ship wins {prose.how_many(effect)} points more often."
    if name == REFUSED:
        return (
            f"a ship that refuses backward cards while it has others wins {prose.how_many(effect)} points less often: "
            "cards that are refused stay in the hand."
        )
    return f"{BANS[name]} pays: barred from it a ship wins {prose.how_many(effect)} points less often."


CHAPTERS = {
    "worths": ChapterSource(find_worths, write_worths, has_causes("worths")),
    "restricted": ChapterSource(find_restricted, write_bans, has_causes("restricted")),
    "bans": ChapterSource(find_bans, write_bans, lambda study: any(_banned(setting) for setting in study.settings)),
}
