"""Monte Carlo strategy simulator for the board game Jamaica.

>>> from jamaica_sim import Rules, simulate, replay
>>> results = simulate(games=10_000, players=4, strategies=["random"])
>>> results.by_strategy()

The rooms of the house, each using only those below it:

- `cli`: the command line, one file for each command
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
- `play`: a game table, and having it played on threads
- `strategy`: what a player sees, decides and weighs
- `tally`: sums over games
- `engine`: the rules, compiled
- `variant`: changed rules from a file, and every rule as a row
- `rules`, `escape`, `components`, `codes`, `limits`, `sources`: facts that everybody may use
- `suggest`: did you mean
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jamaica_sim.comparison.play import compare
    from jamaica_sim.experiment.file import load_experiment
    from jamaica_sim.experiment.play import run_experiment
    from jamaica_sim.experiment.study import load_study
    from jamaica_sim.lab.balance import balance, load_balance
    from jamaica_sim.lab.sensitivity import load_sensitivity, sensitivity
    from jamaica_sim.lab.sweep import sweep
    from jamaica_sim.lab.sweep_folder import load_sweep
    from jamaica_sim.replays.chances import replay_chances
    from jamaica_sim.replays.page import replay_page
    from jamaica_sim.replays.replay import replay
    from jamaica_sim.rules import Rules, RulesError
    from jamaica_sim.run.find_games import find_games
    from jamaica_sim.run.folder import load_results
    from jamaica_sim.run.play import simulate
    from jamaica_sim.strategy.library import load_strategy
    from jamaica_sim.tuning.tune import tune
    from jamaica_sim.variant import load_rules

__version__ = "0.1.0"

# Names are imported when they are first used, because numba alone takes longer to load than the command line may take.
_HOMES = {
    "Rules": "jamaica_sim.rules",
    "RulesError": "jamaica_sim.rules",
    "load_rules": "jamaica_sim.variant",
    "simulate": "jamaica_sim.run.play",
    "replay": "jamaica_sim.replays.replay",
    "replay_page": "jamaica_sim.replays.page",
    "replay_chances": "jamaica_sim.replays.chances",
    "load_results": "jamaica_sim.run.folder",
    "find_games": "jamaica_sim.run.find_games",
    "compare": "jamaica_sim.comparison.play",
    "tune": "jamaica_sim.tuning.tune",
    "sweep": "jamaica_sim.lab.sweep",
    "sensitivity": "jamaica_sim.lab.sensitivity",
    "balance": "jamaica_sim.lab.balance",
    "load_balance": "jamaica_sim.lab.balance",
    "load_sensitivity": "jamaica_sim.lab.sensitivity",
    "load_sweep": "jamaica_sim.lab.sweep_folder",
    "load_strategy": "jamaica_sim.strategy.library",
    "load_experiment": "jamaica_sim.experiment.file",
    "run_experiment": "jamaica_sim.experiment.play",
    "load_study": "jamaica_sim.experiment.study",
}
__all__ = [
    "Rules",
    "RulesError",
    "balance",
    "compare",
    "find_games",
    "load_balance",
    "load_experiment",
    "load_results",
    "load_rules",
    "load_sensitivity",
    "load_strategy",
    "load_study",
    "load_sweep",
    "replay",
    "replay_chances",
    "replay_page",
    "run_experiment",
    "sensitivity",
    "simulate",
    "sweep",
    "tune",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'jamaica_sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
