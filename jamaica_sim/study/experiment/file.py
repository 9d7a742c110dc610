"""Experiment files: what to play and which chapters the report will have.

A file is checked as a whole before the first game, and all its mistakes are reported at once.
"""

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product
from pathlib import Path
from typing import Any

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean, html_table, html_text, shown
from jamaica_sim.files.limits import LARGEST_SEED, MOST_GAMES, MOST_STEPS, is_int_between
from jamaica_sim.files.user_files import AnyPath, beside, read_text, toml_of
from jamaica_sim.game.components.changes import AT_ONCE, BOARD, PRINTED, by_dots, value_of
from jamaica_sim.game.rules import (
    Rules,
    RulesError,
    check_rule_names,
    is_part,
    rule_fields,
    rules_of,
)
from jamaica_sim.game.variant import files_beside, namesake, other_kind
from jamaica_sim.play.own_measures import Measures, OwnMeasures
from jamaica_sim.results.measures import CAPTAIN, MEASURES
from jamaica_sim.strategy.library import SUFFIXES, look_at_strategy, quick_names, told_apart
from jamaica_sim.strategy.strategy import Strategy, StrategyError
from jamaica_sim.study.experiment.chapters import CHAPTERS
from jamaica_sim.study.experiment.setting import (
    LINE_UP,
    VARIANT,
    Setting,
    Variant,
    differing_factors,
    labelled,
    varying_factors,
    with_named_factors,
)
from jamaica_sim.study.values import values_of

OTHER_KEYS = {"sections": "chapters", "strategies": "line_ups", "name": "title"}  # old or likely names of keys
KEYS = ("title", "description", "games", "seed", "adapt", "chapters", "compare", "question", "rules", "tables",
        "line_ups", "pairs", "measures")  # fmt: skip
TEXTS = ("title", "description", "compare", "question")
NUMBERS = {
    "games": (1, MOST_GAMES, f"{MOST_GAMES:,}"),
    "seed": (0, LARGEST_SEED, str(LARGEST_SEED)),
    "adapt": (0, MOST_STEPS, str(MOST_STEPS)),
}  # and how the largest is written
RULE_FIELDS = tuple(rule.name for rule in rule_fields())
EXPERIMENTS, SWEEPS, TARGETS = KINDS = ("experiments", "sweeps", "targets")  # of files that are shipped
ALL = "all"  # the whole library, except the strategies that search, which would take days
MOST_SETTINGS = 1000
MOST_COMBINATIONS = 10 * MOST_SETTINGS  # before duplicates are dropped
MOST_PROBLEMS = 20  # reported at once
LONGEST_NAME = 40  # characters, of a variant
DEFAULT_GAMES = 100_000


class ExperimentError(UserError):
    """A file that cannot be run, with all its mistakes."""

    def __init__(self, where: object, problems: Iterable[str]) -> None:
        self.problems = list(problems)
        if len(self.problems) > MOST_PROBLEMS:
            self.problems[MOST_PROBLEMS:] = [f"and {len(self.problems) - MOST_PROBLEMS:,} more."]
        if len(self.problems) == 1:
            super().__init__(f"{where}: {self.problems[0]}" if where else self.problems[0])
        else:
            many = "".join(f"\n  - {problem}" for problem in self.problems)
            super().__init__(f"{where} has {len(self.problems)} problems:{many}")


@dataclass(frozen=True, repr=False)
class Experiment:
    """What to play and which questions to answer.

    Examples
    --------
    >>> from jamaica_sim import load_experiment
    >>> load_experiment("player_counts")
    <Experiment player_counts: How many players?
     10 settings, 100,000 games each, seed 1>
    """

    name: str
    source: str  # how a command names the experiment: the name of a shipped one, otherwise its file
    title: str
    description: str
    games: int
    seed: int
    chapters: tuple[str, ...]
    compare: str
    settings: tuple[Setting, ...]
    text: str = field(default="", repr=False)
    adapt: int = 0  # steps in which the players of each setting are to adapt, beside the old ones
    question: str = ""  # the measure that the report answers first
    measures: Measures = field(default_factory=dict)  # of one's own, by name
    sweep: dict[str, Any] | None = None  # of a sweep: the rules that vary and their values (`lab.sweep_folder`)

    def __repr__(self) -> str:
        return f"<Experiment {self.name}: {self.title}\n {self._size()}>"

    def _repr_html_(self) -> str:
        rows = [(number, setting.label) for number, setting in enumerate(self.settings, 1)]
        said = f"<p>{html_text(self.description)}</p>" if self.description else ""
        return said + html_table(f"{self.title} ({self._size()})", ("", "setting"), rows)

    def _size(self) -> str:
        return f"{len(self.settings)} settings, {self.games:,} games each, seed {self.seed}"


