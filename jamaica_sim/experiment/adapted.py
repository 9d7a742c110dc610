"""Experiments with `adapt = N`: beside every setting another one, whose players have adapted to its rules."""

from collections.abc import Callable
from dataclasses import replace

from jamaica_sim.experiment.file import MOST_SETTINGS, Experiment, ExperimentError
from jamaica_sim.experiment.setting import LINE_UP, labelled
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.library import strategy_from_weights
from jamaica_sim.tuning.adapting import adapt, who_adapts

ADAPTED = "The players called adapted play the best answers found to one another, which is no equilibrium."


def with_adapted_players(
    experiment: Experiment, threads: int | None = None, tell: Callable[[str], object] | None = None
) -> Experiment:
    """The experiment with a second setting beside each; both play the same deals. Rules that recur adapt once."""
    if 2 * len(experiment.settings) > MOST_SETTINGS:
        raise ExperimentError(experiment.source, [f"with adapt it has more than {MOST_SETTINGS:,} settings."])
    settings, told = [], []
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
        told.append(f"{setting.label[:1].upper()}{setting.label[1:]}: {found.sentence()}")
        bans = {"bans": found.strategy.bans} if found.strategy.bans else {}
        player = strategy_from_weights({**found.strategy.changes, **bans}, name, "the best answer found")
        settings.append(replace(setting, strategies=(player,), factors=setting.factors | {LINE_UP: name}))
    said = " ".join([experiment.description, ADAPTED, *told]).strip()
    return replace(experiment, settings=labelled(settings, experiment.compare), description=said, adapt=0)
