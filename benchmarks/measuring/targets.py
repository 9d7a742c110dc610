"""The figures with an aim: speed beside the yardstick, the work around the kernel, starting, cost by number of games.

Each function takes the `Plan` and returns figures. Where two things are compared they take turns, and every pair gives
one ratio. Processor time counts, because others may use the machine, except where time by the clock is the point.
"""

import contextlib
import io
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from jamaica_sim.cli import main as command_line
from jamaica_sim.game.rules import Rules
from jamaica_sim.play.game_table import seat_table
from jamaica_sim.strategy.library import load_strategy, strategy_from_text
from jamaica_sim.study.simulate import run_games, warm_up
from measuring.figures import RATIO, SECONDS, Figure, costs, ratio
from measuring.kernel import CALLS_HEURISTIC, Bench
from measuring.pace import paced
from measuring.timing import Spent, ask_module, in_turns, on_one_core, timed, timed_process
from measuring.yardstick import ask_yardstick

COMMAND = (sys.executable, "-m", "jamaica_sim")
FOUR = Rules(players=4, edition="2007")
SIX = Rules(players=6, edition="2021")
TWO = Rules(players=2, edition="2021", ghost=True)
COLD_START, WARM_START, HELP = 10.0, 0.5, 0.3  # seconds: by the clock, of processor time, by the clock
LINEAR = 1.1  # the largest run may cost, or need in memory, this many times as much as the smallest
LONG_ENOUGH = 1.0  # seconds of processor time over which the cost of a game is measured, at least


@dataclass(frozen=True)
class Plan:
    """How much is measured, and with which yardstick."""

    yardstick: str | None
    quick: bool
    say: callable  # tells the user what goes on

    @property
    def turns(self) -> int:
        """How often things that take a fraction of a second are measured."""
        return 9 if self.quick else 31

    @property
    def long_turns(self) -> int:
        """How often things that take seconds are measured."""
        return 3 if self.quick else 7

    @property
    def seconds(self) -> float:
        """How long one measurement should take."""
        return 0.1 if self.quick else 0.2

    @property
    def games(self) -> int:
        """How many games a run has if its start and end are measured as well."""
        return 200_000 if self.quick else 1_000_000


def beside_yardstick(plan, key, what, rules, strategy, their_strategy, target):
    """A bench and the yardstick on one core, as a ratio."""
    bench = Bench(rules, load_strategy(strategy))
    games = bench.games_in(plan.seconds)

    def theirs():
        seconds = ask_yardstick(plan.yardstick, rules, games, strategy=their_strategy)["cpu_seconds"]
        return Spent(seconds, seconds)

    with on_one_core():
        own, other = in_turns(plan.turns, lambda: bench.play(games), theirs)
    speeds = [median(games / spent.cpu for spent in side) for side in (own, other)]
    yield ratio(key, what, target, own, other, note="{:,.0f} games/s, the yardstick {:,.0f}".format(*speeds))


def random_four(plan):
    """Four random players, 2007."""
    yield from beside_yardstick(plan, "random-4", "4 random, 2007, to yardstick", FOUR, "random", "random", 0.75)


def random_six(plan):
    """Six random players, 2021."""
    yield from beside_yardstick(plan, "random-6", "6 random, 2021, to yardstick", SIX, "random", "random", 0.7)


def random_two(plan):
    """Two random players and the ghost, 2021."""
    yield from beside_yardstick(plan, "random-2", "2 random + ghost, 2021, to yardstick", TWO, "random", "random", 0.7)


def balanced(plan):
    """Four players with the heuristic against four with the yardstick's, which is simpler."""
    what = "4 balanced, 2007, to yardstick's greedy"
    yield from beside_yardstick(plan, "balanced", what, FOUR, "balanced", "greedy", 1.15)


def champion(plan):
    """Four players with foresight, who look at some ten times as much; the aim is three times 0.15."""
    what = "4 champion, 2007, to yardstick's greedy"
    yield from beside_yardstick(plan, "champion", what, FOUR, "champion", "greedy", 0.45)


def two_threads(plan):
    """Two threads against one, by the clock."""
    table = seat_table(FOUR, "random")
    warm_up(table)

    def run(threads):
        return lambda: timed(lambda: run_games(table, plan.games, threads=threads))

    two, one = in_turns(plan.long_turns, run(2), run(1))
    undisturbed = median(2 * single.cpu / double.cpu for single, double in zip(one, two, strict=True))
    note = f"by processor time {undisturbed:.2f}, where waiting for a core does not count"
    yield ratio("threads", "two threads to one, by the clock", 1.85, two, one, lambda spent: spent.wall, note)


def command(*words):
    """An action: a command as a user gives it, but in this process and without its output."""

    def act():
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            command_line.main(list(map(str, words)), standalone_mode=False)

    return act


def pipeline(plan):
    """All of `run` in one thread against the kernel alone."""
    bench = Bench(FOUR, load_strategy("random"))
    bench.play(1)
    run = command("run", "--games", plan.games, "-s", "random", "--threads", 1)
    run()  # imports whatever is imported late
    whole, bare = in_turns(plan.long_turns, lambda: timed(run), lambda: bench.play(plan.games))
    yield ratio("pipeline", f"the whole of run to the kernel, {plan.games:,} games", 0.95, whole, bare)


