"""Fits the value of a position that search cuts its rollouts off with, for each kind of table, and writes `value.csv`.

    python benchmarks/fit_value.py [--games 6000] [--strategies champion …]

Games are played round by round; after each round the features of all ships are kept, and in the end who won, mixed
with a share by points. The conditional logit that explains this best is found by Newton's method, with a small ridge.
Half of the games are kept back: the table printed says how well the value foretells them, next to knowing nothing.
"""

import argparse
import csv

import numpy as np

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.play_on import is_over, next_round
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.state_record import new_state
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.search.value import FEATURES, FILE, lateness, write_features

ROUNDS = 16  # kept of a game at most
SEED = 4_711
RIDGE = 1e-3
POINTS = 5.0
MARGIN = 0.5


@entry
def sample_games(states, rulebooks, seed, first, features, kept, scores, winners):
    """Play a game for each row and keep the features of all ships after each round."""
    s, r = states[0], rulebooks[0]
    for game in range(kept.size):
        set_up(s, r, seed, first + game)
        while not is_over(s, r):
            next_round(s, r)
            if not is_over(s, r) and s.round <= features.shape[1]:
                late = lateness(s, r)
                for ship in range(r.ships):
                    write_features(s, r, ship, late, features[game, s.round - 1, ship])
                kept[game] = s.round
        score_game(s, r)
        winners[game] = s.winners
        for ship in range(r.ships):
            scores[game, ship] = s.score[ship]


def positions(rules, names, games, first):
    """Features by position and ship, and what became of each ship."""
    features = np.zeros((games, ROUNDS, rules.ships, len(FEATURES)))
    kept, winners, scores = np.zeros(games, np.int64), np.zeros(games, np.int64), np.zeros((games, MAX_SHIPS))
    strategies = [load_strategy(names[seat % len(names)]) for seat in range(rules.players)]
    sample_games(new_state(strategies, rules), rulebook_of(rules), SEED, first, features, kept, scores, winners)
    wins = winners[:, None] >> np.arange(rules.ships) & 1
    shares = np.exp((scores[:, : rules.ships] - scores[:, : rules.ships].max(1, keepdims=True)) / POINTS)
    target = (1 - MARGIN) * wins / wins.sum(1, keepdims=True) + MARGIN * shares / shares.sum(1, keepdims=True)
    chosen = np.arange(ROUNDS) < kept[:, None]
    game, _ = np.nonzero(chosen)
    return features[chosen], target[game]


def chances(features, coefficients):
    strength = features @ coefficients
    strength = np.exp(strength - strength.max(1, keepdims=True))
    return strength / strength.sum(1, keepdims=True)


def fit(features, target):
    """The coefficients with the greatest likelihood, by Newton's method."""
    count = len(features)
    scale = features.std((0, 1))
    x = features / np.where(scale > 0, scale, 1)
    coefficients = np.zeros(x.shape[2])
    for _ in range(12):
        p = chances(x, coefficients)
        gradient = np.einsum("nsk,ns->k", x, target - p) / count - RIDGE * coefficients
        mean = np.einsum("nsk,ns->nk", x, p)
        flat = (x * np.sqrt(p)[..., None]).reshape(-1, x.shape[2])
        hessian = flat.T @ flat / count - mean.T @ mean / count + RIDGE * np.eye(x.shape[2])
        step = np.linalg.solve(hessian, gradient)
        coefficients += step
        if np.abs(step).max() < 1e-6:
            break
    return np.where(scale > 0, coefficients / np.where(scale > 0, scale, 1), 0)


def loss(p, target):
    return -np.mean((target * np.log(np.maximum(p, 1e-12))).sum(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=6000, help="games for each kind of table")
    parser.add_argument(
        "--strategies", nargs="+", default=["champion"], help="who plays them, in turn around the table"
    )
    options = parser.parse_args()
    rows = []
    for rules in every_rules():
        half = options.games // 2
        train, test = (positions(rules, options.strategies, half, first) for first in (0, half))
        coefficients = fit(*train)
        known, nothing = (
            loss(chances(test[0], coefficients), test[1]),
            loss(np.full(test[1].shape, 1 / rules.ships), test[1]),
        )
        who = f"{rules.edition}, {rules.players} players{' and the ghost' if rules.ghost else ''}"
        print(f"{who}: {len(train[0]):,} positions, loss {known:.4f}, knowing nothing {nothing:.4f}", flush=True)
        both = fit(np.concatenate([train[0], test[0]]), np.concatenate([train[1], test[1]]))
        ghost = "yes" if rules.ghost else "no"
        rows.append([rules.edition, rules.players, ghost, *(f"{number:.5g}" for number in both)])
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["edition", "players", "with_ghost", *FEATURES])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
