"""Experiments: a file that says what is to be compared, every combination of it played on the same deals.

A file is checked as a whole, and all that is wrong with it is said at once, before the first game. What was played lies
in one folder: a manifest and, for each combination, an ordinary run's folder. All of them are there from the beginning,
so that the folder alone is enough to go on with.
"""

import json
import time
import tomllib
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from itertools import combinations, product
from pathlib import Path

from jamaica_sim.limits import MOST_GAMES, check_games
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.results import Results
from jamaica_sim.rules import Rules, RulesError
from jamaica_sim.run.folder import RunFolder
from jamaica_sim.run.play import Stopped
from jamaica_sim.store.atomic_files import hash_of
from jamaica_sim.store.manifest import (
    MANIFEST,
    FolderError,
    FolderFault,
    Kind,
    configuration,
    first_of_wrong_kind,
    new_manifest,
    read_manifest,
    read_plain,
    refuse_other_program,
    resume_command,
)
from jamaica_sim.store.saved_folder import SavedFolder, is_tidy
from jamaica_sim.strategy.strategy import SUFFIXES, Strategy, StrategyError, load_strategy, shipped_names

KEYS = ("title", "description", "games", "seed", "sections", "compare", "rules", "tables", "line_ups", "pairs")
TEXTS = ("title", "description", "compare")
SECTIONS = (
    "claims",
    "changes",
    "who_wins",
    "ghost",
    "shortages",
    "treasures",
    "race",
    "battles",
    "scores",
    "drama",
    "box",
)
RULE_FIELDS = tuple(rule.name for rule in fields(Rules))
SEVERAL = ("action_die", "ghost_gold", "bank")  # rules whose one value is itself a list
LINE_UP = "line_up"
ALL = "all"  # the whole library
MOST_TABLES = 1000
DEFAULT_GAMES = 100_000


class ExperimentError(ValueError):
    """A file that cannot be run, with everything that is wrong with it."""

    def __init__(self, where, problems):
        self.problems = list(problems)
        if len(self.problems) == 1:
            super().__init__(f"{where}: {self.problems[0]}" if where else self.problems[0])
        else:
            many = "".join(f"\n  - {problem}" for problem in self.problems)
            super().__init__(f"{where} has {len(self.problems)} problems:{many}")


@dataclass(frozen=True, eq=False)
class Setting:
    """One combination: the rules and who plays, and once it is played its results."""

    rules: Rules
    strategies: tuple[Strategy, ...]
    factors: dict  # every rule and the line-up, as plain values
    label: str = ""
    results: Results | None = field(default=None, repr=False)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.results.games

    @property
    def is_mixed(self) -> bool:
        """Whether different strategies sit at the table."""
        return len({strategy.digest for strategy in self.strategies}) > 1


@dataclass(frozen=True)
class Experiment:
    """What to play and which questions to answer."""

    name: str
    source: str  # how a command names it: a shipped one by name, another by its file
    title: str
    description: str
    games: int
    seed: int
    sections: tuple[str, ...]
    compare: str
    settings: tuple[Setting, ...]
    text: str = field(default="", repr=False)


