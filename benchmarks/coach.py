"""How good the coach is: whether its chances are calibrated, what following it wins, and how reviews rank players.

    python benchmarks/coach.py calibration --positions 1000
    python benchmarks/coach.py following --games 2000
    python benchmarks/coach.py reviews --games 200
    python benchmarks/coach.py ladder --games 50
    python benchmarks/coach.py coverage --games 20
    python benchmarks/coach.py luck --games 200
    python benchmarks/coach.py levels --games 20000

Four players, 2007. Calibration: one decision of each game of four `master`, at random; the chance that the coach gives
the answer given, against how the game ended. Following: every decision as the coach says, from 200 games for each
answer, against three `champion`. Reviews: error rates of players as if they were people, against three `champion`, and
how often the interval of ten games contains the rate of all of them. Ladder: the rates of `champion` with a part of its
choices at random, there and at a table of two with the ghost, on the same deals, smoothed by a parabola. Coverage: the
same games are reviewed again and again, and each interval is held against the mean of the other reviews. Luck: results
with average luck, against the results.
"""

import argparse
import random
import sys
from dataclasses import replace

import numpy as np

from jamaica_sim import simulate
from jamaica_sim.outside.game import Game
from jamaica_sim.play.chunks import Chunk, play_in_order
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.studio.coach import advise, adviser
from jamaica_sim.studio.levels import LEVELS, opponent
from jamaica_sim.studio.review import (
    FINER,
    GAMES,
    Value,
    error_of,
    mean_of,
    positions_of,
    with_average_luck,
)
from jamaica_sim.studio.review_ladder import AT_RANDOM, kind_of

CHOSEN_FROM = 200  # games for each answer
BINS = 5
OTHERS = "champion"
PLAYERS = ("beginner", "balanced", "champion", "searcher")
TEN = 10


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


def _people_table() -> GameTable:
    return Game(strategies=[None, OTHERS, OTHERS, OTHERS]).table


def covered(points: np.ndarray, tens: int = 2000, seed: int = 1) -> float:
    """How often the interval of ten games contains the mean of all of them."""
    luck = random.Random(seed)
    found = [mean_of([Value(x, 0.0) for x in luck.sample(list(points), TEN)]) for _ in range(tens)]
    return float(np.mean([abs(value.points - points.mean()) <= value.half for value in found]))


def _show_reviews(games: int) -> None:
    for name in PLAYERS:
        values = [error_of(*positions_of(_people_table(), opponent(name), number)) for number in range(games)]
        within = covered(np.array([value.points for value in values]))
        rate = mean_of(values)
        print(f"{name}: error rate {rate.points:.1f} ± {rate.half:.1f} points a game, {games} games;", end=" ")
        print(f"intervals of ten games cover it in {within:.1%}", flush=True)


def smoothed(points: np.ndarray) -> list[Value]:
    """The rungs of the ladder from points, a row for each deal: a parabola in each, and the mean of them all."""
    curves = np.array([np.polyval(np.polyfit(AT_RANDOM, row, 2), AT_RANDOM) for row in points])
    return [mean_of([Value(x, 0.0) for x in rung]) for rung in curves.T]


def _show_ladder(games: int) -> None:
    champion = load_strategy(OTHERS).changes
    rungs = [load_strategy({**champion, "errors": share}) for share in AT_RANDOM]
    for rules in (Rules(), Rules(players=2, ghost=True, edition="2021")):
        table = Game(rules=rules, strategies=[None, *[OTHERS] * (rules.players - 1)]).table
        points = [[error_of(*positions_of(table, rung, n)).points for rung in rungs] for n in range(games)]
        rungs_told = [f"{rung.points:.1f} ± {rung.half:.1f}" for rung in smoothed(np.array(points))]
        print(kind_of(rules), *rungs_told, f"{games} games each", sep="; ", flush=True)


def _show_coverage(games: int, again: int = 12) -> None:
    hits: list[bool] = []
    for number in range(games):
        values = []
        for seed in range(again):
            positions, seat = positions_of(_people_table(), opponent(PLAYERS[number % len(PLAYERS)]), number)
            positions.table = replace(positions.table, seed=seed)  # other luck for the games played on
            values.append(error_of(positions, seat))
        points = np.array([value.points for value in values])
        for value in values:
            others = (points.sum() - value.points) / (again - 1)
            hits.append(abs(value.points - others) <= value.half * np.sqrt(1 + 1 / (again - 1)))
    print(f"one game: intervals cover the mean of its other reviews in {np.mean(hits):.1%} of {len(hits)} reviews")


def _show_luck(games: int) -> None:
    for name in PLAYERS:
        table = seat_table(strategies=[opponent(name), OTHERS, OTHERS, OTHERS])
        (played,) = play_in_order(table, [Chunk(0, games)], 1, keep_rows=True)
        won = played.rows["winners"].astype(int)
        result = (won & 1) / np.array([winners.bit_count() for winners in won.tolist()])
        adjusted = np.empty(games)
        for number in range(games):
            positions, seat = positions_of(_people_table(), opponent(name), number)
            adjusted[number] = with_average_luck(positions, FINER * GAMES)[1][:, seat].mean()
        print(f"{name}: won {_percent(result)}, with average luck {_percent(adjusted)},", end=" ")
        print(f"difference {_percent(adjusted - result)}, variance {adjusted.var() / result.var():.2f}", flush=True)


def _show_levels(games: int) -> None:
    for name in LEVELS:
        played = games if name != "relentless" else max(200, games // 50)
        results = simulate(played, strategies=[opponent(name), *["balanced"] * 3])
        print(f"{name} against three balanced: {str(results).splitlines()[-1].strip(' >')}, {played} games")


SHOWN = {
    "calibration": _show_calibration,
    "reviews": _show_reviews,
    "ladder": _show_ladder,
    "coverage": _show_coverage,
    "luck": _show_luck,
    "levels": _show_levels,
}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["following", *SHOWN])
    parser.add_argument("--games", "--positions", type=int, default=200)
    asked = parser.parse_args()
    if asked.what == "following":
        print(f"following the coach against three {OTHERS}: {_percent(following(asked.games))}, {asked.games} games")
    else:
        SHOWN[asked.what](asked.games)


if __name__ == "__main__":
    main()
