"""MaskablePPO of sb3-contrib learns to play against `random`: `python docs/masked_ppo.py 200000` decisions.

The observation is the vector alone (`flat`), and the mask comes from `action_masks()`. Needs `pip install sb3-contrib`.
"""

import sys

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from jamaica_sim.environments import JamaicaEnv

FIELD = [None, "random", "random", "random"]


def learn(decisions, seed=1):
    """A model that has made so many decisions."""
    torch.set_num_threads(1)  # so small a net learns no faster with more, and far slower on a busy machine
    env = JamaicaEnv(flat=True, strategies=FIELD, seed=seed)
    model = MaskablePPO("MlpPolicy", env, n_steps=1024, batch_size=256, ent_coef=0.01, seed=seed, device="cpu")
    return model.learn(decisions)


def wins(model, games, seed=2):
    """The share of the victory in each of so many games that it was not taught with."""
    env, shares = JamaicaEnv(flat=True, strategies=FIELD, seed=seed), np.zeros(games)
    for game in range(games):
        seen, _ = env.reset()
        over = False
        while not over:
            action, _ = model.predict(seen, action_masks=env.action_masks())
            seen, shares[game], ended, cut_off, _ = env.step(int(action))
            over = ended or cut_off
    return shares


if __name__ == "__main__":
    found = wins(learn(int(sys.argv[1])), 400)
    half = 1.96 * found.std(ddof=1) / np.sqrt(found.size)
    print(f"won {100 * found.mean():.1f}% ± {100 * half:.1f} of {found.size} games against three random, even is 25%")
