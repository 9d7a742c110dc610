"""Treasures: what a drawn card is worth, and what a power itself does.

Which card a lair gives is luck, so ships that draw are compared with one another. Who holds a card at the end is not
luck: cards are taken from those who lose battles.
"""

from jamaica_sim.components import treasures as treasure_cards
from jamaica_sim.experiment.setting import factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    by_setting,
    chapter_named,
    games_line,
    is_known,
    mark_of,
    of_game,
    points,
    rate_of,
    spoken,
    table_words,
    usual,
    where,
)
from jamaica_sim.report.forms import Panel, Row, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

POWERS_BY_RULE = {"map_hand_size": "Morgan's Map", "lady_beth_bonus": "Lady Beth"}


def treasure_names() -> dict[str, list[int]]:
    """The numbers of the cards of each name."""
    names = {}
    for number, card in enumerate(treasure_cards()):
        names.setdefault(card.name, []).append(number)
    return names


def drawers(sums, cards) -> tuple:
    """How many players' ships drew these cards, and their wins; a ship that drew two is counted twice."""
    found = [sums.drawn(card) for card in cards]
    return sum(ships for ships, _, _ in found), sum(wins for _, wins, _ in found)


def drawers_rate(results, name: str) -> Estimate:
    """The win rate of the ships that drew a card of this name."""
    ships, wins = drawers(results.sums, treasure_names()[name])
    return jackknife(rate_of(ships, wins), int(ships[0]))


def every_drawer(results) -> Estimate:
    """The win rate of all ships that drew, a ship counted for each card."""
    ships, wins = drawers(results.sums, range(len(treasure_cards())))
    return jackknife(rate_of(ships, wins), int(ships[0]))


def worth(results, name: str) -> Estimate:
    """The win rate of a card's drawers minus that of all drawers, in points."""
    sums = results.sums
    own, everybody = drawers(sums, treasure_names()[name]), drawers(sums, range(len(treasure_cards())))
    return points(jackknife(rate_of(*own) - rate_of(*everybody), int(own[0][0])))


def holders(results, name: str) -> tuple[Estimate, Estimate, Estimate]:
    """The win rate with at least one copy at the end, without any, and the difference in points."""
    sums, players = results.sums, results.table.rules.players
    ships, wins = sums.alike("holders", list(treasure_names()).index(name))
    rate, other = rate_of(ships, wins), rate_of(sums.games * players - ships, sums.players("win") - wins)
    return (
        jackknife(rate, int(ships[0])),
        jackknife(other, int((sums.games * players - ships)[0])),
        points(jackknife(rate - other, int(ships[0]))),
    )


@chapter_named("treasures")
def treasures(study: Study, looks: Looks) -> Chapter:
    """The chapter."""
    chapter = Chapter("treasures", "Treasures")
    setting = study.reference
    names = [name for name in treasure_names() if is_known(drawers_rate(setting.results, name))]
    chapter.tables += [
        *(_card_table(study, s) for s in [setting, *(o for o in _others(study) if o is not setting)]),
        _holder_table(study, setting),
        by_setting(
            usual(study),
            "Treasures taken",
            {
                "taken per game": of_game("treasures_taken"),
                "winner's treasure points": of_game("winner_treasure_points"),
            },
        ),  # fmt: skip
    ]
    values = {name: worth(setting.results, name) for name in names}
    clear = {name: looks.is_clear(value) for name, value in values.items()}
    powers = _tell_powers(study, looks, chapter)
    if not names:
        chapter.heading = "No treasure was drawn"
        chapter.say("no ship drew a treasure in these games.")
        return chapter
    in_order = sorted(names, key=lambda name: -values[name].value)
    _tell_cards(study, chapter, in_order, values, clear)
    chapter.figures += [_draw_figure(study, in_order), *_power_figure(study), _holder_figure(study)]
    _first_screen(study, chapter, in_order, values, clear, powers)
    return chapter


def _others(study):
    return [s for s in study.along("players") if s in usual(study)]


