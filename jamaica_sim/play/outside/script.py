"""The answers of all seats of a game, seat by seat, and the same game again from its answers alone.

A script sits between the engine and a strategy (`engine/step.py`): it writes the answers down, and gives them again
when the game is played once more. Random play needs no script: its answers come from the seed.
"""

from typing import Any

import numpy as np

from jamaica_sim.engine.step import SCRIPT_DTYPE
from jamaica_sim.play.chunks import Tracer
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.positions import Capturer
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.strategy.compile import OUTSIDE_SEAT


class Scripts:
    """The scripts of a table's seats."""

    def __init__(self, table: GameTable):
        self._table = table
        seats = [seat for seat, strategy in enumerate(table.strategies) if strategy.kind != "built in"]
        self.records = {seat: np.zeros(1, SCRIPT_DTYPE) for seat in seats}

    def seat(self, state: np.ndarray, alone: bool = False) -> None:
        """Put the scripts in front of the strategies of a state record; `alone`, no strategy is behind them."""
        for seat, record in self.records.items():
            is_silent = alone or self._table.strategies[seat].is_outside
            record["functions"] = 0 if is_silent else state["strategy"][0, :, seat]
            record["weights"] = state["weights"][0, seat]
            state["strategy"][0, :, seat] = OUTSIDE_SEAT.address
            state["weights"][0, seat] = record.ctypes.data

    def add(self, seat: int, answer: int) -> None:
        """Write down an answer from outside, which is given to the game at the same time."""
        record = self.records[seat][0]
        length = int(record["length"])
        record["answers"][length] = answer
        record["length"] = record["given"] = length + 1

    def rewind(self, player: int) -> None:
        """Give all answers again, from the first, but the last one of a player."""
        self.records[player]["length"] -= 1
        for record in self.records.values():
            record["given"] = 0

    def cut(self) -> None:
        """Forget the answers that the game has not come to."""
        for record in self.records.values():
            record["length"] = record["given"]

    def all_given(self) -> bool:
        """Whether the game has come to the end of all scripts."""
        return all(record["given"] == record["length"] for record in self.records.values())

    def copy(self) -> "Scripts":
        """A copy that begins again with the first answer; it is not seated anywhere."""
        other = Scripts(self._table)
        for seat, answers in self.answers().items():
            other.fill(seat, answers)
        return other

    def fill(self, seat: int, answers: list[int]) -> None:
        """Set the answers of a seat."""
        record = self.records[seat][0]
        record["answers"][: len(answers)] = answers
        record["length"] = len(answers)

    def answers(self) -> dict[int, list[int]]:
        """The answers of each seat that has a script."""
        return {
            seat: record["answers"][0, : int(record["length"][0])].tolist() for seat, record in self.records.items()
        }


class ScriptTracer(Tracer):
    """Plays a game again from its answers alone, as far as they go."""

    def __init__(self, table: GameTable, scripts: Scripts):
        self._scripts = scripts.copy()
        super().__init__(table)
        self._scripts.seat(self.state, alone=True)

    def trace(self, game: int) -> Any:
        """Play the game up to the end of its script."""
        try:
            super().trace(game)
        except StrategyFault:
            if not self._scripts.all_given():
                raise


class ScriptCapturer(ScriptTracer, Capturer):
    """Keeps the positions of a game that is played again from its answers."""
