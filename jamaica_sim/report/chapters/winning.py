"""Who wins: by strategy, by strategy against strategy, and by seat from the first Captain."""

from jamaica_sim.experiment.setting import LINE_UP, Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    MOST_LINES,
    Chapter,
    Finding,
    Picture,
    basis,
    by_setting,
    cell,
    figure,
    is_clear,
    named,
    overlay,
    points,
    thinking,
    tidy,
    where,
)
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM


def who_wins(study: Study) -> Chapter:
    """The chapter."""
    chapter = Chapter(
        "who_wins", "Who wins", "Which way of playing wins, against whom, and is the first Captain ahead?"
    )
    mixed = [s for s in study.settings if s.is_mixed]
    duels = [s for s in mixed if duellists(s)]
    duels = duels if len({s.factors[LINE_UP] for s in duels}) > 1 else []
    for place, shares in shares_by_rules(study, duels).items():
        _tell_duels(chapter, shares, place)
    for setting in mixed:
        if setting not in duels:
            _tell_line_up(study, chapter, setting)
    if not mixed:
        chapter.say("All players play alike at each table here, so among them only the seat can make a difference.")
    _tell_seats(study, chapter)
    return chapter


# Strategy against strategy


def duellists(setting: Setting) -> list[str]:
    """The two strategies that have half of a table's seats each, if it is so."""
    seats = [strategy.label for strategy in setting.results.table.strategies]
    pair = list(dict.fromkeys(seats))
    return pair if len(pair) == 2 and seats.count(pair[0]) == seats.count(pair[1]) else []


def shares_by_rules(study: Study, duels: list[Setting]) -> dict:
    """By the rules, in words where they vary: of each strategy against each other its share of the victories.

    A share comes as sums, with the number of games. The victories are those of players; the ghost's are left out.
    """
    names = [name for name in study.varying if name != LINE_UP]
    shares = {}
    for setting in duels:
        sums, pair = setting.results.sums, duellists(setting)
        of_these_rules = shares.setdefault(f"({label_of(setting, names)})" if names else "", {})
        for name, other in (pair, pair[::-1]):
            of_these_rules[name, other] = (sums.group(name, "win") / sums.players("win"), setting.games)
    return shares


def _tell_duels(chapter, shares, place):
    estimates = {pair: jackknife(values, games) for pair, (values, games) in shares.items()}
    means = {name: _mean_share(shares, name) for name in sorted({name for name, _ in shares})}
    best = sorted(means, key=lambda name: -means[name].value)
    ranking, grid = _ranking(best, means, estimates, place), _grid(best, estimates, place)
    chapter.tables += [ranking, grid]
    in_order = {(a, b): estimates[a, b] for a in best for b in best if (a, b) in estimates}
    number = f"_{len(chapter.pictures)}" if chapter.pictures else ""
    ranked, blue = (
        "Mean share of the victories over all opponents",
        "Blue: the row wins more than half; orange: the column",
    )
    chapter.pictures += [
        Picture(f"ranking{number}", tidy(f"{ranked} {place}."), lambda: charts.strategy_rates(means, 0.5)),
        Picture(f"opponents{number}", tidy(f"{blue} {place}."), lambda: charts.opponents(in_order)),
    ]
    games = max(games for _, games in shares.values())
    planned = [name for name in best if name != RANDOM] or best
    for name, word in ((planned[0], "the most of all strategies"), (planned[-1], "the fewest of those with a plan")):
        text = (
            f"The strategy {name} takes {cell(ranking, name, 'share')} of the victories over all opponents, {word}, "
            f"where 50% would be even {place} ({games:,} games against each)."
        )
        _tell(chapter, text, means[name], 0.5, f"{name} over all {place}")
    first, second = best[:2]
    if (first, second) in estimates:
        text = (
            f"Between the two best, {first} takes {cell(grid, first, second)} of the victories and {second} "
            f"{cell(grid, second, first)} {place} ({games:,} games)."
        )
        _tell(chapter, text, estimates[first, second], 0.5, f"the two best {place}")
    a, b = max(estimates, key=lambda pair: estimates[pair].value)
    chapter.say(f"The most uneven pair is {a} against {b}: {cell(grid, a, b)} to {cell(grid, b, a)} {place}.")


