"""The order of the rooms: imports point down the list, never back, and a package's `__init__` names its modules.

An import inside a function counts like any other, and so does `import_module`. `docs/architecture.md` says why the
order is as it is.
"""

import ast
import re
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import jamaica_sim
from jamaica_sim.study.experiment.chapters import CHAPTERS

HOUSE, TESTS = Path(jamaica_sim.__file__).parent, Path(__file__).parent
# From the roof to the cellar: a room uses only the rooms below it.
ROOMS = """__main__ cli api environments web report report.charts study.lab study.experiment study.train study.tune
study.causes study.compare study play.outside replays results results.stats play strategy.house strategy play.tally
engine engine.machine game files errors""".split()
# Imports that still point up or close a cycle. An import that no longer exists must leave this list.
KNOWN: set[tuple[str, str]] = set()


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the house by its name below `jamaica_sim`; a package is named like its folder."""
    found = {}
    for path in sorted(HOUSE.rglob("*.py")):
        name = ".".join(path.relative_to(HOUSE).with_suffix("").parts).removesuffix("__init__").rstrip(".")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imported(tree: ast.Module, names) -> set[str]:
    """The modules of the house that a module imports, at its top or inside functions."""
    paths = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are written in full"
            paths |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            paths |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("import_module", "__import__")):
            texts = [text.value for text in ast.walk(node) if isinstance(text, ast.Constant)]
            paths |= {text.rstrip(".") for text in texts if isinstance(text, str)}
    ours = {path.partition(".")[2] for path in paths if f"{path}.".startswith("jamaica_sim.")} - {"__version__"}
    return {path if path in names else path.rpartition(".")[0] for path in ours}


def room(module: str) -> str:
    return next(room for room in sorted(ROOMS, reverse=True) if f"{module}.".startswith(f"{room}."))


@pytest.fixture(scope="module")
def imports():
    trees = modules()
    return {(user, used) for user, tree in trees.items() if user for used in imported(tree, trees) if used != user}


def test_every_module_is_in_a_room():
    assert [name for name in modules() if name and not any(f"{name}.".startswith(f"{room}.") for room in ROOMS)] == []


def test_imports_point_down(imports):
    upwards = {(user, used) for user, used in imports if not used or ROOMS.index(room(user)) > ROOMS.index(room(used))}
    assert upwards - KNOWN == set()


def test_there_is_no_cycle(imports):
    graph = {}
    for user, used in imports - KNOWN:
        graph.setdefault(user, set()).add(used)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" > ".join(error.args[1]))


def test_no_exception_outlives_its_reason(imports):
    assert KNOWN - imports == set()
    upwards = {(user, used) for user, used in KNOWN if ROOMS.index(room(user)) > ROOMS.index(room(used))}
    back = {(user, used) for user, used in KNOWN if (used, user) in imports}
    assert KNOWN - upwards - back == set()


def test_a_package_names_its_modules():
    trees = modules()
    for path in sorted(HOUSE.rglob("__init__.py")):
        package = ".".join(path.parent.relative_to(HOUSE).parts)
        inside = {name.removeprefix(f"{package}.") for name in trees if name.startswith(f"{package}.") or not package}
        contents = ast.get_docstring(trees[package]) or ""
        listed = {
            name for line in re.findall(r"^- (.*?): ", contents, re.MULTILINE) for name in re.findall("`(.+?)`", line)
        }
        assert listed <= inside, f"{path} names {', '.join(sorted(listed - inside))}, which is not there"
        if package == "report.chapters":
            inside -= set(CHAPTERS)  # which says what each chapter is about
        unnamed = {name for name in inside if "." not in name and f"`{name}`" not in contents}
        assert unnamed <= {"", "__main__"}, f"{path} does not name {', '.join(sorted(unnamed))}"


MOST_LINES, MOST_PARAMETERS = 450, 7
# What numba compiles: functions there become machine code, and their parameters registers.
COMPILED = (
    "engine.",
    "strategy.heuristic.",
    "strategy.search.",
    "strategy.net.",
    "strategy.bans",
    "study.train.compiled",
)


def test_no_file_is_too_long():
    lengths = {path: path.read_text(encoding="utf-8").count("\n") for path in HOUSE.rglob("*.py")}
    assert {str(path): lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def parameters(function: ast.FunctionDef) -> int:
    """How many positional parameters a function has, not counting the object it belongs to."""
    given = [*function.args.posonlyargs, *function.args.args]
    return len([one for one in given if one.arg not in ("self", "cls")])


def test_no_function_takes_too_many_positional_parameters():
    many = {
        f"{name}.{node.name}"
        for name, tree in modules().items()
        if not f"{name}.".startswith(COMPILED) and name not in ("play.tally.count", "play.tally.event_columns")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and parameters(node) > MOST_PARAMETERS
    }
    assert many == set()


def claims(test):
    """The parts of what an assert says, each of which must be able to be false."""
    if isinstance(test, ast.IfExp):
        return [*claims(test.body), *claims(test.orelse)]
    return [part for value in test.values for part in claims(value)] if isinstance(test, ast.BoolOp) else [test]


def test_every_assert_can_fail():
    """`assert a == b if c else d` asserts d where c is false, and `assert a or d` holds: a text is always true."""
    can_fail = ast.Compare | ast.Call | ast.UnaryOp | ast.BinOp | ast.Name | ast.Attribute | ast.Subscript
    never = [
        f"{path.name}:{node.lineno}"
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Assert) and not all(isinstance(said, can_fail) for said in claims(node.test))
    ]
    assert never == []


def test_no_test_imports_a_test():
    """What several tests need is in a helper's file, and each helper is made once."""
    imported, made = [], Counter()
    for path in sorted(TESTS.glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        made.update(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
        for node in ast.walk(tree):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else names
            imported += [f"{path.name}: {name}" for name in names if name.startswith("test_")]
    assert imported == []
    assert [made[name] for name in ("type_in", "assert_told", "contents", "edit_manifest")] == [1] * 4
