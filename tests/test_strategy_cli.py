"""`jamaica-sim strategies`, and how a strategy that misbehaves ends: one sentence, an exit code, no traceback.

A fault names the file, the decision point, the game, and the command that shows it; that command is typed in here.
"""

import os
import re
import shlex
import subprocess
import sys

import pytest
from command import type_in

from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import check as checking
from jamaica_sim.strategy.heuristic.weights import WEIGHTS
from jamaica_sim.strategy.library import load_strategy, strategy_names

VIEW = "from jamaica_sim.strategy.api import *\nimport numpy as np\n"
CARD = "def choose_card(view, rules, weights):\n    "


def output_of(*words):
    result = type_in(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def complaint(exit_code, *words):
    """The one sentence of a command that ends with this exit code."""
    result = type_in(*words)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == exit_code, result.output
    lines = [line for line in result.stderr.splitlines() if not line.startswith("Compiling")]
    assert len(lines) == 1 and lines[0].startswith("Error: ") and lines[0].endswith((".", "?")), result.stderr
    return lines[0]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def few_tables(monkeypatch):
    """Check two tables instead of all, for tests that need only some table."""
    monkeypatch.setattr(checking, "every_rules", lambda: [Rules(players=3), Rules(players=2, edition="2021")])


# list, show, new


def test_list_names_every_shipped_strategy_with_its_kind():
    lines = output_of("strategies", "list").splitlines()
    rows = [line.split() for line in lines if line.strip()]
    listed = {words[0]: words[1] for words in rows if words[0] in strategy_names()}
    assert sorted(listed) == strategy_names() and len(listed) >= 10
    assert {"random", "racer", "hoarder", "corsair", "treasure_hunter", "provisioner", "gambler"} <= set(listed)
    assert {"endgame", "balanced", "champion"} <= set(listed)
    assert list(listed.values()).count("code") >= 2


@pytest.mark.parametrize("name", strategy_names())
def test_show_tells_how_a_strategy_is_made(name):
    strategy = load_strategy(name)
    text = output_of("strategies", "show", name)
    assert text.startswith(f"{name} (")
    if strategy.kind == "built in":
        assert "weights do not apply" in text
        return
    assert all(f"\n{weight.name} " in text for weight in WEIGHTS)
    assert all(f"{value:g}" in text for value in strategy.changes.values())
    assert ", ".join(d for d in DECISIONS if d in strategy.functions) in text


@pytest.mark.parametrize("code", [[], ["--code"]])
def test_new_writes_a_template_that_plays_as_it_is(folder, code):
    assert output_of("strategies", "new", "mine", *code).startswith("Wrote mine.")
    file = "mine.py" if code else "mine.toml"
    text = (folder / file).read_text(encoding="utf-8")
    assert all(word in text for word in (DECISIONS if code else [weight.name for weight in WEIGHTS]))
    assert "mine" in output_of("run", "--games", 50, "--players", 3, "-s", file, "-s", "balanced")
    assert f"{file} exists already" in complaint(2, "strategies", "new", "mine", *code)
    assert (folder / file).read_text(encoding="utf-8") == text


def test_a_template_with_every_line_uncommented_is_the_default_strategy(folder):
    output_of("strategies", "new", "mine")
    lines = (folder / "mine.toml").read_text(encoding="utf-8").splitlines()
    names = tuple(f"# {weight.name} = " for weight in WEIGHTS)
    (folder / "all.toml").write_text("\n".join(line[2:] if line.startswith(names) else line for line in lines))
    assert set(load_strategy("all.toml").changes) == {weight.name for weight in WEIGHTS}
    changed = {name: value for name, value in load_strategy("all.toml").changes.items() if name != "gold"}
    assert changed == {weight.name: weight.default for weight in WEIGHTS if weight.name != "gold"}


def test_what_cannot_be_listed_shown_or_started_is_refused(folder):
    assert "did you mean 'racer'?" in complaint(2, "strategies", "show", "rcaer")
    assert "'1x' cannot name a new file" in complaint(2, "strategies", "new", "1x")
    assert "cannot be written" in complaint(2, "strategies", "new", "mine", "--into", "nowhere")
    assert "Missing argument" in complaint(2, "strategies", "check")
    assert "there is no weight" in complaint(2, "strategies", "show", wrong_weights(folder))


def wrong_weights(folder):
    path = folder / "wrong.toml"
    path.write_text("[weights]\ngould = 1\n")
    return path


# check


def test_check_finds_nothing_wrong_with_a_good_strategy():
    text = output_of("strategies", "check", "corsair", "random")
    assert (
        "corsair (compiled decision functions): 3,200 games at tables of every kind." in text
        and text.count("No problem found.") == 2
    )
    rows = {
        line.split()[0]: line.split() for line in text.splitlines() if line.split()[:1] and line.split()[0] in DECISIONS
    }
    assert list(rows) == list(checking.PRINTED)  # all of them were reached
    assert all(row[-2] == "ns" and float(row[-1]) > 0 for row in rows.values())
    assert "Never reached" not in text


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("return 99", "answered 99, which is not one of the legal options, at choose_card in game 0"),
        ("return nth(view.legal, draw(0, count(view.legal)))", "answers the same view in different ways"),
        ("return view.space[view.round + 6]", "raised IndexError: index is out of bounds at choose_card in game 0"),
    ],
)
def test_check_tells_what_is_wrong_and_ends_with_1(folder, few_tables, body, problem):
    before = "draw = np.random.randint\n"
    (folder / "bad.py").write_text(f"{VIEW}{before}{CARD}{body}\n")
    result = type_in("strategies", "check", "bad.py")
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit)
    assert "Problem: " in result.stdout and problem in result.stdout
    assert "No problem found" not in result.stdout


