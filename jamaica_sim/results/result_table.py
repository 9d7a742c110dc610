"""Result tables: how figures are printed, written and handed on, and what every answer can do with its tables.

There is one way to flatten a table, one CSV, one JSON and one caption, and all of them are here.
"""

import csv
import io
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import did_you_mean, html_table, html_text
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.picture_style import COLOURS, pyplot
from jamaica_sim.results.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ROW = 0.32  # inches, of a table that is drawn


@dataclass(frozen=True, repr=False)
class ResultTable:
    """A titled table; a cell is text, a number or an `Estimate`.

    Attributes
    ----------
    title : str
    columns : tuple of str
    rows : list of tuple
    shares : frozenset of str
        The columns shown in percent.
    note : str
        An addition to the title in the caption.
    unit : str
        What the intervals count: "game", or "deal" where the games of a deal share their luck.
    keys : int
        How many of the first columns name the row.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    shares: frozenset[str] = frozenset()
    note: str = ""
    unit: str = "game"
    keys: int = 1

    @property
    def estimates(self) -> list[Estimate]:
        """All estimates, row by row."""
        return [cell for row in self.rows for cell in row if isinstance(cell, Estimate)]

    def cell_text(self, column: str, cell: object) -> str:
        """A cell as a person reads it."""
        if isinstance(cell, Estimate):
            return format(cell, "%" if column in self.shares else "")
        return f"{cell:.1%}" if isinstance(cell, float) and column in self.shares else str(cell)

    def behind(self) -> str:
        """How many games or deals are behind the figures, such as "500 to 1,000 games"; empty without figures."""
        counts = {cell.n for cell in self.estimates if not math.isnan(cell.value)}
        if not counts:
            return ""
        fewest = "" if len(counts) == 1 else f"{min(counts):,} to "
        return f"{fewest}{max(counts):,} {self.unit}{'s' * (max(counts) != 1)}"

    def caption(self) -> str:
        """Title, note and number of games in one line."""
        remarks = "; ".join(filter(None, (self.note, self.behind())))
        return f"{self.title} ({remarks})" if remarks else self.title

    def brief(self) -> "ResultTable":
        """A table of shares without their intervals; its note bounds them."""
        widest = max((e.half_width for e in self.estimates), default=math.inf)
        rows = [tuple(f"{100 * c.value:.1f}" if isinstance(c, Estimate) else c for c in row) for row in self.rows]
        note = f"{self.note}, in percent, each ± {100 * widest:.1f} or less"
        return replace(self, rows=rows, shares=frozenset(), note=note)

    def plot(self, column: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw a row for each name: a dot for the figure of a column, by default the first, and its interval."""
        cells = zip(self.columns, zip(*self.rows, strict=True), strict=False)
        columns = [name for name, of in cells if any(isinstance(cell, Estimate) for cell in of)]
        if not columns:
            raise UserError(f"there is no figure to draw in the table {self.title!r}.")
        column = columns[0] if column is None else column
        if column not in columns:
            raise UserError(f"there is no figure {column!r} to draw: {did_you_mean(column, columns, 'there are')}")
        place, scale = self.columns.index(column), 100 if column in self.shares else 1
        rows = [row for row in reversed(self.rows) if isinstance(row[place], Estimate)]
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 1.2 + ROW * len(rows)), layout="constrained")
        assert ax is not None
        for y, figure in enumerate(row[place] for row in rows):
            ends = [[scale * max(figure.value - figure.low, 0)], [scale * max(figure.high - figure.value, 0)]]
            ax.errorbar(scale * figure.value, y, xerr=ends, color=COLOURS[0], fmt="o", capsize=3, markersize=6)
        ax.set_yticks(range(len(rows)), [", ".join(map(str, row[: self.keys])) for row in rows])
        ax.set_ylabel(", ".join(self.columns[: self.keys]))
        ax.margins(y=0.5 / max(len(rows), 1))
        ax.grid(axis="x", alpha=0.3)
        ax.set_xlabel(f"{column}{' (%)' * (scale == 100)}, 95% intervals")
        ax.set_title(self.caption(), fontsize=10, loc="left")
        return ax

    # For programs

    def records(self) -> list[dict[str, Any]]:
        """Flat rows: an estimate becomes its value, both ends and the number of games or deals."""
        return [self._flat(row) for row in self.rows]

    def _flat(self, row: tuple[Any, ...]) -> dict[str, Any]:
        flat = {}
        for column, cell in zip(self.columns, row, strict=True):
            name = column.replace(" ", "_")
            if isinstance(cell, Estimate):
                flat[name] = finite(cell.value)
                flat[f"{name}_low"], flat[f"{name}_high"] = finite(cell.low), finite(cell.high)
                flat[f"{name}_{self.unit}s"] = cell.n
            else:
                flat[name] = cell
        return flat

    def to_pandas(self) -> "pd.DataFrame":
        """The flat rows as a pandas DataFrame; columns that name the row are categories, in the order of the table."""
        import pandas as pd

        frame = pd.DataFrame.from_records(self.records())
        for column in self.columns[: self.keys]:
            name = column.replace(" ", "_")
            if name in frame and frame[name].map(lambda cell: isinstance(cell, str)).all():
                frame[name] = pd.Categorical(frame[name], list(dict.fromkeys(frame[name])))
        return frame

    def __str__(self) -> str:
        """The table in plain text."""
        rows = [self.columns, *(tuple(map(self.cell_text, self.columns, row)) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([self.caption(), *lines])

    def __repr__(self) -> str:
        return f"<ResultTable {self.caption()}: {len(self.rows)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        rows = [tuple(map(self.cell_text, self.columns, row)) for row in self.rows]
        return html_table(self.caption(), self.columns, rows)

    def to_csv(self) -> str:
        """The flat rows as CSV; unknown values are empty."""
        records = self.records()
        names = list(dict.fromkeys(name for record in records for name in record))
        return rows_as_csv(names, ([record.get(name) for name in names] for record in records))


def finite(number: float) -> float | None:
    """A number that JSON and CSV can hold; None for an unknown or unbounded one."""
    return float(number) if math.isfinite(number) else None


def tables_as_json(tables: dict[str, ResultTable], facts: dict[str, Any]) -> str:
    """Facts and tables, by name, as one JSON object."""
    records = {name: table.records() for name, table in tables.items()}
    return json.dumps({**facts, "tables": records}, indent=2, ensure_ascii=False)


def tidy_frame(tables: dict[str, ResultTable]) -> "pd.DataFrame":
    """All tables as one tidy pandas table: a row for each figure.

    Columns: `table`, `row`, `quantity` (categories), `unit` ("share" from 0 to 1, or "number"), `value`, `low` and
    `high` (the ends of its interval), and `games` or `deals`, depending on what the intervals count; `count` where the
    tables differ in that.
    """
    import pandas as pd

    units = {table.unit for table in tables.values()}
    counted = f"{units.pop()}s" if len(units) == 1 else "count"
    rows = []
    for name, table in tables.items():
        for title, row, quantity, *values in _long_rows(name, table):
            unit = "share" if quantity in table.shares else "number"
            if not isinstance(values[0], str):
                rows.append((title, row, quantity, unit, *values))
    frame = pd.DataFrame(rows, columns=["table", "row", "quantity", "unit", "value", "low", "high", counted])
    for column in ("table", "row", "quantity", "unit"):
        frame[column] = pd.Categorical(frame[column], list(dict.fromkeys(frame[column])))
    return frame.astype({"value": float, "low": float, "high": float, counted: "Int64"})


def tables_as_csv(tables: dict[str, ResultTable]) -> str:
    """All tables as one long CSV table: table, row, quantity, value, both ends, games or deals."""
    (unit,) = {table.unit for table in tables.values()}
    names = ("table", "row", "quantity", "value", "low", "high", f"{unit}s")
    return rows_as_csv(names, (line for name, table in tables.items() for line in _long_rows(name, table)))


def _long_rows(name: str, table: ResultTable) -> Iterator[tuple[Any, ...]]:
    for row in table.rows:
        label = " / ".join(str(cell).strip() for cell in row[: table.keys])
        for column, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True):
            exact = isinstance(cell, Estimate)
            values = (*map(finite, (cell.value, cell.low, cell.high)), cell.n) if exact else (cell, None, None, None)
            yield (name, label, column, *values)


def rows_as_json(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as a JSON list of objects."""
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows], indent=2, ensure_ascii=False)


def rows_as_csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, below their names."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


# Answers


def table_facts(table: GameTable) -> dict[str, Any]:
    """Seed, rules and strategies of a table, as plain values."""
    luck = {"luck": dict(table.luck)} if table.luck else {}
    labels = [strategy.label for strategy in table.strategies]
    return {"seed": table.seed, **luck, "rules": table.rules.as_dict(), "strategies": labels}


class Answer(ABC):
    """What some games showed."""

    TABLES_IN_NOTEBOOK: ClassVar[int | None] = None  # how many of the printed tables; None: all

    @abstractmethod
    def sentence(self) -> str:
        """The result in one sentence to quote."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""

    @abstractmethod
    def result_tables(self) -> list[ResultTable]:
        """The tables that the command prints."""

    def circumstances(self) -> str:
        """What is behind the figures; empty where the sentence says it."""
        return ""

    def footer(self) -> list[str]:
        """What the command prints below the tables, line by line."""
        return [line for line in (self.sentence(), self.circumstances()) if line]

    def written_tables(self) -> dict[str, ResultTable]:
        """The tables of JSON and CSV, by name."""
        return {table.title: table for table in self.result_tables()}

    def all_tables(self) -> dict[str, ResultTable]:
        """Every table, by name."""
        return self.written_tables()

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """All tables as plain values, by name."""
        return {name: table.records() for name, table in self.all_tables().items()}

    def to_dict(self) -> dict[str, Any]:
        """Facts and all tables as plain values."""
        return {**self.facts(), "tables": self.tables()}

    def to_pandas(self) -> "pd.DataFrame":
        """Every figure of all tables in one tidy pandas table, a row for each; see `docs/results.md`."""
        return tidy_frame(self.all_tables())

    def as_json(self) -> str:
        """Facts and tables as one JSON object."""
        return tables_as_json(self.written_tables(), self.facts())

    def as_csv(self) -> str:
        """The tables as one long CSV table."""
        return tables_as_csv(self.written_tables())

    def plot(self, figure: str | None = None, ax: "Axes | None" = None) -> "Axes":
        """Draw a figure with its intervals by matplotlib: the one that one wants to see first, unless it is named."""
        table, column = self._drawn(figure)
        return table.plot(column, ax)

    def _drawn(self, figure: str | None) -> tuple[ResultTable, str | None]:
        """The table that `plot` draws, and its column."""
        return self.result_tables()[0], figure

    def _heading(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        tables = self.result_tables()[: self.TABLES_IN_NOTEBOOK]
        return f"<p>{html_text(self._heading())}</p>" + "".join(table._repr_html_() for table in tables)
