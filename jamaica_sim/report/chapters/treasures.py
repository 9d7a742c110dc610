"""Treasures: what a drawn card is worth, and what a power itself does.

Which card a lair gives is luck, so ships that draw are compared with one another. Who holds a card at the end is not
luck, since cards are taken from those who lose battles: it is not told.
"""

from jamaica_sim.charts.row_charts import Row
from jamaica_sim.components import treasures as treasure_cards
from jamaica_sim.experiment.setting import Setting, factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, is_known, rate_of, where
from jamaica_sim.report.figures import chart, mark_of
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, games_behind, quantity, win_rate
from jamaica_sim.results.measures import Floats, Measure, drawers
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

POWERS_BY_RULE = {"map_hand_size": "Morgan's Map", "lady_beth_bonus": "Lady Beth"}
TAKEN = {
    "taken per game": quantity("treasures_taken"),
    "winner's treasure points": quantity("winner_treasure_points"),
}
ALL = "all who draw"


def treasure_names(results: Results) -> dict[str, list[int]]:
    """The numbers of the cards of each name; a game may have more copies of one than the box."""
    names: dict[str, list[int]] = {}
    for number, card in enumerate(results.table.rules.components.treasures):
        if card.in_game:
            names.setdefault(card.name, []).append(number)
    return names


def titles_of(study: Study) -> dict[str, str]:
    """What stands on the cards of each name: the points that they bring, where all settings agree on these."""
    cards = {(c.name, c.title) for s in study.settings for c in s.rules.components.treasures if c.in_game}
    several = {name for name, title in cards if any(name == other and title != its for other, its in cards)}
    return {name: name if name in several else title for name, title in cards}


def drawn(results: Results, name: str) -> tuple[Floats, Floats]:
    """How many ships drew a card of this name, or any card, and their wins; counted once for each card."""
    every = treasure_names(results)
    cards = [n for numbers in every.values() for n in numbers] if name == ALL else every.get(name, [])
    return drawers(results.sums, cards) if cards else (0 * results.sums.games, 0 * results.sums.games)


def rate_of_drawers(name: str) -> Measure:
    """The win rate of the ships that drew a card of this name."""
    return win_rate(lambda results: drawn(results, name))


def worth(results: Results, name: str) -> Estimate:
    """The win rate of a card's drawers minus that of all drawers, in points."""
    own = drawn(results, name)
    return jackknife(rate_of(*own) - rate_of(*drawn(results, ALL)), games_behind(own[0], results)).scaled(100)


class Power(Findings):
    """A power that was switched off: win rates of the ships that draw its card."""

    def __init__(self, factor: str, card: str, pairs: list[tuple[Setting, Setting]]):
        measure, self.card = rate_of_drawers(card), card
        content = [
            (label_of(on, ["players"]), measure.of(off.played), measure.of(on.played),
             measure.difference(off.played, on.played))
            for off, on in pairs
        ]  # fmt: skip
        note = f"win rate of the ships that draw it; off: {factor_words(factor, pairs[0][0].factors[factor])}"
        columns = ("table", "power off", "power on", "difference, points")
        self.table = ResultTable(f"{card} with its power and without", columns, content, frozenset(columns[1:3]), note)
        _, self.off, self.on, difference = content[0]
        self.worth = Comparison(difference)

    def sentence(self, judge: Judge) -> str:
        """What the power does."""
        points_ = self.worth.estimate
        if not judge.is_above(self.worth):
            return (
                f"whether {self.card} has its power makes no clear difference to those who draw it: "
                f"{prose.change(points_)} points."
            )
        return (
            f"the power of {self.card} itself is worth {prose.how_many(points_)} points of win rate: those who draw it "
            f"win {prose.share(self.on)} with the power and {prose.share(self.off)} where it is switched off."
        )


