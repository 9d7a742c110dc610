"""Playing an experiment: every setting in turn, on the same deals."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import json_bytes
from jamaica_sim.files.limits import check_games, check_threads, whole_games
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import Rules
from jamaica_sim.game.words import changes_told
from jamaica_sim.play.commands import in_turn
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import EXPERIMENT
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import allow, check_trust, strategy_from_weights, with_code_loaded
from jamaica_sim.study.causes.findings import find_causes
from jamaica_sim.study.experiment.file import LONGEST_NAME, MOST_SETTINGS, Experiment, ExperimentError, load_experiment
from jamaica_sim.study.experiment.setting import LINE_UP, VARIANT, Setting, Variant, labelled, with_named_factors
from jamaica_sim.study.experiment.study import (
    CAUSES,
    Study,
    configuration,
    is_unfinished,
    load_study,
    table_at,
    tables_at,
    unfinished_experiment,
    wants_causes,
)
from jamaica_sim.study.folder import StudyFolder
from jamaica_sim.study.games_to_watch import games_to_watch_file
from jamaica_sim.study.saved_folder import refuse_existing
from jamaica_sim.study.simulate import Players, open_players, playing
from jamaica_sim.study.tune.adapting import adapt, who_adapts

# A context around each setting, given its label and number; it yields a function, called with the games done.
Watch = Callable[[str, int], AbstractContextManager[Callable[[int], object] | None]]
PRINTED, MINE = "the printed rules", "these rules"
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
    play_experiment(experiment, out, games, watch, **who)
    return load_study(out)


def play_experiment(
    experiment: Experiment, out: AnyPath, games: int | None = None, watch: Watch | None = None, **who: Any
) -> None:
    """Play every setting into a folder. See `run_experiment`."""
    games = experiment.games if games is None else whole_games(games)
    check_games(games)
    check_threads(who.get("threads"))
    allow([setting.rules for setting in experiment.settings], who.get("trust", False))
    for setting in experiment.settings:
        if setting.rules.house_rules is not None:
            check_trust(setting.rules.house_rules)  # may refuse, before any game
    seated = (strategy for setting in experiment.settings for strategy in setting.strategies)
    with_code_loaded(seated, who.get("trust", False))  # may refuse
    if is_unfinished(out, experiment, games):
        go_on(out, watch, **who)
        return
    trust = who.pop("trust", False)
    if experiment.adapt:
        refuse_existing(Path(out))  # before minutes of adapting
        experiment = with_adapted_players(experiment, who.get("threads"), getattr(watch, "remark", None))
    tables = [table.with_code(trust) for table in tables_at(experiment)]
    with open_players(tables, **who) as players:
        _play(StudyFolder.create(out, configuration(experiment, games), EXPERIMENT), tables, players, watch)


def resume_experiment(folder: AnyPath, watch: Watch | None = None, **who: Any) -> Study:
    """Resume an experiment from its folder alone; damaged files are made again. See `run_experiment`."""
    go_on(folder, watch, **who)
    return load_study(folder)


def go_on(folder: AnyPath, watch: Watch | None = None, **who: Any) -> None:
    """Play what the folder of an experiment lacks."""
    trust = who.pop("trust", False)
    if (left := unfinished_experiment(folder)) is not None:
        tables = [table.with_code(trust) for table in left.tables]
        with open_players(tables, **who) as players:
            _play(StudyFolder.reopen(folder, EXPERIMENT), tables, players, watch)


def _play(folder: StudyFolder, tables: Sequence[GameTable], players: Players, watch: Watch | None) -> None:
    """Play an experiment's folder to its end, with the designs that its chapters need beside the settings."""
    config = folder.config
    shown, show = -1, None
    with ExitStack() as around, playing(folder, tables, players) as looks:
        for setting, done in looks:
            if watch is not None and setting != shown:
                around.close()
                shown, show = setting, around.enter_context(watch(config["settings"][setting]["label"], setting))
            if show is not None and done:
                show(done)
        around.close()
        folder.save()  # the files may take minutes
        folder.finish(
            {} if "sweep" in config else _files(folder, tables, players.threads, getattr(watch, "remark", None))
        )


def _files(
    folder: StudyFolder, tables: Sequence[GameTable], threads: int | None, remark: Callable[[str], object] | None
) -> dict[str, bytes]:
    """The games to watch, and the findings of designs that the chapters need beside the settings."""
    config = folder.config
    made = games_to_watch_file([Results(table, sums, 0, 0.0) for table, sums in zip(tables, folder.sums, strict=True)])
    if wants_causes(config):
        made[CAUSES] = json_bytes(find_causes(tables, config["chapters"], config["games"], threads, remark))
    return made


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
        table = table_at(experiment, setting)
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


def beside_printed(table: GameTable, games: int, name: str, adapt: int = 0) -> Experiment:
    """The experiment that plays a table's rules and the printed ones; `adapt` as in an experiment's file."""
    mine = table.rules
    printed = Rules(edition=mine.edition, players=mine.players, ghost=mine.ghost)
    if mine == printed:
        raise UserError("these are the printed rules: change one, such as --rule hand_size=4, to see it beside them.")
    told = changes_told(mine)
    names = PRINTED, told if len(told) <= LONGEST_NAME else MINE
    line_up = " v. ".join(in_turn([strategy.label for strategy in table.strategies]))
    settings = [
        Setting(rules, table.strategies, rules.by_name() | {LINE_UP: line_up}, {VARIANT: Variant(number, variant)})
        for number, (rules, variant) in enumerate(zip((printed, mine), names, strict=True))
    ]
    title = f"{names[1][:1].upper()}{names[1][1:]}"
    compared = labelled(with_named_factors(settings), VARIANT)
    return Experiment(
        name, "", title, "", games, table.seed, (), VARIANT, compared, adapt=adapt, measures=table.measures
    )
