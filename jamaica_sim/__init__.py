"""Monte Carlo strategy simulator for the board game Jamaica.

>>> from jamaica_sim import Rules, simulate, replay
>>> results = simulate(games=10_000, players=4, strategies=["random"])
>>> results.by_strategy()
"""

from importlib import import_module

__version__ = "0.1.0"

# Names are imported when they are first used, because numba alone takes longer to load than the command line may take.
_HOMES = {
    "Rules": "jamaica_sim.rules",
    "RulesError": "jamaica_sim.rules",
    "simulate": "jamaica_sim.run.api",
    "replay": "jamaica_sim.run.api",
    "load_results": "jamaica_sim.run.api",
    "compare": "jamaica_sim.comparison.play",
    "load_strategy": "jamaica_sim.strategy.strategy",
    "load_experiment": "jamaica_sim.experiment.study",
    "run_experiment": "jamaica_sim.experiment.study",
    "load_study": "jamaica_sim.experiment.study",
}
__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'jamaica_sim' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__():
    return [*globals(), *_HOMES]
