"""`jamaica-sim replay`: show one game of a run, as a story, a summary, a page that plays it, or JSON."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Refusal, Whole, command, say
from jamaica_sim.files.escape import shown
from jamaica_sim.files.limits import is_number

if TYPE_CHECKING:
    from jamaica_sim.play.game_table import GameTable
    from jamaica_sim.play.outside.game import Game
    from jamaica_sim.play.positions import GamePositions, Position
    from jamaica_sim.play.trace import Interrupted, Trace

WHAT_IF = "ROUND:SHIP[:DECISION]=ANSWER"
ADVISED_GAMES = 1000  # games for each card of --advise, unless --chances is given


def _page_file(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """The file to write; refused before the game is played if its name or folder is wrong."""
    if value is None:
        return None
    path = Path(value)
    if path.suffix.lower() not in (".html", ".htm"):
        raise Refusal(f"{value}: a page's file ends in .html.")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise Refusal(f"{value}: there is no folder to write this file to.")
    return path


@command("replay --seed 1 --game 42 --html game42.html")
@click.argument("source", metavar="[FOLDER|FILE]", type=click.Path(), required=False)
@click.option("--game", "-g", type=options.game_number, help="Number of the game in the run.")
@options.table
@options.luck
@click.option("--html", type=click.Path(), callback=_page_file, help="Write a page that plays the game to this file.")
@click.option(
    "--summary", is_flag=True, help="Only the summary: who led when, turning points, where the points came from."
)
@click.option(
    "--chances",
    type=Whole(10, 100_000),
    metavar="N",
    help="Also show each ship's chance to win, from N games played on from each moment.",
)
@click.option(
    "--what-if",
    metavar=WHAT_IF,
    help="Show how the game would have gone on with another card or answer: 5:Green=gold/gold, "
    "5:Green:choose_space=12.",
)
@click.option(
    "--advise",
    metavar="ROUND:SHIP[:DECISION]",
    help="Only print a ship's chance to win with each card it could have played, or with each answer to another "
    "decision of the round: 5:Green, 5:Green:choose_loot.",
)
@click.option(
    "--play",
    "played_from",
    metavar="ROUND:SHIP[:DECISION]",
    help="Sit down at a ship and play on from one of its decisions: 5:Green, 5:Green:choose_space.",
)
@click.option("--reveal", is_flag=True, help="Show what is hidden too, in a game that is not over.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["story", "json"]),
    default="story",
    show_default=True,
    help="How to print the game: json is one object with all its events.",
)
@options.setting
@options.trust
def replay(
    *,
    source: str | None,
    game: int | None,
    html: Path | None,
    summary: bool,
    chances: int | None,
    what_if: str | None,
    advise: str | None,
    played_from: str | None,
    reveal: bool,
    form: str,
    setting: int | None,
    trust: bool,
    **table_facts: Any,
) -> None:
    """Show one game, the very same that a run plays under this number: as a readable story, a page or JSON.

    Say what was played by the options of `run`, or name the FOLDER of a run, an experiment or a sweep, or the FILE of a
    game that you have played, such as game.jamaica.json.
    """
    from jamaica_sim.play import compile_ahead
    from jamaica_sim.play.positions import GamePositions
    from jamaica_sim.play.state_record import StrategyFault
    from jamaica_sim.play.trace import Interrupted, replay_table
    from jamaica_sim.study.folder import table_of_run

    as_json = form == "json"
    if (html is not None) + summary + as_json + (advise is not None) + (played_from is not None) > 1:
        raise click.UsageError("Choose one of --html, --summary, --advise, --play and --format json.")
    if what_if is not None and (chances or advise or played_from):
        raise click.UsageError("--what-if shows one other game: leave --chances, --advise and --play out.")
    if chances and as_json:
        raise click.UsageError("--format json has no chances: leave --chances out.")
    kept = None
    if source is not None:
        if any(value not in (None, ()) for value in table_facts.values()):
            raise click.UsageError("A folder or a file already says what was played: leave the other options out.")
        if game is None and Path(source).is_file():
            options.let_house_rules_run([Path(source)], trust)
            kept, table = _kept_game(source, what_if or (chances and advise is None))
    if kept is None:
        if game is None:
            raise click.UsageError("Missing option '--game' / '-g'. Say which game, such as --game 42.")
        if source is not None:
            table = table_of_run(source, game, setting)
            table = table.with_code(options.ask_for_trust(table.strategies, trust))
        else:
            table = options.lay_table(**table_facts)
    pieces = compile_ahead.WHAT_IF if what_if or chances or advise or played_from else compile_ahead.REPLAY
    try:
        with show.while_compiling(compile_ahead.needs_compiling(table.strategies, pieces)):
            compile_ahead.compile_missing(table.strategies, pieces)
            trace = kept.trace() if kept else replay_table(table, game or 0)
    except Interrupted as interrupted:
        if isinstance(interrupted.fault, StrategyFault):
            interrupted.fault.show_stepwise()
        _show_interrupted(interrupted, table, html, as_json)
        raise interrupted.fault from None
    reader = None if kept is None or kept.is_over or reveal else _reader(table)
    positions: Any = None
    if advise is not None or what_if is not None or played_from is not None or chances:
        positions = _kept_positions(kept, what_if is None) if kept else GamePositions(table, game or 0)
    if chosen := played_from or advise:
        position = _choice(chosen, positions)
        if reader not in (None, position.player):
            raise Refusal("the game is not over: what another ship could choose is hidden. --reveal shows it.")
        if played_from is not None:
            _play_on(table, kept.number if kept else game or 0, positions, position)
        else:
            _print_advice(table, trace, positions, position, chances or ADVISED_GAMES)
        return
    if what_if is not None:
        trace = _played_on(table, trace, positions, what_if)
    known = _chances(table, trace, positions, chances) if chances else None
    if as_json:
        from jamaica_sim.play.public import trace_for

        click.echo(json.dumps(trace if reader is None else trace_for(trace, reader, table.rules)))
    elif html is not None:
        _write_page(trace, html, table, chances=known, reader=reader)
    else:
        from jamaica_sim.replays.story import tell

        summary = summary and trace["result"] is not None
        click.echo(tell(trace, show.wants_colour(), table.rules, known, reader, summary))


def _kept_game(path: str, needs_end: object) -> "tuple[Game, GameTable]":
    """The game in a file, and its table; none of the code that came along is run."""
    from jamaica_sim.play.outside.game import Game

    kept = Game.watch(path)
    if not kept.is_over:
        if needs_end:
            raise Refusal(f"the game in {path} is not over: --chances and --what-if need its end.")
        asked = kept.question
        assert asked is not None  # a game that is not over asks somebody
        say(f"The game is not over: {asked.names[asked.player]} is asked {asked.asks}.", err=True)
    return kept, kept.table


def _reader(table: "GameTable") -> int:
    """The seat whose knowledge a game that is not over is shown with: the person's; several see what all know."""
    from jamaica_sim.play.public import NOBODY
    from jamaica_sim.web.saved_games import people_of

    people = people_of(table)
    return people[0] if len(people) == 1 else NOBODY


