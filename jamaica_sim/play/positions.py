"""The positions of a game, chances to win from each, and the game played on from one of them.

    positions = GamePositions(seat_table(players=4, strategies="champion"), game=3)
    positions.chances([Onward(position) for position in positions.between_rounds()], games=1000)
    choice = positions.decisions("choose_card")[5]
    positions.chances([Onward(choice, card, as_known=True) for card in choice.options], games=1000)

There are two kinds of chances. A spectator's: hands, decks and face-down cards stay as they are, and only the luck to
come is new. A player's (`as_known`): what this player cannot know is dealt anew as well. All options are played on with
the same luck, so their differences have smaller errors than the chances themselves.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.machine.bits import members_of
from jamaica_sim.engine.play_on import trace_on
from jamaica_sim.engine.state import NONE, POSITION_BYTES, POSITION_DTYPE, RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.limits import MOST_GAMES, check_game_number, is_int_between
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.play.chunks import Tracer, default_threads, in_order
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.play.state_record import NO_GAME, fault_in, field_in

ROOM = 40_000  # positions of a game
OWN_LUCK = -1  # as the seed for playing on: keep the game's own luck
FEWEST_GAMES = 2
NO_RECORD = np.zeros(0, np.uint8)
NOBODY = -1  # as a player, ship or answer


@dataclass(frozen=True)
class Position:
    """A moment of a game: before a decision, or between two rounds, when nobody is asked."""

    round: int  # the next round if nobody is asked
    decision: str = ""
    player: int = NOBODY  # who is asked
    ship: int = NOBODY  # for which ship: the player's own, or the ghost
    options: tuple[int, ...] = ()  # the legal answers
    answer: int = NOBODY  # what the player answered
    event: int = 0  # how many events of the trace come before it
    index: int = field(default=0, compare=False)
    record: np.ndarray = field(
        default_factory=lambda: NO_RECORD, repr=False, compare=False
    )  # the engine's state record

    def read(self, name: str) -> np.ndarray:
        """A field of the engine's record."""
        dtype, offset = field_in(STATE_DTYPE, name)
        return self.record[offset : offset + dtype.itemsize].view(dtype.base).reshape(dtype.shape)


@dataclass(frozen=True)
class Chances:
    """Each ship's chance to win, from games played on; a shared victory counts in parts."""

    shares: np.ndarray  # of the victory, one row for each game, one column for each ship
    columns: dict[str, np.ndarray] = field(default_factory=dict)  # of the result rows, those that were asked for

    @property
    def games(self) -> int:
        """How many games were played on."""
        return len(self.shares)

    @property
    def wins(self) -> np.ndarray:
        """Each ship's chance."""
        return self.shares.mean(axis=0)

    @property
    def errors(self) -> np.ndarray:
        """The standard errors of the chances."""
        return self.shares.std(axis=0, ddof=1) / np.sqrt(self.games)

    def of(self, ship: int) -> float:
        """A ship's chance."""
        return float(self.shares[:, ship].mean())

    def gain_over(self, other: "Chances", ship: int) -> tuple[float, float]:
        """How much better a ship's chance is than in other games on the same luck, and its standard error.

        Where one has more games than the other, those that both have are compared.
        """
        games = min(self.games, other.games)
        difference = self.shares[:games, ship] - other.shares[:games, ship]
        return float(difference.mean()), float(difference.std(ddof=1) / np.sqrt(games))


@dataclass(frozen=True)
class Onward:
    """One way to play on from a position: with which answer, with whose knowledge, and when new luck begins."""

    position: Position
    answer: int | None = None  # None: the player is asked, each time
    as_known: bool = False  # deal anew what the player who is asked cannot know
    renew_at: int = 0  # the draw of the game from which on luck is new; 0: new at once


