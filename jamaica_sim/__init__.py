"""Monte Carlo strategy simulator for the board game Jamaica.

>>> from jamaica_sim import simulate
>>> results = simulate(games=1_000, players=4, strategies=["random"])
>>> results.games
1000

The rooms of the house (packages and modules); each imports only from rooms below it:

- `cli`: the command line, one file for each command
- `api`: the public names, and what can be done with a folder of any kind
- `environments`: PettingZoo and Gymnasium environments for learners
- `web`: what a browser sees: server, studio, the table where one plays, coach, reviews
- `report`: reports with their chapters and charts
- `study`: many games of one table or of several: run, compare, experiment, laboratory, causes, tuning, training
- `replays`: one game again, as a trace, a story or a page
- `results`: what the games showed, and the statistics
- `play`: a game table, playing it on threads, counting; games that stop and ask
- `strategy`: what a player sees, decides and weighs; house rules as code
- `engine`: the rules, compiled
- `game`: rules, components, codes and variants: what is played
- `files`: whole files, locks, and what files of users may do
- `errors`: the base class of errors that are the user's

`pages/` has the HTML, styles and JavaScript modules of replay, studio and play, `schemas/` those for editors.
"""

from typing import TYPE_CHECKING, Any

__version__ = "1.0.0"

if TYPE_CHECKING:
    from jamaica_sim.api import *  # noqa: F403


def __getattr__(name: str) -> Any:
    from jamaica_sim.api import public, public_names

    return public_names() if name == "__all__" else public(name)


def __dir__() -> list[str]:
    from jamaica_sim.api import public_names

    return [*globals(), *public_names()]
