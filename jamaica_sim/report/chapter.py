"""What a chapter of a report is made of: a finding as heading, short paragraphs, figures, and complete tables.

Chapters are sorted by effect size (Cohen's h for shares, d for means). Every figure in a sentence comes from an
estimate that one of the chapter's tables shows with its interval.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from jamaica_sim.experiment.setting import (
    LINE_UP,
    USUAL,
    Setting,
    differing_factors,
    factor_value,
    factor_words,
    label_of,
    shared_changes,
    varying_factors,
)
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import words
from jamaica_sim.report.drawing import Drawing
from jamaica_sim.report.forms import Mark, Panel, Row, rows
from jamaica_sim.report.games_to_watch import GameToWatch
from jamaica_sim.report.looks import Looks
from jamaica_sim.report.prose import decimals_of, whole
from jamaica_sim.report.the_board import board
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM

MOST_ROWS = 16


@dataclass(frozen=True)
class Figure:
    """A chart on a page: its subject as title, unit and games below it."""

    name: str
    title: str
    sub: str
    drawing: Drawing


@dataclass(frozen=True)
class KeyNumber:
    """A figure of the first screen with the words that go with it."""

    text: str
    words: str
    strong: bool = True


@dataclass
class Chapter:
    """One question, with everything that answers it."""

    key: str
    subject: str  # what it is about, in a word or two
    heading: str = ""  # the finding
    paragraphs: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    tables: list[ResultTable] = field(default_factory=list)
    effect: float = 0.0  # by which chapters are sorted
    # For the first screen, if this is the first chapter. Any other chapter gives one key number at most.
    headline: str = ""
    standfirst: list[str] = field(default_factory=list)
    keys: list[KeyNumber] = field(default_factory=list)
    hero: Figure | None = None
    map: Figure | None = None  # the board, for the first screen
    watch: list[GameToWatch] = field(default_factory=list)  # games that show what it is about

    def say(self, *sentences: str):
        """Add a paragraph of these sentences, without empty ones and without those that were said before."""
        known = {s for paragraph in self.paragraphs for s in paragraph.split("\n")}
        new = [words.sentence(s) for s in sentences if s]
        kept = [s for s in new if s and s not in known]
        if kept:
            self.paragraphs.append("\n".join(kept))

    def sentences(self) -> list[str]:
        """Every sentence of the chapter."""
        return [s for paragraph in self.paragraphs for s in paragraph.split("\n")]


# Which chapters there are


@dataclass(frozen=True)
class Maker:
    """How a chapter is made from a study, and whether a study has anything to say in it."""

    make: Callable[[Study, Looks], Chapter]
    applies: Callable[[Study], bool]


MAKERS: dict[str, Maker] = {}


def chapter_named(name: str, applies=lambda study: True):
    """Declare a function to make the chapter of this name, one of `CHAPTER_NAMES`."""

    def declare(make):
        MAKERS[name] = Maker(make, applies)
        return make

    return declare


# Tables


def cell_text(table: ResultTable, column: str, content) -> str:
    """A cell as a person reads it."""
    return whole(content, column in table.shares) if isinstance(content, Estimate) else str(content)


def by_setting(settings, title: str, columns: dict, shares=(), note: str = "", label=None) -> ResultTable:
    """A table with a row for each setting and a column for each function of its results."""
    name = label or (lambda setting: setting.label)
    rows_ = [(name(s), *(read(s.results) for read in columns.values())) for s in settings]
    return ResultTable(title, ("table", *columns), rows_, frozenset(shares), note)


def where(study: Study, setting: Setting) -> str:
    """A setting inside a title, where there are several."""
    return f"({setting.label})" if len(study.settings) > 1 else ""


# Estimates


def points(difference: Estimate) -> Estimate:
    """A difference of shares in percentage points."""
    return Estimate(*(100 * end for end in (difference.value, difference.low, difference.high)), difference.n)


def of_game(quantity: str):
    """A column: the mean of a quantity of the game."""
    return lambda results: results.of_game(quantity)


def ratio(above, below):
    """A column: a ratio of sums, both functions of `Sums`."""

    def read(results):
        sums = results.sums
        with np.errstate(invalid="ignore", divide="ignore"):
            return jackknife(above(sums) / below(sums), results.games)

    return read


def rate_of(ships: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """A win rate over all games, and over all games but one part; nan where there is no ship."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return wins / ships


def is_known(estimate) -> bool:
    """Whether there was anything to estimate from."""
    return isinstance(estimate, Estimate) and not math.isnan(estimate.value)


# Settings


def usual(study: Study) -> list[Setting]:
    """The settings with one strategy for all. Unusual rules may differ only if they are the compared factor."""
    allowed = {*USUAL, study.compare}
    return [s for s in study.uniform() if set(differing_factors(s, study.reference)) <= allowed]


