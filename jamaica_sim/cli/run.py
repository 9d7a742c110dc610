"""`jamaica-sim run`: play games and print what they showed. Also the functions that other commands share."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Whole, command, say

if TYPE_CHECKING:
    from jamaica_sim.play.game_table import GameTable
    from jamaica_sim.results.result_table import Answer
    from jamaica_sim.results.results import Results

list_format = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the results.",
)
quiet = click.option(
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, param, value: show.be_quiet(value),
    help="Print results and errors, and nothing while games are played.",
)
results_format = options.together(list_format, quiet)


# The options that say who plays; none changes a result.
who_plays = options.together(
    options.threads,
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on a Dask cluster: tcp://HOST:PORT, or local:N for N processes here.",
    ),
)


def check_players(threads: int | None, cluster: str | None) -> None:
    """Refuse options about who plays that do not go options.together, before anything is compiled."""
    if cluster is None:
        return
    from jamaica_sim.study.cluster import check_cluster

    if threads is not None:
        raise click.UsageError("--threads is for playing on this machine: leave it out with --cluster.")
    check_cluster(cluster)


def remark(sentence: str) -> None:
    """Tell the user something while games are played."""
    from jamaica_sim.files.escape import visible

    show.errors().print(visible(sentence), soft_wrap=True)


@contextmanager
def tell_how_to_go_on(form: str = "table") -> Iterator[None]:
    """When a run is stopped, print what there is, and say what is saved and the command that goes on with it."""
    from jamaica_sim.play.stopping import interruptible
    from jamaica_sim.study.simulate import Stopped

    try:
        yield
    except Stopped as stopped:
        if (answer := stopped.answer) is not None:
            interruptible(lambda: show.print_answer(answer, form, None), when_stopped=True)
        say(str(stopped), err=True)
        sys.exit(1)


adapt_option = click.option(
    "--adapt",
    type=Whole(1, 5),
    metavar="STEPS",
    help="Also let the players find better answers to these rules, in this many steps of a minute or two.",
)
tension_option = click.option(
    "--tension", is_flag=True, help="Also measure tension: when games are decided, and who still has a chance."
)


def compile_first(table: "GameTable") -> None:
    """Compile what a table needs, and say so, before the first progress bar starts its clock."""
    from jamaica_sim.study.simulate import needs_compiling, warm_up

    with show.while_compiling(needs_compiling(table)):
        warm_up(table)


STRATEGIES_BY_OPTION = {"Got unexpected extra arg": "Name strategies with -s, each: run -s balanced -s racer."}


@command(
    "run --games 1000000 --players 3 --ghost --edition 2021",
    hints=STRATEGIES_BY_OPTION,
)
@click.option(
    "--games",
    "-n",
    type=options.number_of_games,
    default=100_000,
    help="How many games to play, such as 50000, 100k or 1e6.  [default: 100000]",
)
@options.table
@options.luck
@click.option("--first-game", type=options.first_number, default=0, help="Number of the first game.  [default: 0]")
@options.out
@click.option("--per-game", is_flag=True, help="With --out: also write a table with one row for each game (Parquet).")
@click.option(
    "--beside-printed",
    is_flag=True,
    help="With --out: also play the printed rules on the same deals; `report` has both.",
)
@adapt_option
@options.measure
@tension_option
@click.option("--events", is_flag=True, help="With --out: also write tables of all events and choices (Parquet).")
@who_plays
@results_format
def run(
    *,
    games: int,
    first_game: int,
    threads: int | None,
    cluster: str | None,
    out: str | None,
    per_game: bool,
    adapt: int | None,
    tension: bool,
    events: bool,
    beside_printed: bool,
    form: str,
    **table_facts: Any,
) -> None:
    """Play games and print who wins, who runs short, how a game goes, each figure with its 95% interval."""
    from jamaica_sim.play.stopping import stop_on_signals
    from jamaica_sim.study.simulate import run_games

    for option, given in (("--per-game", per_game), ("--events", events), ("--beside-printed", beside_printed)):
        if given and not out:
            raise click.UsageError(f"{option} writes into the folder that --out names: give --out DIR.")
    check_players(threads, cluster)
    table = options.lay_table(**table_facts)
    if beside_printed and out:
        if first_game or per_game or events or tension or table.luck:
            raise click.UsageError(
                "--beside-printed goes without --first-game, --per-game, --events, --tension and --luck."
            )
        _run_beside_printed(table, games, out, adapt or 0, form, threads=threads, cluster=cluster)
        return
    with stop_on_signals(), tell_how_to_go_on(form):
        compile_first(table)
        with show.progress_bar(games) as progress:
            results = run_games(
                table,
                games,
                first_game=first_game,
                threads=threads,
                cluster=cluster,
                out=out,
                per_game=per_game,
                events=events,
                progress=progress,
                remark=remark,
            )
        if tension:
            with while_measuring(results, table, out):
                results = _with_drama(results, threads, out)
        if adapt:
            from jamaica_sim.study.lab.sweep_folder import side_by_side
            from jamaica_sim.study.tune.adapting import adapt as let_adapt

            with while_adapting(out, results):
                adapted = let_adapt(results.table, adapt, threads=threads, tell=remark)
                beside = side_by_side(results, adapted, threads)
    if adapt and form != "table":  # one object, or one table with all
        facts = results.facts() | {"found": adapted.sentence()}
        show.print_more([*results.written_tables().values(), beside], form, facts)
        return
    hint = ["With --beside-printed, the printed rules are played too and reported beside these."]
    show.print_answer(results, form, out, *(hint if out and table.rules.changes() else []))
    if adapt:
        show.print_more([beside], form, {}, adapted.sentence())


def _run_beside_printed(table: "GameTable", games: int, out: str, adapt: int, form: str, **who: Any) -> None:
    """Play the printed rules too, as an experiment, and print both side by side."""
    from pathlib import Path

    from jamaica_sim.study.experiment.run_experiment import beside_printed, run_experiment
    from jamaica_sim.study.lab.sweep_folder import beside

    both_rules = beside_printed(table, games, Path(out).resolve().name, adapt)
    compile_first(table)
    with tell_how_to_go_on():
        study = run_experiment(both_rules, out, games, show.watch_settings(4 if adapt else 2, games), **who)
    step = 2 if adapt else 1  # each setting is followed by its adapted players
    tables = [beside(study.title, {setting.label: setting.played for setting in study.settings[::step]})]
    if adapt:
        both = {setting.label: setting.played for setting in study.settings[1::2]}
        tables.append(beside(f"{study.title}, with players who have adapted (the best answers found)", both))
    show.print_more(tables, form, study.facts(), *([study.description] if adapt else []), show.written(out))


@contextmanager
def while_measuring(answer: "Answer", table: "GameTable", out: str | None) -> Iterator[None]:
    """Compile what measuring tension needs. If that is stopped, print what the games show; say what is missing."""
    from jamaica_sim.play import compile_ahead
    from jamaica_sim.results.drama import JUDGE
    from jamaica_sim.strategy.library import load_strategy
    from jamaica_sim.study.simulate import Stopped

    players = [*table.strategies, load_strategy(JUDGE)]
    try:
        with show.while_compiling(compile_ahead.needs_compiling(players, compile_ahead.WHAT_IF)):
            compile_ahead.compile_missing(players, compile_ahead.WHAT_IF)
        yield
    except KeyboardInterrupt:
        kept = f" {out} has all but that." if out is not None else ""
        raise Stopped(f"Stopped while the tension of games was measured: it is missing.{kept}", answer) from None


@contextmanager
def while_adapting(out: str | None, answer: "Answer | None" = None) -> Iterator[None]:
    """When players are stopped while they adapt: what to print before, and that the folder is written by then."""
    from jamaica_sim.study.simulate import Stopped

    try:
        yield
    except Stopped as stopped:
        stopped.answer = answer
        if out is not None:
            stopped.args = (f"{stopped} {out} is complete: leave --out out of the command.",)
        raise


def _with_drama(results: "Results", threads: int | None, out: str | None) -> "Results":
    """The results with the tension of their first games, which is kept in the run's folder."""
    from dataclasses import replace
    from pathlib import Path

    from jamaica_sim.results.drama import GAMES, measure_drama
    from jamaica_sim.study.folder import keep_drama

    games = min(results.games, GAMES)
    with show.progress_bar(games) as progress:
        drama = measure_drama(results.table, games, results.first_game, threads, progress)
    if out is not None and drama is not None:
        keep_drama(Path(out), [drama])
    return replace(results, drama=drama)
