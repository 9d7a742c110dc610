"""A game looked at again: luck, the others' mistakes and one's own decisions, which add up to the result.

Each decision is judged by what its player could know, against the coach's answer. That is found in some games played on
and measured in others, so that a lucky estimate earns nothing. Every decision has luck of its own, so their costs
add up like independent figures. More games are spent where they decide: on close decisions, and not on clear ones.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, hypot, inf, isinf, sqrt
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.outside.game import Game
from jamaica_sim.play.positions import FEWEST_GAMES, Capturer, GamePositions, Onward, Position
from jamaica_sim.results.stats.estimate import t_quantile
from jamaica_sim.strategy.option_words import option_words, ship_names
from jamaica_sim.strategy.question import ASKS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.web.coach import CERTAIN, advise_on, adviser
from jamaica_sim.web.saved_games import people_of

GAMES = 200  # played on for each answer, on average
FIRST_PART = 4  # all decisions are judged with the fourth part of them, then some with four times as many, and so on
FINEST = 16  # times as many games for a review that goes on while somebody reads it
OWN_LUCK = 10_000_000  # games between those of two decisions
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
class ReviewedDecision:
    """A decision: what it cost, and why another answer was better."""

    number: int  # answers that people had given before: from there the game can be played again
    round: int
    event: int  # how many events of the trace come before it
    kind: str
    given: str
    better: str  # the coach's answer; the one given, if that was it
    why: str
    cost: Value  # to the player who took it

    @property
    def is_mistake(self) -> bool:
        """Whether it clearly cost something."""
        return self.cost.points > self.cost.half

    def __str__(self) -> str:
        why = f" ({self.why})" if self.why else ""
        return f"round {self.round}: {self.given} rather than {self.better} cost {self.cost} points{why}"


@dataclass(frozen=True)
class Judged:
    """What a decision cost each ship against the coach's answer, and why that is better."""

    position: Position
    best: int
    why: str
    costs: tuple[Value, ...]
    games: int  # played on with each answer that was not hopeless


def value_of(shares: np.ndarray, doubt: float = 0.0) -> Value:
    """The mean of shares of the victory in points; `doubt` is a variance beside that of the mean."""
    return Value(100 * float(shares.mean()), 100 * CERTAIN * sqrt(float(shares.var(ddof=1)) / len(shares) + doubt))


def total_of(values: Iterable[Value]) -> Value:
    """The sum of independent values."""
    values = list(values)
    return Value(fsum(value.points for value in values), hypot(*(value.half for value in values)))


def judged(positions: GamePositions, position: Position, games: int) -> Judged:
    """What a decision cost, in games that did not choose the coach's answer.

    Which answer the coach finds best is uncertain too: the doubt of that is in the interval.
    """
    first = (position.index + 1) * OWN_LUCK
    for advice in advise_on(positions, position, most=games, first=first):
        if advice.is_settled:
            break
    costs, why = np.zeros((games, positions.table.rules.ships)), ""
    if advice.best != position.answer:
        ways = [Onward(position, answer, as_known=True) for answer in (advice.best, position.answer)]
        better, given = positions.chances(ways, games, first=first + games)
        costs, why = better.shares - given.shares, advice.why(position.answer)
    found = (value_of(cost, doubt) for cost, doubt in zip(costs.T, advice.doubt, strict=True))
    return Judged(position, advice.best, why, tuple(found), games)