@dataclass(frozen=True)
class Study:
    """What was played: the results of an experiment, or of one run, and the commands that make them again."""

    name: str
    title: str
    description: str
    sections: tuple[str, ...]
    compare: str
    settings: tuple[Setting, ...]
    command: str
    folder: str

    @property
    def varying(self) -> list[str]:
        """The factors that have several values, the one that is compared first."""
        return varying_factors(self.settings, self.compare)

    @property
    def reference(self) -> Setting:
        """The setting that stands for all where only one can be shown: four players, else the first of each factor."""
        return max(self.settings, key=lambda s: (not s.is_mixed, s.factors["players"] == 4, -self.settings.index(s)))

    def along(self, *factors: str) -> list[Setting]:
        """The settings that differ from the reference in these factors at most."""
        return [s for s in self.settings if set(_differing(s, self.reference)) <= {*factors}]

    def contrasts(self, factor: str) -> list[tuple[Setting, Setting]]:
        """Pairs of settings that differ in this factor alone, for a factor of two values: the lower value, the "
        "higher."""
        values = sorted({_value(s, factor) for s in self.settings})
        if len(values) != 2:
            return []
        return [
            (a, b)
            for a, b in product(self.settings, self.settings)
            if [_value(a, factor), _value(b, factor)] == values and _differing(a, b) == [factor]
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
        """The settings in which all players play alike; all of them if there is none."""
        return tuple(s for s in self.settings if not s.is_mixed) or self.settings


def _value(setting, factor):
    """A factor's value to compare settings by; the ghost that two players always have is no choice of its own."""
    if factor == "ghost":
        return setting.rules.ghost and setting.rules.players > 2
    value = setting.factors[factor]
    return tuple(value) if isinstance(value, list) else value


def _differing(a, b):
    return [name for name in a.factors if _value(a, name) != _value(b, name)]


def varying_factors(settings, compare: str = "") -> list[str]:
    """The names of the factors with several values: the compared one, players, ghost, edition, other rules, line-up."""
    names = list(settings[0].factors)
    varying = [name for name in names if len({_value(s, name) for s in settings}) > 1]
    first = [compare, "players", "ghost", "edition"]
    return sorted(varying, key=lambda name: first.index(name) if name in first else len(first) + names.index(name))


WORDS = {
    "players": "{} players".format,
    "ghost": lambda ghost: "with the ghost" if ghost else "no ghost",
    "edition": "{}".format,
    LINE_UP: "{}".format,
}


RULE_WORDS = {"map_hand_size": "hand with Morgan's Map", "lady_beth_bonus": "Lady Beth's bonus"}
USUAL = ("players", "ghost", "edition", LINE_UP)
DEFAULTS = Rules().as_dict()


def factor_words(name: str, value) -> str:
    """A factor's value in words."""
    if name in WORDS:
        return WORDS[name](value)
    if isinstance(value, list):
        value = ",".join(map(str, value))
    return f"{RULE_WORDS.get(name, name.replace('_', ' '))} {value}"


def label_of(setting: Setting, names) -> str:
    """A setting by the factors named, in words; other rules than the usual ones only where they are changed."""
    usual = [name for name in USUAL if name in names]
    changed = [n for n in names if n not in USUAL and setting.factors[n] != DEFAULTS[n]]
    line_up = [LINE_UP] if LINE_UP in names else []
    chosen = [name for name in usual if name != LINE_UP] + changed + line_up
    words = [factor_words(name, setting.factors[name]) for name in chosen or names]
    if "players" in chosen and "ghost" not in names and setting.rules.ghost:
        words[0] += " and ghost"
    return ", ".join(words)


def labelled(settings, compare: str = "") -> tuple[Setting, ...]:
    """The settings, each with a label that tells it apart from the others."""
    names = varying_factors(settings, compare) or ["players", "ghost", "edition", LINE_UP]
    return tuple(Setting(s.rules, s.strategies, s.factors, label_of(s, names), s.results) for s in settings)


# Files


@cache
def shipped_experiments() -> Path:
    """Where the shipped experiments lie: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "shipped" / "experiments"
    return installed if installed.is_dir() else package.parent / "experiments"


def experiment_names() -> list[str]:
    """The names of the shipped experiments."""
    return sorted(path.stem for path in shipped_experiments().glob("*.toml"))


def load_experiment(name_or_file) -> Experiment:
    """The shipped experiment of that name, or the one in that file; refused with everything that is wrong."""
    text = str(name_or_file)
    if not text.endswith(".toml") and "/" not in text and "\\" not in text:
        if text not in experiment_names():
            near = get_close_matches(text, experiment_names(), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the shipped ones are {', '.join(experiment_names())}."
            raise ExperimentError(
                "", [f"there is no experiment {text!r}: {hint} A file is named by its path, ./{text}.toml."]
            )
        return read_experiment(shipped_experiments() / f"{text}.toml")
    return read_experiment(Path(text))


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ExperimentError(path, [f"it cannot be read: {error.strerror or error}."]) from error
    except UnicodeDecodeError as error:
        raise ExperimentError(path, [f"it is not UTF-8 text: byte {error.start} is not a character."]) from error
    return experiment_from_text(text, path)


def experiment_from_text(text: str, path: Path) -> Experiment:
    """The experiment that a file of this text is."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ExperimentError(path, [f"it is not valid TOML: {error}."]) from error
    problems = []
    _check_keys(data, problems)
    line_ups = _line_ups(data, path.parent, problems)
    settings = _settings(data, line_ups, problems)
    compare = data.get("compare", "")
    if settings and compare and compare not in varying_factors(settings):
        known = varying_factors(settings)
        problems.append(f"compare must be a factor with several values, not {compare!r}: {_nearest(compare, known)}")
    if problems:
        raise ExperimentError(path, dict.fromkeys(problems))
    return Experiment(
        path.stem,
        path.stem if path.parent == shipped_experiments() else path.name,
        data.get("title", path.stem.replace("_", " ").capitalize()),
        " ".join(data.get("description", "").split()),
        data.get("games", DEFAULT_GAMES),
        data.get("seed", 1),
        tuple(data.get("sections", [])),
        compare,
        labelled(settings, compare),
        text,
    )


def _nearest(word, words):
    near = get_close_matches(str(word), words, 1)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}."


