"""Code of strangers: looking at a folder or an experiment never runs it, and playing asks first."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import type_in
from folders import edit_manifest

from jamaica_sim import load, load_experiment, run_experiment
from jamaica_sim.cli import COMMANDS, main
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import configuration
from jamaica_sim.strategy.library import Untrusted, load_strategy, look_at_strategy, strangers
from jamaica_sim.study.folder import StudyFolder
from jamaica_sim.study.simulate import resume_run, run_games

CODE = '''"""Leaves a mark wherever it is run."""
import os
NAME = "marker"
INTENT = "to be noticed"
WEIGHTS = {"foresight": 0.0}
with open(os.environ["MARK"], "a") as file:
    file.write("run\\\\n")

def use_sabre(view, rules, weights):
    return 0
'''


@pytest.fixture
def mark(tmp_path, monkeypatch):
    """The file that the stranger's code writes when it runs."""
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "mark"


@pytest.fixture
def stranger(mark, tmp_path):
    """A strategy of code that the user has never named."""
    (tmp_path / "marker.py").write_text(CODE)
    return look_at_strategy(tmp_path / "marker.py")


def folder_of_run(path, strategy, games=20):
    """The folder of a run that has not played any game yet."""
    table = seat_table(strategies=["random"], players=3)
    config = configuration(table, 0, games, per_game=False)
    config["strategies"] = [strategy.identity()] * 3
    StudyFolder.create(path, config).close()
    return path


def played_by_stranger(stranger, path, mark):
    """A complete run of code that the user named then."""
    results = run_games(seat_table(strategies=[load_strategy(stranger.path)], players=3), 20, out=path)
    mark.unlink()
    return results


def test_looking_at_a_file_tells_what_it_writes_out(stranger, mark):
    assert (stranger.name, stranger.kind, stranger.intent) == ("marker", "code", "to be noticed")
    assert stranger.description == "Leaves a mark wherever it is run." and list(stranger.functions) == ["use_sabre"]
    assert stranger.not_loaded and not mark.exists()
    with pytest.raises(ValueError, match="not run"):
        stranger.addresses()
    result = type_in("strategies", "show", stranger.path)
    assert result.exit_code == 0 and "use_sabre" in result.stdout and not mark.exists()


def test_reporting_runs_nothing(stranger, mark, tmp_path):
    played = played_by_stranger(stranger, tmp_path / "run", mark)
    assert load(tmp_path / "run").games == played.games == 20
    for words in (
        ["report", tmp_path / "run", "--out", tmp_path / "page.html"],
        ["board", "--heat", "landings", "--from", tmp_path / "run", "--out", tmp_path / "board.png"],
        ["resume", tmp_path / "run"],  # it is complete
    ):
        result = type_in(*words)
        assert result.exit_code == 0, result.output
    assert not mark.exists()


def test_merging_runs_nothing(mark, stranger, tmp_path):
    table = seat_table(strategies=[load_strategy(stranger.path)], players=3)
    for number in range(2):
        run_games(table, 20, first_game=20 * number, out=tmp_path / str(number))
    mark.unlink()
    result = type_in("merge", tmp_path / "0", tmp_path / "1", "--out", tmp_path / "all")
    assert result.exit_code == 0 and not mark.exists()


def test_showing_an_experiment_runs_nothing(stranger, mark, tmp_path):
    (tmp_path / "x.toml").write_text('games = 20\nline_ups = ["./marker.py"]\n[rules]\nplayers = [3, 4]\n')
    result = type_in("experiment", "show", tmp_path / "x.toml")
    assert result.exit_code == 0 and "20 games at each of 2 settings" in result.stdout
    result = type_in("experiment", "run", tmp_path / "x.toml", "--out", tmp_path / "x")
    assert result.exit_code == 2 and "--trust" in result.stderr and result.stderr.count("\n") == 1
    with pytest.raises(Untrusted):
        run_experiment(load_experiment(tmp_path / "x.toml"), tmp_path / "x")
    assert not mark.exists() and not (tmp_path / "x").exists()


