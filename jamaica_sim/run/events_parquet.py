"""A table for each kind of event, and the table of choices, of many games, as Parquet files in the run's folder.

The games are played with a trace, batch by batch on threads, so memory does not grow with their number; what they add to
a run comes from the same play. A part is a whole file or none, and its bytes depend on its games alone.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np

from jamaica_sim.codes import DECISIONS, RESOURCES
from jamaica_sim.engine.state import CHOICE_ROWS, TRACE_ROWS
from jamaica_sim.play.chunks import Chunk, Played, Tracer, chunks
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.rules import Rules
from jamaica_sim.store.manifest import FolderFault
from jamaica_sim.tally.event_columns import KINDS, NULL, OPTIONS, WORDS, EventColumns, kinds_of

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = dict[str, pa.Table]  # by the kind of event, and the choices

EVENTS, CHOICES = "events", "choices"  # the folders
BATCH = 256  # games that are traced at a time
IN_GROUP = 2_048  # games in a group of rows
IN_PART = 16_384  # games in a part
PARTIAL = ".partial"
DECISION = "decision"
CHOICE_COLUMNS = dict.fromkeys(
    ("game", "number", "round", "player", "ship", DECISION, OPTIONS, "answer", "space", "lap", "to_go", "rank",
     "points", "lead", *RESOURCES, "hand"), False,
)  # fmt: skip


@dataclass(frozen=True)
class Cuts:
    """Where batches are cut into pieces: before the first game that a run does not count yet, and at its own parts."""

    counted: int
    part: int

    def pieces(self, batch: Chunk) -> list[Chunk]:
        """The pieces of a batch."""
        end = batch.first + batch.games
        inner = {self.counted, end - end % self.part}
        edges = sorted({batch.first, *(cut for cut in inner if batch.first < cut < end), end})
        return [Chunk(first, last - first) for first, last in pairwise(edges)]


class EventTracer(Tracer):
    """Plays a batch of games with one trace for all, and turns it into tables."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table)
        self._found = EventColumns()

    def play_batch(self, pieces: Sequence[Chunk], keep_rows: bool) -> "tuple[list[Played], list[Tables]]":
        """What the pieces of a batch add to a run, and its tables; those of its halves where the trace is too small."""
        state = self.state
        state["trace_length"], state["choices_noted"] = 0, 0
        played = [self.play(piece, keep_rows) for piece in pieces]
        length, choices = int(state["trace_length"][0]), int(state["choices_noted"][0])
        if length <= TRACE_ROWS and choices < CHOICE_ROWS:
            self._found.fill(state["trace"][0, :length], pieces[0].first)
            noted = _choices(state["choices"][0, :choices], self._found.places)
            return played, [{CHOICES: noted, **_events(self.rules, self._found)}]
        first, games = pieces[0].first, sum(piece.games for piece in pieces)
        if games == 1:
            raise ValueError(f"game {first} has {length} events, more than the {TRACE_ROWS} of a trace.")
        halves = Chunk(first, games // 2), Chunk(first + games // 2, games - games // 2)
        return played, [tables for half in halves for tables in self.play_batch([half], keep_rows=False)[1]]


def _column(values: np.ndarray, field: "pa.Field") -> "pa.Array":
    """An Arrow array from a copy of a NumPy array, NULL where something is missing; `pa.array` would be slower."""
    import pyarrow as pa

    there = None
    if field.nullable and (missing := values == NULL).any():
        there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    if field.name not in (*WORDS, DECISION):
        return pa.Array.from_buffers(field.type, values.size, [there, pa.py_buffer(values.copy())])
    codes = pa.Array.from_buffers(pa.int8(), values.size, [there, pa.py_buffer(values.astype(np.int8))])
    return pa.DictionaryArray.from_arrays(codes, _words(field.name))


@cache
def _words(name: str) -> "pa.Array":
    import pyarrow as pa

    return pa.array(WORDS.get(name, DECISIONS))


@cache
def _schema(kind: str) -> "pa.Schema":
    """The columns of a table. Those that are never missing say so, which makes them quicker to write."""
    import pyarrow as pa

    types = {"game": pa.int64(), "number": pa.int32(), OPTIONS: pa.int64()}
    types |= dict.fromkeys((*WORDS, DECISION), pa.dictionary(pa.int8(), pa.string()))
    its = CHOICE_COLUMNS if kind == CHOICES else {"game": False, "number": False, **KINDS[kind][1]}
    return pa.schema([pa.field(name, types.get(name, pa.int16()), may_lack) for name, may_lack in its.items()])


def _table(kind: str, columns: Callable[[str], np.ndarray]) -> "pa.Table":
    import pyarrow as pa

    schema = _schema(kind)
    return pa.Table.from_arrays([_column(columns(field.name), field) for field in schema], schema=schema)


def _events(rules: Rules, found: EventColumns) -> "Tables":
    """A table for each kind of event, so that none has columns of others."""

    def table(number: int, kind: str) -> "pa.Table":
        rows = slice(found.starts[number], found.starts[number + 1])
        return _table(kind, lambda name: found.columns[name][rows])

    return {kind: table(number, kind) for kind, (number, _) in kinds_of(rules.house_rules is not None).items()}


def _choices(rows: np.ndarray, places: np.ndarray) -> "pa.Table":
    columns = {"number": places[rows["event"]], OPTIONS: rows["legal"]}
    columns |= {resource: rows["goods"][:, number] for number, resource in enumerate(RESOURCES)}
    return _table(CHOICES, lambda name: columns[name] if name in columns else rows[name])


def play_with_events(
    folder: Path, table: GameTable, games: Chunk, threads: int, keep_rows: bool, cuts: Cuts, stop: Event
) -> Iterator[Played]:
    """Write the tables of a run's games into `events/KIND/` and `choices/`, and yield what each play adds to the run.

    Whole parts are played, except those that are written and counted already: games from `cuts.counted` on are new to
    the run. It ends early when `stop` is set.
    """
    paths = _folders(folder, table.rules)
    for path in paths:
        if path.is_symlink() or path.parent.is_symlink():
            raise FolderFault(f"{path} is a link: the events of a run lie in its own folder.")
        path.mkdir(parents=True, exist_ok=True)
    for part in chunks(games.first, games.games, IN_PART):
        name = _part_name(part)
        if part.first + part.games > cuts.counted or not all((path / name).exists() for path in paths):
            work = [cuts.pieces(batch) for batch in chunks(part.first, part.games, BATCH)]
            batches = in_order(
                lambda: EventTracer(table),
                lambda worker, pieces: worker.play_batch(pieces, keep_rows),
                work,
                threads,
                stop,
            )
            yield from _write_part({path.name: path / name for path in paths}, part.games, batches)
        if stop.is_set():
            return


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
    paths: dict[str, Path], games: int, batches: "Iterable[tuple[list[Played], list[Tables]]]"
) -> Iterator[Played]:
    """Write all tables of a part and yield what was played; the files appear when all are whole."""
    partial = {name: path.with_suffix(PARTIAL) for name, path in paths.items()}
    for path in partial.values():
        path.unlink(missing_ok=True)  # what a killed process left, or a link that somebody has put there
    writers: dict[str, Any] = {}
    waiting: list[Tables] = []
    done = 0
    try:
        for played, tables in batches:
            waiting += tables
            done += sum(piece.chunk.games for piece in played)
            if done % IN_GROUP == 0 or done == games:
                _write_group(writers, partial, waiting)
                waiting = []
            yield from played
        for name, writer in writers.items() if done == games else ():
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
            writers[name] = pq.ParquetWriter(path, joined.schema, **_encoding(joined.schema))
        writers[name].write_table(joined)


def _encoding(schema: "pa.Schema") -> dict[str, Any]:
    """How a file is written: words and sets by dictionary, other numbers as packed differences."""
    listed = [name for name in schema.names if name in (*WORDS, DECISION, OPTIONS)]
    numbers = {name: "DELTA_BINARY_PACKED" for name in schema.names if name not in listed}
    return {"compression": "none", "use_dictionary": listed, "column_encoding": numbers, "write_statistics": ["game"]}
