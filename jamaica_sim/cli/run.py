"""`jamaica-sim run`: play games and print what they showed."""

import click

from jamaica_sim.cli.options import (
    PlainCommand,
    game_number,
    lay_table,
    new_folder,
    number_of_games,
    number_of_threads,
    plain_errors,
    table_options,
)


@click.command(cls=PlainCommand, epilog="Example: jamaica-sim run --games 1000000 --players 3 --ghost --edition 2021")
@click.option("--games", "-n", type=number_of_games, default=100_000, help="How many games to play.  [default: 100000]")
@table_options
@click.option("--first-game", type=game_number, default=0, help="Number of the first game.  [default: 0]")
@click.option("--threads", "-t", type=number_of_threads, default=None, help="Threads.  [default: all cores]")
@click.option(
    "--out", type=click.Path(), default=None, callback=new_folder, help="Folder to write: it must not exist yet."
)
@click.option("--per-game", is_flag=True, help="With --out: also write a table with one row for each game (Parquet).")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the results.",
)
@plain_errors
def run(games, first_game, threads, out, per_game, form, **table_facts):
    """Play games and print who wins, who runs short, how a game goes, each figure with its 95% interval."""
    from jamaica_sim import api
    from jamaica_sim.cli import show

    if per_game and not out:
        raise click.UsageError("--per-game writes into the folder that --out names: give --out DIR.")
    table = lay_table(**table_facts)
    with show.while_compiling(api.needs_compiling(table)):
        api.warm_up(table)
    with show.progress_bar(games) as progress:
        results = api.run_games(
            table, games, first_game=first_game, threads=threads, out=out, per_game=per_game, progress=progress
        )
    if form == "json":
        click.echo(show.sections_as_json(results.sections(), results.facts()))
    elif form == "csv":
        click.echo(show.sections_as_csv(results.sections()), nl=False)
    else:
        where = f"; written to {out}" if out else ""
        show.print_sections(results.sections(), f"{results.sentence()}{where}.")
