"""Signals and kills in every phase of every command: nothing is lost, nothing left behind.

A test waits for the phase itself, see `phases`. How long each took is shown by `pytest -m slow -rP -k "in_time"`.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack

import pytest
from phases import end, finish, kill, start, wait_for

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import VOLATILE
from jamaica_sim.study.simulate import run_games

MANY = 10**9  # games: more than any test waits for
EXPERIMENT = "games = {games}\nline_ups = ['random']\n[rules]\nplayers = [3, 4]\n"
NO_RESULTS = "Stopped before the end: there are no results.\n"
COULD_BE_KEPT = " With --out FOLDER, what was played is kept and can be resumed.\n"
NOT_KEPT = f"{NO_RESULTS.strip()}{COULD_BE_KEPT}"


def lasting_files(folder):
    """Every file of a folder by name; of manifests and histories only the facts that do not vary from run to run."""
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for name in [name for name in files if name.endswith(("manifest.json", "tuning.json"))]:
        facts = json.loads(files[name])
        files[name] = json.dumps({key: facts[key] for key in facts if key not in VOLATILE})
    return files


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs that can be merged; not to be changed."""
    folder = tmp_path_factory.mktemp("runs")
    for number in range(2):
        table = seat_table(strategies=["random"])
        run_games(table, 3_000, first_game=3_000 * number, out=folder / str(number), per_game=True)
    return folder


# What is typed, given an empty folder and the runs


def play(folder, runs, games=MANY):
    return ["run", "--games", games, "-s", "random", "--out", folder / "x"]


def play_rows(folder, runs, games=MANY):
    return [*play(folder, runs, games), "--per-game"]


def play_here(folder, runs):
    return ["run", "--games", MANY, "-s", "random"]


def play_on_cluster(folder, runs):
    return [*play(folder, runs), "--cluster", "local:1"]


def compare(folder, runs, games=MANY):
    return ["compare", "random", "balanced", "--games", games, "--out", folder / "x"]


def compare_to_the_end(folder, runs):
    return compare(folder, runs, 2_000)


def compare_code(folder, runs):
    return ["compare", "corsair", "random", "--games", MANY, "--out", folder / "x"]


def experiment(folder, runs, games=MANY):
    (folder / "e.toml").write_text(EXPERIMENT.format(games=games))
    return ["experiment", "run", folder / "e.toml", "--out", folder / "x"]


def tune(folder, runs, evaluations=MANY):
    (folder / "start.toml").write_text("name = 'start'\n[weights]\nforesight = 0.2\n")
    how = ["--weight", "foresight", "--against", "balanced", "--evaluations", evaluations, "--games", 400]
    return ["tune", folder / "start.toml", *how, "--out", folder / "best.toml"]


def tune_a_little(folder, runs):
    return tune(folder, runs, 30)


def merge(folder, runs):
    return ["merge", runs / "0", runs / "1", "--out", folder / "x"]


def report(folder, runs):
    return ["report", runs / "0", "--out", folder / "page.html"]


def check(folder, runs):
    return ["strategies", "check", "corsair"]


def replay(folder, runs):
    return ["replay", "--game", 1, "-s", "random"]


def games(folder, runs):
    return ["games", runs / "0", "--closest"]


PLAY, STORE = "jamaica_sim.play", "jamaica_sim.study.saved_folder"
ADD = "jamaica_sim.study.folder:StudyFolder.add"
# The phase, what is typed, where it begins, and whether there are results to keep by then.
PHASES = {
    "importing": (play, "import:numpy", False),
    "compiling": (play, f"{PLAY}.compile_ahead:compile_pieces", False),
    "compiling for a replay": (replay, f"{PLAY}.compile_ahead:compile_pieces", False),
    "checking strategies": (check, f"{PLAY}.check:Examiner.examine", False),
    "checking before comparing": (compare_code, f"{PLAY}.check:Examiner.try_at", False),
    "creating a folder": (play, f"{STORE}:write_whole", True),
    "playing": (play, ADD, True),
    "playing with rows": (play_rows, ADD, True),
    "playing without a folder": (play_here, "jamaica_sim.study.folder:UnsavedSums.add", False),
    "saving": (play_rows, "jamaica_sim.study.folder:StudyFolder._write_part", True),
    "comparing": (compare, ADD, True),
    "a look of a comparison": (compare, "jamaica_sim.study.compare.comparison:Comparison.__init__", True),
    "writing a comparison": (compare_to_the_end, "jamaica_sim.study.compare.comparison:Comparison.files", True),
    "an experiment": (experiment, ADD, True),
    "tuning": (tune, "jamaica_sim.study.tune.tune:try_strategies", True),
    "the verdict of a tuning": (tune_a_little, "jamaica_sim.study.tune.tune:_Tuning.judged", True),
    "merging": (merge, "jamaica_sim.study.merge:_join_part", False),
    "finding games": (games, "jamaica_sim.study.find_games:_parts", False),
    "reporting": (report, "jamaica_sim.report.report:facts", False),
    "writing a report": (report, "jamaica_sim.report.page:html", False),
    "starting a cluster": (play_on_cluster, "jamaica_sim.study.cluster:_processes", False),
    "playing on a cluster": (play_on_cluster, "jamaica_sim.study.cluster:_Team._sent", True),
}
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
COLD = ("compiling", "compiling for a replay")
QUICK = [("playing", signal.SIGTERM), ("playing with rows", signal.SIGHUP), ("comparing", signal.SIGINT)]


