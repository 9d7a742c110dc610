"""What a search for rules found: its front, and the finalists judged on fresh deals, in tables and sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, cast

import numpy as np

from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import value_text
from jamaica_sim.play.commands import typed
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.drama import drama_of
from jamaica_sim.results.measures import Measure, quantities_of
from jamaica_sim.results.result_table import Answer, ResultTable, table_facts
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate, jackknife
from jamaica_sim.study.lab.asking import State
from jamaica_sim.study.lab.balance_task import FRESH, BalanceState, BalanceTask, finalists_of, search_of, with_players
from jamaica_sim.study.lab.search import Candidate, RuleSearch
from jamaica_sim.study.lab.targets import Target
from jamaica_sim.study.values import plain_value


@dataclass(frozen=True, eq=False, repr=False)
class Balance(Answer):
    """The result of a search: the front, and the finalists judged on fresh deals, with old and with tuned players."""

    task: BalanceTask
    state: BalanceState
    sums: np.ndarray  # of the base rules and the proposals on fresh deals, then of the same with adapted players

    def __repr__(self) -> str:
        tried = f"{self.search.tried:,} candidates over {len(self.task.space.rules)} rules"
        return f"<Balance: {tried}, {self.task.games:,} games of a verdict\n {self.sentence()}>"

    @cached_property
    def search(self) -> RuleSearch:
        """All candidates that were tried."""
        return search_of(self.task, self.state)

    @cached_property
    def proposals(self) -> list[tuple[int, ...]]:
        """The finalists, those with the fewest changes first."""
        return finalists_of(self.task, self.search)

    @property
    def has_adapted(self) -> bool:
        """Whether the players were tuned under the rules of the finalists."""
        return bool(self.state.get("adapted"))

    @cached_property
    def results(self) -> list[Results]:
        """What the base rules and the proposals showed on fresh deals, and then the same with adapted players."""
        tables = [self.task.space.base, *map(self.task.space.table, self.proposals)]
        pairs = zip(tables, self.state.get("adapted", []), strict=False)
        adapted = [with_players(table, found) for table, found in pairs]
        return results_of([*tables, *adapted], self.sums, self.state.get("tension", []))

    @property
    def games(self) -> int:
        """All games of the search and of the verdicts; those in which players adapted are not counted."""
        return games_of(self.task, cast(State, self.state), self.sums)

    def words(self, number: int) -> str:
        """A set of rules in words: 0 is the base rules, the proposals count from 1."""
        return self.task.space.words(self.proposals[number - 1]) if number else "as it is"

    def rules(self, number: int) -> Rules:
        """The rules of a proposal, counted from 1; 0 is the base rules."""
        return self.task.space.table(self.proposals[number - 1]).rules if number else self.task.space.base.rules

    def changes(self, number: int) -> dict[str, Any]:
        """The changes of a proposal, counted from 1; 0 is the base rules, without changes."""
        return self.task.space.changes(self.proposals[number - 1]) if number else {}

    def value(self, key: str, number: int, adapted: bool = False) -> Estimate:
        """A quantity under a set of rules on fresh deals; shares in percent."""
        quantity, results = self._quantity(key), self.judged_at(number, adapted)
        return jackknife(quantity.sums(results), quantity.games(results)).scaled(quantity.scale)

    def difference(self, key: str, number: int, adapted: bool = False) -> Estimate:
        """A quantity minus its value under the base rules, on the same fresh deals; shares in points."""
        return self._quantity(key).difference(self.judged_at(0, adapted), self.judged_at(number, adapted))

    def _quantity(self, key: str) -> Measure:
        (quantity,) = quantities_of(self.task.space.base, [key])
        return quantity

    def judged_at(self, number: int, adapted: bool = False) -> Results:
        """What a set of rules showed on fresh deals, with the same players or with adapted ones."""
        return self.results[number + adapted * (len(self.proposals) + 1)]

    def verdict(self, target: Target, number: int, adapted: bool = False) -> str:
        """Whether a target is met: met, missed, too close to call."""
        return target.judge(self.judged_at(number, adapted), self.task.games)

    def met(self, number: int, adapted: bool = False) -> int:
        """How many targets are met."""
        return sum(self.verdict(target, number, adapted) == "met" for target in self.task.targets)

    @property
    def best(self) -> int:
        """The proposal that meets the most targets, with adapted players if there are any; 0 without proposals."""
        adapted, order = self.has_adapted, range(1, len(self.proposals) + 1)
        return max(order, key=lambda n: (self.met(n, adapted), -self.miss(n, adapted), -n), default=0)

    def miss(self, number: int, adapted: bool = False) -> float:
        """How far a set of rules misses the targets on fresh deals, in effect sizes, all together."""
        pairs = zip(self.task.targets, self.state["scales"], strict=True)
        return sum(t.distance(self.value(t.quantity.key, number, adapted).value) / scale for t, scale in pairs)

    def missed(self, candidate: Candidate) -> float:
        """How far a candidate of the search misses all targets together, in effect sizes."""
        return missed(self.task, self.state["scales"], candidate)

    def front(self) -> ResultTable:
        """The Pareto front of the search: what each number of changes can reach."""
        rows = []
        for candidate in self.search.front():
            pairs = zip(candidate.values, candidate.errors, strict=True)
            cells = [Estimate.around(value, 1.96 * error, candidate.games) for value, error in pairs]
            rows.append((self.task.space.words(candidate.point), missed_in_words(self.missed(candidate)), *cells))
        columns = ("changes", "misses by", *(t.quantity.column for t in self.task.targets))
        return ResultTable("Front", columns, rows, note="of the search; shares in percent; misses in effect sizes")

    def judged(self, adapted: bool = False) -> ResultTable:
        """The finalists on fresh deals: each target with its verdict, and the paired difference to the base rules."""
        rows = []
        for target in self.task.targets:
            for number in range(len(self.proposals) + 1):
                key = target.quantity.key
                difference = self.difference(key, number, adapted) if number else "base"
                cells = (self.value(key, number, adapted), difference, self.verdict(target, number, adapted))
                rows.append((target.quantity.column, self.label(number), target.words(), *cells))
        who = "players who adapted to each set of rules" if adapted else "the same players"
        games = self.judged_at(0, adapted).games
        note = f"{games:,} fresh deals, {who}; shares in percent and points; a verdict holds however often one looks"
        columns = ("target", "rules", "wanted", "value", "difference", "verdict")
        title = "Judged with players that adapted" if adapted else "Judged"
        return ResultTable(title, columns, rows, note=note, keys=2)

    def others(self, adapted: bool = False) -> ResultTable:
        """What else changes: the paired difference of every other quantity to the base rules, on fresh deals."""
        wanted = {target.quantity.key for target in self.task.targets}
        quantities = [q for q in quantities_of(self.task.space.base, drama=self.task.drama) if q.key not in wanted]
        rows = [
            (self.label(n), *(self.difference(q.key, n, adapted) for q in quantities))
            for n in range(1, len(self.proposals) + 1)
        ]
        note = "paired differences to the base rules, fresh deals; shares in points"
        title = "What else changes, with players that adapted" if adapted else "What else changes"
        return ResultTable(title, ("rules", *(q.column for q in quantities)), rows, note=note)

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""
        if not self.proposals:
            return [self.front()]
        adapted = [self.judged(True), self.others(True)] if self.has_adapted else []
        return [self.front(), self.proposed(), self.judged(), self.others(), *adapted]

    def label(self, number: int) -> str:
        """The short name of a set of rules."""
        return f"proposal {number}" if number else "base rules"

    def proposed(self) -> ResultTable:
        """What each proposal changes."""
        rows = [(self.label(n), self.words(n)) for n in range(1, len(self.proposals) + 1)]
        return ResultTable("Proposals", ("rules", "changes"), rows)

    def facts(self) -> dict[str, Any]:
        """What was searched, as plain values."""
        return {
            "games": self.task.games,
            "trials": self.search.tried,
            **table_facts(self.task.space.base),
            "targets": {target.quantity.key: target.words() for target in self.task.targets},
            "proposals": [
                {name: plain_value(value) for name, value in self.task.space.changes(point).items()}
                for point in self.proposals
            ],
        }

    def sentence(self) -> str:
        """The best proposal and its verdict, in one sentence to quote."""
        count = len(self.task.targets)
        if self.met(0) == count:
            return f"The base rules meet {_all(count)} already: nothing has to change."
        if not self.best:
            return f"No rules were found that come nearer to the target{'s' * (count > 1)} than the base rules do."
        number = self.best
        met = {n: _of(self.met(n), count) for n in (0, number)}
        if self.has_adapted:
            met = {
                n: f"{before}, and {_of(self.met(n, True), count)} once the players have adapted"
                for n, before in met.items()
            }
        return f"With {self.words(number)}, fresh deals meet {met[number]}; under the base rules they meet {met[0]}."

    def footer(self) -> list[str]:
        """What the command prints below the tables, line by line."""
        return [*super().footer(), *([f"Play it: {self.command()}"] if self.best else [])]

    def command(self) -> str:
        """The command that plays games by the best proposal's rules."""
        rules = self.rules(0)
        words = ["--players", rules.players, "--edition", rules.edition, "--ghost" if rules.ghost else "--no-ghost"]
        for name, value in {**rules.changes(), **self.changes(self.best)}.items():
            words += ["--rule", f"{name}={value_text(value)}"]
        return typed("run", *words)

    def played(self) -> str:
        """What was played, in words."""
        task = self.task
        adapted = f", players adapted in {task.adapt} step{'s' * (task.adapt > 1)}" if self.has_adapted else ""
        games = dict.fromkeys(f"{one.games:,}" for one in self.results)
        return (
            f"{self.search.tried:,} candidates over {len(task.space.rules)} rules, {self.search.rungs[0]:,} to "
            f"{task.search_games:,} games of each on the same deals; {' and '.join(games)} fresh games of each "
            f"finalist{adapted}: {task.space.base.in_words()}"
        )

    def circumstances(self) -> str:
        """What is behind the figures."""
        return f"{self.played()}; 95% intervals."


