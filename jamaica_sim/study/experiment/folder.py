"""The folder of an experiment: what its manifest says of it, beside the settings that it plays (`run.folder`)."""

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from jamaica_sim.files.other_folders import MANIFEST
from jamaica_sim.files.user_files import AnyPath
from jamaica_sim.game.components.changes import AT_ONCE, BOARD
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.manifest import (
    EXPERIMENT,
    FolderFault,
    Manifest,
    first_of_wrong_kind,
    is_plain_name,
    read_manifest,
    read_plain,
)
from jamaica_sim.study.causes.findings import Causes
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.file import Experiment
from jamaica_sim.study.experiment.setting import VARIANT, Setting, Variant
from jamaica_sim.study.folder import Unfinished, unfinished
from jamaica_sim.study.saved_folder import read_counted

CAUSES = "causes.json"  # findings of designs beside the settings, where chapters need them


def read_experiment_manifest(path: AnyPath) -> Manifest:
    """The manifest of an experiment's folder, with everything in it checked."""
    manifest = read_manifest(path, EXPERIMENT)
    if wrong := _wrong_facts(manifest["configuration"]):
        raise FolderFault(f"{Path(path) / MANIFEST} is damaged: {wrong} is missing or of the wrong kind.")
    return manifest


def _wrong_facts(config: dict[str, Any]) -> str:
    kinds: dict[str, type] = dict.fromkeys(
        ("name", "source", "title", "description", "question", "compare", "text"), str
    )
    kinds |= {"chapters": list}
    wrong = first_of_wrong_kind({f"configuration.{name}": (config.get(name), kind) for name, kind in kinds.items()})
    if wrong:
        return wrong
    if not isinstance(config.get("sweep", {}), dict):
        return "configuration.sweep"
    if not is_plain_name(config["name"]):
        return "configuration.name"
    if not all(isinstance(chapter, str) and chapter in CHAPTERS for chapter in config["chapters"]):
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
        "rules": shared,
        "strategies": [json.loads(identity) for identity in known],
        "seed": tables[0].seed,
        **({"measures": dict(tables[0].measures)} if tables[0].measures else {}),
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
