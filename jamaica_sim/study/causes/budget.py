"""The luck budget: how much each source of luck explains of who wins, and how much the strategies explain.

Each source of luck has two seeds, and a pool of strategies adds two random line-ups. Every deal is played with all
combinations of these. Shapley effects share the variance of winning among the sources. The game is chaotic: a single
source explains next to nothing alone and almost everything together with the others. Only shares of this kind add up.
Skill is another matter: it is the part of the result that follows from who plays, so it is what the strategies explain
alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import LUCK_SOURCES, MOST_GAMES, is_int_between
from jamaica_sim.play.chunks import in_order, threads_or_all
from jamaica_sim.play.compile_ahead import RUN, compile_missing
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import GamePlayer, Seats
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.results.stats.variance_shares import VarianceShares, factorial_effects, known_first
from jamaica_sim.strategy.strategy import Strategy

SKILL = "strategies"
OTHER = 1 << 40  # added to a seed: the seed of the second value of every source
DEALS_AT_ONCE = 4  # deals that a thread plays at a time


@dataclass(frozen=True)
class LuckBudget:
    """What each source explains of who wins, as shares that add up to 1."""

    sources: tuple[str, ...]  # the sources that can matter at this table
    effects: VarianceShares
    deals: int
    games: int
    known: tuple[Estimate, ...] = ()  # at mixed tables: see `skill_and_luck`, in the order of `sources`

    @property
    def skill_and_luck(self) -> dict[str, Estimate]:
        """At mixed tables: the share that the strategies explain alone, and the share of each source of luck.

        They add up to 1. The Shapley effect of the strategies is larger than what they explain alone. Even equally good
        strategies have such an effect if they play differently, because each stirs up the game in another way.
        """
        return _largest_first(self.sources, self.known) if self.known else {}

    @property
    def shares(self) -> dict[str, Estimate]:
        """The Shapley effect of each source, largest first."""
        return _largest_first(self.sources, self.effects.shapley)

    def of_the_games_luck(self, *names: str) -> Estimate:
        """What these sources explain of the game's luck: of everything but the strategies and their own draws."""
        game = [i for i, source in enumerate(self.sources) if source not in (SKILL, "own")]
        return self.effects.part([self.sources.index(name) for name in names], game)


def _largest_first(sources: Sequence[str], found: Sequence[Estimate]) -> dict[str, Estimate]:
    return dict(sorted(zip(sources, found, strict=True), key=lambda item: -item[1].value))


def sources_at(table: GameTable) -> tuple[str, ...]:
    """The sources of luck that are used at a table. Heuristics without noise draw no luck of their own."""
    unused = set()
    if not table.rules.shortage_by_die:
        unused.add("shortage")
    if not any(strategy.draws_luck for strategy in table.strategies):
        unused.add("own")
    if table.rules.treasure_pile == 0:
        unused |= {"treasures", "hidden"}
    if table.rules.house_rules is None:
        unused.add("house")
    return tuple(source for source in LUCK_SOURCES if source not in unused)


def luck_budget(
    table: GameTable, deals: int = 500, pool: Sequence[Strategy] = (), first: int = 0, threads: int | None = None
) -> LuckBudget:
    """The luck budget of a table. With a `pool` each seat's strategy is drawn from it, which is one more source."""
    if not is_int_between(deals, 2, MOST_GAMES):
        raise UserError(f"a luck budget needs a whole number of deals from 2 on, not {deals!r}.")
    if pool:
        sources = (*sources_at(replace(table, strategies=tuple(pool))), SKILL)
        table = replace(table, strategies=tuple(pool[seat % len(pool)] for seat in range(table.rules.players)))
    else:
        sources = sources_at(table)
    compile_missing([*table.strategies, *pool], RUN)
    end = first + deals
    work = [range(start, min(start + DEALS_AT_ONCE, end)) for start in range(first, end, DEALS_AT_ONCE)]
    player = partial(GamePlayer, table.rules, table.strategies, table.seed)

    seats = Seats(pool, table.rules) if pool else None

    def play(player: GamePlayer, deals: range) -> np.ndarray:
        return outcomes(player, table, sources, seats, deals)

    played = np.concatenate(list(in_order(player, play, work, threads_or_all(threads))))
    known = tuple(known_first(played)) if pool else ()
    return LuckBudget(sources, factorial_effects(played), deals, deals << len(sources), known)


def outcomes(
    player: GamePlayer, table: GameTable, sources: Sequence[str], pool: Seats | None, deals: range
) -> np.ndarray:
    """Each ship's share of the win, by deal and by set of sources that have their second value."""
    plans = 1 << len(sources)
    wins = np.zeros((len(deals), plans, table.rules.ships), np.float32)
    rows = np.zeros(len(deals), RESULT_DTYPE)
    luck = [source for source in sources if source != SKILL]
    for plan in range(plans):
        redrawn = {name: table.seed + OTHER for i, name in enumerate(luck) if plan >> i & 1}
        player.take_luck({**table.luck, **redrawn})
        if pool is None:
            player.play_rows(table.rulebook, deals[0], rows)
        else:
            for i, deal in enumerate(deals):
                player.sit(pool, line_up(table, len(pool.strategies), deal, plan >> len(luck) & 1))
                player.play_rows(table.rulebook, deal, rows[i : i + 1])
        wins[:, plan] = win_shares(rows, table.rules.ships)
    return wins


def line_up(table: GameTable, pool: int, deal: int, which: int) -> list[int]:
    """One of the two line-ups that belong to a deal, as numbers of the pool's strategies."""
    return np.random.default_rng([table.seed, deal, which]).integers(pool, size=table.rules.players).tolist()
