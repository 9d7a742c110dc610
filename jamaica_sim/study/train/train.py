"""Training from a start to a verdict: generations of labels, a net from all of them, and a test on fresh deals.

Labels are made in lots, and a lot depends on the task and its number alone. The first generation's positions come from
games of the start and of weaker versions of it. Each later generation is as large as all before it together, and the
net of the generation before has most of the seats.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, NoReturn

from jamaica_sim import __version__
from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes, leftovers_of, write_whole
from jamaica_sim.files.limits import MOST_GAMES, check_seed, is_int_between
from jamaica_sim.files.user_files import read_plain_file
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.chunks import Deputy, in_order, threads_or_all
from jamaica_sim.play.compile_ahead import COMPARE, compile_missing
from jamaica_sim.play.compile_ahead import needs_compiling as needs_compiling_of
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.strategy.library import AnyStrategy, Strategies, load_strategies, load_strategy
from jamaica_sim.strategy.net.layout import LAYOUT_HASH
from jamaica_sim.strategy.net.net_file import LARGEST_NET, read_net, write_net
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.strategy.toml_file import read_toml, write_toml
from jamaica_sim.study.train.compiled import label_all, note_all, train_batches
from jamaica_sim.study.train.examples import (
    Examples,
    LabelMaker,
    arrays_of,
    examples_of,
    new_parameters,
    parameters_of,
    read_examples,
    together,
    train_on,
    write_examples,
)
from jamaica_sim.study.tune.arena import Arena, try_strategies
from jamaica_sim.study.tune.evolution import TuningError, refuse_foreign, refuse_other_task
from jamaica_sim.study.tune.tune import tables_of
from jamaica_sim.study.tune.tuned import Tuned

DEFAULT_START, DEFAULT_FIELD = "master", "veteran"
DEFAULT_LABELS, DEFAULT_GAMES = 300_000, 20_000
LOT = 4_000  # labels
FIRST_GENERATION = 25  # lots
LOTS_OF_TWO = 3  # of a table of two players, for each lot of another one
MOST_LABELS = 100_000_000
EPOCHS, LAST_EPOCHS = 3, 6  # over all labels: for the net of a generation, and at the end
RATE, RATE_OF_TRAINED = 2e-3, 1e-3  # of Adam: from nothing, and from a net
VERDICT_DEALS = 2**42  # the first deal of the verdict; no game with labels has such a number
# Weaker versions of the start's weights, and the shares of the seats: the strongest player so far comes first.
ERRING = ({"noise": 3.0}, {"foresight": 0.0, "noise": 10.0})
SHARES = (0.6, 0.25, 0.15)
TASK = "task.json"
TEACHER = "\n[search]\nrollouts = 24\ndepth = 3\ngate = 0\ndrop = 2.5\n"


@dataclass(frozen=True, eq=False)
class Task:
    """What is trained, for which tables, and with how many labels."""

    start: Strategy
    arena: Arena
    labels: int
    name: str = "trained"
    games: int = DEFAULT_GAMES

    def facts(self) -> dict[str, Any]:
        """Everything that decides a lot of labels, as plain values. How many labels is not included: it may grow."""
        return {
            "program": f"{__version__}, facts {LAYOUT_HASH}",
            "start": self.start.digest,
            "tables": [rules.as_dict() for rules in self.arena.tables],
            "seed": self.arena.seed,
        }

    @property
    def lots(self) -> int:
        """How many lots of labels."""
        return -(-self.labels // LOT)

    def table_of(self, lot: int) -> Rules:
        """The table of a lot: each in turn, tables of two players more often, because no other kind resembles them."""
        turns = [rules for rules in self.arena.tables for _ in range(LOTS_OF_TWO if rules.players == 2 else 1)]
        return turns[lot % len(turns)]

    def generations(self) -> Iterator[range]:
        """The lots of each generation."""
        first, last = 0, min(FIRST_GENERATION, self.lots)
        while first < last:
            yield range(first, last)
            first, last = last, min(2 * last, self.lots)

    def strategy(self, content: bytes) -> Strategy:
        """The strategy with a net."""
        where = f"{len(self.arena.tables)} kinds of table" if len(self.arena.tables) > 1 else "one kind of table"
        made = f"A net that began as {self.start.name}, taught by search at {where}: {self.labels:,} labels."
        text = write_toml(self.name, made, self.start.changes, net=f"{self.name}.npz")
        return read_toml(text, Path(f"{self.name}.toml"), content)


@dataclass(frozen=True, eq=False, repr=False)
class Trained(Tuned):
    """The net that was trained, and how it did on deals without labels; `evaluations` counts the labels."""

    @property
    def is_new(self) -> bool:
        """A trained net is always new."""
        return True

    def sentence(self) -> str:
        """The result in one sentence to quote."""
        if not self.complete:
            return f"Stopped after {self.evaluations:,} labels, before the verdict."
        return super().sentence()

    def circumstances(self) -> str:
        """What is behind the figures."""
        minutes = self.seconds / 60
        return f"{self.evaluations:,} labels; {minutes:.1f} minutes; 95% intervals over deals without labels."


def train(
    start: AnyStrategy = DEFAULT_START,
    *,
    out: str | os.PathLike[str],
    players: int | Sequence[int] | None = None,
    edition: int | str | Sequence[int | str] | None = None,
    rules: Rules | None = None,
    every_table: bool = False,
    labels: int = DEFAULT_LABELS,
    against: Strategies = DEFAULT_FIELD,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
    **rule_changes: Any,
) -> Trained:
    """Train a net that plays by itself what search would play, for given rules; the result is a strategy file.

    Parameters
    ----------
    start : str, dict or Strategy
        A strategy with a net, which is trained further, or one of weights, whose net begins with random numbers.
    out : path
        The strategy file to write, such as mine.toml. The net comes beside it, and so does a folder with the labels,
        from which the same call resumes.
    players, edition : int, str or lists of them, optional
        Kinds of table: every number of players with every edition. 4 players and 2007 if none is named.
    rules : Rules, optional
        The rules of all tables, before `players`, `edition` and further fields by name (`ghost=True, hand_size=4`).
    every_table : bool
        Instead: tables of every kind, 2 to 6 players, both editions, with and without the ghost ship.
    labels : int
        How many decisions search is asked about, at all tables together.
    against : str, dict, Strategy or list of them
        The pool of opponents for the verdict.
    games : int
        Games that the net and the start each play for the verdict.
    seed : int
        Seed of all luck.
    threads : int, optional
        They change nothing but the speed.
    progress : callable, optional
        Called with what is done ("labels" or "training"), how much and out of how much.

    Examples
    --------
    >>> from jamaica_sim import train
    >>> trained = train("champion", out="expert.toml", labels=300, games=40)
    >>> trained.strategy.name
    'expert'
    """
    tables = tuple(every_rules()) if every_table else tables_of(rules, players, edition, **rule_changes)
    task = make_task(start, tables, labels, against, games, seed, Path(out).stem)
    return carry_out(task, out, threads, progress)


def make_task(
    start: AnyStrategy,
    tables: tuple[Rules, ...],
    labels: int = DEFAULT_LABELS,
    against: Strategies = DEFAULT_FIELD,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    name: str = "trained",
) -> Task:
    """The task that these options describe. Refuses what cannot be trained."""
    for what, number, most in (("labels", labels, MOST_LABELS), ("games of the verdict", games, MOST_GAMES)):
        if not is_int_between(number, 1, most):
            raise TuningError(f"the {what} must be a whole number from 1 to {most:,}, not {number!r}.")
    check_seed(seed)
    loaded = load_strategy(start)
    if loaded.kind not in ("data", "net"):
        raise TuningError(f"the strategy {loaded.name} cannot be trained: it is not a file of weights or with a net.")
    if loaded.bans:
        raise TuningError(f"the strategy {loaded.name} cannot be trained: it has bans.")
    return Task(loaded, Arena(tables, tuple(load_strategies(against)), seed), labels, name, games)


def needs_compiling(task: Task) -> str:
    """What has to be compiled before the first label, in words; empty where nothing has to be."""
    players = needs_compiling_of([task.start, *task.arena.pool], COMPARE)
    compiled = (label_all, note_all, train_batches)
    return players or ("" if all(entry.is_compiled() for entry in compiled) else "the trainer (about half a minute)")


def warm_up(task: Task) -> None:
    """Compile everything, so that nothing has to wait for it later."""
    compile_missing([task.start, *task.arena.pool], COMPARE)
    rules, weights = task.arena.tables[0], task.start.changes
    labels = LabelMaker(rules, [task.start], (1.0,), teacher_of(weights)).make(task.arena.seed, 0, 8)
    examples = examples_of(labels, rules, load_strategy(weights).weights)
    train_on(new_parameters(0), examples, 1, RATE, 0, lambda done, of: False)


def teacher_of(weights: Mapping[str, float]) -> Strategy:
    """The strategy whose search gives the labels."""
    return read_toml(write_toml("teacher", "", weights) + TEACHER, Path("teacher.toml"))


def carry_out(
    task: Task,
    out: str | os.PathLike[str],
    threads: int | None = None,
    progress: Callable[[str, int, int], object] | None = None,
) -> Trained:
    """Train, or resume from the labels beside `out`; Ctrl-C keeps all whole lots, and the last net."""
    folder = _Folder(Path(out), task)
    training = _Training(task, folder, threads, progress or (lambda what, done, of: None))
    started = time.monotonic()
    with stop_on_signals() as stop:
        content, done = training.run(stop)
        strategy, trial = task.start if content is None else task.strategy(content), None
        if content is not None:
            folder.publish(strategy, content)
        if content is not None and not stop.is_set():
            deals = task.arena.deals(task.games)
            trial = try_strategies(task.arena, [strategy, task.start], VERDICT_DEALS, deals, threads, stop)
    return Trained(strategy, task.start, task.arena, trial, done, time.monotonic() - started)


class _Training:
    """Makes the labels that are missing and the net of each generation."""

    def __init__(
        self, task: Task, folder: "_Folder", threads: int | None, progress: Callable[[str, int, int], object]
    ) -> None:
        self._task, self._folder, self._threads, self._progress = task, folder, threads_or_all(threads), progress
        weights = task.start.changes
        self._erring = [load_strategy({**weights, **change}) for change in ERRING]
        self._teacher = teacher_of(weights)

    def run(self, stop: Event) -> tuple[bytes | None, int]:
        """The content of the last net's file, if there is one yet, and the number of labels."""
        content: bytes | None = None
        parts: list[Examples] = []
        for number, lots in enumerate(self._task.generations(), 1):
            best = self._task.start if content is None else self._task.strategy(content)
            for examples in self._lots(lots, best, stop):
                parts.append(examples)
                self._progress("labels", len(parts) * LOT, self._task.lots * LOT)
            if len(parts) < lots.stop:
                break
            is_last = lots.stop == self._task.lots
            kept = None if is_last else self._folder.net(number)
            found = kept or self._net(together(parts), LAST_EPOCHS if is_last else EPOCHS, stop)
            if found is None:
                break
            content = found
            if not is_last and kept is None:
                self._folder.keep_net(number, content)
        return content, len(parts) * LOT

    def _lots(self, lots: range, best: Strategy, stop: Event) -> Iterator[Examples]:
        """The examples of these lots in order, from the disk or made now."""
        task, folder = self._task, self._folder

        def examples(worker: Deputy, lot: int) -> Examples:
            kept = folder.lot(lot)
            if kept is not None:
                return kept
            rules = task.table_of(lot)
            maker = LabelMaker(rules, [best, *self._erring], SHARES, self._teacher)
            worker.asking = maker.player
            labels = maker.make(task.arena.seed, lot, LOT)
            weights = load_strategy(task.start.changes).weights_for(rules.components.treasures)
            made = examples_of(labels[labels["options"] > 1], rules, weights)
            folder.keep_lot(lot, made)
            return made

        with closing(in_order(Deputy, examples, lots, self._threads, stop)) as made:
            yield from made

    def _net(self, examples: Examples, epochs: int, stop: Event) -> bytes | None:
        net = self._task.start.net
        parameters = new_parameters(self._task.arena.seed) if net is None else parameters_of(net.arrays)
        rate = RATE if net is None else RATE_OF_TRAINED

        def show(done: int, of: int) -> bool:
            self._progress("training", done, of)
            return stop.is_set()

        trained = train_on(parameters, examples, epochs, rate, self._task.arena.seed, show)
        return None if trained is None else write_net(arrays_of(trained))


