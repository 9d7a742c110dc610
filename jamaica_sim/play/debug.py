"""A strategy's decisions in one game, made by its functions as plain Python: with prints, a debugger and tracebacks."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jamaica_sim.engine.state import RESULT_DTYPE
from jamaica_sim.engine.view import View
from jamaica_sim.errors import UserError
from jamaica_sim.game.rules import Rules, rules_of
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.state_record import StrategyFault, new_state, play
from jamaica_sim.strategy.house.compile import in_force
from jamaica_sim.strategy.library import AnyStrategy, Strategies, load_strategies, load_strategy
from jamaica_sim.strategy.names import answer_name
from jamaica_sim.strategy.plain import PlainDecision, Record, ask_heuristic, has, plain_functions
from jamaica_sim.strategy.strategy import Strategy, StrategyError


@dataclass(frozen=True)
class DebuggedDecision:
    """One decision: when, what was legal, what the function answered, and what it saw."""

    round: int
    decision: str
    options: tuple[int, ...]
    answer: int
    heuristic: int  # what the heuristic with the strategy's weights would have answered
    view: View = field(repr=False)

    def __str__(self) -> str:
        """The decision in words, with the names that a strategy would use."""
        options = ", ".join(answer_name(self.decision, option) for option in self.options)
        legal = self.answer in self.options
        answer = answer_name(self.decision, self.answer) if legal else f"{self.answer}, which is not legal"
        would = (
            "" if self.answer == self.heuristic else f"; the heuristic: {answer_name(self.decision, self.heuristic)}"
        )
        return f"round {self.round}, {self.decision}: {answer} of {options}{would}"


def debug_decisions(
    strategy: AnyStrategy,
    game: int = 0,
    *,
    against: Strategies = "balanced",
    seat: int = 0,
    rules: Rules | None = None,
    seed: int = 1,
    decision: str | None = None,
    **rule_changes: Any,
) -> list[DebuggedDecision]:
    """Play one game in which a code strategy's functions run as plain Python, and give its decisions.

    The functions are not compiled: `print` and `breakpoint()` work in them, and a mistake ends in an ordinary
    traceback. It is the game that `replay` shows for the same table.

    Parameters
    ----------
    strategy : file, name or Strategy
        A strategy of code.
    game : int
        Which game of the seed.
    against : strategies
        Who sits in the other seats, in turn; the same file there runs as plain Python too, for its tracebacks.
    seat : int
        Where the strategy sits, from 0.
    rules, **rule_changes
        The table's rules, as in `simulate`.
    decision : str, optional
        Run only this decision point's function in Python; the others are compiled.

    Examples
    --------
    >>> from jamaica_sim import debug_decisions
    >>> first, second, *others = debug_decisions("corsair", game=3)
    >>> second.round, second.decision, second.options
    (2, 'choose_loot', (0, 1, 2, 31, 32))
    >>> print(second)
    round 2, choose_loot: 1 of 0, 1, 2, LOOT_GIVE + CURSED_4, LOOT_NOTHING; the heuristic: LOOT_GIVE + CURSED_4
    """
    found = load_strategy(strategy)
    if found.kind != "code" or not found.functions:
        raise StrategyError(f"{found.name} has no functions to debug: it is a strategy of {found.kind}.")
    functions = plain_functions(found)
    if decision is not None:
        if decision not in functions:
            raise StrategyError(f"{found.name} has no function {decision!r}: it has {', '.join(functions)}.")
        functions = {decision: functions[decision]}
    made: list[DebuggedDecision] = []
    bridge, elsewhere = PlainDecision(_asking(functions, made)), PlainDecision(_asking(functions, []))
    rules_here = rules_of(rule_changes) if rules is None else rules.but(**rule_changes)
    if not 0 <= seat < rules_here.players:
        raise UserError(f"seat must be from 0 to {rules_here.players - 1}, not {seat}.")
    others = [_in_python(s, functions, elsewhere) if s.digest == found.digest else s for s in load_strategies(against)]
    seats = [others[i % len(others)] for i in range(rules_here.players - 1)]
    seats.insert(seat, _in_python(found, functions, bridge))
    table = seat_table(rules_here, seats, seed)
    state = new_state(table.strategies, table.rules)
    rulebook, row = in_force(table.rulebook, table.rules), np.zeros(1, RESULT_DTYPE)
    try:
        play(state, rulebook, table.strategies, table.seed, game, row, table.rules.house_rules)
    except StrategyFault as fault:
        raise bridge.error() or elsewhere.error() or fault from None
    return made


def _in_python(strategy: Strategy, functions: Iterable[str], bridge: PlainDecision) -> Strategy:
    """The strategy with these functions replaced by a bridge to Python."""
    return replace(strategy, functions={**strategy.functions, **dict.fromkeys(functions, bridge)})


def _asking(functions: dict[str, Callable[..., int]], made: list[DebuggedDecision]) -> Callable[..., int]:
    def answer(decision: str, view: Record, rules: Record, weights: Record) -> int:
        seen, plan = view.copy(), int(view.plan)
        would = ask_heuristic(view, rules, weights)
        view._memory["plan"], view._memory["luck_index"] = plan, 0
        with np.errstate(divide="raise", invalid="raise"):  # like the compiled function
            given = functions[decision](view, rules, weights)
        options = tuple(option for option in range(63) if has(view.legal, option))
        made.append(DebuggedDecision(view.round, decision, options, given, would, seen))  # type: ignore[arg-type]
        return given

    return answer
