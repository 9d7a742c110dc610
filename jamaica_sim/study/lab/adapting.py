"""What players who adapt make of changed rules: beside the old players, and in a sweep."""

from collections.abc import Callable
from dataclasses import replace

from jamaica_sim.play.stopping import stop_on_signals
from jamaica_sim.results.measures import quantities_of
from jamaica_sim.results.result_table import ResultTable
from jamaica_sim.results.results import Results
from jamaica_sim.study.lab.common_deals import play_tables
from jamaica_sim.study.lab.sweep import Sweep, play_sweep
from jamaica_sim.study.tune.adapting import Adapted, adapt, stopped_adapting


def side_by_side(old: Results, adapted: Adapted, threads: int | None = None) -> ResultTable:
    """Every quantity at the table of the old players and at that of the adapted ones, on the same deals."""
    with stop_on_signals() as stop:
        played = play_tables([adapted.table], old.games, old.first_game, threads, stop)
    if played is None:
        raise stopped_adapting("the adapted players played")
    note = "best answers found, on the same deals; shares in percent"
    return beside("Old players and adapted ones", {"old players": old, "adapted players": played[0]}, note)


def beside(title: str, both: dict[str, Results], note: str = "on the same deals; shares in percent") -> ResultTable:
    """Every quantity at two tables that played the same deals, and the difference."""
    old, new = both.values()
    known = [q for q in quantities_of(old.table) if q in quantities_of(new.table)]
    rows = [(q.column + (" (%)" if q.share else ""), q.shown(old), q.shown(new), q.difference(old, new)) for q in known]
    return ResultTable(title, ("quantity", *both, "difference"), rows, note=note)


def adapted_sweep(
    sweep: Sweep, steps: int, threads: int | None = None, tell: Callable[[str], object] | None = None
) -> tuple[Sweep, list[str]]:
    """A sweep again with players who have adapted to each set of rules, and what they found under each."""
    plan, tables, sentences = sweep.plan, [], []
    for values, table in zip(plan.points, plan.tables, strict=True):
        label = plan.label(values)
        if tell is not None:
            tell(f"{label}:")
        adapted = adapt(table, steps, threads=threads, tell=tell)
        tables.append(adapted.table)
        sentences.append(f"{label}: {adapted.sentence()}")
    try:
        return play_sweep(replace(plan, base=tables[0], tables=tuple(tables)), threads), sentences
    except KeyboardInterrupt:
        raise stopped_adapting("the adapted players played") from None
