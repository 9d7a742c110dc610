"""What the laboratory measures under a set of rules. Each quantity is defined once, and compared on the same deals.

A quantity is a function of the sums of a run, over all games and over all games but one part (`results.Sums`). So every
figure and every difference between two sets of rules gets its interval from the same jackknife.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.suggest import did_you_mean
from jamaica_sim.tally.layout import GAME_QUANTITIES

GHOST_SHIP = "ghost ship"


@dataclass(frozen=True)
class Quantity:
    """One quantity: its name in a file, in a table and in a sentence, and how it is made from the sums of a run.

    Attributes
    ----------
    key, column, noun : str
        Its name in files, at the head of a column, and in a sentence.
    sums : callable
        The quantity of a run, over all games and over all games but one part.
    of_game : str
        The quantity of a game that it is the mean of; empty for a share.
    share : bool
        Whether it is a share, shown in percent; a difference of shares is in points.
    applies : callable
        Whether it can be measured at a table.
    """

    key: str
    column: str
    noun: str
    sums: Callable[[Results], np.ndarray]
    of_game: str = ""
    share: bool = False
    applies: Callable[[GameTable], bool] = lambda table: True

    @property
    def scale(self) -> int:
        """The factor for files and differences: 100 for shares, which are given in percent there."""
        return 100 if self.share else 1

    @property
    def more(self) -> str:
        """Words for more of it."""
        return MORE_AND_LESS[self.key][0]

    @property
    def less(self) -> str:
        """Words for less of it."""
        return MORE_AND_LESS[self.key][1]

    def of(self, results: Results) -> Estimate:
        """Its value; a share from 0 to 1."""
        return jackknife(self.sums(results), results.games)

    def told(self, results: Results) -> Estimate:
        """Its value for targets and charts; a share in percent."""
        return jackknife(self.scale * self.sums(results), results.games)

    def deviation(self, results: Results) -> float:
        """The standard deviation from game to game, in the unit of `told`; for win rates, that of a win."""
        if self.of_game:
            total, squares = (int(v) for v in results.tally["by_game"][GAME_QUANTITIES.index(self.of_game)])
            games = results.games
            return math.sqrt(max(0, games * squares - total * total)) / games
        share = self.of(results).value if self.key in ("ghost", "comebacks") else 0.0
        even = max(share, 1 / results.table.rules.ships)
        return self.scale * math.sqrt(even * (1 - even))

    def difference(self, base: Results, other: Results, confidence: float = 0.95) -> Estimate:
        """Its value in `other` minus that in `base`, on the same deals; shares in points."""
        return jackknife(self.scale * (self.sums(other) - self.sums(base)), other.games, confidence)


def _mean(key, column, noun, of_game):
    return Quantity(key, column, noun, lambda results: results.sums.game(of_game) / results.sums.games, of_game)


def _ratio(above, below):
    with np.errstate(invalid="ignore", divide="ignore"):
        return above / below


def _seat_rates(results):
    sums = results.sums
    return np.array([sums.seat_wins(seat) / sums.games for seat in range(results.table.rules.players)])


def _captain(results):
    """The first Captain's win rate minus the mean of all players."""
    rates = _seat_rates(results)
    return rates[0] - rates.mean(axis=0)


def _seats(results):
    rates = _seat_rates(results)
    return rates.max(axis=0) - rates.min(axis=0)


def _ghost(results):
    sums = results.sums
    return sums.group(GHOST_SHIP, "win") / sums.games


def _has_ghost(table):
    return bool(table.rules.ghost)


def _comebacks(results):
    sums = results.sums
    return 1 - _ratio(sums.game("sole_half_time_leader_wins"), sums.game("sole_half_time_leader"))


def _strategies(table):
    return list(dict.fromkeys(strategy.label for strategy in table.strategies))


def _spread(results):
    """The best strategy's win rate minus the worst's, both per seat."""
    sums, labels = results.sums, [strategy.label for strategy in results.table.strategies]
    rates = [sums.group(name, "win") / labels.count(name) / sums.games for name in _strategies(results.table)]
    return np.max(rates, axis=0) - np.min(rates, axis=0)


QUANTITIES = (
    Quantity("captain", "first Captain's edge", "the first Captain's edge", _captain, share=True),
    Quantity("seats", "gap between seats", "the gap between the best and the worst seat", _seats, share=True),
    _mean("rounds", "rounds", "the length of a game", "rounds"),
    _mean("shortages", "shortages", "the number of shortages", "shortages"),
    _mean("battles", "battles", "the number of battles", "battles"),
    _mean("treasures", "treasures taken", "the number of treasures taken", "treasures_taken"),
    Quantity("ghost", "ghost wins", "the ghost ship's share of the wins", _ghost, "", True, _has_ghost),
    Quantity("comebacks", "comebacks", "the share of leaders at half-time that do not win", _comebacks, share=True),
    _mean("points", "winner's score", "the winner's score", "winner_score"),
    _mean("lead", "winner's lead", "the winner's lead", "margin"),
    Quantity(
        "spread", "spread of strategies", "the spread between the best and the worst strategy", _spread, "", True,
        lambda table: len(_strategies(table)) > 1,
    ),
)  # fmt: skip
# Words for more and for less of each quantity, in a headline.
MORE_AND_LESS = {
    "captain": ("a greater edge for the first Captain", "a smaller edge for the first Captain"),
    "seats": ("more uneven seats", "fairer seats"),
    "rounds": ("longer games", "shorter games"),
    "shortages": ("more shortages", "fewer shortages"),
    "battles": ("more battles", "fewer battles"),
    "treasures": ("more treasures", "fewer treasures"),
    "ghost": ("more wins for the ghost ship", "fewer wins for the ghost ship"),
    "comebacks": ("more comebacks", "fewer comebacks"),
    "points": ("higher scores", "lower scores"),
    "lead": ("clearer victories", "closer finishes"),
    "spread": ("a wider gap between strategies", "a narrower gap between strategies"),
}
BY_KEY = {quantity.key: quantity for quantity in QUANTITIES}


def quantities_of(table: GameTable, keys=()) -> tuple[Quantity, ...]:
    """The quantities that can be measured at a table, or only those named. Refuses one that cannot be measured."""
    for key in keys:
        if key not in BY_KEY:
            raise UserError(f"there is no quantity {key!r}: {did_you_mean(key, BY_KEY, 'there are')}")
        if not BY_KEY[key].applies(table):
            why = "the ghost ship does not sail" if key == "ghost" else "all players play the same strategy"
            raise UserError(f"the quantity {key} cannot be measured here: {why}.")
    return tuple(q for q in QUANTITIES if (q.key in keys if keys else q.applies(table)))
