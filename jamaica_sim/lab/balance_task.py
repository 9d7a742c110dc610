"""The task of a search for rules; its state in a folder, and its search and finalists, rebuilt from that."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypedDict, cast

import msgspec

from jamaica_sim.lab.lab_run import LabTask, PlainRange, lab_kind, wrong_type
from jamaica_sim.lab.rule_space import RuleSpace
from jamaica_sim.lab.search import Candidate, RuleSearch
from jamaica_sim.lab.targets import Target, around, read_targets, read_targets_file
from jamaica_sim.limits import MOST_GAMES
from jamaica_sim.results.drama import MATTER
from jamaica_sim.results.measures import DRAMA, quantities_of
from jamaica_sim.store.manifest import table_of
from jamaica_sim.user_files import AnyPath

DEFAULT_GAMES, DEFAULT_SEARCH_GAMES, DEFAULT_TRIALS, DEFAULT_FINALISTS, DEFAULT_RETUNE = 20_000, 8_000, 200, 3, 300
MOST_TRIALS = 100_000


class Judged(TypedDict, total=False):
    """A set of rules on fresh deals: games, the sums of every quantity, and the players where they have adapted."""

    games: int
    sums: dict[str, list[float]]
    weights: list[dict[str, float] | None]
    names: list[str]


class BalanceState(TypedDict, total=False):
    """Everything that a folder keeps of a search; the first of the judged are the base rules."""

    scales: list[float]  # of each target: the standard deviation from game to game
    batches: list[list[Candidate]]  # as plain values
    verdict: list[Judged]
    adapted: list[Judged]


class _PlainTarget(TypedDict):
    quantity: str
    low: float | None
    high: float | None


class _Configuration(TypedDict):
    """The configuration in a folder, apart from the table."""

    title: str
    description: str
    source: str
    ranges: list[PlainRange]
    targets: list[_PlainTarget]
    trials: int
    finalists: int
    retune: int
    search_games: int


@dataclass(frozen=True, eq=False, kw_only=True)
class BalanceTask(LabTask):
    """The rules that may change, the targets to meet, and how thoroughly to search."""

    KIND = lab_kind("jamaica-balance/1", "a balance's", _Configuration)
    LIMITS = {
        "search_games": (1, MOST_GAMES),
        "trials": (1, MOST_TRIALS),
        "finalists": (1, 20),
        "retune": (0, MOST_TRIALS),
    }

    targets: tuple[Target, ...]
    games: int = DEFAULT_GAMES  # of the verdict
    search_games: int = DEFAULT_SEARCH_GAMES  # of a promising candidate
    trials: int = DEFAULT_TRIALS
    finalists: int = DEFAULT_FINALISTS
    retune: int = DEFAULT_RETUNE  # variations of a strategy under the rules of a finalist; 0: players stay as they are
    name: str = "balance"
    source: str = ""

    def configuration(self, name: str) -> dict[str, Any]:
        """Everything that decides the result, as a folder of this name records it."""
        ends = [{"quantity": t.quantity.key, "low": _finite(t.low), "high": _finite(t.high)} for t in self.targets]
        return {**super().configuration(name), "targets": ends}

    @property
    def drama(self) -> tuple[str, ...]:
        """The measures of tension, if a target is one of them. Choices are judged for a target only: it takes time."""
        wanted = {target.quantity.key for target in self.targets}
        names = tuple(measure.key for measure in DRAMA if measure.key != MATTER or MATTER in wanted)
        return names if wanted & {*names} else ()

    def wrong_state(self, state: dict[str, Any], complete: bool) -> str:
        """The first wrong entry in the state that a folder keeps of a search; empty where all is well."""
        if wrong := wrong_type(state, BalanceState, "state"):
            return wrong
        scales = state.get("scales", [1.0] * len(self.targets))
        if len(scales) != len(self.targets) or not all(math.isfinite(scale) and scale > 0 for scale in scales):
            return "scales"
        if not all(self._has_shape(candidate) for batch in _batches(state) for candidate in batch):
            return "batches"
        keys = {quantity.key for quantity in quantities_of(self.space.base, drama=self.drama)}
        for name in ("verdict", "adapted"):
            if not all(_is_judged(one, keys) for one in state.get(name, [])):
                return name
        return "verdict" if complete and not _is_complete(self, cast(BalanceState, state)) else ""

    def _has_shape(self, candidate: Candidate) -> bool:
        """Whether a candidate is a point of the space, with a value and an error for each target."""
        point, rules = candidate.point, self.space.rules
        inside = len(point) == len(rules) and all(0 <= i < len(r.values) for i, r in zip(point, rules, strict=True))
        whole = len(candidate.values) == len(candidate.errors) == len(self.targets)
        infinite = any(map(math.isinf, (*candidate.values, *candidate.errors)))
        return inside and whole and candidate.games > 0 and not infinite

    @classmethod
    def checked(cls, space: RuleSpace, targets: tuple[Target, ...] = (), **given: Any) -> Self:
        """A task; one that cannot be carried out is refused before the first game."""
        return super().checked(space, targets=targets, **given)

    @classmethod
    def read(cls, config: dict[str, Any], make: Callable[..., RuleSpace] = around) -> Self:
        """The task that a configuration describes; code of strategies is read, not run."""
        targets = {}
        for target in config["targets"]:
            ends = {"at_least": target["low"], "at_most": target["high"]}
            targets[target["quantity"]] = {name: end for name, end in ends.items() if end is not None}
        return super().read({**config, "targets": read_targets(targets, table_of(config))}, make)


def load_targets_file(name_or_file: AnyPath, house_rules: str | None = None, **given: int | None) -> BalanceTask:
    """The task in a file of targets, or in the shipped one of that name; given numbers override the file's."""
    facts, space, targets = read_targets_file(name_or_file, house_rules)
    return BalanceTask.checked(space, targets, **facts | {name: n for name, n in given.items() if n is not None})


