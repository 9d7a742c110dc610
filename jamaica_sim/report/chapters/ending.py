"""The end of the game: scores, drama, and whether the goods in the box would have sufficed."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.codes import RESOURCES
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import base_rules, by_table, few_settings, left_out_of, stack, thinking, usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, rate_of
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge
from jamaica_sim.report.sheet import Sheet, quantity, share_of, sheet
from jamaica_sim.results.measures import DRAMA, FIRST_HOME, LEAD, LEAD_CHANGES, SCORE, Floats, Measure
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import BOX

CLOSE = 3  # points ahead that make a close game
HOUSE = "by house rules"
SOURCES: dict[str, tuple[str | Callable[[Results], Floats], str, str, str]] = {
    # of the winner's points, by column: the quantity, the words, the part of a bar and its role
    "by position": ("winner_position_points", "its place in the race", "place", "base"),
    "by gold": ("winner_gold", "doubloons", "gold", "subject"),
    "by treasures": ("winner_treasure_points", "treasures", "treasures", "pale"),
    HOUSE: (lambda results: results.sums.winner_house_points() / results.sums.games, "house rules", "house", "rule"),
}


def counted(column: str, share: Callable[[Results], Estimate]) -> Measure:
    """A share that is counted over games; it is not compared on the same deals."""
    return Measure(
        "", column, column, "", "", lambda results: np.array([share(results).value]), share=True, exact=share
    )


# Scores


def close_games(results: Results) -> Estimate:
    """The share of the games that are won by few points."""
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


def _players_score(results: Results) -> Floats:
    return results.sums.players("score") / results.sums.games / results.table.rules.players


SCORES = {
    "players' score": quantity("players' score", _players_score),
    "winner's score": SCORE,
    **{column: quantity(column, source[0]) for column, source in SOURCES.items()},
    "winner's lead": LEAD,
    "close games": counted("close games", close_games),
    "shared victories": quantity("shared victories", "shared_win", True),
}


@dataclass(frozen=True)
class Scores(Findings):
    """What the games show about scores."""

    sheet: Sheet
    order: list[str]  # the sources of the winner's points at the reference table by column, the largest first
    lead: Comparison  # of the largest source over the next
    margins: np.ndarray  # games by the winner's lead


def find_scores(study: Study) -> Scores:
    """Where the winner's points come from."""
    by_house = [s for s in study.settings if s.rules.scores_house_points]
    columns = {column: measure for column, measure in SCORES.items() if column != HOUSE or by_house}
    sources = [column for column in SOURCES if column != HOUSE or study.reference in by_house]
    figures, results = sheet(study, columns, ["winner's score", "winner's lead", *sources]), study.reference.played
    order = sorted(sources, key=lambda column: -figures.at(column).value)
    top, second = (SCORES[column].sums(results) for column in order[:2])
    lead = Comparison(jackknife(top - second, results.games))
    return Scores(figures, order, lead, results.tally["margins"])


def write_scores(scores: Scores, judge: Judge) -> Chapter:
    """The chapter on scores."""
    figures = scores.sheet
    table = figures.table("Scores", note=f"points; close: a lead of {CLOSE} or less")
    chapter = Chapter("scores", "Scores", tables=[table])
    points = [max(figures.at(column).value, 0.0) for column in scores.order]
    share = points[0] / (sum(points) or 1.0)
    top, second, *others = (SOURCES[column][1] for column in scores.order)
    chapter.effect = abs(cohen_h(share, 1 / 3))
    chapter.heading = f"{top} and {second} bring the winner about as many points"
    if judge.is_above(scores.lead):
        chapter.heading = (
            f"{'more than half' if share > 0.5 else 'the largest part'} of the winner's points comes from {top}"
        )
    first, next_, *few = (f"{{{column}}}" for column in scores.order)
    rest = [f"{n} {'bring' if n.endswith('s') else 'brings'} {amount}" for n, amount in zip(others, few, strict=True)]
    chapter.say(
        figures.tell(judge, "the winner has {winner's score} points"),
        figures.tell(judge, f"{first} of them come from {top} and {next_} from {second}; {words.listed(rest)}"),
        *(
            f"{table} house rules bring the winner {figures.said(HOUSE, setting)}."
            for table, setting in figures.beside.items()
            if setting.rules.scores_house_points and HOUSE not in scores.order
        ),
    )
    chapter.say(
        figures.tell(judge, "it is {winner's lead} points ahead of the second"),
        figures.tell(judge, f"in {{close games}} of the games it leads by {words.number(CLOSE)} points or less"),
    )
    chapter.figures += [_source_figure(figures), _lead_figure(scores)]
    told = f"points for the winner, {words.amount(points[0])} of them from {top}"
    chapter.keys.append(KeyNumber(words.amount(figures.at("winner's score").value), told, strong=False))
    return chapter