class Treasures(Findings):
    """What the games show about treasures: those who draw each card."""

    def __init__(self, study: Study):
        setting, names = study.reference, treasure_names(study.reference.played)
        self.titles = titles_of(study)
        rates = {name: rate_of_drawers(name) for name in (*names, ALL)}
        self.sheet = figures = Sheet(study, rates | TAKEN, [*names, "taken per game"])
        worths = {name: worth(setting.played, name) for name in names if is_known(figures.at(name))}
        # of each card against all drawers, in points, the best first
        self.worths = {name: Comparison(worths[name]) for name in sorted(worths, key=lambda name: -worths[name].value)}
        self.powers = [
            Power(factor, card, pairs)
            for factor, card in POWERS_BY_RULE.items()
            if factor in study.varying and (pairs := study.contrasts(factor))
        ]
        others = [s for s in study.along("players") if s in usual(study) and s is not setting]
        beside = [s for s in figures.beside.values() if s not in others]
        self.tables = [
            *(_card_table(study, figures, s) for s in (setting, *others, *beside)),
            figures.table("Treasures taken", TAKEN, settings=usual(study)),
            *(power.table for power in self.powers),
        ]

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        chapter = Chapter("treasures", "Treasures", tables=self.tables)
        for power in self.powers:
            chapter.say(power.sentence(judge))
        if not self.worths:
            chapter.heading = "No treasure was drawn"
            chapter.say("no ship drew a treasure in these games.")
            return chapter
        self._write_cards(judge, chapter)
        figures = self.sheet
        even = figures.at(ALL).value
        made = [figures.row(self.titles[name].replace("-", "−"), name, even) for name in self.worths]
        title, sub = "What a drawn card is worth", figures.sub("Share of their games won by ships that draw the card")
        rates = chart("drawn", title, sub, made, 29, line=even, line_name=f"all who draw, {even:.1%}")
        chapter.figures += [rates, *self._power_figure()]
        self._first_screen(judge, chapter)
        return chapter

    def _the(self, name: str) -> str:
        return the(self.titles[name])

    def _write_cards(self, judge: Judge, chapter: Chapter) -> None:
        figures, order = self.sheet, list(self.worths)
        best, worst = order[0], order[-1]
        chapter.effect = abs(cohen_h(figures.at(best).value, figures.at(worst).value))
        wins = {name: prose.share(allowing_for(figures.at(name), len(order))) for name in (best, worst)}
        unclear = [name for name in order if not judge.is_clear(self.worths[name])]
        powers = [name for name in order if is_power(name)]
        good = [name for name in powers if judge.is_above(self.worths[name])]
        make_up = "none clearly makes"
        if good:
            make_up = f"only {words.listed(good)} clearly {'makes' if len(good) == 1 else 'make'}"
        chapter.say(
            f"whoever draws {self._the(best)} wins {wins[best]} of the games, where all who draw win "
            f"{figures.said(ALL)}."
            if best not in unclear
            else "",
            f"whoever draws {self._the(worst)} wins {wins[worst]}." if worst not in unclear else "",
            f"a power brings no points; of the powers, {make_up} up for that." if len(good) < len(powers) else "",
            f"too close to the mean of all cards to call: {words.listed([self.titles[name] for name in unclear])}."
            if 0 < len(unclear) < 8
            else "",
            figures.tell(judge, "a game brings {taken per game} treasures"),
        )

    def _power_figure(self) -> list[Figure]:
        made = [
            Row(one.card, [mark_of(one.off, True, "base", name="switched off"),
                           mark_of(one.on, True, name="with the power")])
            for one in self.powers
        ]  # fmt: skip
        made.sort(key=lambda row: row.marks[0].value - row.marks[1].value)
        games = games_line([self.sheet.study.reference])
        sub = f"Win rate of the ships that draw it, on the same deals; {games} each"
        return [chart("powers", "What a power itself is worth", sub, made)] if made else []

    def _first_screen(self, judge: Judge, chapter: Chapter) -> None:
        order, rates = list(self.worths), {name: self.sheet.at(name).value for name in self.worths}
        best, worst = order[0], order[-1]
        best_power = next((name for name in order if is_power(name)), None)
        definite = self._the(best)
        definite = definite.replace("a ", "the ", 1) if definite.startswith("a ") else definite
        chapter.headline = chapter.heading = f"The best card to draw is {definite}"
        if not judge.is_above(self.worths[best]):
            chapter.headline = chapter.heading = "No treasure card is clearly better than the mean of all"
        elif best_power and best_power != best:
            chapter.headline = f"The card to draw is {definite}; of the powers it is {the(best_power)}"
        powers = {one.card: one.worth.estimate.value for one in self.powers if judge.is_above(one.worth)}
        chapter.standfirst = [
            f"Whoever draws {self._the(best)} wins {words.percent(rates[best], 0)} of the games, whoever draws "
            f"{self._the(worst)} {words.percent(rates[worst], 0)}.",
            *(
                f"The power of {card} itself is worth {words.amount(value)} points of win rate."
                for card, value in list(powers.items())[:1]
            ),
        ]
        for name in dict.fromkeys(name for name in (best, best_power, worst) if name):
            whose, strong = f"of the games go to whoever draws {self._the(name)}", judge.is_above(self.worths[name])
            chapter.keys.append(KeyNumber(words.percent(rates[name]), whose, strong))
        for card, value in list(powers.items())[:2]:
            chapter.keys.append(KeyNumber(words.signed(value), f"points of win rate by the power of {card} itself"))


def _card_table(study: Study, figures: Sheet, setting: Setting) -> ResultTable:
    results, content = setting.played, []
    treasures = results.table.rules.components.treasures
    for name, cards in treasure_names(results).items():
        if is_known(rate := figures.at(name, setting)):
            often = jackknife(drawn(results, name)[0] / results.sums.games, results.games)
            card = treasures[cards[0]]
            content.append((card.title, card.kind, len(cards), often, rate, worth(results, name)))
    content.sort(key=lambda row: -row[4].value)
    columns = ("card", "kind", "copies", "drawn per game", "win rate of drawers", "against all drawers, points")
    title = f"Win rate of those who draw a card {where(study, setting)}".strip()
    note = f"players' ships, the best card first; all who draw win {words.percent(figures.at(ALL, setting).value)}"
    return ResultTable(title, columns, content, frozenset({columns[4]}), note)


def is_power(name: str) -> bool:
    """Whether a card is a power."""
    return any(card.kind == "power" for card in treasure_cards() if card.name == name)


def the(name: str) -> str:
    """A card's name inside a sentence, with its article."""
    if name.startswith(("Treasure", "Cursed")):
        return f"a {name.replace('Treasure ', '').replace('Cursed ', 'curse of ').replace('-', '−')}"
    return f"the {name}" if name[0].isdigit() else name


CHAPTERS = {"treasures": ChapterSource(Treasures, Treasures.write)}
