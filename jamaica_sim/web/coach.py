"""The coach: each answer's chance to win, by what the asked player can know, more exact the longer one thinks.

Every answer is played on with the same luck, and all that the player cannot know is dealt anew in each game. All seats
are played on by the strongest strategy that plays thousands of games a second. So the chances are those among equals.
The answer that clearly wins most often is best. The highest of several nearly equal chances is mostly luck: among them
the one that is clearly ahead on points is best, else what this strategy would answer itself. Answers that fall far
behind are not played on any further.
"""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.play.outside.game import STAND_IN, Game
from jamaica_sim.play.positions import Chances, GamePositions, Onward, Position
from jamaica_sim.replays.chances_told import half_width
from jamaica_sim.strategy.library import load_strategy
from jamaica_sim.strategy.strategy import Strategy

FIRST, LARGEST, MOST = 32, 512, 4096  # games of each answer: in the first batch, in the largest, altogether
CERTAIN = 1.96  # standard errors of a difference that is told
HOPELESS = 3.0  # standard errors behind the best at which an answer is not played on any further
REASONS = {  # columns of the result rows: what is told of them, and whether more of it is good (+1) or bad (-1)
    "position_points": (1, "points for the space at the end"),
    "gold": (1, "gold at the end"),
    "treasure_points": (1, "points from treasures"),
    "shortages": (-1, "shortages"),
    "attacked": (-1, "attacks by others"),
    "rival": (-1, "points for the best other ship"),
}
COLUMNS = ("position_points", "gold", "treasure_points", "shortages", "battles", "attacks", "score")
SMALLEST_REASON = 0.1  # that is worth telling
MANY_THINGS = "it wins more often, for many small reasons"
FIRST_CHOICE, BY_POINTS = "first choice", "best by points"  # verdicts on the best of several that win as often
DO = {  # an answer as advice
    "place_dice": "Put {}",
    "choose_card": "Play {}",
    "choose_space": "Sail to {}",
    "choose_retreat": "Go back to {}",
    "hold_to_empty": "Empty the hold of {}",
    "hold_to_pay": "Pay from the hold of {}",
    "choose_target": "Attack {}",
    "attack_powder": "Add {}",
    "defence_powder": "Add {}",
    "ghost_direction": "Sail the ghost {}",
    "ghost_space": "Sail the ghost to {}",
    "ghost_target": "Let the ghost attack {}",
}
Line = dict[str, Any]


