"""Strategy files: what they may contain, how they are refused, where they are found, and what has to be compiled.

A file that cannot be used ends in a StrategyError of one sentence that names the file; nothing else ever comes out.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba.core import event

from jamaica_sim import simulate
from jamaica_sim.engine.machine.cache import cache_folder
from jamaica_sim.files.sources import PACKAGE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.strategy.compile import HEURISTIC
from jamaica_sim.strategy.heuristic.weights import BY_NAME, DEFAULTS, NAMES, WEIGHTS
from jamaica_sim.strategy.library import (
    load_strategy,
    shipped_folder,
    strategy_from_identity,
    strategy_from_text,
    strategy_from_weights,
    strategy_names,
    told_apart,
)
from jamaica_sim.strategy.slips import compile_slip
from jamaica_sim.strategy.strategy import StrategyError

VIEW = "from jamaica_sim.strategy.api import ask_heuristic, has, helper, lowest, pick_random\n"
CARD = "def choose_card(view, rules, weights):\n"


def load_text(text, suffix):
    return strategy_from_text(text, Path(f"folder/mine{suffix}"))


def refusal(text, suffix):
    """The sentence that refuses a file with this text."""
    with pytest.raises(StrategyError) as refused:
        load_text(text, suffix)
    sentence = str(refused.value)
    assert sentence.startswith(str(Path(f"folder/mine{suffix}"))) and "\n" not in sentence
    return sentence


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# Data files


def test_a_data_file_needs_nothing_and_says_what_it_changes():
    nothing = load_text("", ".toml")
    assert (nothing.name, nothing.kind, nothing.changes, nothing.functions) == ("mine", "data", {}, {})
    assert all(nothing.weights[name][0] == DEFAULTS[name] for name in NAMES)
    greedy = load_text('name = "greedy"\ndescription = " Gold. "\nintent = "Why?"\n[weights]\ngold = 2\n', ".toml")
    assert (greedy.name, greedy.description, greedy.intent) == ("greedy", "Gold.", "Why?")
    assert greedy.changes == {"gold": 2.0} and greedy.weights["gold"][0] == 2.0
    assert greedy.weights["food"][0] == DEFAULTS["food"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[weights]\ngold = 1\nprogess = 3\n", ["line 3", "'progess'", "did you mean 'progress'?"]),
        ("# gold\n\nweights.gould = 1\n", ["'gould'", "did you mean 'gold'?"]),
        ("[weights]\nxyzzy = 1\n", ["line 2", "'xyzzy'", "known are progress, hurry"]),
        ('nam = "x"\n', ["line 1", "'nam'", "did you mean 'name'?"]),
        ("\n[wieghts]\ngold = 1\n", ["line 2", "'wieghts'", "did you mean 'weights'?"]),
        ("weights = 3\n", ["line 1", "must be a table"]),
        ("[[weights]]\ngold = 1\n", ["must be a table"]),
        ("name = 3\n", ["line 1", "must be text, not 3"]),
        ("description = [1]\n", ["line 1", "must be text, not [1]"]),
        ('name = "a/b"\n', ["'a/b'", "1 to 60 letters"]),
        ('name = ""\n', ["1 to 60 letters"]),
        ('[weights]\n"gold" = "much"\n', ["line 2", "'gold'", "must be a number, not 'much'"]),
        ("[weights]\ngold = true\n", ["line 2", "must be a number, not True"]),
        ("[weights]\ngold = [1]\n", ["must be a number"]),
        ("[weights]\ngold = 2024-01-01\n", ["must be a number"]),
        ("[weights]\n\n\ngold = 5.001\n", ["line 4", "from 0 to 5 points per doubloon, not 5.001"]),
        ("[weights]\ngold = -1e-9\n", ["from 0 to 5"]),
        ("[weights]\ngold = nan\n", ["from 0 to 5", "nan"]),
        ("[weights]\nhorizon = inf\n", ["from 0.2 to 20 rounds, not inf"]),
        (f"[weights]\ngold = 1{'0' * 400}\n", ["from 0 to 5", "..."]),
        (f"[weights]\ngold = 0x1{'0' * 9000}\n", ["from 0 to 5", "too long to show"]),
        (f"[weights]\ngold = 1{'0' * 9000}\n", ["not valid TOML"]),
        ("[weights\n", ["not valid TOML", "line 1"]),
        ("[weights]\ngold = 1\ngold = 2\n", ["not valid TOML", "line 3"]),
        ('name = "\x00"\n', ["not valid TOML"]),
        (f"name = {'[' * 9000}\n", ["not valid TOML", "nested too deeply"]),
        (f"name = {'{a=' * 9000}\n", ["not valid TOML", "nested too deeply"]),
    ],
)
def test_a_wrong_data_file_is_refused_with_its_line_and_the_nearest_name(text, words):
    sentence = refusal(text, ".toml")
    assert all(word in sentence for word in words), sentence
    assert len(sentence) < 900


@pytest.mark.parametrize("name", NAMES)
def test_every_weight_can_be_set_from_end_to_end_of_its_range(name):
    weight = BY_NAME[name]
    assert weight.low <= weight.default <= weight.high and weight.meaning and weight.unit
    for value in (weight.low, weight.high):
        assert load_text(f"[weights]\n{name} = {value}\n", ".toml").weights[name][0] == value
    for value in (weight.low - 0.01, weight.high + 0.01):
        assert f"the weight {name!r} must be from" in refusal(f"[weights]\n{name} = {value}\n", ".toml")


# Code files


def test_a_code_file_may_define_what_it_likes():
    some = load_text(
        f'"""Says what it does."""\n{VIEW}NAME = "some one"\nINTENT = "To see."\nWEIGHTS = {{"gold": 2}}\n'
        f"@helper\ndef _best(view):\n    return lowest(view.legal)\n"
        f"{CARD}    return _best(view)\n"
        f"@helper\ndef ghost_loot(view, rules, weights):\n    return _best(view)\n"
        f"choose_loot = lambda view, rules, weights: _best(view)\n",
        ".py",
    )
    assert (some.name, some.description, some.intent) == ("some one", "Says what it does.", "To see.")
    assert set(some.functions) == {"choose_card", "choose_loot", "ghost_loot"} and some.changes == {"gold": 2.0}


def test_a_function_may_be_named_like_a_field():
    gold = "@helper\ndef stock(view):\n    return view.stock[view.me, 0]\n"
    assert "choose_card" in load_text(f"{VIEW}{gold}{CARD}    return stock(view)\n", ".py").functions


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def choose_cart(view, rules, weights):\n    return 0\n", ["'choose_cart'", "did you mean 'choose_card'?"]),
        ("def choose_card(view, rules):\n    return 0\n", ["choose_card must take three arguments"]),
        ("def choose_card(*all):\n    return 0\n", ["choose_card must take three arguments"]),
        ("def choose_card(view, rules, weights, *, fast):\n    return 0\n", ["must take three arguments"]),
        ("class choose_card:\n    pass\n", ["choose_card must be a function that this file defines"]),
        ("from math import gcd as choose_card\n", ["choose_card must be a function that this file defines"]),
        ("choose_card = 3\n", ["choose_card must be a function that this file defines"]),
        (f"{CARD}    yield 1\n", ["choose_card must return a whole number"]),
        (f"async {CARD}    return 1\n", ["choose_card must return a whole number"]),
        (f"{CARD}    return choose_card(view, rules, weights)\n", ["choose_card calls choose_card"]),
        (
            f"{VIEW}@helper\ndef _a(n):\n    return _b(n)\n@helper\ndef _b(n):\n    return sum([_a(n) for i in [1]])\n",
            ["_a calls _b calls _a", "cannot call themselves"],
        ),
        (f"{CARD}    view.round = 3\n    return 0\n", ["line 2", "may read view, but change nothing in it"]),
        (f"{CARD}    view.space[0] += 1\n    return 0\n", ["line 2", "may read view, but change nothing in it"]),
        (f"{CARD}    rules.cost[0] = 0\n    return 0\n", ["line 2", "may read rules, but change nothing in it"]),
        (f"{CARD}    return 0\n\n\n{CARD}    return 1\n", ["line 5", "choose_card is defined for the second time"]),
        (
            f"{CARD}    try:\n        for i in view.space:\n            pass\n    except Exception:\n        pass\n",
            ["line 3, in choose_card", "a loop within a `try`", "call a function with the loop"],
        ),
        (f"import random\n{CARD}    return random.choice((0, 1))\n", ["line 3", "luck(view)"]),
        (f"import numpy as np\n{CARD}    return np.random.randint(3)\n", ["line 3", "luck(view)"]),
        (f"from numpy.random import randint\n{CARD}    return randint(3)\n", ["line 3", "luck(view)"]),
        ("[weights]\n", ["line 1", "whose name ends in .toml"]),
        ("import nonesuch\n", ["cannot be imported", "there is no package 'nonesuch'"]),
        ("from jamaica_sim.house.api import *\n", ["'jamaica_sim.house'", "is in jamaica_sim.strategy.api."]),
        ("1 / 0\n", ["cannot be imported", "ZeroDivisionError"]),
        ("raise SystemExit(3)\n", ["cannot be imported", "SystemExit: 3"]),
        ("import sys\nsys.exit()\n", ["cannot be imported", "SystemExit."]),
        ("raise BaseException\n", ["cannot be imported", "BaseException."]),
        ("\n\ndef choose_card(:\n", ["line 3", "not valid Python"]),
        ("if True:\npass\n", ["line 2", "not valid Python"]),
        ('"\x00"\n', ["not valid Python"]),
        ("(" * 9000, ["not valid Python"]),
        ('WEIGHTS = {"gould": 1}\n', ["in WEIGHTS", "'gould'", "did you mean 'gold'?"]),
        ("WEIGHTS = {1: 1}\n", ["in WEIGHTS", "there is no weight 1"]),
        ('WEIGHTS = {"gold": "x"}\n', ["in WEIGHTS", "must be a number, not 'x'"]),
        ('WEIGHTS = {"gold": 99}\n', ["in WEIGHTS", "from 0 to 5 points per doubloon, not 99"]),
        ("WEIGHTS = [1]\n", ["WEIGHTS must be a dictionary", "[1]"]),
        ('WIEGHTS = {"gold": 1}\n', ["'WIEGHTS' is not read", "did you mean 'WEIGHTS'?"]),
        ('weights = {"gold": 1}\n', ["'weights' is not read", "did you mean 'WEIGHTS'?"]),
        (f'NAME = "a/b"\n{CARD}    return 0\n', ["'a/b'", "1 to 60 letters"]),
        (f'INTEND = "a"\n{CARD}    return 0\n', ["'INTEND' is not read", "did you mean 'INTENT'?"]),
        ("", ["decides nothing", "choose_card", ".toml"]),
        ('WEIGHTS = {"gold": 2}\n', ["decides nothing"]),
        ("def round_ends(game, rules):\n    game.memory[0] = 1\n", ["is no strategy", "write --house-rules "]),
        (f"class Mine:\n    {CARD}        return 0\n", ["line 2", "inside the class Mine", "left margin"]),
        (f"{CARD.replace('choose', 'pick')}    return 0\n", ["line 1", "'pick_card' is not a decision point"]),
        (f"{CARD}    return view.hands\n", ["line 2, in choose_card: `return view.hands`:", "did you mean 'hand'?"]),
        (f"{CARD}    return rules.costs[0]\n", ["line 2", "did you mean 'cost'?"]),
        (f"{CARD}    return int(weights.zzz)\n", ["weights have no field 'zzz': docs"]),
        ("def choose_card(v, r, w):\n    return v.hands\n", ["line 2", "did you mean 'hand'?"]),
        ("from jamaica_sim.strategy.api import lowst\n", ["line 1", "`from", "did you mean 'lowest'?"]),
    ],
)
def test_a_wrong_code_file_is_refused_before_anything_is_compiled(text, words):
    sentence = refusal(text, ".py")
    assert all(word in sentence for word in words), sentence


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("seen = view\n    return seen.nonesuch", ["line 7", "`return seen.nonesuch`", "have a field 'nonesuch'"]),
        ("return nonesuch(view)", ["there is no name 'nonesuch'"]),
        ("return lowest(view.legal)", ["there is no name 'lowest'", "import it", "strategy.api import lowest"]),
        ("return open('x')", ["'open' cannot be used"]),
        ("best = None\n    if view.me:\n        best = 1\n    return best", ["not every path", "ask_heuristic"]),
        (
            "best = None\n    if view.me:\n        best = 1\n    return rules.cost[best]",
            ["`return rules.cost[best]`", "can still be None"],
        ),
        ("return _plain(view)", ["'_plain' needs the decorator @helper"]),
        ("return _TABLE[0]", ["'_TABLE' is a dictionary", "a tuple"]),
        ("return 'card' + view.me", ["text and a whole number do not go together with `+`"]),
        ("return view.space[0, 1]", ["an index for each of its axes"]),
        ("return len(view.hand)", ["use has, count, lowest and nth"]),
        ("for card in view.hand:\n        return card\n    return 0", ["cannot loop over a number"]),
        ("import random\n    return 0", ["numba cannot compile this: Use of unsupported opcode (IMPORT_NAME)"]),
        ("return view if view.round else rules", ["return view if"]),
        ("return 1.5", ["returns a fraction", "use //"]),
        ("return 1 if view.round else 1.5", ["returns a fraction"]),
        ("pass", ["line 5", "never returns an answer", "ask_heuristic"]),
        ("if view.round > 3:\n        return 1", ["line 5", "not every path", "ask_heuristic"]),
        ("return 'card'", ["returns text"]),
        ("return view", ["returns the view, the rules or the weights"]),
        ("return view, rules", ["returns a tuple"]),
        ("return view.stock[view.me]", ["returns an array", "two indexes"]),
        ("raise ValueError('no idea')", ["never returns an answer"]),
        ("return _bad(view)", ["line 4, in _bad", "do not go together"]),
    ],
)
def test_a_function_that_does_not_compile_is_refused_with_its_line_and_what_to_do(body, words):
    bad = "@helper\ndef _bad(view): return 'a' + view.me\n" if "_bad" in body else "\n"
    head = f"from jamaica_sim.strategy.api import helper\ndef _plain(view): return 1\n{bad}_TABLE = {{}}\n"
    strategy = load_text(f"{head}{CARD}    {body}\n", ".py")
    with pytest.raises(StrategyError) as refused:
        strategy.addresses()
    sentence = str(refused.value)
    assert sentence.startswith(f"{Path('folder/mine.py')}, line ") and "in choose_card" in sentence or "_bad" in body
    assert "\n" not in sentence and len(sentence) < 400 and sentence[-1] in ".?"
    for word in ("nopython", "Literal[", "OptionalType", "int64", "<built-in"):
        assert word not in sentence
    assert all(word in sentence for word in words), sentence


def test_what_no_rule_knows_is_told_in_numbas_words_with_the_line():
    sentence = compile_slip(ValueError("Odd thing.\n\nat mine.py (2)"), "mine.py", "a\nb = 1\n", "f", {})
    assert sentence == "mine.py, line 2, in f: `b = 1`: numba cannot compile this: Odd thing."


# Whatever a file contains

SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
KEYS = st.one_of(st.sampled_from(["name", "description", "intent", "weights", *NAMES]), st.text(max_size=8))
SCALARS = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.dates(), st.times(), st.datetimes()
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


def as_toml(value):
    """A value in TOML's own spelling, tables inline."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(character):08X}" for character in value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_toml(key)} = {as_toml(inner)}" for key, inner in value.items()) + "}"
    return value.isoformat() if hasattr(value, "isoformat") else repr(value)