def test_replaying_is_refused_without_trust_and_goes_on_with_it(stranger, mark, tmp_path):
    folder = folder_of_run(tmp_path / "run", stranger)
    result = type_in("replay", folder, "--game", 3)
    assert result.exit_code == 2 and not mark.exists()
    with pytest.raises(Untrusted):
        resume_run(folder)
    assert not mark.exists()
    result = type_in("resume", folder, "--trust")
    assert result.exit_code == 0 and mark.exists()


def test_escapes_hide_no_code(stranger, mark, tmp_path):
    """The manifest may write its words with escapes: they count as what they mean."""
    folder = folder_of_run(tmp_path / "run", stranger)
    file = folder / "manifest.json"
    file.write_text(file.read_text().replace('"kind": "code"', '"\\u006bind": "\\u0063ode"'))
    assert type_in("resume", folder).exit_code == 2 and not mark.exists()


def test_a_name_of_data_on_code_is_no_disguise(stranger, mark, tmp_path):
    folder = folder_of_run(tmp_path / "run", stranger)

    edit_manifest(folder, lambda m: [s.update(kind="data") for s in m["configuration"]["strategies"]])
    assert type_in("resume", folder, "--trust").exit_code == 1 and not mark.exists()


def test_naming_code_is_not_remembered(stranger, mark, tmp_path):
    """It runs where it is named; in a folder it is asked for every time, also after a yes."""
    assert type_in("run", "-s", stranger.path, "--games", 20, "--out", tmp_path / "run").exit_code == 0
    mark.unlink()
    folder = folder_of_run(tmp_path / "stopped", stranger)
    assert type_in("replay", tmp_path / "run", "--game", 3).exit_code == 2 and not mark.exists()
    assert type_in("replay", tmp_path / "run", "--game", 3, "--trust").exit_code == 0 and mark.exists()
    assert type_in("resume", folder).exit_code == 2
    assert not (tmp_path / "state" / "jamaica-sim" / "named").exists()


def test_shipped_code_is_no_strangers():
    assert strangers([look_at_strategy("corsair")]) == []


LAB_FILES = {
    "balance": """games = 20
search_games = 20
trials = 2
adapt = 0
[targets]
rounds = [11, 12]
[ranges]
hand_size = "2..4"
""",
    "sensitivity": """games = 10
trajectories = 2
samples = 2
kept = 2
[ranges]
holds = [3, 5]
hand_size = "2..3"
""",
    "sweep": """games = 10
[rules]
hand_size = "2..3"
""",
}


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("command", LAB_FILES)
def test_the_laboratory_wakes_code_and_refuses_a_strangers(command, out, mark, tmp_path):
    """With a folder and without one, shipped code plays; a stranger's is refused until it is trusted."""
    folder = ["--out", tmp_path / "found"] if out else []
    (tmp_path / "marker.py").write_text(CODE)
    for strategy, trust, code in (("corsair", [], 0), ("./marker.py", [], 2), ("./marker.py", ["--trust"], 0)):
        seated = f'["{strategy}", "random"]'
        who = f"line_ups = [{seated}]" if command == "sweep" else f"strategies = {seated}"
        (tmp_path / "x.toml").write_text(f"{who}\n{LAB_FILES[command]}")
        done = type_in(command, tmp_path / "x.toml", *folder, *trust)
        assert done.exit_code == code, (strategy, done.output)
        assert mark.exists() == bool(trust)
        if out and code == 0:
            shutil.rmtree(tmp_path / "found")


