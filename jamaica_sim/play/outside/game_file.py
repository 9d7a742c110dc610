"""A game as a small file: rules, seats, luck, and the answers of all seats. A file from elsewhere is checked first."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from jamaica_sim.engine.step import MOST_ANSWERS
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import write_whole
from jamaica_sim.files.escape import shown
from jamaica_sim.files.limits import LAST_GAME
from jamaica_sim.files.sources import played_by
from jamaica_sim.files.user_files import read_text
from jamaica_sim.game.codes import MAX_SHIPS
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import FolderError, Identity, is_sound, plain_table, table_of, wrong_type

FORMAT = "jamaica-game/1"
LARGEST_GAME = 16 * 2**20  # bytes of a file: each seat brings its strategy along, and some have a net
MOST_NOTES = 10_000
LONGEST_NOTE = 1000
Answers = Annotated[list[Annotated[int, Meta(ge=0, le=62)]], Meta(max_length=MOST_ANSWERS)]
Seats = Annotated[list[Identity], Meta(max_length=MAX_SHIPS)]
Note = tuple[Annotated[int, Meta(ge=0, le=MOST_ANSWERS)], Annotated[str, Meta(max_length=LONGEST_NOTE)]]


class _File(msgspec.Struct):
    """What a file must have; `played_by` and what later versions may add are not read."""

    format: Literal["jamaica-game/1"]
    rules: dict[str, Any]
    strategies: list[Any]
    seed: int
    number: Annotated[int, Meta(ge=0, le=LAST_GAME)]
    answers: Annotated[list[Answers | None], Meta(max_length=MAX_SHIPS)]
    notes: Annotated[list[Note], Meta(max_length=MOST_NOTES)]
    luck: dict[str, int] = {}


@dataclass(frozen=True)
class SavedGame:
    """What a file says: the table (its code not loaded), the number of the game, the answers by seat, and notes."""

    table: GameTable
    number: int
    answers: dict[int, list[int]]
    notes: list[tuple[int, str]]


def is_note(what: object) -> bool:
    """Whether a file can have this as a note."""
    return isinstance(what, str) and len(what) <= LONGEST_NOTE and what.isprintable()


def write(
    path: str | os.PathLike[str],
    table: GameTable,
    number: int,
    answers: dict[int, list[int]],
    notes: list[tuple[int, str]],
) -> None:
    """Write a game to a file, whole or not at all."""
    saved = {
        "format": FORMAT,
        **played_by(),
        **{name: fact for name, fact in plain_table(table).items() if name != "measures"},
        "number": number,
        "answers": [answers.get(seat) for seat in range(table.rules.players)],
        "notes": notes,
    }
    content = (json.dumps(saved, ensure_ascii=False) + "\n").encode()
    if len(content) > LARGEST_GAME:
        raise UserError(
            f"{path} was not written: a game has at most {LARGEST_GAME:,} bytes, this one {len(content):,}."
        )
    try:
        write_whole(Path(path), content)
    except (OSError, ValueError) as error:  # a name with a NUL in it is no name
        raise UserError(
            f"{shown(str(path))} cannot be written: {getattr(error, 'strerror', None) or error}."
        ) from error


def read(path: str | os.PathLike[str]) -> SavedGame:
    """The game in a file; no code of it is run. Whatever is wrong with the file ends in one sentence."""
    text = read_text(Path(path), UserError, f"there is no file {path}.", LARGEST_GAME)
    if f'"{FORMAT}"' not in text:
        raise UserError(f'{path} is not the file of a game: it does not say "format": "{FORMAT}".')
    try:
        saved = msgspec.json.decode(text, type=_File)
    except (msgspec.DecodeError, RecursionError) as error:
        why = f"{str(error)[:1].lower()}{str(error)[1:]}"
        why = "its end is missing" if "truncated" in why else why
        raise UserError(f"{path} is damaged: {why}.") from error
    config = msgspec.to_builtins(saved)
    strategies = config["strategies"]
    is_whole = not wrong_type(strategies, Seats) and all(map(is_sound, strategies))
    if not is_whole or not all(is_note(what) for _, what in saved.notes):
        raise UserError(f"{path} is damaged: its strategies or its notes are of the wrong kind.")
    try:
        table = table_of(config)
    except (FolderError, ValueError) as error:
        raise UserError(f"{path} cannot be played: {str(error).rstrip('.')}.") from error
    if len(saved.answers) != table.rules.players:
        raise UserError(f"{path} has answers of {len(saved.answers)} seats for {table.rules.players} players.")
    answers = {seat: given for seat, given in enumerate(saved.answers) if given is not None}
    return SavedGame(table, saved.number, answers, saved.notes)
