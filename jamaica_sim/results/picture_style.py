"""The one style of all charts: colours, marks and type. Makes files from pictures, and a picture of a result table.

The colours are those of Okabe and Ito (2008), which colour-blind readers can tell apart; different marks and dashes
make charts readable in grey."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, cast

from jamaica_sim.errors import UserError
from jamaica_sim.files.clean_import import clean_import
from jamaica_sim.files.suggest import did_you_mean
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
ROW = 0.32  # inches, of a result table
INK, GREY, PALE = "#222222", "#7A7A7A", "#E4E4E4"
STYLE = {
    "text.parse_math": False,  # a dollar sign in a name starts no formula
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "Helvetica"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": PALE,
    "grid.linewidth": 0.8,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "jamaica",
}


def pyplot() -> ModuleType:
    """`matplotlib.pyplot`, imported when something is drawn."""
    return clean_import("matplotlib.pyplot")


@contextmanager
def style() -> Iterator[None]:
    """The one visual style, for everything drawn inside the block."""
    with clean_import("matplotlib").rc_context(STYLE):
        yield


def picture(axes: "Axes", form: str = "svg") -> bytes:
    """The figure of some axes as the bytes of a file, identical each time. Closes the figure."""
    content, figure = io.BytesIO(), cast("Figure", axes.figure)
    with style():
        metadata = {"Date": None} if form == "svg" else {"Software": None}
        figure.savefig(content, format=form, dpi=130, metadata=metadata)
    pyplot().close(figure)
    return content.getvalue()


def figure_columns(table: ResultTable) -> list[str]:
    """The columns that have figures."""
    rows = table.rows
    return [name for i, name in enumerate(table.columns) if any(isinstance(row[i], Estimate) for row in rows)]


def plot_column(table: ResultTable, column: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a row for each name, a dot for the figure of a column (the first unless named), a line for its interval."""
    columns = figure_columns(table)
    if not columns:
        raise UserError(f"there is no figure to draw in the table {table.title!r}.")
    column = columns[0] if column is None else column
    if column not in columns:
        raise UserError(f"there is no figure {column!r} to draw: {did_you_mean(column, columns, 'there are')}")
    place, scale = table.columns.index(column), 100 if column in table.shares else 1
    rows = [row for row in table.rows if isinstance(row[place], Estimate)]
    if ax is None:
        _, ax = pyplot().subplots(figsize=(6.4, 1.2 + ROW * len(rows)), layout="constrained")
    assert ax is not None
    for y, row in enumerate(reversed(rows)):
        figure = row[place]
        ends = [[scale * max(figure.value - figure.low, 0)], [scale * max(figure.high - figure.value, 0)]]
        ax.errorbar(scale * figure.value, y, xerr=ends, color=COLOURS[0], fmt="o", capsize=3, markersize=6)
    names = [", ".join(str(cell) for cell in row[: table.keys]) for row in reversed(rows)]
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylabel(", ".join(table.columns[: table.keys]))
    ax.margins(y=0.5 / max(len(rows), 1))
    ax.grid(axis="x", alpha=0.3)
    ax.set_xlabel(f"{column}{' (%)' * (scale == 100)}, 95% intervals")
    ax.set_title(table.caption(), fontsize=10, loc="left")
    return ax
