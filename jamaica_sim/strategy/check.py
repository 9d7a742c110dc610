"""Checks a strategy before it is trusted: legal answers, the same answer to the same view, no peeking, speed.

Games are played at tables of every kind and the views that the strategy was shown are kept. Then it is asked again,
with everything outside the view replaced by noise: an answer that changes has looked where it may not.
"""

import time
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from jamaica_sim.engine.asking import answer_again
from jamaica_sim.engine.state import RESULT_DTYPE, STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.engine.tables import engine_tables
from jamaica_sim.rules import EDITIONS, Rules
from jamaica_sim.strategy.files import Strategy, load_strategy
from jamaica_sim.strategy.seating import StrategyFault, new_state, play, replay_command
from jamaica_sim.words import DECISIONS

SEED = 20_211
GAMES_A_TABLE = 200
VIEWS_A_TABLE = 3_000
WATCHED = 100  # views of each decision that are compared before and after the answer
TIMED = 7  # measurements, of which the best counts
HEAD = STATE_DTYPE.fields["trace"][1]  # all of the state but the trace

_tables = cache(engine_tables)


@dataclass
class Report:
    """What a check found: problems in sentences, and for each decision how often it came and how long it took."""

    strategy: Strategy
    games: int = 0
    problems: list[str] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    nanoseconds: dict[str, float] = field(default_factory=dict)
    balanced: dict[str, float] = field(default_factory=dict)  # time of `balanced` for the same views

    @property
    def never_reached(self) -> list[str]:
        """Decision points of the strategy's own that never came up; random play is part of the engine and not asked."""
        if self.strategy.kind == "built in":
            return []
        own = self.strategy.functions or DECISIONS
        return [name for name in DECISIONS if name in own and not self.asked.get(name)]


def every_rules() -> list[Rules]:
    """Rules of every kind: all player counts, editions, with and without the ghost."""
    tables = [(players, ghost) for players in range(2, 7) for ghost in (False, True)]
    legal = [(players, ghost) for players, ghost in tables if (players > 2 or ghost) and (players < 6 or not ghost)]
    return [Rules(edition=e, players=players, ghost=ghost) for e in EDITIONS for players, ghost in legal]


def check(strategy: Strategy, progress=lambda done: None) -> Report:
    """Play, ask again, measure."""
    report = Report(strategy)
    for done, rules in enumerate(every_rules()):
        progress(done)
        try:
            views = captured_views(strategy, rules)
        except StrategyFault as fault:
            shown = replay_command(rules, _line_up(strategy, rules), SEED, fault.game)
            report.problems.append(f"{fault}; see it with: {shown}")
            break  # one is enough to mend it
        report.games += GAMES_A_TABLE
        problems = find_peeking(strategy, views, rules)
        report.problems += [problem for problem in problems if problem not in report.problems]
        _count_and_time(report, views, rules)
    return report


def _line_up(strategy, rules):
    """The strategy against random play, which leads into every situation, and itself."""
    return [strategy if seat % 2 == 0 else load_strategy("random") for seat in range(rules.players)]


def captured_views(strategy: Strategy, rules: Rules, games: int = GAMES_A_TABLE, room: int = VIEWS_A_TABLE):
    """The views that the strategy is shown in some games."""
    strategies = _line_up(strategy, rules)
    state = new_state(strategies)
    views = np.zeros(room, VIEW_DTYPE)
    state["capture"], state["capture_room"] = views.ctypes.data, room
    play(state, _tables(rules), strategies, SEED, 0, np.zeros(games, RESULT_DTYPE))
    return views[: int(state["captured"][0])]


class _Witness:
    """Asks one decision function about views, in a state whose hidden part is noise."""

    def __init__(self, strategy, decision, rules, noise):
        self._weights = strategy.weights.ctypes.data
        self._address = int(strategy.addresses()[DECISIONS.index(decision)])
        self._rules = _tables(rules)
        self._state = np.zeros(1, STATE_DTYPE)
        self._bytes = self._state.view(np.uint8)
        self._bytes[:HEAD] = noise.integers(0, 256, HEAD, np.uint8)

    def answers(self, views):
        answers = np.zeros(views.size, np.int64)
        answer_again(views, self._state, self._rules, self._weights, self._address, answers)
        return answers

    def seen(self):
        """The view as the function left it."""
        return self._bytes[: VIEW_DTYPE.itemsize].view(VIEW_DTYPE).copy()


def find_peeking(strategy: Strategy, views: np.ndarray, rules: Rules) -> list[str]:
    """Decisions whose answer depends on more than the view, or that change the view."""
    if strategy.kind == "built in":
        return []
    noise = np.random.default_rng(SEED)
    problems = []
    for decision in _decisions_in(views):
        asked = views[views["decision"] == DECISIONS.index(decision)]
        witness, other = (_Witness(strategy, decision, rules, noise) for _ in range(2))
        first, again = witness.answers(asked), other.answers(asked)
        if (first != again).any():
            problems.append(
                f"{decision} answers the same view in different ways: it is not deterministic, "
                f"or it looks at what a player may not see"
            )
        if any(_changes(witness, asked[i : i + 1]) for i in range(min(WATCHED, asked.size))):
            problems.append(f"{decision} changes the view, which it may only read")
    return problems


def _decisions_in(views):
    return [DECISIONS[number] for number in np.unique(views["decision"])]


def _changes(witness, view):
    witness.answers(view)
    seen = witness.seen()
    for own in ("luck_index", "plan"):  # luck may be used up, a plan noted
        seen[own] = view[own]
    return seen.tobytes() != view.tobytes()


def _count_and_time(report, views, rules):
    """Add to the counts; the time is that of the table where the decision came up most."""
    noise = np.random.default_rng(SEED)
    for decision in _decisions_in(views):
        asked = views[views["decision"] == DECISIONS.index(decision)]
        if asked.size > report.asked.get(decision, 0) and report.strategy.kind != "built in":
            report.nanoseconds[decision] = _time(_Witness(report.strategy, decision, rules, noise), asked)
            report.balanced[decision] = _time(_Witness(load_strategy("balanced"), decision, rules, noise), asked)
        report.asked[decision] = report.asked.get(decision, 0) + asked.size


def _time(witness, views):
    """Nanoseconds for one answer."""
    best = np.inf
    for _ in range(TIMED):
        started = time.perf_counter()
        witness.answers(views)
        best = min(best, time.perf_counter() - started)
    return 1e9 * best / views.size
