"""The measures of a game: the one registry of what reports and the laboratory measure, and in which words.

A measure is a function of the sums of a run, over all games and over all games but one part (`results.Sums`). So a
measure has one estimate and one rounding everywhere, and is compared on the same deals.
"""

import math
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.game.codes import GHOST_SHIP, WIN_UNITS
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.tally.layout import GAME_QUANTITIES
from jamaica_sim.results.drama import KINGMAKING, MATTER, Drama
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import NOTICEABLE, Estimate, cohen_h, jackknife, jackknife_error
from jamaica_sim.results.sums import Sums, captain_edge, corrected_gap, first_less_last, last_seat, ratio

A_POINT = 0.01  # of win rate: a difference between seats that people notice
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """One measure: its names, how it is estimated, and how large a change anybody notices."""

    key: str  # in files and options
    column: str  # at the head of a column
    noun: str  # in a sentence
    more: str  # words for more of it, and for less
    less: str
    sums: Callable[[Results], Floats]  # its value in a run, over all games and over all games but one part
    game: str = ""  # the quantity of a game (`GAME_QUANTITIES`) that it is the mean of
    share: bool = False  # shown in percent; a difference of shares is in points
    gap: bool = False  # a difference of shares, which sentences and tables give in points
    applies: Callable[[GameTable], bool] = lambda table: True  # whether it can be measured at a table
    spread_of: Callable[[Results], float] | None = None  # where neither a mean's nor a win's spread is right
    noticeable: float = NOTICEABLE  # the smallest change that anybody notices, in standard deviations from game to game
    smallest: float = 0.0  # the smallest change that people notice, where it is not `noticeable` but a share
    exact: Callable[[Results], Estimate] | None = None  # from all games, where the tally has more than sums by part
    games: Callable[[Results], int] = lambda results: results.games  # behind its value

    def __reduce__(self) -> tuple[Any, ...]:  # its functions cannot be pickled
        return (_of_key, (self.key,)) if self.key in BY_KEY else (own_measure, (self.key, self.share))

    @property
    def scale(self) -> int:
        """The factor for files and differences: 100 for shares, which are given in percent there."""
        return 100 if self.share else 1

    @property
    def unit(self) -> str:
        """The unit of a difference."""
        return "points" if self.share else ""

    @property
    def behind(self) -> str:
        """What stands behind its value: a share is in percent, a difference of shares in points."""
        return " points" if self.gap else "%" if self.share else ""

    @property
    def title(self) -> str:
        """The title above a narrow chart."""
        return {"pace": "Spaces a round"}.get(self.key, f"{self.column[0].upper()}{self.column[1:]}")

    def of(self, results: Results) -> Estimate:
        """Its value; a share from 0 to 1."""
        if self.exact:
            return self.exact(results)
        return results.of_game(self.game) if self.game else jackknife(self.sums(results), self.games(results))

    def shown(self, results: Results) -> Estimate:
        """Its value as targets and charts show it: a share in percent."""
        return self.of(results).scaled(self.scale)

    def difference(self, base: Results, other: Results, confidence: float = 0.95) -> Estimate:
        """Its value in `other` minus that in `base`, on the same deals; shares in points."""
        return jackknife(self.sums(other) - self.sums(base), self.games(other), confidence).scaled(self.scale)

    def relative(self, base: Results, other: Results) -> Estimate:
        """The change from `base` to `other` as a share of its value in `base`."""
        return jackknife(ratio(self.sums(other), self.sums(base)) - 1, self.games(other))

    def spread(self, results: Results) -> float:
        """The standard deviation from game to game, in the unit of `of`; for win rates, that of a win."""
        if self.spread_of:
            return self.spread_of(results)
        if self.game:
            return game_spread(results, self.game)
        even = 1 / results.table.rules.ships
        return math.sqrt(even * (1 - even))

    def effect(self, base: Results, other: Results) -> float:
        """The effect size of the change: Cohen's h of shares, Cohen's d of means."""
        before, after = self.of(base).value, self.of(other).value
        if math.isnan(before) or math.isnan(after):
            return 0.0
        if self.share:
            return cohen_h(after, before)
        spread = self.spread(base)
        return (after - before) / spread if spread else 0.0

    def noticed(self, base: Results, other: Results) -> float:
        """How large a change is at least, in units of the smallest one that people notice; 0 where it may be none."""
        change = self.difference(base, other).scaled(1 / self.scale)
        smallest = self.smallest or self.noticeable * self.spread(base)
        sure = max(change.low, -change.high, 0.0)
        return sure / smallest if smallest and math.isfinite(sure) else 0.0

    def effect_interval(self, base: Results, other: Results) -> Estimate:
        """Cohen's d of a change of means with its interval, which allows for the error of the spread as well."""
        change = jackknife(self.sums(other) - self.sums(base), other.games)
        spread = self.spread(base)
        if not spread:
            return Estimate(math.nan, -math.inf, math.inf, other.games)
        value = change.value / spread
        of_spread = 2 * abs(value) / math.sqrt(2 * base.games)  # two standard errors of a standard deviation
        return Estimate.around(value, math.hypot(change.half_width / spread, of_spread), other.games)


