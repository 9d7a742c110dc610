"""Players who adapt: the best answer found to the players of a table, step by step.

A changed rule is judged by players of the old one unless they adapt. A step looks for the best answer to the strategy
that all play; if one is found, all play it. It is the best found, and no equilibrium. Steps are kept among the user's
files: the same call goes on from one that was stopped.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jamaica_sim.errors import UserError
from jamaica_sim.files.atomic_files import hash_of
from jamaica_sim.files.limits import MOST_STEPS, is_int_between
from jamaica_sim.files.sources import played_by
from jamaica_sim.files.user_files import safe_folder, users_folder
from jamaica_sim.play.game_table import GameTable
from jamaica_sim.strategy.library import load_strategy, strategy_from_weights
from jamaica_sim.strategy.strategy import Strategy
from jamaica_sim.study.simulate import Stopped
from jamaica_sim.study.tune.tune import Budget, TuningTask, carry_out, make_task, tables_of, warm_up
from jamaica_sim.study.tune.tuned import Tuned

EVALUATIONS = 300  # variations of a step
VERDICT_GAMES = 8_000
MOST_KEPT = 300  # steps among the user's files, of 30 kB each; the oldest go first
STRONGEST = "champion"  # who adapts where different strategies sit at the table


def stopped_adapting(when: str) -> Stopped:
    """The players were stopped while they adapted, or afterwards."""
    kept = "what they found so far is kept, and the same command goes on from there"
    return Stopped(f"Stopped while {when}: {kept if _kept_steps() else 'nothing is kept'}.")


@dataclass(frozen=True, eq=False)
class Adapted:
    """The steps at one table: what was found in each, and the table of the last players."""

    table: GameTable
    steps: tuple[Tuned, ...]

    @property
    def strategy(self) -> Strategy:
        """What all play in the end."""
        return self.table.strategies[0]

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


def adapt(
    table: GameTable,
    steps: int = 1,
    evaluations: int = EVALUATIONS,
    games: int = VERDICT_GAMES,
    threads: int | None = None,
    tell: Callable[[str], object] | None = None,
) -> Adapted:
    """Let the players of a table adapt to its rules; ends early where no better answer is found.

    Ctrl-C raises `Stopped`.
    """
    if not is_int_between(steps, 1, MOST_STEPS):
        raise UserError(f"players adapt in 1 to {MOST_STEPS} steps, not {steps!r}.")
    playing, found = who_adapts(table), []
    for number in range(1, steps + 1):
        if tell is not None:
            tell(f"The players adapt to the rules, step {number} of {steps} ...")
        tables = tables_of(table.rules)
        budget = Budget(evaluations=evaluations, games=games)
        task = make_task(None, tables, exploit=playing, budget=budget, seed=table.seed)
        warm_up(task)
        kept = _kept_step(task)
        step = carry_out(task, kept, threads)
        if not step.complete:
            raise stopped_adapting(f"the players adapted, in step {number} of {steps}")
        found.append(step)
        if step.verdict != "better":
            break
        name = f"answer {number} to {who_adapts(table).name}"
        playing = strategy_from_weights(step.strategy.changes, name, "the best answer found")
    return Adapted(table.but(strategies=[playing]), tuple(found))


def _kept_step(task: TuningTask) -> Path | None:
    """The file in which a step is kept, named after all that decides it; None where the user has no folder for it."""
    folder = _kept_steps()
    if folder is None:
        return None
    facts = [task.facts(), task.budget.evaluations, played_by()]
    step = folder / f"{hash_of(json.dumps(facts, sort_keys=True).encode())[:24]}.toml"
    with suppress(OSError):  # another process removes them, too
        for history in sorted(folder.glob("*.tuning.json"), key=lambda file: file.stat().st_mtime)[:-MOST_KEPT]:
            history.unlink()
            history.with_name(history.name.replace(".tuning.json", ".toml")).unlink(missing_ok=True)
    return step


def _kept_steps() -> Path | None:
    state = users_folder("state")
    return state and safe_folder(state / "adapting", make=True)


def who_adapts(table: GameTable) -> Strategy:
    """The strategy that all play, if it has weights; otherwise the strongest that has."""
    alike = len({strategy.digest for strategy in table.strategies}) == 1
    return table.strategies[0] if alike and table.strategies[0].kind == "data" else load_strategy(STRONGEST)
