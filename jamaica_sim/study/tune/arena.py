"""Plays one ship of each of several strategies against the same field, on the same deals and in every seat.

So two strategies differ in their play, not in their luck.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from math import lcm

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.game.codes import MAX_SHIPS, WIN_UNITS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.chunks import in_order, threads_or_all
from jamaica_sim.play.state_record import GamePlayer, Seats
from jamaica_sim.results.stats.estimate import Estimate, mean_interval
from jamaica_sim.strategy.strategy import Strategy

DEALS_A_FIELD = 20  # deals that are played against the same opponents before others are drawn from the pool
FEW_POINTS = 5.0  # a lead of this many points is worth half as much as an unlimited one
WIN_WORTH, LEAD_WORTH = 0.25, 0.5  # weights in the worth: of a win, in even shares, and of the squashed lead
UNITS = lcm(*range(1, MAX_SHIPS + 1)) * WIN_UNITS  # make an average over any number of seats a whole number


@dataclass(frozen=True, eq=False)
class Arena:
    """The tables that strategies are tried at, the pool of opponents, and the seed of all luck."""

    tables: tuple[Rules, ...]
    pool: tuple[Strategy, ...]
    seed: int

    def deals(self, games: int) -> int:
        """The deals at each table, played in every seat, that make at least so many games."""
        return -(-games // sum(rules.players for rules in self.tables))

    def field(self, table: int, deal: int) -> list[int]:
        """The opponents on a deal, as numbers of the pool, clockwise from the strategy that is tried."""
        if len(self.pool) == 1:
            return [0] * (self.tables[table].players - 1)
        luck = np.random.default_rng((self.seed, table, deal // DEALS_A_FIELD))
        return luck.integers(0, len(self.pool), self.tables[table].players - 1).tolist()


@dataclass(frozen=True, eq=False)
class Trial:
    """How strategies did on the same deals.

    The worth is what is maximised: wins, and the lead over the best other ship. With the lead two strategies are told
    apart in fewer games than by wins alone.
    """

    wins: np.ndarray  # [strategy, table, deal]: the share of the victory, averaged over the seats, in UNITS
    worth: np.ndarray  # [strategy, deal], averaged over tables

    def win_rate(self, strategy: int, table: int | None = None, confidence: float = 0.95) -> Estimate:
        """A strategy's share of the victories, at one table or on average over all."""
        return _mean(self._of(strategy, table), UNITS * self._tables(table), confidence, 1.0)

    def gain(self, strategy: int, other: int, table: int | None = None, confidence: float = 0.95) -> Estimate:
        """A strategy's win rate minus another's, over the same deals."""
        difference = self._of(strategy, table) - self._of(other, table)
        return _mean(difference, UNITS * self._tables(table), confidence, 2.0)

    def _of(self, strategy: int, table: int | None) -> np.ndarray:
        return self.wins[strategy].sum(axis=0) if table is None else self.wins[strategy, table]

    def _tables(self, table: int | None) -> int:
        return self.wins.shape[1] if table is None else 1

    @property
    def deals(self) -> int:
        """How many deals were played at each table."""
        return self.wins.shape[2]


def _mean(values: np.ndarray, scale: int, confidence: float, span: float) -> Estimate:
    total, squares = int(values.sum()), int((values.astype(object) ** 2).sum())
    return mean_interval(values.size, total, squares, confidence, scale=scale, span=span * scale)


def try_strategies(
    arena: Arena,
    strategies: Sequence[Strategy],
    first_deal: int,
    deals: int,
    threads: int | None = None,
    stop: threading.Event | None = None,
) -> Trial | None:
    """Try strategies on the same deals; None where the event `stop` ended it early."""
    work = list(_pieces(arena, len(strategies), first_deal, deals))
    wins = np.zeros((len(strategies), len(arena.tables), deals), np.int64)
    worth = np.zeros((len(strategies), len(arena.tables), deals))
    pool = Seats([*strategies, *arena.pool], arena.tables[0])
    rulebooks = [rulebook_of(rules) for rules in arena.tables]

    def play(player: GamePlayer, piece: tuple[int, int, int, int]) -> tuple[np.ndarray, np.ndarray]:
        strategy, table, first, count = piece
        player.rules = arena.tables[table]
        line_up = [strategy, *(len(strategies) + member for member in arena.field(table, first))]
        return _play_in_turn(player, rulebooks[table], (pool, line_up), first, count)

    player = partial(GamePlayer, arena.tables[0], strategies[:1], arena.seed)
    done, threads = 0, threads_or_all(threads)
    with closing(in_order(player, play, work, threads, stop)) as played:
        for (strategy, table, first, count), (piece_wins, piece_worth) in zip(work, played, strict=False):
            of_piece = slice(first - first_deal, first - first_deal + count)
            wins[strategy, table, of_piece], worth[strategy, table, of_piece] = piece_wins, piece_worth
            done += 1
    return Trial(wins, worth.mean(axis=1)) if done == len(work) else None


def _pieces(arena: Arena, strategies: int, first_deal: int, deals: int) -> Iterator[tuple[int, int, int, int]]:
    """Work for a thread: (strategy, table, first deal, deals), all against one field."""
    for table in range(len(arena.tables)):
        start = first_deal
        while start < first_deal + deals:
            count = min(DEALS_A_FIELD - start % DEALS_A_FIELD, first_deal + deals - start)
            yield from ((strategy, table, start, count) for strategy in range(strategies))
            start += count


def _play_in_turn(
    player: GamePlayer, rulebook: np.ndarray, seated: tuple[Seats, list[int]], first: int, deals: int
) -> tuple[np.ndarray, np.ndarray]:
    """Wins and worth by deal of the first strategy of a line-up, on average over the seats."""
    rules, (pool, line_up) = player.rules, seated
    wins, worth = np.zeros(deals, np.int64), np.zeros(deals)
    for seat in range(rules.players):
        rows = np.zeros(deals, RESULT_DTYPE)
        player.sit(pool, np.roll(line_up, seat).tolist())
        player.play_rows(rulebook, first, rows)
        won = rows["winners"][:, None].astype(np.int64) >> np.arange(rules.ships) & 1
        share = won[:, seat] * (UNITS // rules.players // won.sum(axis=1))
        wins += share
        worth += WIN_WORTH * rules.players * (share * rules.players / UNITS)
        worth += LEAD_WORTH * _squashed_lead(rows["score"][:, : rules.ships], seat)
    return wins, worth / rules.players


def _squashed_lead(scores: np.ndarray, ship: int) -> np.ndarray:
    """The lead over the best other ship, squashed to -1 to 1 by a division, which is the same on every machine."""
    own = scores[:, ship].astype(float)
    lead = own - np.delete(scores, ship, axis=1).max(axis=1)
    return lead / (FEW_POINTS + np.abs(lead))
