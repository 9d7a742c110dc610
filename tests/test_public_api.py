"""The public API says what it takes and gives: everything in `jamaica_sim.__all__`, and the classes it returns."""

import copy
import inspect
import json
import pickle
import re
from importlib import import_module
from importlib.resources import files

import click
import numpy as np
import pytest

import jamaica_sim
from jamaica_sim import Rules, load_strategy
from jamaica_sim.api import FOLDERS
from jamaica_sim.cli import main
from jamaica_sim.files.limits import LAST_GAME
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.compare.comparison import Comparison
from jamaica_sim.study.experiment.file import Experiment
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.lab.balance import Balance
from jamaica_sim.study.lab.sensitivity import Sensitivity
from jamaica_sim.study.lab.sweep import Sweep
from jamaica_sim.study.tune.tuned import Tuned

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
    assert len(jamaica_sim.__all__) > 40 and set(jamaica_sim.__all__) <= set(dir(jamaica_sim))
    for kind in FOLDERS.values():
        for verb in ("load", "unfinished", "resume", "report"):
            module, _, name = getattr(kind, verb).partition(":")
            assert inspect.isroutine(getattr(import_module(f"jamaica_sim.{module}"), name))
    with pytest.raises(AttributeError, match="no attribute 'simulat'"):
        jamaica_sim.simulat  # noqa: B018


@pytest.fixture(scope="module")
def results():
    return jamaica_sim.simulate(games=200, players=3, ghost=True, strategies=["balanced", {"gold": 1.2}], seed=1)


@pytest.fixture(scope="module")
def comparison():
    return jamaica_sim.compare(["balanced", "racer"], games=80, seed=1)


def test_what_is_returned_shows_itself_in_a_few_words(results, comparison):
    rules = Rules(players=3, ghost=True).but(hand_size=4, **{"space.6.cost": 3})
    shown = {
        "results": results,
        "comparison": comparison,
        "rules": rules,
        "strategy": load_strategy("champion"),
        "experiment": jamaica_sim.load_experiment("treasures"),
        "table": results.table,
    }
    for name, thing in shown.items():
        limit = 700 if name == "table" else 320
        assert len(repr(thing)) < limit and repr(thing).count("\n") <= 1 + (name == "table"), repr(thing)
    assert eval(repr(rules), {"Rules": Rules}) == rules
    for thing in list(shown.values())[:-1]:
        page = thing._repr_html_()
        assert page.count("<table>") == page.count("</table>") == 1 and "None" not in page.replace("None</td>", "")


def test_names_of_users_are_escaped_in_a_notebook():
    assert "&lt;b&gt;" in ResultTable("<b>", ("a",), [("x",)])._repr_html_()


def test_everything_is_named_and_a_slip_is_answered(results, comparison):
    assert comparison.difference("balanced", "racer") == comparison.difference(0, 1)
    assert comparison.win_rate("racer", "balanced") == comparison.win_rate(1, 0)
    for call, hint in (
        (lambda: comparison.difference("balanced", "rcer"), "did you mean 'racer'?"),
        (lambda: comparison.win_rate(2), "there are 0 to 1"),
        (lambda: results.of_game("shortges"), "did you mean 'shortages'?"),
        (lambda: results.win_rate("balancd"), "did you mean 'balanced'?"),
        (lambda: results.of_ships("group", 0, "wins"), "did you mean 'win'?"),
        (lambda: results.of_row("scor", 0), "did you mean 'score'?"),
        (lambda: results.of_game(3), "is named by a text"),
        (lambda: jamaica_sim.simulate(games=1, hand_sise=4), "did you mean 'hand_size'?"),
    ):
        with pytest.raises(ValueError, match=re.escape(hint)):
            call()


def test_the_board_says_what_it_draws(comparison):
    with pytest.raises(TypeError, match="not Comparison"):
        jamaica_sim.draw_board(comparison)


def test_pandas_tables_are_tidy(results, comparison):
    for frame, counted in ((results.to_pandas(), "games"), (comparison.to_pandas(), "deals")):
        assert list(frame) == ["table", "row", "quantity", "unit", "value", "low", "high", counted]
        assert not frame.duplicated(["table", "row", "quantity"]).any()
        assert all(frame[name].dtype == "category" for name in ("table", "row", "quantity", "unit"))
        known = frame.dropna(subset=["low"])
        assert (known["low"] <= known["value"]).all() and (known["value"] <= known["high"]).all()
        assert set(frame["unit"]) == {"share", "number"} or counted == "deals"
    wins = results.to_pandas().query("table == 'Who wins' and quantity == 'win rate' and row == 'balanced'")
    assert wins["value"].item() == results.win_rate("balanced").value
    assert results.by_strategy()["strategy"].dtype == "category"


