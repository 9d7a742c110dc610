"""A learner of thirty lines: it plays against `random`, and after a minute it wins four games in five.

It is a softmax over scores that are linear in the observation, improved by the gradient of the expected lead
(REINFORCE: Williams 1992) with Adam. `python docs/learner.py 60 curve.svg` learns for 60 seconds of processor time and
draws the share of games won, with the level of `balanced` in the same seat.
"""

import sys
import time

import numpy as np

from jamaica_sim import Games, simulate

FIELD = ["random"] * 3
SIZE = 128  # games between two improvements


def odds_of(weights, games):
    """What the learner sees in each game, with a 1 for the constant, and how likely it is to take each action."""
    seen, legal = np.c_[games.observation(), np.ones(games.size, np.float32)], games.action_mask() == 1
    scores = np.where(legal, seen @ weights, -np.inf)
    odds = np.where(legal, np.exp(scores - scores.max(axis=1, keepdims=True, where=legal, initial=-1e9)), 0)
    return seen, odds / odds.sum(axis=1, keepdims=True).clip(1e-30)


def play(weights, first, rng):
    """Play games to their end: what was seen and done, and the learner's lead over the best other ship."""
    games = Games(SIZE, strategies=[None, *FIELD], seed=1, first=first, restart=False, rewards="points")
    told, lead = [], np.zeros(SIZE)
    while not games.over.all():
        waiting = np.flatnonzero(~games.over)
        seen, odds = odds_of(weights, games)
        actions = (odds.cumsum(axis=1) > rng.random((SIZE, 1))).argmax(axis=1)
        told.append((waiting, seen[waiting], odds[waiting], actions[waiting]))
        games.step_actions(actions)
        ended = games.rewards.any(axis=1)
        lead[ended] = games.rewards[ended, 0] - games.rewards[ended, 1:4].max(axis=1)
    return told, lead


def learn(seconds, rate=0.005, seed=1):
    """Learn for so many seconds; returns the weights and, for each improvement, the time and the share of games won."""
    rng, started = np.random.default_rng(seed), time.process_time()
    weights = np.zeros((len(Games.observation_names) + 1, Games.actions), np.float32)
    mean, square, curve = np.zeros_like(weights), np.zeros_like(weights), []
    while not curve or curve[-1][0] < seconds:
        told, lead = play(weights, SIZE * len(curve), rng)
        gain = ((lead - lead.mean()) / (lead.std() + 1e-6)).astype(np.float32)
        slope = np.zeros_like(weights)
        for games, seen, odds, actions in told:
            odds[np.arange(actions.size), actions] -= 1
            slope -= seen.T @ (odds * gain[games, None]) / SIZE
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        step = len(curve) + 1
        weights += rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.99**step)) + 1e-6)
        curve.append((time.process_time() - started, (lead > 0).mean()))
    return weights, np.array(curve)


def draw(curve, path):
    """Draw the learning curve, ten improvements at a time, and the level of `balanced`."""
    import matplotlib.pyplot as plt

    level = simulate(games=20_000, strategies=["balanced", *FIELD]).win_rate("balanced").value
    whole = curve[: len(curve) // 10 * 10].reshape(-1, 10, 2).mean(axis=1)
    _, ax = plt.subplots(figsize=(7, 3.5))
    ax.plot(whole[:, 0], 100 * whole[:, 1], label="the learner")
    ax.axhline(100 * level, color="#D55E00", ls="--", label=f"balanced, {100 * level:.0f}%")
    ax.axhline(25, color="#7A7A7A", ls=":", label="random, 25%")
    ax.set(xlabel="seconds of processor time", ylabel="games won, %", ylim=(0, 105))
    ax.legend(loc="lower right", frameon=False)
    ax.figure.savefig(path, bbox_inches="tight")


if __name__ == "__main__":
    _, curve = learn(float(sys.argv[1]))
    print(f"{len(curve) * SIZE:,} games, {100 * curve[-20:, 1].mean():.0f}% of the last {20 * SIZE:,} won")
    if len(sys.argv) > 2:
        draw(curve, sys.argv[2])
