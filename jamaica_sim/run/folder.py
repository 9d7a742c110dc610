"""A run's folder: the manifest, the sums so far, the tables and, if they are wanted, the games themselves in parts.

Every file is there whole or not at all, and the manifest is written last. Games that it does not count yet are played
again after an interruption, with the same results. `docs/long-runs.md` describes the layout, version 1.
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from filelock import FileLock

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.drama import Drama, drama_of
from jamaica_sim.results.results import Results
from jamaica_sim.run.games_parquet import decode, encode, schema_of_games, table_of_games
from jamaica_sim.store import saved_folder as saved
from jamaica_sim.store.atomic_files import json_bytes, load_array, npy_bytes, write_whole
from jamaica_sim.store.manifest import (
    FolderError,
    FolderFault,
    Manifest,
    new_manifest,
    read_manifest,
    refuse_other_program,
    table_of,
)
from jamaica_sim.store.other_folders import MANIFEST
from jamaica_sim.store.saved_folder import GAMES, TALLY, SavedFolder, is_tidy, read_counted, read_sums, tally_name, told
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tally.layout import TALLY_DTYPE
from jamaica_sim.user_files import AnyPath, read_plain_file

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = "tables.json"
DRAMA = "tension.json"
LARGEST_DRAMA = 2**16  # bytes
PART = 65_536  # games in a part; parts are cut at multiples of it, so they do not depend on chunks or interruptions


def part_name(number: int) -> str:
    """The name of a part, relative to the run's folder."""
    return f"{GAMES}/part-{number:08d}.parquet"


def rows_name(manifest: Manifest) -> str:
    """The name of the file with the rows of a part that is not full yet."""
    return f"rows-{manifest['games_done']:012d}.npy"


def read_tally(path: AnyPath, manifest: Manifest | None = None) -> np.ndarray:
    """The sums of all games that the manifest of a run's folder counts."""
    manifest = manifest or read_manifest(path)
    if manifest["games_done"] == 0:
        return np.zeros(1, TALLY_DTYPE)
    tally = load_array(read_sums(path, manifest), TALLY_DTYPE)
    if tally is None or tally.shape != (1,) or int(tally["games"][0]) != manifest["games_done"]:
        raise FolderError(
            f"{Path(path) / tally_name(manifest)} was written by another version of jamaica-sim: "
            "read it with that one, or play it again."
        )
    return tally


