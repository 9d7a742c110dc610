"""Checks chances to win against outcomes: over a thousand games, a ship with a 30% chance should win 30% of the time.

From each game one moment is taken, between two rounds or after a throw or draw inside one, and played on many times
with new luck. Each ship's chance is compared with whether it won.
    python benchmarks/true_chances.py                 some minutes on two cores
    python benchmarks/true_chances.py --games 100     a quick look
"""

from dataclasses import dataclass

import click
import numpy as np

from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.play.trace import replay_table
from jamaica_sim.replays.book import Book
from jamaica_sim.replays.box import box_of
from jamaica_sim.replays.moments import moments_of

TENTHS = np.linspace(0, 1, 11)
STRIDE = 7  # so that the moments lie all over the games


@dataclass(frozen=True)
class Tenth:
    """The chances from one tenth of the scale: their mean, and the share that came true."""

    chances: int
    said: float
    came_true: float
    error: float  # the standard error of the difference


def calibration(
    games: int, onward: int, strategies=("balanced", "racer", "champion", "random"), seed: int = 9
) -> list[Tenth]:
    """Take one moment of each of `games` games, and play on from it `onward` times."""
    table = seat_table(strategies=list(strategies), players=len(strategies), seed=seed)
    said, came_true = [], []
    for game in range(games):
        trace, positions = replay_table(table, game), GamePositions(table, game)
        (found,) = positions.chances([_moment(positions, trace, table.rules, game)], onward)
        winners = trace["result"]["winners"]
        said += found.wins.tolist()
        came_true += [(ship in winners) / len(winners) for ship in range(len(strategies))]
    return by_tenths(np.array(said), np.array(came_true), onward)


def _moment(positions, trace, rules, game):
    box = box_of(trace, rules)
    names = [ship.name for ship in Book(trace, box).ships]
    ways = [Onward(position) for position in positions.between_rounds()]
    ways += [moment.onward for of_round in moments_of(positions, trace, box, names) for moment in of_round]
    ways = [way for way in ways if way]
    return ways[game * STRIDE % len(ways)]


def by_tenths(said, came_true, onward) -> list[Tenth]:
    """The chances and how often they came true, for each tenth that has any."""
    found = []
    for low, high in zip(TENTHS, TENTHS[1:], strict=False):
        near = (said >= low) & ((said < high) | (high == 1))
        if near.any():
            mean = said[near].mean()
            spread = max(0.05, mean * (1 - mean))  # never less, even where nearly all or nearly none came true
            error = np.sqrt(spread / near.sum() + spread / onward / near.sum())
            found.append(Tenth(int(near.sum()), mean, came_true[near].mean(), error))
    return found


@click.command()
@click.option("--games", default=1000, show_default=True)
@click.option("--onward", default=300, show_default=True, help="Games played on from each moment.")
def main(games, onward):
    """Print the chances that were said and those that came true."""
    print(f"one moment of each of {games:,} games, {onward:,} games played on from each")
    for tenth in calibration(games, onward):
        word = "" if abs(tenth.said - tenth.came_true) < 2 * tenth.error else "  beyond two standard errors"
        print(
            f"{tenth.chances:>6} chances, {tenth.said:6.1%} on average: {tenth.came_true:6.1%} ± {2 * tenth.error:.1%} "
            f"came true{word}"
        )


if __name__ == "__main__":
    main()
