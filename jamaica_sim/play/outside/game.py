"""One game, question by question: the seats that nobody plays are asked from outside.

    game = Game(players=4, strategies=["champion", None, "balanced", None], seed=3)
    while (asked := game.question) is not None:
        game.answer(asked.options[0])

Answered by a strategy's own answers it is, bit for bit, the game that the strategy plays in a run.
"""

import os
from dataclasses import replace
from typing import Any

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.step import BEGIN, SCRIPT_DTYPE
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import shown
from jamaica_sim.files.limits import check_game_number
from jamaica_sim.game.rules import Rules
from jamaica_sim.play import compile_ahead
from jamaica_sim.play.chunks import Tracer
from jamaica_sim.play.game_table import GameTable, seat_table
from jamaica_sim.play.outside import game_file
from jamaica_sim.play.positions import Capturer, GamePositions
from jamaica_sim.play.public import events_for
from jamaica_sim.play.state_record import StrategyFault, new_state
from jamaica_sim.play.steps import Rows, Steps
from jamaica_sim.play.trace import Result, Setup, Trace, result_of, trace_game
from jamaica_sim.strategy.compile import OUTSIDE_SEAT
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.library import AnyStrategy, load_strategy
from jamaica_sim.strategy.player import Seats, outside_strategy, with_outside
from jamaica_sim.strategy.question import Question

STAND_IN = "master"  # plays on: the strongest strategy that plays thousands of games a second


class Scripts:
    """The answers of all seats of a game, seat by seat.

    A script sits between the engine and a strategy (`engine/step.py`): it writes the answers down, and gives them again
    when the game is played once more. Random play needs no script: its answers come from the seed.
    """

    def __init__(self, table: GameTable):
        self._table = table
        seats = [seat for seat, strategy in enumerate(table.strategies) if strategy.kind != "built in"]
        self.records = {seat: np.zeros(1, SCRIPT_DTYPE) for seat in seats}

    def seat(self, state: np.ndarray, alone: bool = False) -> None:
        """Put the scripts in front of the strategies of a state record; `alone`, no strategy is behind them."""
        for seat, record in self.records.items():
            is_silent = alone or self._table.strategies[seat].is_outside
            record["functions"] = 0 if is_silent else state["strategy"][0, :, seat]
            record["weights"] = state["weights"][0, seat]
            state["strategy"][0, :, seat] = OUTSIDE_SEAT.address
            state["weights"][0, seat] = record.ctypes.data

    def add(self, seat: int, answer: int) -> None:
        """Write down an answer from outside, which is given to the game at the same time."""
        record = self.records[seat][0]
        length = int(record["length"])
        record["answers"][length] = answer
        record["length"] = record["given"] = length + 1

    def rewind(self, player: int) -> None:
        """Give all answers again, from the first, but the last one of a player."""
        self.records[player]["length"] -= 1
        for record in self.records.values():
            record["given"] = 0

    def cut(self) -> None:
        """Forget the answers that the game has not come to."""
        for record in self.records.values():
            record["length"] = record["given"]

    def all_given(self) -> bool:
        """Whether the game has come to the end of all scripts."""
        return all(record["given"] == record["length"] for record in self.records.values())

    def copy(self) -> "Scripts":
        """A copy that begins again with the first answer; it is not seated anywhere."""
        other = Scripts(self._table)
        for seat, answers in self.answers().items():
            other.fill(seat, answers)
        return other

    def fill(self, seat: int, answers: list[int]) -> None:
        """Set the answers of a seat."""
        record = self.records[seat][0]
        record["answers"][: len(answers)] = answers
        record["length"] = len(answers)

    def answers(self) -> dict[int, list[int]]:
        """The answers of each seat that has a script."""
        return {
            seat: record["answers"][0, : int(record["length"][0])].tolist() for seat, record in self.records.items()
        }


class ScriptTracer(Tracer):
    """Plays a game again from its answers alone, as far as they go."""

    def __init__(self, table: GameTable, scripts: Scripts):
        self._scripts = scripts.copy()
        super().__init__(table)
        self._scripts.seat(self.state, alone=True)

    def trace(self, game: int) -> Any:
        """Play the game up to the end of its script."""
        try:
            super().trace(game)
        except StrategyFault:
            if not self._scripts.all_given():
                raise


class ScriptCapturer(ScriptTracer, Capturer):
    """Keeps the positions of a game that is played again from its answers."""


