"""The whole suite fails where a clause of the rules has no test that passed, in one process or in several.

The suites here are small ones, with the bookkeeping of this one.
"""

import re
from pathlib import Path

import clauses
import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = f"""
import pytest

@pytest.mark.parametrize("clause", [pytest.param(c, marks=pytest.mark.clause(c)) for c in {clauses.CLAUSES!r}])
def test_clause(clause):
    pass
"""
CONFTEST = f"""
import sys
sys.path.append({str(Path(clauses.__file__).parent)!r})

import clauses

def pytest_configure(config):
    config.pluginmanager.register(clauses)
"""


@pytest.fixture
def suite(pytester):
    """A suite with a test of each clause, some of which are changed."""

    def run(*options, **changed):
        pytester.makeini("[pytest]\ntestpaths = tests\nmarkers =\n  clause\n  slow\n")
        pytester.mkdir("tests").joinpath("conftest.py").write_text(CONFTEST)
        text = TESTS
        for clause, other in changed.items():
            text = text.replace(f"'{clause}'", f"'{other}'")
        pytester.path.joinpath("tests", "test_rules.py").write_text(text)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest", *options)

    return run


@pytest.mark.parametrize("processes", ["-n0", "-n2"])
def test_a_clause_without_a_test_fails_the_suite(suite, processes):
    result = suite(processes, H2="H1", G8="G7")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=len(clauses.CLAUSES))
    result.stdout.fnmatch_lines("No test that passed is tagged with H2, G8.")


def test_a_suite_with_all_clauses_passes(suite):
    assert suite().ret == pytest.ExitCode.OK


@pytest.mark.parametrize("options", [["tests/test_rules.py"], ["-k", "clause"], ["-m", "slow or not slow"]])
def test_a_part_of_the_suite_cannot_say(suite, options):
    assert suite(*options, H2="H1").ret == pytest.ExitCode.OK


def test_a_clause_that_does_not_exist_is_refused(suite):
    result = suite(H2="Z9")
    result.assert_outcomes(passed=len(clauses.CLAUSES) - 1, errors=1)
    result.stdout.fnmatch_lines("this test is tagged with clauses that do not exist: Z9")


def test_the_table_of_rulings_names_modules_that_know_the_clause():
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8").split("Each is a reading of ours")[1]
    row = r"^\| ([A-Z]\d+(?:, [A-Z]\d+)*) \| .* \| (.*`[\w/]+\.py`.*) \|$"
    rows = re.findall(row, page.split("\n## ")[0], re.MULTILINE)
    assert len(rows) > 25
    for ids, where in rows:
        names = re.findall(r"`([\w/]+\.py)`", where)
        files = [ROOT / name if "/" in name else ROOT / "jamaica_sim" / "engine" / name for name in names]
        sources = "\n".join(file.read_text(encoding="utf-8") for file in files)
        assert re.search(rf"\b({ids.replace(', ', '|')})\b", sources), f"{ids}: {where}"
