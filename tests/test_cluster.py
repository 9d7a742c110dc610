"""Games on a Dask cluster: the same bytes as on threads, also when workers, or the scheduler, are lost on the way."""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import logging
import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial

import pytest
from command import assert_told, type_in
from folders import FIRST, GAMES, NEVER, RASH, contents, finished, shell, small_parts, stop_after, table, wait_for

from jamaica_sim import compare
from jamaica_sim.files.sources import played_by
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import read_manifest
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.study import cluster
from jamaica_sim.study.compare.compare import COMPARISON, make_plan, play_comparison, prepare, resume_comparison
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.slow  # for its many processes


@pytest.fixture(scope="module")
def team():
    """A scheduler and two workers in processes of their own."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,
        memory_limit=0,
    ) as local:
        yield local
        cluster._dismiss(local.workers.values())


def play(table, out, team, **options):
    address = team.scheduler_address
    return run_games(table, GAMES, first_game=FIRST, out=out, per_game=True, cluster=address, **options)


def test_the_same_files_as_on_threads(table, team, tmp_path, finished):
    play(table, tmp_path / "run", team)
    assert contents(tmp_path / "run") == contents(finished)


def test_the_same_sums_as_on_threads(table, team):
    there = run_games(table, 3000, cluster=team.scheduler_address)
    assert there.tally.tobytes() == run_games(table, 3000).tally.tobytes()


def test_the_same_tables_of_events_as_on_threads(table, team, tmp_path):
    for name, where in {"here": None, "there": team.scheduler_address}.items():
        run_games(table, 700, out=tmp_path / name, per_game=True, events=True, cluster=where)
    here, there = (sorted((tmp_path / name).rglob("*.parquet")) for name in ("here", "there"))
    assert [file.parent.name for file in here] == [file.parent.name for file in there] and len(here) > 10
    assert [file.read_bytes() for file in here] == [file.read_bytes() for file in there]
    assert read_manifest(tmp_path / "here")["files"] == read_manifest(tmp_path / "there")["files"]


def test_strategies_travel_with_their_text(team, tmp_path):
    """Workers never see the file."""
    file = tmp_path / "mine.py"
    file.write_text(RASH.replace("60", "card"))
    seated = seat_table(strategies=[file, "racer"], players=3)
    file.unlink()
    there = run_games(seated, 500, cluster=team.scheduler_address)
    assert there.tally.tobytes() == run_games(seated, 500).tally.tobytes()


def test_a_worker_is_killed(table, team, tmp_path, finished):
    """Its chunks are played by others; a new one takes its place."""
    victims = [nanny.pid for nanny in team.workers.values()]

    def kill(done):
        if victims and done > 300:
            os.kill(victims.pop(), signal.SIGKILL)
            time.sleep(0.2)

    play(table, tmp_path / "run", team, chunk_size=50, progress=kill)
    assert not victims
    assert contents(tmp_path / "run") == contents(finished)


def test_stopped_and_resumed_elsewhere(table, team, tmp_path, finished):
    """Begun on a cluster, continued on threads, ended on a cluster."""
    with pytest.raises(Stopped):
        play(table, tmp_path / "run", team, chunk_size=50, progress=stop_after(1000))
    with pytest.raises(Stopped):
        resume_run(tmp_path / "run", chunk_size=50, progress=stop_after(2500))
    resume_run(tmp_path / "run", cluster=team.scheduler_address)
    assert contents(tmp_path / "run") == contents(finished)


def test_a_fault_on_a_worker(team, tmp_path):
    (tmp_path / "rash.py").write_text(RASH)
    seated = seat_table(strategies=[tmp_path / "rash.py", "racer", "racer"], players=3)
    with pytest.raises(StrategyFault) as here:
        run_games(seated, 2000, chunk_size=10)
    with pytest.raises(StrategyFault) as there:
        run_games(seated, 2000, chunk_size=10, cluster=team.scheduler_address)
    wanted = str(here.value).replace(f"{tmp_path}/", "", 1)  # where the file lies is not known there
    assert str(there.value) == wanted


def test_a_worker_of_another_version(table, team, monkeypatch):
    monkeypatch.setattr(cluster, "played_by", lambda: {**played_by(), "version": "0.0.9"})
    with pytest.raises(cluster.ClusterFault, match="a worker has jamaica-sim .* but the run wants 0.0.9"):
        run_games(table, 100, cluster=team.scheduler_address)


def test_what_breaks_on_a_worker_is_told(table, team, monkeypatch):
    monkeypatch.setattr(cluster, "play_order", partial(int, "x"))
    with pytest.raises(cluster.ClusterFault, match="the workers cannot play games 0 to"):
        run_games(table, 100, cluster=team.scheduler_address)


# Comparisons


COMPARED = ["random", "racer", "random"]


@pytest.fixture(scope="module")
def contest():
    return prepare(COMPARED, players=3, seed=5)


@pytest.fixture(scope="module")
def compared(contest, tmp_path_factory):
    """The folder of a comparison on threads that nothing disturbed; not to be changed."""
    out = tmp_path_factory.mktemp("undisturbed") / "comparison"
    compare_into(out, contest, None)
    return out


PLAN = make_plan(games=12_000)


def compare_into(out, contest, cluster, progress=None):
    if out.exists():
        return resume_comparison(out, progress, cluster=cluster)
    return play_comparison(contest, PLAN, progress, out, cluster=cluster)


def test_the_same_comparison_as_on_threads(contest, team, tmp_path, compared):
    assert compare_into(tmp_path / "c", contest, team.scheduler_address).complete
    assert contents(tmp_path / "c") == contents(compared)


def test_a_comparison_loses_a_worker(contest, team, tmp_path, compared):
    victims = [next(iter(team.workers.values())).pid]

    def kill(comparison):
        if victims:
            os.kill(victims.pop(), signal.SIGKILL)

    assert compare_into(tmp_path / "c", contest, team.scheduler_address, kill).complete
    assert not victims
    assert contents(tmp_path / "c") == contents(compared)


@pytest.mark.parametrize(
    ("names", "how"),
    [
        (["random", "racer"], {"games": 6_000}),
        (["random", "racer", "hoarder", "balanced", "corsair"], {"until": "verdict", "max_games": 8_000}),
    ],
)
def test_the_same_looks_as_on_threads(names, how, team):
    """A task that goes on beyond a look sums up the games before and after the look separately."""
    here, there = [], []
    compare(names, progress=lambda c: here.append(c.as_json()), **how)
    compare(names, progress=lambda c: there.append(c.as_json()), cluster=team.scheduler_address, **how)
    assert here == there and len(here) > 1


def test_a_comparison_is_stopped_and_resumed_elsewhere(contest, team, tmp_path, compared):
    out = tmp_path / "c"

    def stop_early(comparison):
        if comparison.games >= 2_000:
            signal.raise_signal(signal.SIGINT)

    for address in (team.scheduler_address, None):
        with pytest.raises(Stopped):
            compare_into(out, contest, address, stop_early)
    done = read_manifest(out, COMPARISON)["games_done"]
    assert 2_000 <= done < 12_000
    result = type_in("resume", out, "--cluster", team.scheduler_address)
    assert result.exit_code == 0, result.output
    assert contents(out) == contents(compared)


def test_a_fault_in_a_comparison_on_a_worker(team, tmp_path):
    """The message names the exact game and table."""
    (tmp_path / "rash.py").write_text(RASH)
    rash = prepare([tmp_path / "rash.py", "racer"], players=3)
    told = []
    for address in (None, team.scheduler_address):
        with pytest.raises(StrategyFault) as fault:
            play_comparison(rash, PLAN, threads=None if address else 1, cluster=address)
        told.append(str(fault.value))
    assert told[1] == told[0].replace(f" ({tmp_path}/rash.py)", " (rash.py)") and "--game" in told[0]


def test_a_comparison_loses_its_scheduler(contest, lonely_scheduler, tmp_path, monkeypatch):
    process, address = lonely_scheduler
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    words = "scheduler is lost; 0 of 12,000 games are safe: go on with `jamaica-sim resume"
    out = tmp_path / "c"
    with pytest.raises(cluster.ClusterFault, match=words):
        play_comparison(contest, PLAN, out=out, cluster=address, remark=lambda sentence: process.kill())
    assert not (out / ".lock").exists()


def test_a_comparison_finds_no_scheduler(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "CONNECT", 0.3)
    words = ["compare", "random", "racer", "--games", 100, "--out", tmp_path / "c", "--cluster", "tcp://127.0.0.1:9"]
    assert_told(type_in(*words), 1, "No Dask scheduler answers at tcp://127.0.0.1:9")
    assert not os.listdir(tmp_path)
    assert_told(type_in("compare", "random", "racer", "--threads", 2, "--cluster", "local:2"), 2, "--threads")


def test_a_comparison_on_processes_of_this_machine(tmp_path):
    """Stopped with Ctrl-C, which all processes see."""
    out = tmp_path / "c"
    run = shell("compare", "random", "racer", "--games", 50_000_000, "--cluster", "local:2", "--out", out)
    wait_for(out / "manifest.json", run, 120)
    os.killpg(run.pid, signal.SIGINT)
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 1 and errors.startswith("Stopped: ") and errors.count("\n") == 1, errors


# From the shell


@pytest.fixture
def lonely_scheduler():
    """A scheduler without workers, in a process of its own."""
    code = (
        "import asyncio, distributed\n"
        "async def main():\n"
        "    async with distributed.Scheduler(port=0, dashboard=False, dashboard_address='127.0.0.1:0') as s:\n"
        "        print(s.address, flush=True)\n"
        "        await s.finished()\n"
        "asyncio.run(main())\n"
    )
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()


def test_a_scheduler_that_is_lost(table, lonely_scheduler, tmp_path, monkeypatch, capfd):
    """Without workers the run waits, and says so; without its scheduler it ends, and says how to go on."""
    process, address = lonely_scheduler
    monkeypatch.setattr(cluster, "CONNECT", 1.0)
    remarks = []

    def remark(sentence):
        remarks.append(sentence)
        process.kill()

    with pytest.raises(cluster.ClusterFault, match="scheduler is lost.*0 of 4,000 games are safe: go on with") as told:
        run_games(table, GAMES, out=tmp_path / "run", cluster=address, remark=remark)
    assert remarks[0].startswith("The cluster has no workers: waiting for some, ")
    assert str(told.value).count("\n") == 0
    assert not (tmp_path / "run" / ".lock").exists()
    assert capfd.readouterr() == ("", "")


def test_processes_of_this_machine(tmp_path):
    """Stopped with Ctrl-C, which all processes see; it says one sentence, also where Dask's usual port is taken."""
    out = tmp_path / "run"
    with socket.socket() as taken:
        with suppress(OSError):  # somebody else has it: just as good
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        run = shell("run", "--games", 50_000_000, "-s", "random", "--cluster", "local:1", "--out", out)
        wait_for(out / "manifest.json", run)
        time.sleep(0.5)
        os.killpg(run.pid, signal.SIGINT)
        _, errors = run.communicate(timeout=120)
    assert run.returncode == 1 and errors.startswith("Stopped: ") and errors.count("\n") == 1, errors
    assert re.search(r"Go on with: jamaica-sim resume ", errors)
    assert not read_manifest(out)["complete"]


