"""How well the shipped strategies play: win rates against `balanced`. How fast they are is in `speed.py`.

python benchmarks/strategies.py
"""

import click

from jamaica_sim import simulate
from jamaica_sim.game.rules import EDITIONS
from jamaica_sim.strategy.library import quick_names

PLAYERS, SEED = 4, 1


@click.command()
@click.option("--games", default=20_000, show_default=True, help="Games for each win rate.")
def main(games):
    """Print how often each strategy wins alone against three times `balanced`."""
    print(f"Win rate against three times balanced, {games:,} games (25% is par)")
    print(f"{'strategy':16}" + "".join(f"{edition:>16}" for edition in EDITIONS))
    for name in quick_names():
        cells = []
        for edition in EDITIONS:
            seats = [name, "balanced", "balanced", "balanced"]
            wins = simulate(games=games, players=PLAYERS, edition=edition, strategies=seats, seed=SEED).by_strategy()
            row = wins.set_index("strategy").loc[name]
            half_width = 50 * (row["win_rate_high"] - row["win_rate_low"])
            cells.append(f"{100 * row['win_rate']:.1f}% ± {half_width:.1f}")
        print(f"{name:16}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