def _all(count: int) -> str:
    return "the target" if count == 1 else f"all {count} targets"


def _of(met: int, count: int) -> str:
    if met == count:
        return _all(count)
    return "no target" if met == 0 else f"{met} of {count} targets"


def results_of(tables: Sequence[GameTable], sums: np.ndarray, tension: Sequence[dict[str, Any]]) -> list[Results]:
    """The results of tables that played fresh deals, with the tension of their games where it was measured."""
    dramas = map(drama_of, tension) if tension else repeat(None)
    return [Results(table, tally, FRESH, 0.0, one) for table, tally, one in zip(tables, sums, dramas, strict=False)]


def games_of(task: BalanceTask, state: State, sums: np.ndarray) -> int:
    """All games of a search so far, and of its verdicts."""
    tried = search_of(task, cast(BalanceState, state)).known.values() if "scales" in state else ()
    return sum(candidate.games for candidate in tried) + int(sums["games"].sum())


def missed(task: BalanceTask, scales: Sequence[float], candidate: Candidate) -> float:
    """How far a candidate misses all targets together, in effect sizes; 0 inside all ranges."""
    rows = zip(task.targets, candidate.values, scales, strict=True)
    return sum(target.distance(value) / scale for target, value, scale in rows)


def missed_in_words(miss: float) -> str:
    """A miss in words, none of which says that 0.00 is one."""
    return "nothing" if miss == 0 else f"{miss:.2f}" if miss >= 0.005 else "less than 0.01"
