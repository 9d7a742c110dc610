"""Printing: sections as tables, JSON or CSV on standard output, progress on standard error."""

import csv
import io
import json
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from jamaica_sim.analysis.stats import Estimate

errors = Console(stderr=True, highlight=False)


def cell_text(section, column, cell) -> str:
    """A cell as a person reads it."""
    if isinstance(cell, Estimate):
        return format(cell, "%" if column in section.shares else "")
    return str(cell)


def print_sections(sections, footer: str):
    """Sections as tables, then one line about the run."""
    console = Console(highlight=False)
    for section in sections:
        title = f"{section.title} ({section.note})" if section.note else section.title
        grid = Grid(title=title, title_justify="left", title_style="bold", box=None, padding=(0, 2, 0, 0))
        for number, column in enumerate(section.columns):
            grid.add_column(column, justify="left" if number == 0 else "right", header_style="dim")
        for row in section.rows:
            grid.add_row(*(cell_text(section, c, cell) for c, cell in zip(section.columns, row, strict=True)))
        console.print(grid)
        console.print()
    console.print(footer)


def sections_as_json(sections, facts: dict) -> str:
    """The facts of a run and its sections as one JSON object."""
    tables = {section.title: section.records() for section in sections}
    return json.dumps({**facts, "tables": tables}, indent=2)


def sections_as_csv(sections) -> str:
    """One long table: section, row, quantity, value, interval, games."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "row", "quantity", "value", "low", "high", "games"))
    for section in sections:
        for row in section.rows:
            for column, cell in zip(section.columns[1:], row[1:], strict=True):
                values = (cell.value, cell.low, cell.high, cell.n) if isinstance(cell, Estimate) else (cell, "", "", "")
                writer.writerow((section.title, str(row[0]).strip(), column, *values))
    return out.getvalue()


class _Speed(ProgressColumn):
    def render(self, task):
        return Text(f"{task.speed:,.0f} games/s" if task.speed else "", style="cyan")


@contextmanager
def progress_bar(total: int, label: str = "games"):
    """A bar on standard error with games per second and time left; yields the function that moves it."""
    columns = (
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} " + label),
        BarColumn(),
        _Speed(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def while_compiling(needed: bool):
    """A word on standard error while the engine is compiled for the first time."""
    if not needed:
        yield
        return
    with errors.status("Compiling the engine for this machine: once only, about 20 seconds ..."):
        yield
