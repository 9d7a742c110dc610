"""A commented file of house rules to start from."""

from os import PathLike
from pathlib import Path

from jamaica_sim.files.new_file import write_new
from jamaica_sim.game.house_file import HouseRulesError

TEXT = '''"""An empty lair pays two doubloons."""

# The line above describes the rule wherever it is named: in results, reports and pages.
from jamaica_sim.strategy.house.api import GOLD, give

# Numbers that `--rule house.pays=3` and `sweep house.pays=0..4` change: name: (value, least, most).
PARAMETERS = {"pays": (2, 0, 10)}


def lair(game, rules, ship, space, token):
    """A ship is in a lair; `token` is 1 while its treasure is still there."""
    if token == 0:
        give(game, rules, ship, GOLD, PARAMETERS["pays"])


# Other moments, each a function of (game, rules, ...):
#   set_up()  round_begins()  arrived(ship, space)  battle_begins(attacker, defender)
#   battle_ended(attacker, defender, winner)  round_ends()
# and these return the number that counts:
#   die(ship, when, n)  cost(ship, space, n)  shortage(ship, space, missing, n)  hand_limit(ship, n)
#   battle_result(attacker, defender, attack, defence, n)  points(ship, n)
# What a file can do: give, add, take, sail, draw_treasure, return_treasure, roll, set_captain, move_hold.
# What it remembers: game.memory[0..7], game.ship_memory[ship, 0..3], game.space_memory[space].
# docs/house_rules.md explains all of them. `jamaica-sim rules check FILE` plays 800 games with it.
'''


def new_house_rules(name: str, folder: str | PathLike[str] = ".") -> Path:
    """Write a commented file to start house rules of one's own from. It can be played as it is.

    Examples
    --------
    >>> from jamaica_sim import new_house_rules
    >>> new_house_rules("lairs_pay").name
    'lairs_pay.py'
    """
    return write_new(Path(folder), name, ".py", TEXT, HouseRulesError)
