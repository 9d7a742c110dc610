"""How far the ratings of strategies spread at mixed tables. The more skill a game takes, the wider they spread."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jamaica_sim.causes.seating import MixedTables
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.play.chunks import threads_or_all
from jamaica_sim.play.compile_ahead import RUN, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.stats.elo import best_fit_ratings
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.strategy import Strategy

# Standard deviations of best-fit Elo ratings of people on online platforms, in games of two: Duersch, Lambrecht and
# Oechssler, working paper of 7 March 2018. They were taken from another text that quotes them, and they fit the winning
# probabilities that it gives beside them. The article of 2020 (European Economic Review 127, 103472) was not at hand.
PUBLISHED = {
    "chess": 123.4,
    "tetris": 52.4,
    "half chess, half coin flips": 28.1,
    "jewels": 27.1,
    "rummy": 14.7,
    "backgammon": 12.3,
    "yahtzee": 9.7,
    "crazy eights": 7.5,
    "poker": 6.0,
}
PARTS = 20  # of the games, each left out once for the intervals


@dataclass(frozen=True)
class Ratings:
    """Best-fit Elo ratings of strategies at mixed tables, and their spread."""

    games: int
    by_strategy: dict[str, Estimate]
    spread: Estimate


def rating_spread(table: GameTable, pool: Sequence[Strategy], games: int = 5000, threads: int | None = None) -> Ratings:
    """Seat strategies of a pool at random, and rate them by who has more points than whom."""
    if len(pool) < 2 or games < 2 * PARTS:
        raise UserError(f"ratings need at least 2 strategies and {2 * PARTS} games.")
    compile_missing(pool, RUN)
    size = -(-games // PARTS)
    work = [range(first, min(first + size, games)) for first in range(0, games, size)]
    beaten = np.array([*in_order(lambda: _Rater(table, pool), _Rater.beaten, work, threads_or_all(threads))])
    fits = np.array([best_fit_ratings(beaten.sum(0)), *(best_fit_ratings(beaten.sum(0) - part) for part in beaten)])
    return Ratings(
        games,
        {pool[i].label: jackknife(fits[:, i], games) for i in np.argsort(-fits[0])},
        jackknife(fits.std(axis=1), games),
    )


class _Rater(MixedTables):
    """Counts who is ahead of whom at tables of strategies drawn at random."""

    def beaten(self, games: range) -> np.ndarray:
        """How often each strategy was ahead of every other, a draw counting half."""
        count, players = np.zeros((len(self.pool), len(self.pool))), self.table.rules.players
        row = np.zeros(1, RESULT_DTYPE)
        for game in games:
            seating = self.seat(game, 0)
            self.play(game, row)
            scores = row["score"][0, :players].astype(int)
            ahead = (scores[:, None] > scores[None, :]) + 0.5 * (scores[:, None] == scores[None, :])
            np.add.at(count, (seating[:, None].repeat(players, 1), seating[None, :].repeat(players, 0)), ahead)
        return count
