"""A search of the laboratory: what it is asked, carrying it out, and the folder that keeps what it has measured.

The folder has a manifest and one file with all measurements so far. Like that of a run it appears complete, is written
by one process alone and can be resumed.
"""

import json
import re
import threading
import time
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypedDict, TypeVar

import msgspec

from jamaica_sim.codes import MAX_SHIPS
from jamaica_sim.errors import UserError
from jamaica_sim.lab.common_deals import play_tables, with_drama
from jamaica_sim.lab.rule_space import RuleSpace, make_space
from jamaica_sim.limits import check_games, check_threads, is_whole, whole_games
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.drama import MATTER
from jamaica_sim.results.results import Results
from jamaica_sim.run.simulate import Stopped
from jamaica_sim.store import manifest as manifests
from jamaica_sim.store import saved_folder as saved
from jamaica_sim.store.atomic_files import json_bytes
from jamaica_sim.store.manifest import FolderFault, Manifest, ManifestKind
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.user_files import AnyPath

STATE = "measured.json"


class PlainRange(TypedDict):
    """A rule that may vary, in a configuration."""

    name: str
    values: list[Any]


def lab_kind(schema: str, whose: str, form: Any) -> ManifestKind:
    """A kind of folder of the laboratory; `form` is the type of its configuration, apart from the table."""

    def check(manifest: Manifest) -> str:
        config = manifest["configuration"]
        if not manifests.is_plain_name(config.get("name")):
            return "configuration.name"
        if wrong := manifests.wrong_table(config, MAX_SHIPS) or wrong_type(config, form, "configuration"):
            return wrong
        named = [{rule["name"]: value} for rule in config["ranges"] for value in rule["values"]]
        return "configuration.ranges" if any(map(manifests.names_files, named)) else ""

    return ManifestKind(schema, whose, re.compile(re.escape(STATE)), check)


def wrong_type(value: Any, form: Any, what: str) -> str:
    """The first entry of a value that is not of its type, by its path; empty where all is well."""
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        path = re.search(r"at `\$\.?(.*?)(\[\.\.\.\])?`", str(error))
        return f"{what}.{path[1]}" if path else what
    except (RecursionError, ValueError):  # nested too deeply, or text that is no text
        return what
    return ""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabTask:
    """What a search is asked: the rules that may vary, and how many games are played."""

    space: RuleSpace
    games: int
    name: str
    title: str = ""
    description: str = ""

    KIND: ClassVar[ManifestKind]  # of its folder
    LIMITS: ClassVar[dict[str, tuple[int, int]]]  # of its numbers, by name

    @classmethod
    def checked(cls, space: RuleSpace, **given: Any) -> Self:
        """A task; None stands for the default. One that cannot be carried out is refused before the first game."""
        whole: dict[str, Any] = {name: whole_games(value) for name, value in given.items() if value is not None}
        task = cls(space=space, **whole)
        check_games(task.games)
        for name, (low, high) in cls.LIMITS.items():
            if not is_whole(value := getattr(task, name), low, high):
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

    def awake(self, trust: bool = False) -> Self:
        """The same task with the strategies' code loaded; a stranger's code is refused unless it is trusted."""
        return replace(self, space=self.space.awake(trust))

    @abstractmethod
    def wrong_state(self, state: dict[str, Any], complete: bool) -> str:
        """The first wrong entry in the state that a folder keeps of a search; empty where all is well."""

    @classmethod
    def read(cls, config: dict[str, Any], make: Callable[..., RuleSpace] = make_space) -> Self:
        """The task that a configuration describes; code of strategies is read, not run."""
        space = make(manifests.table_of(config), {rule["name"]: rule["values"] for rule in config["ranges"]})
        return cls.checked(space, **{field.name: config[field.name] for field in fields(cls) if field.name != "space"})

    def configuration(self, name: str) -> dict[str, Any]:
        """Everything that decides the result, as a folder of this name records it."""
        numbers = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "space"}
        return {**numbers, "name": name, **self.space.as_dict()}


