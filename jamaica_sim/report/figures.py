"""Figures of a page: rows, bars and panels of estimates, each with a label that says its numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jamaica_sim.report import words
from jamaica_sim.report.chapter import Figure, is_known
from jamaica_sim.report.charts.axis_charts import Profile, histogram
from jamaica_sim.report.charts.row_charts import Mark, Panel, Row, rows
from jamaica_sim.report.prose import decimals_of, whole
from jamaica_sim.results.stats.estimate import Estimate


def mark_of(
    estimate: Estimate,
    share: bool = False,
    role: str = "subject",
    hollow: bool = False,
    name: str = "",
) -> Mark:
    """A mark with its figure, and its interval where that is wide enough to see."""
    text = ""
    if is_known(estimate):
        value = estimate.value
        text = words.percent(value, decimals_of(100 * value)) if share else words.amount(value, decimals_of(value))
    title = f"{name + ': ' if name else ''}{whole(estimate, share)}"
    return Mark(estimate.value, text, role, hollow, name, estimate.low, estimate.high, title)


def at_equal(even: float) -> dict[str, Any]:
    """The line of a panel at an equal share."""
    return {"line": even, "line_name": f"an equal share, {even:.0%}"}


def against(estimate: Estimate, even: float) -> Mark:
    """A share as a mark, coloured by whether it reaches an equal share."""
    return mark_of(estimate, True, "subject" if estimate.value >= even else "base")


def spoken(panels: Sequence[Panel]) -> str:
    """The numbers of a chart in words, for readers who hear it."""
    parts = []
    for panel in panels:
        lines = []
        for row in panel.rows:
            figures = ", ".join(f"{m.name + ' ' if m.name else ''}{m.text}" for m in row.marks if m.text)
            lines.append(f"{row.label} {figures or row.note}".strip())
        parts.append(f"{panel.title + ': ' if panel.title else ''}{'; '.join(lines)}")
    return ". ".join(parts) + "."


def chart(
    name: str, title: str, sub: str, made: Sequence[Row], row_height: float | None = None, **panel: Any
) -> Figure:
    """A figure of rows."""
    return panels_chart(name, title, sub, [Panel("", list(made), **panel)], row_height)


def panels_chart(
    name: str, title: str, sub: str, panels: Sequence[Panel], row_height: float | None = None, below: bool = False
) -> Figure:
    """A figure of panels, with a label that says its numbers."""
    return Figure(name, title, sub, rows(f"{title}: {spoken(panels)}", list(panels), row_height, below))


def profiles(
    name: str,
    title: str,
    sub: str,
    values: Mapping[str, Mapping[int, float]],
    notes: Mapping[str, tuple[float, str, str]],  # place, words and the side of the place where they stand
    split: int | None = None,
) -> Figure:
    """Columns over whole numbers, a profile for each table; each has a note at a place of its own."""
    first = min((min(of) for of in values.values() if of), default=0)
    last = max((max(of) for of in values.values() if of), default=first)
    many = [Profile(label, [of.get(n, 0.0) for n in range(first, last + 1)], split, [notes[label]])
            for label, of in values.items() if of]  # fmt: skip
    spoken = "; ".join(f"{label} {note}".strip() for label, (_, note, _) in notes.items())
    return Figure(name, title, sub, histogram(f"{title}: {spoken}.", many, first))


def shares_of(counts: npt.NDArray[np.int64], most: float) -> dict[int, float]:
    """A histogram as shares by value, up to the value below which are `most` of all."""
    shares = counts / counts.sum()
    last = int(np.searchsorted(np.cumsum(shares), most))
    return {n: float(shares[n]) for n in range(int(np.flatnonzero(counts)[0]), last + 1)}
