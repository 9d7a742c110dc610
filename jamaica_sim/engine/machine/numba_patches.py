"""Every change that is made to numba from outside, and only while our own code is compiled.

numba's compiler lock is held meanwhile, so that no other thread compiles somebody else's function this way. What each
patch gains is in `docs/performance.md`. If numba's internals have moved, a patch is a no-op, and
`tests/test_numba_patches.py` fails.
"""

from contextlib import ExitStack, contextmanager

from numba import types
from numba.core import callconv, cgutils, codegen
from numba.core.compiler_lock import global_compiler_lock


@contextmanager
def engine_compiler(name: str):
    """Compile the entry called `name`, and all that it calls, as the engine is compiled."""
    with global_compiler_lock, ExitStack() as patches:
        for make in PATCHES:
            changes = make(name)
            if all(hasattr(owner, attribute) for owner, attribute in changes):
                for (owner, attribute), new in changes.items():
                    patches.enter_context(_changed(owner, attribute, new))
        yield


@contextmanager
def _changed(owner, attribute, new):
    """An attribute of a module or a class changed for a while."""
    is_own, old = attribute in vars(owner), vars(owner).get(attribute)
    setattr(owner, attribute, new)
    try:
        yield
    finally:
        if is_own:
            setattr(owner, attribute, old)
        else:  # it was inherited
            delattr(owner, attribute)


def plain_indexes(name: str) -> dict:
    """No wrap-around of negative indexes, which the engine never uses."""
    from numba.np import arrayobj  # only compiling needs it, and a warm start is shorter without

    def as_it_is(context, builder, kind, index, size):
        return context.cast(builder, index, kind, types.intp)

    return {(arrayobj, "fix_integer_index"): as_it_is}


def no_idle_stores(name: str) -> dict:
    """Calls without zeroing, at the start of the caller, the slots for their results.

    Only rare things are called, everything else is inlined; the zeroing would be done whether they happen or not.
    """
    call, slot = getattr(callconv.CPUCallConv, "call_function", None), getattr(cgutils, "alloca_once", None)

    def bare_slot(builder, type_, size=None, name="", zfill=False):
        with builder.goto_entry_block():
            return builder.alloca(type_, size=size, name=name)

    def call_function(self, *arguments, **options):
        cgutils.alloca_once = bare_slot
        try:
            return call(self, *arguments, **options)
        finally:
            cgutils.alloca_once = slot

    return {(callconv.CPUCallConv, "call_function"): call_function, (cgutils, "alloca_once"): slot}


def optimised_once(name: str) -> dict:
    """Optimise and emit code for one entry only, with all that it calls linked in.

    By itself numba optimises every function together with all that it calls, and emits machine code for it, each time
    one more level of calls is put on top: most of the time of a cold start.
    """
    library, generator = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    optimise = getattr(library, "_optimize_final_module", None)
    finish = getattr(library, "_finalize_final_module", None)
    set_environment = getattr(generator, "set_env", None)

    def optimise_entry(self):
        if self.name == name:
            optimise(self)

    def finish_entry(self):
        if self.name == name:
            finish(self)
        else:
            self._finalize_dynamic_globals()
            self._finalized = True

    def set_entry_environment(self, symbol, environment):
        if self._engine.is_symbol_defined(symbol):
            set_environment(self, symbol, environment)

    return {
        (library, "_optimize_final_module"): optimise_entry,
        (library, "_finalize_final_module"): finish_entry,
        (generator, "set_env"): set_entry_environment,
    }


PATCHES = plain_indexes, no_idle_stores, optimised_once
