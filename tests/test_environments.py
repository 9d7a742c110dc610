"""Environments for learners: what their own checkers want, and nothing that a player may not see."""

import pickle
import runpy
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from jamaica_sim.environments import JamaicaVectorEnv, aec_env
from jamaica_sim.errors import UserError
from jamaica_sim.play.outside.game import Game

# What PettingZoo warns of wherever an observation is a dictionary.
OF_DICTIONARIES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
TABLES = [
    {"players": 4},
    {"players": 3, "ghost": True, "edition": "2021", "strategies": [None, "balanced", None]},
    {"players": 6, "edition": "2021", "flat": True},
]


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_pettingzoo_finds_nothing_wrong(table):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        api_test(aec_env(**table), num_cycles=300)
        seed_test(lambda: aec_env(**table), num_cycles=50)
    others = [str(w.message) for w in seen if not str(w.message).startswith(OF_DICTIONARIES)]
    assert others == []


def test_pettingzoo_can_render():
    render_test(lambda render_mode: aec_env(render_mode=render_mode, players=3, ghost=True))
    with pytest.raises(UserError, match="render_mode is one of human, ansi, rgb_array"):
        aec_env(render_mode="svg")


def test_an_environment_is_registered_where_there_is_a_registry():
    registration = pytest.importorskip("pettingzoo.env_registry.registration")
    env = registration.make("aec", "jamaica/jamaica_v0", players=3)
    env.reset(seed=1)
    assert env.unwrapped.metadata["name"] == "jamaica_v0"


def test_a_flat_observation_has_its_mask_in_the_info():
    flat, whole = aec_env(players=3, flat=True), aec_env(players=3)
    flat.reset(seed=6)
    whole.reset(seed=6)
    for agent in flat.agent_iter():
        (seen, *mine, info), (both, *theirs, _) = flat.last(), whole.last()
        assert flat.observation_space(agent).contains(seen) and (seen == both["observation"]).all() and mine == theirs
        assert (info["action_mask"] == both["action_mask"]).all()
        action = None if mine[1] else int(both["action_mask"].argmax())
        flat.step(action)
        whole.step(action)


def play(env, steps):
    """Random actions; returns what was seen."""
    seen = []
    for agent in env.agent_iter(steps):
        observation, reward, terminated, truncated, _ = env.last()
        seen.append((agent, observation["observation"].tobytes(), reward))
        over = terminated or truncated
        env.step(None if over else int(np.flatnonzero(observation["action_mask"])[len(seen) % 2 - 1]))
    return seen


def test_a_pickled_environment_goes_on_alike():
    env = aec_env(players=3, strategies=[None, "balanced", None])
    env.reset(seed=5)
    play(env, 20)
    again = pickle.loads(pickle.dumps(env))
    assert play(again, 60) == play(env, 60)


def test_the_environment_plays_the_game_of_game():
    env = aec_env(players=3, ghost=True)
    env.reset(seed=9, options={"number": 4, "whatever": 1})
    game = Game(players=3, ghost=True, seed=9, number=4)
    while not game.is_over:
        assert env.agent_selection == f"player_{game.question.player}"
        mask = env.observe(env.agent_selection)["action_mask"]
        answer = game.question.options[-1]
        game.answer(answer)
        assert env.step(int(np.flatnonzero(mask)[-1])) is None
    winners = game.result["winners"]
    for seat in range(3):
        assert env.rewards[f"player_{seat}"] == ((seat in winners) / len(winners))
    with pytest.raises(UserError, match="is not a legal answer"):
        env.reset()
        env.step(0 if env.observe(env.agent_selection)["action_mask"][0] == 0 else 400)


def test_other_agents_see_no_question_and_nothing_hidden():
    env = aec_env(players=4)
    env.reset(seed=2)
    for _ in range(60):
        asked = env.agent_selection
        for agent in env.agents:
            seen = env.observe(agent)
            assert seen["action_mask"].any() == (agent == asked) == seen["observation"][:16].any()
            assert seen["observation"][16 + int(agent[-1])] == 1  # its own seat
        mask = env.observe(asked)["action_mask"]
        env.step(int(np.flatnonzero(mask)[0]))
        if any(env.terminations.values()):
            break


