"""The coach on a small scale: its chances are near what comes of them, and following it does not lose."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "benchmarks"))
from coach import AT_RANDOM, calibration, following, smoothed  # noqa: E402

pytestmark = pytest.mark.slow


def test_chances_are_calibrated():
    foretold, came = calibration(150)
    error = came - foretold
    assert abs(error.mean()) < 3 * error.std(ddof=1) / np.sqrt(len(error))
    halves = np.array_split(np.argsort(foretold), 2)
    assert came[halves[1]].mean() > came[halves[0]].mean()


def test_who_follows_the_coach_is_not_worse_than_the_others():
    gains, shares = following(12, chosen_from=64)
    assert gains.mean() + 3 * gains.std(ddof=1) / np.sqrt(len(gains)) > 0
    assert shares.mean() + 3 * shares.std(ddof=1) / np.sqrt(len(shares)) > 0.25


def test_a_smoothed_ladder_keeps_a_parabola_and_has_the_interval_of_the_deals():
    shares, luck = np.array(AT_RANDOM), np.random.default_rng(1).normal(0, 5, 40)
    rungs = smoothed(6 + 50 * shares - 20 * shares**2 + (luck - luck.mean())[:, None])
    assert np.allclose([rung.points for rung in rungs], 6 + 50 * shares - 20 * shares**2)
    assert np.allclose([rung.half for rung in rungs], 2.023 * luck.std(ddof=1) / np.sqrt(40), rtol=0.01)
