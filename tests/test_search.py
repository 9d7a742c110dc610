"""The search player: files with [search], the same games on any number of threads, and better play than its policy."""

from pathlib import Path

import numpy as np
import pytest

from jamaica_sim.play.chunks import Chunk, Worker, chunks, play_in_order
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.library import load_strategy, strategy_from_identity, strategy_from_text
from jamaica_sim.strategy.search.settings import SEARCHED
from jamaica_sim.strategy.strategy import StrategyError

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
        played = play_in_order(table, chunks(0, 12, size), threads, keep_rows=True)
        return b"".join(chunk.rows.tobytes() for chunk in played)

    assert rows(1, 12) == rows(2, 5) == rows(3, 1)


def test_search_wins_more_than_its_policy():
    """One of it against three that play by the same weights."""
    thinker = searching(QUICK.replace("rollouts = 6", "rollouts = 40").replace("depth = 2", "depth = 3"))
    policy = load_strategy({"progress": 4.0, "food": 12.0})
    wins = []
    for seat in range(4):
        seats = [thinker if player == seat else policy for player in range(4)]
        rows = Worker(seat_table(players=4, strategies=seats, seed=8)).play(Chunk(0, 60), keep_rows=True).rows
        wins += ((rows["winners"] >> seat & 1) / np.bitwise_count(rows["winners"])).tolist()
    assert np.mean(wins) > 0.25 + np.std(wins) / np.sqrt(len(wins))
