"""The coach: each answer's chance to win, by what the asked player can know, more exact the longer one thinks.

Every answer is played on with the same luck, and all that the player cannot know is dealt anew in each game. All seats
are played on by the strongest strategy that plays thousands of games a second. So the chances are those among equals.
What this strategy would answer itself is best, unless another answer is clearly better: the highest of several nearly
equal chances is mostly luck. Answers that fall far behind are not played on any further.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.outside.game import Game
from jamaica_sim.play.positions import Chances, GamePositions, Onward, Position
from jamaica_sim.replays.chances_told import half_width
from jamaica_sim.strategy.library import load_strategy, strategy_names
from jamaica_sim.strategy.strategy import Strategy

STRONGEST = ("master", "champion")  # the first of these that is there plays on
FIRST, LARGEST, MOST = 32, 512, 4096  # games of each answer: in the first batch, in the largest, altogether
CERTAIN = 1.96  # standard errors of a difference that is told
HOPELESS = 3.0  # standard errors behind the best at which an answer is not played on any further
REASONS = {  # columns of the result rows, each with what is good about it: more (+1) or less (-1) of it
    "position_points": (1, "{:.1f} more points for the space at the end"),
    "gold": (1, "{:.1f} more gold at the end"),
    "treasure_points": (1, "{:.1f} more points from treasures"),
    "shortages": (-1, "{:.1f} fewer shortages"),
    "rival": (-1, "{:.1f} fewer points for the best other ship"),
}
SMALLEST_REASON = 0.1  # that is worth telling
MANY_THINGS = "it wins more often, for many small reasons"
Line = dict[str, Any]


@cache
def adviser() -> Strategy:
    """Who plays on."""
    return load_strategy(next(name for name in STRONGEST if name in strategy_names()))


@dataclass(frozen=True)
class Advice:
    """The chances of each answer to one question; games of the same number have the same luck."""

    position: Position
    chances: dict[int, Chances]
    thought: int  # what the adviser itself would answer

    @property
    def games(self) -> int:
        """Games played on for each answer that was not hopeless."""
        return max(chances.games for chances in self.chances.values())

    @cached_property
    def best(self) -> int:
        """The adviser's own answer, unless another one is clearly better."""
        leader = max(self.chances, key=lambda answer: (self.chances[answer].games, self.chance(answer)))
        gain, error = self._gain(leader, self.thought)
        return leader if gain > CERTAIN * error else self.thought

    def chance(self, answer: int) -> float:
        """The player's chance to win with an answer."""
        return self.chances[answer].of(self.position.player)

    def cost(self, answer: int) -> tuple[float, float]:
        """How much an answer costs against the best, and half the width of its 95% interval."""
        gain, error = self._gain(self.best, answer)
        return gain, CERTAIN * error

    def verdict(self, answer: int) -> str:
        """`best`, `as good` within the interval, or `worse`."""
        cost, half = self.cost(answer)
        return "best" if answer == self.best else "worse" if cost > half else "as good"

    def is_hopeless(self, answer: int) -> bool:
        """Whether an answer is so far behind that more games would be wasted on it."""
        gain, error = self._gain(self.best, answer)
        return gain > HOPELESS * error

    def _gain(self, answer: int, other: int) -> tuple[float, float]:
        return self.chances[answer].gain_over(self.chances[other], self.position.player)

    def why(self) -> str:
        """What is better at the end with the best answer, against the best of those that are worse; else nothing."""
        worse = [answer for answer in self.chances if self.verdict(answer) == "worse"]
        if not worse:
            return ""
        other = max(worse, key=self.chance)
        reasons = []
        for name, (sign, words) in REASONS.items():
            games = self.chances[other].games
            difference = sign * (self._column(self.best, name)[:games] - self._column(other, name))
            mean, error = float(difference.mean()), float(difference.std(ddof=1)) / np.sqrt(len(difference))
            if mean > max(SMALLEST_REASON, CERTAIN * error):
                reasons.append((mean / error if error else np.inf, words.format(mean)))
        largest = [words for _, words in sorted(reasons, reverse=True)[:2]]
        return " and ".join(largest) or MANY_THINGS

    def _column(self, answer: int, name: str) -> np.ndarray:
        columns, player = self.chances[answer].columns, self.position.player
        if name == "rival":
            score = columns["score"][:, : self.chances[answer].shares.shape[1]].astype(float)
            others: np.ndarray = np.delete(score, player, axis=1).max(axis=1)
            return others
        column: np.ndarray = columns[name][:, player].astype(float)
        return column.sum(axis=1) if column.ndim > 1 else column

    def told(self) -> Line:
        """The advice as plain values."""
        options = []
        for answer, chances in self.chances.items():
            chance, (cost, half) = self.chance(answer), self.cost(answer)
            option = {"answer": answer, "chance": chance, "half": half_width(chance, chances.games)}
            options.append({**option, "verdict": self.verdict(answer), "cost": cost, "cost_half": half})
        return {"games": self.games, "options": options, "best": self.best, "why": self.why()}

    def sentence(self, words: Mapping[int, str]) -> str:
        """The advice in a sentence, with its number of games and by whom they are played on."""
        by = f"by {self.games:,} games that the strategy {adviser().name} plays on with each answer"
        why = self.why()
        if not why:
            return f"No answer is clearly better than {words[self.best]}, which {adviser().name} would choose ({by})."
        return f"Best is {words[self.best]}: {why} ({by})."


def advise(game: Game, stop: threading.Event | None = None, most: int = MOST) -> Iterator[Advice]:
    """The advice on the question of a game, from more and more games; it ends at `most`, or when `stop` is set."""
    if game.question is None:
        raise UserError("the game is over: there is nothing to ask the coach.")
    positions = game.positions(adviser(), everywhere=True)
    yield from advise_on(positions, positions.all[-1], stop, most)


def advise_on(
    positions: GamePositions, position: Position, stop: threading.Event | None = None, most: int = MOST
) -> Iterator[Advice]:
    """The same for a position of a game."""
    columns = tuple(name for name in (*REASONS, "score") if name != "rival")
    thought, left, played = positions.thought(position), list(position.options), dict[int, Chances]()
    done, batch = 0, min(FIRST, most)
    while done < most and not (stop is not None and stop.is_set()):
        tasks = [Onward(position, answer, as_known=True) for answer in left]
        for answer, more in zip(left, positions.chances(tasks, batch, first=done, columns=columns), strict=True):
            played[answer] = _joined(played[answer], more) if answer in played else more
        done += batch
        batch = min(done, LARGEST, max(2, most - done))
        advice = Advice(position, dict(played), thought)
        left = [answer for answer in left if not advice.is_hopeless(answer)]
        yield advice


def _joined(first: Chances, more: Chances) -> Chances:
    columns = {name: np.concatenate([first.columns[name], more.columns[name]]) for name in first.columns}
    return Chances(np.concatenate([first.shares, more.shares]), columns)
