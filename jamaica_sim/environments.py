"""Environments for learners: PettingZoo's turns of all players, and Gymnasium's one learner against a field.

    env = aec_env(players=4)                                             # PettingZoo, all seats are agents
    env = gymnasium.make("Jamaica-v0", strategies=[None, "balanced"])    # one learner
    envs = JamaicaVectorEnv(1024, strategies=[None, "balanced"])         # many of them at once

Both packages come with the extra `rl`. An observation is a dictionary: the vector of `engine/observe.py` and the mask
of legal actions; with `flat=True` it is the vector alone, and the mask is in the info. The reward comes when the game
ends: the share of the victory, or what `rewards` says. A game that the round cap cuts off is truncated.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.outside.games import POINTS, Games
from jamaica_sim.results.board_picture import draw_board
from jamaica_sim.strategy.library import AnyStrategy

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
        self.is_reset = False
        super().__init__(1, **{name: value for name, value in table.items() if name != "number"}, restart=False)

    def reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        """Begin a game: the one with the number of the options, or game 0 of a seed, or the next."""
        number = (options or {}).get("number", self.next if seed is None else 0)
        self.begin(self.seed if seed is None else seed, number)
        self.next, self.given, self.is_reset = number + 1, [], True

    def step(self, answers: np.ndarray) -> None:
        _check_reset(self.is_reset)
        super().step(answers)
        self.given.append(int(answers[0]))

    @property
    def is_over(self) -> bool:
        return bool(self.player[0] < 0)

    @property
    def ended(self) -> tuple[bool, bool]:
        """Whether the game was played to its end, and whether the round cap cut it off."""
        return self.is_over and not self.truncated[0], bool(self.truncated[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return _play_again, (self._table, self.seed, int(self.number[0]), self.given)


def _play_again(table: dict[str, Any], seed: int, number: int, given: list[int]) -> _OneGame:
    game = _OneGame(None, table)
    game.reset(seed, {"number": number})
    for answer in given:
        game.step(np.array([answer]))
    return game


def _check_reset(is_reset: bool) -> None:
    if not is_reset:
        raise UserError("reset the environment before the first step.")


def _observation_space(flat: bool = False) -> spaces.Space[Any]:
    vector = spaces.Box(-LARGEST, LARGEST, (len(Games.observation_names),), np.float32)
    return (
        vector
        if flat
        else spaces.Dict({"observation": vector, "action_mask": spaces.Box(0, 1, (Games.actions,), np.int8)})
    )


def _split(seen: dict[str, np.ndarray], flat: bool) -> tuple[Any, dict[str, Any]]:
    """An observation, and what the info has of it: the mask, where the observation is the vector alone."""
    return (seen["observation"], {"action_mask": seen["action_mask"]}) if flat else (seen, {})


def _end_of(games: Games) -> dict[str, Any]:
    """How games ended, for many: scores, places and what the scores are made of."""
    return {"scores": games.scores, "ranks": games.ranks, "points": games.points}


def _seen_in_one(game: Games) -> dict[str, np.ndarray]:
    return {"observation": game.observation()[0].copy(), "action_mask": game.action_mask()[0].copy()}


def aec_env(render_mode: str | None = None, flat: bool = False, **table: Any) -> "JamaicaAEC":
    """A game as a PettingZoo AEC environment; the agents are the seats outside. The table is told as for `Game`.

    Illegal actions raise: the mask is in the observation (in the info, if that is `flat`). `reset(seed=k)` begins game
    0 of the seed, `reset()` the next one; `options={"number": n}` begins that game.
    """
    return JamaicaAEC(render_mode, flat, **table)


class JamaicaAEC(AECEnv):  # type: ignore[misc]
    """See `aec_env`."""

    metadata = {"name": VERSION, "render_modes": RENDER_MODES, "is_parallelizable": False, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, flat: bool = False, **table: Any):
        super().__init__()
        self.render_mode, self._flat, self._game = render_mode, flat, _OneGame(render_mode, table)
        self.possible_agents = [f"player_{seat}" for seat in self._game.outside]
        self._seat = dict(zip(self.possible_agents, self._game.outside, strict=True))
        self.observation_spaces = {agent: _observation_space(flat) for agent in self.possible_agents}
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
        self._select()

    def _select(self) -> None:
        """Say who is asked, or that the game is over."""
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self._game.is_over:
            for agent in self.agents:
                self.rewards[agent] = float(self._game.rewards[0, self._seat[agent]])
                self.terminations[agent], self.truncations[agent] = self._game.ended
                self.infos[agent] = _of_first(_end_of(self._game))
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = f"player_{self._game.player[0]}"
        if self._flat:
            for agent in self.agents if self._game.is_over else [self.agent_selection]:
                self.infos[agent]["action_mask"] = self._seen(agent)["action_mask"]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Any:
        """What an agent sees; nothing is asked of it unless it is its turn. At the end the mask is all ones."""
        return _split(self._seen(agent), self._flat)[0]

    def _seen(self, agent: str) -> dict[str, np.ndarray]:
        seat = self._seat[agent]
        if self._game.player[0] == seat:
            return _seen_in_one(self._game)
        mask = np.full(Games.actions, self._game.is_over, np.int8)
        return {"observation": self._game.observation_of(seat)[0], "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Answer the question to the selected agent."""
        _check_reset(self._game.is_reset)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
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


