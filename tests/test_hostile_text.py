"""Text of users on its way to a terminal, a chart or a page: it is shown, and never obeyed."""

import json
import os
import re
import subprocess
import sys
from html import unescape

import pytest
from command import type_in
from folders import edit_manifest

from jamaica_sim.files.escape import for_stream, link, markdown, visible
from jamaica_sim.report.index import write_index

RANDOM = ["-s", "random", "--games", "20"]


@pytest.mark.parametrize("name", ["a[/b]:smile:", "[bold]a[red]b", "$\\foo{$", "-a$b$c'd \"e", "x\x1b[2Jy\u202egnp"])
def test_any_name_of_a_folder(name, tmp_path):
    """It plays, is written, shown and reported, in a run and in a comparison."""
    run, compared, page = tmp_path / "a" / name, tmp_path / "b" / name, tmp_path / "page.html"
    for words in (
        ["run", *RANDOM, "--out", run],
        ["report", run, "--out", page],
        ["compare", "random", "balanced", "--games", "8", "--out", compared],
    ):
        result = type_in(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
        assert "\x1b" not in result.stdout + result.stderr and "\u202e" not in result.stdout + result.stderr
    assert visible(name) in type_in("resume", run).stdout
    assert "\x1b" not in page.read_text() and "\u202e" not in page.read_text()


def test_a_title_is_no_markdown_and_no_html(tmp_path):
    title = "# A [link](x) <script>alert(1)</script> `code` | *bold*"
    assert markdown(title) == "\\# A \\[link\\](x) &lt;script&gt;alert(1)&lt;/script&gt; \\`code\\` \\| \\*bold\\*"
    (tmp_path / "x.toml").write_text(
        f"title = '''{title}'''\nline_ups = ['random']\ngames = 20\n[rules]\nplayers = [3, 4]\n"
    )
    assert type_in("experiment", "run", tmp_path / "x.toml", "--out", tmp_path / "x").exit_code == 0
    result = type_in("report", tmp_path / "x", "--out", tmp_path / "x.html")
    assert result.exit_code == 0, result.output
    assert "<script>alert" not in (tmp_path / "x.html").read_text()


HOSTILE = (
    "<script>alert(1)</script> \u202egnp.exe\u2066 \x1b[2J ![x](http://evil/x.png) [a](javascript:alert(1)) "
    "https://evil.example www.evil.example _under_ ~~gone~~ \ue000a\ue001b\ue002"
    "\n\n# pwned\n\n```\n\n- item\n\n<img src=x onerror=y>"
)


def forged_run(path):
    """The folder of a run in which one of the strategies has a hostile label."""
    assert type_in("run", "-s", "random", "-s", "balanced", "--games", "40", "--out", path).exit_code == 0
    edit_manifest(path, lambda m: [s.update(label=HOSTILE) for s in m["configuration"]["strategies"][1::2]])
    return path


def forged_experiment(path):
    """The folder of an experiment in which every text is hostile."""
    file = path.with_suffix(".toml")
    file.write_text('line_ups = ["random", "balanced"]\ngames = 40\n[rules]\nplayers = [3, 4]\n')
    assert type_in("experiment", "run", file, "--out", path).exit_code == 0

    def forge(manifest):
        config = manifest["configuration"]
        config.update(title=HOSTILE, description=f"`{HOSTILE}`", source=HOSTILE)
        for setting in config["settings"]:
            setting["label"] = HOSTILE + setting["label"]

    edit_manifest(path, forge)
    return path


def forged_sweep(path):
    assert type_in("sweep", "hand_size=2..3", "-s", "random", "--games", "40", "--out", path).exit_code == 0
    edit_manifest(path, lambda m: m["configuration"].update(title=HOSTILE, description=HOSTILE, source=HOSTILE))
    return path


@pytest.mark.parametrize("make", [forged_run, forged_experiment, forged_sweep])
def test_reports_of_forged_folders_show_text_and_obey_none(make, tmp_path):
    """Labels, titles, descriptions and sources with HTML, Markdown, direction marks and line breaks."""
    folder = make(tmp_path / "forged")
    result = type_in("report", folder, "--out", tmp_path / "page.html")
    assert result.exit_code == 0, result.output
    text = (tmp_path / "page.html").read_text()
    assert "gnp.exe" in text or "alert" in text, "the hostile text is not even there"
    assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ue000-\ue002\x1b]", text)
    assert not re.search(r"<script>alert|<img src=x", text)


def test_the_index_of_reports_shows_text_and_obeys_none(tmp_path):
    """README.md is Markdown: a headline in it is no heading, list, link, picture or HTML."""
    record = {"name": "a)b", "title": HOSTILE, "headline": HOSTILE, "games": 1, "hero": None}
    record |= {"standfirst": HOSTILE, "reference": "", "facts": "", "claims": [], "seed": 1}
    (tmp_path / "x.json").write_text(json.dumps(record))
    write_index(tmp_path, "jamaica-sim report --all x", ["x"])
    text = (tmp_path / "README.md").read_text()
    assert "alert" in text and "](a%29b.html)" in text
    markdown_it = pytest.importorskip("markdown_it")
    rendered = markdown_it.MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert rendered.count("<a href") == rendered.count("<li>") == rendered.count("<h1>") == 1
    assert not re.search(r"<(script|img|em|s|h2)", rendered)


@pytest.mark.parametrize("name", ["a)b", "a b", "javascript:alert(1)//", "x](y)", 'q"r', "ä<b>"])
def test_links_are_escaped(name):
    assert re.fullmatch(r"[\w/%.-]+", link(name))


def test_commands_are_quoted(tmp_path):
    name = "it's $(reboot); x"
    assert type_in("run", *RANDOM, "--out", tmp_path / name).exit_code == 0
    assert type_in("report", tmp_path / name, "--out", tmp_path / "page.html").exit_code == 0
    assert "'it'\"'\"'s $(reboot); x'" in unescape((tmp_path / "page.html").read_text())


def test_a_terminal_that_knows_ascii_only(tmp_path):
    for encoding in ("ascii", "latin-1", "cp437"):
        environment = os.environ | {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0"}
        words = [sys.executable, "-m", "jamaica_sim", "run", *RANDOM]
        done = subprocess.run(words, capture_output=True, env=environment)
        assert done.returncode == 0, done.stderr
        text = done.stdout.decode(encoding)
        assert ("+/-" if encoding == "ascii" else "±") in text


@pytest.mark.parametrize(
    "words", [["resume", b"\xff"], ["run", "--out", b"a\xffb"], ["run", "-s", b"\xff.toml"], ["report", b"\xff"]]
)
def test_names_that_are_not_utf8(words, tmp_path):
    command = [sys.executable, "-m", "jamaica_sim", *words]
    done = subprocess.run(command, capture_output=True, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"is not UTF-8" in done.stderr
    assert os.listdir(tmp_path) == []


def test_what_a_stream_cannot_show():
    assert for_stream("1 ± 2 \udcff \x1b[0m", "ascii") == "1 +/- 2 \\udcff \\x1b[0m"
    assert for_stream("é±", "utf-8") == "é±" and for_stream("±", "no such thing") == "+/-"