def test_gymnasium_finds_nothing_wrong():
    env = gymnasium.make("Jamaica-v0", players=3, strategies=[None, "balanced", "random"], seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
    observation, _ = env.reset(seed=1)
    total, over = 0.0, False
    while not over:
        action = int(np.flatnonzero(observation["action_mask"])[0])
        assert env.unwrapped.action_masks()[action]
        observation, reward, over, truncated, info = env.step(action)
        assert info["was_legal"] and not truncated
        total += reward
    assert 0 <= total <= 1 and observation["action_mask"].all() and observation["observation"].any()
    assert info["scores"].shape == (3,) and info["ranks"].min() == 1
    assert (sum(info["points"].values()) == info["scores"]).all()
    with pytest.raises(UserError, match="exactly one seat is the learner's"):
        gymnasium.make("Jamaica-v0", strategies=[None, None])


def test_the_vector_form_plays_the_games_of_single_ones():
    table = {"players": 3, "strategies": [None, "balanced", "random"]}
    envs, single = JamaicaVectorEnv(4, **table), gymnasium.make("Jamaica-v0", **table).unwrapped
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    observation, _ = envs.reset(seed=7)
    own, _ = single.reset(seed=7)
    started, ended, total, ended_before = True, 0, 0.0, np.zeros(4, bool)
    while ended < 3:
        assert envs.observation_space.contains(observation)
        if started:
            assert (observation["observation"][0] == own["observation"]).all()
        assert observation["action_mask"].any(axis=1).all()  # a learner can always draw an action
        actions = observation["action_mask"].argmax(axis=1)
        if started:
            own, reward, over, _, _ = single.step(int(actions[0]))
        observation, rewards, over_, truncated, info = envs.step(actions)
        assert not truncated.any() and info["was_legal"][~ended_before].all()
        ended_before = over_
        if started:
            assert rewards[0] == pytest.approx(reward) and over_[0] == over
            if over:
                assert (observation["observation"][0] == own["observation"]).all()
                started = False
        ended += over_.sum()
        total += rewards.sum()
    sampled, rewards, *_ = envs.step(envs.action_space.sample())  # illegal ones stand for legal ones
    assert envs.observation_space.contains(sampled)


def first_answers(envs, steps):
    """Play by the first legal action; returns all that was seen at the end, and the numbers of the games."""
    observation, info = envs.reset()
    for _ in range(steps):
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        observation, rewards, *_, info = envs.step(mask.argmax(axis=1))
    return observation, rewards, info, [games.number.copy() for games in envs._games]


def test_a_vector_without_a_seed_goes_on_and_is_pickled_in_mid_game():
    envs = JamaicaVectorEnv(8, players=2, strategies=[None, "balanced"], seed=5)
    first, _ = envs.reset()
    again, _ = JamaicaVectorEnv(8, players=2, strategies=[None, "balanced"]).reset(seed=5)
    assert (first["observation"] == again["observation"]).all()
    first_answers(envs, 60)
    played = envs._games[0].number.max()
    envs.reset()
    assert envs._games[0].number.tolist() == list(range(played + 1, played + 9))
    other = pickle.loads(pickle.dumps(envs))
    for _ in range(40):
        mine, theirs = envs.step(np.zeros(8, int)), other.step(np.zeros(8, int))
        assert (mine[0]["observation"] == theirs[0]["observation"]).all() and (mine[1] == theirs[1]).all()
    assert envs._games[0].finished == other._games[0].finished > 0


def test_step_before_reset_is_refused():
    for env in (aec_env(players=2), gymnasium.make("Jamaica-v0").unwrapped, JamaicaVectorEnv(2)):
        with pytest.raises(UserError, match="reset the environment"):
            env.step(np.zeros(2, int) if isinstance(env, JamaicaVectorEnv) else 0)


def test_a_game_that_the_round_cap_cuts_off_is_truncated():
    table = {"players": 2, "strategies": [None, "random"], "round_cap": 2}
    env = gymnasium.make("Jamaica-v0", **table).unwrapped
    env.reset(seed=1)
    ended = cut = False
    while not (ended or cut):
        _, _, ended, cut, info = env.step(0)
    assert cut and not ended and "scores" in info
    observation, *_, info, _ = first_answers(envs := JamaicaVectorEnv(4, **table), 30)
    assert not envs.step(np.zeros(4, int))[2].any()
    agents = aec_env(**table)
    agents.reset(seed=1)
    while not any(agents.truncations.values()):
        agents.step(int(agents.observe(agents.agent_selection)["action_mask"].argmax()))
    assert not any(agents.terminations.values()) and agents.infos["player_0"]["ranks"].min() == 1


def test_every_seat_learns_in_one_array():
    envs = JamaicaVectorEnv(16, players=3, self_play=True, rewards="rank", flat=True, seed=2)
    observation, info = envs.reset()
    asked, gained = set(), np.zeros(3)
    for _ in range(400):
        assert envs.observation_space.contains(observation) and info["action_mask"].any(axis=1).all()
        asked |= set(info["player"].tolist())
        before = info["player"]
        observation, rewards, over, _, info = envs.step(info["action_mask"].argmax(axis=1))
        assert (rewards[before >= 0] == info["rewards"][before >= 0, before[before >= 0]]).all()
        gained += info["rewards"][:, :3].sum(axis=0)
        if over.any():
            best = info["ranks"][over] == 1
            assert best.any(axis=1).all() and (info["rewards"][over][:, :3][best] == 1).all()
    assert asked == {-1, 0, 1, 2} and (gained > 0).all()


def test_a_pool_of_opponents_is_met_in_turn():
    pool = JamaicaVectorEnv(5, players=2, opponents=["balanced", "random"], seed=4)
    assert gymnasium.make_vec("Jamaica-v0", num_envs=3, vectorization_mode="vector_entry_point").num_envs == 3
    alone = JamaicaVectorEnv(3, players=2, strategies=[None, "balanced"], seed=4)
    seen, rewards, _, numbers = first_answers(pool, 50)
    own, own_rewards, _, own_numbers = first_answers(alone, 50)
    assert (seen["observation"][::2] == own["observation"]).all() and (numbers[0] == own_numbers[0]).all()
    assert {games.table.strategies[1].name for games in pool._games} == {"balanced", "random"}
    with pytest.raises(UserError, match="opponents: a pool"):
        JamaicaVectorEnv(1, opponents=["balanced", "random"])


@pytest.mark.slow
def test_the_learner_of_the_docs_learns():
    """In a few seconds it wins more than its share against `random`."""
    path = Path(__file__).resolve().parent.parent / "docs" / "learner.py"
    learner = runpy.run_path(str(path))
    limits = pytest.importorskip("threadpoolctl")  # comes with scikit-learn
    with limits.threadpool_limits(1):  # threads of BLAS that wait for a busy core use up the learner's time
        learner["learn"](0.1)  # compiles what is not compiled yet
        _, curve = learner["learn"](12)
    assert curve[:3, 1].mean() < 0.4 < 0.5 < curve[-10:, 1].mean()


@pytest.mark.slow
def test_maskable_ppo_of_the_docs_learns():
    """In 12,000 decisions it comes to win more than its share against `random`."""
    pytest.importorskip("sb3_contrib")
    example = runpy.run_path(str(Path(__file__).resolve().parent.parent / "docs" / "masked_ppo.py"))
    shares = example["wins"](example["learn"](12_000), 200)
    assert shares.mean() - 1.96 * shares.std(ddof=1) / np.sqrt(shares.size) > 0.25
