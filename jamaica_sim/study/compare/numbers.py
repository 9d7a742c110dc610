"""The numbers of a comparison: estimates made from the exact sums of its deals.

Every standard error is over deals, never over single games. When a comparison was played until its verdict, all
intervals are confidence sequences, which hold however often one looks.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import place_of
from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.own_measures import total_of
from jamaica_sim.results.stats import control
from jamaica_sim.results.stats.estimate import (
    Estimate,
    PairMoments,
    bounded_interval,
    jackknife,
    mean_interval,
    pairing_gain,
    ratio_interval,
    ratio_squares,
    squares_about_mean,
)
from jamaica_sim.results.stats.rating import (
    LineUpTally,
    RankRange,
    Rating,
    Transitivity,
    ranks_with_ties,
    rate,
    transitivity,
)
from jamaica_sim.results.stats.sequential import Verdict, confidence_sequence, judge, sequence_half_width, verdict
from jamaica_sim.study.compare.deals import AHEAD_UNITS
from jamaica_sim.study.compare.design import ComparisonPlan, Contest, Design

RATING_POINTS = 400 / math.log(10)  # as in chess: 400 points are ten to one


class PairSums(NamedTuple):
    """Sums over the deals in which both strategies of a pair sat, as arrays over pairs.

    The diagonal has the sums over all deals of one strategy. `value` is what the first of the pair won in a deal,
    weighted so that `scale` makes a win rate of 1 per seat. `square` and `cross` are its squares and its products with
    the value of the second. No value is larger than `span`. `ahead` is how often ships of the first finished ahead,
    weighted so that `ahead_scale` makes a share of 1.
    """

    deals: np.ndarray
    value: np.ndarray
    square: np.ndarray
    cross: np.ndarray
    scale: int
    span: float
    ahead: np.ndarray
    ahead_square: np.ndarray
    ahead_scale: int


def pair_sums(design: Design, tally: np.record) -> PairSums:
    """The sums of a tally by pair of strategies, whatever line-ups they met in."""
    members = design.sides_of_members.shape[1]
    unit = int(np.lcm.reduce(design.side_seats.ravel()))
    on_side = (design.sides_of_members[:, :, None] == np.arange(design.sides)) * (unit // design.side_seats)[:, None]
    value = np.einsum("kms,km->ks", on_side, tally.wins[:, :members])
    cross = on_side.transpose(0, 2, 1) @ tally.products[:, :members, :members] @ on_side
    square = np.diagonal(cross, axis1=1, axis2=2)
    pair_unit = int(np.lcm.reduce(design.ship_pairs.ravel()))
    weight = pair_unit // design.ship_pairs
    count = design.strategies
    place = design.side_strategies[:, :, None] * count + design.side_strategies[:, None, :]

    def by_pair(of_sides: np.ndarray) -> np.ndarray:
        flat = np.zeros(count * count, np.int64)
        np.add.at(flat, place, np.broadcast_to(of_sides, place.shape))
        return flat.reshape(count, count)

    return PairSums(
        deals=by_pair(tally.deals[:, None, None]),
        value=by_pair(value[:, :, None]),
        square=by_pair(square[:, :, None]),
        cross=by_pair(cross),
        scale=WIN_UNITS * unit,
        span=design.games_in_deal / int(design.side_seats.min()),
        ahead=by_pair(tally.ahead * weight),
        ahead_square=by_pair(tally.ahead_squares * weight**2),
        ahead_scale=AHEAD_UNITS * pair_unit,
    )


def without_luck(design: Design, tally: np.record, raw: PairSums) -> PairSums:
    """The sums of two strategies, with equally many seats, less the known luck: whole numbers of any size."""
    (first, second, ahead), products = control.controlled(tally.stage_deals, tally.stage_sums, tally.stage_products)
    deals, weight = int(tally.stage_deals.sum()), raw.ahead_scale // (AHEAD_UNITS * int(design.ship_pairs[0, 0, 1]))
    whole, ahead, ahead_square = raw.ahead_scale * control.UNITS, weight * ahead, weight**2 * products[2, 2]
    behind, behind_square = deals * whole - ahead, deals * whole**2 - 2 * whole * ahead + ahead_square
    squares = products[0, 0], products[1, 1]
    by_pair = {
        "value": [[first, first], [second, second]],
        "square": [[squares[0]] * 2, [squares[1]] * 2],
        "cross": [[squares[0], products[0, 1]], [products[0, 1], squares[1]]],
        "ahead": [[0, ahead], [behind, 0]],
        "ahead_square": [[0, ahead_square], [behind_square, 0]],
    }
    arrays: dict[str, Any] = {name: np.array(numbers, object) for name, numbers in by_pair.items()}
    return raw._replace(**arrays, scale=raw.scale * control.UNITS, ahead_scale=whole)


@dataclass(frozen=True, eq=False)
class Numbers:
    """What some deals showed about the strategies of a contest. Strategies are numbered as they were given."""

    contest: Contest
    plan: ComparisonPlan
    tally: np.record
    complete: bool = True
    seconds: float = 0.0

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return int(self.tally.deals.sum())

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.deals * self.contest.design.games_in_deal

    @property
    def labels(self) -> list[str]:
        """The names of the strategies."""
        return self.contest.labels

    @property
    def is_duel(self) -> bool:
        """Whether two strategies share the table evenly."""
        return len(self.labels) == 2 and not self.contest.against

    @property
    def confidence(self) -> float:
        """The confidence of all intervals."""
        return 1 - self.plan.alpha

    def number_of(self, strategy: int | str) -> int:
        """The number of a strategy, from its name or its number."""
        if isinstance(strategy, str):
            return place_of(strategy, self.labels, "strategy")
        if not 0 <= strategy < len(self.labels):
            raise UserError(f"there is no strategy number {strategy}: there are 0 to {len(self.labels) - 1}.")
        return strategy

    @cached_property
    def _sums(self) -> PairSums:
        raw = pair_sums(self.contest.design, self.tally)
        return without_luck(self.contest.design, self.tally, raw) if self.knows_luck else raw

    @property
    def knows_luck(self) -> bool:
        """Whether known luck is subtracted: with two strategies whose sums were made by stage."""
        return self.is_duel and self.deals > 0 and int(self.tally.stage_deals.sum()) == self.deals

    def _interval(
        self, n: int, total: int, total_sq: int, scale: int, span: float, alpha: float | None = None
    ) -> Estimate:
        moments, alpha = (int(n), int(total), int(total_sq)), alpha or self.plan.alpha
        if self.plan.until_verdict:
            return confidence_sequence(*moments, self.plan.margin, alpha, scale=scale, span=span)
        return mean_interval(*moments, 1 - alpha, scale=scale, span=span * scale)

    def _moments(self, first: int, second: int) -> PairMoments:
        s = self._sums
        both = (first, second), (second, first)
        totals, squares = ([int(of[pair]) for pair in both] for of in (s.value, s.square))
        return PairMoments(
            int(s.deals[first, second]), totals[0], totals[1], squares[0], squares[1], int(s.cross[first, second])
        )

    def win_rate(self, strategy: int | str, opponent: int | str | None = None) -> Estimate:
        """A ship's share of the victory in a game; if an opponent is named, only at tables with it."""
        strategy, opponent = self.number_of(strategy), None if opponent is None else self.number_of(opponent)
        s, pair = self._sums, (strategy, strategy if opponent is None else opponent)
        return _share(self._interval(s.deals[pair], s.value[pair], s.square[pair], s.scale, s.span))

    def difference(self, first: int | str, second: int | str, alpha: float | None = None) -> Estimate:
        """Win rate of the first minus that of the second, on the deals that both played at one table."""
        first, second = self.number_of(first), self.number_of(second)
        moments, s = self._moments(first, second).difference(), self._sums
        if self.plan.until_verdict:
            return self._interval(*moments, s.scale, s.span, alpha)
        return bounded_interval(*moments, 1 - (alpha or self.plan.alpha), scale=s.scale, span=s.span)

    def ahead(self, first: int | str, second: int | str) -> Estimate:
        """Share of games in which a ship of the first finishes ahead of one of the second (E3), level counting half."""
        first, second = self.number_of(first), self.number_of(second)
        s, pair = self._sums, (first, second)
        return _share(self._interval(s.deals[pair], s.ahead[pair], s.ahead_square[pair], s.ahead_scale, 1.0))

    def share_of_points(self, first: int | str, second: int | str) -> Estimate:
        """The share of the first in the victories that the two have at common tables."""
        first, second = self.number_of(first), self.number_of(second)
        n, a, b, aa, bb, ab = self._moments(first, second)
        of_both = PairMoments(n, a, a + b, aa, aa + bb + 2 * ab, aa + ab)
        s = self._sums
        if not self.plan.until_verdict or a + b == 0:
            return _share(ratio_interval(of_both, self.confidence, span=s.scale * s.span))
        if not math.isfinite(self.difference(first, second).half_width):
            return Estimate(a / (a + b), 0.0, 1.0, n)
        squares = ratio_squares(of_both) / s.scale**2  # those of half the difference, where the two are equal
        half_width = float(sequence_half_width(n, squares, self.plan.margin / 2, self.plan.alpha, s.span / 2))
        return _share(Estimate.around(a / (a + b), half_width * (n * s.scale / (a + b)), n))

    def measure(self, name: str) -> Estimate:
        """A measure of one's own over all games: a share, or a mean; the interval is over deals."""
        sums = self.tally.own[place_of(name, list(self.contest.measures), "measure")]
        sums = sums[sums[:, 0] > 0]
        values, games = (np.append(v.sum(), v.sum() - v) for v in (total_of(sums), sums[:, 0].astype(float)))
        with np.errstate(invalid="ignore", divide="ignore"):
            found = jackknife(values / games, self.deals, self.confidence)
        return Estimate.around(found.value, self._widening * found.half_width, self.deals)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """All pairs of strategies; against a field the pairs of the first with each of the others."""
        count = len(self.labels)
        if self.contest.against:
            return [(0, second) for second in range(1, count)]
        return [(first, second) for first in range(count) for second in range(first + 1, count)]

    def verdict(self, first: int | str, second: int | str) -> Verdict:
        """Whether the first is better, worse or equal within the margin; all verdicts hold together (Bonferroni)."""
        first, second = self.number_of(first), self.number_of(second)
        margin, alpha, s = self.plan.margin, self.plan.alpha / len(self.pairs), self._sums
        if not self.plan.until_verdict:
            return judge(self.difference(first, second, alpha), margin)
        return verdict(*self._moments(first, second).difference(), margin, alpha, scale=s.scale, span=s.span)

    @cached_property
    def verdicts(self) -> dict[tuple[int, int], Verdict]:
        """The verdict of every pair."""
        return {pair: self.verdict(*pair) for pair in self.pairs}

    @property
    def is_settled(self) -> bool:
        """Whether every pair, or the first and its field, has a verdict: better, worse or equal within the margin."""
        if self.contest.against:
            return self.edge_verdict != "undecided"
        return all(self.verdict(*pair) != "undecided" for pair in self.pairs)

    @property
    def pairing_gain(self) -> float:
        """With two strategies: how many times as many games independent deals would need. Known luck stays in."""
        return pairing_gain(*self._weighted(self.contest.design.lead_weights), self.tally.leads.tolist())

    @property
    def luck_gain(self) -> float:
        """With two strategies: how many times as many deals would be needed if known luck were not subtracted."""
        raw, _ = squares_about_mean(*self._weighted(self.contest.design.lead_weights))
        left, _ = squares_about_mean(*self._moments(0, 1).difference())
        return raw * control.UNITS**2 / left if self.knows_luck and left else 1.0

    def _weighted(self, weights: np.ndarray) -> tuple[int, int, int]:
        """Moments (deals, sum, sum of squares) of the members' weighted wins."""
        wins, products = self.tally.wins.sum(axis=0), self.tally.products.sum(axis=0)
        members = slice(len(weights))
        return self.deals, int(wins[members] @ weights), int(weights @ products[members, members] @ weights)

    # One against a field

    @property
    def _edge_moments(self) -> tuple[tuple[int, int, int], int]:
        design, players = self.contest.design, self.contest.rules.players
        weights = np.full(design.sides_of_members.shape[1], -1)
        weights[0] += players  # the first strategy is the first member of every line-up
        return self._weighted(weights), WIN_UNITS * players * design.games_in_deal

    @property
    def edge(self) -> Estimate:
        """For one against a field: its win rate minus an equal share of what all players win."""
        moments, scale = self._edge_moments
        if self.plan.until_verdict:
            return self._interval(*moments, scale, 1.0)
        return bounded_interval(*moments, self.confidence, scale=scale, span=1.0)

    @property
    def edge_verdict(self) -> Verdict:
        """Whether the first is better or worse than its field, or equal to it within the margin."""
        moments, scale = self._edge_moments
        if self.plan.until_verdict:
            return verdict(*moments, self.plan.margin, self.plan.alpha, scale=scale, span=1.0)
        return judge(self.edge, self.plan.margin)

    # Many strategies

    @cached_property
    def rating(self) -> Rating:
        """The joint rating of three or more strategies, with seat effects."""
        if self.contest.rules.players > 2 and (self.is_duel or self.contest.against):
            raise UserError(
                "ratings and seats are estimated where three or more strategies are compared; the win rates of the "
                "seats of one table are in `simulate(...).by_seat()`."
            )
        design, tally = self.contest.design, self.tally
        tallies = [
            LineUpTally(deal[0], design.rotations, int(n), wins, products, bool(self.contest.rules.ghost))
            for deal, n, wins, products in zip(design.cycle, tally.deals, tally.wins, tally.products, strict=True)
        ]
        return rate(tallies, self.confidence, widen=self._widening)

    @property
    def _widening(self) -> float:
        """How many times as wide a confidence sequence is here as an interval for one look."""
        if not self.plan.until_verdict:
            return 1.0
        once = replace(self, plan=replace(self.plan, until_verdict=False))
        numbers = range(len(self.labels))
        return max(self.win_rate(s).half_width / once.win_rate(s).half_width for s in numbers)

    @cached_property
    def ranks(self) -> list[RankRange]:
        """The best and the worst rank that each strategy may have."""
        strengths = [strength.value for strength in self.rating.strengths]
        return ranks_with_ties(strengths, self.rating.covariance, self.confidence)

    def points(self, strategy: int | str) -> Estimate:
        """The rating of a strategy in points: 0 is the average of the field, 400 more mean ten times the chance."""
        strategy = self.number_of(strategy)
        strength = self.rating.strengths[strategy]
        value, low, high = (RATING_POINTS * v for v in (strength.value, strength.low, strength.high))
        return Estimate(value, low, high, strength.n)

    def rank(self, strategy: int | str) -> str:
        """The rank of a strategy in words, such as "2" or "2 to 4"."""
        strategy = self.number_of(strategy)
        best, worst = self.ranks[strategy]
        return f"{best}" if best == worst else f"{best} to {worst}"

    @property
    def order(self) -> list[int]:
        """The strategies, strongest first."""
        if self.contest.against:
            return [0, *sorted(range(1, len(self.labels)), key=lambda s: -self.win_rate(s).value)]
        if self.is_duel:
            return sorted((0, 1), key=lambda s: -self.win_rate(s).value)
        return sorted(range(len(self.labels)), key=lambda s: -self.rating.strengths[s].value)

    @cached_property
    def transitivity(self) -> Transitivity:
        """Whether the results of all pairs (who finishes ahead) put the strategies in one order, or in a circle."""
        count = len(self.labels)
        matrix, errors = np.full((count, count), 0.5), np.zeros((count, count))
        quantile = float(special.ndtri(1 - self.plan.alpha / 2))
        for pair in self.pairs:
            ahead = self.ahead(*pair)
            matrix[pair], errors[pair] = ahead.value, ahead.half_width / quantile
        return transitivity(matrix, errors, self.confidence)

    @property
    def even(self) -> float:
        """The win rate of equals: the wins that the ghost ship does not have, shared by all seats."""
        if self.is_duel and self.deals:
            return (self.win_rate(0).value + self.win_rate(1).value) / 2
        players = self.contest.rules.players
        return int(self.tally.wins[:, -players:].sum()) / (WIN_UNITS * self.games * players)


def _share(estimate: Estimate) -> Estimate:
    """The estimate, cut off at 0 and 1."""
    value = min(max(estimate.value, 0.0), 1.0)  # with luck subtracted it can lie outside
    return replace(estimate, value=value, low=max(0.0, estimate.low), high=min(1.0, estimate.high))