def _kept_positions(kept: "Game", everywhere: bool) -> "GamePositions":
    """The positions of a game that people have played. The coach's strategy plays on: for all, or for people alone."""
    from jamaica_sim.web.coach import adviser

    whom = "all ships" if everywhere else "the people"
    say(f"The strategy {adviser().name} plays on for {whom}, as in the coach and the review.", err=True)
    return kept.positions(adviser(), everywhere)


def _play_on(table: "GameTable", number: int, positions: "GamePositions", position: "Position") -> None:
    """Sit down at the table in this position."""
    from jamaica_sim.cli.play import compile_for, serve_page
    from jamaica_sim.play.outside.game import Game
    from jamaica_sim.web.saved_games import BRANCH, SavedGames, games_folder
    from jamaica_sim.web.server import listen

    seats = [None if k == position.player or s.is_outside else s for k, s in enumerate(table.strategies)]
    compile_for(table.strategies)
    game = Game(rules=table.rules, strategies=seats, seed=table.seed, number=number, luck=dict(table.luck))
    for earlier in positions.decisions():
        if earlier.index >= position.index:
            break
        if seats[earlier.player] is None:
            game.answer(earlier.answer)
    game.note(f"{BRANCH}game {number} of seed {table.seed}")
    games = SavedGames(games_folder())
    serve_page(games, games.adopt(game), "new", listen(None))


