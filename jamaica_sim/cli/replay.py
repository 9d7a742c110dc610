"""`jamaica-sim replay`: show one game of a run, as a story or as JSON."""

import json

import click

from jamaica_sim.cli.options import PlainCommand, game_number, lay_table, plain_errors, table_options


@click.command(cls=PlainCommand, epilog="Example: jamaica-sim replay --seed 1 --game 42 --players 4")
@click.argument("folder", type=click.Path(), required=False)
@click.option("--game", "-g", type=game_number, required=True, help="Number of the game in the run.")
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print the complete trace as one JSON object.")
@plain_errors
def replay(folder, game, as_json, **table_facts):
    """Show one game, the very same that a run plays under this number: as a readable story, or as JSON.

    Say what was played with the options of `run`, or name the FOLDER that `run --out` wrote.
    """
    from jamaica_sim.cli import show
    from jamaica_sim.replays.replay import replay_table
    from jamaica_sim.replays.trace import Interrupted
    from jamaica_sim.run.folder import table_of_run
    from jamaica_sim.run.play import needs_compiling

    if folder is not None:
        if any(value not in (None, ()) for value in table_facts.values()):
            raise click.UsageError("A run's folder already says what was played: leave the other options out.")
        table = table_of_run(folder)
    else:
        table = lay_table(**table_facts)
    try:
        with show.while_compiling(needs_compiling(table, to_replay=True)):
            trace = replay_table(table, game)
    except Interrupted as interrupted:
        from jamaica_sim.replays.story import tell_interrupted

        click.echo(tell_interrupted(interrupted.trace, table.rules))
        raise interrupted.fault from None
    if as_json:
        click.echo(json.dumps(trace))
    else:
        from jamaica_sim.replays.story import tell

        click.echo(tell(trace, show.wants_colour(), table.rules))
