"""Decision points: their signature, and compiling a decision function so that the engine can call it by address.

The engine does not depend on what is compiled here; the compiled code of a strategy file is kept on disk under a
stamp of the engine and of the file's own text.
"""

import hashlib
from functools import cache

import numba
from numba import njit, types
from numba.core.compiler_lock import global_compiler_lock

from jamaica_sim import sources
from jamaica_sim.engine.decide import RULES_TYPE, VIEW_TYPE
from jamaica_sim.engine.machine.cache import cache_folder, engine_stamp, is_cached, stamped_cache
from jamaica_sim.engine.machine.jit import OPTIONS, compile_entry
from jamaica_sim.strategy import api
from jamaica_sim.strategy.api import CHECKED
from jamaica_sim.strategy.bans import RESTRICTED_TYPE, decide_restricted
from jamaica_sim.strategy.heuristic.decide import decide
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.search.searcher import search
from jamaica_sim.strategy.search.settings import SEARCH_DTYPE
from jamaica_sim.strategy.slips import compile_slip, return_slip
from jamaica_sim.strategy.strategy import StrategyError

WEIGHTS_TYPE = numba.from_dtype(WEIGHTS_DTYPE)
LONGEST_TYPE = 40  # a longer name of a type, such as the view's, tells nobody anything


@cache
def _stamp(text: str) -> str:
    """A hash of all that a decision function's compiled code depends on: the engine, this package, its own file."""
    return hashlib.sha256(f"{engine_stamp()}\0{text}\0{sources.digest_of(*sources.STRATEGIES)}".encode()).hexdigest()


class CompiledDecision:
    """A decision function as machine code; keep it alive as long as its address is used.

    The project's own heuristic is compiled like the engine. A strategy file's functions keep Python's meaning of
    negative indexes, of division by zero and of indexes out of bounds, so that a slip is an error and no wild read.
    """

    def __init__(self, function, text: str = "", file: str = "", plain: bool = False, weights=WEIGHTS_TYPE):
        self.function = function
        self._text = text
        self._file = file
        self._plain = plain
        self._arguments = (VIEW_TYPE, RULES_TYPE, weights)
        self._address = None
        self._dispatcher = self._new_dispatcher()

    def _new_dispatcher(self):
        options = OPTIONS if self._plain else {**OPTIONS, **CHECKED}
        dispatcher = njit(**options, no_cpython_wrapper=True, no_cfunc_wrapper=True)(self.function)
        if cache_folder() is not None:
            dispatcher._cache = stamped_cache(self.function, _stamp(self._text))
        return dispatcher

    def is_compiled(self) -> bool:
        """Whether its address can be had without compiling."""
        return self._address is not None or is_cached(self._dispatcher)

    @property
    def address(self) -> int:
        """Where the compiled function starts; compiles it, or loads it from the cache, the first time."""
        with global_compiler_lock:
            if self._address is None:
                compiled = self._compile()
                self._address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
            return self._address

    def _compile(self):
        """Compile for the return type that numba finds, which must be whole; a narrower one is widened."""
        compiled = self._compile_for(self._arguments)
        returned = compiled.signature.return_type
        if not isinstance(returned, types.Integer | types.Boolean):
            what = str(returned) if len(str(returned)) <= LONGEST_TYPE else type(returned).__name__.lower()
            raise StrategyError(return_slip(what, self._file, self._text, self.function.__name__))
        if returned != types.int64:
            self._dispatcher = self._new_dispatcher()
            compiled = self._compile_for(types.int64(*self._arguments))
        return compiled

    def _compile_for(self, signature):
        try:
            if self._plain:
                compile_entry(self._dispatcher, signature)
            else:
                self._dispatcher.compile(signature)
        except Exception as error:  # whatever numba trips over in a user's function
            names = {**self.function.__globals__, "__api__": api.__all__}
            raise StrategyError(compile_slip(error, self._file, self._text, self.function.__name__, names)) from error
        return next(iter(self._dispatcher.overloads.values()))


@cache
def heuristic() -> CompiledDecision:
    """The compiled parametric heuristic, which all strategies share."""
    return CompiledDecision(decide, plain=True)


@cache
def restricted() -> CompiledDecision:
    """The compiled filter before all strategies that have bans."""
    return CompiledDecision(decide_restricted, plain=True, weights=RESTRICTED_TYPE)


@cache
def searcher() -> CompiledDecision:
    """The compiled search, which all strategies that search share."""
    return CompiledDecision(search, plain=True, weights=numba.from_dtype(SEARCH_DTYPE))
