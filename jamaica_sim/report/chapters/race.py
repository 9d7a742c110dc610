"""The race: how long it is, which lanes are taken, where ships end, whether the first ship home wins."""

from collections.abc import Callable

import numpy as np

from jamaica_sim.charts.axis_charts import Profile, histogram
from jamaica_sim.charts.row_charts import Row
from jamaica_sim.engine.board import forks
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report.arrangement import few_settings, has_chapter, left_out_of, thinking, usual
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, points, rate_of, where
from jamaica_sim.report.figures import chart, mark_of
from jamaica_sim.report.judge import HOLDS, Claim, Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Columns, Sheet, counted, games_behind, mapped, quantity, win_rate
from jamaica_sim.report.spaces import board_of
from jamaica_sim.results.measures import FIRST_HOME, ROUNDS, Floats, Measure
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate, proportion_interval
from jamaica_sim.stats.jackknife import jackknife

MOST_PROFILES = 5
ENDS = ("home", "past the red line", "before the red line")
SHORTEST, LONGEST = "from (5% are shorter at most)", "to (5% are longer at most)"
LANE_COLUMNS = ("fork", "outer lane", "win rate outer", "win rate inner", "difference, points")


def _quantile(share: float) -> Callable[[Results], int]:
    return lambda results: int(np.searchsorted(np.cumsum(results.tally["rounds"]), share * results.games))


def _share_within(results: Results) -> Estimate:
    """The share of the games that last as long as nine in ten do."""
    low, high = _quantile(0.05)(results), _quantile(0.95)(results)
    return proportion_interval(int(results.tally["rounds"][low : high + 1].sum()), results.games)


def _share_at(which: int) -> Measure:
    def sums(results: Results) -> Floats:
        ships: Floats = results.sums.alike("ends", which)[0]
        return ships / (results.sums.games * results.table.rules.players)

    return quantity(sums, True)


def _wins_at(which: int) -> Measure:
    return win_rate(lambda results: results.sums.alike("ends", which))


LENGTHS: Columns = {
    "rounds": ROUNDS,
    SHORTEST: _quantile(0.05),
    LONGEST: _quantile(0.95),
    "games within": counted(_share_within),
    "first home wins": FIRST_HOME,
    "unfinished": quantity("unfinished", True),
}
ENDINGS = {end: _share_at(n) for n, end in enumerate(ENDS)} | {f"wins {end}": _wins_at(n) for n, end in enumerate(ENDS)}


class Lane(Findings):
    """How ships fare at a fork: who took the outer lane, the win rates by lane, their difference in points."""

    def __init__(self, setting: Setting, fork: int, space: int):
        self.space = space
        played = setting.played
        (outer, outer_wins), (inner, inner_wins) = (played.sums.alike("lanes", fork, lane) for lane in range(2))
        both = games_behind(outer + inner, played)
        self.share = jackknife(rate_of(outer + inner, outer), both)
        self.outer = jackknife(rate_of(outer, outer_wins), games_behind(outer, played))
        self.inner = jackknife(rate_of(inner, inner_wins), games_behind(inner, played))
        self.difference = points(jackknife(rate_of(outer, outer_wins) - rate_of(inner, inner_wins), both))


def lanes_of(setting: Setting) -> list[Lane]:
    """How ships fare at each fork of the board."""
    return [Lane(setting, fork, int(space)) for fork, space in enumerate(forks(board_of(setting)))]


def _lane_table(study: Study, setting: Setting) -> ResultTable:
    rows = [(f"after space {n.space}", n.share, n.outer, n.inner, n.difference) for n in lanes_of(setting)]
    title, note = f"Lanes {where(study, setting)}".strip(), "players' ships that passed the fork by one lane only"
    return ResultTable(title, LANE_COLUMNS, rows, frozenset(LANE_COLUMNS[1:4]), note)


