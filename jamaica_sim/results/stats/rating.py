"""Rating many strategies from games of three or more, with shared wins and a seat effect.

The model is Plackett-Luce for the winner (Luce 1959): in a game the strategy s in seat j wins
with a chance proportional to exp(strength_s + seat_j), where seat 0 is the first Captain. A
win shared by m players counts as 1/m for each. Only first places are used: the order further
down follows other aims than winning.

The model needs few numbers, and they do not grow with the number of games. For each line-up a
deal gives 2k integers: the wins of its k players, summed over the deal's games, and the wins
of its k seats. Their sums over deals are sufficient for the likelihood (it is an exponential
family), and the sums of their products for errors that let the games of a deal share luck. So
a `LineUpTally` holds 2k + (2k)² + 1 integers, 157 for six players. The ghost ship, where it
sails, is one more possible winner, with a strength of its own and no seat effect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy import linalg, optimize, sparse, special

from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.results.stats.estimate import Estimate, holm

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class LineUpTally:
    """Wins of one line-up, added up over its deals.

    In game r of a deal, player i sits in seat (i + r) mod k from the first Captain. Where the ghost ship sails along,
    the wins that no player has are the ghost's.
    """

    strategies: tuple[Hashable, ...]  # of the k players; one may appear more than once
    rotations: int  # games in a deal: k when every rotation is played, 1 when none is
    deals: int
    wins: np.ndarray  # [2k]: sum over deals of the deal's wins, in WIN_UNITS: by player, then by seat
    products: np.ndarray  # [2k, 2k]: sum over deals of the outer product of the deal's wins with themselves
    ghost: bool = False

    def __post_init__(self) -> None:
        players = len(self.strategies)
        if np.shape(self.wins) != (2 * players,) or np.shape(self.products) != (2 * players, 2 * players):
            raise ValueError(f"wins and products do not fit a line-up of {players}")
        by_player, by_seat = self.wins[:players].sum(), self.wins[players:].sum()
        nobodys = self.deals * self.rotations * WIN_UNITS - by_player
        if by_player != by_seat or nobodys < 0 or (nobodys > 0 and not self.ghost):
            raise ValueError(f"each of the {self.deals * self.rotations} games must hand out one win")


@dataclass(frozen=True, eq=False)
class Rating:
    """Strengths of strategies and seats, fitted to all tallies at once."""

    strategies: tuple[Hashable, ...]  # sorted; the order of everything below
    strengths: tuple[Estimate, ...]  # log-strengths, with mean zero over the strategies
    covariance: np.ndarray  # of the strengths (singular: they sum to zero)
    seat_effects: tuple[Estimate, ...]  # log-strength of each seat from the first Captain, with mean zero
    seat_shares: tuple[Estimate, ...]  # share of wins of each seat among equal strategies
    seat_covariance: np.ndarray  # of the seat effects


def rate(tallies: Iterable[LineUpTally], confidence: float = 0.95, prior: float = 0.5, widen: float = 1.0) -> Rating:
    """Fit strengths and seat effects by penalised maximum likelihood.

    Standard errors are cluster-robust over deals (sandwich of Liang & Zeger 1986, Theorem 1, times deals / (deals -
    1)), so they stay right when the games of a deal share luck and when wins are shared; `widen` is a factor on all of
    them. Intervals use Student's t with deals - 1 degrees of freedom; with fewer than about 40 deals in all they are
    too narrow when luck is strongly shared.

    Each strategy and each seat is given `prior` imagined wins and as many losses against an average one: the log-F
    penalty of Greenland & Mansournia (2015), with 0.5 the Jeffreys prior of a single log-odds. So a strategy that never
    won, or always did, has a finite strength, with an infinite open end. 0 is plain maximum likelihood.

    Raises ValueError when the line-ups cannot tell all strategies and seats apart, because two groups never met.
    """
    field = _Field(list(tallies))
    parameters, covariance = field.fit(prior)
    covariance = widen**2 * covariance
    count, players, deals = len(field.strategies), field.players, int(field.deals.sum())
    quantile = float(special.stdtrit(max(deals - 1, 1), (1 + confidence) / 2))
    never, always = field.never_won(), field.always_won()

    deviation = quantile * np.sqrt(np.diag(covariance))
    low = parameters - deviation
    high = parameters + deviation
    low[:count][never] = -math.inf
    high[:count][always] = math.inf
    ns = [*field.deals @ field.takes_part(), *[deals] * players]
    effects = tuple(map(_estimate, parameters, low, high, [*ns, deals]))[: count + players]

    seat = _delta_on_logit(
        lambda p: special.softmax(p)[:players], parameters[count:], covariance[count:, count:], quantile
    )
    seats = slice(count, count + players)
    return Rating(
        strategies=field.strategies,
        strengths=effects[:count],
        covariance=covariance[:count, :count],
        seat_effects=effects[seats],
        seat_shares=tuple(map(_estimate, *seat, ns[count:])),
        seat_covariance=covariance[seats, seats],
    )


def _estimate(value: float, low: float, high: float, n: int) -> Estimate:
    return Estimate(float(value), float(low), float(high), int(n))


def _delta_on_logit(
    shares_of: Callable[[np.ndarray], np.ndarray], parameters: np.ndarray, covariance: np.ndarray, quantile: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares with ends from the delta method on the logit scale, which keeps them in (0, 1)."""
    logit = special.logit(shares_of(parameters))
    slopes = np.atleast_2d(optimize.approx_fprime(parameters, lambda p: special.logit(shares_of(p))))
    deviation = quantile * np.sqrt(np.einsum("ip,pq,iq->i", slopes, covariance, slopes))
    return special.expit(logit), special.expit(logit - deviation), special.expit(logit + deviation)


