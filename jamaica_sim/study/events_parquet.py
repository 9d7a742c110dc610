"""A table for each kind of event, and the table of choices, of many games, as Parquet files in the run's folder.

The games are played with a trace, batch by batch on threads, so memory does not grow with their number. What they add
to a run comes from the same play. A part is a whole file or none, and its bytes depend on its games alone.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from jamaica_sim.engine.state import CHOICE_ROWS, TRACE_ROWS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Chunk, Played, Tracer, chunks, in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import FolderFault
from jamaica_sim.play.tally.event_columns import CHOICES, NULL, OPTIONS, WORDS, EventColumns, kinds_of

if TYPE_CHECKING:
    import pyarrow as pa

Tables = dict[str, list[np.ndarray]]  # the columns of each kind of event, and of the choices

EVENTS = "events"  # the folder of all tables but the choices
BATCH = 512  # games that are traced at a time, at most
IN_GROUP = 2048  # games in a group of rows
IN_PART = 16_384  # games in a part
BUFFER = 1 << 18  # bytes
PARTIAL = ".partial"
SCHEMA = "jamaica-events/1"  # what is promised of it: docs/results.md
STRATEGY = "strategy"  # whose ship it is, or the ghost
NAMES = ("card", "treasure", STRATEGY)  # columns with words of the run's own rules and players
STEADY = ("game", "lap")  # columns with long runs


class Cuts(NamedTuple):
    """How games are cut into batches: by `cut(first, end)`, and before the first that the run does not count yet."""

    counted: int
    cut: Callable[[int, int], Iterator[Chunk]]

    def batches(self, part: Chunk) -> Iterator[Chunk]:
        """The batches of a part; each lies in one group of rows."""
        end = part.first + part.games
        edges = {*range(part.first, end, BATCH), end, min(max(part.first, self.counted), end)}
        for first, last in pairwise(sorted(edges)):
            yield from self.cut(first, last)


class EventTracer(Tracer):
    """Plays games with a trace, and turns it into columns whenever it is full."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table)
        trace, choices = self.state["trace"][0], self.state["choices"][0]
        self._found = EventColumns(table.rules.house_rules is not None, trace, choices)
        self._tables: list[Tables] = []

    def play_batch(self, batch: Chunk, keep_rows: bool) -> tuple[Played, list[Tables]]:
        """What a batch adds to a run, and its tables."""
        played = self.play(batch, keep_rows)
        tables, self._tables = [*self._tables, self._found.take()], []
        return played, tables

    def play_rows(self, rulebook: np.ndarray, first_game: int, rows: np.ndarray) -> int:
        """Play a game for each row."""
        state, done = self.state, 0
        while done < rows.size:
            state["trace_length"], state["choices_noted"] = 0, 0
            played = super().play_rows(rulebook, first_game + done, rows[done:])
            length, choices = int(state["trace_length"][0]), int(state["choices_noted"][0])
            if length > TRACE_ROWS or choices >= CHOICE_ROWS:
                game = first_game + done + played - 1
                raise ValueError(f"game {game} has more than {TRACE_ROWS} events or {CHOICE_ROWS} choices.")
            if not self._found.has_room(length):
                self._tables.append(self._found.take())
            self._found.add(length, choices, first_game + done)
            done += played
        return done


class Column(NamedTuple):
    """A column of a table: its name, Arrow type, which one of the traced columns it is made of, and whether it may lack
    values. Where its numbers mean words, it has these, and `codes` which of them a number means."""

    name: str
    type: "pa.DataType"
    source: int
    may_lack: bool
    words: "pa.Array | None" = None
    codes: np.ndarray | None = None

    def array(self, values: np.ndarray) -> "pa.Array":
        """An Arrow array of the same numbers, without those that are NULL; `pa.array` would be slower."""
        import pyarrow as pa

        there = None
        if self.may_lack and (missing := values == NULL).any():
            there = pa.py_buffer(np.packbits(~missing, bitorder="little"))
            values = np.where(missing, 0, values) if self.codes is not None else values
        if self.words is None:
            return pa.Array.from_buffers(self.type, values.size, [there, pa.py_buffer(values)])
        codes = values.astype(np.int8) if self.codes is None else self.codes[values]
        indices = pa.Array.from_buffers(pa.int8(), values.size, [there, pa.py_buffer(codes)])
        return pa.DictionaryArray.from_arrays(indices, self.words, safe=False)


