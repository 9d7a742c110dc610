"""A worker that plays deals in its own state record, with seats and sources of luck that change from game to game."""

from collections.abc import Mapping

import numpy as np

from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import Seats, StrategyFault, fault_of_asked, new_state, play, point_in_game, set_luck


class MixedTables:
    """Plays games of a table. Its seats are drawn at random from a pool; without a pool they stay as they are."""

    def __init__(self, table: GameTable, pool=()):
        self.table, self.pool = table, tuple(pool)
        self.state = new_state(table.strategies, table.rules)
        self.take_luck(table.luck)
        self._seats = Seats(self.pool, table.rules) if self.pool else None
        self._seated = table.strategies

    def seat(self, deal: int, line_up: int) -> np.ndarray:
        """Seat one of the line-ups that belong to a deal; returns the number of each seat's strategy."""
        draw = np.random.default_rng([self.table.seed, deal, line_up])
        seating = draw.integers(len(self.pool), size=self.table.rules.players)
        self._seated = [self.pool[number] for number in seating]
        self._seats.take(self.state, seating)
        return seating

    def take_luck(self, luck: Mapping[str, int]) -> None:
        """Draw these sources of luck from seeds of their own, all others from the seed of the table."""
        self._luck = luck  # a fault is told with it
        set_luck(self.state, luck)

    def play(self, game: int, rows: np.ndarray) -> np.ndarray:
        """Play a game for each row; the first has the number `game`."""
        table = self.table
        try:
            play(self.state, table.rulebook, self._seated, table.seed, game, rows)
        except StrategyFault as fault:
            fault.show_with(table.rules, self._seated, table.seed, self._luck)
            raise
        return rows

    def asked(self):
        """See `point_in_game`."""
        return point_in_game(self.state[0])

    def fault(self, what: str) -> StrategyFault:
        """See `fault_of_asked`."""
        return fault_of_asked(self.state[0], self.table.rules, self._seated, self.table.seed, what, self._luck)


def win_shares(rows: np.ndarray, ships: int) -> np.ndarray:
    """Each ship's share of the win in each game."""
    won = (rows["winners"][:, None].astype(np.int64) >> np.arange(ships) & 1).astype(float)
    return won / won.sum(axis=1, keepdims=True)
