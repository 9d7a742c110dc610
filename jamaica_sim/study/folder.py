"""The folder of a study, that is of one table or of several settings: the manifest, the sums, and what is asked for.

`sums.npy` has one record for each setting, in the order in which they are played; the one that is being played has its
sums in a file of its own until it is done. So saving costs what has changed. A run, the study of one table, may also
keep its games, in parts. The manifest is written last: games that it does not count yet are played again after an
interruption, with the same results. `docs/long-runs.md` describes the layout.
"""

import hashlib
import json
import os
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from filelock import FileLock

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import hash_of, json_bytes, load_array, npy_bytes, write_whole
from jamaica_sim.files.limits import is_int_between
from jamaica_sim.files.user_files import AnyPath, read_plain_file
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import (
    RUN,
    FolderError,
    FolderFault,
    Manifest,
    ManifestKind,
    new_manifest,
    read_manifest,
    read_study,
    refuse_other_program,
    settings_of,
    table_of,
)
from jamaica_sim.results.drama import Drama, drama_of
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import strategy_from_identity
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study import parts
from jamaica_sim.study import saved_folder as saved
from jamaica_sim.study.parts import encode, part_name, rows_name, table_of_games, written_parts
from jamaica_sim.study.saved_folder import GAMES, SUMS, SavedFolder, errors_reworded, is_intact, read_counted, sums_name

TABLES = "tables.json"
DRAMA = "tension.json"
LARGEST_DRAMA = 2**16  # bytes, of each setting


# The sums


@cache
def _head(dtype: np.dtype, records: int) -> bytes:
    """How `sums.npy` begins, as numpy writes it for so many records."""
    head = BytesIO()
    descr = np.lib.format.dtype_to_descr(dtype)
    np.lib.format.write_array_header_1_0(head, {"descr": descr, "fortran_order": False, "shape": (records,)})
    return head.getvalue()


def sums_bytes(sums: np.ndarray) -> bytes:
    """The sums of settings that are all done, as `sums.npy` has them."""
    return _head(sums.dtype, sums.size) + sums.tobytes()


def records_done(manifest: Manifest, records: int) -> tuple[int, int]:
    """How many of the records of sums are done, and how many games of the next one."""
    return (records, 0) if manifest["complete"] else divmod(manifest["games_done"], manifest["configuration"]["games"])


def _counted_sums(path: Path, manifest: Manifest, sums: np.ndarray) -> bytes:
    """The part of `sums.npy` that the manifest counts; after a kill the file may have more."""
    done, _ = records_done(manifest, sums.size)
    size = len(_head(sums.dtype, sums.size)) + done * sums.itemsize
    try:
        content = read_plain_file(path / SUMS)[:size] if done else b""
    except OSError:
        content = b""
    if done and hash_of(content) != manifest["files"].get(SUMS):
        raise _lost(path / SUMS)
    return content


def _lost(file: Path) -> FolderFault:
    return FolderFault(f"{file} is missing or damaged: without the sums the run has to be played anew.")


def read_sums(path: AnyPath, manifest: Manifest, kind: ManifestKind = RUN) -> np.ndarray:
    """The sums that a manifest counts: a record for each setting, or one for all seatings of a comparison."""
    path, sums = Path(path), kind.sums(manifest["configuration"])
    (done, rest), dtype = records_done(manifest, sums.size), sums.dtype
    content, head = _counted_sums(path, manifest, sums), _head(dtype, sums.size)
    whole = not done or (content.startswith(head) and len(content) == len(head) + done * dtype.itemsize)
    if whole and done:
        sums[:done] = np.frombuffer(content, dtype, done, len(head))
    if whole and rest:
        if (saved_last := read_counted(path, manifest, sums_name(manifest))) is None:
            raise _lost(path / sums_name(manifest))
        last = load_array(saved_last, dtype)
        if whole := last is not None and last.shape == (1,):
            sums[done : done + 1] = last
    each = manifest["games_done"] // sums.size if manifest["complete"] else manifest["configuration"]["games"]
    games = [each] * done + [rest] * (rest > 0)
    if not whole or sums["games"][: len(games)].tolist() != games:
        raise FolderError(
            f"{path / SUMS} was written by another version of jamaica-sim: read it with that one, or play it again."
        )
    return sums


