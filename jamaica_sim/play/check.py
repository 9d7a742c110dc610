"""Checks a strategy, or a file of house rules, by playing, before it is trusted.

Of a strategy: legal answers, the same answer to the same view, no peeking, speed.

Games are played at tables of every kind, and the views shown to the strategy are kept. Then it is asked again with
everything outside the view replaced by noise: if its answer changes, it has peeked. All this happens on a watched
thread, because a strategy that is still being checked may never answer.

Of house rules: every stock, bank, card and ship must be in one place at the end of a game.
"""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.machine.hold_word import AMOUNT, HOLD_BITS, KIND_BITS
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE, STATE_DTYPE
from jamaica_sim.engine.view import VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS, HOLDS, HOUSE_CHOICE, RESOURCES
from jamaica_sim.game.house_file import HouseRules, HouseRulesError, house_rules_in
from jamaica_sim.game.rules import EDITIONS, Rules
from jamaica_sim.play.chunks import Deputy, Tracer, in_order
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.play.state_record import GamePlayer, StrategyFault, field_in
from jamaica_sim.strategy.library import AnyStrategy, load_strategy
from jamaica_sim.strategy.strategy import Strategy

SEED = 20_211
GAMES_A_TABLE = 200
VIEWS_A_TABLE = 3_000
WATCHED = 100  # views of each decision that are compared before and after the answer
PRINTED = DECISIONS[:HOUSE_CHOICE]  # what the printed rules ask, by which all these games are played
TIMED = 7  # measurements, of which the best counts
SLOW = {"search": 20, "plain": 4}  # such a strategy gets one game and view in so many: it takes much longer

_rulebook = cache(rulebook_of)


def _read_only() -> np.ndarray:
    """The bytes of a view that a function may not change: all but the luck index and the plan."""
    view = np.full(VIEW_DTYPE.itemsize, True)
    for own in ("luck_index", "plan"):
        dtype, start = field_in(VIEW_DTYPE, own)
        view[start : start + dtype.itemsize] = False
    return view


READ_ONLY = _read_only()


@dataclass
class CheckReport:
    """What a check found: problems in sentences, and how often each decision came up and how long an answer took."""

    strategy: Strategy
    games: int = 0
    problems: list[str] = field(default_factory=list)
    asked: dict[str, int] = field(default_factory=dict)
    nanoseconds: dict[str, float] = field(default_factory=dict)
    balanced: dict[str, float] = field(default_factory=dict)  # time of `balanced` for the same views

    @property
    def never_reached(self) -> list[str]:
        """The strategy's own decision points that never came up; none for random play, which is part of the engine."""
        if self.strategy.kind == "built in":
            return []
        own = self.strategy.functions or PRINTED
        return [name for name in DECISIONS if name in own and not self.asked.get(name)]


def every_rules() -> list[Rules]:
    """Rules of every kind: all player counts, editions, with and without the ghost."""
    tables = [(players, ghost) for players in range(2, 7) for ghost in (False, True)]
    legal = [(players, ghost) for players, ghost in tables if (players > 2 or ghost) and (players < 6 or not ghost)]
    return [Rules(edition=e, players=players, ghost=ghost) for e in EDITIONS for players, ghost in legal]


def check(strategy: Strategy, progress: Callable[[int], object] = lambda done: None) -> CheckReport:
    """Try a strategy at tables of every kind: play, ask again, measure."""
    examiner = Examiner(strategy)
    try:
        for done, _ in enumerate(in_order(lambda: examiner, Examiner.examine, every_rules(), 1), 1):
            progress(done)
    except StrategyFault as fault:
        examiner.report.problems.append(str(fault))  # the first fault ends the check
    return examiner.report


def check_strategy(strategy: AnyStrategy) -> CheckReport:
    """Try a strategy at tables of every kind: legal answers, the same answer to the same view, no peeking, speed.

    Examples
    --------
    >>> from jamaica_sim import check_strategy
    >>> check_strategy("random").problems
    []
    """
    return check(load_strategy(strategy))


def problems_at(strategy: Strategy, rules: Rules) -> list[str]:
    """What is wrong with a strategy at one kind of table; raises StrategyFault where it cannot even play."""
    (problems,) = in_order(lambda: Examiner(strategy), Examiner.try_at, [rules], 1)
    return problems


