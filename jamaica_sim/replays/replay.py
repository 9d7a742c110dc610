"""The public functions: one game of a run again, with everything that happened in it."""

from typing import Any

from jamaica_sim.files.limits import check_game_number, plain
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.trace import Trace, trace_game
from jamaica_sim.strategy.library import Strategies


def replay(
    game: int,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> Trace:
    """One game as a trace: the same game that `simulate` plays under this number.

    Examples
    --------
    >>> from jamaica_sim import replay
    >>> replay(42, strategies="random", players=3, seed=1)["result"]["scores"]
    [0, 33, 13]
    """
    return replay_table(seat_table(rules, strategies, seed, luck, **rule_changes), plain(game))


def replay_table(table: GameTable, game: int) -> Trace:
    """`replay` for a table that is already seated."""
    check_game_number(game)
    compile_ahead.compile_missing(table.strategies, compile_ahead.REPLAY)
    return trace_game(table, game)
