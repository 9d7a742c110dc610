"""Games that are played from question to question: their rows, the answers, and how far each has come.

A row is the position of a game. Rows hold addresses of this process: to keep a game, keep its answers.
"""

from collections.abc import Sequence

import numpy as np

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.state import POSITION_BYTES, POSITION_DTYPE
from jamaica_sim.engine.step import FAULT, STANDINGS_SHAPE, TALK_DTYPE, step_games
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.game.house_file import HouseRules
from jamaica_sim.play.state_record import StrategyFault, fault_in
from jamaica_sim.strategy.strategy import Strategy


class Rows:
    """Some games, in arrays with an entry for each: their positions, and what is said to them and heard from them."""

    def __init__(self, games: int):
        self._lie_in(
            np.zeros(games * POSITION_BYTES, np.uint8),
            np.zeros(games, TALK_DTYPE),
            np.zeros((games, *STANDINGS_SHAPE), np.uint8),
        )

    def _lie_in(self, rows: np.ndarray, talks: np.ndarray, standings: np.ndarray) -> None:
        self.bytes, self.talks, self.standings = rows, talks, standings
        self.positions = np.ndarray(talks.size, POSITION_DTYPE, rows)
        self.views = np.ndarray(talks.size, VIEW_DTYPE, rows, strides=(POSITION_BYTES,))

    def part(self, first: int, end: int) -> "Rows":
        """Some of the games, in the same memory."""
        part = Rows.__new__(Rows)
        rows = self.bytes[first * POSITION_BYTES : end * POSITION_BYTES]
        part._lie_in(rows, self.talks[first:end], self.standings[first:end])
        return part


class Steps:
    """Plays some games of one table; `state` is a worker's record with all seats taken, games begin seated like it.

    `step` gives each game its answer. It returns how many have ended, or -1 after a fault.
    """

    def __init__(self, state: np.ndarray, rulebook: np.ndarray, seed: int, outside: int, games: Rows):
        self.games, self._state, self._rulebook = games, state, rulebook
        self.step = step_games.bound(state, rulebook, seed, outside, games.bytes, games.talks, games.standings)

    def fault(self, strategies: Sequence[Strategy], house: HouseRules | None) -> StrategyFault:
        """What a strategy that is not outside did wrong, or house rules; the games cannot go on."""
        talks = self.games.talks
        game = int(np.flatnonzero(talks["outcome"] == FAULT)[0])
        row = self.games.positions[game]
        error = None if row["in_moment"] or row["error"] else self._raised(game, row)
        return fault_in(row, strategies, error, int(talks["game"][game]), house)

    def _raised(self, game: int, row: np.void) -> Exception:
        """What a strategy raises; it is asked once more."""
        weights, address = row["weights"][row["me"]], row["strategy"][row["decision"], row["me"]]
        try:
            view, answers = self.games.views[game : game + 1].copy(), np.zeros(1, np.int64)
            answer_again(view, self._state, self._rulebook, weights, address, answers)
        except Exception as error:  # numba passes on whatever a strategy raised
            return error
        return RuntimeError("an exception, but not when it was asked once more")
