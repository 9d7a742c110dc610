"""The task of a search for rules; its state in a folder, and its search and finalists, rebuilt from that."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict, cast

import msgspec
import numpy as np

from jamaica_sim.files.limits import MOST_GAMES, MOST_STEPS
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import table_of, wrong_type
from jamaica_sim.results.drama import BY_CHOICES, drama_of
from jamaica_sim.results.measures import DRAMA
from jamaica_sim.strategy.library import strategy_from_weights
from jamaica_sim.study.lab.asking import SearchFacts, SearchTask, State, search_folder
from jamaica_sim.study.lab.rule_space import RuleSpace
from jamaica_sim.study.lab.search import Candidate, RuleSearch
from jamaica_sim.study.lab.targets import Target, around, read_targets, read_targets_file

DEFAULT_GAMES, DEFAULT_SEARCH_GAMES, DEFAULT_TRIALS, DEFAULT_FINALISTS, DEFAULT_ADAPT = 20_000, 8_000, 200, 3, 1
MOST_TRIALS = 100_000
FRESH = 2**42  # the first deal of the verdict. No search reaches it, and no tuning, not even its own verdict
MOST_TIMES = 8  # the games of a verdict are doubled until the targets are decided, up to so many times the first


class AdaptedPlayers(TypedDict):
    """Whom all seats have in the end under a set of rules, and what the players found."""

    name: str
    weights: dict[str, Any]
    found: str


class BalanceState(TypedDict, total=False):
    """Everything that a folder keeps of a search, beside the sums of the judged: the base rules, then the finalists."""

    scales: list[float]  # of each target: the standard deviation from game to game
    batches: list[list[Candidate]]  # as plain values
    adapted: list[AdaptedPlayers]  # one for each of the judged, which then are judged again
    tension: list[dict[str, Any]]  # of the judged, where a target needs it


class _PlainTarget(TypedDict):
    quantity: str
    low: float | None
    high: float | None


class _BalanceFacts(SearchFacts):
    """The configuration in a folder."""

    source: str
    targets: list[_PlainTarget]
    trials: int
    finalists: int
    adapt: int
    search_games: int


@dataclass(frozen=True, eq=False, kw_only=True)
class BalanceTask(SearchTask):
    """The rules that may change, the targets to meet, and how thoroughly to search."""

    FOLDER = search_folder("jamaica-balance/2", "a balance's", _BalanceFacts)
    LIMITS = {
        "search_games": (1, MOST_GAMES),
        "trials": (1, MOST_TRIALS),
        "finalists": (1, 20),
        "adapt": (0, MOST_STEPS),
    }

    targets: tuple[Target, ...]
    games: int = DEFAULT_GAMES  # of the verdict
    search_games: int = DEFAULT_SEARCH_GAMES  # of a promising candidate
    trials: int = DEFAULT_TRIALS
    finalists: int = DEFAULT_FINALISTS
    adapt: int = DEFAULT_ADAPT  # steps of the players under the rules of a finalist; 0: they stay as they are
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
        judges = not wanted.isdisjoint(BY_CHOICES)
        names = tuple(measure.key for measure in DRAMA if judges or measure.key not in BY_CHOICES)
        return names if wanted & {*names} else ()

    def wrong_state(self, state: State, sums: np.ndarray, complete: bool) -> str:
        """The first wrong entry in what a folder keeps of a search; empty where all is well."""
        if wrong := wrong_type(state, BalanceState, "state"):
            return wrong
        scales = state.get("scales", [1.0] * len(self.targets))
        if len(scales) != len(self.targets) or not all(math.isfinite(scale) and scale > 0 for scale in scales):
            return "scales"
        if not all(self._has_shape(candidate) for batch in _batches(state) for candidate in batch):
            return "batches"
        tension = state.get("tension", [])
        if self.drama and (len(tension) != sums.size or not all(map(drama_of, tension))):
            return "tension"
        known = cast(BalanceState, state)
        if complete and not ({"scales", "batches"} <= set(state) and _is_thorough(search_of(self, known))):
            return "batches"
        if not sums.size and not complete:
            return ""
        judged = 1 + len(finalists_of(self, search_of(self, known))) if "batches" in state else 0
        if sums.size not in ((judged, 2 * judged) if judged else ()) or not _is_paired(sums, judged):
            return "sums"
        adapted = len(state.get("adapted", []))
        return "" if adapted == sums.size - judged or (adapted <= judged == sums.size and not complete) else "adapted"

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


def _is_paired(sums: np.ndarray, judged: int) -> bool:
    """Whether the games of those who are compared are the same ones."""
    groups = [sums["part_games"][first : first + judged] for first in range(0, sums.size, judged)]
    whole = sums["games"] == sums["part_games"].sum(axis=1)
    return bool(whole.all() and (sums["games"] > 0).all() and all((group == group[0]).all() for group in groups))


def _is_thorough(search: RuleSearch) -> bool:
    """Whether the base rules played all games."""
    return any(candidate.point == search.origin for candidate in search.thorough())


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


def judged_tables(task: BalanceTask, search: RuleSearch) -> list[GameTable]:
    """The tables of a verdict: the base rules, and those of the finalists."""
    return [task.space.base, *(task.space.table(point) for point in finalists_of(task, search))]


def with_players(table: GameTable, found: AdaptedPlayers) -> GameTable:
    """A table with the players who have adapted to it."""
    player = strategy_from_weights(found["weights"], found["name"], "the best answer found")
    return table.but(strategies=[player])


def games_needed(task: BalanceTask, scales: Sequence[float]) -> str:
    """About how many games of a verdict decide each target with a range, in a sentence; empty where none has one."""
    most, needed, hopeless = MOST_TIMES * task.games, [], []
    for target, scale in zip(task.targets, scales, strict=True):
        if math.isfinite(target.low) and math.isfinite(target.high):
            name, games = f"{target.quantity.key} ({target.words()})", target.games_needed(scale, task.games)
            needed.append(f"{name} {games:,.0f}" if math.isfinite(games) else f"{name} more than can be played")
            hopeless += [name] if games > most else []
    if not needed:
        return ""
    advice = f" Too few for {', '.join(hopeless)}: give more --games, or a wider range." if hopeless else ""
    return (
        f"Games that decide a target whose value lies well inside its range, about: {', '.join(needed)}. "
        f"A verdict has {task.games:,}, and up to {most:,} while it is undecided.{advice}"
    )