class LabFolder(saved.SavedFolder):
    """The folder of one search, open for writing by this process alone."""

    state: dict[str, Any]

    @classmethod
    def start(cls, path: AnyPath, config: dict[str, Any], kind: ManifestKind) -> "LabFolder":
        """A new folder; nothing is measured yet."""
        folder = cls.begin(path, manifests.new_manifest(config, kind))
        folder.state = {}
        return folder

    @classmethod
    def go_on(cls, path: AnyPath, kind: ManifestKind) -> "LabFolder":
        """The folder of a search that was stopped."""
        of_kind: type[LabFolder] = type(cls.__name__, (cls,), {"kind": kind})
        return of_kind.reopen(path)

    def take_up(self) -> None:
        """Read the measurements."""
        self.state = _read_state(self.path, self.manifest) if self.manifest["files"] else {}

    def keep(self, state: dict[str, Any], games_done: int, seconds: float, complete: bool, now: bool) -> None:
        """Save the measurements so far, if it is time, at the end or if `now`."""
        if complete or now or self.is_time(saved.SAVE_EVERY):
            self.submit(self._write, json_bytes(state), games_done, self.seconds + seconds, complete)

    def how_to_go_on(self) -> str:
        """In words: the measurements are safe, and the command that resumes the search."""
        return f"what is measured so far is safe: go on with `{resume_command(self.path)}`"

    # In the background only

    def _write(self, content: bytes, games_done: int, seconds: float, complete: bool) -> None:
        self.commit(self.advanced(seconds, games_done=games_done, complete=complete), {STATE: content})


def _read_state(path: Path, manifest: Manifest) -> dict[str, Any]:
    """The measurements, checked against the manifest."""
    content = saved.read_counted(path, manifest, STATE)
    try:
        state = None if content is None else json.loads(content)
    except (ValueError, RecursionError):
        state = None
    if not isinstance(state, dict):
        raise FolderFault(f"{path / STATE} is missing or damaged: without it the search has to begin anew.")
    return state


class StoppedSearch(Stopped):
    """A search was stopped on request; its measurements are saved."""

    def __init__(self, path: AnyPath, done: int, what: str) -> None:
        KeyboardInterrupt.__init__(
            self, f"Stopped: {done:,} {what} are measured and saved. Go on with: {resume_command(path)}"
        )


AnyTask = TypeVar("AnyTask", bound=LabTask)
AnyAnswer = TypeVar("AnyAnswer", bound=Answer)
Progress = Callable[..., object]


class LabRun(Generic[AnyTask, AnyAnswer]):
    """One search with its state, which is everything that a folder keeps of it."""

    MEASURED: ClassVar[str]  # what is measured, in words
    TASK: type[AnyTask]

    def __init__(self, task: AnyTask, folder: LabFolder | None, threads: int | None, progress: Progress | None) -> None:
        self.task, self.threads, self.progress = task, threads, progress
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

    @staticmethod
    @abstractmethod
    def answer(task: AnyTask, state: dict[str, Any]) -> AnyAnswer:
        """What a search that is complete has found."""

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

    def carry_out(self) -> AnyAnswer:
        """Search to the end. With a folder, Ctrl-C saves the state and raises `Stopped`."""
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
        return self.answer(self.task, self.state)

    # What can be done with a task or a folder

    @classmethod
    def start(
        cls, task: AnyTask, out: AnyPath | None = None, threads: int | None = None, progress: Progress | None = None
    ) -> AnyAnswer:
        """Search, and keep the measurements in a new folder if one is named. Ctrl-C raises KeyboardInterrupt."""
        task, folder = task.awake(), None
        if out is not None:
            check_threads(threads)
            folder = LabFolder.start(out, task.configuration(Path(out).resolve().name), task.KIND)
        return cls(task, folder, threads, progress).carry_out()

    @classmethod
    def resume(
        cls, path: AnyPath, progress: Progress | None = None, *, threads: int | None = None, trust: bool = False
    ) -> AnyAnswer:
        """Go on with a search from its folder alone."""
        folder = LabFolder.go_on(path, cls.TASK.KIND)
        try:
            task = cls._task(path, folder.config, folder.state, complete=False).awake(trust)
        except BaseException:
            folder.close()
            raise
        return cls(task, folder, threads, progress).carry_out()

    @classmethod
    def unfinished(cls, path: AnyPath) -> AnyTask | None:
        """The task in a folder that has more to do; None where it is complete and undamaged."""
        path, manifest = Path(path), manifests.read_manifest(path, cls.TASK.KIND)
        if saved.is_tidy(path, manifest) and saved.read_counted(path, manifest, STATE) is not None:
            return None
        manifests.refuse_other_program(path, manifest)
        return cls.TASK.read(manifest["configuration"])

    @classmethod
    def load(cls, path: AnyPath) -> AnyAnswer:
        """What the search in a folder, which must be complete, has found."""
        path, manifest = Path(path), manifests.read_complete(path, cls.TASK.KIND)
        state = _read_state(path, manifest)
        return cls.answer(cls._task(path, manifest["configuration"], state, complete=True), state)

    @classmethod
    def _task(cls, path: AnyPath, config: dict[str, Any], state: dict[str, Any], complete: bool) -> AnyTask:
        """The task in a folder. A state that no search has written is refused: it would end in a bug of ours."""
        task = cls.TASK.read(config)
        if wrong := task.wrong_state(state, complete):
            raise FolderFault(f"{Path(path) / STATE} is damaged: {wrong} is not what a search writes.")
        return task
