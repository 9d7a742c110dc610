"""The end of the game: scores, drama, and whether the goods in the box would have sufficed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from jamaica_sim.codes import RESOURCES
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import (
    base_rules,
    chart_rows,
    few_settings,
    left_out_of,
    table_words,
    thinking,
    usual,
)
from jamaica_sim.report.axis_charts import Profile, profiles
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    Read,
    by_setting,
    games_line,
    of_game,
    ratio,
)
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.row_charts import Mark, Panel, Row, rows
from jamaica_sim.results.measures import FIRST_HOME, LEAD, LEAD_CHANGES, SCORE
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import BOX

CLOSE = 3  # points ahead that make a close game
SOURCES = (
    ("winner_position_points", "by position", "its place in the race", "place"),
    ("winner_gold", "by gold", "doubloons", "gold"),
    ("winner_treasure_points", "by treasures", "treasures", "treasures"),
)


# Scores


@dataclass(frozen=True)
class Scores(Findings):
    """What the games show about scores."""

    study: Study
    table: ResultTable
    sources: list[tuple[str, Estimate]]  # of the winner's points, the largest first
    lead: Comparison  # of the largest source over the next
    close: Estimate  # the share of close games


def find_scores(study: Study) -> Scores:
    """Where the winner's points come from."""
    results = study.reference.played
    sources = sorted(((s[2], results.of_game(s[0])) for s in SOURCES), key=lambda item: -item[1].value)
    fields = {words_: name for name, _, words_, _ in SOURCES}
    sums, (top, second) = results.sums, (fields[words_] for words_, _ in sources[:2])
    lead = jackknife((sums.game(top) - sums.game(second)) / sums.games, results.games)
    return Scores(study, _score_table(study.uniform()), sources, Comparison(lead), close_games(results))


def write_scores(scores: Scores, judge: Judge) -> Chapter:
    """The chapter on scores."""
    chapter = Chapter("scores", "Scores", tables=[scores.table])
    results = scores.study.reference.played
    (top, most), (second, next_), (third, least) = scores.sources
    total = sum(max(e.value, 0.0) for _, e in scores.sources)
    share = most.value / total if total > 0 else 0.0
    chapter.effect = abs(cohen_h(share, 1 / 3))
    part = "more than half" if share > 0.5 else "the largest part"
    chapter.heading = f"{part} of the winner's points comes from {top}"
    if not judge.is_above(scores.lead):
        chapter.heading = f"{top} and {second} bring the winner about as many points"
    chapter.say(
        f"the winner has {prose.mean(SCORE.of(results))} points.",
        f"{prose.mean(most)} of them come from {top} and {prose.mean(next_)} from {second}; {third} "
        f"{'bring' if third.endswith('s') else 'brings'} {prose.mean(least)}.",
    )
    chapter.say(
        f"it is {prose.mean(LEAD.of(results))} points ahead of the second; in {prose.share(scores.close)} of the games "
        f"by {words.number(CLOSE)} points or less."
    )
    chapter.figures += [_source_figure(scores.study), _lead_figure(scores.study)]
    points = f"points for the winner, {words.amount(most.value)} of them from {top}"
    chapter.keys.append(KeyNumber(words.amount(SCORE.of(results).value), points, strong=False))
    return chapter


def _players_score(results: Results) -> Estimate:
    players = results.table.rules.players
    return ratio(lambda sums: sums.players("score"), lambda sums: sums.games * players)(results)


def close_games(results: Results) -> Estimate:
    """The share of the games that are won by few points."""
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


def _score_table(settings: Sequence[Setting]) -> ResultTable:
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


def _source_figure(study: Study) -> Figure:
    shown, made = few_settings(study, SCORE.of), []
    for label, s in shown:
        marks = []
        for (quantity, _, _, name), role in zip(SOURCES, ("base", "subject", "pale"), strict=True):
            e = s.played.of_game(quantity)
            title = f"{name}: {prose.whole(e)}"
            marks.append(Mark(max(0.0, e.value), words.amount(e.value), role, name=name, title=title))
        made.append(Row(label, marks, note=words.amount(sum(m.value for m in marks))))
    label = "The winner's points by source: " + "; ".join(
        f"{row.label} " + ", ".join(f"{m.name} {m.text}" for m in row.marks) for row in made
    )
    sub = f"Mean points of the winner by source; {games_line([s for _, s in shown])}"
    return Figure("sources", "Where the winner's points come from", sub, rows(label, [Panel("", made, form="stack")]))