def loads_or_refuses(text, suffix):
    """Load a text; a StrategyError, with a line for each mistake, is the only other way out."""
    try:
        return load_text(text, suffix)
    except StrategyError as refused:
        _, *problems = str(refused).split("\n")
        assert all(problem.startswith(("  - line ", "  - in WEIGHTS, ")) for problem in problems) and len(problems) != 1
        return None


@SETTINGS
@given(st.text(st.characters(codec="utf-8")))
def test_no_text_makes_a_data_file_fail_otherwise(text):
    loads_or_refuses(text, ".toml")


@SETTINGS
@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_no_toml_structure_makes_a_data_file_fail_otherwise(content):
    text = "".join(f"{as_toml(key)} = {as_toml(value)}\n" for key, value in content.items())
    try:
        tomllib.loads(text)
    except ValueError:
        return
    strategy = loads_or_refuses(text, ".toml")
    assert strategy is None or set(content) <= {"name", "description", "intent", "weights"}


@SETTINGS
@given(st.dictionaries(st.sampled_from(NAMES), st.floats() | st.integers() | st.floats(0, 5), max_size=6))
def test_weights_are_taken_exactly_when_they_are_in_range(weights):
    text = "[weights]\n" + "".join(f"{name} = {as_toml(value)}\n" for name, value in weights.items())
    allowed = all(BY_NAME[name].low <= value <= BY_NAME[name].high for name, value in weights.items())
    code = f"from math import inf, nan\nWEIGHTS = {weights!r}\n{CARD}    return 0\n"
    for suffix, content in ((".toml", text), (".py", code)):
        strategy = loads_or_refuses(content, suffix)
        assert (strategy is not None) == allowed
        if strategy is not None:
            assert strategy.changes == weights
            assert all(np.isfinite(strategy.weights[name][0]) for name in NAMES)


