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
# because the second and third of them find the rules compiled already: that saves 50 of 130 seconds.
COMPILED_FIRST = (("engine", "onward", "searcher", "tally"), ("tracer", "traced onward", "tabletop", "heuristic"))


# Files that take long come first, so that no process is alone with one of them at the end.
LONG_FILES = """replay_browser replay_page chances looks refereed_games report_browser resume command_line cluster
    strategy_peeking folder sequential compile_cache compare_folder luck strategy_files tuning reproducible""".split()


def pytest_configure(config):
    config.pluginmanager.register(clauses)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script: tests press Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config):
    """`-n auto` means one worker per core for the whole suite, and none for a few files, which are there sooner."""
    return None if clauses.is_every_file(config) else 0


def pytest_collection_modifyitems(items):
    """Each file is run by one process, so that what its tests share is made once: long files first."""
    places = {f"test_{name}": place for place, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: places.get(item.path.stem, len(places)))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Before there are workers: compile what they would all compile at the same time."""
    if session.config.getoption("tx", None) and not session.config.option.collectonly:
        command = [sys.executable, TESTS / "compile_first.py"]
        processes = [subprocess.Popen([*command, *pieces]) for pieces in COMPILED_FIRST]
        for process in processes:
            process.wait()  # a piece that does not compile is reported by the tests that need it


@pytest.fixture(scope="session", autouse=True)
def own_memory(tmp_path_factory):
    """What tests name as a strategy is not remembered as named by the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_disk():
    """Nothing waits for the disk: what a loss of power would leave is not seen here, and some disks are slow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield
