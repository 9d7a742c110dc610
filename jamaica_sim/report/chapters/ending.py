"""The end of the game: scores, drama, and whether the goods in the box would have sufficed."""

import numpy as np

from jamaica_sim.codes import RESOURCES
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.chapter import (
    Chapter,
    Figure,
    KeyNumber,
    base_rules,
    by_setting,
    chapter_named,
    chart_rows,
    few_settings,
    games_line,
    of_game,
    ratio,
    table_words,
    thinking,
    usual,
)
from jamaica_sim.report.forms import Mark, Panel, Profile, Row, profiles, rows
from jamaica_sim.report.looks import Looks
from jamaica_sim.results.measures import FIRST_HOME, LEAD, LEAD_CHANGES, SCORE
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import proportion_interval
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import BOX

CLOSE = 3  # points ahead that make a close game
SOURCES = (
    ("winner_position_points", "by position", "its place in the race", "place"),
    ("winner_gold", "by gold", "doubloons", "gold"),
    ("winner_treasure_points", "by treasures", "treasures", "treasures"),
)


# Scores


@chapter_named("scores")
def scores(study: Study, looks: Looks) -> Chapter:
    """The chapter on scores."""
    chapter = Chapter("scores", "Scores")
    settings, setting = study.uniform(), study.reference
    chapter.tables.append(_score_table(settings))
    results = setting.results
    sources = [(source, results.of_game(source[0])) for source in SOURCES]
    sources.sort(key=lambda item: -item[1].value)
    (top, most), (second, next_) = sources[:2]
    total = sum(max(e.value, 0.0) for _, e in sources)
    share = most.value / total if total > 0 else 0.0
    looks.is_clear(most, next_.value)
    chapter.effect = abs(cohen_h(share, 1 / 3))
    part = "more than half" if share > 0.5 else "the largest part"
    chapter.heading = f"{part} of the winner's points comes from {top[2]}"
    close = close_games(results)
    chapter.say(
        f"the winner has {prose.mean(SCORE.of(results))} points.",
        f"{prose.mean(most)} of them come from {top[2]} and {prose.mean(next_)} from {second[2]}; "
        f"{sources[2][0][2]} {'bring' if sources[2][0][2].endswith('s') else 'brings'} {prose.mean(sources[2][1])}.",
    )
    chapter.say(
        f"it is {prose.mean(LEAD.of(results))} points ahead of the second; in {prose.share(close)} of the games by "
        f"{words.number(CLOSE)} points or less."
    )
    chapter.figures += [_source_figure(study), _lead_figure(study)]
    chapter.keys.append(
        KeyNumber(
            words.amount(SCORE.of(results).value),
            f"points for the winner, {words.amount(most.value)} of them from {top[2]}",
            strong=False,
        )  # fmt: skip
    )
    return chapter


def _players_score(results):
    players = results.table.rules.players
    return ratio(lambda sums: sums.players("score"), lambda sums: sums.games * players)(results)


def close_games(results):
    """The share of the games that are won by few points."""
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


def _score_table(settings):
    columns = {
        "players' score": _players_score,
        "winner's score": SCORE.of,
        **{column: of_game(quantity) for quantity, column, _, _ in SOURCES},
        "winner's lead": LEAD.of,
        "close games": close_games,
        "shared victories": of_game("shared_win"),
    }
    note = f"points; close: a lead of {CLOSE} or less"
    return by_setting(settings, "Scores", columns, ("close games", "shared victories"), note)


def _source_figure(study):
    shown, made = few_settings(study, SCORE.of), []
    for name_, s in shown:
        marks = []
        for (quantity, _, _, name), role in zip(SOURCES, ("base", "subject", "pale"), strict=True):
            e = s.results.of_game(quantity)
            marks.append(Mark(max(0.0, e.value), words.amount(e.value), role, name=name,
                              title=f"{name}: {prose.whole(e)}"))  # fmt: skip
        made.append(Row(name_, marks, note=words.amount(sum(m.value for m in marks))))
    label = "The winner's points by source: " + "; ".join(
        f"{row.label} " + ", ".join(f"{m.name} {m.text}" for m in row.marks) for row in made
    )
    sub = f"Mean points of the winner by source; {games_line([s for _, s in shown])}"
    return Figure("sources", "Where the winner's points come from", sub, rows(label, [Panel("", made, form="stack")]))


def _lead_figure(study):
    counts = study.reference.results.tally["margins"]
    last = int(np.searchsorted(np.cumsum(counts) / counts.sum(), 0.99))
    share = counts[: last + 1] / counts.sum()
    close = share[: CLOSE + 1].sum()
    notes = [(CLOSE, f"{words.percent(close, 0)} by {CLOSE} or less", "start")]
    label = f"The winner's lead in points, share of the games: {words.percent(close)} by {CLOSE} points or less."
    profile = Profile("", list(share), CLOSE + 1, notes)
    ticks = [(n, str(n)) for n in range(0, last + 1, 5)]
    sub = f"Share of the games by points ahead of the second ({table_words(study)}); " + games_line([study.reference])
    return Figure("margins", "How far ahead the winner is", sub, profiles(label, [profile], ticks, height=90))


# Drama


SOLE_LEADER_WINS = ratio(
    lambda sums: sums.game("sole_half_time_leader_wins"), lambda sums: sums.game("sole_half_time_leader")
)


def fair_share_of_leaders(results):
    """The share that all half-time leaders would win together if every ship had the same chance."""
    sums = results.sums
    return jackknife(sums.game("half_time_leaders") / sums.games / results.table.rules.ships, results.games)