def _choice(words: str, positions: "GamePositions") -> "Position":
    """The position that words such as `5:ship2`, `5:Green` or `5:Green:choose_space` name."""
    from jamaica_sim.replays.what_if import CARD, choice_at

    number, colon, rest = words.partition(":")
    if not is_number(number) or not colon:
        raise Refusal(f"{shown(words)} is no round and ship: it is like 5:ship2 or 5:Green, with ships from 0 by seat.")
    ship, _, decision = rest.partition(":")
    return choice_at(positions, int(number), ship, decision or CARD)


def _played_on(table: "GameTable", trace: "Trace", positions: "GamePositions", words: str) -> "Trace":
    """The trace of the game with another answer."""
    from jamaica_sim.replays.box import box_of
    from jamaica_sim.replays.what_if import answer_of, with_answer

    where, equals, answer = words.partition("=")
    if not equals:
        raise Refusal(
            f"--what-if wants {WHAT_IF}, such as 5:ship2=gold/gold or 5:Green:choose_space=12, not {words!r}."
        )
    position = _choice(where, positions)
    return with_answer(positions, trace, position, answer_of(position, box_of(trace, table.rules), answer))


def _chances(table: "GameTable", trace: "Trace", positions: "GamePositions", games: int) -> Any:
    from jamaica_sim.replays.box import box_of
    from jamaica_sim.replays.chances import chances_of, tasks_in

    box = box_of(trace, table.rules)
    with show.progress_bar(tasks_in(positions, trace, box) * games) as progress:
        return chances_of(positions, trace, box, games, progress)


def _print_advice(
    table: "GameTable", trace: "Trace", positions: "GamePositions", position: "Position", games: int
) -> None:
    from jamaica_sim.game.words import listed
    from jamaica_sim.replays.book import Book
    from jamaica_sim.replays.box import box_of
    from jamaica_sim.replays.chances import advise
    from jamaica_sim.replays.chances_told import advice_lines
    from jamaica_sim.replays.what_if import choices_of
    from jamaica_sim.replays.words import full_name
    from jamaica_sim.strategy.option_words import COLOURS

    box = box_of(trace, table.rules)
    names = [full_name(ship) for ship in Book(trace, box).ships]
    click.echo("\n".join(advice_lines(advise(positions, position, games), names, box)))
    choices = choices_of(positions, position.round, position.player)
    if others := [name for name, choice in choices.items() if choice != position]:
        where = f"{position.round}:{COLOURS[position.player]}"
        say(f"\nOther decisions in round {position.round}: {listed(others)}. See one: --advise {where}:{others[0]}")


def _show_interrupted(interrupted: "Interrupted", table: "GameTable", html: Path | None, as_json: bool) -> None:
    """Show a game up to the strategy's fault that ended it."""
    from jamaica_sim.replays.story import tell

    fault = str(interrupted.fault)
    if as_json:
        click.echo(json.dumps(interrupted.trace))
    elif html is not None:
        _write_page(interrupted.trace, html, table, fault)
    else:
        click.echo(tell(interrupted.trace, show.wants_colour(), table.rules))


def _write_page(
    trace: "Trace", path: Path, table: "GameTable", fault: str = "", chances: Any = None, reader: int | None = None
) -> None:
    from jamaica_sim.replays.page import replay_page

    page = replay_page(trace, path, rules=table.rules, fault=fault, chances=chances, reader=reader)
    say(f"Wrote {path} ({len(page.encode()) / 1000:.0f} kB): open it in a browser.", err=True)