@SETTINGS
@given(st.text(st.characters(codec="utf-8")))
def test_no_broken_text_makes_a_code_file_fail_otherwise(text):
    # Whatever comes before, brackets do not match: the text is never executed.
    assert loads_or_refuses(f"{text}\n)(", ".py") is None


@SETTINGS
@given(st.binary(max_size=40), st.sampled_from([".toml", ".py"]))
def test_no_bytes_make_a_file_fail_otherwise(tmp_path, content, suffix):
    path = tmp_path / f"bytes{suffix}"
    path.write_bytes(b"\xff" + content)  # never UTF-8, so never executed
    with pytest.raises(StrategyError, match=r"is not UTF-8 text: byte 0"):
        load_strategy(path)


@SETTINGS
@given(st.text(max_size=30))
def test_no_name_makes_loading_fail_otherwise(name):
    with pytest.raises(StrategyError):
        load_strategy(f"nowhere/{name}.toml")
    if name not in strategy_names():
        with pytest.raises(StrategyError):
            load_strategy(f"{name}?")


# Where files are found


def test_bare_names_find_the_shipped_strategies_from_any_directory(tmp_path, monkeypatch):
    write(tmp_path, "racer.toml", "[weights]\ngold = 0\n")
    monkeypatch.chdir(tmp_path)
    for name in strategy_names():
        strategy = load_strategy(name)
        assert strategy.name == name and strategy.description
        assert strategy.path is None or strategy.path.parent == shipped_folder()
    assert load_strategy("racer").path != Path("racer.toml")  # a bare name is never a file here
    assert load_strategy("racer.toml").changes == {"gold": 0.0}
    assert load_strategy(Path("racer.toml")).changes == {"gold": 0.0}


