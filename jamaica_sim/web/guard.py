"""Who may ask: every request is checked here before anything else sees it.

The server listens on 127.0.0.1 only. But every site that is open in the browser can reach that address, and so can
other users of the machine. So Host and Origin must be our own (DNS rebinding, foreign sites), the first part of the
path must be the token that only the printed address has, and sizes and rates are bounded.
"""

import hmac
import json
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 64_000  # bytes of a request: a board of one's own has some thousand
RATE, BURST = 60.0, 240.0  # requests a second in the long run, and at once
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",  # the address holds the token
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
SENTENCES = {
    HTTPStatus.MISDIRECTED_REQUEST: "this server answers to 127.0.0.1 only.",
    HTTPStatus.FORBIDDEN: "this request comes from another site.",
    HTTPStatus.UNAUTHORIZED: "this address has no key: open the one that jamaica-sim printed when it started.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"a request has at most {LARGEST_BODY:,} bytes.",
    HTTPStatus.TOO_MANY_REQUESTS: "too many requests at once: wait a second.",
}


class Permits:
    """A bucket of permits that fills at `RATE` a second up to `BURST`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._left, self._at = clock, BURST, clock()

    def permits(self) -> bool:
        """Take a permit, if there is one."""
        now = self._clock()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """An ASGI application around another one, which it calls with the token taken off the path."""

    def __init__(self, app: App, token: str, port: int):
        self._app, self._token, self._pace = app, token, Permits()
        names = {"127.0.0.1", "localhost"}
        self._hosts = {f"{name}:{port}" for name in names} | (names if port == 80 else set())  # browsers leave :80 out

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        heads = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        token, _, rest = scope["path"].lstrip("/").partition("/")
        refused = self.refusal(heads, token)
        if refused is not None:
            return await _refuse(send, refused)
        scope = {**scope, "path": f"/{rest}", "raw_path": f"/{rest}".encode()}
        await self._app(scope, _bounded(receive), _with_headers(send))

    def refusal(self, heads: Mapping[str, str], token: str) -> HTTPStatus | None:
        """Why a request is refused; None if it is not."""
        origin, length = heads.get("origin"), heads.get("content-length", "0")
        if heads.get("host") not in self._hosts:
            return HTTPStatus.MISDIRECTED_REQUEST
        if origin is not None and origin not in {f"http://{host}" for host in self._hosts}:
            return HTTPStatus.FORBIDDEN
        if heads.get("sec-fetch-site", "none") not in ("same-origin", "none") and not _is_opened(heads):
            return HTTPStatus.FORBIDDEN
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return HTTPStatus.UNAUTHORIZED
        if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return None if self._pace.permits() else HTTPStatus.TOO_MANY_REQUESTS


def _is_opened(heads: Mapping[str, str]) -> bool:
    """Whether somebody follows a link to a page, which is harmless: a site learns nothing from it."""
    return heads.get("sec-fetch-mode") == "navigate" and heads.get("sec-fetch-dest") == "document"


def _bounded(receive: Receive) -> Receive:
    """The same request, cut off where its body is too large, whatever length its head has claimed."""
    left = LARGEST_BODY

    async def bounded() -> Message:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        return message if left >= 0 else {"type": "http.disconnect"}

    return bounded


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
            message = {**message, "headers": [*message["headers"], *added]}
        await send(message)

    return sent


async def _refuse(send: Send, status: HTTPStatus) -> None:
    body = json.dumps({"error": SENTENCES[status]}).encode()
    heads = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    await _with_headers(send)({"type": "http.response.start", "status": int(status), "headers": heads})
    await send({"type": "http.response.body", "body": body})
