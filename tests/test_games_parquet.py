"""Files of games as other programs read them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.files.limits import LAST_GAME
from jamaica_sim.play.game_columns import flat_columns as columns
from jamaica_sim.play.tally.layout import ROW_NUMBERS
from jamaica_sim.study.parts import decode, encode, schema_of_games, table_of_games

SHIPS, FIRST = 3, 5 * 2**40
MOST = 65_536


def made_up(games: int, first: int = FIRST) -> np.ndarray:
    """Rows with any 16-bit numbers: games never have the widest ones."""
    luck = np.random.default_rng(games)
    numbers = luck.integers(-(2**15), 2**15, (games, ROW_NUMBERS), np.int16)
    rows = numbers.view(RESULT_DTYPE)[:, 0].copy()
    rows["game"] = first + np.arange(games)
    return rows


@pytest.mark.parametrize("first", [0, 2**62 - 1, LAST_GAME])
def test_games_of_any_number_are_read_back(first):
    rows = made_up(300, first)
    table = decode(encode(table_of_games([rows], SHIPS)), MOST, schema_of_games(SHIPS))
    for name, values in columns(rows, SHIPS):
        assert np.array_equal(table[name].to_numpy(), values), name


def test_duckdb_reads_the_same(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    rows = made_up(1000)
    (tmp_path / "part.parquet").write_bytes(encode(table_of_games([rows], SHIPS)))
    read = duckdb.sql(f"select * from '{tmp_path / 'part.parquet'}'").fetchnumpy()
    for name, values in columns(rows, SHIPS):
        assert np.array_equal(read[name], values) and read[name].dtype == values.dtype, name


def test_a_table_that_was_read_becomes_the_same_file():
    content = encode(table_of_games([made_up(300)], SHIPS))
    assert encode(decode(content, MOST, schema_of_games(SHIPS))) == content


def test_a_file_does_not_depend_on_chunks():
    rows = made_up(1000)
    whole = encode(table_of_games([rows], SHIPS))
    for cuts in ([1], [128, 129], [500, 777, 999]):
        assert encode(table_of_games([piece.copy() for piece in np.split(rows, cuts)], SHIPS)) == whole


def test_a_file_says_what_its_columns_are():
    file = pq.ParquetFile(pa.BufferReader(encode(table_of_games([made_up(300)], SHIPS))))
    assert file.schema_arrow.equals(schema_of_games(SHIPS), check_metadata=True)
    chunks = [file.metadata.row_group(0).column(number) for number in range(file.metadata.num_columns)]
    assert {*chunks[1].encodings} == {"DELTA_BINARY_PACKED", "RLE"}
    assert (chunks[0].statistics.min, chunks[0].statistics.max) == (FIRST, FIRST + 299)
    assert not any(chunk.is_stats_set for chunk in chunks[1:])
