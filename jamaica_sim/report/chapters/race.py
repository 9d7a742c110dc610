"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.charts.row_charts import Row
from jamaica_sim.engine.board import forks
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import few_settings, has_chapter, mark_of, row_chart, stack
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    board_of,
    games_line,
    points,
    rate_of,
    where,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, mapped, quantity, sheet, win_rate
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife

MOST_PROFILES = 5
ENDS = ("home", "past the red line", "before the red line")
SHORTEST, LONGEST = "from (5% are shorter at most)", "to (5% are longer at most)"


def _quantile(share: float) -> Callable[[Results], int]:
    return lambda results: int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))


def share_within(results: Results, low: int, high: int) -> Estimate:
    """The share of the games that last so many rounds."""
    return proportion_interval(int(results.tally["rounds"][low : high + 1].sum()), results.games)


def _share_at(which: int) -> Measure:
    def sums(results: Results) -> np.ndarray:
        ships: np.ndarray = results.sums.alike("ends", which)[0]
        return ships / (results.sums.games * results.table.rules.players)

    return quantity(ENDS[which], sums, True)


def _wins_at(which: int) -> Measure:
    return win_rate(f"wins {ENDS[which]}", lambda results: results.sums.alike("ends", which))


LENGTHS: dict[str, "Measure | Callable[[Results], object]"] = {
    "rounds": ROUNDS,
    SHORTEST: _quantile(0.05),
    LONGEST: _quantile(0.95),
    "games within": Measure(
        "", "games within", "", "", "", lambda results: np.array([]), share=True,
        exact=lambda results: share_within(results, _quantile(0.05)(results), _quantile(0.95)(results)),
    ),
    "first home wins": FIRST_HOME,
    "unfinished": quantity("unfinished", "unfinished", True),
}  # fmt: skip
ENDINGS = {m.column: m for m in (*map(_share_at, range(3)), *map(_wins_at, range(3)))}


@dataclass(frozen=True)
class Lane:
    """How ships fare at a fork: who took the outer lane, the win rates by lane, their difference in points."""

    space: int
    share: Estimate
    outer: Estimate
    inner: Estimate
    difference: Estimate


@dataclass(frozen=True)
class Race(Findings):
    """What the games show about the race."""

    sheet: Sheet
    tables: list[ResultTable]
    home: Comparison  # the win rate of the first ship home, against an equal share
    lanes: list[Lane]
    lane_differences: list[Comparison]
    lengths: dict[str, tuple[Setting, np.ndarray]]  # games by their number of rounds, at a few tables


def find(study: Study) -> Race:
    """Measure lengths, lanes and ends."""
    setting = study.reference
    figures = sheet(study, LENGTHS | ENDINGS, ["rounds", "first home wins"])
    lanes = lanes_of(setting)
    note = "share of the players' ships that end there, and the win rate of those"
    return Race(
        figures,
        [
            figures.table("How long a game lasts", LENGTHS),
            figures.table("Where ships are at the end", ENDINGS, note),
            *(_lane_table(study, s) for s in mapped(study)),
        ],
        Comparison(figures.at("first home wins"), 1 / setting.rules.ships),
        lanes,
        [Comparison(allowing_for(lane.difference, len(lanes))) for lane in lanes],
        {name: (s, s.played.tally["rounds"]) for name, s in few_settings(study, figures.reader("rounds"))},
    )


def lanes_of(setting: Setting) -> list[Lane]:
    """How ships fare at each fork of the board."""
    lanes = []
    for fork, space in enumerate(forks(board_of(setting))):
        (outer, outer_wins), (inner, inner_wins) = (setting.played.sums.alike("lanes", fork, lane) for lane in range(2))
        both = int((outer + inner)[0])
        lanes.append(
            Lane(
                int(space),
                jackknife(rate_of(outer + inner, outer), both),
                jackknife(rate_of(outer, outer_wins), int(outer[0])),
                jackknife(rate_of(inner, inner_wins), int(inner[0])),
                points(jackknife(rate_of(outer, outer_wins) - rate_of(inner, inner_wins), both)),
            )
        )
    return lanes


def _lane_table(study: Study, setting: Setting) -> ResultTable:
    rows = [(f"after space {n.space}", n.share, n.outer, n.inner, n.difference) for n in lanes_of(setting)]
    columns = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")
    note = "players' ships that passed the fork by one lane only"
    return ResultTable(f"Lanes {where(study, setting)}".strip(), columns, rows, frozenset(columns[1:4]), note)