class Examiner(Deputy):
    """Tries one strategy at one table after the other."""

    def __init__(self, strategy: Strategy) -> None:
        self.report = CheckReport(strategy)
        self._strategy = strategy
        self._most: dict[str, int] = {}  # decision -> how often it came up at the table that its time is from
        share = SLOW.get(strategy.kind, 1)
        self._games, self._views = GAMES_A_TABLE // share, VIEWS_A_TABLE // share
        self._timed = 1 if strategy.kind in SLOW else TIMED

    def examine(self, rules: Rules) -> None:
        """Add to the report what is found at a table with these rules."""
        views = self.captured_views(rules)
        self.report.games += self._games
        problems = self.find_peeking(views, rules)
        self.report.problems += [problem for problem in problems if problem not in self.report.problems]
        self._count_and_time(views, rules)

    def try_at(self, rules: Rules) -> list[str]:
        """The problems at a table with these rules; the report does not change."""
        return self.find_peeking(self.captured_views(rules), rules)

    def captured_views(self, rules: Rules, games: int | None = None, room: int | None = None) -> np.ndarray:
        """The views of some games against itself and random play, which leads into every situation."""
        games, room = games or self._games, room or self._views
        others, views = load_strategy("random"), np.zeros(room, VIEW_DTYPE)
        line_up = [others if seat % 2 else self._strategy for seat in range(rules.players)]
        self.asking = player = GamePlayer(rules, line_up, SEED)
        player.capture(views)
        player.play_rows(_rulebook(rules), 0, np.zeros(games, RESULT_DTYPE))
        return views[: player.captured]

    def find_peeking(self, views: np.ndarray, rules: Rules) -> list[str]:
        """Decisions whose answer depends on more than the view, or that change the view."""
        if self._strategy.kind == "built in":
            return []
        noise = np.random.default_rng(SEED)
        problems = []
        for decision, asked in _by_decision(views):
            witness, other = (Witness(self._strategy, decision, rules, noise) for _ in range(2))
            first, again = self._answers(witness, asked), self._answers(other, asked)
            if (first != again).any():
                problems.append(
                    f"{decision} answers the same view in different ways: it is not deterministic, "
                    f"or it looks at what a player may not see"
                )
            if any(self._changes(witness, asked[i : i + 1]) for i in range(min(WATCHED, asked.size))):
                problems.append(f"{decision} changes the view, which it may only read")
        return problems

    def _changes(self, witness: "Witness", view: np.ndarray) -> bool:
        self._answers(witness, view)
        return witness.has_changed(view)

    def _count_and_time(self, views: np.ndarray, rules: Rules) -> None:
        """Add to the counts. The time of a decision is that at the table where it came up most."""
        report, noise = self.report, np.random.default_rng(SEED)
        for decision, asked in _by_decision(views):
            if asked.size > self._most.get(decision, 0) and self._strategy.kind != "built in":
                self._most[decision] = asked.size
                report.nanoseconds[decision] = self._time(Witness(self._strategy, decision, rules, noise), asked)
                balanced = Witness(load_strategy("balanced"), decision, rules, noise)
                report.balanced[decision] = self._time(balanced, asked)
            report.asked[decision] = report.asked.get(decision, 0) + asked.size

    def _time(self, witness: "Witness", views: np.ndarray) -> float:
        """Nanoseconds for one answer."""
        best = np.inf
        for _ in range(self._timed):
            started = time.perf_counter()
            self._answers(witness, views)
            best = min(best, time.perf_counter() - started)
        return 1e9 * best / views.size

    def _answers(self, witness: "Witness", views: np.ndarray) -> np.ndarray:
        self.asking = witness
        return witness.answers(views)


