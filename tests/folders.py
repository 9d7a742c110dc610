"""The folder of a run for tests: played, stopped, damaged and looked at, and commands that a user types in a shell."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import (
    VOLATILE,
    manifest_bytes,
)
from jamaica_sim.study import parts
from jamaica_sim.study.simulate import Stopped, run_games

PART = 500  # games; small, so that a short run has several parts
FIRST, GAMES = 1300, 4000  # begins and ends within a part


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(parts, "PART", PART)


def make_table():
    return seat_table(strategies=["random", "racer"], players=3, seed=5)


@pytest.fixture(scope="session")
def table():
    return make_table()


def play(table, out, per_game=True, games=GAMES, **options):
    return run_games(table, games, first_game=FIRST, out=out, per_game=per_game, threads=2, **options)


def contents(folder) -> dict:
    """Every file of a folder by name; of the manifest only the facts that do not vary from run to run.

    Without the games to watch, which a merged run does not have.
    """
    files = {str(path.relative_to(folder)): path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}
    files = {name: content for name, content in files.items() if Path(name).name != "games_to_watch.json"}
    manifest = json.loads(files["manifest.json"])
    manifest["files"].pop("games_to_watch.json", None)
    manifest["hashes"].pop("progress")
    files["manifest.json"] = json.dumps({n: v for n, v in manifest.items() if n not in VOLATILE})
    return files


@pytest.fixture(scope="session")
def finished(table, tmp_path_factory):
    """The folder of a run that nothing disturbed; not to be changed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PART", PART)
        play(table, tmp_path_factory.mktemp("undisturbed") / "run")
    return next(tmp_path_factory.getbasetemp().glob("undisturbed*/run"))


@pytest.fixture
def whole(finished, tmp_path):
    """A copy of the finished run, for one test."""
    shutil.copytree(finished, tmp_path / "whole")
    return tmp_path / "whole"


def stop_after(games):
    """A progress callback that does what Ctrl-C does, once this many games are played."""

    def progress(done):
        if done >= games:
            signal.raise_signal(signal.SIGINT)

    return progress


@pytest.fixture
def stopped(table, tmp_path):
    """A run that was stopped about half-way, with a part that is not full."""
    with pytest.raises(Stopped):
        play(table, tmp_path / "stopped", chunk_size=64, progress=stop_after(GAMES // 2))
    return tmp_path / "stopped"


def rewrite(folder, change):
    """Change a manifest and correct its hashes."""
    manifest = json.loads((folder / "manifest.json").read_text())
    change(manifest)
    (folder / "manifest.json").write_bytes(manifest_bytes(manifest))


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


HARM = {
    "missing part": lambda run: (run / "games/part-00000003.parquet").unlink(),
    "a bit of a part": lambda run: flip(run / "games/part-00000004.parquet"),
    "parts exchanged": lambda run: shutil.copy(
        run / "games/part-00000003.parquet", run / "games/part-00000004.parquet"
    ),
    "no parts": lambda run: shutil.rmtree(run / "games"),
}


class FullDisk:
    """A disk that is full after some files."""

    def __init__(self, files, error=errno.ENOSPC):
        self.files, self.error, self.fsync = files, error, os.fsync

    def __call__(self, number):
        self.files -= 1
        if self.files < 0:
            raise OSError(self.error, os.strerror(self.error))
        self.fsync(number)


def shell(*words, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "jamaica_sim", *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
        start_new_session=True,
    )


def wait_for(path, process, seconds=60):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert process.poll() is None and time.monotonic() < deadline, process.communicate()
        time.sleep(0.01)


FIRST_CARD = """

def choose_card(view, rules, weights):
    card = 0
    while view.legal >> card & 1 == 0:
        card += 1
"""
NEVER = FIRST_CARD + "    while view.round > 1 and card < 100:\n        card ^= 1\n    return card\n"
RASH = FIRST_CARD + "    return card if view.round < 15 else 60\n"


def edit_manifest(folder, change):
    """Change a manifest and correct its hashes."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    change(manifest)
    file.write_bytes(manifest_bytes(manifest))
