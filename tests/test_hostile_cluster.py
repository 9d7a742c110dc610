"""Clusters that are none, that lose everybody, or whose processes are killed at random."""

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import zlib

import pytest

from jamaica_sim.play.chunks import Chunk, paced_chunks
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.study import cluster
from jamaica_sim.study.folder import load_results
from jamaica_sim.study.simulate import resume_run, run_games

pytest.importorskip("distributed")
SCHEDULER = """
import asyncio, distributed
async def main():
    async with distributed.Scheduler(port={port}, dashboard=False, dashboard_address='127.0.0.1:0') as s:
        print(s.address, flush=True)
        await s.finished()
asyncio.run(main())
"""


@pytest.fixture
def processes():
    """Processes that a test starts; all are gone afterwards."""
    started = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def start(processes, *words):
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    processes.append(process)
    return process


def start_scheduler(processes, port=0):
    scheduler = start(processes, sys.executable, "-c", SCHEDULER.format(port=port))
    return scheduler, scheduler.stdout.readline().strip()


def start_worker(processes, address):
    words = f"-m dask worker {address} --no-nanny --nthreads 1 --no-dashboard --death-timeout 5"
    return start(processes, sys.executable, *words.split())


def test_something_that_is_no_scheduler(monkeypatch):
    """It takes the connection and says nothing: the time limit holds."""
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        started = time.monotonic()
        with pytest.raises(cluster.ClusterFault, match="no Dask scheduler answers"):
            address = f"tcp://127.0.0.1:{listening.getsockname()[1]}"
            run_games(seat_table(strategies=["random"]), 10, cluster=address)
    assert time.monotonic() - started < 10


def test_without_workers_there_is_a_word_and_an_end(processes, monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "LONELY", 3.0)
    monkeypatch.setattr(cluster, "REMIND", 0.5)
    monkeypatch.setattr(cluster, "COUNT_EVERY", 0.2)
    _, address = start_scheduler(processes)
    said = []
    with pytest.raises(cluster.ClusterFault, match="no workers for 3 seconds; 0 of 100 games are safe: go on with"):
        run_games(seat_table(strategies=["random"]), 100, cluster=address, out=tmp_path / "run", remark=said.append)
    assert 3 <= len(said) <= 7 and all("no workers: waiting for some" in word for word in said)


def tasks(games):
    """How many tasks a run without rows has, if a worker plays 40,000 games a second."""
    pace, count, first = cluster.cluster_pace(games, False), 0, 0
    for chunk in paced_chunks(0, games, pace):
        pace.learn(chunk.games, chunk.games / 40_000)
        count, first = count + 1, chunk.first + chunk.games
        if count > 1000:  # by then the pace is settled
            return count + (games - first) // pace.games
    return count


def test_tasks_grow_with_the_run():
    assert tasks(10**7) < 2_000
    assert tasks(10**12) < 1_000_000  # and not 15 million


def test_a_large_task_is_played_in_pieces(monkeypatch):
    monkeypatch.setattr(cluster, "LARGEST_CHUNK", 100)
    table = seat_table(strategies=["random"])
    order = cluster.packed_order(cluster.TALLIES, table)
    kind, sums, rows, _ = cluster.play_order(cluster.TALLIES, order, Chunk(5, 450), False)
    whole = run_games(table, 450, first_game=5)
    assert kind == "played" and rows is None
    assert zlib.decompress(sums) == whole.tally.tobytes()


@pytest.mark.slow
def test_chaos(processes, tmp_path):
    """Workers are killed at random and the scheduler once; resumed, the run has the files of a quiet one."""
    table, games, luck = seat_table(strategies=["random"]), 100_000, random.Random(5)
    run_games(table, games, out=tmp_path / "quiet")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scheduler, address = start_scheduler(processes, port)
    workers = [start_worker(processes, address) for _ in range(2)]
    ended, kills = threading.Event(), {"workers": 0, "schedulers": 0}

    def chaos():
        nonlocal scheduler
        while not ended.wait(luck.uniform(0.5, 1.5)) and kills["workers"] < 5:
            if scheduler.poll() is not None or (kills["workers"] == 1 and kills["schedulers"] == 0):
                scheduler.kill()
                scheduler.wait()
                kills["schedulers"] += 1
                scheduler, _ = start_scheduler(processes, port)
            place = luck.randrange(2)
            os.kill(workers[place].pid, signal.SIGKILL)
            workers[place].wait()
            workers[place] = start_worker(processes, address)
            kills["workers"] += 1

    trouble = threading.Thread(target=chaos)
    trouble.start()
    # Slower than it could be, so that there is time to be killed.
    how = {"cluster": address, "chunk_size": 2_000, "progress": lambda done: time.sleep(0.1)}
    try:
        deadline = time.monotonic() + 300  # on a busy machine workers take long to come back
        play = lambda: run_games(table, games, out=tmp_path / "chaos", **how)  # noqa: E731
        while time.monotonic() < deadline:
            try:
                play()
                break
            except cluster.ClusterFault:
                if (tmp_path / "chaos").exists():
                    play = lambda: resume_run(tmp_path / "chaos", **how)  # noqa: E731
                time.sleep(0.5)
    finally:
        ended.set()
        trouble.join()
    assert kills["workers"] > 1 and kills["schedulers"] > 0
    assert load_results(tmp_path / "chaos").games == games
    for name in ("sums.npy", "tables.json"):
        assert (tmp_path / "chaos" / name).read_bytes() == (tmp_path / "quiet" / name).read_bytes()
    assert sorted(os.listdir(tmp_path / "chaos")) == sorted(os.listdir(tmp_path / "quiet"))
