"""Text of users on its way to a terminal, a chart or a page: it is shown, and never obeyed."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main
from jamaica_sim.escape import for_stream, markdown, visible
from jamaica_sim.report.page import ticks_markdown

RANDOM = ["-s", "random", "--games", "20"]


def type_in(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("name", ["a[/b]:smile:", "[bold]a[red]b", "$\\foo{$", "-a$b$c'd \"e", "x\x1b[2Jy\u202egnp"])
def test_any_name_of_a_folder(name, tmp_path):
    """It plays, is written, shown and reported, in a run and in a comparison."""
    run, compared, page = tmp_path / "a" / name, tmp_path / "b" / name, tmp_path / "page.md"
    for words in (
        ["run", *RANDOM, "--out", run],
        ["report", run, "--out", page],
        ["report", run, "--out", tmp_path / "page.html"],
        ["compare", "random", "balanced", "--games", "8", "--out", compared],
    ):
        result = type_in(*words)
        assert result.exit_code == 0, (words, result.output, result.exception)
        assert "\x1b" not in result.stdout + result.stderr and "\u202e" not in result.stdout + result.stderr
    assert visible(name) in type_in("resume", run).stdout
    assert "\x1b" not in page.read_text() and "\u202e" not in page.read_text()


@pytest.mark.parametrize(
    "text, shown",
    [
        ("All play `balanced`.", "All play `balanced`."),
        ("`[a](x)`, `<b>`", "\\`\\[a\\](x)\\`, \\`&lt;b&gt;\\`"),
        ("a ` alone", "a \\` alone"),
    ],
)
def test_names_in_a_description_are_code_and_nothing_else_is(text, shown):
    assert ticks_markdown(text) == shown


def test_a_title_is_no_markdown_and_no_html(tmp_path):
    title = "# A [link](x) <script>alert(1)</script> `code` | *bold*"
    assert markdown(title) == "\\# A \\[link\\](x) &lt;script&gt;alert(1)&lt;/script&gt; \\`code\\` \\| \\*bold\\*"
    (tmp_path / "x.toml").write_text(
        f"title = '''{title}'''\nline_ups = ['random']\ngames = 20\n[rules]\nplayers = [3, 4]\n"
    )
    assert type_in("experiment", "run", tmp_path / "x.toml", "--out", tmp_path / "x").exit_code == 0
    for form in ("html", "md"):
        result = type_in("report", tmp_path / "x", "--out", tmp_path / f"x.{form}")
        assert result.exit_code == 0, result.output
        assert "<script>alert" not in (tmp_path / f"x.{form}").read_text()


def test_commands_are_quoted(tmp_path):
    name = "it's $(reboot); x"
    assert type_in("run", *RANDOM, "--out", tmp_path / name).exit_code == 0
    assert type_in("report", tmp_path / name, "--out", tmp_path / "page.md").exit_code == 0
    assert "'it'\"'\"'s $(reboot); x'" in (tmp_path / "page.md").read_text()


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
