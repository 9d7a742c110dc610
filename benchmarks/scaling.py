"""How runs scale: games per second against threads and Dask workers, and what saving, rows, Dask and length cost.

    python benchmarks/scaling.py speed --games 2000000      # threads and Dask workers
    python benchmarks/scaling.py saving --games 2000000     # saving the sums (limit 2%), a row for each game (50%)
    python benchmarks/scaling.py dask --games 10000000      # a Dask worker against a thread (limit 10%)
    python benchmarks/scaling.py memory --games 1000000 10000000 100000000   # growth of the largest size (limit 50 MB)

Each measurement is a `jamaica-sim run` in a process of its own, from which a run of one game is subtracted. Ratios
compare the CPU time of all processes and are medians of pairs that take turns, so they hold on a busy machine. Games
per second are measured by the clock and need a quiet machine.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from numpy import median


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds by the clock while it played, seconds of CPU in all processes, peak memory in MB."""

    seconds: float
    cpu: float
    megabytes: float


def measure(games: int, *words) -> Cost:
    """The cost of a run."""
    command = [sys.executable, "-m", "jamaica_sim", "run", "--games", str(games), "--format", "json", *words]
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        seconds = json.load(output)["seconds"]
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def cpu(games, *words) -> float:
    """The CPU seconds of playing, without those of starting."""
    with tempfile.TemporaryDirectory() as scratch:
        return measure(games, *_inside(scratch, "long", words)).cpu - measure(1, *_inside(scratch, "short", words)).cpu


def _inside(scratch, name, words):
    return [str(Path(scratch) / name) if word == "OUT" else word for word in words]


def overhead(games, repeats, plain, with_it) -> float:
    """How much more CPU time one way takes than another, as a share. The two take turns in coming first."""
    ratios = []
    for repeat in range(repeats):
        costs = {way: cpu(games, *way) for way in (plain, with_it)[:: 1 - 2 * (repeat % 2)]}
        ratios.append(costs[with_it] / costs[plain])
        print(f"  {games / costs[plain]:,.0f} games per CPU second, {games / costs[with_it]:,.0f} with it", flush=True)
    print(f"  ratios {min(ratios):.3f} to {max(ratios):.3f}", flush=True)
    return median(ratios) - 1


def speed(games, repeats, player):
    """Games per second against threads and workers."""
    cores = len(os.sched_getaffinity(0))
    print(f"{'':>16} {'games/s':>10} {'of one':>7} {'MB':>6}")
    for name, option in (("threads", "--threads {}"), ("Dask workers", "--cluster local:{}")):
        alone = None
        for count in sorted({1, *range(2, cores + 1, max(1, cores // 4)), cores}):
            costs = [measure(games, *player, *option.format(count).split()) for _ in range(repeats)]
            best = games / median(cost.seconds for cost in costs)
            alone = alone or best
            size = max(cost.megabytes for cost in costs)
            print(f"{count:>3} {name:<12} {best:>10,.0f} {best / alone:>7.2f} {size:>6.0f}", flush=True)


def saving(games, repeats, player):
    """What it costs to save a run every few seconds, and to write a row for each game."""
    threads = (*player, "--threads", "1")
    for what, words, limit in (("saving the sums", (), 0.02), ("a row for each game", ("--per-game",), 0.5)):
        report(f"{what}, CPU time of what is saved", share_of_saving(games, player[1], bool(words)), limit)
        report(f"{what}, by pairs", overhead(games, repeats, threads, (*threads, "--out", "OUT", *words)), limit)


def share_of_saving(games, strategy, per_game) -> float:
    """The CPU time of handing over and writing what is saved, relative to everything else of the same run.

    On a shared machine pairs of runs cannot resolve one percent. This can, but it does not see what rows cost the
    threads that play.
    """
    from jamaica_sim.play.game_table import seat_table
    from jamaica_sim.study import saved_folder as saved
    from jamaica_sim.study.folder import StudyFolder
    from jamaica_sim.study.simulate import run_games, warm_up

    table = seat_table(strategies=[strategy])
    warm_up(table)
    spent = []

    def timed(function):
        def call(*arguments):
            started = time.thread_time()
            try:
                return function(*arguments)
            finally:
                spent.append(time.thread_time() - started)

        return call

    with tempfile.TemporaryDirectory() as scratch, patch.object(saved._Background, "_do", timed(saved._Background._do)):
        with patch.object(StudyFolder, "save", timed(StudyFolder.save)):
            started = time.process_time()
            run_games(table, games, threads=1, out=Path(scratch) / "run", per_game=per_game)
            total = time.process_time() - started
    return sum(spent) / (total - sum(spent))


def dask(games, repeats, player):
    """What Dask costs: one worker process, with the scheduler and the client that hands out chunks, to one thread."""
    worker, thread = (*player, "--cluster", "local:1"), (*player, "--threads", "1")
    report(f"Dask, {games:,} games", overhead(games, repeats, thread, worker), 0.10)


def memory(sizes, player):
    """The peak memory of runs of different length."""
    found = []
    for games in sizes:
        found.append(measure(games, *player).megabytes)
        print(f"{games:>13,} games {found[-1]:>6.0f} MB", flush=True)
    print(f"growth {max(found) - found[0]:.0f} MB (limit 50 MB)")


def report(what, share, limit):
    """Print one line."""
    print(f"{what}: {share:+.2%} (limit {limit:.0%})", flush=True)


def main():
    """Measure what the user asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "saving", "dask", "memory"])
    parser.add_argument("--games", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--strategy", default="random")
    options = parser.parse_args()
    player = ("-s", options.strategy)
    if options.what == "memory":
        memory(options.games, player)
    else:
        {"speed": speed, "saving": saving, "dask": dask}[options.what](options.games[0], options.repeats, player)


if __name__ == "__main__":
    main()
