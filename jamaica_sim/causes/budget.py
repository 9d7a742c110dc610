"""The luck budget: how much of who wins each source of luck explains, and how much the strategies do.

Every deal is played with all combinations of two seeds by source of luck, and, where a pool of strategies is given, of
two random line-ups. Shapley effects share the variance of winning among the sources. The game is chaotic, so that
single sources explain next to nothing alone and almost everything together with the others; only shares of this kind
add up.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from jamaica_sim.causes.seating import MixedTables, win_shares
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.limits import LUCK_SOURCES
from jamaica_sim.play.chunks import default_threads
from jamaica_sim.play.compile_ahead import RUN, compile_missing
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import set_luck
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.variance_shares import Effects, factorial_effects
from jamaica_sim.strategy.strategy import Strategy

SKILL = "strategies"
OTHER = 1 << 40  # added to a seed: the seed of the second value of every source
BLOCK = 4  # deals that a thread plays at a time


@dataclass(frozen=True)
class Budget:
    """What each source explains of who wins, as shares that add up to 1."""

    sources: tuple[str, ...]  # those that can matter at this table
    effects: Effects
    deals: int
    games: int

    @property
    def shares(self) -> dict[str, Estimate]:
        """The Shapley effect of each source, largest first."""
        found = dict(zip(self.sources, self.effects.shapley, strict=True))
        return dict(sorted(found.items(), key=lambda item: -item[1].value))


def sources_at(table: GameTable) -> tuple[str, ...]:
    """The sources of luck that are drawn from at a table: heuristics without noise draw nothing themselves."""
    unused = set()
    if not table.rules.shortage_by_die:
        unused.add("shortage")
    if not any(strategy.draws_luck for strategy in table.strategies):
        unused.add("own")
    if table.rules.treasure_pile == 0:
        unused |= {"treasures", "hidden"}
    return tuple(source for source in LUCK_SOURCES if source not in unused)


def luck_budget(
    table: GameTable,
    deals: int = 500,
    pool: Sequence[Strategy] = (),
    first: int = 0,
    threads: int | None = None,
    progress=None,
) -> Budget:
    """The luck budget of a table. With a `pool` each seat's strategy is drawn from it, and is one more source."""
    if deals < 2:
        raise ValueError(f"a luck budget needs at least 2 deals, not {deals}.")
    if pool:
        table = replace(table, strategies=tuple(pool[seat % len(pool)] for seat in range(table.rules.players)))
        everyone = replace(table, strategies=tuple(pool))
        sources = (*sources_at(everyone), SKILL)
    else:
        sources = sources_at(table)
    compile_missing([*table.strategies, *pool], RUN)
    work = [range(start, min(start + BLOCK, first + deals)) for start in range(first, first + deals, BLOCK)]
    outcomes, done = [], 0
    for block in in_order(
        lambda: _Planner(table, sources, pool), _Planner.outcomes, work, threads or default_threads()
    ):
        outcomes.append(block)
        done += len(block)
        if progress is not None:
            progress(done)
    effects = factorial_effects(np.concatenate(outcomes))
    return Budget(sources, effects, deals, deals << len(sources))


class _Planner(MixedTables):
    """Plays deals with all combinations of the sources' two values."""

    def __init__(self, table, sources, pool):
        super().__init__(table, pool)
        self._sources = sources
        self._rows = np.zeros(BLOCK, RESULT_DTYPE)

    def outcomes(self, deals) -> np.ndarray:
        """Each ship's share of the win, by deal and by set of sources that have their second value."""
        plans = 1 << len(self._sources)
        wins = np.zeros((len(deals), plans, self.table.rules.ships), np.float32)
        luck = [source for source in self._sources if source != SKILL]
        for plan in range(plans):
            redrawn = {name: self.table.seed + OTHER for i, name in enumerate(luck) if plan >> i & 1}
            set_luck(self.state, {**self.table.luck, **redrawn})
            wins[:, plan] = win_shares(self._play_all(deals, plan >> len(luck) & 1), self.table.rules.ships)
        return wins

    def _play_all(self, deals, line_up):
        rows = self._rows[: len(deals)]
        if not self.pool:
            return self.play(deals[0], rows)
        for i, deal in enumerate(deals):
            self.seat(deal, line_up)
            self.play(deal, rows[i : i + 1])
        return rows