@cache
def adviser() -> Strategy:
    """Who plays on."""
    return load_strategy(STAND_IN)


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
        """The answer that clearly wins most often; else the one clearly ahead on points; else the adviser's own."""
        if _is_clear(self._gain(self._leader, self.thought)):
            return self._leader
        return self._ahead if _is_clear(self._lead(self._ahead, self.thought)) else self.thought

    @cached_property
    def _leader(self) -> int:
        """The answer that wins most often, of those that are played on."""
        return max(self.chances, key=lambda answer: (self.chances[answer].games, self.chance(answer)))

    @cached_property
    def _ahead(self) -> int:
        """The answer that is furthest ahead on points, of those that may win as often as the leader."""
        tied = [answer for answer in self.chances if not _is_clear(self._gain(self._leader, answer))]
        return max(tied, key=lambda answer: self._lead(answer, self.thought)[0])

    @property
    def is_settled(self) -> bool:
        """Whether all other answers are hopeless, so that more games cannot change what is best."""
        return all(answer == self.best or self.is_hopeless(answer) for answer in self.chances)

    @property
    def doubt(self) -> np.ndarray:
        """The variance of each ship's chance with the best answer, since in other games another one might be best.

        Each of the three that can be best has the odds of being clearly so in as many other games.
        """
        first, second = (
            NormalDist().cdf(gain / error - CERTAIN) if error else float(gain > 0)
            for gain, error in (self._gain(self._leader, self.thought), self._lead(self._ahead, self.thought))
        )
        odds = np.array([first, (1 - first) * second, (1 - first) * (1 - second)])
        shares = [self.chances[answer].shares for answer in (self._leader, self._ahead, self.thought)]
        games = min(map(len, shares))
        chances = np.array([share[:games].mean(axis=0) for share in shares])
        doubt: np.ndarray = odds @ chances**2 - (odds @ chances) ** 2
        return doubt.clip(0)

    def chance(self, answer: int) -> float:
        """The player's chance to win with an answer."""
        return self.chances[answer].of(self.position.player)

    def cost(self, answer: int) -> tuple[float, float]:
        """How much an answer costs against the best, and half the width of its 95% interval."""
        gain, error = self._gain(self.best, answer)
        return gain, CERTAIN * error

    def verdict(self, answer: int) -> str:
        """`as good` as the best within the interval, or `worse`; for the best also why, if others are as good."""
        if answer != self.best:
            return "worse" if _is_clear(self._gain(self.best, answer)) else "as good"
        if all(self.verdict(other) == "worse" for other in self.chances if other != answer):
            return "best"
        return FIRST_CHOICE if answer == self.thought else BY_POINTS

    def is_hopeless(self, answer: int) -> bool:
        """Whether an answer is so far behind that more games would be wasted on it."""
        gain, error = self._gain(self.best, answer)
        return gain > HOPELESS * error

    def _gain(self, answer: int, other: int) -> tuple[float, float]:
        return self.chances[answer].gain_over(self.chances[other], self.position.player)

    def _lead(self, answer: int, other: int) -> tuple[float, float]:
        """How many points further ahead of the best other ship the player ends, with the standard error."""
        games = min(self.chances[answer].games, self.chances[other].games)
        own, rival = (self._column(answer, name)[:games] for name in ("score", "rival"))
        other_own, other_rival = (self._column(other, name)[:games] for name in ("score", "rival"))
        return _mean_and_error(own - rival - other_own + other_rival)

    def why(self, other: int | None = None) -> str:
        """What is better at the end with the best answer, and what is worse, against another; else nothing.

        The other is the best of those that are worse, if none is named.
        """
        if other is None:
            other = max((a for a in self.chances if self.verdict(a) == "worse"), key=self.chance, default=None)
        if other is None:
            return ""
        good, bad = list[tuple[float, str]](), list[tuple[float, str]]()
        for name, (sign, what) in REASONS.items():
            games = min(self.chances[other].games, self.chances[self.best].games)
            difference = self._column(self.best, name)[:games] - self._column(other, name)[:games]
            mean, error = _mean_and_error(difference)
            if abs(mean) > max(SMALLEST_REASON, CERTAIN * error):
                less = "less" if name == "gold" else "fewer"
                told = f"{abs(mean):.1f} {'more' if mean > 0 else less} {what}"
                (good if mean * sign > 0 else bad).append((abs(mean) / error if error else np.inf, told))
        gains, risks = ([told for _, told in sorted(found, reverse=True)] for found in (good, bad))
        return (" and ".join(gains[:2]) or MANY_THINGS) + "".join(f", but {told}" for told in risks[:1])

    def _column(self, answer: int, name: str) -> np.ndarray:
        columns, player = self.chances[answer].columns, self.position.player
        if name == "rival":
            score = columns["score"][:, : self.chances[answer].shares.shape[1]].astype(float)
            others: np.ndarray = np.delete(score, player, axis=1).max(axis=1)
            return others
        if name == "attacked":
            return self._column(answer, "battles") - self._column(answer, "attacks")
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
        said = words[self.best].removeprefix("to ")
        said = DO.get(self.position.decision, "{}").format(said)
        said = f"{said[0].upper()}{said[1:]}"
        by = f"{self.games:,} games each, played on by {adviser().name}"
        if why := self.why():
            tied = "" if self.verdict(self.best) == "best" else " Others may be just as good."
            return f"{said}: {why} ({by}).{tied}"
        if self.verdict(self.best) == BY_POINTS:
            gain, error = self._lead(self.best, self.thought)
            ahead = f"{gain:.1f} ± {max(CERTAIN * error, 0.05):.1f} points further ahead at the end"
            return f"{said}: {ahead}. The others may win as often ({by})."
        return f"{said}; the others may be just as good ({by})."


def _mean_and_error(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def _is_clear(gain: tuple[float, float]) -> bool:
    return gain[0] > CERTAIN * gain[1]


def advise(game: Game, stop: threading.Event | None = None, most: int = MOST) -> Iterator[Advice]:
    """The advice on the question of a game, from more and more games; it ends at `most`, or when `stop` is set."""
    if game.question is None:
        raise UserError("the game is over: there is nothing to ask the coach.")
    positions = game.positions(adviser(), everywhere=True)
    yield from advise_on(positions, positions.all[-1], stop, most)


def advise_on(
    positions: GamePositions,
    position: Position,
    stop: threading.Event | None = None,
    most: int = MOST,
    first: int = 0,
) -> Iterator[Advice]:
    """The same for a position of a game; `first` is the number of the first game played on."""
    thought, left, played = positions.thought(position), list(position.options), dict[int, Chances]()
    done, batch = 0, min(FIRST, most)
    while done < most and not (stop is not None and stop.is_set()):
        tasks = [Onward(position, answer, as_known=True) for answer in left]
        for answer, more in zip(
            left, positions.chances(tasks, batch, first=first + done, columns=COLUMNS), strict=True
        ):
            played[answer] = _joined(played[answer], more) if answer in played else more
        done += batch
        batch = min(done, LARGEST, max(2, most - done))
        advice = Advice(position, dict(played), thought)
        left = [answer for answer in left if not advice.is_hopeless(answer)]
        yield advice


def _joined(first: Chances, more: Chances) -> Chances:
    columns = {name: np.concatenate([first.columns[name], more.columns[name]]) for name in first.columns}
    return Chances(np.concatenate([first.shares, more.shares]), columns)
