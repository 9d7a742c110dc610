"""The modules of the pages: every import names what the other module exports, and is used; a joined script is whole."""

import re

import pytest

from jamaica_sim.pages.page_files import joined, page_files

MODULES = {name: source for name, source in page_files().items() if name.endswith(".js")}
IMPORTS = re.compile(r'^import \{ (.*?) \} from "\./([\w.]+)";$', re.MULTILINE)


def exported(source):
    """The names that a module exports; one line may declare several."""
    lines = re.findall(r"^export (?:async )?(?:const|let|function|class) (.*)$", source, re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|[;,] )([\w$]+)(?= = |\(| \{|;|$)", line)}


@pytest.mark.parametrize("name", MODULES)
def test_what_is_imported_is_exported_and_used(name):
    source = MODULES[name]
    body = IMPORTS.sub("", source)
    for names, other in IMPORTS.findall(source):
        for imported in names.split(", "):
            assert imported in exported(MODULES[other]), f"{other} does not export {imported}"
            used = rf"(?<![\w$])(?<!\w\.){re.escape(imported)}(?![\w$])"
            assert re.search(used, body), f"{name} does not use {imported}"


def test_a_joined_script_has_every_module_once_and_no_import():
    script = joined("player.js")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    for name in ("board.js", "pictures.js", "table.js"):
        assert script.count(MODULES[name].splitlines()[0]) == 1
    assert script.index("const SAILS") < script.index("function drawBoard") < script.index("function start()")
