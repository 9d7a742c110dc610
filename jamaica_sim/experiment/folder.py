"""The folder of an experiment: a manifest and, for each setting, the folder of an ordinary run.

All these folders exist from the beginning, so that the experiment can be resumed from its folder alone.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple, Self

from jamaica_sim.causes.findings import Causes
from jamaica_sim.components.changes import AT_ONCE, BOARD
from jamaica_sim.experiment.chapters import CHAPTERS, GONE
from jamaica_sim.experiment.file import MOST_SETTINGS, Experiment
from jamaica_sim.experiment.setting import VARIANT, Setting, Variant
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.run.folder import RunFolder, unfinished
from jamaica_sim.store.atomic_files import hash_of, json_bytes
from jamaica_sim.store.manifest import (
    FolderFault,
    Manifest,
    ManifestKind,
    configuration,
    first_of_wrong_kind,
    is_hash,
    is_plain_name,
    new_manifest,
    read_manifest,
    read_plain,
    refuse_other_program,
    seated,
)
from jamaica_sim.store.other_folders import MANIFEST
from jamaica_sim.store.saved_folder import SavedFolder, is_tidy, read_counted
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.user_files import AnyPath

FOLDER = re.compile(r"[0-9]{3,}_\w{0,76}")  # see `folder_name`


def _wrong_experiment(manifest: Manifest) -> str:
    config = manifest["configuration"]
    kinds: dict[str, type] = dict.fromkeys(("name", "source", "title", "description", "compare", "text"), str)
    kinds |= {"chapters": list, "strategies": list, "settings": list}
    wrong = first_of_wrong_kind({f"configuration.{name}": (config.get(name), kind) for name, kind in kinds.items()})
    if wrong:
        return wrong
    if not is_plain_name(config["name"]):
        return "configuration.name"
    if not all(isinstance(chapter, str) and chapter in {*CHAPTERS, *GONE} for chapter in config["chapters"]):
        return "configuration.chapters"
    settings = config["settings"]
    if not 1 <= len(settings) <= MOST_SETTINGS or not all(is_setting(setting) for setting in settings):
        return "configuration.settings"
    if len({setting["folder"] for setting in settings}) < len(settings):
        return "configuration.settings"
    return ""


def is_setting(setting: Any) -> bool:
    """Whether a manifest's record of a setting is complete, and names its folder as `folder_name` does."""
    texts = ("folder", "label", "configuration")
    whole = isinstance(setting, dict) and all(isinstance(setting.get(name), str) for name in texts)
    whole = whole and FOLDER.fullmatch(setting["folder"]) is not None and is_hash(setting["configuration"])
    named = setting.get("named", {}) if whole else None
    return isinstance(named, dict) and all(_is_named(name, value) for name, value in named.items())


def _is_named(name: str, value: object) -> bool:
    """Whether this can be a named factor of a setting: the place and the name of a variant, a board or a number."""
    if name == VARIANT:
        return isinstance(value, list) and [type(part) for part in value] == [int, str]
    return (name == BOARD and isinstance(value, str)) or (name in AT_ONCE and type(value) is int)


CAUSES = "causes.json"  # findings of designs beside the settings, where chapters need them
EXPERIMENT = ManifestKind("jamaica-experiment/2", "an experiment's", re.compile(r"causes\.json"), _wrong_experiment)


def wants_causes(config: dict[str, Any]) -> bool:
    """Whether a chapter needs findings beside the runs of the settings."""
    return any(name in CHAPTERS and CHAPTERS[name].causes for name in config.get("chapters", ()))  # a sweep has none


def read_causes(path: AnyPath, manifest: Manifest) -> Causes | None:
    """The findings about causes; None where no chapter needs them."""
    if not wants_causes(manifest["configuration"]):
        return None
    content = read_counted(path, manifest, CAUSES)
    if content is None:
        raise FolderFault(
            f"{Path(path) / CAUSES} is missing or damaged: remove the folder and run the experiment again."
        )
    return json.loads(content)


def run_folders(path: Path, config: dict[str, Any]) -> list[Path]:
    """The folders of the settings' runs; a link in their place is refused."""
    folders = [path / setting["folder"] for setting in config["settings"]]
    for folder in folders:
        if folder.is_symlink():
            raise FolderFault(f"{folder} is a link: the runs of an experiment lie in its own folder.")
    return folders


