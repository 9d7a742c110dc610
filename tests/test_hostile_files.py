"""Small files that ask for large work, and values that files should not have: one sentence, soon, in little memory."""

import os
import time
import tracemalloc
from contextlib import contextmanager

import pytest
from click.testing import CliRunner
from command import assert_told, type_in

from jamaica_sim import train
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
        ("sweep", 'line_ups = [["{}.toml"]]\n[rules]\nhand_size = "2..3"'),
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


BOARD = "".join(f"{n},{'port_royal' if n == 0 else 'sea'},{0 if n == 0 else 2},0,,,\n" for n in range(20))
BOARDS = {
    "a cost without end": ("2,0,,,", "Infinity,0,,,"),
    "a cost of 400 digits": ("2,0,,,", f"{'9' * 400},0,,,"),
    "x of 400 digits": ("2,0,,,", f"2,0,,{'9' * 400},0.5"),
    "x is not a number": ("2,0,,,", "2,0,,nan,0.5"),
    "x is infinite": ("2,0,,,", "2,0,,inf,-inf"),
    "a field that is too long": ("2,0,,,", f"2,0,,{'1' * 200_000},"),
    "a next of 5,000 digits": ("2,0,,,", f"2,0,{'1' * 5000},,"),
    "a null character": ("2,0,,,", "2,0,\0,,"),
}


@pytest.mark.parametrize("kind", BOARDS)
@pytest.mark.parametrize("words", ["rules show", "board --out board.png --rules"])
def test_odd_boards_are_refused(words, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old, new = BOARDS[kind]
    (tmp_path / "board.csv").write_text("space,kind,cost,score,next,x,y\n" + BOARD.replace(old, new, 1))
    (tmp_path / "x.toml").write_text('board = "board.csv"\n')
    result = typed(*words.split(), "x.toml")
    if kind != "x is not a number":  # which is a space without a place
        assert result.exit_code == 2, (result.output, result.exception)
    assert result.exit_code in (0, 2) and result.stderr.count("\n") <= 1, (result.output, result.exception)


def test_a_board_without_a_fork_can_be_played(tmp_path):
    """It was refused with "zip() argument 2 is longer than argument 1"."""
    rows = BOARD.replace("1,sea,2", "1,lair,0").replace("2,sea,2", "2,lair,0").replace("3,sea,2", "3,lair,0")
    (tmp_path / "board.csv").write_text("space,kind,cost,score,next,x,y\n" + rows)
    (tmp_path / "x.toml").write_text('board = "board.csv"\ntreasure_pile = 3\n')
    result = typed("run", "--games", "10", "-s", "random", "--rules", tmp_path / "x.toml")
    assert result.exit_code == 0, (result.output, result.exception)


def test_rules_that_are_no_record(tmp_path):
    result = typed("run", "--games", "10", "-r", "components=x", "-r", "space.6.cost=3")
    assert result.exit_code == 2 and "record of components" in result.stderr
    result = typed("run", "--games", "10", "-r", f"space.{'9' * 5000}.cost=3")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1


def test_looking_at_code(tmp_path):
    """A weight of 400 digits, and a file that would take a gigabyte to parse."""
    code = "def use_sabre(view, rules, weights): return 0\n"
    (tmp_path / "x.py").write_text(f"WEIGHTS = {{'gold': {'9' * 400}}}\n{code}")
    result = typed("strategies", "show", tmp_path / "x.py")
    assert result.exit_code == 2 and "must be from 0 to 5 points per doubloon" in result.stderr
    (tmp_path / "x.py").write_text(code + "x=[" + "[]," * 300_000 + "]\n")
    result = typed("strategies", "show", tmp_path / "x.py")
    assert result.exit_code == 2 and "131,072 characters" in result.stderr


# A disk that is full


@pytest.fixture
def full_disk():
    """While it is entered no file can have a byte."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    @contextmanager
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    return full


WRITE = {
    "strategies new mine": "mine.toml",
    "strategies new mine --code": "mine.py",
    "rules new mine": "mine.toml",
    "rules new mine --code": "mine.py",
    "experiment new mine": "mine.toml",
    "board --out mine.csv": "mine.csv",
    "board --out mine.svg": "mine.svg",
    "replay --game 3 -s random --html mine.html": "mine.html",
    "run -n 10 -s random --out mine": "mine",
    "compare random balanced -n 8 --out mine": "mine",
}


@pytest.mark.parametrize("words", WRITE)
def test_a_full_disk_leaves_nothing_behind(words, tmp_path, monkeypatch, full_disk):
    """The file or folder is named, none is left, and so the command can be typed again."""
    monkeypatch.chdir(tmp_path)
    with full_disk():
        told = type_in(*words.split())
    assert_told(told, told.exit_code, WRITE[words], "File too large")
    assert told.exit_code in (1, 2) and not [*tmp_path.iterdir()]
    assert type_in(*words.split()).exit_code == 0


@pytest.mark.parametrize("left_by_a_killed_process", [False, True])
def test_a_training_begins_once_there_is_room(tmp_path, full_disk, left_by_a_killed_process):
    if left_by_a_killed_process:  # an empty folder keeps nobody out
        (tmp_path / "mine.training").mkdir()
    with full_disk(), pytest.raises(OSError, match=r"File too large: .*mine.training/task.json"):
        train("balanced", out=tmp_path / "mine.toml", labels=300)
    assert not [*tmp_path.iterdir()]