# How measures are estimated


def game_spread(results: Results, quantity: str) -> float:
    """The standard deviation of a quantity from game to game."""
    total, squares = (int(v) for v in results.tally["by_game"][GAME_QUANTITIES.index(quantity)])
    scale = WIN_UNITS if quantity.endswith("_wins") else 1
    games = results.games
    return math.sqrt(max(0, games * squares - total * total)) / games / scale


def drawers(sums: Sums, cards: Iterable[int]) -> tuple[Floats, Floats]:
    """How many players' ships drew these treasure cards, and their wins; a ship that drew two is counted twice."""
    drawn = [sums.drawn(card) for card in cards]
    return np.sum([ships for ships, _, _ in drawn], axis=0), np.sum([wins for _, wins, _ in drawn], axis=0)


def _of_seats(measured: Callable[[Floats], Floats]) -> Callable[[Results], Floats]:
    return lambda results: measured(results.sums.seat_rates())


def _ghost(results: Results) -> Floats:
    sums = results.sums
    return sums.group(GHOST_SHIP, "win") / sums.games


def _comebacks(results: Results) -> Floats:
    sums = results.sums
    return 1 - ratio(sums.game("sole_half_time_leader_wins"), sums.game("sole_half_time_leader"))


def _pace(results: Results) -> Floats:
    """Spaces gained per player's ship and round."""
    sums = results.sums
    return sums.game("progress") / sums.game("rounds") / results.table.rules.players


def _spread_of_pace(results: Results) -> float:
    """The standard deviation of a game's pace, a ratio, to first order (Cochran 1977, chapter 6)."""
    moments = {}
    for name in ("progress", "rounds", "progress_times_rounds"):
        total, squares = results.tally["by_game"][GAME_QUANTITIES.index(name)]
        moments[name] = int(total) / results.games, int(squares) / results.games
    (progress, progress_squares), (rounds, round_squares) = moments["progress"], moments["rounds"]
    together = moments["progress_times_rounds"][0] - progress * rounds
    pace = progress / rounds
    variance = progress_squares - progress**2 + pace**2 * (round_squares - rounds**2) - 2 * pace * together
    return math.sqrt(max(0.0, variance)) / rounds / results.table.rules.players


def _spread_of_share(sums: Callable[[Results], Floats]) -> Callable[[Results], float]:
    """The standard deviation of a share that may be larger than an equal share of the wins."""

    def spread(results: Results) -> float:
        share = max(float(sums(results)[0]), 1 / results.table.rules.ships)
        return math.sqrt(share * (1 - share))

    return spread


def _strategies(table: GameTable) -> list[str]:
    return list(dict.fromkeys(strategy.label for strategy in table.strategies))


def _strategy_gap(results: Results) -> Floats:
    """The best strategy's win rate minus the worst's, both per seat."""
    sums, labels = results.sums, [strategy.label for strategy in results.table.strategies]
    rates = [sums.group(name, "win") / labels.count(name) / sums.games for name in _strategies(results.table)]
    return corrected_gap(np.array(rates))


def _mean(key: str, column: str, noun: str, more: str, less: str, game: str = "", share: bool = False) -> Measure:
    quantity = game or key
    return Measure(
        key, column, noun, more, less, lambda results: results.sums.game(quantity) / results.sums.games, quantity, share
    )


