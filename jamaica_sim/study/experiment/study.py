"""A study: what an experiment or a run played, ready for a report; and what an experiment's manifest says of it."""

import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from jamaica_sim.files.escape import place_of
from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.components.changes import AT_ONCE, BOARD
from jamaica_sim.play.commands import in_turn, run_command, typed
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import (
    EXPERIMENT,
    FolderFault,
    Manifest,
    Text,
    is_plain_name,
    plain_table,
    read_complete,
    read_manifest,
    read_plain,
    refuse_incomplete,
    wrong_type,
)
from jamaica_sim.results.measures import MEASURES, own_measures
from jamaica_sim.results.result_table import Answer, ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import RANDOM
from jamaica_sim.study.causes.findings import Causes
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import Experiment
from jamaica_sim.study.experiment.setting import (
    LINE_UP,
    VARIANT,
    Setting,
    Variant,
    differing_factors,
    labelled,
    order_of,
    varying_factors,
    with_named_factors,
)
from jamaica_sim.study.folder import Unfinished, results_of, unfinished
from jamaica_sim.study.games_to_watch import WatchedGames, read_games_to_watch
from jamaica_sim.study.saved_folder import read_counted
from jamaica_sim.study.values import MOST_SWEPT, MOST_VALUES

if TYPE_CHECKING:
    import pandas as pd

PlainValue = bool | int | float | str | list[bool | int | str]  # of a rule
CAUSES = "causes.json"  # findings of designs beside the settings, where chapters need them


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
    question: str = ""  # the measure that the report answers first

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

    def _drawn(self, figure: str | None) -> tuple[ResultTable, str | None]:
        """A measure at every setting: the one that is asked for, else the length of a game, unless one is named."""
        known = (*MEASURES, *own_measures(self.reference.played.table))
        asked = [m.key for m in known if self.question in (m.key, m.column)]
        measure = known[place_of(figure or (*asked, "rounds")[0], [m.key for m in known], "measure")]
        rows = [(label, measure.of(results)) for label, results in self._played()]
        shares = frozenset([measure.column] * measure.share)
        return ResultTable(self.title, ("setting", measure.column), rows, shares), measure.column

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
        """The setting to show where only one can be shown.

        It is not mixed, has four players and the printed rules, and they do not play at random; of several the first.
        """

        def rank(setting: Setting) -> tuple[bool, bool, bool, bool]:
            is_random = all(strategy.name == RANDOM for strategy in setting.strategies)
            return not setting.is_mixed, setting.factors["players"] == 4, not setting.rules.changes(), not is_random

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
    """The study in the folder of an experiment or of a run."""
    folder = Path(folder)
    whose = "an experiment's or a run's"
    if read_plain(folder, whose).get("schema") == EXPERIMENT.schema:
        return _study_of_experiment(folder)
    return _study_of_run(folder, whose)


def _played(
    results: Results, watch: WatchedGames | None, source: tuple[object, ...], named: dict[str, Any] | None = None
) -> Setting:
    table = results.table
    factors = table.rules.by_name() | {LINE_UP: " v. ".join(in_turn([s.label for s in table.strategies]))}
    return Setting(table.rules, table.strategies, factors, named or {}, results=results, source=source, watch=watch)


def _study_of_experiment(folder: Path) -> Study:
    manifest = read_experiment_manifest(folder)
    refuse_incomplete(folder, manifest, EXPERIMENT)
    facts = manifest["configuration"]
    results = results_of(folder, manifest)
    watched = read_games_to_watch(folder, results)
    played = [
        _played(of_setting, watch, (facts["name"], "--setting", number), named_factors(setting))
        for number, (of_setting, watch, setting) in enumerate(zip(results, watched, facts["settings"], strict=True), 1)
    ]
    played = with_named_factors(played)
    settings = labelled(played, facts["compare"])
    command = typed("experiment", "run", facts["source"], "--games", facts["games"], "--out", facts["name"])
    if not facts["source"]:
        command = beside_printed_command(settings[-1].played, facts["name"])
    return Study(
        facts["name"],
        facts["title"],
        facts["description"],
        tuple(facts["chapters"]),
        facts["compare"],
        settings,
        command,
        facts["name"],
        read_causes(folder, manifest),
        facts["question"],
    )


def beside_printed_command(played: Results, name: str) -> str:
    """The command that plays the rules of a run and the printed ones into a folder of that name."""
    table = played.table
    again = run_command(table.rules, table.strategies, table.seed, played.games, measures=table.measures)
    return f"{again} --beside-printed --out {shlex.quote(name)}"


def _study_of_run(folder: Path, whose: str) -> Study:
    name = folder.resolve().name
    results = results_of(folder, read_complete(folder, whose=whose))
    setting = labelled([_played(results[0], read_games_to_watch(folder, results)[0], (name,))])[0]
    played = setting.played
    table = played.table
    facts = played.games, played.first_game, table.luck, table.measures
    again = run_command(table.rules, table.strategies, table.seed, *facts)
    command = f"{again} --out {shlex.quote(name)}"
    return Study(name, f"The run {name}", "", (), "", (setting,), command, name)


# In a folder


def read_experiment_manifest(path: AnyPath) -> Manifest:
    """The manifest of an experiment's folder, with everything in it checked."""
    manifest = read_manifest(path, EXPERIMENT)
    if wrong := _wrong_facts(manifest["configuration"]):
        raise FolderFault(f"{Path(path) / MANIFEST} is damaged: {wrong} is missing or of the wrong kind.")
    return manifest


class SweptFacts(TypedDict):
    """A rule that varies in a sweep, and its values."""

    name: str
    values: Annotated[list[PlainValue], Meta(min_length=1, max_length=MOST_VALUES)]


