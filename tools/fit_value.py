"""Fits the value of a position, at which search cuts off its rollouts, for each kind of table; writes `value.npz`.

    python tools/fit_value.py [--games 80000] [--strategy master]

Every game begins with none to eight rounds of erring play, so that the fit sees hands and spaces that good play
avoids. From then on the strategy plays the game to its end. After each of these later rounds the features of all ships
are kept. The target is who won in the end, mixed with a share by points. A quarter of the games is held out: the
printed table says how well the value predicts them, compared with equal chances for all.
"""

import argparse
import zipfile

import numpy as np

from jamaica_sim.engine.machine.jit import entry
from jamaica_sim.engine.play_on import is_over, next_round
from jamaica_sim.engine.position import copy_position, new_position, seat_players_of
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.scoring import score_game
from jamaica_sim.engine.setup import set_up
from jamaica_sim.game.codes import MAX_SHIPS
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.state_record import new_state
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.search.value import (
    FEATURES,
    FEATURES_DTYPE,
    FILE,
    UNITS,
    VALUE_DTYPE,
    kind_number,
    nearest_home,
    write_features,
)

ROUNDS = 16  # kept of a game at most
LONGEST_ERRING = 8  # rounds
NOISES = (0.0, 0.0, 4.0, 10.0)  # the weight `noise` of erring play, one for each game
AT_ONCE = 4000
SEED = 4_711
EPOCHS, BATCH, RATE, DECAY = 8, 512, 2e-3, 1e-2  # of Adam, with a rate that falls with a cosine
FADE, FADE_SQUARES, TINY = 0.9, 0.999, 1e-8
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


def chances(features, net):
    """The chances of all ships, the features of all ships in one column, and the units of the hidden layer."""
    first, bias, last = net
    flat = features.reshape(-1, features.shape[2])
    units = np.maximum(flat @ first + bias, 0)
    strength = (units @ last).reshape(features.shape[:2])
    share = np.exp(strength - strength.max(1, keepdims=True))
    return share / share.sum(1, keepdims=True), flat, units


def fit(features, target):
    """The net with the greatest likelihood that was found, for features as they are."""
    random, count = np.random.default_rng(SEED), features.shape[2]
    scale = features.std((0, 1))
    varies = scale > 1e-6
    scale = np.where(varies, scale, np.float32(1))
    net = [
        random.normal(0, count**-0.5, (count, UNITS)).astype(np.float32),
        np.zeros(UNITS, np.float32),
        random.normal(0, 0.3 * UNITS**-0.5, UNITS).astype(np.float32),
    ]
    means, squares = [np.zeros_like(part) for part in net], [np.zeros_like(part) for part in net]
    features = features / scale
    steps, step = EPOCHS * (len(features) // BATCH), 0
    for _ in range(EPOCHS):
        for batch in np.split(random.permutation(len(features))[: steps // EPOCHS * BATCH], steps // EPOCHS):
            p, flat, units = chances(features[batch], net)
            slope = ((p - target[batch]) / BATCH).reshape(-1)
            back = slope[:, None] * net[2] * (units > 0)
            step += 1
            rate = 0.5 * RATE * (1 + np.cos(np.pi * step / steps))
            for i, gradient in enumerate((flat.T @ back, back.sum(0), units.T @ slope)):
                means[i] = FADE * means[i] + (1 - FADE) * gradient
                squares[i] = FADE_SQUARES * squares[i] + (1 - FADE_SQUARES) * gradient**2
                size = np.sqrt(squares[i] / (1 - FADE_SQUARES**step)) + TINY
                net[i] -= rate * (means[i] / (1 - FADE**step) / size + DECAY * net[i])
    return [np.where(varies[:, None], net[0] / scale[:, None], 0), net[1], net[2]]


def loss(p, target):
    return -np.mean((target * np.log(np.maximum(p, 1e-12))).sum(1), dtype=float)


def write(record):
    """Write the nets with half the digits; the same nets always give the same bytes."""
    with zipfile.ZipFile(FILE, "w") as archive:
        for name in VALUE_DTYPE.names:
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w") as member:
                np.lib.format.write_array(member, record[name][0].astype(np.float16), allow_pickle=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=80_000, help="games for each kind of table")
    parser.add_argument("--strategy", default="master", help="who plays them")
    options = parser.parse_args()
    strategy, record = load_strategy(options.strategy), np.zeros(1, VALUE_DTYPE)
    for rules in every_rules():
        kept_back = options.games // 4
        net = fit(*all_positions(rules, strategy, options.games - kept_back, 0))
        kind = kind_number(rules.players, rules.ghost, rules.edition)
        record["first"][0, kind, : len(FEATURES)], record["bias"][0, kind], record["last"][0, kind] = net
        features, target = all_positions(rules, strategy, kept_back, 1_000_000)
        known, nothing = loss(chances(features, net)[0], target), np.log(rules.ships)
        print(f"{rules}: loss {known:.4f}, knowing nothing {nothing:.4f}", flush=True)
    write(record)


if __name__ == "__main__":
    main()
