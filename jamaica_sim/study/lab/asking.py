"""A study that asks: it looks at what it has measured and decides what is played next, until it has its answer.

A kind of search is a task, a function that asks, and an answer. Whatever it has measured is its state, plain values
and the sums of the games that were played for a verdict. A folder keeps both, so a search that was stopped goes on.
"""

import json
import re
import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypedDict, TypeVar

import numpy as np

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import hash_of, json_bytes, load_array, npy_bytes
from jamaica_sim.files.limits import check_games, check_threads, is_int_between, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.play import manifest as manifests
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import FolderFault, Manifest, ManifestKind
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.play.tally.layout import tally_dtype
from jamaica_sim.results.drama import BY_CHOICES
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study import saved_folder as saved
from jamaica_sim.study.lab.common_deals import play_tables, with_drama
from jamaica_sim.study.lab.rule_space import RuleSpace, make_space, need
from jamaica_sim.study.simulate import Stopped

STATE, SUMS = "measured.json", "sums.npy"  # with a hash in their names until the search is complete
FILES = re.compile(r"measured(-[0-9a-f]{12})?\.json|sums(-[0-9a-f]{12})?\.npy")
State = dict[str, Any]


class PlainRange(TypedDict):
    """A rule that may vary, in a configuration."""

    name: str
    values: list[Any]


class SearchFacts(manifests.TableFacts):
    """What the configuration of any search says."""

    name: str
    title: str
    description: str
    ranges: list[PlainRange]


def search_folder(schema: str, whose: str, form: Any) -> ManifestKind:
    """The folder of a kind of search; `form` is the type of its configuration."""

    def wrong(manifest: Manifest) -> str:
        config = manifest["configuration"]
        if not manifests.is_plain_name(config["name"]):
            return "configuration.name"
        named = [{rule["name"]: value} for rule in config["ranges"] for value in rule["values"]]
        return "configuration.ranges" if any(map(manifests.names_files, named)) else ""

    return ManifestKind(schema, whose, FILES, form, wrong)


