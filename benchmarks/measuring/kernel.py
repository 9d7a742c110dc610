"""The bare kernel: one strategy in all seats, played over and over in one thread, nothing kept."""

import time

import numpy as np

from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import CHUNK, chunks
from jamaica_sim.play.state_record import new_state
from measuring.timing import Spent

SEED = 1
TRIAL = 200  # games played to find out how many fit into a time
FUNCTION = "\n\ndef {decision}(view, rules, weights):\n    return ask_heuristic(view, rules, weights)\n"
# A code strategy that plays as its data file would: the extra time is the price of being code.
CALLS_HEURISTIC = "from jamaica_sim.strategy.api import ask_heuristic\n" + "".join(
    FUNCTION.format(decision=decision) for decision in DECISIONS
)


def name_of(rules: Rules) -> str:
    """A table in words."""
    return f"{rules.players} players{' and the ghost' if rules.ghost else ''}, {rules.edition}"


class Bench:
    """A table with the same strategy in all seats, ready to play."""

    def __init__(self, rules: Rules, strategy, kernel=play_chunk):
        self._strategies = [strategy] * rules.players  # kept alive: the state has their addresses
        self._kernel = kernel
        self._rulebook = rulebook_of(rules)
        self._state = new_state(self._strategies, rules)
        self._rows = np.zeros(CHUNK, RESULT_DTYPE)

    def play(self, games: int) -> Spent:
        """Play games; returns the time that they took in this thread."""
        wall, cpu = time.perf_counter(), time.thread_time()
        for chunk in chunks(0, games, CHUNK):
            self._kernel(self._state, self._rulebook, SEED, chunk.first, self._rows[: chunk.games])
        return Spent(time.thread_time() - cpu, time.perf_counter() - wall)

    def first_rows(self, games: int) -> bytes:
        """The result rows of the first games."""
        self.play(games)
        return self._rows[:games].tobytes()

    def games_in(self, seconds: float) -> int:
        """About how many games fit into a time. Everything is compiled afterwards."""
        self.play(1)
        return max(1, int(TRIAL * seconds / self.play(TRIAL).cpu))
