"""Fits the value of a position, at which search cuts off its rollouts, for each kind of table; writes `value.csv`.

    python tools/fit_value.py [--games 40000] [--strategy champion]

Every game begins with none to eight rounds of erring play, so that the fit sees hands and spaces that good play
avoids. From then on the strategy plays the game to its end. After each of these later rounds the features of all ships
are kept. The target is who won in the end, mixed with a share by points. Newton's method, with a small ridge, finds the
conditional logit that fits best. A quarter of the games is held out: the printed table says how well the value predicts
them, compared with equal chances for all.
"""

import argparse
import csv

import numpy as np

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.play_on import is_over, next_round
from jamaica_sim.engine.position import copy_position, new_position, seat_players_of
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.state_record import new_state
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.search.value import FEATURES, FEATURES_DTYPE, FILE, nearest_home, write_features

ROUNDS = 16  # kept of a game at most
LONGEST_ERRING = 8  # rounds
NOISES = (0.0, 0.0, 4.0, 10.0)  # the weight `noise` of erring play, one for each game
AT_ONCE = 4000
SEED = 4_711
RIDGE = 1e-3
POINTS = 5.0
MARGIN = 0.5


@entry
def sample_games(states, rulebooks, seed, first, erring, heuristic, addresses, features, rows, games, scores, winners):
    """Play games, each with some rounds of an erring heuristic first; keep all ships' features after later rounds."""
    s, r = states[0], rulebooks[0]
    own = new_position()
    copy_position(own, s)
    kept = 0
    for game in range(erring.size):
        set_up(s, r, seed, first + game)
        for ship in range(r.players):
            s.weights[ship] = addresses[game]
            for decision in range(s.strategy.shape[0]):
                s.strategy[decision, ship] = heuristic
        while not is_over(s, r):
            if s.round == erring[game]:
                seat_players_of(own, s)
            next_round(s, r)
            if not is_over(s, r) and s.round >= erring[game] and kept < rows:
                nearest, second = nearest_home(s, r)
                for ship in range(r.ships):
                    write_features(s, r, ship, nearest, second, features[kept, ship])
                games[kept] = game
                kept += 1
        seat_players_of(own, s)
        score_game(s, r)
        winners[game] = s.winners
        for ship in range(r.ships):
            scores[game, ship] = s.score[ship]
    return kept


def positions(rules, strategy, games, first):
    """Features by position and ship, and the target of each ship: its share of the win, mixed with one by points."""
    random = np.random.default_rng(SEED + first)
    erring = random.integers(0, LONGEST_ERRING + 1, games)
    noisy = [load_strategy({**strategy.changes, "foresight": 0.0, "noise": noise}) for noise in NOISES]
    addresses = np.array([noisy[i].weights.ctypes.data for i in random.integers(0, len(noisy), games)])
    rows = games * ROUNDS
    features, game_of = np.zeros((rows, rules.ships), FEATURES_DTYPE), np.zeros(rows, np.int64)
    winners, scores = np.zeros(games, np.int64), np.zeros((games, MAX_SHIPS))
    state = new_state([strategy] * rules.players, rules)
    kept = sample_games(
        *(state, rulebook_of(rules), SEED, first, erring, noisy[0].heuristic.address, addresses),
        *(features, rows, game_of, scores, winners),
    )
    wins = winners[:, None] >> np.arange(rules.ships) & 1
    shares = np.exp((scores[:, : rules.ships] - scores[:, : rules.ships].max(1, keepdims=True)) / POINTS)
    target = (1 - MARGIN) * wins / wins.sum(1, keepdims=True) + MARGIN * shares / shares.sum(1, keepdims=True)
    return features["numbers"][:kept, :, : len(FEATURES)].astype(np.float32), target[game_of[:kept]].astype(np.float32)


def all_positions(rules, strategy, games, first):
    """`positions` for many games, some at a time so that the memory suffices."""
    starts = range(first, first + games, AT_ONCE)
    parts = [positions(rules, strategy, min(AT_ONCE, first + games - start), start) for start in starts]
    return tuple(np.concatenate([part[i] for part in parts]) for i in range(2))


def chances(features, coefficients):
    strength = features @ coefficients.astype(features.dtype)
    strength = np.exp(strength - strength.max(1, keepdims=True))
    return strength / strength.sum(1, keepdims=True)


def fit(features, target):
    """The coefficients with the greatest likelihood, by Newton's method."""
    count = len(features)
    scale = features.std((0, 1), dtype=float)
    scale = np.where(scale > 1e-6, scale, 0)
    x = features / np.where(scale > 0, scale, 1).astype(features.dtype)
    coefficients = np.zeros(x.shape[2])
    for _ in range(8):
        p = chances(x, coefficients)
        gradient = (x.reshape(-1, x.shape[2]).T @ (target - p).ravel()) / count - RIDGE * coefficients
        mean = (x * p[..., None]).sum(1)
        flat = (x * np.sqrt(p)[..., None]).reshape(-1, x.shape[2])
        hessian = (flat.T @ flat - mean.T @ mean).astype(float) / count + RIDGE * np.eye(x.shape[2])
        step = np.linalg.solve(hessian, gradient)
        coefficients += step
        if np.abs(step).max() < 1e-4:
            break
    return np.where(scale > 0, coefficients / np.where(scale > 0, scale, 1), 0)


def loss(p, target):
    return -np.mean((target * np.log(np.maximum(p, 1e-12))).sum(1), dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=40_000, help="games for each kind of table")
    parser.add_argument("--strategy", default="champion", help="who plays them, a file of weights")
    parser.add_argument("--only", nargs="+", help="kinds of table, as printed without spaces; others stay as they are")
    options = parser.parse_args()
    strategy = load_strategy(options.strategy)
    with FILE.open(encoding="utf-8", newline="") as file:
        old = {tuple(row[:3]): row for row in list(csv.reader(file))[1:]}
    rows = []
    for rules in every_rules():
        ghost = "yes" if rules.ghost else "no"
        key = rules.edition, str(rules.players), ghost
        if options.only and "/".join(key) not in options.only:
            row = old[key]
            rows.append(row + ["0"] * (3 + len(FEATURES) - len(row)))
            continue
        kept_back = options.games // 4
        features, target = all_positions(rules, strategy, options.games - kept_back, 0)
        coefficients = fit(features, target)
        test = all_positions(rules, strategy, kept_back, 1_000_000)
        known, nothing = (
            loss(chances(test[0], coefficients), test[1]),
            loss(np.full(test[1].shape, 1 / rules.ships), test[1]),
        )
        print(
            f"{'/'.join(key)}: {len(features):,} positions, loss {known:.4f}, knowing nothing {nothing:.4f}", flush=True
        )
        rows.append([*key, *(f"{number:.5g}" for number in coefficients)])
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["edition", "players", "with_ghost", *FEATURES])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