@dataclass(frozen=True, eq=False, kw_only=True)
class SearchTask:
    """What a search is asked: the rules that may vary, and how many games are played."""

    space: RuleSpace
    games: int
    name: str
    title: str = ""
    description: str = ""

    FOLDER: ClassVar[ManifestKind]
    LIMITS: ClassVar[dict[str, tuple[int, int]]]  # of its numbers, by name

    @classmethod
    def checked(cls, space: RuleSpace, **given: Any) -> Self:
        """A task; None stands for the default. One that cannot be carried out is refused before the first game."""
        whole: dict[str, Any] = {name: whole_games(value) for name, value in given.items() if value is not None}
        task = cls(space=space, **whole)
        check_games(task.games)
        for name, (low, high) in cls.LIMITS.items():
            if not is_int_between(value := getattr(task, name), low, high):
                raise UserError(f"{name} must be a whole number from {low} to {high:,}, not {value!r}.")
        return task

    @property
    def strategies(self) -> tuple[Strategy, ...]:
        """Who plays."""
        return self.space.base.strategies

    @property
    def drama(self) -> tuple[str, ...]:
        """The measures of tension that are to be taken as well."""
        return ()

    def with_code(self, trust: bool = False) -> Self:
        """The same task with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, space=self.space.with_code(trust))

    @abstractmethod
    def wrong_state(self, state: State, sums: np.ndarray, complete: bool) -> str:
        """The first wrong entry in what a folder keeps of a search; empty where all is well."""

    @classmethod
    def read(cls, config: dict[str, Any], make: Callable[..., RuleSpace] = make_space) -> Self:
        """The task that a configuration describes; code of strategies is read, not run."""
        space = make(manifests.table_of(config), {rule["name"]: rule["values"] for rule in config["ranges"]})
        return cls.checked(space, **{field.name: config[field.name] for field in fields(cls) if field.name != "space"})

    def configuration(self, name: str) -> dict[str, Any]:
        """Everything that decides the result, as a folder of this name records it."""
        numbers = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "space"}
        return {**numbers, "name": name, **self.space.as_dict()}


class SearchFolder(saved.SavedFolder):
    """The folder of one search, open for writing by this process alone."""

    def keep(self, state: State, sums: np.ndarray, games_done: int, seconds: float, complete: bool) -> None:
        """Save what is measured. A file that has not changed is not written again."""
        contents = {STATE: json_bytes(state)} | ({SUMS: npy_bytes(sums)} if sums.size else {})
        manifest = self.advanced(self.seconds + seconds, games_done=games_done, complete=complete)
        self.submit(self._write, manifest, contents)

    def how_to_go_on(self) -> str:
        """In words: the measurements are safe, and the command that resumes the search."""
        return f"what is measured so far is safe: go on with `{resume_command(self.path)}`"

    def _write(self, manifest: Manifest, contents: dict[str, bytes]) -> None:
        """Called in the background only. A file has a new name for each content until the search is complete."""
        if not manifest["complete"]:
            contents = {name.replace(".", f"-{hash_of(one)[:12]}."): one for name, one in contents.items()}
        known = {name: self.manifest["files"][name] for name in contents if name in self.manifest["files"]}
        self.commit(manifest, {name: one for name, one in contents.items() if name not in known}, known)


def _read_measured(path: AnyPath, manifest: Manifest) -> tuple[State, np.ndarray]:
    """The state and the sums in a folder, checked against its manifest."""
    names = {name.partition(".")[0].partition("-")[0]: name for name in manifest["files"]}
    state: Any = {}
    sums = np.zeros(0, tally_dtype(len(manifest["configuration"].get("measures", {}))))
    if name := names.get("measured", STATE if manifest["complete"] else ""):
        content = saved.read_counted(path, manifest, name)
        try:
            state = None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            state = None
    if not isinstance(state, dict):
        raise FolderFault(f"{Path(path) / name} is missing or damaged: without it the search has to begin anew.")
    if name := names.get("sums", ""):
        content = saved.read_counted(path, manifest, name)
        found = None if content is None else load_array(content, sums.dtype)
        if found is None:
            raise FolderFault(f"{Path(path) / name} is missing or damaged: without it the search has to begin anew.")
        sums = found
    return state, sums


AnyTask = TypeVar("AnyTask", bound=SearchTask)
AnyAnswer = TypeVar("AnyAnswer")
Progress = Callable[..., object]


class SearchRun(Generic[AnyTask]):
    """One search as it goes on: its task, and everything that a folder keeps of it."""

    def __init__(
        self, kind: "SearchKind[AnyTask, Any]", task: AnyTask, folder: SearchFolder | None, threads: int | None
    ) -> None:
        self.task, self.threads, self.stop = task, threads, threading.Event()
        self.state: State = {}
        self.sums = np.zeros(0, tally_dtype(len(task.space.base.measures)))
        self._kind, self._folder, self._started = kind, folder, time.perf_counter()

    def play(self, tables: list[GameTable], games: int, first: int = 0, drama: bool = True) -> list[Results]:
        """The results of tables on the same deals; a stop raises KeyboardInterrupt."""
        results = play_tables(tables, games, first, self.threads, self.stop)
        if results is None:
            raise KeyboardInterrupt
        wanted = self.task.drama if drama else ()
        return (
            with_drama(results, self.threads, self.stop, matter=not {*BY_CHOICES}.isdisjoint(wanted))
            if wanted
            else results
        )

    def keep(self, complete: bool = False, now: bool = False) -> None:
        """Save what is measured, if there is a folder and it is time."""
        folder = self._folder
        if folder is not None and (complete or now or folder.is_time(saved.SAVE_EVERY)):
            games = self._kind.games(self.task, self.state, self.sums)
            folder.keep(self.state, self.sums, games, time.perf_counter() - self._started, complete)

    def carry_out(self, progress: Progress | None, remark: Callable[[str], object] | None = None) -> None:
        """Ask and play to the end. With a folder, Ctrl-C saves what is measured and raises `Stopped`."""
        folder, nothing = self._folder, lambda *_: None
        try:
            with stop_on_signals() as self.stop:
                self._kind.ask(self, progress or nothing, remark or nothing)
            self.keep(complete=True)
            if folder is not None:
                folder.finish_writing()
        except KeyboardInterrupt:
            if folder is None:
                raise
            self.keep(now=True)
            folder.finish_writing()
            measured = f"{self._kind.measured(self.state)} are measured and saved"
            raise Stopped(f"Stopped: {measured}. Go on with: {resume_command(folder.path)}") from None
        finally:
            if folder is not None:
                folder.close()


@dataclass(frozen=True)
class SearchKind(Generic[AnyTask, AnyAnswer]):
    """A kind of search: its task, how it asks, and its answer. What can be done with a task or a folder."""

    task: type[AnyTask]
    package: str  # that it needs
    ask: Callable[[SearchRun[AnyTask], Progress, Callable[[str], object]], None]  # measure what is not in the state yet
    answer: Callable[[AnyTask, State, np.ndarray], AnyAnswer]  # of a search that is complete
    measured: Callable[[State], str]  # how much, in words
    games: Callable[[AnyTask, State, np.ndarray], int]  # behind everything that is measured

    def start(
        self,
        task: AnyTask,
        out: AnyPath | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        remark: Callable[[str], object] | None = None,
    ) -> AnyAnswer:
        """Search, and keep what is measured in a new folder if one is named. Ctrl-C raises KeyboardInterrupt."""
        need(self.package)
        check_threads(threads)
        task, folder = task.with_code(), None
        if out is not None:
            config = task.configuration(Path(out).resolve().name)
            folder = SearchFolder.begin(out, manifests.new_manifest(config, task.FOLDER), kind=task.FOLDER)
        search = SearchRun(self, task, folder, threads)
        search.carry_out(progress, remark)
        return self.answer(task, search.state, search.sums)

    def resume(
        self, path: AnyPath, progress: Progress | None = None, *, threads: int | None = None, trust: bool = False
    ) -> AnyAnswer:
        """Go on with a search from its folder alone."""
        need(self.package)
        folder = SearchFolder.reopen(path, self.task.FOLDER)
        with closing(folder):
            task, state, sums = self._read(path, folder.manifest)
            search = SearchRun(self, task.with_code(trust), folder, threads)
            search.state, search.sums = state, sums
            search.carry_out(progress)
        return self.answer(search.task, search.state, search.sums)

    def unfinished(self, path: AnyPath) -> AnyTask | None:
        """The task in a folder that has more to do; None where it is complete and undamaged."""
        path, manifest = Path(path), manifests.read_manifest(path, self.task.FOLDER)
        if saved.is_intact(path, manifest):
            return None
        manifests.refuse_other_program(path, manifest)
        return self.task.read(manifest["configuration"])

    def load(self, path: AnyPath) -> AnyAnswer:
        """What the search in a folder, which must be complete, has found."""
        return self.answer(*self._read(path, manifests.read_complete(path, self.task.FOLDER)))

    def _read(self, path: AnyPath, manifest: Manifest) -> tuple[AnyTask, State, np.ndarray]:
        """The task in a folder, and what is measured. What no search writes is refused: it would be a bug of ours."""
        task, (state, sums) = self.task.read(manifest["configuration"]), _read_measured(path, manifest)
        if wrong := task.wrong_state(state, sums, manifest["complete"]):
            raise FolderFault(f"{Path(path) / STATE} is damaged: {wrong} is not what a search writes.")
        return task, state, sums
