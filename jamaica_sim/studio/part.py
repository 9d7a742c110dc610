"""The questions of the studio's page, each with its address."""

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jamaica_sim.studio import live
from jamaica_sim.studio.box import board_of, box
from jamaica_sim.studio.question import Asked, Menu, Question, lay
from jamaica_sim.studio.server import Part, asked
from jamaica_sim.studio.streams import Desk, Line, stream
from jamaica_sim.studio.words import sentence_of, title_of


class Studio:
    """The studio's part of the server: its menu, the games that are kept, and the questions."""

    def __init__(self, desk: Desk, files: tuple[str, ...] = ()):
        self._desk, self._files, self._kept = desk, files, live.KeptGames()

    @cached_property
    def menu(self) -> Menu:
        """The strategies; loading them takes a moment, so that it is done when the server listens already."""
        return Menu(self._files)

    @cached_property
    def box(self) -> dict[str, Any]:
        """What the page asks once."""
        return box(self.menu)

    def part(self) -> Part:
        """The part of the server."""
        routes = [
            Route("/api/box", self._box),
            Route("/api/answer", self._answer, methods=["POST"]),
        ]
        return Part("", "studio.html", routes, self._prepare)

    def _prepare(self) -> None:
        """Load the engine and play the first games of the usual table before somebody waits for them."""
        table = lay(Question(), self.menu)
        for _ in live.compiled(table.base, threading.Event()):
            pass
        for batch in list(live.batches(False, 800)):
            live.played((table.base,), batch, self._kept, threading.Event())

    async def _box(self, request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(lambda: self.box))

    async def _answer(self, request: Request) -> Response:
        question = await asked(request, Question)
        tables = await run_in_threadpool(lay, question, self.menu)
        return stream(self._desk, f"answer {question.page}", lambda stop: self._lines(tables, question, stop))

    def _lines(self, tables: Asked, question: Question, stop: threading.Event) -> Iterator[Line]:
        title = title_of(tables.changes, tables.varied.rules)
        yield {"kind": "table", "title": title, "board": board_of(tables.varied.rules)}

        def sentence(line: Line) -> Line:
            games = line["games"]
            return {"sentence": sentence_of(title, line["rows"], games, games >= line["most"])}

        yield from live.answers(tables, self._kept, stop, question.games, sentence)
