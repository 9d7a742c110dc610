"""`jamaica-sim sensitivity`: which rules matter, and for which quantity."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Refusal, Whole, command
from jamaica_sim.cli.run import compile_first, results_format, tell_how_to_go_on


@command("sensitivity --players 4 --out matters && jamaica-sim report matters")
@click.argument("file", metavar="[RANGES.toml]", required=False)
@click.option("--games", "-n", type=options.number_of_games, help="Games of each set of rules.  [default: 2000]")
@click.option(
    "--trajectories", type=Whole(2, 1000), help="How often the screening changes each rule (Morris).  [default: 10]"
)
@click.option(
    "--samples",
    type=Whole(2, 2**16),
    help="Sets of rules to measure the strongest by, a power of two (Sobol).  [default: 64]",
)
@click.option("--kept", type=Whole(2, 60), help="Measure at most this many rules (Sobol).  [default: 6]")
@options.table
@options.out
@options.threads
@results_format
@options.trust
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
    """Find out which rules matter, and for what: all are screened (Morris), the strongest measured (Sobol).

    RANGES.toml says which rules vary, and over which values; without it, those that designers usually change.
    """
    from jamaica_sim.study.lab.rule_space import make_space
    from jamaica_sim.study.lab.screening import SensitivityTask, load_ranges_file
    from jamaica_sim.study.lab.sensitivity import run_sensitivity

    numbers = {"games": games, "trajectories": trajectories, "samples": samples, "kept": kept}
    if file is None:
        task = SensitivityTask.checked(make_space(options.lay_table(**table_facts)), **numbers)
    elif any(value not in (None, ()) for value in table_facts.values()):
        raise Refusal("A file of ranges has its own rules, players and seed: give none of them with it.")
    else:
        task = load_ranges_file(file, **numbers)
    task = task.with_code(options.ask_for_trust(task.strategies, trust))
    compile_first(task.space.base)
    with tell_how_to_go_on(), bar() as progress:
        found = run_sensitivity(task, out, threads, progress)
    show.print_answer(found, form, out)


def bar() -> AbstractContextManager[Callable[..., None]]:
    """A progress bar whose total may change."""
    return show.progress_bar(1, "sets of rules")
