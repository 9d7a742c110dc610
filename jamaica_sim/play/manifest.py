"""The manifest of a folder: what is played, by which program, how far it is, and a hash of every file that counts.

A configuration describes one table, or several: what they share, and under `settings` what is each one's own.

All of it depends on the configuration alone, except the few things named in `VOLATILE`. A manifest from
elsewhere is checked before anything in it is used.
"""

import json
import math
import os
import platform
import re
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, NotRequired, TypedDict, cast

import msgspec
import numpy as np
from msgspec import Meta

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import hash_of, json_bytes
from jamaica_sim.files.limits import LAST_GAME, MOST_GAMES, check_luck
from jamaica_sim.files.other_folders import MANIFEST, no_manifest, other_kind
from jamaica_sim.files.sources import played_by, program, same_games
from jamaica_sim.files.user_files import AnyPath, OddFile, read_plain_file
from jamaica_sim.game.codes import MAX_SHIPS
from jamaica_sim.game.components.changes import BOARD, PRINTED, is_board_file
from jamaica_sim.game.rules import HOUSE_RULES, Rules
from jamaica_sim.play.commands import resume_command
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.own_measures import MOST as MOST_MEASURES
from jamaica_sim.play.tally.layout import tally_dtype
from jamaica_sim.strategy.library import RANDOM, SUFFIXES, strategy_from_identity
from jamaica_sim.strategy.strategy import Strategy, StrategyError

LARGEST_MANIFEST = 32 * 2**20  # bytes: 20 billion games with a row each
LONGEST_TEXT = 2**20  # characters: a strategy's file, an experiment's
LONGEST_LABEL = 5000
MOST_SETTINGS = 1000
LONGEST_TIME = 1e12  # seconds
VOLATILE = ("started", "seconds", "host", "resumed")  # all else in a folder depends on the configuration alone


class Manifest(TypedDict):
    """What a manifest says; `ranges` are the games of a run, each as first game and number."""

    schema: str
    version: str
    engine: str
    configuration: dict[str, Any]
    games_done: int
    complete: bool
    ranges: NotRequired[list[list[int]]]
    files: dict[str, str]
    hashes: dict[str, str]
    started: str
    seconds: float
    host: dict[str, Any]
    resumed: list[dict[str, Any]]


def no_tallies(config: dict[str, Any]) -> np.ndarray:
    """The sums of a configuration's settings before any game: a record for each."""
    return np.zeros(settings_of(config), tally_dtype(len(config.get("measures", {}))))


def _nothing_wrong(manifest: Manifest) -> str:
    return ""


class ManifestKind(NamedTuple):
    """A kind of folder: its schema, whose folder it is in words, the files it can have, and a check of its manifest.

    Names in a manifest are used as paths, so only names that the program itself writes are allowed. `form` is the type
    of its configuration. `wrong(manifest)` names the first entry that is wrong all the same, empty where all is well.
    `sums(configuration)` are the sums before any game.
    """

    schema: str
    whose: str
    file_names: re.Pattern[str]
    form: Any
    wrong: Callable[[Manifest], str] = _nothing_wrong
    sums: Callable[[dict[str, Any]], np.ndarray] = no_tallies
    strategies: int = MAX_SHIPS  # at most


class FolderError(UserError):
    """A folder cannot be used as asked; the message is one sentence."""


class FolderFault(OSError):
    """A folder is damaged or cannot be written; the message is one sentence."""


def plain_table(table: Any) -> dict[str, Any]:
    """A table, or a contest, as plain values, of which `seated` makes its rules and strategies again."""
    return {
        "rules": table.rules.as_dict(),
        "strategies": [strategy.identity() for strategy in table.strategies],
        "seed": table.seed,
        **({"luck": dict(table.luck)} if table.luck else {}),
        **({"measures": dict(table.measures)} if table.measures else {}),
    }


def configuration(
    table: GameTable, first_game: int, games: int, per_game: bool, events: bool = False
) -> dict[str, Any]:
    """Everything that decides the result of a run."""
    return {
        **plain_table(table),
        "first_game": first_game,
        "games": games,
        "per_game": per_game,
        **({"events": True} if events else {}),
    }


