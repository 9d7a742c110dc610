"""A game looked at again: luck, the others' mistakes and one's own decisions, which add up to the result.

Each decision is judged by what its player could know, against the coach's answer. That is found in some games played on
and measured in others, so that a lucky estimate earns nothing. Games of one number have the same luck: sums over
decisions are taken game by game, and their intervals come from these sums.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.outside.game import Game
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.positions import Capturer, GamePositions, Onward, Position
from jamaica_sim.replays.box import Box, box_of
from jamaica_sim.stats.quantiles import t_quantile
from jamaica_sim.strategy.option_words import option_words, ship_names
from jamaica_sim.strategy.question import ASKS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.studio.coach import CERTAIN, advise_on, adviser
from jamaica_sim.studio.saved_games import people_of

GAMES = 200  # played on for each answer
FINER = 4  # times as many for the result with average luck, which adds up what is uncertain in all decisions
SPLIT = ("start", "luck", "others", "own")  # parts that add up to the result
WORST = 3  # decisions that are named
LAST_GAMES = 10  # whose mean stands first
FEW = 5  # games; the interval of a mean of fewer says nothing


@dataclass(frozen=True)
class Value:
    """A number of points of the chance to win, with half the width of its 95% interval."""

    points: float
    half: float

    def __str__(self) -> str:
        if isinf(self.half):
            return f"{round(self.points)} (too few games for an interval)"
        return f"{round(self.points)} ± {max(round(self.half), 1)}"

    def __neg__(self) -> "Value":
        return Value(-self.points, self.half)

    @property
    def change(self) -> str:
        """The number with its sign, as a part of a sum."""
        return f"{'+' * (round(self.points) > 0)}{self}"


@dataclass(frozen=True)
class Decision:
    """A decision and what it cost: in each game played on, for each ship."""

    position: Position
    better: int  # the coach's answer
    losses: np.ndarray

    @property
    def cost(self) -> Value:
        """What it cost the player who took it."""
        return value_of(self.losses[:, self.position.player])


def value_of(sums: np.ndarray) -> Value:
    """The mean of shares of the victory, one for each game, in points."""
    return Value(100 * float(sums.mean()), 100 * CERTAIN * float(sums.std(ddof=1)) / float(np.sqrt(len(sums))))


def judged(positions: GamePositions, position: Position, games: int) -> Decision:
    """What a decision cost against the coach's answer, in games that did not choose that answer."""
    (*_, advice) = advise_on(positions, position, most=games)
    losses = np.zeros((games, positions.table.rules.ships))
    if advice.best != position.answer:
        ways = [Onward(position, answer, as_known=True) for answer in (advice.best, position.answer)]
        better, given = positions.chances(ways, games, first=games)
        losses = better.shares - given.shares
    return Decision(position, advice.best, losses)


def with_average_luck(positions: GamePositions, games: int) -> tuple[np.ndarray, np.ndarray]:
    """The chances at the start and the result with average luck, for each ship, one row for each game played on.

    The latter is the start and what the decisions of all have changed, against the answers of the strategy that plays
    on, good or not. Then chances change by luck only at all other moments, and by nothing on average, if they are those
    of a spectator. So on average this is the result.
    """
    ways = [Onward(positions.between_rounds()[0])]
    for position in positions.decisions():
        thought = positions.thought(position)
        if thought != position.answer:
            ways += [Onward(position, position.answer), Onward(position, thought)]
    start, *others = (chances.shares for chances in positions.chances(ways, games, first=games))
    return start, start + sum(others[::2]) - sum(others[1::2])


