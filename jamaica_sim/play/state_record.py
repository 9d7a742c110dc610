"""Seats strategies in a state record, plays games in it, and says whose fault it is when one goes wrong."""

from collections.abc import Iterable, Mapping, Sequence
from mmap import mmap
from typing import Any

import numpy as np

from jamaica_sim.engine.game import play_chunk, trace_chunk
from jamaica_sim.engine.house_rules import REFUSED
from jamaica_sim.engine.state import STATE_DTYPE, TRACED_STATE_DTYPE
from jamaica_sim.files.escape import raised
from jamaica_sim.files.limits import LUCK_SOURCES
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.house_file import FUNCTIONS, HouseRules, what_it_returns
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.commands import replay_command
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.player import what_went_wrong
from jamaica_sim.strategy.strategy import Strategy

GLANCES = 1000  # at a game that stands still, to see whether house rules are at work
NO_GAME = -1  # the field `game` of a state record while no game is played


def field_in(dtype: "np.dtype[np.void]", name: str) -> tuple["np.dtype[Any]", int]:
    """The type of a field of a record, and where it begins."""
    assert dtype.fields is not None
    return dtype.fields[name][:2]


class StrategyFault(Exception):
    """A strategy gave an illegal answer, raised or never answered: which one, where, and in which game, if any."""

    def __init__(
        self,
        strategy: Strategy,
        decision: str,
        game: int | None,
        what: str,
        seat: int | None = None,
        round_number: int | None = None,
    ) -> None:
        self.strategy, self.decision, self.game = strategy, decision, game
        self.hint = ""
        self.where: tuple[Any, ...] = ()  # what else identifies the table, such as a comparison's seating
        where = f" ({strategy.path})" if strategy.path else ""
        when = "" if game is None else f" in game {game}"
        if round_number is not None:
            when += f", round {round_number}, seat {seat}"
        super().__init__(f"the strategy {strategy.name}{where} {what} at {decision}{when}")

    def __str__(self) -> str:
        return super().__str__() + self.hint

    def show_with(
        self, rules: Rules, strategies: Sequence[Strategy], seed: int, luck: Mapping[str, int] | None = None
    ) -> None:
        """Add the command that shows the game, played at a table with these rules and strategies."""
        self.show_stepwise()
        if any(strategy.kind == "plain" and strategy.path is None for strategy in strategies):
            return  # no command can name a function
        self.hint += f"; see it with: {replay_command(rules, strategies, seed, self.game, luck)}"

    def show_stepwise(self) -> None:
        """Say only how to step through the decisions of a file of code, for users who see the game already."""
        self.hint = " (debug_decisions goes through it in Python)" if self.strategy.kind == "code" else ""


class HouseRulesFault(StrategyFault):
    """The file of house rules raised, returned what makes no sense or never ended: in which function and game."""

    def __init__(self, house: HouseRules | None, what: str, game: int | None, round_number: int) -> None:
        self.game, self.hint, self.where = game, "", ()
        which = "a game played on" if game is None else f"game {game}"
        named = f" {house}" if house else ""
        Exception.__init__(self, f"the house rules{named} {what}, in {which}, round {round_number}")

    def show_stepwise(self) -> None:
        """There is nothing to step through."""
        self.hint = ""


def check_house_rules(rulebook: np.ndarray) -> None:
    """Make sure that house rules are in force where a rulebook has them, and not left out in silence."""
    assert rulebook["engine"][0, 0] != 0 or rulebook["printed"][0] == 0, "the house rules are not compiled yet"


def new_state(
    strategies: Sequence[Strategy], rules: Rules, traced: bool = False, luck: Mapping[str, int] | None = None
) -> np.ndarray:
    """A state record for one worker; the strategies must outlive it. `luck`: seeds of sources that have their own."""
    state = np.zeros(1, STATE_DTYPE)
    if traced:  # pages of its own go back to the system with it; each thread's heap would keep its 14 MB
        state = np.frombuffer(mmap(-1, TRACED_STATE_DTYPE.itemsize), TRACED_STATE_DTYPE)
    state["game"] = NO_GAME
    Seats(strategies, rules).take(state, range(len(strategies)))
    set_luck(state, luck or {})
    return state


def set_luck(state: np.ndarray, luck: Mapping[str, int]) -> None:
    """Draw these sources of luck from seeds of their own, all others from the seed of the games."""
    state["other_luck"] = sum(1 << LUCK_SOURCES.index(source) for source in luck)
    for source, seed in luck.items():
        state["other_seed"][0, LUCK_SOURCES.index(source)] = seed


class Seats:
    """Addresses and weights of some strategies, to write into a state record; the strategies must outlive it."""

    def __init__(self, strategies: Sequence[Strategy], rules: Rules) -> None:
        self.strategies = strategies
        self._addresses = np.array([strategy.addresses() for strategy in strategies])
        self._weights = np.array([strategy.record_for(rules).ctypes.data for strategy in strategies])
        self._reads_words = np.array([not (strategy.is_code or strategy.is_outside) for strategy in strategies])

    def take(self, state: np.ndarray, seating: Iterable[int]) -> None:
        """Let strategy number `seating[seat]` play each seat."""
        seating = list(seating)
        players = len(seating)
        state["strategy"][0, :, :players] = self._addresses[seating].T
        state["weights"][0, :players] = self._weights[seating]
        state["reads_words"][0, :players] = self._reads_words[seating]


