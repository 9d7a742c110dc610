"""What a run of games showed: estimates with 95% intervals, made from the exact sums of a tally."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import place_of
from jamaica_sim.game.codes import GHOST_SHIP, WIN_UNITS
from jamaica_sim.game.components.course import Space
from jamaica_sim.game.words import rules_told
from jamaica_sim.play.game_columns import flat_columns
from jamaica_sim.play.game_table import GameTable, seed_words
from jamaica_sim.play.tally.layout import GAME_QUANTITIES, SHIP_QUANTITIES
from jamaica_sim.results.drama import Drama
from jamaica_sim.results.result_table import Answer, ResultTable, table_facts
from jamaica_sim.results.stats.estimate import (
    Estimate,
    PairMoments,
    count_interval,
    jackknife,
    mean_interval,
    proportion_interval,
    ratio_interval,
)
from jamaica_sim.results.sums import OF_SEATS, Sums, ratio
from jamaica_sim.results.tidy_games import tidy_games

if TYPE_CHECKING:
    import pandas as pd

FIELDS: Mapping[str, Any] = RESULT_DTYPE.fields or {}  # of a result row: type and offset by name
GHOST_NEVER = ("shortages", "gold_shortages", "food_shortages", "short", "powder_spent")  # by rule (G4, G5)
SHARES_OF_GAMES = ("unfinished", "short", "shared_win", "box_too_small")


@dataclass(frozen=True, repr=False)
class Results(Answer):
    """The statistics of some games at one table.

    Examples
    --------
    >>> from jamaica_sim import simulate
    >>> results = simulate(games=2_000, strategies=["balanced", "random"], seed=1)
    >>> results
    <Results: 2,000 games of 4 players, edition 2007, seed 1
     win rate per seat: balanced 49.7% ± 0.2, random 0.3% ± 0.2>
    >>> results.win_rate("random").n
    2000
    >>> results.by_strategy()[["strategy", "seats"]].to_dict("list")
    {'strategy': ['balanced', 'random'], 'seats': [2, 2]}
    """

    TABLES_IN_NOTEBOOK = 1

    table: GameTable
    tally: np.void = field(repr=False)
    first_game: int
    seconds: float
    drama: Drama | None = field(default=None, repr=False, compare=False)  # tension and the like, where it was measured
    rows: np.ndarray | None = field(default=None, repr=False, compare=False)  # one for each game, where they are kept
    read_games: "Callable[[bool], pd.DataFrame] | None" = field(default=None, repr=False, compare=False)  # of a folder

    def __repr__(self) -> str:
        rates = ", ".join(f"{name} {self.win_rate(name):%}" for name in self.table.groups)
        return f"<Results: {self._played()}\n win rate per seat: {rates}>"

    def _heading(self) -> str:
        return f"{self._played()}; 95% intervals over games"

    def _played(self) -> str:
        return f"{self.games:,} games of {rules_told(self.table.rules)}, seed {self.table.seed}"

    @property
    def games(self) -> int:
        """How many games were played."""
        return int(self.tally["games"])

    @property
    def games_per_second(self) -> float:
        """The speed of this run, wall clock."""
        return self.games / self.seconds if self.seconds > 0 else math.inf

    def of_game(self, quantity: str, per: str | None = None) -> Estimate:
        """The mean over games of a quantity such as "rounds" or "shortages"; with `per`, its ratio to another quantity.

        `docs/results.md` lists the quantities; measures of one's own are among them.

        Examples
        --------
        >>> from jamaica_sim import simulate
        >>> results = simulate(games=2_000, strategies="balanced", seed=1)
        >>> print(results.of_game("shortages"), "in a game,", results.of_game("shortages", per="rounds"), "in a round")
        5.0 ± 0.1 in a game, 0.466 ± 0.010 in a round
        """
        if per is not None:
            return jackknife(self._per(quantity, per), self.games)
        if quantity in self.table.measures:
            return self._own(quantity)
        index = place_of(quantity, (*GAME_QUANTITIES, *self.table.measures), "quantity of a game")
        total, squares = (int(v) for v in self.tally["by_game"][index])
        if quantity in SHARES_OF_GAMES:
            return proportion_interval(total, self.games)
        scale = WIN_UNITS if quantity.endswith("_wins") else 1
        return mean_interval(self.games, total, squares, scale=scale, span=scale)

    @cached_property
    def own_shares(self) -> Mapping[str, bool]:
        """The measures of one's own: whether each is a share of the games, or a mean over them."""
        own = self.table.own_measures()
        return own.is_share if own else {}

    def _own(self, measure: str) -> Estimate:
        values, games = self.sums.own(measure)
        total, n = int(values[0]), int(games[0])
        return proportion_interval(total, n) if self.own_shares[measure] else jackknife(ratio(values, games), n)

    def difference(self, other: "Results", quantity: str, per: str | None = None) -> Estimate:
        """How much larger a quantity of a game is here than in other results, on the same deals.

        Both results must have the same seed and the same games. Their luck is then the same and cancels out, and the
        interval is smaller than that of either. `per` is as in `of_game`. A difference of shares is a share: 0.01 is
        one percentage point.

        Examples
        --------
        >>> from jamaica_sim import simulate
        >>> three, four = (simulate(games=2_000, strategies="balanced", hand_size=cards) for cards in (3, 4))
        >>> print(four.difference(three, "rounds"))
        -0.89 ± 0.08
        """
        if not isinstance(other, Results):
            raise TypeError(f"results differ from other results, such as `simulate` gives, not from {other!r}.")
        if _deals(self) != _deals(other):
            raise UserError("the two did not play the same deals: give both the same seed and number of games.")
        return jackknife(self._per(quantity, per) - other._per(quantity, per), self.games)

    def _per(self, quantity: str, per: str | None = None) -> np.ndarray:
        """A quantity per game, or per another quantity: over all games, then over all games but one part."""
        for name in (quantity, *([] if per is None else [per])):
            place_of(name, (*GAME_QUANTITIES, *self.table.measures), "quantity of a game")
        if per is None and quantity in self.table.measures:
            return ratio(*self.sums.own(quantity))
        return ratio(self.sums.game(quantity), self.sums.games if per is None else self.sums.game(per))

    def of_ships(self, view: str, index: int, quantity: str, ships: int = 1) -> Estimate:
        """The mean per ship of a quantity of `SHIP_QUANTITIES`, for one "ship", "seat" or "group" of several ships."""
        place_of(view, ("ship", "seat", "group"), "view of the ships")
        place_of(quantity, SHIP_QUANTITIES, "quantity of a ship")
        total, squares = self._moments(view, index, quantity)
        scale = (WIN_UNITS if quantity == "win" else 1) * ships
        impossible = self._is_ghost(view, index) and quantity in GHOST_NEVER
        return mean_interval(self.games, total, squares, scale=scale, span=0 if impossible else scale)

    def _is_ghost(self, view: str, index: int) -> bool:
        if not self.table.rules.ghost or view == "seat":
            return False
        return index == (self.table.rules.players if view == "ship" else len(self.table.groups) - 1)

    @property
    def sums(self) -> "Sums":
        """Sums over all games and over all games but one part, to make ratios and differences from."""
        return Sums(self.tally, self.table)

    def of_row(self, name: str, *index: int) -> Estimate:
        """The mean over games of a number of the result row, such as `("loot", ship, kind)`."""
        place_of(name, list(FIELDS), "number of a result row")
        dtype, offset = FIELDS[name][:2]
        column = offset // 2 + (int(np.ravel_multi_index(index, dtype.shape)) if index else 0)
        return mean_interval(self.games, int(self.tally["row_sum"][column]), int(self.tally["row_square_sum"][column]))

    def _moments(self, view: str, index: int, quantity: str) -> tuple[int, ...]:
        return tuple(int(v) for v in self.tally[f"by_{view}"][index, SHIP_QUANTITIES.index(quantity)])

    def win_rate(self, name: str) -> Estimate:
        """The share of the games that a strategy, or the ghost ship, wins per seat."""
        return self.of_ships("group", place_of(name, self.table.groups, "strategy"), "win", self._seats(name))

    def _seats(self, name: str) -> int:
        return max(1, sum(strategy.label == name for strategy in self.table.strategies))

    @property
    def ghost_win_rate(self) -> Estimate | None:
        """The ghost ship's share of the wins, None without it."""
        return self.win_rate(GHOST_SHIP) if self.table.rules.ghost else None

    def wins(self) -> ResultTable:
        """Who wins, by strategy; the ghost ship is listed with them."""
        quantities = ("win", "score", "position_points", "gold", "treasure_points")
        groups = enumerate(self.table.groups)
        rows = [(name, self._seats(name), *self._group(index, quantities)) for index, name in groups]
        columns = ["strategy", "seats", "win rate", "score", "position", "gold", "treasures"]
        note = "per seat; score = position + gold + treasures"
        if self.table.rules.scores_house_points:
            columns, note = [*columns, "house"], f"{note} + house"
            house = [self.sums.house_points(name) / self.sums.games / self._seats(name) for name in self.table.groups]
            rows = [(*row, jackknife(points, self.games)) for row, points in zip(rows, house, strict=True)]
        return ResultTable("Who wins", tuple(columns), rows, frozenset({"win rate"}), note)

    def voyages(self) -> ResultTable:
        """What happens to each strategy's ships in a game."""
        quantities = ("shortages", "short", "battles", "treasures_taken", "ended_game")
        rows = []
        for index, name in enumerate(self.table.groups):
            estimates = self._group(index, quantities)
            rows.append((name, *estimates[:3], self._battles_won(index), *estimates[3:]))
        columns = ("strategy", "shortages", "games short", "battles", "battles won", "treasures taken", "home first")
        shares = frozenset({"games short", "battles won", "home first"})
        return ResultTable("Voyages", columns, rows, shares, "per ship and game")

    def _battles_won(self, index: int) -> Estimate:
        won, won_squares = self._moments("group", index, "battles_won")
        fought, fought_squares = self._moments("group", index, "battles")
        cross = int(self.tally["fought_times_won"][index])
        return ratio_interval(PairMoments(self.games, won, fought, won_squares, fought_squares, cross))

    def _group(self, index: int, quantities: Sequence[str]) -> list[Estimate]:
        seats = self._seats(self.table.groups[index])
        return [self.of_ships("group", index, quantity, seats) for quantity in quantities]

    def seats(self) -> ResultTable:
        """Who wins, by seat; seat 0 is the first Captain."""
        rows = [
            (seat, *(self.of_ships("seat", seat, quantity) for quantity in ("win", "score", "shortages")))
            for seat in range(self.table.rules.players)
        ]
        note = "seat 0 is the first Captain, then clockwise"
        return ResultTable("Seats", ("seat", "win rate", "score", "shortages"), rows, frozenset({"win rate"}), note)

    def fairness(self) -> ResultTable:
        """How far the seats are apart, in points of win rate."""
        rates = self.sums.seat_rates()
        rows = [(name, jackknife(100 * of(rates), self.games)) for name, of in OF_SEATS.items()]
        note = "edge: over the mean of the seats; gap: the best less the worst, corrected for luck"
        return ResultTable("Fairness", ("seats", "points of win rate"), rows, note=note)

    def game(self) -> ResultTable:
        """The course of a game."""
        rows = [
            ("rounds", self.of_game("rounds")),
            ("battles", self.of_game("battles")),
            ("shortages", self.of_game("shortages")),
            ("treasures taken", self.of_game("treasures_taken")),
            ("winner's score", self.of_game("winner_score")),
            ("  by position", self.of_game("winner_position_points")),
            ("  by gold", self.of_game("winner_gold")),
            ("  by treasures", self.of_game("winner_treasure_points")),
            ("winner's lead", self.of_game("margin")),
        ]
        if self.table.rules.scores_house_points:
            rows.insert(-1, ("  by house rules", self.winner_house_points))
        rows += [(name, self.of_game(name)) for name, is_share in self.own_shares.items() if not is_share]
        return ResultTable("An average game", ("per game", "mean"), rows)

    @property
    def winner_house_points(self) -> Estimate:
        """What house rules add to the winner's score."""
        return jackknife(self.sums.winner_house_points() / self.sums.games, self.games)

    def shares(self) -> ResultTable:
        """How often things happen."""
        rows = [
            ("with a shortage", self.of_game("short")),
            ("won by the ship that came home first", self.of_game("finisher_wins")),
            ("won by the leader at half-time", self.of_game("half_time_leader_wins")),
            ("with a shared victory", self.of_game("shared_win")),
            (f"unfinished after {self.table.rules.round_cap} rounds", self.of_game("unfinished")),
        ]
        if self.ghost_win_rate is not None:
            rows.insert(0, ("won by the ghost ship", self.ghost_win_rate))
        rows += [(name, self.of_game(name)) for name, is_share in self.own_shares.items() if is_share]
        return ResultTable("How often", ("of all games", "share"), rows, frozenset({"share"}))

    def result_tables(self) -> list[ResultTable]:
        """The tables that a run prints."""
        drama = self.drama.tables() if self.drama else []
        return [self.wins(), self.voyages(), self.seats(), self.fairness(), self.game(), self.shares(), *drama]

    def spaces(self) -> ResultTable:
        """Landings, shortages and battles by space, per game."""
        rows = [
            (number, space.kind, *(self._by_space(name, number, space) for name in ("landed", "short", "fought")))
            for number, space in enumerate(self.table.rules.components.board)
        ]
        return ResultTable("Spaces", ("space", "kind", "landings", "shortages", "battles"), rows)

    def _by_space(self, name: str, number: int, space: Space) -> Estimate:
        total, squares = (int(v) for v in self.tally[name][:, number])
        impossible = (name == "short" and space.cost == 0) or (name == "fought" and number == 0)
        return Estimate(0.0, 0.0, 0.0, self.games) if impossible else count_interval(self.games, total, squares)

    def rounds(self) -> ResultTable:
        """Shortages and battles by round, over the games that reached the round."""
        rows = []
        for number in np.flatnonzero(self.tally["games_in_round"]):
            games = int(self.tally["games_in_round"][number])
            estimates = [
                count_interval(games, *(int(v) for v in self.tally[name][:, number]))
                for name in ("short_in_round", "fought_in_round")
            ]
            rows.append((int(number), proportion_interval(games, self.games), *estimates))
        columns = ("round", "games reached", "shortages", "battles")
        return ResultTable("Rounds", columns, rows, frozenset({"games reached"}))

    def facts(self) -> dict[str, Any]:
        """What was played, as plain values."""
        return {
            "games": self.games,
            "first_game": self.first_game,
            **table_facts(self.table),
            "seconds": round(self.seconds, 3),
            "games_per_second": round(self.games_per_second),
        }

    def all_tables(self) -> dict[str, ResultTable]:
        """Every table, by title; nothing in them depends on the machine or the time."""
        return {table.title: table for table in [*self.result_tables(), self.spaces(), self.rounds()]}

    def sentence(self) -> str:
        """One line about the run."""
        return (
            f"{self.games:,} games of {rules_told(self.table.rules)}, "
            f"seed {seed_words(self.table.seed, self.table.luck)}, in {self.seconds:.1f} s "
            f"({self.games_per_second:,.0f} games/s); 95% intervals over games."
        )

    def by_game(self, tidy: bool = True) -> "pd.DataFrame":
        """One row for each ship of each game as a pandas table, of a run with `per_game=True`; see `docs/results.md`.

        With `tidy=False` one row for each game, with a column for each ship.

        Examples
        --------
        >>> from jamaica_sim import simulate
        >>> ships = simulate(games=500, strategies=["balanced", "random"], per_game=True).by_game()
        >>> len(ships), ships.groupby("strategy", observed=True)["win"].mean().round(2).to_dict()
        (2000, {'balanced': 0.5, 'random': 0.0})
        """
        import pandas as pd

        if self.rows is None and self.read_games is not None:
            return self.read_games(tidy)
        if self.rows is None:
            raise UserError(
                "this run kept no rows of its games: play it with per_game=True; `load_games` reads those of a folder."
            )
        flat = dict(flat_columns(self.rows, self.table.rules.ships))
        return tidy_games(flat, self.table) if tidy else pd.DataFrame(flat)

    def by_strategy(self) -> "pd.DataFrame":
        """Who wins, as a pandas table."""
        return self.wins().to_pandas()

    def by_seat(self) -> "pd.DataFrame":
        """Wins by seat, as a pandas table."""
        return self.seats().to_pandas()

    def by_space(self) -> "pd.DataFrame":
        """Counts by space, as a pandas table."""
        return self.spaces().to_pandas()

    def by_round(self) -> "pd.DataFrame":
        """Counts by round, as a pandas table."""
        return self.rounds().to_pandas()


def _deals(results: Results) -> tuple[Any, ...]:
    """Which deals were played: results of the same deals can be compared game by game."""
    return results.table.seed, dict(results.table.luck), results.first_game, results.games
