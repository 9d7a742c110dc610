"""Printing: result tables on standard output, progress on standard error."""

import math
import os
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table as Grid
from rich.text import Text

from jamaica_sim.escape import visible

GAP = "  "  # between the columns of a table
PIPE_WIDTH = 120  # where the output goes to a file or another program

# rich reads markup into text, such as [red] in a path: never into ours.
PLAINLY = {"markup": False, "emoji": False, "highlight": False}
errors = Console(stderr=True, **PLAINLY)


def output() -> Console:
    """Standard output: as wide as the terminal, or wide enough for every table where there is none."""
    console = Console(**PLAINLY)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def wants_colour() -> bool:
    """Whether standard output is a terminal that may show colours."""
    console = output()
    return console.is_terminal and not console.no_color


def print_tables(tables, footer: str):
    """Result tables, then some sentences about the run."""
    console = output()
    for table in tables:
        console.print(Text(visible(table.caption()), style="bold"))
        for columns in _strips(table, console.width):
            for number, line in enumerate(_lines(columns)):
                style = "dim" if number == 0 else ""
                console.print(Text(visible(line), style=style), no_wrap=True, overflow="ignore", crop=False)
            console.print()
    console.print(visible(footer), soft_wrap=not console.is_terminal)


def _texts(table):
    """The table's columns, each as a list of equally wide texts with the header on top; numbers stand right."""
    columns = []
    for number, name in enumerate(table.columns):
        column = [name, *(table.cell_text(name, row[number]) for row in table.rows)]
        width = max(map(len, column))
        columns.append([text.ljust(width) if number == 0 else text.rjust(width) for text in column])
    return columns


def _strips(table, width):
    """The columns in as few strips as fit the width, evenly filled; each begins with the first column."""
    first, *others = _texts(table)
    for count in range(1, len(others) + 1):
        size = math.ceil(len(others) / count)
        strips = [[first, *others[start : start + size]] for start in range(0, len(others), size)]
        if all(len(_lines(strip)[0]) <= width for strip in strips):
            break
    return strips


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
        grid.add_row(*(Text(visible(str(cell))) for cell in row))
    console.print(grid)


class _Speed(ProgressColumn):
    def render(self, task):
        return Text(f"{task.speed:,.0f} {task.description}/s" if task.speed else "")


@contextmanager
def progress_bar(total: int, label: str = "games"):
    """A bar on standard error with games per second and time left, gone when it is done; yields what moves it.

    Without a terminal there is no bar.
    """
    columns = (
        TextColumn("{task.percentage:>3.0f}% of {task.total:,.0f} {task.description}", markup=False),
        BarColumn(bar_width=20),
        _Speed(),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done, of=None: progress.update(task, completed=done, total=of or total)


@contextmanager
def moving_bar(label: str):
    """A bar whose end may move: yields what is called with how much is done and of how much."""
    with progress_bar(1, label) as progress:
        yield lambda done, total: progress(done, total)


@contextmanager
def while_compiling(what: str):
    """A word on standard error while something is compiled for the first time; nothing where `what` is empty."""
    word = visible(f"Compiling {what} for this machine, once only ...")
    if not what:
        yield
    elif errors.is_terminal:
        with errors.status(Text(word)):
            yield
    else:
        errors.print(word, soft_wrap=True)
        yield