def _card_table(study, setting):
    results, rows_ = setting.results, []
    for name, cards in treasure_names().items():
        rate = drawers_rate(results, name)
        if is_known(rate):
            games = results.sums.games
            often = jackknife(drawers(results.sums, cards)[0] / games, results.games)
            rows_.append((name, treasure_cards()[cards[0]].kind, len(cards), often, rate, worth(results, name)))
    rows_.sort(key=lambda row: -row[4].value)
    columns = ("card", "kind", "copies", "drawn per game", "win rate of drawers", "against all drawers, points")
    title = f"Win rate of those who draw a card {where(study, setting)}".strip()
    note = f"players' ships, the best card first; all who draw win {words.percent(every_drawer(results).value)}"
    return ResultTable(title, columns, rows_, frozenset({columns[4]}), note)


def _holder_table(study, setting):
    rows_ = []
    for name in treasure_names():
        with_it, without, difference = holders(setting.results, name)
        if is_known(with_it):
            rows_.append((name, with_it, without, difference))
    rows_.sort(key=lambda row: -row[1].value)
    columns = ("card", "with at least one", "without any", "difference, points")
    title = f"Win rate of those who hold a card at the end {where(study, setting)}".strip()
    note = "no comparison of cards: who holds one at the end has also won battles, or lost them"
    return ResultTable(title, columns, rows_, frozenset(columns[1:3]), note)


# Sentences


def _tell_cards(study, chapter, in_order, values, clear):
    results = study.reference.results
    best, worst = in_order[0], in_order[-1]
    chapter.effect = abs(cohen_h(drawers_rate(results, best).value, drawers_rate(results, worst).value))
    told = []
    if clear[best]:
        told.append(
            f"whoever draws {the(best)} wins {prose.share(drawers_rate(results, best))} of the games, where all who "
            f"draw win {prose.share(every_drawer(results))}."
        )
    if clear[worst]:
        told.append(f"whoever draws {the(worst)} wins {prose.share(drawers_rate(results, worst))}.")
    powers = [name for name in in_order if treasure_cards()[treasure_names()[name][0]].kind == "power"]
    good = [name for name in powers if clear[name] and values[name].value > 0]
    told.append(
        f"of the powers, only {words.listed(good)} clearly {'makes' if len(good) == 1 else 'make'} up for being no "
        "points."
        if good and len(good) < len(powers)
        else "no power clearly makes up for being no points."
        if powers and not good
        else ""
    )
    unclear = [name for name in in_order if not clear[name]]
    told.append(
        f"too close to the mean of all cards to call: {words.listed(unclear)}." if unclear and len(unclear) < 8 else ""
    )
    chapter.say(*told)
    holder = {name: holders(results, name) for name in in_order}
    top = max(in_order, key=lambda name: holder[name][0].value)
    chapter.say(
        f"to hold a card at the end is another thing: ships with at least one {bare(top)} win "
        f"{prose.share(holder[top][0])}, those without any {prose.share(holder[top][1])}.",
        "Whoever holds a good card at the end has often won the battle for it, so these rates do not compare "
        "the cards.",
    )


def the(name: str) -> str:
    """A card's name inside a sentence, with its article."""
    return (
        f"a {bare(name)}" if name.startswith(("Treasure", "Cursed")) else (f"the {name}" if name[0].isdigit() else name)
    )


def bare(name: str) -> str:
    """A card's name without its kind."""
    return name.replace("Treasure ", "").replace("Cursed -", "curse of −")


# Powers switched off


def power_worth(off, on, card) -> Estimate:
    """The win rate of a card's drawers with its power minus that without, in points, on the same deals."""
    rates = [rate_of(*drawers(s.results.sums, treasure_names()[card])) for s in (off, on)]
    ships, _ = drawers(on.results.sums, treasure_names()[card])
    return points(jackknife(rates[1] - rates[0], int(ships[0])))


def _switches(study):
    return [
        (factor, card, study.contrasts(factor))
        for factor, card in POWERS_BY_RULE.items()
        if factor in study.varying and study.contrasts(factor)
    ]


def _tell_powers(study, looks, chapter):
    found = {}
    for factor, card, pairs in _switches(study):
        rows_ = [
            (label_of(on, ["players"]), drawers_rate(off.results, card), drawers_rate(on.results, card),
             power_worth(off, on, card))
            for off, on in pairs
        ]  # fmt: skip
        off = pairs[0][0]
        note = f"win rate of the ships that draw it; off: {factor_words(factor, off.factors[factor])}"
        columns = ("table", "power off", "power on", "difference, points")
        chapter.tables.append(
            ResultTable(f"{card} with its power and without", columns, rows_, frozenset(columns[1:3]), note)
        )
        difference = rows_[0][3]
        if looks.is_clear(difference):
            found[card] = difference
            chapter.say(
                f"the power of {card} itself is worth {prose.how_many(difference)} points of win rate: those who draw "
                f"it win {prose.share(rows_[0][2])} with the power and {prose.share(rows_[0][1])} where it is switched "
                "off."
            )
        else:
            chapter.say(
                f"whether {card} has its power makes no clear difference to those who draw it: "
                f"{prose.change(difference)} points."
            )
    return found


