"""`jamaica-sim merge`: join runs that played different games of the same configuration."""

import click

from jamaica_sim.cli import show
from jamaica_sim.cli.options import NO_FOLDER, command, new_folder
from jamaica_sim.cli.run import results_format

HINTS = NO_FOLDER | {"Missing option '--out'": "Name a new folder for the joined run, such as --out joined."}


@command("merge pirates-0 pirates-1 --out pirates", hints=HINTS)
@click.argument("folders", nargs=-1, required=True, type=click.Path(), metavar="FOLDER...")
@click.option(
    "--out", type=click.Path(), required=True, callback=new_folder, help="Folder to write: it must not exist yet."
)
@results_format
def merge(folders: tuple[str, ...], out: str, form: str) -> None:
    """Join the complete runs in FOLDERs into one: the same rules, strategies and seed, but different games.

    `run --first-game` plays other games of a seed. The folders are only read.
    """
    from jamaica_sim.study.merge import merge_runs

    show.print_answer(merge_runs(folders, out), form, out)
