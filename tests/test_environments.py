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
from jamaica_sim.outside.game import Game

# What PettingZoo warns of wherever an observation is a dictionary.
OF_DICTIONARIES = ("Observation is not a NumPy array", "Observation space for each agent probably should be")
TABLES = [
    {"players": 4},
    {"players": 3, "ghost": True, "edition": "2021", "strategies": [None, "balanced", None]},
    {"players": 6, "edition": "2021"},
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
    assert 0 <= total <= 1 and not observation["action_mask"].any() and observation["observation"].any()
    with pytest.raises(UserError, match="exactly one seat is the learner's"):
        gymnasium.make("Jamaica-v0", strategies=[None, None])


def test_the_vector_form_plays_the_games_of_single_ones():
    table = {"players": 3, "strategies": [None, "balanced", "random"]}
    envs, single = JamaicaVectorEnv(4, **table), gymnasium.make("Jamaica-v0", **table).unwrapped
    assert isinstance(envs, gymnasium.vector.VectorEnv)
    observation, _ = envs.reset(seed=7)
    own, _ = single.reset(seed=7)
    started, ended, total = True, 0, 0.0
    while ended < 3:
        assert envs.observation_space.contains(observation)
        if started:
            assert (observation["observation"][0] == own["observation"]).all()
        actions = np.array([np.flatnonzero(mask)[0] if mask.any() else 0 for mask in observation["action_mask"]])
        if started:
            own, reward, over, _, _ = single.step(int(actions[0]))
        observation, rewards, over_, truncated, info = envs.step(actions)
        assert not truncated.any() and info["was_legal"].all()
        if started:
            assert rewards[0] == pytest.approx(reward) and over_[0] == over
            if over:
                assert (observation["observation"][0] == own["observation"]).all()
                started = False
        ended += over_.sum()
        total += rewards.sum()
    sampled, rewards, *_ = envs.step(envs.action_space.sample())  # illegal ones stand for legal ones
    assert envs.observation_space.contains(sampled)


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
