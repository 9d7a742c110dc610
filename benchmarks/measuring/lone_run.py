"""A run of random games in a process of its own, which prints its costs: `python -m measuring.lone_run GAMES SECONDS`.

The run is repeated until it has taken SECONDS of processor time, so that short runs can be measured too. Starting and
compiling do not count. The costs are seconds for each game, and the peak memory in megabytes.
"""

import json
import resource
import sys
from pathlib import Path

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.study.simulate import run_games, warm_up
from measuring.timing import timed


def most_megabytes() -> float:
    """The peak memory of this process. `getrusage` would begin with the size of the process that started it."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(games: int, seconds: float):
    """Run, measure, print."""
    table = seat_table(strategies="random")
    warm_up(table)
    spent = []
    while not spent or sum(s.cpu for s in spent) < seconds:
        spent.append(timed(lambda: run_games(table, games)))
    cpu, wall = (sum(getattr(s, name) for s in spent) / (games * len(spent)) for name in ("cpu", "wall"))
    print(json.dumps({"cpu": cpu, "wall": wall, "megabytes": most_megabytes()}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
