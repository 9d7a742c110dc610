"""Printing: sections as tables, JSON or CSV on standard output, progress on standard error."""

import csv
import io
import json
import math
import os
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from jamaica_sim.stats.estimate import Estimate

GAP = "  "  # between the columns of a table
PIPE_WIDTH = 120  # where the output goes to a file or another program

errors = Console(stderr=True, highlight=False)


def output() -> Console:
    """Standard output: as wide as the terminal, or wide enough for every table where there is none."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def wants_colour() -> bool:
    """Whether standard output is a terminal that may show colours."""
    console = output()
    return console.is_terminal and not console.no_color


def cell_text(section, column, cell) -> str:
    """A cell as a person reads it."""
    if isinstance(cell, Estimate):
        return format(cell, "%" if column in section.shares else "")
    return str(cell)


def print_sections(sections, footer: str, unit: str = "game"):
    """Sections as tables, then one sentence about the run. `unit` is what the intervals count."""
    console = output()
    for section in sections:
        console.print(Text(_caption(section, unit), style="bold"))
        for columns in _blocks(section, console.width):
            for number, line in enumerate(_lines(columns)):
                style = "dim" if number == 0 else ""
                console.print(Text(line, style=style), no_wrap=True, overflow="ignore", crop=False)
            console.print()
    console.print(footer, soft_wrap=not console.is_terminal)


def _caption(section, unit):
    counts = [cell.n for row in section.rows for cell in row if isinstance(cell, Estimate)]
    remarks = [section.note] * bool(section.note)
    if counts:
        remarks.append(f"{max(counts):,} {unit}{'s' * (max(counts) != 1)}")
    return f"{section.title} ({'; '.join(remarks)})" if remarks else section.title


def _texts(section):
    """The section's columns, each as a list of equally wide texts with the header on top; numbers stand right."""
    columns = []
    for number, name in enumerate(section.columns):
        column = [name, *(cell_text(section, name, row[number]) for row in section.rows)]
        width = max(map(len, column))
        columns.append([text.ljust(width) if number == 0 else text.rjust(width) for text in column])
    return columns


def _blocks(section, width):
    """The columns in as few blocks as fit the width, evenly filled; each begins with the first column."""
    first, *others = _texts(section)
    for count in range(1, len(others) + 1):
        size = math.ceil(len(others) / count)
        blocks = [[first, *others[start : start + size]] for start in range(0, len(others), size)]
        if all(len(_lines(block)[0]) <= width for block in blocks):
            break
    return blocks


def _lines(columns):
    return [GAP.join(texts) for texts in zip(*columns, strict=True)]


def print_rows(columns, rows):
    """A plain table whose last column is text that may run over several lines."""
    console = output()
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns[:-1]:
        grid.add_column(column, no_wrap=True)
    grid.add_column(columns[-1])
    for row in rows:
        grid.add_row(*(Text(str(cell)) for cell in row))
    console.print(grid)


def sections_as_json(sections, facts: dict) -> str:
    """The facts of a run and its sections as one JSON object."""
    tables = {section.title: section.records() for section in sections}
    return json.dumps({**facts, "tables": tables}, indent=2)


def sections_as_csv(sections) -> str:
    """One long table: section, row, quantity, value, interval, games. What is not known is left empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "row", "quantity", "value", "low", "high", "games"))
    for section in sections:
        for row in section.rows:
            for column, cell in zip(section.columns[1:], row[1:], strict=True):
                writer.writerow((section.title, str(row[0]).strip(), column, *_csv_values(cell)))
    return out.getvalue()


def _csv_values(cell):
    if not isinstance(cell, Estimate):
        return cell, "", "", ""
    return *(number if math.isfinite(number) else "" for number in (cell.value, cell.low, cell.high)), cell.n


class _Speed(ProgressColumn):
    def render(self, task):
        return Text(f"{task.speed:,.0f} {task.description}/s" if task.speed else "")


@contextmanager
def progress_bar(total: int, label: str = "games"):
    """A bar on standard error with games per second and time left, gone when it is done; yields what moves it.

    Without a terminal there is no bar.
    """
    columns = (
        TextColumn("{task.percentage:>3.0f}% of {task.total:,.0f} {task.description}"),
        BarColumn(bar_width=20),
        _Speed(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.update(task, completed=done)


@contextmanager
def while_compiling(what: str):
    """A word on standard error while something is compiled for the first time; nothing where `what` is empty."""
    word = f"Compiling {what} for this machine, once only ..."
    if not what:
        yield
    elif errors.is_terminal:
        with errors.status(word):
            yield
    else:
        errors.print(word, soft_wrap=True)
        yield