def _folder_of(out: Path) -> Path:
    return out.with_name(f"{out.stem}.training")


def _is_empty(folder: Path) -> bool:
    """Whether it is a folder in which no file could be written yet: the disk was full, or the process killed."""
    return folder.is_dir() and {*folder.iterdir()} <= {*leftovers_of(folder / TASK)}


def refuse_other_files(out: Path, task: Task) -> None:
    """Refuse to write over files of something else, or to go on with the labels of another task."""
    folder = _folder_of(out)
    refuse_foreign(out, folder / TASK, (out.with_suffix(".npz"), *([] if _is_empty(folder) else [folder])))
    if not (folder / TASK).is_file():
        return
    try:
        found = json.loads(read_plain_file(folder / TASK))
    except (OSError, ValueError, RecursionError):
        found = None
    refuse_other_task(folder, "training", found if isinstance(found, dict) else {}, task.facts())


def _damaged(problem: str) -> NoReturn:
    raise TuningError(problem)


class _Folder:
    """The files of a training: the strategy and its net, and beside them a folder with the labels."""

    def __init__(self, out: Path, task: Task) -> None:
        refuse_other_files(out, task)
        self._out, self._path = out, _folder_of(out)
        self._path.mkdir(exist_ok=True)
        if not (self._path / TASK).is_file():
            try:
                write_whole(self._path / TASK, json_bytes(task.facts()))
            except OSError:
                with suppress(OSError):  # it may have been there before, with something in it
                    self._path.rmdir()
                raise

    def lot(self, number: int) -> Examples | None:
        """A lot that was kept; None where there is none, or a damaged one."""
        return read_examples(self._path / f"lot-{number:06d}.npz")

    def keep_lot(self, number: int, examples: Examples) -> None:
        """Keep a lot."""
        write_whole(self._path / f"lot-{number:06d}.npz", write_examples(examples))

    def net(self, generation: int) -> bytes | None:
        """The net of a generation that was kept; None where there is none."""
        try:
            content = read_plain_file(self._path / f"net-{generation}.npz", LARGEST_NET)
            read_net(content, "", _damaged)
        except (OSError, UserError):
            return None
        return content

    def keep_net(self, generation: int, content: bytes) -> None:
        """Keep the net of a generation."""
        write_whole(self._path / f"net-{generation}.npz", content)

    def publish(self, strategy: Strategy, content: bytes) -> None:
        """Write the strategy and its net."""
        write_whole(self._out.with_suffix(".npz"), content)
        write_whole(self._out, strategy.text.encode())
