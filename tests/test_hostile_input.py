"""What is typed, set, raised or connected by accident or in malice: one sentence, and never a bug of ours."""

import os
import socket
import subprocess
import sys
import time
from contextlib import suppress

import httpx
import pytest
from click.testing import CliRunner

from jamaica_sim import Game
from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import raised, shown
from jamaica_sim.web.guard import Guard

DIGITS = "9" * 5000


def command(*words, **how):
    whole = [sys.executable, "-m", "jamaica_sim", *map(str, words)]
    return subprocess.run(whole, capture_output=True, text=True, timeout=300, **how)


@pytest.mark.parametrize(
    "words",
    [
        ["replay", "--game", "3", "--what-if", f"5:Blue={DIGITS}"],
        ["replay", "--game", "3", "--what-if", f"{DIGITS}:Blue=1"],
        ["replay", "--game", "3", "--advise", f"{DIGITS}:Blue"],
        ["run", "-n", "10", "--luck", f"dice={DIGITS}"],
    ],
)
def test_a_number_of_5000_digits_is_refused_in_a_sentence(words):
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 2 and len(told.stderr) < 1000, told.output[:500]


@pytest.mark.parametrize("threads", ["0", "-1"])
def test_threads_that_numba_cannot_have_are_refused(threads):
    told = command("run", "-n", 10, "-s", "random", env={**os.environ, "NUMBA_NUM_THREADS": threads})
    assert told.returncode in (1, 2) and "NUMBA_NUM_THREADS must be" in told.stderr and "Traceback" not in told.stderr


@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes an input")
def test_a_closed_terminal_cannot_be_played_in():
    words = f"{sys.executable} -m jamaica_sim play --terminal --players 3 <&-"
    told = subprocess.run(words, shell=True, capture_output=True, text=True, timeout=120)
    assert told.returncode == 2 and "is closed" in told.stderr


def test_no_file_has_a_name_with_a_nul():
    with pytest.raises(UserError, match="cannot be written"):
        Game(players=3).save("a\0b.jamaica.json")


class Silent(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__


def test_an_exception_whose_words_raise_is_still_told():
    assert raised(Silent()) == "raised Silent: its words cannot be shown"
    assert shown(Silent()) == "something that cannot be shown"


PLAYERS = {
    "SystemExit": "import sys; sys.exit(0)",
    "Mute": "raise Mute",
}


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("words", [["run", "-n", "5"], ["compare", "balanced", "-n", "96"]], ids=lambda words: words[0])
def test_a_player_that_exits_is_at_fault_itself(tmp_path, words, name):
    text = '"""A player."""\nclass Mute(Exception):\n    def __str__(self): raise ValueError\n\ndef answer(question):\n'
    (tmp_path / "p.py").write_text(f"{text}    {PLAYERS[name]}\n")
    files = ["-s", "p.py"] if words[0] == "run" else ["p.py"]
    told = command(*words, *files, cwd=tmp_path)
    assert told.returncode == 1 and f"raised {name}" in told.stderr, told.stderr[-600:]


def test_a_browser_leaves_port_80_out():
    heads = {"host": "127.0.0.1", "origin": "http://127.0.0.1"}
    assert Guard(None, "key", 80).refusal(heads, "key") is None
    assert Guard(None, "key", 8117).refusal(heads, "key") is not None


def test_a_port_that_is_taken_is_said_before_a_game_is_saved(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = command("play", "--no-browser", "--players", 3, "--port", port, "--out", tmp_path / "games")
    assert told.returncode == 2 and "is taken" in told.stderr
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.slow
@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: 127"], ids=["silent", "half a head"])
def test_connections_that_ask_nothing_shut_nobody_out(said):
    whole = [sys.executable, "-m", "jamaica_sim", "studio", "--no-browser"]
    process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = next(line.split()[1] for line in process.stdout if line.startswith("Open "))
    port = int(address.split(":")[2].split("/")[0])
    try:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(130)]
        for one in idle[30:]:
            one.sendall(said)
        for _ in range(3):
            assert httpx.get(address, timeout=30).status_code == 200
            time.sleep(5)
        for one in idle:
            one.settimeout(5)
            with suppress(ConnectionError):
                assert one.recv(1) == b""  # closed, and no time-out
    finally:
        process.terminate()
        process.wait(30)
