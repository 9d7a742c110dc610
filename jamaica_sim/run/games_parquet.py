"""The table of games, one row for each: result rows as flat columns, and a part of them as a Parquet file.

A part's bytes depend on its games alone (and on the release of pyarrow), so parts can be compared and hashed.
"""

import numpy as np

from jamaica_sim.codes import LOOT_KINDS, RESOURCES
from jamaica_sim.engine.state import RESULT_DTYPE

SCHEMA = "jamaica-games/1"
INNER_NAMES = {
    "loaded": RESOURCES,
    "overboard": RESOURCES,
    "shortages": RESOURCES[:2],
    "loot": LOOT_KINDS,
}


def columns(rows: np.ndarray, ships: int):
    """The result rows as flat columns: `score_0`, `loaded_0_gold`, ... for the ships that take part."""
    for name in RESULT_DTYPE.names:
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


def table_of_games(chunks: list[np.ndarray], ships: int):
    """Result rows, in chunks of games one after the other, as an Arrow table."""
    import pyarrow as pa

    flat = {name: pa.array(values) for name, values in _joined(chunks, ships).items()}
    # A column without missing values takes a third less time to write when it is declared so.
    fields = [pa.field(name, values.type, nullable=False) for name, values in flat.items()]
    return pa.table(list(flat.values()), schema=pa.schema(fields, metadata={"schema": SCHEMA}))


def _joined(chunks, ships):
    """All columns, chunk by chunk: a chunk is then still in the processor's cache, which halves the time."""
    games = sum(rows.size for rows in chunks)
    whole = {name: np.empty(games, values.dtype) for name, values in columns(chunks[0], ships)}
    start = 0
    for rows in chunks:
        for name, values in columns(rows, ships):
            whole[name][start : start + rows.size] = values
        start += rows.size
    return whole


def encode(table) -> bytes:
    """An Arrow table of games as a Parquet file.

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
    return sink.getvalue().to_pybytes()


def decode(content: bytes, most: int, schema=None):
    """The Arrow table in a Parquet file; raises ValueError where it is none, or not one that `encode` could have made.

    It may have at most so many rows, and the columns of `schema` where that is given: both are looked at before
    anything is unpacked, because a small file can claim to be very large.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(content))
        if not 0 <= file.metadata.num_rows <= most:
            raise ValueError(f"it has {file.metadata.num_rows:,} rows, more than the {most:,} of a part")
        if schema is not None and not file.schema_arrow.equals(schema):
            raise ValueError("its columns are not those of a table of games")
        return file.read()
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"no readable Parquet file: {error}") from error
