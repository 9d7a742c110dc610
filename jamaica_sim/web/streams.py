"""Answers that come line by line: a thread works them out, the browser gets each as a line of JSON.

A page has one question of each kind open; a newer one stops it. A stream whose browser has gone is stopped at once,
and one whose browser is slow waits.
"""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Annotated, Any

import msgspec
from starlette.responses import StreamingResponse

from jamaica_sim.errors import UserError

MOST_STREAMS = 12  # at once, of all pages
AHEAD = 3  # lines that are worked out before the browser has taken the first of them
BUG = "something went wrong in jamaica-sim. Its terminal says what; please report it."
Line = dict[str, Any]
log = logging.getLogger(__name__)


class OfPage(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What a page asks, and which page."""

    page: Annotated[str, msgspec.Meta(max_length=40)] = ""


class Desk:
    """The questions that are open, by page and kind."""

    def __init__(self) -> None:
        self._open: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def only(self, who: str) -> threading.Event:
        """An event for a new question; the one before it, of the same page and kind, is stopped."""
        with self._lock:
            if who in self._open:
                self._open.pop(who).set()
            if len(self._open) >= MOST_STREAMS:
                raise UserError(f"{MOST_STREAMS} pages are at work already: close one.")
            self._open[who] = stop = threading.Event()
        return stop

    def close(self, who: str, stop: threading.Event) -> None:
        """A question is answered, or nobody waits for it any more."""
        stop.set()
        with self._lock:
            if self._open.get(who) is stop:
                del self._open[who]

    def close_all(self) -> None:
        """Stop everything: the server ends."""
        with self._lock:
            for stop in self._open.values():
                stop.set()


def stream(desk: Desk, who: str, answer: Callable[[threading.Event], Iterator[Line]]) -> StreamingResponse:
    """The lines of `answer(stop)` as a response. It has to look at `stop` often, and to end when that is set."""
    stop = desk.only(who)
    return StreamingResponse(_lines(desk, who, answer, stop), media_type="application/x-ndjson")


async def _lines(
    desk: Desk, who: str, answer: Callable[[threading.Event], Iterator[Line]], stop: threading.Event
) -> AsyncIterator[bytes]:
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[Line | None]()
    room = threading.Semaphore(AHEAD)

    def put(line: Line | None) -> None:
        loop.call_soon_threadsafe(lines.put_nowait, line)

    def work() -> None:
        with _told(put), closing(answer(stop)) as found:  # type: ignore[type-var]  # a generator; its threads end
            for line in found:
                put(line)
                while not room.acquire(timeout=0.2):
                    if stop.is_set():
                        return
                if stop.is_set():
                    return

    threading.Thread(target=work, daemon=True).start()
    try:
        while (line := await lines.get()) is not None:
            yield msgspec.json.encode(line) + b"\n"
            room.release()
    finally:
        desk.close(who, stop)


@contextmanager
def _told(put: Callable[[Line | None], None]) -> Iterator[None]:
    """Errors become a last line: a sentence where it is the user's, no trace where it is ours."""
    try:
        yield
    except UserError as error:
        put({"kind": "refused", "error": str(error)})
    except Exception:
        log.exception("a question could not be answered")
        put({"kind": "bug", "error": BUG})
    finally:
        with suppress(RuntimeError):  # the server has ended meanwhile
            put(None)
