"""`jamaica-sim sensitivity`: which rules matter, and for which quantity."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli.options import (
    PlainCommand,
    Refusal,
    Whole,
    ask_for_trust,
    lay_table,
    number_of_games,
    out_option,
    table_options,
    threads_option,
    trust_option,
)
from jamaica_sim.cli.run import compile_first, results_format, tell_how_to_go_on

if TYPE_CHECKING:
    from jamaica_sim.lab.sensitivity_result import Sensitivity
    from jamaica_sim.lab.sensitivity_task import SensitivityTask

EXAMPLE = "Example: jamaica-sim sensitivity --players 4 --out matters && jamaica-sim report matters"


@click.command(cls=PlainCommand, epilog=EXAMPLE)
@click.argument("file", metavar="[RANGES.toml]", required=False)
@click.option("--games", "-n", type=number_of_games, default=None, help="Games of each set of rules.  [default: 2000]")
@click.option("--trajectories", type=Whole(2, 1000), default=None, help="Walks of the screening.  [default: 10]")
@click.option(
    "--samples", type=Whole(2, 2**16), default=None, help="Samples for the indices, a power of two.  [default: 64]"
)
@click.option(
    "--kept", type=Whole(2, 60), default=None, help="Compute indices for at most this many rules.  [default: 6]"
)
@table_options
@out_option
@threads_option
@results_format
@trust_option
def sensitivity(
    *,
    file: str | None,
    games: int | None,
    trajectories: int | None,
    samples: int | None,
    kept: int | None,
    out: str | None,
    threads: int | None,
    form: str,
    trust: bool,
    **table_facts: Any,
) -> None:
    """Which rules matter, for which quantity: Morris screening of all, then Sobol indices of those that do.

    RANGES.toml says which rules may vary and over which values; without it the usual ones do.
    """
    from jamaica_sim.cli import show

    numbers = {"games": games, "trajectories": trajectories, "samples": samples, "kept": kept}
    task = _task(file, numbers, table_facts)
    trust = ask_for_trust(task.space.base.strategies, trust)
    show.print_answer(play(task.awake(trust), out, threads), form, out)


def _task(file: str | None, numbers: dict[str, int | None], table_facts: dict[str, Any]) -> "SensitivityTask":
    from jamaica_sim.lab.ranges_file import load_ranges_file
    from jamaica_sim.lab.rule_space import make_space
    from jamaica_sim.lab.sensitivity_task import SensitivityTask

    if file is not None:
        if any(value not in (None, ()) for value in table_facts.values()):
            raise Refusal("A file of ranges has its own rules, players and seed: give none of them with it.")
        return load_ranges_file(file, **numbers)
    given = {name: number for name, number in numbers.items() if number is not None}
    return SensitivityTask.checked(make_space(lay_table(**table_facts)), **given)


def play(task: "SensitivityTask", out: str | None, threads: int | None) -> "Sensitivity":
    """Run the analysis with a progress bar, into the folder `out` if one is given."""
    from jamaica_sim.lab.sensitivity import run_sensitivity

    compile_first(task.space.base)
    with tell_how_to_go_on(), bar() as progress:
        return run_sensitivity(task, out, threads, progress)


def bar() -> AbstractContextManager[Callable[[int, int], object]]:
    """A progress bar whose total may change."""
    from jamaica_sim.cli import show

    return show.moving_bar("sets of rules")
