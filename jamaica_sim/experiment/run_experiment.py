"""Playing an experiment: every setting in turn, on the same deals."""

import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from jamaica_sim.causes.findings import find_causes
from jamaica_sim.experiment.file import MOST_SETTINGS, Experiment, ExperimentError, load_experiment
from jamaica_sim.experiment.folder import ExperimentFolder, is_unfinished
from jamaica_sim.experiment.setting import LINE_UP, labelled
from jamaica_sim.experiment.study import Study, load_study
from jamaica_sim.house.trust import allow, check_trust
from jamaica_sim.limits import check_games, check_threads, whole_games
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.run.folder import unfinished
from jamaica_sim.run.simulate import Stopped, resume_run
from jamaica_sim.store.manifest import read_manifest, table_of
from jamaica_sim.store.saved_folder import refuse_existing
from jamaica_sim.strategy.library import strategy_from_weights
from jamaica_sim.strategy.trust import woken
from jamaica_sim.tuning.adapting import adapt, who_adapts
from jamaica_sim.user_files import AnyPath

# A context around each setting, given its label and number; it yields a function, called with the games done.
Watch = Callable[[str, int], AbstractContextManager[Callable[[int], object] | None]]
ADAPTED = "The players called adapted play the best answers found to one another, which is no equilibrium."


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


def with_adapted_players(
    experiment: Experiment, threads: int | None = None, tell: Callable[[str], object] | None = None
) -> Experiment:
    """The experiment with a second setting beside each; both play the same deals. Rules that recur adapt once."""
    if 2 * len(experiment.settings) > MOST_SETTINGS:
        raise ExperimentError(experiment.source, [f"with adapt it has more than {MOST_SETTINGS:,} settings."])
    settings, sentences = [], []
    known: set[tuple[str, str]] = set()
    for setting in experiment.settings:
        settings.append(setting)
        table = GameTable.seat(setting.rules, setting.strategies, experiment.seed)
        name = f"{who_adapts(table).name} adapted"
        if (key := (repr(setting.rules), name)) in known:
            continue
        known.add(key)
        if tell is not None:
            tell(f"{setting.label}:")
        found = adapt(table, experiment.adapt, threads=threads, tell=tell)
        sentences.append(f"{setting.label[:1].upper()}{setting.label[1:]}: {found.sentence()}")
        bans = {"bans": found.strategy.bans} if found.strategy.bans else {}
        player = strategy_from_weights({**found.strategy.changes, **bans}, name, "the best answer found")
        settings.append(replace(setting, strategies=(player,), factors=setting.factors | {LINE_UP: name}))
    description = " ".join([experiment.description, ADAPTED, *sentences]).strip()
    return replace(experiment, settings=labelled(settings, experiment.compare), description=description, adapt=0)
