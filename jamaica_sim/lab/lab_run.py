"""A search of the laboratory: what it is asked, and carrying it out, with or without a folder that keeps its state."""

import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from jamaica_sim.lab.common_deals import play_tables, with_drama
from jamaica_sim.lab.lab_folder import STATE, LabFolder, finished_search, unfinished_search
from jamaica_sim.lab.rule_space import RuleSpace
from jamaica_sim.limits import check_threads
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.drama import MATTER
from jamaica_sim.results.results import Results
from jamaica_sim.run.simulate import Stopped
from jamaica_sim.store.manifest import FolderFault, ManifestKind
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.user_files import AnyPath


@dataclass(frozen=True, eq=False, kw_only=True)
class LabTask:
    """What a search is asked: the rules that may vary, and how many games are played."""

    space: RuleSpace
    games: int
    name: str
    title: str = ""
    description: str = ""

    KIND: ClassVar[ManifestKind]  # of its folder

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.space.base.strategies

    @property
    def drama(self) -> tuple[str, ...]:
        """The measures of tension that are to be taken as well."""
        return ()

    def awake(self, trust: bool = False) -> Self:
        """The same task with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, space=self.space.awake(trust))

    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """What else decides the result, as plain values."""

    @abstractmethod
    def wrong_state(self, state: dict[str, Any], complete: bool) -> str:
        """The first wrong entry in the state that a folder keeps of a search; empty where all is well."""

    @classmethod
    @abstractmethod
    def read(cls, config: dict[str, Any]) -> Self:
        """The task that a configuration describes; code of strategies is read, not run."""

    def configuration(self, name: str) -> dict[str, Any]:
        """Everything that decides the result, as a folder of this name records it."""
        names = {"name": name, "title": self.title, "description": self.description}
        return {**names, **self.space.as_dict(), "games": self.games, **self.numbers()}


AnyTask = TypeVar("AnyTask", bound=LabTask)


class StoppedSearch(Stopped):
    """A search was stopped on request; its measurements are saved."""

    def __init__(self, path: AnyPath, done: int, what: str) -> None:
        KeyboardInterrupt.__init__(
            self, f"Stopped: {done:,} {what} are measured and saved. Go on with: {resume_command(path)}"
        )


class LabRun(Generic[AnyTask]):
    """One search with its state, which is everything that a folder keeps of it."""

    MEASURED: ClassVar[str]  # what is measured, in words

    def __init__(
        self,
        task: AnyTask,
        folder: LabFolder | None = None,
        threads: int | None = None,
        progress: Callable[..., object] | None = None,
    ) -> None:
        self.task, self.threads, self.progress = task.awake(), threads, progress
        self.state: dict[str, Any] = dict(folder.state) if folder else {}
        self.games = folder.games_done if folder else 0
        self.stop = threading.Event()
        self._folder, self._started = folder, time.perf_counter()

    @abstractmethod
    def search(self) -> None:
        """Do what is not in the state yet."""

    @property
    @abstractmethod
    def done(self) -> int:
        """How much is measured."""

    def play(self, tables: list[GameTable], games: int, first: int = 0) -> list[Results]:
        """The results of tables on the same deals; a stop raises KeyboardInterrupt."""
        results = play_tables(tables, games, first, self.threads, self.stop)
        if results is None:
            raise KeyboardInterrupt
        self.games += games * len(tables)
        wanted = self.task.drama
        return with_drama(results, self.threads, self.stop, matter=MATTER in wanted) if wanted else results

    def keep(self, complete: bool = False, now: bool = False) -> None:
        """Save the state, if there is a folder and it is time."""
        if self._folder is not None:
            self._folder.keep(self.state, self.games, time.perf_counter() - self._started, complete, now)

    def carry_out(self) -> dict[str, Any]:
        """Search to the end, and return the state. With a folder, Ctrl-C saves it and raises `Stopped`."""
        folder = self._folder
        try:
            with stop_on_signals() as self.stop:
                self.search()
            self.keep(complete=True)
            if folder is not None:
                folder.finish_writing()
        except KeyboardInterrupt:
            if folder is None:
                raise
            self.keep(now=True)
            folder.finish_writing()
            raise StoppedSearch(folder.path, self.done, self.MEASURED) from None
        finally:
            if folder is not None:
                folder.close()
        return self.state


def new_folder(task: LabTask, out: AnyPath, threads: int | None) -> LabFolder:
    """A new folder for a search."""
    check_threads(threads)
    task = task.awake()
    return LabFolder.start(out, task.configuration(Path(out).resolve().name), task.KIND)


def reopened(path: AnyPath, kind_of_task: type[AnyTask], trust: bool) -> tuple[AnyTask, LabFolder]:
    """The task and the folder of a search that was stopped."""
    folder = LabFolder.go_on(path, kind_of_task.KIND)
    try:
        task = kind_of_task.read(folder.config).awake(trust)
        _refuse_wrong(path, task, folder.state, complete=False)
    except BaseException:
        folder.close()
        raise
    return task, folder


def unfinished_task(path: AnyPath, kind_of_task: type[AnyTask]) -> AnyTask | None:
    """The task in a folder that has more to do; None where it is complete."""
    config = unfinished_search(path, kind_of_task.KIND)
    return None if config is None else kind_of_task.read(config)


def finished_task(path: AnyPath, kind_of_task: type[AnyTask]) -> tuple[AnyTask, dict[str, Any]]:
    """The task and the state in a folder, which must be complete."""
    config, state = finished_search(path, kind_of_task.KIND)
    task = kind_of_task.read(config)
    _refuse_wrong(path, task, state, complete=True)
    return task, state


def _refuse_wrong(path: AnyPath, task: LabTask, state: dict[str, Any], complete: bool) -> None:
    """Refuse a state that no search has written: it would end in a bug of ours, wherever it is used first."""
    if wrong := task.wrong_state(state, complete):
        raise FolderFault(f"{Path(path) / STATE} is damaged: {wrong} is not what a search writes.")
