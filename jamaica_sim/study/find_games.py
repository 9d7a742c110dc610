"""Reads the games of a run: all as a table, or those worth watching, by a condition, a sort order or a preset.

The rows come from the run's parts; if it kept none, its games are played again. Parts are read one at a time and only
the best games of each are kept, so a run of any length fits in memory.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jamaica_sim.engine.state import NONE, RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.limits import MOST_PLAYED_AGAIN, MOST_ROWS_IN_MEMORY, is_int_between
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play.chunks import CHUNK, chunks, default_threads, in_order, play_in_order
from jamaica_sim.play.commands import game_of
from jamaica_sim.play.compile_ahead import REPLAY, RUN, compile_missing
from jamaica_sim.play.expression import Expression
from jamaica_sim.play.game_columns import derived_columns, flat_columns
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import FolderError, FolderFault, Manifest, refuse_other_program
from jamaica_sim.play.own_measures import words_for_ships
from jamaica_sim.play.positions import Capturer
from jamaica_sim.results.stats.estimate import Estimate, proportion_interval
from jamaica_sim.results.tidy_games import tidy_games
from jamaica_sim.strategy.option_words import COLOURS, GHOST
from jamaica_sim.study.folder import PlayedSetting, find_setting, read_sums
from jamaica_sim.study.parts import open_rows, read_part, rows_name, written_parts
from jamaica_sim.study.saved_folder import GAMES

if TYPE_CHECKING:
    import pandas as pd

Columns = dict[str, np.ndarray]
MOST_FOUND = 100_000
REPLAYED_AT_ONCE = 100


# Games that people look for: the condition, and what to sort by. `cli.games` says what each is.
PRESETS = {
    "closest": ("", "margin"),
    "ghost-wins": ("winners == ghost", "-margin"),
    "comeback": ("comeback", "-deficit"),
    "longest": ("", "-rounds"),
    "most-shortages": ("", "-shortages"),
}


@dataclass(frozen=True)
class Found:
    """The games that were found, as columns by name, and how many of all games meet the condition."""

    columns: dict[str, np.ndarray]
    share: Estimate
    matching: int
    names: tuple[str, ...]
    source: tuple[object, ...]  # the words that name the folder, and the setting in it

    def __len__(self) -> int:
        return len(self.columns["game"])

    def winners(self, row: int) -> list[str]:
        """The names of a game's winners."""
        bits = int(self.columns["winners"][row])
        return [name for ship, name in enumerate(self.names) if bits >> ship & 1]

    def command(self, row: int) -> str:
        """What a user types to see a game."""
        return game_of(*self.source, game=int(self.columns["game"][row]))

    def to_pandas(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame, with winners by name and the command for each game."""
        import pandas as pd

        frame = pd.DataFrame(self.columns)
        frame["winners"] = [" and ".join(self.winners(row)) for row in range(len(self))]
        frame["replay"] = [self.command(row) for row in range(len(self))]
        return frame


def find_games(
    folder: AnyPath,
    where: str = "",
    sort: str = "",
    limit: int = 10,
    *,
    preset: str = "",
    setting: int | None = None,
    progress: Callable[[int], object] | None = None,
    trust: bool = False,
) -> "pd.DataFrame":
    """Games of a run, as a pandas DataFrame with one row for each.

    Parameters
    ----------
    folder : path
        The folder of a run, an experiment or a sweep.
    where : str
        A condition, such as `winners == ghost and margin < 3`. Columns are those of the run's table of games, and
        `margin`, `winner_score`, `shortages`, `battles`, `treasures`, `comeback`, `deficit`.
    sort : str
        A column; with `-` before it the largest come first. Without one, games come in order.
    limit : int
        How many games at most.
    preset : str
        One of closest, ghost-wins, comeback, longest, most-shortages; `where` narrows it down.
    setting : int, optional
        Which setting of an experiment or a sweep, from 1.
    progress : callable, optional
        Called as `progress(games_done)`.
    trust : bool
        Whether to run code that came with the folder, where its games have to be played again.

    Examples
    --------
    >>> from jamaica_sim import find_games, simulate
    >>> _ = simulate(games=50, strategies="random", out="rovers", per_game=True)
    >>> len(find_games("rovers", where="margin >= 0", sort="-margin", limit=3))
    3
    """
    if not isinstance(folder, str | os.PathLike):
        raise TypeError(
            f"games are found in a folder, such as simulate(..., out='cruise') writes, not in {type(folder).__name__}."
        )
    return search(folder, Wanted(where, sort, preset, limit), setting, progress, trust).to_pandas()


class Wanted(NamedTuple):
    """Which games are looked for, see `find_games`."""

    where: str = ""
    sort: str = ""
    preset: str = ""
    limit: int = 10


def search(
    folder: AnyPath,
    wanted: Wanted,
    setting: int | None = None,
    progress: Callable[[int], object] | None = None,
    trust: bool = False,
) -> Found:
    """Like `find_games`, but the result is not yet a DataFrame."""
    (where, sort), limit = _order(wanted), wanted.limit
    if not is_int_between(limit, 1, MOST_FOUND):
        raise UserError(f"the limit must be a whole number from 1 to {MOST_FOUND:,}, not {limit!r}.")
    found = find_setting(folder, setting)
    table = found.table
    names = _columns_known(table)
    if wanted.preset == "ghost-wins" and not table.rules.ghost:
        raise UserError(f"the run in {folder} was played without the ghost ship.")
    condition = (
        Expression(where, names, words_for_ships([s.label for s in table.strategies], table.rules)) if where else None
    )
    descending, column = sort.startswith("-"), sort.removeprefix("-") or "game"
    if column not in names:
        hint = did_you_mean(column, names, otherwise="docs/results.md lists the columns.")
        raise UserError(f"there is no column {column!r} to sort by: {hint}")
    best: list[Columns] = []
    matching = done = 0
    half_time = _HalfTime(folder, found.manifest, table, trust) if "deficit" in f"{where} {column}" else None
    for part in _parts(folder, found, trust):
        part |= derived_columns(part, table.rules.ships)
        if half_time:
            part["deficit"] = half_time.deficits(part, progress, done)
        games = len(part["game"])
        chosen = np.flatnonzero(condition(part)) if condition else np.arange(games)
        matching, done = matching + len(chosen), done + games
        best.append(_first(part, chosen, column, descending, limit))
        if len(best) > 16:
            best = [_joined(best, column, descending, limit)]
        if progress:
            progress(done)
    if not done:
        raise FolderError(f"the run in {folder} has no games yet.")
    columns = _joined(best, column, descending, limit)
    ships = tuple(f"{colour} {s.label}" for colour, s in zip(COLOURS, table.strategies, strict=False))
    ships += (GHOST,) * bool(table.rules.ghost)
    source = (folder, *(("--setting", setting) if setting else ()))
    return Found(columns, proportion_interval(matching, done), matching, ships, source)


def load_games(
    folder: str | os.PathLike[str], tidy: bool = True, *, setting: int | None = None, trust: bool = False
) -> "pd.DataFrame":
    """The games of a run's folder as a pandas table: one row for each ship of each game.

    With `tidy=False` there is one row for each game, with a column for each ship. The games of a run that kept no rows
    are played again, if its code is shipped, known or trusted. `setting` names one of an experiment or a sweep, from 1.

    Examples
    --------
    >>> from jamaica_sim import load_games, simulate
    >>> _ = simulate(games=100, strategies="random", players=3, out="regatta", per_game=True)
    >>> ships = load_games("regatta")
    >>> len(ships), ships["win"].sum().item()
    (300, 100.0)
    """
    import pandas as pd

    found = find_setting(folder, setting)
    if found.games > MOST_ROWS_IN_MEMORY:
        raise UserError(f"{found.games:,} games do not fit into memory: read {folder}/{GAMES} part by part.")
    parts = list(_parts(folder, found, trust))
    if not parts:
        raise FolderError(f"the run in {folder} has no games yet.")
    flat = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return tidy_games(flat, found.table) if tidy else pd.DataFrame(flat)


def _order(wanted: Wanted) -> tuple[str, str]:
    """The condition and the sort order."""
    where, sort, preset, _ = wanted
    if not preset:
        return where, sort
    if preset not in PRESETS:
        raise UserError(f"there is no preset {preset!r}: {did_you_mean(preset, list(PRESETS))}")
    if sort:
        raise UserError("a preset has a sort order of its own: leave the other out.")
    usual, order = PRESETS[preset]
    return " and ".join(f"({part})" for part in (usual, where) if part), order


def _columns_known(table: GameTable) -> list[str]:
    one = dict(flat_columns(np.zeros(1, RESULT_DTYPE), table.rules.ships))
    return [*one, *derived_columns(one, table.rules.ships), "deficit"]


def _parts(folder: AnyPath, found: PlayedSetting, trust: bool) -> Iterator[Columns]:
    """The columns of all games, a part at a time."""
    manifest = found.manifest
    if not manifest["configuration"]["per_game"]:
        yield from _played_again(folder, found, found.table.with_code(trust))
        return
    for number in written_parts(manifest):
        _, arrow = read_part(folder, manifest, number)
        yield {name: arrow.column(name).to_numpy() for name in arrow.column_names}
    rows = open_rows(folder, manifest)
    if rows is None:
        raise FolderFault(f"{folder}/{rows_name(manifest)} is missing or damaged: jamaica-sim resume goes on.")
    if rows.size:
        yield dict(flat_columns(rows, found.table.rules.ships))


def _played_again(folder: AnyPath, found: PlayedSetting, table: GameTable) -> Iterator[Columns]:
    """The columns of a run that kept no rows. Its games are played again, which gives the same rows."""
    if found.games > MOST_PLAYED_AGAIN:
        raise FolderError(
            f"the run in {folder} kept no rows. Its {found.games:,} games would have to be played again. "
            f"That is done for {MOST_PLAYED_AGAIN:,} at most: play a run with --per-game."
        )
    refuse_other_program(folder, found.manifest)
    read_sums(folder, found.manifest)  # refuses a manifest whose sums have other games
    compile_missing(table.strategies, RUN)
    work = (chunk for first, count in found.ranges for chunk in chunks(first, count, CHUNK))
    for played in play_in_order([table], work, default_threads(), keep_rows=True):
        assert played.rows is not None  # they were wanted
        yield dict(flat_columns(played.rows, table.rules.ships))


class _HalfTime:
    """How far winners were behind at half time. Result rows do not say it, so comeback games are played again."""

    def __init__(self, folder: AnyPath, manifest: Manifest, table: GameTable, trust: bool) -> None:
        refuse_other_program(folder, manifest)
        self._table = table.with_code(trust)
        compile_missing(self._table.strategies, REPLAY)

    def deficits(self, columns: Columns, progress: Callable[[int], object] | None, done: int) -> np.ndarray:
        """For each game, how many spaces its winner (of several, the best placed) was behind the ship in the lead."""
        deficits = np.zeros(len(columns["game"]), np.int64)
        behind = np.flatnonzero(columns["comeback"])
        work = np.array_split(behind, max(1, -(-behind.size // REPLAYED_AT_ONCE)))

        def look(worker: "_Looker", rows: np.ndarray) -> list[int]:
            return [worker.deficit(int(columns["game"][row]), int(columns["winners"][row])) for row in rows]

        found = in_order(lambda: _Looker(self._table), look, work, default_threads())
        for rows, values in zip(work, found, strict=True):
            deficits[rows] = values
            if progress and rows.size:
                progress(done + int(rows[-1]))
        return deficits


class _Looker(Capturer):
    """Plays a game again and looks at it after half the rounds."""

    def deficit(self, game: int, winners: int) -> int:
        """Spaces that the winners were behind."""
        self.trace(game)
        between = self.field("decision") == NONE
        rounds = int(self._rows["rounds"][0])
        to_go = self.field("to_go")[between][rounds // 2, : self._table.rules.ships].astype(np.int64)
        behind = to_go - to_go.min()
        return min((behind[ship] for ship in range(to_go.size) if winners >> ship & 1), default=0)


def _first(columns: Columns, rows: np.ndarray, by: str, descending: bool, limit: int) -> Columns:
    """The first `limit` of some rows, sorted by a column; among equals, lower game numbers come first."""
    values = columns[by][rows].astype(np.float64)
    order = np.lexsort((columns["game"][rows], -values if descending else values))[:limit]
    return {name: np.asarray(values)[rows[order]] for name, values in columns.items()}


def _joined(parts: Sequence[Columns], by: str, descending: bool, limit: int) -> Columns:
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return _first(whole, np.arange(len(whole["game"])), by, descending, limit)