def _source_figure(figures: Sheet) -> Figure:
    shown = few_settings(figures.study, figures.reader("winner's score"))
    sources = {column: source for column, source in SOURCES.items() if column in figures.columns}
    made = {
        label: [(part, figures.at(column, s), role) for column, (_, _, part, role) in sources.items()]
        for label, s in shown
    }
    sub = f"Mean points of the winner by source; {games_line([s for _, s in shown])}"
    return stack("sources", "Where the winner's points come from", sub, made)


def _lead_figure(scores: Scores) -> Figure:
    counts = scores.margins
    last = int(np.searchsorted(np.cumsum(counts) / counts.sum(), 0.99))
    share = counts[: last + 1] / counts.sum()
    close = words.percent(share[: CLOSE + 1].sum(), 0)
    label = f"The winner's lead in points, share of the games: {close} by {CLOSE} points or less."
    notes = [(CLOSE, f"{close} by {CLOSE} or less", "start")]
    sub = scores.sheet.sub("Share of the games by points ahead of the second")
    drawing = histogram(label, [Profile("", list(share), CLOSE + 1, notes)])
    return Figure("margins", "How far ahead the winner is", sub, drawing)


# Drama


SOLE = "sole half-time leader wins"
SOLE_LEADER_WINS = share_of(SOLE, "sole_half_time_leader_wins", "sole_half_time_leader")


def _fair_share(results: Results) -> Floats:
    """The share that all half-time leaders would win together if every ship had the same chance."""
    return results.sums.game("half_time_leaders") / results.sums.games / results.table.rules.ships


LEADERS: "dict[str, Measure | Callable[[Results], object]]" = {
    SOLE: SOLE_LEADER_WINS,
    "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
    "games with a sole leader": quantity("games with a sole leader", "sole_half_time_leader", True),
    "all half-time leaders win": quantity("all half-time leaders win", "half_time_leader_wins", True),
    "their fair share": quantity("their fair share", _fair_share, True),
    "first home wins": FIRST_HOME,
    "lead changes": LEAD_CHANGES,
    "per round": quantity("per round", lambda r: rate_of(r.sums.game("rounds"), r.sums.game("lead_changes"))),
    "winner's lead": LEAD,
}
LEADERS_NOTE = (
    "half-time: half of the rounds that the game came to have; several may be level then, and all together have a "
    "larger fair share; lead changes: rounds after which a ship is alone in front that was not so before"
)
TENSION = {  # what is said of each column
    "decided": "the winner is decided after {decided} of the rounds",
    "tension": "a round moves {tension} of all chances from one ship to another",
    "favourites": "the favourite changes {favourites} times",
    "hope of the last": "the ship that ends last still has a chance of 10% in {hope of the last} of the rounds",
    "waiting": "between two choices of one's own the others make {waiting}",
}
TENSION_NOTE = (
    "chances before each round, judged from the situation and fitted to these games; decided: from then on the "
    "winner's chance stays above one half; hope of the last: rounds in which the ship that ends last still has "
    "a chance of 10%"
)


