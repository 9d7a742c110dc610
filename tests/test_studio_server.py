"""The studio's server: who is refused, what bounds a request, how streams end, and how the command ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route

from jamaica_sim.errors import UserError
from jamaica_sim.web import guard, server, streams
from jamaica_sim.web.guard import LARGEST_BODY, Permits
from jamaica_sim.web.server import SitePage, application, asked, listen, where
from jamaica_sim.web.streams import Desk, stream

TOKEN, PORT = "a-secret", 8117
OURS = {"host": f"127.0.0.1:{PORT}"}


def serving(desk=None, answer=None):
    """A small application with one question of each sort, behind the guard."""
    desk = desk or Desk()

    async def echo(request):
        return PlainTextResponse(str(await asked(request, dict[str, int])))

    async def lines(request):
        return stream(desk, "me", answer)

    def bug(request):
        raise KeyError("a secret of ours")

    routes = [
        Route("/api/echo", echo, methods=["POST"]),
        Route("/api/lines", lines, methods=["POST"]),
        Route("/api/bug", bug, methods=["POST"]),
    ]
    return application([SitePage("", lambda: HTMLResponse("<p>A page"), routes)], TOKEN, PORT)


@pytest.fixture
def ask():
    def send(method="POST", path=f"/{TOKEN}/api/echo", content=b'{"a": 1}', **heads):
        async def go():
            transport = httpx.ASGITransport(app=serving(), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, content=content, headers={**OURS, **heads})

        import asyncio

        return asyncio.run(go())

    return send


def test_the_printed_address_is_answered(ask):
    assert ask().text == "{'a': 1}"
    page = ask("GET", f"/{TOKEN}/", b"")
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    assert ask("GET", f"/{TOKEN}/shared/board.js", b"").headers["content-type"].startswith("text/javascript")


@pytest.mark.parametrize(
    "path", ["/api/echo", "/", "/shared/board.js", "/wrong/api/echo", f"/{TOKEN}x/", f"//{TOKEN[:-1]}/"]
)
def test_without_the_token_nothing_is_answered(ask, path):
    answer = ask("POST" if "api" in path else "GET", path)
    assert answer.status_code == 401 and "open the one that jamaica-sim printed" in answer.json()["error"]


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", "[::1]:8117"])
def test_another_host_is_refused(ask, host):
    assert ask(host=host).status_code == 421


@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "null"])
def test_another_origin_is_refused(ask, origin):
    assert ask(origin=origin).status_code == 403
    assert ask(origin=f"http://127.0.0.1:{PORT}").status_code == 200


def test_a_foreign_site_may_link_to_the_page_but_not_ask(ask):
    assert ask(**{"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}).status_code == 403
    linked = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert ask("GET", f"/{TOKEN}/", b"", **linked).status_code == 200


def test_large_requests_are_refused_whatever_they_claim(ask):
    body = json.dumps({"a" * LARGEST_BODY: 1}).encode()
    assert ask(content=body).status_code == 413

    async def in_pieces():
        for start in range(0, len(body), 4096):
            yield body[start : start + 4096]

    assert ask(content=in_pieces()).status_code == 400  # no length in the head


@pytest.mark.parametrize("content", [b"", b"no json", b'{"a": "text"}', b"[1]", b'{"a": 1' + b"[" * 5000])
def test_what_cannot_be_read_is_refused_in_a_sentence(ask, content):
    answer = ask(content=content)
    assert answer.status_code == 422 and answer.json()["error"].startswith("this request cannot be read")


def test_no_answer_shows_a_trace_and_none_may_be_kept_or_framed(ask):
    answer = ask(path=f"/{TOKEN}/api/bug")
    assert answer.status_code == 500 and "secret" not in answer.text and "Traceback" not in answer.text
    for answer in (ask(), ask(path="/"), ask(path=f"/{TOKEN}/nothing")):
        assert answer.headers["cache-control"] == "no-store"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("path", ["../../pyproject.toml", "..%2f..%2fpyproject.toml", "page_files.py", "%00", "api"])
def test_no_path_is_opened(ask, path):
    assert ask("GET", f"/{TOKEN}/{path}", b"").status_code in (401, 404)


def test_requests_are_limited_in_rate():
    now = [0.0]
    pace = Permits(lambda: now[0])
    assert sum(pace.permits() for _ in range(1000)) == guard.BURST
    now[0] = 1.0
    assert sum(pace.permits() for _ in range(1000)) == guard.RATE


def test_a_newer_question_stops_the_older_one_and_their_number_is_bounded():
    desk = Desk()
    first = desk.only("page 1")
    assert not first.is_set()
    second = desk.only("page 1")
    assert first.is_set() and not second.is_set()
    for page in range(2, streams.MOST_STREAMS + 1):
        desk.only(f"page {page}")
    with pytest.raises(UserError, match="pages are at work already"):
        desk.only("one more")
    desk.close("page 1", second)
    assert second.is_set()
    third = desk.only("one more")
    desk.close_all()
    assert third.is_set()


def read_lines(desk, answer, take=None):
    """Read a stream by hand, at most `take` lines; then go away."""
    import asyncio

    async def go():
        response = stream(desk, "me", answer)
        found = []
        async for line in response.body_iterator:
            found.append(json.loads(line))
            if len(found) == take:
                await response.body_iterator.aclose()
                break
        return found

    return asyncio.run(go())


def test_lines_come_in_order_and_errors_are_a_last_line(caplog):
    def answer(stop):
        yield {"kind": "one"}
        raise UserError("that cannot be played.")

    assert read_lines(Desk(), answer) == [{"kind": "one"}, {"kind": "refused", "error": "that cannot be played."}]

    def broken(stop):
        yield {"kind": "one"}
        raise KeyError("a secret of ours")

    last = read_lines(Desk(), broken)[-1]
    assert last == {"kind": "bug", "error": streams.BUG} and "a secret of ours" in caplog.text


def test_a_stream_whose_reader_has_gone_is_stopped_and_a_slow_reader_is_waited_for():
    made, ended = [], threading.Event()

    def answer(stop):
        try:
            for number in range(10_000):
                made.append(number)
                yield {"n": number}
        finally:
            ended.set()

    desk = Desk()
    assert read_lines(desk, answer, take=2) == [{"n": 0}, {"n": 1}]
    assert ended.wait(5)
    assert len(made) <= 2 + streams.AHEAD + 1
    assert not desk._open


def test_a_port_that_is_taken_is_refused_in_a_sentence():
    with listen(0) as first:
        port = first.getsockname()[1]
        assert first.getsockname()[0] == "127.0.0.1"
        with pytest.raises(UserError, match=f"port {port} is taken"):
            listen(port)


def test_the_usual_port_is_left_to_whoever_has_it(monkeypatch):
    with listen(0) as first:
        monkeypatch.setattr(server, "DEFAULT_PORT", first.getsockname()[1])
        with listen(None) as second:
            assert second.getsockname()[1] != first.getsockname()[1]


def test_where_the_page_is(monkeypatch):
    opened = []
    monkeypatch.setattr(server.webbrowser, "open", lambda address: opened.append(address) or True)
    for name in ("SSH_CONNECTION", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    assert where("http://x/", 1, True) == ["Open http://x/", "Ctrl-C ends it."] and opened == ["http://x/"]
    assert where("http://x/", 1, False) == ["Open http://x/", "Ctrl-C ends it."] and len(opened) == 1
    monkeypatch.setattr(server.webbrowser, "open", lambda address: False)
    assert "No browser could be started here" in where("http://x/", 1, True)[1]
    monkeypatch.setenv("SSH_CONNECTION", "1.2.3.4 5 6.7.8.9 22")
    assert "ssh -L 7:127.0.0.1:7" in where("http://x/", 7, True)[1]


def posted(address, body):
    """A question of a browser that never reads the answer."""
    at, content = urlsplit(address), json.dumps(body).encode()
    line = socket.create_connection((at.hostname, at.port))
    heads = f"POST {at.path}api/report HTTP/1.1\r\nHost: {at.netloc}\r\nContent-Length: {len(content)}\r\n\r\n"
    line.sendall(heads.encode() + content)
    return line


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent as a signal")
def test_servers_do_not_disturb_each_other_and_nothing_is_left_behind():
    """Two servers; a page that never reads its report and one that has gone; Ctrl-C while a question is open."""
    command = [sys.executable, "-m", "jamaica_sim", "studio", "--no-browser"]
    servers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        address, other = (server.stdout.readline().split()[1] for server in servers)
        report = {"page": "silent", "changes": {"hand_size": 4}, "titles": ["The printed rules", "A hand of 4"]}
        silent = posted(address, report)
        posted(address, {**report, "page": "gone"}).close()
        boxes = [httpx.post(f"{at}api/box", json={"page": "a"}, timeout=60).json() for at in (address, other)]
        assert boxes[0] == boxes[1] and boxes[0]["rules"]
        assert httpx.get(f"{other.rsplit('/', 2)[0]}/{address.split('/')[3]}/").status_code == 401  # another's key
        for server in servers:
            before = time.monotonic()
            server.send_signal(signal.SIGINT)
            assert server.wait(10) == 0 and time.monotonic() - before < 6
        told = silent.recv(1 << 20)  # a fast machine has the report already; or the page that has gone was first
        assert (
            told.startswith(b"HTTP/1.1 200")
            or (told.startswith(b"HTTP/1.1 503") and b"has ended meanwhile" in told)
            or (told.startswith(b"HTTP/1.1 422") and b"another game or report is being made" in told)
        )
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((urlsplit(address).hostname, urlsplit(address).port))
    finally:
        for server in servers:
            server.kill()
            server.stdout.close()
