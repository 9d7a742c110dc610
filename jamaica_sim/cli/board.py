"""`jamaica-sim board`: draw the board, plain or coloured by what happened on each space."""

from pathlib import Path

import click

from jamaica_sim.cli.options import PlainCommand, plain_errors, read_rules, say

FORMS = (".png", ".svg", ".pdf")


HINTS = {"Got unexpected extra argument": "Name a folder with --from and what to show with --heat."}


@click.command(
    cls=PlainCommand,
    epilog="Example: jamaica-sim board --heat shortages --from my_run --out shortages.png",
    hints=HINTS,
)
@click.option("--heat", type=click.Choice(["landings", "shortages", "battles"]), help="What colours the spaces.")
@click.option("--from", "folder", type=click.Path(), help="Folder of a run or an experiment, for --heat.")
@click.option(
    "--out", type=click.Path(), default="board.png", show_default=True, help="File to write: .png, .svg or .pdf."
)
@click.option("--rules", "rules_file", metavar="FILE", default=None, help="Draw the board of these rules, a TOML file.")
@plain_errors
def board(heat, folder, out, rules_file):
    """Draw the board with its spaces, costs, points and lanes, or how often things happened on each space."""
    path = Path(out)
    if path.suffix not in FORMS:
        raise click.UsageError(f"--out must end in {', '.join(FORMS[:-1])} or {FORMS[-1]}, not {path.name}.")
    if bool(heat) != bool(folder):
        raise click.UsageError("--heat and --from go together: what to show, and the folder of the run that shows it.")

    if folder and rules_file:
        raise click.UsageError("--rules draws a board as it is; with --from it is that of the run.")
    from jamaica_sim.charts.style import picture, style
    from jamaica_sim.report.board_picture import draw_board
    from jamaica_sim.store.atomic_files import write_whole

    setting = None
    if folder:
        from jamaica_sim.experiment.study import load_study

        setting = load_study(folder).reference
    with style():
        axes = draw_board(setting.results, heat) if setting else draw_board(rules=read_rules(rules_file, {}))
    write_whole(path, picture(axes, path.suffix[1:]))
    what = f": {heat} in {setting.games:,} games ({setting.label})" if setting else ""
    say(f"Wrote {path}{what}.")