def test_check_says_which_decisions_never_came_up(folder):
    (folder / "some.py").write_text(f"{VIEW}{CARD}return lowest(view.legal)\n")
    report = checking.CheckReport(load_strategy("some.py"))
    assert report.never_reached == ["choose_card"]
    report.asked["choose_card"] = 1
    assert report.never_reached == []
    assert checking.CheckReport(load_strategy("racer")).never_reached == list(checking.PRINTED)


# Files that cannot be used: exit code 2, whatever the command

UNUSABLE = {
    "unknown.toml": ("[weights]\nprogess = 1\n", "line 2: there is no weight 'progess': did you mean 'progress'?"),
    "broken.toml": ("[weights\n", "is not valid TOML"),
    "deep.toml": (f"a = {'[' * 5000}", "nested too deeply"),
    "syntax.py": ("def choose_card(:\n", "line 1: `def choose_card(:`: not valid Python"),
    "exits.py": ("raise SystemExit(0)\n", "cannot be imported: SystemExit: 0"),
    "imports.py": ("import nonesuch\n", "cannot be imported: there is no package"),
    "misspelt.py": ("def choose_crad(view, rules, weights):\n    return 0\n", "did you mean 'choose_card'?"),
    "arguments.py": ("def choose_card(view):\n    return 0\n", "must take three arguments"),
    "compiles_not.py": (
        f"{CARD}return view.nonesuch\n",
        "`return view.nonesuch`: the view has no field",
    ),
    "float.py": (f"{CARD}return 1.5\n", "returns a fraction"),
    "none.py": (f"{CARD}pass\n", "never returns an answer"),
}


@pytest.mark.parametrize("file", UNUSABLE)
def test_a_file_that_cannot_be_used_ends_with_2(folder, file):
    text, words = UNUSABLE[file]
    (folder / file).write_text(text)
    for command in (["run", "--games", 5, "-s"], ["replay", "--game", 0, "-s"], ["strategies", "check"]):
        sentence = complaint(2, *command, file)
        assert sentence.startswith(f"Error: {file}") and words in sentence


# Strategies that misbehave while they play: exit code 1

MISBEHAVING = {
    "illegal": ("return 99", "answered 99, which is not one of the legal options,"),
    "negative": ("return -1", "answered -1, which is not one of the legal options,"),
    "huge": ("return 1 << 62", "answered 4611686018427387904, which is not one of the legal options,"),
    "raises": ("if view.round > 0:\n        raise ValueError('no idea')\n    return 0", "raised ValueError: no idea"),
    "asserts": ("assert view.round < 1\n    return 0", "raised AssertionError"),
    "out_of_bounds": ("return view.space[view.round + 5]", "raised IndexError: index is out of bounds"),
    "helper_out_of_bounds": ("return _ship(view, 100_000)", "raised IndexError: index is out of bounds"),
    "divides": ("return 1 // (view.round - view.round)", "raised ZeroDivisionError: integer division by zero"),
    "later": (
        "if view.round == 6 and view.dice[0] + view.dice[1] == 2:\n        raise RuntimeError('lost')\n"
        "    return ask_heuristic(view, rules, weights)",
        "raised RuntimeError: lost",
    ),
}


