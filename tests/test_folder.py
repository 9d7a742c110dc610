"""The folder of a run: what is in it, that it depends on the configuration alone, and what happens when it is harmed.

Every fault ends in one sentence, never in a traceback, and nothing that was good is lost.
"""
# Fixtures are imported and then named as arguments.
# ruff: noqa: F401, F811

import errno
import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from children import PATIENCE, start_child
from command import assert_told, type_in
from folders import (
    FIRST,
    GAMES,
    HARM,
    PART,
    FullDisk,
    contents,
    finished,
    flip,
    make_table,
    play,
    rewrite,
    small_parts,
    stopped,
    table,
    whole,
)

from jamaica_sim import __version__, simulate
from jamaica_sim.files import atomic_files as store
from jamaica_sim.files.sources import engine_hash
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.manifest import VOLATILE, FolderError, FolderFault, read_manifest
from jamaica_sim.study import parts
from jamaica_sim.study import saved_folder as saved
from jamaica_sim.study import simulate as session
from jamaica_sim.study.folder import load_results
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

DOCS = Path(__file__).parent.parent / "docs"


# What is in it


def test_the_documented_schema_is_the_schema(whole):
    text = (DOCS / "long-runs.md").read_text()
    manifest = json.loads((whole / "manifest.json").read_text())
    documented = set(re.findall(r"^\| `([a-z_.]+)`", text, re.MULTILINE))
    fields = {*manifest, *(f"configuration.{name}" for name in manifest["configuration"])} - {"configuration"}
    assert fields <= documented
    assert all(f"`{name}`" in text for name in VOLATILE)
    assert f"`{manifest['schema']}`" in text and "`jamaica-games/1`" in text


def test_manifest_says_who_played_what(whole, table):
    manifest = read_manifest(whole)
    assert (manifest["version"], manifest["engine"]) == (__version__, engine_hash())
    assert manifest["complete"] and manifest["games_done"] == GAMES and manifest["ranges"] == [[FIRST, GAMES]]
    assert [s["sha256"] for s in manifest["configuration"]["strategies"]] == [s.digest for s in table.strategies]
    names = {str(path.relative_to(whole)) for path in whole.rglob("*") if path.is_file()} - {"manifest.json"}
    assert set(manifest["files"]) == names
    assert all(manifest["files"][name] == store.hash_of((whole / name).read_bytes()) for name in names)


def test_games_in_pandas(whole):
    games = pd.read_parquet(whole / "games")
    assert games["game"].tolist() == list(range(FIRST, FIRST + GAMES))
    assert str(games["score_0"].dtype) == "int16"
    assert games["rounds"].sum() == load_results(whole).tally["by_game"][0, 0]


def test_games_in_duckdb(whole):
    duckdb = pytest.importorskip("duckdb")
    (sums,) = duckdb.sql(f"select count(*), sum(rounds) from '{whole}/games/*.parquet'").fetchall()
    assert sums == (GAMES, load_results(whole).tally["by_game"][0, 0])


def test_parts_name_their_schema(whole):
    for part in (whole / "games").iterdir():
        schema = pq.read_schema(part)
        assert schema.metadata[b"schema"] == b"jamaica-games/1"
        assert not any(field.nullable for field in schema)


@pytest.mark.parametrize("options", [{"chunk_size": 1}, {"chunk_size": 777}, {}])
def test_files_do_not_depend_on_how_the_work_was_cut(table, tmp_path, finished, options):
    play(table, tmp_path / "run", **options)
    assert contents(tmp_path / "run") == contents(finished)


def test_nothing_but_the_volatile_facts_depends_on_time(table, tmp_path, monkeypatch):
    monkeypatch.setattr(saved, "SAVE_EVERY", 0.0)  # saves as often as possible
    play(table, tmp_path / "a", per_game=False, chunk_size=100)
    monkeypatch.setattr(saved, "SAVE_EVERY", 5.0)
    play(table, tmp_path / "b", per_game=False)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_results_are_loaded_from_a_folder(whole, stopped, table):
    assert load_results(whole).tables() == json.loads((whole / "tables.json").read_text())
    half = load_results(stopped)
    again = run_games(table, half.games, first_game=FIRST)
    assert half.tally.tobytes() == again.tally.tobytes()