def few_settings(study: Study, by=None) -> list[tuple[str, Setting]]:
    """The settings along the compared factor with their names, or the reference alone; strategies sorted by `by`."""
    factor = study.compare or next(iter(study.varying), "players")
    along = [s for s in study.along(factor) if s in usual(study)][:MOST_ROWS]
    if len(along) < 2:
        return [("", study.reference)]
    if factor == LINE_UP and by:
        along.sort(key=lambda s: -by(s.results).value)
    elif factor == "ghost":
        return [("with the ghost" if s.rules.ghost else "without the ghost", s) for s in along]
    return [(f"{s.rules.edition} rules" if factor == "edition" else label_of(s, [factor]), s) for s in along]


def tells(study: Study, key: str) -> bool:
    """Whether the study's report has this chapter."""
    return key in (study.chapters or (key,))


def thinking(settings) -> list[Setting]:
    """The settings in which somebody does not play at random, if any; random play is no finding about the game."""
    planned = [s for s in settings if any(strategy.name != RANDOM for strategy in s.strategies)]
    return planned or list(settings)


PRINTED = "the printed rules"


def base_rules(study: Study) -> str:
    """The rules of the reference table in words, where rules are compared: figures of one table are about these."""
    compared = [name for name in study.varying if name not in USUAL]
    if not compared:
        return ""
    return label_of(study.reference, compared) if study.reference.rules.changes() else PRINTED


def players_words(study: Study) -> str:
    """The players of the reference table in words."""
    rules = study.reference.rules
    return f"{words.number(rules.players)} players{' and the ghost ship' if rules.ghost else ''}"


def table_words(study: Study) -> str:
    """The reference table in words, said once on each page."""
    reference, base = study.reference, base_rules(study)
    rules = f"{reference.rules.edition} rules"
    rules = f"the printed {rules}" if base == PRINTED else f"{rules}, {base}" if base else rules
    if shared := shared_changes(study.settings):
        rules = f"{rules}, {shared}"
    is_alike = not reference.is_mixed and study.compare != LINE_UP
    who = f", all {reference.strategies[0].name}" if is_alike else ""
    return f"{players_words(study)}, {rules}{who}"


def of_each_edition(study: Study) -> list[Setting]:
    """The reference under each edition that was played, the newer edition first."""
    if "edition" not in study.varying:
        return [study.reference]
    found = [s for s in study.along("edition") if s in study.uniform()]
    return sorted(found, key=lambda s: s.rules.edition, reverse=True)


@dataclass(frozen=True)
class Arrangement:
    """Settings as a chart shows them: panels of rows of marks."""

    panels: list[tuple[str, list[tuple[str, list[Setting]]]]]
    mark: str = ""  # the factor that marks of a row differ in
    compared: bool = False

    def role(self, setting: Setting) -> tuple[str, bool]:
        """The colour and whether the mark is hollow."""
        if not self.mark:
            return "subject", False
        values = sorted({factor_value(s, self.mark) for _, panel in self.panels for _, row in panel for s in row})
        own = setting.rules.ghost if self.mark == "ghost" else factor_value(setting, self.mark)
        is_lower = not own if self.mark == "ghost" else own == values[0] and len(values) > 1
        if self.compared:
            return ("base" if is_lower else "subject"), False
        return "subject", is_lower

    def name(self, setting: Setting) -> str:
        """The words that tell a mark apart from the others of its row."""
        if not self.mark:
            return ""
        if self.mark == "ghost":
            return "with the ghost" if setting.rules.ghost else "without"
        if self.mark == "edition":
            return f"{setting.rules.edition} rules"
        return factor_words(self.mark, setting.factors[self.mark])


def arrange(study: Study, settings=None) -> Arrangement:
    """Put players (or strategies) in rows, the compared factor or edition in marks, and a third factor in panels."""
    chosen = list(usual(study) if settings is None else settings)
    varying = varying_factors(chosen, study.compare)
    if all(s.rules.ghost for s in chosen):
        varying = [f for f in varying if f != "ghost"]  # two players have the ghost without choosing it
    row = next((f for f in ("players", LINE_UP) if f in varying), varying[0] if varying else "players")
    if row == "players" and study.compare == LINE_UP and LINE_UP in varying:
        row = LINE_UP
    others = [f for f in varying if f != row]
    few = {f: len({factor_value(s, f) for s in chosen}) for f in others}
    mark = next((f for f in (study.compare, "ghost", "edition", *others) if few.get(f) == 2), "")
    panel = next((f for f in others if f != mark and few[f] <= 3), "")
    free = {row, mark, panel} | ({"ghost"} if all(s.rules.ghost for s in chosen) else set())
    kept = [s for s in chosen if set(differing_factors(s, study.reference)) <= free] or chosen[:MOST_ROWS]
    if "ghost" in varying and "ghost" not in free:
        kept = [s for s in chosen if factor_value(s, "ghost") == factor_value(study.reference, "ghost")
                and set(differing_factors(s, study.reference)) <= free]  # fmt: skip
    panels = {}
    for s in kept:
        of_panel = panels.setdefault(factor_words(panel, s.factors[panel]) if panel else "", {})
        name = label_of(s, [row]).replace(" and ghost", "") if varying else ""
        of_panel.setdefault(name, []).append(s)
    return Arrangement(
        [(f"{p} rules" if panel == "edition" else p, list(of_panel.items())) for p, of_panel in panels.items()],
        mark,
        bool(mark) and mark == study.compare,
    )