def write(race: Race, judge: Judge) -> Chapter:
    """The chapter."""
    figures, home, even = race.sheet, race.home.estimate, race.home.null
    study = figures.study
    chapter = Chapter("race", "The race", tables=race.tables)
    is_clear = judge.is_clear(race.home)
    chapter.effect = abs(cohen_h(home.value, even)) if is_clear else 0.0
    chapter.heading = f"The first ship home {home_words(home.value, even, is_clear)}"
    low, high = (figures.cells[name][study.reference] for name in (SHORTEST, LONGEST))
    is_said = has_chapter(study, "who_wins") and not any(s.is_mixed for s in study.settings)  # there
    if is_said:
        usual_share = words.percent(figures.at("games within").value, 0)
        chapter.heading = f"{usual_share} of the games last {low} to {high} rounds"
        chapter.effect = min(chapter.effect, 0.1)
    chapter.say(
        figures.tell(judge, "a game lasts {rounds} rounds"),
        f"{figures.said('games within')} of the games last {low} to {high} rounds.",
        ""
        if is_said
        else figures.tell(
            judge,
            "the ship that comes home first wins {first home wins} of the games, where "
            f"{even:.1%} would be an equal share",
        ),
    )
    _write_lanes(race, judge, chapter)
    chapter.figures += [_length_figure(race), _end_figure(figures), *_lane_figure(race)]
    share = f"of the games go to the first ship home; an equal share is {words.percent(even, 0)}"
    chapter.keys.append(KeyNumber(words.percent(home.value, 0), share, strong=False))
    return chapter


def home_words(rate: float, even: float, is_clear: bool) -> str:
    """How often the first ship home wins, in words."""
    if not is_clear:
        return "does not clearly win more than its share"
    if plain := words.fraction(rate):
        return f"wins {plain} of the games"
    return f"wins {words.percent(rate, 0)} of the games" if rate > even else "wins less than its share"


def _write_lanes(race: Race, judge: Judge, chapter: Chapter) -> None:
    if not race.lanes:
        return
    shares = sorted((lane.share for lane in race.lanes), key=lambda share: share.value)
    clear = [lane for lane, one in zip(race.lanes, race.lane_differences, strict=True) if judge.is_clear(one)]
    said = "no clear difference in win rate between the lanes was found."
    if clear:
        lane = max(clear, key=lambda lane: abs(lane.difference.value))
        more = "more" if lane.difference.value > 0 else "less"
        said = (
            f"after space {lane.space} those outside win {more} often, {prose.share(lane.outer)} of their games "
            f"against {prose.share(lane.inner)}; but a ship chooses its lane by what it carries and by who is ahead."
        )
    taken = f"{prose.share(shares[0])} to {prose.share(shares[-1])} of the ships."
    chapter.say(f"the outer lanes, longer but with treasures, are taken by {taken}", said)


def _lane_figure(race: Race) -> list[Figure]:
    if not race.lanes:
        return []
    even = race.home.null
    made = [
        Row(
            f"After {lane.space}: {words.percent(lane.share.value, 0)} outside",
            [mark_of(lane.inner, True, "base", name="inner lane"), mark_of(lane.outer, True, name="outer lane")],
        )
        for lane in race.lanes
    ]
    spaces = words.listed([str(lane.space) for lane in race.lanes])
    sub = f"Win rate by lane at the forks after spaces {spaces}; the line is an equal share, {even:.0%}"
    return [Figure("lanes", "Which lane wins", sub, row_chart("Win rate by lane", made, line=even))]


def _length_figure(race: Race) -> Figure:
    settings, means = [s for s, _ in race.lengths.values()], race.sheet.reader("rounds")
    if len(settings) > MOST_PROFILES:
        made = [Row(name, [mark_of(means(s))]) for name, (s, _) in race.lengths.items()]
        drawing = row_chart("Mean number of rounds", made, 27, form="bars")
        return Figure("rounds", "How long a game lasts", f"Mean number of rounds; {games_line(settings)}", drawing)
    counts = [c for _, c in race.lengths.values()]
    first = min(int(np.flatnonzero(c)[0]) for c in counts)
    last = max(int(np.searchsorted(np.cumsum(c) / c.sum(), 0.995)) for c in counts)
    told = {name: f"mean {words.amount(means(s).value)}" for name, (s, _) in race.lengths.items()}
    many = [
        Profile(name, list(c[first : last + 1] / c.sum()), None, [(means(s).value, told[name], "middle")])
        for name, (s, c) in race.lengths.items()
    ]
    lines = "; ".join(f"{name} {mean}".strip() for name, mean in told.items())
    drawing = histogram(f"How many rounds games last, share of the games: {lines}.", many, first)
    sub = f"Share of the games by number of rounds; {games_line(settings)}"
    return Figure("rounds", "How long a game lasts", sub, drawing)


def _end_figure(figures: Sheet) -> Figure:
    """Where the players' ships are when the game ends, at a few tables."""
    shown = few_settings(figures.study, figures.reader("home"))
    roles = {"before the red line": "base", "past the red line": "pale", "home": "subject"}
    made = {label: [(name, figures.at(name, s), role) for name, role in roles.items()] for label, s in shown}
    sub = f"Share of the players' ships; {games_line([s for _, s in shown])}"
    return stack("ends", "Where ships are at the end", sub, made, high=1.0)


CHAPTERS = {"race": ChapterSource(find, write)}
