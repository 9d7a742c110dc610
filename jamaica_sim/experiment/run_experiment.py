"""Playing an experiment: every setting in turn, on the same deals."""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from jamaica_sim.causes.findings import find_causes
from jamaica_sim.experiment.adapted import with_adapted_players
from jamaica_sim.experiment.file import Experiment, load_experiment
from jamaica_sim.experiment.folder import ExperimentFolder, is_unfinished
from jamaica_sim.experiment.study import Study, load_study
from jamaica_sim.house.trust import allow, check_trust
from jamaica_sim.limits import check_games, check_threads, whole_games
from jamaica_sim.run.folder import unfinished
from jamaica_sim.run.simulate import Stopped, resume_run
from jamaica_sim.store.manifest import read_manifest, table_of
from jamaica_sim.store.saved_folder import refuse_existing
from jamaica_sim.strategy.trust import woken
from jamaica_sim.user_files import AnyPath

# A context around each setting, given its label and number; it yields a function, called with the games done.
Watch = Callable[[str, int], AbstractContextManager[Callable[[int], object] | None]]


def run_experiment(
    experiment: Experiment | str | os.PathLike[str],
    out: str | os.PathLike[str],
    games: int | None = None,
    watch: Watch | None = None,
    **who: Any,
) -> Study:
    """Play every setting and write the experiment's folder; an interrupted experiment goes on where it stopped.

    The experiment may be given by its name or file.

    `watch(label, number)` is a context around each setting and yields a function, which is called with the games done.
    `who` says where to play: `threads` or `cluster`; `trust` lets code run that the user has not named. Ctrl-C raises
    `Stopped`.

    Examples
    --------
    >>> from jamaica_sim import run_experiment
    >>> study = run_experiment("player_counts", "counts", games=20)
    >>> study.games
    200
    """
    if not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    games = experiment.games if games is None else whole_games(games)
    check_games(games)
    check_threads(who.get("threads"))
    allow([setting.rules for setting in experiment.settings], who.get("trust", False))
    for setting in experiment.settings:
        if setting.rules.house_rules is not None:
            check_trust(setting.rules.house_rules)  # may refuse, before any game
    woken((s for setting in experiment.settings for s in setting.strategies), who.get("trust", False))  # may refuse
    if not is_unfinished(out, experiment, games):
        if experiment.adapt:
            refuse_existing(Path(out))  # before minutes of adapting
            experiment = with_adapted_players(experiment, who.get("threads"), getattr(watch, "remark", None))
        play_settings(ExperimentFolder.create(out, experiment, games), watch, who)
        return load_study(out)
    return resume_experiment(out, watch, **who)


def resume_experiment(folder: AnyPath, watch: Watch | None = None, **who: Any) -> Study:
    """Resume an experiment from its folder alone; damaged files are made again. See `run_experiment`."""
    play_settings(ExperimentFolder.reopen(folder), watch, who)
    return load_study(folder)


def play_settings(folder: ExperimentFolder, watch: Watch | None, who: dict[str, Any]) -> None:
    """Play the missing games of a folder's runs, one run after the other, and close the folder."""
    started = time.perf_counter()
    try:
        for number, (label, run) in enumerate(folder.runs()):
            if unfinished(run) is not None:
                with watch(label, number) if watch else nullcontext() as progress:
                    resume_run(run, progress=progress, **who)
                folder.count(time.perf_counter() - started)
        if folder.lacks_causes():
            _find_causes(folder, watch, who)
        folder.count(time.perf_counter() - started)  # an earlier process that was killed has not counted its games
        folder.finish_writing()
    except KeyboardInterrupt:
        folder.count(time.perf_counter() - started)
        folder.finish_writing()
        raise Stopped(folder.path, folder.games_done, folder.games_wanted) from None
    finally:
        folder.close()


def _find_causes(folder: ExperimentFolder, watch: Watch | None, who: dict[str, Any]) -> None:
    """Play the designs that the chapters need beside the settings."""
    tables = [table_of(read_manifest(run)["configuration"]).awake(who.get("trust", False)) for _, run in folder.runs()]
    config = folder.config
    found = find_causes(tables, config["chapters"], config["games"], who.get("threads"), getattr(watch, "remark", None))
    folder.keep_causes(found)
