"""A table for each kind of event, and the table of choices, of many games, as Parquet files in the run's folder.

The games are played again with a trace, batch by batch on threads, so memory does not grow with the number of games. A
part is a whole file or none, and its bytes depend on its games alone.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from jamaica_sim.codes import DECISIONS, RESOURCES
from jamaica_sim.engine.state import CHOICE_ROWS, RESULT_DTYPE, TRACE_ROWS
from jamaica_sim.play.chunks import Chunk, Tracer, chunks
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.rules import Rules
from jamaica_sim.store.manifest import FolderFault
from jamaica_sim.tally.event_columns import COLUMNS, NULL, WORDS, event_columns, kinds_of

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = dict[str, pa.Table]  # by the kind of event, and the choices

EVENTS, CHOICES = "events", "choices"  # the folders
BATCH = 256  # games that are traced at a time
IN_GROUP = 2_048  # games in a group of rows
IN_PART = 16_384  # games in a part
PARTIAL = ".partial"
Kinds = dict[str, tuple[int, tuple[str, ...], bool]]


class EventTracer(Tracer):
    """Plays some games with one trace for all, and turns it into the two tables."""

    def tables(self, chunk: Chunk) -> "list[Tables]":
        """The tables of a chunk's games; of its halves where it does not fit into the trace."""
        state, table = self.state, self._table
        state["trace_length"], state["choices_noted"] = 0, 0
        self.play_rows(table.rulebook, chunk.first, np.zeros(chunk.games, RESULT_DTYPE))
        length, choices = int(state["trace_length"][0]), int(state["choices_noted"][0])
        if length <= TRACE_ROWS and choices < CHOICE_ROWS:
            *found, places = event_columns(state["trace"][0, :length], chunk.first)
            kinds = kinds_of(table.rules.house_rules is not None)
            return [{CHOICES: _choices(state["choices"][0, :choices], places), **_events(kinds, *found)}]
        if chunk.games == 1:
            raise ValueError(f"game {chunk.first} has {length} events, more than the {TRACE_ROWS} of a trace.")
        half = chunk.games // 2
        return self.tables(Chunk(chunk.first, half)) + self.tables(Chunk(chunk.first + half, chunk.games - half))


def _nullable(values: np.ndarray, missing: np.ndarray, kind: "pa.DataType") -> "pa.Array":
    """An Arrow array from a NumPy array and a mask; `pa.array` would look at the values one by one."""
    import pyarrow as pa

    there = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(kind, values.size, [there, pa.py_buffer(values)])


def _words(codes: np.ndarray, missing: np.ndarray, words: tuple[str, ...]) -> "pa.Array":
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(_nullable(codes.astype(np.int8), missing, pa.int8()), pa.array(words))


def _events(
    kinds: Kinds, games: np.ndarray, numbers: np.ndarray, values: np.ndarray, options: np.ndarray, starts: np.ndarray
) -> "Tables":
    """A table for each kind of event, so that none has columns of others."""
    import pyarrow as pa

    tables = {}
    for kind, (number, names, has_options) in kinds.items():
        rows = slice(starts[number], starts[number + 1])
        columns: dict[str, Any] = {"game": games[rows], "number": numbers[rows]}
        for name in names:
            column = values[COLUMNS.index(name), rows]
            missing = column == NULL
            is_word = name in WORDS
            columns[name] = _words(column, missing, WORDS[name]) if is_word else _nullable(column, missing, pa.int16())
        tables[kind] = pa.table(columns | ({"options": options[rows]} if has_options else {}))
    return tables


