"""How good the coach is: whether its chances are calibrated, what following it wins, and how reviews rank players.

    python benchmarks/coach.py calibration --positions 1000
    python benchmarks/coach.py following --games 2000
    python benchmarks/coach.py reviews --games 200
    python benchmarks/coach.py levels --games 20000

Four players, 2007. Calibration: one decision of each game of four `master`, at random; the chance that the coach gives
the answer given, against how the game ended. Following: every decision as the coach says, from 200 games for each
answer, against three `champion`. Reviews: error rates of players as if they were people, against three `champion`.
"""

import argparse
import random
import sys

import numpy as np

from jamaica_sim import simulate
from jamaica_sim.outside.game import Game
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.studio.coach import advise, adviser
from jamaica_sim.studio.levels import LEVELS, opponent
from jamaica_sim.studio.review import error_of_strategy, mean_of

CHOSEN_FROM = 200  # games for each answer
BINS = 5
OTHERS = "champion"


def calibration(positions: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Chances, and the shares of the victory that came of them."""
    luck, table = random.Random(seed), seat_table(strategies=adviser(), seed=seed)
    foretold, came = np.empty(positions), np.empty(positions)
    for number in range(positions):
        game = GamePositions(table, number)
        position = luck.choice(game.decisions())
        (chances,) = game.chances([Onward(position, position.answer, as_known=True)], CHOSEN_FROM)
        row, _ = game.retold(position, position.answer)
        winners = int(row["winners"])
        foretold[number] = chances.of(position.player)
        came[number] = (winners >> position.player & 1) / winners.bit_count()
    return foretold, came


def following(games: int, seed: int = 1, chosen_from: int = CHOSEN_FROM) -> np.ndarray:
    """Shares of the victory of somebody who does what the coach says."""
    shares = np.empty(games)
    for number in range(games):
        game = Game(strategies=[None, OTHERS, OTHERS, OTHERS], seed=seed, number=number)
        while game.question is not None:
            (*_, advice) = advise(game, most=chosen_from)
            game.answer(advice.best)
        winners = game.result["winners"]
        shares[number] = (0 in winners) / len(winners)
        if number % 100 == 99:
            print(f"{number + 1} games: {_percent(shares[: number + 1])}", file=sys.stderr)
    return shares


def _percent(shares: np.ndarray) -> str:
    return f"{100 * shares.mean():.1f}% ± {196 * shares.std(ddof=1) / np.sqrt(len(shares)):.1f}"


def _show_calibration(games: int) -> None:
    foretold, came = calibration(games)
    for part in np.array_split(np.argsort(foretold), BINS):
        print(f"foretold {100 * foretold[part].mean():5.1f}%, came {_percent(came[part])}, {len(part)} positions")
    print(f"all: came minus foretold {_percent(came - foretold)}")


def _show_reviews(games: int) -> None:
    table = Game(strategies=[None, OTHERS, OTHERS, OTHERS]).table
    for name in ("beginner", "balanced", "champion", "searcher"):
        values = [error_of_strategy(table, opponent(name), number) for number in range(games)]
        print(f"{name}: error rate {mean_of(values)} points a game, {games} games")


def _show_levels(games: int) -> None:
    for name in LEVELS:
        played = games if name != "relentless" else max(200, games // 50)
        results = simulate(played, strategies=[opponent(name), *["balanced"] * 3])
        print(f"{name} against three balanced: {str(results).splitlines()[-1].strip(' >')}, {played} games")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calibration", "following", "reviews", "levels"])
    parser.add_argument("--games", "--positions", type=int, default=200)
    asked = parser.parse_args()
    if asked.what == "following":
        print(f"following the coach against three {OTHERS}: {_percent(following(asked.games))}, {asked.games} games")
    else:
        {"calibration": _show_calibration, "reviews": _show_reviews, "levels": _show_levels}[asked.what](asked.games)


if __name__ == "__main__":
    main()
