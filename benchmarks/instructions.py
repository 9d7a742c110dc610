"""Counts the instructions that one game takes. The count is exact even on a busy machine, so it shows small changes.

The compiled engine and heuristic are written to object files and linked to a small C program that plays games of four
players with the same strategy. valgrind's callgrind counts the instructions that it executes. Needs gcc and valgrind,
on Linux x86-64. The code is compiled for x86-64-v3, because valgrind knows nothing newer.

    python benchmarks/instructions.py
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.machine import bits  # noqa: F401 (what this processor has is looked up before it is named)
from jamaica_sim.engine.state import RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.play.chunks import Worker
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.compile import HEURISTIC

GAMES = {"random": 1000, "balanced": 300, "champion": 60}
FEW = 20  # games of a second count; subtracting it removes everything that is done only once

PROGRAM = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
typedef int64_t i8;
typedef void *p;
#define ARRAY p, p, i8, i8, p, i8, i8
extern int ENGINE(i8 *, p *, ARRAY, ARRAY, i8, i8, ARRAY);
extern int HEURISTIC();
static p file(const char *name, i8 size) {
    FILE *f = fopen(name, "rb");
    p data = aligned_alloc(64, (size + 127) / 64 * 64);
    if (!f || fread(data, 1, size, f) != size) exit(1);
    fclose(f);
    return data;
}
int main(int argc, char **argv) {
    i8 games = atoll(argv[1]), played = 0;
    char *state = file("state", STATE), *rules = file("rules", RULES), *weights = file("weights", WEIGHTS);
    char *rows = aligned_alloc(64, (games * ROW + 63) / 64 * 64);
    i8 *addresses = (i8 *)(state + STRATEGY_AT), *of_ships = (i8 *)(state + WEIGHTS_AT);
    for (int i = 0; i < ADDRESSES; i++) if (addresses[i]) addresses[i] = (i8)HEURISTIC;
    for (int i = 0; i < SHIPS; i++) if (of_ships[i]) of_ships[i] = (i8)weights;
    p error = 0;
    if (ENGINE(&played, &error, 0, 0, 1, STATE, state, 1, STATE, 0, 0, 1, RULES, rules, 1, RULES, 7, 0,
               0, 0, games, ROW, rows, games, ROW)) return 2;
    return played == games ? 0 : 3;
}
"""


def compiled(function):
    """Object code and symbol of a function that has been compiled."""
    kept = function._kept.load()
    return kept.code, kept.symbol


def counted(folder, games):
    """Instructions of this many games."""
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "./play", str(games)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        sys.exit(f"the program ended with {run.returncode}: {run.stderr[-500:]}")
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def count(strategy, folder):
    """Instructions of one game of four players with this strategy."""
    table = seat_table(strategies=[strategy], seed=7, players=4)
    worker = Worker(table)
    play_chunk(worker.state, table.rulebook, 7, 0, np.zeros(0, RESULT_DTYPE))
    weights = table.strategies[0].weights
    engine, engine_name = compiled(play_chunk)
    decide, decide_name = compiled(HEURISTIC)
    (folder / "state").write_bytes(worker.state.tobytes())
    (folder / "rules").write_bytes(table.rulebook.tobytes())
    (folder / "weights").write_bytes(weights.tobytes())
    (folder / "engine.o").write_bytes(engine)
    (folder / "heuristic.o").write_bytes(decide)
    sizes = {
        "STATE": STATE_DTYPE.itemsize,
        "RULES": table.rulebook.dtype.itemsize,
        "WEIGHTS": weights.nbytes,
        "ROW": RESULT_DTYPE.itemsize,
        "STRATEGY_AT": STATE_DTYPE.fields["strategy"][1],
        "WEIGHTS_AT": STATE_DTYPE.fields["weights"][1],
        "ADDRESSES": STATE_DTYPE["strategy"].itemsize // 8,
        "SHIPS": STATE_DTYPE["weights"].itemsize // 8,
    }
    names = f'#define NAME_E "{engine_name}"\n#define NAME_H "{decide_name}"\n'
    program = PROGRAM.replace("i8, i8, ARRAY);", "i8, i8, ARRAY) __asm__(NAME_E);", 1)
    program = program.replace("HEURISTIC();", "HEURISTIC() __asm__(NAME_H);")
    (folder / "play.c").write_text(names + program)
    defines = [f"-D{name}={size}" for name, size in sizes.items()]
    link = ["gcc", "-O1", "-no-pie", "-w", *defines, "play.c", "engine.o", "heuristic.o", "-o", "play", "-lm"]
    subprocess.run([*link, "-Wl,--unresolved-symbols=ignore-all"], cwd=folder, check=True)
    few, many = counted(folder, FEW), counted(folder, FEW + GAMES[strategy])
    return (many - few) / GAMES[strategy]


def main():
    """Print the counts."""
    os.environ |= {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
    HEURISTIC.address  # noqa: B018 (compiles it)
    with tempfile.TemporaryDirectory() as folder:
        for strategy in GAMES:
            print(f"four {strategy}, 2007: {count(strategy, Path(folder)):,.0f} instructions a game", flush=True)


if __name__ == "__main__":
    main()
