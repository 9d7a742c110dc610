"""Ten thousand random files, folders and command lines of every kind: each ends in a result or a sentence.

A sentence is a `UserError`, or an `OSError` about a damaged folder; any other exception is a bug of ours (exit code 3).
No hang, and not more than a gigabyte.
"""

import copy
import json
import os
import resource
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command import type_in
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from jamaica_sim import UserError, find_games, load, load_rules
from jamaica_sim.cli import main
from jamaica_sim.files.atomic_files import hash_of, load_array, npy_bytes
from jamaica_sim.game.components.course import read_board
from jamaica_sim.game.house_file import HouseRules
from jamaica_sim.play.expression import Expression
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import manifest_bytes
from jamaica_sim.play.outside import game_file
from jamaica_sim.play.tally.layout import TALLY_DTYPE
from jamaica_sim.strategy.library import LOOKERS
from jamaica_sim.strategy.net.net_file import read_net
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.study import load_study
from jamaica_sim.study.lab.screening import load_ranges_file
from jamaica_sim.study.lab.sweep_folder import load_sweep_file
from jamaica_sim.study.lab.targets import read_targets_file
from jamaica_sim.study.parts import decode, encode, schema_of_games

pytestmark = pytest.mark.slow
MEMORY = 2**30  # bytes more than before
LUCK = st.randoms(use_true_random=True)  # one draw for a whole example: many draws take longer than the test itself


def fuzz(examples):
    checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
    return settings(max_examples=examples, deadline=20_000, suppress_health_check=checks, database=None)


@pytest.fixture(autouse=True)
def little_memory():
    """The largest size of the process grows by less than a gigabyte."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 < MEMORY


def told(function, *arguments):
    """Whatever comes of a call is a result or a sentence."""
    try:
        return function(*arguments)
    except (UserError, OSError) as error:
        assert str(error).strip()


# Folders


def deep(levels):
    nested = []
    for _ in range(levels):
        nested = [nested]
    return nested


ODD = [
    None, True, False, 0, 1, -1, 2, 7, 10**400, -(10**400), 2**62, 2**63, 2**64, float("nan"), float("inf"),
    -float("inf"), 1e308, 0.5, -0.0, "", "x", "../x", "/dev/zero", "\x1b[2J\u202e", "9" * 5000, "random", "code",
    "x.py", [], {}, [[]], {"a": 1}, [None], [1, 2, 3], "2007", deep(900), "space.6.cost", "hand_size", "\0", "\ud800",
    "y" * 300_000, {"": None}, [float("nan")] * 3, "house_rules", "board", "x.csv", "sums.npy",
]  # fmt: skip


def places(data, path=()):
    """The path to every value in nested data."""
    yield path
    if isinstance(data, dict | list):
        for key in data if isinstance(data, dict) else range(len(data)):
            yield from places(data[key], (*path, key))


def at(data, path):
    for key in path:
        data = data[key]
    return data


def put(data, path, value):
    """The data with another value at a path."""
    if not path:
        return value
    data = copy.copy(data)
    data[path[0]] = put(data[path[0]], path[1:], value)
    return data


def without(data, path):
    """The data without the entry at a path."""
    inner = copy.copy(at(data, path[:-1]))
    del inner[path[-1]]
    return put(data, path[:-1], inner)


def nearly(luck, value):
    """A value that is a little different."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        change = luck.choice([1, -1, 100, -100, 0.5])
        return value + (change if abs(value) < 1e300 else int(change))  # 10**400 is no float
    if isinstance(value, str | list):
        return luck.choice([value[:-1], value + value[:1], value[::-1]])
    return {**value, luck.choice(["x", "", *value]): luck.choice(ODD)} if isinstance(value, dict) else luck.choice(ODD)


