"""`jamaica-sim resume`: go on with a run, a comparison, an experiment or a sweep that was stopped."""

import click

from jamaica_sim.cli.options import PlainCommand, ask_for_trust, plain_errors, say, trust_option
from jamaica_sim.cli.run import check_players, print_results, remark, results_format, tell_how_to_go_on, who_plays

HINTS = {"Missing argument 'FOLDER": "Name the folder that `jamaica-sim run --out FOLDER` wrote."}


@click.command(cls=PlainCommand, hints=HINTS, epilog="Example: jamaica-sim resume pirates")
@click.argument("folder", type=click.Path())
@who_plays
@results_format
@trust_option
@plain_errors
def resume(folder, threads, cluster, form, trust):
    """Go on with what is played in FOLDER, with the rules and strategies that it was begun with.

    In the end the files are those of a run that was never stopped. What is missing or damaged is made again.
    """
    from jamaica_sim.comparison.folder import COMPARISON
    from jamaica_sim.experiment.folder import EXPERIMENT
    from jamaica_sim.lab.balance import BALANCE
    from jamaica_sim.lab.sensitivity import SENSITIVITY
    from jamaica_sim.lab.sweep_folder import SWEEP
    from jamaica_sim.store.manifest import read_plain

    check_players(threads, cluster)
    schema = read_plain(folder, "a run's, an experiment's, a comparison's or a sweep's").get("schema")
    if schema == COMPARISON.schema:
        _resume_comparison(folder, threads, cluster, form, trust)
    elif schema == EXPERIMENT.schema:
        _resume_experiment(folder, threads, cluster, trust)
    elif schema == SWEEP.schema:
        _resume_sweep(folder, threads, cluster, form, trust)
    elif schema == SENSITIVITY.schema:
        _resume_sensitivity(folder, threads, cluster, form, trust)
    elif schema == BALANCE.schema:
        _resume_balance(folder, threads, cluster, form, trust)
    else:
        _resume_run(folder, threads, cluster, form, trust)


def _say_complete(what, folder):
    say(f"The {what} in {folder} is complete: nothing is left to play, and every file is as it was written.")


def _resume_run(folder, threads, cluster, form, trust):
    from jamaica_sim.cli import show
    from jamaica_sim.run.folder import unfinished
    from jamaica_sim.run.simulate import needs_compiling, resume_run, warm_up

    found = unfinished(folder)
    if found is None:
        _say_complete("run", folder)
        return
    table, done, games = found
    trust = ask_for_trust(table.strategies, trust)
    table = table.awake(trust)
    with show.while_compiling(needs_compiling(table)):
        warm_up(table)
    with tell_how_to_go_on(), show.progress_bar(games) as progress:
        progress(done)
        results = resume_run(folder, threads=threads, cluster=cluster, progress=progress, remark=remark, trust=trust)
    print_results(results, form, folder)


def _resume_comparison(folder, threads, cluster, form, trust):
    from jamaica_sim.cli.compare import play_and_print
    from jamaica_sim.comparison.folder import ComparisonFolder, unfinished_comparison

    found = unfinished_comparison(folder)
    if found is None:
        _say_complete("comparison", folder)
        return
    contest, plan = found
    contest = contest.awake(ask_for_trust(contest.strategies, trust))
    play_and_print(contest, plan, (threads, cluster), form, folder, lambda: ComparisonFolder.reopen(folder))


def _resume_experiment(folder, threads, cluster, trust):
    from jamaica_sim.cli import show
    from jamaica_sim.cli.experiment import watch_settings
    from jamaica_sim.experiment.folder import EXPERIMENT, strategies_of, unfinished_settings
    from jamaica_sim.experiment.run_experiment import resume_experiment

    found = unfinished_settings(folder, EXPERIMENT)
    if found is None:
        _say_complete("experiment", folder)
        return
    trust = ask_for_trust(strategies_of(folder, found), trust)
    watch = watch_settings(len(found["settings"]), found["games"])
    with tell_how_to_go_on():
        resume_experiment(folder, watch, threads=threads, cluster=cluster, trust=trust)
    say(show.written(folder))


def _resume_sweep(folder, threads, cluster, form, trust):
    from jamaica_sim.cli.experiment import watch_settings
    from jamaica_sim.cli.sweep import print_sweep
    from jamaica_sim.experiment.folder import unfinished_settings
    from jamaica_sim.lab.sweep_folder import SWEEP, base_table, resume_sweep

    found = unfinished_settings(folder, SWEEP)
    if found is None:
        _say_complete("sweep", folder)
        return
    trust = ask_for_trust(base_table(folder, found).strategies, trust)
    watch = watch_settings(len(found["settings"]), found["games"])
    with tell_how_to_go_on():
        found = resume_sweep(folder, watch, threads=threads, cluster=cluster, trust=trust)
    print_sweep(found, form, folder)


def _resume_sensitivity(folder, threads, cluster, form, trust):
    from jamaica_sim.cli.sensitivity import bar
    from jamaica_sim.cli.show import print_found
    from jamaica_sim.lab.sensitivity import resume_sensitivity, unfinished_sensitivity

    _refuse_cluster("A sensitivity analysis", cluster)
    found = unfinished_sensitivity(folder)
    if found is None:
        _say_complete("sensitivity analysis", folder)
    else:
        print_found(_go_on(resume_sensitivity, found, folder, threads, bar(), trust), form, folder)


def _resume_balance(folder, threads, cluster, form, trust):
    from jamaica_sim.cli.balance import live, print_balance
    from jamaica_sim.lab.balance import resume_balance, unfinished_balance

    _refuse_cluster("A search for rules", cluster)
    found = unfinished_balance(folder)
    if found is None:
        _say_complete("search", folder)
    else:
        print_balance(_go_on(resume_balance, found, folder, threads, live(), trust), form, folder)


def _refuse_cluster(what, cluster):
    if cluster is not None:
        raise click.UsageError(f"{what} is played on this machine: leave --cluster out.")


def _go_on(resume_search, task, folder, threads, bar, trust):
    """Finish a search of the laboratory that was stopped, and return its result."""
    trust = ask_for_trust(task.space.base.strategies, trust)
    with tell_how_to_go_on(), bar as progress:
        return resume_search(folder, threads, progress, trust)
