"""Small folders of every kind, and a tuning, as an earlier version wrote them: how they were made, and their figures.

`python tests/old_folders.py` writes them with the version that is installed, into `old_folders.tar.xz`, and into
`old_folders.json` the figures that they show, those of interrupted work after resuming it. `test_old_folders.py` reads
both. Write them anew only when a format or the games have changed on purpose: older folders are then refused.
"""

import json
import os
import tarfile
import tempfile
from contextlib import nullcontext, suppress
from pathlib import Path

from jamaica_sim import balance, compare, resume, run_experiment, sensitivity, simulate, sweep, tune

PACKED = Path(__file__).with_suffix(".tar.xz")
FIGURES = Path(__file__).with_suffix(".json")
TUNING = "tuning"
CORRECTED = "seats"  # a quantity of the laboratory that was biased in this earlier version

TABLE = {"strategies": ["balanced", "random"], "players": 3, "seed": 5}
# Spaces, treasures and rules that are not those of an edition.
VARIANT = {"hand_size": 4, "space.6.cost": 2, "treasure.morgans_map": 0, "ghost": True}
EXPERIMENT = """
title = "Two tables"
games = 20
seed = 3
chapters = ["who_wins", "shortages"]
line_ups = ["random"]
[rules]
players = [2, 3]
"""
CAUSES = (
    EXPERIMENT.replace('"shortages"]', '"luck", "restricted"]')
    .replace('"random"', '"balanced"')
    .replace("Two tables", "Causes")
)
RANGES = {"hand_size": "2..3", "holds": "4..5"}
TARGETS = {"rounds": {"at_most": 10}, "ghost": (10, 90)}


def stop(*_):
    """Interrupt, as Ctrl-C does."""
    raise KeyboardInterrupt


def stop_at_second(_, number):
    """Interrupt an experiment before its second setting."""
    return nullcontext() if number == 0 else stop()


def write_all():
    """Write all folders into the current directory."""
    simulate(games=40, **TABLE, out="run")
    simulate(games=40, **TABLE, per_game=True, out="run-with-rows")
    simulate(games=20, **TABLE, hand_size=4, luck={"dice": 7}, out="run-with-luck")
    simulate(games=20, strategies="random", players=2, **VARIANT, out="run-of-variant")
    with suppress(KeyboardInterrupt):
        simulate(games=200, **TABLE, per_game=True, threads=1, chunk_size=16, progress=stop, out="run-stopped")
    compare("balanced", against=["random"], games=80, seed=2, out="comparison")
    with suppress(KeyboardInterrupt):
        compare("balanced", "random", games=400, seed=2, progress=stop, out="comparison-stopped")
    Path("tables.toml").write_text(EXPERIMENT)
    Path("causes.toml").write_text(CAUSES)
    run_experiment("./tables.toml", "experiment")
    run_experiment("./causes.toml", "experiment-with-causes")
    for name in ("tables", "causes"):
        with suppress(KeyboardInterrupt):
            run_experiment(f"./{name}.toml", f"experiment-stopped-{name}", watch=stop_at_second)
    sweep({"hand_size": "2..3"}, games=20, strategies="random", out="sweep")
    sensitivity(RANGES, 40, trajectories=2, samples=2, strategies="random", out="sensitivity")
    search = {"ranges": {"hand_size": "2..5", "start_food": "1..4"}, "players": 2, "games": 100, "search_games": 80}
    balance(TARGETS, **search, trials=10, strategies="balanced", retune=1, finalists=1, out="balance")
    with suppress(KeyboardInterrupt):
        balance(TARGETS, **search, trials=20, strategies="random", retune=0, progress=stop, out="balance-stopped")
    os.mkdir(TUNING)
    tuned()


def tuned():
    """The tuning in the current directory, begun or gone on with."""
    return tune({"hurry": 0.5}, weights=["hurry"], evaluations=5, games=80, out=f"{TUNING}/mine.toml")


def figures_of(answer) -> list[float]:
    """All figures of an answer in three: how many there are, their sum, and their sum weighted by their places."""
    if hasattr(answer, "trial"):
        values = [answer.evaluations, *answer.strategy.changes.values(), answer.gain().value, answer.gain().high]
    elif hasattr(answer, "state") or hasattr(answer, "measured"):
        values = _numbers(answer.state if hasattr(answer, "state") else answer.measured)
    else:
        table = answer.to_pandas()
        values = table[table["quantity"] != CORRECTED][["value", "low", "high"]].to_numpy().ravel().tolist()
        values += _numbers(getattr(answer, "causes", None))
    known = [value for value in values if value == value]
    return [len(values), sum(known), sum(place * value for place, value in enumerate(known))]


def _numbers(values):
    """All numbers in nested plain values, in order."""
    if isinstance(values, dict):
        values = [values[name] for name in sorted(values) if name != CORRECTED]
    if isinstance(values, list):
        return [number for value in values for number in _numbers(value)]
    return [values] if isinstance(values, int | float) else []


def unpacked(directory: Path) -> list[Path]:
    """The folders, unpacked into a directory."""
    with tarfile.open(PACKED) as packed:
        packed.extractall(directory, filter="data")
    return sorted(path for path in directory.iterdir() if path.is_dir())


def _pack(directory):
    with tarfile.open(PACKED, "w:xz", preset=9) as packed:
        for folder in sorted(path for path in directory.iterdir() if path.is_dir()):
            packed.add(folder, folder.name)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        write_all()
        _pack(Path(directory))
        answers = {
            path.name: tuned() if path.name == TUNING else resume(path.name)
            for path in sorted(Path(directory).iterdir())
            if path.is_dir()
        }
    figures = {name: figures_of(answer) for name, answer in answers.items()}
    FIGURES.write_text("{\n" + ",\n".join(f'"{n}": {json.dumps(f)}' for n, f in figures.items()) + "\n}\n")