# Reading a folder


def is_whole_folder(path: AnyPath, manifest: Manifest) -> bool:
    """Whether everything is played, every file is as it was written, and nothing is left over."""
    there = {SUMS, *(part_name(number) for number in written_parts(manifest))} <= {*manifest["files"]}
    return there and is_intact(Path(path), manifest) and has_wanted_events(path, manifest)


def has_wanted_events(path: AnyPath, manifest: Manifest) -> bool:
    """Whether all tables of events are there, if the run is to have some."""
    config = manifest["configuration"]
    if not config.get("events"):
        return True
    from jamaica_sim.study.events_parquet import has_events

    return has_events(Path(path), table_of(config).rules, config["first_game"], config["games"])


class Unfinished(NamedTuple):
    """What is left to play or to repair: what is played, the games at each table, and how many are saved in all."""

    config: dict[str, Any]
    games: int
    done: int

    @property
    def tables(self) -> tuple[GameTable, ...]:
        """The table of each setting."""
        return tables_of(self.config)

    @property
    def strategies(self) -> list[Strategy]:
        """Who plays, everybody once."""
        every = (strategy_from_identity(identity) for identity in self.config["strategies"])
        return list({strategy.digest: strategy for strategy in every}.values())


def unfinished(path: AnyPath, kind: ManifestKind | None = None) -> Unfinished | None:
    """What is left to play or to repair in a folder; None if it is whole."""
    manifest = read_manifest(path, kind)
    if is_whole_folder(path, manifest):
        return None
    refuse_other_program(path, manifest)
    config = manifest["configuration"]
    return Unfinished(config, config["games"], manifest["games_done"])


def tables_of(config: dict[str, Any]) -> tuple[GameTable, ...]:
    """The table of each setting."""
    return tuple(table_of(config, number) for number in range(settings_of(config)))


def load_results(folder: str | os.PathLike[str]) -> Results:
    """The results of a run from its folder."""
    return results_of(folder, read_manifest(folder))[0]


def results_of(path: AnyPath, manifest: Manifest) -> list[Results]:
    """The results of each setting that a manifest counts."""
    config, tallies = manifest["configuration"], read_sums(path, manifest)
    first = manifest["ranges"][0][0] if "ranges" in manifest else config["first_game"]
    seconds = float(manifest["seconds"]) / tallies.size
    kept = _kept_drama(Path(path), tallies.size)
    found = zip(tables_of(config), tallies, kept, strict=True)
    return [Results(table, tally, first, seconds, drama) for table, tally, drama in found]


def keep_drama(path: Path, of_settings: Sequence[Drama]) -> None:
    """Keep the tension of the games of each setting in a folder."""
    write_whole(path / DRAMA, json_bytes([drama.as_dict() for drama in of_settings]))


def _kept_drama(path: Path, settings: int) -> Sequence[Drama | None]:
    """The tension that was kept in a folder; None where there is no such file, or a damaged one."""
    nothing = [None] * settings
    try:
        of_settings = json.loads(read_plain_file(path / DRAMA, LARGEST_DRAMA * settings))
        found = [drama_of(drama) for drama in of_settings] if isinstance(of_settings, list) else nothing
    except (OSError, ValueError, RecursionError):
        return nothing
    return found if len(found) == settings else nothing


class PlayedSetting(NamedTuple):
    """One setting in a folder: the manifest, its table, and its games so far, each range as first game and number."""

    manifest: Manifest
    table: GameTable
    ranges: list[list[int]]

    @property
    def games(self) -> int:
        """How many games of it are played."""
        return sum(count for _, count in self.ranges)


