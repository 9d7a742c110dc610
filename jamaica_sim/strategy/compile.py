"""Decision points: their signature, and compiling a decision function so that the engine can call it by address.

The engine does not depend on what is compiled here. The compiled code of a strategy file is kept on disk under a stamp
of the engine, this package and the file's own text.
"""

import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from jamaica_sim.engine.machine.cache import kept, stamp_of
from jamaica_sim.engine.machine.jit import INNER, LOADING, Compiled, compile_engine, load
from jamaica_sim.engine.machine.late import numba, types
from jamaica_sim.engine.state import RULES_DTYPE
from jamaica_sim.engine.step import SCRIPT_DTYPE, answer_by_script
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.strategy import api
from jamaica_sim.strategy.api import CHECKED
from jamaica_sim.strategy.bans import BANS_DTYPE, decide_restricted
from jamaica_sim.strategy.heuristic.decide import decide
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.net.forward import NET_DTYPE, decide_by_net
from jamaica_sim.strategy.search.searcher import search
from jamaica_sim.strategy.search.settings import SEARCH_DTYPE
from jamaica_sim.strategy.slips import compile_slip, return_slip
from jamaica_sim.strategy.strategy import StrategyError

LONGEST_TYPE = 40  # characters: a longer name of a type, such as the view's, is no help in a message


@cache
def _stamp(text: str) -> str:
    """A hash of everything that a decision function's compiled code depends on: what is imported here, its own file."""
    return hashlib.sha256(f"{stamp_of(__file__)}\0{text}".encode()).hexdigest()


class CompiledDecision:
    """A decision function as machine code; keep it alive as long as its address is used.

    The project's own heuristic is compiled like the engine. A strategy file's functions keep Python's meaning of
    negative indexes, of division by zero and of indexes out of bounds, so that a slip is an error and not a wild read.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        text: str = "",
        file: str = "",
        plain: bool = False,
        weights: "np.dtype[np.void]" = WEIGHTS_DTYPE,
    ) -> None:
        self.function = function
        self._text = text
        self._file = file
        self._plain = plain
        self._dtypes = (VIEW_DTYPE, RULES_DTYPE, weights)
        self._kept = kept(function, _stamp(text))
        self._loaded: Any = None

    def is_compiled(self) -> bool:
        """Whether its address is available without compiling."""
        return self._loaded is not None or (self._kept is not None and self._kept.is_there())

    @property
    def address(self) -> int:
        """Where the compiled function starts; compiles it, or loads it from the cache, the first time."""
        with LOADING:
            if self._loaded is None:
                self._loaded = load(self._kept, " ".join(dtype.str for dtype in self._dtypes), self._compile)
            return self._loaded.address

    def _compile(self) -> Compiled:
        """Compile for the return type that numba finds: it must be integer or boolean, and is widened to 64 bits."""
        arguments = tuple(map(numba.from_dtype, self._dtypes))
        compiled = self._compile_for(arguments)
        returned = compiled.signature.return_type
        if not isinstance(returned, types.Integer | types.Boolean):
            what = str(returned) if len(str(returned)) <= LONGEST_TYPE else type(returned).__name__.lower()
            raise StrategyError(return_slip(what, self._file, self._text, self.function.__name__))
        if returned != types.int64:
            compiled = self._compile_for(types.int64(*arguments))
        return compiled

    def _compile_for(self, signature: Any) -> Compiled:
        try:
            if self._plain:
                return compile_engine(self.function, signature)
            dispatcher = numba.njit(**{**INNER, **CHECKED})(self.function)
            dispatcher.compile(signature)
            return Compiled(dispatcher)
        except Exception as error:  # numba can raise anything on a user's function
            names = {**self.function.__globals__, "__api__": api.__all__}
            raise StrategyError(compile_slip(error, self._file, self._text, self.function.__name__, names)) from error


@cache
def heuristic() -> CompiledDecision:
    """The compiled parametric heuristic, which all strategies share."""
    return CompiledDecision(decide, plain=True)


@cache
def restricted() -> CompiledDecision:
    """The compiled filter that runs before every strategy with bans."""
    return CompiledDecision(decide_restricted, plain=True, weights=BANS_DTYPE)


@cache
def net_player() -> CompiledDecision:
    """The compiled net, which all strategies with a net share."""
    return CompiledDecision(decide_by_net, plain=True, weights=NET_DTYPE)


@cache
def searcher() -> CompiledDecision:
    """The compiled search, which all strategies that search share."""
    return CompiledDecision(search, plain=True, weights=SEARCH_DTYPE)


@cache
def outside_seat() -> CompiledDecision:
    """The compiled function of a seat outside: it gives the answers of a script, and raises at its end."""
    return CompiledDecision(answer_by_script, plain=True, weights=SCRIPT_DTYPE)