def _of_drama(key: str, column: str, noun: str, more: str, less: str, share: bool = False) -> Measure:
    """A measure of `results.drama`. Its spread is from the parts, which are means of as many games each."""

    def drama(results: Results) -> Drama:
        assert results.drama is not None  # whoever asks has measured it
        return results.drama

    def spread(results: Results) -> float:
        totals, counts = drama(results).totals[key], drama(results).counts[key]
        return float(np.std(totals / counts, ddof=1) * math.sqrt(counts.mean()))

    return Measure(
        key, column, noun, more, less, lambda results: drama(results).sums(key), share=share, spread_of=spread,
        games=lambda results: int(drama(results).counts[key].sum()),
    )  # fmt: skip


# The registry

CAPTAIN = Measure(
    "captain", "first Captain's edge", "the first Captain's edge", "a greater edge for the first Captain",
    "a smaller edge for the first Captain", _of_seats(captain_edge), share=True, gap=True, smallest=A_POINT,
)  # fmt: skip
FIRST_LESS_LAST = Measure(
    "first_less_last", "first less last seat", "the first Captain's lead over the last seat",
    "a greater lead of the first Captain over the last seat", "a smaller lead of the first Captain over the last seat",
    _of_seats(first_less_last), share=True, gap=True, smallest=A_POINT,
)  # fmt: skip
LAST_SEAT = Measure(
    "last_seat", "last seat wins", "the last seat's win rate", "more wins for the last seat",
    "fewer wins for the last seat", _of_seats(last_seat), share=True, smallest=A_POINT,
)  # fmt: skip
SEATS = Measure(
    "seats", "gap between seats", "the gap between the best and the worst seat", "more uneven seats", "fairer seats",
    _of_seats(corrected_gap), share=True, gap=True, smallest=A_POINT,
)  # fmt: skip
ROUNDS = _mean("rounds", "rounds", "the length of a game", "longer games", "shorter games")
SHORTAGES = _mean("shortages", "shortages", "the number of shortages", "more shortages", "fewer shortages")
BATTLES = _mean("battles", "battles", "the number of battles", "more battles", "fewer battles")
TREASURES = _mean(
    "treasures", "treasures taken", "the number of treasures taken", "more treasures", "fewer treasures",
    "treasures_taken",
)  # fmt: skip
GHOST_WINS = Measure(
    "ghost", "ghost wins", "the ghost ship's share of the wins", "more wins for the ghost ship",
    "fewer wins for the ghost ship", _ghost, share=True, applies=lambda table: bool(table.rules.ghost),
    spread_of=_spread_of_share(_ghost), smallest=A_POINT,
    exact=lambda results: results.win_rate(GHOST_SHIP),
)  # fmt: skip
COMEBACKS = Measure(
    "comebacks", "comebacks", "the share of half-time leaders that do not win", "more comebacks", "fewer comebacks",
    _comebacks, share=True, spread_of=_spread_of_share(_comebacks),
)  # fmt: skip
SCORE = _mean("points", "winner's score", "the winner's score", "higher scores", "lower scores", "winner_score")
LEAD = _mean("lead", "winner's lead", "the winner's lead", "clearer victories", "closer finishes", "margin")
STRATEGY_GAP = Measure(
    "spread", "spread of strategies", "the spread between the best and the worst strategy",
    "a wider gap between strategies", "a narrower gap between strategies", _strategy_gap, share=True,
    applies=lambda table: len(_strategies(table)) > 1,
)  # fmt: skip
LEAD_CHANGES = _mean(
    "lead_changes", "lead changes", "the number of lead changes", "more changes of lead", "fewer changes of lead"
)
SHORT = _mean(
    "short", "games short", "the share of games with a shortage", "more games with a shortage",
    "fewer games with a shortage", share=True,
)  # fmt: skip
PACE = Measure(
    "pace", "spaces per ship and round", "the pace of a ship", "faster ships", "slower ships", _pace,
    spread_of=_spread_of_pace,
)  # fmt: skip
FIRST_HOME = _mean(
    "first_home", "first home wins", "the share of games that the first ship home wins",
    "the first ship home winning more often", "the first ship home winning less often", "finisher_wins", share=True,
)  # fmt: skip
SHORTAGES_EACH = Measure(
    "shortages_each", "shortages per player", "the number of shortages per player", "more shortages per player",
    "fewer shortages per player",
    lambda results: results.sums.game("shortages") / results.sums.games / results.table.rules.players,
    spread_of=lambda results: game_spread(results, "shortages") / results.table.rules.players,
)  # fmt: skip
# How fair the seats are.
FAIRNESS = (CAPTAIN, FIRST_LESS_LAST, LAST_SEAT, SEATS)
# Measured under each set of rules in the laboratory.
QUANTITIES = (
    *FAIRNESS, ROUNDS, SHORTAGES, BATTLES, TREASURES, GHOST_WINS, COMEBACKS, SCORE, LEAD, STRATEGY_GAP,
)  # fmt: skip
# The course of a game, compared between the settings of an experiment.
COURSE = (BATTLES, SHORTAGES, ROUNDS, TREASURES, SCORE, LEAD, LEAD_CHANGES, PACE, SHORT, FIRST_HOME)
# How exciting games are; measured only where `results.drama` was.
DRAMA = (
    _of_drama("decided", "decided", "the share of rounds until the winner is decided", "later decisions",
              "earlier decisions", True),
    _of_drama("decided_round", "rounds until decided", "the number of rounds until the winner is decided",
              "later decisions", "earlier decisions"),
    _of_drama("tension", "tension", "the share of the chances to win that changes hands in a round", "more tension",
              "less tension", True),
    _of_drama("favourites", "favourites", "the number of changes of favourite", "more changes of favourite",
              "fewer changes of favourite"),
    _of_drama("hope", "hope of the last", "the share of rounds until the last ship's chance stays below 10%",
              "more hope", "less hope", True),
    _of_drama("waiting", "waiting", "the number of others' choices between two of one's own", "more waiting",
              "less waiting"),
    _of_drama(MATTER, "choices that matter", "the share of the choices that matter", "more choices that matter",
              "fewer choices that matter", True),
    _of_drama(KINGMAKING, "kingmaking", "the share of the choices that make a king", "more kingmaking",
              "less kingmaking", True),
)  # fmt: skip
MEASURES = tuple(dict.fromkeys((*QUANTITIES, *COURSE, SHORTAGES_EACH, *DRAMA)))
BY_KEY = {measure.key: measure for measure in MEASURES}