HOUSE = '''"""Leaves a mark wherever it is run."""
import os

with open(os.environ["MARK"], "a") as file:
    file.write("run")


def lair(game, rules, ship, space, token):
    pass
'''
WITH_HOUSE_RULES = {
    "run --games 5 -s random --rules": 'house_rules = "house.py"\n',
    "experiment run": 'line_ups = ["random"]\ngames = 5\n[rules]\nhouse_rules = ["none", "house.py"]\n',
    "sweep": 'games = 5\nline_ups = ["random"]\n[rules]\nhouse_rules = "house.py"\nhand_size = "2..3"\n',
    "sweep ": 'games = 5\nline_ups = ["random"]\n[rules]\nhouse_rules = ["none", "house.py"]\n',
    "sensitivity": 'games = 5\ntrajectories = 2\nsamples = 2\nkept = 2\nstrategies = ["random"]\n'
    '[rules]\nhouse_rules = "house.py"\n[ranges]\nholds = [3, 5]\nhand_size = "2..3"\n',
    "balance": 'games = 5\nsearch_games = 5\ntrials = 2\nadapt = 0\nstrategies = ["random"]\n'
    '[rules]\nhouse_rules = "house.py"\n[targets]\nrounds = [1, 2]\n[ranges]\nhand_size = "2..3"\n',
}


@pytest.mark.parametrize("words", WITH_HOUSE_RULES)
@pytest.mark.parametrize("where", ["beside", "in the current folder"])
def test_house_rules_that_a_file_names_are_a_strangers(words, where, mark, tmp_path, monkeypatch):
    """Whoever plays a file has named that file, not the code that it names; and code elsewhere is not even read."""
    monkeypatch.setattr("jamaica_sim.game.house_file.NAMED", set())
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "x.toml").write_text(WITH_HOUSE_RULES[words])
    (tmp_path / ("house.py" if where == "beside" else "here/house.py")).write_text(HOUSE)
    result = type_in(*words.split(), tmp_path / "x.toml")
    assert result.exit_code == 2 and not mark.exists(), result.output
    assert ("--trust" in result.stderr) == (where == "beside"), result.stderr


@pytest.mark.parametrize("rules", [{"house_rules": "house.py"}, {"board": "house.csv"}, {"house_rules": ["house.py"]}])
def test_rules_in_a_folder_name_no_files(rules, mark, tmp_path, monkeypatch):
    """A forged manifest could name a file of the current folder: it would be read, or run, as if the user named it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.py").write_text(HOUSE)
    (tmp_path / "house.csv").write_text("kind,cost,score,next\n")
    folder = folder_of_run(tmp_path / "run", load_strategy("random"))

    edit_manifest(folder, lambda m: m["configuration"]["rules"].update(rules))
    for words in (["resume", folder], ["replay", folder, "--game", 3]):
        result = type_in(*words)
        assert result.exit_code in (1, 2) and "name a file" in result.stderr and not mark.exists(), result.output


def test_every_command_looks_or_plays():
    """`docs/security.md` has each in one of two lists."""
    page = (Path(__file__).parent.parent / "docs" / "security.md").read_text(encoding="utf-8")
    [looks, plays] = re.findall(r"(?ms)^- (?:looks|plays).*?(?=^- plays|^$)", page)
    listed = [re.findall(r"`([a-z ]+)`", text) for text in (looks, plays)]
    commands = []
    for name in COMMANDS:
        inner = getattr(main.get_command(None, name), "commands", {})
        commands += [f"{name} {under}" for under in inner] if inner else [name]
    assert sorted([*listed[0], *listed[1]]) == sorted(commands)


def ask(folder, answer, environment):
    """Resume at a terminal, and answer its question."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "jamaica_sim", "resume", str(folder)]
    process = subprocess.Popen(command, stdin=theirs, stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(ours, 1000)
    os.write(ours, answer)
    while process.poll() is None:
        try:
            said += os.read(ours, 1000)
        except OSError:
            process.wait(60)
    os.close(ours)
    return process.returncode, said.decode()


def test_at_a_terminal_there_is_a_question(stranger, mark, tmp_path):
    folder = folder_of_run(tmp_path / "run", stranger)
    code, said = ask(folder, b"n\n", dict(os.environ))
    assert code == 2 and "marker" in said and not mark.exists()
    code, said = ask(folder, b"y\n", dict(os.environ))
    assert code == 0 and mark.exists()
    assert json.loads((folder / "manifest.json").read_text())["complete"]
