"""All that an experiment asks of causes, found one after the other and kept as plain values.

What is looked for goes by the chapters that the report shall have. Luck and swings are found at every table, the rest
at the first one. The sizes of the designs follow from the number of games that the experiment plays at each setting.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from jamaica_sim.causes import worth
from jamaica_sim.causes.budget import luck_budget
from jamaica_sim.causes.seating import win_shares
from jamaica_sim.causes.skill import rating_spread
from jamaica_sim.causes.swings import losses, swings
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.variance_shares import mean_of
from jamaica_sim.strategy.bans import BANS
from jamaica_sim.strategy.compile import restricted
from jamaica_sim.strategy.library import load_strategies

CHAPTERS = ("luck", "swings", "mixed", "worths", "restricted")  # of a report, that need findings
POOL = ("random", "balanced", "racer", "hoarder", "champion")  # who sits at mixed tables
PLAYED_ON = 4


def plain(estimate: Estimate) -> list:
    """An estimate as JSON has it."""
    return [estimate.value, estimate.low, estimate.high, estimate.n]


def estimate(values: Sequence) -> Estimate:
    """The estimate again."""
    value, low, high, n = values
    return Estimate(float(value), float(low), float(high), int(n))


def _all_plain(estimates: dict) -> dict:
    return {name: plain(found) for name, found in estimates.items()}


def find_causes(
    tables: Sequence[GameTable],
    chapters: Sequence[str],
    games: int,
    threads: int | None = None,
    remark: Callable[[str], object] | None = None,
) -> dict:
    """What the chapters need, as plain values; `remark` is called with what is looked for next."""

    def say(what):
        if remark is not None:
            remark(what)

    found: dict = {"tables": []}
    for number, table in enumerate(tables):
        one = {}
        if "luck" in chapters:
            say(f"luck budget, table {number + 1} of {len(tables)}")
            one["luck"] = _luck(table, max(10, games // 50), threads)
        if "swings" in chapters:
            say(f"swings, table {number + 1} of {len(tables)}")
            one["swings"] = _swings(table, max(10, games // 50), threads)
        found["tables"].append(one)
    first = tables[0]
    if "swings" in chapters:
        say("what decisions cost")
        cost = losses(first, max(10, games // 400), threads=threads)
        found["losses"] = {"games": cost.games, "by_decision": _all_plain(cost.by_decision)}
    if "mixed" in chapters:
        say("skill at mixed tables")
        found["mixed"] = _skill(first, games, threads)
    if "worths" in chapters:
        found["worths"] = _worths(first, games, threads, say)
    if "restricted" in chapters:
        say("restricted play")
        found["restricted"] = [
            {"name": ban, "effect": plain(found_cost)}
            for ban, found_cost in bans_cost(first, max(40, games // 2), threads).items()
        ]
    return found


def _luck(table, deals, threads):
    budget = luck_budget(table, deals, threads=threads)
    effects = budget.effects
    indices = zip(budget.sources, effects.first, effects.total, strict=True)
    return {
        "deals": budget.deals,
        "games": budget.games,
        "shares": _all_plain(budget.shares),
        "indices": {source: [plain(first), plain(total)] for source, first, total in indices},
        "variance": plain(effects.variance),
    }


def _swings(table, games, threads):
    found = swings(table, games, PLAYED_ON, threads=threads)
    return {
        "games": found.games,
        "played_on": found.played_on,
        "shares": _all_plain(found.shares),
        "steps": _all_plain(found.steps),
        "largest": _all_plain(found.largest),
        "variance": plain(found.variance),
        "direct": plain(found.direct),
    }


def _skill(table, games, threads):
    pool = load_strategies(list(POOL))
    budget = luck_budget(table, max(10, games // 200), pool, threads=threads)
    ratings = rating_spread(table, pool, max(400, games // 2), threads)
    return {
        "pool": list(POOL),
        "deals": budget.deals,
        "games": budget.games,
        "shares": _all_plain(budget.shares),
        "ratings": _all_plain(ratings.by_strategy),
        "spread": plain(ratings.spread),
        "rated_games": ratings.games,
    }


def _worths(table, games, threads, say):
    many = max(40, games // 2)
    designs = {
        "starts": (worth.starts, many),
        "cards": (worth.cards_left_out, many),
        "hands": (worth.first_hands, many),
        "powers": (worth.powers, 2 * many),
        "treasures": (worth.treasures, 4 * many),
        "seats": (worth.seats, 4 * many),
    }
    found = {}
    for name, (design, count) in designs.items():
        say(f"what {name} are worth")
        found[name] = [{"name": w.name, "effect": plain(w.effect)} for w in design(table, count, threads)]
    say("what a shortage costs")
    short = worth.shortage_forgiven(table, many, threads)
    found["shortage"] = [{"name": short.name, "effect": plain(short.effect)}]
    return found


def bans_cost(table: GameTable, games: int, threads: int | None = None) -> dict[str, Estimate]:
    """What each ban changes in the win rate of the first ship, all others and all deals being the same."""
    before = win_shares(worth.rows_of(table, games, threads), table.rules.ships)[:, worth.SHIP]
    found = {}
    for ban in BANS:
        first = replace(table.strategies[0], bans=(ban,), restricted=restricted(), label=f"no {ban}")
        after = worth.rows_of(replace(table, strategies=(first, *table.strategies[1:])), games, threads)
        found[ban] = mean_of(win_shares(after, table.rules.ships)[:, worth.SHIP] - before)
    return found
