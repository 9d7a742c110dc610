"""Labelled decisions: positions from games of mixed players, and what search says each option is worth.

A label is a view with its options and the mean value of each on the same deals. It is made from the rules, the players
and a seed alone, so the same labels come out on any machine.
"""

from collections.abc import Sequence

import numpy as np

from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.game.codes import (
    CHOOSE_CARD,
    CHOOSE_SPACE,
    DECISIONS,
    GHOST_DIRECTION,
    GHOST_LOOT,
    GHOST_SPACE,
    GHOST_TARGET,
    PLACE_DICE,
)
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.state_record import GamePlayer, Seats
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.net.layout import LEARNED
from jamaica_sim.strategy.search.searcher import MOST_OPTIONS
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.train.compiled import label_all

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
        self.players, self._shares, self._teacher = list(players), shares, teacher
        self.player = GamePlayer(rules, [self.players[0]] * rules.players, 0)
        self._seats = Seats(self.players, rules)
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
        seating = random.choice(len(self.players), self._rules.players, p=self._shares)
        player, views = self.player, np.zeros(ROOM, VIEW_DTYPE)
        player.seed = seed
        player.sit(self._seats, seating.tolist())
        player.capture(views)
        player.play_rows(self._rulebook, game, np.zeros(1, RESULT_DTYPE))
        return views[: player.captured]
