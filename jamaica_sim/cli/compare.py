"""`jamaica-sim compare`: play strategies against each other on the same deals and say who is better."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.completion import complete_strategy
from jamaica_sim.cli.options import PlainCommand, Refusal
from jamaica_sim.cli.run import check_players, remark, results_format, tell_how_to_go_on, who_plays

if TYPE_CHECKING:
    from rich.console import Group

    from jamaica_sim.study.compare.comparison import Comparison
    from jamaica_sim.study.compare.design import Contest

RENEW = 0.25  # seconds between two live tables


class CompareCommand(PlainCommand):
    """Lets `--against` take all names up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        words, in_field = [], False
        for word in args:
            if word == "--against":
                in_field = True
            elif in_field and not word.startswith("-"):
                words += ["--against", word]
            else:
                in_field = False
                words.append(word)
        if "--against" in args and "--against" not in words:
            raise click.UsageError("--against needs at least one opponent, such as: --against balanced racer.")
        return super().parse_args(ctx, words)


@click.command(
    cls=CompareCommand,
    epilog="Example: jamaica-sim compare balanced racer ./my_strategy.toml --until verdict",
    hints={"No such option '-s'": "Strategies are named without -s: jamaica-sim compare champion balanced."},
)
@click.argument("strategies", nargs=-1, metavar="STRATEGY STRATEGY...", shell_complete=complete_strategy)
@click.option(
    "--against",
    multiple=True,
    metavar="STRATEGY...",
    help="Put one ship of each strategy, in every seat, at tables where these play all other ships.",
)
@click.option(
    "--survive",
    is_flag=True,
    help="Put one ship of each strategy at tables where all others play another one: which strategies hold their own?",
)
@click.option("--games", "-n", type=options.number_of_games, help="How many games to play.  [default: 100000]")
@click.option("--until", type=click.Choice(["verdict"]), help="Play until it is clear who is better.")
@click.option(
    "--margin",
    type=float,
    default=0.01,
    help="Difference in win rate that matters; 0.01 is one percentage point.  [default: 0.01]",
)
@click.option("--alpha", type=float, default=0.05, help="Chance of a wrong verdict or interval.  [default: 0.05]")
@click.option("--max-games", type=options.number_of_games, help="With --until: games at most.  [default: 1000000]")
@options.lays_table(strategies="")  # they are arguments
@options.luck
@options.measure
@who_plays
@options.out
@results_format
def compare(
    *,
    strategies: tuple[str, ...],
    against: tuple[str, ...],
    survive: bool,
    games: int | None,
    until: str | None,
    margin: float,
    alpha: float,
    max_games: int | None,
    threads: int | None,
    cluster: str | None,
    out: str | None,
    form: str,
    measures: tuple[str, ...],
    **table_facts: Any,
) -> None:
    """Compare strategies, by name or file, on the same deals in every seat: who wins, by how much, how surely."""
    if against and len(strategies) != 1:
        raise Refusal("One strategy plays against a field, such as: compare champion --against balanced racer.")
    if len(strategies) < 2 and not against:
        raise Refusal("A comparison needs at least two strategies, such as: jamaica-sim compare balanced racer.")
    if until and games is not None:
        raise Refusal("Give either --games or --until verdict, not both; --max-games caps the latter.")
    if max_games is not None and not until:
        raise Refusal("--max-games caps --until verdict; without it give --games.")
    check_players(threads, cluster)
    if survive:
        if against or until or cluster or out or measures:
            raise Refusal(
                "--survive plays a fixed number of games here: leave --against, --until, --cluster, --out and "
                "--measure out."
            )
        from jamaica_sim.study.compare.compare import prepare
        from jamaica_sim.study.compare.one_against_each import GAMES, one_against_each

        table, games = options.lay_table(strategies=strategies[:1], **table_facts), games or GAMES
        contest = prepare(strategies, table.rules, table.seed)
        with tell_how_to_go_on(form), show.progress_bar(games * len(strategies) * (len(strategies) - 1)) as progress:
            grid = one_against_each(contest, games, threads, progress)
        show.print_answer(grid, form, None)
        return
    from jamaica_sim.play.own_measures import parse_measures
    from jamaica_sim.play.stopping import interruptible, stop_on_signals
    from jamaica_sim.study.compare import compare as comparing

    plan, own = comparing.make_plan(games, until, margin, alpha, max_games), parse_measures(measures)
    table = options.lay_table(strategies=strategies[:1], **table_facts)
    contest = interruptible(
        lambda: comparing.prepare(strategies, table.rules, table.seed, against or None, table.luck, own)
    )
    interruptible(lambda: plan.looks(contest.design))  # the line-ups of many strategies take long to find
    with stop_on_signals(), tell_how_to_go_on(form), live_table(contest) as so_far:
        found = comparing.play_comparison(contest, plan, so_far, out, threads=threads, cluster=cluster, remark=remark)
    show.print_answer(found, form, out)


@contextmanager
def live_table(contest: "Contest") -> "Iterator[Callable[[Comparison], None]]":
    """Compile what a comparison needs, then show the win rates so far on a terminal; yields what updates them."""
    from rich.live import Live

    from jamaica_sim.study.compare.compare import needs_compiling, warm_up

    with show.while_compiling(needs_compiling(contest)):
        warm_up(contest)
    if not show.errors().is_terminal:
        yield lambda comparison: None
        return
    shown = 0.0
    with Live(console=show.errors(), transient=True, auto_refresh=False) as live:

        def show_so_far(comparison: "Comparison") -> None:
            nonlocal shown
            now = time.perf_counter()
            if now - shown > RENEW:
                shown = now
                live.update(_so_far(comparison), refresh=True)

        yield show_so_far


def _so_far(comparison: "Comparison") -> "Group":
    """The live table: win rates, best first, and how far the games are."""
    from rich.console import Group
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("strategy", "win rate", *["lead"] * comparison.is_duel):
        grid.add_column(column, justify="left" if column == "strategy" else "right", no_wrap=True)
    for s in sorted(range(len(comparison.labels)), key=lambda s: -comparison.win_rate(s).value):
        lead = [f"{comparison.difference(s, 1 - s):%}"] if comparison.is_duel else []
        grid.add_row(comparison.labels[s], f"{comparison.win_rate(s):%}", *lead)
    done, most, speed = comparison.games, comparison.plan.games, comparison.games / max(comparison.seconds, 1e-9)
    if comparison.plan.until_verdict:
        progress = f"{done:,} games, at most {most:,}"
    else:
        progress = f"{done:,} of {most:,} games, {max(0, most - done) / speed:.0f} s left"
    return Group(grid, Text(f"{progress}; {speed:,.0f} games/s; Ctrl-C ends it here", style="dim"))