class GamePositions:
    """The positions of one game at a table, and how it goes on from them."""

    def __init__(self, table: GameTable, game: int, capturer: "Capturer | None" = None):
        """`capturer` plays the game, if others than the table's strategies have played it."""
        check_game_number(game)
        self.table, self._game = table, game
        capturer = capturer or Capturer(table)
        for _ in in_order(lambda: capturer, lambda worker, number: worker.trace(number), [game], 1):
            pass
        self._records = capturer.records[: capturer.captured].copy()
        self._drawn_by = capturer.drawn_by()
        self.all = [_position(record, index) for index, record in enumerate(self._records)]

    def between_rounds(self) -> list[Position]:
        """The positions before each round, in their order."""
        return [position for position in self.all if not position.decision]

    def decisions(self, decision: str | None = None) -> list[Position]:
        """The positions in which a player had several legal answers, in order; all, or those of one decision point."""
        return [position for position in self.all if position.decision and decision in (None, position.decision)]

    def after(self, position: Position, event: int) -> Onward:
        """Play on from a position between two rounds: the game's own luck up to an event of its trace, then new."""
        return Onward(position, renew_at=int(self._drawn_by[event]))

    def chances(
        self,
        tasks: Iterable[Onward],
        games: int,
        progress: Callable[[int], object] | None = None,
        *,
        first: int = 0,
        columns: tuple[str, ...] = (),
    ) -> list[Chances]:
        """The chances of each way to play on, from so many games each, all with the same luck.

        `first` is the number of the first game: others have other luck. `columns` of the result rows are kept.
        """
        if not is_int_between(games, FEWEST_GAMES, MOST_GAMES):
            raise UserError(f"a whole number of games must be played on, at least {FEWEST_GAMES}, not {games!r}.")
        tasks = list(tasks)
        for task in tasks:
            _check(task)
        seed = (self.table.seed * 1_000_003 + self._game) % 2**62

        def worker() -> _Onward:
            return _Onward(self.table, self._records, seed, games, first)

        found = []
        for chances in in_order(worker, lambda onward, task: onward.chances(task, columns), tasks, default_threads()):
            found.append(chances)
            if progress:
                progress(len(found) * games)
        return found

    def thought(self, position: Position) -> int:
        """What the strategy that plays on for the asked player would answer itself, by its view alone."""
        strategy, rules = self.table.strategies[position.player], self.table.rules
        address = int(strategy.addresses()[DECISIONS.index(position.decision)])
        view, answers = position.record[: VIEW_DTYPE.itemsize].view(VIEW_DTYPE).copy(), np.zeros(1, np.int64)
        view["plan"] = 0  # another strategy's: the Captain may have placed the dice for another card
        weights = strategy.record_for(rules).ctypes.data
        answer_again(view, np.zeros(1, STATE_DTYPE), self.table.rulebook, weights, address, answers)
        return int(answers[0])

    def retold(self, position: Position, card: int) -> tuple[np.void, list[dict[str, Any]]]:
        """The result row, and the events after the choice, if another card is chosen and the luck stays the same."""
        task = Onward(position, card)
        _check(task)
        tracer = _Onward(self.table, self._records, OWN_LUCK, 1)
        (told,) = in_order(lambda: tracer, _Onward.told, [task], 1)
        return told


def _check(task: Onward) -> None:
    position, answer = task.position, task.answer
    if answer is not None and answer not in position.options:
        legal = ", ".join(map(str, position.options)) or "(none)"
        raise UserError(f"{answer} is not one of the legal answers {legal}.")
    if task.as_known and not position.decision:
        raise UserError("nobody is asked between two rounds: take a position before a decision.")


def _position(record: np.ndarray, index: int) -> Position:
    position = Position(0, record=record)
    decision, number, noted = (int(position.read(name)) for name in ("decision", "round", "noted"))
    if decision == NONE:
        return Position(number + 1, event=noted, index=index, record=record)
    player, ship, legal, answer = (int(position.read(name)) for name in ("me", "ship", "legal", "answer"))
    return Position(number, DECISIONS[decision], player, ship, tuple(members_of(legal)), answer, noted, index, record)


