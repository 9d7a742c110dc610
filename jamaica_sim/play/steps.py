"""Games that are played from question to question: their rows, the answers, and how far each has come.

A row is the position of a game. Rows hold addresses of this process: to keep a game, keep its answers.
"""

from collections.abc import Sequence

import numpy as np

from jamaica_sim.codes import DECISIONS
from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.state import POSITION_BYTES, POSITION_DTYPE, VIEW_DTYPE
from jamaica_sim.engine.step import BEGIN, FAULT, STANDINGS_SHAPE, TALK_DTYPE, step_games
from jamaica_sim.strategy.player import what_went_wrong
from jamaica_sim.strategy.strategy import Strategy

NO_ANSWER = int(BEGIN)
VIEW_BYTES = VIEW_DTYPE.itemsize


class Rows:
    """Some games, in arrays with an entry for each: their positions, and what is said to them and heard from them."""

    def __init__(self, games: int, rows: np.ndarray | None = None):
        self.bytes = np.zeros(games * POSITION_BYTES, np.uint8) if rows is None else rows
        self.talks = np.zeros(games, TALK_DTYPE)
        self.talks["answer"] = BEGIN
        self.standings = np.zeros((games, *STANDINGS_SHAPE), np.uint8)
        self._show()

    def _show(self) -> None:
        games = self.talks.size
        self.positions = np.ndarray(games, POSITION_DTYPE, self.bytes)
        self.views = np.ndarray(games, VIEW_DTYPE, self.bytes, strides=(POSITION_BYTES,))

    def part(self, first: int, end: int) -> "Rows":
        """Some of the games, in the same memory."""
        part = Rows.__new__(Rows)
        part.bytes = self.bytes[first * POSITION_BYTES : end * POSITION_BYTES]
        part.talks, part.standings = self.talks[first:end], self.standings[first:end]
        part._show()
        return part


class Steps:
    """Plays some games of one table; `state` is a worker's record with all seats taken.

    One game lies in the head of `state` itself. Several have rows of their own, and `state` only their sums.
    """

    def __init__(self, state: np.ndarray, rulebook: np.ndarray, seed: int, outside: int, games: "Rows | None" = None):
        self.state, self._rulebook = state, rulebook
        self.games = games or Rows(1, state.view(np.uint8)[:POSITION_BYTES])
        rows = self.games
        self.step = step_games.bound(state, rulebook, seed, outside, rows.bytes, rows.talks, rows.standings)

    def play(self, answer: int) -> int:
        """Give the only game an answer, or begin it with NO_ANSWER; returns how far it has come."""
        talk = self.games.talks
        talk["answer"] = answer
        self.step()
        return int(talk["outcome"][0])

    def fault(self, game: int, strategies: Sequence[Strategy]) -> tuple[int, str, str]:
        """What a strategy did wrong in a game that has come to a FAULT: its seat, the decision, and what it did."""
        assert self.games.talks["outcome"][game] == FAULT
        row = self.games.positions[game]
        if row["error"]:
            what = f"answered {int(row['error_answer'])}, which is not one of the legal options,"
            return int(row["error_player"]), DECISIONS[row["error_decision"]], what
        seat, decision = int(row["me"]), int(row["decision"])
        address, weights = row["strategy"][decision, seat], row["weights"][seat]
        try:
            view, answers = self.games.views[game : game + 1].copy(), np.zeros(1, np.int64)
            answer_again(view, self.state, self._rulebook, weights, address, answers)
            what = "raised an exception"
        except Exception as error:  # numba passes on whatever a strategy raised
            what = what_went_wrong(strategies[seat], error)
        return seat, DECISIONS[decision], what

    def view(self) -> bytes:
        """The view of the player whom the only game asks."""
        return self.games.bytes[:VIEW_BYTES].tobytes()
