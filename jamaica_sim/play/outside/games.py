"""Many games at once: all waiting questions are answered in one step, and everything is an array over games.

    games = Games(1024, strategies=[None, "balanced", "balanced", "balanced"], seed=3)
    while games.finished < 10_000:
        games.step(games.random_answers(rng))

A game that is over shows its end, and in the next step it begins anew under another number: game `i` of `n` plays the
numbers `i`, `i + n`, `i + 2 n` and so on. So the games do not depend on threads.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from jamaica_sim.engine.observe import ACTION_OFFSETS, ACTIONS, OBSERVATION_NAMES, OBSERVATION_SIZE, observe_games
from jamaica_sim.engine.state import NONE
from jamaica_sim.engine.step import BEGIN, OVER, draw_answers, read_actions, take_answers
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import check_game_number, check_seed, check_threads, is_int_between
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.state_record import new_state
from jamaica_sim.play.steps import Rows, Steps
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.player import Seats, with_outside
from jamaica_sim.strategy.question import IllegalAnswer, Question

MOST_GAMES = 1 << 20
WORTH_SHARING = 0.0004  # seconds of work; to wake a thread and to wait for it takes up to a tenth of a millisecond
REWARDS = ("victory", "points", "rank")
POINTS = {"position": "position_points", "gold": "gold", "treasures": "treasure_points"}  # what a score is made of


class _Shared:
    """Calls of the parts of some work: at the same time, the first in this thread, or all here if they are short."""

    def __init__(self, pool: ThreadPoolExecutor, calls: list[Callable[[], Any]]):
        self._pool, self._calls = pool, calls
        self._work = 0.0  # seconds that the last call took, or would have taken alone

    def __call__(self) -> list[Any]:
        started, shared = time.perf_counter(), self._work > WORTH_SHARING and len(self._calls) > 1
        if shared:
            others = [self._pool.submit(call) for call in self._calls[1:]]
            returned = [self._calls[0](), *(other.result() for other in others)]
        else:
            returned = [call() for call in self._calls]
        self._work = (time.perf_counter() - started) * (len(returned) if shared else 1)
        return returned


class Games:
    """Games that stop and ask, many at once.

    Parameters
    ----------
    games : int
        How many are played at the same time.
    strategies, seed, rules
        As for `Game`: None is a seat outside.
    first : int
        The number of the first game.
    threads : int
        How many threads play a step.
    rewards : "victory", "points" or "rank"
        What a ship gets when the game ends: its share of the victory, its points, or 1 for the first place down to 0
        for the last.
    restart : bool
        Whether a game that is over begins anew, under another number, in the next step.

    Attributes
    ----------
    player, decision, legal : array
        Whom each game asks (-1: it is over), what, and the set of legal answers as bits.
    rewards : array of float32, games by ships
        What each ship gets in games that have just ended, otherwise 0.

    Examples
    --------
    >>> import numpy as np
    >>> from jamaica_sim import Games
    >>> games = Games(16, players=3, strategies=[None, "balanced", "random"], seed=3)
    >>> games.observation().shape, games.action_mask().dtype
    ((16, 282), dtype('int8'))
    >>> rng = np.random.default_rng(1)
    >>> while games.finished < 50:
    ...     games.step(games.random_answers(rng))
    """

    observation_names = OBSERVATION_NAMES
    action_offsets = dict(zip(DECISIONS, ACTION_OFFSETS.tolist(), strict=True))
    actions = ACTIONS

    def __init__(
        self,
        games: int,
        *,
        strategies: Seats = None,
        seed: int = 1,
        first: int = 0,
        rules: Rules | None = None,
        luck: dict[str, int] | None = None,
        threads: int = 1,
        restart: bool = True,
        rewards: str = "victory",
        **rule_changes: Any,
    ):
        if not is_int_between(games, 1, MOST_GAMES):
            raise UserError(f"the number of games must be a whole number from 1 to {MOST_GAMES:,}, not {games!r}.")
        check_threads(threads)
        if rewards not in REWARDS:
            raise UserError(f"rewards are {', '.join(REWARDS[:-1])} or {REWARDS[-1]}, not {rewards!r}.")
        self.table = table = seat_table(rules, with_outside(strategies), seed, luck, **rule_changes)
        self.outside = [seat for seat, strategy in enumerate(table.strategies) if strategy.is_outside]
        if not self.outside:
            raise UserError("no seat is outside: leave strategies out, or have None where nobody plays.")
        compile_ahead.compile_missing(table.strategies, compile_ahead.MANY)
        self.size, self._rows, self._restart, self._by_rank = games, Rows(games), restart, rewards == "rank"
        talks = self._rows.talks
        talks["by_points"] = rewards == "points"
        self.number, self.player, self.decision = talks["game"], talks["player"], talks["decision"]
        self.legal, self.rewards = talks["legal"].view(np.uint64), talks["rewards"]
        self._observations = np.zeros((games, OBSERVATION_SIZE), np.float32)
        self._masks = np.zeros((games, ACTIONS), np.int8)
        self._draws = np.zeros(games)
        self._drawn, self._actions, self._answers = (np.zeros(games, np.int64) for _ in range(3))
        self._draw = draw_answers.bound(talks, self._draws, self._drawn)
        self._read = read_actions.bound(talks, ACTION_OFFSETS, self._actions, self._answers)
        self._take = take_answers.bound(talks, self._answers, games if restart else 0)
        cuts = np.linspace(0, games, min(threads, games) + 1).astype(int).tolist()
        self._parts = [self._rows.part(start, end) for start, end in zip(cuts, cuts[1:], strict=False)]
        self._pool = ThreadPoolExecutor(threads)  # which starts a thread when it gets something to do
        observe = [
            observe_games.bound(
                table.rulebook, part.bytes, part.talks, self.outside[0], self._observations[start:end],
                self._masks[start:end],
            )
            for part, start, end in zip(self._parts, cuts, cuts[1:], strict=False)
        ]  # fmt: skip
        self._observe = _Shared(self._pool, observe)
        self.begin(table.seed, first)

    def begin(self, seed: int, first: int = 0) -> None:
        """Begin all games anew, with the luck of a seed: game `i` has the number `first + i`."""
        check_seed(seed)
        check_game_number(first)
        self.number[:] = first + np.arange(self.size)
        self._rows.talks["answer"] = BEGIN
        self.finished = 0
        self._sit_down(seed)
        self._play()

    def _sit_down(self, seed: int) -> None:
        """Have the games played with the luck of a seed, by strategies of this process."""
        self.seed, table = seed, self.table
        asked, rulebook = sum(1 << seat for seat in self.outside), in_force(table.rulebook, table.rules)
        self._steps = []
        for part in self._parts:
            state = new_state(table.strategies, table.rules, luck=table.luck)
            state["reads_words"][0, self.outside] = True  # observations read the words, so no holds are unpacked
            self._steps.append(Steps(state, rulebook, seed, asked, part))
        self._step_all = _Shared(self._pool, [steps.step for steps in self._steps])

    def _play(self) -> None:
        ended, self._is_observed = self._step_all(), False
        if min(ended) < 0:
            raise self._steps[ended.index(-1)].fault(self.table.strategies, self.table.rules.house_rules)
        self.finished += sum(ended)
        if self._by_rank and sum(ended):
            ranks, ships = self.ranks, self.table.rules.ships
            just_ended = self.over & self.rewards.any(axis=1)  # somebody has won, so not all rewards are 0
            self.rewards[just_ended, :ships] = (ships - ranks[just_ended]) / max(ships - 1, 1)

    @property
    def over(self) -> np.ndarray:
        """Whether each game has ended."""
        is_over: np.ndarray = self.player == NONE
        return is_over

    @property
    def truncated(self) -> np.ndarray:
        """Whether each game has ended at the round cap, with no ship home."""
        nobody_home: np.ndarray = self.over & (self._rows.positions["finished"] == 0)
        return nobody_home

    @property
    def scores(self) -> np.ndarray:
        """The final scores, games by ships; 0 in games that are not over."""
        return self._at_the_end("score")

    @property
    def points(self) -> dict[str, np.ndarray]:
        """What the final scores are made of: points of the position, of gold and of treasures."""
        return {name: self._at_the_end(column) for name, column in POINTS.items()}

    @property
    def ranks(self) -> np.ndarray:
        """The final places, games by ships: 1 for a winner, ships with equal scores share one; 0 before the end."""
        ships = np.arange(self.table.rules.ships)
        has_won = (self._rows.positions["winners"][:, None] >> ships) & 1
        merit = self._at_the_end("score").astype(np.int64) + (has_won << 32)
        places = 1 + (merit[:, None, :] > merit[:, :, None]).sum(axis=2)
        return np.where(self.over[:, None], places, 0)

    def _at_the_end(self, column: str) -> np.ndarray:
        """A column of the result rows, games by ships; 0 in games that are not over."""
        return np.where(self.over[:, None], self._rows.positions[column][:, : self.table.rules.ships], 0)

    def step(self, answers: np.ndarray) -> None:
        """Answer all waiting questions. Answers to games that are over do not count: these begin anew, or stay."""
        self._answers[:] = answers
        game = self._take()
        if game >= 0:
            self._refuse(game)
        self._play()

    def _refuse(self, game: int) -> None:
        try:
            self.question(game).checked(int(self._answers[game]))
        except IllegalAnswer as error:
            raise UserError(f"game {game}: {error}") from None

    def step_actions(self, actions: np.ndarray) -> None:
        """The same with actions: the offset of the decision and the answer."""
        self.step(actions - ACTION_OFFSETS[self.decision])

    def step_anyhow(self, actions: np.ndarray) -> np.ndarray:
        """The same, but an action that is not legal stands for one that is: legal answers are counted round.

        Returns which actions were legal.
        """
        self._actions[:] = actions
        self._read()
        was_legal: np.ndarray = self._answers == self._actions - ACTION_OFFSETS[self.decision]
        self.step(self._answers)
        return was_legal

    def observation(self) -> np.ndarray:
        """What each asked player sees: a row for each game, in the same array each time; see `observation_names`."""
        self._observe()
        self._is_observed = True
        return self._observations

    def action_mask(self) -> np.ndarray:
        """Which actions are legal, 1 or 0, in the same array each time; all ones in games that are over."""
        if not self._is_observed:
            self.observation()
        return self._masks

    def observation_of(self, player: int) -> np.ndarray:
        """What a player sees who is not asked, or at the end of a game: a row for each game."""
        rows, seen = Rows(self.size), np.zeros_like(self._observations)
        rows.bytes[:] = self._rows.bytes
        rows.talks["outcome"] = OVER
        observe_games(self.table.rulebook, rows.bytes, rows.talks, player, seen, np.zeros_like(self._masks))
        return seen

    def random_answers(self, rng: np.random.Generator) -> np.ndarray:
        """A legal answer for each game, all equally likely; 0 for games that are over."""
        rng.random(out=self._draws)
        self._draw()
        return self._drawn.copy()

    def question(self, game: int) -> Question:
        """The question of one game, in words."""
        return Question(self._rows.views[game].tobytes(), self.table.rules)

    def __repr__(self) -> str:
        outside = ", ".join(map(str, self.outside))
        return (
            f"<Games: {self.size:,} of {self.table.in_words()}; outside: seats {outside}; {self.finished:,} finished>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        rows = self._rows
        kept = (rows.bytes, rows.talks, rows.standings, self.finished, self.seed)
        return _unpickled, (self.table, self.size, len(self._parts), self._restart, self._by_rank, kept)


def _unpickled(table: GameTable, size: int, threads: int, restart: bool, by_rank: bool, kept: tuple[Any, ...]) -> Games:
    """The games as they were. Rows hold addresses, which are those of this process afterwards."""
    rewards = "rank" if by_rank else "points" if kept[1]["by_points"].any() else "victory"
    games = Games(
        size,
        rules=table.rules,
        strategies=list(table.strategies),
        seed=table.seed,
        luck=dict(table.luck),
        threads=threads,
        restart=restart,
        rewards=rewards,
    )
    rows, seats = games._rows, {name: games._rows.positions[name].copy() for name in ("strategy", "weights")}
    rows.bytes[:], rows.talks[:], rows.standings[:] = kept[:3]
    for name, addresses in seats.items():
        rows.positions[name] = addresses
    games.finished = kept[3]
    games._sit_down(kept[4])
    return games
