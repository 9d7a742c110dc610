"""The end of the game: scores, drama, and whether the goods in the box would have sufficed."""

from collections.abc import Callable
from functools import partial

import numpy as np

from jamaica_sim.game.codes import RESOURCES
from jamaica_sim.play.tally.layout import BOX
from jamaica_sim.report import words
from jamaica_sim.report.arrangement import comparable, without_random_play
from jamaica_sim.report.chapter import Figure
from jamaica_sim.report.figures import profiles, shares_of
from jamaica_sim.report.parts import Part, Test, chapter_of, leading, sheet, size_of
from jamaica_sim.report.sheet import Columns, Sheet, counted, per_player, quantity, ratio
from jamaica_sim.results.measures import DRAMA, FIRST_HOME, LEAD, LEAD_CHANGES, SCORE, Floats
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, proportion_interval
from jamaica_sim.study.experiment.study import Study

# Scores

CLOSE = 3  # points ahead that make a close game
HOUSE = "by house rules"
SOURCES: dict[str, tuple[str | Callable[[Results], Floats], str]] = {
    # of the winner's points, by column: the quantity and the words
    "by position": ("winner_position_points", "its place in the race"),
    "by gold": ("winner_gold", "doubloons"),
    "by treasures": ("winner_treasure_points", "treasures"),
    HOUSE: (lambda results: results.sums.winner_house_points() / results.sums.games, "house rules"),
}


def _close_games(results: Results) -> Estimate:
    """The share of the games that are won by few points."""
    return proportion_interval(int(results.tally["margins"][: CLOSE + 1].sum()), results.games)


SCORES = {
    "players' score": per_player("score"),
    "winner's score": SCORE,
    **{column: quantity(source[0]) for column, source in SOURCES.items()},
    "winner's lead": LEAD,
    "close games": counted(_close_games),
    "shared victories": quantity("shared_win", True),
}


def _lead_figure(cells: Sheet) -> Figure:
    shares = {name: shares_of(s.played.tally["margins"], 0.99) for name, s in cells.pair.items()}
    close = {name: sum(share for n, share in of.items() if n <= CLOSE) for name, of in shares.items()}
    notes = {name: (CLOSE, f"{words.percent(share, 0)} by {CLOSE} or less", "start") for name, share in close.items()}
    sub = cells.sub("Share of the games by points ahead of the second")
    return profiles("margins", "How far ahead the winner is", sub, shares, notes, CLOSE + 1)


def _source_figure(cells: Sheet) -> Figure:
    shown = {column: text for column, (_, text) in SOURCES.items() if column in cells.columns}
    title, unit = "Where the winner's points come from", "Mean points of the winner by source"
    return cells.by_column("sources", title, unit, shown)


def _scores(study: Study) -> list[Part]:
    has_house = any(s.rules.scores_house_points for s in study.settings)
    columns = {column: measure for column, measure in SCORES.items() if column != HOUSE or has_house}
    played = study.reference.played
    sources = [c for c in SOURCES if c in columns and (c != HOUSE or study.reference.rules.scores_house_points)]
    top, second, *others = sorted(sources, key=lambda column: -columns[column].of(played).value)
    part = sheet(
        study, "Scores", columns,
        [f"the winner has {{winner's score}} points: {{{top}}} from {SOURCES[top][1]}, {{{second}}} from "
         f"{SOURCES[second][1]}, {words.listed([f'{{{c}}} from {SOURCES[c][1]}' for c in others])}",
         f"it is {{winner's lead}} points ahead of the second; {{close games}} of the games are won by "
         f"{words.number(CLOSE)} points or less"],
        note=f"points; close: a lead of {CLOSE} or less", figures=[_source_figure, _lead_figure],
        keys={"winner's score": "points for the winner"},
    )  # fmt: skip
    settings = without_random_play(comparable(study))
    part.claim = leading(
        {s.label: {source: part.sheet.at(source, s) for source in sources} for s in settings}, [top],
        f"the largest part of the winner's points comes from {SOURCES[top][1]}",
        f"{SOURCES[top][1]} and {SOURCES[second][1]} bring the winner about as many points",
        f"{SOURCES[second][1]} bring the winner more points than {SOURCES[top][1]}",
    )  # fmt: skip
    values = [max(columns[c].of(played).value, 0.0) for c in sources]
    top_share = max(values) / (sum(values) or 1.0)
    part.effect = size_of(Estimate(top_share, 0, 1, 1), 1 / 3, True)
    return [part]


# Drama

SOLE = "sole half-time leader wins"
SOLE_LEADER_WINS = ratio("sole_half_time_leader_wins", "sole_half_time_leader")


def _fair_share(results: Results) -> Floats:
    """The share that all half-time leaders would win together if every ship had the same chance."""
    return results.sums.game("half_time_leaders") / results.sums.games / results.table.rules.ships


