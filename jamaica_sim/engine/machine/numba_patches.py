"""Every change that we make to numba. The changes are in force only while our own code is compiled.

numba's compiler lock is held meanwhile, so that no other thread compiles somebody else's function this way. What each
patch gains is in `docs/performance.md`. They are for the versions in `late.py` only; if numba's internals have moved,
a patch is a no-op, and `tests/test_numba_patches.py` fails.
"""

import gc
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import cache
from typing import Any

from numba import types
from numba.core import codegen, event
from numba.core.compiler_lock import global_compiler_lock

Changes = dict[tuple[Any, str], Any]  # what replaces an attribute of a module or a class


@contextmanager
def engine_compiler(name: str) -> Iterator[None]:
    """Have numba compile the entry called `name`, and everything that it calls, in the engine's way."""
    with global_compiler_lock, _no_garbage_collector(), ExitStack() as patches:
        for make in PATCHES:
            changes = make(name)
            if all(hasattr(owner, attribute) for owner, attribute in changes):
                for (owner, attribute), new in changes.items():
                    patches.enter_context(_changed(owner, attribute, new))
        yield


@contextmanager
def _no_garbage_collector() -> Iterator[None]:
    """No garbage collection: it would search all of numba's objects again and again, and find next to nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _changed(owner: Any, attribute: str, new: Any) -> Iterator[None]:
    """Change an attribute of a module or a class for a while."""
    is_own, old = attribute in vars(owner), vars(owner).get(attribute)
    setattr(owner, attribute, new)
    try:
        yield
    finally:
        if is_own:
            setattr(owner, attribute, old)
        else:  # it was inherited
            delattr(owner, attribute)


def plain_indexes(name: str) -> Changes:
    """No wrap-around of negative indexes, which the engine never uses."""
    from numba.np import arrayobj  # only compiling needs it, and a warm start is shorter without

    def as_it_is(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
        return context.cast(builder, index, kind, types.intp)

    return {(arrayobj, "fix_integer_index"): as_it_is}


def optimised_once(name: str) -> Changes:
    """Link, optimise and emit code for one entry only, with all that it calls.

    By itself numba does all this for every function, together with everything that it calls. So it repeats the work at
    each level of calls, which takes most of the time of a cold start.
    """
    library, generator = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    wanted = ("finalize", "_get_module_for_linking", "_optimize_final_module", "_finalize_final_module")
    old: list[Any] = [getattr(library, attribute, None) for attribute in wanted]
    finalize, alone, optimise, finish = old
    set_environment: Any = getattr(generator, "set_env", None)

    def link_entry(self: Any) -> None:
        self._called, self._linking_libraries = list(self._linking_libraries), []
        if self.name == name:
            link_called(self)
        finalize(self)
        if self.name != name:
            self._get_module_for_linking = lambda: whole(self)  # for functions that are not compiled our way

    def link_called(self: Any) -> None:
        modules = [alone(called) for called in _all_called_by(self)]
        for module in modules:
            self._final_module.link_in(module, preserve=True)
        # LLVM drops a function that no one had named when it was linked. Those that were named later are linked again.
        while missing := _declared(self._final_module) & set().union(*map(_defined, modules)):
            for module in modules:
                if missing & _defined(module):
                    self._final_module.link_in(module, preserve=True)

    def whole(self: Any) -> Any:
        """The module of a function with all that it calls."""
        del self._get_module_for_linking
        self._shared_module = None
        link_called(self)
        return alone(self)

    def optimise_entry(self: Any) -> None:
        if self.name == name:
            optimise(self)

    def finish_entry(self: Any) -> None:
        if self.name == name:
            finish(self)
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def set_entry_environment(self: Any, symbol: str, environment: Any) -> None:
        if self._engine.is_symbol_defined(symbol):
            set_environment(self, symbol, environment)

    return {
        (library, "finalize"): link_entry,
        (library, "_get_module_for_linking"): alone,
        (library, "_optimize_final_module"): optimise_entry,
        (library, "_finalize_final_module"): finish_entry,
        (generator, "set_env"): set_entry_environment,
    }


def _declared(module: Any) -> set[str]:
    """The names of functions that a module calls and does not have."""
    return {function.name for function in module.functions if function.is_declaration}


def _defined(module: Any) -> set[str]:
    return {function.name for function in module.functions if not function.is_declaration}


def _all_called_by(library: Any) -> list[Any]:
    """The libraries of all functions that one calls, directly or indirectly, in the order in which numba links them."""
    found: dict[Any, None] = {}

    def find(one: Any) -> None:
        for called in (*one._linking_libraries, *getattr(one, "_called", ())):
            if called not in found:
                found[called] = None
                find(called)

    find(library)
    return list(found)


def short_names(name: str) -> Changes:
    """Make the name of a record's type once. It lists all fields, and numba asks for it all the time."""
    record = types.Record
    return {(record, "__repr__"): cache(record.__repr__)}


def no_timers(name: str) -> Changes:
    """No timers for locks, which nobody reads: numba would note each call of LLVM for every function being compiled."""
    return {(event, "install_timer"): lambda kind, callback: nullcontext()}


PATCHES = plain_indexes, optimised_once, short_names, no_timers
