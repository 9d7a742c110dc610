"""Players outside the engine: a seat that nobody plays yet, and plain Python players that the engine calls back.

A Python player is any callable `player(question) -> answer`, or a file with one function `answer(question)`. It is not
compiled, so it may use whatever Python can: a model of any library, a file, a table. The engine calls it back by an
address, in numba's own calling convention.
"""

import ctypes
import inspect
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.files.escape import raised
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.compile import OUTSIDE_SEAT
from jamaica_sim.strategy.question import IllegalAnswer, Question
from jamaica_sim.strategy.strategy import NAME, Player, Strategy, StrategyError

OUTSIDE = "outside"
LONGEST_NAME = 40


# Where the result and an exception go, then the addresses of the view, the rulebook and the weights.
_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * 5)
_ANSWERED, _RAISED = 0, -1


class Callback:
    """A function of the addresses of view, rulebook and weights, which the engine calls like a compiled strategy.

    An exception cannot pass through the engine. It is kept for the thread, and the engine unwinds as if a strategy had
    raised. Keep the object alive as long as its address is used.
    """

    def __init__(self, function: Callable[[int, int, int], int]) -> None:
        self._function, self._of_thread = function, threading.local()
        self._callback = _CALLBACK(self._called)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def is_compiled(self) -> bool:
        """Nothing of it is ever compiled."""
        return True

    def _called(self, result: int, raised: int, view: int, rulebook: int, weights: int) -> int:
        try:
            ctypes.c_int64.from_address(result).value = self._function(view, rulebook, weights)
        except BaseException as error:  # also Ctrl-C
            self._of_thread.error = error
            return _RAISED
        return _ANSWERED

    def error(self) -> BaseException | None:
        """What the function raised last in this thread; asked once."""
        return vars(self._of_thread).pop("error", None)


class Bridge(Callback):
    """Where the engine finds a Python player. In place of weights it hands over a number that says by which rules."""

    def __init__(self, player: Player):
        super().__init__(self._ask)
        self.player = player
        self._rules: list[Rules] = []
        self._records: dict[Rules, np.ndarray] = {}
        self._making = threading.Lock()

    def record_for(self, rules: Rules) -> np.ndarray:
        """The record for games by these rules; it lives as long as the player."""
        with self._making:
            if rules not in self._records:
                self._records[rules] = np.array([len(self._rules)], np.int64)
                self._rules.append(rules)
            return self._records[rules]

    def _ask(self, view: int, rulebook: int, record: int) -> int:
        rules = self._rules[ctypes.c_int64.from_address(record).value]
        question = Question(ctypes.string_at(view, VIEW_DTYPE.itemsize), rules)
        return question.checked(self.player(question))


def what_went_wrong(strategy: Strategy, error: BaseException) -> str:
    """What a strategy did, from the exception that the engine ended with; Ctrl-C goes on as it is."""
    own = strategy.heuristic.error() if isinstance(strategy.heuristic, Bridge) else None
    if isinstance(own, KeyboardInterrupt):
        raise own
    if isinstance(own, IllegalAnswer):
        return f"answered {own.answer!r}, which is not one of the legal options,"
    error = own or error
    lines = [step.lineno for step in traceback.extract_tb(error.__traceback__) if step.filename == str(strategy.path)]
    where = f" (line {lines[-1]})" if lines and lines[-1] else ""
    return raised(error) + where


def outside_strategy(name: str = OUTSIDE) -> Strategy:
    """A seat that is asked from outside, under a name for stories and tables."""
    return Strategy(name, "outside", "Its answers come from outside.", heuristic=OUTSIDE_SEAT)


Seats: TypeAlias = Any  # strategies by seat, None where a seat is outside; None alone: all are


def with_outside(strategies: Seats) -> Any:
    """Strategies by seat with a seat outside in place of each None; all seats are outside if nobody is named."""
    if strategies is None:
        return [outside_strategy()]
    if isinstance(strategies, list | tuple):
        return [outside_strategy() if strategy is None else strategy for strategy in strategies]
    return strategies


def strategy_of_player(player: Player) -> Strategy:
    """A Python callable as a strategy, named after itself."""
    named = player if hasattr(player, "__name__") else type(player)
    name = str(getattr(named, "__name__", "")).strip("<>_")[:LONGEST_NAME]
    description = " ".join((inspect.getdoc(named) or "A Python player.").split())
    text = f"{getattr(named, '__module__', '')}.{getattr(named, '__qualname__', name)}\n{_source(named)}"
    return Strategy(
        name if NAME.fullmatch(name) else "player", "plain", description, text=text, heuristic=Bridge(player)
    )


def _source(named: Any) -> str:
    try:
        return inspect.getsource(named)
    except (OSError, TypeError):
        return ""


def player_of_file(answer: Any, name: str, description: str, intent: str, text: str, path: Path) -> Strategy:
    """The strategy of a file whose function `answer` is the player."""
    try:
        inspect.signature(answer).bind("a question")
    except TypeError:
        raise StrategyError(f"{path}: answer must be a function of one argument, the question.") from None
    except ValueError:
        pass  # a function that does not tell
    return Strategy(name, "plain", description, intent, path, text, heuristic=Bridge(answer))
