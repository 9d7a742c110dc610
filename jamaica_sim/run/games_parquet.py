"""The table of games, one row for each: result rows as flat columns, and a part of them as a Parquet file.

A part's bytes depend on its games alone (and on the release of jamaica-sim), so parts can be compared and hashed.
pyarrow only reads them.
"""

import numpy as np

from jamaica_sim import __version__
from jamaica_sim.codes import LOOT_KINDS, RESOURCES
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.run.parquet_file import INT64, Column, parquet_file
from jamaica_sim.tally.layout import ROW_NUMBERS
from jamaica_sim.tally.pack import Packer

SCHEMA = "jamaica-games/1"
MOST_APART = 2**16 - 1  # the games of a part are within 16 bits, as `Packer` needs them
NOT_IN_TABLE = ("fortune",)  # used by comparisons only
INNER_NAMES = {
    "loaded": RESOURCES,
    "overboard": RESOURCES,
    "shortages": RESOURCES[:2],
    "loot": LOOT_KINDS,
}


def columns(rows: np.ndarray, ships: int):
    """The result rows as flat columns: `score_0`, `loaded_0_gold`, ... for the ships that take part."""
    for name in RESULT_DTYPE.names:
        if name in NOT_IN_TABLE:
            continue
        values = rows[name]
        if values.ndim == 1:
            yield name, values
        elif name == "peak":
            for number, resource in enumerate(RESOURCES):
                yield f"peak_{resource}", values[:, number]
        else:
            for ship in range(ships):
                yield from _ship_columns(f"{name}_{ship}", values[:, ship], INNER_NAMES.get(name))


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


def schema_of_games(ships: int):
    """Names and types of the columns, none with missing values."""
    import pyarrow as pa

    flat = columns(np.zeros(0, RESULT_DTYPE), ships)
    fields = [pa.field(name, pa.from_numpy_dtype(values.dtype), nullable=False) for name, values in flat]
    return pa.schema(fields, metadata={"schema": SCHEMA})


class GamesFile:
    """Makes Parquet files of games, one after the other."""

    def __init__(self, ships: int):
        numbered = np.arange(ROW_NUMBERS, dtype=np.int16).view(RESULT_DTYPE)  # each number is its own index in the row
        self._places = {name: int(place[0]) for name, place in columns(numbered, ships) if name != "game"}
        self._packer = Packer(list(self._places.values()))

    def of_rows(self, chunks: list[np.ndarray]) -> bytes:
        """The file of the rows in chunks of games of one part; none is empty."""
        span = min(int(rows["game"].min()) for rows in chunks), max(int(rows["game"].max()) for rows in chunks)
        if span[1] - span[0] > MOST_APART:
            raise ValueError(f"its games, from {span[0]:,} to {span[1]:,}, do not belong to one part")
        found = [Column("game", INT64, span), *map(Column, self._places)]
        games, pages = sum(rows.size for rows in chunks), self._packer.pack(chunks)
        return parquet_file(found, games, pages, {"schema": SCHEMA}, f"jamaica-sim version {__version__}")

    def of_table(self, table) -> bytes:
        """The file of an Arrow table of games, as `decode` returns it."""
        rows = np.zeros(table.num_rows, RESULT_DTYPE)
        rows["game"] = table["game"].to_numpy()
        numbers = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)
        for name, place in self._places.items():
            numbers[:, place] = table[name].to_numpy()
        return self.of_rows([rows])


def decode(content: bytes, most: int, schema=None):
    """The Arrow table in a Parquet file; raises ValueError if `GamesFile` could not have made it.

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
