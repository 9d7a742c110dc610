"""What a slip in a file of house rules may not do: end the process, write wrong figures, or run for ever unnamed."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from house_games import house, rows_of

from jamaica_sim import Game, load_strategy, simulate
from jamaica_sim.game.house_file import ARGUMENTS, MOMENTS_THAT_ACT, HouseRulesError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.state_record import HouseRulesFault
from jamaica_sim.strategy.strategy import StrategyError

NASTY = Path(__file__).parent / "nasty_files.py"
FOUR = Rules(players=4)
LOOPS = {
    "in_a_moment": ("round_begins", "while game.round >= 0:\n        game.memory[0] += 1"),
    "in_a_number": ("hand_limit", "while game.round >= 0:\n        pass\n    return n"),
}


def function(name, line):
    return f"def {name}({', '.join(('game', 'rules', *ARGUMENTS[name]))}):\n    {line}\n"


@pytest.mark.parametrize(
    ("name", "line", "sentence"),
    [
        ("battle_result", "return attack - defence", "the attacker, the defender, or -1 for a tie"),
        ("battle_result", "return -40", "the attacker, the defender, or -1 for a tie"),
        ("battle_result", "return 1 if attack > defence else 0", "the attacker, the defender, or -1 for a tie"),
        ("points", "return 1000 * n", "from -32,767 to 32,767"),
        ("points", "return 10**6", "from -32,767 to 32,767"),
        ("points", "return 2**63 - 1", "from -32,767 to 32,767"),
        ("points", "return -(2**63)", "from -32,767 to 32,767"),
        ("die", "return 2**62", "from -32,767 to 32,767"),
        ("cost", "return -(2**62)", "from -32,767 to 32,767"),
        ("hand_limit", "return 10**9", "from -32,767 to 32,767"),
        ("shortage", "return missing + 2", "1, or 0 where the ship stays"),
        *((name, "return 2**63 - 1", "return ask") for name in MOMENTS_THAT_ACT),
        ("round_begins", "return True", "return ask"),
        ("round_begins", "return -1", "return ask"),
        ("battle_begins", "return -2", "CALLED_OFF or nothing"),
        ("round_begins", "return ask(5, 2)", "return ask"),  # there are four players
        ("round_begins", "return ask(0, 2)", "has a function round_begins_chosen for the answer"),
    ],
)
def test_what_makes_no_sense_is_a_fault_of_the_file(name, line, sentence):
    with pytest.raises(HouseRulesFault, match=rf"the house rules returned -?\d+ in {name} \(it must .*{sentence}"):
        rows_of(FOUR, function(name, line))


STORES = [
    "d = game.space\n    d[0] = 10**6",
    "s = game.stock\n    s[0, 0] = 999",
    "s = game.stock[0]\n    s[:] = 999",
    "for row in game.stock.T:\n        row[0] += 1",
    "both = [(game.space, game.lap)]\n    both[0][1][0] = 1",
    "c = rules.cost\n    c[0] = 3",
    "g = game\n    g.round = 5",
    "g = game\n    g['round'] = 5",
    "getattr(game, 'space')[0] = 5",
    "game.space.fill(3)",
    "np.fill_diagonal(game.stock, 3)",
    "np.add(game.space, 1, game.space)",
    "_bad(game.space)",
    "_worse(game)",
]
HELPERS = "import numpy as np\n@helper\ndef _bad(d):\n    d[0] = 10**6\n@helper\ndef _worse(g):\n    g.round = 99\n"


@pytest.mark.parametrize("line", STORES)
def test_nothing_is_written_through_another_name(line):
    """By the file or its helpers, to the game, the rules or what is in them; refused when the file is compiled."""
    with pytest.raises(HouseRulesError):
        rows_of(FOUR, HELPERS + function("round_begins", line))


def test_memories_and_arrays_of_its_own_are_a_files_to_write():
    body = "m = game.ship_memory\n    m[0, 0] += 1\n    own = game.space.copy()\n    own[0] = 5\n    _bad(own)"
    assert (rows_of(FOUR, HELPERS + function("round_begins", body))["rounds"] > 3).all()


@pytest.mark.parametrize(
    "line",
    [
        "s = view.stock\n    s[0, 0] = 63",
        "w = weights\n    w.heuristic = 1",
        "v = view\n    v.round = 99",
        "_bad(view.space)",
    ],
)
def test_a_strategy_writes_to_nothing_that_it_is_given(tmp_path, line):
    path = tmp_path / "mine.py"
    helped = f"from jamaica_sim.strategy.api import *\n{HELPERS}"
    path.write_text(f"{helped}def choose_card(view, rules, weights):\n    {line}\n    return lowest(view.legal)\n")
    with pytest.raises(StrategyError, match="can be read, but not written to"):
        load_strategy(str(path)).addresses()


def test_questions_without_end_are_a_fault_of_the_file():
    body = function("round_ends", "return ask(0, 2)") + function("round_ends_chosen", "return ask(1, 2)")
    for strategy in ("random", "balanced"):
        with pytest.raises(HouseRulesFault, match=r"in round_ends_chosen .*asks at most 1,000 times"):
            rows_of(FOUR, body, strategy=strategy)


def test_points_up_to_16_bits_are_the_points():
    """Also what is counted from them: leads, margins, house points."""
    rules = FOUR.but(house_rules=house(function("points", "return 32767 - 65534 * (ship > 0)")))
    results = simulate(rules=rules, games=20, strategies=["random"], per_game=True)
    rows = results.by_game()
    assert set(rows["score"]) == {32767, -32767} and set(rows["lead"].abs()) == {65534}
    printed = rows[["position_points", "gold", "treasure_points"]].sum(axis=1)
    assert (rows["house_points"] == rows["score"] - printed).all()
    assert results.of_game("margin").value == 65534


def test_the_file_is_named_also_where_a_searcher_or_a_game_meets_the_slip():
    rules = FOUR.but(house_rules=house(function("points", "return 10**6"), "slip.py"))
    with pytest.raises(HouseRulesFault, match=r"the house rules slip.py raised .* the strategy searcher played on"):
        simulate(rules=rules, games=1, strategies=["searcher"])
    with pytest.raises(HouseRulesFault, match=r"the house rules slip.py returned 1000000 in points"):
        Game(rules=rules, strategies=["random"])


def test_whoever_may_hold_no_card_holds_one():
    rows = rows_of(FOUR, function("hand_limit", "return n - 3"))
    assert (rows["rounds"] > 3).all()


@pytest.mark.slow
def test_files_of_luck_end_in_games_or_in_a_sentence():
    """`python tests/nasty_files.py 0 2000` plays by more of them."""
    words = [sys.executable, NASTY, "5000", "40"]
    without_checks = {name: value for name, value in os.environ.items() if name != "JAMAICA_SIM_BOUNDS_CHECK"}
    environment = {**without_checks, "JAMAICA_SIM_PATIENCE": "5"}
    told = subprocess.run(words, capture_output=True, text=True, timeout=600, env=environment)
    assert told.returncode == 0, told.stdout[-300:] + told.stderr[-2000:]
    assert len(told.stdout.splitlines()) == 40


# A file that never ends: noticed, named and left behind


@pytest.fixture
def stuck(tmp_path):
    """Starts a command with a file that never ends."""
    started = []

    def start(*words, loop="in_a_moment", patience="60"):
        (tmp_path / "stuck.py").write_text(f'"""Stuck."""\n{function(*LOOPS[loop])}')
        command = [sys.executable, "-m", "jamaica_sim", *words]
        environment = {**os.environ, "JAMAICA_SIM_PATIENCE": patience}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        started.append(subprocess.Popen(command, env=environment, cwd=tmp_path, **pipes))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("command", ["rules check stuck.py", "run -n 20 -s random --house-rules stuck.py"])
def test_the_file_and_the_moment_are_named_when_patience_ends(stuck, command, loop):
    process = stuck(*command.split(), loop=loop, patience="1")
    _, said = process.communicate(timeout=90)
    assert process.returncode == 1 and "Traceback" not in said
    moment = LOOPS[loop][0]
    assert f"he house rules stuck.py are stuck in {moment}, which has not answered for 1 seconds, in game 0" in said


@pytest.mark.parametrize("name", [pytest.param("SIGINT", marks=pytest.mark.slow), "SIGTERM", "SIGHUP"])
def test_a_check_that_never_ends_can_be_stopped(stuck, name):
    process = stuck("rules", "check", "stuck.py")
    time.sleep(3)  # it plays by then; if it still compiles, it must end as well
    asked = time.monotonic()
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=60)
    assert process.returncode != 0 and time.monotonic() - asked < 22  # two seconds, and twenty on a busy machine


def test_a_searcher_that_plays_on_by_such_a_file_does_not_hide_it(stuck):
    process = stuck(*"run -n 1 -s searcher --house-rules stuck.py".split(), loop="in_a_number", patience="1")
    _, said = process.communicate(timeout=90)
    assert process.returncode == 1 and re.search("the house rules stuck.py(, by which it plays on| are stuck)", said)