@dataclass(frozen=True)
class Drama(Findings):
    """What the games show about half-time leaders, and about tension where that was measured."""

    sheet: Sheet
    sole: Comparison  # how often the sole leader wins, against an equal share
    half: Comparison  # the same, against a half
    helps: Claim  # at each table: more than an equal share
    loses: Claim  # at each table: less than a half
    tension: list[Sheet] = field(default_factory=list)


def find_drama(study: Study) -> Drama:
    """How often the ship wins that leads alone at half-time."""
    figures, reference = sheet(study, LEADERS, [SOLE, "lead changes"]), study.reference
    shown = thinking(usual(study))
    dramas = [s.played.drama for s in study.settings]
    tension = {m.column: m for m in DRAMA if all(drama is not None and m.key in drama.totals for drama in dramas)}
    sole = figures.at(SOLE)
    return Drama(
        figures,
        Comparison(sole, 1 / reference.rules.ships),
        Comparison(sole, 0.5),
        Claim(
            "a ship that leads alone at half-time wins more than its share",
            {s.label: Comparison(figures.at(SOLE, s), 1 / s.rules.ships) for s in shown},
        ),
        Claim(
            "more often than not another ship wins than the one that leads alone at half-time",
            {s.label: Comparison(figures.at(SOLE, s), 0.5) for s in shown},
            -1,
        ),
        [sheet(study, tension, list(tension))] if tension else [],
    )


def write_drama(drama: Drama, judge: Judge) -> Chapter:
    """The chapter on drama."""
    figures, even = drama.sheet, drama.sole.null
    study = figures.study
    tables = [figures.table("Drama", note=LEADERS_NOTE)]
    chapter = Chapter("drama", "Drama", tables=tables, claims=[drama.helps, drama.loses])
    chapter.effect = abs(cohen_h(drama.sole.estimate.value, even)) if judge.is_clear(drama.sole) else 0.0
    chapter.heading = _drama_heading(drama, judge)
    loses = judge.verdict(drama.loses)
    level = 1 - figures.at("games with a sole leader").value
    chapter.say(
        figures.tell(
            judge,
            f"a ship that leads alone at half-time wins {{{SOLE}}} of the games, where {even:.1%} would be an equal "
            "share",
        ),
        f"that is less than half {loses.scope() if len(drama.loses.cases) <= 6 else loses.count()}"
        f"{left_out_of(usual(study))}."
        if len(drama.loses.cases) > 1 and loses.holds
        else "",
        f"in {words.percent(level, 0)} of the games several ships are level then, and are not counted.",
        figures.tell(
            judge, "{lead changes} times in a game a ship takes the lead alone that did not have it a round before"
        ),
    )
    chapter.figures.append(
        by_table(
            "leaders", "Does the half-time leader win?",
            "Share of the games with a sole leader; the upright mark is an equal share", study, figures.reader(SOLE),
            equal=lambda s: 1 / s.rules.ships, equal_name="an equal share", bridge=False,
        )
    )  # fmt: skip
    for tension in drama.tension:
        _write_tension(tension, judge, chapter)
    return chapter


def _write_tension(tension: Sheet, judge: Judge, chapter: Chapter) -> None:
    chapter.tables.append(tension.table("Tension", note=TENSION_NOTE))
    chapter.say(*(tension.tell(judge, text) for column, text in TENSION.items() if column in tension.columns))
    reader = tension.reader("decided")
    sub = "Share of a game's rounds that are over when the winner's chance stays above one half"
    chapter.figures.append(by_table("decided", "When the winner is decided", sub, tension.study, reader, bridge=False))


