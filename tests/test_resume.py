"""A run that is stopped or killed at any moment and resumed has the same files, byte for byte, as one never stopped.

Most children come from a server (`children.py`). Commands that a user types run in their own shell.
"""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import os
import random
import re
import signal
import sys
import time

import pytest
from children import PATIENCE, start_child
from command import assert_told, type_in
from folders import (
    FIRST,
    GAMES,
    NEVER,
    PART,
    RASH,
    contents,
    finished,
    make_table,
    play,
    shell,
    small_parts,
    stop_after,
    stopped,
    table,
    wait_for,
    whole,
)

from jamaica_sim.files import atomic_files as store
from jamaica_sim.play.chunks import Chunk, Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import FolderFault, read_manifest
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.study import parts
from jamaica_sim.study import saved_folder as saved
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

KILLS = 20


@pytest.fixture
def real_parts(monkeypatch):
    """Parts as large as a user's."""
    monkeypatch.setattr(parts, "PART", 65_536)


def test_the_manifest_knows_of_the_resumptions(stopped):
    done = read_manifest(stopped)["games_done"]
    with pytest.raises(Stopped):
        resume_run(stopped, chunk_size=64, progress=stop_after(done + 500))
    resume_run(stopped)
    manifest = read_manifest(stopped)
    assert [note["games_done"] for note in manifest["resumed"]][0] == done
    assert len(manifest["resumed"]) == 2 and manifest["complete"]


@pytest.mark.parametrize("per_game", [True, False])
def test_stopped_again_and_again(table, tmp_path, per_game):
    play(table, tmp_path / "undisturbed", per_game)
    done, luck = 0, random.Random(3)
    with pytest.raises(Stopped):
        play(table, tmp_path / "run", per_game, chunk_size=50, progress=stop_after(1))
    while (done := read_manifest(tmp_path / "run")["games_done"]) < GAMES - 300:
        with pytest.raises(Stopped):
            stop = stop_after(done + luck.randrange(1, 900))
            resume_run(tmp_path / "run", threads=2, chunk_size=50, progress=stop)
    resume_run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "undisturbed")


# Killed


def _play_slowly(out):
    """Play or resume, saving as often as possible, and a little slower so that there is time to be killed."""
    saved.SAVE_EVERY, parts.PART = 0.01, PART

    def progress(done):
        time.sleep(0.002)

    if (out / "manifest.json").exists():
        resume_run(out, threads=2, chunk_size=25, progress=progress)
    else:
        play(make_table(), out, chunk_size=25, progress=progress)


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, finished):
    """SIGKILL at 20 random moments; each time the next process resumes."""
    out, luck, kills = tmp_path / "run", random.Random(20), 0
    child = start_child(_play_slowly, out)
    while not (out / "manifest.json").exists():
        time.sleep(0.001)
    while kills < KILLS:
        time.sleep(luck.uniform(0.0, 0.12))
        child.kill()
        child.join()
        if child.exitcode == 0:  # it ended before the kill: begin a new run
            assert contents(out) == contents(finished)
            out = tmp_path / f"run-{kills}"
        kills += child.exitcode != 0
        child = start_child(_play_slowly, out)
    child.join(PATIENCE)
    assert child.exitcode == 0
    assert contents(out) == contents(finished)


class Crash:
    """Calls a function of the system, and ends the process at once before or after a certain call."""

    def __init__(self, function, call, before):
        self.function, self.call, self.before, self.calls = function, call, before, 0

    def __call__(self, *arguments, **options):
        self.calls += 1
        if self.calls == self.call and self.before:
            os._exit(9)
        self.function(*arguments, **options)
        if self.calls == self.call:
            os._exit(9)


