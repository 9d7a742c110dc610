"""The end of the game: scores, drama, and whether the tokens in the box would have sufficed."""

import numpy as np

from jamaica_sim.codes import RESOURCES
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import charts
from jamaica_sim.report.chapter import (
    Chapter,
    Finding,
    Picture,
    basis,
    by_setting,
    cell,
    is_clear,
    named,
    of_game,
    overlay,
    ratio,
    thinking,
    tidy,
    where,
)
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import proportion_interval
from jamaica_sim.tally.layout import BOX

CLOSE = 3  # points ahead that make a close game
SOURCE_COLUMNS = ("by position", "by gold", "by treasures")


# Scores


def scores(study: Study) -> Chapter:
    """The chapter on scores."""
    question = "How many points do ships have at the end, where do the winner's come from, and how close is it?"
    chapter = Chapter("scores", "Scores", question)
    settings, setting = study.uniform(), study.reference
    table = _score_table(settings)
    chapter.tables.append(table)
    caption = tidy(f"Points of all players' ships and of the winner {where(study, setting)}.")
    chapter.pictures += [
        Picture("points", caption, lambda: charts.scores(setting.results)),
        Picture("sources", "The winner's points by source.", lambda: charts.winner_sources(named(settings))),
        Picture("margins", "How far the winner is ahead.", lambda: charts.margins(overlay(study))),
    ]
    name = setting.label
    score, lead = cell(table, name, "winner's score"), cell(table, name, "winner's lead")
    by_position, by_gold, by_treasures = (cell(table, name, column) for column in SOURCE_COLUMNS)
    chapter.say(
        f"The winner has {score} points {where(study, setting)}: {by_position} for the place in the race, {by_gold} in "
        f"doubloons and {by_treasures} by treasures. It is {lead} points ahead of the second, and in "
        f"{cell(table, name, 'close games')} of the games by {CLOSE} points or less."
    )
    chapter.find(*_source_finding(study, setting, table))
    return chapter


def _players_score(results):
    players = results.table.rules.players
    return ratio(lambda sums: sums.players("score"), lambda sums: sums.games * players)(results)


def _close_games(results):
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


def _score_table(settings):
    columns = {
        "players' score": _players_score,
        "winner's score": of_game("winner_score"),
        **{column: of_game(quantity) for column, (quantity, _) in zip(SOURCE_COLUMNS, charts.SOURCES, strict=True)},
        "winner's lead": of_game("margin"),
        "close games": _close_games,
        "shared victories": of_game("shared_win"),
    }
    note = f"points; close: a lead of {CLOSE} or less"
    return by_setting(settings, "Scores", columns, ("close games", "shared victories"), note)


def _source_finding(study, setting, table):
    """The source that brings the winner most, against a third from each."""
    values = [setting.results.of_game(quantity).value for quantity, _ in charts.SOURCES]
    if sum(values) <= 0:
        return []
    most = int(np.argmax(values))
    score = cell(table, setting.label, "winner's score")
    text = (
        f"The winner gets most by {charts.SOURCES[most][1]}: {cell(table, setting.label, SOURCE_COLUMNS[most])} of "
        f"{score} points {basis(study, setting)}."
    )
    return [Finding(text, cohen_h(values[most] / sum(values), 1 / 3), "sources")]


# Drama


def drama(study: Study) -> Chapter:
    """The chapter on drama."""
    question = "How often does the leader at half-time win, and how often does the lead change?"
    chapter = Chapter("drama", "Drama", question)
    settings, name = study.uniform(), study.reference.label
    columns = {
        "half-time leader wins": of_game("half_time_leader_wins"),
        "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
        "first home wins": of_game("finisher_wins"),
        "lead changes": of_game("lead_changes"),
        "per round": ratio(lambda sums: sums.game("lead_changes"), lambda sums: sums.game("rounds")),
        "winner's lead": of_game("margin"),
    }
    note = "lead changes: rounds after which another ship is alone in front, per game and per round"
    table = by_setting(settings, "Drama", columns, ("half-time leader wins", "first home wins"), note)
    chapter.tables.append(table)
    everyone = named(settings)
    chapter.pictures.append(
        Picture("leaders", "How often those win who lead, against an equal share.", lambda: charts.drama(everyone))
    )
    chapter.say(
        f"The lead changes {cell(table, name, 'lead changes')} times in a game {where(study, study.reference)}; the "
        f"leader at half-time takes {cell(table, name, 'half-time leader wins')} of the victories."
    )
    chapter.find(*_half_time_finding(study, table))
    return chapter


def _half_time_finding(study, table):
    found = []
    for setting in thinking(study.uniform()):
        rate, even = setting.results.of_game("half_time_leader_wins"), 1 / setting.rules.ships
        if is_clear(rate, even):
            text = (
                f"The leader at half-time wins {cell(table, setting.label, 'half-time leader wins')} of the games, "
                f"where {even:.1%} would be an equal share {basis(study, setting)}."
            )
            found.append(Finding(text, cohen_h(rate.value, even), "half-time leader"))
    return sorted(found, key=lambda finding: -abs(finding.effect))[:1]


# The box


def box(study: Study) -> Chapter:
    """The chapter on the tokens in the box."""
    chapter = Chapter(
        "box", "The box", f"Would {BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder have sufficed?"
    )
    settings = study.uniform()
    table = _box_table(settings)
    chapter.tables.append(table)
    worst = max(thinking(settings), key=lambda s: (s.results.of_game("box_too_small").value, s.rules.players))
    rate = worst.results.of_game("box_too_small")
    text = (
        f"The tokens of the box would not have sufficed in {cell(table, worst.label, 'box too small')} of the games "
        f"{basis(study, worst)}."
    )
    if rate.low > 0.01:
        chapter.find(Finding(text, cohen_h(rate.value, 0.0), "box"))
    else:
        chapter.say(text)
    if not any(s.rules.limited_bank for s in settings):
        chapter.say("The bank is unlimited in these games, so that the need can be seen.")
    caption = tidy(f"How many tokens are in play at once, as a share of the box {where(study, worst)}.")
    chapter.pictures.append(Picture("peaks", caption, lambda: charts.peaks(worst.results)))
    return chapter


def _most_seen(resource):
    return lambda results: int(np.flatnonzero(results.tally["peaks"][resource])[-1])


def _over(resource):
    return lambda results: charts.over_the_box(results, resource)


def _box_table(settings):
    columns = {"box too small": of_game("box_too_small")}
    columns |= {f"more than {BOX[resource]} {word}": _over(resource) for resource, word in enumerate(RESOURCES)}
    shares = list(columns)
    for resource, word in enumerate(RESOURCES):
        columns[f"{word}, mean peak"] = of_game(f"peak_{word}")
        columns[f"{word}, most seen"] = _most_seen(resource)
    note = f"tokens in play at once; the box has {BOX[0]} doubloons, {BOX[1]} food, {BOX[2]} gunpowder"
    return by_setting(settings, "Tokens in play", columns, shares, note)
