"""Goes on with the work in any folder: a run, a comparison, an experiment or work of the laboratory."""

import os
from typing import Any

from jamaica_sim.comparison.compare import open_dealer, play_comparison
from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.comparison.folder import COMPARISON, ComparisonFolder, load_comparison, unfinished_comparison
from jamaica_sim.errors import UserError
from jamaica_sim.experiment.folder import EXPERIMENT, unfinished_settings
from jamaica_sim.experiment.run_experiment import resume_experiment
from jamaica_sim.experiment.study import Study, load_study
from jamaica_sim.lab.balance import load_balance, resume_balance, unfinished_balance
from jamaica_sim.lab.balance_result import Balance
from jamaica_sim.lab.balance_task import BALANCE
from jamaica_sim.lab.sensitivity import (
    SENSITIVITY,
    Sensitivity,
    load_sensitivity,
    resume_sensitivity,
    unfinished_sensitivity,
)
from jamaica_sim.lab.sweep import Sweep
from jamaica_sim.lab.sweep_folder import SWEEP, load_sweep, resume_sweep
from jamaica_sim.results.results import Results
from jamaica_sim.run.folder import load_results, unfinished
from jamaica_sim.run.simulate import resume_run
from jamaica_sim.store.manifest import read_plain


def resume(
    folder: str | os.PathLike[str], *, threads: int | None = None, trust: bool = False, **where: Any
) -> Results | Comparison | Study | Sweep | Sensitivity | Balance:
    """Go on with the work in a folder, with the rules and strategies that it was begun with.

    Complete work is read and returned. `trust` lets code run that came with the folder. `cluster` plays on Dask, which
    is not possible for a search of the laboratory.

    Examples
    --------
    >>> from jamaica_sim import resume, simulate
    >>> _ = simulate(games=100, strategies="random", out="journey")
    >>> resume("journey").games
    100
    """
    schema = read_plain(folder).get("schema")
    if schema == COMPARISON.schema:
        found = unfinished_comparison(folder)
        if found is None:
            return load_comparison(folder)
        contest, plan = found
        contest = contest.awake(trust)
        with open_dealer(contest, plan, threads, **where) as dealer:
            return play_comparison(contest, plan, dealer, ComparisonFolder.reopen(folder))[0]
    if schema == SWEEP.schema:
        if unfinished_settings(folder, SWEEP) is None:
            return load_sweep(folder)
        return resume_sweep(folder, threads=threads, trust=trust, **where)
    if schema == EXPERIMENT.schema:
        if unfinished_settings(folder, EXPERIMENT) is None:
            return load_study(folder)
        return resume_experiment(folder, threads=threads, trust=trust, **where)
    for kind, unfinished_search, go_on, load in (
        (SENSITIVITY, unfinished_sensitivity, resume_sensitivity, load_sensitivity),
        (BALANCE, unfinished_balance, resume_balance, load_balance),
    ):
        if schema == kind.schema:
            if where.get("cluster") is not None:
                raise UserError("a search of the laboratory is played on this machine: leave cluster out.")
            return load(folder) if unfinished_search(folder) is None else go_on(folder, threads, trust=trust)
    if unfinished(folder) is None:
        return load_results(folder)
    return resume_run(folder, threads=threads, trust=trust, **where)