def _play_until_crash(out, call):
    saved.SAVE_EVERY, parts.PART = 0.0, PART
    store.os.replace = Crash(os.replace, call, before=call % 2 == 0)
    play(make_table(), out, games=GAMES // 2, chunk_size=500)
    os._exit(0)


def _crash_everywhere(folder):
    """Fork a process for each renaming. The engine is loaded once, before: that takes longer than the games.

    The exit code is the number of the first run that did not crash.
    """
    Worker(make_table()).play(Chunk(0, 1), keep_rows=True)
    for call in range(2, 100):  # the first is the empty manifest
        process = os.fork()
        if process == 0:
            _play_until_crash(folder / str(call), call)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if code != 9:
            sys.exit(call if code == 0 else 1)


@pytest.mark.slow
def test_a_crash_at_every_renaming(table, tmp_path):
    """The power fails right before or right after a written file gets its name."""
    play(table, tmp_path / "undisturbed", games=GAMES // 2)
    child = start_child(_crash_everywhere, tmp_path)
    child.join(5 * PATIENCE)
    unharmed = child.exitcode
    assert unharmed > 15  # no renaming is missed: the last run did not crash
    for call in range(2, unharmed):
        resume_run(tmp_path / str(call))
    for call in range(2, unharmed + 1):
        assert contents(tmp_path / str(call)) == contents(tmp_path / "undisturbed")


# As a user sees it


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "terminated"])
def test_stopped_in_the_shell(number, tmp_path, real_parts):
    """It stops within two seconds, keeps the games played, and prints the command to resume it. That command works."""
    out = tmp_path / "a run"
    run = shell("run", "--games", 50_000_000, "-s", "random", "--per-game", "--threads", 1, "--out", out)
    wait_for(out / "manifest.json", run)
    time.sleep(1.0)
    asked = time.monotonic()
    os.killpg(run.pid, number)
    _, errors = run.communicate(timeout=30)
    assert time.monotonic() - asked < 15  # two seconds on a machine that does nothing else
    assert run.returncode == 1 and "Traceback" not in errors
    told = re.search(r"^Stopped: ([\d,]+) of 50,000,000 games .* Go on with: jamaica-sim (.*)$", errors, re.MULTILINE)
    done = int(told[1].replace(",", ""))
    assert told[2] == f"resume '{out}'" and read_manifest(out)["games_done"] == done > 0
    with pytest.raises(Stopped):
        resume_run(out, progress=stop_after(done + 1000))
    assert read_manifest(out)["games_done"] > done


@pytest.mark.slow
def test_killed_in_the_shell(tmp_path, real_parts):
    """The whole once more at full size: killed, resumed by hand, compared."""
    words = ["-s", "random", "--games", 110_000, "--per-game", "--seed", 8]
    out = tmp_path / "run"
    run = shell("run", *words, "--out", out, "--threads", 1)  # slowly: it is killed before the second part
    wait_for(out / "games/part-00000000.parquet", run)
    run.kill()
    run.communicate()
    assert not read_manifest(out)["complete"]
    result = type_in("resume", out)
    assert result.exit_code == 0
    assert type_in("run", *words, "--out", tmp_path / "undisturbed").exit_code == 0
    assert contents(out) == contents(tmp_path / "undisturbed")


@pytest.mark.slow
def test_a_strategy_that_never_answers(tmp_path):
    """The run ends by itself and names the strategy, the decision and the game."""
    (tmp_path / "thinker.py").write_text(NEVER)
    words = ["-s", tmp_path / "thinker.py", "-s", "random", "--out", tmp_path / "run"]
    run = shell("run", *words, JAMAICA_SIM_PATIENCE="1")
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 1 and "Traceback" not in errors
    assert "The strategy thinker" in errors and "has not answered for 1 seconds at choose_card in game 0" in errors


def test_a_fault_in_a_strategy_keeps_what_is_done(tmp_path):
    """The games before the fault are saved; a resumed run meets the fault again."""
    (tmp_path / "rash.py").write_text(RASH)
    seated = seat_table(strategies=[tmp_path / "rash.py", "racer", "racer"], players=3)
    with pytest.raises(StrategyFault, match="answered 60") as first:
        run_games(seated, 100_000, chunk_size=1, out=tmp_path / "run")
    assert read_manifest(tmp_path / "run")["games_done"] == first.value.game > 0
    assert_told(type_in("resume", tmp_path / "run"), 2, "allow it with --trust")
    result = type_in("resume", tmp_path / "run", "--trust")
    assert_told(result, 1, "The strategy rash", f"at choose_card in game {first.value.game}, round ")
    assert read_manifest(tmp_path / "run")["games_done"] == first.value.game


def test_what_is_saved_survives_a_folder_that_cannot_be_written(stopped, finished, monkeypatch):
    """The disk is full three times in a row while the run is resumed."""
    for _ in range(3):
        with monkeypatch.context() as patch:
            patch.setattr(saved, "SAVE_EVERY", 0.0)
            patch.setattr(store.os, "replace", _full_after(5))
            with pytest.raises(FolderFault, match="go on with"):
                resume_run(stopped, chunk_size=100)
    resume_run(stopped)
    assert contents(stopped) == contents(finished)


def _full_after(files):
    replace = os.replace

    def put(*arguments):
        nonlocal files
        files -= 1
        if files < 0:
            raise OSError(28, "No space left on device")
        replace(*arguments)

    return put


def test_first_game_is_part_of_the_run(stopped):
    assert read_manifest(stopped)["configuration"]["first_game"] == FIRST
    assert resume_run(stopped).first_game == FIRST
