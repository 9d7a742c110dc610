"""Compiled code is kept on disk, but never served after any file that it came from has changed.

numba by itself looks at the file of the compiled function only; a helper in another file could change unnoticed.
"""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from jamaica_sim.engine import jit

HELPER = """from jamaica_sim.engine.jit import inline

@inline
def tokens(die):
    return die * 2
"""
ENTRY = """from jamaica_sim.engine.jit import entry
from jamaica_sim.engine.tokens import tokens

@entry
def load(die):
    return tokens(die)
"""
CALL = """
from jamaica_sim.engine.jit import engine_stamp
from jamaica_sim.engine.loader import load
print(load.is_compiled(), load(5), engine_stamp())
"""


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with one more compiled function, whose helper is in another file."""
    package = tmp_path / "jamaica_sim"
    shutil.copytree(jit.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "engine" / "tokens.py").write_text(HELPER)
    (package / "engine" / "loader.py").write_text(ENTRY)
    return package


def call(package):
    """Call the function in a new process, always with the same cache folder."""
    environment = {**os.environ, "PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(package.parent / "cache")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, env=environment, cwd=package.parent, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_a_changed_helper_is_compiled_anew(copy):
    _, first, stamp = call(copy)
    assert first == "10"
    assert list((copy.parent / "cache" / "jamaica-sim").rglob("*load*.nbi"))
    assert call(copy) == ["True", "10", stamp]  # found on disk
    edit(copy / "engine" / "tokens.py", "die * 2", "die * 3")
    compiled, result, new_stamp = call(copy)
    assert (compiled, result) == ("False", "15") and new_stamp != stamp
    edit(copy / "engine" / "tokens.py", "die * 3", "die * 2")
    assert call(copy) == ["True", "10", stamp]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("engine/loading.py", '"""Loading', '"""The loading'),
        ("words.py", "MAX_FACE = 10", "MAX_FACE = 9"),
        ("rules.py", "start_food: int = 3", "start_food: int = 4"),
        ("components/board.csv", "49,sea,3,10", "49,sea,2,10"),
    ],
)
def test_the_stamp_sees_every_file_that_compiled_code_comes_from(copy, monkeypatch, file, old, new):
    stamp_anew = jit.engine_stamp.__wrapped__
    monkeypatch.setattr(jit, "PACKAGE", copy)
    before = stamp_anew()
    assert stamp_anew() == before
    edit(copy / file, old, new)
    assert stamp_anew() != before


def test_bounds_are_checked_while_testing():
    """The suite runs with the engine's bounds checks on: an index out of range is an error, not a wild read."""

    @njit(**jit.OPTIONS)
    def read(values, index):
        return values[index]

    with pytest.raises(IndexError):
        read(np.zeros(3), 3)
