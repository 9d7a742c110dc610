"""What the workers of a Dask cluster do: they read an order, play its games, and answer in a form that travels.

An order carries the plain configuration with the strategies' texts. So workers need nothing but the same release.
"""

import json
import signal
import zlib
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from jamaica_sim.files.sources import played_by, program
from jamaica_sim.play.chunks import Chunk, Worker, chunks, play_in_order
from jamaica_sim.play.manifest import table_of
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.play.tally.layout import tally_dtype

LARGEST_CHUNK = 65_536


def dask_setup(worker: Any) -> None:
    """Called by Dask in the processes on this machine: ignore Ctrl-C, which is meant for the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class Layout(NamedTuple):
    """How games are summed up, and so who plays them: whole tallies of a table's games, or sums by deal.

    `order(table)` is what a worker of a cluster has to know, in plain values, and `table(order)` makes the table there.
    """

    worker: Callable[[Any], Any]  # made from a table, it plays chunks
    dtype: Callable[[Any], np.dtype]  # of the record of a table's sums
    order: Callable[[Any], dict[str, Any]]
    table: Callable[[dict[str, Any]], Any]


def order_of(table: Any) -> dict[str, Any]:
    """What a worker has to know about games."""
    return {
        "rules": table.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in table.strategies],
        "seed": table.seed,
        "luck": dict(table.luck),
        "measures": dict(table.measures),
    }


def _tally_dtype(table: Any) -> np.dtype:
    return tally_dtype(len(table.measures))


TALLIES = Layout(Worker, _tally_dtype, order_of, table_of)


def packed_order(layout: Layout, table: Any) -> bytes:
    """An order as it travels, with the program that the worker must have."""
    return zlib.compress(json.dumps({**layout.order(table), "played_by": played_by()}).encode())


@lru_cache(maxsize=8)
def _read(order: bytes) -> dict[str, Any]:
    return json.loads(zlib.decompress(order))


@lru_cache(maxsize=8)
def _table(layout: Layout, order: bytes) -> Any:
    return layout.table(_read(order)).with_code(trust=True)  # the user was asked before the order was sent


def play_order(
    layout: Layout, order: bytes, first: int, games: int, table: int, step: int, keep_rows: bool
) -> tuple[Any, ...]:
    """Play a chunk on a worker. The answer is ("played", sums, rows, seconds), or why not, in plain words.

    A strategy's fault is ("fault", message, game, *where). A worker with another program than the client, or one that
    cannot seat the strategies, answers ("refused", reason).
    """
    wanted, here = _read(order)["played_by"], played_by()
    if wanted != here:
        return "refused", f"a worker has jamaica-sim {program(here)}, but the run wants {program(wanted)}."
    try:
        return "played", *_play(layout, _table(layout, order), Chunk(first, games, table, step), keep_rows)
    except StrategyFault as fault:
        fault.show_stepwise()
        return "fault", str(fault), fault.game, *fault.where
    except ValueError as error:
        return "refused", f"a worker cannot seat the strategies: {error}"


def _play(layout: Layout, table: Any, chunk: Chunk, keep_rows: bool) -> tuple[bytes, np.ndarray | None, float]:
    """Play a chunk. A large one is cut up, so that the memory for its rows does not grow with it."""
    spans = list(enumerate(pairwise([chunk.first, *chunk.ends()])))
    size = chunk.games if keep_rows else LARGEST_CHUNK
    pieces = [(n, piece) for n, (first, end) in spans for piece in chunks(first, end - first, size, chunk.table)]
    sums, rows, seconds = np.zeros(len(spans), layout.dtype(table)), None, 0.0
    work = [piece for _, piece in pieces]
    played = play_in_order({chunk.table: table}, work, 1, keep_rows, make_worker=layout.worker)
    for (n, _), one in zip(pieces, played, strict=True):
        sums[n : n + 1].view(np.int64)[:] += one.tally.view(np.int64)
        rows, seconds = one.rows, seconds + one.seconds
    return zlib.compress(sums.tobytes(), 1), rows, seconds
