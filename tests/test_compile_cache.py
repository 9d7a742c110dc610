"""Compiled code is kept on disk, but never served after any file that it came from has changed.

numba by itself looks at the file of the compiled function only; a helper in another file could change unnoticed.
Wherever the package lies and whoever uses it at the same time, compiled code is found again, or compiled again.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import llvmlite.binding as llvm
import numpy as np
import pytest
from click.testing import CliRunner
from numba import njit

from jamaica_sim.cli import main
from jamaica_sim.engine.machine import cache, jit
from jamaica_sim.engine.machine.jit import OPTIONS
from jamaica_sim.files import sources, user_files
from jamaica_sim.play import compile_ahead as warming
from jamaica_sim.strategy.library import load_strategy

HELPER = """from jamaica_sim.engine.machine.jit import inline

@inline
def goods(die):
    return die * 2
"""
ENTRY = """from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.goods import goods

@entry
def load(die):
    return goods(die)
"""
CALL = """
from jamaica_sim.engine.machine.cache import stamp_of
from jamaica_sim.engine.loader import load
print(load.is_compiled(), load(5), stamp_of(load.py_func.__code__.co_filename))
"""


CACHE_SETTINGS = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA")


@pytest.fixture
def copy(tmp_path):
    """A copy of the package with one more compiled function, whose helper is in another file."""
    package = tmp_path / "jamaica_sim"
    shutil.copytree(sources.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "engine" / "goods.py").write_text(HELPER)
    (package / "engine" / "loader.py").write_text(ENTRY)
    return package


def start(package, *words, where=None, **variables):
    """Start Python in a new process with this package and only these settings of the cache."""
    environment = {name: value for name, value in os.environ.items() if name not in CACHE_SETTINGS}
    environment |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return subprocess.Popen(
        [sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=where or package.parent,
    )


def result(process):
    """What a process prints, and what it says on standard error."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0 and "Traceback" not in errors, errors
    return output, errors


def call(package, **variables):
    """Call the function in a new process, with a cache folder beside the package unless there are other settings."""
    variables = variables or {"NUMBA_CACHE_DIR": str(package.parent / "cache")}
    return result(start(package, "-c", CALL, **variables))[0].split()


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
def test_a_changed_helper_is_compiled_anew(copy):
    _, first, stamp = call(copy)
    assert first == "10"
    assert list((copy.parent / "cache" / "jamaica-sim").rglob("*load.obj"))
    assert call(copy) == ["True", "10", stamp]  # found on disk
    edit(copy / "engine" / "goods.py", "die * 2", "die * 3")
    compiled, result, new_stamp = call(copy)
    assert (compiled, result) == ("False", "15") and new_stamp != stamp
    edit(copy / "engine" / "goods.py", "die * 3", "die * 2")
    assert call(copy) == ["True", "10", stamp]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("strategy/compile.py", "import", "import "),
        ("engine/loading.py", '"""Loading', '"""The loading'),  # imported by what the search imports
        ("game/codes.py", "MAX_FACE = 10", "MAX_FACE = 9"),
        ("game/rules.py", '_rule(3, "S1", "food', '_rule(4, "S1", "food'),
        ("game/components/board.csv", "49,sea,3,10", "49,sea,2,10"),
    ],
)
def test_the_stamp_sees_every_file_that_compiled_code_comes_from(copy, monkeypatch, request, file, old, new):
    monkeypatch.setattr(sources, "PACKAGE", copy)

    def forget():
        for known in (cache.stamp_of, sources._read, sources._imported, sources._file_of, sources._data_in):
            known.cache_clear()

    def stamp():
        forget()
        return cache.stamp_of(str(copy / "strategy/compile.py"))

    request.addfinalizer(forget)  # with the copy's stamps, tests after this one would compile the engine again

    before = stamp()
    edit(copy / "play/tally/count.py", "import", "import ")  # decisions do not import it
    assert stamp() == before
    edit(copy / file, old, new)
    assert stamp() != before


LOADED = """
import sys
from jamaica_sim.files import sources
import jamaica_sim.strategy.library, jamaica_sim.strategy.compile, jamaica_sim.play.tally.count, jamaica_sim.engine.game
found = sources.files_behind(*(str(sources.PACKAGE / name) for name in sources.PLAYING))
loaded = {m.__file__ for name, m in sys.modules.items() if name.startswith("jamaica_sim.") and m.__file__}
print(sorted(file for file in loaded - found if not file.endswith(("__init__.py", "api.py"))))
"""


