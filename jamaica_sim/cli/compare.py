"""`jamaica-sim compare`: play strategies against each other on the same deals and say who is better."""

import sys
import time
from contextlib import nullcontext
from dataclasses import replace

import click

from jamaica_sim.cli.options import (
    PlainCommand,
    Refusal,
    lay_table,
    new_folder,
    number_of_games,
    number_of_threads,
    plain_errors,
    table_options,
)


def rules_options(command):
    """The options that lay a table, but for the strategies, which are this command's arguments."""
    command = table_options(command)
    command.__click_params__ = [option for option in command.__click_params__ if option.name != "strategies"]
    return command


@click.command(cls=PlainCommand, epilog="Example: jamaica-sim compare balanced racer ./my_strategy.toml --until verdict")
@click.argument("strategies", nargs=-1, metavar="STRATEGY STRATEGY...")
@click.option("--games", "-n", type=number_of_games, default=None, help="How many games to play.  [default: 100000]")
@click.option("--until", type=click.Choice(["verdict"]), default=None, help="Play until it is clear who is better.")
@click.option("--margin", type=float, default=0.01, help="Difference in win rate that matters.  [default: 0.01]")
@click.option("--alpha", type=float, default=0.05, help="Chance of a wrong verdict or interval.  [default: 0.05]")
@click.option(
    "--max-games", type=number_of_games, default=None, help="With --until: the most games.  [default: 1000000]"
)
@rules_options
@click.option("--threads", "-t", type=number_of_threads, default=None, help="Threads.  [default: all cores]")
@click.option(
    "--out", type=click.Path(), default=None, callback=new_folder, help="Folder to write: it must not exist yet."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the results.",
)
@plain_errors
def compare(strategies, games, until, margin, alpha, max_games, threads, out, form, **table_facts):
    """Compare two or more strategies, names or files, on the same deals with exchanged seats: who wins, by how much, and
    how sure that is."""
    if len(strategies) < 2:
        raise Refusal("A comparison needs at least two strategies, such as: jamaica-sim compare balanced racer.")
    if until and games is not None:
        raise Refusal("Give either --games or --until verdict, not both; --max-games caps the latter.")
    if max_games is not None and not until:
        raise Refusal("--max-games caps --until verdict; without it give --games.")
    from jamaica_sim.analysis import compare as comparing
    from jamaica_sim.cli import show

    plan = comparing.make_plan(games, until, margin, alpha, max_games)
    table = lay_table(strategies=strategies[:1], **table_facts)
    contest = comparing.prepare(strategies, table.rules, table.seed)
    plan.looks(contest.design)
    with comparing.staged_folder(out) if out else nullcontext() as staging:
        with show.while_compiling(comparing.needs_compiling(contest)):
            comparing.warm_up(contest)
        comparison, seconds = _play(contest, plan, threads)
        if staging:
            comparison.write_files(staging)
    _print(comparison, form, seconds, out)
    if not comparison.complete:
        sys.exit(1)


def _play(contest, plan, threads):
    """The comparison, and how long it took; after an interruption what there is."""
    from jamaica_sim.analysis.compare import comparisons

    started, comparison = time.perf_counter(), None
    with _LiveTable(plan.games) as live:
        try:
            for comparison in comparisons(contest, plan, threads):
                live.show(comparison)
        except KeyboardInterrupt:
            if comparison is None:
                raise
            comparison = replace(comparison, complete=False)
    return comparison, time.perf_counter() - started


class _LiveTable:
    """The win rates so far, on standard error, renewed a few times a second and gone at the end; only on a terminal."""

    def __init__(self, games):
        from rich.live import Live

        from jamaica_sim.cli.show import errors

        self._games, self._started, self._shown = games, time.perf_counter(), 0.0
        self._live = Live(console=errors, transient=True, auto_refresh=False) if errors.is_terminal else None

    def __enter__(self):
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_):
        if self._live:
            self._live.stop()

    def show(self, comparison):
        """Renew the table, if it is time."""
        now = time.perf_counter()
        if self._live and now - self._shown > 0.25:
            self._shown = now
            self._live.update(self._grid(comparison, now - self._started), refresh=True)

    def _grid(self, comparison, seconds):
        from rich.table import Table as Grid

        speed = comparison.games / seconds
        until = comparison.plan.until_verdict
        left = "" if until else f", {max(0.0, (self._games - comparison.games) / speed):.0f} s left"
        of = f"at most {self._games:,}" if until else f"{self._games:,}"
        grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim", title_justify="left", caption_justify="left")
        grid.caption = f"{comparison.games:,} games of {of}, {speed:,.0f} games/s{left}; Ctrl-C stops and shows the result"
        for column in ("strategy", "win rate", *["lead"] * comparison.is_duel):
            grid.add_column(column, justify="left" if column == "strategy" else "right", no_wrap=True)
        for s in sorted(range(len(comparison.labels)), key=lambda s: -comparison.win_rate(s).value):
            lead = [f"{comparison.difference(s, 1 - s):%}"] if comparison.is_duel else []
            grid.add_row(comparison.labels[s], f"{comparison.win_rate(s):%}", *lead)
        return grid


def _print(comparison, form, seconds, out):
    from jamaica_sim.cli import show

    if form == "json":
        click.echo(comparison.as_json())
    elif form == "csv":
        click.echo(comparison.as_csv(), nl=False)
    else:
        where = f" Written to {out}." if out else ""
        speed = f"In {seconds:.1f} s ({comparison.games / seconds:,.0f} games/s).{where}"
        words = [comparison.sentence(), *comparison.remarks(), f"{comparison.circumstances()} {speed}"]
        show.print_sections(comparison.sections(), "\n".join(words), unit="deal")