def games_by_part(ranges: Iterable[Sequence[int]]) -> dict[int, list[tuple[int, int]]]:
    """The games of some ranges by the part they belong to: number of the part -> [(first, end), ...]."""
    by_part: dict[int, list[tuple[int, int]]] = {}
    for first, count in ranges:
        end = first + count
        while first < end:
            cut = min(end, first - first % PART + PART)
            by_part.setdefault(first // PART, []).append((first, cut))
            first = cut
    return by_part


def written_parts(manifest: Manifest) -> dict[int, list[tuple[int, int]]]:
    """The parts that a folder should have: those of `games_by_part` that are full, or all when the run is complete."""
    if not manifest["configuration"]["per_game"]:
        return {}
    if manifest["games_done"] > PART * (len(manifest["files"]) + 1):
        raise FolderFault(f"the run's {MANIFEST} is damaged: it counts fewer parts than its games need.")
    parts = games_by_part(manifest["ranges"])
    if not manifest["complete"]:
        first, end = open_games(manifest)
        if first < end:
            parts.pop(end // PART, None)
    return parts


def read_part(path: AnyPath, manifest: Manifest, number: int) -> "tuple[bytes, pa.Table]":
    """A part's file and its table, which must have exactly the games that the manifest counts there."""
    name, ships = part_name(number), table_of(manifest["configuration"]).rules.ships
    content = read_counted(path, manifest, name)
    if content is None:
        again = resume_command(path)
        raise FolderFault(f"{Path(path) / name} is missing or damaged: repair it first with `{again}`.")
    try:
        table = decode(content, PART, schema_of_games(ships))
    except ValueError as error:
        raise FolderFault(f"{Path(path) / name} cannot be read: {error}.") from error
    wanted = np.concatenate([np.arange(first, end) for first, end in written_parts(manifest)[number]])
    if not np.array_equal(table.column("game").to_numpy(), wanted):
        raise FolderFault(f"{Path(path) / name} does not have the games of its run.")
    return content, table


def open_rows(path: AnyPath, manifest: Manifest) -> np.ndarray | None:
    """The saved rows of the part that is not full yet; None where they are damaged."""
    first, end = open_games(manifest)
    if first == end:
        return np.zeros(0, RESULT_DTYPE)
    content = read_counted(path, manifest, rows_name(manifest))
    rows = None if content is None else load_array(content, RESULT_DTYPE)
    return rows if rows is not None and np.array_equal(rows["game"], np.arange(first, end)) else None


def open_games(manifest: Manifest) -> tuple[int, int]:
    """The counted games of the part that is not full yet: the first, and the end after the last."""
    first, count = manifest["ranges"][-1]
    end = first + count
    if manifest["complete"] or not manifest["configuration"]["per_game"]:
        return end, end
    return max(first, end - end % PART), end


def is_whole(path: AnyPath, manifest: Manifest) -> bool:
    """Whether a run is complete, every file is as it was written, and nothing is left over."""
    files = [TALLY, TABLES, *(part_name(number) for number in written_parts(manifest))]
    whole = is_tidy(Path(path), manifest) and all(read_counted(path, manifest, name) is not None for name in files)
    return whole and has_wanted_events(path, manifest)


def has_wanted_events(path: AnyPath, manifest: Manifest) -> bool:
    """Whether all tables of events are there, if the run is to have some."""
    config = manifest["configuration"]
    if not config.get("events"):
        return True
    from jamaica_sim.run.events_parquet import has_events

    return has_events(Path(path), table_of(config).rules, config["first_game"], config["games"])


class UnfinishedRun(NamedTuple):
    """An unfinished or damaged run: its table, and its games saved and in all."""

    table: GameTable
    done: int
    games: int

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.table.strategies


def unfinished(path: AnyPath) -> UnfinishedRun | None:
    """What is left to play or to repair in the folder of a run; None if it is whole."""
    manifest = read_manifest(path)
    if is_whole(path, manifest):
        return None
    refuse_other_program(path, manifest)
    config = manifest["configuration"]
    return UnfinishedRun(table_of(config), manifest["games_done"], config["games"])


def load_results(folder: str | os.PathLike[str]) -> Results:
    """The results of a run from its folder.

    Examples
    --------
    >>> from jamaica_sim import load_results, simulate
    >>> _ = simulate(games=100, strategies="random", out="pirates")
    >>> load_results("pirates").games
    100
    """
    manifest = read_manifest(folder)
    tally = read_tally(folder, manifest)
    table, first_game = table_of(manifest["configuration"]), manifest["ranges"][0][0]
    return Results(table, tally[0], first_game, float(manifest["seconds"]), _kept_drama(Path(folder)))


def keep_drama(path: Path, drama: Drama) -> None:
    """Keep the tension of a run's games in its folder."""
    write_whole(path / DRAMA, json_bytes(drama.as_dict()))


def _kept_drama(path: Path) -> Drama | None:
    """The tension that was kept in a folder; None where there is no such file, or a damaged one."""
    try:
        return drama_of(json.loads(read_plain_file(path / DRAMA, LARGEST_DRAMA)))
    except (OSError, ValueError, RecursionError):
        return None


def table_of_run(folder: AnyPath, game: int | None = None) -> GameTable:
    """The table that a run's folder was played at; refuses the number of a game that is not in the run."""
    manifest = read_manifest(folder)
    config = manifest["configuration"]
    ranges = manifest["ranges"] if manifest["complete"] else [[config["first_game"], config["games"]]]
    if game is not None and not any(first <= game < first + count for first, count in ranges):
        contained = " and ".join(f"{first:,} to {first + count - 1:,}" for first, count in ranges)
        raise FolderError(f"the run in {folder} has no game {game:,}: its games are {contained}.")
    return table_of(config)


def damaged_parts(path: AnyPath, manifest: Manifest) -> dict[int, list[tuple[int, int]]]:
    """The parts that are missing or not as they were written, with their games."""
    return {
        number: games
        for number, games in written_parts(manifest).items()
        if read_counted(path, manifest, part_name(number)) is None
    }


class RunFolder(SavedFolder):
    """The folder of one run, open for writing by this process alone."""

    def __init__(self, path: Path, manifest: Manifest, lock: FileLock | None) -> None:
        super().__init__(path, manifest, lock)
        self.tally = np.zeros(1, TALLY_DTYPE)
        self._rows: list[np.ndarray] = []  # of the part that is not full yet
        self._parts = {name: digest for name, digest in manifest["files"].items() if name.startswith(f"{GAMES}/")}

    @classmethod
    def create(cls, path: AnyPath, config: dict[str, Any]) -> "RunFolder":
        """A new folder; one that exists is refused, so that no result is ever overwritten."""

        def fill(folder: Path) -> None:
            if config["per_game"]:
                (folder / GAMES).mkdir()

        return cls.begin(path, new_manifest(config), fill)

    def take_up(self) -> None:
        """Read the sums, and make sure that there is a folder for parts."""
        self.tally = read_tally(self.path, self.manifest)
        if self.config["per_game"]:
            with told(self.path):
                (self.path / GAMES).mkdir(exist_ok=True)
            if (self.path / GAMES).is_symlink():
                raise FolderFault(f"{self.path / GAMES} is a link: the games of a run lie in its own folder.")

    @property
    def games_done(self) -> int:
        """How many games the sums contain, saved or not."""
        return int(self.tally["games"][0])

    # Adding games

    def add(self, tally: np.ndarray, rows: np.ndarray | None, seconds: float) -> None:
        """Count the next games, in order; with rows, all of one part. Save everything if it is time."""
        self.tally.view(np.int64)[:] += tally.view(np.int64)
        self.seconds += seconds
        if rows is not None:
            self._rows.append(rows)
            end = self.config["first_game"] + self.games_done
            if end % PART == 0 or self.games_done == self.config["games"]:
                chunks, self._rows = self._rows, []
                self.restore_part(int(chunks[0]["game"][0]) // PART, chunks)
        # The rows of a part that is not full are saved too, so saving is half as frequent.
        if self.is_time(2 * saved.SAVE_EVERY if self._rows else saved.SAVE_EVERY):
            self.save()

    def save(self) -> None:
        """Save the sums so far, and the rows that wait for their part to become full."""
        rows = np.concatenate(self._rows) if self._rows else None
        self.submit(self._write_checkpoint, self.tally.copy(), rows, self.seconds)

    def restore_part(self, number: int, chunks: list[np.ndarray]) -> None:
        """Write a part, from the rows of its games in chunks."""
        self.submit(self._write_part, number, chunks)

    def go_on_from(self, rows: np.ndarray) -> None:
        """Start with these rows in the part that is not full yet."""
        self._rows = [rows] if rows.size else []

    # Ending

    def stop(self) -> None:
        """Save everything that is done, and release the folder."""
        try:
            self.save()
        finally:
            self.finish_writing()

    def finish(self, tables: dict[str, Any]) -> None:
        """Write the sums and the tables, and mark the run as complete."""
        try:
            self.submit(self._write_end, json_bytes(tables))
        finally:
            self.finish_writing()

    # Called in the background only

    def _write_part(self, number: int, chunks: list[np.ndarray]) -> None:
        name, ships = part_name(number), table_of(self.config).rules.ships
        self._parts[name] = self.write(name, encode(table_of_games(chunks, ships)))

    def _write_checkpoint(self, tally: np.ndarray, rows: np.ndarray | None, seconds: float) -> None:
        done = int(tally["games"][0])
        manifest = self.advanced(seconds, games_done=done, ranges=[[self.config["first_game"], done]])
        files = {tally_name(manifest): npy_bytes(tally)}
        if rows is not None:
            files[rows_name(manifest)] = npy_bytes(rows)
        self.commit(manifest, files, self._counted_parts())

    def _write_end(self, tables: bytes) -> None:
        done = self.games_done
        ranges = self.manifest["ranges"] if self.manifest["complete"] else [[self.config["first_game"], done]]
        manifest = self.advanced(self.seconds, games_done=done, ranges=ranges, complete=True)
        self.commit(manifest, {TALLY: npy_bytes(self.tally), TABLES: tables}, self._counted_parts())

    def _counted_parts(self) -> dict[str, str]:
        return dict(sorted(self._parts.items()))