def test_imports_are_found_as_python_finds_them():
    """All that Python loads with what decides games is in their hash, except packages themselves and the public API."""
    assert result(start(sources.PACKAGE, "-c", LOADED))[0] == "[]\n"


@pytest.mark.parametrize(("needed", "is_kept"), [("NRT_MemInfo_call_dtor", True), ("_ZN11jamaica_sim4drawEy", False)])
def test_code_that_needs_a_function_of_this_process_is_not_kept(needed, is_kept):
    """numba may have compiled it before, for somebody else. In another process it would be called at address 0."""
    module = llvm.parse_assembly(f"declare void @{needed}()\n")
    is_bound = jit._links(SimpleNamespace(_final_module=module, has_dynamic_globals=False))[1]
    assert is_bound is not is_kept


def test_bounds_are_checked_while_testing():
    """The suite runs with the engine's bounds checks on: an index out of range is an error, not a wild read."""

    @njit(**OPTIONS)
    def read(values, index):
        return values[index]

    with pytest.raises(IndexError):
        read(np.zeros(3), 3)


def test_the_folder_is_the_first_that_can_be_written_to(tmp_path, monkeypatch):
    """The folder that the user names, the user's own, a temporary one, none at all. A file cannot be the folder."""
    find = cache.cache_folder.__wrapped__
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setattr(cache.sys, "platform", "linux")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "own"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "named"))
    assert find() == tmp_path / "named" / "jamaica-sim"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(file))
    assert find() == tmp_path / "own" / "jamaica-sim"
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    assert find().parent == tmp_path / "tmp"
    monkeypatch.setattr(tempfile, "tempdir", str(file))
    assert find() is None


def test_a_user_without_home_and_temporary_folder(tmp_path, monkeypatch):
    def refuse(*_):
        raise FileNotFoundError("No usable temporary directory found")

    homeless = Path("~/.cache/jamaica-sim")  # a path that could not be made absolute
    monkeypatch.setenv("NUMBA_CACHE_DIR", "")
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: homeless)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    find = cache.cache_folder.__wrapped__
    assert find().parent == tmp_path
    monkeypatch.setattr(tempfile, "gettempdir", refuse)
    assert find() is None


def test_where_nothing_can_be_kept_it_still_works(copy):
    nowhere = {name: os.devnull for name in (*CACHE_SETTINGS, "HOME", "USERPROFILE")}
    without_temporary = f"import tempfile; tempfile.tempdir = {os.devnull!r}\n"
    assert result(start(copy, "-c", without_temporary + CALL, **nowhere))[0].split()[:2] == ["False", "10"]


def test_a_disk_that_is_full_when_code_is_kept(copy):
    """The folder can be made, but files in it cannot grow."""
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    limited += "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    settings = {"NUMBA_CACHE_DIR": str(copy.parent / "cache")}
    assert result(start(copy, "-c", limited + CALL, **settings))[0].split()[1] == "10"
    assert call(copy)[:2] == ["False", "10"]


