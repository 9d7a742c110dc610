"""The folder of a comparison: saved, killed, resumed and repaired like a run's, with the same bytes in the end."""

import json
import shutil
import signal
import time

import pytest
from command import assert_told, type_in
from folders import contents, rewrite

from jamaica_sim.play.manifest import read_manifest
from jamaica_sim.study.compare.compare import (
    COMPARISON,
    make_plan,
    play_comparison,
    prepare,
    warm_up,
)
from jamaica_sim.study.simulate import Stopped

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
    return play_comparison(contest, PLAN, out=out, threads=2, **options)


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


@pytest.fixture(scope="module")
def stopped_once(contest, tmp_path_factory):
    """The folder of a comparison that was stopped; not to be changed."""
    out = tmp_path_factory.mktemp("stopped") / "comparison"
    with pytest.raises(Stopped, match="of 12,000 games are played and saved") as stopped:
        play(contest, out, progress=stop_after(GAMES // 2))
    assert GAMES // 2 <= stopped.value.answer.games < GAMES and not stopped.value.answer.complete
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
    assert {"sums.npy", "comparison.json", "pairs.csv"} <= set(manifest["files"])
    assert json.loads((finished / "comparison.json").read_text())["games"] == GAMES


def test_until_a_verdict(tmp_path):
    """Where it ends does not depend on where it was stopped."""
    contest, plan = prepare(["balanced", "balanced"]), make_plan(until="verdict", margin=0.002)
    play_comparison(contest, plan, out=tmp_path / "whole")
    with pytest.raises(Stopped):
        play_comparison(contest, plan, stop_after(1), tmp_path / "run")
    assert type_in("resume", tmp_path / "run").exit_code == 0
    assert contents(tmp_path / "run") == contents(tmp_path / "whole")


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


def test_other_line_ups_are_refused(stopped):
    """As if another version had found others."""
    rewrite(stopped, lambda manifest: manifest["configuration"]["settings"].reverse())
    assert_told(type_in("resume", stopped), 2, "other line-ups than this version")
