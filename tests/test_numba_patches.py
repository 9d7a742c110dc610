"""What is changed in numba, and what is asked of LLVM, is still there and still works: a newer one must not silently
make the engine slower. And nobody else's code is compiled our way."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit, types
from numba.core import codegen

from jamaica_sim.engine.machine import numba_patches
from jamaica_sim.engine.machine.bits import HAS_PDEP, nth
from jamaica_sim.engine.machine.branch_hints import out_of_line, pick, unlikely
from jamaica_sim.engine.machine.jit import INNER, OPTIONS, compile_entry, inline, jit

NO_BOUNDS = {**OPTIONS, "boundscheck": False}


@pytest.mark.parametrize("patch", numba_patches.PATCHES)
def test_numba_has_what_is_patched(patch):
    changes = patch("entry")
    assert [attribute for owner, attribute in changes if not hasattr(owner, attribute)] == []


def compiled(function, *signature):
    """The function compiled as the engine is."""
    dispatcher = njit(**NO_BOUNDS)(function)
    compile_entry(dispatcher, signature)
    return dispatcher


def test_indexes_do_not_wrap_round_in_our_code_only():
    def element(values, index):
        return values[index]

    signature = types.int64[::1], types.int64
    ours, plain = compiled(element, *signature), njit(**NO_BOUNDS)(element)
    plain.compile(signature)
    [our_code], [plain_code] = (code.inspect_asm().values() for code in (ours, plain))
    assert plain(np.arange(5), -1) == 4
    assert len(our_code.splitlines()) < len(plain_code.splitlines())


def test_slots_of_calls_are_not_zeroed(monkeypatch):
    """A call that is not inlined stores nothing in its caller before it happens."""

    @jit
    def rare(number):
        out_of_line()
        return number * 7 + 1

    def caller(number, is_rare):
        if is_rare:
            return rare(number)
        return number

    ours, plain = compiled(caller, types.int64, types.boolean), njit(**NO_BOUNDS)(caller)
    plain.compile((types.int64, types.boolean))
    stores = [next(iter(code.inspect_llvm().values())).count("store ") for code in (ours, plain)]
    assert stores[0] < stores[1]


def test_only_the_entry_is_optimised(monkeypatch):
    """Its callees are linked into it."""
    optimised = []
    original = codegen.JITCodeLibrary._optimize_final_module

    def note(self):
        optimised.append(self.name)
        original(self)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_optimize_final_module", note)

    @jit
    def inner(number):
        return number * 2 + 1

    def outer(number):
        return inner(number) + 1

    dispatcher = compiled(outer, types.int64)
    assert dispatcher(5) == 12
    assert optimised == [outer.__qualname__]
    assert optimised != [] and inner.signatures


def code_of(function, *signature):
    """Unoptimised and machine code of a function."""
    dispatcher = njit(**NO_BOUNDS)(function)
    dispatcher.compile(signature)
    [machine], [optimised] = dispatcher.inspect_asm().values(), dispatcher.inspect_llvm().values()
    return machine, optimised


@pytest.mark.skipif(not HAS_PDEP, reason="the processor has no such instruction")
def test_the_nth_member_is_one_instruction():
    machine, _ = code_of(lambda members, k: nth(members, k), types.int64, types.int64)
    assert "pdep" in machine


def test_a_pick_is_no_branch():
    """Also in a loop, where LLVM turns a plain conditional expression into one."""

    def total(values, limit):
        result = 0
        for value in values:
            result = pick(value < limit, result + value, result - 1)
        return result

    _, optimised = code_of(total, types.int64[::1], types.int64)
    assert "!unpredictable" in optimised or "select" in optimised


def test_what_is_out_of_line_is_called():
    @njit(**{**INNER, "boundscheck": False})
    def rare(number):
        out_of_line()
        return number + 1

    machine, _ = code_of(lambda number: rare(number), types.int64)
    assert "call" in machine


def test_what_is_unlikely_comes_last():
    """The branch has the weights of an expectation."""

    @inline
    def rare(number):
        return number * 3 // 7

    def choose(number, values):
        if unlikely(number > 3):
            values[0] = rare(number)
        else:
            values[1] = number
        return number

    _, optimised = code_of(choose, types.int64, types.int64[::1])
    assert "branch_weights" in optimised


MEANWHILE = """
import threading
import numpy as np
from numba import njit
from jamaica_sim.engine.game import play_chunk
from jamaica_sim.play import compile_ahead

wrong, done = [], threading.Event()

def users_functions():
    number = 0
    while not done.is_set() or number < 3:
        number += 1

        @njit
        def last(values, n):
            return values[-1] + n

        @njit
        def sums(values, n):
            total = 0
            for value in values:
                total += last(values, n) * value
            return total

        if sums(np.arange(5), number) != 10 * (4 + number):
            wrong.append(number)

thread = threading.Thread(target=users_functions)
thread.start()
compile_ahead.compile_pieces(["tally"])
done.set()
thread.join()
print("right" if not wrong else wrong)
"""


def test_another_thread_compiles_meanwhile(tmp_path):
    """A user's function that is compiled while ours is: it must not be compiled our way, which ended the process."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}  # an empty cache, so that there is much to compile
    run = subprocess.run(
        [sys.executable, "-c", MEANWHILE], env=environment, capture_output=True, text=True, timeout=500, check=False
    )
    assert (run.returncode, run.stdout) == (0, "right\n"), run.stderr
