"""The clauses of the rules that the engine plays (`docs/rules.md`), and the bookkeeping of which have a test.

A test names the clauses that it would catch if broken with `@pytest.mark.clause("H2", "H4")`. A clause is proven when a
test tagged with it has passed. At the end of the whole suite every clause must be proven, or the run fails. The
bookkeeping goes by the tests' reports, so it makes no difference in how many processes they ran.
"""

from pathlib import Path

import pytest

SUBJECTS = {
    "C": 6,  # components
    "S": 3,  # setup
    "T": 5,  # the round
    "L": 4,  # loading
    "M": 4,  # moving
    "P": 4,  # the cost of a space
    "B": 10,  # battle
    "H": 4,  # shortage
    "R": 5,  # treasures
    "E": 4,  # the end
    "G": 8,  # the ghost ship
    "K": 3,  # who knows what
}
CLAUSES = tuple(f"{letter}{number}" for letter, last in SUBJECTS.items() for number in range(1, last + 1))


def missing(proven) -> list[str]:
    """The clauses that none of the tests has proven."""
    return [clause for clause in CLAUSES if clause not in proven]


def is_every_file(config) -> bool:
    """Whether the tests of all files were asked for, rather than those of some."""
    asked = {Path(config.invocation_params.dir, argument).resolve() for argument in config.args}
    tests = config.rootpath / "tests"
    return not asked.isdisjoint((tests, *tests.parents))


def is_whole_suite(config) -> bool:
    """Whether all tests were asked for, the slow ones aside: only then is it known which clauses have no test."""
    option = config.option
    chosen = (option.keyword, option.deselect, option.ignore, option.ignore_glob, config.getoption("lf", False))
    return is_every_file(config) and not any(chosen) and option.markexpr in ("", "not slow")


def clauses_of(item) -> set[str]:
    """The clauses that a test is tagged with."""
    return {clause for mark in item.iter_markers("clause") for clause in mark.args}


def pytest_runtest_setup(item):
    unknown = clauses_of(item) - set(CLAUSES)
    if unknown:
        pytest.fail(f"this test is tagged with clauses that do not exist: {', '.join(sorted(unknown))}", pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.clauses = sorted(clauses_of(item)) if report.when == "call" and report.passed else []
    return report


def pytest_configure(config):
    if not hasattr(config, "workerinput"):  # in the process that all reports come to
        config.pluginmanager.register(Bookkeeper(config))


class Bookkeeper:
    """Sees the reports of all tests and asks for every clause at the end."""

    def __init__(self, config):
        self.config = config
        self.proven: set[str] = set()
        self.unproven: list[str] = []

    def pytest_runtest_logreport(self, report):
        self.proven |= set(getattr(report, "clauses", ()))  # a process that crashed reports none

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus == pytest.ExitCode.OK and is_whole_suite(self.config) and not self.config.option.collectonly:
            self.unproven = missing(self.proven)
            if self.unproven:
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        if self.unproven:
            terminalreporter.section("clauses without a test", red=True)
            terminalreporter.line(f"No test that passed is tagged with {', '.join(self.unproven)}.")
