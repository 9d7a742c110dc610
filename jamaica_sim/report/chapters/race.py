"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jamaica_sim.components import red_line
from jamaica_sim.components.course import Space
from jamaica_sim.engine.board import forks, lane_spaces
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import few_settings, has_chapter, mark_of, of_each_edition, row_chart, usual
from jamaica_sim.report.axis_charts import Profile, profiles
from jamaica_sim.report.chapter import (
    Chapter,
    ChapterSource,
    Figure,
    KeyNumber,
    Read,
    board_of,
    by_setting,
    games_line,
    of_game,
    points,
    rate_of,
    where,
)
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.row_charts import Row
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife

MOST_PROFILES = 5
ENDS = ("home", "past the red line", "before the red line")


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

    study: Study
    tables: list[ResultTable]
    home: Comparison  # the win rate of the first ship home, against an equal share
    lengths: tuple[int, int]  # in rounds, of the shortest and the longest of usual games
    usual: Estimate  # the share of the games that are as long
    lanes: list[Lane]
    lane_differences: list[Comparison]


def find(study: Study) -> Race:
    """Measure lengths, lanes and ends."""
    settings, setting = study.uniform(), study.reference
    results, board = setting.played, board_of(study)
    by_edition = [setting, *(s for s in of_each_edition(study) if s is not setting)]
    lengths = _quantile(0.05)(results), _quantile(0.95)(results)
    lanes = lanes_of(results, board)
    return Race(
        study,
        [_length_table(settings), _end_table(settings), *(_lane_table(study, s) for s in by_edition)],
        Comparison(FIRST_HOME.of(results), 1 / setting.rules.ships),
        lengths,
        share_within(results, *lengths),
        lanes,
        [Comparison(allowing_for(lane.difference, len(lanes))) for lane in lanes],
    )


def write(race: Race, judge: Judge) -> Chapter:
    """The chapter."""
    study, results, home = race.study, race.study.reference.played, race.home.estimate
    chapter = Chapter("race", "The race", tables=race.tables)
    is_clear, even = judge.is_clear(race.home), race.home.null
    chapter.effect = abs(cohen_h(home.value, even)) if is_clear else 0.0
    low, high = race.lengths
    is_said = has_chapter(study, "who_wins") and not any(s.is_mixed for s in study.settings)  # there
    chapter.heading = f"The first ship home {home_words(home.value, even, is_clear)}"
    if is_said:
        chapter.heading = f"{words.percent(race.usual.value, 0)} of the games last {low} to {high} rounds"
        chapter.effect = min(chapter.effect, 0.1)
    chapter.say(
        f"a game lasts {prose.mean(ROUNDS.of(results))} rounds; {prose.share(race.usual)} of the games last {low} to "
        f"{high}.",
        ""
        if is_said
        else f"the ship that comes home first wins {prose.share(home)} of the games, where {even:.1%} would be an "
        "equal share.",
    )
    _write_lanes(race, judge, chapter)
    chapter.figures += [_length_figure(study), _players_ends(study), _lane_figure(race)]
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


def _quantile(share: float) -> Callable[[Results], int]:
    def read(results: Results) -> int:
        return int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))

    return read


def share_within(results: Results, low: int, high: int) -> Estimate:
    """The share of the games that last so many rounds."""
    return proportion_interval(int(results.tally["rounds"][low : high + 1].sum()), results.games)


def _length_table(settings: Sequence[Setting]) -> ResultTable:
    columns = {
        "rounds": ROUNDS.of,
        "from (5% are shorter at most)": _quantile(0.05),
        "to (5% are longer at most)": _quantile(0.95),
        "games within": lambda results: share_within(results, _quantile(0.05)(results), _quantile(0.95)(results)),
        "first home wins": FIRST_HOME.of,
        "unfinished": of_game("unfinished"),
    }
    shares = ("games within", "first home wins", "unfinished")
    return by_setting(settings, "How long a game lasts", columns, shares)


def _share_at(which: int) -> Read:
    def read(results: Results) -> Estimate:
        ships, _ = results.sums.alike("ends", which)
        return jackknife(ships / (results.sums.games * results.table.rules.players), results.games)

    return read


def _wins_at(which: int) -> Read:
    def read(results: Results) -> Estimate:
        ships, wins = results.sums.alike("ends", which)
        return jackknife(rate_of(ships, wins), int(ships[0]))

    return read


def _end_table(settings: Sequence[Setting]) -> ResultTable:
    columns = {word: _share_at(which) for which, word in enumerate(ENDS)}
    columns |= {f"wins {word}": _wins_at(which) for which, word in enumerate(ENDS)}
    note = "share of the players' ships that end there, and the win rate of those"
    return by_setting(settings, "Where ships are at the end", columns, list(columns), note)


# Lanes


def lanes_of(results: Results, board: tuple[Space, ...]) -> list[Lane]:
    """How ships fare at each fork of the board."""
    lanes = []
    for fork, space in enumerate(forks(board)):
        (outer, outer_wins), (inner, inner_wins) = (results.sums.alike("lanes", fork, lane) for lane in range(2))
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
    lanes = lanes_of(setting.played, board_of(study))
    rows = [(f"after space {lane.space}", lane.share, lane.outer, lane.inner, lane.difference) for lane in lanes]
    columns = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")
    note = "players' ships that passed the fork by one lane only"
    return ResultTable(f"Lanes {where(study, setting)}".strip(), columns, rows, frozenset(columns[1:4]), note)


