"""A game as a small file: rules, seats, luck, and the answers of all seats. A file from elsewhere is checked first."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.engine.step import MOST_ANSWERS
from jamaica_sim.errors import UserError
from jamaica_sim.limits import LAST_GAME, check_luck, check_seed, is_whole
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.store.manifest import FolderError, table_of, wrong_table
from jamaica_sim.store.version import played_by
from jamaica_sim.user_files import read_text

FORMAT = "jamaica-game/1"
MOST_NOTES, LONGEST_NOTE = 10_000, 1000
LARGEST_ANSWER = 62


@dataclass(frozen=True)
class SavedGame:
    """What a file says: the table (its code asleep), the number of the game, the answers by seat, and notes."""

    table: GameTable
    number: int
    answers: dict[int, list[int]]
    notes: list[tuple[int, str]]


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
        "rules": table.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in table.strategies],
        "seed": table.seed,
        **({"luck": dict(table.luck)} if table.luck else {}),
        "number": number,
        "answers": [answers.get(seat) for seat in range(table.rules.players)],
        "notes": notes,
    }
    try:
        write_whole(Path(path), (json.dumps(saved, ensure_ascii=False) + "\n").encode())
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from error


def read(path: str | os.PathLike[str]) -> SavedGame:
    """The game in a file; no code of it is run. Whatever is wrong with the file ends in one sentence."""
    saved = _json(path)
    if saved.get("format") != FORMAT:
        raise UserError(f'{path} is not the file of a game: it does not say "format": "{FORMAT}".')
    wrong = _wrong(saved)
    if wrong:
        raise UserError(f"{path} is damaged: {wrong} is missing or of the wrong kind.")
    try:
        table = table_of(saved)
    except (FolderError, ValueError) as error:
        raise UserError(f"{path} cannot be played: {str(error).rstrip('.')}.") from error
    if len(saved["answers"]) != table.rules.players:
        raise UserError(f"{path} has answers of {len(saved['answers'])} seats for {table.rules.players} players.")
    answers = {seat: given for seat, given in enumerate(saved["answers"]) if given is not None}
    return SavedGame(table, saved["number"], answers, [(number, what) for number, what in saved["notes"]])


def _json(path: str | os.PathLike[str]) -> dict[str, Any]:
    try:
        saved = json.loads(read_text(Path(path), UserError, f"there is no file {path}."))
    except RecursionError:
        raise UserError(f"{path} is not valid JSON: it is nested too deeply.") from None
    except ValueError as error:  # no JSON, or a number with thousands of digits
        if isinstance(error, UserError):
            raise
        raise UserError(f"{path} is not valid JSON: {error}.") from error
    return saved if isinstance(saved, dict) else {}


def _wrong(saved: dict[str, Any]) -> str:
    """The first entry that is missing or of the wrong kind; empty where all is well."""
    wrong = wrong_table(saved, MAX_SHIPS)
    if wrong:
        return str(wrong).removeprefix("configuration.")
    try:
        check_seed(saved.get("seed"))
        check_luck(saved.get("luck", {}))
    except UserError:
        return "the seed or the luck"
    if not is_whole(saved.get("number"), 0, LAST_GAME):
        return "number"
    answers, notes = saved.get("answers"), saved.get("notes")
    if not isinstance(answers, list) or not all(given is None or _are_answers(given) for given in answers):
        return "answers"
    if not isinstance(notes, list) or len(notes) > MOST_NOTES or not all(map(_is_note, notes)):
        return "notes"
    return ""


def _are_answers(given: Any) -> bool:
    whole = isinstance(given, list) and len(given) <= MOST_ANSWERS
    return whole and all(is_whole(answer, 0, LARGEST_ANSWER) for answer in given)


def _is_note(note: Any) -> bool:
    pair = isinstance(note, list) and len(note) == 2 and is_whole(note[0], 0, MOST_ANSWERS)
    return pair and isinstance(note[1], str) and len(note[1]) <= LONGEST_NOTE and note[1].isprintable()
