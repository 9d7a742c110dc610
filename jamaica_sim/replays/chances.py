"""Chances to win over a game: at every moment, and with every answer that a player could have given.

There are two kinds of chances, and they are never mixed. At a moment: those of a spectator who sees all hands and
face-down cards, but not what will be rolled, drawn or shuffled. At a decision: those of the deciding player, with
everything dealt anew that this player cannot know. So a decision is judged by what could be known.

The change of a round is split in two. Decisions: the chances after the answer given, minus those after the best answer,
if the best is better by two standard errors. Luck: the rest.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jamaica_sim.files.limits import whole_games
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.compile_ahead import WHAT_IF, compile_missing
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.positions import Chances, GamePositions, Onward, Position
from jamaica_sim.play.trace import Trace, replay_table
from jamaica_sim.replays.book import Book, Ship
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.replays.moments import LUCK, Moment, moments_of

BLUNDER = 0.05  # of the chance to win: an answer that costs so much or more is a blunder
CERTAIN = 2  # standard errors that a difference must exceed to count
MOST_SWINGS = 5  # of each kind
SMALLEST_SWING = 0.05

Progress = Callable[[int], object]  # is told how many games were played


@dataclass(frozen=True)
class Choice:
    """A decision, and the chances with each answer, judged by what the player knew."""

    position: Position
    chances: dict[int, Chances]

    @property
    def best(self) -> int:
        """The best answer: the one given, unless another is better by CERTAIN standard errors."""
        player, given = self.position.player, self.position.answer
        other = max(self.chances, key=lambda answer: self.chances[answer].of(player))
        gain, error = self.chances[other].gain_over(self.chances[given], player)
        return other if gain > CERTAIN * error else given

    def cost(self, ship: int) -> tuple[float, float]:
        """How much lower a ship's chance is than with the best answer, with its standard error; 0 if that was given."""
        return self.chances[self.best].gain_over(self.chances[self.position.answer], ship)

    @property
    def loss(self) -> float:
        """What the answer cost the player who gave it."""
        return self.cost(self.position.player)[0]

    @property
    def is_blunder(self) -> bool:
        """Whether the loss is large enough to be called a blunder."""
        return self.loss >= BLUNDER


@dataclass(frozen=True)
class Change:
    """How a moment changed the chance of the ship that it changed most, with the standard error."""

    moment: Moment
    ship: int
    size: float
    error: float

    @property
    def is_swing(self) -> bool:
        """Whether it is large and certain enough to be named."""
        return abs(self.size) >= max(SMALLEST_SWING, CERTAIN * self.error)


@dataclass(frozen=True)
class Split:
    """How a ship's chance changed over some rounds, by luck and by decisions; values with their standard errors."""

    ship: int
    before: tuple[float, float]
    change: tuple[float, float]
    luck: tuple[float, float]
    decisions: tuple[float, float]


