"""What each thing is worth and what a part of the game is worth, in points of win rate.

Behind each price is a designed experiment on the same deals, or a natural one in which luck alone decides who gets a
thing (`causes/worth.py`). Restricted play (Jaffe and others 2012) takes a part of the game away from one ship: by
designs beside the settings (`restricted`), or in line-ups among the settings (`bans`). A ban acts only where there is
another answer, so a ship with a ban still attacks now and then.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jamaica_sim.causes.findings import estimate
from jamaica_sim.charts.row_charts import Panel, Row
from jamaica_sim.experiment.setting import LINE_UP, Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import players_words, without
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, difference, games_line, points
from jamaica_sim.report.chapters.sources import Shares, about_zero, causes_of, has_causes
from jamaica_sim.report.figures import mark_of, panels_chart
from jamaica_sim.report.judge import Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

BANS = {  # each as what is barred, and as a part of the game
    "attack": ("attacking", "attacks"),
    "lairs": ("calling at treasure lairs", "treasure lairs"),
    "gunpowder": ("spending gunpowder", "gunpowder"),
    "backward": ("playing backward cards", "backward cards"),
    "shortage": ("running short on purpose", "shortages on purpose"),
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
MOST_PANELS = 3  # tables side by side
REFUSED = "backward"  # this ban does not price the cards, because refused cards stay in the hand
WHERE_POSSIBLE = "A ban acts only where there is another answer: the ship still does it where nothing else is left."


class Worths(Findings):
    """The price of each thing in points of win rate, by group, and how far the best card is ahead of the next."""

    def __init__(self, study: Study):
        causes = causes_of(study)
        self.prices = _prices(causes)
        best, second, *_ = self.points("cards").values()
        self.lead = Comparison(allowing_for(difference(second, best), len(self.prices["cards"])))
        self.others = {}  # by who plays: thing, price, price here, difference
        for one in causes.get("others", []):
            elsewhere = _prices(one)
            self.others[one["who"]] = [
                (GROUPS[group][0].format(name), price.estimate, here.estimate,
                 Comparison(difference(here.estimate, price.estimate)))
                for group, listed in self.prices.items()
                for name, here in listed.items()
                if (price := elsewhere[group].get(name))
            ]  # fmt: skip

    def points(self, group: str) -> Shares:
        """The prices of a group, the dearest first."""
        prices = {name: one.estimate for name, one in self.prices[group].items()}
        return dict(sorted(prices.items(), key=lambda item: -item[1].value))

    def write(self, judge: Judge) -> Chapter:
        """What each thing is worth."""
        cards = self.points("cards")
        best, second, *_ = order = list(cards)
        chapter = Chapter("worths", "Worths", effect=abs(cards[best].value) / 100, figures=[self._chart()])
        chapter.heading = f"{best} is the card that a deck misses most"
        if not judge.is_above(self.lead):
            chapter.heading = f"{best} and {second} are cards that a deck misses most"
        poor = [name for name in order if judge.is_below(self.prices["cards"][name])]
        chapter.say(
            f"a ship whose deck lacks {best} wins {prose.how_many(allowing_for(cards[best], len(cards)))} points less "
            "often, on the same deals.",
            f"it wins more often without {words.listed(poor)}: better cards come up instead." if poor else "",
        )
        chapter.say(
            *self._starts(judge),
            "one hold more is a sixth one from the start, at a table where the card 6th Hold does nothing.",
            *self._seats_shortage_powers(judge),
        )
        chapter.say(
            "luck decides which treasure a ship draws, but not whether it draws one: so the figure of a treasure "
            "compares the ships that drew it with all ships that drew any.",
        )
        prices = [
            (GROUPS[group][0].format(name), one.estimate, GROUPS[group][1])
            for group, listed in self.prices.items()
            for name, one in listed.items()
        ]
        prices.sort(key=lambda price: -price[1].value)
        title, columns = "The price of each thing", ("thing", "points of win rate", "how it was measured")
        chapter.tables = [ResultTable(title, columns, prices)]
        note = "points of win rate; the interval of a difference treats the deals as unrelated"
        for who, listed in self.others.items():
            changes = []
            for how, differs in (("more", judge.is_above), ("less", judge.is_below)):
                clear = [f"{name} {prose.change(price)} instead of {prose.change(here)}"
                         for name, price, here, change in listed if differs(change)]  # fmt: skip
                changes += [f"worth clearly {how}, in points of win rate: {words.listed(clear)}"] if clear else []
            chapter.say(f"where all play {who}: {'; '.join(changes) or 'no price clearly differs'}.")
            rows = [(name, price, change.estimate) for name, price, _, change in listed]
            columns = ("thing", "points of win rate", "difference")
            chapter.tables.append(ResultTable(f"{title} where all play {who}", columns, rows, note=note))
        return chapter

    def _starts(self, judge: Judge) -> list[str]:
        """What it is worth to begin with more or less."""
        texts: dict[bool, list[str]] = {True: [], False: []}
        for name, one in self.prices["starts"].items():
            texts[judge.is_clear(one)].append(f"{name} {prose.change(one.estimate)}")
        return [
            f"at the start, in points of win rate: {words.listed(texts[True])}." if texts[True] else "",
            f"too close to call: {words.listed(texts[False])}." if texts[False] else "",
        ]

    def _seats_shortage_powers(self, judge: Judge) -> list[str]:
        """What a seat is worth, what a shortage costs, and what a power is worth to the ship that draws it."""
        first, *_, last = (one.estimate for one in self.prices["seats"].values())
        (shortage,) = self.prices["shortage"].values()
        worth = shortage.estimate
        costs = f"a shortage that is forgiven changes the win rate by {prose.change(worth)} points: too close to call."
        if judge.is_clear(shortage):
            costs = f"a shortage costs {prose.how_many(worth)} points of win rate, measured by forgiving one of them."
        powers = self.points("powers")
        listed = [f"{name} {prose.change(worth)}" for name, worth in powers.items()]
        close = [name for name in powers if not judge.is_clear(self.prices["powers"][name])]
        too_close = f" ({words.listed(close)}: too close to call)" if close else ""
        return [
            f"against an equal share the first Captain's win rate is {prose.change(first)} points, and that of the "
            f"player who is last in the first round {prose.change(last)}.",
            costs,
            f"to the ship that draws it a power is worth, in points of win rate: {words.listed(listed)}{too_close}.",
        ]

    def _chart(self) -> Figure:
        """All prices on one scale, by kind, dearest first."""
        groups = {group: self.points(group) for group in GROUPS if group in self.prices}
        effects = [effect for listed in groups.values() for effect in listed.values()]
        low, high = min(0.0, *(e.low for e in effects)), max(e.high for e in effects)
        panels = [
            Panel(GROUPS[group][2], [Row(name, [mark_of(e)]) for name, e in listed.items()], low, high, line=0.0)
            for group, listed in groups.items()
        ]
        fewest, most = (end(effect.n for effect in effects) for end in (min, max))
        sub = f"Points of win rate of the ship that has it, with 95% intervals; {fewest:,} to {most:,} games each"
        return panels_chart("prices", "The price of each thing", sub, panels, PRICE_ROW, below=True)


def _prices(causes: Mapping[str, Any]) -> dict[str, dict[str, Comparison]]:
    return {group: _effects(listed) for group, listed in causes["worths"].items()}


def _effects(listed: Sequence[Mapping[str, Any]]) -> dict[str, Comparison]:
    """Effects by name, in points of win rate."""
    return {one["name"]: Comparison(points(estimate(one["effect"]))) for one in listed}


# Restricted play

Costs = Mapping[str, Mapping[str, Comparison]]  # of bans in points of win rate, by table and ban


class Bans(Findings):
    """What a ban changes for the ship that has it, in points of win rate, by table."""

    def __init__(self, key: str, how: str, costs: Costs, tables: Sequence[ResultTable] = ()):
        self.key, self.how, self.costs = key, how, costs  # how it was measured
        cases = {_no(place, ban): one for place, of_table in costs.items() for ban, one in of_table.items()}
        self.claim = Claim("a ship that is barred from a part of the game wins less often", cases, -1)
        self.tables = [*([_by_table(costs)] if len(costs) > 1 else []), *tables]

    def write(self, judge: Judge) -> Chapter:
        """What a part of the game is worth to the ship that is barred from it where it has another answer."""
        chapter = Chapter(self.key, "Restricted play", claims=[self.claim])
        in_order = sorted(next(iter(self.costs.values())).items(), key=lambda item: item[1].estimate.value)
        costs = {name: one.estimate for name, one in in_order}  # at the first table, the dearest ban first
        parts = [name for name, one in in_order if judge.is_below(one) and name != REFUSED]
        alike = [name for name in parts if costs[name].low <= costs[parts[0]].high]  # cannot be told from the dearest
        chapter.headline = "no ban clearly costs wins"
        if alike:
            low, high = (words.amount(end(abs(costs[name].value) for name in alike), 0) for end in (min, max))
            chapter.headline = (
                f"{words.listed([BANS[name][1] for name in alike])} are worth most: "
                f"{' to '.join(dict.fromkeys((low, high)))} points of win rate{' each' if len(alike) > 1 else ''}"
            )
        chapter.heading = chapter.headline
        if len(self.costs) > 1:
            held, count = len(judge.verdict(self.claim).holds), len(self.claim.cases)
            chapter.heading = f"{held} of {count} bans cost wins, counted table by table"
            if held == count:
                chapter.heading = f"each ban costs wins, at each of {words.number(len(self.costs))} tables"
        chapter.effect = abs(in_order[0][1].estimate.value) / 100
        others = [f"{BANS[name][1]} {prose.how_many(costs[name])}" for name in parts if name not in alike]
        barred = "A ship that is barred from them, wherever it has another answer, wins that much less often."
        chapter.standfirst = [
            barred if alike else "",
            f"Of the other parts of the game, backward cards aside: {words.listed(others)} points." if others else "",
        ]
        for name, effect in costs.items():
            how = "for a ship that refuses" if name == REFUSED else "for a ship barred from"
            text = f"points of win rate {how} {BANS[name][1]}"
            chapter.keys.append(KeyNumber(words.signed(effect.value, 0), text))
        chapter.say(*(_ban_sentence(name, one, judge) for name, one in in_order))
        chapter.say(WHERE_POSSIBLE, "the rest of the strategy stays as it is: it is not tuned to do without.")
        sub = f"Points of win rate that a ship changes by when barred from it, {self.how}"
        without = {BANS[name][0]: effect for name, effect in costs.items()}
        chapter.figures = [panels_chart("bans", "What a part of the game is worth", sub, self._panels(list(costs)))]
        main = ResultTable("Restricted play", ("without", "points of win rate"), [*without.items()])
        chapter.tables = [main, *self.tables]
        return chapter

    def _panels(self, order: Sequence[str]) -> list[Panel]:
        """The tables side by side, on one scale."""
        every = [one.estimate for of_table in self.costs.values() for one in of_table.values()]
        low, high = min(0.0, *(e.low for e in every)), max(0.0, *(e.high for e in every))
        return [
            replace(
                about_zero({BANS[name][0]: of_table[name].estimate for name in order if name in of_table}),
                title=place,
                low=low,
                high=high,
            )
            for place, of_table in list(self.costs.items())[:MOST_PANELS]
        ]


def _no(place: str, ban: str) -> str:
    """A ship with a ban, and its table where there are several."""
    return ", ".join(filter(None, (place, f"no {BANS[ban][1]}")))


def _by_table(costs: Costs) -> ResultTable:
    content = [
        (label, *(of_table[ban].estimate if ban in of_table else "" for ban in BANS))
        for label, of_table in costs.items()
    ]
    columns = ("table", *(without for without, _ in BANS.values()))
    return ResultTable("Restricted play by table", columns, content, note="points of win rate without it")


def find_restricted(study: Study) -> Bans:
    """What a ban costs, by designs beside the settings."""
    causes = causes_of(study)
    costs = {"": _effects(causes["restricted"])}
    costs |= {
        f"all {one['who']}": _effects(one["restricted"]) for one in causes.get("others", []) if "restricted" in one
    }
    if len(costs) > 1:
        costs = {study.settings[0].label: costs.pop(""), **costs}
    games = max(one.estimate.n for one in next(iter(costs.values())).values())
    return Bans("restricted", f"on the same deals; {games:,} games", costs)


def find_bans(study: Study) -> Bans:
    """What a ban costs, in line-ups in which one ship has it."""
    tables: dict[str, dict[str, Setting]] = {}
    for setting in study.settings:
        if ban := _banned(setting):
            tables.setdefault(without(LINE_UP, study, setting), {})[ban] = setting
    costs = {
        place: {ban: Comparison(_cost(study, s)) for ban, s in of_table.items()} for place, of_table in tables.items()
    }
    settings = [s for of_table in tables.values() for s in of_table.values()]
    how = f"against a ship that leaves nothing out ({players_words(study)}); {games_line(settings)}"
    return Bans("bans", how, costs, [_voyages(tables)])


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
    content = [
        (_no(place, ban), *(setting.played.of_ships("ship", _ship(setting), q) for q in quantities))
        for place, of_table in tables.items()
        for ban, setting in of_table.items()
    ]
    columns = ("ship", "win rate", *(quantity.replace("_", " ") for quantity in quantities[1:]))
    return ResultTable("The ship with a ban", columns, content, frozenset({"win rate"}), "per game")


def _ban_sentence(name: str, cost: Comparison, judge: Judge) -> str:
    effect = cost.estimate
    if not judge.is_clear(cost):
        return f"{BANS[name][0]}: without it {prose.change(effect)} points, too close to call."
    if effect.value > 0:
        return f"{BANS[name][0]} does not pay: barred from it a ship wins {prose.how_many(effect)} points more often."
    if name == REFUSED:
        return (
            f"a ship that refuses backward cards while it has others wins {prose.how_many(effect)} points less often: "
            "cards that are refused stay in the hand."
        )
    return f"{BANS[name][0]} pays: barred from it a ship wins {prose.how_many(effect)} points less often."


CHAPTERS = {
    "worths": ChapterSource(Worths, Worths.write, has_causes("worths")),
    "restricted": ChapterSource(find_restricted, Bans.write, has_causes("restricted")),
    "bans": ChapterSource(find_bans, Bans.write, lambda study: any(_banned(setting) for setting in study.settings)),
}
