"""Settings of the whole suite: bounds checks in the engine, all files in parallel, compiled once before they start."""

import os

os.environ["JAMAICA_SIM_BOUNDS_CHECK"] = "1"  # before the engine is imported

import signal
import subprocess
import sys
from pathlib import Path

import clauses
import pytest

TESTS = Path(__file__).parent
pytest_plugins = ["pytester"]
# All pieces, for two processes that take about equally long. Pieces for the same type of state record are together,
# because the second and third of them find the rules compiled already.
COMPILED_FIRST = (
    ("engine", "onward", "house", "searcher", "steps", "outside", "observer"),
    ("heuristic", "net", "tracer", "traced onward", "traced house", "tabletop", "tally"),
)


# Files that take long come first, so that no process is alone with one of them at the end.
LONG_FILES = """docs_run cluster play strategy_peeking docstrings players hostile_imports claims hostile_ends
    report_browser replay_browser replay_page outside resume command_line refereed_games causes folder
    variants luck reproducible report hostile_fuzz compile_cache sequential tuning strategy_files
    hostile_text experiments strategy_library numba_patches compare_folder docs_site strategy_cli""".split()


def pytest_configure(config):
    config.pluginmanager.register(clauses)
    # Bytecode is kept, whatever the shell says: workers and some hundred processes of tests read the same files.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Tests press Ctrl-C and close terminals, also where both are ignored: in the background of a script, under nohup.
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """`-n auto` means one worker more than cores for the whole suite, because tests of stops and clusters often wait.

    For a few files it means no workers: then they finish sooner.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1 if clauses.is_every_file(config) else 0


def pytest_collection_modifyitems(items):
    """Sort the tests, long files first. Each file is run by one process, so that its fixtures are made once."""
    places = {f"test_{name}": place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Before there are workers, compile the pieces that all of them would compile at the same time."""
    if session.config.getoption("tx", None) and not session.config.option.collectonly:
        command = [sys.executable, TESTS / "compile_first.py"]
        processes = [subprocess.Popen([*command, *pieces]) for pieces in COMPILED_FIRST]
        for process in processes:
            process.wait()  # a piece that does not compile is reported by the tests that need it


@pytest.fixture(scope="session", autouse=True)
def own_memory(tmp_path_factory):
    """A strategy that a test names is not remembered as named by the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_disk():
    """Nothing waits for the disk: tests cannot see the effects of a power loss, and some disks are slow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield
