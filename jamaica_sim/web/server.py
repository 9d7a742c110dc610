"""The server of studio and play: Starlette behind the guard, run by uvicorn on 127.0.0.1.

A part is a page with the questions that it asks. Parts share the files of the pages, the token and the limits.
"""

import asyncio
import contextlib
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, ClassVar, NoReturn, TypeVar

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from jamaica_sim.errors import UserError
from jamaica_sim.files.page_files import page_files
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.web.guard import Guard
from jamaica_sim.web.streams import BUG, Desk, Line, OfPage, log, stream

DEFAULT_PORT = 8117  # the same at every start, so that a page finds its server again; another if it is taken
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
NICENESS = 10  # others on the machine come first
SILENCE, MOST_SILENT = 10, 100  # seconds until a connection must have asked something, and how many may wait so long
FAREWELL = 1  # seconds that open answers get when the server ends
ENDED = "jamaica-sim has ended meanwhile: start it again."
Asked = TypeVar("Asked")
Paged = TypeVar("Paged", bound=OfPage)


@dataclass(frozen=True)
class SitePage:
    """A page and its questions.

    Attributes
    ----------
    path : str
        Where the page is, below the token: "" or "play".
    page : callable
        The page itself.
    routes : sequence of Route
        The questions; their paths begin with "/api/".
    prepare : callable
        Called in a thread of its own once the server listens: what takes a while.
    """

    path: str
    page: Callable[[], Response]
    routes: Sequence[Route]
    prepare: Callable[[], None] = field(default=lambda: None)


def application(parts: Sequence[SitePage], token: str, port: int) -> Guard:
    """All parts behind the guard."""
    files = {f"/{name}": text for name, text in page_files().items() if os.path.splitext(name)[1] in KINDS}

    async def file(request: Request) -> Response:
        name = request.url.path
        return Response(files[name], media_type=KINDS[os.path.splitext(name)[1]])

    def page(part: SitePage) -> Route:
        return Route(f"/{part.path}", lambda request: part.page())

    routes = [*(Route(name, file) for name in files), *map(page, parts)]
    routes += [route for part in parts for route in part.routes]
    handlers: dict[Any, Any] = dict.fromkeys((UserError, StrategyFault), _refused)
    handlers |= {ClientDisconnect: _gone, 404: _unknown, 405: _unknown}
    return Guard(Starlette(routes=routes, exception_handlers={**handlers, Exception: _bug}), token, port)


async def asked(request: Request, kind: type[Asked]) -> Asked:
    """What a request asks, checked against its type; anything else is refused in one sentence."""
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UserError(f"this request cannot be read: {error}.") from error


def question(path: str, kind: type[Asked], answer: Callable[[Asked], Any]) -> Route:
    """A question of this kind, whose answer is worked out in a thread."""

    async def respond(request: Request) -> Response:
        try:
            told = await run_in_threadpool(answer, await asked(request, kind))
        except asyncio.CancelledError:  # no bug of ours: somebody has pressed Ctrl-C
            return JSONResponse({"error": ENDED}, 503)
        return Response(msgspec.json.encode(told), media_type="application/json")

    return Route(path, respond, methods=["POST"])


def stream_of(
    path: str, kind: type[Paged], desk: Desk, answer: Callable[[Paged, threading.Event], Iterator[Line]]
) -> Route:
    """A question that is answered line by line; a page has one of each kind open."""

    async def respond(request: Request) -> Response:
        question = await asked(request, kind)
        return stream(desk, f"{path} {question.page}", lambda stop: answer(question, stop))

    return Route(path, respond, methods=["POST"])


def _refused(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 422)


def _gone(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the request ended early."}, 400)


def _unknown(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "there is no such page or question."}, getattr(error, "status_code", 404))


def _bug(request: Request, error: Exception) -> Response:
    log.error("a question could not be answered", exc_info=error)
    return JSONResponse({"error": BUG}, 500)


class _Protocol(H11Protocol):
    """A connection; it is closed if it asks nothing for some seconds, or is the oldest of many that have not asked.

    Whoever has asked has the token: without it the guard closes the connection.
    """

    silent: ClassVar[dict["_Protocol", None]] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.silent[self] = None
        self.loop.call_later(SILENCE, self._close_if_silent)
        if len(self.silent) > MOST_SILENT:
            next(iter(self.silent))._close_if_silent()

    def handle_events(self) -> None:
        super().handle_events()
        if self.cycle is not None:
            self.silent.pop(self, None)

    def connection_lost(self, exc: Exception | None) -> None:
        self.silent.pop(self, None)
        super().connection_lost(exc)

    def _close_if_silent(self) -> None:
        if self in self.silent:
            del self.silent[self]
            self.transport.abort()


class _Server(uvicorn.Server):
    """Stops open answers as soon as it is asked to end."""

    def __init__(self, config: uvicorn.Config, desk: Desk):
        super().__init__(config)
        self._desk = desk

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, or a request to terminate."""
        self._desk.close_all()
        super().handle_exit(sig, frame)


def listen(port: int | None) -> socket.socket:
    """A socket on 127.0.0.1: at this port, or at the usual one if it is free."""
    for wanted in (DEFAULT_PORT, 0) if port is None else (port,):
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere the option would let two servers share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", wanted))
            listener.listen()  # a browser that is opened now waits until the server runs
            return listener
        except OSError as error:
            listener.close()
            refused = error
    if isinstance(refused, PermissionError):
        raise UserError(f"port {port} needs rights that this user does not have: give one from 1024 up, or none.")
    raise UserError(f"port {port} is taken by another program: give another --port, or none for a free one.")


def serve(
    parts: Sequence[SitePage],
    desk: Desk,
    say: Callable[[str], None],
    *,
    at: str = "",
    listener: socket.socket,
    browser: bool = True,
    token: str | None = None,
) -> None:
    """Serve until Ctrl-C; `at` is the page and fragment to open, `say` tells the user where it is."""
    token = token or secrets.token_urlsafe(24)
    with listener:
        number = listener.getsockname()[1]
        address = f"http://127.0.0.1:{number}/{token}/{at}"
        with contextlib.suppress(OSError, AttributeError):
            os.nice(NICENESS)
        for sentence in where(address, number, browser):
            say(sentence)
        for part in parts:
            threading.Thread(target=part.prepare, daemon=True).start()
        config = uvicorn.Config(
            application(parts, token, number),
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=FAREWELL,
            lifespan="off",
            server_header=False,
            http=_Protocol,
        )
        with contextlib.suppress(KeyboardInterrupt):
            _Server(config, desk).run([listener])


def end_at_once() -> NoReturn:
    """End the program without waiting for threads, nor until compiled code is freed, which takes seconds."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def where(address: str, port: int, browser: bool) -> list[str]:
    """The sentences that say where the page is; opens it, if there is a browser here."""
    told = [f"Open {address}"]
    if os.environ.get("SSH_CONNECTION"):
        tunnel = f"ssh -L {port}:127.0.0.1:{port}"
        told.append(f"This shell is remote: run `{tunnel} THIS_MACHINE` on your own computer, then open it there.")
    elif browser and not _opened(address):
        told.append("No browser could be started here: open the address in one.")
    return [*told, "Ctrl-C ends it."]


def _opened(address: str) -> bool:
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False  # a browser in the terminal would take the terminal
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
