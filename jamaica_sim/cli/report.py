"""`jamaica-sim report`: the report of an experiment or a run, or those of all shipped experiments."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jamaica_sim.cli.options import Whole, command, number_of_threads, say
from jamaica_sim.cli.run import quiet
from jamaica_sim.files.escape import did_you_mean

if TYPE_CHECKING:
    from jamaica_sim.study.lab.balance_result import Balance
    from jamaica_sim.study.lab.balance_task import BalanceTask
    from jamaica_sim.study.lab.sweep import Sweep, SweepPlan


@command("experiment run ghost_ship && jamaica-sim report ghost_ship --out ghost_ship.html")
@click.argument("folder", type=click.Path(), required=False)
@click.option("--out", type=click.Path(), help="HTML file to write.  [default: FOLDER.html]")
@click.option("--chapter", "chapters", multiple=True, metavar="NAME", help="Only this chapter; may be repeated.")
@click.option("--all", "everything", type=click.Path(), metavar="DIR", help="Make all shipped reports here.")
@click.option(
    "--only", multiple=True, metavar="NAME", help="With --all: only this report and the index; may be repeated."
)
@click.option("--times", type=Whole(1, 1000), help="With --all: multiply the experiments' games by this.")
@click.option("--threads", "-t", type=number_of_threads, help="With --all: threads.  [default: all cores]")
@click.option(
    "--results", type=click.Path(), help="With --all: keep the games in this folder, and reuse them next time."
)
@quiet
def report(
    *,
    folder: str | None,
    out: str | None,
    chapters: tuple[str, ...],
    everything: str | None,
    only: tuple[str, ...],
    times: int | None,
    threads: int | None,
    results: str | None,
) -> None:
    """Make the report of an experiment's or a run's FOLDER: one HTML file that needs nothing else.

    With --all, run the shipped experiments and write the report of each, and an index, into one folder.
    """
    if everything is not None:
        if folder or out or chapters:
            raise click.UsageError("--all makes every report: leave FOLDER, --out and --chapter out.")
        _report_all(Path(everything), times or 1, threads, results, only)
        return
    if folder is None:
        raise click.UsageError("Name the folder that `experiment run` or `run --out` wrote, or give --all DIR.")
    if only or times or threads or results:
        raise click.UsageError(
            "--only, --times, --threads and --results go with --all: a folder's games are played already."
        )
    _report_one(Path(folder), out, _known(chapters))


def _known(chapters: Sequence[str]) -> Sequence[str]:
    from jamaica_sim.study.experiment.chapters import CHAPTERS

    for chapter in chapters:
        if chapter not in CHAPTERS:
            hint = did_you_mean(chapter, CHAPTERS, "there are")
            raise click.UsageError(f"There is no chapter {chapter!r}: {hint}")
    return chapters


def _report_one(folder: Path, out: str | None, chapters: Sequence[str]) -> None:
    from jamaica_sim.api import report_of

    made = report_of(folder, chapters)
    from jamaica_sim.report.page import write_report  # slow, and in vain where the folder has no report

    path = Path(out or f"{folder.resolve().name}.html")
    say(f"Wrote {write_report(made, path)}.")


def _report_all(folder: Path, times: int, threads: int | None, results: str | None, only: Sequence[str]) -> None:
    from jamaica_sim.cli.balance import play as search
    from jamaica_sim.cli.experiment import play
    from jamaica_sim.cli.run import compile_first
    from jamaica_sim.cli.sweep import play_into
    from jamaica_sim.report.shipped import Playing, make_all

    def swept(plan: "SweepPlan", played: Path, threads: int | None) -> "Sweep":
        plan = plan.with_code()
        compile_first(plan.base)
        return play_into(plan, played, threads=threads)

    def searched(task: "BalanceTask", played: Path, threads: int | None) -> "Balance":
        return search(task.with_code(), played, threads)

    def tell(sentence: str) -> None:
        say(sentence, err=not sentence.startswith("Wrote "))

    make_all(folder, only, times, threads, results, tell, Playing(play, swept, searched))
