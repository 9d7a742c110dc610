"""`jamaica-sim resume`: go on with work that was stopped, in a folder of any kind."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import click

from jamaica_sim.cli.options import PlainCommand, ask_for_trust, say, trust_option
from jamaica_sim.cli.run import check_players, compile_first, remark, results_format, tell_how_to_go_on, who_plays

HINTS = {"Missing argument 'FOLDER": "Name the folder that `jamaica-sim run --out FOLDER` wrote."}


@click.command(cls=PlainCommand, hints=HINTS, epilog="Example: jamaica-sim resume pirates")
@click.argument("folder", type=click.Path())
@who_plays
@results_format
@trust_option
def resume(folder: str, threads: int | None, cluster: str | None, form: str, trust: bool) -> None:
    """Go on with what is played in FOLDER, with the rules and strategies that it was begun with.

    In the end the files are those of a run that was never stopped. What is missing or damaged is made again.
    """
    from jamaica_sim.api import folder_kind
    from jamaica_sim.cli.show import print_answer

    check_players(threads, cluster)
    kind = folder_kind(folder)
    if kind.here and cluster is not None:
        raise click.UsageError(f"A {kind.what} is played on this machine: leave --cluster out.")
    left = kind.call("unfinished", folder)
    if left is None:
        say(f"The {kind.what} in {folder} is complete: nothing is left to play, and every file is as it was written.")
        return
    trust = ask_for_trust(left.strategies, trust)
    if kind.what == "comparison":
        _resume_comparison(left, folder, (threads, cluster), form, trust)
        return
    elsewhere = {} if kind.here else {"cluster": cluster, "remark": remark}
    with tell_how_to_go_on(form), PROGRESS[kind.what](left, trust) as progress:
        answer = kind.call("resume", folder, progress, threads=threads, trust=trust, **elsewhere)
    print_answer(answer, form, folder)


def _resume_comparison(left: Any, folder: str, who: tuple[int | None, str | None], form: str, trust: bool) -> None:
    from jamaica_sim.cli.compare import play_and_print
    from jamaica_sim.comparison.folder import ComparisonFolder

    contest = left.contest.awake(trust)
    play_and_print(contest, left.plan, who, form, folder, lambda: ComparisonFolder.reopen(folder))


@contextmanager
def _bar_of_run(left: Any, trust: bool) -> Iterator[Callable[..., object]]:
    from jamaica_sim.cli import show

    table = left.table.awake(trust)
    compile_first(table)
    with show.progress_bar(left.games) as progress:
        progress(left.done)
        yield progress


def _lines_of_settings(left: Any, trust: bool) -> AbstractContextManager[Any]:
    from jamaica_sim.cli.experiment import watch_settings

    return nullcontext(watch_settings(left.settings, left.games))


def _bar_of_sensitivity(left: Any, trust: bool) -> AbstractContextManager[Any]:
    from jamaica_sim.cli.sensitivity import bar

    return bar()


def _line_of_balance(left: Any, trust: bool) -> AbstractContextManager[Any]:
    from jamaica_sim.cli.balance import live

    return live()


# By kind of folder: the context that shows how far the work is, and yields the function that moves it.
PROGRESS = {
    "run": _bar_of_run,
    "experiment": _lines_of_settings,
    "sweep": _lines_of_settings,
    "sensitivity analysis": _bar_of_sensitivity,
    "search for rules": _line_of_balance,
}
