"""The command line: one file for each command, which parses its options, calls the API and prints. No logic here.

A command's module is imported when the command is looked up, and large libraries only inside the functions that use
them, so that `--help` answers at once.

- `run`: play games, print tables
- `resume`: go on with a run, comparison or experiment that was stopped
- `merge`: join runs of different games
- `compare`: strategies on the same deals: who is better
- `tune`: better weights for a strategy
- `train`: a net for a strategy, taught by search
- `studio`: a page where one changes a rule and sees what it does
- `play`: sit down at the table, in the browser or in the terminal
- `review`: games that you have played, looked at again
- `sweep`: one to three rules over a range, on the same deals
- `sensitivity`: which rules matter, and for which quantity
- `balance`: rules that meet targets with few changes
- `experiment`: list, show, start and run experiments
- `report`: the report of an experiment or a run
- `board`: a picture of the board
- `replay`: one game as a story, as a page or as JSON
- `games`: games of a run that are worth watching
- `strategies`: list, show, start and check strategies
- `rules`: list, show, compare and start rules
- `completion`: what the shell completes
- `whole_help`: how `--help` looks
- `options`: options that several commands share, and how errors end
- `bugs`: how a bug of ours ends
- `show`: printing: tables, JSON, CSV, progress
"""

import atexit
import gc
import os
from importlib import import_module

import click

from jamaica_sim import __version__
from jamaica_sim.cli import bugs
from jamaica_sim.cli.options import PlainGroup
from jamaica_sim.files.escape import nearest

COMMANDS = (
    "run",
    "resume",
    "merge",
    "compare",
    "tune",
    "train",
    "studio",
    "play",
    "review",
    "sweep",
    "sensitivity",
    "balance",
    "experiment",
    "report",
    "board",
    "replay",
    "games",
    "strategies",
    "rules",
)


def _start_lean() -> None:
    """Shorten the start; to be called before anything large is imported.

    The garbage collector would scan all imported objects again and again, and once more at the end, when the operating
    system takes everything back. OpenBLAS would start threads that spin while they wait for work, although the few
    linear systems here are small.
    """
    gc.set_threshold(100_000, 20, 100)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


class _Commands(PlainGroup):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        return getattr(import_module(f"jamaica_sim.cli.{name}"), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if not {"-h", "--help"}.intersection(args):  # help needs nothing large
            _start_lean()
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = nearest(args[0], COMMANDS, 0.6)  # short words: a letter of `run` is a third of it
            hint = f" Did you mean {near!r}?" if near else " `jamaica-sim --help` lists the commands."
            raise click.UsageError(f"There is no command {args[0]!r}.{hint}", ctx) from error


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: jamaica-sim run --games 1000000",
)
@click.version_option(__version__, prog_name="jamaica-sim")
@click.option("--traceback", is_flag=True, help="Show the trace of a bug, as JAMAICA_SIM_TRACEBACK=1 does.")
def main(traceback: bool) -> None:
    """Play millions of games of Jamaica: which strategy wins, who runs short, how often does the ghost ship win?"""
    if traceback:
        os.environ[bugs.VARIABLE] = "1"
