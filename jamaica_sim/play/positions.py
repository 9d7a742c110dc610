"""Positions of a game, and what may become of them: win chances by playing on with new luck, and what-if.

    table = seat_table(players=4, strategies=["champion"], seed=1)
    chances(table, game=3, round=5)             # after round 5, each ship's chance to win
    positions = record_game(table, game=3)      # between all rounds and before all decisions of the game
    what_if(table, positions[40])               # the chances after each answer that the player could give

What lies in hands, decks and face down stays as it is; dice, shuffles, combat and what strategies draw is new luck, the
same for all answers, so that their differences have smaller errors than they themselves.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from jamaica_sim.codes import DECISIONS
from jamaica_sim.engine.play_on import play_on
from jamaica_sim.engine.state import NONE, POSITION_BYTES, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import StrategyFault, new_state, play

FIRST_ROOM = 1024  # positions, before the length of the game is known
GAMES = 1000


@dataclass(frozen=True)
class Position:
    """A moment of a game: before a decision, or between two rounds, when nobody is asked."""

    game: int
    round: int  # in progress; between two rounds the one that has ended, 0 before the first
    decision: str | None = None
    player: int | None = None  # who is asked
    options: tuple[int, ...] = ()  # the legal answers
    answer: int | None = None  # what the player answered
    record: np.ndarray = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Chances:
    """Each ship's chance to win and its points, from so many games played on; a shared win counts in part."""

    games: int
    wins: np.ndarray
    errors: np.ndarray  # standard errors
    points: np.ndarray
    shares: np.ndarray = field(repr=False)  # of the win, by game and ship

    def gain_over(self, other: "Chances", ship: int) -> tuple[float, float]:
        """How much higher a ship's chance is than in other games on the same luck, and its standard error."""
        differences = self.shares[:, ship] - other.shares[:, ship]
        return float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(differences.size))


def record_game(table: GameTable, game: int) -> list[Position]:
    """All positions of one of the table's games, in order."""
    room = FIRST_ROOM
    while True:
        state = new_state(table.strategies, table.rules, traced=True, luck=table.luck)
        records = np.zeros((room, POSITION_BYTES), np.uint8)
        state["capture"], state["capture_room"], state["capture_bytes"] = records.ctypes.data, room, POSITION_BYTES
        play(state, table.rulebook, table.strategies, table.seed, game, np.zeros(1, RESULT_DTYPE))
        taken = int(state["captured"][0])
        if taken < room:
            return [_position(records[index].copy(), game) for index in range(taken)]
        room *= 4


def _position(record, game):
    def number(name):
        offset = STATE_DTYPE.fields[name][1]
        return int(record[offset : offset + 8].view(np.int64)[0])

    if number("decision") == NONE:
        return Position(game, number("round"), record=record)
    legal = number("legal")
    options = tuple(option for option in range(legal.bit_length()) if legal >> option & 1)
    decision = DECISIONS[number("decision")]
    return Position(game, number("round"), decision, number("me"), options, number("answer"), record)


def play_from(
    table: GameTable, position: Position, answer: int | None = None, games: int = GAMES, seed: int = 0
) -> Chances:
    """Play a position on with new luck; the answer is forced, or else the player who is asked gives it each time."""
    if games < 2:
        raise ValueError(f"at least 2 games must be played on, not {games}.")
    if answer is not None and answer not in position.options:
        raise ValueError(
            f"{answer} is not one of the legal answers {', '.join(map(str, position.options)) or '(none)'}."
        )
    state, rows = new_state(table.strategies, table.rules), np.zeros(games, RESULT_DTYPE)
    forced = NONE if answer is None else np.int64(answer)
    played = play_on(state, table.rulebook, position.record[None], 0, seed, 0, forced, rows)
    if played < games:
        seat, decision, given = (int(state[f"error_{name}"][0]) for name in ("player", "decision", "answer"))
        what = f"answered {given}, which is not one of the legal options,"
        raise StrategyFault(table.strategies[seat], DECISIONS[decision], position.game, what)
    ships = table.rules.ships
    wins = rows["winners"][:, None] >> np.arange(ships) & 1
    shares = wins / wins.sum(1, keepdims=True)
    errors = shares.std(0, ddof=1) / np.sqrt(games)
    return Chances(games, shares.mean(0), errors, rows["score"][:, :ships].mean(0), shares)


def chances(table: GameTable, game: int, round: int, games: int = GAMES, seed: int = 0) -> Chances:
    """Each ship's chance to win after a round of a game; round 0 is the start."""
    ends = {position.round: position for position in record_game(table, game) if position.decision is None}
    if round not in ends:
        raise ValueError(f"game {game} has no position after round {round}: it goes on after rounds 0 to {max(ends)}.")
    return play_from(table, ends[round], games=games, seed=seed)


def what_if(
    table: GameTable, position: Position, answers: Iterable[int] | None = None, games: int = GAMES, seed: int = 0
) -> dict[int, Chances]:
    """The chances after each of some answers to the decision of a position, all legal ones if none are given."""
    if position.decision is None:
        raise ValueError("nobody is asked between two rounds: take a position before a decision.")
    answers = position.options if answers is None else answers
    return {answer: play_from(table, position, answer, games, seed) for answer in answers}
