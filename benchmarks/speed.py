"""How fast jamaica-sim is: every figure that has an aim, games per second, decisions, phases; records to compare with.

    python benchmarks/speed.py --yardstick PATH                        everything: about an hour
    python benchmarks/speed.py --yardstick PATH --quick                everything, shorter: some minutes
    python benchmarks/speed.py --quick code pipeline decisions         some rows only
    python benchmarks/speed.py --yardstick PATH --json now.json --against then.json

Without --against the figures are compared with the newest record in benchmarks/records.

docs/performance.md explains what the rows mean and how to read them.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import click
from rich.table import Table as Grid
from rich.text import Text

from jamaica_sim.cli.options import PlainCommand, Refusal
from jamaica_sim.cli.show import output
from jamaica_sim.files.escape import did_you_mean
from measuring import sections, targets
from measuring.figures import RATIO, SECONDS, SPEED, changes
from measuring.record import RecordFault, machine_facts, read_record, write_record
from measuring.yardstick import YardstickFault


@dataclass(frozen=True)
class Row:
    """Something that can be measured by itself."""

    measure: callable
    needs_yardstick: bool = False


ROWS = {
    "random-4": Row(targets.random_four, True),
    "random-6": Row(targets.random_six, True),
    "random-2": Row(targets.random_two, True),
    "balanced": Row(targets.balanced, True),
    "champion": Row(targets.champion, True),
    "threads": Row(targets.two_threads),
    "pipeline": Row(targets.pipeline),
    "parquet": Row(targets.parquet),
    "compare": Row(targets.comparison),
    "code": Row(targets.code),
    "cold-start": Row(targets.cold_start),
    "warm-start": Row(targets.warm_start),
    "help": Row(targets.show_help),
    "cost": Row(targets.cost),
    "tables": Row(sections.tables),
    "strategies": Row(sections.strategies),
    "decisions": Row(sections.decisions),
    "phases": Row(sections.phases),
    "outside": Row(sections.outside),
}
TITLES = {
    "tables": "Random play, games per second of processor time on one core",
    "strategies": "Shipped strategies, games per second of processor time on one core",
    "decisions": "Decision points, nanoseconds for an answer of balanced",
    "outside": "Seats outside, nanoseconds of processor time for a question and what follows it",
    "phases": "Phases, nanoseconds of a game of four players, 2007, the strategies' answers included",
}
RECORDS = Path(__file__).resolve().parent / "records"  # of releases
BUSY = 0.3  # a machine with a higher load for each core, before anything is measured, is busy


def chosen_rows(names, yardstick) -> dict[str, Row]:
    """The rows that the user names, or all. Refuses unknown rows, and rows that need the yardstick if it is missing."""
    for name in names:
        if name not in ROWS:
            raise Refusal(f"there is no row {name!r}: {did_you_mean(name, ROWS, 'there are')}")
    chosen = {name: row for name, row in ROWS.items() if not names or name in names}
    lacking = [name for name, row in chosen.items() if row.needs_yardstick]
    if lacking and yardstick is None:
        raise Refusal(f"the yardstick is missing for {', '.join(lacking)}: give --yardstick PATH, or name other rows.")
    return chosen


def number(value, unit) -> str:
    """A value as the table shows it."""
    if unit in (RATIO, SECONDS):
        return f"{value:,.2f}"
    return f"{value:,.0f}" if unit == SPEED else f"{value:,.1f}"


def cells(figure) -> list[str]:
    """A figure with an aim as a row of the table."""
    unit = " s" if figure.unit == SECONDS else ""
    aim = f"{'at least' if figure.more_is_better else 'at most'} {figure.target:g}{unit}"
    seconds = ["" if value is None else f"{value:.2f}" for value in (figure.cpu, figure.wall)]
    middle, spread = number(figure.median, figure.unit), number(figure.spread, figure.unit)
    return [figure.what, aim, f"{middle}{unit}", f"± {spread}", *seconds, "met" if figure.met else "NOT MET"]


def print_grid(title, columns, rows):
    """A plain table, numbers to the right."""
    grid = Grid(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for place, column in enumerate(columns):
        grid.add_column(column, no_wrap=True, justify="right" if 0 < place < len(columns) - 1 else "left")
    for row in rows:
        grid.add_row(*map(Text, row))
    console = output()
    console.print(Text(title, style="bold"))
    console.print(grid)
    console.print()


def print_machine(machine, quick):
    """What the figures depend on."""
    facts = {**machine, "load average": ", ".join(map(str, machine["load average"] or ["unknown"]))}
    click.echo(
        "; ".join(f"{name} {value}" for name, value in facts.items()) + f"; {'quick' if quick else 'full'} mode."
    )
    if machine["load average"] and machine["load average"][0] > BUSY * machine["cores"]:
        click.echo("The machine is busy with other work: what is measured by the clock is slower than by itself.")
    click.echo()


def print_figures(figures):
    """Print the table of the aims, then the sections without aims."""
    with_aim = [figure for figure in figures if figure.target is not None]
    if with_aim:
        columns = "what", "aim", "median", "spread", "CPU s", "wall s", ""
        print_grid("Aims", columns, map(cells, with_aim))
        for figure in with_aim:
            if figure.note:
                click.echo(f"{figure.what}: {figure.note}")
        click.echo()
    for section, title in TITLES.items():
        rows = [
            [f.what, number(f.median, f.unit), f"± {number(f.spread, f.unit)}", f.note]
            for f in figures
            if f.key.startswith(f"{section}.")
        ]
        if rows:
            print_grid(title, ("", "median", "spread", ""), rows)


def print_changes(then, now, machine_then, machine_now) -> bool:
    """Print the figures against earlier ones; returns whether some got worse beyond noise."""
    if machine_then.get("processor") != machine_now["processor"]:
        click.echo(f"The earlier record is of another machine: {machine_then.get('processor')}.")
    found = sorted(changes(then, now), key=lambda change: change.noise - change.worse)
    for change in found:
        click.echo(change.sentence())
    worse = sum(change.is_regression for change in found)
    click.echo(f"{len(found)} figures compared with the earlier record, {worse} of them slower beyond noise.")
    return worse > 0


def newest_record():
    """The newest of the kept records; None where there is none. Their names begin with the day."""
    kept = sorted(RECORDS.glob("*.json"))
    return read_record(kept[-1]) if kept else None


def say(sentence):
    """Tell the waiting user something."""
    click.echo(sentence, err=True)


@click.command(cls=PlainCommand, context_settings={"max_content_width": 100})
@click.argument("rows", nargs=-1)
@click.option("--yardstick", default=None, metavar="PATH", help="The program of the engine to compare with.")
@click.option("--quick", is_flag=True, help="Fewer and shorter measurements: minutes instead of an hour.")
@click.option("--json", "record", default=None, metavar="FILE", help="Also write a record of the figures.")
@click.option(
    "--against",
    default=None,
    metavar="FILE",
    help="Compare with an earlier record, by default the newest in benchmarks/records: exit code 1 if slower.",
)
def main(rows, yardstick, quick, record, against):
    """Measure how fast jamaica-sim is and print a table. ROWS are some of the rows, by default all of them.

    Rows: random-4 random-6 random-2 balanced champion (these need the yardstick) threads pipeline parquet compare code
    cold-start warm-start help cost tables strategies decisions phases outside.
    """
    if yardstick is not None and not Path(yardstick).is_file():
        raise Refusal(f"there is no yardstick {yardstick}.")
    if record is not None and not Path(record).resolve().parent.is_dir():
        raise Refusal(f"the folder of {record} does not exist.")
    chosen = chosen_rows(rows, yardstick)
    try:
        earlier = read_record(Path(against)) if against else newest_record()
    except RecordFault as fault:
        raise Refusal(str(fault)) from fault
    machine = machine_facts()
    if earlier and not against and earlier[0].get("processor") != machine["processor"]:
        earlier = None  # of another machine: compared only on request
    plan = targets.Plan(yardstick, quick, say)
    figures = []
    for place, (name, row) in enumerate(chosen.items(), 1):
        say(f"{place} of {len(chosen)}: {name}")
        try:
            figures += row.measure(plan)
        except YardstickFault as fault:
            raise Refusal(str(fault)) from fault
    print_machine(machine, quick)
    print_figures(figures)
    if record:
        write_record(Path(record), machine, quick, figures)
    if earlier and print_changes(earlier[1], figures, earlier[0], machine):
        sys.exit(1)


if __name__ == "__main__":
    main()