def test_a_strategy_that_never_answers_there(tmp_path):
    (tmp_path / "thinker.py").write_text(NEVER.replace("view.round > 1", "view.round > 14"))
    words = ["run", "-s", tmp_path / "thinker.py", "-s", "racer", "--cluster", "local:1", "--games", 50_000]
    run = shell(*words, JAMAICA_SIM_PATIENCE="1")
    _, errors = run.communicate(timeout=120)
    assert run.returncode == 1 and "Traceback" not in errors
    assert "has not answered for 1 seconds at choose_card in game" in errors


@pytest.mark.parametrize("address", ["here", "local", "local:0", "local:x", "tcp://", "tcp://host", "http://host:80"])
def test_addresses_that_are_none(address):
    assert_told(type_in("run", "--games", 10, "--cluster", address), 2, "A cluster is tcp://HOST:PORT", repr(address))


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT", 0.3)
    words = ["run", "--games", 10, "-s", "random", "--cluster", "tcp://127.0.0.1:9"]
    assert_told(type_in(*words), 1, "No Dask scheduler answers at tcp://127.0.0.1:9")


def test_dask_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert_told(type_in("run", "--games", 10, "--cluster", "local:2"), 2, "needs Dask", "dask[distributed]")


def test_threads_and_cluster(monkeypatch):
    assert_told(type_in("run", "--threads", 2, "--cluster", "local:2"), 2, "--threads")
