"""The sums of a run as arrays: what ratios and differences are made from, with `stats.jackknife`."""

import numpy as np

from jamaica_sim.files.suggest import place_of
from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.own_measures import total_of
from jamaica_sim.play.tally.layout import GAME_QUANTITIES, SHIP_QUANTITIES

SCORED = ("position_points", "gold", "treasure_points")  # the sources of a score (E2); house rules may add to it


class Sums:
    """Sums of a run as arrays: entry 0 over all games, every other entry over all games but one part.

    Any ratio or difference of these sums, also between runs of the same deals, gets its interval from
    `stats.jackknife`.
    """

    def __init__(self, tally: np.void, table: GameTable) -> None:
        self._tally, self._table = tally, table
        self._parts = np.flatnonzero(self._tally["part_games"])
        self._own = list(self._table.measures)

    def _of(self, name: str, *index: int) -> np.ndarray:
        return _without_each(self._tally[name][(self._parts, *index)])

    @property
    def games(self) -> np.ndarray:
        """The number of games."""
        return self._of("part_games")

    def own(self, measure: str) -> tuple[np.ndarray, np.ndarray]:
        """The values of a measure of one's own, and how many games have one."""
        sums = self._tally["own"][self._own.index(measure), self._parts]
        return _without_each(total_of(sums)), _without_each(sums[:, 0])

    def game(self, quantity: str) -> np.ndarray:
        """A quantity of `GAME_QUANTITIES`, or a measure of one's own."""
        if quantity in self._own:
            return self.own(quantity)[0]
        total = self._of("part_game", GAME_QUANTITIES.index(quantity))
        return total / WIN_UNITS if quantity.endswith("_wins") else total

    def ship(self, ship: int, quantity: str) -> np.ndarray:
        """A quantity of `SHIP_QUANTITIES`, of one ship."""
        total = self._of("part_ships", ship, SHIP_QUANTITIES.index(quantity))
        return total / WIN_UNITS if quantity == "win" else total

    def house_points(self, name: str) -> np.ndarray:
        """What house rules add to the score of a strategy's ships: the part of it that no other source has."""
        parts = (self.group(name, quantity) for quantity in SCORED)
        return self.group(name, "score") - np.sum(list(parts), axis=0)

    def winner_house_points(self) -> np.ndarray:
        """The same of the winner's score."""
        parts = (self.game(f"winner_{quantity}") for quantity in SCORED)
        return self.game("winner_score") - np.sum(list(parts), axis=0)

    def group(self, name: str, quantity: str) -> np.ndarray:
        """A quantity of `SHIP_QUANTITIES`, of all ships of a strategy, or of the ghost ship."""
        index = place_of(name, self._table.groups, "strategy")
        ships = np.flatnonzero(self._table.group_of_ships()[: self._table.rules.ships] == index)
        return np.sum([self.ship(int(ship), quantity) for ship in ships], axis=0)

    def players(self, quantity: str) -> np.ndarray:
        """A quantity of `SHIP_QUANTITIES`, of all players' ships."""
        return np.sum([self.ship(ship, quantity) for ship in range(self._table.rules.players)], axis=0)

    def seat_wins(self, seat: int) -> np.ndarray:
        """The wins of a seat; seat 0 is the first Captain."""
        return self._of("part_seat_wins", seat) / WIN_UNITS

    def seat_rates(self) -> np.ndarray:
        """The win rates of all players' seats, a row for each; nan where there are no games."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.array([self.seat_wins(seat) for seat in range(self._table.rules.players)]) / self.games

    def alike(self, field: str, *index: int) -> tuple[np.ndarray, np.ndarray]:
        """How many players' ships fared alike ("shortages", "treasures", "holders", "lanes", "ends"); their wins."""
        return self._of(f"part_{field}", *index, 0), self._of(f"part_{field}", *index, 1) / WIN_UNITS

    def drawn(self, card: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How many players' ships drew a treasure card from a lair, their wins and their points."""
        ships, wins, points = (self._of("part_drawn", card, number) for number in range(3))
        return ships, wins / WIN_UNITS, points


def _without_each(parts: np.ndarray) -> np.ndarray:
    """The sum of the parts, then the sums without each of them."""
    return np.concatenate([[parts.sum()], parts.sum() - parts]).astype(float)


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """One over the other; not finite where the other is 0."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return above / below
