"""Words for decisions: what a player did, and what each answer would have been."""

from jamaica_sim.play.positions import Position
from jamaica_sim.replays.box import Box
from jamaica_sim.strategy.option_words import option_words

VERBS = {
    "place_dice": "puts",
    "choose_card": "plays",
    "choose_space": "sails to",
    "choose_retreat": "goes back to",
    "hold_to_empty": "throws overboard",
    "hold_to_pay": "pays from the hold with",
    "choose_target": "attacks",
    "attack_powder": "adds",
    "defence_powder": "adds",
    "use_sabre": "chooses",
    "choose_loot": "chooses",
    "ghost_direction": "moves the ghost",
    "ghost_space": "sails the ghost to",
    "ghost_target": "has the ghost attack",
    "ghost_loot": "chooses for the ghost",
    "house_choice": "chooses",
}


def did(position: Position, answer: int, box: Box, names: list[str]) -> str:
    """What a player does with an answer: `plays gold/gold`."""
    return f"{VERBS[position.decision]} {option_name(position, answer, box, names)}"


def option_name(position: Position, answer: int, box: Box, names: list[str]) -> str:
    """One answer: `gold/gold`, `space 12`, `to take 4 gold`."""
    return option_words(position, answer, box.rules, names)
