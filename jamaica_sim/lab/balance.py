"""Rules that meet targets with few changes: a search, its front, a verdict on fresh deals, and players who adapt.

What the search finds was chosen among many on the same deals, so it is judged on deals that it has not seen, beside the
base rules. Then the players are tuned under the rules of each finalist, and of the base rules as well, and all is
judged again: rules that are fair for the old play need not be for the new.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from jamaica_sim.lab.extra import need
from jamaica_sim.lab.lab_folder import LabFolder, finished_search, lab_kind, unfinished_search
from jamaica_sim.lab.play import play_tables
from jamaica_sim.lab.quantities import quantities_of
from jamaica_sim.lab.rule_space import RuleSpace
from jamaica_sim.lab.search import Candidate, Search
from jamaica_sim.lab.sensitivity import StoppedSearch, measure_of
from jamaica_sim.lab.targets import Target, around, read_targets
from jamaica_sim.limits import MOST_GAMES, check_games, is_whole
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.result_table import ResultTable, tables_as_csv, tables_as_json
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules, rules_of
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.store.manifest import table_of
from jamaica_sim.strategy.library import Strategies, strategy_from_weights
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.strategy.trust import woken
from jamaica_sim.tally.layout import TALLY_DTYPE
from jamaica_sim.tuning.tune import tune

DEFAULT_GAMES, DEFAULT_SEARCH_GAMES, DEFAULT_TRIALS, DEFAULT_FINALISTS, DEFAULT_RETUNE = 20_000, 8_000, 200, 3, 300
FRESH = 2**41  # the first deal of the verdict: no search and no tuning comes to it
MOST_TRIALS = 100_000


@dataclass(frozen=True, eq=False)
class Task:
    """What may change, what it should meet, and how thoroughly to look."""

    space: RuleSpace
    targets: tuple[Target, ...]
    games: int = DEFAULT_GAMES  # of the verdict
    search_games: int = DEFAULT_SEARCH_GAMES  # of a candidate that is worth them
    trials: int = DEFAULT_TRIALS
    finalists: int = DEFAULT_FINALISTS
    retune: int = DEFAULT_RETUNE  # variations of a strategy under the rules of a finalist; 0: players stay as they are
    name: str = "balance"
    source: str = ""
    title: str = ""
    description: str = ""


def make_task(space: RuleSpace, targets, **given: Any) -> Task:
    """A task; what cannot be searched is refused before the first game."""
    task = Task(space, tuple(targets), **given)
    check_games(task.games)
    check_games(task.search_games)
    for name, low, high in (("trials", 1, MOST_TRIALS), ("finalists", 1, 20), ("retune", 0, MOST_TRIALS)):
        if not is_whole(getattr(task, name), low, high):
            raise ValueError(f"{name} must be a whole number from {low} to {high:,}, not {getattr(task, name)!r}.")
    return task


def balance(
    targets: Mapping[str, Any],
    ranges: Mapping[str, Any] | None = None,
    *,
    games: int = DEFAULT_GAMES,
    search_games: int = DEFAULT_SEARCH_GAMES,
    trials: int = DEFAULT_TRIALS,
    finalists: int = DEFAULT_FINALISTS,
    retune: int = DEFAULT_RETUNE,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: "Callable[[Progress], object] | None" = None,
    **rule_changes: Any,
) -> "Balance":
    """Find rules that meet targets with as few changes as possible.

    Parameters
    ----------
    targets : dict
        Ranges of quantities, such as `{"ghost": (15, 25), "seats": {"at_most": 1}}`; shares in percent.
    ranges : dict, optional
        The rules that may change, with their values; the usual ones if left out.
    games : int
        Games of the verdict, for each set of rules.
    search_games : int
        Games of a promising candidate; poor ones play a sixteenth or a quarter of them.
    trials : int
        Candidates to try.
    finalists : int
        At most so many proposals are judged.
    retune : int
        Variations that each strategy is tuned by under the rules of a finalist; 0 leaves the players as they are.
    rules, strategies, seed, threads
        As `simulate` has them.
    progress : callable, optional
        Called with a `Progress` after every batch.

    Examples
    --------
    >>> from jamaica_sim import balance
    >>> found = balance({"shortages": {"at_most": 4}}, {"start_food": "0..6"}, trials=20, games=2000, retune=0)
    >>> print(found.sentence())
    """
    base = seat_table(rules_of(rule_changes) if rules is None else rules.but(**rule_changes), strategies, seed)
    space = around(base, None if ranges is None else dict(ranges))
    given = {"games": games, "search_games": search_games, "trials": trials, "finalists": finalists, "retune": retune}
    return carry_out(make_task(space, read_targets(dict(targets), base), **given), None, threads, progress)


@dataclass(frozen=True)
class Progress:
    """How far a search has come."""

    tried: int
    trials: int
    miss: float
    changes: str
    stage: str = "search"

    def sentence(self) -> str:
        """What to show while it runs."""
        if self.stage != "search":
            return self.stage
        return (
            f"{self.tried:,} of {self.trials:,} candidates; nearest so far: {self.changes} (misses by {self.miss:.2f})"
        )


def carry_out(task: Task, folder: LabFolder | None = None, threads=None, progress=None) -> "Balance":
    """Search, judge, tune and judge again; with a folder Ctrl-C raises `Stopped`, and what is done is kept."""
    run = _Run(task, folder, threads, progress)
    try:
        need("optuna")
        with stop_on_signals() as stop:
            run.stop = stop
            run.search()
            run.judge()
            run.adapt()
        run.keep(complete=True)
        if folder is not None:
            folder.finish_writing()
    except KeyboardInterrupt:
        if folder is None:
            raise
        run.keep(now=True)
        folder.finish_writing()
        raise StoppedSearch(folder.path, run.tried, "candidates") from None
    finally:
        if folder is not None:
            folder.close()
    return Balance(task, run.state)


class _Run:
    """One search with its state, which is all that a folder keeps."""

    def __init__(self, task, folder, threads, progress):
        self._task, self._folder, self._threads, self._progress = task, folder, threads, progress
        self.state = dict(folder.state) if folder else {}
        self.stop = threading.Event()
        self._started = time.perf_counter()
        self._games = folder.games_done if folder else 0

    @property
    def tried(self):
        return sum(map(len, self.state.get("batches", [])))

    def keep(self, complete=False, now=False):
        if self._folder is not None:
            seconds = time.perf_counter() - self._started
            self._folder.keep(dict(self.state), self._games, seconds, complete, now)

    def _play(self, tables, games, first=0):
        results = play_tables(tables, games, first, self._threads, self.stop)
        if results is None:
            raise KeyboardInterrupt
        self._games += games * len(tables)
        return results

    def search(self):
        task = self._task
        if "scales" not in self.state:
            (base,) = self._play([task.space.base], max(2, task.search_games // 4))
            self.state |= {"scales": [t.quantity.deviation(base) or 1.0 for t in task.targets], "batches": []}
        search = search_of(task, self.state, learns=True)
        while search.tried < task.trials:
            points = search.ask()
            if not points:  # every candidate is known
                return
            search.tell(self._tried(search, points))
            self.state["batches"] = [*self.state["batches"], [_plain(c) for c in search.batches[-1]]]
            self.keep()
            self._tell(search)

    def _tell(self, search):
        if self._progress is not None:
            best = min(search.front() or search.known.values(), key=search.miss)
            words = search.space.words(best.point)
            self._progress(Progress(search.tried, self._task.trials, search.miss(best), words))

    def _tried(self, search, points):
        """The candidates at these points; those that are worth it play on, on the deals that follow."""
        quantities = [target.quantity for target in self._task.targets]
        tables = [self._task.space.table(point) for point in points]
        tallies = [np.zeros(1, TALLY_DTYPE) for _ in points]
        found: list[Candidate | None] = [None] * len(points)
        playing, played = list(range(len(points))), 0
        for games in search.rungs:
            results = self._play([tables[i] for i in playing], games - played, played)
            for i, one in zip(playing, results, strict=True):
                tallies[i].view(np.int64)[:] += one.tally.reshape(1).view(np.int64)
                values, errors = measure_of(quantities, Results(tables[i], tallies[i][0], 0, 0.0))
                found[i] = Candidate(points[i], games, tuple(values), tuple(errors))
            playing = [i for i in playing if points[i] == search.origin or search.is_worth_more(found[i])]
            played = games
            if not playing:
                break
        return found

    def judge(self):
        """Finalists and the base rules on fresh deals."""
        if "verdict" in self.state:
            return
        self._say(f"The finalists play {self._task.games:,} fresh deals")
        tables = [self._task.space.base, *(self._task.space.table(p) for p in self._finalists())]
        self.state["verdict"] = [measured(played) for played in self._play(tables, self._task.games, FRESH)]
        self.keep(now=True)

    def _finalists(self):
        return finalists_of(self._task, search_of(self._task, self.state))

    def adapt(self):
        """Tune the players under each set of rules, and judge again."""
        task = self._task
        if not task.retune or not self._finalists():
            self.state.setdefault("adapted", [])
            return
        done = list(self.state.get("adapted", []))
        tables = [task.space.base, *(task.space.table(p) for p in self._finalists())]
        for number, table in enumerate(tables[len(done) :], len(done)):
            self._say(f"The players adapt to rules {number + 1} of {len(tables)}")
            players = self._retuned(table)
            seated = GameTable.seat(table.rules, players, table.seed)
            (played,) = self._play([seated], task.games, FRESH)
            weights = [p.changes if p.kind == "data" else None for p in players]
            done.append({**measured(played), "weights": weights, "names": [p.name for p in players]})
            self.state["adapted"] = list(done)
            self.keep(now=True)

    def _retuned(self, table):
        """The line-up with every strategy of weights tuned against the line-up as it was; others stay."""
        better: dict[str, Strategy] = {}
        for strategy in table.strategies:
            if strategy.digest in better or strategy.kind != "data":
                continue
            found = tune(
                strategy,
                against=list(dict.fromkeys(table.strategies)),
                rules=table.rules,
                evaluations=self._task.retune,
                games=max(400, self._task.games),
                seed=table.seed,
                threads=self._threads,
            )
            if not found.complete or self.stop.is_set():
                raise KeyboardInterrupt
            gains = found.is_new and found.gain().value > 0
            better[strategy.digest] = (
                strategy_from_weights(found.strategy.changes, strategy.name, f"{strategy.name}, retuned")
                if gains
                else strategy
            )
        return [better.get(strategy.digest, strategy) for strategy in table.strategies]

    def _say(self, stage):
        if self._progress is not None:
            self._progress(Progress(self.tried, self._task.trials, 0.0, "", stage))


def _plain(candidate):
    return {
        "point": list(candidate.point),
        "games": candidate.games,
        "values": list(candidate.values),
        "errors": list(candidate.errors),
    }


def search_of(task: Task, state: dict, learns: bool = False) -> Search:
    """The search, rebuilt from what is kept; one that `learns` can go on."""
    batches = [
        [Candidate(tuple(c["point"]), c["games"], tuple(c["values"]), tuple(c["errors"])) for c in batch]
        for batch in state["batches"]
    ]
    scales = tuple(state["scales"])
    aims = tuple(_aim(target, scale, task.games) for target, scale in zip(task.targets, scales, strict=True))
    return Search(task.space, aims, scales, task.space.base.seed, task.search_games, batches, learns)


def _aim(target, scale, games):
    """What the search aims at: so far inside of the range that luck will not leave it in doubt."""
    margin = 3 * scale / math.sqrt(games)
    if math.isfinite(target.low) and math.isfinite(target.high):
        margin = min(margin, (target.high - target.low) / 4)
    return Target(target.quantity, target.low + margin, target.high - margin)


def finalists_of(task: Task, search: Search) -> list[tuple]:
    """The proposals that are judged: the best that different sets of rules can do, those that miss least.

    A set that contains another one, and comes no nearer to the targets, changes something for nothing.
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


