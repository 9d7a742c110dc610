"""A worker that plays deals in its own state record, with seats and sources of luck that change from game to game."""

from collections.abc import Iterable, Mapping

import numpy as np

from jamaica_sim.engine.state import STATE_DTYPE
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import GamePlayer, Seats, set_luck
from jamaica_sim.strategy.strategy import Strategy


class MixedTables(GamePlayer):
    """Plays games of a table. Its seats are drawn at random from a pool; without a pool they stay as they are."""

    def __init__(self, table: GameTable, pool: Iterable[Strategy] = ()) -> None:
        super().__init__(table.rules, table.strategies, table.seed, table.luck)
        self.table, self.pool = table, tuple(pool)
        self._seats = Seats(self.pool, table.rules) if self.pool else None

    def seat(self, deal: int, line_up: int) -> np.ndarray:
        """Seat one of the line-ups that belong to a deal; returns the number of each seat's strategy."""
        assert self._seats is not None, "without a pool nobody can be seated"
        draw = np.random.default_rng([self.table.seed, deal, line_up])
        seating = draw.integers(len(self.pool), size=self.table.rules.players)
        self.seated = [self.pool[number] for number in seating]
        self._seats.take(self.state, seating)
        return seating

    def take_luck(self, luck: Mapping[str, int]) -> None:
        """Draw these sources of luck from seeds of their own, all others from the seed of the table."""
        self.luck = luck
        set_luck(self.state, luck)

    def play(self, game: int, rows: np.ndarray) -> np.ndarray:
        """Play a game for each row; the first has the number `game`."""
        self.play_rows(self.table.rulebook, game, rows)
        return rows


def offset_of(name: str) -> int:
    """Where a field of the state record begins, in bytes."""
    assert STATE_DTYPE.fields is not None  # it is a record
    return STATE_DTYPE.fields[name][1]