@dataclass(frozen=True)
class GameChances:
    """The chances of a game: before each round, after each moment of a round, and of each decision."""

    games: int
    rounds: list[Chances]
    moments: list[list[tuple[Moment, Chances]]]  # by round; each moment with the chances after it
    choices: list[Choice]
    trace: Trace
    box: Box

    @cached_property
    def ships(self) -> list[Ship]:
        """The ships, with their names."""
        return Book(self.trace, self.box).ships

    @cached_property
    def result(self) -> Chances:
        """The end of the game, as chances."""
        winners = self.trace["result"]["winners"]
        shares = [1 / len(winners) if ship in winners else 0.0 for ship in range(len(self.ships))]
        return Chances(np.tile(shares, (self.games, 1)))

    def changes(self) -> list[Change]:
        """What each moment changed, in order of time."""
        found = []
        for before, moments in zip(self.rounds, self.moments, strict=True):
            for moment, after in moments:
                gains = [after.gain_over(before, ship) for ship in range(len(self.ships))]
                ship = max(range(len(gains)), key=lambda k: abs(gains[k][0]))
                found.append(Change(moment, ship, *gains[ship]))
                before = after
        return found

    def lucky_swings(self) -> list[Change]:
        """The moments of luck that changed a ship's chance most, in order of time."""
        large = [change for change in self.changes() if change.moment.kind == LUCK and change.is_swing]
        large = sorted(large, key=lambda change: -abs(change.size))[:MOST_SWINGS]
        return sorted(large, key=lambda change: change.moment.event)

    def blunders(self) -> list[Choice]:
        """The decisions that cost their player most, in order of time."""
        large = sorted((c for c in self.choices if c.is_blunder), key=lambda choice: -choice.loss)[:MOST_SWINGS]
        return sorted(large, key=lambda choice: choice.position.index)

    def split(self, ship: int, first: int = 1, last: int | None = None) -> Split:
        """How luck and decisions changed a ship's chance, from the beginning of round `first` to the end of `last`."""
        last = last or len(self.rounds)
        before = self.rounds[first - 1]
        after = self.result if last == len(self.rounds) else self.rounds[last]
        change = after.gain_over(before, ship)
        costs = [choice.cost(ship) for choice in self.choices if first <= choice.position.round <= last]
        decisions = -sum(cost for cost, _ in costs), math.sqrt(sum(error**2 for _, error in costs))
        luck = change[0] - decisions[0], math.hypot(change[1], decisions[1])
        return Split(ship, (before.of(ship), float(before.errors[ship])), change, luck, decisions)


def chances_of(
    positions: GamePositions, trace: Trace, box: Box, games: int, progress: Progress | None = None
) -> GameChances:
    """Play the game on from every round and moment, and with every answer, `games` times each."""
    starts, decisions = positions.between_rounds(), positions.decisions()
    moments = moments_of(positions, trace, box, [ship.name for ship in Book(trace, box).ships])
    tasks = [Onward(position) for position in starts]
    tasks += [moment.onward for of_round in moments for moment in of_round if moment.onward]
    tasks += [Onward(p, answer, as_known=True) for p in decisions for answer in p.options]
    played = iter(positions.chances(tasks, games, progress))
    rounds = [next(played) for _ in starts]
    after = [[next(played) if moment.onward else None for moment in of_round] for of_round in moments]
    choices = [Choice(p, {answer: next(played) for answer in p.options}) for p in decisions]
    found = GameChances(games, rounds, [], choices, trace, box)
    for number, (of_round, known) in enumerate(zip(moments, after, strict=True), 1):
        following = rounds[number] if number < len(rounds) else found.result
        found.moments.append([(moment, chances or following) for moment, chances in zip(of_round, known, strict=True)])
    return found


def tasks_in(positions: GamePositions, trace: Trace, box: Box) -> int:
    """How many ways to play on `chances_of` has; each is played `games` times."""
    names = [ship.name for ship in Book(trace, box).ships]
    moments = sum(bool(m.onward) for of_round in moments_of(positions, trace, box, names) for m in of_round)
    return len(positions.between_rounds()) + moments + sum(len(p.options) for p in positions.decisions())


def replay_chances(
    game: int,
    games: int = 1000,
    *,
    rules: Rules | None = None,
    strategies: Any = None,
    seed: int = 1,
    luck: dict[str, int] | None = None,
    **rule_changes: Any,
) -> GameChances:
    """The chances to win of one game, at every moment and with every answer, each from `games` games played on.

    `replay_page(chances.trace, path, chances=chances)` shows them.

    Examples
    --------
    >>> from jamaica_sim import replay_chances
    >>> chances = replay_chances(3, games=20, strategies="random", players=3)
    >>> len(chances.trace["result"]["scores"])
    3
    """
    table = seat_table(rules, strategies, seed, luck, **rule_changes)
    compile_missing(table.strategies, WHAT_IF)
    trace = replay_table(table, game)
    return chances_of(GamePositions(table, game), trace, box_of(trace, table.rules), whole_games(games))


def advise(positions: GamePositions, position: Position, games: int, progress: Progress | None = None) -> Choice:
    """The chances with each answer to one decision, by what the player knows."""
    tasks = [Onward(position, answer, as_known=True) for answer in position.options]
    return Choice(position, dict(zip(position.options, positions.chances(tasks, games, progress), strict=True)))
