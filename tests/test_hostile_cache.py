"""Compiled code on disk: code of others is not run, and damaged code is not run."""

import json
import os
import subprocess
import sys

import pytest

from jamaica_sim.engine.machine import cache
from jamaica_sim.engine.machine.jit import Entry


def add(a, b):
    return a + b


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache folder of its own."""
    (tmp_path / "cache").mkdir(mode=0o700)
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def is_loaded():
    """Whether a small function is loaded from disk; otherwise it is compiled and kept there."""
    entry = Entry(add)
    assert entry(2, 3) == 5
    return not hasattr(entry._loaded, "dispatcher")


def test_what_was_kept_is_found_again(folder):
    assert not is_loaded()
    assert is_loaded()
    (stamped,) = folder.iterdir()
    assert oct(stamped.stat().st_mode)[-3:] == "700"
    assert [file.suffix for file in stamped.iterdir()] == [".obj"]  # no temporary file is left


def test_one_flipped_bit_is_compiled_anew(folder):
    is_loaded()
    [file] = folder.rglob("*.obj")
    content = file.read_bytes()
    for place in range(0, len(content), max(1, len(content) // 20)):
        file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert not is_loaded()
        assert is_loaded()  # the file was written again
    file.write_bytes(content[: len(content) // 2])
    assert not is_loaded()


@pytest.mark.parametrize("content", [b"", b"[]\n", b"{}\n", b'{"symbol": 1}\n', b"no JSON", b"\xff\n"])
def test_a_file_of_something_else_is_not_loaded(folder, content):
    """Even with the right hash."""
    is_loaded()
    [file] = folder.rglob("*.obj")
    file.write_bytes(cache.hashlib.sha256(content).digest() + content)
    assert not is_loaded()


def test_code_for_other_arguments_is_not_called(folder):
    is_loaded()
    [file] = folder.rglob("*.obj")
    facts, _, code = file.read_bytes()[cache.HASH_BYTES :].partition(b"\n")
    content = json.dumps({**json.loads(facts), "form": "1<f8 int64"}).encode() + b"\n" + code
    file.write_bytes(cache.hashlib.sha256(content).digest() + content)
    assert not is_loaded()


@pytest.mark.parametrize("spoil", ["link", "mode", "file link"])
def test_nothing_is_read_or_written_where_others_can_write(spoil, folder, tmp_path):
    is_loaded()
    (stamped,) = folder.iterdir()
    if spoil == "link":
        stamped.rename(tmp_path / "planted")
        stamped.symlink_to(tmp_path / "planted")
    elif spoil == "mode":
        stamped.chmod(0o777)
    else:
        for file in list(stamped.iterdir()):
            file.rename(tmp_path / file.name)
            file.symlink_to(tmp_path / file.name)
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*.obj") if not file.is_symlink()}
    assert not is_loaded()
    after = {file: file.stat().st_mtime_ns for file in before}
    assert before == after


@pytest.mark.parametrize("spoil", ["link", "mode", "owner"])
def test_a_planted_temporary_folder_is_not_used(spoil, tmp_path, monkeypatch):
    """Without a home the cache would lie in the temporary folder, where everybody can make folders."""
    planted = tmp_path / f"jamaica-sim-{os.getuid()}"
    (tmp_path / "theirs").mkdir()
    if spoil == "link":
        planted.symlink_to(tmp_path / "theirs")
    else:
        planted.mkdir()
        planted.chmod(0o777 if spoil == "mode" else 0o700)
    if spoil == "owner":
        if os.getuid():
            pytest.skip("only root can give a folder away")
        os.chown(planted, 12345, 12345)
        monkeypatch.setattr(os, "getuid", lambda: 54321)
        planted.rename(tmp_path / "jamaica-sim-54321")
    monkeypatch.setattr(cache, "_cache_folders", lambda: [tmp_path / f"jamaica-sim-{os.getuid()}"])
    assert cache.cache_folder.__wrapped__() is None


@pytest.mark.parametrize(("mode", "is_used"), [(0o700, True), (0o755, True), (0o777, False), (0o1777, True)])
def test_every_level_above_it_counts(mode, is_used, tmp_path, monkeypatch):
    """Whoever can write to a folder can replace the folders inside."""
    (tmp_path / "above" / "between").mkdir(parents=True)
    (tmp_path / "above").chmod(mode)
    monkeypatch.setattr(cache, "_cache_folders", lambda: [tmp_path / "above" / "between" / "cache"])
    assert (cache.cache_folder.__wrapped__() is not None) == is_used


def test_a_level_of_somebody_else(tmp_path, monkeypatch):
    if os.getuid():
        pytest.skip("only root can give a folder away")
    (tmp_path / "theirs" / "ours").mkdir(parents=True)
    os.chown(tmp_path / "theirs", 12345, 12345)
    monkeypatch.setattr(cache, "_cache_folders", lambda: [tmp_path / "theirs" / "ours" / "cache"])
    assert cache.cache_folder.__wrapped__() is None


def test_a_link_above_it_is_followed_once(tmp_path, monkeypatch):
    """Where the link leads later does not matter."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.setattr(cache, "_cache_folders", lambda: [tmp_path / "link" / "cache"])
    assert cache.cache_folder.__wrapped__() == tmp_path.resolve() / "real" / "cache"


def test_jit_that_is_switched_off_is_refused_in_a_sentence(tmp_path):
    words = [sys.executable, "-m", "jamaica_sim", "run", "--games", "10"]
    done = subprocess.run(
        words, capture_output=True, text=True, env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, timeout=120
    )
    assert done.returncode == 2 and "NUMBA_DISABLE_JIT" in done.stderr and done.stderr.count("\n") == 1
