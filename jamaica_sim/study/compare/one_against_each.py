"""One ship of each strategy among ships of each other: a grid of comparisons of one strategy against another."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from jamaica_sim.game.words import rules_told
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.result_table import Answer, ResultTable
from jamaica_sim.results.stats.estimate import Estimate, clear_together
from jamaica_sim.study.compare.compare import compare
from jamaica_sim.study.compare.design import Contest
from jamaica_sim.study.simulate import Stopped

GAMES = 20_000  # of one ship among others of a kind, if nothing else is said


@dataclass(frozen=True, eq=False)
class OneAgainstEach(Answer):
    """What one ship of each strategy wins among ships of each other, by the numbers of the two."""

    contest: Contest
    games: int  # of each pair
    rates: dict[tuple[int, int], Estimate]
    edges: dict[tuple[int, int], Estimate]  # win rate above an equal share of what the players win

    def invaders(self) -> dict[str, list[str]]:
        """For each strategy the others that clearly win more among its ships, all pairs tested together."""
        labels, clear = self.contest.labels, clear_together((edge, 0.0) for edge in self.edges.values())
        found: dict[str, list[str]] = {label: [] for label in labels}
        for ((one, among), edge), is_clear in zip(self.edges.items(), clear, strict=True):
            if is_clear and edge.value > 0:
                found[labels[among]].append(labels[one])
        return found

    def sentence(self) -> str:
        """Who is not invaded, as far as it was played."""
        others, invaders = len(self.contest.labels) - 1, self.invaders()
        rest = "; ".join(f"{label} by {', '.join(by)}" for label, by in invaders.items() if by)
        if len(self.rates) < others * (others + 1):
            return f"Not all pairs are played.{f' Invaded: {rest}.' if rest else ''}"
        safe = [label for label, by in invaders.items() if not by]
        first = f"Not invaded by any of the others: {', '.join(safe)}." if safe else "Each is invaded by another."
        return f"{first} Invaded: {rest}." if rest else first

    def circumstances(self) -> str:
        """What was played, and what invaded means."""
        contest, pairs = self.contest, len(self.rates)
        return (
            f"{self.games:,} games of one ship among ships of each other strategy: {rules_told(contest.rules)}, seed "
            f"{contest.seed}; 95% intervals over deals. A strategy is invaded if a single ship of another, among its "
            f"own, clearly wins more than an equal share of what the players win. The chance that even one of all "
            f"{pairs} pairs is wrongly called an invasion is at most 5%; more games may show further ones."
        )

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        rules = self.contest.rules.as_dict()
        return {"games": self.games, "seed": self.contest.seed, "rules": rules, "invaded_by": self.invaders()}

    def result_tables(self) -> list[ResultTable]:
        """Win rates of one ship among others, and how far they are above an equal share."""
        labels = self.contest.labels
        columns = ("one ship of", *(f"among {label}" for label in labels))
        grids = {
            "One ship among others of a kind": ("win rate", self.rates),
            "What it gains": ("win rate above an equal share, in points", self.edges),
        }
        return [
            ResultTable(title, columns, [(label, *(found.get((i, j), "") for j in range(len(labels))))
             for i, label in enumerate(labels)], frozenset(columns[1:]), note, "deal")
            for title, (note, found) in grids.items()
        ]  # fmt: skip


def one_against_each(
    contest: Contest, games: int, threads: int | None = None, progress: Callable[[int], object] = lambda games: None
) -> OneAgainstEach:
    """Play every ordered pair. Ctrl-C raises `Stopped`, whose `answer` has the pairs that are complete, if any."""
    pairs = list(permutations(range(len(contest.strategies)), 2))
    found = OneAgainstEach(contest, games, {}, {})
    how: dict[str, Any] = {"games": games, "rules": contest.rules, "seed": contest.seed, "threads": threads}
    with stop_on_signals() as stop:
        try:
            for one, among in pairs:
                played = compare([contest.strategies[one]], against=[contest.strategies[among]], **how)
                if stop.is_set():
                    break
                found.rates[one, among], found.edges[one, among] = played.win_rate(0), played.edge
                progress(len(found.rates) * games)
        except KeyboardInterrupt:
            stop.set()
    if len(found.rates) < len(pairs):
        done = f"Stopped: {len(found.rates)} of {len(pairs)} pairs are played."
        raise Stopped(done, found if found.rates else None)
    return found