def _by_decision(views: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Each decision that came up, with its views."""
    return [(DECISIONS[number], views[views["decision"] == number]) for number in np.unique(views["decision"])]


class Witness:
    """Asks one decision function about views, in a state in which everything hidden is noise."""

    def __init__(self, strategy: Strategy, decision: str, rules: Rules, noise: np.random.Generator) -> None:
        self._strategy, self._decision = strategy, decision
        self._address = int(strategy.addresses()[DECISIONS.index(decision)])
        self._weights = strategy.record_for(rules).ctypes.data
        self._rules = _rulebook(rules)
        self._state = np.zeros(1, STATE_DTYPE)
        self._bytes = self._state.view(np.uint8)
        self._bytes[:] = noise.integers(0, 256, self._bytes.size, np.uint8)
        self._calls, self._is_asking = 0, False
        self._ask(np.zeros(0, VIEW_DTYPE))  # compiles `answer_again`, so that it does not count as the strategy's time

    def answers(self, views: np.ndarray) -> np.ndarray:
        self._calls, self._is_asking = self._calls + 1, True
        try:
            return self._ask(views)
        finally:
            self._is_asking = False

    def _ask(self, views: np.ndarray) -> np.ndarray:
        answers = np.zeros(views.size, np.int64)
        answer_again(views, self._state, self._rules, self._weights, self._address, answers)
        return answers

    def has_changed(self, view: np.ndarray) -> bool:
        """Whether the function has changed bytes of this view that it may only read."""
        return ((self._bytes[: VIEW_DTYPE.itemsize] != view.view(np.uint8)) & READ_ONLY).any()

    def asked(self) -> tuple[int, ...] | None:
        return (self._calls, int(self._state["luck_key"][0])) if self._is_asking else None

    def fault(self, what: str) -> StrategyFault:
        fault = StrategyFault(self._strategy, self._decision, None, what)
        fault.hint = ", asked once more with noise in place of all that a player may not see"
        return fault


HOUSE_TABLES = (
    {"players": 2},
    {"players": 4},
    {"players": 3, "edition": "2021", "ghost": True},
    {"players": 6, "edition": "2021", "limited_bank": True},
)
HOUSE_PLAYERS = ("random", "balanced")
HOUSE_GAMES = 100  # at each table, by each strategy


@dataclass(frozen=True)
class Checked:
    """How many games were played at how many tables, and what the file did, on average a game."""

    games: int
    tables: int
    effects: dict[str, float]


def check_house_rules(rules: HouseRules | str | Path) -> Checked:
    """Play games by a file of house rules; raises an error that names the game where the books are not kept.

    Examples
    --------
    >>> from jamaica_sim import check_house_rules
    >>> checked = check_house_rules("lairs_pay")
    >>> checked.games, list(checked.effects)
    (800, ['give'])
    """
    house = rules if isinstance(rules, HouseRules) else house_rules_in(rules)
    tables = [(Rules(house_rules=house, **changes), strategy) for changes in HOUSE_TABLES for strategy in HOUSE_PLAYERS]
    (effects,) = in_order(_Auditor, _Auditor.audit, [tables], 1)  # as one piece: after a slip no other table begins
    games = HOUSE_GAMES * len(tables)
    return Checked(games, len(HOUSE_TABLES), {what: times / games for what, times in effects.most_common()})


class _Auditor(Deputy):
    """Plays at one table after the other and looks at the books."""

    def audit(self, tables: list[tuple[Rules, str]]) -> Counter[str]:
        """What the file did in the games of all tables; raises an error where the books are not kept."""
        effects: Counter[str] = Counter()
        for rules, strategy in tables:
            self.asking = tracer = Tracer(seat_table(rules, strategy))
            for game in range(HOUSE_GAMES):
                tracer.trace(game)
                if slip := slip_in(tracer.state[0], rules):
                    where = f"{rules.who_sails}, edition {rules.edition}, {strategy}, game {game}"
                    raise HouseRulesError(f"{rules.house_rules} does not keep the books: {slip} ({where}).")
                effects += Counter(event["what"] for event in tracer.events() if event["event"] == "house")
        return effects


def slip_in(state: np.void, rules: Rules) -> str:
    """What is wrong with the books of a game at its end; empty where nothing is."""
    ships = slice(rules.ships)
    holds = state["stowage"][ships, None] >> int(HOLD_BITS) * np.arange(HOLDS)
    for number, resource in enumerate(RESOURCES):
        there = np.where(holds >> int(KIND_BITS) + number & 1, holds & int(AMOUNT), 0).sum(axis=1)
        if (there != state["stock"][ships, number]).any() or (there < 0).any():
            return f"the {resource} in the holds is not the stock of a ship"
        if state["in_play"][number] != there.sum():
            return f"the bank does not know how much {resource} is on the ships"
        if rules.limited_bank and there.sum() > rules.bank[number]:
            return f"there is more {resource} than in the box"
    places = [*state["powers"][ships].tolist(), *state["hidden"][ships].tolist(), int(state["treasures_undrawn"])]
    if sum(place.bit_count() for place in places) != int(np.bitwise_or.reduce(places)).bit_count():
        return "a treasure card is in two places"
    if sum(int(ships_there).bit_count() for ships_there in state["occupants"]) != rules.ships:
        return "a ship is on two spaces"
    return ""
