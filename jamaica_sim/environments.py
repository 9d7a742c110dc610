"""Environments for learners: PettingZoo's turns of all players, and Gymnasium's one learner against a field.

    env = aec_env(players=4)                                             # PettingZoo, all seats are agents
    env = gymnasium.make("Jamaica-v0", strategies=[None, "balanced"])    # one learner
    envs = JamaicaVectorEnv(1024, strategies=[None, "balanced"])         # many of them at once

Both packages come with the extra `rl`. An observation is a dictionary: the vector of `engine/observe.py` and the mask
of legal actions. The reward is the share of the victory when the game ends.
"""

from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.outside.games import Games
from jamaica_sim.outside.one_game import OneGame
from jamaica_sim.report.board_picture import draw_board
from jamaica_sim.rules import Rules

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space
    from pettingzoo import AECEnv
except ImportError as error:
    raise UserError(
        f"environments need the package {error.name}: install jamaica-sim with its extra, jamaica-sim[rl]."
    ) from error

RENDER_MODES = ["human", "ansi", "rgb_array"]
LARGEST = 100.0  # no number of an observation is larger
VERSION = "jamaica_v0"


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(-LARGEST, LARGEST, (len(Games.observation_names),), np.float32),
            "action_mask": spaces.Box(0, 1, (Games.actions,), np.int8),
        }
    )


def aec_env(render_mode: str | None = None, **table: Any) -> "JamaicaAEC":
    """A game as a PettingZoo AEC environment; the agents are the seats outside. The table is told as for `Game`.

    Illegal actions raise: the mask is in the observation. `reset(seed=k)` begins game 0 of the seed, `reset()` the next
    one; `options={"number": n}` begins that game.
    """
    return JamaicaAEC(render_mode, **table)


class JamaicaAEC(AECEnv):  # type: ignore[misc]
    """See `aec_env`."""

    metadata = {"name": VERSION, "render_modes": RENDER_MODES, "is_parallelizable": False, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, **table: Any):
        super().__init__()
        self.render_mode, self._table = _checked_mode(render_mode), table
        self._game = OneGame(**table)
        self.possible_agents = [f"player_{seat}" for seat in self._game.outside]
        self._seat = dict(zip(self.possible_agents, self._game.outside, strict=True))
        self.observation_spaces = {agent: _observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(Games.actions) for agent in self.possible_agents}
        self.agents: list[str] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game."""
        self._game.begin(seed, (options or {}).get("number"))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        if self._game.is_over:
            rewards = self._game.rewards()
            for agent in self.agents:
                self.rewards[agent], self.terminations[agent] = float(rewards[self._seat[agent]]), True
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = f"player_{self._game.player}"

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees; nothing is asked of it unless it is its turn. At the end the mask has no meaning."""
        observation, mask = self._game.observe(self._seat[agent])
        if self._game.is_over:
            mask[:] = 1
        return {"observation": observation, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Answer the question to the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if action is None:
            raise UserError(f"{agent} is asked: the action is a number, not None.")
        self._game.act(int(action))
        self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The game as text, or as a picture."""
        return _rendered(self._game, self.render_mode)

    def close(self) -> None:
        """Nothing has to be closed."""

    def __str__(self) -> str:
        return VERSION

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__


class JamaicaEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    """One learner against a field: exactly one seat is outside, by default seat 0 against `balanced`.

    An action that is not legal stands for one that is: the legal answers are counted round. The info says so. A learner
    that knows masks finds them in the observation, and by `action_masks()`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, **table: Any):
        self.render_mode = _checked_mode(render_mode)
        self._game = OneGame(**_for_one_learner(table))
        self.observation_space = _observation_space()  # type: ignore[assignment]
        self.action_space = spaces.Discrete(Games.actions)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a game: game 0 of the seed, or without one the next game."""
        super().reset(seed=seed)
        self._game.begin(seed, (options or {}).get("number"))
        return self._seen(), self._info(True)

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Answer a question."""
        options = self._game.question().options
        legal = int(action) - self._game.offset
        is_legal = legal in options
        self._game.answer(legal if is_legal else options[int(action) % len(options)])
        reward = float(self._game.rewards()[self._game.outside[0]]) if self._game.is_over else 0.0
        if self.render_mode == "human":
            self.render()
        return self._seen(), reward, self._game.is_over, False, self._info(is_legal)

    def _seen(self) -> dict[str, np.ndarray]:
        observation, mask = self._game.observe(self._game.outside[0])
        return {"observation": observation, "action_mask": mask}

    def _info(self, is_legal: bool) -> dict[str, Any]:
        return {"decision": "" if self._game.is_over else self._game.decision, "was_legal": is_legal}

    def action_masks(self) -> np.ndarray:
        """The legal actions, as `sb3_contrib.MaskablePPO` asks for them."""
        mask: np.ndarray = self._game.observe(self._game.outside[0])[1].astype(bool)
        return mask

    def render(self) -> Any:
        """The game as text, or as a picture."""
        return _rendered(self._game, self.render_mode)


