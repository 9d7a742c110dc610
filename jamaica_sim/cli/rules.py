"""`jamaica-sim rules`: list every rule with its allowed values and clause; compare rules; write a new file."""

from collections.abc import Container, Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import show
from jamaica_sim.cli.completion import complete_edition, complete_rules
from jamaica_sim.cli.options import Group, read_rules, say
from jamaica_sim.cli.run import list_format

if TYPE_CHECKING:
    from jamaica_sim.game.rules import Rules

SHOWN_ROWS = ("rule", "value", "may be", "clause", "meaning")


@click.group("rules", cls=Group, epilog="Example: jamaica-sim rules list")
def rules() -> None:
    """List, show, compare and start rules, which are changed by --rule NAME=VALUE or in a file for --rules."""


@rules.command("list", epilog="Example: jamaica-sim rules list --all")
@click.option(
    "--edition", "-e", shell_complete=complete_edition, default="2007", show_default=True, help="Rules of 2007 or 2021."
)
@click.option("--all", "everything", is_flag=True, help="Also each space, treasure, card and die face.")
@list_format
def list_rules(edition: str, everything: bool, form: str) -> None:
    """Every rule with its value, what it may be, its clause in docs/rules.md and its meaning."""
    from jamaica_sim.game.components.changes import AT_ONCE
    from jamaica_sim.game.rules import Rules

    if form != "table":
        show.print_list(SHOWN_ROWS, _rows(Rules(edition=edition), everything), form)
        return
    _print_rows(Rules(edition=edition), everything)
    if not everything:
        say()
        _say_whole(
            "Also by name: space.N.cost, .score, .kind and .next, treasure.NAME and treasure.NAME.value, card.N;"
        )
        _say_whole("`jamaica-sim rules list --all` has each of them.")
    say("\nMany spaces at once:")
    for name, meaning in AT_ONCE.items():
        _say_whole(f"{name}: {meaning}")


@rules.command("show", epilog="Example: jamaica-sim rules show variant.toml")
@click.argument("file", metavar="[FILE]", required=False, shell_complete=complete_rules)
@click.option("--edition", "-e", shell_complete=complete_edition, help="Rules of 2007 or 2021, where no file is given.")
@click.option("--all", "everything", is_flag=True, help="Also each space, treasure, card and die face.")
def show_rules(file: str, edition: str | None, everything: bool) -> None:
    """The rules of FILE, or of an edition; what a file changes is marked."""
    changes = {} if edition is None else {"edition": edition}
    _print_rows(read_rules(file, changes) if changes or not file else _named(file), everything)


@rules.command("diff", epilog="Example: jamaica-sim rules diff 2021 variant.toml")
@click.argument("first", shell_complete=complete_rules)
@click.argument("second", shell_complete=complete_rules)
def diff_rules(first: str, second: str) -> None:
    """What differs between two sets of rules; each is a file, or an edition (2007, 2021)."""
    from jamaica_sim.game.variant import differences
    from jamaica_sim.game.words import value_text

    pairs = differences(_named(first), _named(second))
    if not pairs:
        say(f"{first} and {second} are the same rules.")
        return
    rows = []
    for ours, theirs in pairs:
        row = ours or theirs
        assert row is not None  # one of the two has the rule
        values = ("none" if one is None else value_text(one.value) for one in (ours, theirs))
        rows.append((row.name, *values, row.clause, row.meaning))
    _print_table(("rule", first, second, "clause", "meaning"), rows)


@rules.command("new", epilog="Example: jamaica-sim rules new my_rules")
@click.argument("name")
@click.option("--into", type=click.Path(), default=".", show_default=True, help="Folder to write the file into.")
@click.option("--code", is_flag=True, help="House rules as code: a Python file with functions for moments of the game.")
def new(name: str, into: str, code: bool) -> None:
    """Write a commented file for rules of your own, with every rule in it; it plays as it is."""
    from jamaica_sim.game.variant import new_rules
    from jamaica_sim.play.commands import typed

    if code:
        from jamaica_sim.strategy.template import new_house_rules

        path = new_house_rules(name, into)
        say(f"Wrote {path}. Check it: {typed('rules', 'check', path)}")
        say(f"Play it: {typed('run', '--house-rules', path)}")
        return
    path = new_rules(name, into)
    again = typed("experiment", "new", f"{name}_report", "--rules", path)
    say(f"Wrote {path}. Try it: {typed('run', '--rules', path)}")
    say(f"For a report on it: {again}")


@rules.command("check", epilog="Example: jamaica-sim rules check lairs_pay.py")
@click.argument("file")
def check(file: str) -> None:
    """Play a few hundred games by a file of house rules at several tables, and check that goods and points add up."""
    from jamaica_sim.game.house_file import house_rules_in
    from jamaica_sim.game.rules import Rules
    from jamaica_sim.play.check import check_house_rules
    from jamaica_sim.strategy.house.compile import needs_compiling

    house = house_rules_in(file)
    with show.while_compiling(needs_compiling(Rules(house_rules=house), traced=True)):
        found = check_house_rules(house)
    say(f"{house.name}: {house.description}")
    for parameter in house.parameters:
        say(f"house.{parameter.name}: {parameter.value}, {parameter.low} to {parameter.high}")
    say(f"It acts at {', '.join(house.functions)}.")
    effects = ", ".join(f"{what} {times:.2f}" for what, times in found.effects.items())
    say(f"{found.games:,} games were played at {found.tables} tables, and the books are kept.")
    say(f"Effects a game: {effects}." if effects else "It never did anything in them.")


def _named(name: str) -> "Rules":
    """The rules of an edition or a file."""
    from jamaica_sim.game.rules import EDITIONS, Rules

    return Rules(edition=name) if name in EDITIONS else read_rules(name, {})


def _rows(shown: "Rules", everything: bool, changed: Container[str] = ()) -> list[tuple[str, ...]]:
    """The rules, those that are changed with a mark."""
    from jamaica_sim.game.variant import rule_rows
    from jamaica_sim.game.words import value_text

    return [
        (f"{row.name}{' *' * (row.name in changed)}", value_text(row.value), row.allowed, row.clause, row.meaning)
        for row in rule_rows(shown)
        if everything or row.name in changed or "." not in row.name
    ]


def _print_rows(shown: "Rules", everything: bool) -> None:
    from jamaica_sim.game.rules import Rules
    from jamaica_sim.game.variant import differences

    printed = Rules(edition=shown.edition, players=shown.players, ghost=shown.ghost)
    changed = {row.name for pair in differences(printed, shown) for row in pair if row is not None}
    _print_table(SHOWN_ROWS, _rows(shown, everything, changed))
    if changed:
        say(f"\n* differs from the {shown.edition} rulebook.")


def _say_whole(text: str) -> None:
    """Print a line; a terminal gets it broken between words."""
    console = show.output()
    if console.is_terminal:
        text = fill(text, console.width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    say(text)


def _print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table, each row on a line; in a terminal that is too narrow, each row as two sentences."""
    console, rows = show.output(), list(rows)
    widths = [max(len(str(cell)) for cell in column) for column in zip(columns, *rows, strict=True)]
    if console.is_terminal and sum(widths) + 2 * len(widths) > console.width:
        for name, *facts, meaning in rows:
            told = "; ".join(f"{column}: {fact}" for column, fact in zip(columns[1:-1], facts, strict=True))
            _say_whole(f"{name}: {meaning}")
            _say_whole(f"    {told}")
        return
    for row in (columns, *rows):
        say("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
