"""`jamaica-sim review`: games that you have played, looked at again."""

from pathlib import Path

import click

from jamaica_sim.cli import show
from jamaica_sim.cli.options import Refusal, Whole, command, say

BESIDE = ("beginner", "balanced", "champion", "searcher")


@command("review my-games --html review.html")
@click.argument("source", metavar="FILE|FOLDER", type=click.Path())
@click.option(
    "--games",
    "-n",
    type=Whole(100, 10_000),
    default=200,
    show_default=True,
    help="Games to play on with each answer of each decision.",
)
@click.option(
    "--beside",
    type=Whole(0, 1000),
    default=5,
    show_default=True,
    help="For comparison, judge this many games of beginner, balanced, champion and searcher at the table of your last "
    "game; 0: none.",
)
@click.option("--html", type=click.Path(), help="Also write a page to this file; a folder beside it has the games.")
def review(source: str, games: int, beside: int, html: str | None) -> None:
    """Say what luck, the others' mistakes and your own decisions did in games that you have played.

    Together with your chance at the start they add up to the result. Name the FILE of a game, or a FOLDER of games; a
    game that is not over is left out.
    """
    from jamaica_sim.outside import game_file
    from jamaica_sim.outside.game import Game
    from jamaica_sim.play import compile_ahead
    from jamaica_sim.studio.coach import adviser
    from jamaica_sim.studio.levels import opponent
    from jamaica_sim.studio.review import Review, error_of, mean_of, positions_of, reviewing
    from jamaica_sim.studio.review_told import review_lines, review_page, summary_lines
    from jamaica_sim.studio.saved_games import ENDING, people_of

    path = Path(source)
    files = sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]
    if html is not None and not Path(html).absolute().parent.is_dir():
        raise Refusal(f"{html}: there is no folder to write this file to.")
    pieces = tuple({*compile_ahead.OUTSIDE, *compile_ahead.WHAT_IF})
    with show.while_compiling(compile_ahead.needs_compiling([adviser()], pieces)):
        compile_ahead.compile_missing([adviser()], pieces)
    reviews, traces, table = [], [], None
    for file in files:
        people = people_of(game_file.read(file).table)
        game = Game.watch(file)
        if not game.is_over or not people:
            say(f"{file.name}: {'it is not over' if people else 'no person plays in it'}, so it is left out.", err=True)
            continue
        asked = len(game.positions(adviser(), everywhere=True).decisions())
        for seat in people:
            with show.progress_bar(asked, f"decisions of {file.name}") as progress:
                for found in reviewing(game, seat, games):
                    if not isinstance(found, Review):
                        progress(found[0])
            assert isinstance(found, Review)  # it comes last
            name = f"{file.name.removesuffix(ENDING)}, {found.names[seat]}"
            reviews.append((name, found))
            traces.append(game.trace())
            table = game.table
            click.echo("\n".join([name, *review_lines(found), ""]))
    if table is None:
        raise Refusal(f"{source} has no game that is over and that a person has played.")
    measured = {}
    for name in BESIDE if beside else ():
        with show.progress_bar(beside, f"games of {name}") as progress:
            values = []
            for number in range(beside):
                values.append(error_of(*positions_of(table, opponent(name), number), games))
                progress(number + 1)
        measured[f"{name} ({beside} game{'s' * (beside > 1)})"] = mean_of(values)
    click.echo("\n".join(summary_lines(reviews, measured)))
    if html is not None:
        review_page(Path(html), reviews, traces, measured)
        say(f"Wrote {html}: open it in a browser.", err=True)
