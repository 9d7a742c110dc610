"""What a chapter of a report is made of: tables, pictures, sentences and findings, all from the same estimates.

A finding is a sentence with its figures and an effect size (Cohen's h for shares, d for means), by which the five that
matter are chosen. Every figure in a sentence is the text of a cell of one of its chapter's tables.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from jamaica_sim.charts.style import style
from jamaica_sim.components import board
from jamaica_sim.experiment.setting import Setting, label_of
from jamaica_sim.experiment.study import Study
from jamaica_sim.report.board_picture import draw_board
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.stats.estimate import Estimate
from jamaica_sim.stats.jackknife import jackknife
from jamaica_sim.strategy.library import RANDOM

MOST_FINDINGS = 5
MOST_OF_A_CHAPTER = 2
BEYOND = 1.5  # half-widths of a 95% interval: three standard errors
MOST_LINES = 6  # that one chart may lay over one another


@dataclass(frozen=True)
class Finding:
    """A sentence with its figures, how large the effect is, and what it is about, so that nothing is said twice."""

    text: str
    effect: float
    topic: str
    factor: str = ""
    chapter: str = ""


@dataclass(frozen=True)
class Picture:
    """A chart that is drawn when it is wanted."""

    name: str
    caption: str
    draw: Callable = field(repr=False)
    is_large: bool = False  # too much in it for a narrow screen


@dataclass
class Chapter:
    """One question, with all that answers it."""

    key: str
    title: str
    question: str
    tables: list[ResultTable] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    cautions: list[str] = field(default_factory=list)

    def say(self, *texts: str):
        """Add sentences, each once."""
        for text in map(tidy, texts):
            if text not in self.sentences:
                self.sentences.append(text)

    def find(self, *findings: Finding, say: bool = True):
        """Add findings, and say them in the chapter too."""
        for finding in findings:
            found = replace(finding, text=tidy(finding.text), chapter=self.key)
            self.findings.append(found)
            if say:
                self.say(found.text)


def top_findings(chapters: list[Chapter], compare: str = "") -> list[Finding]:
    """The first page: what answers the study's own question, then the rest, both by effect size.

    The study's own question is the factor that it compares, and its first chapter. What other factors change is left
    out where one is compared. Of other chapters there are at most two findings.
    """
    found = sorted((f for chapter in chapters for f in chapter.findings), key=lambda f: -abs(f.effect))
    if compare:
        found = [f for f in found if f.factor in ("", compare)]
    main = [f for f in found if (f.factor == compare if f.factor else f.chapter == chapters[0].key)]
    rest = [f for f in found if f not in main]
    chosen = []
    for finding in [*main, *rest]:
        of_chapter = sum(f.chapter == finding.chapter for f in chosen)
        is_new = finding.topic not in {f.topic for f in chosen}
        if is_new and (finding in main or of_chapter < MOST_OF_A_CHAPTER):
            chosen.append(finding)
    return chosen[:MOST_FINDINGS]


# Figures as text, the same in tables and in sentences


def figure(estimate: Estimate, share: bool = False) -> str:
    """An estimate as a person reads it; there is no negative nothing."""
    text = format(estimate, "%" if share else "")
    return re.sub(r"^-(0(?:\.0+)?%? ±)", r"\1", text)


def cell_text(section: ResultTable, column: str, content) -> str:
    """A cell as a person reads it."""
    return figure(content, column in section.shares) if isinstance(content, Estimate) else str(content)


def row_of(section: ResultTable, row: int | str) -> tuple:
    """A row by its number or its first cell."""
    return section.rows[row] if isinstance(row, int) else next(cells for cells in section.rows if cells[0] == row)


def cell(section: ResultTable, row: int | str, column: str) -> str:
    """The text of a cell."""
    return cell_text(section, column, row_of(section, row)[section.columns.index(column)])


def tidy(text: str) -> str:
    """One line without the gaps that empty words leave."""
    text = " ".join(text.split())
    for mark in ",.:;":
        text = text.replace(f" {mark}", mark)
    return text


def where(study: Study, setting: Setting) -> str:
    """A setting inside a sentence, where there are several."""
    return f"({setting.label})" if len(study.settings) > 1 else ""


def basis(study: Study, setting: Setting, games: int | None = None, what: str = "games") -> str:
    """At the end of a finding: the setting and the number of games that it rests on."""
    count = f"{setting.games if games is None else games:,} {what}"
    return f"({setting.label}; {count})" if len(study.settings) > 1 else f"({count})"


# Estimates


def points(difference: Estimate) -> Estimate:
    """A difference of shares in percentage points."""
    return Estimate(*(100 * end for end in (difference.value, difference.low, difference.high)), difference.n)


def is_clear(estimate: Estimate, null: float = 0.0) -> bool:
    """Whether the null value is so far outside of the interval that it is no chance find among many figures."""
    value = estimate.value
    low, high = (value + BEYOND * (end - value) for end in (estimate.low, estimate.high))
    return not math.isnan(value) and not low <= null <= high


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
    """A win rate as sums of all games and of all but each part; nan where there is no ship."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return wins / ships


