"""The examples in docstrings of the public API do what they show."""

import doctest
import importlib

import pytest

import jamaica_sim

MODULES = sorted(
    {
        *(getattr(jamaica_sim, name).__module__ for name in jamaica_sim.__all__),
        "jamaica_sim",
        "jamaica_sim.results.results",
        "jamaica_sim.study.compare.comparison",
        "jamaica_sim.strategy.strategy",
    }
)
TRAINING = "jamaica_sim.study.train.train"  # compiles its own pieces
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == TRAINING else ()) for name in MODULES]
)
def test_the_examples_hold(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=FLAGS)
    assert failed == 0


def test_every_public_function_has_an_example():
    without = [name for name in jamaica_sim.__all__ if ">>>" not in (getattr(jamaica_sim, name).__doc__ or "")]
    assert [name for name in without if not name.endswith(("Error", "Fault"))] == []
