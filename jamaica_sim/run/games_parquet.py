"""The table of games, one row for each: the flat columns of a part as a Parquet file.

A part's bytes depend on its games alone (and on the release of pyarrow), so parts can be compared and hashed.
pyarrow is imported by what needs it: a run without rows starts sooner.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.results.game_columns import flat_columns
from jamaica_sim.tally.layout import ROW_NUMBERS

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

    numbered = np.arange(ROW_NUMBERS, dtype=np.int16).view(RESULT_DTYPE)  # each number is its own index in the row
    places = [int(place[0]) for name, place in flat_columns(numbered, ships) if name != "game"]
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
