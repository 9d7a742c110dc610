"""Labelled decisions: positions from games of mixed players, and what search says each option is worth.

A label is a view with its options and the mean value of each on the same deals. It is made from the rules, the players
and a seed alone, so the same labels come out on any machine.
"""

from collections.abc import Sequence

import numpy as np

from jamaica_sim.codes import (
    CHOOSE_CARD,
    CHOOSE_SPACE,
    DECISIONS,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    PLACE_DICE,
)
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.house.compile import in_force
from jamaica_sim.play.state_record import Seats, new_state, play
from jamaica_sim.rules import Rules
from jamaica_sim.strategy.net.layout import LEARNED
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.training.compiled import label_all

LABEL = np.dtype(
    [
        ("asked", VIEW_DTYPE),
        ("options", "i8"),  # how many
        ("option", "i8", (MOST_OPTIONS,)),
        ("value", "f4", (MOST_OPTIONS,)),
    ],
    align=True,
)
ROOM = 4_000  # decisions kept of a game at most
GAMES_A_LOT = 1 << 16  # numbers of games that belong to a lot: far more than it takes
# The shares of the decisions that are labelled, by decision point: fewer of those that matter little or come up often.
KEPT = np.full(len(DECISIONS), 0.5)
KEPT[[PLACE_DICE, GHOST_TARGET, GHOST_LOOT]] = 1.0
KEPT[[CHOOSE_CARD, CHOOSE_SPACE, GHOST_DIRECTION, GHOST_SPACE]] = 0.3, 0.25, 0.3, 0.3


class LabelMaker:
    """Makes labels for one kind of table: who plays, with which shares of the seats, and who searches."""

    def __init__(self, rules: Rules, players: Sequence[Strategy], shares: Sequence[float], teacher: Strategy) -> None:
        self._rules, self._rulebook = rules, in_force(rulebook_of(rules), rules)
        self._players, self._shares, self._teacher = list(players), shares, teacher
        self._state = new_state([self._players[0]] * rules.players, rules)
        self._seats = Seats(self._players, rules)
        teacher.addresses()  # writes the heuristic's address into the record
        self._search = teacher.weights_for(rules.components.treasures)

    def make(self, seed: int, lot: int, size: int) -> np.ndarray:
        """`size` labels: a lot of the games of a seed. Lots have different games."""
        labels = np.zeros(size, LABEL)
        views = self._positions(np.random.default_rng((seed, lot)), seed, lot * GAMES_A_LOT, size)
        label_all(views, labels, self._rulebook, self._search)
        labels["asked"] = views
        return labels

    def _positions(self, random: np.random.Generator, seed: int, first: int, size: int) -> np.ndarray:
        kept, many, game = [], 0, first
        while many < size:
            views = self._views(random, seed, game)
            share = KEPT[views["decision"]]
            is_planned = (views["decision"] == CHOOSE_CARD) & (views["plan"] != 0)
            chosen = np.isin(views["decision"], LEARNED) & ~is_planned & (random.random(views.size) < share)
            kept.append(views[chosen])
            many += int(chosen.sum())
            game += 1
        return np.concatenate(kept)[:size]

    def _views(self, random: np.random.Generator, seed: int, game: int) -> np.ndarray:
        """All views of one game with players drawn for its seats."""
        seating = random.choice(len(self._players), self._rules.players, p=self._shares)
        self._seats.take(self._state, seating)
        views = np.zeros(ROOM, VIEW_DTYPE)
        self._state["capture"], self._state["capture_bytes"] = views.ctypes.data, VIEW_DTYPE.itemsize
        self._state["captured"], self._state["capture_room"] = 0, ROOM
        seated = [self._players[player] for player in seating]
        play(self._state, self._rulebook, seated, seed, game, np.zeros(1, RESULT_DTYPE))
        return views[: int(self._state["captured"][0])]
