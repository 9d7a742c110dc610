"""Figures without an aim: games per second of every table and strategy, and nanoseconds for each decision."""

import math
import time
from functools import cache

import numpy as np

from jamaica_sim import Game, Games, simulate
from jamaica_sim.engine.decide import answer_again
from jamaica_sim.engine.machine.jit import KeptFunction
from jamaica_sim.engine.rulebook import rulebook_of
from jamaica_sim.engine.state import RESULT_DTYPE, RULES_DTYPE, STATE_DTYPE, VIEW_DTYPE
from jamaica_sim.game.codes import DECISIONS
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.check import every_rules
from jamaica_sim.play.state_record import new_state, play
from jamaica_sim.strategy.api import lowest
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE
from jamaica_sim.strategy.library import load_strategy, quick_names
from measuring.figures import NANOSECONDS, SPEED, Figure, costs
from measuring.kernel import SEED, Bench, name_of
from measuring.pace import paced, seconds_of_work
from measuring.targets import FOUR
from measuring.timing import ask_module, in_turns, on_one_core

HAUNTED = Rules(players=4, edition="2021", ghost=True)
ANSWERS = 200_000  # in one measurement
VIEWS = 2_000  # of each decision: too many for a processor to learn the answers by heart
BATCH, BATCHES = 200, 50  # games
ROOM = 60_000  # views of one batch
STEPS, FEW_GAMES = 100, 10  # of games at once, and games one by one


def speeds(plan, benches: dict):
    """Games per second of processor time of each bench, in turns."""
    games = {key: bench.games_in(plan.seconds) for key, (_, bench) in benches.items()}

    def play_some(key):
        return paced(lambda: benches[key][1].play(games[key]))

    with on_one_core():
        found = in_turns(plan.turns, *map(play_some, benches))
    for (key, (what, _)), measured in zip(benches.items(), found, strict=True):
        paces, spent = zip(*measured, strict=True)
        samples = tuple(games[key] / s.cpu for s in spent)
        steady = tuple(speed * pace for speed, pace in zip(samples, paces, strict=True))
        yield Figure(key, what, SPEED, samples, None, True, *costs(spent), "", steady)


def tables(plan):
    """Random play at every table."""
    benches = {}
    for rules in every_rules():
        key = f"tables.{rules.edition}-{rules.players}{'-ghost' if rules.ghost else ''}"
        benches[key] = name_of(rules), Bench(rules, load_strategy("random"))
    yield from speeds(plan, benches)


def strategies(plan):
    """Every shipped strategy in all four seats, 2007."""
    yield from speeds(
        plan, {f"strategies.{name}": (f"4 {name}, 2007", Bench(FOUR, load_strategy(name))) for name in quick_names()}
    )


def lowest_option(view, rules, weights):
    """As little as a strategy can do."""
    return lowest(view.legal)


@cache
def _least():
    return KeptFunction(lowest_option, VIEW_DTYPE, RULES_DTYPE, WEIGHTS_DTYPE)


def views_of(strategy, rules) -> tuple[dict, dict]:
    """Views at each decision out of real games with the strategy in all seats, and how often a game asks for each."""
    seats = [strategy] * rules.players
    state, rules_record = new_state(seats, rules), rulebook_of(rules)
    views, rows = np.zeros(ROOM, VIEW_DTYPE), np.zeros(BATCH, RESULT_DTYPE)
    state["capture"], state["capture_room"] = views.ctypes.data, ROOM
    state["capture_bytes"] = views.itemsize
    kept, asked = {}, dict.fromkeys(DECISIONS, 0)
    for batch in range(BATCHES):
        state["captured"] = 0
        play(state, rules_record, seats, SEED, batch * BATCH, rows)
        seen = views[: int(state["captured"][0])]
        if seen.size == ROOM:
            raise RuntimeError(f"{BATCH} games have more than {ROOM:,} decisions: some would not be counted")
        for number, decision in enumerate(DECISIONS):
            these = seen[seen["decision"] == number]
            asked[decision] += these.size
            kept[decision] = np.concatenate([kept.get(decision, these[:0]), these])[:VIEWS]
    return kept, {decision: times / (BATCH * BATCHES) for decision, times in asked.items()}


def decisions(plan):
    """Nanoseconds that `balanced` takes for an answer, at each decision point.

    Views are kept from real games and answered again, one after the other, by the compiled function at its address, as
    the engine calls it. The cost of copying a view and of the call itself is measured in turns, with a function that
    returns the lowest option, and subtracted. A table without the ghost serves all decisions but the ghost's own.
    """
    strategy = load_strategy("balanced")
    for rules in (FOUR, HAUNTED):
        plan.say(f"  views from games of {name_of(rules)}")
        views, asked = views_of(strategy, rules)
        for decision in DECISIONS:
            if decision.startswith("ghost") == rules.ghost and views[decision].size:
                note = f"asked {asked[decision]:.2f} times in a game of {name_of(rules)}"
                yield _time_of_answers(plan, strategy, rules, decision, views[decision], note)


