"""Games to watch: for each quantity a typical and an extreme game, found when a run ends and kept in its folder.

They are chosen among the first games of the run. These are played again, because a run need not have kept their rows.
A folder without the file, or with a damaged one, has no games to watch; everything else about it stays as it is.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from jamaica_sim.limits import is_whole
from jamaica_sim.play.chunks import CHUNK, chunks, default_threads, play_in_order
from jamaica_sim.results.results import Results
from jamaica_sim.run.find_games import game_columns
from jamaica_sim.store.atomic_files import json_bytes, write_whole
from jamaica_sim.user_files import read_plain_file

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


def find_games_to_watch(results: Results) -> WatchedGames:
    """A typical and an extreme game for each quantity, among the first games of a run."""
    table, ships = results.table, results.table.rules.ships
    is_slow = any(strategy.search for strategy in table.strategies)
    looked_at = min(LOOKED_AT_WITH_SEARCH if is_slow else LOOKED_AT, results.games)
    played = play_in_order(table, chunks(results.first_game, looked_at, CHUNK), default_threads(), keep_rows=True)
    columns = game_columns(np.concatenate([part.rows for part in played]), ships)
    games = {}
    for name, values_of in QUANTITIES.items():
        if name == GHOST_LEAD and not table.rules.ghost:
            continue
        values = values_of(columns, ships)
        typical, extreme = int(np.abs(values - values.mean()).argmin()), int(values.argmax())
        chosen = [typical, extreme] if values[extreme] != values[typical] else [typical]
        games[name] = [(int(columns["game"][row]), int(values[row])) for row in chosen]
    return WatchedGames(looked_at, games)


def keep_games_to_watch(folder: Path, results: Results) -> None:
    """Find the games to watch of a run that has ended, and write them into its folder."""
    found = find_games_to_watch(results)
    write_whole(Path(folder) / FILE, json_bytes({"looked_at": found.looked_at, "games": found.games}))


def read_games_to_watch(folder: Path, first_game: int, games: int) -> WatchedGames | None:
    """The games to watch in a run's folder, which played these games; None where there are none that can be read."""
    try:
        data = json.loads(read_plain_file(Path(folder) / FILE, LARGEST_FILE))
        looked_at, listed = data["looked_at"], data["games"]
        chosen = {name: [(game, value) for game, value in pairs] for name, pairs in listed.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    numbers = [pair for pairs in chosen.values() for pair in pairs]
    in_run = all(is_whole(game, first_game, first_game + games - 1) for game, _ in numbers)
    whole = all(is_whole(value, -(2**31), 2**31) for _, value in numbers)
    known = set(chosen) <= set(QUANTITIES) and all(1 <= len(pairs) <= 2 for pairs in chosen.values())
    return WatchedGames(looked_at, chosen) if is_whole(looked_at, 1, LOOKED_AT) and in_run and whole and known else None
