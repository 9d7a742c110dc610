"""The questions of the page on which one plays, each with its address. A page gets what its seat may know (`told`)."""

import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

import msgspec
from msgspec import Meta
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from jamaica_sim.errors import UserError
from jamaica_sim.studio.coach import advise
from jamaica_sim.studio.review import Review, reviewing
from jamaica_sim.studio.review_ladder import as_champion, ranking_at
from jamaica_sim.studio.saved_games import COACHED, RESIGNED, TAKEN_BACK, OpenGame, SavedGames, again
from jamaica_sim.studio.server import Part, asked
from jamaica_sim.studio.streams import Desk, Line, stream
from jamaica_sim.studio.told import told

NOBODY = -1  # sees what all may know


Name = Annotated[str, Meta(max_length=200)]


class Ask(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """A question about a game."""

    game: Name
    seat: Annotated[int, Meta(ge=0, le=5)] | None = None  # whose eyes; none: whoever is asked
    page: Annotated[str, Meta(max_length=40)] = ""


class Answer(Ask, forbid_unknown_fields=True, kw_only=True):
    """An answer to the question with this number."""

    number: Annotated[int, Meta(ge=0, le=100_000)]
    answer: Annotated[int, Meta(ge=0, le=62)]


class Play:
    """The part of the server at which games are played."""

    def __init__(self, desk: Desk, games: SavedGames):
        self._desk, self.games = desk, games

    def part(self) -> Part:
        """The part of the server."""
        acts: dict[str, Callable[[OpenGame], object]] = {
            "state": lambda opened: None,
            "back": OpenGame.take_back,
            "resign": lambda opened: opened.note(RESIGNED),
        }
        questions: dict[str, Callable[[Request], Awaitable[Response]]] = {
            **{name: partial(self._act, act) for name, act in acts.items()},
            "answer": self._answer,
            "delete": self._delete,
            "again": self._again,
            "games": self._games,
            "coach": self._coach,
            "review": self._review,
        }
        routes = [Route(f"/api/play/{name}", question, methods=["POST"]) for name, question in questions.items()]
        return Part("play", "play.html", routes)

    def address(self, opened: OpenGame) -> str:
        """Where a game is, below the token."""
        return f"play#{quote(opened.path.name)}"

    async def _act(self, act: Callable[[OpenGame], object], request: Request) -> Response:
        return await self._told(await asked(request, Ask), act)

    async def _answer(self, request: Request) -> Response:
        question = await asked(request, Answer)
        return await self._told(question, lambda opened: opened.answer(question.number, question.answer))

    async def _told(self, question: Ask, act: Callable[[OpenGame], object]) -> Response:
        def work() -> dict[str, Any]:
            opened = self.games.open(question.game)
            with opened.lock:
                act(opened)
                return state_of(opened, question.seat)

        return Response(msgspec.json.encode(await run_in_threadpool(work)), media_type="application/json")

    async def _delete(self, request: Request) -> Response:
        question = await asked(request, Ask)
        await run_in_threadpool(self.games.delete, question.game)
        return JSONResponse({})

    async def _again(self, request: Request) -> Response:
        question = await asked(request, Ask)

        def work() -> str:
            return self.address(self.games.begin(again(self.games.open(question.game).game.table)))

        return JSONResponse({"at": await run_in_threadpool(work)})

    async def _coach(self, request: Request) -> Response:
        question = await asked(request, Ask)
        return stream(
            self._desk, f"coach {question.page}", lambda stop: coach_lines(self.games.open(question.game), stop)
        )

    async def _review(self, request: Request) -> Response:
        question = await asked(request, Ask)

        def lines(stop: threading.Event) -> Iterator[Line]:
            return review_lines(self.games.open(question.game), question.seat, stop)

        return stream(self._desk, f"review {question.page}", lines)

    async def _games(self, request: Request) -> Response:
        games = await run_in_threadpool(self.games.listed)
        return JSONResponse({"games": games, "folder": str(self.games.folder)})


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
    """The review of a game that is over, with lines that say how far it is."""
    who = opened.people[0] if seat is None or seat not in opened.people else seat
    for found in reviewing(opened.game.copy(), who):
        if stop.is_set():
            return
        if isinstance(found, Review):
            rules = opened.game.table.rules
            ladder = {"champion": as_champion(found.error, [rules]), "ranking": ranking_at(rules)}
            yield {"kind": "review", **found.told(), **ladder}
        else:
            yield {"kind": "progress", "done": found[0], "total": found[1]}
    yield {"kind": "end"}
