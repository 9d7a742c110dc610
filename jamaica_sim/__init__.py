"""Monte Carlo strategy simulator for the board game Jamaica.

>>> from jamaica_sim import simulate
>>> results = simulate(games=1_000, players=4, strategies=["random"])
>>> results.games
1000

The rooms of the house (packages and modules); each imports only from rooms below it:

- `cli`: the command line, one file for each command
- `api`: the public names, and what can be done with a folder of any kind
- `studio`: the page where one changes a rule and sees what it does, and its server
- `environments`: PettingZoo and Gymnasium environments for learners
- `report`: reports with their chapters, charts and the picture of the board
- `lab`: the rule laboratory: sweeps, which rules matter, rules that meet a target
- `training`: a net for a strategy, taught by the search
- `tuning`: better weights for a strategy
- `experiment`: files that say what is varied, and playing it
- `causes`: where the luck sits, and what each thing is worth
- `comparison`: strategies on the same deals, and who is better
- `charts`: the one style of all charts
- `run`: many games of one table, kept in a folder
- `outside`: games that stop and ask: a seat for anything
- `replays`: one game again, as a trace, a story or a page
- `results`: what the games showed
- `stats`: intervals, sequential tests, ratings
- `store`: files and folders that lose nothing
- `play`: a game table, and playing it on threads
- `house`: house rules as code, compiled
- `strategy`: what a player sees, decides and weighs
- `tally`: sums over games
- `engine`: the rules, compiled
- `variant`: changed rules from a file, and every rule as a row
- `toml_kinds`: which kind of file a TOML file is
- `new_file`: files to start from
- `house_file`: a file of house rules, as far as reading tells
- `rules`, `escape`, `components`, `codes`, `limits`, `sources`: facts that everybody may use
- `errors`: the base class of errors that are the user's
- `pages`: HTML, styles and JavaScript modules of replay, studio and play
- `clean_import`: libraries without the settings of the current folder
- `user_files`: files of users: ordinary ones only, of a sensible size
- `own_folders`: folders that only the user can write to
- `suggest`: the nearest known word to a misspelt one
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from jamaica_sim.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    from jamaica_sim.api import public, public_names

    return public_names() if name == "__all__" else public(name)


def __dir__() -> list[str]:
    from jamaica_sim.api import public_names

    return [*globals(), *public_names()]
