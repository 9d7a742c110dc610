"""Our changes to numba, and what we ask of LLVM, still work: a newer version must not silently make the engine slower.
Nobody else's code is compiled our way, and with a version of numba that was not tested nothing is."""

import gc
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from numba import from_dtype, njit, types
from numba.core import codegen, event

from jamaica_sim.engine.machine import numba_patches
from jamaica_sim.engine.machine.bits import HAS_PDEP, nth, pick
from jamaica_sim.engine.machine.jit import OPTIONS, compile_engine, jit
from jamaica_sim.engine.machine.late import IS_TESTED, PLAIN, TESTED

NO_BOUNDS = {**OPTIONS, "boundscheck": False, "_nrt": False}


@pytest.mark.parametrize("patch", numba_patches.PATCHES)
def test_numba_has_what_is_patched(patch):
    changes = patch("entry")
    assert [attribute for owner, attribute in changes if not hasattr(owner, attribute)] == []


def compiled(function, *signature):
    """The function, compiled in the engine's way."""
    return compile_engine(function, signature, NO_BOUNDS).dispatcher


def test_indexes_do_not_wrap_round_in_our_code_only():
    def element(values, index):
        return values[index]

    signature = types.int64[::1], types.int64
    ours, plain = compiled(element, *signature), njit(**NO_BOUNDS)(element)
    plain.compile(signature)
    [our_code], [plain_code] = (code.inspect_asm().values() for code in (ours, plain))
    assert plain(np.arange(5), -1) == 4
    assert len(our_code.splitlines()) < len(plain_code.splitlines())


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
    assert optimised != [] and inner.dispatcher.signatures


def code_of(function, *signature):
    """The machine code and the LLVM code of a function."""
    dispatcher = njit(**NO_BOUNDS)(function)
    dispatcher.compile(signature)
    [machine], [optimised] = dispatcher.inspect_asm().values(), dispatcher.inspect_llvm().values()
    return machine, optimised


@pytest.mark.skipif(not HAS_PDEP, reason="the processor has no such instruction")
def test_the_nth_member_is_one_instruction():
    machine, _ = code_of(lambda members, k: nth(members, k), types.int64, types.int64)
    assert "pdep" in machine


def test_a_pick_is_no_branch():
    """Also in a loop, where LLVM turns a plain conditional expression into a branch."""

    def total(values, limit):
        result = 0
        for value in values:
            result = pick(value < limit, result + value, result - 1)
        return result

    _, optimised = code_of(total, types.int64[::1], types.int64)
    assert "!unpredictable" in optimised or "select" in optimised


MEANWHILE = """
import threading
import numpy as np
from numba import njit, types
from jamaica_sim.engine.machine.jit import compile_engine

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

def ours(values, n):
    total = 0
    for i in range(n):
        total += values[i] * values[n - i]
    return total

thread = threading.Thread(target=users_functions)
thread.start()
for _ in range(8):
    compile_engine(ours, (types.int64[::1], types.int64))
done.set()
thread.join()
print("right" if not wrong else wrong)
"""


@pytest.mark.slow
def test_another_thread_compiles_meanwhile():
    """A user's function, compiled while ours is, must not be compiled our way: that once ended the process."""
    run = subprocess.run([sys.executable, "-c", MEANWHILE], capture_output=True, text=True, timeout=500, check=False)
    assert (run.returncode, run.stdout) == (0, "right\n"), run.stderr


def test_what_was_compiled_our_way_is_whole_for_others():
    """Our functions are linked with their callees only in an entry. Other code that calls them must find them whole."""

    @jit
    def innermost(number):
        return number * 3

    @jit
    def inner(number):
        return innermost(number) + 1

    assert compiled(lambda number: inner(number), types.int64)(5) == 16
    assert njit(lambda number: inner(number) + innermost(number))(5) == 31
    assert njit(lambda number: inner(number) - 1)(5) == 15


def test_the_name_of_a_record_is_made_once(monkeypatch):
    record, made = numba_patches.types.Record, []
    name = record.__repr__
    monkeypatch.setattr(record, "__repr__", lambda self: made.append(self) or name(self))

    def first(records):
        return records[0].a + records[0].b

    dtype = np.dtype([("a", "i8"), ("b", "i8"), ("c", "f8")])
    assert compiled(first, from_dtype(dtype)[::1])(np.ones(1, dtype)) == 2
    assert len(made) <= len(set(made))


def test_nobody_is_told_of_locks(monkeypatch):
    installed = []
    monkeypatch.setattr(event, "install_timer", lambda *arguments: installed.append(arguments))
    assert compiled(lambda number: number + 1, types.int64)(5) == 6
    assert installed == []


def test_the_garbage_collector_works_again_after_compiling():
    with numba_patches.engine_compiler("entry"):
        assert not gc.isenabled()
    assert gc.isenabled()


ROOT = Path(__file__).parent.parent


def test_pyproject_allows_the_tested_versions_only():
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    for library, versions in {"numba": list(TESTED), "llvmlite": list(TESTED.values())}.items():
        major, newest = versions[-1].split(".")
        assert f"{library}>={versions[0]},<{major}.{int(newest) + 1}" in wanted
    assert IS_TESTED


FROZEN = """
import pytest
assert pytest.main("-n 0 -p no:cacheprovider tests/test_frozen_results.py".split()) == 0
"""
ROWS = """
import hashlib
from jamaica_sim.engine.machine.late import IS_TESTED
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
table = seat_table(strategies=["balanced", "random"], players=3, ghost=True, seed=5)
print(IS_TESTED, hashlib.sha256(Worker(table).play(Chunk(0, 40), keep_rows=True).rows.tobytes()).hexdigest())
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)  # everything is compiled, each function with all that it calls
def test_plain_numba_plays_the_same_games(tmp_path):
    """A version that was not tested: no patches, no loader, nothing kept, the frozen results and the same decisions."""
    plain = {**os.environ, PLAIN: "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    told = []
    for code, env in ((ROWS, dict(os.environ)), (FROZEN + ROWS, plain)):
        words = [sys.executable, "-c", code]
        ended = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=800, check=False)
        assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
        told.append(ended.stdout.splitlines()[-1].split())
    assert [is_tested for is_tested, _ in told] == ["True", "False"] and told[0][1] == told[1][1]
    assert list(tmp_path.rglob("*.obj")) == []