def _write_lanes(race: Race, judge: Judge, chapter: Chapter) -> None:
    if not race.lanes:
        return
    shares = sorted((lane.share for lane in race.lanes), key=lambda share: share.value)
    taken = f"the outer lanes, longer but with treasures, are taken by {prose.share(shares[0])} to "
    taken += f"{prose.share(shares[-1])} of the ships."
    clear = [lane for lane, one in zip(race.lanes, race.lane_differences, strict=True) if judge.is_clear(one)]
    if not clear:
        chapter.say(taken, "no clear difference in win rate between the lanes was found.")
        return
    lane = max(clear, key=lambda lane: abs(lane.difference.value))
    more = "more" if lane.difference.value > 0 else "less"
    chapter.say(
        taken,
        f"after space {lane.space} those outside win {more} often, {prose.share(lane.outer)} of their games against "
        f"{prose.share(lane.inner)}; but a ship chooses its lane by what it carries and by who is ahead.",
    )


def _lane_figure(race: Race) -> Figure:
    even = 1 / race.study.reference.rules.ships
    made = [
        Row(
            f"After {lane.space}: {words.percent(lane.share.value, 0)} outside",
            [mark_of(lane.inner, True, "base", name="inner lane"), mark_of(lane.outer, True, name="outer lane")],
        )
        for lane in race.lanes
    ]
    spaces = words.listed([str(lane.space) for lane in race.lanes])
    sub = f"Win rate by lane at the forks after spaces {spaces}; the line is an equal share, {even:.0%}"
    return Figure("lanes", "Which lane wins", sub, row_chart("Win rate by lane", made, line=even))


# Figures


def _length_figure(study: Study) -> Figure:
    shown = few_settings(study, ROUNDS.of)
    settings = [s for _, s in shown]
    if len(shown) > MOST_PROFILES:
        made = [Row(name, [mark_of(ROUNDS.of(s.played))]) for name, s in shown]
        sub = f"Mean number of rounds; {games_line(settings)}"
        drawing = row_chart("Mean number of rounds", made, 27, form="bars")
        return Figure("rounds", "How long a game lasts", sub, drawing)
    counts = [s.played.tally["rounds"] for s in settings]
    first = min(int(np.flatnonzero(c)[0]) for c in counts)
    last = max(int(np.searchsorted(np.cumsum(c) / c.sum(), 0.995)) for c in counts)
    many, lines = [], []
    for (name, s), c in zip(shown, counts, strict=True):
        share = c[first : last + 1] / c.sum()
        mean = ROUNDS.of(s.played).value
        many.append(Profile(name, list(share), None, [(mean, f"mean {words.amount(mean)}", "middle")]))
        lines.append(f"{name} mean {words.amount(mean)}".strip())
    step = max(1, round((last - first) / 8))
    ticks = [(float(n), str(n)) for n in range(first, last + 1, step)]
    label = f"How many rounds games last, share of the games: {'; '.join(lines)}."
    drawing = profiles(label, many, ticks, first=first, height=44 if len(many) > 2 else 90)
    sub = f"Share of the games by number of rounds, one scale for all; {games_line(settings)}"
    return Figure("rounds", "How long a game lasts", sub, drawing)


def _players_ends(study: Study) -> Figure:
    settings = [s for s in study.along("players") if s in usual(study)]
    settings.sort(key=lambda s: s.rules.players)

    def ends(results: Results) -> npt.NDArray[np.int64]:
        players: npt.NDArray[np.int64] = results.tally["final_spaces"][: results.table.rules.players].sum(axis=0)
        return players

    return end_figure("Players' ships", board_of(study), settings[:4], ends)


def end_figure(
    who: str,
    board: tuple[Space, ...],
    settings: Sequence[Setting],
    ends: Callable[[Results], npt.NDArray[np.int64]],
) -> Figure:
    """Where ships are when the game ends, by number of players."""
    many, lines, spaces = [], [], len(board)
    inner = {space for _, short in lane_spaces(board) for space in short}
    line = red_line.first_beyond(board)
    for setting in settings[:4]:
        behind, circuit, home = ends(setting.played).reshape(3, -1)
        along = circuit[:spaces].astype(float).copy()
        along[0] += behind.sum()
        total = along.sum() + home.sum()
        values = np.append(along, home.sum()) / max(1, total)
        shares = values[:line].sum(), values[line:-1].sum(), values[-1]
        notes = [
            (line - 3, f"{words.percent(shares[0], 0)} before the line", "end"),
            (line + 4, f"{words.percent(shares[1], 0)} past it", "middle"),
            (len(values) - 1, f"{words.percent(shares[2], 0)} home", "middle"),
        ]
        name = f"{setting.rules.players} players"
        lines.append(f"{name}: " + ", ".join(note[1] for note in notes))
        many.append(Profile(name, list(values), line, notes, {len(values) - 1: 5}, {n: True for n in inner}))
    label = f"{who} at the end of the game, share of the games by space. {'; '.join(lines)}."
    shaded = [(min(outer), max(short)) for outer, short in lane_spaces(board)]
    marked = ((n, f"space {n}") for n in (16, 29) if n < spaces - 6)
    ticks: list[tuple[float, str]] = [(1, "Port Royal"), *marked, (spaces, "home")]
    drawing = profiles(label, many, ticks, shaded=shaded, line=line, line_name="red line")
    sub = (
        "Each bar is a space, inner lanes hang below; home is five wide and a fifth as high: equal areas, equal shares"
    )
    title = f"Where {who[0].lower() + who[1:]} {'are' if who.endswith('s') else 'is'} at the end"
    return Figure("ends", title, sub, drawing)


CHAPTERS = {"race": ChapterSource(find, write)}