def cautious_ratio(part: Estimate, whole: Estimate) -> Estimate:
    """A part of a whole, with an interval that holds however the two depend on each other."""
    if not whole.value:
        return Estimate(math.nan, -math.inf, math.inf, whole.n)
    value = part.value / whole.value
    half_width = (part.half_width + value * whole.half_width) / whole.value
    return Estimate(value, value - half_width, value + half_width, whole.n)


# Settings


def by_setting(settings, title: str, columns: dict, shares=(), note: str = "", label=None) -> ResultTable:
    """A table with a row for each setting and a column for each function of its results."""
    name = label or (lambda setting: setting.label)
    rows = [(name(s), *(read(s.results) for read in columns.values())) for s in settings]
    return ResultTable(title, ("table", *columns), rows, frozenset(shares), note)


def named(settings) -> dict:
    """The results of settings by label."""
    return {s.label: s.results for s in settings}


def overlay(study: Study) -> dict:
    """The few results that a chart may lay over one another: along the compared factor, else the reference alone."""
    factors = study.varying[:1]
    settings = [s for s in study.along(*factors) if s in study.uniform()][:MOST_LINES]
    if len(settings) < 2:
        return {"": study.reference.results}
    return {label_of(s, factors): s.results for s in settings}


def thinking(settings) -> list[Setting]:
    """The settings in which somebody plays with a plan; what random play shows is no finding about the game."""
    planned = [s for s in settings if any(strategy.name != RANDOM for strategy in s.strategies)]
    return planned or list(settings)


def causes(study: Study, caution: str) -> list[str]:
    """Why win rates of ships that fared alike do not show causes; more so where the strategies differ."""
    if not study.reference.is_mixed:
        return [caution]
    return [f"{caution} At this table the strategies differ too, which alone makes such differences."]


def of_each_edition(study: Study) -> list[Setting]:
    """The reference by each edition that was played."""
    if "edition" not in study.varying:
        return [study.reference]
    return [s for s in study.along("edition") if s in study.uniform()]


# The board


def heat(study: Study, setting: Setting, what: str) -> Picture:
    """A picture of the board with landings, shortages or battles on each space."""

    def draw():
        with style():
            return draw_board(setting.results, what)

    caption = (
        f"{what.capitalize()} per game on each space {where(study, setting)}; the twelve with the most carry their "
        "figure."
    )
    return Picture(f"{what}_by_space_{setting.rules.edition}", tidy(caption), draw, is_large=True)


def worst_spaces(study: Study, setting: Setting, what: str) -> ResultTable:
    """The ten spaces with the most shortages or battles."""
    spaces = setting.results.spaces()
    column = spaces.columns.index(what)
    total = setting.results.of_game(what)
    rows = [
        (row[0], KIND_WORDS[row[1]], cost_words(board()[row[0]]), row[column], cautious_ratio(row[column], total))
        for row in sorted(spaces.rows, key=lambda row: -row[column].value)[:10]
    ]
    note = tidy(f"per game {where(study, setting)}; share of all {what}")
    return ResultTable(
        f"The spaces with the most {what}", ("space", "kind", "cost", what, "share"), rows, frozenset({"share"}), note
    )


KIND_WORDS = {"port_royal": "Port Royal", "sea": "sea space", "port": "port", "lair": "lair"}


def cost_words(space) -> str:
    """What a space costs, in words."""
    return f"{space.cost} {'doubloons' if space.kind == 'port' else 'food'}" if space.cost else "nothing"


def by_round(study: Study, setting: Setting, what: str) -> ResultTable:
    """Shortages or battles by round, for the rounds that one game in a hundred reaches."""
    section = setting.results.rounds()
    column = section.columns.index(what)
    rows = [(row[0], row[1], row[column]) for row in section.rows if row[1].value >= 0.01][:25]
    note = tidy(f"per game that came so far {where(study, setting)}")
    return ResultTable(
        f"{what.capitalize()} by round", ("round", "games reached", what), rows, frozenset({"games reached"}), note
    )
