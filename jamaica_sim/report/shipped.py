"""Plays all shipped experiments, sweeps and searches, and writes a report of each and an index."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.experiment.file import experiment_names, load_experiment
from jamaica_sim.experiment.folder import is_complete
from jamaica_sim.experiment.run_experiment import run_experiment
from jamaica_sim.experiment.study import load_study
from jamaica_sim.lab.balance import load_balance, run_balance
from jamaica_sim.lab.balance_task import BalanceTask
from jamaica_sim.lab.sweep_file import load_sweep_file, sweep_names
from jamaica_sim.lab.sweep_folder import is_complete_sweep, load_sweep, run_sweep
from jamaica_sim.lab.targets import read_targets_file, targets_names
from jamaica_sim.report.index import write_index, write_record
from jamaica_sim.report.page import write_report
from jamaica_sim.report.report import Report, make_report, report_balance, report_sweep
from jamaica_sim.suggest import did_you_mean


@dataclass(frozen=True)
class Playing:
    """The functions that play each kind into a folder. Those of the command line also show progress."""

    experiment: Callable[..., Any]  # (experiment, folder, games, threads=...)
    sweep: Callable[..., Any]  # (plan, folder, threads=...)
    balance: Callable[..., Any]  # (task, folder, threads)


QUIETLY = Playing(run_experiment, run_sweep, run_balance)


def report_all(
    folder: str | os.PathLike[str],
    only: Sequence[str] = (),
    *,
    times: int = 1,
    threads: int | None = None,
    results: str | os.PathLike[str] | None = None,
    say: Callable[[str], object] | None = None,
) -> list[Path]:
    """Play everything that is shipped, and write a report of each, as HTML and Markdown, and an index. Takes an hour.

    Parameters
    ----------
    folder : path
        Where the reports are written.
    only : list of str
        Only the reports of these names, and the index.
    times : int
        How many times as many games to play as the files say.
    threads : int, optional
        Threads; all cores by default.
    results : path, optional
        A folder that keeps the results; complete ones are used again.
    say : callable, optional
        Called with a sentence about each thing that is played or written.

    Returns
    -------
    list of Path
        The files of the index.

    Examples
    --------
    >>> from jamaica_sim import report_all
    >>> report_all("reports", only=["ghost_shp"])
    Traceback (most recent call last):
    jamaica_sim.errors.UserError: there is no shipped report 'ghost_shp': did you mean 'ghost_ship'?
    """
    return make_all(Path(folder), only, times, threads, results, say or (lambda sentence: None), QUIETLY)


def make_all(
    folder: Path,
    only: Sequence[str],
    times: int,
    threads: int | None,
    results: str | os.PathLike[str] | None,
    say: Callable[[str], object],
    playing: Playing,
) -> list[Path]:
    """`report_all` with given functions for playing."""
    names = [*experiment_names(), *sweep_names(), *targets_names()]
    for name in only:
        if name not in names:
            raise UserError(f"there is no shipped report {name!r}: {did_you_mean(name, names, 'there are')}")
    with TemporaryDirectory() as temporary:
        played = Path(results or temporary)
        for name in only or names:
            report = _made(name, played / name, times, threads, say, playing)
            for suffix in (".html", ".md"):
                say(f"Wrote {write_report(report, folder / f'{report.name}{suffix}')}.")
            write_record(report, folder)
    command = f"jamaica-sim report --all {folder.name}{f' --times {times}' if times > 1 else ''}"
    pages = write_index(folder, command, names)
    for page in pages:
        say(f"Wrote {page}.")
    return pages


def _made(
    name: str, played: Path, times: int, threads: int | None, say: Callable[[str], object], playing: Playing
) -> Report:
    """The report on the shipped file of this name, which is played unless its folder is complete."""
    if name in experiment_names():
        experiment = load_experiment(name)
        say(f"{experiment.title} ({name})")
        if played.is_dir() and is_complete(played):
            return make_report(load_study(played))
        return make_report(playing.experiment(experiment, played, times * experiment.games, threads=threads))
    if name in sweep_names():
        plan = load_sweep_file(name)
        say(f"{plan.title} ({name})")
        if played.is_dir() and is_complete_sweep(played):
            return report_sweep(load_sweep(played), name)
        plan = load_sweep_file(name, times * plan.games)
        return report_sweep(playing.sweep(plan, played, threads=threads), name)
    say(f"Rules that meet targets ({name})")
    if played.is_dir():
        return report_balance(load_balance(played), name)
    facts, space, targets = read_targets_file(name)
    return report_balance(playing.balance(BalanceTask.checked(space, targets, **facts), played, threads), name)
