"""What every result can do: say itself in a sentence, give its tables, and become pandas, plain values, JSON or CSV.

A kind of result says what it shows (`sentence`, `facts`, `result_tables`); everything else is the same for all.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from jamaica_sim.files.escape import html_text
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.picture_style import plot_column
from jamaica_sim.results.result_table import ResultTable, tables_as_csv, tables_as_json, tidy_frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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
        return plot_column(*self._drawn(figure), ax)

    def _drawn(self, figure: str | None) -> tuple[ResultTable, str | None]:
        """The table that `plot` draws, and its column."""
        return self.result_tables()[0], figure

    def _heading(self) -> str:
        return self.sentence()

    def _repr_html_(self) -> str:
        tables = self.result_tables()[: self.TABLES_IN_NOTEBOOK]
        return f"<p>{html_text(self._heading())}</p>" + "".join(table._repr_html_() for table in tables)
