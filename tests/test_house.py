"""The order of the rooms: imports point down the list, never back, and a package's `__init__` names its modules.

An import inside a function counts like any other, and so does `import_module`. `docs/architecture.md` says why the
order is as it is.
"""

import ast
import re
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import jamaica_sim
from jamaica_sim.experiment.chapters import CHAPTERS

HOUSE = Path(jamaica_sim.__file__).parent
# From the roof to the cellar: a room uses only the rooms below it.
ROOMS = """__main__ cli api studio environments report lab experiment training tuning causes comparison charts run
outside replays results stats store play house strategy tally engine engine.machine variant toml_kinds rules house_file
new_file sources components suggest escape limits user_files errors codes pages clean_import own_folders""".split()
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
COMPILED = ("engine.", "strategy.heuristic.", "strategy.search.", "strategy.net.", "strategy.bans", "training.compiled")


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
        if not f"{name}.".startswith(COMPILED) and name not in ("tally.count", "tally.event_columns")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and parameters(node) > MOST_PARAMETERS
    }
    assert many == set()
