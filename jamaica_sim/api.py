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
    from jamaica_sim.game.rules import Rules as Rules
    from jamaica_sim.game.rules import RulesError as RulesError
    from jamaica_sim.game.variant import load_rules as load_rules
    from jamaica_sim.game.variant import new_rules as new_rules
    from jamaica_sim.game.variant import rules_diff as rules_diff
    from jamaica_sim.game.variant import rules_table as rules_table
    from jamaica_sim.play.check import check_house_rules as check_house_rules
    from jamaica_sim.play.check import check_strategy as check_strategy
    from jamaica_sim.play.debug import debug_decisions as debug_decisions
    from jamaica_sim.play.manifest import FolderError as FolderError
    from jamaica_sim.play.outside.game import Game as Game
    from jamaica_sim.play.outside.games import Games as Games
    from jamaica_sim.play.state_record import StrategyFault as StrategyFault
    from jamaica_sim.play.trace import replay as replay
    from jamaica_sim.replays.chances import replay_chances as replay_chances
    from jamaica_sim.replays.page import replay_page as replay_page
    from jamaica_sim.replays.story import replay_story as replay_story
    from jamaica_sim.replays.what_if import replay_advice as replay_advice
    from jamaica_sim.replays.what_if import replay_what_if as replay_what_if
    from jamaica_sim.report.report import Report
    from jamaica_sim.report.shipped import report_all as report_all
    from jamaica_sim.results.board_picture import draw_board as draw_board
    from jamaica_sim.results.results import Results
    from jamaica_sim.strategy.library import load_strategy as load_strategy
    from jamaica_sim.strategy.library import strategy_names as strategy_names
    from jamaica_sim.strategy.strategy import StrategyError as StrategyError
    from jamaica_sim.strategy.template import new_house_rules as new_house_rules
    from jamaica_sim.strategy.template import new_strategy as new_strategy
    from jamaica_sim.study.causes.findings import luck_shares as luck_shares
    from jamaica_sim.study.causes.findings import worths as worths
    from jamaica_sim.study.compare.compare import compare as compare
    from jamaica_sim.study.compare.comparison import Comparison
    from jamaica_sim.study.experiment.file import ExperimentError as ExperimentError
    from jamaica_sim.study.experiment.file import load_experiment as load_experiment
    from jamaica_sim.study.experiment.file import shipped_names as shipped_names
    from jamaica_sim.study.experiment.run_experiment import run_experiment as run_experiment
    from jamaica_sim.study.experiment.study import Study
    from jamaica_sim.study.experiment.template import new_experiment as new_experiment
    from jamaica_sim.study.find_games import find_games as find_games
    from jamaica_sim.study.find_games import load_games as load_games
    from jamaica_sim.study.lab.balance import balance as balance
    from jamaica_sim.study.lab.balance_result import Balance
    from jamaica_sim.study.lab.sensitivity import Sensitivity
    from jamaica_sim.study.lab.sensitivity import sensitivity as sensitivity
    from jamaica_sim.study.lab.sweep import Sweep
    from jamaica_sim.study.lab.sweep_folder import sweep as sweep
    from jamaica_sim.study.merge import merge_runs as merge_runs
    from jamaica_sim.study.simulate import simulate as simulate
    from jamaica_sim.study.train.train import train as train
    from jamaica_sim.study.tune.tune import tune as tune
    from jamaica_sim.web.review import review_game as review_game

OWN = ("UserError", "load", "report_on", "resume")


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


SWEEP = "sweep"  # an experiment that says so
# By the schema of the manifest, without its version.
FOLDERS = {
    "jamaica-run": FolderKind(
        "run", "study.folder:load_results", "study.folder:unfinished", "study.simulate:resume_run",
        "report.report:make_report", chapters=True,
    ),
    "jamaica-comparison": FolderKind(
        "comparison", "study.compare.compare:load_comparison", "study.compare.compare:unfinished_comparison",
        "study.compare.compare:resume_comparison", "report.report:report_comparison",
    ),
    "jamaica-experiment": FolderKind(
        "experiment", "study.experiment.study:load_study", "study.experiment.study:unfinished_experiment",
        "study.experiment.run_experiment:resume_experiment", "report.report:make_report", chapters=True,
    ),
    SWEEP: FolderKind(
        "sweep", "study.lab.sweep_folder:load_sweep", "study.experiment.study:unfinished_experiment",
        "study.lab.sweep_folder:resume_sweep", "report.report:report_sweep",
    ),
    "jamaica-sensitivity": FolderKind(
        "sensitivity analysis", "study.lab.sensitivity:load_sensitivity",
        "study.lab.sensitivity:unfinished_sensitivity",
        "study.lab.sensitivity:resume_sensitivity", "report.report:report_sensitivity", here=True,
    ),
    "jamaica-balance": FolderKind(
        "search for rules", "study.lab.balance:load_balance", "study.lab.balance:unfinished_balance",
        "study.lab.balance:resume_balance", "report.report:report_balance", here=True,
    ),
}  # fmt: skip


def folder_kind(folder: str | os.PathLike[str]) -> FolderKind:
    """The kind of a folder; one that no version of ours wrote is refused, or counts as a run's, which says more."""
    from jamaica_sim.play.manifest import read_plain

    manifest = read_plain(folder, "a run's, an experiment's, a comparison's or a sweep's")
    kind, config = str(manifest.get("schema")).partition("/")[0], manifest.get("configuration")
    if kind == "jamaica-experiment" and isinstance(config, dict) and SWEEP in config:
        kind = SWEEP
    return FOLDERS.get(kind, FOLDERS["jamaica-run"])


def load(
    folder: str | os.PathLike[str], setting: int | None = None
) -> "Results | Comparison | Study | Sweep | Sensitivity | Balance":
    """What is in a folder of any kind; with `setting`, from 1, the results of one setting of an experiment or a sweep.

    Examples
    --------
    >>> from jamaica_sim import load, simulate
    >>> _ = simulate(games=100, strategies="random", out="pirates")
    >>> load("pirates").games
    100
    """
    if setting is None:
        return folder_kind(folder).call("load", folder)
    from jamaica_sim.study.folder import find_setting, results_of

    found = find_setting(folder, setting)
    return results_of(folder, found.manifest)[setting - 1]


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
        from jamaica_sim.study.experiment.study import load_study

        return kind.call("report", load_study(folder), tuple(chapters))
    if chapters:
        raise UserError(f"the report of a {kind.what} has no chapters to choose from: leave --chapter out.")
    return kind.call("report", kind.call("load", folder), folder.resolve().name)


def report_on(
    folder: str | os.PathLike[str], path: str | os.PathLike[str] | None = None, chapters: Sequence[str] = ()
) -> Path:
    """Write the report of a folder of any kind: one HTML file.

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
