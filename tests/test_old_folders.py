"""Folders that an earlier version wrote still load, go on and make their report, with the same figures."""

import json

import old_folders
import pytest

from jamaica_sim import FolderError, load_results, load_study, report_on, resume
from jamaica_sim.store.manifest import read_plain
from jamaica_sim.store.version import SAME_GAMES, engine_hash

EXPECTED = json.loads(old_folders.FIGURES.read_text())
FOLDERS = sorted(EXPECTED.keys() - {old_folders.TUNING})


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    directory = tmp_path_factory.mktemp("old")
    found = old_folders.unpacked(directory)
    assert {path.name for path in found} == EXPECTED.keys()
    return directory


@pytest.mark.parametrize("name", FOLDERS)
def test_it_goes_on_with_the_same_figures(folders, name):
    """Complete work is read; interrupted work is played to its end first."""
    answer = resume(folders / name, threads=1)
    assert old_folders.figures_of(answer) == pytest.approx(EXPECTED[name], rel=1e-9)
    manifest = read_plain(folders / name)
    assert manifest["complete"] and bool(manifest["resumed"]) == ("stopped" in name)


@pytest.mark.parametrize("name", FOLDERS)
def test_its_report_is_made(folders, name, tmp_path):
    resume(folders / name, threads=1)
    chapters = ["who_wins"] if name.startswith("run") else []
    text = report_on(folders / name, tmp_path / "report.md", chapters).read_text()
    assert text.startswith("# ") and "games" in text


def test_the_tuning_goes_on(folders, monkeypatch):
    monkeypatch.chdir(folders)
    assert old_folders.figures_of(old_folders.tuned()) == pytest.approx(EXPECTED[old_folders.TUNING], rel=1e-9)


def test_a_run_is_also_a_study_and_results(folders):
    assert load_study(folders / "run").games == load_results(folders / "run").games == 40


def test_only_an_engine_that_played_the_same_games_is_taken_for_this_one(folders, tmp_path, monkeypatch):
    (engine,) = {read_plain(folders / name)["engine"] for name in FOLDERS}
    assert engine == engine_hash() or engine in SAME_GAMES
    monkeypatch.setattr("jamaica_sim.store.version.SAME_GAMES", ())
    monkeypatch.setattr("jamaica_sim.store.version.engine_hash", lambda: "another")
    (stopped,) = (path for path in old_folders.unpacked(tmp_path) if path.name == "run-stopped")
    with pytest.raises(FolderError, match="was played by jamaica-sim"):
        resume(stopped)
