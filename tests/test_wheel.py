"""The wheel by itself: built from the repository, installed in an environment of its own, used in another folder.

Needs a package registry, as `.ci/run` does.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # all is compiled anew
ROOT = Path(__file__).parents[1]
AS_NEW = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "JAMAICA_SIM_BOUNDS_CHECK")}
NOTEBOOK = ROOT / "docs" / "first_steps.ipynb"


def called(*words, cwd, code=0, **environment):
    """What a command prints, in an environment that knows nothing of the repository."""
    whole = [*map(str, words)]
    told = subprocess.run(whole, cwd=cwd, env=AS_NEW | environment, capture_output=True, text=True, timeout=900)
    assert told.returncode == code, (whole, told.stdout[-1000:], told.stderr[-2000:])
    return told.stdout + told.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy: what happens to lie in the repository's folder is no part of it."""
    place = tmp_path_factory.mktemp("wheel")
    files = called("git", "ls-files", "-z", cwd=ROOT).split("\0")
    for name in filter(None, files):
        (place / "copy" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / "copy" / name)
    called(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", place, place / "copy", cwd=place)
    (built,) = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def home(wheel, tmp_path_factory):
    """An empty folder, beside it an environment with the wheel and what it needs, no extras."""
    place = tmp_path_factory.mktemp("installed")
    called(sys.executable, "-m", "venv", place / "venv", cwd=place)
    called(program(place, "python"), "-m", "pip", "install", "-q", wheel, cwd=place, PIP_DISABLE_PIP_VERSION_CHECK="1")
    (place / "home").mkdir()
    return place / "home"


def program(place, name):
    return shutil.which(name, path=place / "venv" / ("Scripts" if os.name == "nt" else "bin"))


def sim(home, *words, code=0):
    own = {"NUMBA_CACHE_DIR": str(home.parent / "cache"), "XDG_DATA_HOME": str(home.parent / "data")}
    return called(program(home.parent, "jamaica-sim"), *words, cwd=home, code=code, **own)


def test_it_has_the_package_and_what_it_ships_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"jamaica_sim", f"{wheel.name.rsplit('-', 3)[0]}.dist-info"}
    tracked = called("git", "ls-files", "-z", "jamaica_sim", "strategies", "experiments", cwd=ROOT).split("\0")
    due = {re.sub("^(?=strategies|experiments)", "jamaica_sim/shipped/", name) for name in tracked if name}
    assert {name for name in names if name.startswith("jamaica_sim/")} == due
    about = zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith("METADATA"))).decode()
    links = re.findall(r"\]\(([^)]+)\)", about)
    assert all(link.startswith(("http", "#")) for link in links)


def test_games_are_played_compared_and_told(home):
    assert "win rate" in sim(home, "run", "-n", 2000, "-s", "balanced", "-s", "random", "--out", "games")
    assert "balanced" in sim(home, "compare", "balanced", "racer", "-n", 200)
    sim(home, "report", "games", "--out", "games.html")
    sim(home, "experiment", "run", "ghost_ship", "-n", 200, "--out", "ghosts")
    sim(home, "report", "ghosts", "--out", "ghosts.html")
    sim(home, "replay", "games", "--game", 3, "--html", "game.html")
    assert all("<svg" in (home / name).read_text() for name in ("games.html", "ghosts.html", "game.html"))
    assert "1.0" in called(program(home.parent, "python"), "-m", "jamaica_sim", "--version", cwd=home)


def test_a_net_is_trained_and_plays(home):
    sim(home, "train", "--start", "balanced", "--labels", 300, "-n", 400, "--out", "mine.toml")
    assert "mine" in sim(home, "run", "-n", 100, "-s", "mine.toml", "-s", "balanced")


@pytest.mark.parametrize("words", ["balance fair_seats", "sensitivity"])
def test_a_missing_extra_is_told_before_there_is_a_folder(home, words):
    told = sim(home, *words.split(), "--out", "found", code=2)
    assert "pip install optuna SALib" in told and not (home / "found").exists()


@pytest.mark.parametrize("words", ["studio", "play --players 3 --out games_of_mine"])
def test_pages_are_served(home, words):
    whole = [program(home.parent, "jamaica-sim"), *words.split(), "--no-browser"]
    environment = AS_NEW | {"XDG_DATA_HOME": str(home.parent / "data")}
    process = subprocess.Popen(whole, cwd=home, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        address = next(line.split()[1] for line in process.stdout if line.startswith("Open "))
        assert "<title>Jamaica" in httpx.get(address.partition("#")[0], timeout=60).text
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_the_code_of_a_notebook_runs(home):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    (home / "notebook.py").write_text("\n".join(code), encoding="utf-8")
    told = called(program(home.parent, "python"), "notebook.py", cwd=home)
    assert "Round 5" in told