@dataclass(frozen=True)
class Review:
    """A game from one seat: start + luck + others + own = result, in points of the chance to win."""

    seat: int
    games: int
    start: Value
    luck: Value
    others: Value
    own: Value
    adjusted: Value  # the result with average luck
    result: float
    decisions: list[Decision]  # of this seat
    box: Box
    names: list[str]

    @property
    def error(self) -> Value:
        """The error rate of the game: points of win chance that the decisions cost."""
        return -self.own

    def worst(self) -> list[Decision]:
        """The most expensive decisions that are clear, the worst first."""
        clear = [decision for decision in self.decisions if decision.cost.points > decision.cost.half]
        return sorted(clear, key=lambda decision: -decision.cost.points)[:WORST]

    def by_kind(self) -> dict[str, tuple[int, Value]]:
        """How many decisions of each kind there were, and what they cost together, the most expensive first."""
        kinds: dict[str, list[np.ndarray]] = defaultdict(list)
        for decision in self.decisions:
            kinds[ASKS[str(decision.position.decision)]].append(decision.losses[:, self.seat])
        found = {kind: (len(losses), value_of(np.sum(losses, axis=0))) for kind, losses in kinds.items()}
        return dict(sorted(found.items(), key=lambda item: -item[1][1].points))

    def words(self, decision: Decision) -> tuple[str, str]:
        """What was answered, and what was better."""
        position = decision.position
        given, better = (
            option_words(position, answer, self.box.rules, self.names).removeprefix("to ")
            for answer in (position.answer, decision.better)
        )
        return given, better

    def told(self) -> dict[str, Any]:
        """The review as plain values."""
        worst = []
        for decision in self.worst():
            given, better = self.words(decision)
            at = {"round": decision.position.round, "event": decision.position.event}
            worst.append({**at, "given": given, "better": better, "cost": decision.cost})
        kinds = [{"kind": kind, "count": count, "cost": cost} for kind, (count, cost) in self.by_kind().items()]
        facts = {name: getattr(self, name) for name in ("seat", "games", "result", *SPLIT, "error", "adjusted")}
        return {**facts, "by": adviser().name, "worst": worst, "kinds": kinds}


def review_game(game: Game, seat: int, games: int = GAMES) -> Review:
    """Review a game that is over, from a seat, with so many games played on for each answer.

    Examples
    --------
    >>> from jamaica_sim import Game, review_game
    >>> game = Game(players=3, strategies=[None, "random", "random"], seed=3)
    >>> while not game.is_over:
    ...     game.answer(game.question.options[0])
    >>> review = review_game(game, seat=0, games=10)
    >>> parts = review.start, review.luck, review.others, review.own
    >>> round(sum(part.points for part in parts)) == review.result
    True
    """
    (*_, review) = reviewing(game, seat, games)
    assert isinstance(review, Review)  # it comes last
    return review


def reviewing(game: Game, seat: int, games: int = GAMES) -> Iterator[tuple[int, int] | Review]:
    """The same, with how many decisions are judged, of how many, before the review."""
    if game.result is None:
        raise UserError("the game is not over: only a whole game can be reviewed.")
    winners, positions = game.result["winners"], game.positions(adviser(), everywhere=True)
    result = 1 / len(winners) if seat in winners else 0.0
    start, adjusted = with_average_luck(positions, FINER * games)
    mine, given_away, decisions = np.zeros(games), np.zeros(games), []
    asked = positions.decisions()
    for number, position in enumerate(asked, 1):
        decision = judged(positions, position, games)
        if position.player == seat:
            decisions.append(decision)
            mine += decision.losses[:, seat]
        else:
            given_away += decision.losses[:, seat]
        yield number, len(asked)
    before, rules = start[:games, seat], game.table.rules
    yield Review(
        seat=seat,
        games=games,
        start=value_of(before),
        luck=value_of(result - before + mine + given_away),
        others=value_of(-given_away),
        own=value_of(-mine),
        adjusted=value_of(adjusted[:, seat]),
        result=100 * result,
        decisions=decisions,
        box=box_of(game.trace(), rules),
        names=ship_names(rules.players, bool(rules.ghost)),
    )


def positions_of(table: GameTable, strategy: Strategy, number: int) -> tuple[GamePositions, int]:
    """A game of this kind of table with a strategy at the seat of a person, and this seat."""
    seat = next(iter(people_of(table)), 0)
    seats = [strategy if k == seat else adviser() if s.is_outside else s for k, s in enumerate(table.strategies)]
    played = GameTable.seat(table.rules, seats, table.seed)
    judges = GameTable.seat(table.rules, [adviser()] * len(seats), table.seed)
    return GamePositions(judges, number, Capturer(played)), seat


def error_of(positions: GamePositions, seat: int, games: int = GAMES) -> Value:
    """The error rate of a seat in a game: what its decisions cost."""
    own = [judged(positions, position, games) for position in positions.decisions() if position.player == seat]
    return value_of(np.sum([decision.losses[:, seat] for decision in own], axis=0))


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of several games; its interval is that of the games, which differ more than each is uncertain.

    The mean of few games has no interval: its half is infinite.
    """
    points = np.array([value.points for value in values])
    if len(points) == 1:
        return values[0]
    if len(points) < FEW:
        return Value(float(points.mean()), inf)
    half = t_quantile(len(points) - 1, 0.975) * float(points.std(ddof=1)) / float(np.sqrt(len(points)))
    return Value(float(points.mean()), half)
