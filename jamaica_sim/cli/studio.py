"""`jamaica-sim studio`: the page where one changes a rule and sees what it does."""

from pathlib import Path
from typing import Any

import click

from jamaica_sim.cli import options, show
from jamaica_sim.cli.options import Refusal, command, say


@command("studio -s champion -s balanced -s balanced -s balanced")
@options.served
@options.rules_file("Begin with the rules of this TOML file.")
@options.house_rules
@options.strategy("A strategy, by name or file, for each seat; a file can then be chosen on the page.")
@click.option(
    "--open", "fragment", metavar="'#...'", help="Begin with a variant that somebody shared: the address from # on."
)
@click.option(
    "--export", "file", metavar="FILE.html", help="Write the page with its engine to one file, which needs no server."
)
@click.option(
    "--notebook",
    metavar="FILE",
    help="Keep the variants that are tried in this file, as JSON lines.",
)
def studio(
    *,
    port: int | None,
    no_browser: bool,
    rules_file: str | None,
    house_rules: str | None,
    strategies: tuple[str, ...],
    fragment: str | None,
    file: str | None,
    notebook: str | None,
) -> None:
    """Change a rule on a page in the browser and see what it does while the games are played.

    Only this machine can open the page, and nothing leaves it. Ctrl-C ends it. With --export the page is one file that
    anybody can open: it plays the games itself, without Python and without a network.
    """
    if fragment is not None and (rules_file is not None or house_rules is not None or strategies):
        raise Refusal("--open brings its own table: leave --rules, --house-rules and --strategy out.")
    from jamaica_sim.game.house_file import house_rules_of
    from jamaica_sim.web.inner_engine import needs_compiling
    from jamaica_sim.web.keeping import fragment_of
    from jamaica_sim.web.part import Studio
    from jamaica_sim.web.play_part import Play
    from jamaica_sim.web.saved_games import SavedGames, games_folder
    from jamaica_sim.web.server import end_at_once, listen, serve
    from jamaica_sim.web.streams import Desk

    desk, rules = Desk(), None
    if rules_file is not None or house_rules is not None or strategies:
        given: dict[str, Any] = {"players": len(strategies)} if len(strategies) > 1 and rules_file is None else {}
        given |= {"house_rules": house_rules_of(house_rules)} if house_rules is not None else {}
        rules = options.read_rules(rules_file, given)
    house = rules.house_rules if rules else None
    notes = Path(notebook) if notebook is not None else None
    if file is not None:
        page = Studio(strategies, house, notebook=notes)
        at = fragment_of(rules, page.menu.labels(strategies)) if rules is not None else fragment or ""
        with show.while_compiling(needs_compiling(page.menu)):
            page.export(Path(file), at)
        say(f"Saved {file}. It opens in any browser of today, from the disk or from a web server.")
        return
    listener = listen(port)
    play = Play(desk, SavedGames(games_folder()))
    page = Studio(strategies, house, play, notes)
    at = f"#{fragment.lstrip('#')}" if fragment is not None else ""
    if rules is not None:
        at = fragment_of(rules, page.menu.labels(strategies))
    serve([page.part(), play.part()], desk, say, at=at, listener=listener, browser=not no_browser)
    end_at_once()