@pytest.mark.slow
def test_a_damaged_file_is_made_anew(copy):
    call(copy)
    [damaged] = (copy.parent / "cache").rglob("*load.obj")
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[: len(whole) // 2])
    assert call(copy)[1] == "10"
    assert damaged.stat().st_size == len(whole)


ELSEWHERE = """
import sys
from numba.core import event
from jamaica_sim import simulate
with event.install_recorder("numba:compile") as recorder:
    simulate(games=20, players=3, strategies=sys.argv[1:], threads=1)
print(*[seen.data["dispatcher"].py_func.__name__ for _, seen in recorder.buffer])
"""
CARD = """
from jamaica_sim.strategy.api import lowest
def choose_card(view, rules, weights):
    return lowest(view.legal)
"""


def test_the_cache_is_found_from_other_directories_and_with_other_strategy_files(tmp_path):
    """A new data file compiles nothing, nor does a code file that now lies elsewhere."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "lowest.py").write_text(CARD)
    (there / "rich.toml").write_text("[weights]\ngold = 1.5\n")
    settings = {name: os.environ[name] for name in CACHE_SETTINGS if name in os.environ}
    # A process of its own: what other tests compiled in this one can keep code from being kept.
    result(start(sources.PACKAGE, "-c", ELSEWHERE, "lowest.py", "balanced", "random", where=here, **settings))
    process = start(sources.PACKAGE, "-c", ELSEWHERE, "lowest.py", "rich.toml", "random", where=there, **settings)
    assert result(process)[0].split() == []


@pytest.mark.slow
def test_a_first_run_from_a_read_only_installation(copy, tmp_path):
    """It compiles the whole engine into the user's empty cache folder, without bounds checks; a second finds it there.

    The results are those of the engine with bounds checks.
    """
    home = tmp_path / "home"
    where = [home / name for name in ("one", "two")]
    for folder in where:
        folder.mkdir(parents=True)
    installed = sorted(copy.rglob("*"))
    for path in [*installed, copy]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    run = ("-m", "jamaica_sim", "run", "--games", "300", "-s", "random", "--format", "csv")
    settings = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "JAMAICA_SIM_BOUNDS_CHECK": "0"}
    output, errors = result(start(copy, *run, where=where[0], **settings))
    assert "Compiling the engine" in errors and output.count("\n") > 10
    assert result(start(copy, *run, where=where[1], **settings)) == (output, "")
    assert CliRunner().invoke(main, run[2:]).stdout == output
    assert list((home / "cache" / "jamaica-sim").rglob("*play_chunk.obj"))
    assert sorted(copy.rglob("*")) == installed


AT_ONCE = """
import time
from pathlib import Path
from jamaica_sim.engine.loader import load
print(load.is_compiled(), flush=True)
while not Path("go").exists():
    time.sleep(0.001)
print(load(5))
"""


@pytest.mark.slow
def test_three_first_calls_at_once(copy):
    """All compile into the same empty cache folder, all are right, and a fourth finds the code there."""
    settings = {"NUMBA_CACHE_DIR": str(copy.parent / "cache")}
    processes = [start(copy, "-c", AT_ONCE, **settings) for _ in range(3)]
    assert [process.stdout.readline() for process in processes] == ["False\n"] * 3
    (copy.parent / "go").touch()
    assert [result(process)[0] for process in processes] == ["10\n"] * 3
    assert call(copy)[:2] == ["True", "10"]
    assert len(list((copy.parent / "cache").rglob("*load*"))) == 1


def test_somebody_elses_folder_is_no_cache(tmp_path, monkeypatch):
    """Compiled code is run: in a folder that another user owns it could be anything."""
    if not hasattr(os, "getuid"):
        pytest.skip("folders have no owner here")
    assert user_files.is_ours(tmp_path)
    os_stat = tmp_path.stat()
    monkeypatch.setattr(os, "lstat", lambda path: os.stat_result((*os_stat[:4], 4711, *os_stat[5:])))
    assert not user_files.is_ours(tmp_path)


def test_pieces_that_share_their_code_are_compiled_in_one_process():
    assert warming.shared_out(list(warming.RUN)) == (["engine", "searcher"], ["tally", "heuristic", "net"])
    assert warming.shared_out(list(warming.WHAT_IF)) == (["traced onward", "tracer"], ["heuristic", "net", "searcher"])
    assert warming.shared_out(["heuristic"]) == (["heuristic"], [])


@pytest.mark.parametrize("python", ["no such program", "false"])
def test_the_first_start_needs_no_second_process(python, monkeypatch):
    """Pieces for a second process are compiled later where that process cannot start, or fails."""
    compiled = []
    pieces = {name: (lambda name=name: compiled.append(name), lambda: False) for name in warming.PIECES}
    monkeypatch.setattr(warming, "PIECES", pieces)
    monkeypatch.setattr(warming.sys, "executable", python)
    warming.compile_missing([load_strategy("balanced")], warming.RUN)
    assert compiled == ["engine"]


def test_what_a_first_start_compiles(monkeypatch):
    monkeypatch.setattr(warming, "PIECES", {name: (None, lambda: False) for name in warming.PIECES})
    random, racer = load_strategy("random"), load_strategy("racer")
    assert warming.missing([random], warming.RUN) == ["engine", "tally"]
    assert warming.missing([random, racer], warming.RUN) == ["engine", "tally", "heuristic"]
    assert warming.missing([racer], warming.COMPARE) == ["engine", "heuristic"]
    assert warming.missing([racer], warming.REPLAY) == ["tracer", "heuristic"]
    told = [warming.needs_compiling([racer], pieces) for pieces in (warming.RUN, warming.REPLAY, warming.OUTSIDE)]
    assert len({*told}) == 3 and {*warming.SPOKEN} == {*warming.PIECES}  # "once only" is said once of each
