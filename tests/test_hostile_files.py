"""Small files that ask for large work, and values that files should not have: one sentence, soon, in little memory."""

import os
import time
import tracemalloc

import pytest
from click.testing import CliRunner

from jamaica_sim.cli import main

MANY = ", ".join(str(number) for number in range(1, 13))


def show(tmp_path, text):
    (tmp_path / "x.toml").write_text(text)
    return CliRunner().invoke(main, ["experiment", "show", str(tmp_path / "x.toml")])


def factors(names):
    return "[rules]\n" + "".join(f"{name} = [{MANY}]\n" for name in names)


@pytest.mark.parametrize(
    "text",
    [
        factors(["holds", "start_food", "start_gold", "hand_size", "map_hand_size", "treasure_pile", "start_score"]),
        f"pairs = [{', '.join(repr(f'n{number}') for number in range(10_000))}]\n",
        "line_ups = [" + "'random', " * 20_000 + "]\n",
        "games = 2020-01-01\n",
        "title = 2020-01-01T00:00:00\n",
        "[rules]\nplayers = 2020-01-01\n",
        "[rules]\naction_die = [2020-01-01, 12:00:00]\n",
        "[rules]\nedition = [[[[[['2007']]]]]]\n",
        "seed = " + "1" * 5000 + "\n",
        "x = " + "[" * 20_000 + "]" * 20_000 + "\n",
        "x = " + "{a=" * 5_000 + "1" + "}" * 5_000 + "\n",
        "[rules]\nplayers = " + "[" * 300 + "3" + "]" * 300 + "\n",
        "chapters = [[], {}, 1.5]\n",
        "line_ups = [[]]\n",
        "[[tables]]\n" * 20_000,
        "a.b.c.d = 1\n",
        "\0",
    ],
    ids=range(17),
)
def test_an_experiment_is_refused_before_it_costs_anything(text, tmp_path):
    tracemalloc.start()
    started = time.monotonic()
    result = show(tmp_path, text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit), (result.output, result.exception)
    assert result.stderr.startswith("Error: ") and len(result.stderr) < 10_000
    assert time.monotonic() - started < 20 and peak < 300e6


ENDLESS = {
    "device": lambda path: path.symlink_to("/dev/zero"),
    "pipe": lambda path: os.mkfifo(path),
    "huge": lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2**40),
    "huge but not by its size": lambda path: path.symlink_to("/proc/kallsyms"),
}
TAKE_FILES = """experiment show|strategies show|run --games 10 -s|run --games 10 --rules|rules show|rules diff 2007
replay --game 1 --rules|sweep|balance|sensitivity|tune""".replace("\n", "|").split("|")


def typed(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("words", TAKE_FILES)
def test_files_without_an_end(words, kind, tmp_path):
    """Whatever takes a file takes ordinary files of a sensible size."""
    ENDLESS[kind](tmp_path / "x.toml")
    result = typed(*words.split(), tmp_path / "x.toml")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1, (result.output, result.exception)


@pytest.mark.parametrize("kind", ENDLESS)
def test_boards_without_an_end(kind, tmp_path):
    ENDLESS[kind](tmp_path / "board.csv")
    (tmp_path / "x.toml").write_text('board = "board.csv"\n')
    result = typed("rules", "show", tmp_path / "x.toml")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1, (result.output, result.exception)


ELSEWHERE = ["/dev/zero", "/etc/passwd", "../secret", "below/../../secret", "link", "below/link", "", ".", "\\0"]


@pytest.mark.parametrize("name", ELSEWHERE)
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("rules show", 'board = "{}"'),
        ("experiment show", 'line_ups = ["{}.toml"]'),
        ("sweep", 'strategies = ["{}.toml"]\n[sweep]\nhand_size = "2..3"'),
        ("balance", 'strategies = ["{}.py"]\n[targets]\nrounds = [1, 2]\n[ranges]\nhand_size = "2..3"'),
    ],
)
def test_files_of_other_folders_are_not_read(words, text, name, tmp_path):
    """A file that is named in another one lies beside it or below, wherever links lead."""
    folder = tmp_path / "inside"
    (folder / "below").mkdir(parents=True)
    for ending in ("", ".toml", ".py"):
        (tmp_path / f"secret{ending}").write_text("my password")
        (folder / f"link{ending}").symlink_to(tmp_path / f"secret{ending}")
        (folder / "below" / f"link{ending}").symlink_to(tmp_path / f"secret{ending}")
    (folder / "x.toml").write_text(text.format(name.replace("\\0", "\\u0000")) + "\n")
    result = typed(*words.split(), folder / "x.toml")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1, (result.output, result.exception)
    assert "elsewhere" in result.stderr or name in ("", ".", "\\0")
    assert "password" not in result.output


def test_too_many_strategies_to_compare():
    result = CliRunner().invoke(main, ["compare", *["random"] * 300])
    assert result.exit_code == 2 and "at most 256 strategies" in result.stderr
