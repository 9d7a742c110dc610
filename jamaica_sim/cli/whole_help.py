"""How `--help` looks: nothing is cut, no word is broken, and an example can be copied."""

from collections.abc import Iterable
from typing import Any

import click

UNBROKEN = "\N{NON-BREAKING HYPHEN}"


class _WholeWords(click.HelpFormatter):
    """Breaks lines between words only, never at the hyphen of `jamaica-sim` or of an option."""

    def write_text(self, text: str) -> None:
        super().write_text(text.replace("-", UNBROKEN))

    def write_dl(self, rows: Iterable[tuple[str, str]], *args: Any, **kwargs: Any) -> None:
        super().write_dl([(name, about.replace("-", UNBROKEN)) for name, about in rows], *args, **kwargs)

    def getvalue(self) -> str:
        return super().getvalue().replace(UNBROKEN, "-")


class _Context(click.Context):
    formatter_class = _WholeWords


class WholeHelp(click.Command):
    """A command that is listed with the whole first paragraph of its help, and whose example is one line a command."""

    context_class = _Context

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first paragraph of the help, unless `short_help` is set."""
        return self.short_help or " ".join((self.help or "").split("\n\n")[0].split())

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the example, each of its commands on a line."""
        if self.epilog:
            commands = self.epilog.removeprefix("Example: ").replace(" && ", " &&\n" + " " * 11)
            formatter.write(f"\n  Example: {commands}\n")
