"""Games that people play: each is a small file in a folder of the user's, written again after each answer.

So closing a page or ending the server loses nothing. Two servers can open one game: each sees what the other has
written, and overwrites none of it. A page names a game by its file's name, and only files that lie in
the folder are found: no path comes from a page.
"""

import os
import secrets
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import lock_folder, unlock_folder
from jamaica_sim.files.user_files import read_plain_file, users_folder
from jamaica_sim.game.words import listed
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.outside.game_file import LARGEST_GAME
from jamaica_sim.strategy.option_words import ship_names

ENDING = ".jamaica.json"
RESIGNED, COACHED, TAKEN_BACK = "resigned", "coach asked", "taken back"
BRANCH = "branch of "  # the beginning of a note in a game that was begun in the middle of another one
LARGEST_NEW_SEED = 2**31
MOST_LISTED = 200
PATIENCE = 10  # seconds to wait while somebody else saves
MOST_OPEN = 64  # games kept in memory; all are in their files anyway
LEAVE_ALONE = "The game has already gone on elsewhere. Your answer was not counted."
Found = TypeVar("Found")


def games_folder(out: str | os.PathLike[str] | None = None) -> Path:
    """The folder for games: `out`, or one of the user's own; it is made where it is missing."""
    own = users_folder("data")
    if out is None and own is None:
        raise UserError("this user has no folder for games: name one with --out.")
    folder = Path(out) if out is not None else own / "games" if own else Path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder} cannot be used for games: {error.strerror or error}.") from error
    return folder


def people_of(table: GameTable) -> list[int]:
    """The seats that people sit at."""
    return [seat for seat, strategy in enumerate(table.strategies) if strategy.is_outside]


def new_seed() -> int:
    """A seed that nobody can foresee."""
    return secrets.randbelow(LARGEST_NEW_SEED)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else saves in this folder meanwhile, if its file system has locks."""
    lock = None
    with suppress(OSError):
        lock = lock_folder(folder, PATIENCE)
    try:
        yield
    finally:
        unlock_folder(folder, lock)


def text_of(path: Path, largest: int = LARGEST_GAME) -> bytes | None:
    """What is in a file; nothing if it cannot be read."""
    try:
        return read_plain_file(path, largest)
    except OSError:
        return None


class OpenGame:
    """A game with its file, whose text is known. One request at a time works on it."""

    def __init__(self, game: Game, path: Path, text: bytes | None = None):
        self.game, self.path, self.text = game, path, text
        self.lock = threading.RLock()

    @property
    def people(self) -> list[int]:
        """The seats that people sit at."""
        return people_of(self.game.table)

    @property
    def is_resigned(self) -> bool:
        """Whether it was given up, and not taken up again."""
        return bool(self.game.notes) and self.game.notes[-1][1] == RESIGNED

    def answer(self, number: int, answer: int) -> None:
        """Answer the question with this number: so many answers came before it. A late click answers nothing."""
        with self.lock:
            if number != len(self.game.answers):
                raise UserError(LEAVE_ALONE)
            self.game.answer(answer)
            self.save()

    def take_back(self) -> None:
        """Take the last answer back, or the resignation; the file notes it."""
        with self.lock:
            if self.is_resigned:
                self.note(TAKEN_BACK)
            else:
                self.game.take_back()
                self.save()

    def note(self, what: str) -> None:
        """Note something, once for each answer."""
        with self.lock:
            if not self.game.notes or self.game.notes[-1] != (len(self.game.answers), what):
                self.game.note(what)
                if self.text is not None:  # a branch that was only looked at leaves no file
                    self.save()

    @property
    def is_current(self) -> bool:
        """Whether the file is as this process has written or read it."""
        return text_of(self.path) == self.text

    def save(self) -> None:
        """Write the file, whole, unless somebody else has changed it: their answers would be lost."""
        with _alone(self.path.parent):
            if not self.is_current:
                raise UserError(f"the game {self.path.name!r} has been changed or deleted by another program.")
            self.game.save(self.path)
            self.text = text_of(self.path)


class SavedGames:
    """The games of a folder, and those that are open. Code that came along runs only in `trusted` ones."""

    def __init__(self, folder: Path, trusted: Sequence[str] = ()):
        self.folder, self._trusted = folder, {*trusted}
        self._open: dict[str, OpenGame] = {}
        self._states: dict[str, tuple[int, str]] = {}  # of each file: when it was written, and how it stood
        self._lock = threading.Lock()

    def begin(self, table: GameTable) -> OpenGame:
        """A new game at a table, with a file of its own."""
        game = Game(rules=table.rules, strategies=list(table.strategies), seed=table.seed, luck=dict(table.luck))
        opened = self.adopt(game)
        opened.save()
        return opened

    def adopt(self, game: Game) -> OpenGame:
        """A game under a name of its own; its file is written after the next answer."""
        with self._lock:
            opened = OpenGame(game, self._new_path(game.table))
            self._trusted.add(opened.path.name)  # its code was named by the user
            return self._keep(opened)

    def branch(self, name: str, number: int) -> OpenGame:
        """A game once more from the moment after so many answers, as a game of its own."""
        game = self.open(name).game.after(number)
        game.note(f"{BRANCH}{name}")
        return self.adopt(game)

    def _keep(self, opened: OpenGame) -> OpenGame:
        """Keep a game in memory, as the one that was used last."""
        self._open.pop(opened.path.name, None)
        self._open[opened.path.name] = opened
        while len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]
        return opened

    def open(self, name: str) -> OpenGame:
        """A game by its file's name."""
        with self._lock:
            opened = self._open.get(name)
            if opened is None or not opened.is_current:
                path = self._path(name)
                text = text_of(path)
                opened = OpenGame(Game.load(path, name in self._trusted), path, text)
            return self._keep(opened)

    def delete(self, name: str) -> None:
        """Delete a game's file, which may be damaged."""
        with self._lock, _alone(self.folder):
            path = self._path(name)
            path.unlink(missing_ok=True)
            review_path(path).unlink(missing_ok=True)
            self._open.pop(name, None)

    def _path(self, name: str) -> Path:
        path = next((path for path in self.files() if path.name == name), None)
        if path is None:
            raise UserError(f"there is no game {name!r} in {self.folder}.")
        return path

    def listed(self) -> list[dict[str, Any]]:
        """The saved games, the latest first: name, when it was played last, and how it stands."""
        found = []
        for path in self.files()[:MOST_LISTED]:
            with suppress(OSError):
                name, when, written = path.name, time.strftime("%Y-%m-%d %H:%M", _played(path)), path.stat().st_mtime_ns
                if self._states.get(name, (0, ""))[0] != written:
                    self._states[name] = written, state_in_words(path)
                found.append({"game": name, "when": when, "state": self._states[name][1]})
        return found

    def files(self) -> list[Path]:
        """The files of games, the latest first."""
        files = [path for path in self.folder.glob(f"*{ENDING}") if path.is_file() and not path.is_symlink()]
        files = [path for path in files if path.name.isprintable()]  # a name that is no text cannot be sent
        return sorted(files, key=lambda path: path.stat().st_mtime, reverse=True)

    def _new_path(self, table: GameTable) -> Path:
        """A file named by date and table."""
        base = f"{time.strftime('%Y-%m-%d_%H.%M.%S')}_{table_words(table)}"
        path, number = self.folder / f"{base}{ENDING}", 2
        while path.exists():
            path, number = self.folder / f"{base}_{number}{ENDING}", number + 1
        return path


