"""Signals and kills in every phase of every command: nothing is lost, nothing left behind."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from phases import end, start, wait_for

from jamaica_sim.store.manifest import VOLATILE

EXPERIMENT = "games = 20000\nline_ups = ['random']\n[rules]\nplayers = [3, 4]\n"


def contents(folder):
    """Every file of a folder by name; of manifests only what lasts."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for name in [name for name in files if name.endswith("manifest.json")]:
        manifest = json.loads(files[name])
        files[name] = json.dumps({key: manifest[key] for key in manifest if key not in VOLATILE})
    return files


def wait_until(there, process, seconds=120):
    deadline = time.monotonic() + seconds
    while not there() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["term", "hup"])
def test_while_compiling(number, tmp_path):
    process = start(
        "run", "--games", 100, "-s", "random", "--out", tmp_path / "run", NUMBA_CACHE_DIR=str(tmp_path / "c")
    )
    assert "Compiling" in process.stderr.readline()
    time.sleep(1)
    said = end(process, number)
    assert process.returncode == 1 and said == "Stopped before the end: there are no results.\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_while_strategies_are_checked(tmp_path):
    process = start("strategies", "check", "corsair", "endgame")
    time.sleep(3)
    said = end(process, signal.SIGTERM)
    assert process.returncode in (0, 1, -15) and "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["term", "hup"])
def test_while_playing_it_is_saved(number, tmp_path):
    process = start("run", "--games", 10**9, "-s", "random", "--out", tmp_path / "run")
    wait_until((tmp_path / "run" / "manifest.json").exists, process)
    time.sleep(0.5)
    said = end(process, number)
    assert process.returncode == 1 and said.splitlines()[-1].startswith("Stopped: ")
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["games_done"] > 0 and not (tmp_path / "run" / ".lock").exists()


COMPARING = {
    "line-ups": "jamaica_sim.comparison.when_to_stop:Plan.looks",
    "line-ups end": "jamaica_sim.comparison.when_to_stop:Plan.looks!",  # was lost: the work ended by itself
    "preparing ends": "jamaica_sim.comparison.play:prepare!",
    "compiling ends": "jamaica_sim.comparison.play:warm_up!",
    "playing": "jamaica_sim.comparison.deals:DealPlayer.play",
    "a look": "jamaica_sim.comparison.comparison:Comparison.__init__!",
}


@pytest.mark.slow
@pytest.mark.parametrize("phase", COMPARING)
def test_a_comparison_of_many_files(phase, tmp_path):
    """It takes seconds for the line-ups and minutes for the games; asked to end, it ends, whenever that is."""
    for number in range(60):
        (tmp_path / f"s{number}.toml").write_text(f"name = 's{number}'\n[weights]\nforesight = {number / 100}\n")
    words = ["compare", *sorted(tmp_path.glob("s*.toml")), "--games", 10**8, "--out", tmp_path / "c"]
    process = start(*words, phase=COMPARING[phase], reached=tmp_path / "reached")
    wait_for(tmp_path / "reached", process)
    said = end(process, signal.SIGTERM)
    assert process.returncode == 1 and said.startswith("Stopped")
    assert not (tmp_path / "c" / ".lock").exists()


def test_a_request_is_never_forgotten():
    """Not where the work that it came in ends by itself, nor where a callback swallows the exception."""
    script = """
import os, signal, sys, threading, time
from jamaica_sim.play.stopping import interrupt_on_signals, interruptible, stop_on_signals

def ask():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.2)

class Swallows:
    def __del__(self):
        ask()

def expect_interrupt(what, work):
    try:
        work()
    except KeyboardInterrupt:
        print(what)

def in_a_command():
    try:
        interruptible(ask)
    except KeyboardInterrupt:
        pass
    with stop_on_signals() as stop:
        if stop.is_set():
            raise KeyboardInterrupt

def swallowed():
    Swallows()
    interruptible(print)

def command(work):
    def do():
        with interrupt_on_signals():
            work()
    return do

expect_interrupt("a program of its own", lambda: interruptible(ask))
expect_interrupt("a command", command(in_a_command))
expect_interrupt("swallowed", command(swallowed))
with stop_on_signals() as stop:
    print("forgotten by the next command", not stop.is_set())
with interrupt_on_signals():
    Swallows()
    time.sleep(30)
"""
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    said = ["a program of its own", "a command", "swallowed", "forgotten by the next command True"]
    assert process.stdout.splitlines() == said
    assert process.returncode == 1 and "KeyboardInterrupt" in process.stderr  # only what `__del__` swallowed


