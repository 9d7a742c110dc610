"""Treasures: what a drawn card is worth, and what a power itself does.

Which card a lair gives is luck, so ships that draw are compared with one another. Who holds a card at the end is not
luck: cards are taken from those who lose battles.
"""

from dataclasses import dataclass

from jamaica_sim.components import treasures as treasure_cards
from jamaica_sim.experiment.setting import Setting, factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import against, mark_of, row_chart, table_words, usual
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    by_setting,
    games_line,
    is_known,
    of_game,
    points,
    rate_of,
    where,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Row
from jamaica_sim.results.measures import drawers
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import TREASURE_NAMES

POWERS_BY_RULE = {"map_hand_size": "Morgan's Map", "lady_beth_bonus": "Lady Beth"}


@dataclass(frozen=True)
class Power(Findings):
    """A power that was switched off: win rates of the ships that draw its card."""

    card: str
    off: Estimate
    on: Estimate
    worth: Comparison  # in points
    table: ResultTable


@dataclass(frozen=True)
class Treasures(Findings):
    """What the games show about treasures."""

    study: Study
    rates: dict[str, Estimate]  # the win rate of the drawers of each card, the best first
    worths: dict[str, Comparison]  # against all drawers, in points
    held: dict[str, tuple[Estimate, Estimate, Estimate]]  # with one at the end, without, difference
    powers: list[Power]
    tables: list[ResultTable]


def find(study: Study) -> Treasures:
    """Compare those who draw each card."""
    setting = study.reference
    results = setting.played
    names = treasure_names(results)
    rates = {name: rate for name in names if is_known(rate := drawers_rate(results, name))}
    rates = dict(sorted(rates.items(), key=lambda item: -worth(results, item[0]).value))
    others = [s for s in study.along("players") if s in usual(study) and s is not setting]
    columns = {"taken per game": "treasures_taken", "winner's treasure points": "winner_treasure_points"}
    taken = {column: of_game(quantity) for column, quantity in columns.items()}
    tables = [
        *(_card_table(study, s) for s in (setting, *others)),
        _holder_table(study, setting),
        by_setting(usual(study), "Treasures taken", taken),
    ]
    powers = [_power(factor, card, pairs) for factor, card, pairs in _switches(study)]
    return Treasures(
        study,
        rates,
        {name: Comparison(worth(results, name)) for name in rates},
        {name: held for name in names if is_known((held := holders(results, name))[0])},
        powers,
        [*tables, *(power.table for power in powers)],
    )


def write(treasures: Treasures, judge: Judge) -> Chapter:
    """The chapter."""
    chapter = Chapter("treasures", "Treasures", tables=treasures.tables)
    for power in treasures.powers:
        _write_power(power, judge, chapter)
    if not treasures.rates:
        chapter.heading = "No treasure was drawn"
        chapter.say("no ship drew a treasure in these games.")
        return chapter
    _write_cards(treasures, judge, chapter)
    chapter.hero = _draw_figure(treasures)
    chapter.figures += [chapter.hero, *_power_figure(treasures), _holder_figure(treasures)]
    _first_screen(treasures, judge, chapter)
    return chapter


def treasure_names(results: Results) -> dict[str, list[int]]:
    """The numbers of the cards of each name; a game may have more copies of one than the box."""
    names: dict[str, list[int]] = {}
    for number, card in enumerate(results.table.rules.components.treasures):
        names.setdefault(card.name, []).append(number)
    return names


def drawers_rate(results: Results, name: str) -> Estimate:
    """The win rate of the ships that drew a card of this name."""
    ships, wins = drawers(results.sums, treasure_names(results)[name])
    return jackknife(rate_of(ships, wins), int(ships[0]))


def every_drawer(results: Results) -> Estimate:
    """The win rate of all ships that drew, a ship counted for each card."""
    ships, wins = drawers(results.sums, range(len(treasure_cards())))
    return jackknife(rate_of(ships, wins), int(ships[0]))


def worth(results: Results, name: str) -> Estimate:
    """The win rate of a card's drawers minus that of all drawers, in points."""
    sums = results.sums
    own, everybody = drawers(sums, treasure_names(results)[name]), drawers(sums, range(len(treasure_cards())))
    return points(jackknife(rate_of(*own) - rate_of(*everybody), int(own[0][0])))


def holders(results: Results, name: str) -> tuple[Estimate, Estimate, Estimate]:
    """The win rate with at least one copy at the end, without any, and the difference in points."""
    sums, players = results.sums, results.table.rules.players
    ships, wins = sums.alike("holders", TREASURE_NAMES.index(name))
    rate, other = rate_of(ships, wins), rate_of(sums.games * players - ships, sums.players("win") - wins)
    return (
        jackknife(rate, int(ships[0])),
        jackknife(other, int((sums.games * players - ships)[0])),
        points(jackknife(rate - other, int(ships[0]))),
    )


