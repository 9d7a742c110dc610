"""Treasures: how often each card is held at the end, how those fare who hold it, and what a power itself is worth."""

import math

from jamaica_sim.components import treasures as treasure_cards
from jamaica_sim.experiment.setting import factor_words, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    basis,
    by_setting,
    causes,
    cell,
    is_clear,
    of_game,
    points,
    rate_of,
    tidy,
    where,
)
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.jackknife import jackknife

POWERS_BY_RULE = {"map_hand_size": "Morgan's Map", "lady_beth_bonus": "Lady Beth"}
CAUTION = (
    "Which card a lair gives is luck, so the cards may be compared with one another. To hold a card at all is not "
    "luck alone: whoever visits lairs and wins battles holds more of them, and wins more for other reasons too; and "
    "cards change hands. Only where a power was switched off is the difference the work of the power itself."
)


def treasures(study: Study) -> Chapter:
    """The chapter."""
    chapter = Chapter(
        "treasures", "Treasures", "How often is each card held, and what is it worth?", cautions=causes(study, CAUTION)
    )
    setting = study.reference
    cards = _card_table(study, setting)
    columns = {
        "taken per game": of_game("treasures_taken"),
        "winner's treasure points": of_game("winner_treasure_points"),
    }
    chapter.tables += [cards, by_setting(study.uniform(), "Treasures taken", columns)]
    caption = tidy(f"Win rate with and without each card at the end {where(study, setting)}.")
    chapter.pictures.append(Picture("wins", caption, lambda: charts.treasure_wins(setting.results)))
    known = [row for row in cards.rows if not math.isnan(row[4].value)]
    for row in known[:1] + known[-1:]:
        chapter.find(*_card_finding(study, setting, cards, row))
    powers = [row[0] for row in known if row[1] == "power"]
    if powers:
        chapter.say(f"The powers by the win rate that goes with them: {', '.join(powers)}.")
    for factor, card in POWERS_BY_RULE.items():
        if factor in study.varying and study.contrasts(factor):
            table = _switch_table(study, factor, card)
            chapter.tables.append(table)
            chapter.find(_switch_finding(table, card))
    others = [s for s in study.along("players") if s in study.uniform() and s is not setting]
    chapter.tables += [_card_table(study, other) for other in others]
    return chapter


def _card_table(study, setting):
    results, rows = setting.results, []
    for name, cards in charts.treasure_names().items():
        if name == "Lady Beth" and setting.rules.ghost:
            continue  # the ghost's own (G1)
        rate, other, difference = charts.treasure_rates(results, cards)
        rows.append(
            (name, treasure_cards()[cards[0]].kind, len(cards), _held(results, cards), rate, other, points(difference))
        )
    rows.sort(key=lambda row: math.inf if math.isnan(row[4].value) else -row[4].value)
    columns = ("card", "kind", "copies", "held at the end", "win rate with", "without", "difference, points")
    title = tidy(f"Win rate by treasure held at the end {where(study, setting)}")
    note = "players' ships, the best card first; held: share of the games, for each copy"
    return ResultTable(title, columns, rows, frozenset(columns[3:6]), note)


def _held(results, cards):
    sums = results.sums
    return jackknife(sum(sums.alike("treasures", card)[0] for card in cards) / sums.games / len(cards), results.games)


def _card_finding(study, setting, cards, row):
    name = row[0]
    text = (
        f"Ships that hold {name} at the end win {cell(cards, name, 'win rate with')} of their games, the others "
        f"{cell(cards, name, 'without')}, a difference of {cell(cards, name, 'difference, points')} percentage points "
        f"{basis(study, setting, row[4].n, 'ships with the card')}."
    )
    return [Finding(text, cohen_h(row[4].value, row[5].value), name)] if is_clear(row[6]) else []


# Powers switched off


def _switch_table(study, factor, card):
    """The win rate with a power that works, and with the same card when it does nothing."""
    number = charts.treasure_names()[card][0]
    rows = []
    for off, on in study.contrasts(factor):
        members = [setting.results.sums.alike("treasures", number) for setting in (off, on)]
        rates = [rate_of(*ships_and_wins) for ships_and_wins in members]
        counts = [int(ships[0]) for ships, _ in members]
        estimates = [jackknife(rate, count) for rate, count in zip(rates, counts, strict=True)]
        rows.append((label_of(on, ["players"]), *estimates, points(jackknife(rates[1] - rates[0], counts[1]))))
    off = study.contrasts(factor)[0][0]
    note = f"win rate of the ships that hold it at the end; off: {factor_words(factor, off.factors[factor])}"
    columns = ("table", "power off", "power on", "difference, points")
    return ResultTable(f"{card} with its power and without", columns, rows, frozenset(columns[1:3]), note)


def _switch_finding(table, card):
    label, off, on, difference = table.rows[0]
    text = (
        f"The power of {card} itself is worth {cell(table, 0, 'difference, points')} percentage points: ships that "
        f"hold it win {cell(table, 0, 'power on')} of their games with it, and {cell(table, 0, 'power off')} where it "
        f"is switched off ({label}; {difference.n:,} ships with the card)."
    )
    return Finding(text, cohen_h(on.value, off.value) if is_clear(difference) else 0.0, f"power of {card}")
