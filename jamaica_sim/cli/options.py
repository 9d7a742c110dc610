"""What several commands share: the options that lay a table, and how errors end."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from jamaica_sim.cli import bugs
from jamaica_sim.cli.completion import complete_edition, complete_rule, complete_rules_file, complete_strategy
from jamaica_sim.cli.whole_help import WholeHelp
from jamaica_sim.errors import UserError
from jamaica_sim.files.escape import PLAIN, did_you_mean, for_stream, shown
from jamaica_sim.files.limits import (
    LARGEST_NUMBER,
    LARGEST_SEED,
    LAST_GAME,
    LUCK_SOURCES,
    MOST_GAMES,
    MOST_THREADS,
    is_int_between,
    is_number,
    value_in_text,
)
from jamaica_sim.play.stopping import interrupt_on_signals

if TYPE_CHECKING:
    from jamaica_sim.game.rules import Rules
    from jamaica_sim.play.game_table import GameTable
    from jamaica_sim.strategy.strategy import Strategy

HOUSE_RULES = "jamaica_sim.house_rules"  # where a command keeps the file of --house-rules
NO_FOLDER = {"Missing argument 'FOLDER": "Name the folder that `jamaica-sim run --out FOLDER` wrote."}  # a hint


AnyCommand = TypeVar("AnyCommand", bound=Callable[..., Any])


class Failure(click.ClickException):
    """An error while a command runs, told in one sentence; exit code 1."""

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message, with control characters written out."""
        say(f"Error: {self.format_message()}", err=True)


class Refusal(Failure):
    """A mistake in what the user asked for, told in one sentence; exit code 2."""

    exit_code = 2


def say(text: str = "", err: bool = False, nl: bool = True) -> None:
    """Print text, on standard error if `err`; characters that the terminal would obey or cannot show are replaced."""
    stream = sys.stderr if err else sys.stdout
    click.echo(for_stream(str(text), getattr(stream, "encoding", None)), err=err, nl=nl)