def stop_in(phase, number, folder, runs):
    """Send a signal in a phase, and see that the program ends in time and keeps what there is."""
    typed, where, keeps = PHASES[phase]
    words = typed(folder, runs)
    before = lasting_files(folder)
    environment = {"NUMBA_CACHE_DIR": str(folder / "cache")} if phase in COLD else {}
    reached = folder / "reached"
    process = start(*words, phase=where, reached=reached, **environment)
    wait_for(reached, process)
    said, seconds = end(process, number)
    print(f"{phase}: {signal.Signals(number).name} {seconds:.2f} s")
    reached.unlink()
    last = said.splitlines()[-1] if said else ""
    if process.returncode == 0:  # it came to its end meanwhile
        assert phase in (
            "checking strategies",
            "writing a report",
            "merging",
            "finding games",
            "writing a comparison",
        )
        return
    assert process.returncode == 1, said
    if not keeps and not last.startswith("Stopped: 0 of "):  # it may have made its folder in its second of grace
        assert said.endswith((NO_RESULTS, COULD_BE_KEPT))  # without a folder the first games may be shown
        assert {name for name in lasting_files(folder) if not name.startswith("cache/")} == set(before)
    elif typed in (tune, tune_a_little):
        assert (folder / "best.toml").exists()
    else:
        assert last.startswith("Stopped: ") and "Go on with: jamaica-sim resume " in last, said
        assert not list(folder.rglob(".lock")) and not list(folder.rglob("*.tmp"))
        assert json.loads((folder / "x" / "manifest.json").read_text())["games_done"] >= 0


@pytest.mark.parametrize(("phase", "number"), QUICK, ids=[phase for phase, _ in QUICK])
def test_it_ends_in_time(phase, number, tmp_path, runs):
    stop_in(phase, number, tmp_path, runs)


@pytest.mark.slow
@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase not in dict(QUICK)])
def test_every_phase_ends_in_time(phase, tmp_path, runs):
    """All signals have the same handler, so each phase tries one of them."""
    if "cluster" in phase:
        pytest.importorskip("distributed")
    stop_in(phase, SIGNALS[list(PHASES).index(phase) % 3], tmp_path, runs)


@pytest.mark.slow
def test_waiting_for_a_scheduler_ends_in_time(tmp_path):
    """Something takes the connection and says nothing."""
    pytest.importorskip("distributed")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        words = ["run", "-s", "random", "--cluster", f"tcp://127.0.0.1:{silent.getsockname()[1]}"]
        process = start(*words, phase="jamaica_sim.study.cluster:_reach", reached=tmp_path / "reached")
        wait_for(tmp_path / "reached", process)
        said, _ = end(process, signal.SIGTERM)
    assert process.returncode == 1 and said == NOT_KEPT


COMPARING = {
    "line-ups end": "jamaica_sim.study.compare.design:ComparisonPlan.looks!",  # once lost here
    "preparing ends": "jamaica_sim.study.compare.compare:prepare!",
    "a look ends": "jamaica_sim.study.compare.comparison:Comparison.__init__!",
}


@pytest.mark.slow
@pytest.mark.parametrize("phase", COMPARING)
def test_a_comparison_of_many_files(phase, tmp_path):
    """The line-ups take seconds and the games minutes. Whenever it is asked to end, it ends."""
    for number in range(40):
        (tmp_path / f"s{number}.toml").write_text(f"name = 's{number}'\n[weights]\nforesight = {number / 100}\n")
    words = ["compare", *sorted(tmp_path.glob("s*.toml")), "--games", 10**8, "--out", tmp_path / "c"]
    process = start(*words, phase=COMPARING[phase], reached=tmp_path / "reached")
    wait_for(tmp_path / "reached", process)
    said, _ = end(process, signal.SIGTERM)
    assert process.returncode == 1 and said.startswith("Stopped")
    assert not (tmp_path / "c" / ".lock").exists()