def _drama_heading(drama: Drama, judge: Judge) -> str:
    """What a lead at half-time is worth at the reference table; the scope is in the text."""
    if not judge.is_clear(drama.sole):
        return "To lead at half-time is worth nothing clear"
    if judge.is_below(drama.sole):
        return "To lead at half-time does harm"
    if judge.is_below(drama.half):
        holds = judge.verdict(drama.loses).kind == HOLDS or len(drama.loses.cases) == 1
        table = "" if holds else f"with {words.number(drama.sheet.study.reference.rules.players)} players "
        return f"{table}to lead at half-time helps, but more often than not another ship wins"
    return "Whoever leads at half-time mostly wins" if judge.is_above(drama.half) else "To lead at half-time helps"


# The box


def over_the_box(results: Results, resource: int) -> Estimate:
    """The share of the games with more of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


def _most_seen(results: Results, resource: int) -> int:
    return int(np.flatnonzero(results.tally["peaks"][resource])[-1])


TOO_SMALL = "box too small"
OVER = [f"more than {most} {word}" for most, word in zip(BOX, RESOURCES, strict=True)]
GOODS: "dict[str, Measure | Callable[[Results], object]]" = {
    TOO_SMALL: quantity(TOO_SMALL, "box_too_small", True),
    **{name: counted(name, lambda results, n=n: over_the_box(results, n)) for n, name in enumerate(OVER)},  # type: ignore[misc]
}
for number, word in enumerate(RESOURCES):
    GOODS[f"{word}, mean peak"] = quantity(f"{word}, mean peak", f"peak_{word}")
    GOODS[f"{word}, most seen"] = lambda results, n=number: _most_seen(results, n)  # type: ignore[misc]


@dataclass(frozen=True)
class Box(Findings):
    """Whether the goods in the box suffice."""

    sheet: Sheet
    worst: Setting
    runs_out: Comparison  # the share of the games that need more than the box holds, against one in a hundred


def find_box(study: Study) -> Box:
    """The table at which the box runs out most often."""
    figures = sheet(study, GOODS)
    shown = thinking(usual(study) or study.uniform())
    worst = max(shown, key=lambda s: (figures.at(TOO_SMALL, s).value, s.rules.players))
    return Box(figures, worst, Comparison(figures.at(TOO_SMALL, worst), 0.01))


def write_box(box: Box, judge: Judge) -> Chapter:
    """The chapter on the goods in the box."""
    figures, worst, rate = box.sheet, box.worst, box.runs_out.estimate
    study, runs_out = figures.study, judge.is_above(box.runs_out)
    held = f"{BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder"
    note = f"goods in play at once; the box has {held}"
    chapter = Chapter("box", "The box", tables=[figures.table("Goods in play", note=note)])
    players = f"with {words.number(worst.rules.players)} players"
    chapter.effect = abs(cohen_h(rate.value, 0.0)) if runs_out else 0.0
    often = words.one_game_in(rate.value) or f"{words.percent(rate.value, 0)} of the games"
    chapter.heading = f"{players} the box runs out in {often}" if runs_out else "The box is large enough"
    first = max(OVER, key=lambda column: figures.at(column, worst).value)
    table = f" ({worst.label})" if len(study.varying) > 1 or base_rules(study) else ""
    chapter.say(
        f"the box holds {held}.",
        f"that would not have sufficed in {prose.share(rate)} of the games {players}{table}.",
        f"most often it is {RESOURCES[OVER.index(first)]} that runs out, in {figures.said(first, worst)}."
        if runs_out
        else "",
        "The bank is unlimited in these games, so that the need can be seen."
        if not any(s.rules.limited_bank for s in study.uniform())
        else "",
    )
    sub, reader = "Share of the games that needed more than the box holds", figures.reader(TOO_SMALL)
    chapter.figures.append(by_table("box", "When the box runs out", sub, study, reader, fine=True, bridge=False))
    return chapter


CHAPTERS = {
    "scores": ChapterSource(find_scores, write_scores),
    "drama": ChapterSource(find_drama, write_drama),
    "box": ChapterSource(find_box, write_box),
}
