"""The public API: where each public name is defined, and what can be done with a folder of any kind.

It is the top of the house below the command line, and nothing below imports it. A name is imported when it is first
used, because numba alone takes longer to load than the command line may take.
"""

import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jamaica_sim.errors import UserError as UserError

if TYPE_CHECKING:  # the one list of public names: those that are imported `as` themselves
    from jamaica_sim.causes.questions import luck_shares as luck_shares
    from jamaica_sim.causes.questions import worths as worths
    from jamaica_sim.charts.board_picture import draw_board as draw_board
    from jamaica_sim.comparison.compare import compare as compare
    from jamaica_sim.comparison.comparison import Comparison
    from jamaica_sim.comparison.folder import load_comparison as load_comparison
    from jamaica_sim.comparison.surviving import Survival as Survival
    from jamaica_sim.comparison.surviving import survive as survive
    from jamaica_sim.experiment.file import ExperimentError as ExperimentError
    from jamaica_sim.experiment.file import experiment_names as experiment_names
    from jamaica_sim.experiment.file import load_experiment as load_experiment
    from jamaica_sim.experiment.run_experiment import run_experiment as run_experiment
    from jamaica_sim.experiment.study import Study
    from jamaica_sim.experiment.study import load_study as load_study
    from jamaica_sim.experiment.template import new_experiment as new_experiment
    from jamaica_sim.house.template import new_house_rules as new_house_rules
    from jamaica_sim.lab.balance import balance as balance
    from jamaica_sim.lab.balance import load_balance as load_balance
    from jamaica_sim.lab.balance_result import Balance
    from jamaica_sim.lab.sensitivity import load_sensitivity as load_sensitivity
    from jamaica_sim.lab.sensitivity import sensitivity as sensitivity
    from jamaica_sim.lab.sensitivity_result import Sensitivity
    from jamaica_sim.lab.sweep import Sweep
    from jamaica_sim.lab.sweep_file import sweep_names as sweep_names
    from jamaica_sim.lab.sweep_folder import load_sweep as load_sweep
    from jamaica_sim.lab.sweep_folder import sweep as sweep
    from jamaica_sim.lab.targets import targets_names as targets_names
    from jamaica_sim.outside.game import Game as Game
    from jamaica_sim.outside.games import Games as Games
    from jamaica_sim.play.check import check_strategy as check_strategy
    from jamaica_sim.play.debug import debug_decisions as debug_decisions
    from jamaica_sim.play.house_check import check_house_rules as check_house_rules
    from jamaica_sim.play.state_record import StrategyFault as StrategyFault
    from jamaica_sim.replays.chances import replay_chances as replay_chances
    from jamaica_sim.replays.page import replay_page as replay_page
    from jamaica_sim.replays.replay import replay as replay
    from jamaica_sim.replays.story import replay_story as replay_story
    from jamaica_sim.replays.what_if import replay_advice as replay_advice
    from jamaica_sim.replays.what_if import replay_what_if as replay_what_if
    from jamaica_sim.report.report import Report
    from jamaica_sim.report.shipped import report_all as report_all
    from jamaica_sim.results.results import Results
    from jamaica_sim.rules import Rules as Rules
    from jamaica_sim.rules import RulesError as RulesError
    from jamaica_sim.run.find_games import find_games as find_games
    from jamaica_sim.run.find_games import load_games as load_games
    from jamaica_sim.run.folder import load_results as load_results
    from jamaica_sim.run.merge import merge_runs as merge_runs
    from jamaica_sim.run.simulate import simulate as simulate
    from jamaica_sim.store.manifest import FolderError as FolderError
    from jamaica_sim.strategy.library import load_strategy as load_strategy
    from jamaica_sim.strategy.library import strategy_names as strategy_names
    from jamaica_sim.strategy.strategy import StrategyError as StrategyError
    from jamaica_sim.strategy.template import new_strategy as new_strategy
    from jamaica_sim.studio.review import review_game as review_game
    from jamaica_sim.training.train import train as train
    from jamaica_sim.tuning.tune import tune as tune
    from jamaica_sim.variant import load_rules as load_rules
    from jamaica_sim.variant import new_rules as new_rules
    from jamaica_sim.variant import rules_diff as rules_diff
    from jamaica_sim.variant import rules_table as rules_table

OWN = ("UserError", "report_on", "resume")


@cache
def _homes() -> dict[str, str]:
    """The module of every public name that is not defined here, from the list above."""
    imports = re.findall(r"^    from (\S+) import (\w+) as \2$", Path(__file__).read_text("utf-8"), re.MULTILINE)
    return {name: module for module, name in imports}


def public_names() -> list[str]:
    """Every public name."""
    return sorted([*_homes(), *OWN])


