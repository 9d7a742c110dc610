"""The sums of a run as arrays: what ratios and differences are made from, with `jackknife`. How fair the seats are."""

import math

import numpy as np
import numpy.typing as npt

from jamaica_sim.files.escape import place_of
from jamaica_sim.game.codes import WIN_UNITS
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.own_measures import total_of
from jamaica_sim.play.tally.layout import GAME_QUANTITIES, SHIP_QUANTITIES

SCORED = ("position_points", "gold", "treasure_points")  # the sources of a score (E2); house rules may add to it


class Sums:
    """Sums of a run as arrays: entry 0 over all games, every other entry over all games but one part.

    Any ratio or difference of these sums, also between runs of the same deals, gets its interval from
    `jackknife`.
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

    def ships_and_wins(self, field: str, *index: int) -> tuple[np.ndarray, np.ndarray]:
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


# How fair the seats are, from their win rates: a row for each seat from the first Captain on

DRAWS = 400  # of luck, to find the bias of a gap
Floats = npt.NDArray[np.float64]


def captain_edge(rates: Floats) -> Floats:
    """The first Captain's win rate less the mean of all players."""
    edge: Floats = rates[0] - rates.mean(axis=0)
    return edge


def first_less_last(rates: Floats) -> Floats:
    """The first Captain's win rate less the last seat's."""
    lead: Floats = rates[0] - rates[-1]
    return lead


def last_seat(rates: Floats) -> Floats:
    """The last seat's win rate."""
    rate: Floats = rates[-1]
    return rate


def corrected_gap(rates: Floats) -> Floats:
    """The gap between the largest and the smallest of several rates (rows), corrected for the bias of picking them.

    Luck alone sets rates apart, so their raw gap is too large. How much too large is found by a parametric bootstrap
    (Efron & Tibshirani 1993, chapter 10) from rates that are shrunk towards their mean (James & Stein 1961). At 600
    games a true gap of 2.2 points comes out as 2.2 on average; uncorrected, as 4.8.
    """
    raw: Floats = rates.max(axis=0) - rates.min(axis=0)
    apart = rates - rates.mean(axis=0)
    parts = rates.shape[1] - 1
    if parts < 2 or not np.isfinite(apart).all():
        return raw
    luck = (apart[:, 1:] - apart[:, 1:].mean(axis=1, keepdims=True)) * math.sqrt((parts - 1) / parts)
    variance = np.maximum(np.square(apart).sum(axis=0), 1e-12)
    shrunk = apart * np.sqrt(np.maximum(0.0, 1 - np.square(luck).sum() / variance))
    drawn = luck @ np.random.default_rng(0).standard_normal((parts, DRAWS))
    bias = np.ptp(shrunk[:, :, None] + drawn[:, None, :], axis=0).mean(axis=1) - np.ptp(shrunk, axis=0)
    corrected: Floats = raw - bias
    return corrected - min(0.0, float(corrected[0]))


OF_SEATS = {
    "first Captain's edge": captain_edge,
    "first less last seat": first_less_last,
    "last seat wins": last_seat,
    "gap between seats": corrected_gap,
}
