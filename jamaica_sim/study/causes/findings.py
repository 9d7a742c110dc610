"""Everything that an experiment asks about causes, found step by step and kept as plain values.

The chapters of the report decide what is looked for. Luck, swings and skill are found at every table, prices and bans
under the rules of the first table for every line-up, everything else at the first table only. The sizes of the designs
follow from the number of games that the experiment plays at each setting.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypedDict

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean
from jamaica_sim.files.limits import check_games, whole_games
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_columns import win_shares
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.results.stats.variance_shares import mean_of
from jamaica_sim.strategy.bans import BANS
from jamaica_sim.strategy.compile import RESTRICTED
from jamaica_sim.strategy.library import Strategies, load_strategies
from jamaica_sim.study.causes import worth
from jamaica_sim.study.causes.budget import luck_budget
from jamaica_sim.study.causes.card_play import card_uses
from jamaica_sim.study.causes.swings import losses, swings
from jamaica_sim.study.causes.worth import DESIGNS

POOL = "without random play"  # the pool of the mixed tables of every setting
WITH_RANDOM = "with random play"
POOLS = {  # all pools, for the first setting: the wider the pool, the more skill
    WITH_RANDOM: ("random", "balanced", "racer", "hoarder", "champion"),
    POOL: ("balanced", "racer", "hoarder", "champion"),
    "among strong players": ("veteran", "champion", "master"),
}
GROUPS = {"movement": ("dice", "decks"), "combat and treasures": ("combat", "treasures", "hidden")}
PLAYED_ON = 32  # games played on from each step of a game
PlainEstimate = list[float]  # an estimate for JSON: value, low, high, and how many deals or games
SLOWER = 5  # a table with a search strategy gets one deal where other tables get this many


class PlainWorth(TypedDict):
    """What one thing is worth."""

    name: str
    effect: PlainEstimate


class PlainUse(TypedDict):
    """How one card is used."""

    name: str
    there: PlainEstimate
    taken: PlainEstimate
    spans: list[PlainEstimate]
    win_rate: PlainEstimate


class LuckFound(TypedDict):
    """The luck budget of a table."""

    deals: int
    games: int
    shares: dict[str, PlainEstimate]
    of_the_games: dict[str, PlainEstimate]
    groups: dict[str, PlainEstimate]
    indices: dict[str, list[PlainEstimate]]  # alone, and with interactions
    variance: PlainEstimate


class SwingsFound(TypedDict):
    """At which draws the chances move at a table."""

    games: int
    played_on: int
    shares: dict[str, PlainEstimate]
    groups: dict[str, PlainEstimate]
    steps: dict[str, PlainEstimate]
    largest: dict[str, PlainEstimate]
    variance: PlainEstimate
    direct: PlainEstimate


class LossesFound(TypedDict):
    """What decisions cost."""

    games: int
    decisions: int
    played_on: int
    together: PlainEstimate
    by_decision: dict[str, PlainEstimate]
    asked: dict[str, PlainEstimate]


class MixedFound(TypedDict):
    """Skill and luck where every seat is drawn from a pool."""

    name: str
    pool: list[str]
    deals: int
    games: int
    shares: dict[str, PlainEstimate]
    shapley: dict[str, PlainEstimate]


class TableFound(TypedDict, total=False):
    """What was found at one table."""

    luck: LuckFound
    swings: SwingsFound
    mixed: MixedFound


class PricesFound(TypedDict, total=False):
    """Prices and bans under the rules of the first table, and who sits there."""

    who: str
    uses: dict[str, list[PlainUse]]
    worths: dict[str, list[PlainWorth]]
    restricted: list[PlainWorth]


class Causes(PricesFound, total=False):
    """All findings: those of each table, those of the first table only, and prices where other players sit there."""

    tables: list[TableFound]
    losses: LossesFound
    mixed: list[MixedFound]
    others: list[PricesFound]


def plain(found: Any) -> Any:
    """A finding for JSON: an estimate becomes a list, and so does each estimate of a dictionary."""
    if isinstance(found, Estimate):
        return [found.value, found.low, found.high, found.n]
    if isinstance(found, tuple):
        return [plain(one) for one in found]
    return {name: plain(one) for name, one in found.items()} if isinstance(found, dict) else found


def estimate(values: Sequence[float]) -> Estimate:
    """The estimate from the list that `plain` made."""
    value, low, high, n = values
    return Estimate(float(value), float(low), float(high), int(n))


def find_causes(
    tables: Sequence[GameTable],
    chapters: Sequence[str],
    games: int,
    threads: int | None = None,
    remark: Callable[[str], object] | None = None,
) -> Causes:
    """The findings that the chapters need, as plain values. `remark` is called with the name of the next finding."""

    def say(what: str) -> None:
        if remark is not None:
            remark(what)

    found_at: list[TableFound] = []
    found: Causes = {}
    mixed_by_rules: dict[Rules, MixedFound] = {}  # who else plays at a table has no part in it
    for number, table in enumerate(tables):
        of_table: TableFound = {}
        if "luck" in chapters or "ladder" in chapters:
            say(f"luck budget, table {number + 1} of {len(tables)}")
            of_table["luck"] = _luck(table, _deals(table, games), threads)
        if "swings" in chapters:
            say(f"swings, table {number + 1} of {len(tables)}")
            of_table["swings"] = _swings(table, max(10, games // 10), threads)
        if "mixed" in chapters:
            if table.rules not in mixed_by_rules:
                say(f"skill at mixed tables, table {number + 1} of {len(tables)}")
                mixed_by_rules[table.rules] = _mixed(table, POOL, games, threads)
            of_table["mixed"] = mixed_by_rules[table.rules]
        found_at.append(of_table)
    if any(found_at):
        found["tables"] = found_at
    first = tables[0]
    if "decisions" in chapters:
        say("what decisions cost")
        cost = losses(first, max(10, games // 10), threads=threads)
        found["losses"] = plain(vars(cost))
    if "mixed" in chapters:
        say("skill at other mixed tables")
        at_first = {POOL: found_at[0]["mixed"]}
        found["mixed"] = [at_first.get(name) or _mixed(first, name, games, threads) for name in POOLS]
    # Line-ups with bans answer without designs.
    is_banned = any(strategy.bans for table in tables for strategy in table.strategies)
    restricts = "restricted" in chapters and not is_banned
    is_priced = restricts or {"worths", "cards"} & {*chapters}
    alike = [table for table in tables if table.rules == first.rules] if is_priced else []
    for table in alike:
        who = ", ".join(dict.fromkeys(strategy.label for strategy in table.strategies))
        one: PricesFound = {"who": who}
        if "cards" in chapters:
            say(f"how cards are used (all {who})")
            one["uses"] = {kind: [plain(vars(use)) for use in uses]
                           for kind, uses in card_uses(table, max(40, games), threads).items()}  # fmt: skip
        if {"worths", "cards"} & {*chapters}:
            say(f"prices (all {who})")
            one["worths"] = _worths(table, games, threads, say)
        if restricts and table.strategies[0].kind != "built in":
            say(f"restricted play (all {who})")
            costs = bans_cost(table, max(40, games), threads)
            one["restricted"] = [{"name": ban, "effect": plain(cost)} for ban, cost in costs.items()]
        if table is first:
            found = {**found, **one}
        else:
            found.setdefault("others", []).append(one)
    return found


def _deals(table: GameTable, games: int) -> int:
    """How many deals the luck budget of a table has."""
    slower = SLOWER if any(strategy.kind == "search" for strategy in table.strategies) else 1
    return max(10, games // (5 * slower))


def _luck(table: GameTable, deals: int, threads: int | None) -> LuckFound:
    budget = luck_budget(table, deals, threads=threads)
    effects = budget.effects
    indices = zip(budget.sources, effects.first, effects.total, strict=True)
    return {
        "deals": budget.deals,
        "games": budget.games,
        "shares": plain(budget.shares),
        "of_the_games": {n: plain(budget.of_the_games_luck(n)) for n in budget.shares if n != "own"},
        "groups": {
            name: plain(budget.of_the_games_luck(*(source for source in group if source in budget.sources)))
            for name, group in GROUPS.items()
        },
        "indices": {source: [plain(first), plain(total)] for source, first, total in indices},
        "variance": plain(effects.variance),
    }


def _swings(table: GameTable, games: int, threads: int | None) -> SwingsFound:
    found = swings(table, games, PLAYED_ON, threads=threads)
    return {
        "games": found.games,
        "played_on": found.played_on,
        "shares": plain(found.shares),
        "groups": {name: plain(found.together(*group)) for name, group in GROUPS.items()},
        "steps": plain(found.steps),
        "largest": plain(found.largest),
        "variance": plain(found.variance),
        "direct": plain(found.direct),
    }


def _mixed(table: GameTable, name: str, games: int, threads: int | None) -> MixedFound:
    """The shares of skill and luck where every seat is drawn from a pool."""
    budget = luck_budget(table, max(10, games // 10), load_strategies(list(POOLS[name])), threads=threads)
    return {
        "name": name,
        "pool": list(POOLS[name]),
        "deals": budget.deals,
        "games": budget.games,
        "shares": plain(budget.skill_and_luck),
        "shapley": plain(budget.shares),
    }


def _worths(
    table: GameTable, games: int, threads: int | None, say: Callable[[str], object]
) -> dict[str, list[PlainWorth]]:
    times = {"starts": 1, "cards": 1, "hands": 1, "powers": 2, "treasures": 4, "seats": 4, "shortage": 1}
    found: dict[str, list[PlainWorth]] = {}
    for name, more in times.items():
        say("what a shortage costs" if name == "shortage" else f"what {name} are worth")
        worths = worth.DESIGNS[name](table, more * max(40, games), threads)
        found[name] = [{"name": one.name, "effect": plain(one.effect)} for one in worths]
    return found


def bans_cost(table: GameTable, games: int, threads: int | None = None) -> dict[str, Estimate]:
    """How each ban changes the win rate of the first ship, with the same other ships and the same deals."""
    before = win_shares(worth.rows_of(table, games, threads), table.rules.ships)[:, worth.SHIP]
    found = {}
    for ban in BANS:
        first = replace(table.strategies[0], bans=(ban,), restricted=RESTRICTED, label=f"no {ban}")
        after = worth.rows_of(replace(table, strategies=(first, *table.strategies[1:])), games, threads)
        found[ban] = mean_of(win_shares(after, table.rules.ships)[:, worth.SHIP] - before)
    return found


def luck_shares(
    deals: float = 500,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    **rule_changes: Any,
) -> ResultTable:
    """How much of who wins each source of luck explains (Shapley effects, which add up to 1), largest first.

    Parameters
    ----------
    deals : int
        Each deal is played many times, with sources of luck drawn anew in turn.
    rules, strategies, seed, threads
        As in `simulate`; rules may also be given by name.

    Examples
    --------
    >>> from jamaica_sim import luck_shares
    >>> luck_shares(4, strategies="random", players=3).columns
    ('source', 'share')
    """
    table = seat_table(rules, strategies, seed, **rule_changes)
    budget = luck_budget(table, whole_games(deals), threads=threads)
    rows = [(source, share) for source, share in budget.shares.items()]
    note = f"of who wins; {budget.games:,} games"
    return ResultTable("Where the luck sits", ("source", "share"), rows, frozenset({"share"}), note, unit="deal")


def worths(
    what: str = "starts",
    games: float = 5_000,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    **rule_changes: Any,
) -> ResultTable:
    """What things are worth, as the change of the win rate of the one ship that has them.

    Parameters
    ----------
    what : str
        "starts" (goods and holds at the start), "cards" (each action card left out), "powers", "treasures", "hands"
        (first hands), "seats" or "shortage" (one forgiven).
    games : int
        Games of each design.
    rules, strategies, seed, threads
        As in `simulate`; rules may also be given by name.

    Examples
    --------
    >>> from jamaica_sim import worths
    >>> worths("seats", games=200, strategies="random", players=3).columns
    ('thing', 'win rate', 'how it was measured')
    """
    check_games(games := whole_games(games))
    if str(what) not in DESIGNS:
        raise UserError(f"there is no worth of {what!r}: {did_you_mean(str(what), list(DESIGNS), 'there are')}")
    table = seat_table(rules, strategies, seed, **rule_changes)
    rows = [(one.name, one.effect, one.design) for one in DESIGNS[what](table, games, threads)]
    note = "change of the win rate of the ship that has it"
    return ResultTable(
        f"Worth: {what}", ("thing", "win rate", "how it was measured"), rows, frozenset({"win rate"}), note
    )
