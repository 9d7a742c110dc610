"""Best-fit Elo ratings from who beat whom, and how far they spread (Duersch, Lambrecht & Oechssler 2020).

The wider the ratings of a game's players spread, the more skill there is in the game. A rating difference of 400
points means odds of ten to one for the better player. Only differences are determined, so ratings are centred.
"""

import math

import numpy as np

POINTS = 400 / math.log(10)
MOST_STEPS = 100
PRIOR = 0.5  # one extra draw against everybody, so that a player who always won has a finite rating


def best_fit_ratings(beaten: np.ndarray) -> np.ndarray:
    """Ratings in Elo points from `beaten[i, j]`, how often i was ahead of j, a draw counting half.

    Maximum likelihood of the model of Bradley & Terry (1952), by Newton's method.
    """
    wins = np.array(beaten, float)
    np.fill_diagonal(wins, 0)
    wins += PRIOR * (1 - np.eye(len(wins)))
    met, strength = wins + wins.T, np.zeros(len(wins))
    for _ in range(MOST_STEPS):
        chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        slope = (wins - met * chance).sum(1)
        weight = met * chance * (1 - chance)
        curvature = np.diag(weight.sum(1)) - weight + 1 / len(wins)  # the last term keeps the mean at 0
        step = np.linalg.solve(curvature, slope)
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    return POINTS * (strength - strength.mean())


def chance_ahead(points: float) -> float:
    """How often a player rated `points` higher comes out ahead."""
    return 1 / (1 + 10 ** (-points / 400))
