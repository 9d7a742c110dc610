"""Decision points: their signature, and compiling a decision function so that the engine can call it by address.

The engine does not depend on what is compiled here. The compiled code of a strategy file is kept on disk under a stamp
of the engine, this package and the file's own text.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

from jamaica_sim.engine.machine.cache import Kept, kept_with_text
from jamaica_sim.engine.machine.jit import Compiled, KeptFunction
from jamaica_sim.engine.machine.late import numba, types
from jamaica_sim.engine.state import RULES_DTYPE
from jamaica_sim.engine.step import SCRIPT_DTYPE, answer_by_script
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.strategy import api
from jamaica_sim.strategy.bans import BANS_DTYPE, decide_restricted
from jamaica_sim.strategy.heuristic.decide import decide
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.net.forward import NET_DTYPE, decide_by_net
from jamaica_sim.strategy.read_only import checked
from jamaica_sim.strategy.search.searcher import search
from jamaica_sim.strategy.search.settings import SEARCH_DTYPE
from jamaica_sim.strategy.slips import compile_slip, return_slip
from jamaica_sim.strategy.strategy import StrategyError

LONGEST_TYPE = 40  # characters: a longer name of a type, such as the view's, is no help in a message


class CompiledDecision(KeptFunction):
    """A decision function of a strategy file as machine code.

    It keeps Python's meaning of negative indexes, of division by zero and of indexes out of bounds, so that a slip is
    an error and not a wild read.
    """

    def __init__(self, function: Callable[..., Any], text: str = "", file: str = "") -> None:
        super().__init__(function, VIEW_DTYPE, RULES_DTYPE, WEIGHTS_DTYPE)
        self._text, self._file = text, file

    @cached_property
    def _kept(self) -> Kept | None:
        return kept_with_text(self.py_func, __file__, self._text)

    def _compile(self) -> Compiled:
        """Compile for the return type that numba finds: it must be integer or boolean, and is widened to 64 bits."""
        arguments = tuple(map(numba.from_dtype, self._dtypes))
        compiled = self._compile_for(arguments)
        returned = compiled.signature.return_type
        if not isinstance(returned, types.Integer | types.Boolean):
            what = str(returned) if len(str(returned)) <= LONGEST_TYPE else type(returned).__name__.lower()
            raise StrategyError(return_slip(what, self._file, self._text, self.py_func.__name__))
        if returned != types.int64:
            compiled = self._compile_for(types.int64(*arguments))
        return compiled

    def _compile_for(self, signature: Any) -> Compiled:
        try:
            dispatcher = checked(self.py_func)
            dispatcher.compile(signature)
            return Compiled(dispatcher)
        except Exception as error:  # numba can raise anything on a user's function
            names = {**self.py_func.__globals__, "__api__": api.__all__}
            raise StrategyError(compile_slip(error, self._file, self._text, self.py_func.__name__, names)) from error


# What all strategies share; each is compiled, or loaded, when its address is first asked for.
HEURISTIC = KeptFunction(decide, VIEW_DTYPE, RULES_DTYPE, WEIGHTS_DTYPE)
RESTRICTED = KeptFunction(decide_restricted, VIEW_DTYPE, RULES_DTYPE, BANS_DTYPE)  # before every strategy with bans
NET_PLAYER = KeptFunction(decide_by_net, VIEW_DTYPE, RULES_DTYPE, NET_DTYPE)
SEARCHER = KeptFunction(search, VIEW_DTYPE, RULES_DTYPE, SEARCH_DTYPE)
OUTSIDE_SEAT = KeptFunction(answer_by_script, VIEW_DTYPE, RULES_DTYPE, SCRIPT_DTYPE)  # by a script
