"""The table of games, one row for each: result rows as flat columns, and a part of them as a Parquet file.

A part's bytes depend on its games alone (and on the release of pyarrow), so parts can be compared and hashed.
"""

import numpy as np

from jamaica_sim.codes import LOOT_KINDS, RESOURCES
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.tally.layout import ROW_NUMBERS

SCHEMA = "jamaica-games/1"
IN_THE_CACHE = 512  # rows that are turned into columns at a time
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
    """Names and types of the columns. A column declared to have no missing values is a third faster to write."""
    import pyarrow as pa

    flat = columns(np.zeros(0, RESULT_DTYPE), ships)
    fields = [pa.field(name, pa.from_numpy_dtype(values.dtype), nullable=False) for name, values in flat]
    return pa.schema(fields, metadata={"schema": SCHEMA})


class GamesTable:
    """Makes Arrow tables of result rows. Each reuses the memory of the last one: new memory would double the time.

    Every number of a row except the game's has 16 bits, so the rows are one matrix, which is transposed.
    """

    def __init__(self, ships: int):
        self._schema = schema_of_games(ships)
        numbered = np.arange(ROW_NUMBERS, dtype=np.int16).view(RESULT_DTYPE)  # each number is its own index in the row
        self._places = {name: int(place[0]) for name, place in columns(numbered, ships) if name != "game"}
        self._turned = np.empty((ROW_NUMBERS, 0), np.int16)

    def of(self, chunks: list[np.ndarray]):
        """The table of the rows in consecutive chunks of games; it is valid until the next one is made."""
        import pyarrow as pa

        games = np.concatenate([rows["game"] for rows in chunks])
        if self._turned.shape[1] < games.size:
            self._turned = np.empty((ROW_NUMBERS, games.size), np.int16)
        start = 0
        for rows in chunks:
            numbers = rows.view(np.int16).reshape(rows.size, ROW_NUMBERS)
            for first in range(0, rows.size, IN_THE_CACHE):
                some = numbers[first : first + IN_THE_CACHE]
                self._turned[:, start : start + len(some)] = some.T
                start += len(some)
        others = [pa.array(self._turned[place, : games.size]) for place in self._places.values()]
        return pa.table([pa.array(games), *others], schema=self._schema)


def encode(table):
    """An Arrow table of games as a Parquet file. It stays a buffer, because copying it to bytes would take time.

    Packed differences cost half the time of a dictionary with zstd, for a third more bytes; on top of them
    compression gains nothing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="none",
        use_dictionary=False,
        column_encoding=dict.fromkeys(table.column_names, "DELTA_BINARY_PACKED"),
        write_statistics=["game"],
        write_batch_size=max(1, table.num_rows),
    )
    return sink.getvalue()


def decode(content: bytes, most: int, schema=None):
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
