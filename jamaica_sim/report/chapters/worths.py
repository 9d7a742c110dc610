"""What each thing and each part of the game is worth, in points of win rate, and how cards are used beside it.

Behind each price is a designed experiment on the same deals, or a natural one in which luck alone decides who gets a
thing (`causes/worth.py`). Restricted play (Jaffe and others 2012) takes a part of the game away from one ship: by
designs beside the settings, or in line-ups among the settings. A ban acts only where there is another answer.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import without
from jamaica_sim.report.chapter import KeyNumber, difference, points
from jamaica_sim.report.chapters.budgets import Shares, causes_of, estimates, has_causes
from jamaica_sim.report.charts.row_charts import Panel, Row
from jamaica_sim.report.figures import against, mark_of, panels_chart
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, chapter_of, leading
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate, allowing_for, jackknife
from jamaica_sim.study.causes.card_play import ANY, SPANS
from jamaica_sim.study.causes.findings import estimate
from jamaica_sim.study.experiment.setting import LINE_UP, Setting
from jamaica_sim.study.experiment.study import Study

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
PRICE_ROW = 25  # height of a row: there are many rows
MOST_PANELS = 3  # tables side by side
REFUSED = "backward"  # this ban does not price the cards, because refused cards stay in the hand
Prices = dict[str, Shares]  # in points of win rate, by group and name


def _prices(causes: Mapping[str, Any]) -> Prices:
    """The price of each thing, the dearest of a group first."""
    found = {group: _effects(listed) for group, listed in causes["worths"].items()}
    return {group: dict(sorted(of.items(), key=lambda item: -item[1].value)) for group, of in found.items()}


def _effects(listed: Sequence[Mapping[str, Any]]) -> Shares:
    """Effects by name, in points of win rate."""
    return {one["name"]: points(estimate(one["effect"])) for one in listed}


def _panel(title: str, effects: Shares, low: float = 0.0, high: float | None = None) -> Panel:
    """Effects with their intervals about zero."""
    rows = [Row(name, [mark_of(effect)]) for name, effect in effects.items()]
    return Panel(title, rows, min(low, *(effect.low for effect in effects.values())), high, line=0.0)


def _told(of: Shares) -> str:
    return words.listed([f"{name} {prose.change(e)}" for name, e in of.items()])


def _worths(study: Study) -> list[Part]:
    causes = causes_of(study)
    prices = _prices(causes)
    cards, seats = prices["cards"], list(causes["worths"]["seats"])
    best, second, *_ = cards
    first, last = (prices["seats"][seats[n]["name"]] for n in (0, -1))
    (shortage,) = prices["shortage"].values()
    rows = [(GROUPS[group][0].format(name), e, GROUPS[group][1]) for group, of in prices.items()
            for name, e in of.items()]  # fmt: skip
    rows.sort(key=lambda row: -row[1].value)
    every = [e for of in prices.values() for e in of.values()]
    low, high = min(0.0, *(e.low for e in every)), max(e.high for e in every)
    fewest, most = (end(e.n for e in every) for end in (min, max))
    panels = [_panel(GROUPS[group][2], prices[group], low, high) for group in GROUPS if group in prices]
    sub = f"Points of win rate of the ship that has it, with 95% intervals; {fewest:,} to {most:,} games each"
    in_deck = Part(
        leading({best: cards}, [best], f"{best} is the card that a deck misses most",
                f"{best} and {second} are cards that a deck misses most"),
        [f"a ship whose deck lacks {best} wins {prose.how_many(allowing_for(cards[best], len(cards)))} points less "
         "often, on the same deals.",
         f"at the start, in points of win rate: {_told(prices['starts'])}."],
        tables=[ResultTable("The price of each thing", ("thing", "points of win rate", "how it was measured"), rows)],
        figures=[panels_chart("prices", "The price of each thing", sub, panels, PRICE_ROW, below=True)],
        keys=[KeyNumber(prose.plain(prose.change(cards[best])), f"points of win rate for {best} in the deck")],
        effect=abs(cards[best].value) / 100,
    )  # fmt: skip
    forgiven = Part(
        Claim("a shortage costs wins", {"": Case(shortage)}, opposite="a shortage brings wins",
              neither="whether a shortage costs wins is too close to call"),
        [f"one that is forgiven changes the win rate by {prose.change(shortage)} points.",
         f"against an equal share, in points: first Captain {prose.change(first)}, last seat {prose.change(last)}.",
         f"to the ship that draws it a power is worth, in points of win rate: {_told(prices['powers'])}."],
    )  # fmt: skip
    return [in_deck, forgiven, *(_others(one, prices) for one in causes.get("others", []))]


def _others(causes: Mapping[str, Any], here: Prices) -> Part:
    """The prices where all play something else, beside those of the first table."""
    who, elsewhere = causes["who"], _prices(causes)
    pairs = {GROUPS[group][0].format(name): (elsewhere[group][name], e)
             for group, of in here.items() for name, e in of.items() if name in elsewhere[group]}  # fmt: skip
    changes = {name: difference(e, price) for name, (price, e) in pairs.items()}
    claim = Claim(
        f"where all play {who} a thing is worth more", {name: Case(e) for name, e in changes.items()},
        opposite=f"where all play {who} a thing is worth less",
        neither=f"no price clearly differs where all play {who}", at="for", noun="things",
    )  # fmt: skip
    content = [(name, price, changes[name]) for name, (price, _) in pairs.items()]
    note = "points of win rate; the interval of a difference treats the deals as unrelated"
    title, columns = f"The price of each thing where all play {who}", ("thing", "points of win rate", "difference")
    return Part(claim, tables=[ResultTable(title, columns, content, note=note)])


# How cards are used


def _uses(causes: Mapping[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    """By card, the one that is taken most readily first."""
    found: dict[str, dict[str, Any]] = {
        use["name"]: {**estimates({k: use[k] for k in ("there", "taken", "win_rate")}),
                      "spans": [estimate(one) for one in use["spans"]]}
        for use in sorted(causes["uses"][kind], key=lambda use: -use["taken"][0])
    }  # fmt: skip
    return found


def _used(
    title: str, there: str, uses: Mapping[str, Any], who: str, of: Mapping[str, Shares], note: str
) -> ResultTable:
    """How often cards are there and taken, in which rounds, who wins with them, and beside it their prices."""
    spans = [f"rounds {start} to {end - 1}" for start, end in zip(SPANS, SPANS[1:], strict=False)]
    shares = ["taken when there", *spans, f"from round {SPANS[-1]}", f"win rate of those who {who} it"]
    content = [(name, use["there"], use["taken"], *use["spans"], use["win_rate"],
                *(prices.get(name, "") for prices in of.values())) for name, use in uses.items()]  # fmt: skip
    note = f"rounds: shares of all {note}; win rate of ships that {who} it at least once"
    return ResultTable(title, ("card", there, *shares, *of), content, frozenset(shares), note)


def _cards(study: Study) -> list[Part]:
    """How often each card is there, played or drawn, when, and who then wins; and beside it its price."""
    causes, even = causes_of(study), 1 / study.settings[0].rules.ships
    prices, uses, treasures = _prices(causes), _uses(causes, "cards"), _uses(causes, "treasures")
    top, second, *_, last = uses
    wins = max(uses, key=lambda name: uses[name]["win_rate"].value)
    taken = {name: use["taken"] for name, use in uses.items()}
    panels = [
        Panel("Played when in hand", [Row(n, [mark_of(e, True)]) for n, e in taken.items()], form="bars"),
        Panel("Wins of those who play it", [Row(n, [against(uses[n]["win_rate"], even)]) for n in uses], line=even),
        _panel("Price in the deck, points", {n: prices["cards"][n] for n in uses if n in prices["cards"]}),
    ]
    sub = f"By all {causes['who']}; {uses[top]['win_rate'].n:,} games"
    played = Part(
        leading({"": taken}, [top], f"{top} is the card that is played most readily",
                f"{top} and {second} are the cards that are played most readily"),
        [f"{top} is played in {prose.share(taken[top])} of the rounds in which it is in hand, {last} in "
         f"{prose.share(taken[last])}.",
         f"ships that play {wins} win most, {prose.share(uses[wins]['win_rate'])} of their games; the card that a deck "
         f"misses most is {next(iter(prices['cards']))}.",
         "the two differ because a ship plays a card when it suits, and more cards in a long game; the price leaves "
         "one card out of one deck, on the same deals."],
        tables=[_used("Action cards", "in hand per game", uses, "play", {"price in the deck, points": prices["cards"]},
                      "its plays")],
        figures=[panels_chart("cards", "How the action cards are used", sub, panels)],
        keys=[KeyNumber(words.percent(taken[n].value, 0), f"of the rounds with {n} in hand it is played")
              for n in (top, last)],
        effect=taken[top].value - taken[last].value,
    )  # fmt: skip
    own = {"power switched off, points": prices["powers"], "against all cards drawn, points": prices["treasures"]}
    rate = treasures[ANY]["win_rate"]
    draws = Part(
        Claim("ships that draw a treasure win more than their share", {"": Case(rate, even)},
              opposite="ships that draw a treasure win less than their share",
              neither="ships that draw a treasure win about their share"),
        [f"they win {prose.share(rate)} of their games, where an equal share is {even:.1%}.",
         "ships that call at lairs differ in other things too, so that is no price. The last two columns are: the card "
         "drawn is random, and a power is switched off on the same deals."],
        tables=[_used("Treasures drawn", "drawn per ship", treasures, "draw", own, "its draws")],
    )  # fmt: skip
    return [played, draws]


# What decisions cost


def _decisions(study: Study) -> list[Part]:
    losses = causes_of(study)["losses"]
    lost = {DECIDED[name]: points(e) for name, e in estimates(losses["by_decision"]).items()}
    asked, together = estimates(losses["asked"]), points(estimate(losses["together"]))
    top = next(iter(lost))
    sub = (f"Points of win chance that one player loses in a game; {losses['decisions']:,} decisions of "
           f"{losses['games']:,} games, every answer played on")  # fmt: skip
    content = [("all decisions", together, ""), *zip(lost, lost.values(), asked.values(), strict=True)]
    note = "lost: points of win chance of one player in a game, each decision taken alone; asked: choices a game"
    cost = Part(
        Claim(f"decisions cost a player about {words.amount(together.value, 0)} points, each taken alone",
              {"": Case(together)}, opposite="what decisions cost is too close to call",
              neither="what decisions cost is too close to call"),
        [f"by decisions a player loses {prose.mean(together)} points of win chance in a game, against one who "
         "sees all hands and knows the chances of every answer.",
         "one better decision changes what the next are worth: the sum says nothing about better play throughout."],
        tables=[ResultTable("What decisions cost", ("decision", "lost", "asked"), content, note=note)],
        figures=[panels_chart("decisions", "Points lost in a game", sub,
                              [_panel("", {"all decisions": together} | lost)])],
        effect=max(0.0, together.value) / 100,
    )  # fmt: skip
    most = leading({"": lost}, [top], f"most is lost by {top}", "no kind of decision clearly costs most")
    return [cost, Part(most, [f"{top}: {prose.mean(lost[top])} points."])]


# Restricted play

Costs = Mapping[str, Shares]  # of bans in points of win rate, by table and ban


def restricted_parts(
    costs: Costs, how: str, facts: Sequence[str] = (), tables: Sequence[ResultTable] = ()
) -> list[Part]:
    """What a ban changes for the ship that has it, by table; `how` it was measured."""
    own = dict(sorted(next(iter(costs.values())).items(), key=lambda item: item[1].value))  # the dearest ban first
    parts = [name for name in own if name != REFUSED]
    losses = {place: {name: of[name].scaled(-1) for name in parts if name in of} for place, of in costs.items()}
    losses = {place: of for place, of in losses.items() if len(of) > 1}
    most = leading(
        losses, parts[:1], f"{BANS[parts[0]][1]} are worth most",
        f"{words.listed([BANS[name][1] for name in parts[:2]])} are worth about as much",
        f"{BANS[parts[0]][1]} are not worth most",
    ) if losses else None  # fmt: skip
    every = [e for of in costs.values() for e in of.values()]
    low, high = min(0.0, *(e.low for e in every)), max(0.0, *(e.high for e in every))
    panels = [_panel(place, {BANS[name][0]: of[name] for name in own if name in of}, low, high)
              for place, of in list(costs.items())[:MOST_PANELS]]  # fmt: skip
    columns = ("table", *(barred for barred, _ in BANS.values()))
    by_table = [(label, *(of.get(ban, "") for ban in BANS)) for label, of in costs.items()]
    alone = [(BANS[name][0], e) for name, e in own.items()]
    made = [ResultTable("Restricted play", ("without", "points of win rate"), alone),
            *([ResultTable("Restricted play by table", columns, by_table, note="points of win rate without it")]
              if len(costs) > 1 else []), *tables]  # fmt: skip
    sub = f"Points of win rate that a ship changes by without it, {how}"
    first = Part(
        most, [_fact(name, e) for name, e in own.items()], tables=made,
        figures=[panels_chart("bans", "What a part of the game is worth", sub, panels)],
        keys=[KeyNumber(prose.plain(prose.change(e)), f"points of win rate without {BANS[n][1]}")
              for n, e in own.items()],
        effect=abs(own[parts[0]].value) / 100,
    )  # fmt: skip
    pays = Claim(
        "a ship that has to do without a part of the game wins less often",
        {_no(place, ban): Case(e) for place, of in costs.items() for ban, e in of.items()}, -1,
        opposite="a ship that has to do without a part of the game wins more often",
        neither="no ban clearly costs wins", at="in", noun="cases",
    )  # fmt: skip
    return [first, Part(pays, [*facts, "a ban acts only where the ship has another answer, and the rest of its "
                                       "strategy is not tuned to do without."])]  # fmt: skip


def _fact(name: str, cost: Estimate) -> str:
    stays = "; refused cards stay in the hand" if name == REFUSED else ""
    also = "; the ban also keeps it off spaces where others are" if name == "attack" else ""
    verb = "falls" if cost.value < 0 else "rises"
    return f"without {BANS[name][1]} a ship's win rate {verb} by {prose.how_many(cost)} points{stays}{also}."


def _no(place: str, ban: str) -> str:
    """A ship with a ban, and its table where there are several."""
    return ", ".join(filter(None, (place, f"no {BANS[ban][1]}")))


def _restricted(study: Study) -> list[Part]:
    """By designs beside the settings, or in line-ups in which one ship has a ban."""
    causes = causes_of(study)
    if "restricted" in causes:
        costs: dict[str, Shares] = {study.settings[0].label: _effects(causes["restricted"])}
        costs |= {f"all {one['who']}": _effects(one["restricted"]) for one in causes.get("others", [])
                  if "restricted" in one}  # fmt: skip
        return restricted_parts(
            costs, f"on the same deals; {max(e.n for e in costs[study.settings[0].label].values()):,} games"
        )
    tables: dict[str, dict[str, Setting]] = {}
    for setting in study.settings:
        if ban := _banned(setting):
            tables.setdefault(without(LINE_UP, study, setting), {})[ban] = setting
    costs = {place: {ban: _cost(study, s) for ban, s in of.items()} for place, of in tables.items()}
    quantities = ("win", "score", "attacks", "battles", "treasures_taken", "shortages")
    content = [
        (_no(place, ban), *(setting.played.of_ships("ship", _ship(setting), q) for q in quantities))
        for place, of in tables.items() for ban, setting in of.items()
    ]  # fmt: skip
    columns = ("ship", "win rate", *(quantity.replace("_", " ") for quantity in quantities[1:]))
    barred = [of["attack"] for of in tables.values() if "attack" in of]
    often = [prose.mean(one.played.of_ships("ship", _ship(one), "attacks")) for one in barred[:1]]
    facts = [f"barred from attacks it still attacks {count} times a game." for count in often]
    how = f"against ships that leave nothing out; {study.settings[0].games:,} games each"
    voyages = ResultTable("The ship with a ban", columns, content, frozenset({"win rate"}), "per game")
    return restricted_parts(costs, how, facts, [voyages])


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


def _is_restricted(study: Study) -> bool:
    return has_causes("restricted")(study) or any(_banned(setting) for setting in study.settings)


CHAPTERS = (
    chapter_of("worths", "Worths", _worths, has_causes("worths"))
    | chapter_of("cards", "Cards", _cards, has_causes("uses"))
    | chapter_of("decisions", "Decisions", _decisions, has_causes("losses"))
    | chapter_of("restricted", "Restricted play", _restricted, _is_restricted)
)
