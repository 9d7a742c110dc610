"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

import numpy as np

from jamaica_sim.components import board
from jamaica_sim.engine.board import forks
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
    heat,
    is_clear,
    of_each_edition,
    of_game,
    overlay,
    points,
    rate_of,
    thinking,
    tidy,
    where,
)
from jamaica_sim.report.chapters.ghost import ENDS
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.jackknife import jackknife

CAUTION = (
    "The win rate by lane does not show what a lane does: a ship chooses it by what it carries and by who is ahead, "
    "and both bear on winning too."
)


def race(study: Study) -> Chapter:
    """The chapter."""
    question = "How long is the race, which lanes are taken and which win, and does the one who finishes win?"
    chapter = Chapter("race", "The race", question, cautions=causes(study, CAUTION))
    settings, setting = study.uniform(), study.reference
    length, lanes = _length_table(settings), _lane_table(study, setting)
    others = [_lane_table(study, s) for s in of_each_edition(study) if s is not setting]
    chapter.tables += [length, _end_table(settings), lanes, *others]
    chapter.pictures += [
        Picture("rounds", "Rounds in a game.", lambda: charts.rounds(overlay(study))),
        Picture("ends", "Where players' ships are when the game ends.", lambda: charts.ends(overlay(study))),
        Picture(
            "lanes",
            tidy(f"Win rate by lane at each fork {where(study, setting)}."),
            lambda: charts.lanes(setting.results),
        ),
        heat(study, setting, "landings"),
    ]
    name = setting.label
    chapter.say(
        f"A game lasts {cell(length, name, 'rounds')} rounds {where(study, setting)}, nine games in ten from "
        f"{cell(length, name, 'nine in ten: from')} to {cell(length, name, 'to')}."
    )
    chapter.find(*_first_home_finding(study, length), *_lane_finding(study, setting, lanes))
    return chapter


def _quantile(share):
    def read(results):
        return int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))

    return read


def _length_table(settings):
    columns = {
        "rounds": of_game("rounds"),
        "nine in ten: from": _quantile(0.05),
        "to": _quantile(0.95),
        "first home wins": of_game("finisher_wins"),
        "unfinished": of_game("unfinished"),
    }
    return by_setting(settings, "How long a game lasts", columns, ("first home wins", "unfinished"))


def _share_at(which):
    def read(results):
        ships, _ = results.sums.alike("ends", which)
        return jackknife(ships / (results.sums.games * results.table.rules.players), results.games)

    return read


def _wins_at(which):
    def read(results):
        ships, wins = results.sums.alike("ends", which)
        return jackknife(rate_of(ships, wins), int(ships[0]))

    return read


def _end_table(settings):
    columns = {word: _share_at(which) for which, word in enumerate(ENDS)}
    columns |= {f"wins {word}": _wins_at(which) for which, word in enumerate(ENDS)}
    note = "share of the players' ships that end there, and the win rate of those"
    return by_setting(settings, "Where ships are at the end", columns, list(columns), note)


def _lane_table(study, setting):
    rows = []
    for fork, space in enumerate(forks(board())):
        share, outer, inner, difference = charts.lane_rates(setting.results, fork)
        rows.append((f"after space {space}", share, outer, inner, points(difference)))
    columns = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")
    note = "players' ships that passed the fork by one lane only"
    return ResultTable(tidy(f"Lanes {where(study, setting)}"), columns, rows, frozenset(columns[1:4]), note)


def _lane_finding(study, setting, lanes):
    """The fork at which the lanes' win rates are furthest apart."""
    found = []
    for place, (fork, _, outer, inner, difference) in enumerate(lanes.rows):
        if is_clear(difference):
            more = "more" if difference.value > 0 else "less"
            text = (
                f"At the fork {fork}, {cell(lanes, place, 'outer lane')} of the ships take the outer lane; they win "
                f"{cell(lanes, place, 'win rate outer')} of their games, {more} than the "
                f"{cell(lanes, place, 'win rate inner')} of those inside {basis(study, setting)}."
            )
            found.append(Finding(text, cohen_h(outer.value, inner.value), "lanes"))
    return sorted(found, key=lambda finding: -abs(finding.effect))[:1]


def _first_home_finding(study, length):
    """Where the first ship home wins most often, against an equal share."""
    found = []
    for setting in thinking(study.uniform()):
        rate, even = setting.results.of_game("finisher_wins"), 1 / setting.rules.ships
        if is_clear(rate, even):
            text = (
                f"The first ship home wins {cell(length, setting.label, 'first home wins')} of the games, where "
                f"{even:.1%} would be an equal share {basis(study, setting)}."
            )
            found.append(Finding(text, cohen_h(rate.value, even), "first home"))
    return sorted(found, key=lambda finding: -abs(finding.effect))[:1]
