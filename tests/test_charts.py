"""Charts: each draws one run or several on axes that are given or its own, with labelled axes, in one style."""

import subprocess
import sys

import matplotlib
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt

from jamaica_sim import simulate
from jamaica_sim.charts.style import picture
from jamaica_sim.report import charts
from jamaica_sim.stats.estimate import Estimate

ONE = ("win_rates", "treasure_wins", "lanes", "scores", "peaks")
SEVERAL = (
    "seats",
    "shortages_by_round",
    "battles_by_round",
    "shortage_cost",
    "ghost_wins",
    "ghost_loot",
    "ghost_ends",
    "rounds",
    "ends",
    "loot",
    "winner_sources",
    "margins",
    "drama",
)


@pytest.fixture(scope="module")
def runs():
    return {
        edition: simulate(400, players=3, ghost=True, edition=edition, strategies=["random"])
        for edition in ("2007", "2021")
    }


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def is_labelled(ax):
    return all(axis.get_label().get_text() or axis.get_ticklabels() for axis in (ax.xaxis, ax.yaxis))


@pytest.mark.parametrize("name", ONE + SEVERAL)
def test_one_run_on_given_axes(runs, name):
    ax = plt.figure().subplots()
    assert getattr(charts, name)(runs["2007"], ax=ax) is ax
    assert ax.has_data() and is_labelled(ax) and ax.get_title(loc="left")


@pytest.mark.parametrize("name", SEVERAL)
def test_several_runs_on_axes_of_their_own(runs, name):
    ax = getattr(charts, name)(runs)
    assert ax.has_data() and is_labelled(ax)
    named = {text.get_text() for text in (ax.get_legend().get_texts() if ax.get_legend() else [])}
    named |= {label.get_text() for label in ax.get_yticklabels()}
    assert name == "ghost_wins" or {"2007", "2021"} <= named


def test_any_quantity_by_run(runs):
    ax = charts.per_game(runs, "battles", "battles per game")
    assert ax.get_xlabel() == "battles per game"
    drawn = ax.lines[0].get_xdata()
    assert list(drawn) == [run.of_game("battles").value for run in runs.values()]


def test_strategies_against_each_other():
    shares = {("a", "b"): Estimate(0.6, 0.5, 0.7, 10), ("b", "a"): Estimate(0.4, 0.3, 0.5, 10)}
    ax = charts.opponents(shares)
    assert {"60", "40"} <= {text.get_text() for text in ax.texts}
    ranked = charts.strategy_rates({"a": shares["b", "a"], "b": shares["a", "b"]}, 0.5)
    assert [label.get_text() for label in ranked.get_yticklabels()] == ["b", "a"]


def test_the_style_does_not_leak(runs):
    before = dict(plt.rcParams)
    charts.rounds(runs["2007"])
    assert dict(plt.rcParams) == before


def test_a_picture_is_the_same_each_time(runs):
    first, second = (picture(charts.rounds(runs["2007"])) for _ in range(2))
    assert first == second and b"<svg" in first


def test_matplotlib_and_jinja_are_imported_only_when_needed():
    code = (
        "import sys, jamaica_sim.cli.run, jamaica_sim.run.play, jamaica_sim.report.page;"
        "sys.exit(any(name in sys.modules for name in ('matplotlib', 'jinja2')))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
