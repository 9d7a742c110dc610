"""A picture of a result table with matplotlib: a row for each name, a dot for the figure, a line for its interval.

For notebooks and scripts. The charts of reports are drawn in `charts/`.
"""

from typing import TYPE_CHECKING

from jamaica_sim.errors import UserError
from jamaica_sim.files.clean_import import clean_import
from jamaica_sim.files.suggest import did_you_mean
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW = 0.32  # inches
BLUE = "#0072B2"


def figure_columns(table: ResultTable) -> list[str]:
    """The columns that have figures."""
    rows = table.rows
    return [name for i, name in enumerate(table.columns) if any(isinstance(row[i], Estimate) for row in rows)]


def plot_column(table: ResultTable, column: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw a column of a table, the first that has figures unless one is named; returns the axes."""
    columns = figure_columns(table)
    if not columns:
        raise UserError(f"there is no figure to draw in the table {table.title!r}.")
    column = columns[0] if column is None else column
    if column not in columns:
        raise UserError(f"there is no figure {column!r} to draw: {did_you_mean(column, columns, 'there are')}")
    place, scale = table.columns.index(column), 100 if column in table.shares else 1
    rows = [row for row in table.rows if isinstance(row[place], Estimate)]
    if ax is None:
        _, ax = clean_import("matplotlib.pyplot").subplots(figsize=(6.4, 1.2 + ROW * len(rows)), layout="constrained")
    assert ax is not None
    for y, row in enumerate(reversed(rows)):
        figure = row[place]
        ends = [[scale * max(figure.value - figure.low, 0)], [scale * max(figure.high - figure.value, 0)]]
        ax.errorbar(scale * figure.value, y, xerr=ends, color=BLUE, fmt="o", capsize=3, markersize=6)
    names = [", ".join(str(cell) for cell in row[: table.keys]) for row in reversed(rows)]
    ax.set_yticks(range(len(rows)), names)
    ax.set_ylabel(", ".join(table.columns[: table.keys]))
    ax.margins(y=0.5 / max(len(rows), 1))
    ax.grid(axis="x", alpha=0.3)
    ax.set_xlabel(f"{column}{' (%)' * (scale == 100)}, 95% intervals")
    ax.set_title(table.caption(), fontsize=10, loc="left")
    return ax