def judging(
    positions: GamePositions, asked: Sequence[Position], ship: int, games: int
) -> Iterator[tuple[int, list[Judged]]]:
    """Judge decisions for as long as one likes: first all, then the one that leaves their sum most uncertain, anew.

    The sum is what they cost a ship. Yields the games played on with each answer so far, and what is known.
    """
    found, played, few = list[Judged](), 0, max(-(-games // FIRST_PART), FEWEST_GAMES)
    for position in asked:
        found.append(judged(positions, position, few))
        played += few
        yield played, found
    while found and (doubtful := max(found, key=lambda one: _worth(one, ship))).costs[ship].half:
        again = judged(positions, doubtful.position, FIRST_PART * doubtful.games)
        found = [again if one is doubtful else one for one in found]
        played += again.games
        yield played, found


def _worth(decision: Judged, ship: int) -> float:
    """How much the variance of a sum falls with each further game."""
    return decision.costs[ship].half ** 2 / (decision.games * len(decision.position.options))


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
    decisions: list[ReviewedDecision]  # of this seat
    kinds: dict[str, tuple[int, Value]]  # how many decisions of each kind, and their cost, the most expensive first

    @property
    def error(self) -> Value:
        """The error rate of the game: points of win chance that the decisions cost."""
        return -self.own

    def worst(self) -> list[ReviewedDecision]:
        """The most expensive decisions that are clear, the worst first."""
        clear = [decision for decision in self.decisions if decision.is_mistake]
        return sorted(clear, key=lambda decision: -decision.cost.points)[:WORST]

    @property
    def is_luck_open(self) -> bool:
        """Whether neither luck nor the others are known to have moved the result, so that either may have."""
        return all(abs(value.points) <= value.half for value in (self.luck, self.others))

    def told(self) -> dict[str, Any]:
        """The review as plain values."""
        told = ("seat", "games", "result", *SPLIT, "error", "adjusted", "is_luck_open")
        facts = {name: getattr(self, name) for name in told}
        kinds = [{"kind": kind, "count": count, "cost": cost} for kind, (count, cost) in self.kinds.items()]
        return {**facts, "by": adviser().name, "decisions": self.decisions, "kinds": kinds}


def review_game(game: Game, seat: int, games: int = GAMES) -> Review:
    """Review a game that is over, from a seat, with so many games played on for each answer, on average.

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
    return next(found for found in reviewing(game, seat, games) if isinstance(found, Review))


def reviewing(game: Game, seat: int, games: int = GAMES) -> Iterator[tuple[int, int] | Review]:
    """How many decisions are judged, of how many, then the review, then finer ones, up to `FINEST` times the games."""
    if game.result is None:
        raise UserError("the game is not over: only a whole game can be reviewed.")
    winners, positions = game.result["winners"], game.positions(adviser(), everywhere=True)
    asked, wanted, known = positions.decisions(), games, list[Judged]()
    start, adjusted = (value_of(shares[:, seat]) for shares in with_average_luck(positions, FINER * games))
    result = Value(100 / len(winners) if seat in winners else 0.0, 0.0)

    def review(found: Sequence[Judged]) -> Review:
        own, others = (
            total_of(-one.costs[seat] for one in found if (one.position.player == seat) == is_own)
            for is_own in (True, False)
        )
        decisions = _told(game, seat, found)
        kinds = {kind: [one.cost for one in decisions if one.kind == kind] for kind in {one.kind for one in decisions}}
        costs = {kind: (len(of_kind), total_of(of_kind)) for kind, of_kind in kinds.items()}
        return Review(
            seat=seat,
            games=round(sum(one.games for one in found) / max(len(found), 1)),
            start=start,
            luck=total_of([result, -start, -own, -others]),
            others=others,
            own=own,
            adjusted=adjusted,
            result=result.points,
            decisions=decisions,
            kinds=dict(sorted(costs.items(), key=lambda item: (-item[1][1].points, item[0]))),
        )

    for played, found in judging(positions, asked, seat, games):
        known = found
        if played < wanted * len(asked):
            yield min(played // games, len(asked)), len(asked)
            continue
        yield review(known)
        wanted *= 2
        if wanted > FINEST * games:
            return
    yield review(known)


def _told(game: Game, seat: int, judged_ones: Sequence[Judged]) -> list[ReviewedDecision]:
    """The decisions of a seat, in words."""
    rules, people = game.table.rules, people_of(game.table)
    names, answers, told = ship_names(rules.players, bool(rules.ghost)), 0, []
    for one in judged_ones:
        position = one.position
        if position.player == seat:
            given, better = (
                option_words(position, answer, rules, names).removeprefix("to ")
                for answer in (position.answer, one.best)
            )
            kind = ASKS[str(position.decision)]
            where = (answers, position.round, position.event)
            told.append(ReviewedDecision(*where, kind, given, better, one.why, one.costs[seat]))
        answers += position.player in people
    return told


def positions_of(table: GameTable, strategy: Strategy, number: int) -> tuple[GamePositions, int]:
    """A game of this kind of table with a strategy at the seat of a person, and this seat."""
    seat = next(iter(people_of(table)), 0)
    seats = [strategy if k == seat else adviser() if s.is_outside else s for k, s in enumerate(table.strategies)]
    played = GameTable.seat(table.rules, seats, table.seed)
    judges = GameTable.seat(table.rules, [adviser()] * len(seats), table.seed)
    return GamePositions(judges, number, Capturer(played)), seat


def error_of(positions: GamePositions, seat: int, games: int = GAMES) -> Value:
    """The error rate of a seat in a game: what its decisions cost."""
    own, found = [position for position in positions.decisions() if position.player == seat], list[Judged]()
    for played, known in judging(positions, own, seat, games):
        found = known
        if played >= games * len(own):
            break
    return total_of(one.costs[seat] for one in found)


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
