"""The task of a search for rules and its description in a folder; its search and finalists, rebuilt from a folder."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.lab.lab_folder import lab_kind
from jamaica_sim.lab.rule_space import RuleSpace
from jamaica_sim.lab.search import Candidate, Search
from jamaica_sim.lab.targets import Target, around, read_targets
from jamaica_sim.limits import MOST_GAMES, check_games, is_whole
from jamaica_sim.store.manifest import table_of
from jamaica_sim.strategy.strategy import Strategy

DEFAULT_GAMES, DEFAULT_SEARCH_GAMES, DEFAULT_TRIALS, DEFAULT_FINALISTS, DEFAULT_RETUNE = 20_000, 8_000, 200, 3, 300
MOST_TRIALS = 100_000


@dataclass(frozen=True, eq=False)
class Task:
    """The rules that may change, the targets to meet, and how thoroughly to search."""

    space: RuleSpace
    targets: tuple[Target, ...]
    games: int = DEFAULT_GAMES  # of the verdict
    search_games: int = DEFAULT_SEARCH_GAMES  # of a promising candidate
    trials: int = DEFAULT_TRIALS
    finalists: int = DEFAULT_FINALISTS
    retune: int = DEFAULT_RETUNE  # variations of a strategy under the rules of a finalist; 0: players stay as they are
    name: str = "balance"
    source: str = ""
    title: str = ""
    description: str = ""

    def awake(self, trust: bool = False) -> "Task":
        """The same task with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, space=self.space.awake(trust))

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.space.base.strategies


def make_task(space: RuleSpace, targets, **given: Any) -> Task:
    """A task; one that cannot be carried out is refused before the first game."""
    task = Task(space, tuple(targets), **given)
    check_games(task.games)
    check_games(task.search_games)
    for name, low, high in (("trials", 1, MOST_TRIALS), ("finalists", 1, 20), ("retune", 0, MOST_TRIALS)):
        if not is_whole(getattr(task, name), low, high):
            raise UserError(f"{name} must be a whole number from {low} to {high:,}, not {getattr(task, name)!r}.")
    return task


# The search


def search_of(task: Task, state: dict, learns: bool = False) -> Search:
    """The search, rebuilt from the saved state. Only a search that `learns` can go on."""
    batches = [
        [Candidate(tuple(c["point"]), c["games"], tuple(c["values"]), tuple(c["errors"])) for c in batch]
        for batch in state["batches"]
    ]
    scales = tuple(state["scales"])
    aims = tuple(_aim(target, scale, task.games) for target, scale in zip(task.targets, scales, strict=True))
    return Search(task.space, aims, scales, task.space.base.seed, task.search_games, batches, learns)


def _aim(target, scale, games):
    """The range that the search aims at: far enough inside the target that luck does not leave the verdict in doubt."""
    margin = 3 * scale / math.sqrt(games)
    if math.isfinite(target.low) and math.isfinite(target.high):
        margin = min(margin, (target.high - target.low) / 4)
    return Target(target.quantity, target.low + margin, target.high - margin)


def finalists_of(task: Task, search: Search) -> list[tuple]:
    """The proposals to judge: the best candidate for each set of changed rules, and of these the ones that miss least.

    A set is dropped if it contains another set and comes no nearer to the targets: it changes something for nothing.
    """
    best: dict[frozenset, Candidate] = {}
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


# In a folder


def _wrong(config):
    for name, kind in (("ranges", list), ("targets", list), ("title", str), ("description", str), ("source", str)):
        if not isinstance(config.get(name), kind):
            return f"configuration.{name}"
    for name in ("trials", "finalists", "retune", "search_games"):
        if not is_whole(config.get(name), 0, MOST_TRIALS if name != "search_games" else MOST_GAMES):
            return f"configuration.{name}"
    whole = all(isinstance(r, dict) and {"name", "values"} <= set(r) for r in config["ranges"])
    whole = whole and all(isinstance(t, dict) and {"quantity", "low", "high"} <= set(t) for t in config["targets"])
    return "" if whole else "configuration.targets"


BALANCE = lab_kind("jamaica-balance/1", "a balance's", _wrong)


def configuration(task: Task, name: str) -> dict:
    """Everything that decides the result."""
    return {
        "name": name,
        "source": task.source,
        "title": task.title,
        "description": task.description,
        **task.space.as_dict(),
        "games": task.games,
        "search_games": task.search_games,
        "trials": task.trials,
        "finalists": task.finalists,
        "retune": task.retune,
        "targets": [{"quantity": t.quantity.key, "low": _finite(t.low), "high": _finite(t.high)} for t in task.targets],
    }


def _finite(end):
    return end if np.isfinite(end) else None


def task_of(config: dict) -> Task:
    """The task that a configuration describes; code of strategies is read, not run."""
    base = table_of(config)
    space = around(base, {rule["name"]: rule["values"] for rule in config["ranges"]})
    targets = {}
    for target in config["targets"]:
        ends = {"at_least": target["low"], "at_most": target["high"]}
        targets[target["quantity"]] = {name: end for name, end in ends.items() if end is not None}
    names = ("games", "search_games", "trials", "finalists", "retune", "name", "source", "title", "description")
    return make_task(space, read_targets(targets, base), **{name: config[name] for name in names})
