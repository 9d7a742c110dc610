"""How good the coach is: whether its chances are calibrated, what following it wins, and how reviews rank players.

    python benchmarks/coach.py calibration --positions 1000
    python benchmarks/coach.py following --games 2000
    python benchmarks/coach.py reviews --games 200
    python benchmarks/coach.py ladder --games 50
    python benchmarks/coach.py luck --games 200
    python benchmarks/coach.py levels --games 20000

Four players, 2007. Calibration: one decision of each game of four `master`, at random; the chance that the coach gives
the answer given, against how the game ended. Following: every decision as the coach says, from 200 games for each
answer, against three `master`. Reviews: error rates of players as if they were people, against three `champion`, and
how often the interval of ten games contains the rate of all of them. Ladder: the rates of `champion` with a part of its
choices at random, there and at a table of two with the ghost, on the same deals, smoothed by a parabola. Luck: results
with average luck, against the results. How often the interval of one review holds: `calibration.py --only reviews`.
"""

import argparse
import random
import sys

import numpy as np

from jamaica_sim import simulate
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import Chunk, play_in_order
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.positions import GamePositions, Onward
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.web.coach import advise_on, adviser
from jamaica_sim.web.levels import LEVELS, opponent
from jamaica_sim.web.review import (
    FINER,
    GAMES,
    Value,
    error_of,
    mean_of,
    positions_of,
    with_average_luck,
)
from jamaica_sim.web.review_ladder import AT_RANDOM, kind_of

CHOSEN_FROM = 200  # games for each answer
BINS = 5
OTHERS = "champion"
PLAYERS = ("child", "beginner", "club_player", "balanced", "champion", "master", "searcher")
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


def following(
    games: int, seed: int = 1, chosen_from: int = CHOSEN_FROM, first: int = 0, against: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Somebody does what the coach says, against three others: what this gains in each game, and its result.

    The gain is the sum, over the decisions at which the coach differs from its adviser, of the difference between both
    answers in other games, which the adviser plays on against the same others, with all hidden cards as they lie. On
    average that is how much more often the coach wins than its adviser would in this seat: Kakade and Langford (2002),
    lemma 6.1. It varies far less than the results. The others are the adviser too, unless named.
    """
    gains, shares = np.zeros(games), np.empty(games)
    others = [load_strategy(against) if against else adviser()] * 3
    for k in range(games):
        game = Game(strategies=[None, *others], seed=seed, number=first + k)
        while game.question is not None:
            positions = game.positions(adviser(), everywhere=True)
            for advice in advise_on(positions, positions.all[-1], most=chosen_from):
                if advice.is_settled:
                    break
            if advice.best != advice.thought:
                measured = game.positions(adviser()) if against else positions
                ways = [Onward(measured.all[-1], answer) for answer in (advice.best, advice.thought)]
                better, own = measured.chances(ways, chosen_from, first=chosen_from)
                gains[k] += better.of(0) - own.of(0)
            game.answer(advice.best)
        winners = game.result["winners"]
        shares[k] = (0 in winners) / len(winners)
        if k % 20 == 19:
            print(f"{k + 1} games: gain {_percent(gains[: k + 1])}, won {_percent(shares[: k + 1])}", file=sys.stderr)
    return gains, shares


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


def _show_luck(games: int) -> None:
    for name in PLAYERS:
        table = seat_table(strategies=[opponent(name), OTHERS, OTHERS, OTHERS])
        (played,) = play_in_order([table], [Chunk(0, games)], 1, keep_rows=True)
        won = played.rows["winners"].astype(int)
        result = (won & 1) / np.array([winners.bit_count() for winners in won.tolist()])
        adjusted = np.empty(games)
        for number in range(games):
            positions, seat = positions_of(_people_table(), opponent(name), number)
            adjusted[number] = with_average_luck(positions, FINER * GAMES)[1][:, seat].mean()
        spread = result.var() or np.nan  # of nobody who always wins or never
        print(f"{name}: won {_percent(result)}, with average luck {_percent(adjusted)},", end=" ")
        print(f"difference {_percent(adjusted - result)}, variance {adjusted.var() / spread:.2f}", flush=True)


def _show_levels(games: int) -> None:
    for name, above in zip(LEVELS, [*list(LEVELS)[1:], None], strict=True):
        others = [opponent(above)] * 3 if above else ["balanced"] * 3
        played = max(200, games // 20) if "relentless" in (name, above) else games
        results = simulate(played, strategies=[opponent(name), *others])
        told = str(results).splitlines()[-1].strip(" >")
        print(f"{name} against three {above or 'balanced'}: {told}, {played} games", flush=True)


SHOWN = {
    "calibration": _show_calibration,
    "reviews": _show_reviews,
    "ladder": _show_ladder,
    "luck": _show_luck,
    "levels": _show_levels,
}


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["following", *SHOWN])
    parser.add_argument("--games", "--positions", type=int, default=200)
    parser.add_argument("--first", type=int, default=0, help="number of the first game to follow the coach in")
    parser.add_argument("--against", default="", help="whom to follow the coach against")
    asked = parser.parse_args()
    if asked.what == "following":
        gains, shares = following(asked.games, first=asked.first, against=asked.against)
        others = asked.against or adviser().name
        print(f"following the coach against three {others}: gain {_percent(gains)}, won {_percent(shares)},", end=" ")
        print(f"{asked.games} games from number {asked.first}")
    else:
        SHOWN[asked.what](asked.games)


if __name__ == "__main__":
    main()
