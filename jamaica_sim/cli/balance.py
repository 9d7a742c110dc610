"""`jamaica-sim balance`: find rules that meet targets with few changes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli.completion import complete_targets
from jamaica_sim.cli.options import (
    PlainCommand,
    Refusal,
    Whole,
    ask_for_trust,
    house_rules_option,
    number_of_games,
    out_option,
    threads_option,
    trust_option,
)
from jamaica_sim.cli.run import compile_first, results_format, tell_how_to_go_on

if TYPE_CHECKING:
    from jamaica_sim.lab.balance_result import Balance
    from jamaica_sim.lab.balance_task import BalanceTask
    from jamaica_sim.user_files import AnyPath

EXAMPLE = "Example: jamaica-sim balance ghost_that_wins --out ghost && jamaica-sim report ghost"


@click.command(cls=PlainCommand, epilog=EXAMPLE)
@click.argument("targets", metavar="[TARGETS.toml]", required=False, shell_complete=complete_targets)
@click.option(
    "--trials", type=Whole(1, 100_000), default=None, help="Candidates to try.  [default: 200, or the file's]"
)
@click.option("--games", "-n", type=number_of_games, default=None, help="Games of the verdict.  [default: 20000]")
@click.option("--finalists", type=Whole(1, 20), default=None, help="Proposals to judge, at most.  [default: 3]")
@click.option(
    "--retune",
    type=Whole(0, 100_000),
    default=None,
    help="Variations of a player under each finalist's rules; 0: players stay as they are.  [default: 300]",
)
@out_option
@house_rules_option
@click.option("--list", "listed", is_flag=True, help="List the shipped files of targets.")
@threads_option
@results_format
@trust_option
def balance(
    *,
    targets: str | None,
    trials: int | None,
    games: int | None,
    finalists: int | None,
    retune: int | None,
    out: str | None,
    house_rules: str | None,
    listed: bool,
    threads: int | None,
    form: str,
    trust: bool,
) -> None:
    """Find rules that meet the targets in TARGETS.toml, a file or a shipped one, with as few changes as possible.

    With --house-rules the parameters of that file may change as well.
    Printed are the Pareto front, and a verdict on fresh deals against the base rules, also with players that adapted.
    """
    from jamaica_sim.cli import show
    from jamaica_sim.lab.balance_task import BalanceTask
    from jamaica_sim.lab.targets import read_targets_file, targets_names

    if listed:
        _print_list()
        return
    if targets is None:
        raise Refusal(f"Name a file of targets, or a shipped one: {', '.join(targets_names())}.")
    facts, space, wanted = read_targets_file(targets, house_rules)
    given = {"trials": trials, "games": games, "finalists": finalists, "retune": retune}
    task = BalanceTask.checked(space, wanted, **{**facts, **{name: n for name, n in given.items() if n is not None}})
    trust = ask_for_trust(task.space.base.strategies, trust)
    show.print_answer(play(task.awake(trust), out, threads), form, out)


def play(task: "BalanceTask", out: "AnyPath | None", threads: int | None) -> "Balance":
    """Run the search with a progress line, into the folder `out` if one is given."""
    from jamaica_sim.lab.balance import run_balance

    compile_first(task.space.base)
    with tell_how_to_go_on(), live() as progress:
        return run_balance(task, out, threads, progress)


@contextmanager
def live() -> Iterator[Callable[[Any], object] | None]:
    """Show how far the search is."""
    from jamaica_sim.cli import show

    with show.status_line("The first candidates play ...") as tell:
        yield tell and (lambda progress: tell(progress.sentence()))


def _print_list() -> None:
    from jamaica_sim.cli.show import print_rows
    from jamaica_sim.lab.targets import read_targets_file, targets_names

    rows = []
    for name in targets_names():
        facts, _, wanted = read_targets_file(name)
        rows.append((name, ", ".join(f"{t.quantity.key} {t.words()}" for t in wanted), facts["title"]))
    print_rows(("name", "targets", "title"), rows)
