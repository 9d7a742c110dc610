"""A strategy's decisions in one game, made by its functions as plain Python: with prints, a debugger and tracebacks.

The functions are not compiled, so that they print, stop in a debugger and raise as usual; the helpers of `api` are. The
game is the same that the compiled functions play.
"""

import ctypes
import types as python_types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.machine.bits import members_of
from jamaica_sim.engine.machine.late import numba
from jamaica_sim.engine.state import RESULT_DTYPE, RULES_DTYPE, STATE_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE, View
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules, rules_of
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.state_record import StrategyFault, new_state, play
from jamaica_sim.strategy import api
from jamaica_sim.strategy.compile import CompiledDecision
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.library import AnyStrategy, Strategies, load_strategies, load_strategy
from jamaica_sim.strategy.names import answer_name
from jamaica_sim.strategy.player import Callback
from jamaica_sim.strategy.strategy import Strategy, StrategyError


@dataclass(frozen=True)
class DebuggedDecision:
    """One decision: when, what was legal, what the function answered, and what it saw."""

    round: int
    decision: str
    options: tuple[int, ...]
    answer: int
    heuristic: int  # what the heuristic with the strategy's weights would have answered
    view: View = field(repr=False)

    def __str__(self) -> str:
        """The decision in words, with the names that a strategy would use."""
        options = ", ".join(answer_name(self.decision, option) for option in self.options)
        legal = self.answer in self.options
        answer = answer_name(self.decision, self.answer) if legal else f"{self.answer}, which is not legal"
        would = (
            "" if self.answer == self.heuristic else f"; the heuristic: {answer_name(self.decision, self.heuristic)}"
        )
        return f"round {self.round}, {self.decision}: {answer} of {options}{would}"


def debug_decisions(
    strategy: AnyStrategy,
    game: int = 0,
    *,
    against: Strategies = "balanced",
    seat: int = 0,
    rules: Rules | None = None,
    seed: int = 1,
    decision: str | None = None,
    **rule_changes: Any,
) -> list[DebuggedDecision]:
    """Play one game in which a code strategy's functions run as plain Python, and give its decisions.

    The functions are not compiled: `print` and `breakpoint()` work in them, and a mistake ends in an ordinary
    traceback. It is the game that `replay` shows for the same table.

    Parameters
    ----------
    strategy : file, name or Strategy
        A strategy of code.
    game : int
        Which game of the seed.
    against : strategies
        Who sits in the other seats, in turn; the same file there runs as plain Python too, for its tracebacks.
    seat : int
        Where the strategy sits, from 0.
    rules, **rule_changes
        The table's rules, as in `simulate`.
    decision : str, optional
        Run only this decision point's function in Python; the others are compiled.

    Examples
    --------
    >>> from jamaica_sim import debug_decisions
    >>> first, second, *others = debug_decisions("corsair", game=3)
    >>> second.round, second.decision, second.options
    (2, 'choose_loot', (0, 1, 2, 31, 32))
    >>> print(second)
    round 2, choose_loot: 1 of 0, 1, 2, LOOT_GIVE + CURSED_4, LOOT_NOTHING; the heuristic: LOOT_GIVE + CURSED_4
    """
    found = load_strategy(strategy)
    if found.kind != "code" or not found.functions:
        raise StrategyError(f"{found.name} has no functions to debug: it is a strategy of {found.kind}.")
    functions = plain_functions(found)
    if decision is not None:
        if decision not in functions:
            raise StrategyError(f"{found.name} has no function {decision!r}: it has {', '.join(functions)}.")
        functions = {decision: functions[decision]}
    made: list[DebuggedDecision] = []
    bridge, elsewhere = PlainDecision(_asking(functions, made)), PlainDecision(_asking(functions, []))
    rules_here = rules_of(rule_changes) if rules is None else rules.but(**rule_changes)
    if not 0 <= seat < rules_here.players:
        raise UserError(f"seat must be from 0 to {rules_here.players - 1}, not {seat}.")
    others = [_bridged(s, functions, elsewhere) if s.digest == found.digest else s for s in load_strategies(against)]
    seats = [others[i % len(others)] for i in range(rules_here.players - 1)]
    seats.insert(seat, _bridged(found, functions, bridge))
    table = seat_table(rules_here, seats, seed)
    state = new_state(table.strategies, table.rules)
    rulebook, row = in_force(table.rulebook, table.rules), np.zeros(1, RESULT_DTYPE)
    try:
        play(state, rulebook, table.strategies, table.seed, game, row, table.rules.house_rules)
    except StrategyFault as fault:
        raise bridge.error() or elsewhere.error() or fault from None
    return made


def _bridged(strategy: Strategy, functions: Iterable[str], bridge: "PlainDecision") -> Strategy:
    """The strategy with these functions replaced by a bridge to Python."""
    return replace(strategy, functions={**strategy.functions, **dict.fromkeys(functions, bridge)})