def test_an_installed_package_brings_the_shipped_strategies_along(tmp_path):
    """As the wheel lays them out: inside the package, not beside it."""
    project = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8"))
    [(source, target)] = [
        (source, target)
        for source, target in project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"].items()
        if source == "strategies"
    ]
    shutil.copytree(PACKAGE, tmp_path / "site" / "jamaica_sim", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PACKAGE.parent / source, tmp_path / "site" / target)
    code = "from jamaica_sim.strategy.library import *; print(*map(load_strategy, strategy_names()), shipped_folder())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(str(tmp_path / "site" / target))
    assert all(f"<Strategy {name} (" in done.stdout for name in strategy_names())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rcaer", "there is no strategy 'rcaer': did you mean 'racer'?"),
        ("xyzzy", "the shipped ones are balanced, beginner, champion"),
        ("nowhere/x.toml", "there is no strategy file nowhere"),
        ("nowhere/x.txt", "ends in .toml (weights) or .py (code)"),
        (".", "there is no strategy '.'"),
        ("./", "ends in .toml"),
        ("\0.toml", "cannot be the name of a file with a strategy"),
        ("x" * 5000 + ".toml", "cannot be read"),
    ],
)
def test_what_cannot_be_found_is_refused(name, words):
    with pytest.raises(StrategyError) as refused:
        load_strategy(name)
    assert words in str(refused.value)


