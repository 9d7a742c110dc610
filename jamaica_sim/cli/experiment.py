"""`jamaica-sim experiment`: list the experiments, show one, start one, run one."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options
from jamaica_sim.cli import show as shown
from jamaica_sim.cli.completion import complete_experiment
from jamaica_sim.cli.options import Group, say
from jamaica_sim.cli.run import check_players, compile_first, list_format, quiet, tell_how_to_go_on, who_plays

if TYPE_CHECKING:
    from jamaica_sim.study.experiment.file import Experiment
    from jamaica_sim.study.experiment.study import Study


@click.group(cls=Group, epilog="Example: jamaica-sim experiment run ghost_ship && jamaica-sim report ghost_ship")
def experiment() -> None:
    """List, show, start and run experiments: files that say what to compare."""


@experiment.command("list", epilog="Example: jamaica-sim experiment list")
@list_format
def list_experiments(form: str) -> None:
    """The shipped experiments: name, settings to play, games at each, title."""
    from jamaica_sim.study.experiment.file import load_experiment, shipped_names

    loaded = [load_experiment(name) for name in shipped_names()]
    rows = [(e.name, len(e.settings), f"{e.games:,}" if form == "table" else e.games, e.title) for e in loaded]
    hint = "\nRun one as `jamaica-sim experiment run NAME`; `jamaica-sim experiment show NAME` tells what it plays."
    shown.print_list(("name", "settings", "games each", "title"), rows, form, hint)


@experiment.command(epilog="Example: jamaica-sim experiment show ghost_ship")
@click.argument("name", metavar="NAME_OR_FILE", shell_complete=complete_experiment)
def show(name: str) -> None:
    """What an experiment plays, and which chapters its report will have. Nothing is played."""
    from jamaica_sim.study.experiment.file import load_experiment
    from jamaica_sim.study.experiment.setting import shared_changes, variants_told

    found = load_experiment(name)
    say("\n\n".join(filter(None, (found.title, found.description))) + "\n")
    say(f"{found.games:,} games at each of {len(found.settings)} settings, the same deals (seed {found.seed}):")
    for setting in found.settings:
        say(f"  {setting.label}")
    if shared := shared_changes(found.settings):
        say(f"\nIn all of them: {shared}.")
    for variant in variants_told(found.settings):
        say(f"\nIn {variant}.")
    say(f"\nChapters of the report: {', '.join(found.chapters) or 'all that apply'}.")


@experiment.command(epilog="Example: jamaica-sim experiment new my_rule --rules my_rules.toml")
@click.argument("name")
@options.rules_file("A TOML file with the rules to compare.")
@click.option("--into", type=click.Path(), default=".", show_default=True, help="Folder to write the file into.")
def new(name: str, rules_file: str | None, into: str) -> None:
    """Write a commented file that compares rules of your own with the printed ones; it can be run as it is."""
    from jamaica_sim.play.commands import typed
    from jamaica_sim.study.experiment.template import new_experiment

    path = new_experiment(name, into, rules_file)
    say(f"Wrote {path}. Try it: {typed('experiment', 'run', path)} && {typed('report', name)}")


@experiment.command(epilog="Example: jamaica-sim experiment run ghost_ship --games 20000")
@click.argument("name", metavar="NAME_OR_FILE", shell_complete=complete_experiment)
@click.option("--games", "-n", type=options.number_of_games, help="Games at each setting.  [default: the experiment's]")
@click.option("--out", type=click.Path(), help="Folder to write.  [default: the experiment's name]")
@who_plays
@quiet
@options.trust
def run(name: str, games: int | None, out: str | None, threads: int | None, cluster: str | None, trust: bool) -> None:
    """Play every setting of an experiment on the same deals. Run again after an interruption, it goes on."""
    from jamaica_sim.study.experiment.file import load_experiment

    check_players(threads, cluster)
    found = load_experiment(name)
    folder = Path(out or found.name)
    trust = options.ask_for_trust((s for setting in found.settings for s in setting.strategies), trust)
    with tell_how_to_go_on():
        play(found, folder, games, trust=trust, threads=threads, cluster=cluster)
    say(shown.written(folder))


def play(found: "Experiment", folder: Path, games: int | None = None, trust: bool = False, **who: Any) -> "Study":
    """Run an experiment with a line on each setting; after an interruption it can be resumed."""
    from jamaica_sim.cli import show as shown
    from jamaica_sim.play.game_table import seat_table
    from jamaica_sim.study.experiment.run_experiment import run_experiment

    games = games or found.games
    first = seat_table(found.settings[0].rules, found.settings[0].strategies, found.seed).with_code(trust)
    compile_first(first)
    settings = len(found.settings) * (2 if found.adapt else 1)
    return run_experiment(found, folder, games, shown.watch_settings(settings, games), trust=trust, **who)