@chapter_named("drama")
def drama(study: Study, looks: Looks) -> Chapter:
    """The chapter on drama."""
    chapter = Chapter("drama", "Drama")
    settings, setting = study.uniform(), study.reference
    columns = {
        "sole half-time leader wins": SOLE_LEADER_WINS,
        "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
        "games with a sole leader": of_game("sole_half_time_leader"),
        "all half-time leaders win": of_game("half_time_leader_wins"),
        "their fair share": fair_share_of_leaders,
        "first home wins": FIRST_HOME.of,
        "lead changes": LEAD_CHANGES.of,
        "per round": ratio(lambda sums: sums.game("lead_changes"), lambda sums: sums.game("rounds")),
        "winner's lead": LEAD.of,
    }
    note = (
        "half-time: half of the rounds that the game came to have; several may be level then, and all together have a "
        "larger fair share; lead changes: rounds after which a ship is alone in front that was not so before"
    )
    shares = ["sole half-time leader wins", "games with a sole leader", "all half-time leaders win",
              "their fair share", "first home wins"]  # fmt: skip
    chapter.tables.append(by_setting(settings, "Drama", columns, shares, note))
    results, even = setting.results, 1 / setting.rules.ships
    sole = SOLE_LEADER_WINS(results)
    for s in thinking(usual(study)):
        looks.is_clear(SOLE_LEADER_WINS(s.results), 1 / s.rules.ships)
    is_clear = looks.is_clear(sole, even)
    chapter.effect = abs(cohen_h(sole.value, even)) if is_clear else 0.0
    chapter.heading = _drama_heading(sole, even, is_clear)
    level = 1 - results.of_game("sole_half_time_leader").value
    chapter.say(
        f"a ship that leads alone at half-time wins {prose.share(sole)} of the games, where {even:.1%} would be an "
        f"equal share.",
        f"in {words.percent(level, 0)} of the games several ships are level then, and are not counted.",
        f"after {prose.mean(LEAD_CHANGES.of(results))} rounds of a game a ship is alone in front that was not so a "
        "round before.",
    )
    drawing = chart_rows(
        study, "How often those win who lead alone at half-time", SOLE_LEADER_WINS, True,
        equal=lambda results: 1 / results.table.rules.ships, equal_name="an equal share", bridge=False,
    )  # fmt: skip
    sub = f"Share of the games with a sole leader; the upright mark is an equal share; {games_line(usual(study))}"
    chapter.figures.append(Figure("leaders", "Does the half-time leader win?", sub, drawing))
    return chapter


def _drama_heading(sole, even, is_clear):
    if not is_clear:
        return "To lead at half-time is worth nothing clear"
    if sole.value < even:
        return "To lead at half-time does harm"
    if sole.value < 0.5:
        return "To lead at half-time helps, but more often than not another wins"
    return "Whoever leads at half-time mostly wins"


# The box


@chapter_named("box")
def box(study: Study, looks: Looks) -> Chapter:
    """The chapter on the goods in the box."""
    chapter = Chapter("box", "The box")
    settings = study.uniform()
    chapter.tables.append(_box_table(settings))
    shown = thinking(usual(study)) or thinking(settings)
    worst = max(shown, key=lambda s: (s.results.of_game("box_too_small").value, s.rules.players))
    rate = worst.results.of_game("box_too_small")
    runs_out = looks.is_clear(rate, 0.01) and rate.value > 0.01
    often = words.one_game_in(rate.value)
    players = f"with {words.number(worst.rules.players)} players"
    chapter.effect = abs(cohen_h(rate.value, 0.0)) if runs_out else 0.0
    chapter.heading = (
        f"{words.sentence(players)} the box runs out in {often or words.percent(rate.value, 0) + ' of the games'}"
        if runs_out
        else "The box is large enough"
    )
    over = [(over_the_box(worst.results, r), word) for r, word in enumerate(RESOURCES)]
    most = max(over, key=lambda item: item[0].value)
    chapter.say(
        f"the box holds {BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder.",
        f"that would not have sufficed in {prose.share(rate)} of the games {players}"
        + (f" ({worst.label})." if len(study.varying) > 1 or base_rules(study) else "."),
        f"most often it is {most[1]} that runs out, in {prose.share(most[0])}." if runs_out else "",
        "The bank is unlimited in these games, so that the need can be seen."
        if not any(s.rules.limited_bank for s in settings)
        else "",
    )
    drawing = chart_rows(
        study, "Games in which the box would not have sufficed", of_game("box_too_small"), True, fine=True,
        bridge=False,
    )  # fmt: skip
    sub = f"Share of the games that needed more than the box holds; {games_line(usual(study))}"
    chapter.figures.append(Figure("box", "When the box runs out", sub, drawing))
    return chapter


def _most_seen(resource):
    return lambda results: int(np.flatnonzero(results.tally["peaks"][resource])[-1])


def over_the_box(results, resource: int):
    """The share of the games with more of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


def _over(resource):
    return lambda results: over_the_box(results, resource)


def _box_table(settings):
    columns = {"box too small": of_game("box_too_small")}
    columns |= {f"more than {BOX[resource]} {word}": _over(resource) for resource, word in enumerate(RESOURCES)}
    shares = list(columns)
    for resource, word in enumerate(RESOURCES):
        columns[f"{word}, mean peak"] = of_game(f"peak_{word}")
        columns[f"{word}, most seen"] = _most_seen(resource)
    note = f"goods in play at once; the box has {BOX[0]} doubloons, {BOX[1]} food, {BOX[2]} gunpowder"
    return by_setting(settings, "Goods in play", columns, shares, note)
