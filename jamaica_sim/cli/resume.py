"""`jamaica-sim resume`: go on with work that was stopped, in a folder of any kind."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.balance import live
from jamaica_sim.cli.compare import live_table
from jamaica_sim.cli.options import NO_FOLDER, ask_for_trust, command, say
from jamaica_sim.cli.run import check_players, compile_first, remark, results_format, tell_how_to_go_on, who_plays
from jamaica_sim.cli.sensitivity import bar


@command("resume pirates", hints=NO_FOLDER)
@click.argument("folder", type=click.Path())
@who_plays
@results_format
@options.trust
def resume(folder: str, threads: int | None, cluster: str | None, form: str, trust: bool) -> None:
    """Go on with what was stopped in FOLDER, with the rules and strategies that it was begun with.

    The files end up identical to those of a run that was never stopped. What is missing or damaged is made again.
    """
    from jamaica_sim.api import folder_kind

    check_players(threads, cluster)
    kind = folder_kind(folder)
    if kind.here and cluster is not None:
        raise click.UsageError(f"A {kind.what} is played on this machine: leave --cluster out.")
    left = kind.call("unfinished", folder)
    if left is None:
        say(f"The {kind.what} in {folder} is complete: nothing is left to play, and every file is as it was written.")
        return
    trust = ask_for_trust(left.strategies, trust)
    elsewhere = {} if kind.here else {"cluster": cluster, "remark": remark}
    with tell_how_to_go_on(form), PROGRESS[kind.what](left, trust) as progress:
        answer = kind.call("resume", folder, progress, threads=threads, trust=trust, **elsewhere)
    show.print_answer(answer, form, folder)


@contextmanager
def _bar_of_run(left: Any, trust: bool) -> Iterator[Callable[..., object]]:
    compile_first(left.tables[0].with_code(trust))
    with show.progress_bar(left.games) as progress:
        progress(left.done)
        yield progress


def _table_of_comparison(left: Any, trust: bool) -> AbstractContextManager[Any]:
    from jamaica_sim.study.compare.compare import read_configuration

    return live_table(read_configuration(left.config)[0].with_code(trust))


def _lines_of_settings(left: Any, trust: bool) -> AbstractContextManager[Any]:
    return nullcontext(show.watch_settings(len(left.tables), left.games))


# By kind of folder: the context that shows how far the work is, and yields the function that moves it.
PROGRESS: dict[str, Callable[[Any, bool], AbstractContextManager[Any]]] = {
    "run": _bar_of_run,
    "comparison": _table_of_comparison,
    "experiment": _lines_of_settings,
    "sweep": _lines_of_settings,
    "sensitivity analysis": lambda left, trust: bar(),
    "search for rules": lambda left, trust: live(),
}
