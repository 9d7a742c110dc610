"""`jamaica-sim review`: games that you have played, looked at again."""

from pathlib import Path

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Refusal, Whole, command, say


@command("review my-games --html review.html")
@click.argument("source", metavar="FILE|FOLDER", type=click.Path())
@click.option(
    "--games",
    "-n",
    type=Whole(100, 10_000),
    default=200,
    show_default=True,
    help="Games to play on with each answer of each decision, on average: more where it is close.",
)
@click.option("--html", type=click.Path(), help="Also write a page to this file; a folder beside it has the games.")
@options.trust
def review(source: str, games: int, html: str | None, trust: bool) -> None:
    """Say what luck, the others' mistakes and your own decisions did in games that you have played.

    Together with your chance at the start they add up to the result. Name the FILE of a game, or a FOLDER of games; a
    game that is not over is left out. A review is kept beside its game, so that it comes at once the next time.
    """
    from jamaica_sim.cli.play import compile_for
    from jamaica_sim.play.outside.game import Game
    from jamaica_sim.web.record import ReviewedGame, record_of
    from jamaica_sim.web.review_told import review_lines, summary_lines, write_review_page
    from jamaica_sim.web.saved_games import ENDING

    path = Path(source)
    files = sorted(path.glob(f"*{ENDING}")) if path.is_dir() else [path]
    if html is not None and not Path(html).absolute().parent.is_dir():
        raise Refusal(f"{html}: there is no folder to write this file to.")
    options.let_house_rules_run(files, trust)
    if not path.is_dir():
        Game.watch(path)  # what is wrong with it is told at once
    compile_for([])
    record = []
    with show.errors().status("") as status:
        for found in record_of(files, games, lambda why: say(why, err=True)):
            if not isinstance(found, ReviewedGame):
                status.update("{}: {} of {} decisions judged".format(*found))
                continue
            record.append(found)
            click.echo("\n".join([found.name, *review_lines(found.review), ""]))
    if not record:
        raise Refusal(f"{source} has no game that is over and that a person has played.")
    click.echo("\n".join(summary_lines(record)))
    if html is not None:
        write_review_page(Path(html), record)
        say(f"Wrote {html}: open it in a browser.", err=True)