def find_setting(folder: AnyPath, setting: int | None = None) -> PlayedSetting:
    """A setting of a run, an experiment or a sweep by its number, from 1. Where there is one, none need be named."""
    manifest = read_study(folder)
    config, settings = manifest["configuration"], settings_of(manifest["configuration"])
    if setting is None and settings > 1:
        last = config["settings"][-1]["label"]
        first = config["settings"][0]["label"]
        raise UserError(
            f"{folder} has {settings} settings: name one, from --setting 1 ({first}) to {settings} ({last})."
        )
    if not is_int_between(number := setting or 1, 1, settings):
        has = f"{settings} settings, from 1 to {settings}" if settings > 1 else "one setting"
        raise UserError(f"{folder} has {has}: there is no setting {setting!r}.")
    games = config["games"]
    played = [[0, min(max(manifest["games_done"] - games * (number - 1), 0), games)]]
    return PlayedSetting(manifest, table_of(config, number - 1), manifest.get("ranges", played))


def table_of_run(folder: AnyPath, game: int | None = None, setting: int | None = None) -> GameTable:
    """The table that a folder was played at; refuses the number of a game or a setting that it does not have."""
    found = find_setting(folder, setting)
    config = found.manifest["configuration"]
    ranges = found.ranges if found.manifest["complete"] else [[config["first_game"], config["games"]]]
    if game is not None and not any(first <= game < first + count for first, count in ranges):
        contained = " and ".join(f"{first:,} to {first + count - 1:,}" for first, count in ranges)
        raise FolderError(f"the run in {folder} has no game {game:,}: its games are {contained}.")
    return found.table


class UnsavedSums:
    """The sums of a study that has no folder; with rows, also the rows of its games."""

    def __init__(self, config: dict[str, Any], kind: ManifestKind = RUN) -> None:
        self.config, self.sums = config, kind.sums(config)
        self.games_done, self.games_wanted = 0, config["games"] * self.sums.size
        self.seconds = 0.0
        self.rows: list[np.ndarray] = []

    def add(self, tally: np.ndarray, rows: np.ndarray | None, seconds: float) -> None:
        """Count the next games, in order."""
        setting = self.games_done // self.config["games"]
        self.sums[setting : setting + 1].view(np.int64)[:] += tally.view(np.int64)
        self.games_done += int(tally["games"][0])
        self.seconds += seconds
        if rows is not None:
            self.rows.append(rows)

    def stop(self) -> None:
        """There is nothing to save, nor to close."""

    close = stop