def measured(results: Results) -> dict:
    """What was measured, with all that intervals and paired differences need."""
    return {
        "games": results.games,
        "sums": {q.key: (q.scale * q.sums(results)).tolist() for q in quantities_of(results.table)},
    }


@dataclass(frozen=True, eq=False)
class Balance:
    """What was found: the front, and the finalists judged on fresh deals, with the old players and with new ones."""

    task: Task
    state: dict = field(repr=False)

    @cached_property
    def search(self) -> Search:
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

    @property
    def games(self) -> int:
        """All games of the search and of the verdicts; those of the tuning are not counted."""
        judged = [*self.state["verdict"], *self.state.get("adapted", [])]
        return sum(c.games for c in self.search.known.values()) + sum(one["games"] for one in judged)

    def words(self, number: int) -> str:
        """A set of rules in words: 0 are the base rules, then the proposals."""
        return self.task.space.words(self.proposals[number - 1]) if number else "as it is"

    def rules(self, number: int) -> Rules:
        """The rules of a proposal, from 1."""
        return self.task.space.table(self.proposals[number - 1]).rules if number else self.task.space.base.rules

    def changes(self, number: int) -> dict[str, Any]:
        """What a proposal changes, from 1."""
        return self.task.space.changes(self.proposals[number - 1]) if number else {}

    def value(self, key: str, number: int, adapted: bool = False) -> Estimate:
        """A quantity under a set of rules on fresh deals; shares in percent."""
        kept = self._kept(adapted)[number]
        return jackknife(np.array(kept["sums"][key]), kept["games"])

    def difference(self, key: str, number: int, adapted: bool = False) -> Estimate:
        """How much more there is than under the base rules, on the same fresh deals; shares in points."""
        base, kept = self._kept(adapted)[0], self._kept(adapted)[number]
        return jackknife(np.array(kept["sums"][key]) - np.array(base["sums"][key]), kept["games"])

    def _kept(self, adapted):
        return self.state["adapted" if adapted else "verdict"]

    def verdict(self, target: Target, number: int, adapted: bool = False) -> str:
        """Whether a target is met: met, missed, too close to call."""
        return target.verdict(self.value(target.quantity.key, number, adapted))

    def met(self, number: int, adapted: bool = False) -> int:
        """How many targets are met."""
        return sum(self.verdict(target, number, adapted) == "met" for target in self.task.targets)

    @property
    def best(self) -> int:
        """The proposal that meets the most targets, with the players that adapted where there are; 0 for none."""
        adapted, order = self.has_adapted, range(1, len(self.proposals) + 1)
        return max(order, key=lambda n: (self.met(n, adapted), -self.miss(n, adapted), -n), default=0)

    def miss(self, number: int, adapted: bool = False) -> float:
        """How far a set of rules misses the targets on fresh deals, in effect sizes, all together."""
        pairs = zip(self.task.targets, self.state["scales"], strict=True)
        return sum(t.distance(self.value(t.quantity.key, number, adapted).value) / scale for t, scale in pairs)

    def front(self) -> ResultTable:
        """The Pareto front of the search: what each number of changes can reach."""
        rows = []
        for candidate in self.search.front():
            cells = [
                Estimate(v, v - 1.96 * e, v + 1.96 * e, candidate.games)
                for v, e in zip(candidate.values, candidate.errors, strict=True)
            ]
            rows.append((self.task.space.words(candidate.point), f"{self.search.miss(candidate):.2f}", *cells))
        columns = ("changes", "misses by", *(t.quantity.column for t in self.task.targets))
        return ResultTable("Front", columns, rows, note="of the search; shares in percent; misses in effect sizes")

    def judged(self, adapted: bool = False) -> ResultTable:
        """The finalists on fresh deals: each target with its verdict, and the paired difference to the base rules."""
        rows = []
        for target in self.task.targets:
            for number in range(len(self.proposals) + 1):
                key = target.quantity.key
                difference = self.difference(key, number, adapted) if number else "base"
                told = (self.value(key, number, adapted), difference, self.verdict(target, number, adapted))
                rows.append((target.quantity.column, self.label(number), target.words(), *told))
        who = "players tuned under each set of rules" if adapted else "the same players"
        note = f"fresh deals, {who}; shares in percent and points"
        columns = ("target", "rules", "wanted", "value", "difference", "verdict")
        title = "Judged with players that adapted" if adapted else "Judged"
        return ResultTable(title, columns, rows, note=note, keys=2)

    def others(self, adapted: bool = False) -> ResultTable:
        """What else changes: the paired difference of every other quantity to the base rules, on fresh deals."""
        wanted = {target.quantity.key for target in self.task.targets}
        quantities = [q for q in quantities_of(self.task.space.base) if q.key not in wanted]
        rows = [
            (self.label(n), *(self.difference(q.key, n, adapted) for q in quantities))
            for n in range(1, len(self.proposals) + 1)
        ]
        note = "paired differences to the base rules, fresh deals; shares in points"
        title = "What else changes, with players that adapted" if adapted else "What else changes"
        return ResultTable(title, ("rules", *(q.column for q in quantities)), rows, note=note)

    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""
        adapted = [self.judged(True), self.others(True)] if self.has_adapted and self.proposals else []
        found = [self.judged(), self.others()] if self.proposals else []
        return [self.front(), *([self.proposed()] if self.proposals else []), *found, *adapted]

    def label(self, number: int) -> str:
        """The short name of a set of rules."""
        return f"proposal {number}" if number else "base rules"

    def proposed(self) -> ResultTable:
        """What each proposal changes."""
        rows = [(self.label(n), self.words(n)) for n in range(1, len(self.proposals) + 1)]
        return ResultTable("Proposals", ("rules", "changes"), rows)

    def as_json(self) -> str:
        """Facts and tables as one JSON object."""
        return tables_as_json({table.title: table for table in self.result_tables()}, self.facts())

    def as_csv(self) -> str:
        """The tables as one long CSV table."""
        return tables_as_csv({table.title: table for table in self.result_tables()})

    def facts(self) -> dict:
        """What was searched, as plain values."""
        base = self.task.space.base
        return {
            "games": self.task.games,
            "trials": self.search.tried,
            "seed": base.seed,
            "rules": base.rules.as_dict(),
            "strategies": [strategy.label for strategy in base.strategies],
            "targets": {target.quantity.key: target.words() for target in self.task.targets},
            "proposals": [
                {name: _json(v) for name, v in self.changes(n + 1).items()} for n in range(len(self.proposals))
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
        told = f"With {self.words(number)}, fresh deals meet {_of(self.met(number), count)}"
        if self.has_adapted:
            told += f", and {_of(self.met(number, True), count)} once the players have adapted"
        return f"{told}; under the base rules they meet {_of(self.met(0), count)}."

    def circumstances(self) -> str:
        """What is behind the figures."""
        rules, task = self.task.space.base.rules, self.task
        ghost = " and the ghost ship" if rules.ghost else ""
        who = ", ".join(dict.fromkeys(strategy.label for strategy in task.space.base.strategies))
        adapted = f", players tuned by {task.retune:,} variations" if self.has_adapted else ""
        return (
            f"{self.search.tried:,} candidates over {len(task.space.rules)} rules, {self.search.rungs[0]:,} to "
            f"{task.search_games:,} games of each on the same deals; {task.games:,} fresh games of each "
            f"finalist{adapted}: {rules.players} players{ghost} "
            f"({who}), edition {rules.edition}, seed {task.space.base.seed}; 95% intervals."
        )


def _json(value):
    return list(value) if isinstance(value, tuple) else value


def _all(count):
    return "the target" if count == 1 else f"all {count} targets"


def _of(met, count):
    if met == count:
        return _all(count)
    return "no target" if met == 0 else f"{met} of {count} targets"


# Folders


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
    base = task.space.base
    return {
        "name": name,
        "source": task.source,
        "title": task.title,
        "description": task.description,
        "rules": base.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in base.strategies],
        "seed": base.seed,
        "games": task.games,
        "search_games": task.search_games,
        "trials": task.trials,
        "finalists": task.finalists,
        "retune": task.retune,
        "ranges": [{"name": r.name, "values": [_json(v) for v in r.values]} for r in task.space.rules],
        "targets": [{"quantity": t.quantity.key, "low": _finite(t.low), "high": _finite(t.high)} for t in task.targets],
    }


def _finite(end):
    return end if np.isfinite(end) else None


def task_of(config: dict) -> Task:
    """The task that a configuration describes; code of strategies is only read."""
    base = table_of(config)
    space = around(base, {rule["name"]: rule["values"] for rule in config["ranges"]})
    targets = {}
    for target in config["targets"]:
        ends = {"at_least": target["low"], "at_most": target["high"]}
        targets[target["quantity"]] = {name: end for name, end in ends.items() if end is not None}
    names = ("games", "search_games", "trials", "finalists", "retune", "name", "source", "title", "description")
    return make_task(space, read_targets(targets, base), **{name: config[name] for name in names})


def run_balance(task: Task, out, threads=None, progress=None, trust: bool = False) -> Balance:
    """Search into a new folder."""
    woken(task.space.base.strategies, trust)
    folder = LabFolder.start(out, configuration(task, Path(out).resolve().name), BALANCE)
    return carry_out(task, folder, threads, progress)


def resume_balance(path, threads=None, progress=None, trust: bool = False) -> Balance:
    """Go on from the folder alone."""
    folder = LabFolder.go_on(path, BALANCE)
    task = task_of(folder.config)
    woken(task.space.base.strategies, trust)
    return carry_out(task, folder, threads, progress)


def unfinished_balance(path) -> Task | None:
    """The task of a folder with something left to do."""
    config = unfinished_search(path, BALANCE)
    return None if config is None else task_of(config)


def load_balance(path: str | os.PathLike[str]) -> Balance:
    """The search in a folder, which must be complete."""
    config, state = finished_search(path, BALANCE)
    return Balance(task_of(config), state)
