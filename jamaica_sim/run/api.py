"""The public functions: play games, go on with a run, join runs, replay a game. The command line is a thin layer."""

from contextlib import contextmanager

from jamaica_sim.limits import check_game_number, check_games
from jamaica_sim.play import compile_ahead as warming
from jamaica_sim.play.chunks import CHUNK, Chunk, default_threads, play_in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.replays.trace import Interrupted, trace_game
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules
from jamaica_sim.run.cluster import ClusterFault, cluster_pace, cluster_player
from jamaica_sim.run.folder import RunFolder, is_whole, read_tally
from jamaica_sim.run.merge import joined_tally, read_mergeable, write_merged
from jamaica_sim.run.play import Pace, Stopped, play_folder, play_sums
from jamaica_sim.store.manifest import configuration, read_manifest, refuse_other_program, table_of
from jamaica_sim.strategy.strategy import Strategy, load_strategy

__all__ = [
    "Interrupted",
    "Stopped",
    "merge_runs",
    "replay",
    "replay_table",
    "resume_run",
    "run_games",
    "seat_table",
    "simulate",
    "simulate_table",
    "unfinished",
]

# Who plays where nobody is named: as many of these as there are players, so that a plain run compares strategies.
DEFAULT_LINE_UP = ("balanced", "racer", "hoarder", "treasure_hunter", "provisioner", "gambler")
CHUNK_SECONDS = 0.1  # that a thread should take for a chunk: the longest wait until a run stops


def seat_table(rules: Rules | None = None, strategies=None, seed: int = 1, **rule_changes) -> GameTable:
    """A table from rules (or rule fields by name) and strategies (or their names or files)."""
    rules = Rules(**rule_changes) if rules is None else rules.but(**rule_changes)
    if strategies is None:
        strategies = DEFAULT_LINE_UP[: rules.players]
    if isinstance(strategies, str | Strategy):
        strategies = [strategies]
    loaded = [s if isinstance(s, Strategy) else load_strategy(s) for s in strategies]
    return GameTable.seat(rules, loaded, seed)


def simulate(
    games: int = 10_000,
    *,
    rules: Rules | None = None,
    strategies=None,
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
    strategies : str, Strategy or list of them, optional
        Names, files or loaded strategies, by seat; fewer than players are seated in turn. Without any, as many
        different ones as there are players.
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
    table: GameTable,
    games: int,
    *,
    first_game: int = 0,
    threads: int | None = None,
    chunk_size: int | None = None,
    out=None,
    per_game: bool = False,
    cluster: str | None = None,
    progress=None,
    remark=None,
) -> Results:
    """Play games at a table and, with `out`, write the run's folder.

    `cluster` has them played on Dask: `tcp://HOST:PORT` or `local:N`. `remark` is called with what the user should
    know meanwhile. Ctrl-C raises KeyboardInterrupt, or `Stopped` where there is a folder from which to go on.
    """
    check_games(games, first_game)
    with _player(table, threads, chunk_size, cluster, per_game, remark) as (player, pace):
        if out is None:
            tally, seconds = play_sums(first_game, games, player, pace, progress)
            return Results(table, tally[0], first_game, seconds)
        folder = RunFolder.create(out, configuration(table, first_game, games, per_game))
        return _finish(table, folder, player, pace, progress, remark)


def resume_run(path, *, threads=None, chunk_size=None, cluster=None, progress=None, remark=None) -> Results:
    """Go on with a run that was stopped; its files become those of a run that never was.

    The rules and strategies are those of the run itself. In a run that is complete, what is missing or damaged is
    made again.
    """
    left = unfinished(path)
    if left is None:
        return load_results(path)
    table, _, _ = left
    folder = RunFolder.reopen(path)
    try:
        with _player(table, threads, chunk_size, cluster, folder.config["per_game"], remark) as (player, pace):
            return _finish(table, folder, player, pace, progress, remark)
    finally:
        folder.close()


def unfinished(path) -> tuple[GameTable, int, int] | None:
    """The table of a run with something left to do, and its games, saved and in all; None where it is complete."""
    manifest = read_manifest(path)
    if is_whole(path, manifest):
        return None
    refuse_other_program(path, manifest)
    return table_of(manifest["configuration"]), manifest["games_done"], manifest["configuration"]["games"]


def _finish(table, folder, player, pace, progress, remark):
    """Play a folder's games to the end and write its results."""
    try:
        play_folder(folder, player, pace, progress, remark)
    except ClusterFault as fault:
        raise ClusterFault(f"{str(fault).rstrip('.')}; {folder.how_to_go_on()}.") from fault
    results = Results(table, folder.tally[0], folder.config["first_game"], folder.seconds)
    folder.finish(results.tables())
    return results


@contextmanager
def _player(table, threads, chunk_size, cluster, keep_rows, remark):
    """Who plays the chunks, as `run.session` wants it, and how large they should be."""
    fixed = Pace.of_chunks(chunk_size) if chunk_size else None
    if cluster is None:
        threads = threads or default_threads()
        yield (
            lambda work, rows, stop: play_in_order(table, work, threads, rows, stop),
            fixed or Pace(CHUNK_SECONDS, CHUNK),
        )
    else:
        with cluster_player(table, cluster, remark) as player:
            yield player, fixed or cluster_pace(keep_rows)


def merge_runs(folders, out, progress=None) -> Results:
    """Join complete runs of the same configuration and different games into a new folder."""
    runs = read_mergeable(folders)
    tally = joined_tally(runs)
    config = runs[0][1]["configuration"]
    seconds = sum(manifest["seconds"] for _, manifest in runs)
    results = Results(table_of(config), tally[0], runs[0][1]["ranges"][0][0], seconds)
    write_merged(out, runs, tally, results.tables(), progress)
    return results


def needs_compiling(table: GameTable, to_replay: bool = False) -> str:
    """What the first game will have to wait for while it is compiled; empty where it can start at once."""
    return warming.needs_compiling(table.strategies, warming.REPLAY if to_replay else warming.RUN)


def warm_up(table: GameTable):
    """Compile the engine, or load it, without playing anything that counts."""
    warming.compile_missing(table.strategies, warming.RUN)
    for _ in play_in_order(table, [Chunk(0, 1)], 1):
        pass


def load_results(folder) -> Results:
    """The results of a run from its folder."""
    manifest = read_manifest(folder)
    tally = read_tally(folder, manifest)
    return Results(table_of(manifest["configuration"]), tally[0], manifest["ranges"][0][0], float(manifest["seconds"]))


def table_of_run(folder) -> GameTable:
    """The table that a run's folder was played at."""
    return table_of(read_manifest(folder)["configuration"])


def replay(
    game: int,
    *,
    rules: Rules | None = None,
    strategies=None,
    seed: int = 1,
    **rule_changes,
) -> dict:
    """One game as a trace: the same game that `simulate` plays under this number."""
    return replay_table(seat_table(rules, strategies, seed, **rule_changes), game)


def replay_table(table: GameTable, game: int) -> dict:
    """`replay` for a table that is already seated."""
    check_game_number(game)
    warming.compile_missing(table.strategies, warming.REPLAY)
    return trace_game(table, game)
