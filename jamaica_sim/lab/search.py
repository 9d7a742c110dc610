"""The search of `balance`: candidates in batches, few games for poor ones and many for promising ones.

There are two objectives: how far the targets are missed, and how much is changed. Optuna's sampler proposes
candidates. To these the search adds, at the beginning, every rule changed alone, and later variations of the best so
far: with a change undone, halved or moved by one, or two of them combined. All candidates play the same deals. A batch
depends only on the results of the batches before it and on the seed, so a search can be rebuilt from its batches.
"""

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from jamaica_sim.lab.extra import need
from jamaica_sim.lab.rule_space import RuleSpace
from jamaica_sim.lab.targets import Target
from jamaica_sim.rules import RulesError

RUNGS = (16, 4, 1)  # the parts of its games that a candidate plays before it is looked at whether more are worth it
BATCH = 8
JOINED = 4  # of the front that are joined in pairs
ALONE = 4  # values of each rule that are tried alone
NEARER = 0.1  # of what the base rules miss: so much a further change must win back to be on the front
TRIFLE = 0.02  # effect sizes that are always enough
WORTH_MORE = 1.96  # standard errors that a candidate may be better than it looks


@dataclass(frozen=True)
class Candidate:
    """A point of the rule space, what was measured there, and over how many games."""

    point: tuple[int, ...]
    games: int
    values: tuple[float, ...]  # by target
    errors: tuple[float, ...]


@dataclass(eq=False)
class Search:
    """The batches so far, and Optuna's study that has learnt from them."""

    space: RuleSpace
    targets: tuple[Target, ...]
    scales: tuple[float, ...]  # of each target: the standard deviation from game to game
    seed: int
    games: int  # of a candidate that is worth them
    batches: list[list[Candidate]] = field(default_factory=list)
    learns: bool = True  # whether it can go on; otherwise it only tells what was found

    def __post_init__(self):
        self.origin = tuple(self.space.origin)
        self.known: dict[tuple, Candidate] = {}
        self._asked = []
        if self.learns:
            self._rebuild()
        else:
            self.known = {candidate.point: candidate for batch in self.batches for candidate in batch}

    def _rebuild(self):
        optuna = need("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        sampler = optuna.samplers.NSGAIISampler(population_size=24, seed=self.seed % 2**32)
        self._study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        past, self.batches = self.batches, []
        for batch in past:
            if [candidate.point for candidate in batch] != self.ask():
                raise ValueError("the search cannot be rebuilt: another version of optuna proposes other candidates.")
            self.tell(batch)

    # Objectives

    def miss(self, candidate: Candidate, luck: float = 0.0) -> float:
        """How far the targets are missed, in effect sizes, all together; at best if `luck` errors are on its side."""
        total = 0.0
        for target, scale, value, error in zip(
            self.targets, self.scales, candidate.values, candidate.errors, strict=True
        ):
            total += max(0.0, target.distance(value) - luck * error) / scale
        return total

    def cost(self, point) -> float:
        """How much is changed: one for each rule, and up to one half more by how far it goes."""
        total = 0.0
        for rule, index, own in zip(self.space.rules, point, self.origin, strict=True):
            if index != own:
                total += 1 + 0.5 * abs(index - own) / (len(rule.values) - 1)
        return total

    @property
    def rungs(self) -> list[int]:
        """After how many games it is looked at whether more are worth it."""
        return [max(1, self.games // part) for part in RUNGS]

    @property
    def nearer(self) -> float:
        """How much less a candidate must miss to be called nearer."""
        base = self.known.get(self.origin)
        return max(1e-9, min(TRIFLE, NEARER * self.miss(base)) if base else 0.0)

    def is_worth_more(self, candidate: Candidate) -> bool:
        """Whether no thorough candidate that changes as little is clearly better."""
        best_case, cost = self.miss(candidate, WORTH_MORE), self.cost(candidate.point)
        rivals = [c for c in self.thorough() if self.cost(c.point) <= cost]
        return all(best_case <= self.miss(rival) for rival in rivals)

    def front(self) -> list[Candidate]:
        """The thorough candidates that none beats in both objectives, those with the fewest changes first."""
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

    def rank(self, candidate: Candidate) -> tuple:
        """Those that miss least come first; among equals those that change least."""
        return round(self.miss(candidate) / self.nearer), self.cost(candidate.point), candidate.point

    @property
    def tried(self) -> int:
        """How many candidates were tried."""
        return len(self.known)

    # Batches

    def ask(self) -> list[tuple]:
        """The next candidates, all new. They stay the same until their results are in."""
        if not self._asked:
            wanted = self._alone() if not self.batches or self._alone() else self._variations()[: BATCH // 2]
            for point in wanted[:BATCH]:
                self._study.enqueue_trial(self._parameters(point))
            self._asked = self._from_study()
        return [point for point, _ in self._asked]

    def _from_study(self):
        """Ask the study until the batch is full; a known point, or one that cannot be played, is answered at once."""
        asked: list[tuple] = []
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

    def tell(self, batch: list[Candidate]):
        """Learn how the candidates did."""
        for candidate, (point, trial) in zip(batch, self._asked, strict=True):
            assert candidate.point == point
            self.known[point] = candidate
            self._study.tell(trial, self._objectives(candidate))
        self._asked = []
        self.batches.append(batch)

    def _objectives(self, candidate):
        return self.miss(candidate), self.cost(candidate.point)

    def _parameters(self, point):
        return dict(zip(self.space.names, point, strict=True))

    def _can_be_played(self, point):
        try:
            self.space.table(point)
        except RulesError:
            return False
        return True

    def _new(self, points):
        return [p for p in dict.fromkeys(points) if p not in self.known and self._can_be_played(p)]

    def _with(self, point, number, index):
        return (*point[:number], index, *point[number + 1 :])

    def _alone(self):
        """The base rules, and each rule changed alone."""
        points = [self.origin]
        for number, rule in enumerate(self.space.rules):
            others = [index for index in range(len(rule.values)) if index != self.origin[number]]
            some = np.unique(np.linspace(0, len(others) - 1, min(ALONE, len(others))).round().astype(int))
            points += [self._with(self.origin, number, others[i]) for i in some]
        return self._new(points)

    def _joined(self):
        """Two of the front in one: what each changes, where only one of them does; those with few changes first."""
        front = sorted(self.front()[1:], key=lambda c: (round(self.cost(c.point)), self.miss(c)))[:JOINED]
        points = []
        for a, b in combinations([c.point for c in front], 2):
            point = tuple(x if y == own else y for x, y, own in zip(a, b, self.origin, strict=True))
            points += [point] if point not in (a, b) else []
        return points

    def _variations(self):
        """Around the front, the best first: two in one, a change taken back, halved or moved by one, another by one."""
        points, front = self._joined(), sorted(self.front(), key=self.miss)
        for candidate in front:
            point = candidate.point
            for number, (index, own) in enumerate(zip(point, self.origin, strict=True)):
                if index != own:
                    points += [self._with(point, number, p) for p in (own, (index + own) // 2, (index + own + 1) // 2)]
                steps = [p for p in (index - 1, index + 1) if 0 <= p < len(self.space.rules[number].values)]
                points += [self._with(point, number, p) for p in steps]
        return self._new(points)
