"""What a file of house rules works with: verbs that change the game, and small helpers.

A function of such a file is called as `lair(game, rules, ship, space, token)`: `game` is what everybody at the table
can see, `rules` the rules and the board. A file reads both. It changes the game by verbs alone, and remembers things in
`game.memory`, `game.ship_memory` and `game.space_memory`.
"""

from jamaica_sim.engine import house_rules
from jamaica_sim.engine.house_rules import ASKED_BITS
from jamaica_sim.engine.machine.bits import count, has, lowest, nth, only
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.machine.memory import NUMBER, caller
from jamaica_sim.engine.state import HOUSE_RULES_DTYPE, STATE_DTYPE
from jamaica_sim.game.codes import MOST_OPTIONS
from jamaica_sim.strategy import names
from jamaica_sim.strategy.api import helper, spaces_left
from jamaica_sim.strategy.names import *  # noqa: F403

__all__ = [*house_rules.VERB_NAMES, "CALLED_OFF", "ask", "last_ship", "count", "has", "helper", "lowest", "nth", "only"]
__all__ += ["spaces_left", *names.__all__]

CALLED_OFF = house_rules.CALLED_OFF
_call = caller(STATE_DTYPE, HOUSE_RULES_DTYPE, *4 * [NUMBER])


@inline
def _do(game, rules, verb, first, second, third):
    return _call(rules.engine[game.keeps_trace], game, rules, verb, first, second, third)


@inline
def give(game, rules, ship, resource, amount):
    """Load goods from the bank, at most 10, into an empty hold; returns how much comes aboard.

    Where no hold is empty, the ship is asked which to empty when the function has returned. Where all holds have that
    resource, the gift is ignored.
    """
    return _do(game, rules, house_rules.GIVE, ship, resource, amount)


@inline
def add(game, rules, ship, resource, amount):
    """Add goods from the bank to a hold that has some, up to 10, else to an empty one; returns how much came aboard.

    The printed rules never do that (L1). Nothing goes overboard, and nobody is asked.
    """
    return _do(game, rules, house_rules.ADD, ship, resource, amount)


@inline
def take(game, rules, ship, resource, amount):
    """Take goods from a ship, out of its smallest holds first; returns how much there was."""
    return _do(game, rules, house_rules.TAKE, ship, resource, amount)


@inline
def sail(game, rules, ship, steps):
    """Move a ship on by the shortest way, or back for a negative number; returns its space.

    Nothing else happens there. A ship that is moved while it arrives owes nothing where it was.
    """
    return _do(game, rules, house_rules.SAIL, ship, steps, 0)


@inline
def draw_treasure(game, rules, ship):
    """Give a ship the top treasure card; returns 1, or 0 where the pile is empty."""
    return _do(game, rules, house_rules.DRAW_TREASURE, ship, 0, 0)


@inline
def return_treasure(game, rules, ship, worst):
    """Put a ship's face-down card of least value (`worst` True) or of most back into the pile; returns 1, or 0."""
    return _do(game, rules, house_rules.RETURN_TREASURE, ship, int(worst), 0)


@inline
def roll(game, rules, faces):
    """Throw a die: a number from 1 to `faces`. Its luck is the source `house`."""
    return _do(game, rules, house_rules.ROLL, faces, 0, 0)


@inline
def set_captain(game, rules, player):
    """Make a player Captain; in set_up, round_begins and round_ends only."""
    return _do(game, rules, house_rules.SET_CAPTAIN, player, 0, 0)


@inline
def move_hold(game, rules, ship, loser, hold):
    """Move the contents of a hold from `loser` to `ship`; returns how much came aboard."""
    return _do(game, rules, house_rules.MOVE_HOLD, ship, loser, hold)


@helper
def ask(player, options):
    """Return this from a moment to ask a player; the answer, 0 to `options` - 1, goes to the function `..._chosen`.

    The first option should be what the printed rules would do: players who do not know the rule take it.
    """
    if player < 0 or player > 5 or options < 1 or options > MOST_OPTIONS:
        raise ValueError("ask wants a player and 1 to 62 options")
    return (player + 1) << ASKED_BITS | options


@helper
def last_ship(game, rules):
    """The player's ship that is furthest behind, alone; -1 where two share the last place."""
    last, furthest = -1, -1
    for ship in range(rules.players):
        to_go = rules.to_finish[game.space[ship]] - rules.circuit * game.lap[ship]
        if to_go > furthest:
            last, furthest = ship, to_go
        elif to_go == furthest:
            last = -1
    return last