def test_a_folder_or_a_closed_file_is_refused(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(StrategyError, match="cannot be read"):
        load_strategy(tmp_path / "folder.toml")


def test_two_files_of_the_same_name_in_different_folders_are_told_apart(tmp_path):
    slow = write(tmp_path, "a/mine.toml", "[weights]\nprogress = 0\n")
    fast = write(tmp_path, "b/mine.toml", "[weights]\nprogress = 5\n")
    table = simulate(games=40, players=3, strategies=[str(slow), str(fast)]).by_strategy()
    assert sorted(table["strategy"]) == ["mine (a)", "mine (b)"]


def test_a_file_called_like_a_shipped_strategy_is_the_one_that_is_named_by_its_path(tmp_path):
    own = write(tmp_path, "balanced.toml", "[weights]\nprogress = 0\n")
    names = simulate(games=40, players=3, strategies=["balanced", str(own)]).by_strategy()["strategy"]
    assert sorted(names) == ["balanced", f"balanced ({own})"]


def test_labels_that_differ_already_are_kept(tmp_path):
    files = [write(tmp_path, f"{folder}/mine.toml", f"[weights]\nfood = {len(folder)}\n") for folder in ("a", "bb")]
    labelled = told_apart([load_strategy(file) for file in files])
    again = [strategy_from_identity(strategy.identity()) for strategy in labelled]  # these no longer know the folder
    assert [s.label for s in told_apart(again)] == [s.label for s in labelled] == ["mine (a)", "mine (bb)"]
    nameless = [strategy_from_identity({**s.identity(), "label": "mine"}) for s in labelled]
    assert [s.label for s in told_apart(nameless)] == [f"mine ({s.digest[:8]})" for s in labelled]


# From a dictionary of weights


def test_a_dictionary_of_weights_plays_as_a_file_with_these_weights(tmp_path):
    file = write(tmp_path, "rich.toml", "[weights]\ngold = 1.25\nfood = 3\n")
    tables = [
        simulate(games=60, players=3, strategies=[one, "balanced"]).by_strategy().drop(columns="strategy")
        for one in ({"gold": 1.25, "food": 3}, str(file))
    ]
    assert tables[0].equals(tables[1])


def test_a_strategy_from_a_dictionary_is_called_by_its_weights_and_seated_again():
    strategy = load_strategy({"gold": 1.2, "food": 3})
    assert (strategy.name, strategy.path, strategy.changes) == ("gold 1.2 food 3", None, {"gold": 1.2, "food": 3.0})
    again = strategy_from_identity(strategy.identity())
    assert again.identity() == strategy.identity() and again.weights.tobytes() == strategy.weights.tobytes()
    assert strategy_from_weights({"gold": 1.2}, "mine", 'says "ahoy"').description == 'says "ahoy"'
    many = load_strategy({weight.name: weight.default for weight in WEIGHTS})
    assert many.name == "weights" and many.weights.tobytes() == load_strategy("balanced").weights.tobytes()


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ({"golt": 1}, "there is no weight 'golt': did you mean 'gold'"),
        ({"gold": "much"}, "must be a number, not 'much'"),
        ({"gold": 99}, "from 0 to 5 points per doubloon, not 99"),
        ({"gold": True}, "must be a number, not True"),
    ],
)
def test_a_dictionary_of_wrong_weights_is_refused(weights, problem):
    with pytest.raises(StrategyError, match=problem):
        load_strategy(weights)


