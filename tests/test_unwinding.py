"""A game that asks unwinds the engine by an exception, and may do so after any number of rounds since the last answer.

On Python 3.12 and 3.13 numba ends a `try` where a loop in it jumps back: what a later pass raises is not caught.
"""

import ast
import tomllib
from pathlib import Path

import numpy as np
import pytest

from jamaica_sim.game.house_file import house_rules_of
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.outside.games import Games
from jamaica_sim.play.state_record import StrategyFault
from jamaica_sim.strategy.code_file import loops_in_try

ROOT = Path(__file__).parents[1]
COMPILING = {"jit", "inline", "entry", "overloaded", "helper", "entry_of_tests", "njit"}  # decorators


def compiled_functions(path, compiled_modules):
    """The functions of a file that numba compiles: decorated, or in a module that pyproject.toml lists as compiled."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = {name.id for one in node.decorator_list for name in ast.walk(one) if isinstance(name, ast.Name)}
            if module in compiled_modules or names & COMPILING:
                yield node


def test_no_compiled_function_has_a_loop_within_a_try():
    """By reading, so that it fails on every Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (listed,) = (one for one in project["tool"]["mypy"]["overrides"] if one.get("ignore_errors"))
    slips, count = [], 0
    for folder in ("jamaica_sim", "tests", "benchmarks", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            functions = list(compiled_functions(path, listed["module"]))
            count += len(functions)
            slips += loops_in_try(ast.Module(functions, []), path.read_text(encoding="utf-8"), path)
    assert slips == [] and count > 300


def last(game):
    return game.question.options[-1]


@pytest.mark.parametrize(
    "rules",
    [Rules(players=2, ghost=True), Rules(players=3, edition="2021", hand_size=2), Rules(players=3, hand_size=1)],
    ids=str,
)
def test_a_game_asks_after_any_number_of_rounds(rules):
    """A copy and a take-back play from the first round to the question in one step, with their answers at hand."""
    game = Game(rules=rules, seed=7, strategies=[None, *["random"] * (rules.players - 1)])
    rounds = set()
    while not game.is_over:
        asked = repr(game.question)
        assert repr(game.copy().question) == asked
        game.answer(last(game))
        game.take_back()
        assert repr(game.question) == asked
        rounds.add(game.question.read("round"))
        game.answer(last(game))
    assert len(rounds) > 5


def test_many_games_without_a_choice_of_cards_ask_when_they_have_a_question():
    """With a hand of one card whole rounds pass before the first question, and between two."""
    games = Games(40, rules=Rules(players=2, ghost=True, hand_size=1), strategies=[None, "random"], seed=3)
    rng = np.random.default_rng(1)
    while games.finished < 80:
        games.step(games.random_answers(rng))
    for number in range(40):
        game = Game(rules=Rules(players=3, hand_size=1), strategies=[None, "random", "random"], number=number)
        while not game.is_over:
            game.answer(last(game))


@pytest.mark.parametrize("round_number", [1, 2, 3, 4])
def test_house_rules_that_raise_in_any_round_are_named(tmp_path, round_number):
    path = tmp_path / "bad.py"
    path.write_text(
        f'"""Raises."""\ndef round_ends(game, rules):\n    if game.round == {round_number}:\n        1 // 0\n'
    )
    rules = Rules(players=3, hand_size=1, house_rules=house_rules_of(str(path)))
    with pytest.raises(StrategyFault, match=f"raised .* in round_ends, in game 0, round {round_number}"):
        game = Game(rules=rules, strategies=[None, "random", "random"])
        while not game.is_over:
            game.answer(last(game))


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(3):\n            n += i",
        "while n < 3:\n            n += 1",
        "n = len([i for i in range(3) if i])",
    ],
)
def test_loops_within_a_try_are_found_wherever_they_stand(loop):
    text = (
        f"def f(n):\n    try:\n        n += 1\n        {loop}\n    except Exception:\n        return 0\n    return n\n"
    )
    (slip,) = loops_in_try(ast.parse(text), text, Path("a.py"))
    assert "a.py, line 4, in f" in slip and "a loop within a `try`" in slip


def test_a_try_within_a_loop_is_no_slip():
    text = "def f(n):\n    while n:\n        try:\n            n -= 1\n        except Exception:\n            n = 0\n"
    assert list(loops_in_try(ast.parse(text), text, Path("a.py"))) == []
