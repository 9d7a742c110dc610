"""Strangers and accidents at the server of play: every request ends in one sentence, and no game or file is harmed."""

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest
from click.testing import CliRunner
from playing import PORT, TOKEN, Client, answered, new_game, table

from jamaica_sim.cli import main
from jamaica_sim.errors import UserError
from jamaica_sim.play.outside import game_file
from jamaica_sim.play.outside.game import Game
from jamaica_sim.web.play_part import Play
from jamaica_sim.web.saved_games import MOST_OPEN, RESIGNED, TAKEN_BACK, SavedGames
from jamaica_sim.web.server import application
from jamaica_sim.web.streams import Desk

QUESTIONS = ("state", "answer", "back", "resign", "delete", "again", "games", "coach", "review")
OURS = {"host": f"127.0.0.1:{PORT}"}
STRANGERS = {
    "no token": (f"/{TOKEN[:-1]}", OURS),
    "host": (f"/{TOKEN}", {"host": f"evil.example:{PORT}"}),
    "origin": (f"/{TOKEN}", {**OURS, "origin": "https://evil.example"}),
    "site": (f"/{TOKEN}", {**OURS, "sec-fetch-site": "cross-site"}),
    "size": (f"/{TOKEN}", {**OURS, "content-length": "70000"}),
}
NAMES = [
    "",
    ".",
    "..",
    "../secret",
    "/etc/passwd",
    "..\\secret",
    "secret\0",
    "secret/",
    "a" * 200,
    "🏴" * 50,
    "%2e%2e/secret",
]


