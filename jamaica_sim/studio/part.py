"""The questions of the studio's page, each with its address."""

import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from jamaica_sim.errors import UserError
from jamaica_sim.house_file import HouseRules
from jamaica_sim.play.compile_ahead import OUTSIDE, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.studio import keeping, live
from jamaica_sim.studio.box import board_of, box, previous_of
from jamaica_sim.studio.play_part import Play
from jamaica_sim.studio.question import Asked, Menu, Question, lay
from jamaica_sim.studio.saved_games import new_seed
from jamaica_sim.studio.server import Part, asked
from jamaica_sim.studio.streams import Desk, Line, stream
from jamaica_sim.studio.trials import CurveQuestion, ScreenQuestion, curve, screen
from jamaica_sim.studio.words import sentence_of, title_of

# Replay pages and reports are one file each, with their scripts inside; they ask nobody.
MADE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


class Studio:
    """The studio's part of the server: its menu, the games that are kept, and the questions."""

    def __init__(
        self, desk: Desk, files: tuple[str, ...] = (), house: HouseRules | None = None, play: Play | None = None
    ):
        self._desk, self._files, self._house, self._play = desk, files, house, play
        self._making = threading.Lock()
        self._kept, self._pages = live.KeptGames(), keeping.MadePages()

    @cached_property
    def menu(self) -> Menu:
        """The strategies; loading them takes a moment, so that it is done when the server listens already."""
        return Menu(self._files, self._house)

    @cached_property
    def box(self) -> dict[str, Any]:
        """What the page asks once."""
        return box(self.menu) | {"can_play": self._play is not None}

    def part(self) -> Part:
        """The part of the server."""
        routes = [
            Route("/api/box", self._box),
            Route("/api/alive", lambda request: Response("yes")),
            Route("/api/answer", self._answer, methods=["POST"]),
            Route("/api/curve", self._curve, methods=["POST"]),
            Route("/api/screen", self._screen, methods=["POST"]),
            Route("/api/keep", self._keep, methods=["POST"]),
            Route("/api/watch", self._watch, methods=["POST"]),
            Route("/api/report", self._report, methods=["POST"]),
            Route("/made/{name}", self._made),
        ]
        if self._play is not None:
            routes.append(Route("/api/sit", self._sit, methods=["POST"]))
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
        return stream(self._desk, f"answer {question.page}", lambda stop: self._lines(question, stop))

    def _lines(self, question: Question, stop: threading.Event) -> Iterator[Line]:
        tables = lay(question, self.menu)
        rules = tables.varied.rules
        title = title_of(tables.changes, rules)
        if tables.compared:
            other = title_of(tables.compared, tables.base.rules)
            title = f"{title} against {other[0].lower()}{other[1:]}"
        yield {"kind": "table", "title": title, "board": board_of(rules), "previous": previous_of(rules)}

        def sentence(line: Line) -> Line:
            games = line["games"]
            return {"sentence": sentence_of(title, line["rows"], games, games >= line["most"])}

        yield from live.answers(tables, self._kept, stop, question.games, sentence)

    async def _curve(self, request: Request) -> Response:
        question = await asked(request, CurveQuestion)
        who = f"curve {question.page}"
        return stream(self._desk, who, lambda stop: curve(question, self.menu, self._kept, stop))

    async def _screen(self, request: Request) -> Response:
        question = await asked(request, ScreenQuestion)
        who = f"screen {question.page}"
        return stream(self._desk, who, lambda stop: screen(question, self.menu, self._kept, stop))

    async def _keep(self, request: Request) -> Response:
        question = await asked(request, Question)
        tables = await run_in_threadpool(lay, question, self.menu)
        toml = keeping.as_toml(tables.changes, tables.varied.rules)
        return JSONResponse({"toml": toml, "command": keeping.as_command(tables, question.games)})

    async def _watch(self, request: Request) -> Response:
        return await self._page(request, lambda tables: keeping.typical_game(tables.varied))

    async def _report(self, request: Request) -> Response:
        return await self._page(request, lambda tables: keeping.report(tables, self._kept))

    async def _page(self, request: Request, make: Callable[[Asked], str]) -> Response:
        """Make a page in a thread; one at a time, because each may take all cores."""
        question = await asked(request, Question)

        def work() -> str:
            if not self._making.acquire(blocking=False):
                raise UserError("another page is being made: wait until it is there.")
            try:
                return self._pages.add(make(lay(question, self.menu)))
            finally:
                self._making.release()

        return JSONResponse({"at": f"made/{await run_in_threadpool(work)}"})

    async def _sit(self, request: Request) -> Response:
        """A new game at this table, with a person at the first seat."""
        question = await asked(request, Question)
        play = self._play
        assert play is not None  # otherwise there is no such question

        def work() -> str:
            table = lay(question, self.menu).varied
            seats = with_outside([None, *table.strategies[1:]])
            compile_missing(seats, OUTSIDE)
            return play.address(play.games.begin(GameTable.seat(table.rules, seats, new_seed())))

        return JSONResponse({"at": await run_in_threadpool(work)})

    async def _made(self, request: Request) -> Response:
        page = self._pages.find(request.path_params["name"])
        if page is None:
            raise HTTPException(404)
        return HTMLResponse(page, headers={"content-security-policy": MADE_POLICY})
