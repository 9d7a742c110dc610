"""Win chances and what-if by playing on: they agree with games played from the start, and errors are one sentence."""

import numpy as np
import pytest

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import chances, play_from, record_game, what_if
from jamaica_sim.play.state_record import new_state, play


@pytest.fixture(scope="module")
def table():
    return seat_table(players=3, ghost=True, strategies=["balanced", "random", "racer"], seed=9)


def test_chances_at_the_start_are_those_of_whole_games(table):
    """New luck deals decks and dice anew; what was dealt before the first round differs from game to game."""
    mixed = np.mean([chances(table, game, 0, games=60, seed=game).wins for game in range(60)], axis=0)
    rows = np.zeros(3000, RESULT_DTYPE)
    play(new_state(table.strategies, table.rules), table.rulebook, table.strategies, 10, 0, rows)
    wins = rows["winners"][:, None] >> np.arange(4) & 1
    whole = (wins / wins.sum(1, keepdims=True)).mean(0)
    assert np.abs(mixed - whole).max() < 0.06
    assert mixed.sum() == pytest.approx(1)


def test_chances_end_where_the_game_ended(table):
    """They wander, are reproducible, and after the last round but one they know more than at the start."""
    positions = [position for position in record_game(table, 4) if position.decision is None]
    assert [position.round for position in positions] == list(range(len(positions)))
    first, again = (chances(table, 4, 0, games=200) for _ in range(2))
    assert (first.shares == again.shares).all()
    assert (first.shares != chances(table, 4, 0, games=200, seed=1).shares).any()
    last = play_from(table, positions[-1], games=200)
    assert last.wins.max() > first.wins.max()


def test_what_if_compares_all_answers_on_the_same_luck(table):
    position = next(p for p in record_game(table, 4) if p.decision == "choose_card" and len(p.options) == 3)
    assert position.answer in position.options
    answers = what_if(table, position, games=300)
    assert set(answers) == set(position.options)
    gain, error = answers[position.options[0]].gain_over(answers[position.options[1]], position.player)
    assert gain == pytest.approx(
        answers[position.options[0]].wins[position.player] - answers[position.options[1]].wins[position.player]
    )
    assert 0 < error < 0.1


def test_a_slip_is_refused_in_a_sentence(table):
    positions = record_game(table, 4)
    with pytest.raises(ValueError, match="game 4 has no position after round 999"):
        chances(table, 4, 999)
    with pytest.raises(ValueError, match="nobody is asked between two rounds"):
        what_if(table, positions[0])
    asked = next(position for position in positions if position.decision)
    with pytest.raises(ValueError, match="61 is not one of the legal answers"):
        play_from(table, asked, 61)
    with pytest.raises(ValueError, match="at least 2 games"):
        play_from(table, asked, games=0)
