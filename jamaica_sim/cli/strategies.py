"""`jamaica-sim strategies`: list the library, show a strategy, start a new one, check one."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jamaica_sim.cli import show as shown
from jamaica_sim.cli.completion import complete_strategy
from jamaica_sim.cli.options import Group, say
from jamaica_sim.cli.run import list_format

if TYPE_CHECKING:
    from jamaica_sim.play.check import CheckReport

KINDS = {
    "built in": "part of the engine",
    "data": "weights",
    "net": "a net",
    "search": "a search",
    "code": "compiled decision functions",
    "plain": "a plain Python player",
}


@click.group(
    cls=Group, epilog="Example: jamaica-sim strategies new my_strategy && jamaica-sim strategies check my_strategy.toml"
)
def strategies() -> None:
    """List, show, start and check strategies."""


@strategies.command("list", epilog="Example: jamaica-sim strategies list")
@list_format
def list_strategies(form: str) -> None:
    """The shipped strategies: name, kind and description."""
    from jamaica_sim.strategy.library import look_at_strategy, strategy_names

    loaded = [look_at_strategy(name) for name in strategy_names()]
    shown.print_list(
        ("name", "kind", "description"),
        [(s.name, s.kind, " ".join(s.description.split())) for s in loaded],
        form,
        "\nUse one as `jamaica-sim run -s NAME`; `jamaica-sim strategies show NAME` tells how it is made.",
    )


@strategies.command(epilog="Example: jamaica-sim strategies show racer")
@click.argument("name", metavar="NAME_OR_FILE", shell_complete=complete_strategy)
def show(name: str) -> None:
    """A strategy's weights against the defaults, and the decision points that it defines itself."""
    from jamaica_sim.game.codes import DECISIONS
    from jamaica_sim.strategy.heuristic.weights import WEIGHTS
    from jamaica_sim.strategy.library import look_at_strategy
    from jamaica_sim.strategy.search.settings import SETTINGS

    strategy = look_at_strategy(name)
    say(f"{strategy.name} ({strategy.kind}{f', {strategy.path}' if strategy.path else ''})\n")
    say(f"{' '.join(strategy.description.split())}\n")
    if strategy.intent:
        say(f"Intent: {strategy.intent}\n")
    if strategy.kind == "built in":
        say("Every decision is random; weights do not apply.")
        return
    if strategy.kind == "plain":
        say("A Python function answers every question; it is not compiled, and weights do not apply.")
        return
    own = [decision for decision in DECISIONS if decision in strategy.functions]
    how = "search" if strategy.search else f"the net {strategy.net.file}" if strategy.net else "its own code"
    say(f"Decides by {how}: {', '.join(own) if own else 'nothing; all by the parametric heuristic'}.\n")
    if strategy.search:
        if strategy.net:
            say(f"Its first thought, which the search must beat, is the answer of the net {strategy.net.file}.\n")
        numbers = {name: f"{value:g}" for name, value in strategy.search.numbers.items()}
        rows = [(s.name, numbers.get(s.name, ""), f"{s.default:g}", s.meaning) for s in SETTINGS]
        shown.print_rows(("search", "here", "default", "what it says"), rows)
        say("")
    own_weights = {name: f"{value:g}" for name, value in strategy.changes.items()}
    lines = [(w.name, own_weights.get(w.name, ""), f"{w.default:g}", w.unit, w.meaning) for w in WEIGHTS]
    shown.print_rows(("weight", "here", "default", "unit", "what it values"), lines)


@strategies.command(epilog="Example: jamaica-sim strategies new my_strategy --code")
@click.argument("name")
@click.option("--code", is_flag=True, help="A Python file with decision functions instead of a file of weights.")
@click.option(
    "--plain", is_flag=True, help="A Python file with one function, not compiled, that answers every question."
)
@click.option("--into", type=click.Path(), default=".", show_default=True, help="Folder to write the file into.")
def new(name: str, code: bool, plain: bool, into: str) -> None:
    """Write a commented template for a strategy of your own; it plays as it is."""
    from jamaica_sim.strategy.template import new_strategy

    path = new_strategy(name, Path(into), code, plain)
    say(f"Wrote {path}. Try it: jamaica-sim run -s {path} -s balanced --games {1000 if plain else 20000}")


@strategies.command(epilog="Example: jamaica-sim strategies check my_strategy.py")
@click.argument("files", nargs=-1, required=True, metavar="NAME_OR_FILE...", shell_complete=complete_strategy)
def check(files: tuple[str, ...]) -> None:
    """Load, compile and try strategies at tables of every kind; exit code 1 where one errs, peeks or fails."""
    from jamaica_sim.play.check import check as check_strategy
    from jamaica_sim.play.check import every_rules
    from jamaica_sim.play.stopping import interruptible
    from jamaica_sim.strategy.library import load_strategy

    good = True
    for strategy in [load_strategy(file) for file in files]:
        with shown.progress_bar(len(every_rules()), f"tables with {strategy.name}") as progress:
            report = interruptible(partial(check_strategy, strategy, progress))
        good &= _print_report(report)
    if not good:
        raise SystemExit(1)


def _print_report(report: "CheckReport") -> bool:
    """Print what a check found; whether it found no problem."""
    from jamaica_sim.game.codes import DECISIONS

    say(f"{report.strategy.label} ({KINDS[report.strategy.kind]}): {report.games:,} games at tables of every kind.")
    for problem in report.problems:
        say(f"  Problem: {problem}.")
    rows = [
        (
            decision,
            f"{asked:,}",
            f"{report.nanoseconds[decision]:,.0f} ns" if decision in report.nanoseconds else "",
            f"{report.nanoseconds[decision] / report.balanced[decision]:.2f}" if decision in report.nanoseconds else "",
        )
        for decision, asked in sorted(report.asked.items(), key=lambda item: DECISIONS.index(item[0]))
    ]
    if rows:
        shown.print_rows(("decision", "asked", "time", "against balanced"), rows)
    if report.never_reached and not report.problems:
        say(f"  Never reached: {', '.join(report.never_reached)}.")
    if not report.problems:
        say("  No problem found.")
    say()
    return not report.problems
