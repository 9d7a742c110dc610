"""The modules of the pages: every import names what the other module exports, and is used; a joined script is whole."""

import re
import shutil
import subprocess

import pytest

from jamaica_sim.files.page_files import IMPORT, imports_of, joined, page_files

MODULES = {name: source for name, source in page_files().items() if name.endswith(".js")}


def exported(source):
    """The names that a module exports; one line may declare several."""
    lines = re.findall(r"^export (?:async )?(?:const|let|function\*?|class) (.*)$", source, re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|[;,] )([\w$]+)(?= = |\(| \{|;|$| extends)", line)}


@pytest.mark.parametrize("name", MODULES)
def test_what_is_imported_is_exported_and_used(name):
    source = MODULES[name]
    body = IMPORT.sub("", source)
    for other, names in imports_of(name, source):
        for imported in names:
            assert imported in exported(MODULES[other]), f"{other} does not export {imported}"
            used = rf"(?<![\w$])(?<!\w\.){re.escape(imported)}(?![\w$])"
            assert re.search(used, body), f"{name} does not use {imported}"


def test_a_joined_script_has_every_module_once_and_no_import():
    script = joined("replay/player.js")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    for name in ("shared/board.js", "shared/pictures.js", "shared/table.js"):
        assert script.count(MODULES[name].splitlines()[0]) == 1
    assert script.index("const SAILS") < script.index("function drawBoard") < script.index("function start()")


def in_node(script):
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    done = subprocess.run([node, "-e", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_each_module_of_a_joined_script_has_a_scope_of_its_own():
    files = {
        "a/one.js": 'import { two } from "../b/two.js";\nconst own = "one";\nconsole.log(own, two());\n',
        "b/two.js": 'const own = "two";\nexport function two() {\n  return own;\n}\n',
    }
    assert in_node(joined("a/one.js", files)) == ["one", "two"]


def test_a_joined_script_sees_what_a_module_changes_later():
    files = {
        "one.js": 'import {\n  count,\n  step,\n} from "./two.js";\nstep();\nconsole.log(count, step());\n',
        "two.js": "export let count = 1;\nexport const step = () => ++count;\n",
    }
    assert in_node(joined("one.js", files)) == ["2", "3"]


@pytest.mark.parametrize("name", [name for name in MODULES if name.split("/")[0] in ("game", "engine")])
def test_what_has_no_page_imports_nothing_of_one(name):
    assert {other.split("/")[0] for other, _ in imports_of(name, MODULES[name])} <= {"game", "engine"}
    assert not re.search(r"\bdocument\b", MODULES[name])