def make_run(folder):
    return ["run", "--games", 30_000, "-s", "random", "--per-game", "--out", folder / "x"]


def make_comparison(folder):
    return ["compare", "random", "balanced", "--games", 4_000, "--out", folder / "x"]


def make_experiment(folder):
    (folder / "e.toml").write_text(EXPERIMENT)
    return ["experiment", "run", folder / "e.toml", "--out", folder / "x"]


@pytest.mark.slow
@pytest.mark.parametrize("make", [make_run, make_comparison, make_experiment])
def test_killed_again_and_again(make, tmp_path):
    """Each time later; what is left can be gone on with, and in the end is the same as of a quiet run, with no more."""
    quiet, rough = tmp_path / "quiet", tmp_path / "rough"
    quiet.mkdir(), rough.mkdir()
    assert start(*make(quiet)).wait(120) == 0
    luck = random.Random(make.__name__)
    for trial in range(3):
        words = ["resume", rough / "x"] if (rough / "x").exists() else make(rough)
        process = start(*words)
        time.sleep(0.6 + 0.5 * trial + luck.random() / 2)
        process.kill()
        process.communicate()
    words = ["resume", rough / "x"] if (rough / "x").exists() else make(rough)
    process = start(*words)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert contents(rough / "x") == contents(quiet / "x")
    assert sorted(os.listdir(rough)) == sorted(os.listdir(quiet))


@pytest.mark.slow
def test_merge_and_report_are_there_whole_or_not_at_all(tmp_path):
    for number in range(2):
        out = tmp_path / str(number)
        words = ["run", "--games", 40_000, "--first-game", 40_000 * number, "-s", "random", "--per-game", "--out", out]
        assert start(*words).wait(120) == 0
    merge = ["merge", tmp_path / "0", tmp_path / "1", "--out", tmp_path / "all"]
    report = ["report", tmp_path / "0", "--out", tmp_path / "page.html"]
    for words, made in ((merge, "all"), (report, "page.html")):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            process = start(*words)
            time.sleep(random.Random(int(number)).uniform(0.8, 1.6))
            process.send_signal(number)
            _, said = process.communicate(timeout=60)
            assert "Traceback" not in said
            if process.returncode == 0:
                break
            assert not (tmp_path / made).exists()
        else:
            assert start(*words).wait(120) == 0
    assert sorted(os.listdir(tmp_path)) == ["0", "1", "all", "page.html"]


@pytest.mark.slow
def test_tuning_killed_and_stopped(tmp_path):
    """The same command goes on, and in the end writes the same strategy as one that was left in peace."""
    quiet, rough = tmp_path / "quiet", tmp_path / "rough"
    for folder in (quiet, rough):
        folder.mkdir()
        (folder / "start.toml").write_text("name = 'start'\n[weights]\nforesight = 0.2\n")

    def tune(folder):
        how = ["--weight", "foresight", "--against", "balanced", "--evaluations", 60, "--games", 400]
        return start("tune", folder / "start.toml", *how, "--out", folder / "best.toml")

    assert tune(quiet).wait(120) == 0
    for number, after in ((signal.SIGKILL, 1.5), (signal.SIGTERM, 2.0), (signal.SIGKILL, 2.5)):
        process = tune(rough)
        time.sleep(after)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert "Traceback" not in said
    process = tune(rough)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert (rough / "best.toml").read_text() == (quiet / "best.toml").read_text()
    assert sorted(os.listdir(rough)) == sorted(os.listdir(quiet))
