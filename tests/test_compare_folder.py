"""The folder of a comparison: saved, killed, resumed and repaired like a run's, with the same bytes in the end."""

import json
import os
import random
import shutil
import signal
import time

import pytest
from children import PATIENCE, start_child
from test_folder import assert_told, contents, flip, rewrite, type_in

from jamaica_sim.comparison import folder as compare_folder
from jamaica_sim.comparison.compare import make_plan, play_comparison, prepare, warm_up
from jamaica_sim.comparison.deals import dealer_here
from jamaica_sim.comparison.folder import COMPARISON, ComparisonFolder
from jamaica_sim.store import saved_folder as saved
from jamaica_sim.store.manifest import FolderFault, read_manifest

GAMES = 12_000


def make_contest():
    contest = prepare(["random", "racer", "random"], players=3, seed=5)
    warm_up(contest)
    return contest


@pytest.fixture(scope="module")
def contest():
    return make_contest()


PLAN = make_plan(games=GAMES)


def play(contest, out, **options):
    folder = ComparisonFolder.create(out, contest, PLAN)
    return play_comparison(contest, PLAN, dealer_here(contest, 2), folder, **options)[0]


def stop_after(games):
    """A progress callback that presses Ctrl-C once, after this many games, and waits until it is noticed."""
    pressed = []

    def progress(comparison):
        if comparison.games >= games and not pressed:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.3)

    return progress


@pytest.fixture(scope="module")
def finished(contest, tmp_path_factory):
    """The folder of a comparison that nothing disturbed; not to be changed."""
    out = tmp_path_factory.mktemp("undisturbed") / "comparison"
    play(contest, out)
    return out


@pytest.fixture
def whole(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "whole")
    return tmp_path / "whole"


@pytest.fixture(scope="module")
def stopped_once(contest, tmp_path_factory):
    """The folder of a comparison that was stopped; not to be changed."""
    out = tmp_path_factory.mktemp("stopped") / "comparison"
    assert not play(contest, out, progress=stop_after(GAMES // 2)).complete
    return out


@pytest.fixture
def stopped(stopped_once, tmp_path):
    shutil.copytree(stopped_once, tmp_path / "stopped")
    return tmp_path / "stopped"


def test_what_is_in_it(finished, contest):
    manifest = read_manifest(finished, COMPARISON)
    assert manifest["complete"] and manifest["games_done"] == GAMES
    assert [s["sha256"] for s in manifest["configuration"]["strategies"]] == [s.digest for s in contest.strategies]
    assert {path.name for path in finished.iterdir()} == {"manifest.json", *manifest["files"]}
    assert {"tally.npy", "comparison.json", "pairs.csv", "ratings.png"} <= set(manifest["files"])
    assert json.loads((finished / "comparison.json").read_text())["games"] == GAMES


def test_resumed_as_if_never_stopped(stopped, finished):
    done = read_manifest(stopped, COMPARISON)["games_done"]
    assert GAMES // 2 <= done < GAMES and (stopped / f"tally-{done:012d}.npy").is_file()
    result = type_in("resume", stopped, "--format", "json")
    assert result.exit_code == 0 and json.loads(result.stdout)["games"] == GAMES
    assert contents(stopped) == contents(finished)
    assert len(read_manifest(stopped, COMPARISON)["resumed"]) == 1
    assert "is complete" in type_in("resume", stopped).stdout


def test_until_a_verdict(tmp_path):
    """Where it ends does not depend on where it was stopped."""
    contest, plan = prepare(["balanced", "balanced"]), make_plan(until="verdict", margin=0.002)
    play_comparison(contest, plan, dealer_here(contest, 2), ComparisonFolder.create(tmp_path / "whole", contest, plan))
    folder = ComparisonFolder.create(tmp_path / "run", contest, plan)
    assert not play_comparison(contest, plan, dealer_here(contest, 2), folder, stop_after(1))[0].complete
    assert type_in("resume", tmp_path / "run").exit_code == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


def _play_slowly(out):
    saved.SAVE_EVERY, contest = 0.01, make_contest()

    def progress(comparison):
        time.sleep(0.01)

    if out.exists():
        play_comparison(contest, PLAN, dealer_here(contest, 2), ComparisonFolder.reopen(out), progress)
    else:
        play(contest, out, progress=progress)


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path, finished):
    out, luck, code = tmp_path / "run", random.Random(4), None
    while code != 0:
        child = start_child(_play_slowly, out)
        child.join(luck.uniform(0.05, 0.4) if code is None or luck.random() < 0.8 else PATIENCE)
        if child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
        child.join()
        code = child.exitcode
        assert code in (0, -signal.SIGKILL)
    assert contents(out) == contents(finished)


@pytest.mark.parametrize("name", ["tally.npy", "comparison.json", "ratings.png"])
def test_damage(name, whole, finished):
    """Damaged files are made again, except the sums, which cannot be."""
    flip(whole / name)
    result = type_in("resume", whole)
    if name == "tally.npy":
        assert_told(result, 1, "tally.npy is missing or damaged")
    else:
        assert result.exit_code == 0
        assert contents(whole) == contents(finished)


def test_damaged_manifests(stopped):
    text = (stopped / "manifest.json").read_text()
    (stopped / "manifest.json").write_text(text.replace('"seed": 5', '"seed": 6'))
    assert_told(type_in("resume", stopped), 1, "manifest.json was edited", "seed")
    (stopped / "manifest.json").write_text(text[:500])
    assert_told(type_in("resume", stopped), 1, "not valid JSON")


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m["configuration"].pop("margin"),
        lambda m: m["configuration"].update(games=2**62),
        lambda m: m["configuration"].update(margin=float("nan")),
        lambda m: m["configuration"]["strategies"].pop(),
        lambda m: m["configuration"].update(strategies=m["configuration"]["strategies"][:1]),
        lambda m: m.update(games_done=17),
        lambda m: m.update(version="0.0.9"),
    ],
)
def test_hostile_manifests(change, stopped):
    rewrite(stopped, change)
    result = type_in("resume", stopped)
    assert_told(result, result.exit_code)


def test_other_commands_say_what_it_is(finished, tmp_path):
    assert_told(type_in("merge", finished, finished, "--out", tmp_path / "out"), 2, "it has a comparison")


def test_a_folder_that_vanishes(contest, tmp_path):
    with pytest.raises(FolderFault, match="vanished"):
        play(contest, tmp_path / "run", progress=lambda comparison: shutil.rmtree(tmp_path / "run", ignore_errors=True))


@pytest.mark.slow
def test_a_full_disk(contest, tmp_path, finished, monkeypatch):
    def full(path, content, **how):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        with pytest.raises(FolderFault, match="No space left on device; .* of 12,000 games are safe: go on with"):
            play(contest, tmp_path / "run", progress=lambda comparison: patch.setattr(saved, "write_whole", full))
    assert type_in("resume", tmp_path / "run").exit_code == 0
    assert contents(tmp_path / "run") == contents(finished)


def test_sums_of_another_design(contest):
    design = contest.design
    assert compare_folder.DealTally.from_array(design, compare_folder.np.zeros(3, "i8")) is None