def _lead_figure(study: Study) -> Figure:
    counts = study.reference.played.tally["margins"]
    last = int(np.searchsorted(np.cumsum(counts) / counts.sum(), 0.99))
    share = counts[: last + 1] / counts.sum()
    close = share[: CLOSE + 1].sum()
    notes = [(CLOSE, f"{words.percent(close, 0)} by {CLOSE} or less", "start")]
    label = f"The winner's lead in points, share of the games: {words.percent(close)} by {CLOSE} points or less."
    profile = Profile("", list(share), CLOSE + 1, notes)
    ticks = [(float(n), str(n)) for n in range(0, last + 1, 5)]
    sub = f"Share of the games by points ahead of the second ({table_words(study)}); " + games_line([study.reference])
    return Figure("margins", "How far ahead the winner is", sub, profiles(label, [profile], ticks, height=90))


# Drama


SOLE_LEADER_WINS = ratio(
    lambda sums: sums.game("sole_half_time_leader_wins"), lambda sums: sums.game("sole_half_time_leader")
)


def fair_share_of_leaders(results: Results) -> Estimate:
    """The share that all half-time leaders would win together if every ship had the same chance."""
    sums = results.sums
    return jackknife(sums.game("half_time_leaders") / sums.games / results.table.rules.ships, results.games)


@dataclass(frozen=True)
class Drama(Findings):
    """What the games show about half-time leaders."""

    study: Study
    table: ResultTable
    sole: Comparison  # how often the sole leader wins, against an equal share
    half: Comparison  # the same, against a half
    helps: Claim  # at each table: more than an equal share
    loses: Claim  # at each table: less than a half


def find_drama(study: Study) -> Drama:
    """How often the ship wins that leads alone at half-time."""
    shown = thinking(usual(study))
    rates = {s.label: (s, SOLE_LEADER_WINS(s.played)) for s in shown}
    setting = study.reference
    sole = SOLE_LEADER_WINS(setting.played)
    helps = {label: Comparison(rate, 1 / s.rules.ships) for label, (s, rate) in rates.items()}
    loses = {label: Comparison(rate, 0.5) for label, (_, rate) in rates.items()}
    return Drama(
        study,
        _drama_table(study.uniform()),
        Comparison(sole, 1 / setting.rules.ships),
        Comparison(sole, 0.5),
        Claim("a ship that leads alone at half-time wins more than its share", helps),
        Claim("more often than not another ship wins than the one that leads alone at half-time", loses, -1),
    )


def write_drama(drama: Drama, judge: Judge) -> Chapter:
    """The chapter on drama."""
    study, results = drama.study, drama.study.reference.played
    chapter = Chapter("drama", "Drama", tables=[drama.table], claims=[drama.helps, drama.loses])
    sole, even = drama.sole.estimate, drama.sole.null
    chapter.effect = abs(cohen_h(sole.value, even)) if judge.is_clear(drama.sole) else 0.0
    chapter.heading = _drama_heading(drama, judge)
    level = 1 - results.of_game("sole_half_time_leader").value
    loses = judge.verdict(drama.loses)
    several = len(drama.loses.cases) > 1
    chapter.say(
        f"a ship that leads alone at half-time wins {prose.share(sole)} of the games, where {even:.1%} would be an "
        f"equal share.",
        f"that is less than half {loses.scope()}{left_out_of(usual(study))}." if several and loses.holds else "",
        f"in {words.percent(level, 0)} of the games several ships are level then, and are not counted.",
        f"after {prose.mean(LEAD_CHANGES.of(results))} rounds of a game a ship is alone in front that was not a round "
        "before.",
    )
    drawing = chart_rows(
        study, "How often the sole leader at half-time wins", SOLE_LEADER_WINS, True,
        equal=lambda results: 1 / results.table.rules.ships, equal_name="an equal share", bridge=False,
    )  # fmt: skip
    sub = f"Share of the games with a sole leader; the upright mark is an equal share; {games_line(usual(study))}"
    chapter.figures.append(Figure("leaders", "Does the half-time leader win?", sub, drawing))
    return chapter


