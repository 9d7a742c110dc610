"""The questions of the page on which one plays, each with its address. A page gets what its seat may know (`told`)."""

import threading
from collections.abc import Callable, Iterator
from typing import Annotated, Any
from urllib.parse import quote

from msgspec import Meta

from jamaica_sim.errors import UserError
from jamaica_sim.studio.coach import advise
from jamaica_sim.studio.review import Review, reviewing
from jamaica_sim.studio.review_ladder import as_champion, ranking_at
from jamaica_sim.studio.saved_games import COACHED, RESIGNED, TAKEN_BACK, OpenGame, SavedGames, again
from jamaica_sim.studio.server import Part, question, stream_of
from jamaica_sim.studio.streams import Desk, Line, OfPage
from jamaica_sim.studio.told import told

NOBODY = -1  # sees what all may know


Name = Annotated[str, Meta(max_length=200)]


class Ask(OfPage, kw_only=True):
    """A question about a game."""

    game: Name
    seat: Annotated[int, Meta(ge=0, le=5)] | None = None  # whose eyes; none: whoever is asked


class Answer(Ask, kw_only=True):
    """An answer to the question with this number."""

    number: Annotated[int, Meta(ge=0, le=100_000)]
    answer: Annotated[int, Meta(ge=0, le=62)]


class Play:
    """The part of the server at which games are played."""

    def __init__(self, desk: Desk, games: SavedGames):
        self._desk, self.games = desk, games

    def part(self) -> Part:
        """The part of the server."""
        routes = [
            question("/api/play/state", Ask, self._told(lambda opened, asked: None)),
            question("/api/play/back", Ask, self._told(lambda opened, asked: opened.take_back())),
            question("/api/play/resign", Ask, self._told(lambda opened, asked: opened.note(RESIGNED))),
            question("/api/play/answer", Answer, self._told(lambda opened, it: opened.answer(it.number, it.answer))),
            question("/api/play/delete", Ask, self._delete),
            question("/api/play/again", Ask, self._again),
            question("/api/play/games", dict[str, Any], self._listed),
            stream_of("/api/play/coach", Ask, self._desk, lambda it, stop: coach_lines(self.games.open(it.game), stop)),
            stream_of("/api/play/review", Ask, self._desk, self._review),
        ]
        return Part("play", "play.html", routes)

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
