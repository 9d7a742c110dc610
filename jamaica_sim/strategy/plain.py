"""A strategy file's functions as plain Python: uncompiled, so that they print, stop in a debugger and raise as usual.

The helpers of `api` exist only compiled; here they are in Python, working on the same memory. A game played with these
functions is the same game that the compiled ones play.
"""

import ctypes
import types as python_types
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.machine.callback import Callback
from jamaica_sim.engine.state import RULES_DTYPE, STATE_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.suggest import did_you_mean
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.strategy import api
from jamaica_sim.strategy.compile import CompiledDecision
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.strategy import Strategy

MASK = (1 << 64) - 1
STEP, TWIST = 0x2D358DCCAA6C78A5, 0x8BB84B93962EACC9  # of `machine.random`


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


# The helpers


def lowest(members: int) -> int:
    """The smallest member of a set that is not empty."""
    return (int(members) & -int(members)).bit_length() - 1


def count(members: int) -> int:
    """How many members a set has."""
    return (int(members) & MASK).bit_count()


def has(members: int, one: int) -> bool:
    """Whether `one` is a member."""
    return int(members) >> int(one) & 1 != 0


def nth(members: int, k: int) -> int:
    """The k-th smallest member, counting from 0."""
    for _ in range(int(k)):
        members &= members - 1
    return lowest(members)


def only(one: int) -> int:
    """The set with this one member."""
    return 1 << int(one)


def _scramble(place: int) -> int:
    product = place * (place ^ TWIST)
    return product >> 64 & MASK ^ product & MASK


def _next_bits(view: Record) -> int:
    index = view.luck_index
    view._memory["luck_index"] += 1
    return _scramble((view.luck_key + (index + 1) * STEP) & MASK)


def _below(bits: int, size: int) -> int:
    product = bits * size
    if product & MASK < size:
        threshold = -size % (1 << 64) % size
        while product & MASK < threshold:
            bits = _scramble(bits + STEP & MASK)
            product = bits * size
    return product >> 64


def luck(view: Record) -> float:
    """A random number from 0 to 1 out of the ship's own stream of luck; each call gives the next."""
    return (_next_bits(view) >> 11) / api.TWO_TO_53


def pick_random(view: Record, members: int) -> int:
    """A random member of a set."""
    return nth(members, _below(_next_bits(view), count(members)))


def spaces_left(view: Record, rules: Record, ship: int) -> int:
    """How many spaces a ship still has to go (E3)."""
    return int(rules.to_finish[view.space[ship]] - rules.circuit * view.lap[ship])


def ask_heuristic(view: Record, rules: Record, weights: Record) -> int:
    """What the parametric heuristic, with this strategy's weights, would answer."""
    state, answers = np.zeros(1, STATE_DTYPE), np.zeros(1, np.int64)
    memory = view._memory
    answer_again(memory, state, rules._memory, weights._memory.ctypes.data, weights.heuristic, answers)
    memory["plan"], memory["luck_index"] = state["plan"], state["luck_index"]
    return int(answers[0])


def helper(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that decision functions call; here it stays as it is."""
    return function


TWINS = {f.__name__: f for f in (ask_heuristic, count, has, helper, luck, lowest, nth, only, pick_random, spaces_left)}


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
        is_integer = isinstance(answer, bool | np.bool_ | int | np.integer)
        if not is_integer or not 0 <= answer <= 62 or not has(view.legal, int(answer)):
            raise UserError(
                f"{DECISIONS[view.decision]} answered {_shown(answer)}, which is not one of the legal options "
                f"{', '.join(str(option) for option in range(63) if has(view.legal, option))}."
            )
        return int(answer)
