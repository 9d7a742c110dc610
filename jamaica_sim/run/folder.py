"""A run's folder: the manifest, the sums so far, the tables, and the games themselves in parts where they are wanted.

Every file is written beside its place and then renamed, so it is there whole or not at all. The sums are saved every
few seconds; what they do not yet contain is played again after an interruption, and comes out the same.
Layout, version 1: `manifest.json`, `tally.npy` (exact sums), `tables.json`, `games/part-NNNNNNNN.parquet`.
"""

import json
import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from jamaica_sim import __version__
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.tally import TALLY_DTYPE
from jamaica_sim.run.table import Table

SCHEMA = "jamaica-run/1"
PART = 65_536  # games in a part; parts are cut at multiples of it, so they do not depend on chunks or interruptions
SAVE_EVERY = 5.0  # seconds


def write_whole(path: Path, content: bytes):
    """Write a file beside its place, then put it there."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(beside, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _json(data) -> bytes:
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def configuration(table: Table, first_game: int, games: int, per_game: bool) -> dict:
    """Everything that decides the result of a run."""
    return {
        "rules": table.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in table.strategies],
        "seed": table.seed,
        "first_game": first_game,
        "games": games,
        "per_game": per_game,
    }


class RunFolder:
    """The folder of one run, open for writing."""

    def __init__(self, path, manifest: dict):
        self.path = Path(path)
        self.manifest = manifest
        self._saved = time.monotonic()
        self._rows = []

    @classmethod
    def create(cls, path, config: dict) -> "RunFolder":
        """A new folder; one that exists is refused, so that no result is ever overwritten."""
        path = Path(path)
        if path.exists():
            raise FolderError(f"{path} exists already: name a new folder, so that no earlier result is overwritten.")
        try:
            path.mkdir(parents=True)
        except OSError as error:
            raise FolderError(f"the folder {path} cannot be made: {error.strerror}.") from error
        folder = cls(
            path,
            {
                "schema": SCHEMA,
                "version": __version__,
                "configuration": config,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "host": {
                    "python": platform.python_version(),
                    "system": platform.system(),
                    "machine": platform.machine(),
                    "cores": os.cpu_count(),
                },
                "games_done": 0,
                "complete": False,
            },
        )
        folder._write_manifest()
        if config["per_game"]:
            (path / "games").mkdir()
        return folder

    def add_rows(self, first: int, rows: np.ndarray):
        """Keep the rows of a chunk and write every part that is full."""
        self._rows.append(rows)
        end = first + rows.size
        while end // PART > (end - sum(r.size for r in self._rows)) // PART:
            self._write_part(end)

    def _write_part(self, end):
        rows = np.concatenate(self._rows)
        start = end - rows.size
        inside = min(rows.size, PART - start % PART)
        if inside:
            name = f"part-{start // PART:08d}.parquet"
            write_whole(self.path / "games" / name, _parquet(rows[:inside], self.manifest["configuration"]))
        self._rows = [rows[inside:]] if inside < rows.size else []

    @property
    def rows_pending(self) -> bool:
        """Whether rows are waiting for their part to become full."""
        return bool(self._rows)

    def save(self, tally: np.ndarray, seconds: float, now: bool = False):
        """Save the sums so far, if it is time; with rows pending they would run ahead of the parts, so not then."""
        if not now and (time.monotonic() - self._saved < SAVE_EVERY or self.rows_pending):
            return
        self._write_tally(tally)
        self.manifest["games_done"] = int(tally["games"][0])
        self.manifest["seconds"] = round(seconds, 3)
        self._write_manifest()
        self._saved = time.monotonic()

    def finish(self, tally: np.ndarray, tables: dict, seconds: float):
        """Write the last part, the sums and the tables, and say that the run is complete."""
        if self._rows:
            config = self.manifest["configuration"]
            self._write_part(config["first_game"] + config["games"])
        write_whole(self.path / "tables.json", _json(tables))
        self.manifest["complete"] = True
        self.save(tally, seconds, now=True)

    def _write_tally(self, tally):
        from io import BytesIO

        content = BytesIO()
        np.save(content, tally)
        write_whole(self.path / "tally.npy", content.getvalue())

    def _write_manifest(self):
        write_whole(self.path / "manifest.json", _json(self.manifest))


class FolderError(ValueError):
    """A folder that cannot be used, in one sentence."""


def read_manifest(path) -> dict:
    """The manifest of a run's folder, checked."""
    path = Path(path)
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FolderError(f"{path} is not a run's folder: it has no manifest.json.") from None
    except (OSError, ValueError) as error:
        raise FolderError(f"{path / 'manifest.json'} cannot be read: {error}.") from error
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        raise FolderError(f"{path / 'manifest.json'} is not of the kind {SCHEMA}, which this version reads.")
    return manifest


def read_tally(path) -> np.ndarray:
    """The sums of a run's folder."""
    file = Path(path) / "tally.npy"
    try:
        tally = np.load(file, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FolderError(f"{file} cannot be read: {error}.") from error
    if tally.dtype != TALLY_DTYPE or tally.shape != (1,):
        raise FolderError(f"{file} was written by another version of jamaica-sim.")
    return tally


def _columns(rows: np.ndarray, ships: int):
    """The result row as flat columns: `score_0`, `loaded_0_gold`, ... for the ships that take part."""
    from jamaica_sim.words import LOOT_KINDS, RESOURCES

    inner_names = {
        "loaded": RESOURCES,
        "overboard": RESOURCES,
        "shortages": RESOURCES[:2],
        "loot": LOOT_KINDS,
        "peak": RESOURCES,
    }
    for name in RESULT_DTYPE.names:
        values = rows[name]
        if values.ndim == 1:
            yield name, values
        elif name == "peak":
            for number, resource in enumerate(RESOURCES):
                yield f"peak_{resource}", values[:, number]
        else:
            for ship in range(ships):
                yield from _ship_columns(f"{name}_{ship}", values[:, ship], inner_names.get(name))


def _ship_columns(name, values, inner):
    if values.ndim == 1:
        yield name, values
    elif inner:
        for number, word in enumerate(inner):
            yield f"{name}_{word}", values[:, number]
    else:
        for fork in range(values.shape[1]):
            for lane, word in enumerate(("outer", "inner")):
                yield f"{name}_fork{fork}_{word}", values[:, fork, lane]


def _parquet(rows, config) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    ships = config["rules"]["players"] + config["rules"]["ghost"]
    table = pa.table({name: np.ascontiguousarray(values) for name, values in _columns(rows, ships)})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue().to_pybytes()