def _is_power(name: str) -> bool:
    return any(card.kind == "power" for card in treasure_cards() if card.name == name)


def _card_table(study: Study, setting: Setting) -> ResultTable:
    results, content = setting.played, []
    treasures = results.table.rules.components.treasures
    for name, cards in treasure_names(results).items():
        rate = drawers_rate(results, name)
        if is_known(rate):
            often = jackknife(drawers(results.sums, cards)[0] / results.sums.games, results.games)
            content.append((name, treasures[cards[0]].kind, len(cards), often, rate, worth(results, name)))
    content.sort(key=lambda row: -row[4].value)
    columns = ("card", "kind", "copies", "drawn per game", "win rate of drawers", "against all drawers, points")
    title = f"Win rate of those who draw a card {where(study, setting)}".strip()
    note = f"players' ships, the best card first; all who draw win {words.percent(every_drawer(results).value)}"
    return ResultTable(title, columns, content, frozenset({columns[4]}), note)


def _holder_table(study: Study, setting: Setting) -> ResultTable:
    held = {name: holders(setting.played, name) for name in treasure_names(setting.played)}
    content = [(name, *rates) for name, rates in held.items() if is_known(rates[0])]
    content.sort(key=lambda row: -row[1].value)
    columns = ("card", "with at least one", "without any", "difference, points")
    title = f"Win rate of those who hold a card at the end {where(study, setting)}".strip()
    note = "no comparison of cards: who holds one at the end has also won battles, or lost them"
    return ResultTable(title, columns, content, frozenset(columns[1:3]), note)


# Sentences


def _write_cards(treasures: Treasures, judge: Judge, chapter: Chapter) -> None:
    results, order = treasures.study.reference.played, list(treasures.rates)
    best, worst = order[0], order[-1]
    clear = {name for name in order if judge.is_clear(treasures.worths[name])}
    picked = {name: allowing_for(treasures.rates[name], len(order)) for name in (best, worst)}
    chapter.effect = abs(cohen_h(treasures.rates[best].value, treasures.rates[worst].value))
    powers = [name for name in order if _is_power(name)]
    good = [name for name in powers if judge.is_above(treasures.worths[name])]
    unclear = [name for name in order if name not in clear]
    chapter.say(
        f"whoever draws {the(best)} wins {prose.share(picked[best])} of the games, where all who draw win "
        f"{prose.share(every_drawer(results))}."
        if best in clear
        else "",
        f"whoever draws {the(worst)} wins {prose.share(picked[worst])}." if worst in clear else "",
        f"of the powers, only {words.listed(good)} clearly {'makes' if len(good) == 1 else 'make'} up for being no "
        "points."
        if good and len(good) < len(powers)
        else "no power clearly makes up for being no points."
        if powers and not good
        else "",
        f"too close to the mean of all cards to call: {words.listed(unclear)}." if unclear and len(unclear) < 8 else "",
    )
    top = max(order, key=lambda name: treasures.held[name][0].value if name in treasures.held else 0.0)
    if top not in treasures.held:
        return
    with_it, without, _ = treasures.held[top]
    chapter.say(
        f"holding a card at the end is another matter: ships with at least one {bare(top)} win {prose.share(with_it)}, "
        f"those without any {prose.share(without)}.",
        "Whoever holds a good card at the end has often won the battle for it, so these rates do not compare "
        "the cards.",
    )


def the(name: str) -> str:
    """A card's name inside a sentence, with its article."""
    if name.startswith(("Treasure", "Cursed")):
        return f"a {bare(name)}"
    return f"the {name}" if name[0].isdigit() else name


def bare(name: str) -> str:
    """A card's name without its kind."""
    return name.replace("Treasure ", "").replace("Cursed -", "curse of −")


# Powers switched off


def power_worth(off: Setting, on: Setting, card: str) -> Estimate:
    """The win rate of a card's drawers with its power minus that without, in points, on the same deals."""
    drawn = [drawers(s.played.sums, treasure_names(s.played)[card]) for s in (off, on)]
    rates, ships = [rate_of(*one) for one in drawn], drawn[1][0]
    return points(jackknife(rates[1] - rates[0], int(ships[0])))


def _switches(study: Study) -> list[tuple[str, str, list[tuple[Setting, Setting]]]]:
    return [
        (factor, card, study.contrasts(factor))
        for factor, card in POWERS_BY_RULE.items()
        if factor in study.varying and study.contrasts(factor)
    ]