def test_a_strategy_is_seated_again_from_its_identity():
    for name in strategy_names():
        strategy = load_strategy(name)
        again = strategy_from_identity(strategy.identity())
        assert (again.name, again.digest, again.changes) == (strategy.name, strategy.digest, strategy.changes)
        assert set(again.functions) == set(strategy.functions)
    changed = {**load_strategy("racer").identity(), "text": "[weights]\ngold = 1\n"}
    with pytest.raises(StrategyError, match="does not match its hash"):
        strategy_from_identity(changed)


# Playing, and what has to be compiled for it


def test_six_different_files_play_in_one_game(tmp_path):
    thrifty = write(tmp_path, "thrifty.toml", "[weights]\ngold = 3\n")
    blind = write(tmp_path, "blind.py", f"{VIEW}{CARD}    return pick_random(view, view.legal)\n")
    files = [str(thrifty), str(blind), "corsair", "endgame", "champion", "random"]
    results = simulate(games=200, players=6, strategies=files).by_strategy()
    assert sorted(results["strategy"]) == sorted(["thrifty", "blind", "corsair", "endgame", "champion", "random"])


def cached_files():
    return sorted(path for path in cache_folder().rglob("*") if path.is_file())


def compiled_by(play):
    """The names of the functions that numba compiles during `play()`."""
    with event.install_recorder("numba:compile") as recorder:
        play()
    return [seen.data["dispatcher"].py_func.__name__ for _, seen in recorder.buffer if seen.is_start]


def test_a_new_data_file_compiles_nothing(tmp_path):
    simulate(games=1, players=3, strategies="balanced")  # everything that must be compiled is compiled now
    before = cached_files()
    new = write(tmp_path, "new.toml", f"[weights]\ngold = {np.random.default_rng().random()}\n")
    assert load_strategy(new).is_compiled()
    assert compiled_by(lambda: simulate(games=50, players=3, strategies=str(new))) == []
    added = set(cached_files()) - set(before)
    assert not [file for file in added if ".strategy." in file.name]  # tests beside this one may keep an engine's code


