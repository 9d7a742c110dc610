"""Templates for new strategies: files that play as they are and say what can be changed."""

import re
from pathlib import Path

from jamaica_sim.strategy.heuristic.weights import WEIGHTS
from jamaica_sim.strategy.strategy import StrategyError

CODE = '''"""{name}: say in a paragraph what this strategy does.

The first paragraph is shown by `jamaica-sim strategies list`.
"""

from jamaica_sim.strategy.api import ask_heuristic, has, helper, lowest

INTENT = "What question should this strategy answer?"

# Decisions that have no function here are made by the parametric heuristic with these weights.
WEIGHTS = {{"gold": 1.0}}

# A decision function is called as function(view, rules, weights) and returns one of the legal answers:
# a whole number whose bit is set in `view.legal`. Delete what you do not want to decide yourself.
# Decision points: place_dice, choose_card, choose_space, choose_retreat, hold_to_empty, hold_to_pay, choose_target,
# attack_powder, defence_powder, use_sabre, choose_loot, ghost_direction, ghost_space, ghost_target, ghost_loot.


@helper
def _gold_symbols(rules, card):
    """How many of a card's two symbols load gold (symbol 0)."""
    return (rules.card_symbol[card, 0] == 0) + (rules.card_symbol[card, 1] == 0)


def choose_card(view, rules, weights):
    """Play a card with gold while a hold is free; otherwise what the heuristic would play."""
    if view.holds[view.me, 3] != 0:  # the set of the own empty holds
        for card in range(11):
            if has(view.hand, card) and _gold_symbols(rules, card) == 2:
                return card
    return ask_heuristic(view, rules, weights)


def attack_powder(view, rules, weights):
    """Commit everything against a ship that has gold, nothing against others (stock: gold, food, gunpowder)."""
    if view.stock[view.defender, 0] > 0:
        return view.stock[view.me, 2]
    return lowest(view.legal)
'''


def _data_template(name):
    lines = [
        f'name = "{name}"',
        'description = "Say in a sentence or two what this strategy does."',
        'intent = "What question should this strategy answer?"',
        "",
        "# Weights of the parametric heuristic. Remove the # of a line and change its number; the others keep the",
        "# default, which is the number that stands there.",
        "[weights]",
        "gold = 1.0  # this one is changed already: a doubloon is worth a whole point",
        "",
    ]
    for weight in WEIGHTS:
        if weight.name != "gold":
            lines.append(f"# {weight.meaning}; {weight.unit}, from {weight.low:g} to {weight.high:g}")
            lines.append(f"# {weight.name} = {weight.default:g}")
    return "\n".join(lines) + "\n"


def write_template(name: str, folder: Path, code: bool) -> Path:
    """Write a template; a file that exists is not overwritten."""
    if not re.fullmatch(r"[A-Za-z]\w{0,59}", name):
        raise StrategyError(f"{name!r} cannot name a strategy: use letters, digits and _, starting with a letter.")
    path = folder / f"{name}{'.py' if code else '.toml'}"
    text = CODE.format(name=name) if code else _data_template(name)
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise StrategyError(f"{path} exists already: choose another name, or delete it first.") from None
    except OSError as error:
        raise StrategyError(f"{path} cannot be written: {error.strerror}.") from error
    return path
