"""What a chapter of a report is made of: a finding as heading, short paragraphs, figures, and complete tables.

Chapters are sorted by effect size (Cohen's h for shares, d for means). Every figure in a sentence comes from an
estimate that one of the chapter's tables shows with its interval.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from jamaica_sim.report import words
from jamaica_sim.report.charts.drawing import Drawing
from jamaica_sim.report.judge import Claim
from jamaica_sim.report.prose import whole
from jamaica_sim.results.measures import Floats
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.results.stats.estimate import Estimate
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.games_to_watch import GameToWatch

Column = Callable[[Results], Any]
Read = Callable[[Results], Estimate]


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


@dataclass
class Chapter:
    """One question, with everything that answers it."""

    key: str
    subject: str  # what it is about, in a word or two
    heading: str = ""  # the finding
    paragraphs: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)  # the first is for the first screen
    tables: list[ResultTable] = field(default_factory=list)
    effect: float = 0.0  # by which chapters are sorted
    # For the first screen, if this is the first chapter. Any other chapter gives one key number at most.
    standfirst: list[str] = field(default_factory=list)
    keys: list[KeyNumber] = field(default_factory=list)
    map: Figure | None = None  # the board, for the first screen
    watch: list[GameToWatch] = field(default_factory=list)  # games that show what it is about
    claims: list[Claim] = field(default_factory=list)  # that its sentences make of several tables

    def say(self, *sentences: str) -> None:
        """Add a paragraph of these sentences, without empty ones and without those that were said before."""
        known = self.sentences()
        new = [words.sentence(s) for s in sentences if s]
        if paragraph := [s for s in new if s and s not in known]:
            self.paragraphs.append("\n".join(paragraph))

    def sentences(self) -> list[str]:
        """Every sentence of the chapter."""
        return [s for paragraph in self.paragraphs for s in paragraph.split("\n")]


# Tables


def cell_text(table: ResultTable, column: str, content: object) -> str:
    """A cell as a person reads it."""
    return whole(content, column in table.shares) if isinstance(content, Estimate) else str(content)


def where(study: Study, setting: Setting) -> str:
    """A setting inside a title, where there are several."""
    return f"({setting.label})" if len(study.settings) > 1 else ""


def games_line(settings: Sequence[Setting]) -> str:
    """How many games a chart rests on."""
    counts = sorted({s.games for s in settings})
    each = f"{counts[0]:,} games" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,} games"
    return f"{each} at each table" if len(settings) > 1 else each


# Estimates


def points(difference: Estimate) -> Estimate:
    """A difference of shares in percentage points."""
    return difference.scaled(100)


def difference(low: Estimate, high: Estimate) -> Estimate:
    """The second estimate minus the first. The games of the two are treated as unrelated."""
    reach = math.hypot(low.half_width, high.half_width)
    change = high.value - low.value
    return Estimate(change, change - reach, change + reach, min(low.n, high.n))


def rate_of(ships: Floats, wins: Floats) -> Floats:
    """A win rate over all games, and over all games but one part; nan where there is no ship."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return wins / ships


def is_known(estimate: object) -> TypeGuard[Estimate]:
    """Whether there was anything to estimate from."""
    return isinstance(estimate, Estimate) and not math.isnan(estimate.value)
