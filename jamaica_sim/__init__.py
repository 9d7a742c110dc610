"""Monte Carlo strategy simulator for the board game Jamaica.

>>> from jamaica_sim import simulate
>>> results = simulate(games=1_000, players=4, strategies=["random"])
>>> results.games
1000

The rooms of the house (packages and modules); each imports only from rooms below it:

- `cli`: the command line, one file for each command
- `studio`: the page where one changes a rule and sees what it does, and its server
- `report`: reports with their chapters, charts and the picture of the board
- `lab`: the rule laboratory: sweeps, which rules matter, rules that meet a target
- `tuning`: better weights for a strategy
- `experiment`: files that say what is varied, and playing it
- `causes`: where the luck sits, and what each thing is worth
- `comparison`: strategies on the same deals, and who is better
- `charts`: the one style of all charts
- `run`: many games of one table, kept in a folder
- `replays`: one game again, as a trace, a story or a page
- `results`: what the games showed
- `stats`: intervals, sequential tests, ratings
- `store`: files and folders that lose nothing
- `play`: a game table, and playing it on threads
- `strategy`: what a player sees, decides and weighs
- `tally`: sums over games
- `engine`: the rules, compiled
- `variant`: changed rules from a file, and every rule as a row
- `toml_kinds`: which kind of file a TOML file is
- `new_file`: files to start from
- `rules`, `escape`, `components`, `codes`, `limits`, `sources`: facts that everybody may use
- `errors`: the base class of errors that are the user's
- `pages`: HTML, styles and JavaScript modules of replay, studio and play
- `clean_import`: libraries without the settings of the current folder
- `user_files`: files of users: ordinary ones only, of a sensible size
- `own_folders`: folders that only the user can write to
- `suggest`: the nearest known word to a misspelt one
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jamaica_sim.comparison.compare import compare
    from jamaica_sim.comparison.folder import load_comparison
    from jamaica_sim.errors import UserError
    from jamaica_sim.experiment.file import ExperimentError, experiment_names, load_experiment
    from jamaica_sim.experiment.run_experiment import run_experiment
    from jamaica_sim.experiment.study import load_study
    from jamaica_sim.experiment.template import new_experiment
    from jamaica_sim.lab.balance import balance, load_balance
    from jamaica_sim.lab.resume import resume
    from jamaica_sim.lab.sensitivity import load_sensitivity, sensitivity
    from jamaica_sim.lab.sweep_file import sweep_names
    from jamaica_sim.lab.sweep_folder import load_sweep, sweep
    from jamaica_sim.lab.targets import targets_names
    from jamaica_sim.play.check import check_strategy
    from jamaica_sim.play.debug import debug_decisions
    from jamaica_sim.play.state_record import StrategyFault
    from jamaica_sim.replays.chances import replay_chances
    from jamaica_sim.replays.page import replay_page
    from jamaica_sim.replays.replay import replay
    from jamaica_sim.replays.story import replay_story
    from jamaica_sim.replays.what_if import replay_advice, replay_what_if
    from jamaica_sim.report.board_picture import draw_board
    from jamaica_sim.report.page import report_on
    from jamaica_sim.report.shipped import report_all
    from jamaica_sim.rules import Rules, RulesError
    from jamaica_sim.run.find_games import find_games
    from jamaica_sim.run.folder import load_results
    from jamaica_sim.run.merge import merge_runs
    from jamaica_sim.run.simulate import simulate
    from jamaica_sim.store.manifest import FolderError
    from jamaica_sim.strategy.library import load_strategy
    from jamaica_sim.strategy.library import shipped_names as strategy_names
    from jamaica_sim.strategy.strategy import StrategyError
    from jamaica_sim.strategy.template import new_strategy
    from jamaica_sim.tuning.tune import tune
    from jamaica_sim.variant import load_rules, new_rules, rules_diff, rules_table

__version__ = "0.1.0"

# The module that defines each name and, after a colon, its name there if that differs. Names are imported when they are
# first used, because numba alone takes longer to load than the command line may take.
_HOMES = {
    "ExperimentError": "jamaica_sim.experiment.file",
    "FolderError": "jamaica_sim.store.manifest",
    "Rules": "jamaica_sim.rules",
    "RulesError": "jamaica_sim.rules",
    "StrategyError": "jamaica_sim.strategy.strategy",
    "StrategyFault": "jamaica_sim.play.state_record",
    "UserError": "jamaica_sim.errors",
    "balance": "jamaica_sim.lab.balance",
    "check_strategy": "jamaica_sim.play.check",
    "compare": "jamaica_sim.comparison.compare",
    "debug_decisions": "jamaica_sim.play.debug",
    "draw_board": "jamaica_sim.report.board_picture",
    "experiment_names": "jamaica_sim.experiment.file",
    "find_games": "jamaica_sim.run.find_games",
    "load_balance": "jamaica_sim.lab.balance",
    "load_comparison": "jamaica_sim.comparison.folder",
    "load_experiment": "jamaica_sim.experiment.file",
    "load_results": "jamaica_sim.run.folder",
    "load_rules": "jamaica_sim.variant",
    "load_sensitivity": "jamaica_sim.lab.sensitivity",
    "load_strategy": "jamaica_sim.strategy.library",
    "load_study": "jamaica_sim.experiment.study",
    "load_sweep": "jamaica_sim.lab.sweep_folder",
    "merge_runs": "jamaica_sim.run.merge",
    "new_experiment": "jamaica_sim.experiment.template",
    "new_rules": "jamaica_sim.variant",
    "new_strategy": "jamaica_sim.strategy.template",
    "replay": "jamaica_sim.replays.replay",
    "replay_advice": "jamaica_sim.replays.what_if",
    "replay_chances": "jamaica_sim.replays.chances",
    "replay_page": "jamaica_sim.replays.page",
    "replay_story": "jamaica_sim.replays.story",
    "replay_what_if": "jamaica_sim.replays.what_if",
    "report_all": "jamaica_sim.report.shipped",
    "report_on": "jamaica_sim.report.page",
    "resume": "jamaica_sim.lab.resume",
    "rules_diff": "jamaica_sim.variant",
    "rules_table": "jamaica_sim.variant",
    "run_experiment": "jamaica_sim.experiment.run_experiment",
    "sensitivity": "jamaica_sim.lab.sensitivity",
    "simulate": "jamaica_sim.run.simulate",
    "strategy_names": "jamaica_sim.strategy.library:shipped_names",
    "sweep": "jamaica_sim.lab.sweep_folder",
    "sweep_names": "jamaica_sim.lab.sweep_file",
    "targets_names": "jamaica_sim.lab.targets",
    "tune": "jamaica_sim.tuning.tune",
}
__all__ = [
    "ExperimentError",
    "FolderError",
    "Rules",
    "RulesError",
    "StrategyError",
    "StrategyFault",
    "UserError",
    "balance",
    "check_strategy",
    "compare",
    "debug_decisions",
    "draw_board",
    "experiment_names",
    "find_games",
    "load_balance",
    "load_comparison",
    "load_experiment",
    "load_results",
    "load_rules",
    "load_sensitivity",
    "load_strategy",
    "load_study",
    "load_sweep",
    "merge_runs",
    "new_experiment",
    "new_rules",
    "new_strategy",
    "replay",
    "replay_advice",
    "replay_chances",
    "replay_page",
    "replay_story",
    "replay_what_if",
    "report_all",
    "report_on",
    "resume",
    "rules_diff",
    "rules_table",
    "run_experiment",
    "sensitivity",
    "simulate",
    "strategy_names",
    "sweep",
    "sweep_names",
    "targets_names",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        this = import_module(__name__)  # so that Python can suggest a similar name
        raise AttributeError(f"module 'jamaica_sim' has no attribute {name!r}", name=name, obj=this)
    home, _, its_name = _HOMES[name].partition(":")
    return getattr(import_module(home), its_name or name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
