"""Where the time of a game goes, by phase: `python -m measuring.phases STRATEGY BATCHES SECONDS` prints it.

The phases are inlined into one another, so no profiler of functions can tell them apart. Here a second engine is
compiled, in a process of its own. In it each phase begins by storing its number in one word of memory, and ends by
storing the number that was there before. A thread looks at that word some thousand times a second while another thread
plays. The share of looks that find a phase is its share of the time. A store costs next to nothing; how much slower the
marked engine is as a whole is measured and reported.

A share is uncertain for two reasons. One is sampling, which the spread over batches shows. The other is that the
compiler and the processor move work across the border of a phase. That is a few nanoseconds each time; the slowdown of
the marked engine gives an idea of it.
"""

import importlib
import itertools
import json
import random
import sys
import threading
import time

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.bytecode import FunctionIdentity
from numba.extending import intrinsic

from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.machine.jit import Entry, inline
from jamaica_sim.game.rules import Rules
from jamaica_sim.strategy.library import load_strategy
from measuring.kernel import Bench
from measuring.pace import seconds_of_work
from measuring.timing import in_turns

# The functions that each phase begins with, as names in the modules that call them.
PHASES = {
    "setup": ("game.set_up",),
    "choose": ("turn.ask_dice", "turn.ask_card"),
    "load": ("turn.load",),
    "move": ("turn.sail", "turn.arrive", "turn.ghost_moves"),
    "pay": ("arriving.pay",),
    "treasure": ("arriving.plunder_lair",),
    "battle": ("arriving.battle",),
    "shortage": ("arriving.run_short",),
    "draw": ("turn._draw_up",),
    "score": ("game.score_game",),
    "sums": ("game._end_round", "game.add_counts"),
}
NAMES = (*PHASES, "the rest")
REST, NOBODY = len(PHASES), len(PHASES) + 1
UNUSED = 1_000_000  # a function number that numba has not reached
PERIOD = 0.0002  # seconds between two looks, on average

phase = np.full(1, NOBODY, np.int64)  # what the playing thread does now


@intrinsic
def _enter(typingctx, number):
    """Store the number of a phase, and return the number before. Atomic, so that the compiler must store it."""
    address = phase.ctypes.data

    def codegen(context, builder, signature, args):
        word = ir.IntType(64)
        place = builder.inttoptr(ir.Constant(word, address), word.as_pointer())
        before = builder.load_atomic(place, "monotonic", 8)
        builder.store_atomic(args[0], place, "monotonic", 8)
        return before

    return types.int64(types.int64), codegen


def marked(function, number):
    """The same function, marked as a phase."""
    number = np.int64(number)

    @inline
    def call(*arguments):
        before = _enter(number)
        result = function(*arguments)
        _enter(before)
        return result

    return call


def missing_functions() -> list[str]:
    """Functions in `PHASES` that the engine does not have: this file must follow the engine."""
    return [place for places in PHASES.values() for place in places if _function(place) is None]


def _function(place):
    module, name = place.split(".")
    return getattr(importlib.import_module(f"jamaica_sim.engine.{module}"), name, None)


def mark_phases():
    """Put the marked functions in the place of the plain ones, before anything is compiled.

    Functions compiled from now on get names of their own: under a name of the plain engine the linker would find the
    plain function.
    """
    FunctionIdentity._unique_ids = itertools.count(UNUSED)
    for number, places in enumerate(PHASES.values()):
        for place in places:
            module, name = place.split(".")
            setattr(importlib.import_module(f"jamaica_sim.engine.{module}"), name, marked(_function(place), number))


def watch(play) -> np.ndarray:
    """How many looks found each phase while `play` ran in another thread."""
    looks = np.zeros(NOBODY + 1, np.int64)
    thread = threading.Thread(target=play)
    thread.start()
    while thread.is_alive():
        time.sleep(PERIOD * 2 * random.random())  # uneven, so as not to keep step with anything
        looks[phase[0]] += 1
    thread.join()
    return looks[:NOBODY]


def measure(strategy: str, batches: int, seconds: float) -> dict:
    """Nanoseconds of a game by phase, batch by batch, and how much slower the marked engine is."""
    table = Rules(players=4, edition="2007"), load_strategy(strategy)
    plain = Bench(*table)
    games = plain.games_in(seconds)  # plays from the cache: functions compiled here could no longer be marked
    mark_phases()
    kernel = Entry(play_chunk.py_func)
    kernel._kept = None  # the plain engine is in the cache under the same name
    watched = Bench(*table, kernel)
    if watched.first_rows(200) != plain.first_rows(200):
        raise RuntimeError("the marked engine must play the same games")

    def play_watched():
        phase[0] = REST
        watched.play(games)
        phase[0] = NOBODY

    seconds_of_work()  # compiled before anything is measured
    looks, alone, unmarked, paces = in_turns(
        batches,
        lambda: watch(play_watched),
        lambda: watched.play(games),
        lambda: plain.play(games),
        seconds_of_work,
    )
    if not all(np.sum(looks, axis=0)[: len(PHASES)]):
        raise RuntimeError("a phase was never found: the marked engine has no marks")
    whole = [spent.cpu / games * 1e9 for spent in unmarked]
    shares = np.array([found / found.sum() for found in looks])
    return {
        "game": whole,
        "paces": paces,
        "looks": dict(zip(NAMES, np.sum(looks, axis=0).tolist(), strict=True)),
        "phases": dict(zip(NAMES, (shares.T * whole).tolist(), strict=True)),
        "slower": float(np.median([own.cpu / other.cpu for own, other in zip(alone, unmarked, strict=True)])) - 1,
    }


if __name__ == "__main__":
    if not play_chunk.is_compiled():
        sys.exit("the plain engine must lie in the cache before")
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))))