def _is_whole(value, low, high=2**63 - 1):
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _check_keys(data, problems):
    for key in data:
        if key not in KEYS:
            problems.append(f"there is no key {key!r} in an experiment: {_nearest(key, KEYS)}")
    for key in TEXTS:
        if not isinstance(data.get(key, ""), str):
            problems.append(f"{key} must be text, not {data[key]!r}.")
            data[key] = ""
    if not _is_whole(data.get("games", 1), 1, MOST_GAMES):
        problems.append(f"games must be a whole number from 1 to {MOST_GAMES:,}, not {data['games']!r}.")
    if not _is_whole(data.get("seed", 1), 0):
        problems.append(f"seed must be a whole number from 0 on, not {data['seed']!r}.")
    sections = data.get("sections", [])
    if not isinstance(sections, list):
        problems.append(f"sections must be a list of sections, not {sections!r}.")
        return
    for section in sections:
        if section not in SECTIONS:
            problems.append(f"there is no section {section!r}: {_nearest(section, SECTIONS)}")


def _line_ups(data, folder, problems):
    """The line-ups: lists of loaded strategies, by name."""
    wanted = data.get("line_ups", [] if "pairs" in data else ["balanced"])
    pairs = data.get("pairs", [])
    if wanted == ALL:
        wanted = shipped_names()
    if not isinstance(wanted, list) or not all(_is_line_up(entry) for entry in wanted):
        problems.append(f"line_ups must be a list of strategies, of lists of them by seat, or {ALL!r}, not {wanted!r}.")
        wanted = []
    if pairs == ALL:
        pairs = shipped_names()
    if not isinstance(pairs, list) or not all(isinstance(name, str) for name in pairs):
        problems.append(f"pairs must be a list of strategies, or {ALL!r} for the whole library, not {pairs!r}.")
        pairs = []
    seats = [[entry] if isinstance(entry, str) else entry for entry in wanted]
    seats += [list(pair) for pair in combinations(pairs, 2)]
    if not seats and not problems:
        problems.append("there is nobody to play: line_ups is empty, and pairs needs at least two strategies.")
    known = _load_all({name for names in seats for name in names}, folder, problems)
    return [[known[name] for name in names] for names in seats if all(name in known for name in names)]


