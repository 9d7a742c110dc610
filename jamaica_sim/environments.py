"""Environments for learners: PettingZoo's turns of all players, and Gymnasium's one learner against a field.

    env = aec_env(players=4)                                             # PettingZoo, all seats are agents
    env = gymnasium.make("Jamaica-v0", strategies=[None, "balanced"])    # one learner
    envs = JamaicaVectorEnv(1024, strategies=[None, "balanced"])         # many of them at once

Both packages come with the extra `rl`. An observation is a dictionary: the vector of `engine/observe.py` and the mask
of legal actions. The reward is the share of the victory when the game ends.
"""

from typing import Any

import numpy as np

from jamaica_sim.charts.board_picture import draw_board
from jamaica_sim.errors import UserError
from jamaica_sim.outside.games import Games
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


class _OneGame(Games):
    """One game after the other. It is pickled as its table and its answers, and played again from them."""

    def __init__(self, render_mode: str | None, table: dict[str, Any]):
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UserError(f"render_mode is one of {', '.join(RENDER_MODES)}, not {render_mode!r}.")
        self._table, self.next = table, table.get("number", 0)
        self.given: list[int] = []
        super().__init__(1, **{name: value for name, value in table.items() if name != "number"}, restart=False)

    def reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin a game: the one with the number of the options, or game 0 of a seed, or the next."""
        number = (options or {}).get("number", self.next if seed is None else 0)
        self.begin(self.seed if seed is None else seed, number)
        self.next, self.given = number + 1, []

    def step(self, answers: np.ndarray) -> None:
        super().step(answers)
        self.given.append(int(answers[0]))

    @property
    def is_over(self) -> bool:
        return bool(self.player[0] < 0)

    def __reduce__(self) -> tuple[Any, ...]:
        return _play_again, (self._table, self.seed, int(self.number[0]), self.given)


def _play_again(table: dict[str, Any], seed: int, number: int, given: list[int]) -> _OneGame:
    game = _OneGame(None, table)
    game.reset(seed, {"number": number})
    for answer in given:
        game.step(np.array([answer]))
    return game


def _observation_space() -> spaces.Dict:
    return spaces.Dict(
        {
            "observation": spaces.Box(-LARGEST, LARGEST, (len(Games.observation_names),), np.float32),
            "action_mask": spaces.Box(0, 1, (Games.actions,), np.int8),
        }
    )


def _seen(games: Games) -> dict[str, np.ndarray]:
    """What the asked players see, for many games."""
    return {"observation": games.observation().copy(), "action_mask": games.action_mask().copy()}


def _seen_in_one(game: Games) -> dict[str, np.ndarray]:
    return {"observation": game.observation()[0].copy(), "action_mask": game.action_mask()[0].copy()}


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
        self.render_mode, self._game = render_mode, _OneGame(render_mode, table)
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
        self._game.reset(seed, options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def _select(self) -> None:
        """Say who is asked, or that the game is over."""
        if self._game.is_over:
            for agent in self.agents:
                reward = self._game.rewards[0, self._seat[agent]]
                self.rewards[agent], self.terminations[agent] = float(reward), True
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = f"player_{self._game.player[0]}"
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees; nothing is asked of it unless it is its turn. At the end the mask has no meaning."""
        seat = self._seat[agent]
        if self._game.player[0] == seat:
            return _seen_in_one(self._game)
        mask = np.full(Games.actions, self._game.is_over, np.int8)
        return {"observation": self._game.observation_of(seat)[0], "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Answer the question to the selected agent."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UserError(f"{agent} is asked: the action is a number, not None.")
        self._game.step_actions(np.array([int(action)]))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._select()
        self._accumulate_rewards()

    def render(self) -> Any:
        """The game as text, or as a picture."""
        return _rendered(self._game, self.render_mode)

    def close(self) -> None:
        """Nothing has to be closed."""


class JamaicaEnv(gymnasium.Env[dict[str, np.ndarray], int]):
    """One learner against a field: exactly one seat is outside, by default seat 0 against `balanced`.

    An action that is not legal stands for one that is: the legal answers are counted round. The info says so. A learner
    that knows masks finds them in the observation, and by `action_masks()`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, **table: Any):
        self.render_mode, self._game = render_mode, _OneGame(render_mode, _for_one_learner(table))
        self.observation_space = _observation_space()  # type: ignore[assignment]
        self.action_space = spaces.Discrete(Games.actions)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin a game: game 0 of the seed, or without one the next game."""
        super().reset(seed=seed)
        self._game.reset(seed, options)
        return _seen_in_one(self._game), self._info(True)

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        """Answer a question."""
        was_legal = bool(self._game.step_anyhow(np.array([int(action)]))[0])
        if self.render_mode == "human":
            self.render()
        reward = float(self._game.rewards[0, self._game.outside[0]])
        return _seen_in_one(self._game), reward, self._game.is_over, False, self._info(was_legal)

    def _info(self, was_legal: bool) -> dict[str, Any]:
        return {"decision": "" if self._game.is_over else self._game.question(0).decision, "was_legal": was_legal}

    def action_masks(self) -> np.ndarray:
        """The legal actions, as `sb3_contrib.MaskablePPO` asks for them."""
        mask: np.ndarray = _seen_in_one(self._game)["action_mask"].astype(bool)
        return mask

    def render(self) -> Any:
        """The game as text, or as a picture."""
        return _rendered(self._game, self.render_mode)


class JamaicaVectorEnv(gymnasium.vector.VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """Many games of one learner at once. A game that is over begins anew in the next step, whatever its action is."""

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int, threads: int = 1, **table: Any):
        self.num_envs, self.render_mode = num_envs, None
        self.single_observation_space, self.single_action_space = _observation_space(), spaces.Discrete(Games.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = Games(num_envs, threads=threads, **_for_one_learner(table))
        self._is_reset = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Begin all games."""
        self._games.begin(self._games.table.seed if seed is None else seed)
        self._is_reset = True
        return _seen(self._games), {}

    def step(
        self, actions: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Answer all questions. Actions that are not legal stand for legal ones, as in `JamaicaEnv`."""
        if not self._is_reset:
            raise UserError("reset the environment before the first step.")
        games = self._games
        was_legal = games.step_anyhow(actions)
        rewards = games.rewards[:, games.outside[0]].copy()
        return _seen(games), rewards, games.over, np.zeros(self.num_envs, bool), {"was_legal": was_legal}


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


def _rendered(game: _OneGame, mode: str | None) -> Any:
    if mode is None:
        raise UserError(f"there is nothing to render to: make the environment with a render_mode, {RENDER_MODES}.")
    if mode == "rgb_array":
        return _picture(game)
    text = _text(game)
    if mode == "ansi":
        return text
    print(text)
    return None


def _text(game: _OneGame) -> str:
    asked = game.question(0)
    lines = [f"Round {asked.view['round']}, {asked.names[asked.view['captain']]} is Captain"]
    for ship in asked.view["ships"]:
        goods = ", ".join(f"{hold['amount']} {hold['resource']}" for hold in ship["holds"] if hold["resource"])
        behind = " behind the start" if ship["lap"] < 0 else " (home)" if ship["lap"] > 0 else ""
        lines.append(f"  {ship['name']:10} space {ship['space']}{behind}: {goods or 'no goods'}")
    lines.append("The game is over." if game.is_over else repr(asked))
    return "\n".join(lines)


def _picture(game: _OneGame) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from jamaica_sim.charts.style import COLOURS

    asked, figure = game.question(0), Figure(figsize=(9, 6), dpi=80)
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
