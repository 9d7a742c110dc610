"""The record of games that somebody has played: each is reviewed once, and its review is kept in a file beside it.

A review holds for the text of its game's file and for this version; else it is made again. Branches, which begin in the
middle of another game, are practice and not part of the record.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from jamaica_sim import __version__
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.outside import game_file
from jamaica_sim.play.outside.game import Game
from jamaica_sim.web.review import GAMES, Review, ReviewedDecision, reviewing
from jamaica_sim.web.saved_games import COACHED, ENDING, TAKEN_BACK, branch_of, people_of, review_path, text_of

LARGEST_REVIEW = 2**20
Progress = tuple[str, int, int]  # a game, how many of its decisions are judged, of how many


class _Kept(msgspec.Struct):
    """The file beside a game."""

    of: str  # hash of the game's file
    version: str
    reviews: dict[str, Review] = {}  # by seat and games played on
    learnt: list[int] = []  # decisions that were answered right in a drill, by their number


@dataclass(frozen=True)
class ReviewedGame:
    """A game that is over, from the seat of somebody who played it."""

    path: Path
    game: Game
    review: Review
    learnt: tuple[int, ...]

    @property
    def name(self) -> str:
        """Its file's name without the ending."""
        return self.path.name.removesuffix(ENDING)

    @property
    def table(self) -> GameTable:
        """Where it was played."""
        return self.game.table

    @property
    def helps(self) -> int:
        """How often the coach was asked or an answer taken back."""
        return sum(what in (COACHED, TAKEN_BACK) for _, what in self.game.notes)


def reviewed(path: Path, game: Game, seat: int, games: int = GAMES) -> Iterator[tuple[int, int] | ReviewedGame]:
    """The review of a game that is over, kept or made now, with how many decisions are judged before it.

    One that is made now is followed by finer ones, for as long as they are wanted.
    """
    kept, key = _read(path), f"{seat}/{games}"
    if key not in kept.reviews:
        for found in reviewing(game, seat, games):
            if isinstance(found, Review):
                kept = _read(path)  # somebody may have learnt something meanwhile
                kept.reviews[key] = found
                with suppress(UserError):  # where nothing can be written, it is made again next time
                    _write(path, kept)
                yield ReviewedGame(path, game, found, tuple(kept.learnt))
            else:
                yield found
    else:
        yield ReviewedGame(path, game, kept.reviews[key], tuple(kept.learnt))


def learn(path: Path, number: int) -> None:
    """Somebody has answered a decision right in a drill."""
    kept = _read(path)
    kept.learnt = sorted({*kept.learnt, number})
    _write(path, kept)


def learnt_of(path: Path) -> list[int]:
    """The decisions of a game that were answered right in a drill."""
    return _read(path).learnt


def _read(path: Path) -> _Kept:
    of = hashlib.sha256(text_of(path) or b"").hexdigest()
    kept = None
    text = text_of(review_path(path), LARGEST_REVIEW)
    if text is not None:
        try:
            kept = msgspec.json.decode(text, type=_Kept)
        except (msgspec.DecodeError, RecursionError):
            kept = None  # whatever it is, it is made again
    return kept if kept and (kept.of, kept.version) == (of, __version__) else _Kept(of, __version__)


def _write(path: Path, kept: _Kept) -> None:
    try:
        write_whole(review_path(path), msgspec.json.encode(kept))
    except OSError as error:
        raise UserError(f"{review_path(path)} cannot be written: {error.strerror or error}.") from error


def record_of(
    paths: Iterable[Path], games: int = GAMES, leave_out: Callable[[str], object] = str
) -> Iterator[Progress | ReviewedGame]:
    """The reviews of all games that are over, from each seat of a person; `leave_out` is told why one is left out."""
    for path in paths:
        try:
            game = Game.watch(path)
        except UserError as error:
            leave_out(f"{error} It is left out.")
            continue
        people = people_of(game_file.read(path).table)
        why = "it is not over" if not game.is_over else "" if people else "no person plays in it"
        if branch_of(game):
            why = "it is a branch of another game"
        if why:
            leave_out(f"{path.name}: {why}, so it is left out.")
            continue
        for seat in people:
            for found in reviewed(path, game, seat, games):
                if isinstance(found, ReviewedGame):
                    yield found
                    break
                yield path.name, *found


def mistakes(record: Sequence[ReviewedGame]) -> list[tuple[ReviewedGame, ReviewedDecision]]:
    """The decisions that clearly cost something and were not learnt yet, the most expensive first."""
    found = [(one, d) for one in record for d in one.review.decisions if d.is_mistake and d.number not in one.learnt]
    return sorted(found, key=lambda pair: -pair[1].cost.points)