def _is_line_up(entry):
    return isinstance(entry, str) or (
        isinstance(entry, list) and bool(entry) and all(isinstance(name, str) for name in entry)
    )


def _load_all(names, folder, problems):
    known = {}
    for name in sorted(names):
        is_file = Path(name).suffix in SUFFIXES
        try:
            known[name] = load_strategy(folder / name if is_file else name)
        except StrategyError as error:
            problems.append(str(error))
    return known


def _settings(data, line_ups, problems):
    """Every combination of the factors; the shared rules first, then those of each table."""
    shared = data.get("rules", {})
    tables = data.get("tables", [{}])
    if not isinstance(shared, dict) or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        problems.append("rules must be a table, [rules], and tables a list of tables, [[tables]].")
        return []
    if not tables:
        problems.append("tables is empty: leave it out, or give at least one [[tables]].")
    settings = {}
    for number, table in enumerate(tables, 1):
        where = f"[[tables]] number {number}: " if "tables" in data else ""
        factors = _factors({**shared, **table}, where, problems)
        for values in product(*factors.values()):
            rules = _rules(dict(zip(factors, values, strict=True)), where, problems)
            for line_up in line_ups if rules else []:
                _add_setting(settings, rules, line_up, where, problems)
    if len(settings) > MOST_TABLES:
        problems.append(
            f"that is {len(settings):,} combinations, more than the {MOST_TABLES:,} that one experiment may have."
        )
    return list(settings.values())


def _factors(wanted, where, problems):
    """Each rule's values as a list."""
    factors = {}
    for name, value in wanted.items():
        if name not in RULE_FIELDS:
            problems.append(f"{where}there is no rule {name!r}: {_nearest(name, RULE_FIELDS)}")
            continue
        is_several = isinstance(value, list) and (name not in SEVERAL or any(isinstance(v, list) for v in value))
        factors[name] = value if is_several else [value]
        if not factors[name]:
            problems.append(f"{where}{name} has no value.")
            del factors[name]
    return factors


def _rules(values, where, problems):
    try:
        return Rules(**values)
    except (RulesError, TypeError) as error:
        given = ", ".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
        problems.append(f"{where}{given}: {error}")
        return None


def _add_setting(settings, rules, line_up, where, problems):
    names = " v. ".join(strategy.name for strategy in line_up)
    if len(line_up) > rules.players:
        problems.append(f"{where}the line-up {names} has {len(line_up)} strategies for {rules.players} players.")
        return
    factors = rules.as_dict() | {LINE_UP: names}
    key = repr(factors) + "".join(strategy.digest for strategy in line_up)
    settings.setdefault(key, Setting(rules, tuple(line_up), factors))


# Playing


def _wrong_experiment(manifest):
    config = manifest["configuration"]
    kinds = dict.fromkeys(("name", "source", "title", "description", "compare", "text"), str)
    kinds |= {"sections": list, "strategies": list, "tables": list}
    wrong = first_of_wrong_kind({f"configuration.{name}": (config.get(name), kind) for name, kind in kinds.items()})
    if not wrong and not all(_is_table(table) for table in config["tables"]):
        return "configuration.tables"
    return wrong


def _is_table(table):
    texts = ("folder", "label", "configuration")
    whole = isinstance(table, dict) and all(isinstance(table.get(name), str) for name in texts)
    return whole and Path(table["folder"]).name == table["folder"]


EXPERIMENT = Kind("jamaica-experiment/1", "an experiment's", _wrong_experiment)