def _time_of_answers(plan, strategy, rules, decision, views, note):
    repeats = max(1, ANSWERS // views.size)
    state, answers, rules_record = np.zeros(1, STATE_DTYPE), np.zeros(views.size, np.int64), rulebook_of(rules)

    def ask(address):
        def seconds():
            started = time.thread_time()
            for _ in range(repeats):
                answer_again(views, state, rules_record, strategy.weights.ctypes.data, address, answers)
            return time.thread_time() - started

        return seconds

    actions = ask(int(strategy.addresses()[DECISIONS.index(decision)])), ask(_least().address)
    in_turns(1, *actions)
    with on_one_core():
        *found, paces = in_turns(plan.turns, *actions, seconds_of_work)
    differences = [max(own - least, 1e-9) for own, least in zip(*found, strict=True)]
    return _nanoseconds(
        f"decisions.{decision}", decision, [1e9 * d / (repeats * views.size) for d in differences], paces, note
    )


def phases(plan):
    """Nanoseconds of a game by phase, at the table of four, 2007; `phases.py` explains how they are found."""
    batches, seconds = (9, 0.5) if plan.quick else (15, 2.0)
    for name in ("random", "balanced"):
        plan.say(f"  compiling and watching an engine with marks, {name}")
        Bench(FOUR, load_strategy(name)).play(1)  # leaves the plain engine in the cache
        found = ask_module("measuring.phases", name, batches, seconds)
        whole = np.median(found["game"])
        shares = {phase: f"{np.median(samples) / whole:.1%}" for phase, samples in found["phases"].items()}
        notes = {**shares, "game": f"with marks {found['slower']:+.0%}"}
        for phase, samples in {**found["phases"], "game": found["game"]}.items():
            key = f"phases.{name}.{phase}"
            # A phase that no look has found takes some time too, but too little to be seen.
            seen = [max(sample, 1e-3) for sample in samples]
            error = 1 / math.sqrt(max(1, found["looks"].get(phase, sum(found["looks"].values()))))
            yield _nanoseconds(key, f"{name}: {phase}", seen, found["paces"], notes[phase], error)


def _nanoseconds(key, what, samples, paces, note, error=0.0):
    steady = tuple(sample / pace for sample, pace in zip(samples, paces, strict=True))
    return Figure(key, what, NANOSECONDS, tuple(samples), None, False, note=note, steady=steady, counting_error=error)


def outside(plan):
    """Questions to seats outside: many games at once with and without observations, one by one, and Python players."""
    four, one = None, [None, "balanced", "balanced", "balanced"]
    asked = {
        "outside.four": ("1,024 games, four outside, random answers", _many(four, False)),
        "outside.four-seen": ("the same with observations and masks", _many(four, True)),
        "outside.one": ("1,024 games, one outside against three balanced", _many(one, False)),
        "outside.one-seen": ("the same with observations and masks", _many(one, True)),
        "outside.game": ("Game, question by question", _one_by_one),
        "outside.players": ("four Python players that take the first answer", _by_players),
        "outside.four-alone": ("4,096 games, four outside, one thread", _many(four, False, 4096)),
        "outside.four-shared": ("the same, the first of two threads", _many(four, False, 4096, 2)),
        "outside.one-alone": ("4,096 games, one outside, one thread", _many(one, False, 4096)),
        "outside.one-shared": ("the same, the first of two threads", _many(one, False, 4096, 2)),
    }
    # The first of two threads does all that is not shared, so its time bounds what two free cores would take.
    clocks = [time.thread_time if key.endswith("-shared") else time.process_time for key in asked]
    with on_one_core():
        found = in_turns(
            plan.turns,
            *(
                paced(lambda ask=ask, clock=clock: counted(ask, clock))
                for (_, ask), clock in zip(asked.values(), clocks, strict=True)
            ),
        )
    for (key, (what, _)), measured in zip(asked.items(), found, strict=True):
        paces, samples = zip(*measured, strict=True)
        steady = tuple(nanoseconds / pace for nanoseconds, pace in zip(samples, paces, strict=True))
        yield Figure(key, what, NANOSECONDS, samples, None, False, steady=steady)


def counted(ask, clock=time.process_time) -> float:
    """Nanoseconds of processor time for one of the questions that are asked; the first call is not counted."""
    ask()
    started = clock()
    questions = ask()
    return 1e9 * (clock() - started) / questions


def _many(seats, seen, size=1024, threads=1):
    games, rng = Games(size, strategies=seats, seed=SEED, threads=threads), np.random.default_rng(SEED)

    def ask():
        questions = 0
        for _ in range(STEPS):
            if seen:
                games.observation()
            questions += games.size - int(games.over.sum())
            games.step(games.random_answers(rng))
        return questions

    return ask


def _one_by_one():
    questions = 0
    for number in range(FEW_GAMES):
        game = Game(seed=SEED, number=number)
        while not game.is_over:
            game.answer(game.question.options[0])
            questions += 1
    return questions


def _by_players():
    asked = []

    def first(question):
        asked.append(None)
        return question.options[0]

    simulate(games=FEW_GAMES, strategies=[first], seed=SEED, threads=1)
    return len(asked)