LEADERS: Columns = {
    SOLE: SOLE_LEADER_WINS,
    "equal share": lambda results: f"{1 / results.table.rules.ships:.1%}",
    "games with a sole leader": quantity("sole_half_time_leader", True),
    "all half-time leaders win": quantity("half_time_leader_wins", True),
    "their fair share": quantity(_fair_share, True),
    "first home wins": FIRST_HOME,
    "lead changes": LEAD_CHANGES,
    "per round": ratio("lead_changes", "rounds", share=False),
    "winner's lead": LEAD,
}
LEADERS_NOTE = (
    "half-time: after half of the game's rounds; several ships may be level then, and all of them together have a "
    "larger fair share; lead changes: rounds after which a ship leads alone that did not before"
)
HELPS = Test(
    SOLE,
    "a lead at half-time helps",
    "a lead at half-time does harm",
    "a lead at half-time makes no clear difference",
    lambda setting: 1 / setting.rules.ships,
)
TENSION = {  # what is said of each column
    "decided": "the winner is decided after {decided} of the rounds",
    "tension": "a round moves {tension} of all chances from one ship to another",
    "favourites": "the favourite changes {favourites} times",
    "hope of the last": "the ship that ends last still has a chance of 10% in {hope of the last} of the rounds",
}
TENSION_NOTE = (
    "chances before each round, judged from the situation and fitted to these games; decided: from then on the "
    "winner's chance stays above one half; hope of the last: rounds in which the ship that ends last still has "
    "a chance of 10%"
)


def _leader_figure(cells: Sheet) -> Figure:
    sub = "Share of the games with a sole leader; the upright mark is an equal share"
    return cells.by_table("leaders", "Does the half-time leader win?", sub, SOLE, equal=True)


def _decided_figure(cells: Sheet) -> Figure:
    sub = "Share of a game's rounds that are over when the winner's chance stays above one half"
    return cells.by_table("decided", "When the winner is decided", sub, "decided")


def _drama(study: Study) -> list[Part]:
    even = 1 / study.reference.rules.ships
    leaders = sheet(
        study, "Drama", LEADERS,
        [f"a ship that leads alone at half-time wins {{{SOLE}}} of the games; an equal share is {even:.1%}",
         "{games with a sole leader} of the games have a sole leader then; the others are not counted",
         "a ship takes the sole lead {lead changes} times in a game"],
        HELPS, note=LEADERS_NOTE, figures=[_leader_figure],
        keys={SOLE: "of the games go to a sole leader at half-time", "lead changes": "changes of the lead in a game"},
    )  # fmt: skip
    dramas = [s.played.drama for s in study.settings]
    tension = {m.column: m for m in DRAMA if all(drama is not None and m.key in drama.totals for drama in dramas)}
    if not tension:
        return [leaders]
    facts = [text for column, text in TENSION.items() if column in tension]
    return [leaders, sheet(study, "Tension", tension, facts, note=TENSION_NOTE, figures=[_decided_figure])]


# The box


def _over_the_box(resource: int, results: Results) -> Estimate:
    """The share of the games with more of a resource in play at once than the box holds."""
    counts = results.tally["peaks"][resource]
    return proportion_interval(int(counts[BOX[resource] + 1 :].sum()), results.games)


def _most_seen(resource: int, results: Results) -> int:
    return int(np.flatnonzero(results.tally["peaks"][resource])[-1])


TOO_SMALL = "box too small"
OVER = [f"more than {most} {word}" for most, word in zip(BOX, RESOURCES, strict=True)]
GOODS: Columns = {
    TOO_SMALL: quantity("box_too_small", True),
    **{name: counted(partial(_over_the_box, n)) for n, name in enumerate(OVER)},
    **{
        f"{word}, {kind}": column
        for n, word in enumerate(RESOURCES)
        for kind, column in (("mean peak", quantity(f"peak_{word}")), ("most seen", partial(_most_seen, n)))
    },
}
CONTENT = f"{BOX[0]} doubloons, {BOX[1]} food and {BOX[2]} gunpowder"
RUNS_OUT = Test(
    TOO_SMALL,
    "the box runs out in more than one game in a hundred",
    "the box is large enough for 99 games in a hundred",
    "the box runs out in about one game in a hundred",
    0.01,
)


def _box_figure(cells: Sheet) -> Figure:
    sub = "Share of the games that needed more than the box holds"
    return cells.by_table("box", "When the box runs out", sub, TOO_SMALL)


def _box(study: Study) -> list[Part]:
    shown = without_random_play(comparable(study) or list(study.uniform()))
    part = sheet(study, "Goods in play", GOODS, test=RUNS_OUT, note=f"goods in play at once; the box has {CONTENT}",
                 figures=[_box_figure])  # fmt: skip
    said, at = part.sheet.said, part.sheet.at
    worst = max(shown, key=lambda s: (at(TOO_SMALL, s).value, s.rules.players))
    scarce = max(OVER, key=lambda column: at(column, worst).value)
    table = f" ({worst.label})" if len(study.settings) > 1 else ""
    part.facts = [
        f"the box holds {CONTENT}; {said(TOO_SMALL, worst)} of the games need more{table}.",
        f"{RESOURCES[OVER.index(scarce)]} runs out most often, in {said(scarce, worst)} of the games.",
        "" if any(s.rules.limited_bank for s in study.uniform())
        else "the bank is unlimited in these games, so that the need can be seen.",
    ]  # fmt: skip
    return [part]


CHAPTERS = (
    chapter_of("scores", "Scores", _scores) | chapter_of("drama", "Drama", _drama) | chapter_of("box", "The box", _box)
)
