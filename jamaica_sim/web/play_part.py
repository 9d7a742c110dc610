"""The questions of the page on which one plays, each with its address. A page gets what its seat may know (`told`)."""

import threading
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import quote

from msgspec import Meta
from starlette.responses import HTMLResponse

from jamaica_sim.errors import UserError
from jamaica_sim.files.page_files import filled, page_files
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.compile_ahead import compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.player import OUTSIDE, outside_strategy
from jamaica_sim.web.box import houses_of, strategies_of
from jamaica_sim.web.coach import advise
from jamaica_sim.web.keeping import MadePages
from jamaica_sim.web.levels import LEVELS, level_words, opponent
from jamaica_sim.web.question import AskedTable, Menu, plain
from jamaica_sim.web.record import ReviewedGame, learn, mistakes, record_of, reviewed
from jamaica_sim.web.review_ladder import as_champion, ranking_at
from jamaica_sim.web.review_told import review_page
from jamaica_sim.web.saved_games import (
    COACHED,
    RESIGNED,
    TAKEN_BACK,
    OpenGame,
    SavedGames,
    again,
    branch_of,
    new_seed,
    seat_people,
)
from jamaica_sim.web.server import SitePage, question, stream_of
from jamaica_sim.web.streams import Desk, Line, OfPage
from jamaica_sim.web.told import told

NOBODY = -1  # sees what all may know


Name = Annotated[str, Meta(max_length=200)]


class Ask(OfPage, kw_only=True):
    """A question about a game."""

    game: Name
    seat: Annotated[int, Meta(ge=0, le=5)] | None = None  # whose eyes; none: whoever is asked


class Answered(Ask, kw_only=True):
    """An answer to the question with this number."""

    number: Annotated[int, Meta(ge=0, le=100_000)]
    answer: Annotated[int, Meta(ge=0, le=62)]


class Numbered(Ask, kw_only=True):
    """A moment of a game: after so many answers."""

    number: Annotated[int, Meta(ge=0, le=100_000)]


class NewGame(AskedTable, kw_only=True):
    """A table to be set: people sit at the first seats, `strategies` has a level or a character for each other one."""

    people: Annotated[list[Annotated[str, Meta(pattern=r"^[\w .+-]{0,20}$")]], Meta(min_length=1, max_length=6)]