def test_a_request_is_never_forgotten():
    """A request counts even if the work in progress ends by itself, or a callback swallows the exception."""
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
    assert process.returncode == 1 and "KeyboardInterrupt" in process.stderr  # the exception that `__del__` swallowed


def test_a_terminal_that_closes_sends_more_than_one(tmp_path, runs):
    """The second signal does not interrupt the saving."""
    process = start(*play_rows(tmp_path, runs), phase=ADD, reached=tmp_path / "reached")
    wait_for(tmp_path / "reached", process)
    for number in (signal.SIGHUP, signal.SIGHUP, signal.SIGTERM):
        process.send_signal(number)
    said, _ = end(process, signal.SIGHUP)
    assert process.returncode == 1 and said.startswith("Stopped: ")
    assert json.loads((tmp_path / "x" / "manifest.json").read_text())["games_done"] > 0
    assert not (tmp_path / "x" / ".lock").exists()


def test_nobody_reads_what_is_printed(tmp_path):
    """A full pipe is not waited for, neither while something is printed nor at the end."""
    words = [sys.executable, "-m", "jamaica_sim", "rules", "list"]
    read, write = os.pipe()
    with ExitStack() as pipes:
        for number in (read, write):
            pipes.callback(os.close, number)
        os.set_blocking(write, False)
        with pytest.raises(BlockingIOError):
            while True:
                os.write(write, bytes(65_536))
        os.set_blocking(write, True)
        process = subprocess.Popen(words, stdout=write, stderr=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        said, _ = end(process, signal.SIGTERM)
    assert process.returncode == 1 and said == NO_RESULTS


# Kills

KILLS = {
    play_rows: (
        5_000,
        [
            f"{STORE}:write_whole!",  # the folder is not in its place yet
            ADD,
            "jamaica_sim.study.folder:StudyFolder._write_checkpoint!",
            "jamaica_sim.study.folder:StudyFolder._write_part!",
            f"{STORE}:SavedFolder.write!",  # a file is written that the manifest does not count yet
        ],
    ),
    compare: (
        4_000,
        [
            ADD,
            "jamaica_sim.study.folder:StudyFolder._write_checkpoint!",
            "jamaica_sim.study.compare.comparison:Comparison.files",
            f"{STORE}:SavedFolder.write!",
        ],
    ),
    experiment: (
        5_000,
        [
            "jamaica_sim.study.folder:StudyFolder.create!",
            ADD,
            "jamaica_sim.study.folder:StudyFolder._add_sums!",
            "jamaica_sim.study.games_to_watch:find_games_to_watch",
            "jamaica_sim.study.folder:StudyFolder._write_end!",
        ],
    ),
    tune: (
        12,
        [
            "jamaica_sim.study.tune.evolution:write_whole!",
            "jamaica_sim.study.tune.tune:_Tuning.judged",
            "jamaica_sim.study.tune.tune:_Tuning.write",
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("typed", KILLS, ids=lambda typed: typed.__name__)
def test_killed_in_every_phase(typed, tmp_path, runs):
    """The killed command can be resumed. In the end it has the same files as a quiet command, and no others."""
    amount, phases = KILLS[typed]
    quiet, rough = tmp_path / "quiet", tmp_path / "rough"
    quiet.mkdir(), rough.mkdir()
    finish(*typed(quiet, runs, amount))

    def words():
        return ["resume", rough / "x"] if (rough / "x").exists() else typed(rough, runs, amount)

    for phase in phases:
        kill(*words(), phase=phase, reached=tmp_path / "reached", save_every=0.0)
    finish(*words())
    assert lasting_files(rough) == lasting_files(quiet)
    assert sorted(path.name for path in rough.rglob("*")) == sorted(path.name for path in quiet.rglob("*"))


LOCKED = "jamaica_sim.files.atomic_files:_locked"  # a file that is being written has its temporary name
WHOLE = {
    merge: ["jamaica_sim.study.merge:_join_part", "jamaica_sim.study.merge:write_whole!"],
    report: [LOCKED],
}


@pytest.mark.slow
@pytest.mark.parametrize("typed", WHOLE, ids=lambda typed: typed.__name__)
def test_killed_it_is_there_whole_or_not_at_all(typed, tmp_path, runs):
    """The same command, typed again, makes it whole, and nothing of the killed commands remains."""
    quiet, rough = tmp_path / "quiet", tmp_path / "rough"
    quiet.mkdir(), rough.mkdir()
    finish(*typed(quiet, runs))
    made = sorted(os.listdir(quiet))
    for phase in WHOLE[typed]:
        words = typed(rough, runs)
        kill(*words, phase=phase, reached=tmp_path / "reached")
        assert not words[-1].exists()
    finish(*typed(rough, runs))
    assert sorted(os.listdir(rough)) == made
    assert lasting_files(rough) == lasting_files(quiet)
