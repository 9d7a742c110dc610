"""The situation of every ship before each round of many games, as arrays, and who made the choices in them.

Games are played with a trace, whose positions between rounds are kept. Nothing is judged here.
"""

from dataclasses import dataclass
from random import Random

import numpy as np

from jamaica_sim.engine.state import CHOICE_ROWS, NONE, POSITION_BYTES, POSITION_DTYPE, RESULT_DTYPE
from jamaica_sim.game.codes import FOOD, GOLD, GUNPOWDER
from jamaica_sim.play.chunks import Chunk, Tracer
from jamaica_sim.play.game_table import GameTable

ROOM = 8_192  # positions that are kept at a time
BATCH = 32  # games at a time
LATE = 8.0  # spaces before the finish at which it is half late
PLENTY = 4.0  # food or gunpowder that is half as good as an endless supply


@dataclass(frozen=True)
class Snapshots:
    """Some games: `facts[snapshot, ship, fact]` before each round, and the result."""

    games: np.ndarray  # of each snapshot
    facts: np.ndarray
    rows: np.ndarray  # result rows, one for each game
    waiting: np.ndarray  # for each game: choices of others between two of one's own, on average; nan where none
    choices: np.ndarray  # the position before one choice of each game that has any, drawn at random: its bytes


class RoundTracer(Tracer):
    """Plays games and keeps the positions between their rounds."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table)
        self._records = np.zeros(ROOM, POSITION_DTYPE)

    def snapshots(self, chunk: Chunk) -> list[Snapshots]:
        """The snapshots of some games; of its halves where they do not fit."""
        state = self.state
        state["trace_length"], state["choices_noted"] = 0, 0
        self.capture(self._records)
        rows = np.zeros(chunk.games, RESULT_DTYPE)
        played = self.play_rows(self._table.rulebook, chunk.first, rows)
        taken, choices = self.captured, int(state["choices_noted"][0])
        if chunk.games > 1 and (played < chunk.games or taken >= ROOM or choices >= CHOICE_ROWS):
            half = chunk.games // 2
            later = Chunk(chunk.first + half, chunk.games - half)
            return self.snapshots(Chunk(chunk.first, half)) + self.snapshots(later)
        captured = self._records[:taken]
        positions, decisions = (captured[(captured["decision"] == NONE) == none] for none in (True, False))
        asked = state["choices"][0, :choices]
        waiting = [_waiting(asked["player"][asked["game"] == game]) for game in rows["game"]]
        drawn = [_one_of(np.flatnonzero(decisions["game"] == game), int(game)) for game in rows["game"]]
        choices = decisions[[one for one in drawn if one is not None]].view(np.uint8).reshape(-1, POSITION_BYTES)
        return [Snapshots(positions["game"].copy(), facts_of(positions, self._table), rows, np.array(waiting), choices)]


def _one_of(choices: np.ndarray, game: int) -> int | None:
    """One of the choices of a game, the same each time."""
    return int(choices[Random(game).randrange(choices.size)]) if choices.size else None


def _waiting(players: np.ndarray) -> float:
    """Choices of others between two of one's own, averaged over all such pairs of a game."""
    gaps = [np.diff(np.flatnonzero(players == player)) - 1 for player in np.unique(players)]
    every = np.concatenate(gaps) if gaps else np.zeros(0)
    return float(every.mean()) if every.size else float("nan")


def facts_of(positions: np.ndarray, table: GameTable) -> np.ndarray:
    """The facts about each ship from which its chance is judged, `[snapshot, ship, fact]`."""
    book, ships, players = table.rulebook[0], table.rules.ships, table.rules.players
    who = np.arange(ships)
    to_go = 0.1 * positions["to_go"][:, :ships]
    space, lap = positions["space"][:, :ships], positions["lap"][:, :ships]
    stock = positions["stock"][:, :ships].astype(float)
    at_start = (lap < 0) | ((lap == 0) & (space == 0))
    place = np.where(at_start, table.rules.start_score, book["score"][space])
    treasures = _bits(positions["hidden"][:, :ships], len(book["treasure_value"])) @ book["treasure_value"]
    hands = _bits(positions["hands"][:, :ships], len(book["forward_symbols"]))
    points = 0.1 * (place + stock[..., GOLD] + treasures)
    late = (LATE / (LATE + 10 * to_go.min(axis=1)))[:, None]
    food, powder = stock[..., FOOD], stock[..., GUNPOWDER]
    is_ghost = np.broadcast_to(who >= players, to_go.shape).astype(float)
    turn = np.where(who < players, (who - positions["captain"][:, None]) % players, 0)
    powers = _bits(positions["powers"][:, :ships], len(book["treasure_value"])).sum(axis=-1)
    return np.stack(
        [
            to_go, to_go**2, to_go * late, to_go - _least_other(to_go), points, points * late, points * late**3,
            points - _largest_other(points), food / (food + PLENTY), late * food / (food + PLENTY),
            powder / (powder + PLENTY), 0.1 * stock[..., GOLD], hands @ book["forward_symbols"],
            late * (hands @ book["forward_symbols"]), hands @ book["load_symbols"], (1 - late) * powers,
            turn, is_ghost, is_ghost * to_go, is_ghost * late,
        ],
        axis=-1,
    )  # fmt: skip


def _bits(sets: np.ndarray, members: int) -> np.ndarray:
    return (sets[..., None] >> np.arange(members) & 1).astype(float)


def _least_other(values: np.ndarray) -> np.ndarray:
    """For each ship, the least value of the others."""
    both = np.sort(values, axis=1)[:, :2]
    return np.where(values == both[:, :1], both[:, 1:], both[:, :1])


def _largest_other(values: np.ndarray) -> np.ndarray:
    return -_least_other(-values)