class JamaicaVectorEnv(gymnasium.vector.VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """Many games of one learner at once. A game that is over begins anew in the next step, whatever its action is."""

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int, threads: int = 1, **table: Any):
        self.num_envs, self._threads, self._table = num_envs, threads, _for_one_learner(table)
        self.single_observation_space, self.single_action_space = _observation_space(), spaces.Discrete(Games.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games: Games | None = None
        self.render_mode = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin all games."""
        table = self._table if seed is None else {**self._table, "seed": seed}
        self._games = Games(self.num_envs, threads=self._threads, **table)
        self._seat = self._games.outside[0]
        return self._seen(), {}

    def _seen(self) -> dict[str, np.ndarray]:
        assert self._games is not None
        return {"observation": self._games.observation().copy(), "action_mask": self._games.action_mask().copy()}

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Answer all questions. Actions that are not legal stand for legal ones, as in `JamaicaEnv`."""
        if self._games is None:
            raise UserError("reset the environment before the first step.")
        games = self._games
        is_legal = games.step_anyhow(np.asarray(actions))
        over, none = games.over.copy(), np.zeros(self.num_envs, bool)
        return self._seen(), games.rewards[:, self._seat].copy(), over, none, {"was_legal": is_legal}

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing has to be closed."""


def _for_one_learner(table: dict[str, Any]) -> dict[str, Any]:
    """The table with `balanced` in all seats but the first, unless it says who plays; refuses more than one learner."""
    rules = table.get("rules") or Rules(**{k: v for k, v in table.items() if k in ("players", "ghost", "edition")})
    given = table.get("strategies") or [None, "balanced"]
    seats = [given] if not isinstance(given, list | tuple) else list(given)
    if seats.count(None) != 1:
        raise UserError("exactly one seat is the learner's: have one None among the strategies.")
    others = [seat for seat in seats if seat is not None] or ["balanced"]
    while len(seats) < rules.players:  # in turn, but only one learner
        seats.append(others[(len(seats) - 1) % len(others)])
    return {**table, "strategies": seats}


def _checked_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise UserError(f"render_mode is one of {', '.join(RENDER_MODES)}, not {mode!r}.")
    return mode


def _rendered(game: OneGame, mode: str | None) -> Any:
    if mode is None:
        raise UserError(f"there is nothing to render to: make the environment with a render_mode, {RENDER_MODES}.")
    if mode == "rgb_array":
        return _picture(game)
    text = _text(game)
    if mode == "ansi":
        return text
    print(text)
    return None


def _text(game: OneGame) -> str:
    asked = game.question()
    lines = [f"Round {asked.view['round']}, {asked.names[asked.view['captain']]} is Captain"]
    for ship in asked.view["ships"]:
        goods = ", ".join(f"{hold['amount']} {hold['resource']}" for hold in ship["holds"] if hold["resource"])
        behind = " behind the start" if ship["lap"] < 0 else " (home)" if ship["lap"] > 0 else ""
        lines.append(f"  {ship['name']:10} space {ship['space']}{behind}: {goods or 'no goods'}")
    lines.append("The game is over." if game.is_over else repr(asked))
    return "\n".join(lines)


def _picture(game: OneGame) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from jamaica_sim.charts.style import COLOURS

    asked, figure = game.question(), Figure(figsize=(9, 6), dpi=80)
    canvas = FigureCanvasAgg(figure)
    axes = draw_board(ax=figure.add_axes((0, 0, 1, 0.94)), rules=game.table.rules)
    board = game.table.rules.components.board
    for number, ship in enumerate(asked.view["ships"]):
        space = board[ship["space"]]
        axes.plot(
            space.x + 0.012 * (number - 2), space.y + 0.03, "v", color=COLOURS[number % 7], markersize=13, zorder=9
        )
    axes.set_title(_text(game).splitlines()[0], loc="left")
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()  # type: ignore[no-untyped-call]


gymnasium.register("Jamaica-v0", entry_point="jamaica_sim.environments:JamaicaEnv")
try:
    from pettingzoo.env_registry.registration import register
except ImportError:  # an older version has no registry
    pass
else:
    register("aec", f"jamaica/{VERSION}", entry_point="jamaica_sim.environments:aec_env")
