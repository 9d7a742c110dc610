"""Printing: result tables on standard output, progress on standard error.

rich and NumPy are imported by what needs them, because `--help` must answer at once.
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from jamaica_sim.cli.options import say
from jamaica_sim.files.escape import visible

if TYPE_CHECKING:
    from rich.console import Console

    from jamaica_sim.results.result_table import Answer, ResultTable
    from jamaica_sim.results.stats.estimate import Estimate
    from jamaica_sim.study.experiment.run_experiment import Watch

GAP = "  "  # between the columns of a table
PIPE_WIDTH = 120  # columns, if the output goes to a file or another program

SPEED_ROOM = 22  # columns that a speed needs beside a progress bar's words
BAR_ROOM = SPEED_ROOM + 21
BAR_WIDTH = 24  # of a win rate

# By default rich takes text such as [red] in a path for markup.
PLAINLY: Any = {"markup": False, "emoji": False, "highlight": False}


@cache
def errors() -> "Console":
    """Standard error."""
    from rich.console import Console

    return Console(stderr=True, **PLAINLY)


def be_quiet(quiet: bool) -> None:
    """Print no progress and no remarks from here on, or print them."""
    if quiet or errors.cache_info().currsize:
        errors().quiet = quiet


def output() -> "Console":
    """Standard output: as wide as the terminal, or wide enough for every table where there is none."""
    from rich.console import Console

    console = Console(**PLAINLY)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPE_WIDTH
    return console


def wants_colour() -> bool:
    """Whether standard output is a terminal that may show colours."""
    console = output()
    return console.is_terminal and not console.no_color


def print_tables(tables: "Iterable[ResultTable]", footer: str) -> None:
    """Print result tables, then some sentences about the run."""
    console = output()
    for table in tables:
        console.print(visible(table.caption()), style="bold")
        bars = _bars(table) if console.is_terminal else []
        for columns in _strips(table, console.width):
            lines = _lines(columns)
            if bars and len(lines[0]) + len(GAP) + BAR_WIDTH <= console.width:
                lines, bars = [f"{line}{GAP}{bar}" for line, bar in zip(lines, bars, strict=True)], []
            for number, line in enumerate(lines):
                style = "dim" if number == 0 else ""
                console.print(visible(line), style=style, no_wrap=True, overflow="ignore", crop=False)
            console.print()
        for number, bar in enumerate(bars):  # no strip had room for them
            name = "" if number == 0 else str(table.rows[number - 1][0])
            console.print(visible(f"{name:16.16}{GAP}{bar}"), no_wrap=True, overflow="ignore", crop=False)
        if bars:
            console.print()
    console.print(visible(footer), soft_wrap=not console.is_terminal)


def print_answer(answer: "Answer", form: str, out: str | os.PathLike[str] | None, *more: str) -> None:
    """Print an answer in the form that the user wants; `more` are further sentences below the tables."""
    if form == "json":
        say(answer.as_json())
    elif form == "csv":
        say(answer.as_csv(), nl=False)
    else:
        print_tables(answer.result_tables(), "\n".join([*answer.footer(), *more, *([written(out)] if out else [])]))


def print_more(tables: "Sequence[ResultTable]", form: str, facts: dict[str, Any], *words: str) -> None:
    """Print tables in the form that the user wants: facts are for programs, sentences for people."""
    from jamaica_sim.results.result_table import tables_as_csv, tables_as_json

    by_title = {table.title: table for table in tables}
    if form == "json":
        say(tables_as_json(by_title, facts))
    elif form == "csv":
        say(tables_as_csv(by_title), nl=False)
    else:
        print_tables(tables, "\n".join(words))


def written(folder: str | os.PathLike[str]) -> str:
    """Where the results are, and what to do with them."""
    from jamaica_sim.play.commands import report_command

    return f"Wrote {folder}. See it: {report_command(folder)}"


def _bars(table: "ResultTable") -> list[str]:
    """Win rates as bars below a header with the scale: solid up to the interval, then shaded to its high end."""
    if "win rate" not in table.columns or not table.rows:
        return []
    from jamaica_sim.results.stats.estimate import Estimate

    column = table.columns.index("win rate")
    rates = [row[column] for row in table.rows]
    if not all(isinstance(rate, Estimate) and math.isfinite(rate.high) for rate in rates):
        return []
    most = max(rate.high for rate in rates) or 1.0

    def bar(rate: "Estimate") -> str:
        low, high = (round(BAR_WIDTH * max(end, 0.0) / most) for end in (rate.low, rate.high))
        return "█" * low + "▒" * max(high - low, rate.high > rate.low)

    return [f"0 to {100 * most:.0f}%", *map(bar, rates)]


def _texts(table: "ResultTable") -> list[list[str]]:
    """The columns as lists of equally wide texts, headers on top; the first is aligned left, the others right."""
    columns = []
    for number, name in enumerate(table.columns):
        column = [name, *(table.cell_text(name, row[number]) for row in table.rows)]
        width = max(map(len, column))
        columns.append([text.ljust(width) if number == 0 else text.rjust(width) for text in column])
    return columns


def _strips(table: "ResultTable", width: int) -> list[list[list[str]]]:
    """The columns in as few strips as fit the width, evenly filled; each begins with the columns that name a row."""
    columns = _texts(table)
    keys, others = columns[: table.keys], columns[table.keys :]
    for count in range(1, len(others) + 1):
        size = math.ceil(len(others) / count)
        strips = [[*keys, *others[start : start + size]] for start in range(0, len(others), size)]
        if all(len(_lines(strip)[0]) <= width for strip in strips):
            break
    return strips


def _lines(columns: Sequence[Sequence[str]]) -> list[str]:
    return [GAP.join(texts) for texts in zip(*columns, strict=True)]


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """A plain table whose last column is text that may run over several lines."""
    from rich.table import Table as Grid

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns[:-1]:
        grid.add_column(column, no_wrap=True)
    grid.add_column(columns[-1])
    for row in rows:
        grid.add_row(*(visible(str(cell)) for cell in row))
    output().print(grid)


def print_list(columns: Sequence[str], rows: Iterable[Sequence[Any]], form: str, *words: str) -> None:
    """Print a list in the form that the user wants; sentences below it are for people."""
    from jamaica_sim.results.result_table import rows_as_csv, rows_as_json

    if form == "table":
        print_rows(columns, rows)
        for sentence in words:
            say(sentence)
    else:
        say(rows_as_json(columns, rows) if form == "json" else rows_as_csv(columns, rows), nl=form == "json")


@contextmanager
def progress_bar(total: int, label: str = "games") -> Iterator[Callable[..., None]]:
    """A bar on standard error, if that is a terminal, until the end; yields the function that moves it."""
    from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeRemainingColumn
    from rich.text import Text

    class Speed(ProgressColumn):
        def render(self, task: Any) -> Text:
            return Text(f"{task.speed:,.0f} {label.split()[0]}/s" if task.speed else "")

    columns: list[ProgressColumn] = [
        TextColumn("{task.percentage:>3.0f}% of {task.total:,.0f} {task.description}", markup=False)
    ]
    room = errors().width - len(f"100% of {total:,} {label}") - len(" 0:00:00 left")
    columns += [BarColumn(bar_width=20)] * (room >= BAR_ROOM)
    columns += [Speed()] * (room >= SPEED_ROOM)
    columns += [TimeRemainingColumn(), TextColumn("left")]
    with Progress(*columns, console=errors(), transient=True, disable=not errors().is_terminal) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done, of=None: progress.update(task, completed=done, total=of or total)


@contextmanager
def status_line(first: str) -> Iterator[Callable[[str], None] | None]:
    """A line on standard error, removed at the end; yields the function that changes it, None without a terminal."""
    if not errors().is_terminal:
        yield None
        return
    from rich.text import Text

    with errors().status(Text(visible(first))) as line:
        yield lambda words: line.update(Text(visible(words)))


@contextmanager
def while_compiling(what: str) -> Iterator[None]:
    """Say on standard error that `what` is being compiled for the first time; say nothing if `what` is empty."""
    word = f"Compiling {what} for this machine, once only ..."
    if not what:
        yield
        return
    with status_line(word) as line:
        if line is None:
            errors().print(visible(word), soft_wrap=True)
        yield


def watch_settings(settings: int, games: int) -> "Watch":
    """A line for each setting on standard error, with a bar while it is played."""
    import time

    @contextmanager
    def watch(label: str, number: int) -> Iterator[Callable[[int], object]]:
        started = time.perf_counter()
        with progress_bar(games, f"games at setting {number + 1} of {settings}") as progress:
            yield progress
        seconds = time.perf_counter() - started
        line = f"{number + 1:>3} of {settings}  {label}: {games:,} games in {seconds:.1f} s"
        speed = f", {games / seconds:,.0f} a second"
        room = not errors().is_terminal or len(line + speed) <= errors().width
        errors().print(visible(line + speed * room), soft_wrap=True)

    def remark(what: str) -> None:
        errors().print(visible(f"     {what}"), soft_wrap=True)

    setattr(watch, "remark", remark)  # noqa: B010  # found by `find_causes`
    return watch
