"""Files of games as other programs read them. The numbers are made up, because games never have the widest ones."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.limits import LAST_GAME
from jamaica_sim.run.games_parquet import GamesFile, columns, decode, schema_of_games
from jamaica_sim.tally.layout import ROW_NUMBERS

SHIPS, FIRST = 3, 5 * 2**40
MOST = 65_536


def made_up(games: int, bits: int, step: int = 1) -> np.ndarray:
    """Rows with numbers of so many bits, half of them negative."""
    luck = np.random.default_rng(bits)
    numbers = luck.integers(-(2**bits) // 2, max(1, 2**bits // 2), (games, ROW_NUMBERS), np.int16, endpoint=False)
    rows = numbers.view(RESULT_DTYPE)[:, 0].copy()
    rows["game"] = FIRST + step * np.arange(games)
    return rows


def assert_has(content, rows):
    table = decode(content, MOST, schema_of_games(SHIPS))
    for name, values in columns(rows, SHIPS):
        assert np.array_equal(table[name].to_numpy(), values), name


@pytest.mark.parametrize("first", [0, 2**62 - 1, LAST_GAME])
def test_games_of_any_number_are_read_back(first):
    rows = made_up(300, 5)
    rows["game"] += first - FIRST
    assert_has(GamesFile(SHIPS).of_rows([rows]), rows)


def test_duckdb_reads_the_same(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    rows = made_up(1000, 16, step=60)
    (tmp_path / "part.parquet").write_bytes(GamesFile(SHIPS).of_rows([rows]))
    read = duckdb.sql(f"select * from '{tmp_path / 'part.parquet'}'").fetchnumpy()
    for name, values in columns(rows, SHIPS):
        assert np.array_equal(read[name], values) and read[name].dtype == values.dtype, name


@pytest.mark.parametrize("bits", range(17))
def test_numbers_of_every_width_are_read_back(bits):
    rows = made_up(500, bits)
    assert_has(GamesFile(SHIPS).of_rows([rows]), rows)


@pytest.mark.parametrize("games", [1, 2, 32, 33, 34, 128, 129, 130, 161, 257])
def test_parts_of_every_size_are_read_back(games):
    rows = made_up(games, 5)
    assert_has(GamesFile(SHIPS).of_rows([rows]), rows)


def test_differences_as_wide_as_they_can_be_are_read_back():
    rows = made_up(300, 0)
    for name, values in columns(rows, SHIPS):
        if name != "game":
            values[:] = np.where(np.arange(rows.size) % 2, 2**15 - 1, -(2**15))
    rows["game"][1:] = FIRST + MOST - rows.size + np.arange(1, rows.size)
    assert_has(GamesFile(SHIPS).of_rows([rows]), rows)


def test_a_file_does_not_depend_on_chunks_or_on_the_file_before_it():
    rows, file = made_up(1000, 7), GamesFile(SHIPS)
    whole = file.of_rows([rows])
    file.of_rows([made_up(2000, 16)])
    for cuts in ([1], [128, 129], [500, 777, 999]):
        assert file.of_rows([piece.copy() for piece in np.split(rows, cuts)]) == whole


def test_a_table_that_was_read_becomes_the_same_file():
    rows = made_up(300, 9, step=7)
    content = GamesFile(SHIPS).of_rows([rows])
    assert GamesFile(SHIPS).of_table(decode(content, MOST, schema_of_games(SHIPS))) == content


def test_games_of_different_parts_are_refused():
    with pytest.raises(ValueError, match="do not belong to one part"):
        GamesFile(SHIPS).of_rows([made_up(2, 5, step=MOST)])


def test_a_file_says_what_its_columns_are():
    file = pq.ParquetFile(pa.BufferReader(GamesFile(SHIPS).of_rows([made_up(300, 5)])))
    assert file.schema_arrow.equals(schema_of_games(SHIPS), check_metadata=True)
    chunks = [file.metadata.row_group(0).column(number) for number in range(file.metadata.num_columns)]
    assert {*chunks[1].encodings} == {"DELTA_BINARY_PACKED", "RLE"}
    assert (chunks[0].statistics.min, chunks[0].statistics.max) == (FIRST, FIRST + 299)
    assert not any(chunk.is_stats_set for chunk in chunks[1:])


def test_pages_are_the_same_as_pyarrows():
    """Its encoder judges ours. Blocks of 64-bit numbers, the column `game`, are twice as long there."""
    ours = GamesFile(SHIPS).of_rows([made_up(1000, 6)])
    table, sink = decode(ours, MOST), pa.BufferOutputStream()
    names = table.column_names
    encodings = dict.fromkeys(names, "DELTA_BINARY_PACKED")
    pq.write_table(table, sink, compression="none", use_dictionary=False, column_encoding=encodings)
    theirs = sink.getvalue().to_pybytes()
    for number in range(1, len(names)):
        assert _page(ours, number) == _page(theirs, number)


def _page(content, column):
    """A column's page without its head: it begins with the sizes of a block, 128, and 4 miniblocks."""
    chunk = pq.ParquetFile(pa.BufferReader(content)).metadata.row_group(0).column(column)
    found = content[chunk.data_page_offset :][: chunk.total_compressed_size]
    return found[found.index(b"\x80\x01\x04") :]