class ExperimentFolder(SavedFolder):
    """The folder of one experiment, open for writing by this process alone."""

    kind = EXPERIMENT

    @classmethod
    def create(cls, path, experiment: Experiment, games: int) -> "ExperimentFolder":
        """A new folder with that of a run for each combination, of which nothing is played yet."""
        runs = _runs(experiment, games)

        def fill(folder):
            for name, config in runs.items():
                RunFolder.create(folder / name, config).close()

        return cls.begin(path, new_manifest(_configuration(experiment, games, runs), EXPERIMENT), fill)

    @property
    def games_wanted(self) -> int:
        """How many games there will be in the end, at all tables."""
        return self.config["games"] * len(self.config["tables"])

    def runs(self) -> list[tuple[str, Path]]:
        """The label and the folder of each combination, checked to be the one that the experiment wants."""
        found = [(table, self.path / table["folder"]) for table in self.config["tables"]]
        for table, run in found:
            if _hash(read_manifest(run)["configuration"]) != table["configuration"]:
                raise FolderFault(f"{run} is not the run that the experiment wants: its configuration differs.")
        return [(table["label"], run) for table, run in found]

    def count(self, seconds: float):
        """Put down how many games are played, and whether these are all."""
        manifests = [read_manifest(run) for _, run in self.runs()]
        done, complete = sum(m["games_done"] for m in manifests), all(m["complete"] for m in manifests)
        self.submit(lambda: self.commit(self.advanced(self.seconds + seconds, games_done=done, complete=complete), {}))


def _hash(config):
    return hash_of(json.dumps(config, sort_keys=True).encode())


def _runs(experiment, games):
    """The configuration of each combination's run, by the name of its folder."""
    return {
        folder_name(number, setting): configuration(
            GameTable.seat(setting.rules, setting.strategies, experiment.seed), 0, games, per_game=False
        )
        for number, setting in enumerate(experiment.settings)
    }


def _configuration(experiment, games, runs):
    strategies = {s.digest: s for setting in experiment.settings for s in setting.strategies}.values()
    return {
        "name": experiment.name,
        "source": experiment.source,
        "title": experiment.title,
        "description": experiment.description,
        "games": games,
        "seed": experiment.seed,
        "sections": list(experiment.sections),
        "compare": experiment.compare,
        "strategies": [{"name": s.name, "sha256": s.digest} for s in strategies],
        "tables": [
            {"folder": name, "label": setting.label, "configuration": _hash(config)}
            for setting, (name, config) in zip(experiment.settings, runs.items(), strict=True)
        ],
        "text": experiment.text,
    }


def run_experiment(experiment: Experiment, out, games: int | None = None, watch=None, **who) -> Study:
    """Play every combination and write the experiment's folder; one that was interrupted goes on where it was.

    `watch(label, number)` is a context around each combination; what it yields is called with the games done. `who`
    plays: `threads` or `cluster`. Ctrl-C raises `Stopped`.
    """
    games = experiment.games if games is None else games
    check_games(games)
    if not _is_unfinished(out, _configuration(experiment, games, _runs(experiment, games))):
        return _play(ExperimentFolder.create(out, experiment, games), watch, who)
    return resume_experiment(out, watch, **who)


def _is_unfinished(folder, config):
    """Whether a folder has this very experiment, not played to the end."""
    if not (Path(folder) / MANIFEST).is_file() or read_plain(folder).get("schema") != EXPERIMENT.schema:
        return False
    manifest = read_manifest(folder, EXPERIMENT)
    return not manifest["complete"] and manifest["configuration"] == config


def resume_experiment(folder, watch=None, **who) -> Study:
    """Go on with an experiment, from its folder alone; what is damaged in it is made again. See `run_experiment`."""
    return _play(ExperimentFolder.reopen(folder), watch, who)


def _play(folder, watch, who):
    from jamaica_sim.run.api import resume_run, unfinished

    started = time.perf_counter()
    try:
        for number, (label, run) in enumerate(folder.runs()):
            if unfinished(run) is not None:
                with watch(label, number) if watch else nullcontext() as progress:
                    resume_run(run, progress=progress, **who)
                folder.count(time.perf_counter() - started)
        folder.count(time.perf_counter() - started)  # also what was counted by nobody because it was killed
        folder.finish_writing()
    except KeyboardInterrupt:
        folder.count(time.perf_counter() - started)
        folder.finish_writing()
        raise Stopped(folder.path, folder.games_done, folder.games_wanted) from None
    finally:
        folder.close()
    return load_study(folder.path)