@pytest.fixture
def opened(tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    (tmp_path / "secret.jamaica.json").write_text("not yours")
    return new_game(folder)


@pytest.fixture
def play(opened):
    play = Play(Desk(), SavedGames(opened.path.parent))
    play.games._keep(opened)
    return play


def sent(play, path, content, heads):
    async def go():
        transport = httpx.ASGITransport(app=application([play.part()], TOKEN, PORT), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.post(path, content=content, headers=heads)

    return asyncio.run(go())


@pytest.mark.parametrize("stranger", STRANGERS)
def test_no_question_of_play_is_answered_to_strangers(play, opened, stranger):
    before, (place, heads) = opened.path.read_bytes(), STRANGERS[stranger]
    body = json.dumps({"game": opened.path.name, "number": 0, "answer": opened.game.question.options[0]})
    for what in QUESTIONS:
        refused = sent(play, f"{place}/api/play/{what}", body, heads)
        assert refused.status_code in (401, 403, 413, 421) and set(refused.json()) == {"error"}, what
    assert opened.path.read_bytes() == before and opened.game.answers == []


def bodies(name):
    whole = {"game": name, "number": 0, "answer": 0}
    for key in whole:
        for value in (None, -1, 10**400, 1e308, True, "x" * 201, [], {"a": {}}, "\ud800"):
            yield json.dumps({**whole, key: value})
    yield from (json.dumps({**whole, "seat": seat}) for seat in (-1, 6, 2.5, "0", 10**30))
    yield from (b"", b"\xff\xfe", b"null", b"NaN", b"[" * 60_000, b'{"game":' * 8000, json.dumps({**whole, "more": 1}))


def test_what_cannot_be_read_is_refused_by_every_question(play, opened):
    before, seen = opened.path.read_bytes(), 0
    for what in QUESTIONS:
        for body in bodies(opened.path.name):
            told = sent(play, f"/{TOKEN}/api/play/{what}", body, OURS)
            assert told.status_code in (200, 400, 422, 429), (what, body[:80], told.text)
            if told.status_code == 422:
                seen += 1
                assert "Traceback" not in told.text and told.json()["error"].endswith(".")
    assert seen > 9 * 20 and opened.path.read_bytes() == before


def test_a_name_leads_to_no_other_file(play, opened):
    folder, secret = opened.path.parent, opened.path.parent.parent / "secret.jamaica.json"
    (folder / "link.jamaica.json").symlink_to(secret)
    (folder / "folder.jamaica.json").mkdir()
    with open(os.fsencode(folder) + b"/\xff.jamaica.json", "w"):
        pass
    client, endings = Client(play), ("", ".jamaica.json")
    names = [name + ending for name in NAMES for ending in endings] + ["link.jamaica.json", "folder.jamaica.json"]
    for what in ("state", "delete", "again", "coach", "review"):
        for name in names:
            told = client.ask(what, game=name)
            assert told.status_code in (422, 429) or "there is no game" in told.text, (what, name, told.text)
            assert "not yours" not in told.text
    assert secret.read_text() == "not yours" and opened.path.exists()
    assert [one["game"] for one in Client(play).ask("games", game="").json()["games"]] == [opened.path.name]


def forged(text):
    """Files that somebody sent, from a whole one."""
    saved = json.loads(text)
    seats = saved["strategies"]
    for key, value in (
        ("seed", -1),
        ("seed", 10**30),
        ("number", 1.5),
        ("answers", [[63], None, None]),
        ("answers", [[0] * 20_001, [], []]),
        ("answers", "abc"),
        ("answers", [None, [], []]),
        ("answers", [None, None, None]),
        ("rules", {}),
        ("rules", {**saved["rules"], "players": 99}),
        ("rules", {**saved["rules"], "hand_size": 10**9}),
        ("strategies", seats[:1]),
        ("strategies", [{"name": "../../etc/passwd"}] * 3),
        ("strategies", [{**seats[0], "kind": ["deep"]}] * 3),
        ("notes", [[0, "a\nb"]]),
        ("notes", [[0, "x"]] * 10_001),
        ("luck", {"dice": "x"}),
    ):
        yield json.dumps({**saved, key: value})
    yield from (
        "",
        "{",
        "[]",
        "[" * 100_000,
        text[: len(text) // 2],
        text.replace('"seed": 3', '"seed": 1' + "0" * 5000),
    )


def test_a_forged_file_is_refused_in_a_sentence(play, opened):
    client, file = Client(play), opened.path.with_name("sent.jamaica.json")
    for text in forged(opened.path.read_text()):
        file.write_text(text)
        told = client.ask("state", game=file.name)
        assert told.status_code == 422 and told.json()["error"].endswith("."), text[:200]
    assert opened.game.answers == []


def test_a_file_that_is_too_large_is_not_read(play, opened):
    sent = opened.path.with_name("sent.jamaica.json")
    with sent.open("wb") as file:
        file.truncate(3 * 2**30)  # it takes no room on the disk
    tracemalloc.start()
    told = Client(play).ask("state", game=sent.name)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert told.status_code == 422 and "at most" in told.json()["error"] and peak < 100 * 2**20


@pytest.mark.parametrize("what", [5, "\x1b[2J", "x" * 2000, None])
def test_a_note_that_no_file_can_have_is_refused(what):
    game = Game(players=3, seed=1)
    with pytest.raises(UserError, match="a note is a text of at most 1,000 characters"):
        game.note(what)


def test_six_nets_fit_into_the_file_of_a_game(tmp_path):
    game = Game(players=6, strategies=["master"] * 6, seed=1)
    game.save(tmp_path / "a.jamaica.json")
    assert Game.load(tmp_path / "a.jamaica.json").result == game.result


def test_no_game_is_written_that_cannot_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(game_file, "LARGEST_GAME", 500)
    with pytest.raises(UserError, match="was not written: a game has at most 500 bytes"):
        Game(players=6, seed=1).save(tmp_path / "a.jamaica.json")
    assert not [*tmp_path.iterdir()]


def test_a_damaged_game_ends_a_review_only_if_it_is_named(tmp_path):
    (tmp_path / "a.jamaica.json").write_text("{")
    opened = new_game(tmp_path)
    saved = json.loads(opened.path.read_text())
    opened.path.write_text(json.dumps({**saved, "answers": [None, [], []]}))
    for source, sentences in ((tmp_path, 2), (opened.path, 0)):
        told = CliRunner().invoke(main, ["review", str(source)])
        assert told.exit_code == 2 and told.stderr.count("left out") == sentences, told.stderr


CODE = '''"""A stranger's."""
from pathlib import Path
Path("ran").write_text("")
def round_begins(game, rules): pass
def choose_card(view, rules, weights): return 0
'''


def test_code_that_came_along_does_not_run_even_beside_a_trusted_game(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    saved = json.loads(opened.path.read_text())
    hashed = hashlib.sha256(f"code\0theirs\0{CODE}".encode()).hexdigest()
    code = {"name": "theirs", "label": "theirs", "kind": "code", "file": "theirs.py", "sha256": hashed, "text": CODE}
    house = {"file": "theirs.py", "description": "A stranger's.", "parameters": {}, "text": CODE}
    games = SavedGames(opened.path.parent, [opened.path.name])
    seats, rules = [saved["strategies"][0], code, code], {**saved["rules"], "house_rules": house}
    for changed in ({"strategies": seats}, {"rules": rules}):
        opened.path.with_name("sent.jamaica.json").write_text(json.dumps({**saved, **changed}))
        with pytest.raises(UserError, match="trust"):
            games.open("sent.jamaica.json")
    assert games.open(opened.path.name).game.answers == [] and not (tmp_path / "ran").exists()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell how large a process is")
def test_traces_of_many_threads_leave_their_memory(opened):
    """A page has a trace of 14 MB made for each answer, in whichever thread: heaps of threads would keep them all."""

    def pages():
        return int(Path("/proc/self/statm").read_text().split()[1])

    games = [opened.game.copy() for _ in range(12)]
    opened.game.trace()
    before = pages()
    with ThreadPoolExecutor(len(games)) as pool:
        for _ in range(3):
            [*pool.map(Game.trace, games)]
    assert (pages() - before) * os.sysconf("SC_PAGE_SIZE") < 60_000_000


@pytest.mark.parametrize("words", ["review -n 100", "replay"])
def test_house_rules_of_a_saved_game_run_where_that_is_allowed(words, tmp_path, monkeypatch):
    (tmp_path / "h.py").write_text('"""Nothing."""\ndef round_begins(game, rules):\n    return 0\n')
    game = Game(players=3, strategies=[None, "random", "random"], house_rules=str(tmp_path / "h.py"))
    answered(game, random.Random(1))
    game.save(tmp_path / "kept.jamaica.json")
    monkeypatch.setattr("jamaica_sim.strategy.library.NAMED", set())
    typed = [*words.split(), str(tmp_path / "kept.jamaica.json")]
    refused = CliRunner().invoke(main, typed)
    assert refused.exit_code == 2 and "allow them with --trust, or name the file: --house-rules" in refused.stderr
    told = CliRunner().invoke(main, [*typed, "--trust"])
    assert told.exit_code == 0, told.output


def test_of_two_tabs_that_answer_at_once_one_is_heard(play, opened):
    answer, told = opened.game.question.options[0], []

    def click():
        told.append(Client(play).ask("answer", game=opened.path.name, number=0, answer=answer).status_code)

    tabs = [threading.Thread(target=click) for _ in range(8)]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()
    assert sorted(told) == [200] + [422] * 7 and len(opened.game.answers) == 1
    assert Game.load(opened.path).answers == opened.game.answers


def test_a_deleted_game_stays_deleted(play, opened):
    held = play.games.open(opened.path.name)
    play.games.delete(opened.path.name)
    with pytest.raises(UserError, match="deleted"):
        held.answer(0, held.game.question.options[0])
    assert not opened.path.exists()


def test_a_damaged_game_can_be_deleted(play, opened):
    damaged = opened.path.with_name("damaged.jamaica.json")
    damaged.write_bytes(opened.path.read_bytes()[:99])
    client = Client(play)
    assert client.ask("state", game=damaged.name).status_code == 422
    assert client.ask("games", game=damaged.name).json()["folder"] == str(damaged.parent)
    assert client.ask("delete", game=damaged.name).status_code == 200
    assert not damaged.exists() and opened.path.exists()


def test_two_servers_with_one_game_lose_no_answer(opened):
    first, second = (Client(Play(Desk(), SavedGames(opened.path.parent))) for _ in range(2))
    name = opened.path.name
    asked = [client.ask("state", game=name).json() for client in (first, second)][0]["question"]["options"]
    held = SavedGames(opened.path.parent).open(name)
    assert first.ask("answer", game=name, number=0, answer=asked[0]["answer"]).status_code == 200
    late = second.ask("answer", game=name, number=0, answer=asked[-1]["answer"])
    assert late.status_code == 422 and "gone on" in late.json()["error"]
    with pytest.raises(UserError, match="changed"):  # a process that had looked before the other one saved
        held.answer(0, asked[-1]["answer"])
    state = second.ask("state", game=name).json()
    answer = state["question"]["options"][0]["answer"]
    assert second.ask("answer", game=name, number=state["number"], answer=answer).status_code == 200
    assert [given for _, given in Game.load(opened.path).answers] == [asked[0]["answer"], answer]
    assert first.ask("state", game=name).json()["number"] == 2
    assert list(opened.path.parent.glob(".*")) == []


def test_floods_are_bounded(play, opened):
    for _ in range(MOST_OPEN + 3):
        play.games.begin(table(seats=(None, "random")))
    assert len(play.games._open) == MOST_OPEN
    for what in (RESIGNED, TAKEN_BACK) * (game_file.MOST_NOTES // 2 + 5):
        opened.game.note(what)
    opened.save()
    assert play.games.open(opened.path.name).game.question is not None  # not in memory any more, and still readable


def started(*options):
    """A server of play in a process of its own: its address, the name of its game, and a way to ask it."""
    command = [sys.executable, "-m", "jamaica_sim", "play", "--no-browser", *map(str, options)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address, _, name = next(line.split()[1] for line in process.stdout if line.startswith("Open ")).partition("play#")

    def ask(what, **body):
        return httpx.post(f"{address}api/play/{what}", json={"game": unquote(name), **body}, timeout=60).json()

    return process, unquote(name), ask


@pytest.mark.slow
def test_a_server_killed_in_the_middle_of_a_game_goes_on_where_it_was(tmp_path):
    process, name, ask = started("--out", tmp_path, "--players", 3, "--seed", 5)
    try:
        state = ask("state")
        for _ in range(9):
            answer = state["question"]["options"][0]["answer"]
            state = ask("answer", number=state["number"], answer=answer)
    finally:
        process.kill()
        process.wait()
    process, _, ask = started(tmp_path / name)
    try:
        again = ask("state")
        assert again == state and again["number"] == 9
        while again["asked"] is not None:
            answer = again["question"]["options"][-1]["answer"]
            again = ask("answer", number=again["number"], answer=answer)
    finally:
        process.kill()
        process.wait()
    assert Game.load(tmp_path / name).result == again["trace"]["result"]
