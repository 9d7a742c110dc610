"""`jamaica-sim games`: find games of a run that are worth watching."""

from typing import TYPE_CHECKING

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import NO_FOLDER, AnyCommand, Whole, command, say
from jamaica_sim.cli.run import results_format

if TYPE_CHECKING:
    from jamaica_sim.study.find_games import Found

ABOUT = {
    "closest": "Those won by the fewest points.",
    "ghost-wins": "Those that the ghost ship won, clearest first.",
    "comeback": "Those won by a ship that was behind at half time, furthest behind first.",
    "longest": "Those with the most rounds.",
    "most-shortages": "Those with the most shortages.",
}


def _presets(command: AnyCommand) -> AnyCommand:
    for name, about in reversed(ABOUT.items()):
        command = click.option(f"--{name}", "presets", flag_value=name, multiple=True, help=about)(command)
    return command


@command('games pirates --where "winners == ghost" --sort margin', hints=NO_FOLDER)
@click.argument("folder", type=click.Path())
@click.option("--where", "-w", default="", metavar="CONDITION", help="Only games that meet this condition.")
@click.option(
    "--sort", default="", metavar="COLUMN", help="Sort by this column, smallest first; -COLUMN: largest first."
)
@_presets
@click.option("--limit", type=Whole(1, 100_000), default=10, show_default=True, help="How many games at most.")
@results_format
@options.setting
@options.trust
def games(
    *,
    folder: str,
    where: str,
    sort: str,
    presets: tuple[str, ...],
    limit: int,
    form: str,
    setting: int | None,
    trust: bool,
) -> None:
    """Find games in FOLDER, each with the command that replays it.

    FOLDER is that of a run, or of an experiment or a sweep, of which --setting names one. A CONDITION compares columns
    of its table of games with numbers and ships: winners == ghost, racer in winners and margin <= 2, shortages > 8. A
    wrong name is answered with the list of columns.
    """
    from jamaica_sim.study.find_games import Wanted, search
    from jamaica_sim.study.folder import find_setting

    if len(presets) > 1:
        raise click.UsageError(f"Choose one of {', '.join(f'--{name}' for name in ABOUT)}.")
    with show.progress_bar(find_setting(folder, setting).games) as progress:
        preset = presets[0] if presets else ""
        found = search(folder, Wanted(where, sort, preset, limit), setting, progress, trust)
    if form == "table":
        _print_found(found, sort.removeprefix("-"))
    else:  # with every column
        table = found.to_pandas()
        say(
            table.to_json(orient="records", indent=2) if form == "json" else table.to_csv(index=False),
            nl=form == "json",
        )


def _print_found(found: "Found", sorted_by: str) -> None:
    columns = found.columns
    sorted_by = "deficit" if "deficit" in columns else sorted_by
    extra = [sorted_by] if sorted_by not in ("", "game", "rounds", "margin", "shortages", "battles", "score") else []
    rows = []
    for row in range(len(found)):
        scores = " ".join(str(columns[f"score_{ship}"][row]) for ship in range(len(found.names)))
        numbers = [columns[name][row] for name in ("rounds", "margin", "shortages", "battles", *extra)]
        rows.append([columns["game"][row], " and ".join(found.winners(row)), scores, *numbers])
    if rows:
        show.print_rows(["game", "won by", "scores", "rounds", "margin", "shortages", "battles", *extra], rows)
        say("\nSee them with:")
        for row in range(len(found)):  # a line each, however long, so that it can be copied
            say(found.command(row))
    if found.matching == found.share.n:
        say(f"\nOf {found.share.n:,} games.")
    else:
        share = f"{found.matching:,} of {found.share.n:,} games: {found.share:%}"
        say(f"\nFound {share}." if rows else f"No such game: {share}.")