class Game:
    """A game that stops and asks wherever a seat outside has to decide.

    Parameters
    ----------
    strategies : list, optional
        Who plays, by seat; None is a seat outside. Left out, all seats are outside.
    seed, number : int
        The luck: it is that of game `number` of a run with this seed.
    rules : Rules, optional
        The rules; or name what differs, such as `players=3, edition="2021"`.

    Examples
    --------
    >>> from jamaica_sim import Game
    >>> game = Game(players=3, strategies=[None, "balanced", "racer"], seed=3)
    >>> game.question.decision
    'choose_card'
    >>> while (asked := game.question) is not None:
    ...     game.answer(asked.options[0])
    >>> len(game.result["scores"])
    3
    """

    def __init__(
        self,
        *,
        strategies: Seats = None,
        seed: int = 1,
        number: int = 0,
        rules: Rules | None = None,
        luck: dict[str, int] | None = None,
        **rule_changes: Any,
    ):
        self._sit_down(seat_table(rules, with_outside(strategies), seed, luck, **rule_changes), number)
        self._go_on()

    def _sit_down(self, table: GameTable, number: int, scripts: Scripts | None = None) -> None:
        check_game_number(number)
        compile_ahead.compile_missing(table.strategies, compile_ahead.OUTSIDE)
        self.table, self.number = table, number
        self.notes: list[tuple[int, str]] = []  # what somebody noted, each with the number of answers before it
        self._given: list[tuple[int, int]] = []  # answers from outside, each with its player
        self._scripts = scripts or Scripts(table)
        self._rows, state = Rows(1), new_state(table.strategies, table.rules, luck=table.luck)
        self._scripts.seat(state)
        outside = sum(1 << seat for seat, strategy in enumerate(table.strategies) if strategy.is_outside)
        self._steps = Steps(state, in_force(table.rulebook, table.rules), table.seed, outside, self._rows)
        self._rows.talks["game"] = number
        self._question: Question | None = None

    def _go_on(self, answer: int | np.int64 = BEGIN) -> None:
        """Give the game an answer, or begin it, and play until somebody outside is asked."""
        self._rows.talks["answer"] = answer
        ended = self._steps.step()
        self._question = Question(self._rows.views[0].tobytes(), self.table.rules) if ended == 0 else None
        if ended < 0:
            raise self._steps.fault(self.table.strategies, self.table.rules.house_rules)

    @property
    def question(self) -> Question | None:
        """Who is asked what; None when the game is over."""
        return self._question

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._question is None

    def answer(self, answer: int) -> None:
        """Answer the question; a wrong answer is refused and the question stays."""
        asked = self._question
        if asked is None:
            raise UserError("the game is over: nobody is asked any more.")
        number = asked.checked(answer)
        self._given.append((asked.player, number))
        self._scripts.add(asked.player, number)
        try:
            self._go_on(number)
        except StrategyFault:  # the game cannot go on from this answer: it asks again
            self._undo()
            raise

    @property
    def answers(self) -> list[tuple[int, int]]:
        """The answers from outside so far: player and answer."""
        return list(self._given)

    @property
    def row(self) -> np.void | None:
        """The result row of a game that is over, as a run's table of games has it; None before."""
        if not self.is_over:
            return None
        row = np.zeros(1, RESULT_DTYPE)
        row[:] = self._rows.positions[list(RESULT_DTYPE.names or ())]
        ended: np.void = row[0]
        return ended

    @property
    def result(self) -> Result | None:
        """Rounds, scores, winners and positions at the end; None before."""
        return None if self.row is None else result_of(self.row, self.table.rules.ships)

    @property
    def events(self) -> list[dict[str, Any]]:
        """All events so far, as in a trace. It tells what is hidden: `events_for` tells what a player may know."""
        tracer = ScriptTracer(self.table, self._scripts)
        tracer.trace(self.number)
        return tracer.events()

    def events_for(self, player: int) -> list[dict[str, Any]]:
        """The events so far as far as a player may know them."""
        return events_for(self.events, player, self.table.rules)

    def trace(self) -> Trace:
        """The game as a trace, which `replay_story` and `replay_page` show; its result is None before the end."""
        trace, asked = trace_game(self.table, self.number, ScriptTracer(self.table, self._scripts)), self._question
        return trace if asked is None else {**trace, "setup": _set_up(trace["setup"], asked), "result": None}

    def positions(self, by: AnyStrategy = STAND_IN, everywhere: bool = False) -> GamePositions:
        """The positions so far, the last of which is the question; games are played on by a strategy in all seats.

        `by` sits down for seats outside. The engine's strategies keep their seats, unless it plays on `everywhere`.
        """
        stand_in = load_strategy(by)
        seats = [stand_in if everywhere or seated.is_outside else seated for seated in self.table.strategies]
        table = GameTable.seat(self.table.rules, seats, self.table.seed, self.table.luck)
        return GamePositions(table, self.number, ScriptCapturer(self.table, self._scripts))

    def note(self, what: str) -> None:
        """Note something in the game's file, at this moment of the game; a file has room for so many notes only."""
        if not game_file.is_note(what):
            most = f"{game_file.LONGEST_NOTE:,}"
            raise UserError(f"a note is a text of at most {most} characters that can be printed, not {shown(what)}.")
        if len(self.notes) < game_file.MOST_NOTES:
            self.notes.append((len(self._given), what))

    def take_back(self) -> None:
        """Take the last answer from outside back, and all that followed it; the game's file notes it."""
        if not self._given:
            raise UserError("there is no answer to take back.")
        self._undo()
        self.note("taken back")

    def after(self, number: int) -> "Game":
        """A copy of the game as it was after so many answers from outside, without notes."""
        earlier = self.copy()
        while len(earlier._given) > number:
            earlier._undo()
        earlier.notes = []
        return earlier

    def _undo(self) -> None:
        """Play the game again without the last answer from outside."""
        player, _ = self._given.pop()
        self._scripts.rewind(player)
        self._go_on()
        self._scripts.cut()

    def copy(self) -> "Game":
        """The same game once more: what is answered in one does not change the other."""
        return _played_again(self.table, self.number, self._scripts.answers(), self.answers, list(self.notes))

    def __reduce__(self) -> tuple[Any, ...]:
        return _played_again, (self.table, self.number, self._scripts.answers(), self.answers, self.notes)

    def __repr__(self) -> str:
        now = "over" if self._question is None else f"asks {self._question!r}"
        return f"<Game {self.number} of {self.table.in_words()}: {len(self._given)} answers from outside, {now}>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the game to a small file, usually named `game.jamaica.json`; a file of that name is replaced whole."""
        game_file.write(path, self.table, self.number, self._scripts.answers(), self.notes)

    @classmethod
    def load(cls, path: str | os.PathLike[str], trust: bool = False) -> "Game":
        """The game in a file, where it was left. Code that came along runs only if it is trusted.

        All seats give the answers of the file again, so it is the same game even if a strategy has changed since.
        """
        saved = game_file.read(path)
        return cls._loaded(path, saved, saved.table.with_code(trust))

    @classmethod
    def watch(cls, path: str | os.PathLike[str]) -> "Game":
        """The game in a file, to look at: code that came along is not run, and its seats are outside from here on."""
        saved = game_file.read(path)
        seats = [outside_strategy(s.name).labelled(s.label) if s.not_loaded else s for s in saved.table.strategies]
        return cls._loaded(path, saved, replace(saved.table, strategies=tuple(seats)))

    @classmethod
    def _loaded(cls, path: str | os.PathLike[str], saved: game_file.SavedGame, table: GameTable) -> "Game":
        game = cls.__new__(cls)
        game._sit_down(table, saved.number)
        try:
            game._restore(saved)
        except (UserError, StrategyFault) as error:
            raise UserError(f"{path} cannot be played: {str(error).rstrip('.')}.") from error
        return game

    def _restore(self, saved: game_file.SavedGame) -> None:
        seats = self.table.strategies
        for seat in self._scripts.records:
            if seat not in saved.answers:
                raise UserError(f"it has no answers of seat {seat}, where {seats[seat].label} sits")
        for seat, answers in saved.answers.items():
            if seat in self._scripts.records and not seats[seat].is_outside:
                self._scripts.fill(seat, answers)
        told = {seat: iter(answers) for seat, answers in saved.answers.items()}
        self._go_on()
        while (asked := self._question) is not None and (answer := next(told[asked.player], None)) is not None:
            self.answer(answer)
        if self._scripts.answers() != saved.answers or not self._scripts.all_given():
            raise UserError("its answers do not fit its game")
        self.notes = saved.notes


def _played_again(
    table: GameTable,
    number: int,
    answers: dict[int, list[int]],
    given: list[tuple[int, int]],
    notes: list[tuple[int, str]],
) -> Game:
    """The game that all seats' answers lead to; no strategy is asked twice."""
    game, scripts = Game.__new__(Game), Scripts(table)
    for seat, of_seat in answers.items():
        scripts.fill(seat, of_seat)
    game._sit_down(table, number, scripts)
    game._go_on(BEGIN)
    game._given, game.notes = given, notes
    return game


def _set_up(setup: Setup, asked: Question) -> Setup:
    """The setup with hands and Captain, which a trace does not tell before the first cards are chosen."""
    view = asked.view
    sizes = [ship["hand_size"] for ship in view["ships"] if "hand_size" in ship]
    hands: list[list[Any]] = [hand or [None] * size for hand, size in zip(setup["hands"], sizes, strict=True)]
    if None in hands[asked.player]:
        hands[asked.player] = [card["card"] for card in view["hand"]]
    captain = view["captain"] if setup["captain"] is None else setup["captain"]
    return {**setup, "captain": captain, "hands": hands}
