"""Morris screening and Sobol indices of a function of whole numbers, by SALib.

SALib samples real numbers; here each becomes an index into a rule's values. Morris walks on four levels. Even rounded
to whole numbers, all steps of one rule are equally long, because the levels lie symmetrically. So the effects only have
to be scaled by that length. Sobol's samples are uniform, so every value is as likely as any other.

Morris (1991), Campolongo et al. (2007) for mu star; Saltelli et al. (2010) and Jansen (1999) for the indices.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jamaica_sim.results.stats.estimate import normal_quantile, t_quantile
from jamaica_sim.study.lab.lab_file import need

LEVELS = 4
DELTA = LEVELS / (2 * (LEVELS - 1))  # the step of a walk, in shares of the range


@dataclass(frozen=True, eq=False)
class MorrisEffects:
    """Elementary effects over the whole range of each rule: rows are rules, columns are quantities."""

    size: np.ndarray  # mean absolute effect (mu star)
    error: np.ndarray  # half-width of its 95% interval, Student's over the walks
    mean: np.ndarray  # mean effect, with its sign
    spread: np.ndarray  # standard deviation: large where a rule works together with others, or unevenly over its range


@dataclass(frozen=True, eq=False)
class Indices:
    """Shares of the variance: of a rule alone, and with its interactions; both with half-widths of 95% intervals."""

    first: np.ndarray
    first_error: np.ndarray
    total: np.ndarray
    total_error: np.ndarray


def _problem(counts: Sequence[int]) -> dict[str, Any]:
    names = [f"x{number}" for number in range(len(counts))]
    return {"num_vars": len(counts), "names": names, "bounds": [[0.0, 1.0]] * len(counts)}


def morris_points(counts: Sequence[int], trajectories: int, seed: int) -> np.ndarray:
    """The points of Morris's walks, as indices into the values of each rule."""
    unit = need("SALib.sample.morris").sample(_problem(counts), trajectories, num_levels=LEVELS, seed=seed % 2**32)
    return _at_levels(unit, counts)


def _at_levels(unit: np.ndarray, counts: Sequence[int]) -> np.ndarray:
    levels = np.rint(unit * (LEVELS - 1))
    return np.floor(levels / (LEVELS - 1) * (np.array(counts) - 1) + 0.5 - 1e-9 * (levels < LEVELS / 2)).astype(int)


def step_lengths(counts: Sequence[int]) -> np.ndarray:
    """The length of a step of each rule, in shares of its range."""
    levels = np.arange(LEVELS)[:, None] / (LEVELS - 1)
    points = _at_levels(np.repeat(levels, len(counts), axis=1), counts)
    half = LEVELS // 2
    lengths = points[half:] - points[:half]
    assert (lengths == lengths[0]).all()  # the levels lie symmetrically
    return lengths[0] / (np.array(counts) - 1)


def morris_effects(counts: Sequence[int], trajectories: int, seed: int, measured: np.ndarray) -> MorrisEffects:
    """The effects, from measurements at the points of the same design: rows are points, columns are quantities."""
    problem = _problem(counts)
    unit = need("SALib.sample.morris").sample(problem, trajectories, num_levels=LEVELS, seed=seed % 2**32)
    analyze = need("SALib.analyze.morris").analyze
    analyses = [analyze(problem, unit, y, num_levels=LEVELS, seed=seed % 2**32) for y in np.asarray(measured, float).T]
    scale = DELTA / step_lengths(counts)[:, None]
    size, error, mean, spread = (
        scale * np.array([np.asarray(one[name], float) for one in analyses]).T for name in _MORRIS
    )
    # SALib's is a bootstrap's, times the normal quantile: too narrow for a few walks.
    few = t_quantile(trajectories - 1, 0.975) / normal_quantile(0.975) * math.sqrt(trajectories / (trajectories - 1))
    return MorrisEffects(size, few * error, mean, spread)


_MORRIS = ("mu_star", "mu_star_conf", "mu", "sigma")


def sobol_points(counts: Sequence[int], samples: int, seed: int) -> np.ndarray:
    """The points for estimating Sobol's indices; there are `samples` times (rules + 2) of them."""
    unit = need("SALib.sample.sobol").sample(_problem(counts), samples, calc_second_order=False, seed=seed % 2**32)
    return np.minimum(np.floor(unit * np.array(counts)), np.array(counts) - 1).astype(int)


def sobol_indices(counts: Sequence[int], seed: int, measured: np.ndarray) -> Indices:
    """The indices, from measurements at the points: rows are points, columns are quantities."""
    problem = _problem(counts)
    analyze = need("SALib.analyze.sobol").analyze
    analyses = []
    for y in np.asarray(measured, float).T:
        if np.ptp(y) == 0:  # nothing varies, so nothing has a share in it
            analyses.append({name: np.zeros(len(counts)) for name in _SOBOL})
        else:
            analyses.append(analyze(problem, y, calc_second_order=False, seed=seed % 2**32))
    return Indices(*(np.array([np.asarray(one[name], float) for one in analyses]).T for name in _SOBOL))


_SOBOL = ("S1", "S1_conf", "ST", "ST_conf")