def _power(factor: str, card: str, pairs: list[tuple[Setting, Setting]]) -> Power:
    content = [
        (label_of(on, ["players"]), drawers_rate(off.played, card), drawers_rate(on.played, card),
         power_worth(off, on, card))
        for off, on in pairs
    ]  # fmt: skip
    note = f"win rate of the ships that draw it; off: {factor_words(factor, pairs[0][0].factors[factor])}"
    columns = ("table", "power off", "power on", "difference, points")
    table = ResultTable(f"{card} with its power and without", columns, content, frozenset(columns[1:3]), note)
    _, off, on, difference = content[0]
    return Power(card, off, on, Comparison(difference), table)


def _write_power(power: Power, judge: Judge, chapter: Chapter) -> None:
    worth_ = power.worth.estimate
    chapter.say(
        f"the power of {power.card} itself is worth {prose.how_many(worth_)} points of win rate: those who draw it win "
        f"{prose.share(power.on)} with the power and {prose.share(power.off)} where it is switched off."
        if judge.is_above(power.worth)
        else f"whether {power.card} has its power makes no clear difference to those who draw it: "
        f"{prose.change(worth_)} points."
    )


def _power_figure(treasures: Treasures) -> list[Figure]:
    made = [
        Row(
            power.card,
            [mark_of(power.off, True, "base", name="switched off"), mark_of(power.on, True, name="with the power")],
        )
        for power in treasures.powers
    ]
    if not made:
        return []
    made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
    sub = f"Win rate of the ships that draw it, on the same deals; {games_line([treasures.study.reference])} each"
    drawing = row_chart("Win rate of those who draw a power, switched off and on", made)
    return [Figure("powers", "What a power itself is worth", sub, drawing)]


# Figures


def _draw_figure(treasures: Treasures) -> Figure:
    study = treasures.study
    even = every_drawer(study.reference.played).value
    made = [Row(name.replace("-", "−"), [against(rate, even)]) for name, rate in treasures.rates.items()]
    label, line = "Win rate of the ships that draw each card", f"all who draw, {even:.1%}"
    games = games_line([study.reference])
    sub = f"Share of their games won by ships that draw the card ({table_words(study)}); {games}"
    return Figure("drawn", "What a drawn card is worth", sub, row_chart(label, made, 29, line=even, line_name=line))


def _holder_figure(treasures: Treasures) -> Figure:
    made = []
    for name, (with_it, without, _) in sorted(treasures.held.items(), key=lambda item: -item[1][0].value):
        marks = [mark_of(without, True, "base", name="without any"), mark_of(with_it, True, name="with at least one")]
        made.append(Row(name.replace("-", "−"), marks))
    sub = f"Win rate by what a ship holds at the end ({table_words(treasures.study)}); not a comparison of the cards"
    drawing = row_chart("Win rate with and without each card at the end", made, 29)
    return Figure("held", "Who holds what at the end", sub, drawing)


# The first screen


def _first_screen(treasures: Treasures, judge: Judge, chapter: Chapter) -> None:
    rates, order = treasures.rates, list(treasures.rates)
    best, worst = order[0], order[-1]
    best_power = next((name for name in order if _is_power(name)), None)
    definite = the(best).replace("a ", "the ", 1) if the(best).startswith("a ") else the(best)
    if not judge.is_above(treasures.worths[best]):
        chapter.headline = chapter.heading = "No treasure card is clearly better than the mean of all"
    elif best_power and best_power != best:
        chapter.headline = f"The card to draw is {definite}; of the powers it is {the(best_power)}"
        chapter.heading = f"The best card to draw is {definite}"
    else:
        chapter.headline = chapter.heading = f"The card to draw is {definite}"
    powers = [power for power in treasures.powers if judge.is_above(power.worth)]
    chapter.standfirst = [
        f"Whoever draws {the(best)} wins {words.percent(rates[best].value, 0)} of the games, whoever draws "
        f"{the(worst)} {words.percent(rates[worst].value, 0)}.",
        *(
            f"The power of {power.card} itself is worth {words.amount(power.worth.estimate.value)} points of win rate."
            for power in powers[:1]
        ),
    ]
    for name in dict.fromkeys((best, best_power, worst)):
        if name:
            chapter.keys.append(
                KeyNumber(
                    words.percent(rates[name].value),
                    f"of the games go to whoever draws {the(name)}",
                    strong=judge.is_above(treasures.worths[name]),
                )
            )
    for power in powers[:2]:
        unit = f"points of win rate by the power of {power.card} itself"
        chapter.keys.append(KeyNumber(words.signed(power.worth.estimate.value), unit))


CHAPTERS = {"treasures": ChapterSource(find, write)}
