"""`jamaica-sim replay`: show one game of a run, as a story, a summary, a page that plays it, or JSON."""

import json
from pathlib import Path

import click

from jamaica_sim.cli.options import (
    PlainCommand,
    Refusal,
    ask_for_trust,
    game_number,
    lay_table,
    plain_errors,
    say,
    table_options,
    trust_option,
)


def _page_file(ctx, param, value):
    """A file to write, refused before the game is played where it cannot be one."""
    if value is None:
        return None
    path = Path(value)
    if path.suffix.lower() not in (".html", ".htm"):
        raise Refusal(f"{value}: a page's file ends in .html.")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise Refusal(f"{value}: there is no folder to write this file to.")
    return path


@click.command(cls=PlainCommand, epilog="Example: jamaica-sim replay --seed 1 --game 42 --html game42.html")
@click.argument("folder", type=click.Path(), required=False)
@click.option("--game", "-g", type=game_number, required=True, help="Number of the game in the run.")
@table_options
@click.option("--html", type=click.Path(), callback=_page_file, help="Write a page that plays the game to this file.")
@click.option("--summary", is_flag=True, help="Only who led when, turning points and points by source.")
@click.option("--json", "as_json", is_flag=True, help="Print the complete trace as one JSON object.")
@trust_option
@plain_errors
def replay(folder, game, html, summary, as_json, trust, **table_facts):
    """Show one game, the very same that a run plays under this number: as a readable story, a page or JSON.

    Say what was played with the options of `run`, or name the FOLDER that `run --out` wrote.
    """
    from jamaica_sim.cli import show
    from jamaica_sim.replays.replay import replay_table
    from jamaica_sim.replays.trace import Interrupted
    from jamaica_sim.run.folder import table_of_run
    from jamaica_sim.run.play import needs_compiling

    if (html is not None) + summary + as_json > 1:
        raise click.UsageError("Choose one of --html, --summary and --json.")
    if folder is not None:
        if any(value not in (None, ()) for value in table_facts.values()):
            raise click.UsageError("A run's folder already says what was played: leave the other options out.")
        table = table_of_run(folder, game)
        table = table.awake(ask_for_trust(table.strategies, trust))
    else:
        table = lay_table(**table_facts)
    try:
        with show.while_compiling(needs_compiling(table, to_replay=True)):
            trace = replay_table(table, game)
    except Interrupted as interrupted:
        _show_interrupted(interrupted, table, html, as_json)
        raise interrupted.fault from None
    if as_json:
        click.echo(json.dumps(trace))
    elif html is not None:
        _write_page(trace, html, table)
    else:
        from jamaica_sim.replays import story

        tell = story.tell_summary if summary else story.tell
        click.echo(tell(trace, show.wants_colour(), table.rules))


def _show_interrupted(interrupted, table, html, as_json):
    """A game that a strategy's fault ended, as far as it came."""
    from jamaica_sim.cli import show
    from jamaica_sim.replays.story import tell_interrupted

    fault = str(interrupted.fault)
    if as_json:
        click.echo(json.dumps(interrupted.trace))
    elif html is not None:
        _write_page(interrupted.trace, html, table, fault)
    else:
        click.echo(tell_interrupted(interrupted.trace, show.wants_colour(), table.rules))


def _write_page(trace, path, table, fault=""):
    from jamaica_sim.replays.page import replay_page

    page = replay_page(trace, path, rules=table.rules, fault=fault)
    say(f"Wrote {path} ({len(page.encode()) / 1000:.0f} kB): open it in a browser.", err=True)