@pytest.mark.parametrize("name", MISBEHAVING)
def test_a_fault_names_file_decision_game_and_a_command_that_shows_it(folder, name):
    body, words = MISBEHAVING[name]
    path = folder / "my strategies" / f"{name}.py"
    path.parent.mkdir()
    path.write_text(f"{VIEW}@helper\ndef _ship(view, ship):\n    return view.space[ship]\n{CARD}{body}\n")
    table = ["--players", 3, "--edition", 2021, "--ghost", "--rule", "hand_size=4", "--seed", 7]
    sentence = complaint(1, "run", "--games", 400, "-s", "racer", "-s", path, *table)
    what, _, command = sentence.partition("; see it with: jamaica-sim ")
    assert what.startswith(f"Error: The strategy {name} ({path}) {words} at choose_card in game ")
    game = int(re.search(r"in game (\d+), round \d+, seat 1 \(debug_decisions", what)[1])
    assert (game > 0) == (name == "later")
    arguments = shlex.split(command.rstrip("."))
    assert arguments[0] == "replay" and f"--seed 7 --game {game}" in command and "--rule hand_size=4" in command
    shown = type_in(*arguments)
    assert isinstance(shown.exception, SystemExit) and shown.exit_code == 1
    assert "\nRound 1: " in shown.stdout and "{" not in shown.stdout  # the story up to there
    assert f"{what}." in shown.stderr.splitlines()


def test_a_fault_in_a_process_of_its_own_leaves_no_traceback(folder):
    (folder / "bad.py").write_text(f"{VIEW}{CARD}return 99\n")
    command = [sys.executable, "-m", "jamaica_sim", "run", "--games", "5000", "-s", "bad.py", "-s", "balanced"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and done.stdout == ""
    assert "Traceback" not in done.stderr and "at choose_card in game 0, round 1, seat 0" in done.stderr


# Strategies that never answer: noticed, named and left behind by every command that plays

STUCK = VIEW + CARD + "n = 0\n    while view.round >= 0:\n        n += 1\n    return n\n"
ASKED_AGAIN = """
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import Examiner
from jamaica_sim.play.chunks import in_order
from jamaica_sim.strategy.library import load_strategy

views = Examiner(load_strategy("balanced")).captured_views(Rules())
for _ in in_order(lambda: Examiner(load_strategy("stuck.py")), lambda e, r: e.find_peeking(views, r), [Rules()], 1):
    pass
"""


def left_alone(*words):
    """Run Python with these arguments; a strategy has one second for an answer."""
    environment = {**os.environ, "JAMAICA_SIM_PATIENCE": "1"}
    command = [sys.executable, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["strategies", "check"], ["compare", "random"], ["replay", "--game", 0, "-s"]])
def test_a_strategy_that_never_answers_is_left_behind(folder, command):
    (folder / "stuck.py").write_text(STUCK)
    done = left_alone("-m", "jamaica_sim", *command, "stuck.py")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    said = done.stdout + done.stderr
    sentence = "he strategy stuck (stuck.py) has not answered for 1 seconds at choose_card in game 0 (debug_decisions"
    assert said.count(sentence) == 1
    assert ("; see it with: jamaica-sim replay " in said) == (command[0] != "replay")


@pytest.mark.slow
def test_the_check_also_watches_what_it_asks_outside_of_games(folder):
    (folder / "stuck.py").write_text(STUCK)
    done = left_alone("-c", ASKED_AGAIN)
    assert done.returncode == 1
    assert "StrategyFault: the strategy stuck (stuck.py) has not answered for 1 seconds at choose_card, asked once" in (
        done.stderr
    )


def test_a_fault_before_the_first_dice_are_placed(folder):
    """There is no event of the game to tell yet."""
    body = "if view.round < 100:\n        raise ValueError('no idea')\n    return 0\n"
    (folder / "bad.py").write_text(f"def place_dice(view, rules, weights):\n    {body}")
    assert "raised ValueError: no idea at place_dice in game 2" in complaint(1, "replay", "-s", "bad.py", "--game", 2)


@pytest.mark.parametrize("patience", ["soon", "nan", "0", "-3"])
def test_a_patience_that_is_no_number_of_seconds(patience, monkeypatch):
    monkeypatch.setenv("JAMAICA_SIM_PATIENCE", patience)
    sentence = complaint(2, "run", "--games", 5, "-s", "random")
    assert f"JAMAICA_SIM_PATIENCE must be a number of seconds above 0, not {patience!r}" in sentence
