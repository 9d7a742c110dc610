"""How strong a searcher is and what its games cost: one searcher against a field of another strategy, in every seat.

    python benchmarks/search_strength.py searcher --field veteran --players 4 --deals 700 [--rollouts 60 --depth 3 …]

Each deal is played once with the searcher in each seat. The win rate has its standard error over deals. The cost is
the CPU time of a game, divided by that of a `greedy` game of the yardstick where one is given. Both run on one core.
"""

import argparse
import json
import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from jamaica_sim.engine.game import play_chunk
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.state_record import Seats, new_state
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.search.settings import SETTINGS


def measured(strategy, field, rules, seed, deals):
    """Win shares by deal, and CPU seconds for each game."""
    strategies, rulebook = [field, strategy], rulebook_of(rules)
    state, seats, row = new_state([field] * rules.players, rules), Seats(strategies, rules), np.zeros(1, RESULT_DTYPE)
    play_chunk(state, rulebook, seed, 0, row)
    shares, seconds = np.zeros(deals), 0.0
    for deal in range(deals):
        for seat in range(rules.players):
            seats.take(state, [int(player == seat) for player in range(rules.players)])
            started = time.thread_time()
            play_chunk(state, rulebook, seed, deal, row)
            seconds += time.thread_time() - started
            winners = int(row["winners"][0])
            shares[deal] += (winners >> seat & 1) / winners.bit_count() / rules.players
    return shares, seconds / deals / rules.players


def greedy_seconds(program):
    """CPU seconds of a game of the yardstick's `greedy`, four players, 2007."""
    games = 40_000
    before = os.times()
    subprocess.run([program, "--games", str(games), "--strategies", "greedy"], capture_output=True, check=True)
    after = os.times()
    return (after.children_user - before.children_user + after.children_system - before.children_system) / games


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("strategy")
    parser.add_argument("--field", default="champion")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--edition", default="2007")
    parser.add_argument("--ghost", action=argparse.BooleanOptionalAction, default=None)
    parser.add_argument("--deals", type=int, default=100)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--yardstick", type=Path, help="the yardstick's program, for the cost in its games")
    parser.add_argument("--decisions", nargs="+", help="decision points to search, instead of the strategy's own")
    for setting in SETTINGS:
        parser.add_argument(f"--{setting.name}", type=int if setting.whole else float, help=setting.meaning)
    options = parser.parse_args()
    ghost = options.players == 2 if options.ghost is None else options.ghost
    rules = Rules(players=options.players, edition=options.edition, ghost=ghost)
    strategy, field = load_strategy(options.strategy), load_strategy(options.field)
    changes = {s.name: value for s in SETTINGS if (value := getattr(options, s.name)) is not None}
    if strategy.search is not None:
        numbers = {**strategy.search.numbers, **changes}
        decisions = tuple(options.decisions or strategy.search.decisions)
        function = next(iter(strategy.functions.values()))
        search = replace(strategy.search, numbers=numbers, decisions=decisions)
        strategy = replace(strategy, search=search, functions=dict.fromkeys(decisions, function))
    shares, seconds = measured(strategy, field, rules, options.seed, options.deals)
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    told = {
        "strategy": options.strategy,
        **changes,
        "table": f"{rules.edition}, {rules.players} players{' and the ghost' if ghost else ''}",
        "games": options.deals * rules.players,
        "wins_percent": round(100 * shares.mean(), 2),
        "standard_error": round(100 * error, 2),
        "cpu_ms_a_game": round(1000 * seconds, 2),
    }
    if options.yardstick:
        told["greedy_games"] = round(seconds / greedy_seconds(options.yardstick))
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
