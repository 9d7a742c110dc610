"""Many games at once: all waiting questions are answered in one step, and everything is an array over games.

    games = Games(1024, strategies=[None, "balanced", "balanced", "balanced"], seed=3)
    while games.finished < 10_000:
        games.step(games.random_answers(rng))

A game that is over shows its end, and in the next step it begins anew under another number: game `i` of `n` plays the
numbers `i`, `i + n`, `i + 2 n` and so on. So the games do not depend on threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from jamaica_sim.codes import DECISIONS, MAX_SHIPS
from jamaica_sim.engine.observe import (
    ACTION_OFFSETS,
    ACTIONS,
    OBSERVATION_NAMES,
    OBSERVATION_SIZE,
    draw_answers,
    observe_games,
)
from jamaica_sim.engine.step import BEGIN, FAULT, LEAVE, OVER
from jamaica_sim.errors import UserError
from jamaica_sim.house.compile import in_force
from jamaica_sim.limits import check_game_number, check_threads, is_whole
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.state_record import StrategyFault, new_state
from jamaica_sim.play.steps import Rows, Steps
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.player import Seats, with_outside
from jamaica_sim.strategy.question import Question

MOST_GAMES = 1 << 20
LARGEST_ANSWER, ONE = 62, np.uint64(1)


def victory_shares(winners: np.ndarray) -> np.ndarray:
    """Each ship's share of the victory, for sets of winners."""
    won = (winners.astype(np.int64)[:, None] >> np.arange(MAX_SHIPS)) & 1
    return won / won.sum(axis=1, keepdims=True)


REWARDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "victory": lambda ended: victory_shares(ended["winners"]),
    "points": lambda ended: ended["score"].astype(float),
}


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
    rewards : "victory" or "points"
        What a ship gets when the game ends: its share of the victory, or its points.
    restart : bool
        Whether a game that is over begins anew, under another number, in the next step.

    Attributes
    ----------
    player, decision, legal : array
        Whom each game asks (-1: it is over), what, and the set of legal answers as bits.
    over : array of bool
        Whether each game has ended.
    rewards : array of float32, games by ships
        What each ship gets in games that have just ended, otherwise 0.

    Examples
    --------
    >>> import numpy as np
    >>> from jamaica_sim import Games
    >>> games = Games(16, players=3, strategies=[None, "balanced", "random"], seed=3)
    >>> games.observation().shape, games.action_mask().dtype
    ((16, 270), dtype('int8'))
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
        if not is_whole(games, 1, MOST_GAMES):
            raise UserError(f"the number of games must be a whole number from 1 to {MOST_GAMES:,}, not {games!r}.")
        check_game_number(first)
        check_threads(threads)
        if rewards not in REWARDS:
            raise UserError(f"rewards are {' or '.join(REWARDS)}, not {rewards!r}.")
        self._rewards_of = REWARDS[rewards]
        self.table = table = seat_table(rules, with_outside(strategies), seed, luck, **rule_changes)
        compile_ahead.compile_missing(table.strategies, compile_ahead.MANY)
        self.size, self.restart, self.finished = games, restart, 0
        self._rows = Rows(games)
        talks = self._rows.talks
        talks["game"] = first + np.arange(games)
        self.number, self.player, self.decision = talks["game"], talks["player"], talks["decision"]
        self._answers, self._outcomes = talks["answer"], talks["outcome"]
        self.legal = talks["legal"].view(np.uint64)
        self.rewards = np.zeros((games, MAX_SHIPS), np.float32)
        self.over = np.zeros(games, bool)
        self._observations = np.zeros((games, OBSERVATION_SIZE), np.float32)
        self._masks = np.zeros((games, ACTIONS), np.int8)
        self._parts = self._shared_out(min(threads, games))
        self._pool = ThreadPoolExecutor(len(self._parts)) if len(self._parts) > 1 else None
        self._play()

    def _shared_out(self, threads: int) -> list[tuple[Steps, Callable[[], Any]]]:
        """For each thread: its games, as something that plays them, and as something that observes them."""
        table, cuts = self.table, np.linspace(0, self.size, threads + 1).astype(int).tolist()
        self.outside = [seat for seat, strategy in enumerate(table.strategies) if strategy.is_outside]
        if not self.outside:
            raise UserError("no seat is outside: leave strategies out, or have None where nobody plays.")
        asked, rulebook = sum(1 << seat for seat in self.outside), in_force(table.rulebook, table.rules)
        parts = []
        for start, end in zip(cuts, cuts[1:], strict=False):
            rows = self._rows.part(start, end)
            state = new_state(table.strategies, table.rules, luck=table.luck)
            state["reads_words"][0, self.outside] = True  # observations read the words, so no holds are unpacked
            steps = Steps(state, rulebook, table.seed, asked, rows if self.size > 1 else None)
            observe = observe_games.bound(
                table.rulebook, rows.bytes, rows.talks, self.outside[0], self._observations[start:end],
                self._masks[start:end],
            )  # fmt: skip
            parts.append((steps, observe))
        return parts

    def _in_threads(self, calls: list[Callable[[], Any]]) -> None:
        if self._pool is None:
            for call in calls:
                call()
        else:
            for done in [self._pool.submit(call) for call in calls]:
                done.result()

    def _play(self) -> None:
        self._in_threads([steps.step for steps, _ in self._parts])
        outcomes = self._outcomes
        if outcomes.max() == FAULT:
            raise self._fault()
        np.equal(outcomes, OVER, out=self.over)
        self.rewards[:] = 0
        ended = np.flatnonzero(self.over & (self._answers != LEAVE))
        if ended.size:
            self.rewards[ended] = self._rewards_of(self._rows.positions[ended])
            self.finished += ended.size

    def _fault(self) -> StrategyFault:
        """What a strategy that is not outside did wrong; the games cannot go on."""
        steps = next(steps for steps, _ in self._parts if (steps.games.talks["outcome"] == FAULT).any())
        game = int(np.flatnonzero(steps.games.talks["outcome"] == FAULT)[0])
        seat, decision, what = steps.fault(game, self.table.strategies)
        return StrategyFault(self.table.strategies[seat], decision, int(steps.games.talks["game"][game]), what)

    def step(self, answers: np.ndarray) -> None:
        """Answer all waiting questions. Answers to games that are over do not count: these begin anew, or stay."""
        answers = np.asarray(answers, np.int64)
        if not self._are_legal(answers).all():
            self._refuse(answers)
        self._answers[:] = answers
        if self.over.any():
            self._answers[self.over] = BEGIN if self.restart else LEAVE
            if self.restart:
                self.number[self.over] += self.size
        self._play()

    def _are_legal(self, answers: np.ndarray) -> np.ndarray:
        """Which answers are legal; games that are over take any."""
        known = answers.clip(0, LARGEST_ANSWER)
        is_legal: np.ndarray = (self.legal >> known.view(np.uint64) & ONE).astype(bool) & (answers == known)
        return is_legal | self.over

    def _refuse(self, answers: np.ndarray) -> None:
        for game in np.flatnonzero(~self.over):
            asked = self.question(int(game))
            if answers[game] not in asked.options:
                legal = ", ".join(map(str, asked.options))
                raise UserError(f"game {game}: {answers[game]} is not a legal answer to {asked.decision}: {legal}.")

    def step_actions(self, actions: np.ndarray) -> None:
        """The same with actions: the offset of the decision and the answer."""
        self.step(actions - ACTION_OFFSETS[self.decision])

    def step_anyhow(self, actions: np.ndarray) -> np.ndarray:
        """The same, but an action that is not legal stands for one that is: legal answers are counted round.

        Returns which actions were legal.
        """
        answers = actions - ACTION_OFFSETS[self.decision]
        is_legal = self._are_legal(answers)
        if not is_legal.all():
            number = np.unpackbits(self.legal[:, None].view(np.uint8), axis=1).sum(axis=1).clip(1)
            instead = np.zeros(self.size, np.int64)
            draw_answers(self._rows.talks, (actions % number + 0.5) / number, instead)
            answers = np.where(is_legal, answers, instead)
        self.step(answers)
        return is_legal

    def observation(self) -> np.ndarray:
        """What each asked player sees: a row for each game, in the same array each time; see `observation_names`."""
        self._in_threads([observe for _, observe in self._parts])
        return self._observations

    def action_mask(self) -> np.ndarray:
        """Which actions are legal, 1 or 0, in the games of the last call of `observation`."""
        return self._masks

    def random_answers(self, rng: np.random.Generator) -> np.ndarray:
        """A legal answer for each game, all equally likely; 0 for games that are over."""
        answers = np.zeros(self.size, np.int64)
        draw_answers(self._rows.talks, rng.random(self.size), answers)
        return answers

    def question(self, game: int) -> Question:
        """The question of one game, in words."""
        return Question(self._rows.views[game].tobytes(), self.table.rules)