class SweepFacts(TypedDict):
    """What the configuration says of a sweep: the rules that vary, and the values of each setting."""

    swept: Annotated[list[SweptFacts], Meta(min_length=1, max_length=MOST_SWEPT)]
    points: list[list[PlainValue]]


class ExperimentFacts(TypedDict):
    """What the configuration says of the experiment, beside what is played."""

    name: str
    source: str
    title: Text
    description: Text
    question: str
    compare: str
    chapters: list[str]
    text: Text
    sweep: NotRequired[SweepFacts]


def _wrong_facts(config: dict[str, Any]) -> str:
    if wrong := wrong_type(config, ExperimentFacts, "configuration"):
        return wrong
    if sweep := config.get("sweep"):
        widths, settings = {*map(len, sweep["points"])}, len(config["settings"])
        if len(sweep["points"]) != settings or settings < 2 or widths != {len(sweep["swept"])}:
            return "configuration.sweep.points"
    if not is_plain_name(config["name"]):
        return "configuration.name"
    if not {*config["chapters"]} <= {*CHAPTERS}:
        return "configuration.chapters"
    named = [setting.get("named", {}) for setting in config["settings"]]
    whole = all(isinstance(n, dict) and all(_is_named(name, value) for name, value in n.items()) for n in named)
    return "" if whole else "configuration.settings"


def _is_named(name: str, value: object) -> bool:
    """Whether this can be a named factor of a setting: the place and the name of a variant, a board or a number."""
    if name == VARIANT:
        return isinstance(value, list) and [type(part) for part in value] == [int, str]
    return (name == BOARD and isinstance(value, str)) or (name in AT_ONCE and type(value) is int)


def wants_causes(config: dict[str, Any]) -> bool:
    """Whether a chapter needs findings beside the settings."""
    return any(CHAPTERS[name].causes for name in config["chapters"])


def read_causes(path: AnyPath, manifest: Manifest) -> Causes | None:
    """The findings about causes; None where no chapter needs them."""
    if not wants_causes(manifest["configuration"]):
        return None
    content = read_counted(path, manifest, CAUSES)
    if content is None:
        raise FolderFault(f"{Path(path) / CAUSES} is missing or damaged: `jamaica-sim resume` makes it again.")
    return json.loads(content)


def tables_at(experiment: Experiment) -> list[GameTable]:
    """The table of each setting."""
    return [table_at(experiment, setting) for setting in experiment.settings]


def table_at(experiment: Experiment, setting: Setting) -> GameTable:
    """The table of a setting."""
    return GameTable.seat(setting.rules, setting.strategies, experiment.seed, measures=experiment.measures)


def configuration(experiment: Experiment, games: int) -> dict[str, Any]:
    """Everything that decides the result of an experiment, as its folder records it."""
    own = [{"label": setting.label, **_named(setting)} for setting in experiment.settings]
    return {
        "name": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "description": experiment.description,
        "question": experiment.question,
        "chapters": list(experiment.chapters),
        "compare": experiment.compare,
        **_shared_configuration(tables_at(experiment), games, own),
        "text": experiment.text,
        **({"sweep": experiment.sweep} if experiment.sweep else {}),
    }


def _shared_configuration(tables: Sequence[GameTable], games: int, own: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The configuration of several tables that play the same deals; `own` has more facts of each, such as its label."""
    every = [table.rules.as_dict() for table in tables]
    shared = {name: value for name, value in every[0].items() if all(name in r and r[name] == value for r in every)}
    seats = [[json.dumps(strategy.identity()) for strategy in table.strategies] for table in tables]
    known = {identity: number for number, identity in enumerate(dict.fromkeys(chain.from_iterable(seats)))}
    return {
        **plain_table(tables[0]),
        "rules": shared,
        "strategies": [json.loads(identity) for identity in known],
        "first_game": 0,
        "games": games,
        "per_game": False,
        "settings": [
            {**facts, "rules": {n: v for n, v in rules.items() if n not in shared}, "seats": [known[s] for s in who]}
            for facts, rules, who in zip(own, every, seats, strict=True)
        ],
    }


def _named(setting: Setting) -> dict[str, Any]:
    """The named factors as plain values for JSON."""
    named = {name: list(value) if name == VARIANT else value for name, value in setting.named.items()}
    return {"named": named} if named else {}


def named_factors(setting: dict[str, Any]) -> dict[str, Any]:
    """The named factors in a manifest's record of a setting."""
    named = dict(setting.get("named", {}))
    return named | ({VARIANT: Variant(*named[VARIANT])} if VARIANT in named else {})


def is_unfinished(folder: AnyPath, experiment: Experiment, games: int) -> bool:
    """Whether a folder has this very experiment, not played to the end."""
    if not _is_experiment(folder):
        return False
    manifest = read_manifest(folder, EXPERIMENT)
    config = manifest["configuration"]
    if experiment.adapt:  # whom the players become is in the folder only
        wanted = {"text": experiment.text, "games": games, "name": experiment.name}
        return not manifest["complete"] and wanted.items() <= config.items()
    return not manifest["complete"] and config == configuration(experiment, games)


def is_complete(folder: AnyPath) -> bool:
    """Whether every setting of the experiment in a folder was played."""
    return _is_experiment(folder) and read_manifest(folder, EXPERIMENT)["complete"]


def _is_experiment(folder: AnyPath) -> bool:
    return (Path(folder) / MANIFEST).is_file() and read_plain(folder).get("schema") == EXPERIMENT.schema


def unfinished_experiment(path: AnyPath) -> Unfinished | None:
    """What an experiment has left to do; None where it is complete and undamaged."""
    read_experiment_manifest(path)
    return unfinished(path, EXPERIMENT)
