"""The games of a run in its folder: a row for each, in parts of Parquet; those of a part that is not full in a file of
their own until it is.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.files.atomic_files import load_array
from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_columns import flat_columns, numbered_row
from jamaica_sim.play.manifest import FolderFault, Manifest, table_of
from jamaica_sim.play.tally.layout import ROW_NUMBERS
from jamaica_sim.study.saved_folder import GAMES, read_counted

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "jamaica-games/1"
IN_THE_CACHE = 512  # rows that are turned into columns at a time


def schema_of_games(ships: int) -> "pa.Schema":
    """Names and types of the columns, none with missing values."""
    import pyarrow as pa

    flat = flat_columns(np.zeros(0, RESULT_DTYPE), ships)
    fields = [pa.field(name, pa.from_numpy_dtype(values.dtype), nullable=False) for name, values in flat]
    return pa.schema(fields, metadata={"schema": SCHEMA})


def table_of_games(chunks: Sequence[np.ndarray], ships: int) -> "pa.Table":
    """The Arrow table of the result rows in consecutive chunks.

    Every number of a row except the game's has 16 bits. So the rows are a matrix, which is transposed block by block:
    half the time of copying column by column.
    """
    import pyarrow as pa

    places = [int(place[0]) for name, place in flat_columns(numbered_row(), ships) if name != "game"]
    matrices = [rows.view(np.int16).reshape(rows.size, ROW_NUMBERS) for rows in chunks]
    blocks = [matrix[i : i + IN_THE_CACHE].T for matrix in matrices for i in range(0, len(matrix), IN_THE_CACHE)]
    turned = np.concatenate(blocks, axis=1)
    games = np.concatenate([rows["game"] for rows in chunks])
    return pa.table([games, *(turned[place] for place in places)], schema_of_games(ships))


def encode(table: "pa.Table") -> "pa.Buffer":
    """An Arrow table of games as a Parquet file; it stays a buffer, because a copy to bytes would take time.

    Packed differences take half the time of a dictionary with zstd, for a third more bytes; compressing them gains
    nothing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="none",
        use_dictionary=False,
        column_encoding="DELTA_BINARY_PACKED",
        write_statistics=["game"],  # readers skip files by it
    )
    return sink.getvalue()


def decode(content: bytes, most: int, schema: "pa.Schema | None" = None) -> "pa.Table":
    """The Arrow table in a Parquet file; raises ValueError if `encode` could not have written it.

    It may have at most `most` rows, and must have the columns of `schema` if that is given. Both are checked before
    anything is unpacked, because a small file can claim to be very large.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        if not 0 <= file.metadata.num_rows <= most:
            raise ValueError(f"it has {file.metadata.num_rows:,} rows, more than the {most:,} of a part")
        if schema is not None and not file.schema_arrow.equals(schema):
            raise ValueError("its columns are not those of a table of games by this version of jamaica-sim")
        return file.read()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"no readable Parquet file: {error}") from error


PART = 65_536  # games in a part; parts are cut at multiples of it, so they do not depend on chunks or interruptions


def part_name(number: int) -> str:
    """The name of a part, relative to the run's folder."""
    return f"{GAMES}/part-{number:08d}.parquet"


def rows_name(manifest: Manifest) -> str:
    """The name of the file with the rows of a part that is not full yet."""
    return f"rows-{manifest['games_done']:012d}.npy"


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
    if not manifest["configuration"]["per_game"] or manifest["games_done"] == manifest["configuration"]["games"]:
        return 0, 0
    first, count = manifest["ranges"][-1]
    end = first + count
    return max(first, end - end % PART), end


def damaged_parts(path: AnyPath, manifest: Manifest) -> dict[int, list[tuple[int, int]]]:
    """The parts that are missing or not as they were written, with their games."""
    return {
        number: games
        for number, games in written_parts(manifest).items()
        if read_counted(path, manifest, part_name(number)) is None
    }
