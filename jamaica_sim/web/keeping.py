"""Out of the studio: a variant as an address, as a game to watch and as a report."""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from jamaica_sim.game.house_file import HouseRules, is_shipped
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import value_text
from jamaica_sim.play.chunks import Chunk, play_in_order
from jamaica_sim.play.commands import in_turn, run_command
from jamaica_sim.play.compile_ahead import REPLAY, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.page import replay_page
from jamaica_sim.report.page import html
from jamaica_sim.report.report import make_report
from jamaica_sim.results.results import Results
from jamaica_sim.study.experiment.setting import LINE_UP, VARIANT, Setting, Variant, labelled, with_named_factors
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.web.question import SEED, Asked

LOOKED_AT, LOOKED_AT_IF_SLOW = 400, 24  # games, to find a typical one
REPORT_GAMES, REPORT_GAMES_IF_SLOW = 20_000, 400
SAFE = ",/_-"  # characters of values that an address shows as they are
MOST_PAGES = 8  # that are kept for the browser to open
TYPICAL_IN = ("rounds", "shortages", "battles")


# Replay pages and reports are one file each, with their scripts inside; they ask nobody.
MADE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


class MadePages:
    """Pages that were made for the browser to open; the oldest goes first."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, page: str) -> str:
        """Keep a page; its name."""
        name = secrets.token_urlsafe(9)
        with self._lock:
            self._pages[name] = page
            while len(self._pages) > MOST_PAGES:
                self._pages.popitem(last=False)
        return name

    def route(self, path: str) -> Route:
        """Where the pages are found, while they are kept."""

        async def found(request: Request) -> Response:
            page = self._pages.get(request.path_params["name"])
            if page is None:
                raise HTTPException(404)
            return HTMLResponse(page, headers={"content-security-policy": MADE_POLICY})

        return Route(f"{path}/{{name}}", found)


def _named(value: Any) -> Any:
    """House rules by the name that a file of rules or the page has for them."""
    if not isinstance(value, HouseRules):
        return value
    return value.name.removesuffix(".py") if is_shipped(value) else value.name


def fragment_of(rules: Rules, strategies: Sequence[str]) -> str:
    """A table as the page's address has it."""
    seats = [strategies[seat % len(strategies)] for seat in range(rules.players)] if strategies else []
    parts = {"players": rules.players, "edition": rules.edition, "ghost": int(bool(rules.ghost))}
    parts |= {"s": ",".join(seats)} if seats else {}
    told = {name: value_text(_named(value)) for name, value in (parts | rules.changes()).items()}
    return "#" + "&".join(f"{name}={quote(text, safe=SAFE)}" for name, text in told.items())


def typical_game(table: GameTable) -> str:
    """The page of a typical game: of the first ones, that nearest to the mean in rounds, shortages and battles."""
    games = LOOKED_AT_IF_SLOW if is_slow(table) else LOOKED_AT
    parts = list(play_in_order([table], [Chunk(0, games)], 1, keep_rows=True))
    rows = np.concatenate([part.rows for part in parts])
    values = np.array([rows[name].reshape(rows.size, -1).sum(axis=1) for name in TYPICAL_IN], float)
    apart = values - values.mean(axis=1, keepdims=True)
    distance = np.square(apart / (values.std(axis=1, keepdims=True) + 1e-9)).sum(axis=0)
    compile_missing(table.strategies, REPLAY)
    return replay_page(replay_table(table, int(distance.argmin())), rules=table.rules)


def report(asked: Asked, titles: Sequence[str]) -> str:
    """The report of a variant beside the rules that it is compared with; the page says what both are called."""
    games = REPORT_GAMES_IF_SLOW if is_slow(asked.base) else REPORT_GAMES
    tables = [asked.base, asked.varied] if asked.is_changed else [asked.base]
    results = play_tables(tables, games, 0, None)
    assert results is not None  # nobody stops it
    named = [f"{title[0].lower()}{title[1:]}" for title in titles]
    settings = [_setting(its, place, title) for place, (its, title) in enumerate(zip(results, named, strict=False))]
    compare = VARIANT if asked.is_changed else ""
    told = labelled(with_named_factors(settings), compare)
    table = asked.varied
    command = run_command(table.rules, table.strategies, SEED, games, measures=table.measures)
    study = Study("variant", titles[len(tables) - 1], "Made in the studio.", (), compare, told, command, "variant")
    return html(make_report(study))


def is_slow(table: GameTable) -> bool:
    """Whether somebody at the table searches: a hundred games a second instead of ten thousand."""
    return any(strategy.kind == "search" for strategy in table.strategies)


def _setting(results: Results, place: int, title: str) -> Setting:
    table = results.table
    factors = table.rules.by_name() | {LINE_UP: " v. ".join(in_turn([s.label for s in table.strategies]))}
    return Setting(table.rules, table.strategies, factors, {VARIANT: Variant(place, title)}, results=results)
