"""What the workers of a Dask cluster do: they read an order, play its games, and answer in a form that travels.

An order carries the plain configuration with the strategies' texts. So workers need nothing but the same release.
"""

import json
import signal
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from jamaica_sim.play.chunks import Chunk, Played, chunks, play_in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.rules import Rules
from jamaica_sim.store.manifest import table_of
from jamaica_sim.store.version import played_by, program
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tally.layout import TALLY_DTYPE

LARGEST_CHUNK = 65_536


def dask_setup(worker: Any) -> None:
    """Called by Dask in the processes on this machine: ignore Ctrl-C, which is meant for the client."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def order(table: GameTable) -> str:
    """What a worker has to know about a table, as text."""
    return json.dumps({**order_of(table.rules, table.strategies, table.seed), "luck": dict(table.luck)})


def order_of(rules: Rules, strategies: Sequence[Strategy], seed: int) -> dict[str, Any]:
    """What a worker has to know about games, and the version of the program that it must have."""
    return {
        "rules": rules.as_dict(),
        "strategies": [strategy.identity() for strategy in strategies],
        "seed": seed,
        "played_by": played_by(),
    }


def answer(wanted: dict[str, str], play: Callable[[], Any]) -> tuple[Any, ...]:
    """A worker's answer: ("played", what `play()` returns), or why not, in a form that every version understands.

    A strategy's fault is ("fault", message, game, *where). A worker with another program than `wanted`, or one that
    cannot seat the strategies, answers ("refused", reason).
    """
    here = played_by()
    if wanted != here:
        return "refused", f"a worker has jamaica-sim {program(here)}, but the run wants {program(wanted)}."
    try:
        return "played", play()
    except StrategyFault as fault:
        fault.show_stepwise()
        return "fault", str(fault), fault.game, *fault.where
    except ValueError as error:
        return "refused", f"a worker cannot seat the strategies: {error}"


@lru_cache(maxsize=8)
def _table_of_order(text: str) -> GameTable:
    return table_of(json.loads(text)).awake(trust=True)  # the user was asked before the order was sent


def play_order(text: str, first: int, games: int, keep_rows: bool) -> tuple[Any, ...]:
    """Play a chunk on a worker, see `answer`."""
    wanted = json.loads(text)["played_by"]
    return answer(wanted, lambda: _play_task(_table_of_order(text), Chunk(first, games), keep_rows))


def _play_task(table: GameTable, chunk: Chunk, keep_rows: bool) -> Played:
    """Play a chunk. A large one is cut up, so that the memory for its rows does not grow with it."""
    pieces = [chunk] if keep_rows else chunks(chunk.first, chunk.games, LARGEST_CHUNK)
    tally, rows, seconds = np.zeros(1, TALLY_DTYPE), None, 0.0
    for played in play_in_order(table, pieces, 1, keep_rows):
        tally.view(np.int64)[:] += played.tally.view(np.int64)
        rows, seconds = played.rows, seconds + played.seconds
    return Played(chunk, tally, rows, seconds)