class _Field:
    """All line-ups as arrays. Parameters are the strengths, the seat effects and the ghost's strength if it sails."""

    def __init__(self, tallies: list[LineUpTally]) -> None:
        shapes = {(len(t.strategies), t.rotations, t.ghost) for t in tallies}
        if len(shapes) != 1:
            raise ValueError("tallies must share one number of players and of rotations, and the ghost ship")
        ((self.players, rotations, self.ghost),) = shapes
        names: set[Any] = {s for t in tallies for s in t.strategies}
        self.strategies = tuple(sorted(names))
        if len(self.strategies) < 2:
            raise ValueError("a rating needs at least two strategies")
        number = {s: i for i, s in enumerate(self.strategies)}
        self.line_ups = np.array([[number[s] for s in t.strategies] for t in tallies])
        self.deals = np.array([t.deals for t in tallies], dtype=float)
        self.wins = np.array([t.wins for t in tallies]) / WIN_UNITS
        self.products = np.array([t.products for t in tallies]) / WIN_UNITS**2
        # Of player i in game r of a deal, shape (rotations, players).
        self.seat_of_player = (np.arange(self.players)[None, :] + np.arange(rotations)[:, None]) % self.players
        self.size = len(self.strategies) + self.players + self.ghost

        player_in_seat = np.argsort(self.seat_of_player, axis=1)
        seated = self.line_ups[:, player_in_seat]
        self.shape = (*seated.shape[:2], self.players + self.ghost)  # line-ups, games, possible winners
        # The parameters that drive the chance of each possible winner: its strategy and its seat, or the ghost's
        # strength.
        self.chance_parameters = self._indicator(seated)
        # The parameter that each of a deal's 2k wins, and the ghost's wins, belong to.
        others = np.arange(len(self.strategies), self.size)
        others = np.broadcast_to(others, (len(self.line_ups), others.size))
        self.win_parameters = np.concatenate([self.line_ups, others], axis=1)
        # Orthonormal bases, as columns, of the strengths and of the seat effects that sum to zero.
        self.contrasts = linalg.block_diag(*(linalg.helmert(n).T for n in (len(self.strategies), self.players)))
        if self.ghost:
            self._give_the_rest_to_the_ghost(rotations)
            self.contrasts = linalg.block_diag(self.contrasts, 1.0)
        self.won = np.bincount(self.win_parameters.ravel(), self.wins.ravel(), minlength=self.size)

    def _give_the_rest_to_the_ghost(self, rotations: int) -> None:
        """Append the ghost's wins, games minus players' wins, to every deal; sums and products follow linearly."""
        width = 2 * self.players
        moments = np.zeros((len(self.deals), width + 1, width + 1))
        moments[:, :width, :width] = self.products
        moments[:, :width, width] = moments[:, width, :width] = self.wins
        moments[:, width, width] = self.deals
        append = np.eye(width + 1)
        append[width, : self.players], append[width, width] = -1, rotations
        self.products = append @ moments @ append.T
        self.wins = np.concatenate([self.wins, (moments @ append.T)[:, width:, width]], axis=1)

    def _indicator(self, seated: np.ndarray) -> sparse.csr_array:
        rows = np.arange(math.prod(self.shape)).reshape(self.shape)
        ships = rows[:, :, : self.players].ravel()
        seats = np.broadcast_to(np.arange(self.players) + len(self.strategies), seated.shape)
        ghosts = rows[:, :, self.players :].ravel()
        placed = np.concatenate([ships, ships, ghosts])
        columns = np.concatenate([seated.ravel(), seats.ravel(), np.full(ghosts.size, self.size - 1)])
        return sparse.csr_array((np.ones(columns.size), (placed, columns)), (rows.size, self.size))

    def chances(self, parameters: np.ndarray) -> np.ndarray:
        """Chance of winning by line-up, game of the deal, seat; the ghost's last."""
        return special.softmax((self.chance_parameters @ parameters).reshape(self.shape), axis=2)

    def gradient(self, parameters: np.ndarray) -> np.ndarray:
        expected = self.deals[:, None, None] * self.chances(parameters)
        return self.won - self.chance_parameters.T @ expected.ravel()

    def information(self, chances: np.ndarray) -> np.ndarray:
        """Minus the second derivative of the log-likelihood."""
        weights = np.broadcast_to(self.deals[:, None, None], self.shape)
        pushed = sparse.diags_array((chances * weights).ravel()) @ self.chance_parameters
        games = sparse.csr_array(
            (chances.ravel(), np.arange(chances.size), np.arange(0, chances.size + 1, self.shape[2])),
        )
        mean_pushed = games @ self.chance_parameters
        game_weights = sparse.diags_array(weights[:, :, 0].ravel())
        return (self.chance_parameters.T @ pushed - mean_pushed.T @ game_weights @ mean_pushed).toarray()

    def scores_squared(self, chances: np.ndarray) -> np.ndarray:
        """Sum over deals of the outer product of the deal's score."""
        by_player = np.take_along_axis(chances, self.seat_of_player[None], axis=2).sum(axis=1)
        expected = np.concatenate([by_player, chances.sum(axis=1)], axis=1)
        crossed = np.einsum("la,lb->lab", self.wins, expected)
        products = (
            self.products - crossed - crossed.swapaxes(1, 2) + np.einsum("l,la,lb->lab", self.deals, expected, expected)
        )
        target = self.win_parameters[:, :, None] * self.size + self.win_parameters[:, None, :]
        flat = np.bincount(target.ravel(), products.ravel(), minlength=self.size**2)
        return flat.reshape(self.size, self.size)

    def fit(self, prior: float) -> tuple[np.ndarray, np.ndarray]:
        """Parameters and their covariance."""
        contrasts = self.contrasts
        even = np.full(self.shape, 1 / self.shape[2])
        if np.linalg.matrix_rank(contrasts.T @ self.information(even) @ contrasts) < contrasts.shape[1]:
            raise ValueError("these line-ups cannot tell all strategies and seats apart")

        def score(free: np.ndarray) -> np.ndarray:
            parameters = contrasts @ free
            imagined = prior * (1 - 2 * special.expit(parameters))
            return contrasts.T @ (self.gradient(parameters) + imagined)

        def score_slope(free: np.ndarray) -> np.ndarray:
            return -self._penalised_information(contrasts @ free, prior)

        # The likelihood is strictly concave, so its maximum is the only zero of its gradient.
        start = np.zeros(contrasts.shape[1])
        result = optimize.root(score, start, jac=score_slope, method="lm", options={"xtol": 1e-10})
        if not result.success:
            raise ValueError(f"no maximum of the likelihood was found: {result.message}")
        parameters = contrasts @ result.x
        bread = np.linalg.inv(self._penalised_information(parameters, prior))
        chance = special.expit(parameters)
        imagined = np.diag(prior * (chance**2 + (1 - chance) ** 2))
        deals = self.deals.sum()
        factor = deals / max(deals - 1, 1)
        meat = contrasts.T @ (factor * self.scores_squared(self.chances(parameters)) + imagined) @ contrasts
        return parameters, contrasts @ bread @ meat @ bread @ contrasts.T

    def _penalised_information(self, parameters: np.ndarray, prior: float) -> np.ndarray:
        chance = special.expit(parameters)
        imagined = np.diag(2 * prior * chance * (1 - chance))
        return self.contrasts.T @ (self.information(self.chances(parameters)) + imagined) @ self.contrasts

    def never_won(self) -> np.ndarray:
        return self._won_among_others() == 0

    def always_won(self) -> np.ndarray:
        available = (self.deals * self.shape[1] * self._mixed()) @ self.takes_part()
        return np.isclose(self._won_among_others(), available, rtol=1e-12)

    def _won_among_others(self) -> np.ndarray:
        by_player = self.wins[:, : self.players] * self._mixed()[:, None]
        return np.bincount(self.line_ups.ravel(), by_player.ravel(), minlength=len(self.strategies))

    def _mixed(self) -> np.ndarray:
        """Which line-ups have more than one strategy; the others say nothing about strengths."""
        return (self.line_ups != self.line_ups[:, :1]).any(axis=1)

    def takes_part(self) -> np.ndarray:
        return (self.line_ups[:, :, None] == np.arange(len(self.strategies))).any(axis=1)


