"""The documentation site has every page, its notebooks run, and commands in its fences are commands that exist."""

import re
import shlex
import sys
from pathlib import Path

import click
import pytest

import jamaica_sim
from jamaica_sim.cli import main

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
NOTEBOOKS = sorted(DOCS.glob("*.ipynb"))

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="a checkout has the docs")


def test_the_site_leads_to_every_page():
    texts = [(DOCS / f"{name}.md").read_text(encoding="utf-8") for name in ("index", "notebooks")]
    trees = [tree for text in texts for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, re.S)]
    listed = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    pages = {*(page.stem for page in [*PAGES, *NOTEBOOKS]), "reports/README"}  # which leads to every report
    assert pages - {*listed} == {"index"} and {*listed} <= pages


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target


def test_the_pictures_are_those_of_the_reports():
    """`python tools/pictures.py` takes them out of the reports again."""
    sys.path.insert(0, str(ROOT / "tools"))
    import pictures

    for name in pictures.SHOWN:
        assert pictures.file_of(name).read_text("utf-8") == pictures.picture(name), name
        assert any(f"_static/{name}.svg" in page.read_text("utf-8") for page in [ROOT / "README.md", *PAGES]), name


def test_a_page_has_all_that_is_public_and_the_docs_name_nothing_else():
    """But for what a user's file or a learner imports, and the pages about the code."""
    listed = {*re.findall(r"^\.\. auto\w+:: jamaica_sim\.(\w+)$", (DOCS / "api.md").read_text("utf-8"), re.M)}
    assert listed == {*jamaica_sim.__all__}
    public = ("environments", "strategy.api", "strategy.house.api")
    for page in PAGES:
        text = re.sub(r"```\{eval-rst\}.*?```", "", page.read_text("utf-8"), flags=re.S)
        named = {*re.findall(r"\bjamaica_sim\.((?:\w+\.)*\w+)", text)} - {*jamaica_sim.__all__, *public, "__all__"}
        assert page.stem in ("architecture", "performance") or not named, page.name


def commands():
    """Every command line of ours in a fence of the README and the docs."""
    for page in [ROOT / "README.md", *PAGES]:
        for fence in re.findall(r"^```(?:bash|sh|console)?\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M):
            for line in fence.replace("\\\n", " ").splitlines():
                for part in re.split(r"&& | \| ", line.removeprefix("$ ")):
                    if re.match(r"\s*jamaica-sim [a-z]+", part):
                        yield pytest.param(part.strip(), id=f"{page.name}: {part.strip()[:60]}")


@pytest.mark.parametrize("line", list(commands()))
def test_every_command_in_the_docs_has_options_that_exist(line):
    words = shlex.split(re.sub(r"\s\[[A-Z].*|\s(?:\.\.\.|>).*", "", line), comments=True)[1:]
    command = main
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command = command.get_command(click.Context(command), words.pop(0))
        assert command is not None, line
    known = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help", "-h", "--version"}
    used = {word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)}
    assert used <= known, line


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_its_code_shows(path):
    """`python tools/notebooks.py` runs all of them and keeps their outputs again."""
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    from notebooks import executed, shown

    kept = nbformat.read(path, as_version=4)
    assert shown(kept) and shown(kept) == shown(executed(path))
