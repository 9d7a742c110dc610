"""The public functions: play games, replay one. The command line is a thin layer over these."""

import time

import numpy as np

from jamaica_sim.analysis.results import Results
from jamaica_sim.engine.kernel import play_chunk
from jamaica_sim.engine.tally import TALLY_DTYPE, tally_rows
from jamaica_sim.rules import Rules
from jamaica_sim.run.folder import RunFolder, configuration, read_manifest, read_tally
from jamaica_sim.run.local import CHUNK, Chunk, Worker, chunks, default_threads, play_in_order
from jamaica_sim.run.replay import Interrupted, trace_game
from jamaica_sim.run.table import Table
from jamaica_sim.strategy.files import Strategy, load_strategy, strategy_from_identity

__all__ = ["Interrupted", "replay", "replay_table", "run_games", "seat_table", "simulate", "simulate_table"]

DEFAULT_STRATEGIES = ("balanced",)


def seat_table(rules: Rules | None = None, strategies=DEFAULT_STRATEGIES, seed: int = 1, **rule_changes) -> Table:
    """A table from rules (or rule fields by name) and strategies (or their names or files)."""
    rules = Rules(**rule_changes) if rules is None else rules.but(**rule_changes)
    if isinstance(strategies, str | Strategy):
        strategies = [strategies]
    loaded = [s if isinstance(s, Strategy) else load_strategy(s) for s in strategies]
    return Table.seat(rules, loaded, seed)


def simulate(
    games: int = 10_000,
    *,
    rules: Rules | None = None,
    strategies=DEFAULT_STRATEGIES,
    seed: int = 1,
    first_game: int = 0,
    threads: int | None = None,
    chunk_size: int | None = None,
    progress=None,
    **rule_changes,
) -> Results:
    """Play games and return their statistics, the same for any number of threads and any chunk size.

    Parameters
    ----------
    games : int
        How many games to play.
    rules : Rules, optional
        The rules; fields may also be given by name (`players=3, edition="2021"`).
    strategies : str, Strategy or list of them
        Names, files or loaded strategies, by seat; fewer than players are seated in turn.
    seed, first_game : int
        Game number `k` of a seed is the same game in every run that contains it.
    threads, chunk_size : int, optional
        How the work is cut up; they change nothing but the speed.
    progress : callable, optional
        Called as `progress(games_done)` after each chunk.
    """
    table = seat_table(rules, strategies, seed, **rule_changes)
    return simulate_table(table, games, first_game, threads, chunk_size, progress)


def simulate_table(table, games, first_game=0, threads=None, chunk_size=None, progress=None) -> Results:
    """`simulate` for a table that is already seated."""
    return run_games(table, games, first_game=first_game, threads=threads, chunk_size=chunk_size, progress=progress)


def run_games(
    table: Table,
    games: int,
    *,
    first_game: int = 0,
    threads: int | None = None,
    chunk_size: int | None = None,
    out=None,
    per_game: bool = False,
    progress=None,
) -> Results:
    """Play games at a table and, with `out`, write the run's folder."""
    check_games(games, first_game)
    threads = threads or default_threads()
    size = chunk_size or max(1, min(CHUNK, -(-games // threads)))
    folder = None
    if out is not None:
        folder = RunFolder.create(out, configuration(table, first_game, games, per_game))
    tally = np.zeros(1, TALLY_DTYPE)
    sums = tally.view(np.int64)
    started = time.perf_counter()
    for played in play_in_order(table, chunks(first_game, games, size), threads, keep_rows=per_game):
        sums += played.tally.view(np.int64)
        if folder is not None:
            if per_game:
                folder.add_rows(played.chunk.first, played.rows)
            folder.save(tally, time.perf_counter() - started)
        if progress is not None:
            progress(played.chunk.first + played.chunk.games - first_game)
    results = Results(table, tally[0], first_game, time.perf_counter() - started)
    if folder is not None:
        folder.finish(tally, results.tables(), results.seconds)
    return results


def needs_compiling(table: Table) -> str:
    """What the first game will have to wait for while it is compiled; empty where it can start at once."""
    if not (play_chunk.is_compiled() and tally_rows.is_compiled()):
        return "the engine (about 20 seconds)"
    waiting = dict.fromkeys(strategy.name for strategy in table.strategies if not strategy.is_compiled())
    return f"the strategy {', '.join(waiting)} (some seconds)" if waiting else ""


def warm_up(table: Table):
    """Compile the engine, or load it, without playing anything that counts."""
    Worker(table).play(Chunk(0, 1), keep_rows=False)


def load_results(folder) -> Results:
    """The results of a run from its folder."""
    manifest = read_manifest(folder)
    tally = read_tally(folder)
    return Results(
        table_of_run(folder), tally[0], manifest["configuration"]["first_game"], float(manifest.get("seconds", 0.0))
    )


def table_of_run(folder) -> Table:
    """The table that a run's folder was played at."""
    config = read_manifest(folder)["configuration"]
    strategies = [strategy_from_identity(identity) for identity in config["strategies"]]
    return Table.seat(Rules(**config["rules"]), strategies, config["seed"])


def check_games(games, first_game):
    """Refuse numbers of games that cannot be played."""
    if isinstance(games, bool) or not isinstance(games, int) or games < 1:
        raise ValueError(f"the number of games must be a whole number of at least 1, not {games!r}.")
    if isinstance(first_game, bool) or not isinstance(first_game, int) or not 0 <= first_game <= 2**62:
        raise ValueError(f"the first game must be a whole number from 0 on, not {first_game!r}.")


def replay(
    game: int,
    *,
    rules: Rules | None = None,
    strategies=DEFAULT_STRATEGIES,
    seed: int = 1,
    **rule_changes,
) -> dict:
    """One game as a trace: the same game that `simulate` plays under this number."""
    check_games(1, game)
    return replay_table(seat_table(rules, strategies, seed, **rule_changes), game)


def replay_table(table: Table, game: int) -> dict:
    """`replay` for a table that is already seated."""
    return trace_game(table, game)