def parquet(plan):
    """A run into a folder, with a row for each game and without: of default players, and of the fastest games."""
    for key, what, strategies in (("parquet", "", ()), ("parquet_random", ", random", ("-s", "random"))):
        with tempfile.TemporaryDirectory() as scratch:

            def run(*more, strategies=strategies, scratch=scratch):
                out = Path(tempfile.mkdtemp(dir=scratch)) / "run"
                return timed(command("run", "--games", plan.games, "--threads", 1, "--out", out, *strategies, *more))

            run("--per-game")
            on, off = in_turns(plan.long_turns, lambda: run("--per-game"), run)
        yield ratio(key, f"per-game Parquet on to off{what}, {plan.games:,} games", 0.7, on, off)


def comparison(plan):
    """A comparison of two strategies against a run of the same two, as many games in one thread."""
    two = "balanced", "racer"
    compare = command("compare", *two, "--games", plan.games // 4, "--threads", 1)
    seats = [word for name in two for word in ("-s", name)]
    run = command("run", "--games", plan.games // 4, "--threads", 1, *seats)
    compare()
    run()
    compared, plain = in_turns(plan.long_turns, lambda: timed(compare), lambda: timed(run))
    yield ratio("compare", f"compare to run, {plan.games // 4:,} games", 0.85, compared, plain)


def code(plan):
    """A code file that only asks the heuristic against the data file with the same weights."""
    built_in = Bench(FOUR, load_strategy("balanced"))
    plugged_in = Bench(FOUR, strategy_from_text(CALLS_HEURISTIC, Path("calls_heuristic.py")))
    if built_in.first_rows(500) != plugged_in.first_rows(500):
        raise RuntimeError("a code file that only asks the heuristic must play the same games")
    games = built_in.games_in(plan.seconds)
    with on_one_core():
        plugged, built = in_turns(plan.turns, lambda: plugged_in.play(games), lambda: built_in.play(games))
    yield ratio("code", "code strategy to the same built in", 0.85, plugged, built)


def seconds_of(key, what, target, start, turns, quantity=lambda spent: spent.wall):
    """A figure of seconds, by the clock unless `quantity` differs. Its processor time is compared with earlier ones."""
    paces, spent = zip(*in_turns(turns, paced(start))[0], strict=True)
    steady = tuple(s.cpu / pace for s, pace in zip(spent, paces, strict=True))
    return Figure(key, what, SECONDS, tuple(map(quantity, spent)), target, False, *costs(spent), "", steady)


def cold_start(plan):
    """The first run of all, with nothing compiled, and whether it says what it waits for."""
    words = []

    def start():
        with tempfile.TemporaryDirectory() as empty:
            spent, said = timed_process([*COMMAND, "run", "--games", "1000"], NUMBA_CACHE_DIR=empty)
        words.append(said)
        return spent

    figure = seconds_of("cold-start", "cold start: first run of 1000 games", COLD_START, start, 1 if plan.quick else 3)
    told = all("Compiling" in said for said in words)
    yield replace(figure, note="says what it waits for" if told else "DOES NOT SAY what it waits for")


def warm_start(plan):
    """The same run once everything is compiled: its processor time."""
    run = [*COMMAND, "run", "--games", "1000"]
    timed_process(run)
    what, start = "warm start: run of 1000 games, CPU", lambda: timed_process(run)[0]
    yield seconds_of("warm-start", what, WARM_START, start, plan.turns, lambda spent: spent.cpu)


def show_help(plan):
    """The time until the help is shown."""
    ask = [*COMMAND, "--help"]
    yield seconds_of("help", "jamaica-sim --help", HELP, lambda: timed_process(ask)[0], plan.turns)


def cost(plan):
    """Processor time for a game, and memory, in runs of very different length, each in a process of its own."""
    sizes = [10**power for power in range(4, 7 if plan.quick else 9)]
    found = {games: [] for games in sizes}
    for games in sizes:
        plan.say(f"  {games:,} games")
        for _ in range(plan.long_turns if games <= 10**6 else 1):
            found[games].append(ask_module("measuring.lone_run", games, LONG_ENOUGH))
    span = f"10^{len(str(sizes[-1])) - 1} to 10^4 games"
    note = ", ".join(f"{games:,}: {_middle(found[games], 'cpu') * 1e6:.2f} µs" for games in sizes)
    yield _growth("cost", f"CPU for a game, {span}", found, sizes, "cpu", note)
    note = ", ".join(f"{games:,}: {_middle(found[games], 'megabytes'):.0f} MB" for games in sizes)
    yield _growth("memory", f"peak memory, {span}", found, sizes, "megabytes", note)


def _growth(key, what, found, sizes, quantity, note):
    """A quantity of the largest run over that of each of the smallest."""
    largest = _middle(found[sizes[-1]], quantity)
    samples = tuple(largest / run[quantity] for run in found[sizes[0]])
    spent = [Spent(run["cpu"] * sizes[-1], run["wall"] * sizes[-1]) for run in found[sizes[-1]]]
    return Figure(key, what, RATIO, samples, LINEAR, False, *costs(spent), note)


def _middle(runs, quantity):
    return median(run[quantity] for run in runs)