class RankRange(NamedTuple):
    """The ranks a strategy may have, given the data; equal ends mean the rank is settled."""

    best: int
    worst: int


def ranks_with_ties(strengths: ArrayLike, covariance: ArrayLike, confidence: float = 0.95) -> list[RankRange]:
    """Ranks that differ only where the data can tell the strategies apart.

    All pairwise differences are tested together (Holm 1979). A strategy's best rank is one more than the number shown
    to be stronger, its worst the number of strategies minus the number shown to be weaker. All ranges hold together
    with the given confidence (Mogstad, Romano, Shaikh & Wilhelm 2024, section 3).
    """
    strengths = np.asarray(strengths, dtype=float)
    covariance = np.asarray(covariance, dtype=float)
    variances = np.diag(covariance)
    errors = np.sqrt(np.maximum(np.add.outer(variances, variances) - 2 * covariance, 0))
    stronger = _significant(np.subtract.outer(strengths, strengths), errors, confidence)
    return [
        RankRange(1 + int(beaten_by), len(strengths) - int(beats))
        for beaten_by, beats in zip(stronger.sum(axis=0), stronger.sum(axis=1), strict=True)
    ]


class Transitivity(NamedTuple):
    """Whether the field can be put in one order.

    It is "cyclic" when the significant results contain a cycle of any length, "transitive" when every pair is settled
    and there is none, "undecided" otherwise. Cycles are (i, j, k): i ahead of j, j ahead of k, k ahead of i. The one
    with the strongest weakest edge comes first.
    """

    verdict: Literal["transitive", "cyclic", "undecided"]
    cycles: tuple[tuple[int, int, int], ...]
    settled: int  # pairs with a significant result
    pairs: int


