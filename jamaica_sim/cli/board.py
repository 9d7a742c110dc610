"""`jamaica-sim board`: draw the board, plain or coloured by what happened on each space."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jamaica_sim.cli import options
from jamaica_sim.cli.options import command, say, table_rules

if TYPE_CHECKING:
    from jamaica_sim.game.rules import Rules

FORMS = (".png", ".svg", ".pdf", ".csv")


HINTS = {"Got unexpected extra argument": "Name a folder with --from and what to show with --heat."}


@command(
    "board --heat shortages --from my_run --out shortages.png",
    hints=HINTS,
)
@click.option("--heat", type=click.Choice(["landings", "shortages", "battles"]), help="What colours the spaces.")
@click.option("--from", "folder", type=click.Path(), help="Folder of a run or an experiment, for --heat.")
@click.option(
    "--out",
    type=click.Path(),
    default="board.png",
    show_default=True,
    help="File to write: .png, .svg or .pdf; or .csv, a board to change.",
)
@options.rules_file("Draw the board of these rules, a TOML file.")
@options.rule
def board(
    heat: str,
    folder: str | None,
    out: str,
    rules_file: str | None,
    rule_changes: tuple[str, ...],
) -> None:
    """Draw the board with its spaces, costs, points and lanes, or how often things happened on each space."""
    path = Path(out)
    if path.suffix == ".csv":
        if heat or folder:
            raise click.UsageError("a .csv file is a board to change: leave --heat and --from out.")
        _write_csv(path, table_rules(None, None, None, rule_changes, rules_file))
        return
    if path.suffix not in FORMS:
        raise click.UsageError(f"--out must end in {', '.join(FORMS[:-1])} or {FORMS[-1]}, not {path.name}.")
    if bool(heat) != bool(folder):
        raise click.UsageError("--heat and --from go together: what to show, and the folder of the run that shows it.")

    if folder and (rules_file or rule_changes):
        raise click.UsageError("--rules and --rule draw a board as it is; with --from it is that of the run.")
    from jamaica_sim.files.atomic_files import write_whole
    from jamaica_sim.results.board_picture import draw_board
    from jamaica_sim.results.picture_style import picture, style

    setting = None
    if folder:
        from jamaica_sim.study.experiment.study import load_study

        setting = load_study(folder).reference
    with style():
        axes = (
            draw_board(setting.results, heat)
            if setting
            else draw_board(rules=table_rules(None, None, None, rule_changes, rules_file))
        )
    write_whole(path, picture(axes, path.suffix[1:]))
    what = f": {heat} in {setting.games:,} games of {setting.played.table.in_words()}" if setting else ""
    say(f"Wrote {path}{what}.")


def _write_csv(path: Path, rules: "Rules") -> None:
    from jamaica_sim.errors import UserError
    from jamaica_sim.files.atomic_files import write_whole
    from jamaica_sim.game.components.course import board_csv
    from jamaica_sim.play.commands import typed

    if os.path.lexists(path):
        raise UserError(f"{path} exists already: give another name, or remove it.")
    write_whole(path, board_csv(rules.components.board).encode())
    say(f"Wrote {path}. Try it: {typed('run', '--rule', f'board={path}')}")
    say(f"Draw it: {typed('board', '--rule', f'board={path}', '--out', path.with_suffix('.png'))}")
