"""The first start: compiles what is missing, in two processes because numba compiles one function at a time."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from jamaica_sim.engine.game import play_chunk, trace_chunk
from jamaica_sim.engine.machine.cache import keeps_code
from jamaica_sim.engine.play_on import play_on, trace_on
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import POSITION_BYTES, RESULT_DTYPE, RULES_DTYPE, STATE_DTYPE, TRACED_STATE_DTYPE
from jamaica_sim.engine.step import draw_answers, read_actions, step_games, take_answers
from jamaica_sim.game.codes import MAX_SHIPS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import default_threads
from jamaica_sim.play.steps import Rows, Steps
from jamaica_sim.play.stopping import ending_with_us, interruptible
from jamaica_sim.play.tally.count import Tallier, sum_rows
from jamaica_sim.strategy.compile import HEURISTIC, NET_PLAYER, OUTSIDE_SEAT, SEARCHER
from jamaica_sim.strategy.heuristic.tables import weights_record
from jamaica_sim.strategy.strategy import Strategy


def _compile_engine() -> None:
    play_chunk(np.zeros(1, STATE_DTYPE), rulebook_of(Rules()), 0, 0, np.zeros(0, RESULT_DTYPE))


def _compile_tracer() -> None:
    trace_chunk(np.zeros(1, TRACED_STATE_DTYPE), rulebook_of(Rules()), 0, 0, np.zeros(0, RESULT_DTYPE))


def _compile_onward(entry: Callable[..., object], dtype: npt.DTypeLike) -> None:
    """Compile playing on from a position."""
    positions = np.zeros((1, POSITION_BYTES), np.uint8)
    entry(np.zeros(1, dtype), rulebook_of(Rules()), positions, 0, 0, 0, 0, np.zeros(0, RESULT_DTYPE))


def _compile_tally() -> None:
    Tallier(np.zeros(1, RULES_DTYPE), np.zeros(MAX_SHIPS, np.int64)).tally(np.zeros(0, RESULT_DTYPE))


def _compile_steps() -> None:
    """Compile games that stop and ask; the record is only looked at."""
    Steps(np.zeros(1, STATE_DTYPE), rulebook_of(Rules()), 0, 0, Rows(0))


def _compile_observer() -> None:
    """Compile observations, and what answers many games, for no games."""
    from jamaica_sim.engine.observe import ACTION_OFFSETS, ACTIONS, OBSERVATION_SIZE, observe_games

    rows, none = Rows(0), np.zeros(0, np.int64)
    seen, masks = np.zeros((0, OBSERVATION_SIZE), np.float32), np.zeros((0, ACTIONS), np.int8)
    observe_games(rulebook_of(Rules()), rows.bytes, rows.talks, 0, seen, masks)
    take_answers(rows.talks, none, 0)
    draw_answers(rows.talks, np.zeros(0), none)
    read_actions(rows.talks, ACTION_OFFSETS, none, none)


def _is_observer_compiled() -> bool:
    from jamaica_sim.engine.observe import observe_games

    return observe_games.is_compiled()


# How each piece is compiled, or loaded from the cache, and whether it is.
PIECES: dict[str, tuple[Callable[[], object], Callable[[], bool]]] = {
    "engine": (_compile_engine, play_chunk.is_compiled),
    "tracer": (_compile_tracer, trace_chunk.is_compiled),
    "onward": (lambda: _compile_onward(play_on, STATE_DTYPE), play_on.is_compiled),
    "traced onward": (lambda: _compile_onward(trace_on, TRACED_STATE_DTYPE), trace_on.is_compiled),
    "tally": (_compile_tally, sum_rows.is_compiled),
    "heuristic": (lambda: (weights_record(), HEURISTIC.address), HEURISTIC.is_compiled),
    "net": (lambda: NET_PLAYER.address, NET_PLAYER.is_compiled),
    "searcher": (lambda: SEARCHER.address, SEARCHER.is_compiled),
    "steps": (_compile_steps, step_games.is_compiled),
    "observer": (_compile_observer, _is_observer_compiled),
    "outside": (lambda: OUTSIDE_SEAT.address, OUTSIDE_SEAT.is_compiled),
}
WANTED: dict[str, Callable[[Strategy], bool]] = {  # pieces that only some strategies need
    "heuristic": lambda strategy: strategy.has_weights,
    "net": lambda strategy: strategy.net is not None,
    "searcher": lambda strategy: strategy.search is not None,
}
# What has to be compiled for each purpose, the longest piece first.
PLAYERS = ("heuristic", "net", "searcher")
RUN, COMPARE = ("engine", "tally", *PLAYERS), ("engine", *PLAYERS)
OUTSIDE = ("steps", *PLAYERS, "outside")
MANY = (*OUTSIDE, "observer")
REPLAY = ("tracer", *PLAYERS)
CHANCES, WHAT_IF = ("onward", *REPLAY), ("traced onward", *REPLAY)
# What a user is told of them; if several are missing, of the first, beside which the others are compiled.
SHOWING, ASKING = (
    "the engine that shows single games (about 20 seconds)",
    "the engine that stops and asks (about 20 seconds)",
)
SPOKEN = {
    "engine": "the engine (about 20 seconds)",
    "tally": "the counting of results (some seconds)",
    "heuristic": "the heuristic (about 10 seconds)",
    "net": "the net (about 10 seconds)",
    "searcher": "the search (about 20 seconds)",
    **dict.fromkeys(("tracer", "onward", "traced onward"), SHOWING),
    **dict.fromkeys(("steps", "observer", "outside"), ASKING),
}
# Pieces for the same type of state record. In one process the second takes half the time: the rules are compiled.
KIN = ({"engine", "onward", "searcher", "steps"}, {"tracer", "traced onward"})


def missing(strategies: Sequence[Strategy], pieces: Sequence[str]) -> list[str]:
    """The pieces that a game of these strategies needs and that are not compiled yet."""
    needed = [name for name in pieces if name not in WANTED or any(map(WANTED[name], strategies))]
    return [name for name in needed if not PIECES[name][1]()]


def needs_compiling(strategies: Sequence[Strategy], pieces: Sequence[str]) -> str:
    """What has to be compiled before the first game, in words; empty if nothing has to be."""
    names = missing(strategies, pieces)
    if names:
        return SPOKEN[names[0]]
    waiting = dict.fromkeys(strategy.name for strategy in strategies if not strategy.is_compiled())
    return f"the strategy {', '.join(waiting)} (some seconds)" if waiting else ""


def compile_pieces(names: Iterable[str]) -> None:
    """Compile some pieces, or load them from the cache."""
    for name in names:
        PIECES[name][0]()


def compile_missing(strategies: Sequence[Strategy], pieces: Sequence[str]) -> None:
    """Compile the missing pieces: the first one and its kin here, the others in a second process.

    The second process writes its code to the cache. If it fails, its pieces are compiled when they are needed.
    """
    names = missing(strategies, pieces)
    if names:
        interruptible(lambda: _compile_at_once(names))


def _compile_at_once(names: Sequence[str]) -> None:
    here, beside = shared_out(names)
    with _compiled_beside(beside if keeps_code() and default_threads() > 1 else []):
        compile_pieces(here)


def shared_out(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Pieces for two processes: the first with its kin, and the others."""
    here = [name for name in names if name == names[0] or any({name, names[0]} <= kin for kin in KIN)]
    return here, [name for name in names if name not in here]


def compile_for_another(names: Iterable[str]) -> None:
    """Compile some pieces for the process that started this one; it holds our standard input open while it lives."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    compile_pieces(names)


def _end_with_input() -> None:
    os.read(0, 1)  # not `sys.stdin`: at its end the interpreter would wait for its lock
    os._exit(1)


@contextmanager
def _compiled_beside(names: Sequence[str]) -> Iterator[None]:
    if not names:
        yield
        return
    code = f"from jamaica_sim.play.compile_ahead import compile_for_another; compile_for_another({names!r})"
    quiet = subprocess.DEVNULL
    try:
        # -P: without it the current folder is the first in which modules are looked for.
        command = [sys.executable, "-P", "-c", code]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet)
    except OSError:  # no process can be started: this one compiles the rest when it is needed
        yield
        return
    with ending_with_us(process):
        try:
            yield
            process.wait()
        finally:
            process.kill()
            process.wait()
            if process.stdin is not None:
                process.stdin.close()