def _of_first(values: dict[str, Any]) -> dict[str, Any]:
    """The same of the first game alone."""
    return {k: _of_first(v) if isinstance(v, dict) else v[0].copy() for k, v in values.items()}


class JamaicaEnv(gymnasium.Env[Any, int]):
    """One learner against a field: exactly one seat is outside, by default seat 0 against `balanced`.

    An action that is not legal stands for one that is: the legal answers are counted round. The info says so. A learner
    that knows masks finds them in the observation (in the info, if that is `flat`), and by `action_masks()`. At the end
    the info has scores, ranks and points.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 1}

    def __init__(self, render_mode: str | None = None, flat: bool = False, **table: Any):
        self.render_mode, self._flat = render_mode, flat
        self._game = _OneGame(render_mode, _for_one_learner(table))
        self.observation_space = _observation_space(flat)
        self.action_space = spaces.Discrete(Games.actions)  # type: ignore[assignment]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game: game 0 of the seed, or without one the next game."""
        super().reset(seed=seed)
        self._game.reset(seed, options)
        return self._seen(True)

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Answer a question."""
        was_legal = bool(self._game.step_anyhow(np.array([int(action)]))[0])
        if self.render_mode == "human":
            self.render()
        reward = float(self._game.rewards[0, self._game.outside[0]])
        seen, info = self._seen(was_legal)
        return seen, reward, *self._game.ended, info

    def _seen(self, was_legal: bool) -> tuple[Any, dict[str, Any]]:
        game = self._game
        seen, mask = _split(_seen_in_one(game), self._flat)
        now = _of_first(_end_of(game)) if game.is_over else {}
        return seen, {
            "decision": "" if game.is_over else game.question(0).decision,
            "was_legal": was_legal,
            **mask,
            **now,
        }

    def action_masks(self) -> np.ndarray:
        """The legal actions, as `sb3_contrib.MaskablePPO` asks for them."""
        mask: np.ndarray = _seen_in_one(self._game)["action_mask"].astype(bool)
        return mask

    def render(self) -> Any:
        """The game as text, or as a picture."""
        return _rendered(self._game, self.render_mode)


class JamaicaVectorEnv(gymnasium.vector.VectorEnv[Any, np.ndarray, np.ndarray]):
    """Many games at once. A game that is over begins anew in the next step, whatever its action is.

    One seat learns against a field, or with `self_play` every seat that is None: all, if no strategies are named.
    An observation is what the asked player sees; the reward is that of the player who answered. The info has who is
    asked now (`player`) and what each seat gets (`rewards`); where games have ended, scores, ranks and points.
    With a pool of `opponents`, game i is played against number i of them, and so on in turn.
    """

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        threads: int = 1,
        flat: bool = False,
        self_play: bool = False,
        opponents: Sequence[AnyStrategy] | None = None,
        **table: Any,
    ):
        self.num_envs, self.render_mode, self._flat = num_envs, None, flat
        self.single_observation_space, self.single_action_space = (
            _observation_space(flat),
            spaces.Discrete(Games.actions),
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        pool = list(opponents or [])
        if len(pool) > num_envs or (pool and (self_play or "strategies" in table)):
            raise UserError("opponents: a pool of at most as many as there are games, in place of strategies.")
        tables = [table] if self_play else [_for_one_learner({**table, **with_}) for with_ in _against(pool)]
        self._parts = [slice(k, None, len(tables)) for k in range(len(tables))]
        self._games = [
            Games(len(range(num_envs)[part]), threads=threads, **table)
            for part, table in zip(self._parts, tables, strict=True)
        ]
        self._next, self._is_reset = 0, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin all games: those from game 0 of a seed on, or without one games that were not played yet."""
        if self._is_reset:
            self._next = 1 + max(int(games.number.max()) for games in self._games)
        for games in self._games:
            games.begin(games.seed if seed is None else seed, self._next if seed is None else 0)
        self._is_reset = True
        seen, info = self._seen()
        return seen, {**info, "player": self._of_all(lambda games: games.player)}

    def _of_all(self, read: Callable[[Games], np.ndarray]) -> np.ndarray:
        """An array over all games, in their order, from those of each part."""
        if len(self._games) == 1:
            return read(self._games[0]).copy()
        read_ = [read(games) for games in self._games]
        whole = np.empty((self.num_envs, *read_[0].shape[1:]), read_[0].dtype)
        for part, values in zip(self._parts, read_, strict=True):
            whole[part] = values
        return whole

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        seen = {"observation": self._of_all(Games.observation), "action_mask": self._of_all(Games.action_mask)}
        return _split(seen, self._flat)

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Answer all questions. Actions that are not legal stand for legal ones, as in `JamaicaEnv`."""
        _check_reset(self._is_reset)
        answered, was_legal = self._of_all(lambda games: games.player), np.empty(self.num_envs, bool)
        for part, games in zip(self._parts, self._games, strict=True):
            was_legal[part] = games.step_anyhow(np.asarray(actions)[part])
        rewards, over = self._of_all(lambda games: games.rewards), self._of_all(lambda games: games.over)
        truncated = self._of_all(lambda games: games.truncated)
        seen, info = self._seen()
        info |= {"was_legal": was_legal, "player": self._of_all(lambda games: games.player), "rewards": rewards}
        if over.any():
            info |= self._ends(over)
        own = rewards[np.arange(self.num_envs), answered]  # of a game that begins there is none
        return seen, own, over & ~truncated, truncated, info

    def _ends(self, over: np.ndarray) -> dict[str, Any]:
        """How games ended, each array with one beside it that says of which games it is."""
        points = self._of_all(lambda games: np.stack(list(games.points.values()), axis=-1))
        ends: dict[str, Any] = {
            "scores": self._of_all(lambda games: games.scores),
            "ranks": self._of_all(lambda games: games.ranks),
            "points": {name: points[..., k] for k, name in enumerate(POINTS)},
        }
        return {**ends, **{f"_{name}": over for name in ends}}


def _against(pool: list[AnyStrategy]) -> list[dict[str, Any]]:
    """What a table says of its strategies, for each opponent of a pool."""
    return [{"strategies": [None, opponent]} for opponent in pool] or [{}]


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

    from jamaica_sim.results.picture_style import COLOURS

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


gymnasium.register(
    "Jamaica-v0",
    entry_point="jamaica_sim.environments:JamaicaEnv",
    vector_entry_point="jamaica_sim.environments:JamaicaVectorEnv",
)
try:
    from pettingzoo.env_registry.registration import register
except ImportError:  # an older version has no registry
    pass
else:
    register("aec", f"jamaica/{VERSION}", entry_point="jamaica_sim.environments:aec_env")
