"""Child processes that tests kill, limit or let race, with the package imported already.

A process with threads must not be forked: a lock that another thread holds at that moment stays locked in the child.
The workers of pytest have threads of Dask, pyarrow and the engine, and coverage takes a lock in each. So children are
forked from a server that has no threads. A test's patches do not reach them.
"""

import multiprocessing
import os

IMPORTED = """jamaica_sim.cli jamaica_sim.study.compare.comparison jamaica_sim.report.page jamaica_sim.study.folder
    jamaica_sim.study.tune.tune matplotlib.pyplot pandas pyarrow.parquet pytest""".split()
CHILDREN = multiprocessing.get_context("forkserver")
CHILDREN.set_forkserver_preload(IMPORTED)
PATIENCE = 60  # seconds


def start_child(function, *arguments):
    """Call a function of a test's module in a child, and wait until it has started. It ends at the latest with us."""
    is_there = CHILDREN.Event()
    child = CHILDREN.Process(target=_call, args=(is_there, function, arguments), daemon=True)
    child.start()
    assert is_there.wait(PATIENCE), "the child did not start"
    return child


def _call(is_there, function, arguments):
    os.fsync = lambda number: None  # as in all tests
    is_there.set()
    function(*arguments)