def _tell(chapter, text, share, even, topic):
    """A sentence, and a finding where the share is clearly not even."""
    if is_clear(share, even):
        chapter.find(Finding(text, cohen_h(share.value, even), topic))
    else:
        chapter.say(text)


def _mean_share(shares, name):
    rows = [values for (a, _), (values, _) in shares.items() if a == name]
    return jackknife(sum(rows) / len(rows), sum(games for (a, _), (_, games) in shares.items() if a == name))


def _ranking(best, means, estimates, place):
    rows = []
    for name in best:
        against = {b: estimate.value for (a, b), estimate in estimates.items() if a == name}
        rows.append((name, means[name], max(against, key=against.get), min(against, key=against.get)))
    columns = ("strategy", "share", "best against", "worst against")
    note = "50% would be even; every opponent counts the same"
    return ResultTable(
        tidy(f"Share of the victories over all opponents {place}"), columns, rows, frozenset({"share"}), note
    )


def _grid(best, estimates, place):
    rows = [(a, *(estimates.get((a, b), "") for b in best)) for a in best]
    note = "share of the victories of the row's ships; both have half of the seats"
    return ResultTable(tidy(f"Strategy against strategy {place}"), ("strategy", *best), rows, frozenset(best), note)


# One table of several strategies


def _tell_line_up(study, chapter, setting):
    results, place = setting.results, where(study, setting)
    wins, voyages = results.wins(), results.voyages()
    chapter.tables.append(ResultTable(f"Who wins {place}".strip(), wins.columns, wins.rows, wins.shares, "per ship"))
    chapter.tables.append(
        ResultTable(f"Voyages {place}".strip(), voyages.columns, voyages.rows, voyages.shares, voyages.note)
    )
    name = f"win_rates_{len(chapter.pictures)}"
    chapter.pictures.append(
        Picture(name, f"Win rate per ship {place}".strip() + ".", lambda: charts.win_rates(results))
    )
    even = 1 / results.table.rules.ships
    best = max(wins.rows, key=lambda row: row[2].value)
    text = (
        f"The strategy {best[0]} wins {cell(wins, best[0], 'win rate')} of the games with each of its ships, where "
        f"{even:.1%} would be an equal share {basis(study, setting)}."
    )
    _tell(chapter, text, best[2], even, f"line-up {setting.label}")


# Seats


def seat_difference(results) -> Estimate:
    """How much more often the first Captain wins than the last seat."""
    sums, last = results.sums, results.table.rules.players - 1
    return jackknife((sums.seat_wins(0) - sums.seat_wins(last)) / sums.games, results.games)


def _seat_column(seat):
    return lambda results: results.of_ships("seat", seat, "win") if seat < results.table.rules.players else ""


def _tell_seats(study, chapter):
    settings = study.uniform()
    columns = {f"seat {seat}": _seat_column(seat) for seat in range(max(s.rules.players for s in settings))}
    shares = list(columns)
    columns["first less last, points"] = lambda results: points(seat_difference(results))
    table = by_setting(settings, "Win rate by seat", columns, shares, "seat 0 is the first Captain, then clockwise")
    chapter.tables.append(table)
    shown = named(settings) if len(settings) <= MOST_LINES else overlay(study)
    chapter.pictures.append(Picture("seats", "Win rate by seat from the first Captain.", lambda: charts.seats(shown)))
    setting = max(thinking(settings), key=lambda s: abs(seat_difference(s.results).value))
    difference = points(seat_difference(setting.results))
    if not is_clear(difference):
        chapter.say(f"No seat is clearly ahead of the last one {where(study, setting)}.")
        return
    first, last = (setting.results.of_ships("seat", seat, "win") for seat in (0, setting.rules.players - 1))
    text = (
        f"The first Captain wins {cell(table, setting.label, 'seat 0')} of the games, the last seat "
        f"{cell(table, setting.label, f'seat {setting.rules.players - 1}')}: a difference of {figure(difference)} "
        f"percentage points {basis(study, setting)}."
    )
    chapter.find(Finding(text, cohen_h(first.value, last.value), "first Captain"))
