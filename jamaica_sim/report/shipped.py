"""Plays all shipped experiments, sweeps and searches, and writes a report of each and an index."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.report.index import write_index, write_record
from jamaica_sim.report.page import write_report
from jamaica_sim.report.report import Report, make_report, report_balance, report_sweep
from jamaica_sim.study.experiment.file import KINDS, SWEEPS, load_experiment, shipped_names
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.experiment.study import is_complete, load_study
from jamaica_sim.study.lab.balance import load_balance, run_balance
from jamaica_sim.study.lab.balance_task import BalanceTask
from jamaica_sim.study.lab.sweep_folder import load_sweep, load_sweep_file, run_sweep
from jamaica_sim.study.lab.targets import read_targets_file


@dataclass(frozen=True)
class Playing:
    """The functions that play each kind into a folder. Those of the command line also show progress."""

    experiment: Callable[..., Any]  # (experiment, folder, games, threads=...)
    sweep: Callable[..., Any]  # (plan, folder, threads=...)
    balance: Callable[..., Any]  # (task, folder, threads)


# The order in which a reader would ask: how one plays, what decides, the ghost ship, other rules.
READING = (
    "player_counts", "strategies", "treasures", "restricted", "causes", "luck", "luck_ladder", "skill", "skill_search",
    "editions", "ghost_ship", "rule_book_claims", "ghost_search", "house_rules",
)  # fmt: skip
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
    """Play everything that is shipped, and write a report of each and an index. Takes an hour.

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
    names = [name for kind in KINDS for name in shipped_names(kind)]
    names.sort(key=lambda name: READING.index(name) if name in READING else len(READING))
    for name in only:
        if name not in names:
            raise UserError(f"there is no shipped report {name!r}: {did_you_mean(name, names, 'there are')}")
    with TemporaryDirectory() as temporary:
        played = Path(results or temporary)
        for name in only or names:
            report = _made(name, played / name, times, threads, say, playing)
            say(f"Wrote {write_report(report, folder / f'{report.name}.html')}.")
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
    if name in shipped_names():
        experiment = load_experiment(name)
        say(f"{experiment.title} ({name})")
        if played.is_dir() and is_complete(played):
            return make_report(load_study(played))
        return make_report(playing.experiment(experiment, played, times * experiment.games, threads=threads))
    if name in shipped_names(SWEEPS):
        plan = load_sweep_file(name)
        say(f"{plan.title} ({name})")
        if played.is_dir() and is_complete(played):
            return report_sweep(load_sweep(played), name)
        plan = load_sweep_file(name, times * plan.games)
        return report_sweep(playing.sweep(plan, played, threads=threads), name)
    say(f"Rules that meet targets ({name})")
    if played.is_dir():
        return report_balance(load_balance(played), name)
    facts, space, targets = read_targets_file(name)
    return report_balance(playing.balance(BalanceTask.checked(space, targets, **facts), played, threads), name)
