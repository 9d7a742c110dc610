"""The folder of a sweep: a manifest and, for each set of rules, the folder of an ordinary run, the base rules first.

It is made, stopped and resumed like the folder of an experiment.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from jamaica_sim.experiment.folder import (
    ExperimentFolder,
    UnfinishedSettings,
    hash_of_configuration,
    is_setting,
    run_folders,
    unfinished_settings,
)
from jamaica_sim.experiment.run_experiment import Watch, play_settings
from jamaica_sim.lab.common_deals import with_drama
from jamaica_sim.lab.lab_run import wrong_type
from jamaica_sim.lab.ranges import MOST_VALUES, parse_swept, plain_value
from jamaica_sim.lab.sweep import DEFAULT_GAMES, MOST_POINTS, MOST_RULES, Sweep, SweepPlan, Swept, make_plan, play_sweep
from jamaica_sim.lab.sweep_file import LabFileError, load_sweep_file
from jamaica_sim.limits import check_threads
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.rules import Rules
from jamaica_sim.run.folder import keep_drama, load_results
from jamaica_sim.store.manifest import (
    Manifest,
    ManifestKind,
    configuration,
    is_plain_name,
    read_complete,
    read_plain,
)
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.user_files import AnyPath

Value = bool | int | float | str | list[bool | int | str]


class _Setting(TypedDict):
    values: list[Value]


class _Swept(TypedDict):
    name: str
    values: Annotated[list[Value], Meta(min_length=1, max_length=MOST_VALUES)]


class _Configuration(TypedDict):
    """The configuration in a folder."""

    name: str
    source: str
    title: str
    description: str
    swept: Annotated[list[_Swept], Meta(min_length=1, max_length=MOST_RULES)]
    settings: Annotated[list[_Setting], Meta(min_length=2, max_length=MOST_POINTS + 1)]


def _wrong_sweep(manifest: Manifest) -> str:
    config = manifest["configuration"]
    if wrong := wrong_type(config, _Configuration, "configuration"):
        return wrong
    if not is_plain_name(config["name"]):
        return "configuration.name"
    swept, settings = config["swept"], config["settings"]
    whole = all(is_setting(setting) and len(setting["values"]) == len(swept) for setting in settings)
    return "" if whole and len({s["folder"] for s in settings}) == len(settings) else "configuration.settings"


SWEEP = ManifestKind("jamaica-sweep/1", "a sweep's", re.compile(r"(?!)"), _wrong_sweep)  # no other files


class SweepFolder(ExperimentFolder):
    """The folder of one sweep, open for writing by this process alone."""

    kind = SWEEP

    @classmethod
    def of_plan(cls, path: AnyPath, plan: SweepPlan) -> "SweepFolder":
        """A new folder with a run's folder for each set of rules; nothing is played yet."""
        runs = {
            f"{number:03d}_{_in_words(plan.label(values))}"[:80]: configuration(table, 0, plan.games, per_game=False)
            for number, (values, table) in enumerate(zip(plan.points, plan.tables, strict=True))
        }
        return cls.of_runs(path, runs, _configuration(path, plan, runs))


def _in_words(label: str) -> str:
    return "_".join(re.findall(r"\w+", label.lower().replace("+", "plus ").replace("-", "minus ")))


def _configuration(path: AnyPath, plan: SweepPlan, runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": plan.name if plan.source else Path(path).resolve().name,
        "source": plan.source,
        "title": plan.title,
        "description": plan.description,
        "games": plan.games,
        "seed": plan.base.seed,
        "swept": [{"name": rule.name, "values": _plain(rule.values)} for rule in plan.swept],
        "settings": [
            {
                "folder": name,
                "label": plan.label(values),
                "values": _plain(values),
                "configuration": hash_of_configuration(config),
            }
            for values, (name, config) in zip(plan.points, runs.items(), strict=True)
        ],
    }


def _plain(values: Sequence[Any]) -> list[Any]:
    return [plain_value(value) for value in values]


