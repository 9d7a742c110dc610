"""Treasures: what a drawn card is worth, and what a power itself does.

Which card a lair gives is luck, so the ships that draw a card are compared with the mean of all cards that are drawn.
A ship that draws two counts for both. Who holds a card at the end is not luck, since cards are taken from those who
lose battles: it is not told.
"""

from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import comparable, pair_of
from jamaica_sim.report.chapter import is_known, rate_of, where
from jamaica_sim.report.parts import Part, chapter_of, ranking, response, sheet
from jamaica_sim.report.sheet import Sheet, quantity, win_rate
from jamaica_sim.results.measures import Floats, Measure, drawers
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.experiment.setting import Setting, factor_words, label_of
from jamaica_sim.study.experiment.study import Study

POWERS_BY_RULE = {"map_hand_size": "Morgan's Map", "lady_beth_bonus": "Lady Beth"}
TAKEN = {
    "taken per game": quantity("treasures_taken"),
    "winner's treasure points": quantity("winner_treasure_points"),
}
ALL = "all cards drawn"


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
    """The win rate of a card's drawers less the mean of all cards that are drawn, in points."""
    own = drawn(results, name)
    return jackknife(rate_of(*own) - rate_of(*drawn(results, ALL)), min(int(own[0][0]), results.games)).scaled(100)


def _power(study: Study, factor: str, card: str, pairs: list[tuple[Setting, Setting]]) -> Part:
    """A power that was switched off: win rates of the ships that draw its card."""
    note = f"win rate of the ships that draw it; off: {factor_words(factor, pairs[0][0].factors[factor])}"
    part = response(
        f"{card} with its power and without", rate_of_drawers(card),
        {label_of(on, ["players"]): (off.played, on.played) for off, on in pairs},
        (f"the power of {card} helps whoever draws it", f"the power of {card} harms whoever draws it",
         f"the power of {card} makes no clear difference to whoever draws it"),
        names=("power off", "power on"), note=note,
    )  # fmt: skip
    before, after = (prose.share(e) for e in part.tables[0].rows[0][1:3])
    part.facts = [f"whoever draws {card} wins {after} of the games, {before} where its power is switched off."]
    return part


def _card_table(study: Study, setting: Setting) -> ResultTable:
    results, content = setting.played, []
    cards = results.table.rules.components.treasures
    for name, numbers in treasure_names(results).items():
        if is_known(rate := rate_of_drawers(name).of(results)):
            often = jackknife(drawn(results, name)[0] / results.sums.games, results.games)
            card = cards[numbers[0]]
            content.append((card.title, card.kind, len(numbers), often, rate, worth(results, name)))
    content.sort(key=lambda row: -row[4].value)
    columns = ("card", "kind", "copies", "drawn per game", "win rate of drawers", "against all cards drawn, points")
    title = f"Win rate of those who draw a card {where(study, setting)}".strip()
    mean = words.percent(rate_of_drawers(ALL).of(results).value)
    note = f"players' ships, the best card first; the mean of all cards drawn is {mean}"
    return ResultTable(title, columns, content, frozenset({columns[4]}), note)


def _cards(study: Study) -> Part:
    """What each card is worth to the ship that draws it."""
    setting, titles = study.reference, titles_of(study)
    worths = {name: worth(setting.played, name) for name in treasure_names(setting.played)}
    worths = {name: e for name, e in worths.items() if is_known(e)}
    tables = [_card_table(study, s) for s in pair_of(study).values()]
    if not worths:
        return Part(None, ["no ship drew a treasure in these games."], tables, headline="No ship drew a treasure")
    best, *_, worst = sorted(worths, key=lambda name: -worths[name].value)
    rates = {name: prose.share(rate_of_drawers(name).of(setting.played)) for name in (best, worst)}
    mean = words.percent(rate_of_drawers(ALL).of(setting.played).value)
    unit = "Points of win rate of ships that draw the card, against the mean of all cards drawn"
    return ranking(
        "What a drawn card is worth", worths, 0.0,
        ("the best card to draw is {}", "no treasure card is clearly better than the mean of all"),
        sub=Sheet(study, {}).sub(unit, one=True), name="drawn", tables=tables, share=False, row_height=29,
        line_name="the mean of all cards drawn",
        facts=[f"whoever draws {the(titles[best])} wins {rates[best]} of the games, whoever draws {the(titles[worst])} "
               f"{rates[worst]}.",
               f"the mean of all cards drawn is {mean}; a ship that draws two cards counts twice in it."],
        labels={name: the(titles[name]).removeprefix("a ") for name in worths}, unit="points of win rate for {}",
    )  # fmt: skip


def _parts(study: Study) -> list[Part]:
    powers = [_power(study, factor, card, pairs) for factor, card in POWERS_BY_RULE.items()
              if factor in study.varying and (pairs := study.contrasts(factor))]  # fmt: skip
    facts = ["a game brings {taken per game} treasures"]
    return [_cards(study), *powers, sheet(study, "Treasures taken", TAKEN, facts, settings=comparable(study))]


def the(name: str) -> str:
    """A card's name inside a sentence, with its article."""
    if name.startswith(("Treasure", "Cursed")):
        return f"a {name.replace('Treasure ', '').replace('Cursed ', 'curse of ').replace('-', '−')}"
    return f"the {name}" if name[0].isdigit() else name


CHAPTERS = chapter_of("treasures", "Treasures", _parts)
