"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

from collections.abc import Callable

import numpy as np

from jamaica_sim.game.components.course import forks
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import pair_of
from jamaica_sim.report.chapter import Figure, points, rate_of, where
from jamaica_sim.report.charts.row_charts import Row
from jamaica_sim.report.figures import chart, mark_of, profiles, shares_of
from jamaica_sim.report.judge import Case, Claim
from jamaica_sim.report.parts import Part, Test, chapter_of, sheet
from jamaica_sim.report.sheet import Columns, Sheet, counted, quantity, win_rate
from jamaica_sim.report.spaces import board_of
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS, Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, allowing_for, jackknife, proportion_interval
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study

ENDS = ("home", "past the red line", "before the red line")
SHORTEST, LONGEST = "from (5% are shorter at most)", "to (5% are longer at most)"
LANE_COLUMNS = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")
HOME = Test(
    "first home wins",
    "the first ship home wins more than half of the games",
    "the first ship home wins less than half of the games",
    "the first ship home wins about half of the games",
    0.5,
)


def _quantile(share: float) -> Callable[[Results], int]:
    return lambda results: int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))


def _share_within(results: Results) -> Estimate:
    """The share of the games that last as long as nine in ten do."""
    low, high = _quantile(0.05)(results), _quantile(0.95)(results)
    return proportion_interval(int(results.tally["rounds"][low : high + 1].sum()), results.games)


def _share_at(which: int) -> Measure:
    def sums(results: Results) -> Floats:
        ships: Floats = results.sums.ships_and_wins("ends", which)[0]
        return ships / (results.sums.games * results.table.rules.players)

    return quantity(sums, True)


def _wins_at(which: int) -> Measure:
    return win_rate(lambda results: results.sums.ships_and_wins("ends", which))


LENGTHS: Columns = {
    "rounds": ROUNDS,
    SHORTEST: _quantile(0.05),
    LONGEST: _quantile(0.95),
    "games within": counted(_share_within),
    "first home wins": FIRST_HOME,
    "unfinished": quantity("unfinished", True),
}
ENDINGS = {end: _share_at(n) for n, end in enumerate(ENDS)} | {f"wins {end}": _wins_at(n) for n, end in enumerate(ENDS)}


def _lanes(setting: Setting) -> dict[str, tuple[Estimate, Estimate, Estimate, Estimate]]:
    """By fork: who took the outer lane, the win rates outside and inside, and their difference in points."""
    found, played = {}, setting.played

    def rate(below: Floats, above: Floats, ships: Floats) -> Estimate:
        return jackknife(rate_of(below, above), min(int(ships[0]), played.games))

    for fork, space in enumerate(forks(board_of(setting))):
        (outer, outer_wins), (inner, inner_wins) = (
            played.sums.ships_and_wins("lanes", fork, lane) for lane in range(2)
        )
        lead = rate_of(outer, outer_wins) - rate_of(inner, inner_wins)
        found[f"after space {int(space)}"] = (
            rate(outer + inner, outer, outer + inner), rate(outer, outer_wins, outer), rate(inner, inner_wins, inner),
            points(jackknife(lead, min(int((outer + inner)[0]), played.games))),
        )  # fmt: skip
    return found


def _lane_part(study: Study) -> Part:
    """Which lane wins at each fork of the reference table."""
    lanes, even = _lanes(study.reference), 1 / study.reference.rules.ships
    claim = Claim(
        "ships in the outer lane win more often",
        {fork: Case(allowing_for(lane[3], len(lanes))) for fork, lane in lanes.items()},
        opposite="ships in the outer lane win less often",
        neither="no clear difference in win rate between the lanes",
        noun="forks",
    )
    shares = sorted((lane[0] for lane in lanes.values()), key=lambda share: share.value)
    fact = (f"the outer lanes, longer but with treasures, are taken by {prose.share(shares[0])} to "
            f"{prose.share(shares[-1])} of the ships.")  # fmt: skip
    made = [
        Row(f"{fork.capitalize()}: {words.percent(share.value, 0)} outside",
            [mark_of(inner, True, "base", name="inner lane"), mark_of(outer, True, name="outer lane")])
        for fork, (share, outer, inner, _) in lanes.items()
    ]  # fmt: skip
    sub = Sheet(study, {}).sub(f"Win rate by lane after each fork; the line is an equal share, {even:.0%}", one=True)
    note = "players' ships that passed the fork by one lane only"
    of_tables = {f"Lanes {where(study, s)}".strip(): _lanes(s) for s in pair_of(study).values()}
    tables = [ResultTable(title, LANE_COLUMNS, [(fork, *lane) for fork, lane in found.items()],
                          frozenset(LANE_COLUMNS[1:4]), note) for title, found in of_tables.items()]  # fmt: skip
    return Part(claim, [fact], tables, [chart("lanes", "Which lane wins", sub, made, line=even)])


def _length_figure(cells: Sheet) -> Figure:
    shares = {name: shares_of(s.played.tally["rounds"], 0.995) for name, s in cells.pair.items()}
    means = {name: cells.at("rounds", s).value for name, s in cells.pair.items()}
    notes = {name: (mean, f"mean {words.amount(mean)}", "middle") for name, mean in means.items()}
    sub = cells.sub("Share of the games by number of rounds")
    return profiles("rounds", "How long a game lasts", sub, shares, notes)


def _ends_figure(cells: Sheet) -> Figure:
    title, unit = "Where ships are at the end", "Share of the players' ships"
    return cells.by_column("ends", title, unit, {end: end for end in ENDS})


def _parts(study: Study) -> list[Part]:
    played = study.reference.played
    low, high = _quantile(0.05)(played), _quantile(0.95)(played)
    length = sheet(
        study, "How long a game lasts", LENGTHS,
        ["the first ship home wins {first home wins} of the games",
         f"a game lasts {{rounds}} rounds; {{games within}} of the games last {low} to {high}"],
        HOME, figures=[_length_figure], keys={"first home wins": "of the games go to the first ship home"},
    )  # fmt: skip
    note = "share of the players' ships that end there, and the win rate of those"
    ends = sheet(study, "Where ships are at the end", ENDINGS, note=note, figures=[_ends_figure])
    return [length, ends, *([_lane_part(study)] if forks(board_of(study.reference)) else [])]


CHAPTERS = chapter_of("race", "The race", _parts)
