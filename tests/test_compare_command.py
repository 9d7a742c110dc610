"""`jamaica-sim compare` as a user types it: tables, JSON, CSV, the folder, interruption, refusals in one sentence."""

import io
import json
import re
import signal
from contextlib import contextmanager
from functools import partial

import pandas as pd
import pytest
from command import type_in

from jamaica_sim.study.compare import compare as comparing

PAIR = ["balanced", "random"]
typed = partial(type_in, "compare")


def output_of(*words):
    """What a command that must succeed prints."""
    result = typed(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_duel_ends_in_a_sentence_to_quote():
    text = output_of(*PAIR, "--games", 500)
    assert "Strategies (per seat, 25% is even; 250 deals)" in text
    assert "balanced beats random in " in text and "of the points, 500 games, seed 1." in text
    assert "The same deals" in text
    assert "4 players, edition 2007: 250 deals, each played in 2 seatings; 95% intervals over deals." in text


def test_a_strategy_and_itself_are_equal():
    text = output_of("balanced", "balanced", "--until", "verdict", "--margin", 0.02)
    assert "balanced #1 and balanced #2 are equal within 2 points of win rate" in text
    assert "95% confidence sequences" in text


def test_many_are_ranked_in_tables(tmp_path):
    text = output_of("random", "balanced", "hoarder", "--players", 2, "--games", 300, "--out", tmp_path / "out")
    for title in ("Strategies (", "Who finishes ahead of whom (", "Win rate by opponent (", "Seats ("):
        assert title in text
    assert "balanced leads 3 strategies" in text and f"Wrote {tmp_path / 'out'}." in text
    assert (tmp_path / "out" / "seats.csv").is_file()


def test_json_is_what_the_api_says():
    facts = json.loads(output_of(*PAIR, "--games", 200, "--seed", 9, "--format", "json", "--players", 3))
    found = comparing.compare(PAIR, games=200, seed=9, players=3)
    assert facts == json.loads(found.as_json())
    assert facts["games"] == 204 and facts["rules"]["players"] == 3


def test_measures_of_ones_own_are_printed():
    words = *PAIR, "--games", 200, "--measure", "close = margin < 3", "--measure", "mine = winners == random"
    assert re.search(r"^close +\d", output_of(*words), re.M)
    close, mine = json.loads(output_of(*words, "--format", "json"))["tables"]["how_often"]
    found = comparing.compare(PAIR, games=200, measures={"mine": "winners == random"})
    assert (close["of_all_games"], mine["share"]) == ("close", found.measure("mine").value)


def test_csv_reads_into_pandas():
    table = pd.read_csv(io.StringIO(output_of(*PAIR, "--games", 200, "--format", "csv")))
    assert list(table.columns) == ["table", "row", "quantity", "value", "low", "high", "deals"]
    rates = table[(table["table"] == "strategies") & (table["quantity"] == "win rate")]
    assert rates["value"].astype(float).sum() == pytest.approx(0.5)


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C after the first look, or before it."""

    def interrupt(before=False):
        whole = comparing.playing

        def with_signals(looks):
            for look in looks:
                if before or look[1]:
                    signal.raise_signal(signal.SIGINT)
                yield look

        @contextmanager
        def playing(*arguments):
            with whole(*arguments) as looks:
                yield with_signals(looks)

        monkeypatch.setattr(comparing, "playing", playing)

    return interrupt


def test_an_interruption_prints_what_there_is(interrupted):
    interrupted()
    result = typed(*PAIR, "--games", 5000)
    assert result.exit_code == 1
    assert "balanced beats random" in result.stdout and re.search("[12],000 games", result.stdout)
    assert "stopped early" in result.stdout


def test_an_interruption_before_the_first_look(interrupted):
    interrupted(before=True)
    result = typed(*PAIR)
    assert result.exit_code == 1 and "no results" in result.stderr


def test_an_interruption_tells_how_to_go_on(interrupted, tmp_path):
    interrupted()
    result = typed(*PAIR, "--games", 5000, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert "balanced beats random" in result.stdout
    command = f"jamaica-sim resume {tmp_path / 'out'}"
    wanted = re.escape(f"000 of 5,000 games are played and saved. Go on with: {command}\n")
    assert re.fullmatch(f"Stopped: [12],{wanted}", result.stderr)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ([], "at least two strategies"),
        (["balanced"], "at least two strategies"),
        ([*PAIR, "--players", 7], "from 2 to 6"),
        ([*PAIR, "--players", 6, "--ghost"], "free colour"),
        ([*PAIR, "--margin", 0.5], "one point of win rate"),
        ([*PAIR, "--margin", "much"], "not a valid float"),
        ([*PAIR, "--alpha", 0], "alpha must be"),
        (["balanced", "balansed"], "did you mean 'balanced'"),
        (["balanced", "./no_such_file.toml"], "there is no strategy file"),
        ([*PAIR, "--games", 100, "--until", "verdict"], "either --games or --until"),
        ([*PAIR, "--max-games", 100], "caps --until"),
        ([*PAIR, "--until", "tomorrow"], "not 'verdict'"),
        (["random"] * 10 + ["--until", "verdict", "--max-games", 100], "840 games"),
        ([*PAIR, "--rule", "hand_sise=4"], "did you mean 'hand_size'"),
        ([*PAIR, "--strategy", "random"], "No such option"),
        ([*PAIR, "--out", "."], "exists already"),
    ],
)
def test_what_is_wrong_is_refused_in_one_sentence(words, problem, monkeypatch):
    monkeypatch.setattr(comparing, "playing", lambda *_: pytest.fail("a game was played"))
    result = typed(*words)
    assert result.exit_code == 2, result.output
    assert problem.lower() in result.stderr.lower()
    assert result.stderr.startswith("Error: ") and len(result.stderr.strip().splitlines()) == 1


def test_code_that_does_not_compile_is_refused(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def choose_card(view, rules, weights):\n    return view.luckk\n")
    result = typed("random", file, "--out", tmp_path / "out")
    assert result.exit_code == 2 and "did you mean" in result.stderr
    assert not (tmp_path / "out").exists()


def test_help_names_the_options():
    text = output_of("--help")
    for word in ("--until", "--margin", "--alpha", "--max-games", "--players", "--ghost", "--out", "--seed"):
        assert word in text
    assert "--strategy" not in text


def test_one_against_a_field(tmp_path):
    out = tmp_path / "out"
    done = typed("balanced", "--against", "random", "hoarder", "--games", "240", "--out", str(out))
    assert done.exit_code == 0, done.output
    assert "balanced is better than the field of random and hoarder: it wins " in done.output
    assert "lead of balanced" in done.output and (out / "strategies.csv").is_file()
    for words, told in (
        (("balanced", "racer", "--against", "random"), "One strategy plays against a field"),
        (("balanced", "--against"), "at least one opponent"),
        (("balanced", "--against", "--games", "10"), "at least one opponent"),
    ):
        refused = typed(*words)
        assert refused.exit_code == 2 and told in refused.output