def _choices(rows: np.ndarray, places: np.ndarray) -> "pa.Table":
    import pyarrow as pa

    none = np.zeros(rows.size, bool)
    columns: dict[str, Any] = {"game": rows["game"], "number": places[rows["event"]]}
    columns |= {name: rows[name] for name in ("round", "player", "ship")}
    columns["decision"] = _words(rows["decision"], none, DECISIONS)
    columns |= {"options": rows["legal"], "answer": rows["answer"]}
    columns |= {name: rows[name] for name in ("space", "lap", "to_go", "rank", "points", "lead")}
    columns |= {resource: rows["goods"][:, number] for number, resource in enumerate(RESOURCES)}
    columns["hand"] = rows["hand"]
    plain = {n: np.ascontiguousarray(c) if isinstance(c, np.ndarray) else c for n, c in columns.items()}
    return pa.table(plain)


def write_events(
    folder: Path,
    table: GameTable,
    first: int,
    games: int,
    threads: int,
    progress: Callable[[int], object] | None = None,
    stop: Event | None = None,
) -> bool:
    """Write the tables of some games into `events/KIND/` and `choices/`; parts that are there are left alone.

    Returns whether all are written, which is not so after `stop` was set.
    """
    paths = _folders(folder, table.rules)
    for path in paths:
        if path.is_symlink() or path.parent.is_symlink():
            raise FolderFault(f"{path} is a link: the events of a run lie in its own folder.")
        path.mkdir(parents=True, exist_ok=True)
    done = 0
    for part in chunks(first, games, IN_PART):
        name = _part_name(part)
        if not all((path / name).exists() for path in paths):
            for played in _write_part({path.name: path / name for path in paths}, table, part, threads, stop):
                if progress:
                    progress(done + played)
        done += part.games
        if stop is not None and stop.is_set():
            break
    return has_events(folder, table.rules, first, games)


def has_events(folder: Path, rules: Rules, first: int, games: int) -> bool:
    """Whether all tables of these games are there."""
    return all(
        (path / _part_name(part)).exists() for part in chunks(first, games, IN_PART) for path in _folders(folder, rules)
    )


def _folders(folder: Path, rules: Rules) -> list[Path]:
    return [folder / CHOICES, *(folder / EVENTS / kind for kind in kinds_of(rules.house_rules is not None))]


def _part_name(part: Chunk) -> str:
    return f"part-{part.first:014d}.parquet"


def _write_part(
    paths: dict[str, Path], table: GameTable, part: Chunk, threads: int, stop: Event | None
) -> Iterator[int]:
    """Write all tables of a part and yield the number of games so far; the files appear when all are whole."""
    partial = {name: path.with_suffix(PARTIAL) for name, path in paths.items()}
    for path in partial.values():
        path.unlink(missing_ok=True)  # what a killed process left, or a link that somebody has put there
    writers: dict[str, Any] = {}
    waiting: list[Tables] = []
    work = list(chunks(part.first, part.games, BATCH))
    played = 0
    try:
        for chunk, tables in in_order(
            lambda: EventTracer(table), lambda worker, chunk: (chunk, worker.tables(chunk)), work, threads, stop
        ):
            waiting += tables
            played += chunk.games
            if played % IN_GROUP == 0 or played == part.games:
                _write_group(writers, partial, waiting)
                waiting = []
            yield played
        for name, writer in writers.items() if played == part.games else ():
            writer.close()
            os.replace(partial[name], paths[name])
    finally:
        for name, writer in writers.items():
            writer.close()
            partial[name].unlink(missing_ok=True)


def _write_group(writers: dict[str, Any], paths: dict[str, Path], waiting: "list[Tables]") -> None:
    """Write the tables of some batches, each as one group of rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, path in paths.items():
        joined = pa.concat_tables([tables[name] for tables in waiting])
        if name not in writers:
            writers[name] = pq.ParquetWriter(path, joined.schema, **_encoding(joined))
        writers[name].write_table(joined)


def _encoding(table: "pa.Table") -> dict[str, Any]:
    """How a file is written: words by dictionary, numbers as packed differences, both compressed."""
    import pyarrow as pa

    words = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    numbers = {name: "DELTA_BINARY_PACKED" for name in table.column_names if name not in words}
    return {
        "compression": "none",
        "use_dictionary": words,
        "column_encoding": numbers,
        "write_statistics": ["game"],
    }
