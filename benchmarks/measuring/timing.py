"""Times actions: in this process in turns, so that a busy machine slows down all alike, or in a process of its own."""

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Spent:
    """Seconds of processor time and seconds by the clock."""

    cpu: float
    wall: float


def timed(action) -> Spent:
    """The time that an action takes, in all threads of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    action()
    return Spent(time.process_time() - cpu, time.perf_counter() - wall)


def in_turns(turns: int, *actions) -> list[list]:
    """The results of each action, turn by turn. Every other turn goes backwards, so that no action is always first."""
    found = [[] for _ in actions]
    for turn in range(turns):
        order = range(len(actions)) if turn % 2 == 0 else reversed(range(len(actions)))
        for number in order:
            found[number].append(actions[number]())
    return found


@contextmanager
def on_one_core():
    """Keep this process, and the processes that it starts, on one core, where the system can."""
    if not hasattr(os, "sched_getaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def timed_process(command, **environment) -> tuple[Spent, str]:
    """The time that a process takes, and its standard error; its standard output is thrown away."""
    before, wall = os.times(), time.perf_counter()
    done = subprocess.run(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    wall, after = time.perf_counter() - wall, os.times()
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    children = after.children_user - before.children_user + after.children_system - before.children_system
    return Spent(children, wall), done.stderr


def ask_module(name, *words) -> dict:
    """The JSON that a module of this package prints when it runs in a process of its own."""
    path = os.pathsep.join([str(Path(__file__).resolve().parent.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", name, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return json.loads(done.stdout)