def unfinished_experiment(path) -> dict | None:
    """The configuration of an experiment with something left to do; None where it is complete and whole."""
    from jamaica_sim.run.api import unfinished

    path, manifest = Path(path), read_manifest(path, EXPERIMENT)
    config = manifest["configuration"]
    if is_tidy(path, manifest) and all(unfinished(path / table["folder"]) is None for table in config["tables"]):
        return None
    refuse_other_program(path, manifest)
    return config


def folder_name(number: int, setting: Setting) -> str:
    """The folder of a combination inside the experiment's."""
    words = "".join(c if c.isalnum() else "_" for c in setting.label.lower())
    return f"{number:03d}_{'_'.join(w for w in words.split('_') if w)}"[:80]


# What was played


def load_study(folder) -> Study:
    """The study in an experiment's folder, or in a run's."""
    folder = Path(folder)
    if read_plain(folder, "an experiment's or a run's").get("schema") == EXPERIMENT.schema:
        return _study_of_experiment(folder)
    return _study_of_run(folder)


def _played(folder):
    from jamaica_sim.run.api import load_results

    if not read_manifest(folder).get("complete"):
        raise _interrupted(folder)
    results = load_results(folder)
    table = results.table
    factors = table.rules.as_dict() | {LINE_UP: " v. ".join(_in_turn([s.label for s in table.strategies]))}
    return Setting(table.rules, table.strategies, factors, "", results)


def _interrupted(folder):
    return FolderError(f"the run in {folder} was interrupted before its end: go on with `{resume_command(folder)}`.")


def _in_turn(names):
    """The fewest names that, seated in turn, give these seats."""
    return next(
        names[:few] for few in range(1, len(names) + 1) if all(name == names[i % few] for i, name in enumerate(names))
    )


def is_complete(folder) -> bool:
    """Whether every combination of the experiment in a folder was played."""
    if not (Path(folder) / MANIFEST).is_file() or read_plain(folder).get("schema") != EXPERIMENT.schema:
        return False
    return read_manifest(folder, EXPERIMENT)["complete"]


def _study_of_experiment(folder):
    manifest = read_manifest(folder, EXPERIMENT)
    facts = manifest["configuration"]
    if not manifest["complete"]:
        raise _interrupted(folder)
    settings = labelled([_played(folder / table["folder"]) for table in facts["tables"]], facts["compare"])
    command = f"jamaica-sim experiment run {facts['source']} --games {facts['games']} --out {facts['name']}"
    return Study(
        facts["name"],
        facts["title"],
        facts["description"],
        tuple(facts["sections"]),
        facts["compare"],
        settings,
        command,
        facts["name"],
    )


def _study_of_run(folder):
    setting = labelled([_played(folder)])[0]
    name = folder.resolve().name
    command = f"{run_command(setting.results)} --out {name}"
    return Study(name, f"The run {name}", "", (), "", (setting,), command, name)


def run_command(results: Results) -> str:
    """The command that plays these games."""
    rules, table = results.table.rules, results.table
    default = Rules(players=rules.players, edition=rules.edition, ghost=rules.ghost).as_dict()
    words = [f"--players {rules.players} --edition {rules.edition}", "--ghost" if rules.ghost else "--no-ghost"]
    for name, value in rules.as_dict().items():
        if value != default[name]:
            words.append(f"--rule {name}={','.join(map(str, value)) if isinstance(value, list) else value}")
    shipped = shipped_names()
    words += [f"-s {s.name if s.name in shipped else s.path}" for s in _in_turn(list(table.strategies))]
    first = f" --first-game {results.first_game}" if results.first_game else ""
    return f"jamaica-sim run --games {results.games} {' '.join(words)} --seed {table.seed}{first}"
