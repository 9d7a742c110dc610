"""Players who adapt: the best answer found to the players of a table, step by step, and the game that they then play.

A changed rule is judged by players of the old one unless they adapt. A step looks for the best answer to the strategy
that all play; if one is found, all play it. It is the best found, and no equilibrium.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from jamaica_sim.errors import UserError
from jamaica_sim.lab.common_deals import play_tables
from jamaica_sim.lab.sweep import Sweep, play_sweep
from jamaica_sim.limits import is_whole
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.results.measures import quantities_of
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.strategy.library import load_strategy, strategy_from_weights
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.tuning.tune import tune
from jamaica_sim.tuning.tuned import Tuned

MOST_STEPS = 5
EVALUATIONS = 300  # variations of a step
VERDICT_GAMES = 8_000
STRONGEST = "champion"  # who adapts where different strategies sit at the table


@dataclass(frozen=True, eq=False)
class Adapted:
    """The steps at one table: what was found in each, and the table of the last players."""

    table: GameTable
    steps: tuple[Tuned, ...]

    def sentence(self) -> str:
        """What the players found, in words."""
        told = []
        for number, step in enumerate(self.steps, 1):
            if step.verdict == "better":
                gained = f"{step.gain():%}".replace("% ±", " ±")
                told.append(f"step {number}: the best answer found to {step.reference.name} gains {gained} points")
            else:
                told.append(f"step {number}: no better answer to {step.reference.name} was found")
        tried = sum(step.evaluations for step in self.steps)
        return f"{'; '.join(told)} ({tried:,} variations)."


def check_steps(steps: int) -> None:
    """Refuse a number of steps that makes no sense."""
    if not is_whole(steps, 1, MOST_STEPS):
        raise UserError(f"players adapt in 1 to {MOST_STEPS} steps, not {steps!r}.")


def adapt(
    table: GameTable,
    steps: int = 1,
    evaluations: int = EVALUATIONS,
    games: int = VERDICT_GAMES,
    threads: int | None = None,
    tell: Callable[[str], object] | None = None,
) -> Adapted:
    """Let the players of a table adapt to its rules; ends early where no better answer is found."""
    check_steps(steps)
    playing, found = _who_adapts(table), []
    for number in range(1, steps + 1):
        if tell is not None:
            tell(f"The players adapt to the rules, step {number} of {steps} ...")
        step = tune(
            exploit=playing, rules=table.rules, evaluations=evaluations, games=games, seed=table.seed, threads=threads
        )
        if not step.complete:
            raise KeyboardInterrupt
        found.append(step)
        if step.verdict != "better":
            break
        name = f"answer {number} to {_who_adapts(table).name}"
        playing = strategy_from_weights(step.strategy.changes, name, "the best answer found")
    return Adapted(GameTable.seat(table.rules, [playing], table.seed, table.luck), tuple(found))


def _who_adapts(table: GameTable) -> Strategy:
    alike = len({strategy.digest for strategy in table.strategies}) == 1
    return table.strategies[0] if alike and table.strategies[0].kind == "data" else load_strategy(STRONGEST)


def side_by_side(old: Results, adapted: Adapted, threads: int | None = None) -> ResultTable:
    """Every quantity at the table of the old players and at that of the adapted ones, on the same deals."""
    played = play_tables([adapted.table], old.games, old.first_game, threads)
    assert played is not None  # nobody stops it
    (new,) = played
    known = [q for q in quantities_of(old.table) if q in quantities_of(new.table)]
    rows = [(q.column + (" (%)" if q.share else ""), q.shown(old), q.shown(new), q.difference(old, new)) for q in known]
    columns = ("quantity", "old players", "adapted players", "difference")
    note = "best answers found, on the same deals; shares in percent"
    return ResultTable("Old players and adapted ones", columns, rows, note=note)


def adapted_sweep(
    found: Sweep, steps: int, threads: int | None = None, tell: Callable[[str], object] | None = None
) -> tuple[Sweep, list[str]]:
    """A sweep again with players who have adapted to each set of rules, and what they found under each."""
    plan, tables, told = found.plan, [], []
    for values, table in zip(plan.points, plan.tables, strict=True):
        label = plan.label(values)
        if tell is not None:
            tell(f"{label}:")
        adapted = adapt(table, steps, threads=threads, tell=tell)
        tables.append(adapted.table)
        told.append(f"{label}: {adapted.sentence()}")
    return play_sweep(replace(plan, base=tables[0], tables=tuple(tables)), threads), told
