"""Every kind of folder: read, reported, stopped, killed, resumed, damaged, forged, locked, with a stranger's code.

A folder is made through Python, and then only the command line and `load` touch it.
"""

import json
import random
import shutil
import signal
import time
from contextlib import contextmanager

import pytest
from command import assert_told, type_in
from folders import contents, flip, rewrite, shell

import jamaica_sim
from jamaica_sim import FolderError, balance, compare, load, resume, run_experiment, sensitivity, simulate
from jamaica_sim.files.atomic_files import lock_folder, unlock_folder
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import FolderFault
from jamaica_sim.strategy.library import look_at_strategy
from jamaica_sim.study import saved_folder
from jamaica_sim.study.lab.sweep import make_plan
from jamaica_sim.study.lab.sweep_folder import run_sweep
from jamaica_sim.study.simulate import Stopped

PLAYERS = {"players": 3, "strategies": "random", "threads": 1}
EXPERIMENT = 'games = 2000\nline_ups = ["random"]\n[rules]\nplayers = 3\nhand_size = [2, 3, 4]\n'
RANGES = {"hand_size": "2..4", "start_food": "1..5"}


def run(out, tick):
    simulate(4_000, out=out, chunk_size=64, progress=tick, **PLAYERS)


def comparison(out, tick):
    compare("random", "racer", games=12_000, players=3, threads=1, out=out, progress=tick)


def settings(tick):
    """Ticks while the second setting is played."""

    @contextmanager
    def watch(label, number):
        yield lambda done: tick(done) if number == 1 else None

    return watch


def experiment(out, tick):
    file = out.parent / "three.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(EXPERIMENT)
    run_experiment(file, out, watch=settings(tick), threads=1)


def sweep(out, tick):
    table = seat_table(strategies="random", players=3)
    run_sweep(make_plan({"hand_size": "2..4"}, table, 2_000), out, settings(tick), threads=1)


def analysis(out, tick):
    sensitivity(RANGES, games=200, trajectories=12, samples=4, kept=2, out=out, progress=tick, **PLAYERS)


def search(out, tick):
    targets = {"shortages": {"at_most": 9}}
    balance(targets, RANGES, games=400, search_games=320, trials=14, adapt=0, out=out, progress=tick, **PLAYERS)


KINDS = {made.__name__: made for made in (run, comparison, experiment, sweep, analysis, search)}
SEARCHES = {"analysis", "search"}
every_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """For each kind a folder that nothing disturbed, and its twin that was stopped. Neither is to be changed."""
    made = {}

    def press(*_):
        if made.setdefault("pressed", True):
            made["pressed"] = False
            signal.raise_signal(signal.SIGINT)

    def folders_of(kind):
        if kind not in made:
            here = tmp_path_factory.mktemp(kind)
            KINDS[kind](here / "whole" / kind, lambda *_: None)
            made["pressed"] = True
            with pytest.raises(Stopped, match="saved. Go on with: jamaica-sim resume "):
                KINDS[kind](here / "stopped" / kind, press)
            made[kind] = here
        return made[kind]

    return folders_of


@pytest.fixture
def whole(kind, folders):
    return folders(kind) / "whole" / kind


@pytest.fixture
def stopped(kind, folders, tmp_path):
    return shutil.copytree(folders(kind) / "stopped" / kind, tmp_path / "copy" / kind)


def manifest_of(folder):
    return json.loads((folder / "manifest.json").read_text())


@every_kind
def test_resumed_as_if_never_stopped(kind, whole, stopped):
    assert 0 < manifest_of(stopped)["games_done"] < manifest_of(whole)["games_done"]
    if kind == "run":  # it is read as far as it is
        assert load(stopped).games == manifest_of(stopped)["games_done"]
    else:
        with pytest.raises(FolderError, match="interrupted before its end: go on with `jamaica-sim resume"):
            load(stopped)
    (stopped / "sums-0123456789ab.npy").write_text("half of a sav")  # by a process that was killed
    result = type_in("resume", stopped, "--threads", 2)
    assert result.exit_code == 0, result.output
    assert contents(stopped) == contents(whole)
    assert "is complete: nothing is left to play" in type_in("resume", stopped).stdout
    assert len(manifest_of(stopped)["resumed"]) == 1


