"""What a strategy function works with: the view of the game, and small helpers to read it.

A decision function is called as `function(view, rules, weights)` and returns one of the legal answers. `view` holds
what RULES K1 and K2 allow, `rules` the rules and the board, `weights` the strategy's own weights. A set of spaces,
cards, holds or ships is a whole number whose bits are its members; these helpers make such sets easy to use. The
numbers have names, GOLD or CARD_GOLD_FORWARD (`names`), and `View`, `Rulebook` and `Weights` tell an editor the fields.
"""

from jamaica_sim.engine.machine.bits import count, has, lowest, nth, only
from jamaica_sim.engine.machine.jit import inline
from jamaica_sim.engine.machine.memory import caller
from jamaica_sim.engine.machine.random import below, draw
from jamaica_sim.engine.state import RULES_DTYPE, VIEW_DTYPE, Rulebook
from jamaica_sim.engine.view import View
from jamaica_sim.strategy import names
from jamaica_sim.strategy.heuristic.weights import WEIGHTS_DTYPE, Weights
from jamaica_sim.strategy.names import *  # noqa: F403
from jamaica_sim.strategy.read_only import Helper

__all__ = ["Rulebook", "View", "Weights"]
__all__ += ["ask_heuristic", "count", "has", "helper", "luck", "lowest", "nth", "only", "pick_random", "spaces_left"]
__all__ += names.__all__

TWO_TO_53 = float(1 << 53)


def helper(function):
    """Decorates a function of a strategy file that its decision functions call."""
    return Helper(function)


@inline
def luck(view):
    """A random number from 0 to 1 out of the ship's own stream of luck; each call gives the next."""
    bits = draw(view.luck_key, view.luck_index)
    view.luck_index += 1
    return (bits >> 11) / TWO_TO_53


@inline
def pick_random(view, members):
    """A random member of a set."""
    bits = draw(view.luck_key, view.luck_index)
    view.luck_index += 1
    return nth(members, below(bits, count(members)))


@helper
def spaces_left(view, rules, ship):
    """How many spaces a ship still has to go (E3)."""
    return rules.to_finish[view.space[ship]] - rules.circuit * view.lap[ship]


_call = caller(VIEW_DTYPE, RULES_DTYPE, WEIGHTS_DTYPE)


@inline
def ask_heuristic(view, rules, weights):
    """What the parametric heuristic, with this strategy's weights, would answer."""
    return _call(weights.heuristic, view, rules, weights)