def _asking(functions: dict[str, Callable[..., int]], made: list[DebuggedDecision]) -> Callable[..., int]:
    def answer(decision: str, view: Record, rules: Record, weights: Record) -> int:
        seen, plan = view.copy(), int(view.plan)
        would = ask_heuristic(view, rules, weights)
        view._memory["plan"], view._memory["luck_index"] = plan, 0
        with np.errstate(divide="raise", invalid="raise"):  # like the compiled function
            given = functions[decision](view, rules, weights)
        options = tuple(members_of(view.legal))
        made.append(DebuggedDecision(view.round, decision, options, given, would, seen))  # type: ignore[arg-type]
        return given

    return answer


class Record:
    """A record of the engine, its numbers as Python numbers; a slip in a field's name is an AttributeError."""

    def __init__(self, memory: np.ndarray, what: str) -> None:
        object.__setattr__(self, "_memory", memory)
        object.__setattr__(self, "_what", what)

    def __getattr__(self, name: str) -> Any:
        if name not in (self._memory.dtype.names or ()):
            raise AttributeError(f"{self._what} has no field {name!r}: {did_you_mean(name, self._memory.dtype.names)}")
        value = self._memory[name][0]
        return value if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a strategy may read {self._what}, but not change it.")

    def __dir__(self) -> list[str]:
        return list(self._memory.dtype.names or ())

    def __repr__(self) -> str:
        return f"<{self._what}: {', '.join(self._memory.dtype.names or ())}>"

    def copy(self) -> "Record":
        """The same, with memory of its own."""
        return Record(self._memory.copy(), self._what)


def _at(address: int, dtype: "np.dtype[np.void]", what: str) -> Record:
    memory = (ctypes.c_char * dtype.itemsize).from_address(address)
    return Record(np.frombuffer(memoryview(memory), dtype, 1), what)


def _in_python(name: str) -> Callable[..., Any]:
    """A compiled helper of `api` for Python to call, on the same memory."""
    helper: Any = getattr(api, name)
    compiled = numba.njit(lambda *given: helper(*given))

    def call(*given: Any) -> Any:
        return compiled(*(one._memory[0] if isinstance(one, Record) else int(one) for one in given))

    return call


def ask_heuristic(view: Record, rules: Record, weights: Record) -> int:
    """What the parametric heuristic, with this strategy's weights, would answer."""
    state, answers = np.zeros(1, STATE_DTYPE), np.zeros(1, np.int64)
    memory = view._memory
    answer_again(memory, state, rules._memory, weights._memory.ctypes.data, weights.heuristic, answers)
    memory["plan"], memory["luck_index"] = state["plan"], state["luck_index"]
    return int(answers[0])


COMPILED_ONLY = ("count", "has", "luck", "lowest", "nth", "only", "pick_random", "spaces_left")
TWINS: dict[str, Callable[..., Any]] = {
    "ask_heuristic": ask_heuristic,
    "helper": lambda function: function,
    **{name: _in_python(name) for name in COMPILED_ONLY},
}


def plain_functions(strategy: Strategy) -> dict[str, Callable[..., int]]:
    """The decision functions of a code file, uncompiled; so are the helpers that they call."""
    functions = [cast(CompiledDecision, function).py_func for function in strategy.functions.values()]
    (module,) = {id(function.__globals__): function.__globals__ for function in functions}.values()
    twins = {id(getattr(api, name)): twin for name, twin in TWINS.items()}
    twin_api = python_types.SimpleNamespace(**{**{n: getattr(api, n) for n in api.__all__}, **TWINS})
    plain: dict[str, object] = {}
    for name, value in module.items():
        bare = getattr(value, "py_func", value)
        if id(value) in twins:
            plain[name] = twins[id(value)]
        elif value is api:
            plain[name] = twin_api
        elif isinstance(bare, python_types.FunctionType) and bare.__globals__ is module:
            plain[name] = python_types.FunctionType(bare.__code__, plain, name, bare.__defaults__, bare.__closure__)
        else:
            plain[name] = value
    return {name: plain[name] for name in strategy.functions}  # type: ignore[misc]


def _shown(answer: object) -> object:
    return answer.item() if isinstance(answer, np.generic) else repr(answer)


class PlainDecision(Callback):
    """Calls back into Python for every decision; `answer(decision, view, rules, weights)` gives the answer."""

    def __init__(self, answer: Callable[[str, Record, Record, Record], int]) -> None:
        super().__init__(self._decide)
        self._answer = answer

    def _decide(self, view_at: int, rules_at: int, weights_at: int) -> int:
        view = _at(view_at, VIEW_DTYPE, "the view")
        rules, weights = _at(rules_at, RULES_DTYPE, "rules"), _at(weights_at, WEIGHTS_DTYPE, "weights")
        answer: Any = self._answer(DECISIONS[view.decision], view, rules, weights)
        is_integer, legal = isinstance(answer, bool | np.bool_ | int | np.integer), members_of(view.legal)
        if not is_integer or int(answer) not in legal:
            raise UserError(
                f"{DECISIONS[view.decision]} answered {_shown(answer)}, which is not one of the legal options "
                f"{', '.join(map(str, legal))}."
            )
        return int(answer)
