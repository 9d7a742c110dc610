"""The current folder decides nothing: modules and settings in it are not read, by no command and no process of ours.

All commands run one after the other in one process, in a folder with a module for every name that they or Python's own
library import. Each of these modules leaves a mark. Pieces count as not compiled, so that the second process that
compiles is started every time; it finds them in the cache, which makes the test affordable.
"""

import os
import subprocess
import sys

import pytest

from jamaica_sim.cli import COMMANDS

MODULE = "import os\nopen(os.environ['MARK'], 'a').write(__name__ + '\\n')\nraise SystemExit(66)\n"
# Names of modules that are imported by processes of ours, but maybe not by this one.
OTHERS = """jamaica_sim numba numpy llvmlite pandas pyarrow matplotlib distributed dask tornado optuna SALib scipy cmaes
jinja2 yaml msgpack cloudpickle psutil toolz zict sitecustomize usercustomize readline""".split()
LINES = """run --games 20 --out run --per-game -s corsair -s random
run --games 20 -s random --cluster local:1
resume run
run --games 20 --first-game 20 --out next --per-game -s corsair -s random
merge run next --out merged
compare random balanced --games 40 --out compared
tune balanced --minutes 0.02 --games 40 --out tuned.toml
train --help
play --help
review --help
studio --port 1 --no-browser --rules missing.toml
sweep hand_size=2..3 -s random --games 40 --out swept
sensitivity ../ranges.toml
balance ../targets.toml --trials 2 -n 20 --finalists 1 --adapt 0
experiment show skill
report run --out page.html
board --out board.png
replay run --game 3
replay --game 3 -s random --html game.html
games run --where "rounds > 1"
strategies check random
strategies show corsair
rules list
"""
RANGES = """games = 10
trajectories = 2
samples = 2
kept = 2
strategies = ["random"]
[ranges]
holds = [3, 5]
hand_size = "2..3"
"""
TARGETS = """games = 20
search_games = 20
strategies = ["random"]
[targets]
rounds = [11, 12]
[ranges]
hand_size = "2..4"
"""
PROGRAM = """
import shlex, sys
from jamaica_sim.cli import main
from jamaica_sim.play import chunks, compile_ahead

started = []
compile_ahead.missing = lambda strategies, pieces: [name for name in pieces if name not in ("net", "searcher")]
compile_ahead.default_threads = lambda: 2
beside = compile_ahead._compiled_beside
compile_ahead._compiled_beside = lambda names: started.append(names) or beside(names)
if __name__ == "__main__":
    for line in sys.stdin.read().splitlines():
        try:
            main(shlex.split(line))
        except SystemExit as end:
            print(line, "ended with", end.code)
    print("helpers", sum(map(bool, started)))
"""


@pytest.fixture
def names():
    """Names of modules: those of Python's library, those that are loaded, and others."""
    found = {name.partition(".")[0] for name in sys.modules} | set(sys.stdlib_module_names) | set(OTHERS)
    return {name for name in found if name.isidentifier() and name != "__main__"}


@pytest.fixture
def hostile(names, tmp_path):
    """A folder with a hostile module for every name, and with settings for the libraries that look for them there."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text(MODULE)
    (folder / ".numba_config.yaml").write_text("- no settings\n")
    (folder / "matplotlibrc").write_bytes(b"backend: module://random\nfont.size: 99 \xff\n")
    return folder


def typed(folder, program, lines, tmp_path):
    """The program's output, when all lines are typed in the folder; and the marks that were left."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["MARK"] = str(tmp_path / "mark")
    command = [sys.executable, *program]
    done = subprocess.run(
        command, input=lines, cwd=folder, env=environment, capture_output=True, text=True, timeout=500
    )
    mark = tmp_path / "mark"
    return done, sorted(set(mark.read_text().split())) if mark.exists() else []


@pytest.mark.slow
def test_no_command_runs_modules_of_the_current_folder(hostile, tmp_path):
    assert {line.split()[0] for line in LINES.splitlines()} == set(COMMANDS)
    (tmp_path / "bin").mkdir()
    (tmp_path / "ranges.toml").write_text(RANGES)
    (tmp_path / "targets.toml").write_text(TARGETS)
    (tmp_path / "bin" / "jamaica-sim.py").write_text(PROGRAM)
    done, marks = typed(hostile, [tmp_path / "bin" / "jamaica-sim.py"], LINES, tmp_path)
    assert marks == []
    assert done.stdout.count("ended with 0") == len(LINES.splitlines()) - 1, done.stdout + done.stderr  # all but studio
    assert int(done.stdout.split()[-1]) > 5


def test_python_m_imports_no_other_module_from_there(hostile, tmp_path):
    """`python -m` itself looks in the current folder, for Python's library and for the package; we do not."""
    for name in {"jamaica_sim", *sys.stdlib_module_names}:
        (hostile / f"{name}.py").unlink(missing_ok=True)
    done, marks = typed(hostile, ["-m", "jamaica_sim", "run", "--games", "10", "-s", "random"], "", tmp_path)
    assert marks == [] and done.returncode == 0, done.stderr
