"""How well the shipped strategies play, and what a decision costs: win rates against `balanced`, games a second.

Speed is games for each second of processor time of one thread. What is compared is measured in turns, several times,
and the middle of the ratios counts, because a machine is seldom quiet.

    python benchmarks/strategies.py --yardstick PATH
"""

import json
import subprocess
import time
from pathlib import Path

import click
import numpy as np

from jamaica_sim import simulate
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.tables import engine_tables
from jamaica_sim.rules import EDITIONS, Rules
from jamaica_sim.strategy.files import load_strategy, shipped_names, strategy_from_text
from jamaica_sim.strategy.seating import new_state, play
from jamaica_sim.words import DECISIONS

PLAYERS, SEED = 4, 1
FUNCTION = "\n\ndef {decision}(view, rules, weights):\n    return ask_heuristic(view, rules, weights)\n"
CALLS_HEURISTIC = "from jamaica_sim.strategy.view import ask_heuristic\n" + "".join(
    FUNCTION.format(decision=decision) for decision in DECISIONS
)


class Bench:
    """The same strategy in all four seats, ready to play the same games again and again."""

    def __init__(self, strategy):
        self._seats = [strategy] * PLAYERS
        self._tables = engine_tables(Rules(players=PLAYERS))
        self._state = new_state(self._seats)

    def play(self, games):
        """The result rows, and the seconds of processor time that they took."""
        rows = np.zeros(games, RESULT_DTYPE)
        started = time.thread_time()
        play(self._state, self._tables, self._seats, SEED, 0, rows)
        return rows, time.thread_time() - started


def yardstick_seconds(program, games):
    """The same for the one-ply heuristic of the yardstick, another engine of the same rules."""
    table = f"--players {PLAYERS} --edition 2007 --ghost 0 --strategies greedy"
    words = f"--games {games} {table} --seed {SEED} --threads 1"
    done = subprocess.run([program, *words.split()], capture_output=True, text=True, check=True)
    return games / json.loads(done.stdout)["games_per_cpu_second"]


def print_win_rates(games):
    """Each strategy alone against three times `balanced`."""
    print(f"Win rate against three times balanced, {games:,} games (25% is par)")
    print(f"{'strategy':16}" + "".join(f"{edition:>16}" for edition in EDITIONS))
    for name in shipped_names():
        cells = []
        for edition in EDITIONS:
            seats = [name, "balanced", "balanced", "balanced"]
            wins = simulate(games=games, players=PLAYERS, edition=edition, strategies=seats, seed=SEED).by_strategy()
            row = wins.set_index("strategy").loc[name]
            half_width = 50 * (row["win_rate_high"] - row["win_rate_low"])
            cells.append(f"{100 * row['win_rate']:.1f}% ± {half_width:.1f}")
        print(f"{name:16}" + "".join(f"{cell:>16}" for cell in cells))


def print_speed(games, turns, yardstick):
    """Four times `balanced`, the same by way of a code file, and the yardstick, in turns."""
    balanced = Bench(load_strategy("balanced"))
    by_code = Bench(strategy_from_text(CALLS_HEURISTIC, Path("calls_heuristic.py")))
    champion = Bench(load_strategy("champion"))
    same = balanced.play(500)[0].tobytes() == by_code.play(500)[0].tobytes()
    assert same, "a code file that only asks the heuristic must play the same games"
    champion.play(500)
    seconds = {"balanced": [], "by code": [], "champion": [], "yardstick": []}
    for _ in range(turns):
        seconds["balanced"].append(balanced.play(games)[1])
        seconds["by code"].append(by_code.play(games)[1])
        seconds["champion"].append(champion.play(games // 10)[1] * 10)
        if yardstick:
            seconds["yardstick"].append(yardstick_seconds(yardstick, games))

    def ratio(above, below):
        return np.median(np.divide(seconds[above], seconds[below]))

    def speed(name):
        return f"{games / np.median(seconds[name]):10,.0f} games/s"

    print(f"\nFour players, 2007, one thread, {turns} turns of {games:,} games")
    print(f"four times balanced                     {speed('balanced')}")
    print(f"the same, every decision by a code file {speed('by code')}   {ratio('by code', 'balanced') - 1:+.1%} time")
    print(f"four times champion                     {speed('champion')}")
    if yardstick:
        print(f"four times the yardstick's greedy       {speed('yardstick')}")
        print(f"balanced against the yardstick's greedy {ratio('yardstick', 'balanced'):10.2f}")


@click.command()
@click.option("--games", default=20_000, show_default=True, help="Games for each win rate and each turn.")
@click.option("--turns", default=7, show_default=True, help="How often each speed is measured.")
@click.option("--yardstick", type=click.Path(exists=True), help="The yardstick's program, to compare speed with.")
def main(games, turns, yardstick):
    """Print the win rates of the library and the cost of its decisions."""
    print_win_rates(games)
    print_speed(games, turns, yardstick)


if __name__ == "__main__":
    main()