class Form:
    """The columns and the Arrow schema of each table of a run. Columns that are never missing say so, which makes them
    quicker to write."""

    def __init__(self, table: GameTable) -> None:
        import pyarrow as pa

        numbers = {"game": pa.int64(), "number": pa.int32(), OPTIONS: pa.int64()}
        word, parts = pa.dictionary(pa.int8(), pa.string()), table.rules.components
        words: dict[str, tuple[pa.Array, np.ndarray | None]] = {name: (pa.array(w), None) for name, w in WORDS.items()}
        words["card"] = _named([card.name for card in parts.action_cards])
        words["treasure"] = _named([card.title for card in parts.treasures])
        self.columns: dict[str, list[Column]] = {}
        for kind, (_, names) in kinds_of(table.rules.house_rules is not None).items():
            its = [
                Column(name, word if name in words else numbers.get(name, pa.int16()), i, lacks, *words.get(name, ()))
                for i, (name, lacks) in enumerate(names.items())
            ]
            if "ship" in names:
                ship = its[list(names).index("ship")]
                groups = pa.array(table.groups), table.group_of_ships().astype(np.int8)
                its.append(Column(STRATEGY, word, ship.source, ship.may_lack, *groups))
            self.columns[kind] = its
        self.schemas = {
            kind: pa.schema([pa.field(c.name, c.type, c.may_lack) for c in its], metadata={"schema": SCHEMA})
            for kind, its in self.columns.items()
        }

    def table(self, kind: str, batches: list[Tables]) -> "pa.Table":
        """The Arrow table of some batches."""
        import pyarrow as pa

        numbers = list(map(np.concatenate, zip(*(batch[kind] for batch in batches), strict=True)))
        arrays = [column.array(numbers[column.source]) for column in self.columns[kind]]
        return pa.Table.from_arrays(arrays, schema=self.schemas[kind])


def _named(names: list[str]) -> "tuple[pa.Array, np.ndarray]":
    """The names of cards, each once, and which of them each card has: cards of one name are alike."""
    import pyarrow as pa

    different = list(dict.fromkeys(names))
    return pa.array(different), np.array([different.index(name) for name in names], np.int8)


def play_with_events(
    folder: Path, table: GameTable, games: Chunk, threads: int, keep_rows: bool, cuts: Cuts, stop: Event
) -> Generator[Played, None, None]:
    """Write the tables of a run's games into `events/KIND/` and `choices/`, and yield what each play adds to the run.

    Whole parts are played, except those that are written and counted already. It ends early when `stop` is set.
    """
    paths = _folders(folder, table.rules)
    form = Form(table)
    for path in paths:
        if path.is_symlink() or path.parent.is_symlink():
            raise FolderFault(f"{path} is a link: the events of a run lie in its own folder.")
        path.mkdir(parents=True, exist_ok=True)
    lacking = [
        part
        for part in chunks(games.first, games.games, IN_PART)
        if part.first + part.games > cuts.counted or not all((path / _part_name(part)).exists() for path in paths)
    ]
    work = (batch for part in lacking for batch in cuts.batches(part))
    batches = in_order(
        lambda: EventTracer(table), lambda worker, batch: worker.play_batch(batch, keep_rows), work, threads, stop
    )
    with closing(batches):
        for part in lacking:
            files = {path.name: path / _part_name(part) for path in paths}
            yield from _write_part(files, form, part.games, batches, threads)
            if stop.is_set():
                return


def has_events(folder: Path, rules: Rules, first: int, games: int) -> bool:
    """Whether all tables of these games are there."""
    return all(
        (path / _part_name(part)).exists() for part in chunks(first, games, IN_PART) for path in _folders(folder, rules)
    )


def _folders(folder: Path, rules: Rules) -> list[Path]:
    kinds = kinds_of(rules.house_rules is not None)
    return [folder / kind if kind == CHOICES else folder / EVENTS / kind for kind in kinds]


def _part_name(part: Chunk) -> str:
    return f"part-{part.first:014d}.parquet"


def _write_part(
    paths: dict[str, Path],
    form: Form,
    games: int,
    batches: Iterable[tuple[Played, list[Tables]]],
    threads: int,
) -> Iterator[Played]:
    """Write all tables of a part, each on a thread, and yield what was played; the files appear when all are whole."""
    partial = {kind: path.with_suffix(PARTIAL) for kind, path in paths.items()}
    for path in partial.values():
        path.unlink(missing_ok=True)  # what a killed process left, or a link that somebody has put there
    waiting: list[Tables] = []
    done = 0

    def write(kind: str) -> None:
        writers[kind].write_table(form.table(kind, waiting))

    try:
        with ExitStack() as files, ThreadPoolExecutor(threads) as pool:
            writers = {kind: _open(path, form.schemas[kind], files) for kind, path in partial.items()}
            for played, tables in batches:
                waiting += tables
                done += played.chunk.games
                if done % IN_GROUP == 0 or done == games:
                    list(pool.map(write, paths))
                    waiting.clear()
                yield played
                if done == games:
                    break
        for kind in paths if done == games else ():
            os.replace(partial[kind], paths[kind])
    finally:
        for path in partial.values():
            path.unlink(missing_ok=True)


def _open(path: Path, schema: "pa.Schema", files: ExitStack) -> Any:
    """A writer of a file, which is closed with `files`; without the buffer each page would be a call of the system."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = files.enter_context(pa.output_stream(path, compression=None, buffer_size=BUFFER))
    return files.enter_context(pq.ParquetWriter(stream, schema, **_encoding(schema)))


def _encoding(schema: "pa.Schema") -> dict[str, Any]:
    """How a file is written: words and sets by dictionary, numbers as packed differences, long runs compressed."""
    listed = [name for name in schema.names if name in (*WORDS, *NAMES, OPTIONS)]
    numbers = {name: "DELTA_BINARY_PACKED" for name in schema.names if name not in listed}
    return {
        "compression": {name: "lz4" if name in STEADY else "none" for name in schema.names},
        "use_dictionary": listed,
        "column_encoding": numbers | {name: "PLAIN" for name in STEADY if name in numbers},
        "write_statistics": ["game"],
    }