class StudyFolder(SavedFolder):
    """The folder of one study, open for writing by this process alone."""

    def __init__(self, path: Path, manifest: Manifest, lock: FileLock | None, kind: ManifestKind) -> None:
        super().__init__(path, manifest, lock, kind)
        self.sums = kind.sums(manifest["configuration"])
        self._done = manifest["games_done"]
        self._saved_records = records_done(manifest, self.sums.size)[0]
        self._digest, self._has_sums = hashlib.sha256(), SUMS in manifest["files"]  # of `sums.npy` so far
        self._rows: list[np.ndarray] | None = []  # of the part that is not full yet; None until they are read
        self._parts = {name: digest for name, digest in manifest["files"].items() if name.startswith(f"{GAMES}/")}

    @classmethod
    def create(cls, path: AnyPath, config: dict[str, Any], kind: ManifestKind | None = None) -> "StudyFolder":
        """A new folder; one that exists is refused, so that no result is ever overwritten."""

        def fill(folder: Path) -> None:
            if config["per_game"]:
                (folder / GAMES).mkdir()

        return cls.begin(path, new_manifest(config, kind), fill, kind or RUN)

    def take_up(self) -> None:
        """Read the sums, and make sure that there is a folder for parts."""
        self.sums, self._rows = read_sums(self.path, self.manifest, self.kind), None if self.config["per_game"] else []
        content = _counted_sums(self.path, self.manifest, self.sums)
        self._digest.update(content)
        with errors_reworded(self.path):
            if content:  # as a file of our own, without what a killed process has added to it
                write_whole(self.path / SUMS, content, alone=False)
            else:
                (self.path / SUMS).unlink(missing_ok=True)
            if self.config["per_game"]:
                (self.path / GAMES).mkdir(exist_ok=True)
        if self.config["per_game"] and (self.path / GAMES).is_symlink():
            raise FolderFault(f"{self.path / GAMES} is a link: the games of a run lie in its own folder.")

    @property
    def games_done(self) -> int:
        """How many games the sums contain, of all settings, saved or not."""
        return self._done

    @property
    def games_wanted(self) -> int:
        """How many games there will be in the end, of all settings."""
        return self.config["games"] * self.sums.size

    # Adding games

    def add(self, tally: np.ndarray, rows: np.ndarray | None, seconds: float) -> None:
        """Count the next games, in order; with rows, all of one part. Save everything if it is time."""
        setting = self._done // self.config["games"]
        self.sums[setting : setting + 1].view(np.int64)[:] += tally.view(np.int64)
        self._done += int(tally["games"][0])
        self.seconds += seconds
        if rows is not None and self._rows is not None:
            self._rows.append(rows)
            end = self.config["first_game"] + self.games_done
            if end % parts.PART == 0 or self.games_done == self.config["games"]:
                chunks, self._rows = self._rows, []
                self.restore_part(int(chunks[0]["game"][0]) // parts.PART, chunks)
        # The rows of a part that is not full are saved too, so saving is half as frequent.
        if self.is_time(2 * saved.SAVE_EVERY if self._rows else saved.SAVE_EVERY):
            self.save()

    def save(self) -> None:
        """Save the sums so far, and the rows that wait for their part to become full."""
        if self.manifest["complete"] or self._rows is None or not self.is_open:  # it is repaired, or released
            return
        rows = np.concatenate(self._rows) if self._rows else None
        done, rest = divmod(self._done, self.config["games"])
        last = self.sums[done : done + 1].copy() if rest else None
        self.submit(self._write_checkpoint, self._done, self._new_sums(done), last, rows, self.seconds)

    def _new_sums(self, done: int) -> bytes:
        """What is to be added to `sums.npy`: the records that were done since the last time."""
        before, self._saved_records = self._saved_records, done
        added = self.sums[before:done].tobytes()
        return added if before or not added else _head(self.sums.dtype, self.sums.size) + added

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

    def finish(self, files: dict[str, bytes]) -> None:
        """Write the sums and the files of this kind of study, and mark it as complete."""
        try:
            self.submit(self._write_end, self._new_sums(self.sums.size), files)
        finally:
            self.finish_writing()

    # Called in the background only

    def _write_part(self, number: int, chunks: list[np.ndarray]) -> None:
        name, ships = part_name(number), table_of(self.config).rules.ships
        self._parts[name] = self.write(name, encode(table_of_games(chunks, ships)))

    def _write_checkpoint(
        self, done: int, added: bytes, last: np.ndarray | None, rows: np.ndarray | None, seconds: float
    ) -> None:
        self._add_sums(added)
        manifest = self.advanced(seconds, games_done=done, **self._ranges(done))
        files = {} if last is None else {sums_name(manifest): npy_bytes(last)}
        if rows is not None:
            files[rows_name(manifest)] = npy_bytes(rows)
        self.commit(manifest, files, self._counted())

    def _write_end(self, added: bytes, files: dict[str, bytes]) -> None:
        self._add_sums(added)
        manifest = self.advanced(self.seconds, games_done=self._done, complete=True, **self._ranges(self._done))
        self.commit(manifest, files, self._counted())

    def _ranges(self, done: int) -> dict[str, Any]:
        """The games of a run. Those of a run that was merged stay as they are."""
        if "ranges" not in self.manifest or self.manifest["complete"]:
            return {}
        return {"ranges": [[self.config["first_game"], done]]}

    def _add_sums(self, added: bytes) -> None:
        if not added:
            return
        self._check_home()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        with open(os.open(self.path / SUMS, flags, 0o666), "ab") as file:
            file.write(added)
            file.flush()
            os.fsync(file.fileno())
        self._digest.update(added)
        self._has_sums = True

    def _counted(self) -> dict[str, str]:
        return ({SUMS: self._digest.hexdigest()} if self._has_sums else {}) | self._parts
