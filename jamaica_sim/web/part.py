"""The studio's page with its questions: what needs Python, each with its address."""

import threading
import time
from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl

from msgspec import Meta
from starlette.responses import HTMLResponse, Response

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.escape import html_text
from jamaica_sim.game.components.changes import BOARD, PRINTED
from jamaica_sim.game.house_file import HouseRules
from jamaica_sim.play.compile_ahead import OUTSIDE, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.player import with_outside
from jamaica_sim.web import keeping
from jamaica_sim.web.box import BoxQuestion, box
from jamaica_sim.web.inner_page import policy_of, studio_page
from jamaica_sim.web.notebook import AskedNotebook, Notebook
from jamaica_sim.web.play_part import Play
from jamaica_sim.web.question import Asked, AskedTable, Menu, lay
from jamaica_sim.web.saved_games import new_seed
from jamaica_sim.web.server import SitePage, question

WAITING = "Compiling the engine for this page, once for this machine: it takes about a minute. Do not close this page."
# A page that refreshes itself would stay where its address has a fragment, the variant.
AGAIN = "<script>setTimeout(() => location.reload(), 1000)</script>"
Title = Annotated[str, Meta(min_length=1, max_length=400)]


class AskedReport(AskedTable, kw_only=True):
    """A table, and what the page calls the rules that are compared with, and the rules asked for."""

    titles: Annotated[list[Title], Meta(min_length=2, max_length=2)]


class Studio:
    """The studio's part of the server: its menu, the page, and the questions."""

    def __init__(
        self,
        files: tuple[str, ...] = (),
        house: HouseRules | None = None,
        play: Play | None = None,
        notebook: Path | None = None,
    ):
        self._files, self._house, self._play = files, house, play
        self._notebook = Notebook(notebook)
        self._making = threading.Lock()
        self._pages = keeping.MadePages()
        self._made, self._problem, self._since = "", "", time.monotonic()

    @cached_property
    def menu(self) -> Menu:
        """The strategies; loading them takes a moment, so that it is done when the server listens already."""
        return Menu(self._files, self._house)

    def part(self) -> SitePage:
        """The part of the server."""
        routes = [
            question("/api/box", BoxQuestion, self._box),
            question("/api/notebook", AskedNotebook, self._notebook.answer),
            question("/api/watch", AskedTable, lambda q: self._page(q, lambda it: keeping.typical_game(it.varied))),
            question("/api/report", AskedReport, lambda q: self._page(q, lambda it: keeping.report(it, q.titles))),
            self._pages.route("/made"),
        ]
        if self._play is not None:
            routes.append(question("/api/sit", AskedTable, partial(self._sit, self._play)))
        return SitePage("", self._html, routes, self._prepare)

    def _prepare(self) -> None:
        """Make the page before somebody waits for it; the first time its engine is compiled."""
        try:
            self._made = studio_page(self.menu, PRINTED, served=True)
        except UserError as error:
            self._problem = str(error)

    def _html(self) -> Response:
        if not self._made:
            words = html_text(self._problem or f"{WAITING} So far: {time.monotonic() - self._since:.0f} seconds.")
            again = "" if self._problem else AGAIN
            page = f"<!doctype html><title>Jamaica studio</title><p>{words}</p>{again}"
            return HTMLResponse(page, headers={"content-security-policy": policy_of(page, served=True)})
        return HTMLResponse(self._made, headers={"content-security-policy": policy_of(self._made, served=True)})

    def export(self, file: Path, address: str) -> None:
        """Write the page as one file that needs no server."""
        named = dict(parse_qsl(address.lstrip("#"))).get(BOARD, PRINTED)
        write_whole(file, studio_page(self.menu, named, address, notebook=self._notebook.entries()).encode())

    def _box(self, question: BoxQuestion) -> dict[str, Any]:
        return box(self.menu, question.board)

    def _page(self, question: AskedTable, make: Callable[[Asked], str]) -> dict[str, str]:
        """Make a page; one at a time, because each may take all cores."""
        if not self._making.acquire(blocking=False):
            raise UserError("another game or report is being made: wait until it has opened.")
        try:
            return {"at": f"made/{self._pages.add(make(lay(question, self.menu)))}"}
        finally:
            self._making.release()

    def _sit(self, play: Play, question: AskedTable) -> dict[str, str]:
        """A new game at this table, with a person at the first seat."""
        table = lay(question, self.menu).varied
        seats = with_outside([None, *table.strategies[1:]])
        compile_missing(seats, OUTSIDE)
        return {"at": play.address(play.games.begin(GameTable.seat(table.rules, seats, new_seed())))}
