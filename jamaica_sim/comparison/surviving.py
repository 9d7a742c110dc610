"""Who survives: one ship of each strategy among ships of each other, and who does better there than those do.

A strategy is invaded by another if a single ship of that one, among its own, clearly wins more than its own ships do
among themselves. That is an equal share; where the ghost sails it is measured, because the ghost wins too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import hypot
from typing import Any

from jamaica_sim.comparison.compare import compare, prepare
from jamaica_sim.comparison.design import Contest
from jamaica_sim.limits import whole_games
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.rules import Rules
from jamaica_sim.run.simulate import StoppedLater, run_games
from jamaica_sim.stats.clear import clear_together
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.strategy.library import AnyStrategy
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.variant import rules_told

GAMES = 20_000  # of one ship among others of a kind, if nothing else is said


@dataclass(frozen=True, eq=False, repr=False)
class Survival(Answer):
    """What one ship of each strategy wins among ships of each other.

    Examples
    --------
    >>> from jamaica_sim import survive
    >>> survival = survive(["balanced", "random"], games=400)
    >>> survival
    <Survival of 2 strategies, 400 games of each pair
     Not invaded by any of the others: balanced. Invaded: random by balanced.>
    >>> survival.gain(0, among=1).low > 0.2  # balanced among random ones
    True
    """

    contest: Contest
    games: int  # of each pair
    among_own: tuple[Estimate, ...]  # what a ship of each strategy wins among its own kind
    rates: dict[tuple[int, int], Estimate]  # what a ship of the first wins among ships of the second

    def __repr__(self) -> str:
        return f"<Survival of {len(self.among_own)} strategies, {self.games:,} games of each pair\n {self.sentence()}>"

    def gain(self, one: int, among: int) -> Estimate:
        """How much more a single ship wins among others of a kind than one of these does."""
        rate, usual = self.rates[one, among], self.among_own[among]
        return Estimate.around(rate.value - usual.value, hypot(rate.half_width, usual.half_width), rate.n)

    @cached_property
    def invaders(self) -> dict[int, list[int]]:
        """For each strategy the others that do clearly better among its ships, all pairs tested together."""
        gains = {pair: self.gain(*pair) for pair in self.rates}
        clear = dict(zip(gains, clear_together((gain, 0.0) for gain in gains.values()), strict=True))
        numbers = range(len(self.among_own))
        return {j: [i for i in numbers if clear.get((i, j)) and gains[i, j].value > 0] for j in numbers}

    def sentence(self) -> str:
        """Who is not invaded, as far as it was played."""
        labels, others = self.contest.labels, len(self.among_own) - 1
        tried = [among for _, among in self.rates]
        safe = [labels[among] for among, by in self.invaders.items() if not by and tried.count(among) == others]
        first = f"Not invaded by any of the others: {', '.join(safe)}." if safe else "Each is invaded by another."
        if len(self.rates) < others * (others + 1):
            first = f"Not all pairs are played.{f' {first}' if safe else ''}"
        rest = [
            f"{labels[among]} by {', '.join(labels[one] for one in by)}" for among, by in self.invaders.items() if by
        ]
        return f"{first} Invaded: {'; '.join(rest)}." if rest else first

    def circumstances(self) -> str:
        """What was played, and what invaded means."""
        contest, pairs = self.contest, len(self.rates)
        ghost = "; with the ghost, what these win is measured" if contest.rules.ghost else ""
        return (
            f"{self.games:,} games of one ship among ships of each other strategy: {rules_told(contest.rules)}, seed "
            f"{contest.seed}; 95% intervals over deals. A strategy is invaded if a single ship of another, among its "
            f"own, clearly wins more than these do among themselves{ghost}. The chance that even one of all {pairs} "
            f"pairs is wrongly called an invasion is at most 5%; more games may show further ones."
        )

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        labels = self.contest.labels
        invaded = {labels[among]: [labels[one] for one in by] for among, by in self.invaders.items()}
        rules = self.contest.rules.as_dict()
        return {"games": self.games, "seed": self.contest.seed, "rules": rules, "invaded_by": invaded}

    def result_tables(self) -> list[ResultTable]:
        """Win rates of one ship among others, and how much more that is than these win themselves."""
        labels, numbers = self.contest.labels, range(len(self.among_own))
        columns = ("one ship of", *(f"among {label}" for label in labels))
        own = [e if e.half_width else e.value for e in self.among_own]
        rates = [(labels[i], *(own[j] if i == j else self.rates.get((i, j), "") for j in numbers)) for i in numbers]
        gains = [(labels[i], *(self.gain(i, j) if (i, j) in self.rates else "" for j in numbers)) for i in numbers]
        shares, note = frozenset(columns[1:]), "more than those ships win among themselves, in points"
        return [
            ResultTable("One ship among others of a kind", columns, rates, shares, "win rate", "deal"),
            ResultTable("What it gains", columns, gains, shares, note, "deal"),
        ]


def survive(
    strategies: Sequence[AnyStrategy],
    *,
    games: int = GAMES,
    rules: Rules | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
    **rule_changes: Any,
) -> Survival:
    """Put one ship of each strategy among ships of each other, and see who is invaded.

    Parameters
    ----------
    strategies : list of str, dict or Strategy
        Two or more.
    games : int
        Games of each ordered pair, rounded up to whole deals.
    rules, seed, threads, rule_changes
        As for `compare`.
    progress : callable, optional
        Called with the number of games so far.

    Ctrl-C raises `Stopped`, whose `answer` has the pairs that are complete, if any.

    Examples
    --------
    >>> from jamaica_sim import survive
    >>> survive(["balanced", "random"], games=400).sentence()
    'Not invaded by any of the others: balanced. Invaded: random by balanced.'
    """
    games = whole_games(games)
    contest = prepare(strategies, rules, seed, **rule_changes)
    pairs = list(permutations(range(len(contest.strategies)), 2))
    rates: dict[tuple[int, int], Estimate] = {}
    done, each = 0, games
    how: dict[str, Any] = {"games": games, "rules": contest.rules, "seed": contest.seed, "threads": threads}
    with stop_on_signals() as stop:
        try:
            usual = tuple(_among_own(contest, strategy, games, threads) for strategy in contest.strategies)
            for one, among in pairs:
                played = compare([contest.strategies[one]], against=[contest.strategies[among]], **how)
                if stop.is_set():
                    break
                rates[one, among], each = played.win_rate(0), played.games
                done += each
                if progress is not None:
                    progress(done)
        except KeyboardInterrupt:
            stop.set()
    survival = Survival(contest, each, usual, rates) if rates else None
    if survival is None or len(rates) < len(pairs):
        raise StoppedLater(f"Stopped: {len(rates)} of {len(pairs)} pairs are played.", survival)
    return survival


def _among_own(contest: Contest, strategy: Strategy, games: int, threads: int | None) -> Estimate:
    """What a ship wins among its own kind: an equal share of what the ghost leaves."""
    share = Estimate(1.0, 1.0, 1.0, games)
    if contest.rules.ghost:
        table = GameTable.seat(contest.rules, [strategy], contest.seed)
        ghost = run_games(table, games, threads=threads).ghost_win_rate
        assert ghost is not None  # it sails
        share = Estimate(1 - ghost.value, 1 - ghost.high, 1 - ghost.low, games)
    return share.scaled(1 / contest.rules.players)
