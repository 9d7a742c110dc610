"""`jamaica-sim balance`: find rules that meet targets with few changes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.completion import complete_targets
from jamaica_sim.cli.options import Refusal, Whole, command
from jamaica_sim.cli.run import compile_first, remark, results_format, tell_how_to_go_on

if TYPE_CHECKING:
    from jamaica_sim.files.user_files import AnyPath
    from jamaica_sim.study.lab.balance_result import Balance
    from jamaica_sim.study.lab.balance_task import BalanceTask


@command("balance ghost_that_wins --out ghost && jamaica-sim report ghost")
@click.argument("targets", metavar="[TARGETS.toml]", required=False, shell_complete=complete_targets)
@click.option("--trials", type=Whole(1, 100_000), help="Sets of rules to try.  [default: 200, or the file's]")
@click.option("--games", "-n", type=options.number_of_games, help="Games of the verdict.  [default: 20000]")
@click.option("--finalists", type=Whole(1, 20), help="How many of the best to judge, at most.  [default: 3]")
@click.option(
    "--adapt",
    type=Whole(0, 5),
    metavar="STEPS",
    help="Let players adapt to the rules of each finalist, in this many steps; 0: they stay as they are.  [default: 1]",
)
@options.out
@options.house_rules
@click.option("--list", "listed", is_flag=True, help="List the shipped files of targets.")
@options.threads
@results_format
@options.trust
def balance(
    *,
    targets: str | None,
    house_rules: str | None,
    listed: bool,
    out: str | None,
    threads: int | None,
    form: str,
    trust: bool,
    **numbers: int | None,
) -> None:
    """Find rules that meet the targets in TARGETS.toml, a file or a shipped one, with as few changes as possible.

    It prints the best rules found for each number of changes, and judges the finalists on fresh deals against the base
    rules, also with players who have adapted. With --house-rules the parameters of that file may change as well.
    """
    from jamaica_sim.study.experiment.file import TARGETS, shipped_names
    from jamaica_sim.study.lab.balance_task import load_targets_file

    if listed:
        tasks = [load_targets_file(name) for name in shipped_names(TARGETS)]
        rows = [(t.name, t.title, ", ".join(f"{a.quantity.key} {a.words()}" for a in t.targets)) for t in tasks]
        show.print_list(("name", "title", "targets"), rows, form)
        return
    if targets is None:
        raise Refusal(f"Name a file of targets, or a shipped one: {', '.join(shipped_names(TARGETS))}.")
    task = load_targets_file(targets, house_rules, **numbers)
    trust = options.ask_for_trust(task.strategies, trust)
    show.print_answer(play(task.with_code(trust), out, threads), form, out)


def play(task: "BalanceTask", out: "AnyPath | None", threads: int | None) -> "Balance":
    """Run the search with a progress line, into the folder `out` if one is given."""
    from jamaica_sim.study.lab.balance import run_balance
    from jamaica_sim.study.lab.rule_space import need

    need("optuna")  # before anything is compiled
    compile_first(task.space.base)
    with tell_how_to_go_on(), live() as progress:
        return run_balance(task, out, threads, progress, remark)


@contextmanager
def live() -> Iterator[Callable[[Any], object] | None]:
    """Show how far the search is."""
    with show.status_line("The first candidates play ...") as tell:
        yield tell and (lambda progress: tell(progress.sentence()))
