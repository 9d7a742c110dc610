"""What a user asks about causes: where the luck of a table sits, and what things are worth there, as result tables.

The designs themselves are in `budget` and `worth`; here they take the arguments of `simulate`.
"""

from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import check_games, whole_games
from jamaica_sim.files.suggest import did_you_mean
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study.causes.budget import luck_budget
from jamaica_sim.study.causes.worth import DESIGNS


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
