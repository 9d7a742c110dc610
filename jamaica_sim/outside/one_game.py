"""One game with observations, for environments: quicker than `Game`, because it keeps no script.

It is pickled as its table and its answers, and played again from them.
"""

from typing import Any

import numpy as np

from jamaica_sim.codes import DECISIONS
from jamaica_sim.engine.observe import ACTION_OFFSETS, ACTIONS, OBSERVATION_SIZE, observe_games
from jamaica_sim.engine.step import ASKED, FAULT, OVER
from jamaica_sim.errors import UserError
from jamaica_sim.house.compile import in_force
from jamaica_sim.limits import check_game_number, check_seed
from jamaica_sim.outside.games import victory_shares
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.state_record import StrategyFault, new_state
from jamaica_sim.play.steps import NO_ANSWER, Rows, Steps
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.strategy.question import Question


class OneGame:
    """A game of a table, one after the other; the arguments are those of `Game`."""

    def __init__(self, **facts: Any):
        self._facts = facts
        self._number = facts.get("number", 0) - 1
        named = {name: value for name, value in facts.items() if name not in ("number", "strategies")}
        self.table = table = seat_table(strategies=with_outside(facts.get("strategies")), **named)
        compile_ahead.compile_missing(table.strategies, compile_ahead.MANY)
        self._seed = table.seed
        self.outside = [seat for seat, strategy in enumerate(table.strategies) if strategy.is_outside]
        if not self.outside:
            raise UserError("no seat is outside: leave strategies out, or have None where nobody plays.")
        self._state = new_state(table.strategies, table.rules, luck=table.luck)
        self._rulebook = in_force(table.rulebook, table.rules)
        self._observation, self._mask = np.zeros((1, OBSERVATION_SIZE), np.float32), np.zeros((1, ACTIONS), np.int8)
        self._look_again = Rows(1)  # a copy of the game for players who are not asked
        self._given: list[int] = []
        self._outcome = int(ASKED)
        self._sit_down()

    def _sit_down(self) -> None:
        asked = sum(1 << seat for seat in self.outside)
        self._steps = Steps(self._state, self._rulebook, self._seed, asked)
        rows, book = self._steps.games, self.table.rulebook
        self._see = observe_games.bound(book, rows.bytes, rows.talks, 0, self._observation, self._mask)

    def begin(self, seed: int | None = None, number: int | None = None) -> None:
        """Begin a game: of another seed, or the one with this number, or the next."""
        if seed is not None:
            check_seed(seed)
            self._seed, self._number = seed, -1
            self._sit_down()
        self._number = self._number + 1 if number is None else number
        check_game_number(self._number)
        self._steps.games.talks["game"] = self._number
        self._given = []
        self._go_on(NO_ANSWER)

    def _go_on(self, answer: int) -> None:
        self._outcome = self._steps.play(answer)
        if self._outcome == FAULT:
            seat, decision, what = self._steps.fault(0, self.table.strategies)
            raise StrategyFault(self.table.strategies[seat], decision, self._number, what)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._outcome == OVER

    @property
    def player(self) -> int:
        """Who is asked."""
        return int(self._steps.games.talks["player"][0])

    @property
    def decision(self) -> str:
        """What is asked."""
        return DECISIONS[self._steps.games.talks["decision"][0]]

    @property
    def offset(self) -> int:
        """The number of the action that is the answer 0."""
        return int(ACTION_OFFSETS[self._steps.games.talks["decision"][0]])

    def act(self, action: int) -> None:
        """Answer with an action; one that is not legal is refused."""
        self.answer(self.question().checked(action - self.offset))

    def answer(self, answer: int) -> None:
        """Give a legal answer."""
        self._given.append(answer)
        self._go_on(answer)

    def question(self) -> Question:
        """The question in words; at the end, the last one."""
        return Question(self._steps.view(), self.table.rules)

    def observe(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        """A player's observation and mask, as copies; nothing is asked of players whose turn it is not."""
        if self._outcome == ASKED and player == self.player:
            self._see()
        else:
            rows = self._look_again
            rows.bytes[:] = self._steps.games.bytes
            rows.talks["outcome"] = OVER
            book = self.table.rulebook
            observe_games(book, rows.bytes, rows.talks, player, self._observation, self._mask)
        return self._observation[0].copy(), self._mask[0].copy()

    def rewards(self) -> np.ndarray:
        """Each ship's share of the victory, when the game is over."""
        return victory_shares(self._steps.games.positions["winners"])[0]

    def __getstate__(self) -> dict[str, Any]:
        return {"facts": self._facts, "seed": self._seed, "number": self._number, "given": self._given}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept["facts"])  # type: ignore[misc]
        if kept["number"] >= 0:
            self.begin(kept["seed"], kept["number"])
            for answer in kept["given"]:
                self.answer(answer)