class ExperimentFolder(SavedFolder):
    """The folder of one experiment, open for writing by this process alone."""

    kind = EXPERIMENT

    @classmethod
    def create(cls, path: AnyPath, experiment: Experiment, games: int) -> "ExperimentFolder":
        """A new folder with a run's folder for each setting; nothing is played yet."""
        runs = _runs(experiment, games)
        return cls.of_runs(path, runs, _configuration(experiment, games, runs))

    @classmethod
    def of_runs(cls, path: AnyPath, runs: dict[str, dict[str, Any]], config: dict[str, Any]) -> Self:
        """A new folder with the folders of these runs, by name."""

        def fill(folder: Path) -> None:
            for name, of_run in runs.items():
                RunFolder.create(folder / name, of_run).close()

        return cls.begin(path, new_manifest(config, cls.kind), fill)

    @property
    def games_wanted(self) -> int:
        """How many games there will be in the end, with all settings."""
        return self.config["games"] * len(self.config["settings"])

    def runs(self) -> list[tuple[str, Path]]:
        """The label and the folder of each setting. A folder with another configuration is refused."""
        found = list(zip(self.config["settings"], run_folders(self.path, self.config), strict=True))
        for setting, run in found:
            if hash_of_configuration(read_manifest(run)["configuration"]) != setting["configuration"]:
                raise FolderFault(f"{run} is not the run that the experiment wants: its configuration differs.")
        return [(setting["label"], run) for setting, run in found]

    def count(self, seconds: float) -> None:
        """Record how many games are played, and whether these are all."""
        manifests = [read_manifest(run) for _, run in self.runs()]
        done = sum(m["games_done"] for m in manifests)
        self.submit(self._count, seconds, done, all(m["complete"] for m in manifests))

    def _count(self, seconds: float, done: int, all_played: bool) -> None:
        complete = all_played and not self.lacks_causes()
        manifest = self.advanced(self.seconds + seconds, games_done=done, complete=complete)
        self.commit(manifest, {}, self.manifest["files"])

    def lacks_causes(self) -> bool:
        """Whether chapters need findings that are not there yet."""
        return wants_causes(self.config) and CAUSES not in self.manifest["files"]

    def keep_causes(self, found: Causes) -> None:
        """Save the findings about causes; the experiment is then complete."""
        self.submit(lambda: self.commit(self.advanced(self.seconds, complete=True), {CAUSES: json_bytes(found)}))


def hash_of_configuration(config: dict[str, Any]) -> str:
    """A hash of the configuration of a run."""
    return hash_of(json.dumps(config, sort_keys=True).encode())


def _runs(experiment: Experiment, games: int) -> dict[str, dict[str, Any]]:
    """The configuration of each setting's run, by the name of its folder."""
    return {
        folder_name(number, setting): configuration(
            GameTable.seat(setting.rules, setting.strategies, experiment.seed), 0, games, per_game=False
        )
        for number, setting in enumerate(experiment.settings)
    }


def _configuration(experiment: Experiment, games: int, runs: dict[str, dict[str, Any]]) -> dict[str, Any]:
    strategies = {s.digest: s for setting in experiment.settings for s in setting.strategies}.values()
    return {
        "name": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "description": experiment.description,
        "games": games,
        "seed": experiment.seed,
        "chapters": list(experiment.chapters),
        "compare": experiment.compare,
        "strategies": [{"name": s.name, "sha256": s.digest} for s in strategies],
        "settings": [
            {"folder": name, "label": setting.label, "configuration": hash_of_configuration(config), **_named(setting)}
            for setting, (name, config) in zip(experiment.settings, runs.items(), strict=True)
        ],
        "text": experiment.text,
    }


def _named(setting: Setting) -> dict[str, Any]:
    """The named factors as plain values for JSON."""
    named = {name: list(value) if name == VARIANT else value for name, value in setting.named.items()}
    return {"named": named} if named else {}


def named_factors(setting: dict[str, Any]) -> dict[str, Any]:
    """The named factors in a manifest's record of a setting."""
    named = dict(setting.get("named", {}))
    return named | ({VARIANT: Variant(*named[VARIANT])} if VARIANT in named else {})


def folder_name(number: int, setting: Setting) -> str:
    """The name of a setting's folder inside the experiment's folder."""
    words = "".join(c if c.isalnum() else "_" for c in setting.label.lower())
    return f"{number:03d}_{'_'.join(w for w in words.split('_') if w)}"[:80]


def is_unfinished(folder: AnyPath, experiment: Experiment, games: int) -> bool:
    """Whether a folder has this very experiment, not played to the end."""
    if not _is_experiment(folder):
        return False
    manifest = read_manifest(folder, EXPERIMENT)
    config = manifest["configuration"]
    if experiment.adapt:  # whom the players become is in the folder only
        wanted = {"text": experiment.text, "games": games, "name": experiment.name}
        return not manifest["complete"] and wanted.items() <= config.items()
    return not manifest["complete"] and config == _configuration(experiment, games, _runs(experiment, games))


def is_complete(folder: AnyPath) -> bool:
    """Whether every setting of the experiment in a folder was played."""
    return _is_experiment(folder) and read_manifest(folder, EXPERIMENT)["complete"]


def _is_experiment(folder: AnyPath) -> bool:
    return (Path(folder) / MANIFEST).is_file() and read_plain(folder).get("schema") == EXPERIMENT.schema


class UnfinishedSettings(NamedTuple):
    """An experiment or a sweep that has more to do: who plays, at how many settings, how many games at each."""

    strategies: list[Strategy]
    settings: int
    games: int


def unfinished_settings(path: AnyPath, kind: ManifestKind) -> UnfinishedSettings | None:
    """What an experiment or a sweep has left to do; None where it is complete and undamaged."""
    path, manifest = Path(path), read_manifest(path, kind)
    config = manifest["configuration"]
    runs = run_folders(path, config)
    if is_tidy(path, manifest) and all(unfinished(run) is None for run in runs):
        return None
    refuse_other_program(path, manifest)
    strategies = {s.digest: s for run in runs for s in seated(read_manifest(run)["configuration"])[1]}
    return UnfinishedSettings(list(strategies.values()), len(config["settings"]), config["games"])


def unfinished_experiment(path: AnyPath) -> UnfinishedSettings | None:
    """What an experiment has left to do; None where it is complete and undamaged."""
    return unfinished_settings(path, EXPERIMENT)
