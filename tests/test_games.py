"""Many games at once: the same games as one by one, and observations of what the asked player may see."""

import numpy as np
import pytest

from jamaica_sim.engine.state import POSITION_BYTES, RESULT_DTYPE, VIEW_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.outside import games as games_module
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.outside.games import Games

TABLES = [
    Rules(players=2, ghost=True),
    Rules(players=4),
    Rules(players=5, edition="2021", ghost=True),
    Rules(players=6, edition="2021", limited_bank=True),
]
SIZE = 12


def first_answers(games):
    """The lowest legal answer of each game."""
    legal = games.legal.astype(np.int64)
    return np.array([(int(bits) & -int(bits)).bit_length() - 1 for bits in legal])


def entries(games, observation):
    return dict(zip(games.observation_names, observation.tolist(), strict=True))


@pytest.mark.parametrize("rules", TABLES, ids=str)
@pytest.mark.parametrize("threads", [1, 3])
def test_games_are_those_that_are_played_one_by_one(rules, threads, monkeypatch):
    monkeypatch.setattr(games_module, "WORTH_SHARING", -1.0)  # short steps are shared too
    seats = [None, "balanced", *[None] * (rules.players - 2)]
    games = Games(SIZE, rules=rules, strategies=seats, seed=8, threads=threads)
    singles = [Game(rules=rules, strategies=seats, seed=8, number=number) for number in range(2 * SIZE)]
    ended = {}
    while len(ended) < 2 * SIZE:
        for i in range(SIZE):
            number = int(games.number[i])
            single = singles[number] if number < 2 * SIZE else None
            if single is None:
                continue
            assert games.over[i] == single.is_over
            if single.is_over:
                row = single.row
                for column in RESULT_DTYPE.names:
                    assert (games._rows.positions[column][i] == row[column]).all(), column
                winners = single.result["winners"]
                shares = [(ship in winners) / len(winners) for ship in range(6)]
                assert games.rewards[i].tolist() == pytest.approx(shares)
                ended[number] = True
            else:
                asked = games.question(i)
                assert repr(asked) == repr(single.question)
                assert (games.player[i], DECISIONS[games.decision[i]]) == (asked.player, asked.decision)
                assert games.legal[i] == sum(1 << option for option in asked.options)
                assert not games.rewards[i].any()
                single.answer(asked.options[0])
        games.step(first_answers(games))
    assert len(ended) == 2 * SIZE


def test_an_observation_tells_the_question_and_the_view():
    rng = np.random.default_rng(3)
    games = Games(64, players=3, ghost=True, edition="2021", seed=5)
    seen = set()
    for _ in range(400):
        games.step(games.random_answers(rng))
        i = int(rng.integers(64))
        if games.over[i]:
            continue
        asked, told = games.question(i), entries(games, games.observation()[i])
        seen.add(asked.decision)
        assert told[f"asked: {asked.decision}"] == 1 and sum(told[f"asked: {name}"] for name in DECISIONS) == 1
        me = asked.player
        for slot in range(3):
            ship = asked.view["ships"][(me + slot) % 3]
            assert told[f"ship {slot}: gold / 10"] == pytest.approx(ship["gold"] / 10)
            assert told[f"ship {slot}: cards in hand / 4"] == ship["hand_size"] / 4
            assert told[f"ship {slot}: is behind the start"] == (ship["lap"] < 0)
        assert told["ship 5: is the ghost"] == 1 and told["ship 3: sails"] == told["ship 4: sails"] == 0
        assert [told[f"hand has card {card}"] for card in range(11)] == [
            float(any(held["card"] == card for held in asked.view["hand"])) for card in range(11)
        ]
        holds = {hold["hold"]: hold for hold in asked.view["ships"][me]["holds"]}
        for hold in range(6):
            assert told[f"own hold {hold}: is there"] == (hold in holds)
            amount = holds[hold]["amount"] if hold in holds and holds[hold]["resource"] == "food" else 0
            assert told[f"own hold {hold}: food / 10"] == pytest.approx(amount / 10)
        mask = np.flatnonzero(games.action_mask()[i])
        assert (mask - games.action_offsets[asked.decision]).tolist() == list(asked.options)
    assert seen >= set(DECISIONS) - {"choose_target", "ghost_target", "house_choice"}  # which are rare
    assert len(set(games.observation_names)) == games.observation().shape[1]
    assert np.abs(games.observation()).max() < 8 and games.action_mask().dtype == np.int8


@pytest.mark.parametrize("rules", TABLES, ids=str)
def test_an_observation_shows_only_what_the_player_may_see(rules):
    """Whatever is hidden from the asked player is exchanged for noise; observation and mask stay as they were."""
    rng = np.random.default_rng(4)
    games = Games(40, rules=rules, seed=6, restart=False)
    for _ in range(60):
        games.step(games.random_answers(rng))
        seen, mask = games.observation().copy(), games.action_mask().copy()
        rows = games._rows.bytes.reshape(40, POSITION_BYTES)
        kept = rows.copy()
        rows[:, VIEW_DTYPE.itemsize :] = rng.integers(0, 256, (40, POSITION_BYTES - VIEW_DTYPE.itemsize))
        waiting = ~games.over
        assert (games.observation()[waiting] == seen[waiting]).all()
        assert (games.action_mask()[waiting] == mask[waiting]).all()
        rows[:] = kept


def test_games_that_are_over_stay_or_begin_anew():
    games = Games(5, players=3, seed=2, restart=False)
    rng = np.random.default_rng(1)
    while not games.over.all():
        games.step(games.random_answers(rng))
    assert games.finished == 5 and not games.legal.any() and (games.player == -1).all()
    games.step(games.random_answers(rng))
    assert games.over.all() and games.finished == 5 and not games.rewards.any()
    assert games.action_mask().all() and games.observation()[:, :15].max() == 0


def test_an_illegal_answer_is_refused_and_the_questions_stay():
    games = Games(4, players=3, seed=2)
    asked = [repr(games.question(i)) for i in range(4)]
    answers = games.random_answers(np.random.default_rng(1))
    answers[2] = 62
    with pytest.raises(UserError, match=r"game 2: 62 is not a legal answer to \w+: answer \d"):
        games.step(answers)
    assert repr(games.question(2)) == asked[2]
    for step in (games.step, games.step_anyhow, games.step_actions):
        with pytest.raises(ValueError, match="broadcast"):
            step(np.zeros(3, np.int64))
    with pytest.raises(UserError, match="no seat is outside"):
        Games(4, strategies="balanced")
    with pytest.raises(UserError, match="the number of games"):
        Games(0)


def test_actions_are_offsets_and_answers():
    games, other = (Games(8, players=3, seed=2) for _ in range(2))
    rng = np.random.default_rng(1)
    for _ in range(30):
        answers = games.random_answers(rng)
        offsets = np.array([games.action_offsets[DECISIONS[d]] for d in games.decision])
        other.step_actions(offsets + answers)
        games.step(answers)
        assert [repr(games.question(i)) for i in range(8)] == [repr(other.question(i)) for i in range(8)]
