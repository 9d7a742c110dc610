"""A comparison as the user gets it: its numbers, and the sentences, tables and files made from them."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jamaica_sim.comparison import tables, wording
from jamaica_sim.comparison.charts import charts
from jamaica_sim.comparison.numbers import Numbers
from jamaica_sim.results.answer import Answer
from jamaica_sim.results.result_table import finite
from jamaica_sim.store.atomic_files import write_whole
from jamaica_sim.store.saved_folder import appearing_folder
from jamaica_sim.variant import rules_told

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Numbers, Answer):
    """What some deals showed about the strategies of a contest. Strategies are given by their names.

    Examples
    --------
    >>> from jamaica_sim import compare
    >>> duel = compare(["balanced", "random"], games=400, seed=1)
    >>> duel
    <Comparison: balanced beats random in 99.2% ± 0.8 of the points, 400 games, seed 1.
     2 strategies at tables of 4 players, edition 2007; 200 deals>
    >>> duel.difference("balanced", "random").value > 0.4
    True
    """

    TABLES_IN_NOTEBOOK = 1

    def __repr__(self) -> str:
        return (
            f"<Comparison: {self._heading()}\n {len(self.labels)} strategies at tables of "
            f"{rules_told(self.contest.rules)}; {self.deals:,} deals>"
        )

    def _heading(self) -> str:
        return self.sentence() if self.deals else "no deal has been played yet."

    sentence, remarks, circumstances = wording.sentence, wording.remarks, wording.circumstances
    result_tables, written_tables = tables.result_tables, tables.all_tables

    def by_strategy(self) -> "pd.DataFrame":
        """Win rates, and ratings where there are more than two, as a pandas table."""
        return tables.standings(self).to_frame()

    def by_pair(self) -> "pd.DataFrame":
        """Every pair, as a pandas table."""
        return tables.pair_table(self).to_frame()

    def by_seat(self) -> "pd.DataFrame":
        """What each seat is worth, as a pandas table; only for more than two strategies, or two players."""
        return tables.seats(self).to_frame()

    def facts(self) -> dict[str, Any]:
        """The whole result as plain values; the same comparison gives the same values on every machine."""
        facts = {
            "sentence": self.sentence(),
            "remarks": self.remarks(),
            "complete": self.complete,
            "games": self.games,
            "deals": self.deals,
            "seatings_of_a_deal": self.contest.design.games_in_deal,
            "line_ups": [list(deal) for deal in self.contest.design.cycle],
            "until": "verdict" if self.plan.until_verdict else None,
            "margin": self.plan.margin,
            "alpha": self.plan.alpha,
            "seed": self.contest.seed,
            **({"luck": dict(self.contest.luck)} if self.contest.luck else {}),
            "rules": self.contest.rules.as_dict(),
            "strategies": [strategy.identity() for strategy in self.contest.strategies],
        }
        if self.contest.against:
            edge = {name: finite(getattr(self.edge, name)) for name in ("value", "low", "high")}
            return {**facts, "against_the_field": {**edge, "verdict": self.edge_verdict}}
        if self.is_duel:
            return {**facts, "pairing_gain": finite(self.pairing_gain), "luck_gain": finite(self.luck_gain)}
        cycles = [[self.labels[s] for s in cycle] for cycle in self.transitivity.cycles]
        return {**facts, "transitivity": {**self.transitivity._asdict(), "cycles": cycles}}

    def footer(self) -> list[str]:
        """What the command prints below the tables, line by line."""
        return [self.sentence(), *self.remarks(), self.circumstances()]

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write tables (CSV, JSON) and charts (PNG) into a new folder, which appears complete or not at all."""
        with appearing_folder(folder) as beside:
            for name, content in self.files().items():
                write_whole(beside / name, content)

    def files(self) -> dict[str, bytes]:
        """All files by name."""
        written = {f"{name}.csv": table.to_csv().encode() for name, table in tables.all_tables(self).items()}
        pictures = {f"{name}.png": png for name, png in charts(self).items()}
        return {"comparison.json": (self.as_json() + "\n").encode(), **written, **pictures}
