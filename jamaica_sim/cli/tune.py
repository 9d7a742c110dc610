"""`jamaica-sim tune`: find better weights for a strategy, and say how much better they are."""

import sys
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.completion import complete_edition, complete_strategy
from jamaica_sim.cli.options import Refusal, Whole, command, say
from jamaica_sim.cli.run import results_format

if TYPE_CHECKING:
    from jamaica_sim.game.rules import Rules
    from jamaica_sim.study.tune.tune import TuningProgress


# The options of `tune` and `train` that say where a strategy has to be good, and how it is judged.
arena_options = options.together(
    click.option("--players", "-p", multiple=True, type=Whole(2, 6), help="Players; may be repeated.  [default: 4]"),
    click.option(
        "--edition",
        "-e",
        multiple=True,
        shell_complete=complete_edition,
        help="Rules of 2007 or 2021; may be repeated.  [default: 2007]",
    ),
    click.option("--ghost/--no-ghost", default=None, help="The ghost ship.  [default: with 2 players only]"),
    options.rule,
    options.rules_file("A TOML file with changed rules."),
    click.option(
        "--games", "-n", type=options.number_of_games, default=20_000, show_default=True, help="Games of the verdict."
    ),
    click.option("--seed", type=options.seed_number, default=1, help="Seed of all luck.  [default: 1]"),
    options.threads,
)


def arena_tables(how: dict[str, Any]) -> "tuple[Rules, ...]":
    """The tables that these options describe: each number of players by each edition."""
    tables = [
        options.table_rules(number, edition, how["ghost"], how["rule_changes"], how["rules_file"])
        for number in how["players"] or [None]
        for edition in how["edition"] or [None]
    ]
    return tuple(dict.fromkeys(tables))


@command(
    "tune ./my_strategy.toml --minutes 10 --out mine.toml",
    hints={"Missing option '--out'": "Name the file to write, such as --out mine.toml."},
)
@click.argument("start", metavar="[FILE]", required=False, shell_complete=complete_strategy)
@click.option(
    "--out", type=click.Path(), required=True, help="File for the best weights; their history is kept beside it."
)
@click.option(
    "--against",
    multiple=True,
    metavar="NAME_OR_FILE",
    shell_complete=complete_strategy,
    help="An opponent; may be repeated.  [default: veteran]",
)
@click.option(
    "--exploit",
    metavar="NAME_OR_FILE",
    shell_complete=complete_strategy,
    help="Instead of --against: find the best answer to this strategy.",
)
@click.option(
    "--weight", "weights", multiple=True, metavar="NAME", help="Tune only this weight; may be repeated.  [default: all]"
)
@click.option(
    "--minutes",
    type=float,
    help="How long to tune, earlier sessions included; then the last generation is played to its end, and the games "
    "of the verdict.  [default: 10]",
)
@click.option(
    "--evaluations", type=options.number_of_games, metavar="NUMBER", help="Instead of --minutes: variations to try."
)
@arena_options
@results_format
def tune(
    *,
    form: str,
    start: str | None,
    out: str,
    against: tuple[str, ...],
    exploit: str | None,
    weights: tuple[str, ...],
    minutes: float | None,
    evaluations: int | None,
    **how: Any,
) -> None:
    """Find better weights for the strategy in FILE: one ship of each variation plays against a field on the same deals.

    Ctrl-C keeps the best so far, and the same command goes on from there; with more --minutes also after the end. The
    verdict is on fresh deals, and may be that there is no gain. With --exploit, FILE may be left out.
    """
    if minutes is not None and evaluations is not None:
        raise Refusal("Give either --minutes or --evaluations, not both.")
    if start is None and exploit is None:
        raise Refusal("Name a file of weights to begin with, or a strategy to answer with --exploit.")
    from jamaica_sim.study.tune import tune as tuning

    task = tuning.make_task(
        start,
        arena_tables(how),
        against=against,
        exploit=exploit,
        weights=weights,
        budget=tuning.Budget(minutes, evaluations, how["games"]),
        seed=how["seed"],
    )
    minutes = task.budget.minutes
    with show.while_compiling(tuning.needs_compiling(task)):
        tuning.warm_up(task)
    of = f"of {minutes:g} minutes" if minutes else f"minutes, of {task.budget.evaluations:,} variations"
    with show.status_line("The first generation plays ...") as tell:

        def show_so_far(progress: "TuningProgress") -> None:
            if tell:
                spent = progress.seconds / 60
                if minutes and spent >= minutes:
                    tell(f"{progress.sentence()}; the {minutes:g} minutes are over, the verdict is played")
                else:
                    tell(f"{progress.sentence()}; {spent:.1f} {of}; Ctrl-C keeps the best")

        tuned = tuning.carry_out(task, out, how["threads"], show_so_far if tell else None)
    if not tuned.complete:
        say(f"{tuned.sentence()} {out} has the best so far; the same command goes on.", err=True)
        sys.exit(1)
    show.print_answer(tuned, form, None, f"Wrote {out}.")
