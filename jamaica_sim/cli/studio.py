"""`jamaica-sim studio`: the page where one changes a rule and sees what it does."""

from typing import Any

import click

from jamaica_sim.cli import options
from jamaica_sim.cli.options import Refusal, command, say


@command("studio -s champion -s balanced -s balanced -s balanced")
@options.served
@options.rules_file("Begin with the rules of this TOML file.")
@options.house_rules
@options.strategy("A strategy, by name or file, for each seat; a file can then be chosen on the page.")
@click.option(
    "--open", "fragment", metavar="'#...'", help="Begin with a variant that somebody shared: the address from # on."
)
def studio(
    port: int | None,
    no_browser: bool,
    rules_file: str | None,
    house_rules: str | None,
    strategies: tuple[str, ...],
    fragment: str | None,
) -> None:
    """Change a rule on a page in the browser and see what it does while the games are played.

    Only this machine can open the page, and nothing leaves it. Ctrl-C ends it.
    """
    if fragment is not None and (rules_file is not None or house_rules is not None or strategies):
        raise Refusal("--open brings its own table: leave --rules, --house-rules and --strategy out.")
    from jamaica_sim.house_file import house_rules_of
    from jamaica_sim.studio.keeping import fragment_of
    from jamaica_sim.studio.part import Studio
    from jamaica_sim.studio.play_part import Play
    from jamaica_sim.studio.saved_games import SavedGames, games_folder
    from jamaica_sim.studio.server import end_at_once, serve
    from jamaica_sim.studio.streams import Desk

    desk, rules = Desk(), None
    if rules_file is not None or house_rules is not None or strategies:
        given: dict[str, Any] = {"players": len(strategies)} if len(strategies) > 1 and rules_file is None else {}
        given |= {"house_rules": house_rules_of(house_rules)} if house_rules is not None else {}
        rules = options.read_rules(rules_file, given)
    play = Play(desk, SavedGames(games_folder()))
    page = Studio(desk, strategies, rules.house_rules if rules else None, play)
    at = f"#{fragment.lstrip('#')}" if fragment is not None else ""
    if rules is not None:
        at = fragment_of(rules, page.menu.labels(strategies))
    serve([page.part(), play.part()], desk, say, at=at, port=port, browser=not no_browser)
    end_at_once()