def test_for_a_new_code_file_its_own_functions_are_compiled_and_not_the_engine(tmp_path):
    simulate(games=1, players=3, strategies="balanced")
    number = np.random.default_rng().integers(1 << 60)
    new = write(
        tmp_path,
        "new.py",
        f"{VIEW}# {number}\n@helper\ndef _first(view):\n    return lowest(view.legal)\n{CARD}    return _first(view)\n",
    )
    assert not load_strategy(new).is_compiled()
    compiled = compiled_by(lambda: simulate(games=50, players=3, strategies=str(new)))
    assert "choose_card" in compiled and set(compiled) <= {"choose_card", "_first", "lowest"}
    assert load_strategy(new).is_compiled()
    assert compiled_by(lambda: simulate(games=50, players=3, strategies=str(new))) == []


AGAIN = """
import sys, time
from numba.core import event
from jamaica_sim import simulate
from jamaica_sim.strategy.library import load_strategy
with event.install_recorder("numba:compile") as recorder:
    load_strategy("balanced").addresses()
    started = time.process_time()
    load_strategy(sys.argv[1]).addresses()
    seconds = time.process_time() - started
    simulate(games=20, players=3, strategies=sys.argv[1], threads=1)
print(seconds, len(recorder.buffer))
"""


@pytest.mark.slow
def test_in_a_new_process_a_code_file_is_loaded_from_the_cache(tmp_path):
    functions = "".join(
        f"def {decision}(view, rules, weights):\n    return ask_heuristic(view, rules, weights)\n"
        for decision in DECISIONS
    )
    path = write(tmp_path, "everything.py", VIEW + functions)
    for _ in range(2):  # both new: what other tests compiled in this process can keep code from being kept
        done = subprocess.run(
            [sys.executable, "-c", AGAIN, str(path)], capture_output=True, text=True, env=os.environ, timeout=300
        )
        assert done.returncode == 0, done.stderr
    seconds, compiled = done.stdout.split()
    assert int(compiled) == 0
    assert float(seconds) < 1.0


def test_a_changed_code_file_plays_as_it_is_now(tmp_path):
    path = write(tmp_path, "changing.py", f"{VIEW}{CARD}    return lowest(view.legal)\n")
    first = load_strategy(path)
    addresses = first.addresses()
    write(tmp_path, "changing.py", f"{VIEW}{CARD}    return ask_heuristic(view, rules, weights)\n")
    second = load_strategy(path)
    assert second.digest != first.digest
    card, dice = DECISIONS.index("choose_card"), DECISIONS.index("place_dice")
    assert second.addresses()[card] != addresses[card]
    assert second.addresses()[dice] == addresses[dice] == HEURISTIC.address
    first_wins, second_wins = (
        simulate(games=200, players=3, strategies=[strategy, "random"]).by_strategy()["win_rate"].tolist()
        for strategy in (first, second)
    )
    assert second_wins[0] > first_wins[0]


def test_all_mistakes_of_a_file_are_told_at_once(tmp_path):
    (tmp_path / "bad.toml").write_text('foo = 1\nname = 3\n[weights]\nbravdo = 3\nprogress = "a"\nfood = 1e9\n')
    with pytest.raises(StrategyError) as refused:
        load_strategy(tmp_path / "bad.toml")
    lines = str(refused.value).splitlines()
    assert lines[0].endswith("bad.toml has 5 problems:")
    assert [line.split(":")[0] for line in lines[1:]] == [f"  - line {number}" for number in (1, 2, 4, 5, 6)]


def test_all_mistakes_of_a_code_file_are_told_at_once(tmp_path):
    head = "WEIGHT = {}\nWEIGHTS = {'bravdo': 3, 'food': 1e9}\nBANS = ['atack', 'flying']\n"
    wrong = "def choose_crd(view, rules, weights):\n    view.round = view.sapce\n    return 0\n"
    path = write(tmp_path, "bad.py", head + wrong)
    with pytest.raises(StrategyError) as refused:
        load_strategy(path)
    first, *lines = str(refused.value).splitlines()
    assert first.endswith("bad.py has 8 problems:")
    told = ["change nothing", "'sapce'", "'bravdo'", "'food'", "'WEIGHT'", "'atack'", "'flying'", "'choose_crd'"]
    assert all(word in line for word, line in zip(told, lines, strict=True))
