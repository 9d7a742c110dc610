"""Which rules matter, and for which quantity: Morris screening of many rules, then Sobol indices of those that matter.

Every point of the design is played on the same deals. Results are kept by point, so an analysis that was
stopped can go on and ends with the same result.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from jamaica_sim.game.rules import Rules, RulesError
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.results.measures import Measure
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.jackknife import jackknife_error
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study.lab.asking import Progress, SearchKind, SearchRun
from jamaica_sim.study.lab.rule_space import Point, make_space
from jamaica_sim.study.lab.sensitivity_result import Sensitivity
from jamaica_sim.study.lab.sensitivity_task import (
    DEFAULT_GAMES,
    DEFAULT_KEPT,
    DEFAULT_SAMPLES,
    DEFAULT_TRAJECTORIES,
    SensitivityTask,
    key_of,
)

BATCH = 16  # points that are played together, and saved together


def sensitivity(
    ranges: Mapping[str, Any] | None = None,
    games: int = DEFAULT_GAMES,
    *,
    trajectories: int = DEFAULT_TRAJECTORIES,
    samples: int = DEFAULT_SAMPLES,
    kept: int = DEFAULT_KEPT,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    **rule_changes: Any,
) -> Sensitivity:
    """Which rules matter, and for which quantity.

    Parameters
    ----------
    ranges : dict, optional
        The values of each rule, such as `{"hand_size": range(2, 5), "start_food": "1..5"}`; the usual ones by default.
    games : int
        Games at each point of the design, on the same deals.
    trajectories : int
        Walks of the screening (Morris); each takes one point more than there are rules.
    samples : int
        A power of two. The indices (Sobol) take `samples` times (kept rules + 2) points.
    kept : int
        How many rules get indices at most: those with the largest effects.
    rules, strategies, seed, threads
        As in `simulate`.
    progress : callable, optional
        Called as `progress(points_done, points)`.
    out : path, optional
        A new folder for the analysis, for `load_sensitivity`, `report_on` and `resume`.

    Examples
    --------
    >>> from jamaica_sim import sensitivity
    >>> ranges = {"hand_size": "2..4", "start_food": "1..5", "holds": "3..5"}
    >>> sensitivity(ranges, games=50, trajectories=2, samples=4)  # a few games only
    <Sensitivity to 3 rules: 22 sets of rules, 50 games each
     No rule clearly matters within its range; too close to call: 3 of 3.>
    """
    if ranges is not None and not isinstance(ranges, Mapping):
        raise RulesError(f'rules and their values are a dictionary, such as {{"hand_size": "2..4"}}, not {ranges!r}.')
    base = seat_table(rules, strategies, seed, **rule_changes)
    space = make_space(base, None if ranges is None else dict(ranges))
    numbers = {"games": games, "trajectories": trajectories, "samples": samples, "kept": kept}
    return run_sensitivity(SensitivityTask.checked(space, **numbers), out, threads, progress)


def _ask(search: SearchRun[SensitivityTask], progress: Progress, remark: Callable[[str], object]) -> None:
    """Measure the points of the screening, then those of the indices of the rules that matter."""
    task, measured = search.task, search.state.setdefault("points", {})

    def measure(points: Sequence[Point], expected: int = 0) -> None:
        wanted = list(dict.fromkeys(point for point in points if key_of(point) not in measured))
        total = max(len(measured) + len(wanted), expected)
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            results = search.play([task.space.table(point) for point in batch], task.games)
            for point, played in zip(batch, results, strict=True):
                measured[key_of(point)] = measure_of(task.quantities, played)
            search.keep()
            progress(len(measured), total)

    design = task.morris_design()
    measure(design, len(set(design)) * 2)
    if noticeable := Sensitivity(task, measured).noticeable:
        with suppress(RulesError):  # values that contradict each other: the screening stands, without indices
            measure(task.sobol_design(noticeable))


def measure_of(quantities: Sequence[Measure], results: Results) -> list[list[float]]:
    """The values of all quantities and their standard errors."""
    with np.errstate(invalid="ignore", divide="ignore"):  # of a single game nothing is left without its part
        sums = [q.scale * q.sums(results) for q in quantities]
    return [[float(s[0]) for s in sums], [jackknife_error(s) for s in sums]]


SENSITIVITY = SearchKind(
    SensitivityTask,
    "SALib",
    _ask,
    lambda task, state, sums: Sensitivity(task, state["points"]),
    lambda state: f"{len(state.get('points', {})):,} points",
    lambda task, state, sums: task.games * len(state.get("points", {})),
)
run_sensitivity, resume_sensitivity = SENSITIVITY.start, SENSITIVITY.resume
unfinished_sensitivity = SENSITIVITY.unfinished


def load_sensitivity(path: str | os.PathLike[str]) -> Sensitivity:
    """The sensitivity analysis in a folder, which must be complete."""
    return SENSITIVITY.load(path)