class PlainCommand(WholeHelp):
    """A command that refuses wrong options in one sentence, without repeating its usage.

    `hints` maps the beginning of a click message, such as "Got unexpected extra argument", to advice to add.
    """

    def __init__(self, *args: Any, hints: Mapping[str, str] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.hints = hints or {}

    def _hint(self, message: str) -> str:
        return next((hint for start, hint in self.hints.items() if message.startswith(start)), "")

    def _hinted(self, message: str) -> str:
        return f"{_sentence(message)} {self._hint(message)}".strip()

    def _unknown_option(self, option: str) -> str:
        message = f"No such option {option!r}"
        if self._hint(message):
            return self._hinted(message)
        known = [name for param in self.params for name in (*param.opts, *param.secondary_opts) if name[0] == "-"]
        return f"{message}: {did_you_mean(option, known, otherwise='--help lists the options.')}"

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        for word in args:
            try:
                word.encode()
            except UnicodeEncodeError:
                raise Refusal(f"{word!r} is not UTF-8 text: give files and folders a name that is.") from None
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.NoSuchOption as error:
            raise Refusal(self._unknown_option(error.option_name)) from error
        except click.UsageError as error:
            raise Refusal(self._hinted(error.format_message())) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. The user's mistakes end in one sentence and exit code 2, a strategy's fault or Ctrl-C in 1.

        Errors of the system are left to `PlainGroup`, because the output of `--help` can fail as well.
        """
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise Refusal(_sentence(error.format_message())) from error
        except UserError as error:
            raise Refusal(_sentence(error)) from error
        except KeyboardInterrupt:
            _end_stopped()
        except Exception as error:
            from jamaica_sim.play.state_record import StrategyFault  # late, because it imports numba

            if isinstance(error, StrategyFault):
                raise Failure(_sentence(error)) from error
            raise


class Group(WholeHelp, click.Group):
    """A group of commands."""

    command_class = PlainCommand


def command(example: str, **how: Any) -> Callable[[Callable[..., Any]], PlainCommand]:
    """Makes a command of ours, with an example below its help."""
    return click.command(cls=PlainCommand, epilog=f"Example: jamaica-sim {example}", **how)


class PlainGroup(Group):
    """The program. An error of the system, such as a full disk, ends in one sentence and exit code 1; a bug, in 3.

    If the reader of its output has closed the pipe, click itself ends it quietly.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):  # they are to replace characters that they cannot show
            with suppress(AttributeError, ValueError, OSError):  # some other kind of stream
                getattr(stream, "reconfigure")(errors=PLAIN)  # noqa: B009
        try:
            with interrupt_on_signals():
                return super().main(*args, **kwargs)
        except OSError as error:
            with suppress(OSError):  # standard error itself may not be writable
                Failure(_refused_by_system(error)).show()
            sys.exit(1)
        except Exception as error:
            if bugs.wants_trace():
                raise
            with suppress(OSError):
                Failure(bugs.sentence(error)).show()
            sys.exit(bugs.EXIT_CODE)

    def invoke(self, ctx: click.Context) -> Any:
        """An interruption before the command runs, such as during an import, ends in one sentence too."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            _end_stopped()


class Whole(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """A whole number within limits."""

    name = "number"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = int(value)
        except ValueError:
            number = None
        if not is_int_between(number, self.low, self.high):
            self.fail(f"it must be a whole number from {self.low:,} to {self.high:,}, not {value}.", param, ctx)
        return number


class Count(Whole):
    """A number of games: also 1e6, 10,000, 100k or 2m."""

    name = "games"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(_spelt_out(value) if isinstance(value, str) else value, param, ctx)


def _spelt_out(text: str) -> str:
    """A number of games as people write it, such as 1e6 or 100k, in digits; any other text unchanged."""
    found = re.fullmatch(r"(\d{1,3}(?:[,_]\d{3})+|\d{1,15})(?:\.(\d{1,6}))?(?:e\+?(\d{1,2})|([kKmM]))?", text.strip())
    if not found:
        return text
    whole, part, power, unit = found.groups()
    zeros = int(power) if power else {"k": 3, "m": 6}.get((unit or "").lower(), 0)
    number = Fraction(f"{re.sub('[,_]', '', whole)}.{part or 0}") * 10**zeros
    return str(number.numerator) if number.denominator == 1 else text


def new_folder(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """The folder to write; refused before any game is played if it exists already."""
    if value is not None and os.path.lexists(value):
        from jamaica_sim.study.saved_folder import refuse_existing

        try:
            refuse_existing(value)
        except ValueError as error:
            raise Refusal(_sentence(error)) from error
    return value


first_number = Whole(0, LAST_GAME)
game_number = Whole(0, LARGEST_NUMBER)
number_of_games = Count(1, MOST_GAMES)
number_of_threads = Whole(1, MOST_THREADS)
seed_number = Whole(0, LARGEST_SEED)


setting = click.option("--setting", type=Whole(1, 1000), help="Which setting of an experiment or a sweep, from 1.")
trust = click.option("--trust", is_flag=True, help="Run Python code that came with a folder or file. Read it first.")
out = click.option("--out", type=click.Path(), callback=new_folder, help="Folder to write: it must not exist yet.")
threads = click.option("--threads", "-t", type=number_of_threads, help="Threads.  [default: all cores]")


def ask_for_trust(strategies: "Iterable[Strategy]", trust: bool) -> bool:
    """Whether code that came with a folder or an experiment may run; asks at a terminal, and refuses without one."""
    from jamaica_sim.strategy.library import Untrusted, strangers

    found = [] if trust else strangers(strategies)
    if not found:
        return trust
    sentence = _sentence(Untrusted(found))
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refusal(sentence)
    say(sentence, err=True)
    if not click.confirm("Run it?", default=False, err=True):
        raise Refusal("Nothing was run.")
    return True


def let_house_rules_run(files: Iterable[Path], trust: bool) -> None:
    """Let the house rules of these saved games run, if the user says so."""
    from jamaica_sim.play.outside import game_file
    from jamaica_sim.strategy.library import allow

    for file in files if trust else ():
        with suppress(UserError):  # a file that cannot be read is told of where it is needed
            allow([game_file.read(file).table.rules], trust)


def _with_house_rules(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """The changed rules, and the file of --house-rules as one of them."""
    file = ctx.meta.get(HOUSE_RULES)
    return (*value, f"house_rules={file}") if file else value


def _keep_house_rules(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[HOUSE_RULES] = value


def house_rules(command: AnyCommand, **how: Any) -> AnyCommand:
    """The option --house-rules."""
    words = "A Python file of house rules, or a shipped one by name; `jamaica-sim rules new NAME --code` writes one."
    return click.option("--house-rules", metavar="FILE", help=words, **how)(command)


def rule(command: AnyCommand) -> AnyCommand:
    """The options --rule and --house-rules."""
    command = house_rules(command, is_eager=True, expose_value=False, callback=_keep_house_rules)
    return click.option(
        "--rule",
        "-r",
        "rule_changes",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=complete_rule,
        callback=_with_house_rules,
        help="Change a rule, such as hand_size=4, space.6.cost=3 or treasure.lady_beth=0; "
        "`jamaica-sim rules list` has all of them.",
    )(command)


def rules_file(about: str) -> Callable[[AnyCommand], AnyCommand]:
    """The option --rules."""
    return click.option("--rules", "rules_file", metavar="FILE", shell_complete=complete_rules_file, help=about)


def together(*options: Callable[..., Any]) -> Callable[[AnyCommand], AnyCommand]:
    """Several options as one decorator, in this order."""
    return lambda command: reduce(lambda so_far, option: option(so_far), reversed(options), command)


def strategy(about: str) -> Callable[[AnyCommand], AnyCommand]:
    """The option --strategy."""
    how: dict[str, Any] = {"metavar": "NAME_OR_FILE", "shell_complete": complete_strategy, "help": about}
    return click.option("--strategy", "-s", "strategies", multiple=True, **how)


def lays_table(strategies: str, seed: str = "Seed of all luck.  [default: 1]") -> Callable[[AnyCommand], AnyCommand]:
    """The options that say what is played: rules, strategies unless their help is empty, and seed."""
    edition = "Rules of 2007 or 2021.  [default: 2007]"
    ghost = "The ghost ship, for 2 to 5 players.  [default: with 2 players only]"
    return together(
        click.option("--players", "-p", type=Whole(2, 6), help="Players, 2 to 6.  [default: 4]"),
        click.option("--edition", "-e", shell_complete=complete_edition, help=edition),
        click.option("--ghost/--no-ghost", default=None, help=ghost),
        *([strategy(strategies)] if strategies else []),
        rule,
        rules_file("A TOML file with changed rules; other options override it."),
        click.option("--seed", type=seed_number, help=seed),
    )


table = lays_table(
    "A strategy, by name or file; repeat it for the next seat. Fewer than players take turns.  "
    "[default: a different one in each seat]"
)
served = together(
    click.option("--port", type=Whole(1, 65535), help="Port to use.  [default: 8117, or a free one]"),
    click.option("--no-browser", is_flag=True, help="Only print the address."),
)
SOURCE_WORDS = {
    "captain": "captain (the first one)",
    "hidden": "hidden (which face-down card is stolen)",
    "own": "own (of strategies that play at random)",
    "house": "house (of house rules)",
}
luck = click.option(
    "--luck",
    multiple=True,
    metavar="SOURCE=SEED",
    help="Draw one source of luck from another seed; may be repeated. Sources: "
    f"{', '.join(SOURCE_WORDS.get(source, source) for source in LUCK_SOURCES)}.",
)


measure = click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="'NAME = EXPRESSION'",
    help="Also take a measure of your own, such as 'close = margin < 3'; may be repeated.",
)


def parse_luck(words: Iterable[str]) -> dict[str, int]:
    """Seeds by source of luck, from words such as `dice=7`."""
    luck = {}
    for word in words:
        source, equals, seed = (part.strip() for part in word.partition("="))
        if not equals or not is_number(seed):
            raise Refusal(f"--luck wants SOURCE=SEED, such as dice=7, not {shown(word)}.")
        if source not in LUCK_SOURCES:
            known = did_you_mean(source, LUCK_SOURCES, "the sources are")
            raise Refusal(f"There is no source of luck {source!r}: {known}")
        if source in luck:
            raise Refusal(f"--luck {source} is given twice: say it once.")
        luck[source] = int(seed)
    return luck


def lay_table(
    *,
    strategies: Sequence[str],
    seed: int | None,
    luck: Iterable[str] = (),
    measures: Sequence[str] = (),
    **rules: Any,
) -> "GameTable":
    """The table that the shared options describe, see `table_rules`."""
    from jamaica_sim.play.game_table import seat_table
    from jamaica_sim.play.own_measures import parse_measures

    facts = 1 if seed is None else seed, parse_luck(luck), parse_measures(measures)
    return seat_table(table_rules(**rules), strategies or None, *facts)


def table_rules(
    players: int | None, edition: str | None, ghost: bool | None, rule_changes: Iterable[str], rules_file: str | None
) -> "Rules":
    """The rules that the shared options describe; a rule that is given twice is refused."""
    given = {"players": players, "edition": edition, "ghost": ghost}
    changes = {name: value for name, value in given.items() if value is not None}
    for name, value in map(parse_rule, rule_changes):
        if name in changes:
            also = f"--{name} and --rule {name}" if given.get(name) is not None else f"--rule {name} twice"
            raise Refusal(f"The rule {name} is given by {also}: say it once.")
        changes[name] = value
    return read_rules(rules_file, changes)


def read_rules(rules_file: str | None, changes: dict[str, Any]) -> "Rules":
    """The rules of a file, if one is given, with changes on top."""
    from jamaica_sim.game.rules import rules_of
    from jamaica_sim.game.variant import rules_in

    return rules_in(rules_file, changes) if rules_file else rules_of(changes)


def parse_rule(change: str) -> tuple[str, Any]:
    """Name and value of `name=value`. A value is true/false, a whole number, a word, or several separated by commas."""
    from jamaica_sim.game.rules import rule_name

    name, equals, text = change.partition("=")
    if not equals:
        raise Refusal(f"--rule wants NAME=VALUE, such as hand_size=4, not {change!r}.")
    parts = [value_in_text(part) for part in text.split(",")]
    return rule_name(name), parts[0] if len(parts) == 1 else tuple(parts)


def _end_stopped() -> NoReturn:
    context = click.get_current_context(silent=True)
    can_keep = context is not None and any(p.callback is new_folder for p in context.command.params)
    out = context.params.get("out") if context is not None and can_keep else None
    if out and os.path.exists(os.path.join(out, "manifest.json")):  # it was being printed
        from jamaica_sim.play.commands import resume_command

        say(f"Stopped: what was played is kept. Go on with: {resume_command(out)}", err=True)
    else:
        hint = " With --out FOLDER, what was played is kept and can be resumed." if can_keep and not out else ""
        say(f"Stopped before the end: there are no results.{hint}", err=True)
    sys.exit(1)


def _refused_by_system(error: OSError) -> str:
    """The error as a sentence.

    Our own errors are sentences already and have no number. The system's have one; they name no file if it was already
    open when it failed.
    """
    if error.errno is None:
        return _sentence(error)
    reason = error.strerror or error
    return _sentence(f"{error.filename}: {reason}" if error.filename else f"the output cannot be written: {reason}")


def _sentence(error: object) -> str:
    from jamaica_sim.game.rules import rule_fields

    text = str(error).strip() or type(error).__name__
    first = text.split()[0]
    if first.isalpha() and first not in (rule.name for rule in rule_fields()):  # neither a rule's nor a file's name
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else f"{text}."