def _drama_table(settings: Sequence[Setting]) -> ResultTable:
    columns: dict[str, Callable[[Results], object]] = {
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
    return by_setting(settings, "Drama", columns, shares, note)


def _drama_heading(drama: Drama, judge: Judge) -> str:
    """What a lead at half-time is worth at the reference table; the scope is in the text."""
    if not judge.is_clear(drama.sole):
        return "To lead at half-time is worth nothing clear"
    if judge.is_below(drama.sole):
        return "To lead at half-time does harm"
    if judge.is_below(drama.half):
        holds = judge.verdict(drama.loses).kind == HOLDS or len(drama.loses.cases) == 1
        table = "" if holds else f"with {words.number(drama.study.reference.rules.players)} players "
        return f"{table}to lead at half-time helps, but more often than not another ship wins"
    return "Whoever leads at half-time mostly wins" if judge.is_above(drama.half) else "To lead at half-time helps"


# The box


@dataclass(frozen=True)
class Box(Findings):
    """Whether the goods in the box suffice."""

    study: Study
    table: ResultTable
    worst: Setting
    runs_out: Comparison  # the share of the games that need more than the box holds, against one in a hundred


def find_box(study: Study) -> Box:
    """The table at which the box runs out most often."""
    shown = thinking(usual(study) or study.uniform())
    worst = max(shown, key=lambda s: (s.played.of_game("box_too_small").value, s.rules.players))
    return Box(study, _box_table(study.uniform()), worst, Comparison(worst.played.of_game("box_too_small"), 0.01))


def write_box(box: Box, judge: Judge) -> Chapter:
    """The chapter on the goods in the box."""
    study, worst, rate = box.study, box.worst, box.runs_out.estimate
    chapter = Chapter("box", "The box", tables=[box.table])
    runs_out = judge.is_above(box.runs_out)
    players = f"with {words.number(worst.rules.players)} players"
    chapter.effect = abs(cohen_h(rate.value, 0.0)) if runs_out else 0.0
    often = words.one_game_in(rate.value) or f"{words.percent(rate.value, 0)} of the games"
    chapter.heading = f"{players} the box runs out in {often}" if runs_out else "The box is large enough"
    resource = max(range(len(RESOURCES)), key=lambda r: over_the_box(worst.played, r).value)
    most = over_the_box(worst.played, resource)
    chapter.say(
        f"the box holds {BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder.",
        f"that would not have sufficed in {prose.share(rate)} of the games {players}"
        + (f" ({worst.label})." if len(study.varying) > 1 or base_rules(study) else "."),
        f"most often it is {RESOURCES[resource]} that runs out, in {prose.share(most)}." if runs_out else "",
        "The bank is unlimited in these games, so that the need can be seen."
        if not any(s.rules.limited_bank for s in study.uniform())
        else "",
    )
    drawing = chart_rows(
        study, "Games in which the box would not have sufficed", of_game("box_too_small"), True, fine=True,
        bridge=False,
    )  # fmt: skip
    sub = f"Share of the games that needed more than the box holds; {games_line(usual(study))}"
    chapter.figures.append(Figure("box", "When the box runs out", sub, drawing))
    return chapter


def _most_seen(resource: int) -> Callable[[Results], int]:
    return lambda results: int(np.flatnonzero(results.tally["peaks"][resource])[-1])


def over_the_box(results: Results, resource: int) -> Estimate:
    """The share of the games with more of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


def _over(resource: int) -> Read:
    return lambda results: over_the_box(results, resource)


def _box_table(settings: Sequence[Setting]) -> ResultTable:
    columns: dict[str, Callable[[Results], object]] = {"box too small": of_game("box_too_small")}
    columns |= {f"more than {BOX[resource]} {word}": _over(resource) for resource, word in enumerate(RESOURCES)}
    shares = list(columns)
    for resource, word in enumerate(RESOURCES):
        columns[f"{word}, mean peak"] = of_game(f"peak_{word}")
        columns[f"{word}, most seen"] = _most_seen(resource)
    note = f"goods in play at once; the box has {BOX[0]} doubloons, {BOX[1]} food, {BOX[2]} gunpowder"
    return by_setting(settings, "Goods in play", columns, shares, note)


CHAPTERS = {
    "scores": ChapterSource(find_scores, write_scores),
    "drama": ChapterSource(find_drama, write_drama),
    "box": ChapterSource(find_box, write_box),
}
