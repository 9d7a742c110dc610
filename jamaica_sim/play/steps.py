"""Games that are played from question to question: their rows, the answers, and how far each has come.

A row is the position of a game. Rows hold addresses of this process: to keep a game, keep its answers.
"""

from collections.abc import Sequence

import numpy as np

from jamaica_sim.codes import DECISIONS
from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.state import POSITION_BYTES, POSITION_DTYPE, VIEW_DTYPE
from jamaica_sim.engine.step import BEGIN, FAULT, TALK_DTYPE, step_games
from jamaica_sim.strategy.player import what_went_wrong
from jamaica_sim.strategy.strategy import Strategy

NO_ANSWER = int(BEGIN)
VIEW_BYTES = VIEW_DTYPE.itemsize


class Steps:
    """Some games of one table, in arrays with an entry for each; `state` is a worker's record with all seats taken.

    One game lies in the head of `state` itself. Several have rows of their own, and `state` only their sums.
    """

    def __init__(self, state: np.ndarray, rulebook: np.ndarray, seed: int, outside: int, games: int = 1):
        self.state, self._rulebook = state, rulebook
        self._rows = state.view(np.uint8) if games == 1 else np.zeros(games * POSITION_BYTES, np.uint8)
        self.positions = np.ndarray(games, POSITION_DTYPE, self._rows)
        self.views = np.ndarray(games, VIEW_DTYPE, self._rows, strides=(POSITION_BYTES,))
        self.talks = np.zeros(games, TALK_DTYPE)
        self.talks["answer"] = BEGIN
        self.numbers, self.answers, self.outcomes = (self.talks[name] for name in ("game", "answer", "outcome"))
        self.step = step_games.bound(state, rulebook, seed, outside, self._rows[: games * POSITION_BYTES], self.talks)

    def play(self, answer: int) -> int:
        """Give the only game an answer, or begin it with NO_ANSWER; returns how far it has come."""
        self.answers[0] = answer
        self.step()
        return int(self.outcomes[0])

    def fault(self, game: int, strategies: Sequence[Strategy]) -> tuple[int, str, str]:
        """What a strategy did wrong in a game that has come to a FAULT: its seat, the decision, and what it did."""
        assert self.outcomes[game] == FAULT
        row = self.positions[game]
        if row["error"]:
            what = f"answered {int(row['error_answer'])}, which is not one of the legal options,"
            return int(row["error_player"]), DECISIONS[row["error_decision"]], what
        seat, decision = int(row["me"]), int(row["decision"])
        address, weights = row["strategy"][decision, seat], row["weights"][seat]
        try:
            view, answers = self.views[game : game + 1].copy(), np.zeros(1, np.int64)
            answer_again(view, self.state, self._rulebook, weights, address, answers)
            what = "raised an exception"
        except Exception as error:  # numba passes on whatever a strategy raised
            what = what_went_wrong(strategies[seat], error)
        return seat, DECISIONS[decision], what

    def view(self) -> bytes:
        """The view of the player whom the only game asks."""
        return self._rows[:VIEW_BYTES].tobytes()