@every_kind
def test_read_and_reported(kind, whole, tmp_path):
    found = load(whole)
    assert found.sentence() and resume(whole).sentence() == found.sentence()
    assert found.to_dict()["tables"] and found.as_csv().startswith("table,")
    assert type_in("report", whole, "--out", tmp_path / "page.html").exit_code == 0
    assert kind[:3] in (tmp_path / "page.html").read_text()
    if kind in SEARCHES:
        with pytest.raises(jamaica_sim.UserError, match="leave cluster out"):
            resume(whole, cluster="local:1")


@every_kind
def test_what_is_damaged_is_made_again_or_named(kind, whole, tmp_path):
    """What is measured cannot be made again; all else can."""
    for name in manifest_of(whole)["files"]:
        damaged = shutil.copytree(whole, tmp_path / name.replace("/", "-") / kind)
        flip(damaged / name)
        result = type_in("resume", damaged)
        if name in ("sums.npy", "measured.json"):
            assert_told(result, 1, f"{name} is missing or damaged")
            with pytest.raises(FolderFault, match="is missing or damaged"):
                load(damaged)
        else:
            assert result.exit_code == 0, result.output
            assert contents(damaged) == contents(whole)


def put(manifest, value, *place):
    for name in place[:-1]:
        manifest = manifest[name]
    manifest[place[-1]] = value


TAMPERED = {
    "cut off": (lambda text: text[:300], 1, "not valid JSON"),
    "edited": (lambda text: text.replace('"seed": 1', '"seed": 2'), 1, "was edited after"),
}
FORGED = {
    "another version": (("0.0.9", "version"), 2, "0.0.9"),
    "another kind": (("jamaica-shanty/1", "schema"), 2, "jamaica-shanty"),
    "no seed": ((None, "configuration", "seed"), 1, "configuration.seed is missing"),
    "no games": ((0, "configuration", "games"), 1, "configuration.games is missing"),
    "a path": (({"../x": "0" * 64}, "files"), 1, "files is missing"),
    "more games than there are": ((10**15, "games_done"), 1, "is missing or"),
}


@every_kind
@pytest.mark.parametrize("how", [*TAMPERED, *FORGED])
def test_a_manifest_that_nobody_wrote(how, kind, stopped):
    if how in TAMPERED:
        change, code, words = TAMPERED[how]
        (stopped / "manifest.json").write_text(change((stopped / "manifest.json").read_text()))
    else:
        place, code, words = FORGED[how]
        rewrite(stopped, lambda manifest: put(manifest, *place))
    if how != "more games than there are" or kind not in SEARCHES:  # a search counts them anew
        assert_told(type_in("resume", stopped), code, words)
    if how != "another version":  # which may be read
        with pytest.raises((FolderError, FolderFault)):
            load(stopped)


@every_kind
def test_one_process_alone_writes_it(kind, stopped):
    lock = lock_folder(stopped)
    try:
        assert_told(type_in("resume", stopped), 1, "in use")
    finally:
        unlock_folder(stopped, lock)


@every_kind
def test_a_full_disk(kind, whole, stopped, monkeypatch):
    """What is safe is said, and the work goes on when there is room."""

    def full(path, content, **how):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(saved_folder, "write_whole", full)
        told = type_in("resume", stopped)
        assert told.exit_code == 1 and "No space left on device" in told.stderr
        assert "safe: go on with `jamaica-sim resume" in told.stderr
    assert type_in("resume", stopped).exit_code == 0
    assert contents(stopped) == contents(whole)


@every_kind
def test_a_strangers_code_is_not_run_unasked(kind, stopped, tmp_path):
    mark = tmp_path / "mark"
    (tmp_path / "mine.py").write_text(
        f"open({str(mark)!r}, 'w')\ndef choose_card(view, rules, weights):\n    return 0\n"
    )
    mine = look_at_strategy(tmp_path / "mine.py").identity()
    rewrite(stopped, lambda manifest: put(manifest, mine, "configuration", "strategies", 0))
    assert_told(type_in("resume", stopped), 2, "--trust")
    assert not mark.exists()


@pytest.mark.slow
@every_kind
def test_killed_at_random_moments(kind, whole, stopped, monkeypatch):
    monkeypatch.setattr(saved_folder, "SAVE_EVERY", 0.01)
    luck = random.Random(kind)
    for _ in range(4):
        process = shell("resume", stopped, "--threads", 1)
        time.sleep(luck.uniform(0.3, 2.0))
        process.kill()
        process.communicate()
    assert type_in("resume", stopped).exit_code == 0
    assert contents(stopped) == contents(whole)
