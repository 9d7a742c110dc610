"""The questions of the studio's page, each with its address."""

import threading
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from jamaica_sim.errors import UserError
from jamaica_sim.house_file import HouseRules
from jamaica_sim.play.compile_ahead import OUTSIDE, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.studio import keeping, live
from jamaica_sim.studio.box import BoxQuestion, board_of, box, previous_of
from jamaica_sim.studio.play_part import Play
from jamaica_sim.studio.question import Asked, Menu, Question, lay
from jamaica_sim.studio.saved_games import new_seed
from jamaica_sim.studio.server import Part, question, stream_of
from jamaica_sim.studio.streams import Desk, Line
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

    def part(self) -> Part:
        """The part of the server."""
        routes = [
            question("/api/box", BoxQuestion, self._box),
            Route("/api/alive", lambda request: Response("yes")),
            stream_of("/api/answer", Question, self._desk, self._lines),
            stream_of("/api/curve", CurveQuestion, self._desk, lambda q, stop: curve(q, self.menu, self._kept, stop)),
            stream_of(
                "/api/screen", ScreenQuestion, self._desk, lambda q, stop: screen(q, self.menu, self._kept, stop)
            ),
            question("/api/keep", Question, self._keep),
            question("/api/watch", Question, lambda q: self._page(q, lambda it: keeping.typical_game(it.varied))),
            question("/api/report", Question, lambda q: self._page(q, lambda it: keeping.report(it, self._kept))),
            Route("/made/{name}", self._made),
        ]
        if self._play is not None:
            routes.append(question("/api/sit", Question, partial(self._sit, self._play)))
        return Part("", "studio.html", routes, self._prepare)

    def _prepare(self) -> None:
        """Load the engine and play the first games of the usual table before somebody waits for them."""
        table = lay(Question(), self.menu)
        for _ in live.compiled(table.base, threading.Event()):
            pass
        for batch in list(live.batches(False, 800)):
            live.played((table.base,), batch, self._kept, threading.Event())

    def _box(self, question: BoxQuestion) -> dict[str, Any]:
        return box(self.menu, question.board) | {"can_play": self._play is not None}

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

    def _keep(self, question: Question) -> dict[str, str]:
        tables = lay(question, self.menu)
        toml = keeping.as_toml(tables.changes, tables.varied.rules)
        return {"toml": toml, "command": keeping.as_command(tables, question.games)}

    def _page(self, question: Question, make: Callable[[Asked], str]) -> dict[str, str]:
        """Make a page; one at a time, because each may take all cores."""
        if not self._making.acquire(blocking=False):
            raise UserError("another game or report is being made: wait until it has opened.")
        try:
            return {"at": f"made/{self._pages.add(make(lay(question, self.menu)))}"}
        finally:
            self._making.release()

    def _sit(self, play: Play, question: Question) -> dict[str, str]:
        """A new game at this table, with a person at the first seat."""
        table = lay(question, self.menu).varied
        seats = with_outside([None, *table.strategies[1:]])
        compile_missing(seats, OUTSIDE)
        return {"at": play.address(play.games.begin(GameTable.seat(table.rules, seats, new_seed())))}

    async def _made(self, request: Request) -> Response:
        page = self._pages.find(request.path_params["name"])
        if page is None:
            raise HTTPException(404)
        return HTMLResponse(page, headers={"content-security-policy": MADE_POLICY})
