"""Templates for new strategies and house rules: files that play as they are and say what can be changed."""

from os import PathLike
from pathlib import Path

from jamaica_sim.files.atomic_files import schema_line, write_new
from jamaica_sim.game.house_file import HouseRulesError
from jamaica_sim.strategy.heuristic.weights import WEIGHTS
from jamaica_sim.strategy.strategy import StrategyError

CODE = '''"""{name}: say in a paragraph what this strategy does.

This text is shown by `jamaica-sim strategies show`.
"""

from jamaica_sim.strategy.api import CARDS, EMPTY, EVENING, GOLD, GUNPOWDER, MORNING, Rulebook, View, Weights
from jamaica_sim.strategy.api import ask_heuristic, has, helper, lowest

INTENT = "What question should this strategy answer?"

# Decisions that have no function here are made by the parametric heuristic with these weights. Against `balanced`
# foresight helps most: {{"foresight": 0.6, "progress": 4.5}} and no function at all already beat it.
WEIGHTS = {{"gold": 1.0}}

# A decision function is called as function(view, rules, weights) and returns one of the legal answers:
# a whole number whose bit is set in `view.legal`. Delete what you do not want to decide yourself.
# Decision points: place_dice, choose_card, choose_space, choose_retreat, hold_to_empty, hold_to_pay, choose_target,
# attack_powder, defence_powder, use_sabre, choose_loot, ghost_direction, ghost_space, ghost_target, ghost_loot,
# and house_choice, which only files of house rules ask.
# The functions are compiled. To see one at work, with print and breakpoint(), start Python and type:
#   from jamaica_sim import debug_decisions
#   debug_decisions("{name}.py", game=0)


@helper
def _gold_symbols(rules: Rulebook, card: int) -> int:
    """How many of a card's two symbols load gold."""
    return (rules.card_symbol[card, MORNING] == GOLD) + (rules.card_symbol[card, EVENING] == GOLD)


def choose_card(view: View, rules: Rulebook, weights: Weights) -> int:
    """Play a card with gold while a hold is free; otherwise what the heuristic would play."""
    if view.holds[view.me, EMPTY] != 0:  # the set of the own empty holds
        for card in range(CARDS):
            if has(view.hand, card) and _gold_symbols(rules, card) == 2:
                return card
    return ask_heuristic(view, rules, weights)


def attack_powder(view: View, rules: Rulebook, weights: Weights) -> int:
    """Commit everything against a ship that has gold, nothing against others."""
    if view.stock[view.defender, GOLD] > 0:
        return view.stock[view.me, GUNPOWDER]
    return lowest(view.legal)
'''

PLAIN = '''"""{name}: say in a paragraph what this player does."""

INTENT = "What question should this player answer?"

# A plain Python player: it is asked every question of its seat, and may use whatever Python can. It is not compiled,
# and thousands of times slower than weights or compiled code. docs/outside.md has everything that a question tells.


def answer(question):
    """One of question.options."""
    if question.decision == "choose_card":
        return max(question.options, key=lambda card: _worth(question, card))
    if question.decision == "attack_powder":
        return question.options[-1]  # all that there is
    return question.luck.choice(question.options)  # random, but the same each time when the game is played again


def _worth(question, card):
    """How good the two symbols of a card are, with the dice of the morning and the evening."""
    food = question.read("stock")[question.player][1]
    worth = {{"forward": 1.0, "backward": -1.0, "gold": 0.6, "gunpowder": 0.4, "food": 0.9 if food < 5 else 0.1}}
    symbols = question.rules.components.action_cards[card].name.split("/")
    return sum(worth[symbol] * die for symbol, die in zip(symbols, question.read("placed")))
'''


def _data_template(name: str) -> str:
    lines = [
        schema_line("strategy"),
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


def new_strategy(name: str, folder: str | PathLike[str] = ".", code: bool = False, plain: bool = False) -> Path:
    """Write a commented file to start a strategy from: of weights, of code, or a plain Python player.

    It plays as it is.

    Examples
    --------
    >>> from jamaica_sim import new_strategy
    >>> new_strategy("mine").name
    'mine.toml'
    """
    if code and plain:
        raise StrategyError("a file has either compiled code or a plain Python player: choose one of code and plain.")
    text = CODE.format(name=name) if code else PLAIN.format(name=name) if plain else _data_template(name)
    return write_new(Path(folder), name, ".py" if code or plain else ".toml", text, StrategyError)


HOUSE_RULES = '''"""An empty lair pays two doubloons."""

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
    return write_new(Path(folder), name, ".py", HOUSE_RULES, HouseRulesError)
