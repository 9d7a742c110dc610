"""A sweep is an experiment whose factors are one to three rules: its file, playing it, reading it from its folder."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.rules import HOUSE_RULES, NO_HOUSE_RULES, Rules
from jamaica_sim.play.commands import typed
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.manifest import EXPERIMENT, FolderFault, refuse_incomplete
from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.measures import quantities_of
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import Strategies
from jamaica_sim.study.experiment.file import SWEEPS, Experiment, find_file, read_experiment
from jamaica_sim.study.experiment.run_experiment import Watch, go_on, play_experiment
from jamaica_sim.study.experiment.setting import LINE_UP, VARIANT, Setting, varying_factors
from jamaica_sim.study.experiment.study import read_experiment_manifest
from jamaica_sim.study.folder import keep_drama, results_of
from jamaica_sim.study.lab.common_deals import play_tables, with_drama
from jamaica_sim.study.lab.rule_space import naming_the_file
from jamaica_sim.study.lab.sweep import (
    DEFAULT_GAMES,
    Sweep,
    SweepPlan,
    SweptRule,
    make_plan,
    play_sweep,
)
from jamaica_sim.study.tune.adapting import Adapted, adapt, stopped_adapting
from jamaica_sim.study.values import MOST_SWEPT, parse_swept, plain_value


def load_sweep_file(name_or_file: str | os.PathLike[str], games: int | None = None) -> SweepPlan:
    """The plan of the shipped sweep of that name, or of the experiment in that file whose factors are rules."""
    path, source = find_file(name_or_file, SWEEPS, "sweep")
    found = read_experiment(path)
    first, names = found.settings[0], varying_factors(found.settings)
    if LINE_UP in names or VARIANT in names or not 1 <= len(names) <= MOST_SWEPT:
        raise UserError(
            f"{path}: in a sweep one to three rules have several values, and nothing else has; here "
            f"{', '.join(names) or 'nothing'}. `{typed('experiment', 'run', source)}` plays it as it is."
        )
    swept: dict[str, list[Any]] = {name: [] for name in names}
    for name, values in swept.items():
        for setting in found.settings:
            if (value := _value(setting, name)) not in values:
                values.append(value)
    rules = first.rules
    printed = Rules(edition=rules.edition, players=rules.players, ghost=rules.ghost)
    base = printed.but(**{name: value for name, value in rules.changes().items() if name not in names})
    table = GameTable.seat(base, first.strategies, found.seed, measures=found.measures)
    facts = {"name": found.name, "source": source, "title": found.title, "description": found.description}
    return naming_the_file(path, lambda: make_plan(swept, table, found.games if games is None else games, **facts))


def _value(setting: Setting, name: str) -> Any:
    """A rule's value in a setting, as `make_plan` takes it."""
    if name == HOUSE_RULES:
        return setting.rules.house_rules or NO_HOUSE_RULES
    return setting.factors[name]


def experiment_of(plan: SweepPlan) -> Experiment:
    """The experiment that plays a sweep: each combination of values is a setting, the base rules the first."""
    settings = tuple(
        Setting(table.rules, table.strategies, table.rules.by_name(), label=plan.label(values))
        for values, table in zip(plan.points, plan.tables, strict=True)
    )
    facts = {
        "swept": [{"name": rule.name, "values": _plain(rule.values)} for rule in plan.swept],
        "points": [_plain(values) for values in plan.points],
    }
    seed, title, description = plan.base.seed, plan.title, plan.description
    return Experiment(
        plan.name,
        plan.source,
        title,
        description,
        plan.games,
        seed,
        (),
        "",
        settings,
        sweep=facts,
        measures=plan.base.measures,
    )


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
    measures: Mapping[str, Any] | None = None,
    tension: bool = False,
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
    measures : dict, optional
        Measures of your own, as in `simulate`.
    tension : bool
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
        if rule_changes or rules is not None or strategies is not None or seed != 1 or measures:
            raise UserError("a sweep's file has its own rules, players and seed: only games may be given with it.")
        plan = load_sweep_file(swept, games)
    else:
        base = seat_table(rules, strategies, seed, measures=measures, **rule_changes)
        plan = make_plan(swept, base, DEFAULT_GAMES if games is None else games)
    result = play_sweep(plan, threads, progress) if out is None else run_sweep(plan, out, threads=threads)
    return measured(result, threads, out) if tension else result