def seated(config: dict[str, Any]) -> tuple[Rules, list[Strategy]]:
    """The rules and the strategies that a configuration describes; it contains the strategies' texts."""
    if names_files(config["rules"]):
        raise FolderError("the run's rules name a file: a folder keeps boards and code of house rules itself.")
    try:
        return Rules(**config["rules"]), [strategy_from_identity(identity) for identity in config["strategies"]]
    except StrategyError as error:
        raise FolderError(f"the run's strategies cannot be seated: {error}") from error
    except (TypeError, KeyError, AttributeError) as error:
        raise FolderError(f"the run's configuration is not one that this version can play: {error}.") from error


def names_files(rules: dict[str, Any]) -> bool:
    """Whether rules in a folder name a file, of a board or of house rules. They would be read, or even run, unasked."""
    code = rules.get(HOUSE_RULES)
    return is_board_file(rules.get(BOARD, PRINTED)) or (code is not None and not isinstance(code, dict))


def table_of(config: dict[str, Any], setting: int = 0) -> GameTable:
    """The table that a configuration describes, or one of its settings."""
    if "settings" in config:
        own = config["settings"][setting]
        strategies = [config["strategies"][number] for number in own["seats"]]
        config = {**config, "rules": config["rules"] | own["rules"], "strategies": strategies}
    rules, seats = seated(config)
    if len(seats) != rules.players:
        raise FolderError(f"the run has {len(seats)} strategies for {rules.players} players.")
    return GameTable.seat(rules, seats, config["seed"], config.get("luck"), config.get("measures"))


def settings_of(config: dict[str, Any]) -> int:
    """How many tables a configuration describes."""
    return len(config.get("settings", "1"))


