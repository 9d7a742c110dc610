"""Live answers: both sets of rules play the same deals in growing batches, and every batch gives a line of figures.

Games are kept by table and batch. So the base rules cost nothing after the first question, and neither does a variant
that one comes back to.
"""

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from jamaica_sim.lab.common_deals import play_tables
from jamaica_sim.play.chunks import default_threads
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.run.simulate import needs_compiling, warm_up
from jamaica_sim.studio.figures import Watch
from jamaica_sim.studio.question import Asked
from jamaica_sim.tally.layout import TALLY_DTYPE

FIRST, LARGEST = 192, 8192  # games of the first and of the largest batch
SLOW_FIRST, SLOW_LARGEST = 8, 256  # where somebody searches
PIECE = 768  # games that a thread plays before it looks whether to stop; they take some 40 ms
KEPT_TABLES = 40  # with all their batches about 1 MB each
GLANCE = 0.25  # seconds between two lines while something compiles
Line = dict[str, Any]


def batches(is_slow: bool, most: int) -> Iterator[tuple[int, int]]:
    """First game and number of games of each batch: doubling, the same for every variant of a table."""
    first, games = 0, SLOW_FIRST if is_slow else FIRST
    largest = SLOW_LARGEST if is_slow else LARGEST
    while first < most:
        yield first, min(games, most - first)
        first += games
        games = min(first, largest)


def is_slow(table: GameTable) -> bool:
    """Whether somebody at the table searches: a hundred games a second instead of ten thousand."""
    return any(strategy.kind == "search" for strategy in table.strategies)


class KeptGames:
    """The tallies of batches by table, packed; the tables that were not asked for longest are forgotten first."""

    def __init__(self, most: int = KEPT_TABLES):
        self._most, self._lock = most, threading.Lock()
        self._tables: OrderedDict[Any, dict[tuple[int, int], bytes]] = OrderedDict()

    def find(self, table: GameTable, batch: tuple[int, int]) -> np.ndarray | None:
        """The tally of a batch, if it is here."""
        with self._lock:
            packed = self._tables.get(_key(table), {}).get(batch)
        return None if packed is None else np.frombuffer(zlib.decompress(packed), TALLY_DTYPE)

    def keep(self, table: GameTable, batch: tuple[int, int], tally: np.ndarray) -> None:
        """Keep a batch."""
        packed = zlib.compress(tally.tobytes(), 1)
        with self._lock:
            self._tables.setdefault(_key(table), {})[batch] = packed
            self._tables.move_to_end(_key(table))
            while len(self._tables) > self._most:
                self._tables.popitem(last=False)


def _key(table: GameTable) -> tuple[Any, ...]:
    return table.rules, tuple(strategy.label for strategy in table.strategies), table.seed


_compiling = threading.Lock()


def compiled(table: GameTable, stop: threading.Event) -> Iterator[Line]:
    """Compile what the table needs, with a line now and then that says so; nothing where all is compiled."""
    what = needs_compiling(table)
    if not what:
        return
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with _compiling:
                warm_up(table)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    started = time.monotonic()
    thread.start()
    while thread.is_alive() and not stop.is_set():
        yield {"kind": "compiling", "what": what, "seconds": round(time.monotonic() - started, 1)}
        thread.join(GLANCE)
    if failed:
        raise failed[0]


def played(
    tables: tuple[GameTable, ...], batch: tuple[int, int], kept: KeptGames, stop: threading.Event
) -> list[np.ndarray] | None:
    """The tallies of a batch at each table, kept or played now; None where `stop` came first."""
    found = {number: kept.find(table, batch) for number, table in enumerate(tables)}
    missing = [number for number, tally in found.items() if tally is None]
    if missing:
        first, games = batch
        share = -(-games * len(missing) // default_threads())
        results = play_tables([tables[n] for n in missing], games, first, None, stop, piece=max(1, min(PIECE, share)))
        if results is None:
            return None
        for number, result in zip(missing, results, strict=True):
            found[number] = tally = np.array([result.tally])
            kept.keep(tables[number], batch, tally)
    return [tally for tally in found.values() if tally is not None]


def answers(
    asked: Asked,
    kept: KeptGames,
    stop: threading.Event,
    most: int,
    also: Callable[[Line], Line] = lambda line: {},
) -> Iterator[Line]:
    """Lines of figures, more exact from line to line; `also` adds to each, such as a sentence."""
    yield from compiled(asked.varied, stop)
    watch = Watch(asked.base, asked.varied)
    tables = (asked.base, asked.varied) if asked.is_changed else (asked.base,)
    started, new = time.perf_counter(), 0
    for first, games in batches(is_slow(asked.base), most):
        tallies = played(tables, (first, games), kept, stop)
        if tallies is None or stop.is_set():
            return
        watch.add(tallies[0], tallies[-1])
        new, seconds = first + games, time.perf_counter() - started
        line = {"kind": "figures", "games": new, "most": most, "seconds": round(seconds, 4)}
        line |= {"rows": watch.rows(), "spaces": watch.spaces()}
        yield line | also(line)
    yield {"kind": "end", "games": new}
