"""The search player: files with [search], the same games on any number of threads, and better play than its policy."""

import signal
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from jamaica_sim import compare
from jamaica_sim.cli import main
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import every_rules, problems_at
from jamaica_sim.play.chunks import Chunk, Worker, chunks, play_in_order
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.trace import replay_table
from jamaica_sim.strategy.library import load_strategy, strategy_from_identity, strategy_from_text
from jamaica_sim.strategy.search.settings import SEARCHED
from jamaica_sim.strategy.search.value import FEATURES, fitted, kind_number
from jamaica_sim.strategy.strategy import StrategyError
from jamaica_sim.study.experiment.file import experiment_from_text
from jamaica_sim.study.experiment.run_experiment import run_experiment
from jamaica_sim.study.experiment.study import load_study
from jamaica_sim.study.simulate import Stopped, resume_run, run_games

QUICK = "[search]\nrollouts = 6\ndepth = 2\n[weights]\nprogress = 4.0\nfood = 12.0\n"


def searching(text=QUICK):
    return strategy_from_text(text, Path("thinker.toml"))


def test_a_file_with_search_is_a_strategy_of_its_own_kind():
    strategy = searching()
    assert strategy.kind == "search" and set(strategy.functions) == set(SEARCHED)
    assert strategy.weights["rollouts"] == 6 and strategy.weights["gate"] == 1.0
    assert strategy.weights["policy"]["food"] == 12.0 and strategy.weights["policy"]["foresight"] == 0
    assert strategy_from_identity(strategy.identity()).digest == strategy.digest
    assert load_strategy("searcher").search is not None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[search]\nrolouts = 6", "line 2: there is no key 'rolouts' in .search.: did you mean 'rollouts'"),
        ("[search]\nrollouts = 0", "rollouts must be a whole number from 1 to 100000, not 0"),
        ("[search]\nrollouts = 1.5", "rollouts must be a whole number"),
        ("[search]\ngate = 'high'", "gate must be a number from 0 to 100, not 'high'"),
        ("[search]\ngate = nan", "gate must be a number from 0 to 100, not nan"),
        ("[search]\ndecisions = []", "decisions must be a list of decision points"),
        ("[search]\ndecisions = ['chose_card']", "there is no decision point 'chose_card': did you mean 'choose_card'"),
        ("[search]\npolicy = 'racer'", "policy must be a table"),
        ("[search.policy]\nfod = 1", "there is no weight 'fod'"),
        ("search = 5", "search must be a table"),
    ],
)
def test_a_slip_in_search_is_refused_with_its_line(text, problem):
    with pytest.raises(StrategyError, match=problem):
        searching(text)


def test_the_same_games_on_any_number_of_threads_and_in_any_order():
    table = seat_table(
        players=3, ghost=True, edition="2021", strategies=[searching(), load_strategy("balanced")], seed=4
    )

    def rows(threads, size):
        played = play_in_order([table], chunks(0, 12, size), threads, keep_rows=True)
        return b"".join(chunk.rows.tobytes() for chunk in played)

    assert rows(1, 12) == rows(2, 5) == rows(3, 1)


@pytest.mark.slow
def test_search_wins_more_than_its_policy():
    """One searcher against three players with the same weights."""
    thinker = searching(QUICK.replace("rollouts = 6", "rollouts = 40").replace("depth = 2", "depth = 3"))
    policy = load_strategy({"progress": 4.0, "food": 12.0})
    wins = []
    for seat in range(4):
        seats = [thinker if player == seat else policy for player in range(4)]
        rows = Worker(seat_table(players=4, strategies=seats, seed=8)).play(Chunk(0, 60), keep_rows=True).rows
        wins += ((rows["winners"] >> seat & 1) / np.bitwise_count(rows["winners"])).tolist()
    assert np.mean(wins) > 0.25 + np.std(wins) / np.sqrt(len(wins))


def test_every_kind_of_table_has_a_value_of_its_own():
    nets = [fitted()["first"][0, kind_number(rules.players, rules.ghost, rules.edition)] for rules in every_rules()]
    assert len({net.tobytes() for net in nets}) == len(nets)
    seen = [net.any(axis=1)[: len(FEATURES)] for net in nets]
    assert all(features.sum() >= len(FEATURES) - 3 for features in seen)
    assert [bool(features[FEATURES.index("ghost")]) for features in seen] == [rules.ghost for rules in every_rules()]


# Everywhere a strategy can be named


@pytest.fixture(scope="module")
def seated():
    return seat_table(players=2, edition="2021", strategies=[searching(), load_strategy("balanced")], seed=6)


def test_a_run_that_was_stopped_goes_on_with_the_same_games(seated, tmp_path):
    def stop(done):
        signal.raise_signal(signal.SIGINT)

    whole = run_games(seated, 24, out=tmp_path / "whole", chunk_size=4)
    with pytest.raises(Stopped):
        run_games(seated, 24, out=tmp_path / "part", chunk_size=4, progress=stop)
    assert resume_run(tmp_path / "part").tally.tobytes() == whole.tally.tobytes()


@pytest.mark.slow
def test_a_cluster_plays_the_same_games(seated):
    pytest.importorskip("distributed")
    assert run_games(seated, 24, cluster="local:2").tally.tobytes() == run_games(seated, 24).tally.tobytes()


def test_a_replay_is_the_game_of_the_run(seated):
    row = Worker(seated).play(Chunk(5, 1), keep_rows=True).rows[0]
    trace = replay_table(seated, 5)
    assert trace["result"]["scores"] == row["score"][:3].tolist()


def test_a_comparison_and_an_experiment_with_a_searcher(tmp_path):
    file = tmp_path / "thinker.toml"
    file.write_text(QUICK)
    compared = compare([file, "balanced"], games=40, players=3, ghost=False)
    assert compared.labels == ["thinker", "balanced"] and compared.games >= 40
    text = f'title = "t"\ngames = 20\nline_ups = ["{file.name}", "balanced"]\n[rules]\nplayers = 3\nghost = false\n'
    run_experiment(experiment_from_text(text, tmp_path / "few.toml"), tmp_path / "few")
    assert [setting.games for setting in load_study(tmp_path / "few").settings] == [20, 20]


def test_strategies_check_and_show_know_a_searcher(tmp_path):
    file = tmp_path / "thinker.toml"
    file.write_text(QUICK)
    assert problems_at(load_strategy(file), Rules(players=2, edition="2021")) == []
    shown = CliRunner().invoke(main, ["strategies", "show", str(file)])
    assert shown.exit_code == 0 and "rollouts" in shown.output