def test_plain_values_can_be_written_as_json(results, comparison):
    for thing in (results, comparison):
        assert json.loads(json.dumps(thing.to_dict()))["tables"]


FUNCTIONS = {
    "run": "simulate", "resume": "resume", "merge": "merge_runs", "compare": "compare",
    "compare --survive": "compare", "tune": "tune",
    "train": "train", "play": "Game", "review": "review_game",
    "sweep": "sweep", "sweep --list": "shipped_names", "sensitivity": "sensitivity", "balance": "balance",
    "balance --list": "shipped_names",
    "experiment list": "shipped_names", "experiment show": "load_experiment", "experiment new": "new_experiment",
    "experiment run": "run_experiment", "report": "report_on", "report --all": "report_all", "board": "draw_board",
    "replay": "replay_story", "replay --format json": "replay", "replay --html": "replay_page",
    "replay --chances": "replay_chances", "replay --advise": "replay_advice", "replay --what-if": "replay_what_if",
    "games": "find_games", "strategies list": "strategy_names", "strategies show": "load_strategy",
    "strategies new": "new_strategy", "strategies check": "check_strategy", "rules list": "rules_table",
    "rules show": "load_rules", "rules diff": "rules_diff", "rules new": "new_rules",
    "rules new --code": "new_house_rules", "rules check": "check_house_rules",
}  # fmt: skip
PAGE_ONLY = {"studio"}  # its page asks what the functions ask
PARTS = {"debug_decisions", "luck_shares", "worths"}  # parts of what a command does


def commands(group, path=()):
    """Every command that does something, with its options."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), {option for param in command.params for option in param.opts}


def test_every_command_has_a_function():
    """What the command line can do, Python can."""
    known = dict(commands(main))
    assert {words.partition(" --")[0] for words in FUNCTIONS} == set(known) - PAGE_ONLY
    for words in FUNCTIONS:
        command, dashes, option = words.partition(" --")
        assert not dashes or f"--{option.split()[0]}" in known[command]
    readers = {name for name in jamaica_sim.__all__ if name.startswith("load") or name[0].isupper()}
    assert set(jamaica_sim.__all__) - readers - PARTS <= set(FUNCTIONS.values()) <= set(jamaica_sim.__all__)


def test_whole_numbers_of_numpy_are_whole_numbers(tmp_path):
    """They are taken, and written to manifests, as Python's own."""
    games, players = np.int64(20), np.int32(3)
    given = {"players": players, "strategies": "random", "seed": np.uint8(7), "action_die": np.arange(1, 7).tolist()}
    results = jamaica_sim.simulate(
        games=games, first_game=np.int16(5), out=tmp_path / "run", threads=np.int64(1), **given
    )
    assert results.games == 20 and jamaica_sim.load(tmp_path / "run").games == 20
    assert repr(Rules(players=players, hand_size=np.int8(4))) == repr(Rules(players=3, hand_size=4))
    assert jamaica_sim.replay(np.int64(5), **given)["config"]["game"] == 5
    assert len(jamaica_sim.sweep({"hand_size": [2, 3]}, games=games, **given).results) == 2
    assert jamaica_sim.compare("random", "balanced", games=np.int64(40), players=players, seed=np.int64(2)).games >= 40
    with pytest.raises(jamaica_sim.UserError):
        jamaica_sim.simulate(games=np.array([5, 6]))


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
@pytest.mark.parametrize("name", ["random", "balanced", "corsair", "searcher"])
def test_strategies_can_be_copied_and_pickled(name, again):
    """Also after they have played, when they have addresses of compiled code."""
    strategy = load_strategy(name)
    if name != "searcher":
        jamaica_sim.simulate(games=3, strategies=strategy)
    twin = again(strategy)
    assert (twin.digest, twin.label, twin.path, twin.not_loaded) == (strategy.digest, name, strategy.path, False)
    assert ((twin.addresses() != 0) == (strategy.addresses() != 0)).all()


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))])
def test_what_was_played_can_be_copied_and_pickled(again):
    results = jamaica_sim.simulate(games=20, strategies=["corsair", "random"])
    assert str(again(results)) == str(results)
    comparison = jamaica_sim.compare("random", "balanced", games=40)
    assert str(again(comparison)) == str(comparison)


def test_the_last_games_of_a_run_can_be_replayed():
    """A run may begin at 2^62; its games have larger numbers."""
    last = LAST_GAME + 4
    assert jamaica_sim.simulate(games=5, first_game=LAST_GAME, strategies="random").games == 5
    assert jamaica_sim.replay(last, strategies="random")["config"]["game"] == last
