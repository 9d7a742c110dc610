"""A study: what an experiment or a run played, ready for a report."""

import os
import shlex
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jamaica_sim.causes.findings import Causes
from jamaica_sim.experiment.chapters import GONE
from jamaica_sim.experiment.folder import EXPERIMENT, named_factors, read_causes, run_folders
from jamaica_sim.experiment.setting import (
    LINE_UP,
    Setting,
    differing_factors,
    labelled,
    order_of,
    varying_factors,
    with_named_factors,
)
from jamaica_sim.play.commands import in_turn, run_command, typed
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.run.folder import load_results
from jamaica_sim.run.games_to_watch import read_games_to_watch
from jamaica_sim.store.manifest import read_complete, read_manifest, read_plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Study(Answer):
    """The results of an experiment or of one run, and the command that makes them again."""

    name: str
    title: str
    description: str
    chapters: tuple[str, ...]
    compare: str
    settings: tuple[Setting, ...]
    command: str
    folder: str
    causes: Causes | None = None  # findings of designs beside the settings, where chapters need them

    def __repr__(self) -> str:
        return f"<Study {self.name}: {self.title}\n {self.sentence()}>"

    def sentence(self) -> str:
        """How much was played."""
        return f"{len(self.settings)} settings, {self.games:,} games in all"

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "games": self.games,
            "command": self.command,
            "settings": {label: results.facts() for label, results in self._played()},
        }

    def result_tables(self) -> list[ResultTable]:
        """The settings with their games."""
        rows = [(setting.label or self.name, f"{setting.games:,}") for setting in self.settings]
        return [ResultTable(self.title, ("setting", "games"), rows)]

    def written_tables(self) -> dict[str, ResultTable]:
        """The tables of every setting, by its label and their titles."""
        return {f"{label}: {n}": t for label, results in self._played() for n, t in results.all_tables().items()}

    def _played(self) -> list[tuple[str, Results]]:
        return [(s.label or self.name, s.results) for s in self.settings if s.results is not None]

    def to_pandas(self) -> "pd.DataFrame":
        """Every figure of every setting in one tidy pandas table: `setting`, then columns as in `Results.to_pandas`."""
        import pandas as pd

        played = {label: results.to_pandas() for label, results in self._played()}
        joined = pd.concat(played, names=["setting", None]).reset_index(level=0).reset_index(drop=True)
        for column in ("setting", "table", "row", "quantity", "unit"):
            joined[column] = pd.Categorical(joined[column], list(dict.fromkeys(joined[column])))
        return joined

    @property
    def varying(self) -> list[str]:
        """The factors that have several values, the one that is compared first."""
        return varying_factors(self.settings, self.compare)

    @property
    def reference(self) -> Setting:
        """The setting to show where only one can be shown: not mixed, four players, the printed rules, the first."""

        def rank(setting: Setting) -> tuple[bool, bool, bool]:
            return not setting.is_mixed, setting.factors["players"] == 4, not setting.rules.changes()

        return max(self.settings, key=rank)  # of equals, the first

    def along(self, *factors: str) -> list[Setting]:
        """The settings that differ from the reference in these factors at most."""
        return [s for s in self.settings if set(differing_factors(s, self.reference)) <= {*factors}]

    def contrasts(self, factor: str) -> list[tuple[Setting, Setting]]:
        """Pairs of settings that differ in this factor alone, the lower value first; none unless it has two values."""
        values = sorted({order_of(s, factor) for s in self.settings})
        if len(values) != 2:
            return []
        return [
            (a, b)
            for a, b in product(self.settings, self.settings)
            if [order_of(a, factor), order_of(b, factor)] == values and differing_factors(a, b) == [factor]
        ]

    @property
    def games(self) -> int:
        """All games that were played."""
        return sum(setting.games for setting in self.settings)

    @property
    def line_ups(self) -> list[str]:
        """The line-ups that were played."""
        return list(dict.fromkeys(setting.factors[LINE_UP] for setting in self.settings))

    def uniform(self) -> tuple[Setting, ...]:
        """The settings in which all players have the same strategy; all settings if there is none."""
        return tuple(s for s in self.settings if not s.is_mixed) or self.settings


def load_study(folder: str | os.PathLike[str]) -> Study:
    """The study in the folder of an experiment or of a run.

    Examples
    --------
    >>> from jamaica_sim import load_study, simulate
    >>> _ = simulate(games=100, strategies="random", out="voyage")
    >>> load_study("voyage")
    <Study voyage: The run voyage
     1 settings, 100 games in all>
    """
    folder = Path(folder)
    whose = "an experiment's or a run's"
    if read_plain(folder, whose).get("schema") == EXPERIMENT.schema:
        return _study_of_experiment(folder)
    read_manifest(folder, whose=whose)
    return _study_of_run(folder)


def _played(folder: Path, name: str, named: dict[str, Any] | None = None) -> Setting:
    read_complete(folder)
    results = load_results(folder)
    table = results.table
    factors = table.rules.by_name() | {LINE_UP: " v. ".join(in_turn([s.label for s in table.strategies]))}
    watch = read_games_to_watch(folder, results.first_game, results.games)
    return Setting(table.rules, table.strategies, factors, named or {}, results=results, folder=name, watch=watch)


def _study_of_experiment(folder: Path) -> Study:
    manifest = read_complete(folder, EXPERIMENT)
    facts = manifest["configuration"]
    runs = zip(run_folders(folder, facts), facts["settings"], strict=True)
    played = [_played(run, f"{facts['name']}/{run.name}", named_factors(setting)) for run, setting in runs]
    played = with_named_factors(played)
    settings = labelled(played, facts["compare"])
    command = typed("experiment", "run", facts["source"], "--games", facts["games"], "--out", facts["name"])
    if not facts["source"]:
        command = beside_printed_command(settings[-1].played, facts["name"])
    return Study(
        facts["name"],
        facts["title"],
        facts["description"],
        tuple(name for name in facts["chapters"] if name not in GONE),
        facts["compare"],
        settings,
        command,
        facts["name"],
        read_causes(folder, manifest),
    )


def beside_printed_command(played: Results, name: str) -> str:
    """The command that plays the rules of a run and the printed ones into a folder of that name."""
    table = played.table
    again = run_command(table.rules, table.strategies, table.seed, played.games)
    return f"{again} --beside-printed --out {shlex.quote(name)}"


def _study_of_run(folder: Path) -> Study:
    name = folder.resolve().name
    setting = labelled([_played(folder, name)])[0]
    played = setting.results
    assert played is not None  # the one setting of a run has been played
    table = played.table
    again = run_command(table.rules, table.strategies, table.seed, played.games, played.first_game, table.luck)
    command = f"{again} --out {shlex.quote(name)}"
    return Study(name, f"The run {name}", "", (), "", (setting,), command, name)