def review_path(path: Path) -> Path:
    """Where the review of a game is kept."""
    return path.with_name(path.name.removesuffix(ENDING) + ".review.json")


def branch_of(game: Game) -> tuple[str, int] | None:
    """The game that this one is a branch of, and after how many answers it left it."""
    return next(((what.removeprefix(BRANCH), number) for number, what in game.notes if what.startswith(BRANCH)), None)


def state_in_words(path: Path) -> str:
    """How a saved game stands: its round, or who has won."""
    try:
        game = Game.watch(path)
    except UserError:
        return "damaged"
    branch = "; a branch" if branch_of(game) else ""
    if game.question is not None:
        resigned = game.notes and game.notes[-1][1] == RESIGNED
        return f"{'resigned' if resigned else 'to play on'}, round {game.question.view['round']}{branch}"
    assert game.result is not None  # it is over
    names = ship_names(game.table.rules.players, bool(game.table.rules.ghost))
    won = listed([names[winner] for winner in game.result["winners"]])
    return f"over: {won} won with {max(game.result['scores'])}{branch}"


def _played(path: Path) -> time.struct_time:
    return time.localtime(path.stat().st_mtime)


def table_words(table: GameTable) -> str:
    """A table in a few words, fit for a file's name."""
    rules = table.rules
    others = dict.fromkeys(strategy.label for strategy in table.strategies if not strategy.is_outside)
    who = "-".join("".join(c if c.isalnum() else "_" for c in name)[:24] for name in others)
    parts = [f"{rules.players}_players", rules.edition, *(["ghost"] if rules.ghost else []), who]
    return "_".join(part for part in parts if part)


def seat_people(people: int, players: int, others: Sequence[Found]) -> list[Found | None]:
    """People at the first seats, the others after them; one other plays all the seats that are left."""
    left = players - people
    if left < 0:
        raise UserError(f"{people} people do not fit at a table for {players}: give more --players.")
    if len(others) == 1:
        others = list(others) * left
    if len(others) != left:
        raise UserError(
            f"{left} seats are left for strategies, and {len(others)} are named: name one, or one for each."
        )
    return [None] * people + list(others)


def again(table: GameTable) -> GameTable:
    """The same table with new luck."""
    return GameTable.seat(table.rules, list(table.strategies), new_seed())