def test_a_file_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    store.write_whole(tmp_path / "file", b"old")

    def fail(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError):
        store.write_whole(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    calls, replace = [], os.replace
    monkeypatch.setattr(os, "fsync", lambda number: calls.append(stat.S_ISDIR(os.fstat(number).st_mode)))
    monkeypatch.setattr(os, "replace", lambda *paths: (calls.append("renamed"), replace(*paths)))
    store.write_whole(tmp_path / "file", b"new")
    assert calls == [False, "renamed", True]  # its content, and then its name in the folder


# A manifest that is damaged, edited, or of another program


def edit(folder, old, new):
    text = (folder / "manifest.json").read_text()
    assert old in text
    (folder / "manifest.json").write_text(text.replace(old, new, 1))


DAMAGE = {
    "truncated": (lambda text: text[: len(text) // 2], "not valid JSON"),
    "empty": (lambda text: b"", "not valid JSON"),
    "binary": (lambda text: b"\xff\xfe\x00" * 100, "not valid JSON"),
    "nested too deeply": (lambda text: b"[" * 100_000, "not valid JSON"),
    "seed edited": (lambda text: text.replace(b'"seed": 5', b'"seed": 6'), "the run wrote it: seed"),
    "rule edited": (lambda text: text.replace(b'"hand_size": 3', b'"hand_size": 4'), "the run wrote it: rules"),
    "games edited": (lambda text: text.replace(b'"games": 4000', b'"games": 9000'), "games"),
    "strategy edited": (lambda text: text.replace(b"[weights]", b"[weights] "), "strategies"),
    "progress edited": (lambda text: re.sub(rb'"games_done": \d+', b'"games_done": 8', text), "games_done"),
    "hashes dropped": (lambda text: re.sub(rb'"hashes": \{[^}]*\}', b'"hashes": {}', text), "edited"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_manifest(name, stopped):
    damage, hint = DAMAGE[name]
    file = stopped / "manifest.json"
    file.write_bytes(damage(file.read_bytes()))
    before = {path: path.read_bytes() for path in stopped.rglob("*") if path.is_file()}
    for command in (["resume", stopped], ["replay", stopped, "--game", FIRST]):
        assert_told(type_in(*command), 1, "manifest.json", hint)
    assert before == {path: path.read_bytes() for path in stopped.rglob("*") if path.is_file()}


def drop(*path):
    def change(manifest):
        for name in path[:-1]:
            manifest = manifest[name]
        del manifest[path[-1]]

    return change


def put(value, *path):
    def change(manifest):
        for name in path[:-1]:
            manifest = manifest[name]
        manifest[path[-1]] = value

    return change


HOSTILE = {
    "no engine": drop("engine"),
    "games as text": put("many", "configuration", "games"),
    "games as truth": put(True, "configuration", "games"),
    "huge seed": put(10**30, "configuration", "seed"),
    "negative game": put(-1, "configuration", "first_game"),
    "ranges of nothing": put([], "ranges"),
    "ranges beyond all games": put([[10**25, 2048]], "ranges"),
    "strategy without text": drop("configuration", "strategies", 0, "text"),
    "strategies as text": put("racer", "configuration", "strategies"),
    "code as a file of weights": put("evil.py", "configuration", "strategies", 1, "file"),
    "another file as built in": put("./evil.py", "configuration", "strategies", 0, "name"),
    "complete too early": put(True, "complete"),
    "unknown rule": put(1, "configuration", "rules", "sharks"),
    "rule of the wrong kind": put([1], "configuration", "rules", "players"),
    "two strategies for three": drop("configuration", "strategies", 2),
    "altered strategy": put('name = "racer"\n', "configuration", "strategies", 1, "text"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_manifest(name, stopped):
    """Its hashes are correct: it still ends in one sentence."""
    try:
        rewrite(stopped, HOSTILE[name])
    except KeyError:  # the manifest is too broken to have hashes
        manifest = json.loads((stopped / "manifest.json").read_text())
        HOSTILE[name](manifest)
        (stopped / "manifest.json").write_text(json.dumps(manifest))
    result = type_in("resume", stopped)
    assert_told(result, result.exit_code)
    assert result.exit_code in (1, 2)


def test_more_games_than_parts(stopped):
    def change(manifest):
        manifest["configuration"]["games"] = manifest["games_done"] = 10**17
        manifest["ranges"] = [[FIRST, 10**17]]

    rewrite(stopped, change)
    assert_told(type_in("resume", stopped), 1)  # and not after looking for that many parts


@pytest.mark.parametrize("name", ["version", "engine"])
def test_another_program_is_refused_with_what_differs(name, stopped):
    rewrite(stopped, put("0.0.9", name))
    assert_told(type_in("resume", stopped), 2, "0.0.9", engine_hash()[:8], __version__)


def test_another_schema_is_refused(stopped):
    edit(stopped, "jamaica-run/2", "jamaica-run/7")
    assert_told(type_in("resume", stopped), 2, "jamaica-run/7", "jamaica-run/2")


def test_not_a_folder_of_a_run(tmp_path):
    no_folder = "is not a run's, an experiment's, a comparison's or a sweep's folder"
    assert_told(type_in("resume", tmp_path), 2, no_folder)
    assert_told(type_in("resume", tmp_path / "nowhere"), 2, no_folder)
    (tmp_path / "file").write_text("")
    assert_told(type_in("resume", tmp_path / "file"), 2, no_folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_names_are_told_as_they_were_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert_told(type_in("resume", "nowhere"), 2, "The folder nowhere is not")
    (tmp_path / "there").mkdir()
    assert_told(type_in("run", "--games", 10, "--out", "there"), 2, "The folder there exists already")


def test_a_folder_that_is_not_finished_can_be_resumed(stopped):
    for command in ("run", "sweep hand_size=3,4", "compare random racer"):
        told = type_in(*command.split(), "--games", 10, "--out", stopped)
        assert_told(told, 2, "exists already and is not finished: go on with `jamaica-sim resume ", "with --out")
    with pytest.raises(FolderError, match="is not finished: go on with"):
        simulate(10, strategies="random", out=stopped)


def test_folders_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    for name, reason in (("x" * 300, "File name too long"), ("file/run", "Not a directory")):
        words = ["run", "--games", 10, "-s", "random", "--out", tmp_path / name]
        assert_told(type_in(*words), 2, "cannot be made", reason)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# Other files that are damaged


def saved_sums(folder):
    return next(folder.glob("sums-*.npy"))


def test_damaged_sums(stopped):
    saved_sums(stopped).write_bytes(saved_sums(stopped).read_bytes()[:-8])
    assert_told(type_in("resume", stopped), 1, "sums-", "missing or damaged")


def test_missing_sums(stopped):
    saved_sums(stopped).unlink()
    assert_told(type_in("resume", stopped), 1, "sums-", "missing or damaged")


def test_sums_of_another_version(stopped):
    """The file is whole and the manifest counts it, but this version makes other sums."""
    content = store.npy_bytes(np.zeros(1, np.dtype([("games", "i8")])))
    file = saved_sums(stopped)
    file.write_bytes(content)
    rewrite(stopped, put(store.hash_of(content), "files", file.name))
    assert_told(type_in("resume", stopped), 2, "another version")


@pytest.mark.parametrize("harm", HARM)
def test_damaged_parts_are_played_again(harm, stopped, finished):
    HARM[harm](stopped)
    result = type_in("resume", stopped)
    assert result.exit_code == 0
    assert "missing or damaged: its games are played again" in result.stderr
    assert contents(stopped) == contents(finished)


def test_damaged_rows_are_played_again(stopped, finished):
    flip(next(stopped.glob("rows-*.npy")))
    result = type_in("resume", stopped)
    assert "played again" in result.stderr
    assert contents(stopped) == contents(finished)


@pytest.mark.parametrize("harm", [*HARM, "tables"])
def test_a_finished_run_is_repaired(harm, whole, finished):
    HARM.get(harm, lambda run: (run / "tables.json").unlink())(whole)
    assert type_in("resume", whole).exit_code == 0
    assert contents(whole) == contents(finished)
    assert "is complete" in type_in("resume", whole).stdout


def test_leftovers_are_tidied_up(stopped, finished):
    """Files that a process may leave behind when it is killed while it writes."""
    for name in (".manifest.json.77.tmp", "games/.part-00000004.parquet.77.tmp", "sums-000000000064.npy"):
        (stopped / name).write_bytes(b"half")
    resume_run(stopped)
    assert contents(stopped) == contents(finished)


# A folder that cannot be written


@pytest.mark.parametrize("files", [3, 6, 11, 18, 24])
def test_a_full_disk(files, table, tmp_path, finished, monkeypatch):
    """Whenever the disk becomes full, the run says what is safe, and goes on from there when there is room."""
    out = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(saved, "SAVE_EVERY", 0.0)
        patch.setattr(os, "fsync", FullDisk(files))
        with pytest.raises(FolderFault, match="No space left on device; .* games are safe: go on with"):
            play(table, out, chunk_size=250)
    assert not list(out.rglob("*.tmp")) and not (out / ".lock").exists()
    assert read_manifest(out)["games_done"] < GAMES
    resume_run(out)
    assert contents(out) == contents(finished)


def test_a_disk_that_is_full_from_the_start(table, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", FullDisk(0))
    with pytest.raises(FolderFault, match="No space left on device"):
        play(table, tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def _play_with_a_limit(out):
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    parts.PART = 8192  # a part is larger than the limit, the sums are not
    try:
        play(make_table(), out, games=20_000)
    except FolderFault as fault:
        os._exit(7 if "File too large" in str(fault) else 1)


def test_a_limit_on_files(tmp_path):
    """A real one, from the system."""
    child = start_child(_play_with_a_limit, tmp_path / "run")
    child.join(PATIENCE)
    assert child.exitcode == 7
    assert not list((tmp_path / "run").rglob("*.tmp"))
    assert read_manifest(tmp_path / "run")["games_done"] < 20_000


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one megabyte."""
    where = tmp_path / "disk"
    where.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", where], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a file system takes more rights than these tests have")
    yield where
    subprocess.run(["umount", "-l", where], check=True)


def test_a_small_disk(small_disk, table, tmp_path):
    """A real disk that becomes full, is made larger, and has the same files in the end."""
    with pytest.raises(FolderFault, match="No space left on device; .* go on with"):
        play(table, small_disk / "run", games=20_000)
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    resume_run(small_disk / "run")
    play(table, tmp_path / "undisturbed", games=20_000)
    assert contents(small_disk / "run") == contents(tmp_path / "undisturbed")


def test_a_folder_that_vanishes(table, tmp_path):
    out = tmp_path / "run"

    def vanish(done):
        if done > GAMES // 2:
            shutil.rmtree(out, ignore_errors=True)

    with pytest.raises(FolderFault, match="vanished during the run"):
        play(table, out, chunk_size=100, progress=vanish)
    assert not out.exists()


def test_a_folder_that_is_replaced(table, tmp_path):
    """Files that somebody else puts there are not touched."""
    out = tmp_path / "run"

    def replace(done):
        if done > GAMES // 2 and not (out / "mine").exists():
            out.rename(tmp_path / "away")
            out.mkdir()
            (out / "mine").write_text("dear to me")

    with pytest.raises(FolderFault, match="vanished during the run"):
        play(table, out, chunk_size=100, progress=replace)
    assert [path.name for path in out.iterdir()] == ["mine"]


def test_a_read_only_folder(stopped, whole):
    """Also tested as root, who may write everywhere: the test becomes another user for a moment."""
    before = contents(stopped)
    for folder in (stopped, whole):
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o555 if path.is_dir() else 0o444)
    for parent in stopped.parents:
        if parent.stat().st_uid == os.getuid() and parent != Path("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o055)
    nobody = 65534
    if os.getuid() == 0:
        os.seteuid(nobody)
    try:
        result = type_in("resume", stopped)
        complete = type_in("resume", whole)
    finally:
        if os.getuid() == 0:
            os.seteuid(0)
        for folder in (stopped, whole):
            for path in [folder, *folder.rglob("*")]:
                path.chmod(0o755)
    assert_told(result, 1, "cannot be written", "Permission denied")
    assert contents(stopped) == before
    assert complete.exit_code == 0 and "is complete" in complete.stdout


# One at a time


def _resume(folder):
    parts.PART = PART
    try:
        resume_run(folder)
    except OSError:
        os._exit(3)


def test_many_resume_at_once(stopped, finished):
    """One process plays, the others are told so; the lock of a process that is gone keeps nobody out."""
    crowd = [start_child(_resume, stopped) for _ in range(4)]
    for process in crowd:
        process.join(PATIENCE)
    assert {process.exitcode for process in crowd} <= {0, 3} and 0 in [process.exitcode for process in crowd]
    assert contents(stopped) == contents(finished)


# Strategies


def test_a_strategy_file_that_changes_during_the_run(tmp_path):
    """The file is read once: the run, and its resumption, use that text."""
    file = tmp_path / "mine.toml"
    file.write_text('name = "mine"\n[weights]\nhorizon = 3\n')
    table = seat_table(strategies=[str(file), "random"], players=3)
    play(table, tmp_path / "undisturbed", games=1500)

    def change(done):
        file.write_text('name = "mine"\n[weights]\nhorizon = 9\n')
        if done > 700:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Stopped):
        play(table, tmp_path / "run", games=1500, chunk_size=100, progress=change)
    file.unlink()
    resume_run(tmp_path / "run")
    assert contents(tmp_path / "run") == contents(tmp_path / "undisturbed")


def test_a_folder_exists_already(whole, table):
    before = contents(whole)
    with pytest.raises(FolderError, match="exists already"):
        play(table, whole)
    assert contents(whole) == before


# Chunks


def test_pace_follows_the_speed():
    pace = session.Pace(seconds=0.1, largest=4096)
    for _ in range(10):
        pace.learn(pace.games, pace.games / 100_000)
    assert pace.games == 4096
    for _ in range(10):
        pace.learn(pace.games, pace.games / 50)  # a strategy that thinks for long
    assert pace.games == 5
    for _ in range(10):
        pace.learn(pace.games, 60.0)
    assert pace.games == 1


def test_chunks_end_with_their_part():
    cuts = list(session.paced_chunks(FIRST, FIRST + GAMES, session.Pace.of_chunks(300), PART))
    assert [chunk.first for chunk in cuts[1:]] == [chunk.first + chunk.games for chunk in cuts[:-1]]
    assert all(chunk.first // PART == (chunk.first + chunk.games - 1) // PART for chunk in cuts)
    assert sum(chunk.games for chunk in cuts) == GAMES