@cache
def shipped_experiments() -> Path:
    """Where the shipped experiments lie: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent.parent
    installed = package / "shipped" / "experiments"
    return installed if installed.is_dir() else package.parent / "experiments"


def shipped_names(kind: str = EXPERIMENTS) -> list[str]:
    """The names of the shipped files of a kind: `experiments`, `sweeps` or `targets`.

    Examples
    --------
    >>> from jamaica_sim import shipped_names
    >>> "ghost_ship" in shipped_names(), "hand_size" in shipped_names("sweeps"), shipped_names("targets")
    (True, True, ['fair_seats', 'ghost_that_wins'])
    """
    if kind not in KINDS:
        raise UserError(f"there are no shipped {kind!r}: {did_you_mean(str(kind), KINDS)}")
    return sorted(path.stem for path in shipped_files(kind).glob("*.toml"))


def shipped_files(kind: str) -> Path:
    """Where the shipped files of a kind lie: sweeps and targets in folders beside the experiments."""
    return shipped_experiments() if kind == EXPERIMENTS else shipped_experiments() / kind


def load_experiment(name_or_file: str | os.PathLike[str]) -> Experiment:
    """The shipped experiment of that name, or the one in that file. Its mistakes are all reported at once.

    Examples
    --------
    >>> from jamaica_sim import load_experiment
    >>> load_experiment("ghost_ship").compare
    'ghost'
    """
    return read_experiment(find_file(name_or_file, EXPERIMENTS, "experiment")[0])


def find_file(name_or_file: AnyPath, kind: str, what: str) -> tuple[Path, str]:
    """The path of the shipped file of that name, or the path itself where one is given; and its name in a command."""
    text = str(name_or_file)
    if text.endswith(".toml") or "/" in text or "\\" in text:
        return Path(text), text
    if text in shipped_names(kind):
        return shipped_files(kind) / f"{text}.toml", text
    if Path(f"{text}.toml").is_file():
        raise _refusal(f"there is no {what} {text!r}, but there is a file: name it with its ending, {text}.toml.")
    hint = did_you_mean(text, shipped_names(kind), "the shipped ones are")
    by_path = "Such a file ends in .toml." if Path(text).suffix else f"A file is named by its path, ./{text}.toml."
    raise _refusal(f"there is no {what} {text!r}: {hint} {by_path}")


def read_experiment(path: Path) -> Experiment:
    """The experiment in a file."""
    return experiment_from_text(read_text(path, _refusal), path)


def _refusal(problem: str) -> ExperimentError:
    return ExperimentError("", [problem])


def experiment_from_text(text: str, path: Path) -> Experiment:
    """The experiment that a file with this text describes."""
    data = toml_of(text, path, _refusal)
    problems = wrong_keys(data, path, KEYS, "an experiment") + _wrong_chapters(data.get("chapters", []))
    line_ups = _line_ups(data, path.parent, problems)
    settings = _settings(data, line_ups, path.parent, problems)
    compare = data.get("compare", "")
    if settings and compare and not problems and compare not in varying_factors(settings):
        known = varying_factors(settings)
        hint = did_you_mean(compare, known) if known else "nothing here has several values."
        problems.append(f"compare must be a factor with several values, not {shown(compare)}: {hint}")
    elif settings and compare and not problems:
        problems += _nothing_to_compare(settings, compare)
    question, measures = data.get("question", ""), [name for m in MEASURES for name in (m.key, m.column)]
    measures += data["measures"] if isinstance(data.get("measures"), dict) else []
    if isinstance(question, str) and question and question not in measures:
        hint = did_you_mean(question, measures, "there are")
        problems.append(f"question must be a measure, such as {shown(CAPTAIN.column)}, not {shown(question)}: {hint}")
    first = settings[0].strategies[0].kind if settings else ""
    if not problems and "restricted" in data.get("chapters", []) and first == "built in":
        problems.append("the chapter 'restricted' restricts the first strategy, and random play cannot be restricted.")
    problems += _wrong_measures(data.get("measures", {}), settings)
    if problems:
        raise ExperimentError(path, dict.fromkeys(problems))
    return Experiment(
        path.stem,
        path.stem if path.parent == shipped_experiments() else path.name,
        data.get("title", path.stem.replace("_", " ").capitalize()),
        " ".join(data.get("description", "").split()),
        data.get("games", DEFAULT_GAMES),
        data.get("seed", 1),
        tuple(data.get("chapters", [])),
        compare,
        labelled(settings, compare),
        text,
        data.get("adapt", 0),
        question,
        data.get("measures", {}),
    )


def _wrong_measures(measures: Any, settings: Sequence[Setting]) -> list[str]:
    """What is wrong with the measures of one's own: at each kind of table, because words for ships are others there."""
    problems, kinds = [], {(s.strategies, s.rules.players, s.rules.ghost): s for s in settings}
    for setting in kinds.values():
        labels = [setting.strategies[seat % len(setting.strategies)].label for seat in range(setting.rules.players)]
        try:
            OwnMeasures(measures, labels, setting.rules)
        except UserError as error:
            problems.append(str(error))
    return problems


