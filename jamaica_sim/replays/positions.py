"""The positions of a game from which it is played on: before every round, and wherever a player chose a card.

The engine plays on with new luck, for chances, or with the game's own luck and another card, for what would have been.
Hands are those of the game: these are chances for one who sees all hands, but not what will be drawn or rolled.
"""

import math
from dataclasses import dataclass

import numpy as np

from jamaica_sim.codes import CHOOSE_CARD
from jamaica_sim.engine.events import read_event
from jamaica_sim.engine.play_on import play_on, trace_on
from jamaica_sim.engine.state import NONE, POSITION_BYTES, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.limits import check_game_number
from jamaica_sim.play.chunks import Tracer, Worker, default_threads
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import NO_GAME
from jamaica_sim.play.worker_threads import in_order
from jamaica_sim.replays.trace import result_of

ROOM = 40_000  # decisions of a game: more than a trace has events
OWN_LUCK = -1  # as the seed of playing on: the game's own


@dataclass(frozen=True)
class Position:
    """Where a game is played on from: `ship` chooses a card of `cards` in this round, or nobody does (-1)."""

    index: int
    round: int
    ship: int
    cards: tuple[int, ...]
    answer: int


@dataclass(frozen=True)
class Chances:
    """Each ship's chance to win from a position, from so many games; a shared victory counts in parts."""

    wins: np.ndarray  # one row for each game, one column for each ship

    @property
    def games(self) -> int:
        """How many games were played on."""
        return len(self.wins)

    def of(self, ship: int) -> float:
        """A ship's chance."""
        return float(self.wins[:, ship].mean())

    def all(self) -> list[float]:
        """All ships' chances."""
        return self.wins.mean(axis=0).tolist()

    def lead_over(self, other: "Chances", ship: int) -> tuple[float, float]:
        """How much better a ship's chance is than from another position with the same luck, and its standard error."""
        difference = self.wins[:, ship] - other.wins[:, ship]
        return float(difference.mean()), float(difference.std()) / math.sqrt(max(1, self.games - 1))


class GamePositions:
    """The positions of one game at a table, and how it goes on from them."""

    def __init__(self, table: GameTable, game: int):
        check_game_number(game)
        self._table, self._game = table, game
        capturer = _Capturer(table)
        for _ in in_order(lambda: capturer, _Capturer.trace, [game], 1):
            pass
        captured = capturer.positions[: capturer.taken()]
        decisions, asked = (_field(captured, name) for name in ("decision", "me"))
        wanted = np.flatnonzero((decisions == NONE) | (decisions == CHOOSE_CARD))
        self._bytes = np.ascontiguousarray(captured[wanted])
        rounds, legal, answers = (_field(self._bytes, name) for name in ("round", "legal", "answer"))
        self.all = []
        for index, (decision, ship) in enumerate(zip(decisions[wanted], asked[wanted], strict=True)):
            if decision == NONE:
                self.all.append(Position(index, int(rounds[index]) + 1, -1, (), -1))
            else:
                cards = tuple(card for card in range(63) if int(legal[index]) >> card & 1)
                self.all.append(Position(index, int(rounds[index]), int(ship), cards, int(answers[index])))

    def before_rounds(self) -> list[Position]:
        """The positions between the rounds, in their order."""
        return [position for position in self.all if position.ship < 0]

    def choices(self) -> list[Position]:
        """The positions in which a player chose between several cards, in their order."""
        return [position for position in self.all if position.ship >= 0]

    def choice(self, round_number: int, ship: int) -> Position | None:
        """Where a ship chose its card in a round; None where it had no choice."""
        return next((p for p in self.choices() if (p.round, p.ship) == (round_number, ship)), None)

    def play_on(self, tasks, games: int, progress=None) -> list[Chances]:
        """The chances from each (position, card), with the same luck for all; card -1: the strategy chooses."""
        seed = (self._table.seed * 1_000_003 + self._game) % 2**62
        found = []
        for wins in in_order(
            lambda: _Onward(self._table, self._bytes, seed, games), _Onward.wins, list(tasks), default_threads()
        ):
            found.append(Chances(wins))
            if progress:
                progress(len(found) * games)
        return found

    def with_card(self, trace: dict, position: Position, card: int) -> dict:
        """The trace of the game as it would have gone on with another card, its luck kept."""
        tracer = _TracedOnward(self._table, self._bytes)
        ((row, events),) = in_order(lambda: tracer, _TracedOnward.trace_from, [(position.index, card)], 1)
        before, number = [], 0
        for event in trace["events"]:
            number = event["number"] if event["event"] == "round" else number
            if event["event"] == "choose" and (number, event["ship"]) == (position.round, position.ship):
                break
            before.append(event)
        changed = {"round": position.round, "ship": position.ship, "card": card}
        config = trace["config"] | {"what_if": changed}
        return {**trace, "config": config, "events": before + events, "result": result_of(row, self._table.rules.ships)}


def _field(positions, name):
    dtype, offset = STATE_DTYPE.fields[name]
    return np.ascontiguousarray(positions[:, offset : offset + dtype.itemsize]).view(dtype.base)[:, 0]


class _Capturer(Tracer):
    """Plays a game with the trace on and keeps its positions."""

    def __init__(self, table):
        super().__init__(table)
        self.positions = np.zeros((ROOM, POSITION_BYTES), np.uint8)
        self._state["capture"] = self.positions.ctypes.data
        self._state["capture_room"], self._state["capture_bytes"] = ROOM, POSITION_BYTES

    def taken(self):
        """How many positions there are."""
        return int(self._state["captured"][0])


class _Onward(Worker):
    """Plays on from positions."""

    def __init__(self, table, positions, seed, games):
        super().__init__(table)
        self._positions, self._seed = positions, seed
        self._rows = np.zeros(games, RESULT_DTYPE)

    def wins(self, task) -> np.ndarray:
        """Which part of the victory each ship has, in each game."""
        position, card = task
        try:
            arguments = (self._positions, position.index, self._seed, 0, card, self._rows)
            if play_on(self._state, self._table.rulebook, *arguments) < self._rows.size:
                self._state["error"] = 0
                raise self.fault("gave an answer that is not one of the legal options")
        finally:
            self._state["game"] = NO_GAME
        ships = np.arange(self._table.rules.ships)
        won = (self._rows["winners"][:, None].astype(np.int64) >> ships & 1).astype(float)
        return won / won.sum(axis=1, keepdims=True)


class _TracedOnward(Tracer):
    """Plays on from a position with the trace on."""

    def __init__(self, table, positions):
        super().__init__(table)
        self._positions = positions

    def trace_from(self, task):
        """The result row and the events from the decision on."""
        index, card = task
        rows = np.zeros(1, RESULT_DTYPE)
        self._state["trace_length"] = 0
        try:
            if trace_on(self._state, self._table.rulebook, self._positions, index, OWN_LUCK, 0, card, rows) < 1:
                self._state["error"] = 0
                raise self.fault("gave an answer that is not one of the legal options")
        finally:
            self._state["game"] = NO_GAME
        length = int(self._state["trace_length"][0])
        return rows[0], [read_event(row) for row in self._state["trace"][0, :length].tolist()]
