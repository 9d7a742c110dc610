"""Settings of the whole suite: bounds checks in the engine, and the bookkeeping of which clauses have a test.

A clause counts as proven when a test tagged with it has passed; `test_clauses.py` runs last and asks for all of them.
"""

import os

os.environ["JAMAICA_SIM_BOUNDS_CHECK"] = "1"  # before the engine is imported

from pathlib import Path

import pytest
from clauses import CLAUSES

TESTS = Path(__file__).parent
PROVEN = pytest.StashKey[set]()
WHOLE_SUITE = pytest.StashKey[bool]()


@pytest.fixture(scope="session", autouse=True)
def quick_disk():
    """Nothing waits for the disk: what a loss of power would leave is not seen here, and some disks are slow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda number: None)
        yield


def clauses_of(item) -> set[str]:
    """The clauses that a test is tagged with."""
    return {clause for mark in item.iter_markers("clause") for clause in mark.args}


def pytest_configure(config):
    config.stash[PROVEN] = set()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    unknown = {clause for item in items for clause in clauses_of(item)} - set(CLAUSES)
    if unknown:
        raise pytest.UsageError(f"tests are tagged with clauses that do not exist: {', '.join(sorted(unknown))}")
    collected = {item.path for item in items}
    everything = set(config.rootpath.joinpath("tests").glob("test_*.py")) <= collected
    config.stash[WHOLE_SUITE] = everything and not config.option.keyword and config.option.markexpr in ("", "not slow")
    items.sort(key=lambda item: item.path.name == "test_clauses.py")  # stable: only these go last


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.when == "call" and report.passed:
        item.config.stash[PROVEN] |= clauses_of(item)
    return report


@pytest.fixture
def proven_clauses(request):
    """The clauses proven so far; a part of the suite cannot say."""
    if not request.config.stash[WHOLE_SUITE]:
        pytest.skip("only the whole suite can show that every clause has a test")
    return request.config.stash[PROVEN]
