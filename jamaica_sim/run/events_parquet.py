"""A table for each kind of event, and the table of choices, of many games, as Parquet files in the run's folder.

The games are played with a trace, batch by batch on threads, so memory does not grow with their number. What they add
to a run comes from the same play. A part is a whole file or none, and its bytes depend on its games alone.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jamaica_sim.codes import DECISIONS, RESOURCES
from jamaica_sim.engine.state import CHOICE_ROWS, TRACE_ROWS
from jamaica_sim.play.chunks import Chunk, Played, Tracer, chunks
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.rules import Rules
from jamaica_sim.store.manifest import FolderFault
from jamaica_sim.tally.event_columns import NULL, OPTIONS, WORDS, EventColumns, kinds_of

if TYPE_CHECKING:
    import pyarrow as pa

    Tables = dict[str, pa.RecordBatch]  # by the kind of event, and the choices

EVENTS, CHOICES = "events", "choices"  # the folders
BATCH = 256  # games that are traced at a time
IN_GROUP = 2_048  # games in a group of rows
IN_PART = 16_384  # games in a part
BUFFER = 1 << 18  # bytes
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


class Column(NamedTuple):
    """A column of a table: its name, Arrow type, whether it may lack values, and the words that its numbers mean."""

    name: str
    type: "pa.DataType"
    may_lack: bool
    words: "pa.Array | None"

    def array(self, values: np.ndarray) -> "pa.Array":
        """An Arrow array from a copy of a NumPy array, NULL where something is missing; `pa.array` would be slower."""
        import pyarrow as pa

        there = None
        if self.may_lack and (missing := values == NULL).any():
            there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
        if self.words is None:
            return pa.Array.from_buffers(self.type, values.size, [there, pa.py_buffer(values.copy())])
        codes = pa.Array.from_buffers(pa.int8(), values.size, [there, pa.py_buffer(values.astype(np.int8))])
        return pa.DictionaryArray.from_arrays(codes, self.words, safe=False)


@cache
def _columns(kind: str, has_house_rules: bool) -> list[Column]:
    """The columns of a table. Those that are never missing say so, which makes them quicker to write."""
    import pyarrow as pa

    types = {"game": pa.int64(), "number": pa.int32(), OPTIONS: pa.int64()}
    words = {name: pa.array(its) for name, its in {**WORDS, DECISION: DECISIONS}.items()}
    types |= dict.fromkeys(words, pa.dictionary(pa.int8(), pa.string()))
    its = CHOICE_COLUMNS if kind == CHOICES else {"game": False, "number": False, **kinds_of(has_house_rules)[kind][1]}
    return [Column(name, types.get(name, pa.int16()), may_lack, words.get(name)) for name, may_lack in its.items()]


@cache
def _schema(kind: str, has_house_rules: bool) -> "pa.Schema":
    import pyarrow as pa

    columns = _columns(kind, has_house_rules)
    return pa.schema([pa.field(column.name, column.type, column.may_lack) for column in columns])


def _table(kind: str, has_house_rules: bool, values: Callable[[str], np.ndarray]) -> "pa.RecordBatch":
    import pyarrow as pa

    arrays = [column.array(values(column.name)) for column in _columns(kind, has_house_rules)]
    return pa.RecordBatch.from_arrays(arrays, schema=_schema(kind, has_house_rules))


def _events(rules: Rules, found: EventColumns) -> "Tables":
    """A table for each kind of event, so that none has columns of others."""
    has_house_rules = rules.house_rules is not None

    def table(number: int, kind: str) -> "pa.RecordBatch":
        rows = slice(found.starts[number], found.starts[number + 1])
        return _table(kind, has_house_rules, lambda name: found.columns[name][rows])

    return {kind: table(number, kind) for kind, (number, _) in kinds_of(has_house_rules).items()}


def _choices(rows: np.ndarray, places: np.ndarray) -> "pa.RecordBatch":
    columns = {"number": places[rows["event"]], OPTIONS: rows["legal"]}
    columns |= {resource: rows["goods"][:, number] for number, resource in enumerate(RESOURCES)}
    return _table(CHOICES, False, lambda name: columns[name] if name in columns else rows[name])


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
    lacking = [
        part
        for part in chunks(games.first, games.games, IN_PART)
        if part.first + part.games > cuts.counted or not all((path / _part_name(part)).exists() for path in paths)
    ]
    work = (cuts.pieces(batch) for part in lacking for batch in chunks(part.first, part.games, BATCH))
    batches = in_order(
        lambda: EventTracer(table), lambda worker, pieces: worker.play_batch(pieces, keep_rows), work, threads, stop
    )
    with closing(batches):
        for part in lacking:
            files = {path.name: path / _part_name(part) for path in paths}
            yield from _write_part(files, part.games, islice(batches, -(-part.games // BATCH)))
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
        with ExitStack() as files:
            for played, tables in batches:
                waiting += tables
                done += sum(piece.chunk.games for piece in played)
                if done % IN_GROUP == 0 or done == games:
                    writers = writers or {name: _open(partial[name], tables[0][name].schema, files) for name in paths}
                    _write_group(writers, waiting)
                    waiting = []
                yield from played
        for name in paths if done == games else ():
            os.replace(partial[name], paths[name])
    finally:
        for path in partial.values():
            path.unlink(missing_ok=True)


def _open(path: Path, schema: "pa.Schema", files: ExitStack) -> Any:
    """A writer of a file, which is closed with `files`; without the buffer each page would be a call of the system."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = files.enter_context(pa.output_stream(path, compression=None, buffer_size=BUFFER))
    return files.enter_context(pq.ParquetWriter(stream, schema, **_encoding(schema)))


def _write_group(writers: dict[str, Any], waiting: "list[Tables]") -> None:
    """Write the tables of some batches, each as one group of rows."""
    import pyarrow as pa

    for name, writer in writers.items():
        writer.write_table(pa.Table.from_batches([tables[name] for tables in waiting]))


def _encoding(schema: "pa.Schema") -> dict[str, Any]:
    """How a file is written: words and sets by dictionary, other numbers as packed differences."""
    listed = [name for name in schema.names if name in (*WORDS, DECISION, OPTIONS)]
    numbers = {name: "DELTA_BINARY_PACKED" for name in schema.names if name not in listed}
    return {"compression": "none", "use_dictionary": listed, "column_encoding": numbers, "write_statistics": ["game"]}
