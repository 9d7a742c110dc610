"""The search of `balance`: candidates in batches, few games for poor ones and many for promising ones.

There are two objectives: how far the targets are missed, and how much is changed. Optuna's sampler proposes candidates.
The search adds its own: at the beginning every rule changed alone, later variations of the best candidates so far. In a
variation a change is undone, halved or moved by one, or two candidates are combined. All candidates play the same
deals. A batch depends only on the results of the batches before it and on the seed, so a search can be rebuilt from its
batches.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import RulesError
from jamaica_sim.study.lab.rule_space import RuleSpace, need
from jamaica_sim.study.lab.targets import Target

Indices = tuple[int, ...]  # a point: for each rule an index into its values
RUNGS = (16, 4, 1)  # a candidate plays 1/16 of its games, then up to 1/4, then all, as long as it is promising
BATCH = 8
JOINED = 4  # candidates of the front that are joined in pairs
ALONE = 4  # values of each rule that are tried alone
NEARER = 0.1  # share of the base rules' miss that a further change must win back to be on the front
TRIFLE = 0.02  # an improvement by this many effect sizes is always enough
WORTH_MORE = 1.96  # a candidate may be better than it looks by this many standard errors
FARTHEST = 1e15  # a miss beyond this is no better or worse than another; forged figures can be infinite


@dataclass(frozen=True)
class Candidate:
    """A point of the rule space, the values measured there with their errors, and over how many games."""

    point: tuple[int, ...]
    games: int
    values: tuple[float, ...]  # by target
    errors: tuple[float, ...]


@dataclass(eq=False)
class RuleSearch:
    """The batches so far, and Optuna's study that has learnt from them."""

    space: RuleSpace
    targets: tuple[Target, ...]
    scales: tuple[float, ...]  # of each target: the standard deviation from game to game
    seed: int
    games: int  # of a promising candidate
    batches: list[list[Candidate]] = field(default_factory=list)
    learns: bool = True  # whether it can go on; otherwise it only knows the candidates so far

    def __post_init__(self) -> None:
        self.origin: Indices = tuple(-1 if index is None else index for index in self.space.origin)
        self.known: dict[Indices, Candidate] = {}
        self._asked: list[tuple[Indices, Any]] = []
        if self.learns:
            self._rebuild()
        else:
            self.known = {candidate.point: candidate for batch in self.batches for candidate in batch}

    def _rebuild(self) -> None:
        optuna = need("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.NSGAIISampler(population_size=24, seed=self.seed % 2**32)
        self._study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        past, self.batches = self.batches, []
        for batch in past:
            if [candidate.point for candidate in batch] != self.ask():
                raise UserError("the search cannot be rebuilt: another version of optuna proposes other candidates.")
            self.tell(batch)

    # Objectives

    def miss(self, candidate: Candidate, luck: float = 0.0) -> float:
        """How far all targets together are missed, in effect sizes; at best, if values are off by `luck` errors."""
        total = 0.0
        for target, scale, value, error in zip(
            self.targets, self.scales, candidate.values, candidate.errors, strict=True
        ):
            total += max(0.0, target.distance(value) - luck * error) / scale
        return total

    def cost(self, point: Indices) -> float:
        """How much is changed: one for each changed rule, and up to one half more for how far it is changed."""
        total = 0.0
        for rule, index, own in zip(self.space.rules, point, self.origin, strict=True):
            if index != own:
                total += 1 + 0.5 * abs(index - own) / (len(rule.values) - 1)
        return total

    @property
    def rungs(self) -> list[int]:
        """The numbers of games after which it is decided whether a candidate is worth more."""
        return [max(1, self.games // part) for part in RUNGS]

    @property
    def nearer(self) -> float:
        """How much less a candidate must miss to be called nearer."""
        base = self.known.get(self.origin)
        return max(1e-9, min(TRIFLE, NEARER * self.miss(base)) if base else 0.0)

    def is_worth_more(self, candidate: Candidate) -> bool:
        """Whether more games are worth it: no thorough candidate that changes as little is clearly better."""
        best_case, cost = self.miss(candidate, WORTH_MORE), self.cost(candidate.point)
        rivals = [c for c in self.thorough() if self.cost(c.point) <= cost]
        return all(best_case <= self.miss(rival) for rival in rivals)

    def front(self) -> list[Candidate]:
        """The thorough candidates that no other beats in both objectives, fewest changes first."""
        ordered = sorted(self.thorough(), key=lambda c: (self.cost(c.point), self.miss(c), c.point))
        front: list[Candidate] = []
        for candidate in ordered:
            if not front or self.is_nearer(candidate, front[-1]):
                front.append(candidate)
        return front

    def thorough(self) -> list[Candidate]:
        """The candidates that played all games."""
        return [c for c in self.known.values() if c.games == self.games]

    def is_nearer(self, candidate: Candidate, other: Candidate) -> bool:
        """Whether a candidate misses the targets by less than another, by more than a trifle."""
        before = self.miss(other)
        return self.miss(candidate) < before - min(self.nearer, before / 2)

    def rank(self, candidate: Candidate) -> tuple[Any, ...]:
        """The key to sort by: candidates that miss least come first, among equals those that change least."""
        miss = self.miss(candidate) / self.nearer
        return round(miss if miss < FARTHEST else FARTHEST), self.cost(candidate.point), candidate.point

    @property
    def tried(self) -> int:
        """How many candidates were tried."""
        return len(self.known)

    # Batches

    def ask(self) -> list[Indices]:
        """The next candidates, all new. They stay the same until their results are in."""
        if not self._asked:
            wanted = self._alone() if not self.batches or self._alone() else self._variations()[: BATCH // 2]
            for point in wanted[:BATCH]:
                self._study.enqueue_trial(dict(zip(self.space.names, point, strict=True)))
            self._asked = self._from_study()
        return [point for point, _ in self._asked]

    def _from_study(self) -> list[tuple[Indices, Any]]:
        """Ask the study until the batch is full; a known point, or one that cannot be played, is answered at once."""
        asked: list[tuple[Indices, Any]] = []
        for _ in range(20 * BATCH):
            trial = self._study.ask()
            point = tuple(trial.suggest_int(rule.name, 0, len(rule.values) - 1) for rule in self.space.rules)
            if point in self.known:
                self._study.tell(trial, self._objectives(self.known[point]))
            elif point in [other for other, _ in asked] or not self._can_be_played(point):
                self._study.tell(trial, state=need("optuna").trial.TrialState.FAIL)
            else:
                asked.append((point, trial))
            if len(asked) == BATCH:
                break
        return asked

    def tell(self, batch: list[Candidate]) -> None:
        """Learn from the results of the candidates."""
        for candidate, (point, trial) in zip(batch, self._asked, strict=True):
            assert candidate.point == point
            self.known[point] = candidate
            self._study.tell(trial, self._objectives(candidate))
        self._asked = []
        self.batches.append(batch)

    def _objectives(self, candidate: Candidate) -> tuple[float, float]:
        return self.miss(candidate), self.cost(candidate.point)

    def _can_be_played(self, point: Indices) -> bool:
        try:
            self.space.table(point)
        except RulesError:
            return False
        return True

    def _new(self, points: Iterable[Indices]) -> list[Indices]:
        return [p for p in dict.fromkeys(points) if p not in self.known and self._can_be_played(p)]

    def _with(self, point: Indices, number: int, index: int) -> Indices:
        return (*point[:number], index, *point[number + 1 :])

    def _alone(self) -> list[Indices]:
        """The base rules, and each rule changed alone."""
        points = [self.origin]
        for number, rule in enumerate(self.space.rules):
            others = [index for index in range(len(rule.values)) if index != self.origin[number]]
            some = np.unique(np.linspace(0, len(others) - 1, min(ALONE, len(others))).round().astype(int))
            points += [self._with(self.origin, number, others[i]) for i in some]
        return self._new(points)

    def _joined(self) -> list[Indices]:
        """Pairs of the front joined: the changes of both; where both change a rule, the second's. Few changes first."""
        front = sorted(self.front()[1:], key=lambda c: (round(self.cost(c.point)), self.miss(c)))[:JOINED]
        points = []
        for a, b in combinations([c.point for c in front], 2):
            point = tuple(x if y == own else y for x, y, own in zip(a, b, self.origin, strict=True))
            points += [point] if point not in (a, b) else []
        return points

    def _variations(self) -> list[Indices]:
        """New points around the front, best first: two joined, a change undone or halved, any rule moved by one."""
        points, front = self._joined(), sorted(self.front(), key=self.miss)
        for candidate in front:
            point = candidate.point
            for number, (index, own) in enumerate(zip(point, self.origin, strict=True)):
                if index != own:
                    points += [self._with(point, number, p) for p in (own, (index + own) // 2, (index + own + 1) // 2)]
                steps = [p for p in (index - 1, index + 1) if 0 <= p < len(self.space.rules[number].values)]
                points += [self._with(point, number, p) for p in steps]
        return self._new(points)