class Capturer(Tracer):
    """Plays a game with the trace on and keeps its positions."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table)
        self.records = np.zeros((ROOM, POSITION_BYTES), np.uint8)

    def trace(self, game: int) -> None:
        """Play one game; see `Tracer.trace`. Its positions are valid until the next game."""
        self.capture(self.records)
        self.state["renew_at"] = 0
        super().trace(game)

    def field(self, name: str) -> np.ndarray:
        """A field of the engine's record, in all positions."""
        dtype, offset = field_in(STATE_DTYPE, name)
        values = np.ascontiguousarray(self.records[: self.captured, offset : offset + dtype.itemsize])
        return values.view(dtype.base).reshape(self.captured, *dtype.shape)

    def drawn_by(self) -> np.ndarray:
        """How often luck had been drawn when each event was noted."""
        return self.state["drawn_by"][0, : int(self.state["trace_length"][0])].copy()


class _Onward(Tracer):
    """Plays on from positions."""

    def __init__(self, table: GameTable, records: np.ndarray, seed: int, games: int, first: int = 0) -> None:
        super().__init__(table)
        self._records, self._seed, self._first = records, seed, np.int64(first)
        self._rows = np.zeros(games, RESULT_DTYPE)

    def chances(self, task: Onward, columns: tuple[str, ...] = ()) -> Chances:
        """Each ship's share of the victory in each game, and some columns of the result rows."""
        self._play_on(task)
        won = self._rows["winners"][:, None].astype(np.int64) >> np.arange(self._table.rules.ships) & 1
        return Chances(won / won.sum(axis=1, keepdims=True), {name: self._rows[name].copy() for name in columns})

    def told(self, task: Onward) -> tuple[np.void, list[dict[str, Any]]]:
        """The result row and the events of one game."""
        self._play_on(task)
        return self._rows[0], self.events()

    def _play_on(self, task: Onward) -> None:
        answer = NONE if task.answer is None else np.int64(task.answer)
        state, house = self.state, self._table.rules.house_rules
        state["is_blind"], state["renew_at"], state["trace_length"] = task.as_known, task.renew_at, 0
        try:
            played = trace_on(
                state,
                self._table.rulebook,
                self._records,
                task.position.index,
                self._seed,
                self._first,
                answer,
                self._rows,
            )
        except Exception as error:  # numba passes on whatever a strategy raised
            raise fault_in(state[0], self._table.strategies, error, None, house) from error
        finally:
            self.state["game"] = NO_GAME
        if played < self._rows.size:
            raise fault_in(state[0], self._table.strategies, None, None, house)


class Foresight(_Onward):
    """Plays on for some rounds only, to see how things stand then."""

    def __init__(self, table: GameTable) -> None:
        super().__init__(table, np.zeros((1, POSITION_BYTES), np.uint8), table.seed, 1)
        self.table = table

    def ends(self, choice: np.ndarray, games: int, rounds: int) -> tuple[Position, list[np.ndarray]]:
        """The choice in a record, given as bytes, and the positions `rounds` after its round, for each answer.

        What the player cannot know is dealt anew in each of the games. A game may be over before.
        """
        self._records[0] = choice
        position = _position(self._records[0], 0)
        book = self.table.rulebook.copy()  # a game ends with the round that is its last
        book["round_cap"] = np.minimum(book["round_cap"], position.round + rounds)
        self._table = replace(self.table, rulebook=book)
        self._seed = (self.table.seed * 1_000_003 + int(position.read("game"))) % 2**62
        head = self.state.view(np.uint8)[:POSITION_BYTES]
        found = np.zeros((len(position.options), games, POSITION_BYTES), np.uint8)
        for ends, answer in zip(found, position.options, strict=True):
            for game in range(games):
                self._first = np.int64(game)
                self._play_on(Onward(position, answer, as_known=True))
                ends[game] = head
        return position, [ends.view(POSITION_DTYPE)[:, 0] for ends in found]