def transitivity(matrix: ArrayLike, errors: ArrayLike, confidence: float = 0.95) -> Transitivity:
    """Look for rock-paper-scissors in pairwise results.

    `matrix` has the share of games in which the row finishes ahead of the column, above the diagonal, nan where two
    never met; `errors` the standard errors over deals. Every pair is tested against an even result, all together (Holm
    1979), so the chance of reporting any cycle in a field without one is at most 1 - confidence. An error of zero with
    an uneven result counts as certain.
    """
    lead = np.asarray(matrix, dtype=float) - 0.5
    lead = np.triu(lead, 1) - np.triu(lead, 1).T
    errors = np.triu(np.asarray(errors, dtype=float), 1)
    ahead = _significant(lead, errors + errors.T, confidence)
    cycles = [c for trio in combinations(range(len(lead)), 3) for c in _cycle(ahead, *trio)]
    cycles.sort(key=lambda c: -min(lead[c[0], c[1]], lead[c[1], c[2]], lead[c[2], c[0]]))
    settled, pairs = int(ahead.sum()), math.comb(len(lead), 2)
    groups, _ = sparse.csgraph.connected_components(ahead, connection="strong")
    verdict: Literal["transitive", "cyclic", "undecided"]
    verdict = "cyclic" if groups < len(lead) else "transitive" if settled == pairs else "undecided"
    return Transitivity(verdict, tuple(cycles), settled, pairs)


def _cycle(ahead: np.ndarray, i: int, j: int, k: int) -> list[tuple[int, int, int]]:
    if ahead[i, j] and ahead[j, k] and ahead[k, i]:
        return [(i, j, k)]
    if ahead[i, k] and ahead[k, j] and ahead[j, i]:
        return [(i, k, j)]
    return []


def _significant(lead: np.ndarray, errors: np.ndarray, confidence: float) -> np.ndarray:
    """Pairs (row, column) whose positive lead is significant after Holm's correction."""
    upper = np.triu_indices(len(lead), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.nan_to_num(np.abs(lead[upper]) / errors[upper], nan=0.0, posinf=math.inf)
    settled = np.zeros(lead.shape, dtype=bool)
    settled[upper] = holm(2 * special.ndtr(-z)) <= 1 - confidence
    return (settled | settled.T) & (lead > 0)