def new_manifest(config: dict[str, Any], kind: ManifestKind | None = None) -> Manifest:
    """The manifest of a run, or of another kind of folder, before anything is played."""
    manifest = {
        "schema": (kind or RUN).schema,
        **played_by(),
        "configuration": config,
        "games_done": 0,
        "complete": False,
        **({} if kind else {"ranges": [[config["first_game"], 0]]}),
        "files": {},
        "hashes": {},
        "started": now(),
        "seconds": 0.0,
        "host": host_facts(),
        "resumed": [],
    }
    return cast(Manifest, manifest)


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def host_facts() -> dict[str, Any]:
    """The machine that plays."""
    from importlib import metadata  # slow to import, and only folders need it

    return {
        "name": platform.node(),
        "python": platform.python_version(),
        "numba": metadata.version("numba"),
        "system": platform.system(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }


def _hashes(manifest: Manifest) -> dict[str, str]:
    """A hash of each entry of a manifest that decides the run, to find entries that somebody has edited."""
    things = {"version": manifest["version"], "engine": manifest["engine"], **manifest["configuration"]}
    things["progress"] = [manifest.get(name) for name in ("games_done", "complete", "ranges", "files")]
    return {name: hash_of(json.dumps(thing, sort_keys=True).encode())[:16] for name, thing in things.items()}


def manifest_bytes(manifest: Manifest) -> bytes:
    """The manifest as it is written, with its hashes up to date."""
    return json_bytes({**manifest, "hashes": _hashes(manifest)})


def read_complete(path: AnyPath, kind: ManifestKind | None = None, whose: str | None = None) -> Manifest:
    """The manifest of a folder that was played to its end, see `read_manifest`; refuses one that was not."""
    manifest = read_manifest(path, kind, whose)
    refuse_incomplete(path, manifest, kind)
    return manifest


def refuse_incomplete(path: AnyPath, manifest: Manifest, kind: ManifestKind | None = None) -> None:
    """Refuse what was not played to its end."""
    if not manifest["complete"]:
        what = (kind or RUN).whose.partition(" ")[2].removesuffix("'s")
        raise FolderError(f"the {what} in {path} was interrupted before its end: go on with `{resume_command(path)}`.")


def read_plain(path: AnyPath, whose: str = "a run's") -> dict[str, Any]:
    """The manifest of a folder, of whatever kind and not yet checked."""
    file = Path(path) / MANIFEST
    try:
        manifest = json.loads(read_plain_file(file, LARGEST_MANIFEST).decode("utf-8"))
        json.dumps(manifest, ensure_ascii=False).encode()  # text that cannot be written again is refused too
    except (FileNotFoundError, NotADirectoryError):
        raise FolderError(f"the folder {path} is not {whose} folder: {no_manifest(path)}") from None
    except OddFile as error:
        raise FolderFault(f"{file} is not a manifest: {error}.") from error
    except OSError as error:
        raise FolderFault(f"{file} cannot be read: {error.strerror or error}.") from error
    except UnicodeEncodeError as error:
        raise FolderFault(f"{file} is damaged: its characters are not valid Unicode, {error.reason}.") from error
    except (ValueError, RecursionError) as error:
        raise FolderFault(f"{file} is damaged, it is not valid JSON: {str(error) or 'nested too deeply'}.") from error
    return manifest if isinstance(manifest, dict) else {}


def read_manifest(path: AnyPath, kind: ManifestKind | None = None, whose: str | None = None) -> Manifest:
    """The checked manifest of a run's folder, or of another kind; `whose` names all kinds that the caller accepts."""
    kind = kind or RUN
    whose = whose or kind.whose
    file, entries = Path(path) / MANIFEST, read_plain(path, whose)
    if entries.get("schema") != kind.schema:
        raise FolderError(f"the folder {path} is not {whose} folder: {other_kind(path, entries, kind.schema)}")
    manifest = cast(Manifest, entries)
    if wrong := _wrong_entry(manifest, kind):
        raise FolderFault(f"{file} is damaged: {wrong} is missing or of the wrong kind.")
    hashes = _hashes(manifest)
    edited = [name for name in hashes if manifest["hashes"].get(name) != hashes[name]]
    if edited:
        raise FolderFault(f"{file} was edited after the run wrote it: {', '.join(edited)} and hash differ.")
    return manifest


def read_study(path: AnyPath) -> Manifest:
    """The checked manifest of a run or an experiment."""
    whose = "a run's, an experiment's or a sweep's"
    return read_manifest(path, STUDIES.get(str(read_plain(path, whose).get("schema")), RUN), whose)


# What a manifest may say. Each type is the check of an entry: its kind, and the limits of numbers and texts.

Label = Annotated[str, Meta(max_length=LONGEST_LABEL)]
Text = Annotated[str, Meta(max_length=LONGEST_TEXT)]
Number = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Game = Annotated[int, Meta(ge=0, le=LAST_GAME)]
Program = Annotated[str, Meta(pattern=r"^[0-9A-Za-z.+!-]{1,64}\Z")]
Digest = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Identity(TypedDict):
    """A strategy in a configuration."""

    name: Label
    label: Label
    kind: Label
    sha256: Annotated[str, Meta(max_length=64)]
    text: Text
    file: NotRequired[str | None]
    net: NotRequired[Text]


class TableFacts(TypedDict):
    """What every configuration says."""

    rules: dict[str, Any]
    strategies: list[Identity]
    seed: Number
    measures: NotRequired[Annotated[dict[str, Text], Meta(max_length=MOST_MEASURES)]]
    games: Annotated[int, Meta(ge=1, le=MOST_GAMES)]


class SettingFacts(TypedDict):
    """One of several tables: its label, rules of its own, and who sits where, by number among the strategies."""

    label: Label
    rules: dict[str, Any]
    seats: Annotated[list[Number], Meta(min_length=1, max_length=MAX_SHIPS)]


class StudyFacts(TableFacts):
    """The configuration of several tables, which play the same deals."""

    settings: Annotated[list[SettingFacts], Meta(min_length=1)]
    first_game: Literal[0]
    per_game: bool


class _RunFacts(TableFacts):
    first_game: Game
    per_game: bool
    events: NotRequired[bool]


class _ManifestFacts(TypedDict):
    games_done: Number
    version: Program
    engine: Program
    complete: bool
    files: dict[str, Digest]
    hashes: dict[str, Any]
    started: Label
    seconds: Annotated[float, Meta(ge=0, le=LONGEST_TIME)]
    resumed: list[Any]
    ranges: NotRequired[list[tuple[Game, Game]]]
    configuration: dict[str, Any]


def wrong_type(value: Any, form: Any, what: str = "") -> str:
    """The first entry of a value that is not of its type, by its path; empty where all is well."""
    try:
        msgspec.convert(value, form)
    except msgspec.ValidationError as error:
        place = re.search(r"at `\$\.?(.*?)(\[\.\.\.\])?`", str(error))
        missing = re.search(r"required field `(\w+)`", str(error))
        return ".".join(filter(None, (what, place and place[1], missing and missing[1])))
    except (RecursionError, ValueError):  # nested too deeply, or characters that are not valid Unicode
        return what
    return ""


def _wrong_entry(manifest: Manifest, kind: ManifestKind) -> str:
    """The first wrong entry in a manifest of any kind; empty where all is well."""
    config = manifest.get("configuration")
    if wrong := wrong_type(manifest, _ManifestFacts) or wrong_type(config, kind.form, "configuration"):
        return wrong
    if not math.isfinite(manifest["seconds"]):
        return "seconds"
    try:
        check_luck(config.get("luck", {}))
    except ValueError:
        return "configuration.luck"
    if not all(map(kind.file_names.fullmatch, manifest["files"])):
        return "files"
    if len(config["strategies"]) > kind.strategies or not all(map(is_sound, config["strategies"])):
        return "configuration.strategies"
    return kind.wrong(manifest)


def wrong_settings(manifest: Manifest, games: int) -> str:
    """The first wrong entry where several settings have so many games at most; empty where all is well."""
    config = manifest["configuration"]
    settings, strategies = config["settings"], len(config["strategies"])
    if len(settings) > MOST_SETTINGS or any(seat >= strategies for one in settings for seat in one["seats"]):
        return "configuration.settings"
    if config["per_game"] or manifest.get("ranges") is not None:
        return "configuration.per_game"
    return "games_done" if manifest["games_done"] > games else ""


def _wrong_study(manifest: Manifest) -> str:
    games = manifest["configuration"]["games"] * len(manifest["configuration"]["settings"])
    missing = "games_done" if manifest["complete"] and manifest["games_done"] < games else ""
    return wrong_settings(manifest, games) or missing


def _wrong_run(manifest: Manifest) -> str:
    """The first wrong entry in the manifest of a run; empty where all is well."""
    config, ranges = manifest["configuration"], manifest.get("ranges")
    if "settings" in config:
        return "configuration.settings"
    if not ranges or ranges[0][0] != config["first_game"] or (len(ranges) > 1 and not manifest["complete"]):
        return "ranges"
    if any(first + count >= later for (first, count), (later, _) in pairwise(ranges)):
        return "ranges"  # they must be in order, and adjacent ones joined
    done = manifest["games_done"]
    is_whole = done == config["games"] if manifest["complete"] else done <= config["games"]
    return "" if is_whole and sum(count for _, count in ranges) == done else "games_done"


RUN_FILES = re.compile(
    r"sums\.npy|tables\.json|games_to_watch\.json|(sums|rows)-[0-9]{12,13}\.npy|games/part-[0-9]{8,14}\.parquet"
)
RUN = ManifestKind("jamaica-run/2", "a run's", RUN_FILES, _RunFacts, _wrong_run)
STUDY_FILES = re.compile(r"sums\.npy|sums-[0-9]{12,16}\.npy|games_to_watch\.json|causes\.json")
MOST_SEATED = MOST_SETTINGS * MAX_SHIPS
EXPERIMENT = ManifestKind(
    "jamaica-experiment/4", "an experiment's", STUDY_FILES, StudyFacts, _wrong_study, strategies=MOST_SEATED
)
STUDIES = {kind.schema: kind for kind in (RUN, EXPERIMENT)}


def is_sound(strategy: Identity) -> bool:
    """Whether a strategy's kind fits its file: what claims to be weights must not be code."""
    kind, file = strategy["kind"], strategy.get("file")
    if kind == "built in":
        return strategy["name"] == RANDOM
    if kind == "outside":
        return not strategy["text"] and file is None
    if file is None:  # from a dictionary of weights, or a Python function
        return kind in ("data", "plain")
    if kind == "plain":
        return is_plain_name(file) and Path(file).suffix == ".py"
    kind = "data" if kind in ("search", "net") else kind  # these are files of weights too
    return is_plain_name(file) and SUFFIXES.get(Path(file).suffix) == kind


def is_plain_name(name: str) -> bool:
    """Whether this can be the name of a file or folder, without a path, and is printable."""
    return 0 < len(name) <= 255 and name.isprintable() and not re.search(r"[/\\]|^\.+$", name)


def refuse_other_program(path: AnyPath, manifest: Manifest) -> None:
    """Refuse to go on with a run that another version has begun: its games may not be the same."""
    here = played_by()
    if not same_games(manifest, here):
        raise FolderError(
            f"the folder {path} was played by jamaica-sim {program(manifest)} and this is {program(here)}: "
            f"go on with the same, or play a new run."
        )
