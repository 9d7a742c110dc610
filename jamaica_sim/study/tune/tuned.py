"""The result of a tuning: win rates with their intervals, the gain, and the sentence to quote."""

from dataclasses import dataclass
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import changes_told
from jamaica_sim.results.result_table import Answer, ResultTable
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.results.stats.sequential import Verdict, judge
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.tune.arena import Arena, Trial

BEST, REFERENCE = 0, 1  # their numbers in the trial


@dataclass(frozen=True, eq=False, repr=False)
class Tuned(Answer):
    """The best weights found, and how they did on deals that no variation had seen."""

    strategy: Strategy
    reference: Strategy  # what it is measured against: the start, or the strategy to exploit
    arena: Arena
    trial: Trial | None  # both on fresh deals; None where the tuning was stopped before that
    evaluations: int
    seconds: float  # interruptions left out
    exploits: bool = False  # whether the reference is also the field
    margin: float = 0.01  # the difference in win rate that matters
    alpha: float = 0.05  # the chance of a wrong verdict

    def __repr__(self) -> str:
        return f"<Tuned {self.strategy.name}: {self.sentence()}>"

    @property
    def complete(self) -> bool:
        """Whether the tuning came to a verdict."""
        return self.trial is not None

    @property
    def is_new(self) -> bool:
        """Whether the strategy found differs from the reference."""
        return self.strategy.changes != self.reference.changes or bool(self.reference.functions)

    @property
    def _measured(self) -> Trial:
        if self.trial is None:
            raise UserError("this tuning was stopped before its verdict.")
        return self.trial

    @property
    def games(self) -> int:
        """Games that each of the two played for the verdict."""
        return self._measured.deals * sum(rules.players for rules in self.arena.tables)

    def win_rate(self, strategy: int = BEST, table: int | None = None) -> Estimate:
        """The win rate of one ship of the strategy, at one table or on average over all."""
        return self._measured.win_rate(strategy, table, 1 - self.alpha)

    def gain(self, table: int | None = None) -> Estimate:
        """Win rate of the best minus that of the reference, on the same deals and in the same seats."""
        return self._measured.gain(BEST, REFERENCE, table, 1 - self.alpha)

    @property
    def verdict(self) -> Verdict:
        """Whether the best is better than the reference, worse, equal within the margin or undecided."""
        return judge(self.gain(), self.margin)

    def sentence(self) -> str:
        """The result in one sentence to quote."""
        if not self.complete:
            return f"Stopped after {self.evaluations:,} variations, before the verdict."
        name, reference = self.strategy.name, self.reference.name
        found = f"{name} wins {self.win_rate():%} as one ship {self._against()}"
        ending = f"{self._tables()}, {self.games:,} games of each, seed {self.arena.seed}."
        if not self.is_new:
            return (
                f"No gain: of {self.evaluations:,} variations none was better than {reference}, which wins "
                f"{self.win_rate():%} as one ship {self._against()}, {ending}"
            )
        points = self.gain()
        if self.verdict == "better":
            itself = f"{reference} itself" if self.exploits else f"{reference} on the same deals"
            gained = f"{in_points(points)} more than {itself}"
            answer = f"An answer to {reference} was found: " if self.exploits else ""
            return f"{answer}{found}, {gained}, {ending}"
        if self.verdict == "equal":
            said = f"No gain: {name} and {reference} are equal within {100 * self.margin:g} point of win rate"
        elif self.verdict == "worse":
            said = f"No gain: {name} is worse than {reference}"
        else:
            said = f"No gain that could be shown: {name} and {reference} are too close to call"
        return f"{said}; {found}, {in_points(points)} more than {reference}, {ending}"

    def _against(self) -> str:
        names = [strategy.label for strategy in self.arena.pool]
        if len(names) > 1:
            return f"against a field drawn from {', '.join(names[:-1])} and {names[-1]}"
        many = {rules.players - 1 for rules in self.arena.tables}
        return f"against {many.pop()} {names[0]}" if len(many) == 1 else f"against a field of {names[0]}"

    def _tables(self) -> str:
        names = [table_name(rules) for rules in self.arena.tables]
        return names[0] if len(names) == 1 else f"on average over {len(names)} kinds of table"

    def circumstances(self) -> str:
        """What is behind the figures."""
        if not self.complete:
            return ""
        minutes = self.seconds / 60
        return f"{self.evaluations:,} variations in {minutes:.1f} minutes; 95% intervals over deals that none had seen."

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints; none where the tuning was stopped before its verdict."""
        return [self.by_table()] if self.complete else []

    def facts(self) -> dict[str, Any]:
        """What was tuned and found, as plain values."""
        return {
            "sentence": self.sentence(),
            "complete": self.complete,
            "weights": self.strategy.changes,
            "reference": self.reference.label,
            "against": [strategy.label for strategy in self.arena.pool],
            "players": [table_name(rules) for rules in self.arena.tables],
            "games": self.games if self.complete else 0,
            "seed": self.arena.seed,
            "evaluations": self.evaluations,
            "seconds": round(self.seconds, 3),
        }

    def by_table(self) -> ResultTable:
        """A row for each kind of table: both win rates and the gain."""
        numbers = [*range(len(self.arena.tables)), *([None] if len(self.arena.tables) > 1 else [])]
        rows = [
            (
                "all" if number is None else table_name(self.arena.tables[number]),
                self.win_rate(BEST, number),
                self.win_rate(REFERENCE, number),
                self.gain(number),
            )
            for number in numbers
        ]
        columns = ("table", self.strategy.name, f"{self.reference.name} there", "gain")
        note = f"win rate of one ship {self._against()}"
        return ResultTable(type(self).__name__, columns, rows, frozenset(columns[1:]), note, unit="deal")


def in_points(gain: Estimate) -> str:
    """A difference of win rates in words."""
    return f"{gain:%}".replace("% ±", " ±") + " points"


def table_name(rules: Rules) -> str:
    """A kind of table in a few words: players, ghost ship, edition and the rules that were changed."""
    ghost = " with the ghost" if rules.ghost else ""
    told = changes_told(rules)
    return f"{rules.players} players{ghost}, {rules.edition}{f', {told}' if told else ''}"