def play(
    state: np.ndarray,
    rulebook: np.ndarray,
    strategies: Sequence[Strategy],
    seed: int,
    first_game: int,
    rows: np.ndarray,
    house: HouseRules | None = None,
) -> int:
    """Play a game for each row, with a trace until it is full; raises StrategyFault where a strategy misbehaves.

    `house` is whom to name where house rules do.
    """
    play_games = play_chunk if state.dtype == STATE_DTYPE else trace_chunk
    check_house_rules(rulebook)
    try:
        played = play_games(state, rulebook, seed, first_game, rows)
    except Exception as error:  # numba passes on whatever a strategy raised
        raise fault_in(state[0], strategies, error, int(state["game"][0]), house) from error
    else:
        if state["error"][0]:
            raise fault_in(state[0], strategies, None, first_game + played, house)
        return int(played)
    finally:
        state["game"] = NO_GAME


def fault_in(
    record: Any,
    strategies: Sequence[Strategy],
    error: Exception | None,
    game: int | None,
    house: HouseRules | None = None,
) -> StrategyFault:
    """What ended a game early: house rules or a strategy that raised, or an illegal answer if there is no error.

    The game is None where it is played on from a position: no command can show such a game.
    """
    kind, record["error"] = int(record["error"]), 0
    if record["in_moment"]:
        moment, record["in_moment"] = FUNCTIONS[record["in_moment"] - 1], 0
        what = raised(error) if error else "raised an exception"
        what = f"{what} in {moment}"
        if kind == REFUSED:
            what = f"returned {int(record['error_answer'])} in {moment} ({what_it_returns(moment)})"
        return HouseRulesFault(house, what, game, int(record["round"]))
    if error is None:
        seat, decision = int(record["error_player"]), int(record["error_decision"])
        what = f"answered {int(record['error_answer'])}, which is not one of the legal options,"
    else:
        seat, decision = int(record["me"]), int(record["decision"])
        what = what_went_wrong(strategies[seat], error)
        if house and strategies[seat].kind == "search":  # which itself never raises
            what = f"{what} in a game that the strategy {strategies[seat].name} played on"
            return HouseRulesFault(house, what, game, int(record["round"]))
    if game is None:
        return StrategyFault(strategies[seat], DECISIONS[decision], None, f"{what} in a game played on")
    return StrategyFault(strategies[seat], DECISIONS[decision], game, what, seat, int(record["round"]))


class GamePlayer:
    """Plays games in a state record of its own, for one thread, and can be watched there (see `chunks`).

    `rules`, `seated`, `seed` and `luck` are those of the games that it plays now; `sit` and `take_luck` change them
    between games.
    """

    def __init__(
        self,
        rules: Rules,
        strategies: Sequence[Strategy],
        seed: int,
        luck: Mapping[str, int] | None = None,
        traced: bool = False,
    ) -> None:
        self.rules, self.seated, self.seed, self.luck = rules, strategies, seed, luck or {}
        self.state = new_state(strategies, rules, traced, luck)

    def sit(self, pool: Seats, seating: Sequence[int]) -> None:
        """Let strategy number `seating[seat]` of a pool play each seat."""
        pool.take(self.state, seating)
        self.seated = [pool.strategies[number] for number in seating]

    def take_luck(self, luck: Mapping[str, int]) -> None:
        """Draw these sources of luck from seeds of their own, all others from the seed of the games."""
        self.luck = luck
        set_luck(self.state, luck)

    def capture(self, records: np.ndarray) -> None:
        """Keep what the engine is asked from here on, as far as there is room: positions or views, by their size."""
        state, size = self.state, records.nbytes // len(records)
        state["capture"], state["capture_bytes"] = records.ctypes.data, size
        state["captured"], state["capture_room"] = 0, len(records)

    @property
    def captured(self) -> int:
        """How many of them are kept."""
        return int(self.state["captured"][0])

    def play_rows(self, rulebook: np.ndarray, first_game: int, rows: np.ndarray) -> int:
        """Play a game for each row, see `play`; a StrategyFault says how to see its game."""
        in_force(rulebook, self.rules, traced=self.state.dtype == TRACED_STATE_DTYPE)
        try:
            return play(self.state, rulebook, self.seated, self.seed, first_game, rows, self.rules.house_rules)
        except StrategyFault as fault:
            self.explain(fault)
            raise

    def explain(self, fault: StrategyFault) -> None:
        """Add to a fault how to see its game."""
        fault.show_with(self.rules, self.seated, self.seed, self.luck)

    def asked(self) -> tuple[int, ...] | None:
        """How far the game has come: it changes with every decision. None while no game is played."""
        state = self.state[0]
        return (int(state["game"]), *state["luck_place"].tolist()) if state["game"] != NO_GAME else None

    def fault(self, what: str) -> StrategyFault:
        """A fault of the strategy that was asked last, or of the house rules whose function is being played."""
        state, house = self.state[0], self.rules.house_rules
        if house and (moment := self._moment()):
            where = f"are stuck in {FUNCTIONS[moment - 1]}, which {what}"
            return HouseRulesFault(house, where, int(state["game"]), int(state["round"]))
        strategy, decision = self.seated[int(state["me"])], DECISIONS[int(state["decision"])]
        fault = StrategyFault(strategy, decision, int(state["game"]), what)
        self.explain(fault)
        if house and strategy.kind == "search":  # it plays games on in a record of its own
            fault.hint = f", unless it is the house rules {house}, by which it plays on{fault.hint}"
        return fault

    def _moment(self) -> int:
        """1 + the moment of house rules that is being played, 0 if there is none. A loop may be just between two."""
        glances = (int(self.state["in_moment"][0]) for _ in range(GLANCES))
        return next(filter(None, glances), 0)