@cache
def own_measure(name: str, share: bool) -> Measure:
    """A measure of one's own (`play/own_measures.py`): a share of the games, or a mean over those that have a value."""

    def spread(results: Results) -> float:
        values, games = results.sums.own(name)
        if share:
            rate = values[0] / games[0]
            return math.sqrt(rate * (1 - rate))
        return jackknife_error(ratio(values, games)) * math.sqrt(games[0])

    return Measure(
        name, name, f"the measure “{name}”", f"more “{name}”", f"less “{name}”",
        lambda results: ratio(*results.sums.own(name)), share=share, spread_of=spread,
        exact=lambda results: results.of_game(name), games=lambda results: int(results.sums.own(name)[1][0]),
        applies=lambda table: name in table.measures,
    )  # fmt: skip


def own_measures(table: GameTable) -> tuple[Measure, ...]:
    """The measures of one's own that are taken at a table."""
    own = table.own_measures()
    return tuple(own_measure(name, share) for name, share in own.is_share.items()) if own else ()


def _of_key(key: str) -> Measure:
    return BY_KEY[key]


def quantities_of(table: GameTable, keys: Iterable[str] = (), drama: Container[str] = ()) -> tuple[Measure, ...]:
    """What the laboratory measures at a table, with the `drama` that was taken, or only `keys`; refuses others."""
    keys, every = tuple(keys), {measure.key: measure for measure in (*QUANTITIES, *DRAMA, *own_measures(table))}
    for key in keys:
        if key not in every:
            raise UserError(f"there is no quantity {key!r}: {did_you_mean(key, list(every), 'there are')}")
        if not every[key].applies(table):
            why = "the ghost ship does not sail" if key == "ghost" else "all players play the same strategy"
            raise UserError(f"the quantity {key} cannot be measured here: {why}.")
    if keys:
        return tuple(every[key] for key in dict.fromkeys(keys))
    return tuple(q for q in every.values() if q.applies(table) and (q not in DRAMA or q.key in drama))