def public(name: str) -> Any:
    """What a public name stands for."""
    if name in OWN:
        return globals()[name]
    if name not in _homes():
        package = sys.modules[__package__]  # so that Python can suggest a similar name
        raise AttributeError(f"module {__package__!r} has no attribute {name!r}", name=name, obj=package)
    return getattr(import_module(_homes()[name]), name)


class FolderKind(NamedTuple):
    """A kind of folder: what is in it, and the functions that work on it, each as `module:name`.

    `unfinished(folder)` is None where nothing is left to play; otherwise it has the `strategies` that play.
    `resume(folder, progress, threads=..., trust=...)` takes `cluster` and `remark` too, unless it plays `here` only.
    """

    what: str
    load: str
    unfinished: str
    resume: str
    report: str
    here: bool = False
    chapters: bool = False  # whether parts of its report can be chosen

    def call(self, verb: str, *arguments: Any, **options: Any) -> Any:
        """Call one of the functions."""
        module, _, name = getattr(self, verb).partition(":")
        return getattr(import_module(f".{module}", __package__), name)(*arguments, **options)


# By the schema of the manifest, without its version.
FOLDERS = {
    "jamaica-run": FolderKind(
        "run", "run.folder:load_results", "run.folder:unfinished", "run.simulate:resume_run",
        "report.report:make_report", chapters=True,
    ),
    "jamaica-comparison": FolderKind(
        "comparison", "comparison.folder:load_comparison", "comparison.folder:unfinished_comparison",
        "comparison.compare:resume_comparison", "report.report:report_comparison",
    ),
    "jamaica-experiment": FolderKind(
        "experiment", "experiment.study:load_study", "experiment.folder:unfinished_experiment",
        "experiment.run_experiment:resume_experiment", "report.report:make_report", chapters=True,
    ),
    "jamaica-sweep": FolderKind(
        "sweep", "lab.sweep_folder:load_sweep", "lab.sweep_folder:unfinished_sweep", "lab.sweep_folder:resume_sweep",
        "report.report:report_sweep",
    ),
    "jamaica-sensitivity": FolderKind(
        "sensitivity analysis", "lab.sensitivity:load_sensitivity", "lab.sensitivity:unfinished_sensitivity",
        "lab.sensitivity:resume_sensitivity", "report.report:report_sensitivity", here=True,
    ),
    "jamaica-balance": FolderKind(
        "search for rules", "lab.balance:load_balance", "lab.balance:unfinished_balance",
        "lab.balance:resume_balance", "report.report:report_balance", here=True,
    ),
}  # fmt: skip


def folder_kind(folder: str | os.PathLike[str]) -> FolderKind:
    """The kind of a folder; one that no version of ours wrote is refused, or counts as a run's, which says more."""
    from jamaica_sim.store.manifest import read_plain

    schema = read_plain(folder, "a run's, an experiment's, a comparison's or a sweep's").get("schema")
    return FOLDERS.get(str(schema).partition("/")[0], FOLDERS["jamaica-run"])


def resume(
    folder: str | os.PathLike[str], *, threads: int | None = None, trust: bool = False, **where: Any
) -> "Results | Comparison | Study | Sweep | Sensitivity | Balance":
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
    kind = folder_kind(folder)
    if kind.here and where.pop("cluster", None) is not None:
        raise UserError("a search of the laboratory is played on this machine: leave cluster out.")
    if kind.call("unfinished", folder) is None:
        return kind.call("load", folder)
    return kind.call("resume", folder, threads=threads, trust=trust, **where)


def report_of(folder: Path, chapters: Sequence[str] = ()) -> "Report":
    """The report of a folder. Only a run or an experiment has chapters to choose from."""
    kind = folder_kind(folder)
    if kind.chapters:
        from jamaica_sim.experiment.study import load_study

        return kind.call("report", load_study(folder), tuple(chapters))
    if chapters:
        raise UserError(f"the report of a {kind.what} has no chapters to choose from: leave --chapter out.")
    return kind.call("report", kind.call("load", folder), folder.resolve().name)


def report_on(
    folder: str | os.PathLike[str], path: str | os.PathLike[str] | None = None, chapters: Sequence[str] = ()
) -> Path:
    """Write the report of a folder of any kind: one HTML file, or Markdown (`.md`).

    The default path is `FOLDER.html`. `chapters` limits the report of a run or an experiment to some chapters.

    Examples
    --------
    >>> from jamaica_sim import report_on, simulate
    >>> _ = simulate(games=400, strategies=["balanced", "racer"], out="cruise")
    >>> report_on("cruise").name
    'cruise.html'
    """
    from jamaica_sim.report.page import write_report

    if not isinstance(folder, str | os.PathLike):
        raise TypeError(
            f"a report is made of a folder, such as simulate(..., out='cruise') writes, not {type(folder).__name__}."
        )
    folder = Path(folder)
    return write_report(report_of(folder, chapters), f"{folder.resolve().name}.html" if path is None else path)