class Play:
    """The part of the server at which games are played."""

    def __init__(self, desk: Desk, games: SavedGames):
        self._desk, self.games, self._pages = desk, games, MadePages()

    @cached_property
    def menu(self) -> Menu:
        """What can be chosen by name when a table is set."""
        return Menu()

    def part(self) -> SitePage:
        """The part of the server."""
        routes = [
            question("/api/play/state", Ask, self._told(lambda opened, asked: None)),
            question("/api/play/back", Ask, self._told(lambda opened, asked: opened.take_back())),
            question("/api/play/resign", Ask, self._told(lambda opened, asked: opened.note(RESIGNED))),
            question("/api/play/menu", OfPage, self._offered),
            question("/api/play/begin", NewGame, self._begin),
            question("/api/play/branch", Numbered, self._branch),
            question("/api/play/learn", Numbered, self._learn),
            question("/api/play/answer", Answered, self._told(lambda opened, it: opened.answer(it.number, it.answer))),
            question("/api/play/delete", Ask, self._delete),
            question("/api/play/again", Ask, self._again),
            question("/api/play/games", dict[str, Any], self._listed),
            stream_of("/api/play/coach", Ask, self._desk, lambda it, stop: coach_lines(self.games.open(it.game), stop)),
            stream_of("/api/play/review", Ask, self._desk, self._review),
            stream_of("/api/play/drill", OfPage, self._desk, lambda it, stop: self._recorded(stop, self._drill)),
            stream_of("/api/play/record", OfPage, self._desk, lambda it, stop: self._recorded(stop, self._page)),
            self._pages.route("/record"),
        ]
        page = filled("play/play.html", {"SYMBOLS": page_files()["shared/symbols.svg"]})
        return SitePage("play", lambda: HTMLResponse(page), routes)

    def address(self, opened: OpenGame) -> str:
        """Where a game is, below the token."""
        return f"play#{quote(opened.path.name)}"

    def _told(self, act: Callable[[OpenGame, Any], object]) -> Callable[[Ask], dict[str, Any]]:
        """Do something to a game, and tell how it stands."""

        def told(asked: Ask) -> dict[str, Any]:
            opened = self.games.open(asked.game)
            with opened.lock:
                act(opened, asked)
                return state_of(opened, asked.seat)

        return told

    def _delete(self, asked: Ask) -> dict[str, str]:
        self.games.delete(asked.game)
        return {}

    def _again(self, asked: Ask) -> dict[str, str]:
        return {"at": self.address(self.games.begin(again(self.games.open(asked.game).game.table)))}

    def _offered(self, asked: object) -> dict[str, Any]:
        """What the form offers: levels, characters and house rules."""
        levels = [{"name": name, "description": level_words(name)} for name in LEVELS]
        characters = [one for one in strategies_of(self.menu) if one["name"] not in LEVELS]
        return {"levels": levels, "strategies": characters, "houses": houses_of(self.menu)}

    def _begin(self, asked: NewGame) -> dict[str, str]:
        rules = Rules(edition=asked.edition, players=asked.players, ghost=asked.ghost)
        others = [opponent(name) if name in LEVELS else self.menu.strategy(name) for name in asked.strategies]
        seats = seat_people(len(asked.people), asked.players, others)
        names = [*asked.people, *[""] * asked.players]
        seated = [s or outside_strategy(name.strip() or OUTSIDE) for s, name in zip(seats, names, strict=False)]
        table = GameTable.seat(rules.but(**plain(asked.changes, self.menu)), seated, new_seed())
        compile_missing(table.strategies, compile_ahead.OUTSIDE)
        return {"at": self.address(self.games.begin(table))}

    def _branch(self, asked: Numbered) -> dict[str, str]:
        return {"at": self.address(self.games.branch(asked.game, asked.number))}

    def _learn(self, asked: Numbered) -> dict[str, str]:
        learn(self.games.open(asked.game).path, asked.number)
        return {}

    def _recorded(self, stop: threading.Event, use: Callable[[list[ReviewedGame]], Line]) -> Iterator[Line]:
        """Review all games that are over, and make something of their reviews."""
        record = []
        for found in record_of(sorted(self.games.files())):
            if stop.is_set():
                return
            if isinstance(found, ReviewedGame):
                record.append(found)
            else:
                yield dict(zip(("kind", "game", "done", "total"), ("progress", *found), strict=True))
        if not record:
            raise UserError("there is no game yet that you have played to its end.")
        yield use(record)
        yield {"kind": "end"}

    def _drill(self, record: list[ReviewedGame]) -> Line:
        found = [{"game": one.path.name, "seat": one.review.seat, "at": d} for one, d in mistakes(record)]
        return {"kind": "drill", "mistakes": found}

    def _page(self, record: list[ReviewedGame]) -> Line:
        page = review_page(record, lambda one, decision: f"../play#{quote(one.path.name)}")
        return {"kind": "record", "at": f"record/{self._pages.add(page)}"}

    def _listed(self, asked: object) -> dict[str, Any]:
        return {"games": self.games.listed(), "folder": str(self.games.folder)}

    def _review(self, asked: Ask, stop: threading.Event) -> Iterator[Line]:
        return review_lines(self.games.open(asked.game), asked.seat, stop)


def state_of(opened: OpenGame, seat: int | None) -> dict[str, Any]:
    """What a seat is told. Without a seat: the only person at the table; with several, what everybody may know."""
    game, people = opened.game, opened.people
    if seat is not None and seat not in people:
        raise UserError(f"nobody sits at seat {seat} of this game.")
    if seat is None:
        seat = people[0] if len(people) == 1 else NOBODY
    notes = [what for _, what in game.notes]
    return {
        **told(game, seat),
        "game": opened.path.name,
        "seat": seat,
        "people": people,
        "number": len(game.answers),
        "resigned": opened.is_resigned,
        "taken_back": notes.count(TAKEN_BACK),
        "coached": notes.count(COACHED),
        "folder": str(opened.path.parent),
        "branch": branch_of(game),
    }


def coach_lines(opened: OpenGame, stop: threading.Event) -> Iterator[Line]:
    """What the coach says of the question, line by line; the game's file notes that it was asked."""
    opened.note(COACHED)
    with opened.lock:
        game, number = opened.game.copy(), len(opened.game.answers)
    question = game.question
    for advice in advise(game, stop):
        words = question.words if question is not None else {}
        yield {"kind": "coach", "number": number, "sentence": advice.sentence(words), **advice.told()}
    yield {"kind": "end"}


def review_lines(opened: OpenGame, seat: int | None, stop: threading.Event) -> Iterator[Line]:
    """The review of a game that is over, with lines that say how far it is, and finer ones while the page is open."""
    who, is_reviewed = opened.people[0] if seat is None or seat not in opened.people else seat, False
    for found in reviewed(opened.path, opened.game.copy(), who):
        if stop.is_set():
            return
        if isinstance(found, ReviewedGame):
            rules = opened.game.table.rules
            ladder = {"champion": as_champion(found.review.error, [rules]), "ranking": ranking_at(rules)}
            yield {"kind": "review", **found.review.told(), **ladder}
            is_reviewed = True
        elif not is_reviewed:
            yield {"kind": "progress", "done": found[0], "total": found[1]}
    yield {"kind": "end"}