def _power_figure(study):
    made = []
    for _, card, pairs in _switches(study):
        off, on = pairs[0]
        made.append(
            Row(
                card,
                [
                    mark_of(drawers_rate(off.results, card), True, "base", name="switched off"),
                    mark_of(drawers_rate(on.results, card), True, name="with the power"),
                ],
            )  # fmt: skip
        )
    if not made:
        return []
    made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
    label = f"Win rate of those who draw a power, switched off and on: {spoken([('', made)])}"
    sub = f"Win rate of the ships that draw it, on the same deals; {games_line([study.reference])} each"
    return [Figure("powers", "What a power itself is worth", sub, rows(label, [Panel("", made)]))]


# Figures


def _draw_figure(study, in_order):
    results = study.reference.results
    even = every_drawer(results).value
    made = [Row(name.replace("-", "−"), [_card_mark(drawers_rate(results, name), even)]) for name in in_order]
    label = f"Win rate of the ships that draw each card: {spoken([('', made)])}"
    panel = Panel("", made, line=even, line_name=f"all who draw, {even:.1%}")
    sub = f"Share of their games that ships win which draw the card ({table_words(study)}); " + games_line(
        [study.reference]
    )
    return Figure("drawn", "What the card is worth that one draws", sub, rows(label, [panel], row_height=29))


def _card_mark(estimate, even):
    return mark_of(estimate, True, "subject" if estimate.value >= even else "base")


def _holder_figure(study):
    results = study.reference.results
    found = {name: holders(results, name) for name in treasure_names()}
    found = {name: pair for name, pair in found.items() if is_known(pair[0])}
    made = []
    for name in sorted(found, key=lambda name: -found[name][0].value):
        with_it, without, _ = found[name]
        marks = [mark_of(without, True, "base", name="without any"), mark_of(with_it, True, name="with at least one")]
        made.append(Row(name.replace("-", "−"), marks))
    label = f"Win rate with and without each card at the end: {spoken([('', made)])}"
    sub = f"Win rate by what a ship holds at the end ({table_words(study)}); not a comparison of the cards"
    return Figure("held", "Who holds what at the end", sub, rows(label, [Panel("", made)], row_height=29))


# The first screen


def _first_screen(study, chapter, in_order, values, clear, powers):
    results = study.reference.results
    best, worst = in_order[0], in_order[-1]
    best_power = next((n for n in in_order if treasure_cards()[treasure_names()[n][0]].kind == "power"), None)
    if not clear[best]:
        chapter.headline = chapter.heading = "No treasure card is clearly better than another"
    elif best_power and best_power != best:
        chapter.headline = (
            f"The card to draw is {the(best).replace('a ', 'the ', 1)}; of the powers it is {the(best_power)}"
        )
        chapter.heading = f"The best card to draw is {the(best).replace('a ', 'the ', 1)}"
    else:
        chapter.headline = chapter.heading = f"The card to draw is {the(best)}"
    chapter.standfirst = [
        f"Whoever draws {the(best)} wins {words.percent(drawers_rate(results, best).value, 0)} of the games, whoever "
        f"draws {the(worst)} {words.percent(drawers_rate(results, worst).value, 0)}.",
        *(
            f"The power of {card} itself is worth {words.amount(value.value)} points of win rate."
            for card, value in list(powers.items())[:1]
        ),
    ]
    for name in dict.fromkeys((best, best_power, worst)):
        if name:
            chapter.keys.append(
                KeyNumber(
                    words.percent(drawers_rate(results, name).value),
                    f"of the games go to whoever draws {the(name)}",
                    strong=clear[name] and values[name].value > 0,
                )
            )
    for card, value in list(powers.items())[:2]:
        chapter.keys.append(KeyNumber(words.signed(value.value), f"points of win rate by the power of {card} itself"))
    chapter.hero = _draw_figure(study, in_order)