class Race(Findings):
    """What the games show about the race: lengths, lanes and ends."""

    def __init__(self, study: Study):
        setting = study.reference
        self.sheet = figures = Sheet(study, {**LENGTHS, **ENDINGS}, ["rounds", "first home wins"])
        note = "share of the players' ships that end there, and the win rate of those"
        self.tables = [
            figures.table("How long a game lasts", LENGTHS),
            figures.table("Where ships are at the end", ENDINGS, note),
            *(_lane_table(study, s) for s in mapped(study)),
        ]
        self.home = Comparison(figures.at("first home wins"), 1 / setting.rules.ships)
        self.half: Claim | None = None  # of the games that it wins; None where another chapter speaks of it
        if not has_chapter(study, "who_wins") or any(s.is_mixed for s in study.settings):
            tables = dict.fromkeys((setting, *thinking(usual(study))))
            cases = {s.label: Comparison(figures.at("first home wins", s), 0.5) for s in tables}
            self.half = Claim("the first ship home wins more than half of the games", cases)
        self.lanes = lanes_of(setting)
        self.lane_differences = [Comparison(allowing_for(n.difference, len(self.lanes))) for n in self.lanes]
        # games by their number of rounds, at a few tables
        self.lengths = {
            name: (s, s.played.tally["rounds"]) for name, s in few_settings(study, figures.reader("rounds"))
        }

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        figures, home, even = self.sheet, self.home.estimate, self.home.null
        study, tell = figures.study, figures.teller(judge)
        chapter = Chapter("race", "The race", tables=self.tables)
        is_clear = judge.is_clear(self.home)
        chapter.effect = abs(cohen_h(home.value, even)) if is_clear else 0.0
        chapter.heading = f"The first ship home {home_words(home.value, even, is_clear)}"
        low, high = (figures.cells[name][study.reference] for name in (SHORTEST, LONGEST))
        first_home = tell(
            f"the ship that comes home first wins {{first home wins}} of the games, where {even:.1%} would be an equal "
            "share"
        )
        more = ""
        if self.half is not None:
            verdict = judge.verdict(self.half)
            chapter.claims = [self.half]
            if verdict.holds and len(self.half.cases) > 1:
                more = f"that is more than half {verdict.scope()}{left_out_of(usual(study))}."
            if more and verdict.kind != HOLDS:
                players = words.number(study.reference.rules.players)
                chapter.heading = f"With {players} players the first ship home {home_words(home.value, even, is_clear)}"
        else:
            usual_share = words.percent(figures.at("games within").value, 0)
            chapter.heading = f"{usual_share} of the games last {low} to {high} rounds"
            chapter.effect, first_home = min(chapter.effect, 0.1), ""
        chapter.say(
            tell("a game lasts {rounds} rounds"),
            f"{figures.said('games within')} of the games last {low} to {high} rounds.",
            first_home,
            more,
        )
        roles = {"before the red line": "base", "past the red line": "pale", "home": "subject"}
        ends = "Where ships are at the end", "Share of the players' ships"
        chapter.figures += [self._length_figure(), figures.stack("ends", *ends, roles, "home", high=1.0)]
        if self.lanes:
            self._write_lanes(judge, chapter)
        share = f"of the games go to the first ship home; an equal share is {words.percent(even, 0)}"
        chapter.keys.append(KeyNumber(words.percent(home.value, 0), share, strong=False))
        return chapter

    def _write_lanes(self, judge: Judge, chapter: Chapter) -> None:
        lanes, even = self.lanes, self.home.null
        shares = sorted((lane.share for lane in lanes), key=lambda share: share.value)
        clear = [lane for lane, one in zip(lanes, self.lane_differences, strict=True) if judge.is_clear(one)]
        who_wins = "no clear difference in win rate between the lanes was found."
        if clear:
            lane = max(clear, key=lambda lane: abs(lane.difference.value))
            more = "more" if lane.difference.value > 0 else "less"
            who_wins = (
                f"after space {lane.space} ships in the outer lane win {more} often, {prose.share(lane.outer)} of "
                f"their games against {prose.share(lane.inner)}; but a ship chooses its lane by what it carries and by "
                "who is ahead."
            )
        taken = f"{prose.share(shares[0])} to {prose.share(shares[-1])} of the ships."
        chapter.say(f"the outer lanes, longer but with treasures, are taken by {taken}", who_wins)
        made = [
            Row(
                f"After {lane.space}: {words.percent(lane.share.value, 0)} outside",
                [mark_of(lane.inner, True, "base", name="inner lane"), mark_of(lane.outer, True, name="outer lane")],
            )
            for lane in lanes
        ]
        spaces = words.listed([str(lane.space) for lane in lanes])
        sub = self.sheet.sub(f"Win rate by lane after spaces {spaces}; the line is an equal share, {even:.0%}")
        chapter.figures.append(chart("lanes", "Which lane wins", sub, made, line=even))

    def _length_figure(self) -> Figure:
        settings, means = [s for s, _ in self.lengths.values()], self.sheet.reader("rounds")
        title, games = "How long a game lasts", games_line(settings)
        if len(settings) > MOST_PROFILES:
            made = [Row(name, [mark_of(means(s))]) for name, (s, _) in self.lengths.items()]
            return chart("rounds", title, f"Mean number of rounds; {games}", made, 27, form="bars")
        counts = [c for _, c in self.lengths.values()]
        first = min(int(np.flatnonzero(c)[0]) for c in counts)
        last = max(int(np.searchsorted(np.cumsum(c) / c.sum(), 0.995)) for c in counts)
        texts = {name: f"mean {words.amount(means(s).value)}" for name, (s, _) in self.lengths.items()}
        many = [
            Profile(name, list(c[first : last + 1] / c.sum()), None, [(means(s).value, texts[name], "middle")])
            for name, (s, c) in self.lengths.items()
        ]
        lines = "; ".join(f"{name} {mean}".strip() for name, mean in texts.items())
        drawing = histogram(f"How many rounds games last, share of the games: {lines}.", many, first)
        return Figure("rounds", title, f"Share of the games by number of rounds; {games}", drawing)


def home_words(rate: float, even: float, is_clear: bool) -> str:
    """How often the first ship home wins, in words."""
    if not is_clear:
        return "does not clearly win more than its share"
    if plain := words.fraction(rate):
        return f"wins {plain} of the games"
    return f"wins {words.percent(rate, 0)} of the games" if rate > even else "wins less than its share"


CHAPTERS = {"race": ChapterSource(Race, Race.write)}