def chart_rows(
    study: Study, label: str, read, share: bool = False, settings=None, equal=None, fine: bool = False, **panel
) -> Drawing:
    """A measure by setting: dots on a common scale; strategies are sorted by value, players keep their order."""
    arrangement = arrange(study, settings)
    panels = []
    top = 0.0
    for title, of_panel in arrangement.panels:
        made = []
        for name, group in of_panel:
            marks = [
                mark_of(read(s.results), share, *arrangement.role(s), arrangement.name(s), fine=fine) for s in group
            ]
            marks = [m for m in marks if not math.isnan(m.value)]
            made.append(Row(name, marks, equal(group[0].results) if equal else None))
            top = max([top, *(m.value for m in marks)] + ([made[-1].equal] if equal else []))
        if all(n in study.line_ups for n, _ in of_panel):
            made.sort(key=lambda r: -max((m.value for m in r.marks), default=-math.inf))
        panels.append((title, made))
    label = f"{label}: {spoken(panels)}"
    return rows(label, [Panel(t, r, high=top or 1, **panel) for t, r in panels])


def mark_of(estimate: Estimate, share=False, role="subject", hollow=False, name="", title="", fine=False) -> Mark:
    """A mark with its figure, and its interval where that is wide enough to see; `fine`: small shares in detail."""
    text = (
        words.percent(estimate.value, decimals_of(100 * estimate.value) if fine else 1)
        if share
        else ("" if math.isnan(estimate.value) else words.amount(estimate.value, decimals_of(estimate.value)))
    )
    return Mark(
        estimate.value,
        text if is_known(estimate) else "",
        role,
        hollow,
        name,
        estimate.low,
        estimate.high,
        title or f"{name + ': ' if name else ''}{whole(estimate, share)}",
    )


def spoken(panels) -> str:
    """The numbers of a chart in words, for readers who hear it."""
    parts = []
    for title, of_panel in panels:
        told = []
        for row in of_panel:
            figures = ", ".join(f"{m.name + ' ' if m.name else ''}{m.text}" for m in row.marks if m.text)
            told.append(f"{row.label} {figures or row.note}".strip())
        parts.append(f"{title + ': ' if title else ''}{'; '.join(told)}")
    return ". ".join(parts) + "."


def games_line(settings) -> str:
    """How many games a chart rests on."""
    counts = sorted({s.games for s in settings})
    each = f"{counts[0]:,} games" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} games"
    return f"{each} at each table" if len(list(settings)) > 1 else each


# The board

KIND_WORDS = {"port_royal": "Port Royal", "sea": "sea space", "port": "port", "lair": "lair"}


def cost_words(space) -> str:
    """What a space costs, in words."""
    return f"{space.cost} {'doubloons' if space.kind == 'port' else 'food'}" if space.cost else "nothing"


def space_shares(results, what: str) -> list[tuple[int, Estimate, Estimate]]:
    """By space, most first: how often `what` happens per game, and the space's share of it."""
    table = results.spaces()
    column = table.columns.index(what)
    total = results.of_game(what).value
    found = []
    for row in table.rows:
        mean = row[column]
        part = Estimate(*((end / total if total else math.nan) for end in (mean.value, mean.low, mean.high)), mean.n)
        found.append((row[0], mean, part))
    return sorted(found, key=lambda item: -item[1].value)


def space_table(study: Study, setting: Setting, what: str) -> ResultTable:
    """All spaces on which something happened, most first."""
    rows_ = [
        (space, KIND_WORDS[board()[space].kind], cost_words(board()[space]), mean, part)
        for space, mean, part in space_shares(setting.results, what)
        if mean.value > 0
    ]
    note = words.sentence(f"per game {where(study, setting)}; share of all {what}")
    title = f"{what.capitalize()} by space {where(study, setting)}".strip()
    return ResultTable(title, ("space", "kind", "cost", what, "share"), rows_, frozenset({"share"}), note)


def round_table(study: Study, setting: Setting, what: str) -> ResultTable:
    """Shortages or battles by round, for the rounds that one game in a hundred reaches."""
    table = setting.results.rounds()
    column = table.columns.index(what)
    rows_ = [(row[0], row[1], row[column]) for row in table.rows if row[1].value >= 0.01][:25]
    note = words.sentence(f"per game that came so far {where(study, setting)}")
    title = f"{what.capitalize()} by round {where(study, setting)}".strip()
    return ResultTable(title, ("round", "games reached", what), rows_, frozenset({"games reached"}), note)