def mutated(luck, data):
    """Data with one to three entries changed, removed or taken from elsewhere."""
    for _ in range(luck.choice([1, 1, 1, 2, 3])):
        paths = list(places(data))
        path = luck.choice(paths)
        change = luck.random()
        if change < 0.55:
            data = put(data, path, luck.choice(ODD))
        elif change < 0.7 and path:
            data = without(data, path)
        elif change < 0.8:
            data = put(data, path, at(data, luck.choice(paths)))
        else:
            data = put(data, path, nearly(luck, at(data, path)))
    return data


def json_text(data):
    """The data as JSON; what is nested too deep for writing, lists within deep lists, is no example."""
    try:
        return json.dumps(data)
    except RecursionError:
        reject()


MADE = {
    "run": "run -s random -p 3 -n 50 --per-game --out",
    "bare": "run -s random -p 3 -n 50 --out",
    "events": "run -s random -p 3 -n 50 --events --out",
    "comparison": "compare random balanced -n 40 --out",
    "experiment": "experiment run ../e.toml --out",
    "sweep": "sweep hand_size=2..3 -s random -n 40 --out",
    "sensitivity": "sensitivity ../r.toml --out",
    "balance": "balance ../t.toml --out",
}
FILES = {
    "e.toml": 'line_ups = ["random"]\ngames = 40\n[rules]\nplayers = [3, 4]\n',
    "r.toml": 'games = 40\ntrajectories = 2\nsamples = 2\nkept = 2\nstrategies = ["random"]\n'
    '[ranges]\nholds = [3, 5]\nhand_size = "2..3"\n',
    "t.toml": 'games = 40\nsearch_games = 40\ntrials = 3\nadapt = 0\nstrategies = ["random"]\n'
    '[targets]\nrounds = [11, 12]\n[ranges]\nhand_size = "2..4"\n',
}
LOAD = {
    "run": load,
    "bare": load,
    "events": load,
    "comparison": load,
    "experiment": load_study,
    "sweep": load,
    "sensitivity": load,
    "balance": load,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A small folder of every kind."""
    pytest.importorskip("optuna", reason="the extra lab is not installed")
    home = tmp_path_factory.mktemp("fuzz") / "made"
    home.mkdir()
    for name, text in FILES.items():
        (home.parent / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        for kind, words in MADE.items():
            result = type_in(*words.split(), kind)
            assert result.exit_code == 0, result.output
    return home


def forge(luck, folder):
    """Change one file of a folder, with correct hashes where the program can write them."""
    parts = list(folder.rglob("*.parquet"))
    if parts and luck.random() < 0.2:
        part = luck.choice(parts)
        content = damaged(luck, part.read_bytes())
        part.unlink()
        return luck.choice([lambda: None, part.mkdir, lambda: part.write_bytes(content)])()
    file = luck.choice([path for path in folder.rglob("*.json") if path.name != "tables.json" or luck.random() < 0.1])
    data = mutated(luck, json.loads(file.read_text()))
    if file.name != "manifest.json":
        content = json_text(data).encode()
        manifest = json.loads((file.parent / "manifest.json").read_text())
        manifest["files"][file.name] = hash_of(content)
        (file.parent / "manifest.json").write_bytes(manifest_bytes(manifest))
    else:
        try:
            content = manifest_bytes(data)
        except Exception:  # the program itself could not write it
            content = json_text(data).encode()
    file.write_bytes(content)


def look_at(kind, folder, luck):
    found = LOAD[kind](folder)
    repr(found)
    for table in found.result_tables() if hasattr(found, "result_tables") else ():
        str(table)
    if kind in ("run", "bare") and luck.random() < 0.3:
        find_games(folder, where="margin > 2", sort="-deficit" if luck.random() < 0.2 else "")


@fuzz(2500)
@given(luck=LUCK)
def test_folders(luck, folders):
    kind = luck.choice(list(MADE))
    other = folders.parent / "other" / kind
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(folders / kind, other)
    forge(luck, other)
    told(look_at, kind, other, luck)


@fuzz(300)
@given(luck=LUCK)
def test_commands_on_folders(luck, folders):
    """Reports, boards, replays and resuming."""
    kind = luck.choice(list(MADE))
    other = folders.parent / "again" / kind
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(folders / kind, other)
    forge(luck, other)
    page = folders.parent / "page"
    words = luck.choice(
        [["report", other, "--out", f"{page}.html"], ["resume", other],
         ["board", "--heat", "landings", "--from", other, "--out", f"{page}.png"], ["replay", other, "--game", 7],
         ["merge", other, folders / "run", "--out", f"{page}.merged"]]
    )  # fmt: skip
    shutil.rmtree(f"{page}.merged", ignore_errors=True)
    result = type_in(*words)
    assert result.exit_code in (0, 1, 2), (words, result.output, result.exception)
    assert "\x1b" not in result.output and "\u202e" not in result.output


# Files of text

WORDS = """= [ ] { } , 'random' "all" 2020-01-01 1e999 -1 3 4 true nan [rules] [[tables]] [weights] [ranges] [targets]
[sweep] [search] [search.policy] . # "x.csv" "x.py" "/dev/zero" 1_0 0x10 inf "2..4" "1,2|3" "2..999999"
'''a''' [space.6] house_rules title games seed chapters compare rules tables line_ups pairs players edition
holds action_die name weights foresight gold cost hand_size board ports.dearer red_line space.6.cost
treasure.lady_beth card.3 combat_die components strategies trials""".split()
VALID = [
    *FILES.values(),
    'name = "x"\ndescription = "y"\nbans = ["attack"]\n[weights]\ngold = 1.5\nfood = 2\n',
    'name = "s"\n[search]\ndeals = 8\ndecisions = ["choose_card"]\n[search.policy]\ngold = 1\n[weights]\ngold = 1\n',
    "hand_size = 4\nplayers = 3\naction_die = [1, 2, 3, 4, 5, 6]\n[space.6]\ncost = 3\n[treasure]\nlady_beth = 0\n",
    'games = 10\nline_ups = ["random"]\n[rules]\nplayers = 3\nhand_size = [2, 3, 4]\n"space.6.cost" = [1, 2]\n',
]


def some_toml(luck):
    """Words in any order, or a valid file with some of its words and letters changed."""
    if luck.random() < 0.3:
        return " ".join(luck.choices([*WORDS, "\n", "\n"], k=luck.randint(0, luck.choice([5, 15, 40]))))
    words = luck.choice(VALID).replace("\n", " \n ").split(" ")
    for _ in range(luck.randint(1, 4)):
        place = luck.randrange(len(words))
        words[place : place + luck.randint(0, 2)] = luck.choices([*WORDS, *words, "9" * 5000, "\0", "é", "\\"], k=1)
    return " ".join(words)


@fuzz(2000)
@given(text=LUCK.map(some_toml) | st.text(max_size=60))
def test_toml(text, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    told(experiment_from_text, text, Path("x.toml"))
    told(LOOKERS[".toml"], text, Path("x.toml"))
    told(load_rules, file)
    told(load_sweep_file, file)
    told(read_targets_file, file)
    told(load_ranges_file, file)


FIELDS = (
    """0 1 2 3 5 -5 7|13 99 sea port lair port_royal 0.5 nan inf -inf 1e400 x 9999999999 "" "a,b" | / 2.5 \0""".split(
        " "
    )
)
COLUMNS = ["space", "kind", "cost", "score", "next", "x", "y"]


def some_board(luck):
    """A board in which some fields are odd, or lines of anything."""
    rows = [
        [str(n), "sea" if n else "port_royal", "2" if n else "0", "0", "", "", ""]
        for n in range(luck.choice([12, 20, 62]))
    ]
    for _ in range(luck.randint(1, 6)):
        luck.choice(rows)[luck.randrange(len(COLUMNS))] = luck.choice([*FIELDS, "9" * luck.choice([10, 5000, 200_000])])
    kept = luck.sample(COLUMNS, luck.choice([7, 7, 7, 5]))
    lines = [",".join(row[COLUMNS.index(name)] for name in kept) for row in rows]
    return "\n".join([",".join(kept), *lines[: luck.choice([len(lines), 3])]])


@fuzz(1000)
@given(text=LUCK.map(some_board) | st.text(max_size=80))
def test_boards(text):
    told(read_board, text)


CODE = [
    "def use_sabre(view, rules, weights):",
    "    return 0",
    'NAME = "x"',
    'WEIGHTS = {"gold": 1}',
    "import os",
    "class A:",
    'WEIGHTS = {"gold": 1e400, 3: []}',
    'BANS = ["x"]',
    "view.round = 3",
    'PARAMETERS = {"pays": (2, 0, 10)}',
    "x = (((((",
    "    def choose_card(view, rules, weights): return 1",
    "'''",
    "\\",
    "def lair(game, rules, ship, space, token):",
    "@x",
    "    give(game, rules, ship, GOLD, 1)",
    "INTENT = -3",
    "lambda: 0",
    'f"{1!r:{2}}"',
    "async def a(): pass",
    "\0",
    "\f",
    "PARAMETERS = {1: 2}",
    'PARAMETERS = {"a": (9, 0, 1)}',
    'NAME = ["x"] * 9',
    "\u202e",
    "match x: pass",
    "def choose_card(): pass",
    f"WEIGHTS = {{'gold': {'9' * 5000}}}",
    "PARAMETERS = {'a': (10**400, 0, 1)}",
]


def some_code(luck):
    return "\n".join(luck.choices(CODE, k=luck.randint(0, 12))) + "x" * luck.choice([0, 0, 200_000])


@fuzz(800)
@given(text=LUCK.map(some_code) | st.text(max_size=60))
def test_code_is_looked_at(text):
    """Strategies and house rules: none of it runs."""
    told(LOOKERS[".py"], text, Path("x.py"))
    told(HouseRules, "x.py", text)


PARTS = """winners rounds game margin comeback ghost Blue 3 -1 2.5 1e300 99999999999999999999 == != < <= > in not and or
+ - * / % ( ) [ ] , . 'Blue' "ghost" True None not lambda : if else ** & | ~ @ :=""".split()


@fuzz(800)
@given(words=st.lists(st.sampled_from(PARTS), max_size=12))
def test_conditions(words):
    columns = {name: np.arange(4, dtype=np.int16) for name in ("winners", "rounds", "margin")}
    columns |= {"game": np.arange(4) + 2**62, "comeback": np.array([True, False, True, False])}
    told(lambda: Expression(" ".join(words), list(columns), {"ghost": 8, "Blue": 1})(columns))


# Files of bytes

WHOLE = [npy_bytes(np.zeros(1, dtype)) for dtype in (np.dtype("i8"), TALLY_DTYPE)]
SHAPES = [-5, -1, 0, 1, 2, 255, 2**31, 2**63, 10**18, None, "", "1", "\0", "ä", "(1,)", "\U0001f3f4"]


def damaged(luck, content, first=400):
    """Bytes changed near the beginning or the end, or cut off anywhere."""
    content = bytearray(content)
    for _ in range(luck.randint(1, 6)):
        place = luck.randrange(min(len(content), first))
        content[place if luck.random() < 0.5 else -1 - place] = luck.choice([0, 255, luck.randint(0, 255)])
    return bytes(content)[: luck.choice([len(content), len(content), luck.randint(0, len(content))])]


def some_header(luck):
    """Damaged arrays, and made-up headers."""
    if luck.random() < 0.5:
        return damaged(luck, luck.choice(WHOLE))
    shape = luck.choice([*SHAPES, luck.randint(-5, 10 ** luck.randint(1, 18))])
    header = (
        f"{{'descr': {luck.choice(['<i8', '|O', '<U9999'])!r}, 'fortran_order': False, 'shape': ({shape!r},)}}".encode()
    )
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@fuzz(1000)
@given(content=LUCK.map(some_header))
def test_headers(content):
    for dtype in ("i8", TALLY_DTYPE):
        array = load_array(content, dtype)
        assert array is None or array.dtype == dtype


@fuzz(500)
@given(luck=LUCK)
def test_parquet(luck, folders):
    """Only a ValueError, which its callers turn into a sentence."""
    [part] = (folders / "run" / "games").iterdir()
    content = damaged(luck, part.read_bytes(), 4000)
    try:
        table = decode(content, 50, schema_of_games(3))
    except ValueError:
        return
    assert table.num_rows <= 50 and bytes(encode(table))


NET = Path(__file__).parent.parent / "strategies" / "master.npz"


@fuzz(500)
@given(luck=LUCK)
def test_nets(luck):
    def refuse(problem):
        raise StrategyError(problem)

    content = NET.read_bytes()
    told(read_net, damaged(luck, content, luck.choice([100, 1000, len(content)])), "x.npz", refuse)


@fuzz(600)
@given(luck=LUCK)
def test_game_files(luck, tmp_path):
    table = seat_table(strategies=["random"], players=3)
    game_file.write(tmp_path / "whole.json", table, 7, {0: [1, 2, 3]}, [(1, "a note")])
    saved = json.loads((tmp_path / "whole.json").read_text())
    text = json_text(mutated(luck, saved))
    if luck.random() < 0.2:
        text = text[: luck.randint(0, len(text))] + luck.choice(["", "9" * 5000, "[" * 5000, "\0"])
    (tmp_path / "x.json").write_text(text, errors="surrogateescape")
    told(game_file.read, tmp_path / "x.json")


# Command lines

COMMANDS = """run resume merge compare tune train studio sweep sensitivity balance experiment report board replay games
strategies rules show list check new diff"""
OPTIONS = """--games --players -p -s --strategy --rule -r --rules --seed --out --threads --format --chapter
--heat --from
--game --trust --help --version --edition --ghost --no-ghost --where --sort --limit --first-game --luck
--house-rules --cluster --until --all"""
GIVEN = """0 1 3 -1 99999999999999999999 nan balanced random x.toml /dev/null . .. json csv landings hand_size=4 a=b =
components=x space.6.cost=3 board=x hand_size=2..4 local:0 dice=7 2007 1e6 10k space.99999999999.cost=1
ports.dearer=x card.3=gold"""
ANYTHING = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
ARGUMENTS = st.sampled_from([*COMMANDS.split(), *OPTIONS.split(), *GIVEN.split()]) | ANYTHING


@fuzz(1000)
@given(words=st.lists(ARGUMENTS, max_size=7))
def test_command_lines(words, tmp_path_factory, monkeypatch):
    """Everything up to the first game is run: from there on nothing depends on what was typed."""

    def enough(*_, **__):
        raise UserError("enough")

    for name in (
        "study.simulate.warm_up", "study.compare.compare.warm_up", "play.trace.replay_table", "play.check.check",
        "cli.report._report_all", "play.compile_ahead.compile_missing", "study.tune.tune.warm_up",
        "study.cluster._connect",
    ):  # fmt: skip
        monkeypatch.setattr(f"jamaica_sim.{name}", enough)
    monkeypatch.setattr("jamaica_sim.web.server.serve", enough, raising=False)
    home = tmp_path_factory.getbasetemp() / "typed"
    home.mkdir(exist_ok=True)
    monkeypatch.chdir(home)
    if "studio" in words or "play" in words:
        words = [*words, "--no-such-option"]  # a server would wait for somebody
    result = CliRunner().invoke(main, words)
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert result.exit_code in (0, 1, 2) and "\x1b" not in result.output, (words, result.output)
    assert os.getcwd() == str(home)