def measured(played: Sweep, threads: int | None = None, out: AnyPath | None = None) -> Sweep:
    """The sweep with the tension of its games, which is kept in its folder; Ctrl-C raises KeyboardInterrupt."""
    with stop_on_signals() as stop:
        results = with_drama(list(played.results), threads, stop)
    if out is not None:
        keep_drama(Path(out), [of_table.drama for of_table in results if of_table.drama is not None])
    return replace(played, results=tuple(results))


def run_sweep(plan: SweepPlan, out: AnyPath, watch: Watch | None = None, **who: Any) -> Sweep:
    """Play a sweep into a folder, as an experiment; see `run_experiment`."""
    name = plan.name if plan.source else Path(out).resolve().name
    play_experiment(experiment_of(replace(plan, name=name)), out, watch=watch, **who)
    return load_sweep(out)


def resume_sweep(folder: AnyPath, watch: Watch | None = None, **who: Any) -> Sweep:
    """Go on with a sweep from its folder alone."""
    go_on(folder, watch, **who)
    return load_sweep(folder)


def load_sweep(path: AnyPath) -> Sweep:
    """The sweep in a folder that `jamaica-sim sweep --out` wrote; it must be complete."""
    manifest = read_experiment_manifest(path)
    refuse_incomplete(path, manifest, EXPERIMENT)
    config = manifest["configuration"]
    if "sweep" not in config:
        raise FolderFault(f"{Path(path) / MANIFEST} is damaged: configuration.sweep is missing or of the wrong kind.")
    results = tuple(results_of(path, manifest))
    rules = tuple(SweptRule(rule["name"], _values(rule["values"])) for rule in config["sweep"]["swept"])
    tables = tuple(played.table for played in results)
    names = {name: config[name] for name in ("name", "source", "title", "description")}
    plan = SweepPlan(tables[0], rules, config["games"], tuple(map(_values, config["sweep"]["points"])), tables, **names)
    return Sweep(plan, results)


def side_by_side(old: Results, adapted: Adapted, threads: int | None = None) -> ResultTable:
    """Every quantity at the table of the old players and at that of the adapted ones, on the same deals."""
    with stop_on_signals() as stop:
        played = play_tables([adapted.table], old.games, old.first_game, threads, stop)
    if played is None:
        raise stopped_adapting("the adapted players played")
    note = "best answers found, on the same deals; shares in percent"
    return beside("Old players and adapted ones", {"old players": old, "adapted players": played[0]}, note)


def beside(title: str, both: dict[str, Results], note: str = "on the same deals; shares in percent") -> ResultTable:
    """Every quantity at two tables that played the same deals, and the difference."""
    old, new = both.values()
    known = [q for q in quantities_of(old.table) if q in quantities_of(new.table)]
    rows = [(q.column + (" (%)" if q.share else ""), q.shown(old), q.shown(new), q.difference(old, new)) for q in known]
    return ResultTable(title, ("quantity", *both, "difference"), rows, note=note)


def adapted_sweep(
    sweep: Sweep, steps: int, threads: int | None = None, tell: Callable[[str], object] | None = None
) -> tuple[Sweep, list[str]]:
    """A sweep again with players who have adapted to each set of rules, and what they found under each."""
    plan, tables, sentences = sweep.plan, [], []
    for values, table in zip(plan.points, plan.tables, strict=True):
        label = plan.label(values)
        if tell is not None:
            tell(f"{label}:")
        adapted = adapt(table, steps, threads=threads, tell=tell)
        tables.append(adapted.table)
        sentences.append(f"{label}: {adapted.sentence()}")
    try:
        return play_sweep(replace(plan, base=tables[0], tables=tuple(tables)), threads), sentences
    except KeyboardInterrupt:
        raise stopped_adapting("the adapted players played") from None
