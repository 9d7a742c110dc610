"""The public API says what it takes and gives: everything in `jamaica_sim.__all__`, and the classes it returns."""

import inspect
from importlib.resources import files

import pytest

import jamaica_sim
from jamaica_sim.comparison.comparison import Comparison
from jamaica_sim.experiment.file import Experiment
from jamaica_sim.experiment.study import Study
from jamaica_sim.lab.balance import Balance
from jamaica_sim.lab.sensitivity import Sensitivity
from jamaica_sim.lab.sweep import Sweep
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tuning.tuned import Tuned

RETURNED = (
    Balance,
    Comparison,
    Estimate,
    Experiment,
    GameTable,
    ResultTable,
    Results,
    Sensitivity,
    Strategy,
    Study,
    Sweep,
    Tuned,
)
PUBLIC = [*(getattr(jamaica_sim, name) for name in jamaica_sim.__all__), *RETURNED]


def public_functions(thing):
    """A function, or the public methods and properties of a class."""
    if inspect.isfunction(thing):
        yield thing
        return
    for name, member in inspect.getmembers_static(thing):
        member = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", member)
        if not name.startswith("_") and inspect.isfunction(member) and member.__module__.startswith("jamaica_sim"):
            yield member


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_everything_is_annotated(thing):
    for function in public_functions(thing):
        signature = inspect.signature(function)
        given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
        assert [p.name for p in given if p.annotation is p.empty] == [], function.__qualname__
        assert signature.return_annotation is not signature.empty, function.__qualname__


def test_type_checkers_are_told():
    assert files("jamaica_sim").joinpath("py.typed").is_file()


def test_every_public_name_is_offered():
    assert set(jamaica_sim.__all__) == set(jamaica_sim._HOMES) <= set(dir(jamaica_sim))
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        jamaica_sim.simulat  # noqa: B018
