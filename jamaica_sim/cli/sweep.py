"""`jamaica-sim sweep`: one to three rules over a range, on the same deals."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.completion import complete_sweep
from jamaica_sim.cli.options import Refusal, command, say
from jamaica_sim.cli.run import (
    adapt_option,
    check_players,
    compile_first,
    remark,
    results_format,
    tell_how_to_go_on,
    tension_option,
    while_adapting,
    while_measuring,
    who_plays,
)

if TYPE_CHECKING:
    from jamaica_sim.files.user_files import AnyPath
    from jamaica_sim.study.lab.sweep import Sweep, SweepPlan


@command("sweep hand_size=2..6 --games 50000 --out hands && jamaica-sim report hands")
@click.argument("swept", nargs=-1, metavar="RULE=VALUES...", shell_complete=complete_sweep)
@click.option("--games", "-n", type=options.number_of_games, help="Games of each value.  [default: 20000]")
@options.table
@options.out
@adapt_option
@options.measure
@tension_option
@click.option("--chart", type=click.Path(), help="Also draw the chart to this file, .svg.")
@click.option("--list", "listed", is_flag=True, help="List the shipped sweeps.")
@who_plays
@results_format
@options.trust
def sweep(
    *,
    swept: tuple[str, ...],
    games: int | None,
    out: str | None,
    adapt: int | None,
    tension: bool,
    chart: str | None,
    listed: bool,
    threads: int | None,
    cluster: str | None,
    form: str,
    trust: bool,
    **table_facts: Any,
) -> None:
    """Give one to three rules several values and print how every main quantity responds, on the same deals.

    VALUES are 2..6, 0..10..2 or 1,3,5; of a die 1,2,3|1,2,3,4. Or name a shipped sweep or a TOML file.
    """
    from jamaica_sim.study.experiment.file import SWEEPS, shipped_names
    from jamaica_sim.study.lab.sweep import play_sweep
    from jamaica_sim.study.lab.sweep_folder import adapted_sweep, load_sweep_file, measured

    if listed:
        plans = [load_sweep_file(name) for name in shipped_names(SWEEPS)]
        rows = [(p.name, ", ".join(rule.name for rule in p.swept), f"{p.games:,}", p.title) for p in plans]
        show.print_list(("name", "rules", "games", "title"), rows, form)
        return
    if not swept:
        names = ", ".join(shipped_names(SWEEPS))
        raise Refusal(f"Name one to three rules and their values, such as hand_size=2..6, or a shipped sweep: {names}.")
    if chart is not None and Path(chart).suffix != ".svg":
        raise Refusal(f"{chart}: a chart's file ends in .svg.")
    check_players(threads, cluster)
    if cluster is not None and out is None:
        raise Refusal("A cluster plays into a folder: give --out as well.")
    plan = _plan(swept, games, table_facts)
    trust = options.ask_for_trust(plan.base.strategies, trust)
    plan = plan.with_code(trust)
    compile_first(plan.base)
    if out is None:
        with tell_how_to_go_on(form), show.progress_bar(plan.games * len(plan.tables)) as progress:
            found = play_sweep(plan, threads, progress)
    else:
        found = play_into(plan, out, threads=threads, cluster=cluster, trust=trust)
    if tension:
        with tell_how_to_go_on(form), while_measuring(found, plan.base, out):
            found = measured(found, threads, out)
    if chart is not None:
        from jamaica_sim.report.chapters.sweeping import sweep_chart

        sweep_chart(found).save(Path(chart))
    for_people = form == "table"  # programs get one object, or one table with all
    if for_people or not adapt:
        show.print_answer(found, form, out)
    if not adapt:
        return
    with tell_how_to_go_on(form), while_adapting(out, None if for_people else found):
        again, sentences = adapted_sweep(found, adapt, threads, remark)
    if for_people:
        say("\nWith players who have adapted to each set of rules (the best answers found):\n")
        show.print_answer(again, form, None, *sentences)
    else:
        adapted = [replace(table, title=f"{table.title}, adapted players") for table in again.written_tables().values()]
        show.print_more([*found.written_tables().values(), *adapted], form, found.facts() | {"found": sentences})


def _plan(swept: tuple[str, ...], games: int | None, table_facts: dict[str, Any]) -> "SweepPlan":
    """The plan that the arguments describe: rules with values, or a sweep's name or file."""
    from jamaica_sim.study.lab.sweep import DEFAULT_GAMES, make_plan
    from jamaica_sim.study.lab.sweep_folder import load_sweep_file
    from jamaica_sim.study.values import parse_swept

    if len(swept) == 1 and "=" not in swept[0]:
        given = [name for name, value in table_facts.items() if value not in (None, ())]
        if given:
            raise Refusal("A sweep's file has its own rules, players and seed: only --games may be given with it.")
        return load_sweep_file(swept[0], games)
    rules = {}
    for name, values in map(parse_swept, swept):
        if name in rules:
            raise Refusal(f"The rule {name} is swept twice: say it once, with all its values.")
        rules[name] = values
    for name, _ in map(options.parse_rule, table_facts["rule_changes"]):
        if name in rules:
            raise Refusal(f"The rule {name} is swept, and given by --rule as well: say it once.")
    return make_plan(rules, options.lay_table(**table_facts), DEFAULT_GAMES if games is None else games)


def play_into(plan: "SweepPlan", out: "AnyPath", **who: Any) -> "Sweep":
    """Play a sweep into its folder, with a line on each table."""
    from jamaica_sim.study.lab.sweep_folder import run_sweep

    with tell_how_to_go_on():
        return run_sweep(plan, out, show.watch_settings(len(plan.tables), plan.games), **who)
