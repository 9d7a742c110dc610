"""`jamaica-sim train`: teach a net what search would play, and say how strong it is."""

import sys
import time
from pathlib import Path
from typing import Any

import click

from jamaica_sim.cli import show
from jamaica_sim.cli.completion import complete_strategy
from jamaica_sim.cli.options import Count, Refusal, command, say
from jamaica_sim.cli.run import results_format
from jamaica_sim.cli.tune import arena_options, arena_tables


@command(
    "train --rules my_rules.toml --out expert.toml",
    hints={"Missing option '--out'": "Name the strategy file to write, such as --out expert.toml."},
)
@click.option("--out", type=click.Path(), required=True, help="Strategy file to write; beside it the net and labels.")
@click.option(
    "--start",
    default="master",
    show_default=True,
    metavar="NAME_OR_FILE",
    shell_complete=complete_strategy,
    help="A strategy with a net, to train further; or one of weights, to begin with a random net.",
)
@click.option(
    "--labels",
    type=Count(1, 100_000_000),
    default=300_000,
    metavar="NUMBER",
    help="Decisions to search.  [default: 300000]",
)
@click.option(
    "--every-table",
    is_flag=True,
    help="Train for all tables: 2 to 6 players, both editions, with and without the ghost.",
)
@click.option(
    "--against",
    multiple=True,
    default=["veteran"],
    metavar="NAME_OR_FILE",
    shell_complete=complete_strategy,
    help="Opponents in the verdict; may be repeated.  [default: veteran]",
)
@arena_options
@results_format
def train(form: str, out: str, start: str, labels: int, every_table: bool, **how: Any) -> None:
    """Train a strong player for your rules: a search values the options of many decisions, and a net learns them.

    Ctrl-C keeps what is labelled, and the same command goes on from there; with more --labels also after the end. The
    verdict is on fresh deals, and may be that there is no gain.
    """
    from jamaica_sim.study.train import train as training

    tables = _every_table(how) if every_table else arena_tables(how)
    file = Path(out)
    task = training.make_task(start, tables, labels, how["against"], how["games"], how["seed"], file.stem)
    training.refuse_other_files(file, task)
    with show.while_compiling(training.needs_compiling(task)):
        training.warm_up(task)
    started = time.monotonic()
    with show.status_line("The first labels are made ...") as tell:

        def show_so_far(what: str, done: int, of: int) -> None:
            how_far = f"{done:,} of {of:,} labels" if what == "labels" else f"The net is trained: {done / of:.0%}"
            if tell:
                tell(f"{how_far}; {(time.monotonic() - started) / 60:.1f} minutes; Ctrl-C keeps the labels")

        trained = training.carry_out(task, file, how["threads"], show_so_far)
    if not trained.complete:
        say(f"{trained.sentence()} They are kept; the same command goes on.", err=True)
        sys.exit(1)
    show.print_answer(trained, form, None, f"Wrote {out}. Seat it by -s {out}, under the rules of its training.")


def _every_table(how: dict[str, Any]) -> tuple[Any, ...]:
    from jamaica_sim.play.check import every_rules

    options = {name: name for name in ("players", "edition", "ghost")} | {"rule_changes": "rule", "rules_file": "rules"}
    for name, option in options.items():
        if how[name] not in (None, ()):
            raise Refusal(f"--every-table plays tables of every kind: leave --{option} out.")
    return tuple(every_rules())
