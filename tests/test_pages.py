"""The modules of the pages: every import names what the other module exports, and is used; a joined script is whole."""

import json
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


@pytest.mark.parametrize("name", MODULES)
def test_markup_is_made_by_one_tag_and_written_by_one_module(name):
    source = MODULES[name]
    writing = re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|setHTML|document\.write|createContextualFragment", source
    )
    assert bool(writing) == (name == "shared/markup.js")
    assert not re.search(r"<[a-z][^<>`]*=\$\{", source), "the value of an attribute stands in quotes"
    if name.split("/")[0] not in ("game", "engine"):
        assert not re.search(r"(?<!html)`<[a-z]", source), "markup is made by html`…`"


def test_markup_has_no_element_that_is_not_in_a_template():
    given = "<img src=x onerror='alert(1)'>"
    script = f"""
    {re.sub(r"^export ", "", MODULES["shared/markup.js"], flags=re.MULTILINE)}
    const list = [html`<b>${{1}}</b>`, {json.dumps(given)}, "&", [null, 0]];
    const element = {{ contains: () => false }};
    globalThis.document = {{}};
    fill(element, html`<p title="${{'"'}}">${{list}}</p>`);
    console.log(element.innerHTML.replaceAll(" ", "_"));
    console.log(fill(element, html`<p title="${{'"'}}">${{list}}</p>`), fill(element, {json.dumps(given)}));
    console.log(String(html`${{String(html`<i>`)}}`), listed(["a", "b", "c"], "-").join(""));
    """
    shown = '<p_title="&#34;"><b>1</b>&#60;img_src=x_onerror=&#39;alert(1)&#39;&#62;&#38;null0</p>'
    assert in_node(script) == [shown, "false", "true", "&#60;i&#62;", "a-b-c"]


def test_a_joined_script_has_every_module_once_and_no_import():
    script = joined("replay/player.js")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    for name in ("shared/board.js", "shared/pictures.js", "shared/table.js"):
        assert script.count(f'modules["{name}"] = ') == 1
    assert not re.search(r"^ *(//|/\*|\*)", script, re.MULTILINE)
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
