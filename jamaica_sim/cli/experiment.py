"""`jamaica-sim experiment`: list the experiments, show one, run one."""

from contextlib import contextmanager
from pathlib import Path

import click

from jamaica_sim.cli.options import (
    Group,
    PlainCommand,
    ask_for_trust,
    complete_experiment,
    number_of_games,
    plain_errors,
    say,
    trust_option,
)
from jamaica_sim.cli.run import check_players, tell_how_to_go_on, who_plays


@click.group(cls=Group, epilog="Example: jamaica-sim experiment run ghost_ship && jamaica-sim report ghost_ship")
def experiment():
    """List, show and run experiments: files that say what is to be compared."""


@experiment.command("list", cls=PlainCommand, epilog="Example: jamaica-sim experiment list")
@plain_errors
def list_experiments():
    """The shipped experiments: name, settings to play, games at each, title."""
    from jamaica_sim.cli.show import print_rows
    from jamaica_sim.experiment.file import experiment_names, load_experiment

    loaded = [load_experiment(name) for name in experiment_names()]
    rows = [(e.name, len(e.settings), f"{e.games:,}", e.title) for e in loaded]
    print_rows(("name", "settings", "games each", "title"), rows)
    say("\nRun one as `jamaica-sim experiment run NAME`; `jamaica-sim experiment show NAME` tells what it plays.")


@experiment.command(cls=PlainCommand, epilog="Example: jamaica-sim experiment show ghost_ship")
@click.argument("name", metavar="NAME_OR_FILE", shell_complete=complete_experiment)
@plain_errors
def show(name):
    """What an experiment plays, and which chapters its report will have. Nothing is played."""
    from jamaica_sim.experiment.file import load_experiment

    found = load_experiment(name)
    say(f"{found.title}\n\n{found.description}\n")
    say(f"{found.games:,} games at each of {len(found.settings)} settings, the same deals (seed {found.seed}):")
    for setting in found.settings:
        say(f"  {setting.label}")
    say(f"\nChapters of the report: {', '.join(found.chapters) or 'all that apply'}.")


@experiment.command(cls=PlainCommand, epilog="Example: jamaica-sim experiment run ghost_ship --games 20000")
@click.argument("name", metavar="NAME_OR_FILE", shell_complete=complete_experiment)
@click.option(
    "--games", "-n", type=number_of_games, default=None, help="Games at each setting.  [default: the experiment's]"
)
@click.option("--out", type=click.Path(), default=None, help="Folder to write.  [default: the experiment's name]")
@who_plays
@trust_option
@plain_errors
def run(name, games, out, threads, cluster, trust):
    """Play every setting of an experiment on the same deals. Run again after an interruption, it goes on."""
    from jamaica_sim.experiment.file import load_experiment

    check_players(threads, cluster)
    found = load_experiment(name)
    folder = Path(out or found.name)
    trust = ask_for_trust((s for setting in found.settings for s in setting.strategies), trust)
    with tell_how_to_go_on():
        play(found, folder, games, trust=trust, threads=threads, cluster=cluster)
    say_written(folder)


def say_written(folder):
    """Where the experiment is, and what to do with it."""
    from jamaica_sim.play.commands import typed

    again = typed("report", folder, "--out", f"{Path(folder).resolve().name}.html")
    say(f"Wrote {folder}. See it: {again}")


def play(found, folder, games=None, trust=False, **who):
    """Run an experiment with a line on each setting; after an interruption it can be resumed."""
    from jamaica_sim.cli import show as shown
    from jamaica_sim.experiment.play import run_experiment
    from jamaica_sim.play.game_table import seat_table
    from jamaica_sim.run.play import needs_compiling, warm_up

    games = games or found.games
    first = seat_table(found.settings[0].rules, found.settings[0].strategies, found.seed).awake(trust)
    with shown.while_compiling(needs_compiling(first)):
        warm_up(first)
    return run_experiment(found, folder, games, watch_settings(len(found.settings), games), trust=trust, **who)


def watch_settings(settings, games):
    """A line for each setting on standard error, with a bar while it is played."""
    import time

    from jamaica_sim.cli import show as shown
    from jamaica_sim.escape import visible

    @contextmanager
    def watch(label, number):
        started = time.perf_counter()
        with shown.progress_bar(games, f"games at setting {number + 1} of {settings}") as progress:
            yield progress
        seconds = time.perf_counter() - started
        speed = f"{games:,} games in {seconds:.1f} s, {games / seconds:,.0f} a second"
        shown.errors.print(visible(f"{number + 1:>3} of {settings}  {label}: {speed}"), soft_wrap=True)

    watch.remark = lambda what: shown.errors.print(visible(f"     {what}"), soft_wrap=True)
    return watch
