"""Shortages: how many, where, when, of what, and how those fare who run short."""

from jamaica_sim.components import board
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    basis,
    by_round,
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
    ratio,
    row_of,
    thinking,
    where,
    worst_spaces,
)
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife

LEVELS = ("none", "one", "two", "three or more")
CAUTION = (
    "These win rates do not show what a shortage does: a ship that runs short is often behind already, and the longer "
    "a game lasts the more occasions it has to run short."
)


def shortages(study: Study) -> Chapter:
    """The chapter."""
    question = "How often do ships run short, where and when, of what, and how do those fare who do?"
    chapter = Chapter("shortages", "Shortages", question, cautions=causes(study, CAUTION))
    settings, setting = study.uniform(), study.reference
    overview, cost, spaces = _overview(settings), _cost_table(settings), worst_spaces(study, setting, "shortages")
    chapter.tables += [overview, cost, spaces, by_round(study, setting, "shortages")]
    chapter.pictures += [heat(study, s, "shortages") for s in of_each_edition(study)]
    chapter.pictures += [
        Picture(
            "by_round",
            "Shortages in each round, in the games that come so far.",
            lambda: charts.shortages_by_round(overlay(study)),
        ),
        Picture("cost", "Win rate of a ship by how often it ran short.", lambda: charts.shortage_cost(overlay(study))),
    ]
    name = setting.label
    chapter.say(
        f"A game has {cell(overview, name, 'per game')} shortages {where(study, setting)}, "
        f"{cell(overview, name, 'per ship')} for each player's ship; {cell(overview, name, 'games with one')} of the "
        "games have at least one."
    )
    chapter.find(
        *_cost_finding(study, cost), *_space_finding(study, setting, spaces), *_port_finding(study, setting, overview)
    )
    return chapter


def _per_player(above):
    return lambda results: ratio(above, lambda sums: sums.games * results.table.rules.players)(results)


def _overview(settings):
    columns = {
        "per game": of_game("shortages"),
        "per ship": _per_player(lambda sums: sums.game("shortages")),
        "games with one": of_game("short"),
        "ships with one": _per_player(lambda sums: sums.players("short")),
        "at ports": of_game("gold_shortages"),
        "at sea": of_game("food_shortages"),
        "share at ports": ratio(lambda sums: sums.game("gold_shortages"), lambda sums: sums.game("shortages")),
    }
    note = "per game; at ports for want of doubloons, at sea for want of food"
    return by_setting(settings, "Shortages", columns, ("games with one", "ships with one", "share at ports"), note)


def cost_of_shortages(results) -> Estimate:
    """How much more often ships win that never ran short than those that did three times or more."""
    (ships, wins), (many, many_wins) = (results.sums.alike("shortages", level) for level in (0, len(LEVELS) - 1))
    return jackknife(rate_of(ships, wins) - rate_of(many, many_wins), int(many[0]))


def _cost_table(settings) -> ResultTable:
    columns = {word: _win_rate(level) for level, word in enumerate(LEVELS)}
    columns["none less three, points"] = lambda results: points(cost_of_shortages(results))
    return by_setting(settings, "Win rate by shortages of the ship", columns, LEVELS, "players' ships")


def _win_rate(level):
    return lambda results: charts.shortage_win_rate(results, level)


def _cost_finding(study, cost):
    """Where the win rates of those that never and those that often ran short are furthest apart."""
    found = []
    for setting in thinking(study.uniform()):
        never, often = (charts.shortage_win_rate(setting.results, level) for level in (0, len(LEVELS) - 1))
        if is_clear(cost_of_shortages(setting.results)):
            text = (
                f"Ships that never run short win {cell(cost, setting.label, LEVELS[0])} of their games, those that do "
                f"three times or more {cell(cost, setting.label, LEVELS[3])} {basis(study, setting)}; being behind "
                "already is part of the reason."
            )
            found.append(Finding(text, cohen_h(never.value, often.value), "cost of a shortage"))
    return sorted(found, key=lambda finding: -abs(finding.effect))[:1]


def _space_finding(study, setting, spaces):
    costly = sum(space.cost > 0 for space in board())
    space, kind, cost, _, share = spaces.rows[0]
    if not is_clear(share, 1 / costly):
        return []
    text = (
        f"Space {space}, a {kind} that costs {cost}, makes {cell(spaces, 0, 'shortages')} shortages a game, "
        f"{cell(spaces, 0, 'share')} of all, where {1 / costly:.1%} would be an equal share of the {costly} spaces "
        f"that cost something {basis(study, setting)}."
    )
    return [Finding(text, cohen_h(share.value, 1 / costly), "worst space")]


def _port_finding(study, setting, overview):
    share = row_of(overview, setting.label)[overview.columns.index("share at ports")]
    if not is_clear(share, 0.5):
        return []
    text = (
        f"{cell(overview, setting.label, 'share at ports')} of the shortages are for want of doubloons at ports, the "
        f"others for want of food at sea {basis(study, setting)}."
    )
    return [Finding(text, cohen_h(share.value, 0.5), "ports or sea")]
