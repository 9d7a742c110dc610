"""`jamaica-sim resume`: go on with a run that was stopped."""

import click

from jamaica_sim.cli.options import PlainCommand, plain_errors
from jamaica_sim.cli.run import check_players, playing_options, print_results, remark, tell_how_to_go_on


@click.command(cls=PlainCommand, epilog="Example: jamaica-sim resume pirates")
@click.argument("folder", type=click.Path())
@playing_options
@plain_errors
def resume(folder, threads, cluster, form):
    """Go on with the run in FOLDER, with the rules and strategies that it was begun with.

    In the end the files are those of a run that was never stopped. What is missing or damaged is made again.
    """
    from jamaica_sim import api
    from jamaica_sim.cli import show

    check_players(threads, cluster)
    left = api.unfinished(folder)
    if left is None:
        click.echo(f"The run in {folder} is complete: nothing is left to play, and every file is as it was written.")
        return
    table, done, games = left
    with show.while_compiling(api.needs_compiling(table)):
        api.warm_up(table)
    with tell_how_to_go_on(), show.progress_bar(games) as progress:
        progress(done)
        results = api.resume_run(folder, threads=threads, cluster=cluster, progress=progress, remark=remark)
    print_results(results, form, folder)
