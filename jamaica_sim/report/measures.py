"""Measures of a game: each is estimated in one way only, compared on the same deals, and has its own words.

So a figure has the same rounding and the same interval throughout a report.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.codes import WIN_UNITS
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.report.chapter import points
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.tally.layout import GAME_QUANTITIES


@dataclass(frozen=True)
class Measure:
    """A measure: its name in a table, as a noun in a sentence, and words for more and for less of it."""

    key: str
    column: str
    noun: str
    more: str
    less: str
    of: Callable[[Results], Estimate]
    sums: Callable[[Results], np.ndarray]
    share: bool = False

    @property
    def title(self) -> str:
        """The title above a narrow chart."""
        return {"progress": "Spaces a round"}.get(self.key, self.column.capitalize())

    def difference(self, a: Setting, b: Setting, confidence: float = 0.95) -> Estimate:
        """The measure in b minus that in a, on the same deals; shares in percentage points."""
        found = jackknife(self.sums(b.results) - self.sums(a.results), b.games, confidence)
        return points(found) if self.share else found

    def relative(self, a: Setting, b: Setting) -> Estimate:
        """The change from a to b as a share of the measure in a."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return jackknife(self.sums(b.results) / self.sums(a.results) - 1, b.games)

    def effect(self, a: Setting, b: Setting) -> float:
        """The effect size of the change: Cohen's h of shares, Cohen's d of means."""
        before, after = self.of(a.results).value, self.of(b.results).value
        if math.isnan(before) or math.isnan(after):
            return 0.0
        if self.share:
            return cohen_h(after, before)
        spread = self.spread(a.results)
        return (after - before) / spread if spread else 0.0

    def effect_interval(self, a: Setting, b: Setting) -> Estimate:
        """Cohen's d of a change of means with its interval, which allows for the error of the spread as well."""
        difference = jackknife(self.sums(b.results) - self.sums(a.results), b.games)
        spread = self.spread(a.results)
        if not spread:
            return Estimate(math.nan, -math.inf, math.inf, b.games)
        value = difference.value / spread
        of_spread = 2 * abs(value) / math.sqrt(2 * a.games)  # two standard errors of a standard deviation
        half_width = math.hypot(difference.half_width / spread, of_spread)
        return Estimate(value, value - half_width, value + half_width, b.games)

    def spread(self, results: Results) -> float:
        """The standard deviation from game to game."""
        return game_spread(results, self.key)


@dataclass(frozen=True)
class Pace(Measure):
    """Spaces gained by a ship in a round: a ratio, whose spread is that of its residuals."""

    def spread(self, results: Results) -> float:
        """The standard deviation of a game's pace, to first order (Cochran 1977, chapter 6)."""
        moments = {}
        for name in ("progress", "rounds", "progress_times_rounds"):
            total, squares = results.tally["by_game"][GAME_QUANTITIES.index(name)]
            moments[name] = int(total) / results.games, int(squares) / results.games
        (progress, progress_squares), (rounds, round_squares) = moments["progress"], moments["rounds"]
        together = moments["progress_times_rounds"][0] - progress * rounds
        pace = progress / rounds
        variance = progress_squares - progress**2 + pace**2 * (round_squares - rounds**2) - 2 * pace * together
        return math.sqrt(max(0.0, variance)) / rounds / results.table.rules.players


def game_spread(results: Results, quantity: str) -> float:
    """The standard deviation of a quantity from game to game."""
    total, squares = (int(v) for v in results.tally["by_game"][GAME_QUANTITIES.index(quantity)])
    scale = WIN_UNITS if quantity.endswith("_wins") else 1
    games = results.games
    return math.sqrt(max(0, games * squares - total * total)) / games / scale


def _per_game(quantity):
    def read(results):
        return results.sums.game(quantity) / results.sums.games

    return read


def _mean(key, column, noun, more, less, share=False):
    return Measure(key, column, noun, more, less, lambda results: results.of_game(key), _per_game(key), share)


def pace_sums(results: Results) -> np.ndarray:
    """Spaces gained per player's ship and round."""
    sums = results.sums
    return sums.game("progress") / sums.game("rounds") / results.table.rules.players


ROUNDS = _mean("rounds", "rounds", "the length of a game", "longer games", "shorter games")
BATTLES = _mean("battles", "battles", "the number of battles", "more battles", "fewer battles")
SHORTAGES = _mean("shortages", "shortages", "the number of shortages", "more shortages", "fewer shortages")
TREASURES = _mean(
    "treasures_taken", "treasures taken", "the number of treasures taken", "more treasures", "fewer treasures"
)
SCORE = _mean("winner_score", "winner's score", "the winner's score", "higher scores", "lower scores")
LEAD = _mean("margin", "winner's lead", "the winner's lead", "clearer victories", "closer finishes")
LEAD_CHANGES = _mean(
    "lead_changes", "lead changes", "the number of lead changes", "more changes of lead", "fewer changes of lead"
)
SHORT = _mean(
    "short", "games short", "the share of games with a shortage", "more games with a shortage",
    "fewer games with a shortage", share=True,
)  # fmt: skip
PACE = Pace(
    "progress", "spaces per ship and round", "the pace of a ship", "faster ships", "slower ships",
    lambda results: jackknife(pace_sums(results), results.games), pace_sums,
)  # fmt: skip
FIRST_HOME = _mean(
    "finisher_wins", "first home wins", "the share of games that the first ship home wins",
    "the first ship home winning more often", "the first ship home winning less often", share=True,
)  # fmt: skip
COURSE = (BATTLES, SHORTAGES, ROUNDS, TREASURES, SCORE, LEAD, LEAD_CHANGES, PACE, SHORT, FIRST_HOME)
