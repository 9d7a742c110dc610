"""Games to watch: for each quantity a typical and an extreme game of each setting, found when all games are played.

They are chosen among the first games. These are played again, because a run need not have kept their rows.
A folder without the file, or with a damaged one, has no games to watch; everything else about it stays as it is.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.files.atomic_files import json_bytes
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.play.chunks import CHUNK, chunks, default_threads, play_in_order
from jamaica_sim.play.game_columns import game_columns
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.results import Results

FILE = "games_to_watch.json"
LARGEST_FILE = 2**16  # bytes
LOOKED_AT = 1000  # games
LOOKED_AT_WITH_SEARCH = 30  # each takes as long as hundreds of others
Numbers = npt.NDArray[np.int64]
Columns = dict[str, npt.NDArray[np.generic]]


def _lead_of_ghost(columns: Columns, ships: int) -> Numbers:
    """The ghost's points minus those of the best player; the ghost is the last ship."""
    scores = np.stack([columns[f"score_{ship}"] for ship in range(ships)]).astype(np.int64)
    lead: Numbers = scores[-1] - scores[:-1].max(axis=0)
    return lead


def _points_of_treasures(columns: Columns, ships: int) -> Numbers:
    points = [np.abs(columns[f"treasure_points_{ship}"].astype(np.int64)) for ship in range(ships)]
    return np.sum(points, axis=0, dtype=np.int64)


def _column(name: str) -> Callable[[Columns, int], Numbers]:
    return lambda columns, ships: columns[name].astype(np.int64)


GHOST_LEAD = "ghost_lead"
QUANTITIES: dict[str, Callable[[Columns, int], Numbers]] = {
    name: _column(name)
    for name in ("rounds", "margin", "shortages", "battles", "winner_score", "lead_changes", "peak_gold")
} | {"treasure_points": _points_of_treasures, GHOST_LEAD: _lead_of_ghost}


@dataclass(frozen=True)
class GameToWatch:
    """A game in words, and the command that shows it."""

    words: str
    game: int
    value: float
    command: str


@dataclass(frozen=True)
class WatchedGames:
    """The games to watch of a run: by quantity the typical game and, where it has more, the extreme one."""

    looked_at: int
    games: dict[str, list[tuple[int, int]]]  # number and value


def find_games_to_watch(of_settings: Sequence[Results]) -> list[WatchedGames]:
    """A typical and an extreme game for each quantity, among the first games of each setting."""
    tables = [results.table for results in of_settings]
    looked_at = [
        min(LOOKED_AT_WITH_SEARCH if any(s.search for s in results.table.strategies) else LOOKED_AT, results.games)
        for results in of_settings
    ]
    work = (
        chunk
        for number, results in enumerate(of_settings)
        for chunk in chunks(results.first_game, looked_at[number], CHUNK, number)
    )
    played = play_in_order(tables, work, default_threads(), keep_rows=True)
    by_table = groupby(played, lambda one: one.chunk.table)
    return [_chosen(tables[number], np.concatenate([one.rows for one in parts])) for number, parts in by_table]


def _chosen(table: GameTable, rows: np.ndarray) -> WatchedGames:
    ships = table.rules.ships
    columns = game_columns(rows, ships)
    games = {}
    for name, values_of in QUANTITIES.items():
        if name == GHOST_LEAD and not table.rules.ghost:
            continue
        values = values_of(columns, ships)
        typical, extreme = int(np.abs(values - values.mean()).argmin()), int(values.argmax())
        chosen = [typical, extreme] if values[extreme] != values[typical] else [typical]
        games[name] = [(int(columns["game"][row]), int(values[row])) for row in chosen]
    return WatchedGames(rows.size, games)


def games_to_watch_file(of_settings: Sequence[Results]) -> dict[str, bytes]:
    """The file of the games to watch in each setting, by its name."""
    return {FILE: json_bytes([vars(found) for found in find_games_to_watch(of_settings)])}


def read_games_to_watch(folder: Path, of_settings: Sequence[Results]) -> list[WatchedGames | None]:
    """The games to watch in each setting of a folder; None where there are none that can be read."""
    try:
        data = json.loads(read_plain_file(Path(folder) / FILE, LARGEST_FILE * len(of_settings)))
    except (OSError, ValueError, RecursionError):
        data = None
    if not isinstance(data, list) or len(data) != len(of_settings):
        data = [None] * len(of_settings)
    return [_read(entry, results) for entry, results in zip(data, of_settings, strict=True)]


def _read(entry: Any, results: Results) -> WatchedGames | None:
    try:
        looked_at, listed = entry["looked_at"], entry["games"]
        chosen = {name: [(game, value) for game, value in pairs] for name, pairs in listed.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    numbers = [pair for pairs in chosen.values() for pair in pairs]
    first, last = results.first_game, results.first_game + results.games - 1
    in_run = all(is_int_between(game, first, last) for game, _ in numbers)
    whole = all(is_int_between(value, -(2**31), 2**31) for _, value in numbers)
    known = set(chosen) <= set(QUANTITIES) and all(1 <= len(pairs) <= 2 for pairs in chosen.values())
    return (
        WatchedGames(looked_at, chosen)
        if is_int_between(looked_at, 1, LOOKED_AT) and in_run and whole and known
        else None
    )