def _is_judged(one: Judged, keys: set[str]) -> bool:
    """Whether there are sums of every quantity, all equally many."""
    sums = one.get("sums", {})
    tension = {measure.key for measure in DRAMA}  # measured in parts of its own
    for some in (keys - tension, keys & tension):
        lengths = {len(sums.get(key, [])) for key in some}
        if some and (len(lengths) != 1 or lengths == {0}):
            return False
    return one.get("games", 0) > 0


def _is_complete(task: BalanceTask, state: BalanceState) -> bool:
    """Whether a search has measured the base rules thoroughly, and has judged them and all finalists."""
    if not {"scales", "batches", "verdict"} <= set(state):
        return False
    search = search_of(task, state)
    if not any(candidate.point == search.origin for candidate in search.thorough()):
        return False
    judged = 1 + len(finalists_of(task, search))
    return len(state["verdict"]) == judged and len(state.get("adapted", [])) in (0, judged)


def _finite(end: float) -> float | None:
    return end if math.isfinite(end) else None


def search_of(task: BalanceTask, state: BalanceState, learns: bool = False) -> RuleSearch:
    """The search, rebuilt from the saved state. Only a search that `learns` can go on."""
    scales = tuple(state["scales"])
    aims = tuple(_aim(target, scale, task.games) for target, scale in zip(task.targets, scales, strict=True))
    return RuleSearch(task.space, aims, scales, task.space.base.seed, task.search_games, _batches(state), learns)


def _batches(state: Mapping[str, Any]) -> list[list[Candidate]]:
    return msgspec.convert(state.get("batches", []), list[list[Candidate]])


def _aim(target: Target, scale: float, games: int) -> Target:
    """The range that the search aims at: far enough inside the target that luck does not leave the verdict in doubt."""
    margin = 3 * scale / math.sqrt(games)
    if math.isfinite(target.low) and math.isfinite(target.high):
        margin = min(margin, (target.high - target.low) / 4)
    return Target(target.quantity, target.low + margin, target.high - margin)


def finalists_of(task: BalanceTask, search: RuleSearch) -> list[tuple[int, ...]]:
    """The proposals to judge: the best candidate for each set of changed rules, and of these the ones that miss least.

    A set is dropped if it contains another set and comes no nearer to the targets: it changes something for nothing.
    """
    best: dict[frozenset[int], Candidate] = {}
    for candidate in search.thorough():
        changed = frozenset(n for n, (a, b) in enumerate(zip(candidate.point, search.origin, strict=True)) if a != b)
        if changed not in best or search.rank(candidate) < search.rank(best[changed]):
            best[changed] = candidate
    base = best.pop(frozenset())
    kept = {
        changed: one
        for changed, one in best.items()
        if search.is_nearer(one, base)
        and all(search.is_nearer(one, other) for fewer, other in best.items() if fewer < changed)
    }
    chosen = sorted(kept.values(), key=search.rank)[: task.finalists]
    return [one.point for one in sorted(chosen, key=lambda c: (search.cost(c.point), c.point))]