def _nothing_to_compare(settings: Sequence[Setting], compare: str) -> list[str]:
    """The problem where no two settings differ in the compared factor alone: no difference could be put down to it."""
    pairs = [differing_factors(a, b) for a, b in combinations(settings, 2)]
    pairs = [names for names in pairs if compare in names]
    if [compare] in pairs:
        return []
    others = [name for name in min(pairs, key=len) if name != compare]
    too = f"{', '.join(others[:3])}{' and more' if len(others) > 3 else ''} too"
    return [
        f"no two settings differ in {compare} alone, so there is nothing to compare: they differ in {too}. To compare "
        'sets of rules as a whole, give every [[tables]] a name, such as name = "my rules", and say '
        f'compare = "{VARIANT}".'
    ]


def wrong_keys(data: dict[str, Any], path: Path, keys: Sequence[str], what: str) -> list[str]:
    """What is wrong with the keys of a study's file, and with the texts and numbers that every such file may have."""
    problems = []
    for key in data:
        if key not in keys and OTHER_KEYS.get(key) in keys:
            problems.append(f"there is no key {key!r} in {what}: did you mean {OTHER_KEYS[key]!r}?")
        elif key in RULE_FIELDS or is_part(key):
            problems.append(f"the rule {key!r} stands below a line [rules]: write that line before it.")
        elif key not in keys:
            hint = other_kind([key], path, what) or did_you_mean(key, keys)
            problems.append(f"there is no key {shown(key)} in {what}: {hint}")
    for key in TEXTS:
        if not isinstance(data.get(key, ""), str):
            problems.append(f"{key} must be text, not {shown(data[key])}.")
            data[key] = ""
    for key, (low, high, most) in NUMBERS.items():
        if not is_int_between(data.get(key, low), low, high):
            problems.append(f"{key} must be a whole number from {low} to {most}, not {shown(data[key])}.")
    return problems


def _wrong_chapters(chapters: Any) -> list[str]:
    if not isinstance(chapters, list):
        return [f"chapters must be a list of chapters, not {shown(chapters)}."]
    unknown = [chapter for chapter in chapters if not isinstance(chapter, str) or chapter not in CHAPTERS]
    return [f"there is no chapter {shown(chapter)}: {did_you_mean(str(chapter), CHAPTERS)}" for chapter in unknown]


def _line_ups(data: dict[str, Any], folder: Path, problems: list[str]) -> list[list[Strategy]]:
    """The line-ups: lists of loaded strategies, by name."""
    wanted = data.get("line_ups", [] if "pairs" in data else ["balanced"])
    pairs = data.get("pairs", [])
    if wanted == ALL:
        wanted = quick_names()
    if not isinstance(wanted, list) or not all(_is_line_up(entry) for entry in wanted):
        problems.append(
            f'line_ups must be a list such as ["balanced"], of strategies or lists of them by seat, or {ALL!r}, '
            f"not {shown(wanted)}."
        )
        wanted = []
    if pairs == ALL:
        pairs = quick_names()
    if not isinstance(pairs, list) or not all(isinstance(name, str) for name in pairs):
        problems.append(f"pairs must be a list of strategies, or {ALL!r} for the library, not {shown(pairs)}.")
        pairs = []
    if math.comb(len(pairs), 2) + len(wanted) > MOST_SETTINGS:
        problems.append(_too_many(math.comb(len(pairs), 2) + len(wanted), "line-ups", MOST_SETTINGS))
        return []
    seats = [[entry] if isinstance(entry, str) else entry for entry in wanted]
    seats += [list(pair) for pair in combinations(pairs, 2)]
    if not seats and not problems:
        problems.append("there is nobody to play: line_ups is empty, and pairs needs at least two strategies.")
    known = _load_all({name for names in seats for name in names}, folder, problems)
    known = dict(zip(known, told_apart(known.values()), strict=True))  # also those that never meet at a table
    return [[known[name] for name in names] for names in seats if all(name in known for name in names)]


def _is_line_up(entry: object) -> bool:
    return isinstance(entry, str) or (
        isinstance(entry, list) and bool(entry) and all(isinstance(name, str) for name in entry)
    )


def _load_all(names: Iterable[str], folder: Path, problems: list[str]) -> dict[str, Strategy]:
    known = {}
    for name in sorted(names):
        is_file = Path(name).suffix in SUFFIXES
        try:
            known[name] = look_at_strategy(beside(folder, name, StrategyError) if is_file else name)
        except StrategyError as error:
            problems.append(str(error))
    return known


