"""`jamaica-sim report`: the report of an experiment or a run, or those of all shipped experiments."""

from pathlib import Path

import click

from jamaica_sim.cli.options import PlainCommand, Whole, number_of_threads, plain_errors, say
from jamaica_sim.suggest import did_you_mean

EXAMPLE = "Example: jamaica-sim experiment run ghost_ship && jamaica-sim report ghost_ship --out ghost_ship.html"


@click.command(cls=PlainCommand, epilog=EXAMPLE)
@click.argument("folder", type=click.Path(), required=False)
@click.option("--out", type=click.Path(), default=None, help="File to write, .html or .md.  [default: FOLDER.html]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "md"]),
    default=None,
    help="One HTML file with its pictures inside, or Markdown with them beside it.  [default: by the file's name]",
)
@click.option("--chapter", "chapters", multiple=True, metavar="NAME", help="Only this chapter; may be repeated.")
@click.option(
    "--all", "everything", type=click.Path(), default=None, metavar="DIR", help="Make all shipped reports here."
)
@click.option("--times", type=Whole(1, 1000), default=None, help="With --all: so many times the experiments' games.")
@click.option(
    "--threads", "-t", type=number_of_threads, default=None, help="With --all: threads.  [default: all cores]"
)
@click.option(
    "--results", type=click.Path(), default=None, help="With --all: keep what was played here, and use it again."
)
@plain_errors
def report(folder, out, form, chapters, everything, times, threads, results):
    """Make the report of an experiment's or a run's FOLDER: one HTML file that needs nothing else, or Markdown.

    With --all, run the shipped experiments and write the report of each, and an index, into one folder.
    """
    if everything is not None:
        if folder or out or form or chapters:
            raise click.UsageError(
                "--all makes every report in both forms: leave FOLDER, --out, --format and --chapter out."
            )
        _report_all(Path(everything), times or 1, threads, results)
        return
    if folder is None:
        raise click.UsageError("Name the folder that `experiment run` or `run --out` wrote, or give --all DIR.")
    if times or threads or results:
        raise click.UsageError("--times, --threads and --results go with --all: a folder's games are played already.")
    _report_one(Path(folder), out, form, _known(chapters))


def _known(chapters):
    from jamaica_sim.experiment.file import CHAPTER_NAMES

    for chapter in chapters:
        if chapter not in CHAPTER_NAMES:
            hint = did_you_mean(chapter, CHAPTER_NAMES, "there are")
            raise click.UsageError(f"There is no chapter {chapter!r}: {hint}")
    return chapters


def _report_one(folder, out, form, chapters):
    from jamaica_sim.comparison.folder import COMPARISON, load_comparison
    from jamaica_sim.experiment.study import load_study
    from jamaica_sim.lab.balance import BALANCE, load_balance
    from jamaica_sim.lab.sensitivity import SENSITIVITY, load_sensitivity
    from jamaica_sim.lab.sweep_folder import SWEEP, load_sweep
    from jamaica_sim.report.page import (
        make_report,
        report_balance,
        report_comparison,
        report_sensitivity,
        report_sweep,
        write_report,
    )
    from jamaica_sim.store.manifest import read_plain

    path = Path(out or f"{folder.resolve().name}.{form or 'html'}")
    schema = read_plain(folder, "an experiment's, a run's, a comparison's or a sweep's").get("schema")
    if schema == COMPARISON.schema:
        if chapters:
            raise click.UsageError("A comparison's report has no chapters to choose from: leave --chapter out.")
        made = report_comparison(load_comparison(folder), folder.resolve().name)
    elif schema == SWEEP.schema:
        if chapters:
            raise click.UsageError("A sweep's report has no chapters to choose from: leave --chapter out.")
        made = report_sweep(load_sweep(folder), folder.resolve().name)
    elif schema == SENSITIVITY.schema:
        if chapters:
            raise click.UsageError("This report has no chapters to choose from: leave --chapter out.")
        made = report_sensitivity(load_sensitivity(folder), folder.resolve().name)
    elif schema == BALANCE.schema:
        if chapters:
            raise click.UsageError("This report has no chapters to choose from: leave --chapter out.")
        made = report_balance(load_balance(folder), folder.resolve().name)
    else:
        made = make_report(load_study(folder), chapters)
    say(f"Wrote {write_report(made, path, form)}.")


def _report_all(folder, times, threads, results):
    from tempfile import TemporaryDirectory

    from jamaica_sim.cli.experiment import play
    from jamaica_sim.experiment.file import experiment_names, load_experiment
    from jamaica_sim.experiment.study import load_study
    from jamaica_sim.lab.sweep_file import load_sweep_file, sweep_names
    from jamaica_sim.lab.targets import targets_names
    from jamaica_sim.report.page import make_report, report_balance, report_sweep, write_index

    found = [load_experiment(name) for name in experiment_names()]
    plans = [load_sweep_file(name) for name in sweep_names()]
    made = []
    with TemporaryDirectory() as temporary:
        for experiment in found:
            played = Path(results or temporary) / experiment.name
            say(f"{experiment.title} ({experiment.name})", err=True)
            study = (
                load_study(played)
                if _is_complete(played)
                else play(experiment, played, times * experiment.games, threads=threads)
            )
            made.append(make_report(study))
            _write_both(made[-1], folder)
        for plan in plans:
            played = Path(results or temporary) / plan.name
            say(f"{plan.title} ({plan.name})", err=True)
            made.append(report_sweep(_swept(plan, played, times, threads), plan.name))
            _write_both(made[-1], folder)
        for name in targets_names():
            played = Path(results or temporary) / name
            say(f"Rules that meet targets ({name})", err=True)
            made.append(report_balance(_balanced(name, played, threads), name))
            _write_both(made[-1], folder)
    command = f"jamaica-sim report --all {folder.name}{f' --times {times}' if times > 1 else ''}"
    for page in write_index(made, folder, command):
        say(f"Wrote {page}.")


def _write_both(report, folder):
    from jamaica_sim.report.page import write_report

    for suffix in (".html", ".md"):
        say(f"Wrote {write_report(report, folder / f'{report.name}{suffix}')}.")


def _swept(plan, played, times, threads):
    """A shipped sweep, played unless its folder is complete."""
    from jamaica_sim.cli.sweep import play_into, warm_up_sweep
    from jamaica_sim.lab.sweep_file import load_sweep_file
    from jamaica_sim.lab.sweep_folder import is_complete_sweep, load_sweep

    if played.is_dir() and is_complete_sweep(played):
        return load_sweep(played)
    plan = load_sweep_file(plan.source, times * plan.games)
    warm_up_sweep(plan)
    return play_into(plan, played, threads=threads)


def _balanced(name, played, threads):
    """A shipped search for rules, made unless its folder is complete."""
    from jamaica_sim.cli.balance import play as search
    from jamaica_sim.lab.balance import load_balance, make_task
    from jamaica_sim.lab.targets import read_targets_file

    if played.is_dir():
        return load_balance(played)
    facts, space, targets = read_targets_file(name)
    return search(make_task(space, targets, **facts), played, threads, trust=False)


def _is_complete(folder):
    from jamaica_sim.experiment.folder import is_complete

    return folder.is_dir() and is_complete(folder)