def _values(given: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(tuple(value) if isinstance(value, list) else value for value in given)


def sweep(
    swept: Mapping[str, Any] | str | os.PathLike[str],
    games: int | None = None,
    *,
    rules: Rules | None = None,
    strategies: Strategies | None = None,
    seed: int = 1,
    threads: int | None = None,
    progress: Callable[[int], object] | None = None,
    out: str | os.PathLike[str] | None = None,
    measures: bool = False,
    **rule_changes: Any,
) -> Sweep:
    """Give one to three rules several values, and see how every main quantity responds, on the same deals.

    Parameters
    ----------
    swept : dict or str
        The values of one to three rules, such as `{"hand_size": range(2, 7)}` or `{"space.6.cost": "0..6"}`. One rule
        may be given as on the command line, `"hand_size=2..6"`. Or the name of a shipped sweep, or a TOML file.
    games : int, optional
        Games of each combination of values; the default is 20,000, or the number in the file.
    rules : Rules, optional
        All other rules; fields may also be given by name (`players=3, edition="2021"`).
    strategies, seed, threads
        As in `simulate`.
    progress : callable, optional
        Called as `progress(games_done)`, of all combinations together; only without `out`.
    out : path, optional
        A new folder for the sweep, for `load_sweep`, `report_on` and `resume`.
    measures : bool
        Also measure tension: when games are decided, how chances swing, who still has hope, how long players wait.

    Examples
    --------
    >>> from jamaica_sim import sweep
    >>> hands = sweep({"hand_size": range(2, 5)}, games=100, edition="2021", strategies="random")
    >>> len(hands.plan.tables)
    3
    >>> hands.difference("rounds", {"hand_size": 4}).n
    100
    """
    if isinstance(swept, str) and "=" in swept:
        swept = dict([parse_swept(swept)])
    if isinstance(swept, str | os.PathLike):
        if rule_changes or rules is not None or strategies is not None or seed != 1:
            raise LabFileError("a sweep's file has its own rules, players and seed: only games may be given with it.")
        plan = load_sweep_file(swept, games)
    else:
        base = seat_table(rules, strategies, seed, **rule_changes)
        plan = make_plan(swept, base, DEFAULT_GAMES if games is None else games)
    result = play_sweep(plan, threads, progress) if out is None else run_sweep(plan, out, threads=threads)
    return measured(result, threads, out) if measures else result


def measured(played: Sweep, threads: int | None = None, out: AnyPath | None = None) -> Sweep:
    """The sweep with the tension of its games, which is kept in its folder; Ctrl-C raises KeyboardInterrupt."""
    with stop_on_signals() as stop:
        results = with_drama(list(played.results), threads, stop)
    if out is not None:
        folders = run_folders(Path(out), read_complete(out, SWEEP)["configuration"])
        for folder, of_table in zip(folders, results, strict=True):
            assert of_table.drama is not None
            keep_drama(folder, of_table.drama)
    return replace(played, results=tuple(results))


def run_sweep(plan: SweepPlan, out: AnyPath, watch: Watch | None = None, **who: Any) -> Sweep:
    """Play a sweep into a new folder; `watch` and `who` are as in `run_experiment`. Ctrl-C raises `Stopped`."""
    check_threads(who.get("threads"))
    plan = plan.awake(who.get("trust", False))
    play_settings(SweepFolder.of_plan(out, plan), watch, who)
    return load_sweep(out)


def resume_sweep(folder: AnyPath, watch: Watch | None = None, **who: Any) -> Sweep:
    """Go on with a sweep from its folder alone."""
    play_settings(SweepFolder.reopen(folder), watch, who)
    return load_sweep(folder)


def is_complete_sweep(path: AnyPath) -> bool:
    """Whether a folder has a sweep that was played to its end."""
    manifest = read_plain(path, SWEEP.whose)
    return manifest.get("schema") == SWEEP.schema and manifest.get("complete") is True


def unfinished_sweep(path: AnyPath) -> UnfinishedSettings | None:
    """What a sweep has left to do; None where it is complete and undamaged."""
    return unfinished_settings(path, SWEEP)


def load_sweep(path: str | os.PathLike[str]) -> Sweep:
    """The sweep in a folder that `jamaica-sim sweep --out` wrote; it must be complete.

    Examples
    --------
    >>> from jamaica_sim import FolderError, load_sweep
    >>> try:
    ...     load_sweep("nowhere")
    ... except FolderError as error:
    ...     print(str(error).split(":")[0])
    the folder nowhere is not a sweep's folder
    """
    path, manifest = Path(path), read_complete(path, SWEEP)
    config = manifest["configuration"]
    results = tuple(load_results(run) for run in run_folders(path, config))
    swept = tuple(Swept(r["name"], _values(r["values"])) for r in config["swept"])
    points = tuple(_values(setting["values"]) for setting in config["settings"])
    tables = tuple(played.table for played in results)
    names = {name: config[name] for name in ("name", "source", "title", "description")}
    return Sweep(SweepPlan(tables[0], swept, config["games"], points, tables, **names), results)