def _settings(data: dict[str, Any], line_ups: list[list[Strategy]], folder: Path, problems: list[str]) -> list[Setting]:
    """Every combination of the factors: the shared rules, overridden by those of each table, with each line-up."""
    shared = data.get("rules", {})
    tables = data.get("tables", [{}])
    if not isinstance(shared, dict) or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        problems.append("rules must be a table, [rules], and tables a list of tables, [[tables]].")
        return []
    if not tables:
        problems.append("tables is empty: leave it out, or give at least one [[tables]].")
    wheres = [f"[[tables]] number {number}: " if "tables" in data else "" for number in range(1, len(tables) + 1)]
    variants = _variants(tables, wheres, problems)
    every = [
        _factors(by_dots({**shared, **table}), where, folder, problems)
        for table, where in zip(tables, wheres, strict=True)
    ]
    at_once = [name for name in (BOARD, *AT_ONCE) if any(name in factors for factors in every)]
    count = sum(math.prod(map(len, factors.values())) for factors in every) * max(1, len(line_ups))
    if count > MOST_COMBINATIONS:  # counted before any is made
        problems.append(_too_many(count, "settings", MOST_SETTINGS))
        return []
    settings: dict[str, Setting] = {}
    for factors, variant, where in zip(every, variants, wheres, strict=True):
        for values in product(*factors.values()):
            given = dict(zip(factors, values, strict=True))
            rules = _rules(given, where, problems)
            if not rules:
                continue
            named = {VARIANT: variant} if variant else {}
            unnamed = {n: PRINTED if n == BOARD else value_of(rules.components, n) for n in at_once if n not in given}
            named |= {name: (given | unnamed)[name] for name in at_once}
            for line_up in line_ups:
                _add_setting(settings, rules, line_up, named, where, problems)
    if len(settings) > MOST_SETTINGS:
        problems.append(_too_many(len(settings), "settings", MOST_SETTINGS))
    if not any(variants) and (name := namesake(setting.rules for setting in settings.values())):
        problems.append(f"two different files are called {name}: give each [[tables]] a name, or one file another.")
    return with_named_factors(list(settings.values())) if settings else []


def _variants(tables: list[dict[str, Any]], wheres: list[str], problems: list[str]) -> list[Variant | None]:
    """The variant of each table. Either all tables have a name, which is taken out here, or none has one."""
    names = [table.pop("name", "") for table in tables]
    for name, where in zip(names, wheres, strict=True):
        if not isinstance(name, str) or len(name) > LONGEST_NAME or name != " ".join(name.split()):
            problems.append(f"{where}name must be a short text, at most {LONGEST_NAME} characters, not {shown(name)}.")
            return [None] * len(names)
    if any(names) and not all(names):
        problems.append(f"{wheres[names.index('')]}it has no name: either every [[tables]] has one or none.")
    order = list(dict.fromkeys(names))
    return [Variant(order.index(name), name) if name else None for name in names]


def _too_many(count: int, what: str, most: int) -> str:
    many = f"{count:,}" if count < 10**15 else "far too many"
    return f"that is {many} {what}, more than the {most:,} that one experiment may have."


def _factors(wanted: dict[str, Any], where: str, folder: Path, problems: list[str]) -> dict[str, list[Any]]:
    """Each rule's values as a list."""
    factors = {}
    for name, value in wanted.items():
        try:
            check_rule_names([name])
            factors[name] = list(values_of(name, files_beside(folder, {name: value})[name]))
        except UserError as error:
            problems.append(f"{where}{error}")
    return factors


def _rules(values: dict[str, Any], where: str, problems: list[str]) -> Rules | None:
    try:
        return rules_of(values)
    except (RulesError, TypeError, RecursionError) as error:
        as_typed = {name: shown(v).lower() if isinstance(v, bool) else shown(v) for name, v in values.items()}
        given = ", ".join(f"{name} = {value}" for name, value in as_typed.items())
        problems.append(f"{where}{given}: {error}")
        return None


def _add_setting(
    settings: dict[str, Setting],
    rules: Rules,
    line_up: list[Strategy],
    named: dict[str, Any],
    where: str,
    problems: list[str],
) -> None:
    names = " v. ".join(strategy.label for strategy in line_up)
    if len(line_up) > rules.players:
        problems.append(f"{where}the line-up {names} has {len(line_up)} strategies for {rules.players} players.")
        return
    factors = rules.by_name() | {LINE_UP: names}
    key = repr([factors, rules.house_rules]) + "".join(strategy.digest for strategy in line_up)
    same = settings.setdefault(key, Setting(rules, tuple(line_up), factors, named=named))
    if same.named.get(VARIANT) != named.get(VARIANT):
        names = " and ".join(setting[VARIANT].name for setting in (same.named, named))
        problems.append(f"{where}the variants {names} have the same rules, so there is nothing to compare.")
