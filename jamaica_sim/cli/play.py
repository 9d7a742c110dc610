"""`jamaica-sim play`: sit down at the table, in the browser or in the terminal."""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Refusal, Whole, command, say

if TYPE_CHECKING:
    from socket import socket

    from jamaica_sim.web.saved_games import OpenGame, SavedGames

DEFAULT_OPPONENT = "experienced"
LARGEST_TABLE = 6


@command("play --players 3 --strategy beginner")
@click.argument("file", metavar="[FILE]", type=click.Path(), required=False)
@options.lays_table(
    "Who plays the other seats: a level or a strategy, one for all or one for each.  [default: experienced]",
    "Seed of all luck.  [default: drawn anew for each game]",
)
@click.option("--people", type=Whole(1, LARGEST_TABLE), help="How many people play, at this screen.  [default: 1]")
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(),
    help="Folder to save your games in.  [default: `games` in your user's data folder]",
)
@click.option("--terminal", is_flag=True, help="Play in this terminal instead of the browser.")
@click.option(
    "--drill", is_flag=True, help="Deal the positions of your games in which you lost most, until you get them right."
)
@options.served
@options.trust
def play(
    *,
    file: str | None,
    people: int | None,
    out: str | None,
    terminal: bool,
    drill: bool,
    port: int | None,
    no_browser: bool,
    trust: bool,
    strategies: tuple[str, ...],
    seed: int | None,
    **rule_facts: Any,
) -> None:
    """Play the game yourself, against strategies or with several people at one screen.

    Without options the page asks who plays. You take the first seat. --strategy says who plays the others: a level
    (child, beginner, club_player, experienced, strong, expert, relentless) or any strategy. Every answer is saved at
    once; with FILE you go on with a saved game. Afterwards `jamaica-sim replay FILE` shows the game again, and
    `jamaica-sim review FILE` judges your decisions.
    """
    from jamaica_sim.web.saved_games import SavedGames, games_folder, new_seed, seat_people
    from jamaica_sim.web.server import listen

    given = [value for value in (people, seed, *strategies, *rule_facts.values()) if value not in (None, ())]
    if drill and (terminal or file is not None or given):
        raise Refusal("--drill deals positions of your own games: leave the other options but --out out.")
    if terminal and (sys.stdin is None or sys.stdout is None):
        raise Refusal("--terminal asks and answers in the terminal, and its input or output is closed.")
    listener = None if terminal else listen(port)  # before a game is saved: the port may be taken
    game = None
    if file is not None:
        if out is not None or given:
            raise Refusal("A saved game has its own rules and players: leave the other options out.")
        games, name = _saved(file, trust)
        game = games.open(name)
    else:
        games = SavedGames(games_folder(out))
        if given or terminal:
            from jamaica_sim.play.game_table import seat_table
            from jamaica_sim.strategy.player import with_outside
            from jamaica_sim.web.levels import opponent

            rules = options.table_rules(**rule_facts)
            others = list(map(opponent, strategies or (DEFAULT_OPPONENT,)))
            seats = seat_people(people or 1, rules.players, others)
            table = seat_table(rules, with_outside(seats), new_seed() if seed is None else seed)
            compile_for(table.strategies)
            game = games.begin(table)
        else:
            compile_for([])
    if game is not None and listener is None:
        from jamaica_sim.web.terminal import play_in_terminal

        play_in_terminal(
            game, _say_wrapped, lambda text: click.prompt(text, prompt_suffix=" ", default="", show_default=False)
        )
        return
    if game is not None:
        say(f"The game is saved in {game.path}.")
    assert listener is not None  # in the terminal there is a game
    serve_page(games, game, "drill" if drill else "new", listener, browser=not no_browser)


def serve_page(
    games: "SavedGames", game: "OpenGame | None", otherwise: str, listener: "socket", *, browser: bool = True
) -> None:
    """Serve the page with a game, or with what else it can begin with."""
    from jamaica_sim.web.play_part import Play
    from jamaica_sim.web.server import serve
    from jamaica_sim.web.streams import Desk

    desk = Desk()
    part = Play(desk, games)
    at = part.address(game) if game is not None else f"play#{otherwise}"
    serve([part.part()], desk, say, at=at, listener=listener, browser=browser)


def _say_wrapped(text: str) -> None:
    """Print a line, broken between words, its rest indented further; a command stays whole, to be copied."""
    if text.startswith("jamaica-sim "):
        return say(text)
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    width = shutil.get_terminal_size().columns
    say(textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False))


def compile_for(strategies: Any) -> None:
    """Compile what the table and the coach need, before somebody waits for it."""
    from jamaica_sim.play import compile_ahead
    from jamaica_sim.web.coach import adviser

    seated, pieces = [*strategies, adviser()], tuple({*compile_ahead.OUTSIDE, *compile_ahead.WHAT_IF})
    with show.while_compiling(compile_ahead.needs_compiling(seated, pieces)):
        compile_ahead.compile_missing(seated, pieces)


def _saved(file: str, trust: bool) -> tuple[Any, str]:
    """The folder of a saved game as a collection, and the game's name in it."""
    from jamaica_sim.play.outside import game_file
    from jamaica_sim.web.saved_games import ENDING, SavedGames

    path = Path(file)
    saved = game_file.read(path)
    compile_for(saved.table.strategies)
    if not path.name.endswith(ENDING):
        raise Refusal(f"{file}: the file of a game ends in {ENDING}.")
    is_trusted = options.ask_for_trust(saved.table.strategies, trust)
    return SavedGames(path.absolute().parent, [path.name] * is_trusted), path.name
